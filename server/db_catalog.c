/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The catalogue's lists and indexes. What fills them: db_catalog_load.c; who adds rows: db_catalog_resolve.c. */
#include "db_catalog.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/must.h"
#include "db_catalog_own.h"

struct catalog *db_catalog_new(void)
{
	struct catalog *c = calloc(1, sizeof(*c));

	must(c != NULL);
	must(!pthread_rwlock_init(&c->lock, NULL));
	must(!pthread_mutex_init(&c->refresh_lock, NULL));
	c->snapshot = strdup("");
	must(c->snapshot != NULL);
	c->arena = arena_new();
	return c;
}

void db_catalog_free(struct catalog *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->lists[CAT_BENCHMARK].n; i++)
		free(((const struct benchmark_entry *)c->lists[CAT_BENCHMARK].v[i])->series.v);
	for (int i = 0; i < CAT_KINDS; i++) {
		free(c->lists[i].v);
		free(c->indexes[i].slots);
		free(c->live[i].v);
	}
	free(c->snapshot);
	db_united_drop(c->united);
	arena_free(c->arena);
	pthread_rwlock_destroy(&c->lock);
	pthread_mutex_destroy(&c->refresh_lock);
	free(c);
}

void db_catalog_lock(struct catalog *c)
{
	must(!pthread_rwlock_rdlock(&c->lock));
}

void db_catalog_unlock(struct catalog *c)
{
	must(!pthread_rwlock_unlock(&c->lock));
}

static int64_t id_of(const void *entry)
{
	return *(const int64_t *)entry;
}

