/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bringing the catalogue up to date. Ids and clocks both commit out of order, so neither
 * tells what is new. Each row carries the transaction that changed it last
 * (changed_in), and a snapshot's xmin is the oldest transaction that may still have been
 * open: asking for changed_in >= the xmin of the last look misses nothing, and
 * gets again only what was in flight then, which is skipped by id.
 */
#include "db_catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../ingest/jread.h"
#include "../lib/jsonw.h"
#include "../lib/must.h"
#include "../lib/num.h"
#include "db_catalog_own.h"
#include "db_replay.h"

/* One look says whether anything changed at all. The columns are in the order of enum cat_kind. */
static const struct stmt look = {
	"catalog_look",
	"SELECT " DB_REPLAY_VERSION ", pg_snapshot_xmin(pg_current_snapshot())::text::bigint,"
	" EXISTS (SELECT FROM machine WHERE changed_in >= $1),"
	" EXISTS (SELECT FROM machine_fact WHERE changed_in >= $1),"
	" EXISTS (SELECT FROM kernel WHERE changed_in >= $1),"
	" EXISTS (SELECT FROM config WHERE changed_in >= $1),"
	" EXISTS (SELECT FROM benchmark WHERE changed_in >= $1),"
	" EXISTS (SELECT FROM metric WHERE changed_in >= $1),"
	" EXISTS (SELECT FROM series WHERE changed_in >= $1)"
};

static const struct stmt changed[CAT_KINDS] = {
	[CAT_MACHINE] = { "catalog_machines",
		"SELECT id, name, isa, uarch, facts, coalesce(fact_id, 0), facts_at, shown, aliases,"
		" coalesce(merged_into, 0) FROM machine WHERE changed_in >= $1 ORDER BY id" },
	[CAT_FACT] = { "catalog_facts",
		"SELECT id, machine_id, sha256 FROM machine_fact WHERE changed_in >= $1 ORDER BY id" },
	[CAT_KERNEL] = { "catalog_kernels",
		"SELECT id, identity, name, release, base, rc, distance, track, sort_key, is_variant, variant,"
		" coalesce(variant_base_id, 0), \"commit\", released_at"
		" FROM kernel WHERE changed_in >= $1 ORDER BY id" },
	[CAT_CONFIG] = { "catalog_configs",
		"SELECT id, thp, base_page_kib, flavour FROM config WHERE changed_in >= $1 ORDER BY id" },
	[CAT_BENCHMARK] = { "catalog_benchmarks",
		"SELECT id, name, shown, aliases, coalesce(merged_into, 0) FROM benchmark WHERE changed_in >= $1 ORDER BY id" },
	[CAT_METRIC] = { "catalog_metrics",
		"SELECT id, name, unit, better FROM metric WHERE changed_in >= $1 ORDER BY id" },
	[CAT_SERIES] = { "catalog_series",
		"SELECT id, benchmark_id, metric_id, machine_id, config_id, params"
		" FROM series WHERE changed_in >= $1 ORDER BY id" },
};

/*
 * Readers may hold an entry without the lock, so a field that changes is set in one
 * store; the old text stays in the arena for those who still look at it.
 */
static void set_text(struct arena *a, const char **field, const char *text)
{
	const char *old = *field;

	if (old == text || (old && text && !strcmp(old, text)))
		return;
	__atomic_store_n(field, arena_strdup(a, text), __ATOMIC_RELEASE);
}

/* The same for other names: a list that is never changed, and replaced by another. */
static void set_aliases(struct arena *a, const char *const **field, const struct db_rows *r, int row, int col)
{
	size_t n, same = 0;
	char **list = db_texts(a, r, row, col, &n);
	const char **copy;

	while (*field && (*field)[same] && same < n && !strcmp((*field)[same], list[same]))
		same++;
	if (same == n && (!*field || !(*field)[same]))
		return;
	copy = arena_array(a, const char *, n + 1);
	for (size_t i = 0; i < n; i++)
		copy[i] = list[i];
	__atomic_store_n(field, copy, __ATOMIC_RELEASE);
}

/* ---- what answers say of an entry, ready to copy ---- */

static const char *taken(struct arena *a, struct buf *b)
{
	const char *text = arena_strndup(a, b->p, b->len);

	buf_fini(b);
	return text;
}

