/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs and what they refer to: stored once, read back the same, by many at once. */
#include "pg.h"
#include "sub.h"
#include "tap.h"

#include <pthread.h>
#include <stdatomic.h>

#include "../../server/db_runs.h"

static const struct stmt count_runs = { "t_count_runs", "SELECT count(*) FROM run" };
static const struct stmt count_todo = { "t_count_todo", "SELECT count(*) FROM run_todo" };
static const struct stmt count_series = { "t_count_series", "SELECT count(*) FROM series" };
static const struct stmt count_machines = { "t_count_machines", "SELECT count(*) FROM machine" };

static int64_t count_of(struct db *db, const struct stmt *st)
{
	struct db_rows *r = NULL;
	struct err err;
	int64_t n = -1;

	if (!db_query(db, st, DB_NO_ARGS, &r, &err))
		n = db_i64(r, 0, 0);
	else
		printf("# %s\n", err.message);
	db_rows_free(r);
	return n;
}

static struct run_write write_of(const struct submission *sub)
{
	return (struct run_write){ .sub = sub, .raw = "{\"the\": \"body\"}", .raw_len = 15, .raw_type = "application/json",
				   .token_name = "lab" };
}

static enum write_outcome store(struct run_writer *rw, struct db *db, struct arena *a, const struct submission *sub)
{
	struct run_write w = write_of(sub);

	db_runs_write(rw, db, a, &w);
	if (w.outcome == WRITE_FAILED)
		printf("# %s\n", w.err.message);
	return w.outcome;
}

static void test_round_trip(struct run_writer *rw, struct db *db, struct arena *a)
{
	struct submission *s = sub_new(a, "milan-01", "6.17-rc1", 6, "round trip");
	const double reps[3] = { 10, 12, 17 };
	struct run_write w = write_of(s);
	const struct not_imported lost = { "line 3", "no number" };
	const char *type;
	const void *body;
	struct run *r;
	struct err err;
	size_t len;

	sub_set_values(a, &s->results[1], reps, 3);
	s->results[2] = (struct result){ .benchmark = "stress-ng/bigheap", .params = "{}", .metric = "realloc", .unit = "calls/s",
					 .better = BETTER_HIGHER, .n = 10, .mean = 143857, .median = NAN, .stddev = 4531,
					 .min = NAN, .max = NAN };
	s->results[3].status = RESULT_FAILED;
	s->results[3].error = "mmap: Cannot allocate memory";
	s->results[3].n = 0;
	s->results[3].n_values = 0;
	s->results[3].mean = s->results[3].median = s->results[3].min = s->results[3].max = NAN;
	s->results[4].original_unit = "us/call";
	s->not_imported = (struct not_imported *)(uintptr_t)&lost;
	s->n_not_imported = 1;
	s->finished_at = SUB_T0 + 1;
	db_runs_write(rw, db, a, &w);
	ok(w.outcome == WRITE_STORED && w.series_new == 6, "a run is stored, with six new series");
	ok(!db_runs_get(db, a, &s->run_id, &r, &err) && r, "it is read back");
	ok(r->n_results == 6 && r->started_at == s->started_at && r->finished_at == SUB_T0 + 1, "its header");
	is_str(r->boot_id, "boot-1", "its boot");
	is_str(r->environment, "{\"governor\": \"performance\"}", "its environment");
	is_str(r->not_imported, "[{\"at\": \"line 3\", \"message\": \"no number\"}]", "what was not imported");
	ok(r->mean[0] == 1700 && r->min[0] == 1700 && r->median[0] == 1700 && r->n[0] == 1 && isnan(r->stddev[0]), "one value");
	ok(r->n_values[0] == 1 && r->values[0][0] == 1700, "its repetition");
	ok(r->mean[1] == 13 && r->min[1] == 10 && r->max[1] == 17 && r->median[1] == 12 && r->n[1] == 3, "three values");
	is_num(r->stddev[1], 3.605551275463989, 1e-15, "their deviation");
	ok(r->n_values[1] == 3 && !memcmp(r->values[1], reps, sizeof(reps)), "their repetitions");
	ok(r->n[2] == 10 && r->mean[2] == 143857 && isnan(r->median[2]) && isnan(r->min[2]) && r->n_values[2] == 0,
	   "a summary has no repetitions and no invented numbers");
	ok(r->status[3] == RESULT_FAILED && r->n[3] == 0 && isnan(r->mean[3]) && !r->values[3], "a failed result has none");
	is_str(r->errors[3], "mmap: Cannot allocate memory", "but an error");
	is_str(r->original_units[4], "us/call", "a unit that was converted");
	ok(!r->original_units[0] && r->n_values[5] == 1 && r->values[5][0] == 1705, "the last repetition is the last result's");
	ok(!db_runs_raw(db, a, &s->run_id, &body, &len, &type, &err) && len == 15 && !memcmp(body, "{\"the\": \"body\"}", 15),
	   "the body as it came");
	is_str(type, "application/json", "and its type");
	uuid_v7(&s->run_id);
	ok(!db_runs_get(db, a, &s->run_id, &r, &err) && !r, "an unknown run is none");
	ok(!db_runs_raw(db, a, &s->run_id, &body, &len, &type, &err) && !body, "and has no body");
	ok(count_of(db, &count_todo) == 2, "two things are to be done for it");
}