/* Where id is in the list, or where it would stand. */
static size_t place_of(const struct cat_list *l, int64_t id)
{
	size_t low = 0, high = l->n;

	if (!l->n || id_of(l->v[l->n - 1]) < id)	/* the usual case when adding */
		return l->n;
	/* ids have few gaps: most stand as far from the first one as they are greater */
	if (id >= id_of(l->v[0]) && (uint64_t)(id - id_of(l->v[0])) < l->n && id_of(l->v[id - id_of(l->v[0])]) == id)
		return (size_t)(id - id_of(l->v[0]));
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (id_of(l->v[mid]) < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const void *db_catalog_own_by_id(const struct catalog *c, enum cat_kind kind, int64_t id)
{
	const struct cat_list *l = &c->lists[kind];
	size_t i = place_of(l, id);

	return i < l->n && id_of(l->v[i]) == id ? l->v[i] : NULL;
}

void db_catalog_own_list_add(struct cat_list *l, const void *entry)
{
	size_t i = place_of(l, id_of(entry));

	if (l->n == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 64;
		l->v = realloc(l->v, l->cap * sizeof(*l->v));
		must(l->v != NULL);
	}
	memmove(l->v + i + 1, l->v + i, (l->n - i) * sizeof(*l->v));
	l->v[i] = entry;
	l->n++;
}

/* Eight bytes at a time: an upload has hundreds of names looked up. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
	return hash ^ hash >> 29;
}

static uint64_t mix_text(uint64_t hash, const char *s)
{
	size_t n = strlen(s);
	uint64_t word;

	hash = mix(hash, n);
	for (; n >= 8; n -= 8, s += 8) {
		memcpy(&word, s, 8);
		hash = mix(hash, word);
	}
	word = 0;
	memcpy(&word, s, n);
	return mix(hash, word);
}

/* The natural key of an entry as a hash, and whether two entries have the same. */
static uint64_t hash_of(enum cat_kind kind, const void *entry)
{
	const struct cat_machine *machine = entry;
	const struct fact_entry *fact = entry;
	const struct cat_kernel *kernel = entry;
	const struct cat_config *config = entry;
	const struct cat_benchmark *benchmark = entry;
	const struct cat_metric *metric = entry;
	const struct series_entry *s = entry;
	uint64_t word;

	switch (kind) {
	case CAT_MACHINE:
		return mix_text(0, machine->key);
	case CAT_FACT:
		memcpy(&word, fact->sha256, 8);
		return mix(mix(0, (uint64_t)fact->machine_id), word);
	case CAT_KERNEL:
		return mix_text(0, kernel->identity);
	case CAT_CONFIG:
		return mix_text(mix_text(mix(0, (uint64_t)config->base_page_kib), config->thp), config->flavour);
	case CAT_BENCHMARK:
		return mix_text(0, benchmark->key);
	case CAT_METRIC:
		return mix_text(mix_text(mix(0, metric->better), metric->name), metric->unit);
	case CAT_SERIES:
		return mix_text(mix(mix(mix(mix(0, (uint64_t)s->benchmark->b.id), (uint64_t)s->s.metric->id),
					(uint64_t)s->machine->m.id), (uint64_t)s->s.config->id), s->s.params);
	case CAT_KINDS:
		break;
	}
	must(!"a kind");
	return 0;
}

static bool same_series(const struct series_entry *a, const struct series_entry *b)
{
	return a->benchmark == b->benchmark && a->machine == b->machine && a->s.metric == b->s.metric &&
	       a->s.config == b->s.config && !strcmp(a->s.params, b->s.params);
}

static bool same_metric(const struct cat_metric *a, const struct cat_metric *b)
{
	return a->better == b->better && !strcmp(a->name, b->name) && !strcmp(a->unit, b->unit);
}

static bool same_config(const struct cat_config *a, const struct cat_config *b)
{
	return a->base_page_kib == b->base_page_kib && !strcmp(a->thp, b->thp) && !strcmp(a->flavour, b->flavour);
}

static bool same_key(enum cat_kind kind, const void *a, const void *b)
{
	const struct fact_entry *fact = a, *other = b;

	switch (kind) {
	case CAT_MACHINE:
		return !strcmp(((const struct cat_machine *)a)->key, ((const struct cat_machine *)b)->key);
	case CAT_FACT:
		return fact->machine_id == other->machine_id && !memcmp(fact->sha256, other->sha256, 32);
	case CAT_KERNEL:
		return !strcmp(((const struct cat_kernel *)a)->identity, ((const struct cat_kernel *)b)->identity);
	case CAT_CONFIG:
		return same_config(a, b);
	case CAT_BENCHMARK:
		return !strcmp(((const struct cat_benchmark *)a)->key, ((const struct cat_benchmark *)b)->key);
	case CAT_METRIC:
		return same_metric(a, b);
	case CAT_SERIES:
		return same_series(a, b);
	case CAT_KINDS:
		break;
	}
	must(!"a kind");
	return false;
}

static const void *find_hashed(const struct catalog *c, enum cat_kind kind, uint64_t hash, const void *key)
{
	const struct cat_index *x = &c->indexes[kind];

	for (size_t i = hash; x->cap; i++) {
		const struct cat_slot *slot = &x->slots[i & (x->cap - 1)];

		if (!slot->entry)
			break;
		if (slot->hash == hash && same_key(kind, slot->entry, key))
			return slot->entry;
	}
	return NULL;
}

/* The entry that has the same natural key as this one (of which only the key is looked at). */
static const void *find(const struct catalog *c, enum cat_kind kind, const void *key)
{
	return find_hashed(c, kind, hash_of(kind, key), key);
}

static void index_put(struct cat_index *x, uint64_t hash, void *entry)
{
	size_t i = hash;

	while (x->slots[i & (x->cap - 1)].entry)
		i++;
	x->slots[i & (x->cap - 1)] = (struct cat_slot){ hash, entry };
}

static void index_add(struct cat_index *x, uint64_t hash, void *entry)
{
	struct cat_index old = *x;

	if (x->n * 2 >= x->cap) {
		x->cap = x->cap ? x->cap * 2 : 64;
		x->slots = calloc(x->cap, sizeof(*x->slots));
		must(x->slots != NULL);
		for (size_t i = 0; i < old.cap; i++)
			if (old.slots[i].entry)
				index_put(x, old.slots[i].hash, old.slots[i].entry);
		free(old.slots);
	}
	index_put(x, hash, entry);
	x->n++;
}

void db_catalog_own_add(struct catalog *c, enum cat_kind kind, void *entry)
{
	db_catalog_own_list_add(&c->lists[kind], entry);
	index_add(&c->indexes[kind], hash_of(kind, entry), entry);
}

void db_catalog_own_add_series(struct catalog *c, struct series_entry *s)
{
	struct benchmark_entry *b = (void *)(uintptr_t)s->benchmark;	/* ours to change: an entry, under the write lock */

	db_catalog_own_add(c, CAT_SERIES, s);
	db_catalog_own_list_add(&b->series, s);
}

static bool is_called(const char *shown, const char *const *aliases, const char *name)
{
	if (!strcmp(shown, name))
		return true;
	for (; aliases && *aliases; aliases++)
		if (!strcmp(*aliases, name))
			return true;
	return false;
}

/* Other names are few, and looked through only for what is no key. */
const struct machine_entry *db_catalog_own_machine(const struct catalog *c, const char *name)
{
	const struct machine_entry *e = find(c, CAT_MACHINE, &(struct cat_machine){ .key = name });

	for (size_t i = 0; !e && i < c->lists[CAT_MACHINE].n; i++) {
		const struct machine_entry *other = c->lists[CAT_MACHINE].v[i];

		if (is_called(other->own.shown, other->own.aliases, name))
			e = other;
	}
	return e;
}

const struct fact_entry *db_catalog_own_fact(const struct catalog *c, int64_t machine_id, const uint8_t sha256[32])
{
	struct fact_entry key = { .machine_id = machine_id };

	memcpy(key.sha256, sha256, 32);
	return find(c, CAT_FACT, &key);
}

const struct cat_kernel *db_catalog_own_kernel(const struct catalog *c, const char *identity)
{
	return find(c, CAT_KERNEL, &(struct cat_kernel){ .identity = identity });
}

const struct cat_config *db_catalog_own_config(const struct catalog *c, const char *thp, int base_page_kib,
					       const char *flavour)
{
	return find(c, CAT_CONFIG,
		    &(struct cat_config){ .thp = thp, .base_page_kib = base_page_kib, .flavour = flavour });
}

const struct benchmark_entry *db_catalog_own_benchmark(const struct catalog *c, const char *name)
{
	const struct benchmark_entry *e = find(c, CAT_BENCHMARK, &(struct cat_benchmark){ .key = name });

	for (size_t i = 0; !e && i < c->lists[CAT_BENCHMARK].n; i++) {
		const struct benchmark_entry *other = c->lists[CAT_BENCHMARK].v[i];

		if (is_called(other->own.shown, other->own.aliases, name))
			e = other;
	}
	return e;
}

const struct cat_metric *db_catalog_own_metric(const struct catalog *c, const char *name, const char *unit,
					       enum better better)
{
	return find(c, CAT_METRIC, &(struct cat_metric){ .name = name, .unit = unit, .better = better });
}

/*
 * Tens of thousands of series are in no cache, so that each look-up is three waits for memory: the slot, the entry,
 * its parameters. The waits of one are spent on asking for the others.
 */
void db_catalog_own_series(const struct catalog *c, const struct series_entry *keys, size_t n,
			   const struct series_entry **found)
{
	const struct cat_index *x = &c->indexes[CAT_SERIES];
	const struct cat_slot *slot;
	uint64_t hashes[CAT_SERIES_AT_ONCE];

	must(n <= CAT_SERIES_AT_ONCE);
	for (size_t i = 0; i < n; i++) {
		hashes[i] = hash_of(CAT_SERIES, &keys[i]);
		if (x->cap)
			__builtin_prefetch(&x->slots[hashes[i] & (x->cap - 1)]);
	}
	for (size_t i = 0; i < n && x->cap; i++) {
		slot = &x->slots[hashes[i] & (x->cap - 1)];
		if (!slot->entry)
			continue;
		__builtin_prefetch(slot->entry);
		__builtin_prefetch((const char *)slot->entry + 64);
	}
	for (size_t i = 0; i < n && x->cap; i++) {
		slot = &x->slots[hashes[i] & (x->cap - 1)];
		if (slot->entry && slot->hash == hashes[i])
			__builtin_prefetch(((const struct series_entry *)slot->entry)->s.params);
	}
	for (size_t i = 0; i < n; i++)
		found[i] = find_hashed(c, CAT_SERIES, hashes[i], &keys[i]);
}

/* The public lists: the same pointers, under their own types. */
#define LIST_OF(kind)								\
	const struct cat_list *l = c->united && (kind) != CAT_KERNEL && (kind) != CAT_CONFIG && (kind) != CAT_METRIC ? \
				   &c->live[kind] : &c->lists[kind];		\
										\
	*n = l->n;								\
	return (void *)l->v

const struct cat_kernel *const *db_catalog_kernels(const struct catalog *c, size_t *n)
{
	LIST_OF(CAT_KERNEL);
}

const struct cat_machine *const *db_catalog_machines(const struct catalog *c, size_t *n)
{
	LIST_OF(CAT_MACHINE);
}

const struct cat_config *const *db_catalog_configs(const struct catalog *c, size_t *n)
{
	LIST_OF(CAT_CONFIG);
}

const struct cat_benchmark *const *db_catalog_benchmarks(const struct catalog *c, size_t *n)
{
	LIST_OF(CAT_BENCHMARK);
}

const struct cat_metric *const *db_catalog_metrics(const struct catalog *c, size_t *n)
{
	LIST_OF(CAT_METRIC);
}

const struct cat_series *const *db_catalog_series(const struct catalog *c, size_t *n)
{
	LIST_OF(CAT_SERIES);
}

const struct cat_series *const *db_catalog_series_of(const struct catalog *c, int64_t benchmark_id, size_t *n)
{
	const struct benchmark_entry *b = db_catalog_own_by_id(c, CAT_BENCHMARK, benchmark_id);

	*n = b ? b->root->series.n : 0;
	return b ? (void *)b->root->series.v : NULL;
}

const struct cat_kernel *db_catalog_kernel(const struct catalog *c, int64_t id)
{
	return db_catalog_own_by_id(c, CAT_KERNEL, id);
}

const struct cat_kernel *db_catalog_kernel_of(const struct catalog *c, const char *identity)
{
	return db_catalog_own_kernel(c, identity);
}

const struct cat_machine *db_catalog_machine(const struct catalog *c, int64_t id)
{
	const struct machine_entry *e = db_catalog_own_by_id(c, CAT_MACHINE, id);

	return e ? &e->root->m : NULL;
}

const struct cat_machine *db_catalog_machine_of(const struct catalog *c, const char *name)
{
	const struct machine_entry *e = db_catalog_own_machine(c, name);

	return e ? &e->root->m : NULL;
}

const struct cat_config *db_catalog_config(const struct catalog *c, int64_t id)
{
	return db_catalog_own_by_id(c, CAT_CONFIG, id);
}

const struct cat_series *db_catalog_series_by_id(const struct catalog *c, int64_t id)
{
	const struct series_entry *e = db_catalog_own_by_id(c, CAT_SERIES, id);

	return e ? &e->main->s : NULL;
}

const struct cat_benchmark *db_catalog_benchmark(const struct catalog *c, int64_t id)
{
	const struct benchmark_entry *e = db_catalog_own_by_id(c, CAT_BENCHMARK, id);

	return e ? &e->root->b : NULL;
}

const struct cat_benchmark *db_catalog_benchmark_of(const struct catalog *c, const char *name)
{
	const struct benchmark_entry *e = db_catalog_own_benchmark(c, name);

	return e ? &e->root->b : NULL;
}
