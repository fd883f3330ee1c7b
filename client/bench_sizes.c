/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bench_sizes.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/num.h"

#define STEP 4 /* of a range that does not say */

struct list {
	struct arena *a;
	size_t *v, n, page;
	struct err *err;
};

/* "40K" without its blanks: KiB, MiB, GiB; bytes without a letter. */
static int read_size(struct list *l, const char *s, size_t len, size_t *size)
{
	static const char units[] = "KMGT";
	const char *unit = len ? strchr(units, s[len - 1] & ~0x20) : NULL;
	int shift = unit && *unit ? 10 * (int)(unit - units + 1) : 0;
	int64_t v;

	if (num_parse_i64(s, len - (shift != 0), &v) || v < 1 || (uint64_t)v > BENCH_SIZE_MAX >> shift)
		return err_set(l->err, ERR_BAD_ARGUMENT,
			       "--sizes: \"%.*s\": a size up to 4T is needed, as 4K, 40K, 2M or 1G",
			       (int)(len < 40 ? len : 40), s);
	*size = (size_t)v << shift;
	if (*size % l->page)
		return err_set(l->err, ERR_BAD_ARGUMENT, "--sizes: \"%.*s\" is no multiple of the %zu KiB of a page",
			       (int)len, s, l->page / 1024);
	return 0;
}

static void add(struct list *l, size_t size)
{
	l->v = arena_grow(l->a, l->v, l->n * sizeof(*l->v), (l->n + 1) * sizeof(*l->v));
	l->v[l->n++] = size;
}

/* "4K..1G*2": both ends, whatever the step. */
static int add_range(struct list *l, const char *s, size_t len, const char *dots)
{
	const char *end = s + len, *star = memchr(s, '*', len), *stop = star ? star : end;
	size_t from, to;
	int64_t step = STEP;

	if (read_size(l, s, (size_t)(dots - s), &from) ||
	    read_size(l, dots + 2, (size_t)(stop - dots - 2), &to))
		return -1;
	if (star && (num_parse_i64(star + 1, (size_t)(end - star - 1), &step) || step < 2 || step > 1024))
		return err_set(l->err, ERR_BAD_ARGUMENT,
			       "--sizes: \"%.*s\": a factor from 2 to 1024 is needed after *", (int)len, s);
	if (from > to)
		return err_set(l->err, ERR_BAD_ARGUMENT, "--sizes: \"%.*s\" goes down: the smaller size comes first",
			       (int)len, s);
	for (size_t size = from; size < to; size *= (size_t)step)
		add(l, size);
	add(l, to);
	return 0;
}

static int ascending(const void *x, const void *y)
{
	size_t a = *(const size_t *)x, b = *(const size_t *)y;

	return (a > b) - (a < b);
}

int bench_sizes(struct arena *a, const char *text, size_t page, size_t **sizes, size_t *n, struct err *err)
{
	struct list l = { .a = a, .page = page, .err = err };
	size_t kept = 0;

	for (const char *s = text;; s++) {
		size_t len = strcspn(s, ","), one;
		const char *dots = memmem(s, len, "..", 2);

		if (dots) {
			if (add_range(&l, s, len, dots))
				return -1;
		} else {
			if (read_size(&l, s, len, &one))
				return -1;
			add(&l, one);
		}
		s += len;
		if (!*s)
			break;
	}
	qsort(l.v, l.n, sizeof(*l.v), ascending);
	for (size_t i = 0; i < l.n; i++)
		if (!kept || l.v[kept - 1] != l.v[i])
			l.v[kept++] = l.v[i];
	*sizes = l.v;
	*n = kept;
	return 0;
}

const char *bench_sizes_text(struct arena *a, size_t size)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	size_t u = 0;

	for (; u < 4 && size >= 1024 && size % 1024 == 0; u++)
		size /= 1024;
	return arena_printf(a, "%zu %s", size, units[u]);
}
