/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is done about the outbox now and then: digests whose time has come, rows nobody delivers. */
#ifndef SERVER_WATCH_KEEP_H
#define SERVER_WATCH_KEEP_H

#include "deliver_map.h"

/* Both at this time; a time zone that PostgreSQL does not know counts as UTC. */
int watch_keep(const struct deliver_map *map, struct db *db, struct arena *a, int64_t now, struct err *err);

/* When a delivery to this target may go out: TM_NONE now, else the end of its quiet hours. */
int watch_keep_quiet(const struct deliver_target *t, struct db *db, int64_t now, int64_t *until, struct err *err);

#endif