static void test_plain(struct run_writer *rw, struct db *db, struct arena *a)
{
	struct submission *s = sub_new(a, "milan-01", "6.16", 3, "plain");
	struct run *r;
	struct err err;

	s->boot_id = NULL;
	ok(store(rw, db, a, s) == WRITE_STORED, "a run of single values");
	ok(!db_runs_get(db, a, &s->run_id, &r, &err) && r && !r->boot_id, "is read back");
	ok(r->n[2] == 1 && r->max[2] == 1702 && r->n_values[2] == 1 && r->values[2][0] == 1702 && !r->errors && !r->original_units,
	   "with all that was left out");
	s = sub_new(a, "milan-01", "6.16", 0, "no results at all");
	ok(store(rw, db, a, s) == WRITE_STORED && !db_runs_get(db, a, &s->run_id, &r, &err) && r->n_results == 0,
	   "one without results too");
}

static void test_again(struct run_writer *rw, struct db *db, struct arena *a)
{
	struct submission *s = sub_new(a, "milan-01", "6.16", 3, "again"), *other = sub_new(a, "milan-01", "6.16", 3, "other");
	struct run_write w = write_of(s);
	int64_t before = count_of(db, &count_runs);

	w.dry_run = true;
	db_runs_write(rw, db, a, &w);
	ok(w.outcome == WRITE_STORED && count_of(db, &count_runs) == before, "a dry run says stored and stores nothing");
	ok(store(rw, db, a, s) == WRITE_STORED, "stored");
	ok(store(rw, db, a, s) == WRITE_DUPLICATE, "the same again is a duplicate");
	other->run_id = s->run_id;
	ok(store(rw, db, a, other) == WRITE_CONFLICT, "the same id with other content is a conflict");
	db_runs_write(rw, db, a, &w);
	ok(w.outcome == WRITE_DUPLICATE, "a dry run tells a duplicate");
	w.sub = other;
	db_runs_write(rw, db, a, &w);
	ok(w.outcome == WRITE_CONFLICT, "and a conflict");
	ok(count_of(db, &count_runs) == before + 1 && count_of(db, &count_todo) == 2 * (before + 1), "it is there once");
}

static void test_dry(struct run_writer *rw, struct db *db, struct arena *a)
{
	struct submission *s = sub_new(a, "never-seen", "5.4", 4, "dry");
	struct run_write w = write_of(s);
	int64_t machines = count_of(db, &count_machines), series = count_of(db, &count_series);

	s->results[3].params = s->results[2].params;
	w.dry_run = true;
	db_runs_write(rw, db, a, &w);
	ok(w.outcome == WRITE_STORED && w.series_new == 3, "a dry run counts what would be new, each once");
	ok(count_of(db, &count_machines) == machines && count_of(db, &count_series) == series, "and writes no names");
}

static void test_refused(struct run_writer *rw, struct db *db, struct arena *a)
{
	struct submission *s = sub_new(a, "milan-01", "6.16", 3, "refused");
	struct run_write w = write_of(s);

	s->results[1].mean = INFINITY;
	db_runs_write(rw, db, a, &w);
	ok(w.outcome == WRITE_FAILED && w.err.kind == ERR_INVALID, "Infinity is refused: %s", w.err.message);
	s = sub_new(a, "milan-01", "6.16", 3, "refused");
	s->environment = "{\"a\": \"\\u0000\"}";
	w = write_of(s);
	db_runs_write(rw, db, a, &w);
	ok(w.outcome == WRITE_FAILED && w.err.kind == ERR_INVALID, "what the database refuses is invalid: %s", w.err.message);
}