static const char *machine_json(struct arena *a, const struct cat_machine *m)
{
	struct buf b;
	struct jsonw j = jsonw_begin(&b);

	buf_init(&b);
	jsonw_kstr(&j, "machine", m->name);
	jsonw_kstr(&j, "isa", m->isa);
	jsonw_kstr(&j, "uarch", m->uarch);
	return taken(a, &b);
}

static const char *config_json(struct arena *a, const struct cat_config *c)
{
	struct buf b;
	struct jsonw j = jsonw_begin(&b);

	buf_init(&b);
	jsonw_kstr(&j, "thp", c->thp);
	jsonw_key(&j, "base_page_kib");
	if (c->base_page_kib)
		jsonw_i64(&j, c->base_page_kib);
	else
		jsonw_null(&j);
	return taken(a, &b);
}

static const char *benchmark_json(struct arena *a, const struct cat_benchmark *e)
{
	struct buf b;
	struct jsonw j = jsonw_begin(&b);

	buf_init(&b);
	jsonw_kstr(&j, "benchmark", e->name);
	return taken(a, &b);
}

static const char *metric_json(struct arena *a, const struct cat_metric *m)
{
	struct buf b;
	struct jsonw j = jsonw_begin(&b);

	buf_init(&b);
	jsonw_kstr(&j, "metric", m->name);
	jsonw_kstr(&j, "unit", m->unit);
	jsonw_kstr(&j, "better", better_word(m->better));
	return taken(a, &b);
}

/* ---- rows ---- */

void db_catalog_own_show_machine(struct catalog *c, struct machine_entry *e, const struct machine_entry *facts,
				 const char *const *aliases)
{
	const char *isa = e->m.isa, *uarch = e->m.uarch, *name = e->m.name;

	set_text(c->arena, &e->m.isa, facts->isa);
	set_text(c->arena, &e->m.uarch, facts->uarch);
	set_text(c->arena, &e->m.facts, facts->facts);
	set_text(c->arena, &e->m.name, e->own.shown);
	__atomic_store_n(&e->m.aliases, aliases, __ATOMIC_RELEASE);
	if (isa != e->m.isa || uarch != e->m.uarch || name != e->m.name)
		__atomic_store_n(&e->m.json, machine_json(c->arena, &e->m), __ATOMIC_RELEASE);
}

void db_catalog_own_show_benchmark(struct catalog *c, struct benchmark_entry *e, const char *const *aliases)
{
	const char *name = e->b.name;

	set_text(c->arena, &e->b.name, e->own.shown);
	__atomic_store_n(&e->b.aliases, aliases, __ATOMIC_RELEASE);
	if (name != e->b.name)
		__atomic_store_n(&e->b.json, benchmark_json(c->arena, &e->b), __ATOMIC_RELEASE);
}

/* From column `col` on: shown, aliases, merged_into. */
static void load_names(struct arena *a, struct cat_names *own, const char *key, const struct db_rows *r, int row, int col)
{
	set_text(a, &own->shown, db_is_null(r, row, col) ? key : db_text(r, row, col));
	set_aliases(a, &own->aliases, r, row, col + 1);
	own->merged_into = db_i64(r, row, col + 2);
}

static void load_machine(struct catalog *c, const struct db_rows *r, int row)
{
	const void *old = db_catalog_own_by_id(c, CAT_MACHINE, db_i64(r, row, 0));
	struct machine_entry *e = old ? (void *)(uintptr_t)old : arena_zalloc(c->arena, sizeof(*e));

	set_text(c->arena, &e->isa, db_text(r, row, 2));
	set_text(c->arena, &e->uarch, db_text(r, row, 3));
	set_text(c->arena, &e->facts, db_text(r, row, 4));
	e->fact_id = db_i64(r, row, 5);
	e->facts_at = db_time(r, row, 6);
	if (!old) {
		e->root = e;
		e->m.id = db_i64(r, row, 0);
		e->m.key = arena_strdup(c->arena, db_text(r, row, 1));
	}
	load_names(c->arena, &e->own, e->m.key, r, row, 7);
	db_catalog_own_show_machine(c, e, e, e->own.aliases);
	if (!old)
		db_catalog_own_add(c, CAT_MACHINE, e);
}

static void load_fact(struct catalog *c, const struct db_rows *r, int row)
{
	struct fact_entry *e = arena_zalloc(c->arena, sizeof(*e));
	size_t n;
	const void *digest = db_bytes(r, row, 2, &n);

	must(n == sizeof(e->sha256));
	e->id = db_i64(r, row, 0);
	e->machine_id = db_i64(r, row, 1);
	memcpy(e->sha256, digest, n);
	db_catalog_own_add(c, CAT_FACT, e);
}

