/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_export.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/must.h"
#include "db_export_sql.h"

int db_export_snapshot(struct db *db, db_tx_fn fn, void *arg, struct err *err)
{
	return db_tx(db, fn, arg, 0, err);
}

int db_export_ids(struct db *db, struct run_cursor *at, struct uuid *ids, int most, size_t *n, struct err *err)
{
	static const struct stmt page = {
		"export_ids", "SELECT run_id, received_at FROM run WHERE (received_at, run_id) > ($1, $2) ORDER BY received_at, run_id LIMIT $3"
	};
	static const char one_snapshot[] =
		"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = 0";
	struct db_rows *rows;

	if (at->received_at == TM_NONE) {	/* the first statement of the transaction */
		if (db_script(db, one_snapshot, err))
			return -1;
		at->received_at = 0;
	}
	if (db_query(db, &page, DB_ARGS(db_arg_time(at->received_at), db_arg_uuid(&at->run_id), db_arg_i64(most)), &rows, err))
		return -1;
	*n = (size_t)db_rows_count(rows);
	for (size_t i = 0; i < *n; i++) {
		db_uuid(rows, (int)i, 0, &ids[i]);
		at->run_id = ids[i];
		at->received_at = db_time(rows, (int)i, 1);
	}
	db_rows_free(rows);
	return 0;
}

static const char *said(struct arena *a, const struct db_rows *rows, int col)
{
	const char *text = db_text(rows, 0, col);

	return text && strcmp(text, "unknown") != 0 ? arena_strdup(a, text) : NULL;
}

int db_export_head(struct db *db, struct arena *a, const struct uuid *run_id, struct export_head *h, struct err *err)
{
	static const struct stmt head = {
		"export_head",
		"SELECT m.name, f.isa, f.uarch, f.facts, k.release, CASE WHEN k.is_variant THEN k.variant END, k.\"commit\", c.thp, c.base_page_kib,"
		" r.token, r.content_sha256 FROM run r JOIN machine m ON m.id = r.machine_id JOIN kernel k ON k.id = r.kernel_id"
		" JOIN config c ON c.id = r.config_id LEFT JOIN machine_fact f ON f.id = r.machine_fact_id WHERE r.run_id = $1"
	};
	struct db_rows *rows;
	const void *digest;
	size_t n;

	if (db_query(db, &head, DB_ARGS(db_arg_uuid(run_id)), &rows, err))
		return -1;
	must(db_rows_count(rows) == 1);
	digest = db_bytes(rows, 0, 10, &n);
	must(n == 32);
	*h = (struct export_head){
		.machine = arena_strdup(a, db_text(rows, 0, 0)), .isa = said(a, rows, 1), .uarch = said(a, rows, 2),
		.facts = arena_strdup(a, db_text(rows, 0, 3)), .release = arena_strdup(a, db_text(rows, 0, 4)),
		.variant = arena_strdup(a, db_text(rows, 0, 5)), .commit = arena_strdup(a, db_text(rows, 0, 6)),
		.thp = said(a, rows, 7), .base_page_kib = (int)db_i64(rows, 0, 8), .token = arena_strdup(a, db_text(rows, 0, 9)),
		.content_sha256 = memcpy(arena_alloc(a, 32), digest, 32),
	};
	db_rows_free(rows);
	return 0;
}

/* ---- what series are called ---- */

struct export_names {
	struct arena *arena;
	struct export_series **slots;	/* a hash set by id; cap is a power of two */
	size_t n, cap;
};

struct export_names *db_export_names_new(void)
{
	struct export_names *names = calloc(1, sizeof(*names));

	must(names != NULL);
	names->arena = arena_new();
	return names;
}

void db_export_names_free(struct export_names *names)
{
	if (!names)
		return;
	arena_free(names->arena);
	free(names->slots);
	free(names);
}

static struct export_series **slot_of(const struct export_names *names, int64_t id)
{
	size_t i = (uint64_t)id * 0x9E3779B97F4A7C15u >> 20;

	while (names->slots[i & (names->cap - 1)] && names->slots[i & (names->cap - 1)]->id != id)
		i++;
	return &names->slots[i & (names->cap - 1)];
}

static void grow(struct export_names *names)
{
	struct export_names old = *names;

	if (names->cap > names->n * 2)
		return;
	names->cap = old.cap ? old.cap * 2 : 1024;
	names->slots = calloc(names->cap, sizeof(*names->slots));
	must(names->slots != NULL);
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i])
			*slot_of(names, old.slots[i]->id) = old.slots[i];
	free(old.slots);
}

static void add(struct export_names *names, const struct db_rows *rows, int i)
{
	struct export_series *s = arena_zalloc(names->arena, sizeof(*s));

	*s = (struct export_series){
		.id = db_i64(rows, i, 0), .benchmark = arena_strdup(names->arena, db_text(rows, i, 1)),
		.metric = arena_strdup(names->arena, db_text(rows, i, 2)), .unit = arena_strdup(names->arena, db_text(rows, i, 3)),
		.better = (enum better)db_i64(rows, i, 4), .params = arena_strdup(names->arena, db_text(rows, i, 5)),
	};
	grow(names);
	*slot_of(names, s->id) = s;
	names->n++;
}

