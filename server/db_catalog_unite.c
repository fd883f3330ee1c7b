/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What somebody merged, read as one: each machine and benchmark has a root, itself mostly; of the series that agree
 * in their roots and all else, the first stands for all. Rows and their natural keys stay what they are, so
 * uploads go where they always went.
 */
#include "db_catalog.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/must.h"
#include "../lib/tm.h"
#include "db_catalog_own.h"

#define DEEPEST 1000	/* a chain of merges has no loop: each is into a root */

/* ---- machines and benchmarks ---- */

static struct machine_entry *machine_at(const struct catalog *c, size_t i)
{
	return (void *)(uintptr_t)c->lists[CAT_MACHINE].v[i];
}

static struct benchmark_entry *benchmark_at(const struct catalog *c, size_t i)
{
	return (void *)(uintptr_t)c->lists[CAT_BENCHMARK].v[i];
}

static struct series_entry *series_at(const struct catalog *c, size_t i)
{
	return (void *)(uintptr_t)c->lists[CAT_SERIES].v[i];
}

/* Both kinds begin with their id; from which their row's merged_into leads on. */
static const void *root_of(const struct catalog *c, enum cat_kind kind, const void *entry)
{
	for (int i = 0; i < DEEPEST; i++) {
		int64_t into = kind == CAT_MACHINE ? ((const struct machine_entry *)entry)->own.merged_into :
						     ((const struct benchmark_entry *)entry)->own.merged_into;
		const void *next = into ? db_catalog_own_by_id(c, kind, into) : NULL;

		if (!next)
			break;
		entry = next;
	}
	return entry;
}

static bool find_roots(struct catalog *c)
{
	bool any = false;

	for (size_t i = 0; i < c->lists[CAT_MACHINE].n; i++)
		machine_at(c, i)->grouped = false;
	for (size_t i = 0; i < c->lists[CAT_BENCHMARK].n; i++)
		benchmark_at(c, i)->grouped = false;
	for (size_t i = 0; i < c->lists[CAT_MACHINE].n; i++) {
		struct machine_entry *e = machine_at(c, i);

		e->root = (void *)(uintptr_t)root_of(c, CAT_MACHINE, e);
		if (e->root != e)
			any = e->grouped = e->root->grouped = true;
	}
	for (size_t i = 0; i < c->lists[CAT_BENCHMARK].n; i++) {
		struct benchmark_entry *e = benchmark_at(c, i);

		e->root = (void *)(uintptr_t)root_of(c, CAT_BENCHMARK, e);
		if (e->root != e)
			any = e->grouped = e->root->grouped = true;
	}
	return any;
}

/* Other names, as they are gathered. */
struct names {
	const char **v;
	size_t n, cap;
};

static void add_name(struct arena *a, struct names *l, const char *name)
{
	if (l->n + 1 >= l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 8;

		l->v = arena_grow(a, l->v, l->cap * sizeof(*l->v), cap * sizeof(*l->v));
		l->cap = cap;
	}
	l->v[l->n++] = name;
	l->v[l->n] = NULL;
}

/* own: of the root, or of what is merged into it, which then goes by its key and by what it is shown as, too. */
static void add_names(struct arena *a, struct names *l, const struct cat_names *own, const char *key)
{
	for (size_t i = 0; own->aliases && own->aliases[i]; i++)
		add_name(a, l, own->aliases[i]);
	if (!key)
		return;
	add_name(a, l, key);
	if (strcmp(key, own->shown))
		add_name(a, l, own->shown);
}

static bool is_known(const char *word)
{
	return strcmp(word, "unknown");
}

/* A root shows the newest facts of all that it is; what those do not know, others may. */
static void show_machine(struct catalog *c, struct machine_entry *root)
{
	struct machine_entry facts = *root;
	struct names l = { 0 };
	int64_t newest = root->facts_at;

	add_names(c->arena, &l, &root->own, NULL);
	for (size_t i = 0; i < c->lists[CAT_MACHINE].n; i++) {
		const struct machine_entry *e = machine_at(c, i);
		bool newer = e->facts_at != TM_NONE && (newest == TM_NONE || e->facts_at > newest);

		if (e == root || e->root != root)
			continue;
		add_names(c->arena, &l, &e->own, e->m.key);
		if (is_known(e->isa) && (newer || !is_known(facts.isa)))
			facts.isa = e->isa;
		if (is_known(e->uarch) && (newer || !is_known(facts.uarch)))
			facts.uarch = e->uarch;
		if (strcmp(e->facts, "{}") && (newer || !strcmp(facts.facts, "{}")))
			facts.facts = e->facts;
		newest = newer ? e->facts_at : newest;
	}
	db_catalog_own_show_machine(c, root, &facts, l.v);
}

static void show_benchmark(struct catalog *c, struct benchmark_entry *root)
{
	struct names l = { 0 };

	add_names(c->arena, &l, &root->own, NULL);
	for (size_t i = 0; i < c->lists[CAT_BENCHMARK].n; i++) {
		const struct benchmark_entry *e = benchmark_at(c, i);

		if (e != root && e->root == root)
			add_names(c->arena, &l, &e->own, e->b.key);
	}
	db_catalog_own_show_benchmark(c, root, l.v);
}

