/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a submission to ids. All known: no SQL at all, the usual case. Else the rows that are
 * missing are inserted, each kind in the order of its key and the kinds always in the same
 * order, so that uploads wait for one another but do not deadlock; then the catalogue is
 * refreshed, which also brings in what somebody else inserted first.
 */
#include "db_catalog.h"

#include <stdlib.h>
#include <string.h>

#include "../ingest/kernel_json.h"
#include "../lib/must.h"
#include "db_catalog_own.h"

#define DEADLINE_MS 5000

/* In all inserts, the last: created_at. */
#define THIS_TX "pg_current_xact_id()::text::bigint"

static const struct stmt insert_machine = {
	"insert_machine",
	"INSERT INTO machine (name, created_at, changed_in) SELECT $1, $2, " THIS_TX
	" WHERE NOT EXISTS (SELECT FROM machine WHERE name = $1) ON CONFLICT (name) DO NOTHING"
};

static const struct stmt insert_fact = {
	"insert_fact",
	"INSERT INTO machine_fact (machine_id, sha256, isa, uarch, facts, created_at, changed_in)"
	" SELECT $1, $2, $3, $4, $5, $6, " THIS_TX
	" WHERE NOT EXISTS (SELECT FROM machine_fact WHERE machine_id = $1 AND sha256 = $2)"
	" ON CONFLICT (machine_id, sha256) DO NOTHING"
};

static const struct stmt find_fact = {
	"find_fact", "SELECT id FROM machine_fact WHERE machine_id = $1 AND sha256 = $2"
};

static const struct stmt lock_machine = {
	"lock_machine", "SELECT id, isa, uarch, facts, coalesce(fact_id, 0), facts_at FROM machine WHERE name = $1 FOR UPDATE"
};

static const struct stmt newest_run = {
	"newest_run", "SELECT max(started_at) FROM run WHERE machine_id = $1"
};

static const struct stmt update_machine = {
	"update_machine",
	"UPDATE machine SET isa = $2, uarch = $3, facts = $4, fact_id = $5, facts_at = $6, changed_in = " THIS_TX
	" WHERE id = $1"
};

static const struct stmt insert_kernel = {
	"insert_kernel",
	"INSERT INTO kernel (identity, name, release, base, rc, distance, track, sort_key, is_variant, variant,"
	" variant_base_id, created_at, changed_in)"
	" SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, (SELECT id FROM kernel WHERE identity = $11), $12, " THIS_TX
	" WHERE NOT EXISTS (SELECT FROM kernel WHERE identity = $1)"
	" ON CONFLICT (identity) DO NOTHING RETURNING id"
};

static const struct stmt update_kernel = {
	"update_kernel",
	"UPDATE kernel SET \"commit\" = coalesce($2, \"commit\"), released_at = coalesce($3, released_at),"
	" log = coalesce($4, log), changed_in = " THIS_TX " WHERE identity = $1"
};

/* What an upload says of a kernel's commit counts only where nobody has said it yet. */
static const struct stmt first_commit = {
	"first_commit",
	"UPDATE kernel SET \"commit\" = $2, changed_in = " THIS_TX " WHERE identity = $1 AND \"commit\" IS NULL"
};

static const struct stmt insert_config = {
	"insert_config",
	"INSERT INTO config (thp, base_page_kib, flavour, created_at, changed_in) SELECT $1, $2, $3, $4, " THIS_TX
	" WHERE NOT EXISTS (SELECT FROM config WHERE thp = $1 AND base_page_kib = $2 AND flavour = $3)"
	" ON CONFLICT (thp, base_page_kib, flavour) DO NOTHING"
};

static const struct stmt insert_benchmarks = {
	"insert_benchmarks",
	"INSERT INTO benchmark (name, created_at, changed_in)"
	" SELECT DISTINCT u.name, $2::timestamptz, " THIS_TX " FROM unnest($1) u (name)"
	" WHERE NOT EXISTS (SELECT FROM benchmark b WHERE b.name = u.name) ORDER BY u.name"
	" ON CONFLICT (name) DO NOTHING"
};

