/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `nsecwatchd up`: everything on one machine. One parent process starts a private
 * PostgreSQL, prepares it, runs `serve` and `watch` as children, starts again what
 * dies and stops all of it on SIGTERM or SIGINT.
 */
#ifndef SERVER_UP_H
#define SERVER_UP_H

#include "conf.h"

int up_run(const struct conf *conf, struct err *err);

/* The conninfo of the `up` that runs on conf->data (kept until the process ends). -1: none runs there. */
int up_find_db(const struct conf *conf, const char **conninfo, struct err *err);

#endif