/* The kernel as the API shows it. */
static const char *kernel_json(struct arena *a, const struct cat_kernel *k)
{
	char time[TM_TEXT];
	const char *text;
	struct jsonw j;
	struct buf b;

	buf_init(&b);
	j = jsonw_begin(&b);
	jsonw_object(&j);
	jsonw_kstr(&j, "name", k->name);
	jsonw_kstr(&j, "release", k->release);
	jsonw_kstr(&j, "base", k->base);
	jsonw_key(&j, "rc");
	if (k->rc)
		jsonw_i64(&j, k->rc);
	else
		jsonw_null(&j);
	jsonw_ki64(&j, "distance", k->distance);
	jsonw_kstr(&j, "track", k->track);
	jsonw_kraw(&j, "variant", k->variant);
	jsonw_kstr(&j, "commit", k->commit);
	jsonw_kstr(&j, "released_at", k->released_at == TM_NONE ? NULL : tm_format(k->released_at, time));
	jsonw_object_end(&j);
	text = arena_strndup(a, b.p, b.len);
	buf_fini(&b);
	return text;
}

/* Tracks are few and kernels many: one text for all kernels of a track, so that mostly addresses tell them apart. */
static const char *track_text(struct catalog *c, const char *track)
{
	size_t n;
	const struct cat_kernel *const *kernels = db_catalog_kernels(c, &n);

	while (n--)
		if (!strcmp(kernels[n]->track, track))
			return kernels[n]->track;
	return arena_strdup(c->arena, track);
}

static void load_kernel(struct catalog *c, const struct db_rows *r, int row)
{
	const void *old = db_catalog_own_by_id(c, CAT_KERNEL, db_i64(r, row, 0));
	struct cat_kernel *k = old ? (void *)(uintptr_t)old : arena_zalloc(c->arena, sizeof(*k));
	const void *key;

	set_text(c->arena, &k->commit, db_text(r, row, 12));
	__atomic_store_n(&k->released_at, db_time(r, row, 13), __ATOMIC_RELEASE);
	if (old) {
		__atomic_store_n(&k->json, kernel_json(c->arena, k), __ATOMIC_RELEASE);
		return;
	}
	k->id = db_i64(r, row, 0);
	k->identity = arena_strdup(c->arena, db_text(r, row, 1));
	k->name = arena_strdup(c->arena, db_text(r, row, 2));
	k->release = arena_strdup(c->arena, db_text(r, row, 3));
	k->base = arena_strdup(c->arena, db_text(r, row, 4));
	k->rc = (int)db_i64(r, row, 5);
	k->distance = db_i64(r, row, 6);
	k->track = track_text(c, db_text(r, row, 7));
	key = db_bytes(r, row, 8, &k->key_len);
	must(k->key_len <= sizeof(k->key));
	memcpy(k->key, key, k->key_len);
	k->is_variant = db_bool(r, row, 9);
	k->variant = arena_strdup(c->arena, db_text(r, row, 10));
	k->variant_base_id = db_i64(r, row, 11);
	k->json = kernel_json(c->arena, k);
	db_catalog_own_add(c, CAT_KERNEL, k);
}

static void load_config(struct catalog *c, const struct db_rows *r, int row)
{
	struct cat_config *e = arena_zalloc(c->arena, sizeof(*e));

	e->id = db_i64(r, row, 0);
	e->thp = arena_strdup(c->arena, db_text(r, row, 1));
	e->base_page_kib = (int)db_i64(r, row, 2);
	e->flavour = arena_strdup(c->arena, db_text(r, row, 3));
	e->json = config_json(c->arena, e);
	db_catalog_own_add(c, CAT_CONFIG, e);
}

static void load_benchmark(struct catalog *c, const struct db_rows *r, int row)
{
	const void *old = db_catalog_own_by_id(c, CAT_BENCHMARK, db_i64(r, row, 0));
	struct benchmark_entry *e = old ? (void *)(uintptr_t)old : arena_zalloc(c->arena, sizeof(*e));

	if (!old) {
		e->root = e;
		e->b.id = db_i64(r, row, 0);
		e->b.key = arena_strdup(c->arena, db_text(r, row, 1));
	}
	load_names(c->arena, &e->own, e->b.key, r, row, 2);
	db_catalog_own_show_benchmark(c, e, e->own.aliases);
	if (!old)
		db_catalog_own_add(c, CAT_BENCHMARK, e);
}

