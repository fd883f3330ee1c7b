/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "web_limit.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "../lib/ident.h"
#include "../lib/must.h"
#include "../lib/net.h"
#include "../lib/tm.h"

/* 8192 entries of 48 bytes: more addresses than a server of a lab has connections for */
#define SETS 1024u
#define WAYS 8u
#define MINUTE_USEC 6e7

enum { OF_TOKEN = 1, OF_NAME };

struct entry {
	struct web_limit_key key;
	double left;
	int64_t at;			/* monotonic usec, when `left` was so; 0: the entry is free */
	int64_t under_way;
};

struct web_limit {
	pthread_mutex_t lock;
	int per_minute, at_once;
	uint64_t seed;			/* nobody outside can tell whose entries share a set */
	struct entry entry[SETS * WAYS];	/* under lock */
};

struct web_limit_key web_limit_address(const uint8_t b[16])
{
	struct web_limit_key key = { { 0 } };

	memcpy(key.part, b, net_is_v4(b) ? 16 : 8);
	return key;
}

struct web_limit_key web_limit_person(int64_t token_id, const char *name)
{
	struct web_limit_key key = { { token_id > 0 ? OF_TOKEN : OF_NAME, (uint64_t)token_id } };

	if (token_id < 1)
		key.part[1] = XXH3_64bits(name, strlen(name));
	return key;
}

struct web_limit *web_limit_new(int per_minute, int at_once)
{
	struct web_limit *l = calloc(1, sizeof(*l));

	must(l != NULL);
	must(!pthread_mutex_init(&l->lock, NULL));
	l->per_minute = per_minute;
	l->at_once = at_once;
	random_bytes(&l->seed, sizeof(l->seed));
	return l;
}

void web_limit_free(struct web_limit *l)
{
	if (!l)
		return;
	pthread_mutex_destroy(&l->lock);
	free(l);
}

/* Under lock: the entry of this key, made if need be; NULL: all that could make room have something under way. */
static struct entry *find(struct web_limit *l, const struct web_limit_key *key, int64_t now)
{
	struct entry *set = &l->entry[XXH3_64bits_withSeed(key, sizeof(*key), l->seed) % SETS * WAYS], *oldest = NULL;

	for (unsigned i = 0; i < WAYS; i++) {
		struct entry *e = &set[i];

		if (e->at && !memcmp(&e->key, key, sizeof(*key)))
			return e;
		if (!e->under_way && (!oldest || e->at < oldest->at))
			oldest = e;
	}
	if (oldest)
		*oldest = (struct entry){ .key = *key, .left = l->per_minute, .at = now };
	return oldest;
}

static void refill(const struct web_limit *l, struct entry *e, int64_t now)
{
	e->left += (double)(now - e->at) * l->per_minute / MINUTE_USEC;
	if (e->left > l->per_minute)
		e->left = l->per_minute;
	e->at = now;
}

static enum web_limit_answer take(struct web_limit *l, struct entry *e, int64_t now, int *retry_after_s)
{
	refill(l, e, now);
	if (l->at_once && e->under_way >= l->at_once) {
		*retry_after_s = 1;
		return WEB_LIMIT_TOO_MANY;
	}
	if (l->per_minute && e->left < 1) {
		*retry_after_s = (int)ceil((1 - e->left) * 60 / l->per_minute);
		return WEB_LIMIT_TOO_OFTEN;
	}
	e->left--;
	return WEB_LIMIT_GOOD;
}

enum web_limit_answer web_limit_take(struct web_limit *l, const struct web_limit_key *key, web_limit_seat *seat,
				     int *retry_after_s)
{
	enum web_limit_answer answer = WEB_LIMIT_GOOD;
	int64_t now = tm_monotonic_usec();
	struct entry *e;

	if (seat)
		*seat = 0;
	if (!l->per_minute && !l->at_once)
		return WEB_LIMIT_GOOD;
	must(!pthread_mutex_lock(&l->lock));
	e = find(l, key, now);
	if (e)			/* else it goes uncounted: the limits of the whole server hold still */
		answer = take(l, e, now, retry_after_s);
	if (e && seat && answer == WEB_LIMIT_GOOD) {
		e->under_way++;
		*seat = (web_limit_seat)(e - l->entry) + 1;
	}
	must(!pthread_mutex_unlock(&l->lock));
	return answer;
}

void web_limit_pardon(struct web_limit *l, const struct web_limit_key *key)
{
	struct entry *e;

	must(!pthread_mutex_lock(&l->lock));
	e = find(l, key, tm_monotonic_usec());
	if (e)
		e->left++;
	must(!pthread_mutex_unlock(&l->lock));
}

void web_limit_give(struct web_limit *l, web_limit_seat *seat)
{
	if (!*seat)
		return;
	must(!pthread_mutex_lock(&l->lock));
	must(l->entry[*seat - 1].under_way-- > 0);
	must(!pthread_mutex_unlock(&l->lock));
	*seat = 0;
}
