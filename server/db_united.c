/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_united.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/ids.h"
#include "../lib/must.h"
#include "db_own.h"

struct db_united {
	int users;			/* atomic */
	struct {
		struct db_united_pair *v;	/* by id */
		size_t n;
	} of[UNITED_KINDS];
};

static int by_id(const void *a, const void *b)
{
	const struct db_united_pair *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

struct db_united *db_united_new(const struct db_united_pair *const lists[UNITED_KINDS], const size_t n[UNITED_KINDS])
{
	struct db_united *u = calloc(1, sizeof(*u));

	must(u != NULL);
	u->users = 1;
	for (int kind = 0; kind < UNITED_KINDS; kind++) {
		if (!n[kind])
			continue;
		u->of[kind].n = n[kind];
		u->of[kind].v = malloc(n[kind] * sizeof(*lists[kind]));
		must(u->of[kind].v != NULL);
		memcpy(u->of[kind].v, lists[kind], n[kind] * sizeof(*lists[kind]));
		qsort(u->of[kind].v, n[kind], sizeof(*lists[kind]), by_id);
	}
	return u;
}

void db_united_drop(struct db_united *u)
{
	if (!u || __atomic_sub_fetch(&u->users, 1, __ATOMIC_ACQ_REL))
		return;
	for (int kind = 0; kind < UNITED_KINDS; kind++)
		free(u->of[kind].v);
	free(u);
}

void db_united_use(struct db *db, struct db_united *u)
{
	if (db->united == u)
		return;
	if (u)
		__atomic_add_fetch(&u->users, 1, __ATOMIC_ACQ_REL);
	db_united_drop(db->united);
	db->united = u;
}

void db_united_each(const struct db *db, enum united_kind kind, int64_t *ids, size_t *n)
{
	if (db_united_nothing(db))
		return;
	db_united_mains(db, kind, ids, *n);
	*n = ids_unique(ids, *n);
}

bool db_united_nothing(const struct db *db)
{
	return !db->united;
}

int64_t db_united_main(const struct db *db, enum united_kind kind, int64_t id)
{
	const struct db_united_pair key = { .id = id }, *found = NULL;

	if (db->united && db->united->of[kind].n)
		found = bsearch(&key, db->united->of[kind].v, db->united->of[kind].n, sizeof(key), by_id);
	return found ? found->main : id;
}

void db_united_mains(const struct db *db, enum united_kind kind, int64_t *ids, size_t n)
{
	if (!db->united || !db->united->of[kind].n)
		return;
	for (size_t i = 0; i < n; i++)
		ids[i] = db_united_main(db, kind, ids[i]);
}

const int64_t *db_united_all(const struct db *db, enum united_kind kind, struct arena *a, const int64_t *ids, size_t *n)
{
	size_t pairs = db->united ? db->united->of[kind].n : 0, mains = *n;
	int64_t *all;

	if (!ids || !*n || !pairs)
		return ids;
	all = arena_array(a, int64_t, *n + pairs);
	memcpy(all, ids, *n * sizeof(*ids));
	db_united_mains(db, kind, all, *n);	/* asked by an id that another stands for, all the same */
	qsort(all, mains, sizeof(*all), ids_compare);
	for (size_t i = 0; i < pairs; i++) {
		const struct db_united_pair *p = &db->united->of[kind].v[i];

		if (bsearch(&p->main, all, mains, sizeof(*all), ids_compare))
			all[(*n)++] = p->id;
	}
	return all;
}
