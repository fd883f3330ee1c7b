/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the kernel*.c files only: a name being taken apart, and pieces of text. */
#ifndef INGEST_KERNEL_IMPL_H
#define INGEST_KERNEL_IMPL_H

#include <string.h>
#include <strings.h>

#include "kernel.h"

struct span {
	const char *p;
	size_t n;
};

/* The part of a sort key behind the upstream point: what a family counts by. */
struct kernel_tail {
	uint8_t b[KERNEL_KEY_MAX];
	size_t n;
};

struct kernel_name {
	struct arena *a;
	struct kernel *k;
	const char *text;	/* the name, without a leading v */
	const char *rest;	/* what stands behind version and rc */
	int numbers;		/* how many the version has: 6.17.0 has 3 */
	struct kernel_tail tail;
};

/* kernel_name.c: upstream names. 0 or -1. */
int kernel_name_read(struct kernel_name *nm, struct err *err);

/* kernel_distro.c: true when `rest` is in the manner of a distribution, which is then in nm->k. */
bool kernel_distro_read(struct kernel_name *nm);
bool kernel_rpm_read(struct kernel_name *nm);	/* kernel_rpm.c: names with a dist tag: .fc43, .el9_5 */
bool kernel_brand_read(struct kernel_name *nm);	/* kernel_brand.c: names with a word of a distribution: -pve, -arch1-1 */

/* kernel_words.c: the small vocabulary of names. */
const char *kernel_words_isa(struct span word);	/* "amd64" -> "x86_64"; NULL when it is none */
int kernel_words_page_kib(struct span word);	/* "64k" -> 64, "64kb" too; else 0 */
void kernel_words_flavour(struct kernel_name *nm, struct span word);	/* one more word of the flavour */
const char *kernel_words_cut(struct arena *a, const char *s);	/* short enough for a message */
bool kernel_words_tuned(struct span word);	/* rt, debug, 64k, ...: a configuration wherever it stands */

/* kernel_order.c: keys. */
void kernel_order_number(struct kernel_tail *t, uint64_t n);
void kernel_order_text(struct kernel_tail *t, struct span s);	/* digits in it count as numbers; ~ is before the end */
void kernel_order_end(struct kernel_tail *t);
void kernel_order_key(struct kernel *k, const struct kernel_tail *tail);

/* kernel_dates.c: the mainline tag that linux-next of that day stands on: false when not known. */
bool kernel_dates_base(int yyyymmdd, int version[3], int *rc);
bool kernel_dates_valid(int yyyymmdd);

/* kernel_phrase.c: what stands behind a base ("with X reverted", "+revert-X"). */
int kernel_phrase_read(struct arena *a, struct kernel *k, const char *phrase, struct err *err);
/* Splits "BASE+revert-X" or "BASE with ..." ; the phrase, or NULL when it is a bare name. */
const char *kernel_phrase_find(const char *text, size_t *base_len);

static inline struct span span_of(const char *s)
{
	return (struct span){ s, strlen(s) };
}

static inline bool span_is(struct span s, const char *word)
{
	return s.n == strlen(word) && !memcmp(s.p, word, s.n);
}

static inline bool span_starts(struct span s, const char *prefix)
{
	size_t n = strlen(prefix);

	return s.n >= n && !memcmp(s.p, prefix, n);
}

static inline struct span span_from(struct span s, size_t n)
{
	return (struct span){ s.p + n, s.n - n };
}

static inline bool char_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* How many characters at the start of s are decimal digits. */
static inline size_t span_digits(struct span s)
{
	size_t n = 0;

	while (n < s.n && char_is_digit(s.p[n]))
		n++;
	return n;
}

static inline bool span_is_number(struct span s)
{
	return s.n && span_digits(s) == s.n;
}

/* The number of the digits at the start of s; what does not fit is the greatest number. */
static inline uint64_t span_number(struct span s)
{
	uint64_t v = 0;

	for (size_t i = 0; i < s.n && char_is_digit(s.p[i]); i++)
		if (__builtin_mul_overflow(v, (uint64_t)10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(s.p[i] - '0'), &v))
			return UINT64_MAX;
	return v;
}

/* Lower-case hex digits at the start of s. */
static inline size_t span_hex(struct span s)
{
	size_t n = 0;

	while (n < s.n && (char_is_digit(s.p[n]) || (s.p[n] >= 'a' && s.p[n] <= 'f')))
		n++;
	return n;
}

/* Takes the next piece of *s up to one of `seps` (or its end) off its front; false when *s is used up. */
static inline bool span_next(struct span *s, const char *seps, struct span *piece)
{
	size_t n = 0;

	if (!s->p)
		return false;
	while (n < s->n && !strchr(seps, s->p[n]))
		n++;
	*piece = (struct span){ s->p, n };
	if (n < s->n)
		*s = span_from(*s, n + 1);
	else
		*s = (struct span){ NULL, 0 };
	return true;
}

#endif
