/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A chunk: a version byte, a byte of flags, in version 2 a byte that tells which columns are one value that holds
 * for all samples and stands once, the number of samples, then one column after the other.
 * Whole numbers are varints (of differences where neighbours are alike), doubles 8 bytes
 * little-endian. Columns that say nothing new (n all 1, no stddev, min and max the mean, a
 * boot of its own for each run) are left out: flags tell. A lone value of one run takes about 24 bytes.
 *
 * Version 2 is written where there is such a column: labs that send a mean, a stddev and a count send the same
 * count and no extremes, 17 of 57 bytes a sample, which the database would unpack and hand over each time.
 */
#include "db_packs_code.h"

#include <endian.h>
#include <libdeflate.h>
#include <math.h>
#include <string.h>

#include "../lib/must.h"

enum flag { HAS_BOOT = 1, HAS_N = 2, HAS_STDDEV = 4, HAS_MIN = 8, HAS_MAX = 16, ALL_FLAGS = 31 };
#define CAN_BE_ONE (HAS_N | HAS_STDDEV | HAS_MIN | HAS_MAX)

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

/* Bit for bit: what is read back is what was written. */
static bool differ(const double *a, const double *b)
{
	return memcmp(a, b, sizeof(*a)) != 0;
}

/* Which of the columns are the same value all along. */
static unsigned ones_of(const struct sample *s, size_t n, unsigned flags)
{
	unsigned vary = 0;

	for (size_t i = 1; i < n; i++) {
		vary |= s[i].n != s[0].n ? HAS_N : 0;
		vary |= differ(&s[i].stddev, &s[0].stddev) ? HAS_STDDEV : 0;
		vary |= differ(&s[i].min, &s[0].min) ? HAS_MIN : 0;
		vary |= differ(&s[i].max, &s[0].max) ? HAS_MAX : 0;
	}
	return n > 1 ? flags & CAN_BE_ONE & ~vary : 0;
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
	unsigned flags = flags_of(s, n), ones = ones_of(s, n, flags);

	must(n >= 1 && n <= PACK_CHUNK_MAX);
	buf_putc(b, ones ? 2 : 1);
	buf_putc(b, (char)flags);
	if (ones)
		buf_putc(b, (char)ones);
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
		for (size_t i = 0; i < (ones & HAS_N ? 1 : n); i++)
			put_difference(b, 0, s[i].n);
	put_doubles(b, s, n, offsetof(struct sample, mean));
	if (flags & HAS_STDDEV)
		put_doubles(b, s, ones & HAS_STDDEV ? 1 : n, offsetof(struct sample, stddev));
	if (flags & HAS_MIN)
		put_doubles(b, s, ones & HAS_MIN ? 1 : n, offsetof(struct sample, min));
	if (flags & HAS_MAX)
		put_doubles(b, s, ones & HAS_MAX ? 1 : n, offsetof(struct sample, max));
}

/* ---- reading ---- */

