/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The catalogue misses nothing, in whatever order others commit; and tokens. */
#include "pg.h"
#include "sub.h"
#include "tap.h"

#include <pthread.h>

#include "../../server/db_catalog.h"
#include "../../server/db_tokens.h"

static bool has(struct catalog *c, const char *benchmark)
{
	const struct cat_benchmark *const *list;
	bool found = false;
	size_t n;

	db_catalog_lock(c);
	list = db_catalog_benchmarks(c, &n);
	for (size_t i = 0; i < n; i++) {
		found |= !strcmp(list[i]->name, benchmark);
		if (i && list[i]->id <= list[i - 1]->id)
			found = false;
	}
	db_catalog_unlock(c);
	return found;
}

/* Ids and clocks commit out of order: the row made first becomes visible last. */
static void test_order(struct catalog *c, struct db *db, struct db *slow, struct db *fast)
{
	struct err err;

	db_script(slow, "BEGIN; INSERT INTO benchmark (name, created_at, changed_in)"
		  " VALUES ('slow', now(), pg_current_xact_id()::text::bigint)", &err);
	db_script(fast, "INSERT INTO benchmark (name, created_at, changed_in)"
		  " VALUES ('fast', now(), pg_current_xact_id()::text::bigint)", &err);
	ok(!db_catalog_refresh(c, db, &err) && has(c, "fast") && !has(c, "slow"), "what is committed is seen");
	for (int i = 0; i < 5; i++) {
		db_script(fast, "SELECT pg_current_xact_id()", &err);
		db_catalog_refresh(c, db, &err);
	}
	db_script(slow, "COMMIT", &err);
	ok(!db_catalog_refresh(c, db, &err) && has(c, "slow"), "a row made first and committed last is seen too");
}

/* A series whose names come in the same transaction, committed between two statements of a refresh, all at once. */
struct maker {
	struct catalog *c;
	int thread;
	bool failed;
};

static void *make(void *arg)
{
	struct maker *m = arg;
	struct db *db = db_new(pg_dsn, "test", 60000);
	struct arena *a = arena_new();
	struct sub_ids ids;
	struct err err;

	for (int i = 0; i < 40; i++) {
		struct submission *s = sub_new(a, arena_printf(a, "made-%d", i % 7), "6.17", 20, "x");

		for (size_t k = 0; k < s->n_results; k++)
			s->results[k].benchmark = arena_printf(a, "bench-%d-%zu", i, (k + (size_t)m->thread) % 20);
		if (db_catalog_resolve(m->c, db, a, s, true, &ids, &err)) {
			printf("# %s\n", err.message);
			m->failed = true;
			break;
		}
		for (size_t k = 0; k < s->n_results; k++) {
			const struct cat_series *found;

			db_catalog_lock(m->c);
			found = db_catalog_series_by_id(m->c, ids.series_ids[k]);
			m->failed |= !found || strcmp(found->benchmark->name, s->results[k].benchmark) ||
				     strcmp(found->params, s->results[k].params);
			db_catalog_unlock(m->c);
		}
		arena_reset(a);
	}
	arena_free(a);
	db_free(db);
	return NULL;
}

static void test_many(struct catalog *one, struct catalog *two)
{
	struct maker makers[8];
	pthread_t threads[8];
	bool failed = false;

	for (int i = 0; i < 8; i++) {
		makers[i] = (struct maker){ .c = i % 2 ? one : two, .thread = i };
		pthread_create(&threads[i], NULL, make, &makers[i]);
	}
	for (int i = 0; i < 8; i++) {
		pthread_join(threads[i], NULL);
		failed |= makers[i].failed;
	}
	ok(!failed, "eight threads with two catalogues make the same names at once");
}

/* Every series stands among its benchmark's own, in the order of ids, however it came in. */
static void test_series_of(struct catalog *c)
{
	size_t n_benchmarks, n, all, sum = 0;
	const struct cat_benchmark *const *list = db_catalog_benchmarks(c, &n_benchmarks);
	bool good = true;

	for (size_t b = 0; b < n_benchmarks; b++) {
		const struct cat_series *const *of = db_catalog_series_of(c, list[b]->id, &n);

		for (size_t i = 0; i < n; i++)
			good &= of[i]->benchmark == list[b] && (!i || of[i - 1]->id < of[i]->id);
		sum += n;
	}
	db_catalog_series(c, &all);
	ok(good && sum == all && all > 0, "%zu series by benchmark", sum);
	db_catalog_series_of(c, INT64_MAX, &n);
	ok(n == 0, "of no benchmark, none");
}

