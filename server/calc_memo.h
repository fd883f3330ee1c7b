/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results that are dear and follow from their inputs alone, kept by a hash of these: an upload makes
 * every answer old, but most series are what they were. Nothing in it is ever wrong, so
 * nothing has to be thrown away but for its size: the least recently used of a bucket go. Thread-safe.
 */
#ifndef SERVER_CALC_MEMO_H
#define SERVER_CALC_MEMO_H

#include <pthread.h>
#include <stdint.h>

#include "../lib/arena.h"

#define CALC_MEMO_BUCKETS 4096	/* a power of two */
#define CALC_MEMO_BUCKET 4096	/* bytes in each: 16 MiB in all, of tens of thousands of series */

struct calc_memo {
	pthread_mutex_t lock;
	struct calc_memo_entry *bucket[CALC_MEMO_BUCKETS];	/* under lock; the latest used first */
};
#define CALC_MEMO_INIT { .lock = PTHREAD_MUTEX_INITIALIZER }

struct calc_memo_key {		/* 128 bits */
	uint64_t low, high;
};
struct calc_memo_key calc_memo_key(const void *inputs, size_t n);

/* A copy of the value, or NULL. */
void *calc_memo_get(struct calc_memo *m, const struct calc_memo_key *key, struct arena *a);
/* Keeps a copy, where it fits into a bucket. */
void calc_memo_put(struct calc_memo *m, const struct calc_memo_key *key, const void *value, size_t n);
/* Bytes that it holds. */
size_t calc_memo_size(struct calc_memo *m);

#endif