static void test_facts(struct run_writer *rw, struct catalog *c, struct db *db, struct arena *a)
{
	struct submission *s = sub_new(a, "facts-01", "6.16", 1, "facts 1");
	const struct cat_machine *m;
	struct err err;

	s->isa = s->uarch = "unknown";
	s->machine_facts = "{}";
	store(rw, db, a, s);
	m = db_catalog_machine_of(c, "facts-01");
	is_str(m->uarch, "unknown", "nobody said what machine it is");
	s = sub_new(a, "facts-01", "6.16", 1, "facts 2");
	s->started_at = SUB_T0 - 1000;
	store(rw, db, a, s);
	is_str(m->uarch, "epyc-milan", "an older run fills in what is unknown");
	s = sub_new(a, "facts-01", "6.16", 1, "facts 3");
	s->started_at = SUB_T0 + 5000;
	store(rw, db, a, s);
	s = sub_new(a, "facts-01", "6.16", 1, "facts 4");
	s->uarch = "epyc-rome";
	s->started_at = SUB_T0 + 2000;
	store(rw, db, a, s);
	is_str(m->uarch, "epyc-milan", "an upload of an older run changes nothing");
	s = sub_new(a, "facts-01", "6.16", 1, "facts 5");
	s->uarch = "epyc-rome";
	s->machine_facts = "{\"cpus\":64}";
	s->started_at = SUB_T0 + 6000;
	store(rw, db, a, s);
	is_str(m->uarch, "epyc-rome", "the newest facts win");
	is_str(m->facts, "{\"cpus\": 64}", "all of them");
	s = sub_new(a, "facts-01", "6.16", 1, "facts 6");
	s->isa = s->uarch = "unknown";
	s->machine_facts = "{}";
	s->started_at = SUB_T0 + 7000;
	store(rw, db, a, s);
	is_str(m->uarch, "epyc-rome", "unknown does not take the place of what is known");
	(void)err;
}

static void test_kernels(struct catalog *c, struct db *db, struct arena *a)
{
	const struct cat_kernel *k, *base;
	struct kernel parsed;
	struct err err;
	bool created;

	kernel_parse(a, "v6.18-rc3 with cac1db8c3aad reverted", &parsed, &err);
	ok(!db_catalog_kernel_update(c, db, &parsed, NULL, TM_NONE, NULL, &created, &err) && created, "a variant is made");
	k = db_catalog_kernel_of(c, parsed.identity);
	ok(k && k->is_variant && k->variant, "it is in the catalogue");
	base = db_catalog_kernel(c, k->variant_base_id);
	ok(base != NULL, "so is its base");
	is_str(base ? base->name : "", "6.18-rc3", "under its own name");
	kernel_parse(a, "6.18-rc3", &parsed, &err);
	ok(!db_catalog_kernel_update(c, db, &parsed, "abc", SUB_T0, "[\"abc subject\"]", &created, &err) && !created, "dates are set");
	ok(base->released_at == SUB_T0 && !strcmp(base->commit, "abc"), "and seen in the entry that is held");
	ok(!db_catalog_kernel_update(c, db, &parsed, NULL, TM_NONE, NULL, &created, &err) && base->released_at == SUB_T0,
	   "what is not given stays");
}

struct each {
	size_t runs, results;
};

static int each(const struct run *r, void *arg, struct err *err)
{
	struct each *e = arg;

	(void)err;
	e->runs++;
	e->results += r->n_results;
	return 0;
}

static void test_reading(struct run_writer *rw, struct catalog *c, struct db *db, struct arena *a)
{
	struct submission *s;
	struct each e = { 0 };
	struct run_cursor at;
	struct run *list;
	struct err err;
	size_t n, seen = 0;
	int64_t ids[2];
	const char *v1, *v2;

	for (int i = 0; i < 5; i++) {
		s = sub_new(a, i % 2 ? "list-a" : "list-b", i == 4 ? "6.1" : "6.2", 2, arena_printf(a, "list %d", i));
		store(rw, db, a, s);
	}
	ids[0] = db_catalog_kernel_of(c, "6.1")->id;
	ids[1] = db_catalog_kernel_of(c, "6.2")->id;
	ok(!db_runs_each_of_kernels(db, a, ids, 2, NULL, 0, each, &e, &err) && e.runs == 5 && e.results == 10, "the runs of two kernels");
	e = (struct each){ 0 };
	ids[0] = db_catalog_machine_of(c, "list-a")->id;
	ok(!db_runs_each_of_kernels(db, a, ids + 1, 1, ids, 1, each, &e, &err) && e.runs == 2, "of one kernel on one machine");
	struct run_filter f = { .machine_ids = ids, .n_machines = 1 };
	ok(!db_runs_list(db, a, &f, NULL, 10, &list, &n, &err) && n == 2 && list[0].received_at > list[1].received_at,
	   "the runs of a machine, newest first");
	at.received_at = TM_NONE;
	do {
		ok(!db_runs_list(db, a, NULL, &at, 4, &list, &n, &err) && n <= 4, "a page of all runs");
		seen += n;
		if (n) {
			at.received_at = list[n - 1].received_at;
			at.run_id = list[n - 1].run_id;
		}
	} while (n);
	ok((int64_t)seen == count_of(db, &count_runs), "the pages have each run once");
	ok(!db_runs_data_version(db, a, &v1, &err) && !db_runs_data_version(db, a, &v2, &err) && !strcmp(v1, v2),
	   "nothing happened: the same version");
	store(rw, db, a, sub_new(a, "list-a", "6.1", 2, "version"));
	ok(!db_runs_data_version(db, a, &v2, &err) && strcmp(v1, v2), "a run later another one");
}

