/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash table of chains and one list in order of use, under one mutex: a look-up copies nothing. */
#include "cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/must.h"

#define BUCKETS 4096	/* a power of two */

struct entry {
	struct entry *chain;		/* in the bucket */
	struct entry *newer, *older;	/* in the order of use */
	uint8_t key[32];
	char *version;
	struct reply_body *body;
	size_t size;
};

struct cache {
	pthread_mutex_t lock;
	size_t budget;
	/* under lock */
	struct entry *bucket[BUCKETS];
	struct entry *newest, *oldest;
	size_t used;
	uint64_t hits, misses;
};

struct cache *cache_new(size_t budget)
{
	struct cache *c = calloc(1, sizeof(*c));

	must(c != NULL);
	c->budget = budget;
	must(!pthread_mutex_init(&c->lock, NULL));
	return c;
}

/* The keys are SHA-256: any of their bits are as good as a hash. */
static struct entry **bucket_of(struct cache *c, const uint8_t key[32])
{
	return &c->bucket[(key[0] | (unsigned)key[1] << 8) & (BUCKETS - 1)];
}

static void unlist(struct cache *c, struct entry *e)
{
	*(e->newer ? &e->newer->older : &c->newest) = e->older;
	*(e->older ? &e->older->newer : &c->oldest) = e->newer;
}

static void list_first(struct cache *c, struct entry *e)
{
	e->newer = NULL;
	e->older = c->newest;
	*(c->newest ? &c->newest->newer : &c->oldest) = e;
	c->newest = e;
}

/* A text that several answers have in common counts once, as long as any has it. */
static void count_shared(struct cache *c, struct entry *e, bool comes)
{
	struct web_shared *s = reply_body_shared(e->body);

	if (s && comes && !s->cached++)
		c->used += s->len;
	else if (s && !comes && !--s->cached)
		c->used -= s->len;
}

static void drop(struct cache *c, struct entry *e)
{
	struct entry **p = bucket_of(c, e->key);

	while (*p != e)
		p = &(*p)->chain;
	*p = e->chain;
	unlist(c, e);
	c->used -= e->size;
	count_shared(c, e, false);
	reply_body_unref(e->body);
	free(e->version);
	free(e);
}

static struct entry *find(struct cache *c, const uint8_t key[32])
{
	struct entry *e = *bucket_of(c, key);

	while (e && memcmp(e->key, key, 32))
		e = e->chain;
	return e;
}

void cache_free(struct cache *c)
{
	if (!c)
		return;
	while (c->oldest)
		drop(c, c->oldest);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

static struct reply_body *get(struct cache *c, const uint8_t key[32], const char *version, bool count_miss)
{
	struct reply_body *body = NULL;
	struct entry *e;

	must(!pthread_mutex_lock(&c->lock));
	e = find(c, key);
	if (e && !strcmp(e->version, version)) {
		unlist(c, e);
		list_first(c, e);
		body = reply_body_ref(e->body);
		c->hits++;
	} else {
		c->misses += count_miss;
	}
	must(!pthread_mutex_unlock(&c->lock));
	return body;
}

struct reply_body *cache_get(struct cache *c, const uint8_t key[32], const char *version)
{
	return get(c, key, version, true);
}

struct reply_body *cache_take(struct cache *c, const uint8_t key[32], const char *version)
{
	return get(c, key, version, false);
}

bool cache_may_have(struct cache *c, const uint8_t key[32])
{
	bool has;

	must(!pthread_mutex_lock(&c->lock));
	has = find(c, key) != NULL;
	must(!pthread_mutex_unlock(&c->lock));
	return has;
}

bool cache_has(struct cache *c, const uint8_t key[32], const char *version)
{
	const struct entry *e;
	bool has;

	must(!pthread_mutex_lock(&c->lock));
	e = find(c, key);
	has = e && !strcmp(e->version, version);
	c->misses += !has;
	must(!pthread_mutex_unlock(&c->lock));
	return has;
}

/*
 * Answers of another version will hardly be asked for again: versions only go on. Those that nobody asked for the longest make
 * room two at a time, so that where data come all the time the cache holds what is new, not its budget full of what was.
 */
static void drop_stale(struct cache *c, const char *version)
{
	for (int i = 0; i < 2 && c->oldest && strcmp(c->oldest->version, version) != 0; i++)
		drop(c, c->oldest);
}

void cache_put(struct cache *c, const uint8_t key[32], const char *version, struct reply_body *body)
{
	struct entry *e = calloc(1, sizeof(*e)), *old;

	must(e != NULL);
	memcpy(e->key, key, 32);
	e->version = strdup(version);
	must(e->version != NULL);
	e->body = reply_body_ref(body);
	e->size = sizeof(*e) + strlen(version) + reply_body_size(body);
	must(!pthread_mutex_lock(&c->lock));
	old = find(c, key);
	if (old)
		drop(c, old);
	drop_stale(c, version);
	e->chain = *bucket_of(c, key);
	*bucket_of(c, key) = e;
	list_first(c, e);
	c->used += e->size;
	count_shared(c, e, true);
	if (e->size > c->budget / 8)
		drop(c, e);
	while (c->used > c->budget)
		drop(c, c->oldest);
	must(!pthread_mutex_unlock(&c->lock));
}

void cache_stats(struct cache *c, uint64_t *hits, uint64_t *misses, uint64_t *bytes)
{
	must(!pthread_mutex_lock(&c->lock));
	*hits = c->hits;
	*misses = c->misses;
	*bytes = c->used;
	must(!pthread_mutex_unlock(&c->lock));
}