static const struct stmt insert_metrics = {
	"insert_metrics",
	"INSERT INTO metric (name, unit, better, created_at, changed_in)"
	" SELECT DISTINCT u.name, u.unit, u.better, $4::timestamptz, " THIS_TX " FROM unnest($1, $2, $3) u (name, unit, better)"
	" WHERE NOT EXISTS (SELECT FROM metric m WHERE m.name = u.name AND m.unit = u.unit AND m.better = u.better)"
	" ORDER BY u.name, u.unit, u.better ON CONFLICT (name, unit, better) DO NOTHING"
};

static const struct stmt insert_series = {
	"insert_series",
	"INSERT INTO series (machine_id, config_id, benchmark_id, metric_id, params, params_key, created_at, changed_in)"
	" SELECT DISTINCT ON (b.id, m.id, u.key) $1::bigint, c.id, b.id, m.id, u.params, u.key, $11::timestamptz, " THIS_TX
	" FROM unnest($5, $6, $7, $8, $9, $10) u (benchmark, metric, unit, better, params, key)"
	" JOIN benchmark b ON b.name = u.benchmark"
	" JOIN metric m ON m.name = u.metric AND m.unit = u.unit AND m.better = u.better"
	" JOIN config c ON c.thp = $2 AND c.base_page_kib = $3 AND c.flavour = $4"
	" WHERE NOT EXISTS (SELECT FROM series s WHERE s.machine_id = $1 AND s.config_id = c.id"
	" AND s.benchmark_id = b.id AND s.metric_id = m.id AND s.params_key = u.key)"
	" ORDER BY b.id, m.id, u.key"
	" ON CONFLICT (machine_id, config_id, benchmark_id, metric_id, params_key) DO NOTHING"
};

/* A submission on its way to ids. */
struct resolving {
	const struct submission *sub;
	struct arena *arena;
	struct sub_ids *ids;
	uint8_t fact_sha256[32];
	bool says_facts;		/* anything of the machine but its name */
	const char *machine;		/* what its row is called, whatever name the submission has for it */
	const char *root;		/* the same of the machine that it is merged into, or NULL */
	struct catalog *catalog;
	bool complete;			/* all ids are known, and the machine's and kernel's rows say what they should */
};

static bool is_known(const char *word)
{
	return strcmp(word, "unknown");
}

static void digest_facts(struct resolving *r)
{
	const struct submission *sub = r->sub;
	struct buf b;

	r->says_facts = is_known(sub->isa) || is_known(sub->uarch) || strcmp(sub->machine_facts, "{}");
	buf_init(&b);
	buf_add(&b, sub->isa, strlen(sub->isa) + 1);
	buf_add(&b, sub->uarch, strlen(sub->uarch) + 1);
	buf_puts(&b, sub->machine_facts);
	sha256(b.p, b.len, r->fact_sha256);
	buf_fini(&b);
}

/* Whether the machine's row already takes account of what this submission says of it. */
static bool look_up_facts(const struct catalog *c, struct resolving *r, const struct machine_entry *machine)
{
	const struct fact_entry *fact;

	if (!r->says_facts)
		return true;
	fact = db_catalog_own_fact(c, machine->m.id, r->fact_sha256);
	r->ids->fact_id = fact ? fact->id : 0;
	if (!fact)
		return false;
	/* older facts may still fill in what is unknown; newer ones replace */
	return machine->fact_id == fact->id ||
	       (machine->facts_at != TM_NONE && r->sub->started_at < machine->facts_at &&
		is_known(machine->isa) && is_known(machine->uarch));
}

/* Its benchmark and metric: mostly those of the result before, which the key still names. */
static void set_key(const struct catalog *c, const struct result *res, const struct result *before,
		    struct series_entry *key)
{
	const struct cat_metric *metric = key->s.metric;

