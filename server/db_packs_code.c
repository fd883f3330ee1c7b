/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A chunk: a version byte, a byte of flags, the number of samples, then one column after the other.
 * Whole numbers are varints (of differences where neighbours are alike), doubles 8 bytes
 * little-endian. Columns that say nothing new (n all 1, no stddev, min and max the mean, a
 * boot of its own for each run) are left out: flags tell. A lone value of one run takes about 24 bytes.
 */
#include "db_packs_code.h"

#include <endian.h>
#include <math.h>
#include <string.h>
#include <zlib.h>

#include "../lib/must.h"

#define VERSION 1

enum flag { HAS_BOOT = 1, HAS_N = 2, HAS_STDDEV = 4, HAS_MIN = 8, HAS_MAX = 16, ALL_FLAGS = 31 };

/* ---- writing ---- */

static void put_varint(struct buf *b, uint64_t u)
{
	for (; u >= 0x80; u >>= 7)
		buf_putc(b, (char)(u | 0x80));
	buf_putc(b, (char)u);
}

/* Small numbers of either sign become small unsigned ones. Differences wrap, and unwrap again. */
static void put_difference(struct buf *b, int64_t from, int64_t to)
{
	uint64_t d = (uint64_t)to - (uint64_t)from;

	put_varint(b, d << 1 ^ (uint64_t)((int64_t)d >> 63));
}

static void put_word(struct buf *b, uint64_t u)
{
	u = htole64(u);
	buf_add(b, &u, sizeof(u));
}

static void put_double(struct buf *b, double d)
{
	uint64_t u;

	memcpy(&u, &d, sizeof(u));
	put_word(b, u);
}

static bool same(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static unsigned flags_of(const struct sample *s, size_t n)
{
	unsigned flags = 0;

	for (size_t i = 0; i < n; i++) {
		flags |= s[i].boot_key != s[i].run_key ? HAS_BOOT : 0;
		flags |= s[i].n != 1 ? HAS_N : 0;
		flags |= !isnan(s[i].stddev) ? HAS_STDDEV : 0;
		flags |= !same(s[i].min, s[i].mean) ? HAS_MIN : 0;
		flags |= !same(s[i].max, s[i].mean) ? HAS_MAX : 0;
	}
	return flags;
}

static void put_doubles(struct buf *b, const struct sample *s, size_t n, size_t offset)
{
	double d;

	for (size_t i = 0; i < n; i++) {
		memcpy(&d, (const char *)&s[i] + offset, sizeof(d));
		put_double(b, d);
	}
}

void db_packs_code_write(struct buf *b, const struct sample *s, size_t n)
{
	unsigned flags = flags_of(s, n);

	must(n >= 1 && n <= PACK_CHUNK_MAX);
	buf_putc(b, VERSION);
	buf_putc(b, (char)flags);
	buf_putc(b, (char)n);
	for (size_t i = 0; i < n; i++)
		put_difference(b, i ? s[i - 1].kernel_id : 0, s[i].kernel_id);
	for (size_t i = 0; i < n; i++)
		put_difference(b, i ? s[i - 1].started_at : 0, s[i].started_at);
	for (size_t i = 0; i < n; i++)
		put_word(b, s[i].run_key);
	if (flags & HAS_BOOT)
		for (size_t i = 0; i < n; i++)
			put_word(b, s[i].boot_key);
	if (flags & HAS_N)
		for (size_t i = 0; i < n; i++)
			put_difference(b, 0, s[i].n);
	put_doubles(b, s, n, offsetof(struct sample, mean));
	if (flags & HAS_STDDEV)
		put_doubles(b, s, n, offsetof(struct sample, stddev));
	if (flags & HAS_MIN)
		put_doubles(b, s, n, offsetof(struct sample, min));
	if (flags & HAS_MAX)
		put_doubles(b, s, n, offsetof(struct sample, max));
}

/* ---- reading ---- */

struct reader {
	const unsigned char *p, *end;
	bool bad;
};

static unsigned get_byte(struct reader *r)
{
	if (r->p == r->end) {
		r->bad = true;
		return 0;
	}
	return *r->p++;
}

static uint64_t get_varint(struct reader *r)
{
	uint64_t u = 0;
	unsigned byte = 0x80;

	for (int shift = 0; byte & 0x80 && !r->bad; shift += 7) {
		byte = get_byte(r);
		if (shift > 63)
			r->bad = true;
		else
			u |= (uint64_t)(byte & 0x7f) << shift;
	}
	return u;
}

static int64_t get_difference(struct reader *r, int64_t from)
{
	uint64_t u = get_varint(r);

	return (int64_t)((uint64_t)from + (u >> 1 ^ -(u & 1)));
}

static uint64_t get_word(struct reader *r)
{
	uint64_t u = 0;

	if (r->end - r->p < 8) {
		r->bad = true;
		return 0;
	}
	memcpy(&u, r->p, sizeof(u));
	r->p += 8;
	return le64toh(u);
}

static double get_double(struct reader *r)
{
	uint64_t u = get_word(r);
	double d;

	memcpy(&d, &u, sizeof(d));
	return d;
}

size_t db_packs_code_read(const void *p, size_t len, int64_t series_id, struct sample s[PACK_CHUNK_MAX])
{
	struct reader r = { .p = p, .end = (const unsigned char *)p + len };
	unsigned version = get_byte(&r), flags = get_byte(&r);
	size_t n = get_byte(&r);

	if (version != VERSION || flags & ~(unsigned)ALL_FLAGS || !n || n > PACK_CHUNK_MAX)
		return 0;
	for (size_t i = 0; i < n; i++)
		s[i].kernel_id = get_difference(&r, i ? s[i - 1].kernel_id : 0);
	for (size_t i = 0; i < n; i++)
		s[i].started_at = get_difference(&r, i ? s[i - 1].started_at : 0);
	for (size_t i = 0; i < n; i++)
		s[i].run_key = get_word(&r);
	for (size_t i = 0; i < n; i++)
		s[i].boot_key = flags & HAS_BOOT ? get_word(&r) : s[i].run_key;
	for (size_t i = 0; i < n; i++)
		s[i].n = flags & HAS_N ? get_difference(&r, 0) : 1;
	for (size_t i = 0; i < n; i++)
		s[i].mean = get_double(&r);
	for (size_t i = 0; i < n; i++)
		s[i].stddev = flags & HAS_STDDEV ? get_double(&r) : NAN;
	for (size_t i = 0; i < n; i++)
		s[i].min = flags & HAS_MIN ? get_double(&r) : s[i].mean;
	for (size_t i = 0; i < n; i++)
		s[i].max = flags & HAS_MAX ? get_double(&r) : s[i].mean;
	for (size_t i = 0; i < n; i++)
		s[i].series_id = series_id;
	return r.bad || r.p != r.end ? 0 : n;
}

uint32_t db_packs_code_crc(const void *p, size_t len)
{
	return (uint32_t)crc32_z(0, p, len);
}
