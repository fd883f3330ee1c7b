/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `nsecwatch push`: files of results to the server, by way of the spool. */
#ifndef CLIENT_PUSH_H
#define CLIENT_PUSH_H

#include "options.h"

int push(struct arena *a, const struct options *o);	/* the exit code */

#endif