struct reader {
	const unsigned char *p, *end;
	unsigned flags, ones;
	size_t n;
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

static uint64_t get_long_varint(struct reader *r)
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

static uint64_t word_at(const unsigned char *p)
{
	uint64_t u;

	memcpy(&u, p, sizeof(u));
	return le64toh(u);
}

/* Of one byte, or up to eight (times between runs take six): sevens side by side become pairs of them, then fours. */
static inline uint64_t get_varint(struct reader *r)
{
	uint64_t w, end;

	if (r->p < r->end && !(*r->p & 0x80))
		return *r->p++;
	if (r->end - r->p < 8)
		return get_long_varint(r);
	w = word_at(r->p);
	end = ~w & UINT64_C(0x8080808080808080);
	if (!end)
		return get_long_varint(r);
	end &= -end;				/* the top bit of its last byte */
	r->p += (__builtin_ctzll(end) + 1) / 8;
	w &= (end - 1) & UINT64_C(0x7f7f7f7f7f7f7f7f);
	w = (w & UINT64_C(0x007f007f007f007f)) | (w & UINT64_C(0x7f007f007f007f00)) >> 1;
	w = (w & UINT64_C(0x00003fff00003fff)) | (w & UINT64_C(0x3fff00003fff0000)) >> 2;
	return (w & UINT64_C(0x000000000fffffff)) | (w & UINT64_C(0x0fffffff00000000)) >> 4;
}

static int64_t get_difference(struct reader *r, int64_t from)
{
	uint64_t u = get_varint(r);

	return (int64_t)((uint64_t)from + (u >> 1 ^ -(u & 1)));
}

/* The next n words, or NULL where there are not as many. */
static const unsigned char *get_words(struct reader *r, size_t n)
{
	const unsigned char *p = r->p;

	if ((size_t)(r->end - p) < 8 * n) {
		r->bad = true;
		return NULL;
	}
	r->p += 8 * n;
	return p;
}

static double double_at(const unsigned char *p)
{
	uint64_t u = word_at(p);
	double d;

	memcpy(&d, &u, sizeof(d));
	return d;
}

/* A column of doubles that may be left out (false) or stand once. Where the bytes end before it, r is bad. */
static bool get_column(struct reader *r, enum flag flag, const unsigned char **p, size_t *step)
{
	if (!(r->flags & flag))
		return false;
	*step = r->ones & flag ? 0 : 8;
	*p = get_words(r, r->ones & flag ? 1 : r->n);
	return *p != NULL;
}

static void get_header(struct reader *r)
{
	unsigned version = get_byte(r);

	r->flags = get_byte(r);
	r->ones = version == 2 ? get_byte(r) : 0;
	r->n = get_byte(r);
	r->bad |= version < 1 || version > 2 || r->flags & ~(unsigned)ALL_FLAGS ||
		  r->ones & ~(r->flags & CAN_BE_ONE) || !r->n || r->n > PACK_CHUNK_MAX;
}

static void get_numbers(struct reader *r, struct sample *s)
{
	size_t n = r->n, step;
	const unsigned char *p = get_words(r, n);

	for (size_t i = 0; i < n && p; i++)
		s[i].mean = double_at(p + 8 * i);
	if (get_column(r, HAS_STDDEV, &p, &step))
		for (size_t i = 0; i < n; i++)
			s[i].stddev = double_at(p + step * i);
	else
		for (size_t i = 0; i < n; i++)
			s[i].stddev = NAN;
	if (get_column(r, HAS_MIN, &p, &step))
		for (size_t i = 0; i < n; i++)
			s[i].min = double_at(p + step * i);
	else
		for (size_t i = 0; i < n; i++)
			s[i].min = s[i].mean;
	if (get_column(r, HAS_MAX, &p, &step))
		for (size_t i = 0; i < n; i++)
			s[i].max = double_at(p + step * i);
	else
		for (size_t i = 0; i < n; i++)
			s[i].max = s[i].mean;
}

size_t db_packs_code_read(const void *p, size_t len, int64_t series_id, struct sample s[PACK_CHUNK_MAX])
{
	struct reader r = { .p = p, .end = (const unsigned char *)p + len };
	const unsigned char *words;

	get_header(&r);
	if (r.bad)
		return 0;
	for (size_t i = 0; i < r.n; i++) {
		s[i].series_id = series_id;
		s[i].kernel_id = get_difference(&r, i ? s[i - 1].kernel_id : 0);
	}
	for (size_t i = 0; i < r.n; i++)
		s[i].started_at = get_difference(&r, i ? s[i - 1].started_at : 0);
	words = get_words(&r, r.n);
	for (size_t i = 0; i < r.n && words; i++)
		s[i].run_key = s[i].boot_key = word_at(words + 8 * i);
	if (r.flags & HAS_BOOT)
		words = get_words(&r, r.n);
	for (size_t i = 0; i < r.n && words; i++)
		s[i].boot_key = word_at(words + 8 * i);
	for (size_t i = 0; i < r.n; i++)
		s[i].n = !(r.flags & HAS_N) ? 1 : r.ones & HAS_N && i ? s[0].n : get_difference(&r, 0);
	get_numbers(&r, s);
	return r.bad || r.p != r.end ? 0 : r.n;
}

uint32_t db_packs_code_crc(const void *p, size_t len)
{
	return libdeflate_crc32(0, p, len);
}
