/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kill -9 of PostgreSQL while eight workers write: what was acknowledged is there, once. */
#include "pg.h"
#include "sub.h"
#include "tap.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "../../lib/tm.h"
#include "../../server/db_packs.h"

#define THREADS 8
#define RUNS 125
#define SHARED 40		/* the first ones are the same for all */

static _Atomic int acknowledged, gave_up;

struct worker {
	struct run_writer *rw;
	struct uuid acked[RUNS];
	int thread, stored, duplicate, wrong;
};

static void nap(int ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

static void *work(void *arg)
{
	struct worker *me = arg;
	struct db *db = db_new(pg_dsn, "test", 60000);
	struct arena *a = arena_new();

	for (int i = 0; i < RUNS; i++) {
		struct submission *s = sub_new(a, arena_printf(a, "crash-%d", i % 5), i % 2 ? "6.16" : "6.17", 30,
					       i < SHARED ? arena_printf(a, "crash %d", i) : arena_printf(a, "crash %d of %d", i, me->thread));
		struct run_write w = { .sub = s, .raw = "{}", .raw_len = 2, .raw_type = "application/json" };

		for (int tries = 0; tries < 20; tries++) {	/* as a client does that gets a 503 */
			db_runs_write(me->rw, db, a, &w);
			if (w.outcome != WRITE_FAILED)
				break;
			atomic_fetch_add(&gave_up, 1);
			if (w.err.kind != ERR_UNAVAILABLE) {
				printf("# %s\n", w.err.message);
				break;
			}
			nap(50);
		}
		me->stored += w.outcome == WRITE_STORED;
		me->duplicate += w.outcome == WRITE_DUPLICATE;
		me->wrong += w.outcome == WRITE_FAILED || w.outcome == WRITE_CONFLICT;
		me->acked[i] = s->run_id;
		atomic_fetch_add(&acknowledged, 1);
		arena_reset(a);
	}
	arena_free(a);
	db_free(db);
	return NULL;
}

static void wait_for(int acks)
{
	int64_t end = tm_monotonic_usec() + 60000000;

	while (atomic_load(&acknowledged) < acks && tm_monotonic_usec() < end)
		nap(2);
}

static const struct stmt any_backend = {
	"t_any_backend", "SELECT pid FROM pg_stat_activity WHERE application_name = 'test' AND pid <> pg_backend_pid() LIMIT 1"
};

/* One backend killed: the server throws out all, recovers, and goes on. */
static void kill_backend(struct db *db)
{
	struct db_rows *r;
	struct err err;

	if (db_query(db, &any_backend, DB_NO_ARGS, &r, &err) || !db_rows_count(r) || kill((pid_t)db_i64(r, 0, 0), SIGKILL))
		ok(0, "a backend is killed");
	else
		ok(1, "a backend is killed");
	db_rows_free(r);
}

static void kill_server(void)
{
	char args[100], line[600], pid[20] = "";
	int started = -1;

	snprintf(args, sizeof(args), "pid %s", pg_dir);
	pg_sh(args, pid, sizeof(pid));
	ok(atoi(pid) > 1 && !kill(atoi(pid), SIGKILL), "the server is killed");
	/* until its children have noticed it, there is no new one */
	snprintf(args, sizeof(args), "start %s 2>/dev/null", pg_dir);
	for (int tries = 0; tries < 100 && started; tries++) {
		started = pg_sh(args, line, sizeof(line));
		if (started)
			nap(50);
	}
	ok(!started, "and started again");
}

static const struct stmt which_are_there = { "t_there", "SELECT count(*) FROM run WHERE run_id = ANY($1)" };
static const struct stmt how_many = {
	"t_how_many", "SELECT (SELECT count(*) FROM run), (SELECT count(*) FROM run_raw), (SELECT count(*) FROM run_todo)"
};

static void check(struct db *db, struct worker *workers)
{
	struct db_rows *r = NULL;
	struct err err;
	int64_t there = 0, runs = SHARED + THREADS * (RUNS - SHARED);
	int stored = 0, wrong = 0;

	for (int i = 0; i < THREADS; i++) {
		if (!db_query(db, &which_are_there, DB_ARGS(db_arg_uuids(workers[i].acked, RUNS)), &r, &err))
			there += db_i64(r, 0, 0);
		db_rows_free(r);
		stored += workers[i].stored;
		wrong += workers[i].wrong;
	}
	ok(!wrong, "every run is acknowledged at last");
	ok(there == THREADS * RUNS, "every acknowledged run is there");
	ok(stored <= runs, "none was stored twice");
	if (!db_query(db, &how_many, DB_NO_ARGS, &r, &err)) {
		ok(db_i64(r, 0, 0) == runs && db_i64(r, 0, 1) == runs, "runs and bodies are there exactly once");
		ok(db_i64(r, 0, 2) == 2 * runs, "each has its two things to be done");
	}
	db_rows_free(r);
}

static void test_packs(struct db *db, struct arena *a)
{
	struct rebuild_report report;
	struct err err;
	size_t packed, sum = 0;
	bool killed = false;

	for (;;) {
		if (db_packs_work(db, a, 50, &packed, &err) || !packed)
			break;
		sum += packed;
		if (sum > 300 && !killed) {
			kill_server();
			killed = true;
		}
	}
	ok(sum == (size_t)(SHARED + THREADS * (RUNS - SHARED)), "all are packed, each once (%zu)", sum);
	ok(!db_packs_rebuild(db, &report, &err) && report.runs == sum && !report.series_changed, "the packs agree with the runs");
}

int main(void)
{
	struct arena *a = arena_new();
	struct catalog *c = db_catalog_new();
	struct run_writer *rw = db_runs_writer_new(c);
	struct worker *workers = calloc(THREADS, sizeof(*workers));
	pthread_t threads[THREADS];
	struct db *db;

	if (getenv("NSECWATCH_TEST_DSN") && *getenv("NSECWATCH_TEST_DSN")) {
		skip("PostgreSQL is killed", "NSECWATCH_TEST_DSN names a server that is not ours");
		return done();
	}
	pg_start();
	db = pg_migrated();
	for (int i = 0; i < THREADS; i++) {
		workers[i].rw = rw;
		workers[i].thread = i;
		pthread_create(&threads[i], NULL, work, &workers[i]);
	}
	wait_for(200);
	kill_backend(db);
	wait_for(500);
	kill_server();
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	check(db, workers);
	printf("# %d times a client was told to try again\n", atomic_load(&gave_up));
	test_packs(db, a);
	db_runs_writer_free(rw);
	db_catalog_free(c);
	free(workers);
	arena_free(a);
	db_free(db);
	return done();
}
