/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `nsecwatchd watch`: packs and checks what uploads left in run_todo, and delivers the
 * outbox. Shares nothing with `serve` but the database; never listens. One main thread
 * works the todo, others send (watch_send.h), so that a slow receiver holds up neither
 * the checks nor other receivers.
 */
#ifndef SERVER_WATCH_H
#define SERVER_WATCH_H

#include "conf.h"

/* Whether watch could start with these options: for who starts it, and would start it again and again. */
int watch_check(const struct conf *conf, struct err *err);

/* Works until SIGTERM or SIGINT, then returns 0. -1: it could not start. A database that is away is waited for. */
int watch_run(const struct conf *conf, struct err *err);

#endif
