/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From database ids to places in an array: an open hash, filled once. */
#ifndef SERVER_CALC_IDS_H
#define SERVER_CALC_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../lib/arena.h"

struct calc_ids {
	int64_t *id;
	uint32_t *index;	/* + 1; 0: free */
	size_t mask;
};

static inline size_t calc_ids_hash(const struct calc_ids *m, int64_t id)
{
	/* Fibonacci hashing: ids are dense, products of the golden ratio spread them */
	return (size_t)((uint64_t)id * 0x9e3779b97f4a7c15u >> 32) & m->mask;
}

/* Room for at most `most` ids. */
static inline struct calc_ids calc_ids_new(struct arena *a, size_t most)
{
	struct calc_ids m = { .mask = 15 };

	while (m.mask < most * 2)
		m.mask = m.mask * 2 + 1;
	m.id = arena_alloc(a, (m.mask + 1) * sizeof(*m.id));	/* looked at where an index is */
	m.index = arena_array(a, uint32_t, m.mask + 1);
	return m;
}

/* The place of an id, to read or (a free one) to fill: *index + 1. */
static inline uint32_t *calc_ids_at(struct calc_ids *m, int64_t id)
{
	size_t at = calc_ids_hash(m, id);

	while (m->index[at] && m->id[at] != id)
		at = (at + 1) & m->mask;
	m->id[at] = id;
	return &m->index[at];
}

/* False: not there. */
static inline bool calc_ids_find(const struct calc_ids *m, int64_t id, size_t *index)
{
	size_t at = calc_ids_hash(m, id);

	while (m->index[at] && m->id[at] != id)
		at = (at + 1) & m->mask;
	*index = m->index[at] - (size_t)1;
	return m->index[at] != 0;
}

#endif
