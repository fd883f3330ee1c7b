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
 * A good connection, which the caller owns; or NULL, and why of each host.
 */
PGconn *db_hosts_connect(struct db_hosts *h, const char **keys, const char **values, size_t n, struct buf *why);

/* Grows when another server has become the right one: links that were made before lead to the wrong one. */
uint64_t db_hosts_epoch(struct db_hosts *h);

#endif