	if (!before || strcmp(before->benchmark, res->benchmark))
		key->benchmark = db_catalog_own_benchmark(c, res->benchmark);
	if (!metric || metric->better != res->better || strcmp(metric->name, res->metric) || strcmp(metric->unit, res->unit))
		key->s.metric = db_catalog_own_metric(c, res->metric, res->unit, res->better);
	key->s.params = res->params;
}

static bool look_up_series(const struct catalog *c, struct resolving *r, const struct machine_entry *machine,
			   const struct cat_config *config)
{
	struct series_entry key = { .s = { .config = config }, .machine = machine }, keys[CAT_SERIES_AT_ONCE];
	const struct series_entry *found[CAT_SERIES_AT_ONCE];
	const struct result *results = r->sub->results;
	size_t at[CAT_SERIES_AT_ONCE], n = 0;		/* which result's */
	bool complete = true;

	for (size_t i = 0; i < r->sub->n_results; i++) {
		set_key(c, &results[i], i ? &results[i - 1] : NULL, &key);
		r->ids->series_ids[i] = 0;
		if (machine && config && key.benchmark && key.s.metric) {
			at[n] = i;
			keys[n++] = key;
		} else {
			complete = false;
		}
		if (n < CAT_SERIES_AT_ONCE && i + 1 < r->sub->n_results)
			continue;
		db_catalog_own_series(c, keys, n, found);
		for (; n; n--)
			if (found[n - 1])
				r->ids->series_ids[at[n - 1]] = found[n - 1]->s.id;
			else
				complete = false;
	}
	return complete;
}

static void look_up(struct catalog *c, struct resolving *r)
{
	const struct submission *sub = r->sub;
	const struct machine_entry *machine;
	const struct cat_kernel *kernel;
	const struct cat_config *config;

	db_catalog_lock(c);
	machine = db_catalog_own_machine(c, sub->machine);
	kernel = db_catalog_own_kernel(c, sub->kernel.identity);
	config = db_catalog_own_config(c, sub->thp, sub->base_page_kib, sub->flavour);
	r->ids->machine_id = machine ? machine->m.id : 0;
	r->machine = machine ? machine->m.key : sub->machine;
	r->root = machine && machine->root != machine ? machine->root->m.key : NULL;
	r->ids->kernel_id = kernel ? kernel->id : 0;
	r->ids->config_id = config ? config->id : 0;
	r->complete = look_up_series(c, r, machine, config);
	r->complete &= machine && look_up_facts(c, r, machine);
	r->complete &= kernel && (kernel->commit || !sub->commit);
	r->complete &= config != NULL;
	db_catalog_unlock(c);
}

static int by_key(const void *a, const void *b)
{
	const struct result *x = *(const struct result *const *)a, *y = *(const struct result *const *)b;
	int order = strcmp(x->benchmark, y->benchmark);

	if (!order)
		order = strcmp(x->params, y->params);
	if (!order)
		order = strcmp(x->metric, y->metric);
	if (!order)
		order = strcmp(x->unit, y->unit);
	return order ? order : (int)x->better - (int)y->better;
}

/* The results whose series is not known, each series once, in the order of their keys. */
static const struct result **missing(const struct resolving *r, size_t *n)
{
	const struct submission *sub = r->sub;
	const struct result **list = arena_array(r->arena, const struct result *, sub->n_results);
	size_t all = 0;

	for (size_t i = 0; i < sub->n_results; i++)
		if (!r->ids->series_ids[i])
			list[all++] = &sub->results[i];
	qsort(list, all, sizeof(*list), by_key);
	*n = 0;
	for (size_t i = 0; i < all; i++)
		if (!i || by_key(&list[i - 1], &list[i]))
			list[(*n)++] = list[i];
	return list;
}

/* ---- inserting ---- */

static int query_i64(struct db *db, const struct stmt *st, const struct db_arg *args, size_t n, int64_t *value,
		     struct err *err)
{
	struct db_rows *rows;

	if (db_query(db, st, args, n, &rows, err))
		return -1;
	*value = db_rows_count(rows) ? db_i64(rows, 0, 0) : 0;
	db_rows_free(rows);
	return 0;
}

