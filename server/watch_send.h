/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that delivers one kind of the outbox's rows, with its own connection. */
#ifndef SERVER_WATCH_SEND_H
#define SERVER_WATCH_SEND_H

#include "calc_mail.h"
#include "deliver.h"

struct watch_send;

/* Starts it. conninfo, catalog and what d and look point to must outlive it; owner: watch_send_stop(). */
struct watch_send *watch_send_start(enum outbox_kind kind, const struct deliver *d, struct catalog *catalog,
				    const char *conninfo, int statement_timeout_ms,
				    const struct calc_mail_look *look);
void watch_send_wake(struct watch_send *s);	/* something may be due; accepts NULL */
/* Ends what is under way after a short grace, joins, frees. Accepts NULL. */
void watch_send_stop(struct watch_send *s);

/* How long to wait after this many failed attempts: doubling from 1 s to 1 h, with jitter; random: 0 .. 1. */
int64_t watch_send_delay_ms(int64_t attempts, double random);

#endif
