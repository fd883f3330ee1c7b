/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the state of an alert asks of a mail about it: a first report, or a later word in its thread. */
#ifndef SERVER_CALC_MAIL_REGZBOT_H
#define SERVER_CALC_MAIL_REGZBOT_H

#include "calc_mail.h"

/*
 * The paragraphs of commands to the kernel's regression tracker
 * (Documentation/process/handling-regressions.rst, "How to interact with regzbot?").
 */
void calc_mail_regzbot(struct buf *out, struct arena *a, const struct calc_mail *m);

/* "fixed in v6.19 by 0123456789ab", "invalid: the firmware changed"; NULL while it is to be reported. */
const char *calc_mail_status(struct arena *a, const struct calc_mail *m);

/* The Message-ID that a link to lore.kernel.org names, without its brackets; NULL: no such link. */
const char *calc_mail_lore_id(struct arena *a, const char *url);

#endif
