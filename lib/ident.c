/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ident.h"

#include <nettle/sha2.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "must.h"

void random_bytes(void *p, size_t n)
{
	char *at = p;

	while (n) {
		ssize_t got = getrandom(at, n, 0);

		must(got > 0);	/* urandom source: only EFAULT and ENOSYS are left */
		at += got;
		n -= (size_t)got;
	}
}

static void version_set(struct uuid *u, unsigned version)
{
	u->b[6] = (uint8_t)((u->b[6] & 0x0f) | version << 4);
	u->b[8] = (uint8_t)((u->b[8] & 0x3f) | 0x80);
}

void uuid_v7(struct uuid *u)
{
	struct timespec now;
	uint64_t ms;

	clock_gettime(CLOCK_REALTIME, &now);
	ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
	random_bytes(u->b, sizeof(u->b));
	for (int i = 0; i < 6; i++)
		u->b[i] = (uint8_t)(ms >> (40 - 8 * i));
	version_set(u, 7);
}

void uuid_v8_of(struct uuid *u, const uint8_t digest[32])
{
	memcpy(u->b, digest, sizeof(u->b));
	version_set(u, 8);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int uuid_parse(const char *s, struct uuid *u)
{
	int n = 0;

	if (strlen(s) != UUID_TEXT - 1)
		return -1;
	for (int i = 0; i < UUID_TEXT - 1; i++) {
		int d;

		if (i == 8 || i == 13 || i == 18 || i == 23) {
			if (s[i] != '-')
				return -1;
			continue;
		}
		d = hex_digit(s[i]);
		if (d < 0)
			return -1;
		u->b[n / 2] = (uint8_t)(n % 2 ? u->b[n / 2] | d : d << 4);
		n++;
	}
	return 0;
}

const char *uuid_format(const struct uuid *u, char out[UUID_TEXT])
{
	static const int starts[] = { 0, 4, 6, 8, 10, 16 };
	char *p = out;

	for (int part = 0; part < 5; part++) {
		int n = starts[part + 1] - starts[part];

		hex_format(u->b + starts[part], (size_t)n, p);
		p += 2 * n;
		*p++ = part < 4 ? '-' : 0;
	}
	return out;
}

bool uuid_equal(const struct uuid *a, const struct uuid *b)
{
	return !memcmp(a->b, b->b, sizeof(a->b));
}

void sha256(const void *p, size_t n, uint8_t digest[32])
{
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	sha256_update(&ctx, n, p);
	sha256_digest(&ctx, SHA256_DIGEST_SIZE, digest);
}

void hex_format(const uint8_t *p, size_t n, char *out)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		out[2 * i] = digits[p[i] >> 4];
		out[2 * i + 1] = digits[p[i] & 15];
	}
	out[2 * n] = 0;
}