static void load_metric(struct catalog *c, const struct db_rows *r, int row)
{
	struct cat_metric *e = arena_zalloc(c->arena, sizeof(*e));

	e->id = db_i64(r, row, 0);
	e->name = arena_strdup(c->arena, db_text(r, row, 1));
	e->unit = arena_strdup(c->arena, db_text(r, row, 2));
	e->better = (enum better)db_i64(r, row, 3);
	e->json = metric_json(c->arena, e);
	db_catalog_own_add(c, CAT_METRIC, e);
}

/* A parameter's value as text, for globs and columns; numbers as numbers too. */
static void load_param(struct arena *a, struct cat_param *p, const char *name, const struct jnode *v)
{
	char text[NUM_MAX];
	int64_t whole;

	p->name = arena_strdup(a, name);
	p->is_number = jread_type(v) == JREAD_NUMBER;
	if (!p->is_number) {
		must(jread_str(v) || jread_type(v) == JREAD_BOOL);
		p->text = jread_str(v) ? arena_strdup(a, jread_str(v)) : jread_bool(v) ? "true" : "false";
		return;
	}
	p->number = jread_num(v);
	if (jread_int(v, &whole)) {
		p->text = arena_printf(a, "%lld", (long long)whole);
	} else {
		num_format(text, p->number);
		p->text = arena_strdup(a, text);
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct cat_param *)a)->name, ((const struct cat_param *)b)->name);
}

static void load_params(struct arena *a, struct cat_series *s)
{
	struct jread_slice whole = { s->params, strlen(s->params), 1 };
	struct cat_param *p;
	struct err err;
	bool syntax;
	struct jnode *root = jread_parse(&whole, &syntax, &err);

	must(jread_type(root) == JREAD_OBJECT);
	p = arena_array(a, struct cat_param, jread_len(root));
	for (const struct jmember *m = jread_first(root); m; m = jread_next(root, m))
		load_param(a, &p[s->n_params++], jread_key(m), jread_value(m));
	jread_free(root);
	qsort(p, s->n_params, sizeof(*p), by_name);
	s->param = p;
}

static void load_series(struct catalog *c, const struct db_rows *r, int row)
{
	struct series_entry *e = arena_zalloc(c->arena, sizeof(*e));
	struct cat_series *s = &e->s;

	s->id = db_i64(r, row, 0);
	e->benchmark = db_catalog_own_by_id(c, CAT_BENCHMARK, db_i64(r, row, 1));
	s->metric = db_catalog_own_by_id(c, CAT_METRIC, db_i64(r, row, 2));
	e->machine = db_catalog_own_by_id(c, CAT_MACHINE, db_i64(r, row, 3));
	s->config = db_catalog_own_by_id(c, CAT_CONFIG, db_i64(r, row, 4));
	must(e->benchmark && s->metric && e->machine && s->config);
	s->benchmark = &e->benchmark->b;
	s->machine = &e->machine->m;
	e->main = e;
	s->params = arena_strdup(c->arena, db_text(r, row, 5));
	load_params(c->arena, s);
	db_catalog_own_add_series(c, e);
}

static void load_rows(struct catalog *c, enum cat_kind kind, const struct db_rows *r)
{
	static void (*const load[CAT_KINDS])(struct catalog *, const struct db_rows *, int) = {
		[CAT_MACHINE] = load_machine,
		[CAT_FACT] = load_fact,
		[CAT_KERNEL] = load_kernel,
		[CAT_CONFIG] = load_config,
		[CAT_BENCHMARK] = load_benchmark,
		[CAT_METRIC] = load_metric,
		[CAT_SERIES] = load_series,
	};
	bool may_change = kind == CAT_MACHINE || kind == CAT_KERNEL || kind == CAT_BENCHMARK;

	for (int row = 0; r && row < db_rows_count(r); row++)
		if (may_change || !db_catalog_own_by_id(c, kind, db_i64(r, row, 0)))
			load[kind](c, r, row);
}

/*
 * Series are read first and put in last: by then the rows they refer to, committed
 * before or with them, have been read (even if there were none at the look).
 */
