/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From an event of an alert to who is told: now, in a digest, or not at all. */
#ifndef SERVER_DETECT_TELL_H
#define SERVER_DETECT_TELL_H

#include "db_rules.h"
#include "deliver_map.h"

/*
 * In the transaction of the event: a delivery or an item of a digest for each whom the map
 * names for the benchmark, once an event ("opened"; at most 40 of a-z, 0-9 and -).
 */
int detect_tell(const struct deliver_map *map, struct db *db, const struct uuid *alert_id, const char *benchmark,
		bool regression, const char *event, struct err *err);

/* The same, and for each whom one of the rules names beside: a target of the map by its name, or any mail address. */
int detect_tell_rules(const struct deliver_map *map, struct db *db, const struct uuid *alert_id, const char *benchmark,
		      bool regression, const char *event, const struct db_rule *const *rules, size_t n_rules, struct err *err);

#endif
