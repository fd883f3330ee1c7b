/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that deliver the outbox, each with its own connection. What goes to one receiver (the
 * mail server, a webhook) goes there one after the other, so a receiver that is slow or
 * away holds up nobody else; one thread more keeps leases and makes digests.
 */
#ifndef SERVER_WATCH_SEND_H
#define SERVER_WATCH_SEND_H

#include "db_catalog.h"
#include "deliver.h"

struct watch_send;

/* Starts them. conf, map, catalog and what d points to must outlive it; owner: watch_send_stop(). */
struct watch_send *watch_send_start(const struct conf *conf, const struct deliver *d, const struct deliver_map *map,
				    struct catalog *catalog);
void watch_send_wake(struct watch_send *s);	/* something may be due; accepts NULL */
/* Ends what is under way after a short grace, joins, frees. Accepts NULL. */
void watch_send_stop(struct watch_send *s);

/* How long to wait after this many failed attempts: doubling from 1 s to 1 h, with jitter; random: 0 .. 1. */
int64_t watch_send_delay_ms(int64_t attempts, double random);
/* What it is of one attempt: spread over deliveries, the same whenever it is asked. */
double watch_send_random(const char *idempotency_key, int64_t attempts);

#endif
