/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Identifiers and digests: UUIDs (RFC 9562 versions 7 and 8), SHA-256 (nettle), random bytes, hex. */
#ifndef LIB_IDENT_H
#define LIB_IDENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UUID_TEXT 37	/* with the NUL */

struct uuid {
	uint8_t b[16];
};

void uuid_v7(struct uuid *u);					/* now, in ms, and random bits */
void uuid_v8_of(struct uuid *u, const uint8_t digest[32]);	/* the first 122 bits of a SHA-256 */
int uuid_parse(const char *s, struct uuid *u);			/* 8-4-4-4-12 hex, any case: 0 or -1 */
const char *uuid_format(const struct uuid *u, char out[UUID_TEXT]);	/* lower case; returns out */
bool uuid_equal(const struct uuid *a, const struct uuid *b);

void sha256(const void *p, size_t n, uint8_t digest[32]);
void hex_format(const uint8_t *p, size_t n, char *out);		/* 2n characters and a NUL */
void random_bytes(void *p, size_t n);				/* getrandom(2); cannot fail */

#endif
