/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SERVER_CALC_MAIL_COMMAND_H
#define SERVER_CALC_MAIL_COMMAND_H

#include "../lib/buf.h"

/* A shell command, indented, over as many lines of 72 columns as it needs; pasted, it is the same command. */
void calc_mail_command(struct buf *out, const char *command);

#endif
