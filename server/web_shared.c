/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "web_shared.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zlib.h>

#include "../lib/must.h"

struct own {			/* what a struct web_shared begins */
	struct web_shared shared;
	atomic_uint refs;
	char *text;
	pthread_mutex_t lock;
	void *deflated;		/* under lock; once there, it stays */
	size_t n_deflated;
};

struct kept {
	XXH128_hash_t key;
	struct own *own;
};

/* The latest used first. Few: looked through. */
static struct {
	pthread_mutex_t lock;
	struct kept list[WEB_SHARED_MOST + 1];
	size_t n, bytes;
} kept = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct own *own_of(struct web_shared *s)
{
	return (struct own *)s;		/* its first member */
}

struct web_shared *web_shared_ref(struct web_shared *s)
{
	atomic_fetch_add(&own_of(s)->refs, 1);
	return s;
}

void web_shared_unref(struct web_shared *s)
{
	struct own *own = own_of(s);

	if (!s || atomic_fetch_sub(&own->refs, 1) != 1)
		return;
	pthread_mutex_destroy(&own->lock);
	free(own->text);
	free(own->deflated);
	free(own);
}

/* Under lock: the place of a key becomes the first; false: there is none. */
static bool to_front(const XXH128_hash_t *key)
{
	for (size_t i = 0; i < kept.n; i++) {
		struct kept found = kept.list[i];

		if (!XXH128_isEqual(found.key, *key))
			continue;
		memmove(kept.list + 1, kept.list, i * sizeof(*kept.list));
		kept.list[0] = found;
		return true;
	}
	return false;
}

struct web_shared *web_shared_find(const void *inputs, size_t n)
{
	XXH128_hash_t key = XXH3_128bits(inputs, n);
	struct web_shared *s = NULL;

	must(!pthread_mutex_lock(&kept.lock));
	if (to_front(&key))
		s = web_shared_ref(&kept.list[0].own->shared);
	must(!pthread_mutex_unlock(&kept.lock));
	return s;
}

/* Keeps it as the first; what is too much goes. Where another thread was as fast, there are both for a while. */
static void keep(const XXH128_hash_t *key, struct own *own)
{
	struct own *gone[WEB_SHARED_MOST + 1];
	size_t n_gone = 0;

	must(!pthread_mutex_lock(&kept.lock));
	memmove(kept.list + 1, kept.list, kept.n * sizeof(*kept.list));
	kept.list[0] = (struct kept){ *key, own };
	kept.bytes += own->shared.len;
	for (kept.n++; kept.n > WEB_SHARED_MOST || kept.bytes > WEB_SHARED_BYTES; kept.n--) {
		gone[n_gone] = kept.list[kept.n - 1].own;
		kept.bytes -= gone[n_gone++]->shared.len;
	}
	must(!pthread_mutex_unlock(&kept.lock));
	while (n_gone)
		web_shared_unref(&gone[--n_gone]->shared);
}

struct web_shared *web_shared_new(const void *inputs, size_t n, struct buf *text)
{
	XXH128_hash_t key = XXH3_128bits(inputs, n), hash;
	struct own *own = calloc(1, sizeof(*own));

	must(own != NULL);
	atomic_init(&own->refs, 1);
	must(!pthread_mutex_init(&own->lock, NULL));
	own->text = buf_steal(text, &own->shared.len);
	own->shared.text = own->text;
	hash = XXH3_128bits(own->text, own->shared.len);
	own->shared.hash[0] = hash.low64;
	own->shared.hash[1] = hash.high64;
	web_shared_ref(&own->shared);
	keep(&key, own);
	return &own->shared;
}

/* With zlib, which can end at a byte; it is made once, so at its best level but the slow ones. */
static void make_deflated(struct own *own)
{
	z_stream z = { 0 };
	size_t room;

	must(deflateInit2(&z, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	room = deflateBound(&z, own->shared.len) + 16;
	own->deflated = malloc(room);
	must(own->deflated && room <= UINT32_MAX && own->shared.len <= UINT32_MAX);
	z.next_in = (unsigned char *)own->text;
	z.avail_in = (unsigned)own->shared.len;
	z.next_out = own->deflated;
	z.avail_out = (unsigned)room;
	must(deflate(&z, Z_SYNC_FLUSH) == Z_OK && !z.avail_in && z.avail_out);
	own->n_deflated = room - z.avail_out;
	deflateEnd(&z);
	own->deflated = realloc(own->deflated, own->n_deflated);
	must(own->deflated != NULL);
}

const void *web_shared_deflated(struct web_shared *s, size_t *n)
{
	struct own *own = own_of(s);

	must(!pthread_mutex_lock(&own->lock));
	if (!own->deflated)
		make_deflated(own);
	*n = own->n_deflated;
	must(!pthread_mutex_unlock(&own->lock));
	return own->deflated;
}

void web_shared_stats(size_t *bytes, size_t *texts)
{
	must(!pthread_mutex_lock(&kept.lock));
	*bytes = kept.bytes;
	*texts = kept.n;
	must(!pthread_mutex_unlock(&kept.lock));
}