int db_export_names_need(struct export_names *names, struct db *db, const int64_t *ids, size_t n, struct err *err)
{
	static const struct stmt find = {
		"export_series", "SELECT s.id, b.name, m.name, m.unit, m.better, s.params FROM series s JOIN benchmark b ON b.id = s.benchmark_id"
				 " JOIN metric m ON m.id = s.metric_id WHERE s.id = ANY($1) ORDER BY s.id"
	};
	int64_t *new_ids = malloc((n + 1) * sizeof(*new_ids));
	struct db_rows *rows = NULL;
	size_t n_new = 0;
	int ret = 0;

	must(new_ids != NULL);
	for (size_t i = 0; i < n; i++)
		if (!names->cap || !*slot_of(names, ids[i]))
			new_ids[n_new++] = ids[i];
	if (n_new)
		ret = db_query(db, &find, DB_ARGS(db_arg_i64s(new_ids, n_new)), &rows, err);
	for (int i = 0; rows && i < db_rows_count(rows); i++)
		if (!names->cap || !*slot_of(names, db_i64(rows, i, 0)))
			add(names, rows, i);
	db_rows_free(rows);
	free(new_ids);
	return ret;
}

const struct export_series *db_export_names_of(const struct export_names *names, int64_t id)
{
	const struct export_series *s = names->cap ? *slot_of(names, id) : NULL;

	must(s != NULL);
	return s;
}

/* ---- records ---- */

struct each {
	const char *kind;
	db_export_fn fn;
	void *arg;
};

static int each_record(const struct db_rows *row, void *arg, struct err *err)
{
	struct each *e = arg;

	return e->fn(e->kind, db_text(row, 0, 0), e->arg, err);
}

int db_export_records(struct db *db, bool first, db_export_fn fn, void *arg, struct err *err)
{
	for (size_t i = 0; i < EXPORT_KINDS; i++) {
		struct each e = { export_kinds[i].kind, fn, arg };

		if (export_kinds[i].first == first && db_query_each(db, &export_kinds[i].read, DB_NO_ARGS, each_record, &e, err))
			return -1;
	}
	return 0;
}

int db_export_begin(struct db *db, struct export_import *into, struct err *err)
{
	struct db_rows *rows;

	must(EXPORT_KINDS <= sizeof(into->has) / sizeof(into->has[0]));
	for (size_t i = 0; i < EXPORT_KINDS; i++) {
		into->has[i] = false;
		if (!export_kinds[i].has.sql)
			continue;
		if (db_query(db, &export_kinds[i].has, DB_NO_ARGS, &rows, err))
			return -1;
		into->has[i] = db_bool(rows, 0, 0);
		db_rows_free(rows);
	}
	return 0;
}

int db_export_put(struct db *db, const struct export_import *into, const char *kind, const char *json, bool *done,
		  struct err *err)
{
	struct db_rows *rows;

	*done = false;
	for (size_t i = 0; i < EXPORT_KINDS; i++) {
		if (strcmp(export_kinds[i].kind, kind) != 0)
			continue;
		if (into->has[i])
			return 0;
		if (db_query(db, &export_kinds[i].put, DB_ARGS(db_arg_json(json)), &rows, err))
			return -1;
		*done = db_rows_count(rows) > 0;
		db_rows_free(rows);
		return 0;
	}
	return err_set(err, ERR_INVALID, "a record of the kind \"%.40s\", which this program does not know", kind);
}

/* Ids were given by the records; the next ones come behind them. */
int db_export_end(struct db *db, struct err *err)
{
	static const struct stmt sequences[] = {
		{ "import_rule_ids", "SELECT setval(pg_get_serial_sequence('nsecwatch.rule', 'id'), max(id)) FROM rule HAVING max(id) IS NOT NULL" },
		{ "import_mute_ids", "SELECT setval(pg_get_serial_sequence('nsecwatch.mute', 'id'), max(id)) FROM mute HAVING max(id) IS NOT NULL" },
		{ "import_event_ids", "SELECT setval(pg_get_serial_sequence('nsecwatch.event', 'id'), max(id))"
				      " FROM (SELECT id FROM event UNION ALL SELECT id FROM access_event) e HAVING max(id) IS NOT NULL" },
		{ "import_expectation_ids",
		  "SELECT setval(pg_get_serial_sequence('nsecwatch.expectation', 'id'), max(id)) FROM expectation HAVING max(id) IS NOT NULL" },
	};

	for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++)
		if (db_query(db, &sequences[i], DB_NO_ARGS, NULL, err))
			return -1;
	return 0;
}

int db_export_month(struct db *db, int64_t received_at, struct err *err)
{
	static const struct stmt month = {
		"export_month", "SELECT run_raw_month((date_trunc('month', $1::timestamptz, 'UTC') AT TIME ZONE 'UTC')::date)"
	};

	return db_query(db, &month, DB_ARGS(db_arg_time(received_at)), NULL, err);
}
