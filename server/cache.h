/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers kept in memory: key = hash of route, representation and canonical query; good
 * as long as the data version is the one they were made from. The least recently used
 * go when the budget is spent. Thread-safe.
 */
#ifndef SERVER_CACHE_H
#define SERVER_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "reply.h"

struct cache;

struct cache *cache_new(size_t budget);			/* bytes */
void cache_free(struct cache *c);			/* accepts NULL */

/* The answer (a reference for the caller) if it is of this version, else NULL. */
struct reply_body *cache_get(struct cache *c, const uint8_t key[32], const char *version);
/* The same where a miss is followed by another look, and not counted. */
struct reply_body *cache_take(struct cache *c, const uint8_t key[32], const char *version);
/* Whether it has the answer of any version. */
bool cache_may_have(struct cache *c, const uint8_t key[32]);
/* Whether it has it: a miss is counted, and where there is one, nothing. */
bool cache_has(struct cache *c, const uint8_t key[32], const char *version);
/* Keeps it (takes a reference of its own), unless it alone is more than an eighth of the budget. */
void cache_put(struct cache *c, const uint8_t key[32], const char *version, struct reply_body *body);

void cache_stats(struct cache *c, uint64_t *hits, uint64_t *misses, uint64_t *bytes);

#endif
