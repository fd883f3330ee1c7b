/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers in memory: by key and version, within a budget. */
#include "../../server/cache.h"

#include "tap.h"

static struct reply_body *body(size_t len)
{
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < len; i++)
		buf_putc(&b, (char)('a' + i % 26));
	return reply_body_new(&b, "text/plain", false, NULL);
}

static void key(uint8_t k[32], int n)
{
	memset(k, 0, 32);
	memcpy(k, &n, sizeof(n));
}

static void put(struct cache *c, int n, const char *version, size_t len)
{
	struct reply_body *b = body(len);
	uint8_t k[32];

	key(k, n);
	cache_put(c, k, version, b);
	reply_body_unref(b);
}

static bool has(struct cache *c, int n, const char *version)
{
	struct reply_body *b;
	uint8_t k[32];

	key(k, n);
	b = cache_get(c, k, version);
	reply_body_unref(b);
	return b != NULL;
}

int main(void)
{
	struct cache *c = cache_new(100 * 1000);
	uint64_t hits, misses, bytes;

	ok(!has(c, 1, "v1"), "empty at first");
	put(c, 1, "v1", 1000);
	ok(has(c, 1, "v1"), "kept");
	ok(!has(c, 1, "v2"), "of another version: not");
	ok(!has(c, 1 + 4096, "v1"), "of another key in the same bucket: not");
	put(c, 1 + 4096, "v1", 1000);
	ok(has(c, 1, "v1") && has(c, 1 + 4096, "v1"), "two in a bucket");
	put(c, 1, "v2", 1000);
	ok(has(c, 1, "v2") && !has(c, 1, "v1"), "the newer version takes the place");
	put(c, 7, "v1", 90 * 1000);
	ok(!has(c, 7, "v1"), "one that would fill it all is not kept");
	for (int i = 100; i < 300; i++) {
		put(c, i, "v1", 1000);
		has(c, 100, "v1");	/* in use */
	}
	cache_stats(c, &hits, &misses, &bytes);
	ok(bytes <= 100 * 1000 && bytes > 90 * 1000, "the budget is kept");
	ok(has(c, 299, "v1") && !has(c, 101, "v1") && !has(c, 1, "v2"), "the oldest went");
	ok(has(c, 100, "v1"), "what is in use stayed");
	for (int i = 300; i < 350; i++)
		put(c, i, "v3", 1000);
	cache_stats(c, &hits, &misses, &bytes);
	ok(bytes < 90 * 1000 && !has(c, 250, "v1") && has(c, 300, "v3") && has(c, 349, "v3"),
	   "where a new version comes, what is of older ones makes room, and not what is of it");
	ok(hits > 200 && misses >= 5, "hits and misses are counted");
	cache_free(c);
	return done();
}
