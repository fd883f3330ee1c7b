/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A connection to the right one of several servers (host=a,b in the conninfo), as fast as the right one answers. libpq
 * tries one after the other, and one whose cable is cut costs it connect_timeout, each time; here the
 * one that was right last is asked first, and the next ones a moment later, while it has not answered.
 * Used by db.c only.
 */
#ifndef SERVER_DB_HOSTS_H
#define SERVER_DB_HOSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libpq-fe.h>

#include "../lib/buf.h"

struct db_hosts;

/* Of this conninfo; the same for all who ask with it, and it lives as long as the process. */
struct db_hosts *db_hosts_of(const char *conninfo);
bool db_hosts_several(const struct db_hosts *h);

/*
 * keys and values as PQconnectdbParams() takes them, with room for three more before the NULL that ends them at [n].
 * A good connection, which the caller owns, to *host; or NULL, and why of each host. Not asked are those whose
 * bit is set in `without`.
 */
PGconn *db_hosts_connect(struct db_hosts *h, const char **keys, const char **values, size_t n, uint32_t without, int *host,
			 struct buf *why);

/* Which history a server is on: a promotion begins a new timeline of the same cluster. */
struct db_timeline {
	int64_t cluster;		/* its system identifier */
	int64_t number;			/* 0: cannot be told */
};

/*
 * Whether the host, a primary on this timeline, is the right one: it becomes that. false: a higher timeline of its cluster was
 * seen, so this one was the primary once, and came back as it was; what is written there is lost when it is made a standby.
 */
bool db_hosts_admit(struct db_hosts *h, int host, struct db_timeline t);
/* Those that were not admitted when they were asked last, names with commas; nothing: none. */
void db_hosts_former(const struct db_hosts *h, struct buf *names);
uint64_t db_hosts_refused(void);		/* how often one was not, in this process */

/* The highest timeline seen, number 0: none yet. db_hosts_saw() raises it; of another cluster (the server was replaced by a new one) nothing is known. */
struct db_timeline db_hosts_timeline(struct db_hosts *h);
void db_hosts_saw(struct db_hosts *h, struct db_timeline t);
/* Once in half a minute, for who may wait a little: to ask all of several hosts how far they are. */
bool db_hosts_look_is_due(struct db_hosts *h);

/* How many there are, and keys and values of one, as above, [n] to [n + 2]. */
int db_hosts_count(const struct db_hosts *h);
void db_hosts_of_one(const struct db_hosts *h, int host, const char **keys, const char **values, size_t n);

/* Grows when another server has become the right one: links that were made before lead to the wrong one. */
uint64_t db_hosts_epoch(struct db_hosts *h);

#endif