/*
 * Whether these facts are the newest. The row's facts_at tells only when they came up first; each
 * run since then said the same, so the machine's newest run counts too.
 */
static int facts_are_newest(struct db *db, int64_t machine_id, int64_t facts_at, int64_t started_at, bool *newest,
			    struct err *err)
{
	struct db_rows *rows;

	*newest = facts_at == TM_NONE || started_at >= facts_at;
	if (facts_at == TM_NONE || !*newest)
		return 0;
	if (db_query(db, &newest_run, DB_ARGS(db_arg_i64(machine_id)), &rows, err))
		return -1;
	*newest = started_at >= db_time(rows, 0, 0);	/* TM_NONE, of no run, is before all */
	db_rows_free(rows);
	return 0;
}

/* `unknown` and {} never take the place of what is known; what is known fills them in, however old. */
static const char *merge(const char *old, const char *new, bool newest, const char *nothing)
{
	if (!strcmp(new, nothing))
		return old;
	return newest || !strcmp(old, nothing) ? new : old;
}

static int write_facts(struct db *db, const struct resolving *r, const struct db_rows *machine, struct err *err)
{
	const struct submission *sub = r->sub;
	const char *isa = db_text(machine, 0, 1), *uarch = db_text(machine, 0, 2), *facts = db_text(machine, 0, 3);
	int64_t machine_id = db_i64(machine, 0, 0), facts_at = db_time(machine, 0, 5), fact_id;
	bool newest;

	if (db_query(db, &insert_fact,
		     DB_ARGS(db_arg_i64(machine_id), db_arg_bytes(r->fact_sha256, 32), db_arg_text(sub->isa),
			     db_arg_text(sub->uarch), db_arg_json(sub->machine_facts), db_arg_time(tm_now_usec())),
		     NULL, err) ||
	    query_i64(db, &find_fact, DB_ARGS(db_arg_i64(machine_id), db_arg_bytes(r->fact_sha256, 32)), &fact_id, err) ||
	    facts_are_newest(db, machine_id, facts_at, sub->started_at, &newest, err))
		return -1;
	must(fact_id != 0);
	if (!newest && merge(isa, sub->isa, false, "unknown") == isa &&
	    merge(uarch, sub->uarch, false, "unknown") == uarch && merge(facts, sub->machine_facts, false, "{}") == facts)
		return 0;
	return db_query(db, &update_machine,
			DB_ARGS(db_arg_i64(machine_id), db_arg_text(merge(isa, sub->isa, newest, "unknown")),
				db_arg_text(merge(uarch, sub->uarch, newest, "unknown")),
				db_arg_json(merge(facts, sub->machine_facts, newest, "{}")),
				db_arg_i64(newest ? fact_id : db_i64(machine, 0, 4)),
				db_arg_time(newest ? sub->started_at : facts_at)),
			NULL, err);
}

static int write_machine(struct db *db, const struct resolving *r, int64_t *id, struct err *err)
{
	struct db_rows *machine;
	int ret;

	if (db_query(db, &insert_machine, DB_ARGS(db_arg_text(r->machine), db_arg_time(tm_now_usec())), NULL, err) ||
	    db_query(db, &lock_machine, DB_ARGS(db_arg_text(r->machine)), &machine, err))
		return -1;
	must(db_rows_count(machine) == 1);
	*id = db_i64(machine, 0, 0);
	ret = r->says_facts ? write_facts(db, r, machine, err) : 0;
	db_rows_free(machine);
	/* series that are read as one get their ids in the order of their commits: the first stays the one that stands for them */
	return ret || (r->root && db_query(db, &lock_machine, DB_ARGS(db_arg_text(r->root)), NULL, err)) ? -1 : 0;
}

static const char *variant_text(struct arena *a, const struct kernel *k)
{
	struct jsonw j;
	struct buf b;
	char *text;

	if (!k->is_variant)
		return NULL;
	buf_init(&b);
	j = jsonw_begin(&b);
	kernel_json_variant(&j, k);
	text = arena_strndup(a, b.p, b.len);
	buf_fini(&b);
	return text;
}

