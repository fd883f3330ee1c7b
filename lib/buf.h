/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growing byte string on the heap, always followed by a NUL. Doubles; out of memory ends the process. */
#ifndef LIB_BUF_H
#define LIB_BUF_H

#include <stdarg.h>
#include <stddef.h>

struct buf {
	char *p;		/* "" before the first byte: never NULL after buf_init() */
	size_t len, cap;
};

void buf_init(struct buf *b);
void buf_fini(struct buf *b);			/* frees; b is as after buf_init() */
void buf_clear(struct buf *b);			/* length 0, memory kept */
char *buf_reserve(struct buf *b, size_t more);	/* room for `more` bytes at the end; where to write */
void buf_add(struct buf *b, const void *p, size_t n);
void buf_puts(struct buf *b, const char *s);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0), nonnull(2)));
char *buf_steal(struct buf *b, size_t *len);	/* the bytes, malloc'd, now the caller's; b is empty */

/* buf_reserve() where there mostly is room: what is written in small pieces does not call for each. */
static inline char *buf_room(struct buf *b, size_t more)
{
	return b->cap - b->len > more ? b->p + b->len : buf_reserve(b, more);	/* cap is 0 or more than len */
}

static inline void buf_putc(struct buf *b, char c)
{
	char *p = buf_room(b, 1);

	p[0] = c;
	p[1] = 0;
	b->len++;
}

#endif