/* ---- many at once ---- */

#define THREADS 8
#define RUNS 60

struct many {
	struct run_writer *rw;
	int thread;
	int outcomes[4];
	_Atomic int *shared_stored;
};

static void *many(void *arg)
{
	struct many *m = arg;
	struct db *db = db_new(pg_dsn, "test", 60000);
	struct arena *a = arena_new();

	for (int i = 0; i < RUNS; i++) {
		/* each third the same for all threads; some of them bad for the database */
		bool shared = i % 3 == 0, bad = i % 10 == 7;
		struct submission *s = sub_new(a, arena_printf(a, "many-%d", i % 4), i % 2 ? "6.16" : "6.17", 20,
					       shared ? arena_printf(a, "many %d", i) : arena_printf(a, "many %d of %d", i, m->thread));
		struct run_write w = write_of(s);

		if (bad)
			s->labels = "{\"a\": \"\\u0000\"}";
		db_runs_write(m->rw, db, a, &w);
		if (bad != (w.outcome == WRITE_FAILED))
			printf("# run %d: %s\n", i, w.outcome == WRITE_FAILED ? w.err.message : "stored although bad");
		m->outcomes[w.outcome]++;
		if (shared && w.outcome == WRITE_STORED)
			atomic_fetch_add(m->shared_stored, 1);
		arena_reset(a);
	}
	arena_free(a);
	db_free(db);
	return NULL;
}

static void test_many(struct run_writer *rw, struct db *db)
{
	int64_t before = count_of(db, &count_runs), todo = count_of(db, &count_todo), stored = 0, failed = 0;
	struct many m[THREADS];
	pthread_t threads[THREADS];
	_Atomic int shared = 0;
	int expect_shared = 0, expect_own = 0, expect_bad = 0;

	for (int i = 0; i < RUNS; i++) {
		expect_bad += i % 10 == 7;
		expect_shared += i % 3 == 0 && i % 10 != 7;
		expect_own += i % 3 != 0 && i % 10 != 7;
	}
	for (int i = 0; i < THREADS; i++) {
		m[i] = (struct many){ .rw = rw, .thread = i, .shared_stored = &shared };
		pthread_create(&threads[i], NULL, many, &m[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		stored += m[i].outcomes[WRITE_STORED];
		failed += m[i].outcomes[WRITE_FAILED];
	}
	ok(shared == expect_shared, "what eight threads send at once is stored once (%d of %d)", shared, expect_shared);
	ok(stored == expect_shared + THREADS * expect_own, "what each sends alone is stored");
	ok(failed == THREADS * expect_bad, "a bad run fails alone, not with its batch");
	ok(count_of(db, &count_runs) == before + stored, "the database agrees");
	ok(count_of(db, &count_todo) == todo + 2 * stored, "each has its two things to be done");
}

int main(void)
{
	struct arena *a = arena_new();
	struct catalog *c = db_catalog_new(), *other = db_catalog_new();
	struct run_writer *rw = db_runs_writer_new(c);
	struct db *db;
	struct err err;
	size_t n, all;

	pg_start();
	db = pg_migrated();
	test_round_trip(rw, db, a);
	test_plain(rw, db, a);
	test_again(rw, db, a);
	test_dry(rw, db, a);
	test_refused(rw, db, a);
	test_facts(rw, c, db, a);
	test_kernels(c, db, a);
	test_reading(rw, c, db, a);
	test_many(rw, db);
	ok(!db_catalog_refresh(other, db, &err), "a catalogue that starts now");
	db_catalog_series(other, &n);
	ok(!db_catalog_refresh(c, db, &err), "and one that was there all the time");
	db_catalog_series(c, &all);
	ok(n == all && (int64_t)n == count_of(db, &count_series), "have the same series (%zu)", n);
	db_runs_writer_free(rw);
	db_catalog_free(c);
	db_catalog_free(other);
	arena_free(a);
	db_free(db);
	return done();
}
