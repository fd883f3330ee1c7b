/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SERVER_CALC_MAIL_FACTS_H
#define SERVER_CALC_MAIL_FACTS_H

#include "calc_mail.h"

struct mail_fact {
	const char *name;	/* "how sure": at most 9 columns */
	const char *text;	/* one line, without control characters */
};

/* "from 40 KiB, up to +150 %" of a sweep; "+14 % .. +150 %" of anything else. */
const char *calc_mail_extent(struct arena *a, const struct calc_mail *m);
/* "mprotect/tw4m is slower with v6.17-rc1 than with v6.16: from 40 KiB, up to +150 %, on 2 machines." */
const char *calc_mail_statement(struct arena *a, const struct calc_mail *m);
const struct mail_fact *calc_mail_facts(struct arena *a, const struct calc_mail *m, size_t *n);

#endif