static int write_one_kernel(struct db *db, struct arena *a, const struct kernel *k, const char *base_identity,
			    bool *created, struct err *err)
{
	struct db_rows *rows;

	if (db_query(db, &insert_kernel,
		     DB_ARGS(db_arg_text(k->identity), db_arg_text(k->name), db_arg_text(k->release), db_arg_text(k->base),
			     db_arg_i64(k->rc), db_arg_i64(k->distance), db_arg_text(k->track),
			     db_arg_bytes(k->key, k->key_len), db_arg_bool(k->is_variant),
			     db_arg_json(variant_text(a, k)),
			     db_arg_text(base_identity), db_arg_time(tm_now_usec())),
		     &rows, err))
		return -1;
	*created = db_rows_count(rows) == 1;
	db_rows_free(rows);
	return 0;
}

/* A variant's base comes first, so that the variant can name its row. */
static int write_kernel(struct db *db, struct arena *a, const struct kernel *k, bool *created, struct err *err)
{
	const char *base_identity = NULL;
	struct kernel base;
	bool ignored;

	if (k->is_variant) {
		if (kernel_parse(a, k->variant_base, &base, err) ||
		    write_one_kernel(db, a, &base, NULL, &ignored, err))
			return -1;
		base_identity = base.identity;
	}
	return write_one_kernel(db, a, k, base_identity, created, err);
}

/* A benchmark's row by any of its names. */
static const char *key_of(const struct resolving *r, const char *benchmark)
{
	const struct benchmark_entry *known;

	db_catalog_lock(r->catalog);
	known = db_catalog_own_benchmark(r->catalog, benchmark);
	db_catalog_unlock(r->catalog);
	return known ? known->b.key : benchmark;
}

static int write_series(struct db *db, const struct resolving *r, int64_t machine_id, struct err *err)
{
	const struct submission *sub = r->sub;
	size_t n;
	const struct result **list = missing(r, &n);
	const char **benchmarks = arena_array(r->arena, const char *, n), **metrics = arena_array(r->arena, const char *, n);
	const char **units = arena_array(r->arena, const char *, n), **params = arena_array(r->arena, const char *, n);
	int16_t *better = arena_array(r->arena, int16_t, n);
	struct uuid *keys = arena_array(r->arena, struct uuid, n);
	struct db_arg now = db_arg_time(tm_now_usec());
	uint8_t digest[32];

	for (size_t i = 0; i < n; i++) {
		benchmarks[i] = key_of(r, list[i]->benchmark);
		metrics[i] = list[i]->metric;
		units[i] = list[i]->unit;
		better[i] = (int16_t)list[i]->better;
		params[i] = list[i]->params;
		sha256(params[i], strlen(params[i]), digest);
		memcpy(keys[i].b, digest, sizeof(keys[i].b));
	}
	if (!n)
		return 0;
	if (db_query(db, &insert_benchmarks, DB_ARGS(db_arg_texts(benchmarks, n), now), NULL, err) ||
	    db_query(db, &insert_metrics,
		     DB_ARGS(db_arg_texts(metrics, n), db_arg_texts(units, n), db_arg_i16s(better, n), now), NULL, err))
		return -1;
	return db_query(db, &insert_series,
			DB_ARGS(db_arg_i64(machine_id), db_arg_text(sub->thp), db_arg_i64(sub->base_page_kib),
				db_arg_text(sub->flavour), db_arg_texts(benchmarks, n), db_arg_texts(metrics, n),
				db_arg_texts(units, n), db_arg_i16s(better, n), db_arg_texts(params, n),
				db_arg_uuids(keys, n), now),
			NULL, err);
}