static int read_changed(struct db *db, int64_t since, const bool *any, struct db_rows **rows, struct err *err)
{
	for (int kind = CAT_KINDS - 1; kind >= 0; kind--)
		if ((any[kind] || any[CAT_SERIES]) &&
		    db_query(db, &changed[kind], DB_ARGS(db_arg_i64(since)), &rows[kind], err))
			return -1;
	return 0;
}

/* Under refresh_lock: what two read at once could be put in in the wrong order. */
static int refresh(struct catalog *c, struct db *db, const struct db_rows *looked, struct err *err)
{
	struct db_rows *rows[CAT_KINDS] = { 0 };
	bool any[CAT_KINDS], one = false;
	int ret = 0;

	for (int kind = 0; kind < CAT_KINDS; kind++)
		one |= any[kind] = db_bool(looked, 0, 2 + kind);
	if (one)
		ret = read_changed(db, c->since, any, rows, err);
	if (!ret && one) {
		must(!pthread_rwlock_wrlock(&c->lock));
		for (int kind = 0; kind < CAT_KINDS; kind++)
			load_rows(c, kind, rows[kind]);
		db_catalog_own_unite(c);
		db_catalog_unlock(c);
	}
	for (int kind = 0; kind < CAT_KINDS; kind++)
		db_rows_free(rows[kind]);
	return ret;
}

/* Under refresh_lock: all that was committed as of the look is in. */
static void note_look(struct catalog *c, const struct db_rows *looked)
{
	int64_t since = db_i64(looked, 0, 1);

	if (since > c->since)		/* another worker's look may have been newer */
		c->since = since;
	free(c->snapshot);
	c->snapshot = strdup(db_text(looked, 0, 0));
	must(c->snapshot != NULL);
	c->still = false;
}

int db_catalog_refresh(struct catalog *c, struct db *db, struct err *err)
{
	struct db_rows *looked;
	int64_t since;
	int ret = 0;

	must(!pthread_mutex_lock(&c->refresh_lock));
	since = c->since;
	must(!pthread_mutex_unlock(&c->refresh_lock));
	/* not under the lock: all workers would wait for one another's round trips */
	if (db_query(db, &look, DB_ARGS(db_arg_i64(since)), &looked, err))
		return -1;
	must(!pthread_mutex_lock(&c->refresh_lock));
	if (strcmp(c->snapshot, db_text(looked, 0, 0))) {
		ret = refresh(c, db, looked, err);
		if (!ret)
			note_look(c, looked);
	} else {
		c->still = true;
	}
	db_united_use(db, c->united);
	must(!pthread_mutex_unlock(&c->refresh_lock));
	db_rows_free(looked);
	return ret;
}

int db_catalog_refresh_for(struct catalog *c, struct db *db, const char *version, struct err *err)
{
	bool good;

	must(!pthread_mutex_lock(&c->refresh_lock));
	good = version && !strcmp(c->snapshot, version);
	c->still |= good;
	if (good)
		db_united_use(db, c->united);
	must(!pthread_mutex_unlock(&c->refresh_lock));
	return good ? 0 : db_catalog_refresh(c, db, err);
}

const char *db_catalog_version(struct catalog *c, struct arena *a)
{
	const char *version;

	must(!pthread_mutex_lock(&c->refresh_lock));
	version = c->still ? arena_strdup(a, c->snapshot) : NULL;
	must(!pthread_mutex_unlock(&c->refresh_lock));
	return version;
}

#define ADOPT(table)											\
	"UPDATE " table " SET changed_in = 0"								\
	" WHERE changed_in >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint"

static const struct stmt adopt[CAT_KINDS] = {
	[CAT_MACHINE] = { "adopt_machines", ADOPT("machine") },
	[CAT_FACT] = { "adopt_facts", ADOPT("machine_fact") },
	[CAT_KERNEL] = { "adopt_kernels", ADOPT("kernel") },
	[CAT_CONFIG] = { "adopt_configs", ADOPT("config") },
	[CAT_BENCHMARK] = { "adopt_benchmarks", ADOPT("benchmark") },
	[CAT_METRIC] = { "adopt_metrics", ADOPT("metric") },
	[CAT_SERIES] = { "adopt_series", ADOPT("series") },
};

int db_catalog_adopt(struct db *db, struct err *err)
{
	for (int kind = 0; kind < CAT_KINDS; kind++)
		if (db_query(db, &adopt[kind], DB_NO_ARGS, NULL, err))
			return -1;
	return 0;
}
