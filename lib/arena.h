/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that lives as long as one request (or one file read) and is given back
 * all at once. Running out of memory ends the process: with capped bodies and
 * bounded queues it means the machine is lost. One thread at a time.
 */
#ifndef LIB_ARENA_H
#define LIB_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena;

struct arena *arena_new(void);			/* owner: the caller, arena_free() */
void arena_free(struct arena *a);		/* accepts NULL */
void arena_reset(struct arena *a);		/* empties it, keeping one block for reuse */
size_t arena_used(const struct arena *a);	/* bytes handed out since new or reset */

void arena_adopt(struct arena *a, struct arena *other);	/* what `other` handed out is a's from now on; `other` is freed */
void *arena_alloc(struct arena *a, size_t size);	/* 16-byte aligned, not cleared */
void *arena_zalloc(struct arena *a, size_t size);	/* cleared */
/* Grows `p` (of old_size bytes, or NULL) to new_size, moving it if need be. */
void *arena_grow(struct arena *a, void *p, size_t old_size, size_t new_size);
char *arena_strdup(struct arena *a, const char *s);	/* NULL gives NULL */
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0), nonnull(2)));

/* An array of n elements of *p's type, cleared. */
#define arena_array(a, type, n) ((type *)arena_zalloc_array(a, n, sizeof(type)))
void *arena_zalloc_array(struct arena *a, size_t n, size_t size);	/* must() not overflow */

#endif