static int create_missing(struct db *db, void *arg, struct err *err)
{
	struct resolving *r = arg;
	const struct submission *sub = r->sub;
	int64_t machine_id;
	bool ignored;

	if (write_machine(db, r, &machine_id, err) ||
	    write_kernel(db, r->arena, &sub->kernel, &ignored, err))
		return -1;
	if (sub->commit &&
	    db_query(db, &first_commit, DB_ARGS(db_arg_text(sub->kernel.identity), db_arg_text(sub->commit)), NULL, err))
		return -1;
	if (db_query(db, &insert_config,
		     DB_ARGS(db_arg_text(sub->thp), db_arg_i64(sub->base_page_kib), db_arg_text(sub->flavour),
			     db_arg_time(tm_now_usec())), NULL, err))
		return -1;
	return write_series(db, r, machine_id, err);
}

static bool ids_complete(const struct resolving *r)
{
	for (size_t i = 0; i < r->sub->n_results; i++)
		if (!r->ids->series_ids[i])
			return false;
	return r->ids->machine_id && r->ids->kernel_id && r->ids->config_id && (!r->says_facts || r->ids->fact_id);
}

int db_catalog_resolve(struct catalog *c, struct db *db, struct arena *a, const struct submission *sub,
		       bool create, struct sub_ids *ids, struct err *err)
{
	struct resolving r = { .sub = sub, .catalog = c, .arena = a, .ids = ids };

	*ids = (struct sub_ids){ .series_ids = arena_array(a, int64_t, sub->n_results) };
	digest_facts(&r);
	look_up(c, &r);
	if (r.complete)
		return 0;
	if (db_catalog_refresh(c, db, err))
		return -1;
	look_up(c, &r);
	if (r.complete)
		return 0;
	missing(&r, &ids->series_new);
	if (!create)
		return 0;
	if (db_tx(db, create_missing, &r, DEADLINE_MS, err) || db_catalog_refresh(c, db, err))
		return -1;
	look_up(c, &r);
	return ids_complete(&r) ? 0 : err_set(err, ERR_BUG, "database: names were inserted but are not found");
}

/* ---- kernels by themselves ---- */

struct kernel_change {
	struct arena *arena;
	const struct kernel *kernel;
	const char *commit, *log_json;
	int64_t released_at;
	bool created;
};

static int change_kernel(struct db *db, void *arg, struct err *err)
{
	struct kernel_change *k = arg;

	if (write_kernel(db, k->arena, k->kernel, &k->created, err))
		return -1;
	if (!k->commit && !k->log_json && k->released_at == TM_NONE)
		return 0;
	return db_query(db, &update_kernel,
			DB_ARGS(db_arg_text(k->kernel->identity), db_arg_text(k->commit), db_arg_time(k->released_at),
				db_arg_json(k->log_json)), NULL, err);
}

int db_catalog_kernel_update(struct catalog *c, struct db *db, const struct kernel *k, const char *commit,
			     int64_t released_at, const char *log_json, bool *created, struct err *err)
{
	struct kernel_change change = { .arena = arena_new(), .kernel = k, .commit = commit, .log_json = log_json,
					.released_at = released_at };
	int ret = db_tx(db, change_kernel, &change, DEADLINE_MS, err);

	if (!ret)
		ret = db_catalog_refresh(c, db, err);
	*created = change.created;
	arena_free(change.arena);
	return ret;
}

int db_catalog_kernel_logs(struct db *db, struct arena *a, const int64_t *ids, size_t n, const char **logs,
			   struct err *err)
{
	static const struct stmt read = {
		"kernel_logs", "SELECT id, log FROM kernel WHERE id = ANY($1::bigint[]) AND log IS NOT NULL"
	};
	struct db_rows *rows;

	if (db_query(db, &read, DB_ARGS(db_arg_i64s(ids, n)), &rows, err))
		return -1;
	for (int i = 0; i < db_rows_count(rows); i++)
		for (size_t k = 0; k < n; k++)
			if (ids[k] == db_i64(rows, i, 0))
				logs[k] = arena_strdup(a, db_text(rows, i, 1));
	db_rows_free(rows);
	return 0;
}
