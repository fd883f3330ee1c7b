/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text that answers have in common: found by what it is made of, bounded, counted once by the cache, good in a gzip form. */
#include "tap.h"

#include <pthread.h>
#include <string.h>
#include <zlib.h>

#include "../../server/cache.h"
#include "../../server/web_shared.h"

static struct web_shared *make(uint64_t i, size_t len)
{
	struct buf text;

	buf_init(&text);
	for (size_t k = 0; k < len; k++)
		buf_putc(&text, (char)('a' + (i + k) % 26));
	return web_shared_new(&i, sizeof(i), &text);
}

static struct web_shared *find(uint64_t i)
{
	return web_shared_find(&i, sizeof(i));
}

static bool is_of(const struct web_shared *s, uint64_t i, size_t len)
{
	bool good = s && s->len == len;

	for (size_t k = 0; good && k < len; k++)
		good = s->text[k] == (char)('a' + (i + k) % 26);
	return good;
}

static void test_kept(void)
{
	struct web_shared *first = make(1, 1000), *found;
	size_t bytes, texts;
	bool good = true;

	found = find(1);
	ok(found == first && is_of(found, 1, 1000), "it is found by what it is made of");
	web_shared_unref(found);
	ok(!find(2), "and by nothing else");
	for (uint64_t i = 100; i < 100 + 2 * WEB_SHARED_MOST; i++) {
		web_shared_unref(make(i, 1000));
		web_shared_unref(find(100));		/* used all the time */
	}
	web_shared_stats(&bytes, &texts);
	ok(texts == WEB_SHARED_MOST && bytes == 1000 * texts, "no more than %zu are kept", texts);
	found = find(100);
	ok(is_of(found, 100, 1000) && !find(1) && !find(101), "those that were used last");
	web_shared_unref(found);
	ok(is_of(first, 1, 1000), "who has one keeps it");
	web_shared_unref(first);
	for (uint64_t i = 0; i < 4; i++) {
		web_shared_unref(make(1000 + i, WEB_SHARED_BYTES / 2));
		web_shared_stats(&bytes, &texts);
		good &= bytes <= WEB_SHARED_BYTES;
	}
	ok(good && texts == 2, "nor more bytes than %u", WEB_SHARED_BYTES);
	web_shared_unref(make(2000, WEB_SHARED_BYTES + 1));
	web_shared_stats(&bytes, &texts);
	ok(bytes <= WEB_SHARED_BYTES && !find(2000), "and none that alone is more");
	web_shared_unref(NULL);
}

/* A reader gets out of the deflated form what went in, and may be given more. */
static void test_deflated(void)
{
	struct web_shared *s = make(7, 5000);
	size_t n, again;
	const void *p = web_shared_deflated(s, &n);
	unsigned char out[6000];
	z_stream z = { .next_in = (unsigned char *)(uintptr_t)p, .avail_in = (unsigned)n, .next_out = out, .avail_out = sizeof(out) };

	ok(web_shared_deflated(s, &again) == p && again == n && n < 500, "it is deflated once: %zu bytes", n);
	inflateInit2(&z, -MAX_WBITS);
	ok(inflate(&z, Z_SYNC_FLUSH) == Z_OK && !z.avail_in && z.total_out == 5000 && !memcmp(out, s->text, 5000), "whole, and not ended");
	inflateEnd(&z);
	web_shared_unref(s);
}

static void put(struct cache *c, uint8_t n, struct web_shared *s)
{
	struct reply_body *b;
	uint8_t key[32] = { n };
	struct buf out;

	buf_init(&out);
	buf_puts(&out, "[]");
	b = reply_body_around(&out, s ? web_shared_ref(s) : NULL, 1, "text/plain", false, NULL);
	cache_put(c, key, "v", b);
	reply_body_unref(b);
}

static uint64_t used(struct cache *c)
{
	uint64_t hits, misses, bytes;

	cache_stats(c, &hits, &misses, &bytes);
	return bytes;
}

static void test_cache(void)
{
	struct cache *c = cache_new(1000 * 1000);
	struct web_shared *s = make(9, 50000);
	uint64_t one, two;

	put(c, 1, NULL);
	one = used(c);
	put(c, 2, s);
	two = used(c);
	ok(two - one >= 50000 && two - one < 50000 + 2 * one, "an answer with a text in it counts with it");
	put(c, 3, s);
	put(c, 4, s);
	ok(used(c) - two < 3 * one, "others with the same one without it");
	put(c, 2, NULL);
	put(c, 3, NULL);
	ok(used(c) > 50000, "as long as there is one");
	put(c, 4, NULL);
	ok(used(c) == 4 * one, "and not longer");
	web_shared_unref(s);
	cache_free(c);
}

#define THREADS 4

static void *use(void *arg)
{
	int *wrong = arg;

	for (uint64_t i = 0; i < 20000; i++) {
		uint64_t which = 5000 + i * 7 % 40;
		struct web_shared *s = find(which);
		size_t n;

		if (!s)
			s = make(which, 200);
		*wrong += !is_of(s, which, 200) || !web_shared_deflated(s, &n);
		web_shared_unref(s);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread[THREADS];
	int wrong[THREADS] = { 0 }, all = 0;

	test_kept();
	test_deflated();
	test_cache();
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, use, &wrong[i]);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		all += wrong[i];
	}
	ok(!all, "many threads at once");
	return done();
}
