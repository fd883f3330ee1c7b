/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "buf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"

static char nothing[1];		/* what an empty buffer points at; never written */

void buf_init(struct buf *b)
{
	b->p = nothing;
	b->len = b->cap = 0;
}

void buf_fini(struct buf *b)
{
	if (b->cap)
		free(b->p);
	buf_init(b);
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	if (b->cap)
		b->p[0] = 0;
}

char *buf_reserve(struct buf *b, size_t more)
{
	size_t need, cap;

	must(!__builtin_add_overflow(b->len, more, &need) && need < SIZE_MAX / 4);
	if (need + 1 > b->cap) {
		cap = b->cap ? b->cap * 2 : 64;
		if (cap < need + 1)
			cap = need + 1;
		b->p = realloc(b->cap ? b->p : NULL, cap);
		must(b->p != NULL);
		b->cap = cap;
		b->p[b->len] = 0;
	}
	return b->p + b->len;
}

void buf_add(struct buf *b, const void *p, size_t n)
{
	if (!n)
		return;
	memcpy(buf_reserve(b, n), p, n);
	b->len += n;
	b->p[b->len] = 0;
}

void buf_puts(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;
	size_t room;
	int n;

	va_copy(again, ap);
	buf_reserve(b, 0);
	room = b->cap - b->len;
	n = vsnprintf(b->p + b->len, room, fmt, again);
	va_end(again);
	must(n >= 0);
	if ((size_t)n >= room)
		vsnprintf(buf_reserve(b, (size_t)n), (size_t)n + 1, fmt, ap);
	b->len += (size_t)n;
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(b, fmt, ap);
	va_end(ap);
}

char *buf_steal(struct buf *b, size_t *len)
{
	char *p;

	buf_reserve(b, 0);
	p = b->p;
	if (b->cap - b->len > b->len / 4 + 64) {	/* it may be kept for long */
		p = realloc(p, b->len + 1);
		must(p != NULL);
	}
	if (len)
		*len = b->len;
	buf_init(b);
	return p;
}
