/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What serve and watch give up for good before they talk to anybody: new privileges, running other programs, looking
 * into other processes, and what only administrators do; watch also listening. Whoever takes one of
 * them over has no more than that. A kernel that cannot is said so in the log, and it goes on without.
 */
#ifndef SERVER_CONFINE_H
#define SERVER_CONFINE_H

#include <stdbool.h>

/* Of this process and all its threads to come: call it before there are any. listens: it may wait for connections. */
void confine_process(bool listens);

#endif