static void test_params(struct catalog *c, struct db *db, struct arena *a)
{
	struct submission *s = sub_new(a, "params-01", "6.17", 1, "p");
	const struct cat_series *series;
	struct sub_ids ids, again;
	struct err err;
	char *long_params = arena_alloc(a, 20000);

	s->results[0].params = "{\"b\":true,\"mode\":\"x y\",\"ratio\":0.1,\"size_kib\":40000000}";
	ok(!db_catalog_resolve(c, db, a, s, true, &ids, &err) && ids.series_new == 1, "a series with parameters");
	series = db_catalog_series_by_id(c, ids.series_ids[0]);
	ok(series && series->n_params == 4 && series->machine == db_catalog_machine_of(c, "params-01"), "is found by its id");
	is_str(series->param[0].text, "true", "a boolean");
	is_str(series->param[1].text, "x y", "a string");
	is_str(series->param[2].text, "0.1", "a number, shortest");
	ok(series->param[3].is_number && series->param[3].number == 4e7 && !strcmp(series->param[3].text, "40000000"), "a whole number");
	ok(!db_catalog_resolve(c, db, a, s, true, &again, &err) && again.series_new == 0 && again.series_ids[0] == ids.series_ids[0] &&
	   again.fact_id == ids.fact_id && ids.fact_id, "the same again is the same");

	memset(long_params, 'x', 20000);
	memcpy(long_params, "{\"a\":\"", 6);
	memcpy(long_params + 20000 - 3, "\"}", 3);
	s->results[0].params = long_params;
	ok(!db_catalog_resolve(c, db, a, s, true, &ids, &err) && ids.series_new == 1, "parameters longer than an index entry");
	s->results[0].benchmark = long_params;
	/* compressible: PostgreSQL takes it; random text of this length it would refuse as invalid */
	s->results[0].better = BETTER_NEUTRAL;
	ok(!db_catalog_resolve(c, db, a, s, false, &again, &err) && again.series_new == 1 && again.series_ids[0] == 0, "unknown without create: no id");
}

/* Of many results, each its own series: wherever those stand that are new, or of which even the benchmark is. */
static void test_many_results(struct catalog *c, struct db *db, struct arena *a)
{
	struct submission *s = sub_new(a, "many-01", "6.17", 300, "m");
	struct sub_ids ids, dry;
	const struct cat_series *series;
	bool good = true;
	struct err err;

	for (size_t i = 0; i < s->n_results; i++) {
		s->results[i].benchmark = arena_printf(a, "many-%zu", i / 90);
		s->results[i].params = arena_printf(a, "{\"at\":%zu}", i);
	}
	ok(!db_catalog_resolve(c, db, a, s, true, &ids, &err) && ids.series_new == 300, "300 series");
	for (size_t i = 0; i < s->n_results; i++) {
		series = db_catalog_series_by_id(c, ids.series_ids[i]);
		good &= series && !strcmp(series->params, s->results[i].params) &&
			!strcmp(series->benchmark->name, s->results[i].benchmark);
	}
	ok(good, "each result has its own");
	for (size_t i = 0; i < s->n_results; i += 7)
		*(i % 2 ? &s->results[i].params : &s->results[i].benchmark) = "{\"new\":1}";
	good = !db_catalog_resolve(c, db, a, s, false, &dry, &err);
	for (size_t i = 0; i < s->n_results; i++)
		good &= dry.series_ids[i] == (i % 7 ? ids.series_ids[i] : 0);
	ok(good, "the new ones have none, the others theirs");
}

static void test_long_name(struct catalog *c, struct db *db, struct arena *a)
{
	struct submission *s = sub_new(a, "long-01", "6.17", 1, "l");
	struct sub_ids ids;
	struct err err;
	uint8_t noise[8000];
	char *name = arena_alloc(a, 16001);

	random_bytes(noise, sizeof(noise));
	hex_format(noise, sizeof(noise), name);
	s->results[0].benchmark = name;
	ok(db_catalog_resolve(c, db, a, s, true, &ids, &err) && err.kind == ERR_INVALID, "a name that no index can hold is invalid, not our bug: %s",
	   err.message);
}

static int add(struct db *db, const char *name, enum token_scope scope, char text[TOKEN_TEXT], struct err *err)
{
	struct token t = { .name = name, .scope = scope, .expires_at = TM_NONE };

	db_tokens_text(text);
	return db_tokens_add(db, &t, text, err);
}

