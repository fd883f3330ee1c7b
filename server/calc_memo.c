/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_memo.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "../lib/must.h"

struct calc_memo_entry {
	struct calc_memo_entry *next;	/* of the bucket */
	struct calc_memo_key key;
	size_t n;
	char value[];
};

struct calc_memo_key calc_memo_key(const void *inputs, size_t n)
{
	XXH128_hash_t h = XXH3_128bits(inputs, n);

	return (struct calc_memo_key){ h.low64, h.high64 };
}

static struct calc_memo_entry **bucket_of(struct calc_memo *m, const struct calc_memo_key *key)
{
	return &m->bucket[key->low & (CALC_MEMO_BUCKETS - 1)];
}

static size_t size_of(const struct calc_memo_entry *e)
{
	return sizeof(*e) + e->n;
}

/* Where the entry hangs, or the end of the bucket. */
static struct calc_memo_entry **find(struct calc_memo *m, const struct calc_memo_key *key)
{
	struct calc_memo_entry **p = bucket_of(m, key);

	while (*p && ((*p)->key.low != key->low || (*p)->key.high != key->high))
		p = &(*p)->next;
	return p;
}

static void put_first(struct calc_memo *m, struct calc_memo_entry *e)
{
	struct calc_memo_entry **first = bucket_of(m, &e->key);

	e->next = *first;
	*first = e;
}

void *calc_memo_get(struct calc_memo *m, const struct calc_memo_key *key, struct arena *a)
{
	struct calc_memo_entry **p, *e;
	void *copy = NULL;

	must(!pthread_mutex_lock(&m->lock));
	p = find(m, key);
	e = *p;
	if (e) {
		*p = e->next;
		put_first(m, e);
		copy = arena_alloc(a, e->n);
		memcpy(copy, e->value, e->n);
	}
	must(!pthread_mutex_unlock(&m->lock));
	return copy;
}

/* Under lock: what is more than a bucket holds goes, from its end. */
static void trim(struct calc_memo_entry *e)
{
	size_t size = 0;

	while (e->next && size + size_of(e) + size_of(e->next) <= CALC_MEMO_BUCKET) {
		size += size_of(e);
		e = e->next;
	}
	for (struct calc_memo_entry *gone = e->next, *next; gone; gone = next) {
		next = gone->next;
		free(gone);
	}
	e->next = NULL;
}

void calc_memo_put(struct calc_memo *m, const struct calc_memo_key *key, const void *value, size_t n)
{
	struct calc_memo_entry *e;

	if (sizeof(*e) + n > CALC_MEMO_BUCKET)
		return;
	e = malloc(sizeof(*e) + n);
	must(e != NULL);
	e->key = *key;
	e->n = n;
	memcpy(e->value, value, n);
	must(!pthread_mutex_lock(&m->lock));
	if (*find(m, key)) {		/* another thread was as fast */
		free(e);
	} else {
		put_first(m, e);
		trim(e);
	}
	must(!pthread_mutex_unlock(&m->lock));
}

size_t calc_memo_size(struct calc_memo *m)
{
	size_t size = 0;

	must(!pthread_mutex_lock(&m->lock));
	for (size_t i = 0; i < CALC_MEMO_BUCKETS; i++)
		for (const struct calc_memo_entry *e = m->bucket[i]; e; e = e->next)
			size += size_of(e);
	must(!pthread_mutex_unlock(&m->lock));
	return size;
}
