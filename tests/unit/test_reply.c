/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The strong ETag of an answer that is hashed in pieces. */
#include "../../server/reply.h"

#include <sched.h>

#include "tap.h"

#define BIG ((size_t)9 * 1024 * 1024 + 5)

/* Of BIG bytes of which the one at `at` is another; room for 64. */
static void etag_of(size_t at, char etag[64])
{
	const struct reply r = { .status = 200, .etag = true };
	struct reply_body *body;
	struct buf b, head;
	const char *line;

	buf_init(&b);
	memset(buf_reserve(&b, BIG), 'a', BIG);
	b.len = BIG;
	if (at < BIG)
		b.p[at] = 'b';
	body = reply_body_new(&b, "text/plain", false, NULL);
	buf_init(&head);
	reply_raw(&head, body, &r);
	line = strstr(head.p, "ETag: ");
	snprintf(etag, 64, "%.*s", line ? (int)strcspn(line, "\r") : 0, line ? line : "");
	buf_fini(&head);
	reply_body_unref(body);
}

int main(void)
{
	static const size_t places[] = { 0, (size_t)256 * 1024 - 1, (size_t)256 * 1024, BIG / 2, BIG - 1 };
	char plain[64], other[64];
	cpu_set_t one;

	etag_of(BIG, plain);
	ok(strlen(plain) > 32, "there is one: %s", plain);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		etag_of(places[i], other);
		ok(strcmp(plain, other) != 0, "another byte at %zu makes another", places[i]);
	}
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	ok(!sched_setaffinity(0, sizeof(one), &one), "on one CPU only");
	etag_of(BIG, other);
	is_str(other, plain, "the same bytes have the same");
	return done();
}