static void show_all(struct catalog *c)
{
	for (size_t i = 0; i < c->lists[CAT_MACHINE].n; i++) {
		struct machine_entry *e = machine_at(c, i);

		if (e->root == e && e->grouped)
			show_machine(c, e);
		else
			db_catalog_own_show_machine(c, e, e, e->own.aliases);
	}
	for (size_t i = 0; i < c->lists[CAT_BENCHMARK].n; i++) {
		struct benchmark_entry *e = benchmark_at(c, i);

		if (e->root == e && e->grouped)
			show_benchmark(c, e);
		else
			db_catalog_own_show_benchmark(c, e, e->own.aliases);
	}
}

/* ---- series ---- */

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
	return hash ^ hash >> 29;
}

static uint64_t hash_of(const struct series_entry *e)
{
	uint64_t hash = mix(mix(mix(mix(0, (uint64_t)e->s.machine->id), (uint64_t)e->s.benchmark->id),
				(uint64_t)e->s.metric->id), (uint64_t)e->s.config->id);

	for (const char *p = e->s.params; *p; p++)
		hash = mix(hash, (unsigned char)*p);
	return hash;
}

static bool alike(const struct series_entry *a, const struct series_entry *b)
{
	return a->s.machine == b->s.machine && a->s.benchmark == b->s.benchmark && a->s.metric == b->s.metric &&
	       a->s.config == b->s.config && !strcmp(a->s.params, b->s.params);
}

/* The first that is alike, in a hash set of `cap` (a power of two) slots; itself, where it is the first. */
static const struct series_entry *first_alike(const struct series_entry **set, size_t cap, const struct series_entry *e)
{
	size_t i = hash_of(e) & (cap - 1);

	while (set[i] && !alike(set[i], e))
		i = (i + 1) & (cap - 1);
	if (!set[i])
		set[i] = e;
	return set[i];
}

/* In id order, so that the first of each is the one with the lowest id: it stays so, whatever series are made later. */
static void group_series(struct catalog *c)
{
	size_t n = c->lists[CAT_SERIES].n, cap = 64;
	const struct series_entry **set;

	while (cap < 2 * n)
		cap *= 2;
	set = calloc(cap, sizeof(*set));
	must(set != NULL);
	for (size_t i = 0; i < n; i++) {
		struct series_entry *e = series_at(c, i);

		/* readers may hold the entry: each field in one store */
		__atomic_store_n(&e->s.machine, &e->machine->root->m, __ATOMIC_RELEASE);
		__atomic_store_n(&e->s.benchmark, &e->benchmark->root->b, __ATOMIC_RELEASE);
		e->main = e->machine->grouped || e->benchmark->grouped ? first_alike(set, cap, e) : e;
	}
	free(set);
}

/* ---- the lists ---- */

static void list_live(struct catalog *c)
{
	c->live[CAT_MACHINE].n = c->live[CAT_BENCHMARK].n = c->live[CAT_SERIES].n = 0;
	for (size_t i = 0; i < c->lists[CAT_MACHINE].n; i++)
		if (machine_at(c, i)->root == machine_at(c, i))
			db_catalog_own_list_add(&c->live[CAT_MACHINE], machine_at(c, i));
	for (size_t i = 0; i < c->lists[CAT_BENCHMARK].n; i++) {
		struct benchmark_entry *e = benchmark_at(c, i);

		e->series.n = 0;
		if (e->root == e)
			db_catalog_own_list_add(&c->live[CAT_BENCHMARK], e);
	}
	for (size_t i = 0; i < c->lists[CAT_SERIES].n; i++) {
		struct series_entry *e = series_at(c, i);

		if (e->main != e)
			continue;
		db_catalog_own_list_add(&c->live[CAT_SERIES], e);
		db_catalog_own_list_add(&e->benchmark->root->series, e);
	}
}

static struct db_united *pairs_of(const struct catalog *c)
{
	struct arena *a = arena_new();
	struct db_united_pair *list[UNITED_KINDS] = {
		arena_array(a, struct db_united_pair, c->lists[CAT_MACHINE].n + 1),
		arena_array(a, struct db_united_pair, c->lists[CAT_BENCHMARK].n + 1),
		arena_array(a, struct db_united_pair, c->lists[CAT_SERIES].n + 1),
	};
	size_t n[UNITED_KINDS] = { 0 };
	struct db_united *u;

	for (size_t i = 0; i < c->lists[CAT_MACHINE].n; i++)
		if (machine_at(c, i)->root != machine_at(c, i))
			list[UNITED_MACHINE][n[UNITED_MACHINE]++] =
				(struct db_united_pair){ machine_at(c, i)->m.id, machine_at(c, i)->root->m.id };
	for (size_t i = 0; i < c->lists[CAT_BENCHMARK].n; i++)
		if (benchmark_at(c, i)->root != benchmark_at(c, i))
			list[UNITED_BENCHMARK][n[UNITED_BENCHMARK]++] =
				(struct db_united_pair){ benchmark_at(c, i)->b.id, benchmark_at(c, i)->root->b.id };
	for (size_t i = 0; i < c->lists[CAT_SERIES].n; i++)
		if (series_at(c, i)->main != series_at(c, i))
			list[UNITED_SERIES][n[UNITED_SERIES]++] =
				(struct db_united_pair){ series_at(c, i)->s.id, series_at(c, i)->main->s.id };
	u = db_united_new((const struct db_united_pair *const *)list, n);
	arena_free(a);
	return u;
}

void db_catalog_own_unite(struct catalog *c)
{
	bool any = find_roots(c);

	if (!any && !c->united)
		return;
	show_all(c);
	group_series(c);
	list_live(c);
	db_united_drop(c->united);
	c->united = any ? pairs_of(c) : NULL;
}