static void test_tokens(struct db *db, struct arena *a)
{
	struct token limited = { .name = "limited", .scope = SCOPE_INGEST, .machines = "milan-*\nrome-1\n", .benchmarks = "mprotect/*\n",
				 .expires_at = tm_now_usec() + 3600 * 1000000LL };
	char text[TOKEN_TEXT], other[TOKEN_TEXT];
	enum token_scope scope;
	struct token t, *list;
	struct err err;
	bool was;
	size_t n;

	ok(!add(db, "lab", SCOPE_INGEST, text, &err) && strlen(text) == TOKEN_TEXT - 1 && !strncmp(text, "nsw_", 4), "a token");
	ok(strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == TOKEN_TEXT - 1, "is safe in a URL");
	ok(!db_tokens_find(db, a, text, &t, &err) && t.id && t.scope == SCOPE_INGEST && !strcmp(t.name, "lab") && !t.machines &&
	   t.last_used_at == TM_NONE, "is found by its text");
	ok(!db_tokens_find(db, a, text, &t, &err) && t.last_used_at != TM_NONE, "and was used then");
	ok(add(db, "lab", SCOPE_ADMIN, other, &err) && err.kind == ERR_CONFLICT, "a second one of that name is refused: %s", err.message);
	ok(!db_tokens_find(db, a, other, &t, &err) && !t.id, "and its text is worth nothing");
	ok(add(db, "", SCOPE_READ, other, &err) && add(db, "a\nb", SCOPE_READ, other, &err) &&
	   add(db, "\xff", SCOPE_READ, other, &err) && err.kind == ERR_INVALID, "a name that a log could not bear: %s", err.message);
	ok(!add(db, "admin", SCOPE_ADMIN, other, &err) && strcmp(text, other), "another one");
	ok(!db_tokens_find(db, a, "nsw_", &t, &err) && !t.id && !db_tokens_find(db, a, "", &t, &err) && !t.id, "no text is no token");
	ok(!db_tokens_revoke(db, a, "lab", &t, &was, &err) && t.id && !was, "revoked");
	ok(!db_tokens_revoke(db, a, "lab", &t, &was, &err) && t.id && was, "again: it was");
	ok(!db_tokens_find(db, a, text, &t, &err) && !t.id, "it is none any more");
	ok(!db_tokens_revoke(db, a, "nobody", &t, &was, &err) && !t.id, "an unknown name is told");
	db_tokens_text(text);
	ok(!db_tokens_add(db, &limited, text, &err) && !db_tokens_find(db, a, text, &t, &err) && !strcmp(t.machines, "milan-*\nrome-1\n") &&
	   !strcmp(t.benchmarks, "mprotect/*\n") && t.expires_at == limited.expires_at, "limits and end come back");
	limited.name = "over";
	limited.expires_at = tm_now_usec() - 1;
	db_tokens_text(text);
	ok(!db_tokens_add(db, &limited, text, &err) && !db_tokens_find(db, a, text, &t, &err) && !t.id, "what is over is none");
	ok(!db_tokens_list(db, a, &list, &n, &err) && n == 4 && !strcmp(db_tokens_state(&list[0], tm_now_usec()), "revoked") &&
	   !strcmp(db_tokens_state(&list[1], tm_now_usec()), "active") && !strcmp(db_tokens_state(&list[3], tm_now_usec()), "expired"), "the list");
	ok(!db_tokens_scope_parse("triage", &scope) && scope == SCOPE_TRIAGE && db_tokens_scope_parse("none", &scope) &&
	   db_tokens_scope_parse("root", &scope), "scopes have names");
	ok(db_tokens_allows(SCOPE_ADMIN, SCOPE_INGEST) && db_tokens_allows(SCOPE_INGEST, SCOPE_READ) &&
	   !db_tokens_allows(SCOPE_READ, SCOPE_INGEST) && !db_tokens_allows(SCOPE_TRIAGE, SCOPE_INGEST) &&
	   !db_tokens_allows(SCOPE_INGEST, SCOPE_TRIAGE) && !db_tokens_allows(SCOPE_NONE, SCOPE_READ) &&
	   db_tokens_allows(SCOPE_NONE, SCOPE_NONE) && !db_tokens_allows(SCOPE_TRIAGE, SCOPE_ADMIN), "what each allows");
}

/* A dump restored into a cluster that has not come as far. */
static void test_adopt(struct db *db)
{
	static const struct stmt rows_ahead = {
		"rows_ahead", "SELECT count(*) FROM machine WHERE changed_in >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint"
	};
	struct db_rows *rows = NULL;
	struct err err;
	int applied;

	ok(!db_script(db, "UPDATE nsecwatch.machine SET changed_in = 4000000000000", &err) &&
	   !db_query(db, &rows_ahead, DB_NO_ARGS, &rows, &err) && db_i64(rows, 0, 0) > 0, "rows of transactions to come");
	db_rows_free(rows);
	ok(!db_migrate_run(db, &applied, &err) && !db_query(db, &rows_ahead, DB_NO_ARGS, &rows, &err) && db_i64(rows, 0, 0) == 0,
	   "migrate takes them over: they are not new at each refresh");
	db_rows_free(rows);
}

int main(void)
{
	struct catalog *c = db_catalog_new(), *other = db_catalog_new();
	struct arena *a = arena_new();
	struct db *db, *slow, *fast;

	pg_start();
	db = pg_migrated();
	slow = db_new(pg_dsn, "test", 60000);
	fast = db_new(pg_dsn, "test", 60000);
	test_order(c, db, slow, fast);
	test_params(c, db, a);
	test_many_results(c, db, a);
	test_long_name(c, db, a);
	test_many(c, other);
	test_series_of(c);
	test_series_of(other);
	test_tokens(db, a);
	test_adopt(db);
	db_catalog_free(c);
	db_catalog_free(other);
	arena_free(a);
	db_free(db);
	db_free(slow);
	db_free(fast);
	return done();
}
