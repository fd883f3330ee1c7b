/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A chain of blocks, bump-allocated; see arena.h. */
#include "arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"

#define BLOCK_MIN (16 * 1024)
#define KEEP_MAX (512 * 1024)	/* a reset keeps no more than this: one huge body is not for ever. A trend of 500 takes 300 KB */
#define ALIGN 16

struct block {
	struct block *next;
	size_t size, used;
	_Alignas(ALIGN) char mem[];
};

struct arena {
	struct block *top;
	size_t handed_out;
};

static void block_push(struct arena *a, size_t need)
{
	size_t size = a->top ? a->top->size * 2 : BLOCK_MIN;
	struct block *b;

	if (size > 4 * 1024 * 1024)
		size = 4 * 1024 * 1024;
	if (size < need)
		size = need;
	b = malloc(sizeof(*b) + size);
	must(b != NULL);
	b->next = a->top;
	b->size = size;
	b->used = 0;
	a->top = b;
}

struct arena *arena_new(void)
{
	struct arena *a = calloc(1, sizeof(*a));

	must(a != NULL);
	return a;
}

static void blocks_free(struct block *b)
{
	struct block *next;

	for (; b; b = next) {
		next = b->next;
		free(b);
	}
}

void arena_free(struct arena *a)
{
	if (!a)
		return;
	blocks_free(a->top);
	free(a);
}

void arena_reset(struct arena *a)
{
	if (a->top) {
		blocks_free(a->top->next);
		a->top->next = NULL;
		a->top->used = 0;
		if (a->top->size > KEEP_MAX) {
			free(a->top);
			a->top = NULL;
		}
	}
	a->handed_out = 0;
}

/* Behind a's own block that is being filled: a reset frees them, and keeps that. */
void arena_adopt(struct arena *a, struct arena *other)
{
	struct block **end = &other->top;

	while (*end)
		end = &(*end)->next;
	if (a->top) {
		*end = a->top->next;
		a->top->next = other->top;
	} else {
		a->top = other->top;
	}
	a->handed_out += other->handed_out;
	free(other);
}

size_t arena_used(const struct arena *a)
{
	return a->handed_out;
}

void *arena_alloc(struct arena *a, size_t size)
{
	void *p;

	must(size < SIZE_MAX / 4);
	size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (!a->top || a->top->size - a->top->used < size)
		block_push(a, size);
	p = a->top->mem + a->top->used;
	a->top->used += size;
	a->handed_out += size;
	return p;
}

void *arena_zalloc(struct arena *a, size_t size)
{
	return memset(arena_alloc(a, size), 0, size);
}

void *arena_zalloc_array(struct arena *a, size_t n, size_t size)
{
	size_t bytes;

	must(!__builtin_mul_overflow(n, size, &bytes));
	return arena_zalloc(a, bytes);
}

void *arena_grow(struct arena *a, void *p, size_t old_size, size_t new_size)
{
	void *q;

	if (p && new_size <= old_size)
		return p;
	q = arena_alloc(a, new_size);
	if (p)
		memcpy(q, p, old_size);
	return q;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1);

	memcpy(p, s, n);
	p[n] = 0;
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return s ? arena_strndup(a, s, strlen(s)) : NULL;
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	va_list again;
	char *p;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	must(n >= 0);
	p = arena_alloc(a, (size_t)n + 1);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	p = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return p;
}
