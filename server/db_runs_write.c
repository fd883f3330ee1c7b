/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing runs: many workers, few commits. A worker puts its run in a queue; one of the
 * waiting ones becomes the leader, takes what is queued and commits it on its own
 * connection, while the next batch gathers. Runs of a batch are written in the order of their ids, so that
 * two leaders with the same run wait for one another but never in a circle.
 */
#include "db_runs.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zstd.h>

#include "../lib/jsonw.h"
#include "../lib/must.h"
#include "../lib/tm.h"

#define LEADERS_MAX 2		/* one fills a batch while the other's is being made durable */
#define BATCH_MAX 64
#define DEADLINE_MS 5000
/*
 * Bodies of 64 and 500 results: 1,440 and 8,230 bytes in 8 and 58 us. Level 3 makes them no smaller, -1 half as large
 * again in the same time; a table of 2^15 instead of 2^14 saves 12 us of the 70.
 */
#define ZSTD_LEVEL 1
#define ZSTD_HASH_LOG 15

/* run's and run_raw's columns that are one a result, as they are stored: NULL where they follow from others. */
struct columns {
	int64_t *series_ids, *n, *counts;
	int16_t *status;
	double *mean, *median, *stddev, *min, *max, *vals;
	const char **errors, **original_units;
	size_t n_results, n_vals;
};

/* A run in the queue or in a batch. Lives on its worker's stack. */
struct member {
	struct run_write *w;
	struct sub_ids ids;
	struct columns columns;
	const char *not_imported;
	const void *body;		/* compressed */
	size_t body_len;
	int64_t received_at;
	struct member *next;		/* in the queue; under the writer's lock */
	bool queued, done;		/* under the writer's lock */
	pthread_cond_t changed;		/* done, or the queue wants a leader */
};

#define SPARE_MAX 64		/* compressors kept: more than write at once */

struct run_writer {
	struct catalog *catalog;
	pthread_mutex_t lock;
	struct member *first, **last;	/* under lock */
	int leaders;			/* under lock */
	int64_t last_received;		/* under lock: no two runs of a process came at one microsecond */
	ZSTD_CCtx *spare[SPARE_MAX];	/* under lock: making one anew takes as long as a small body does */
	size_t n_spare;			/* under lock */
	int month_made;			/* under lock: year * 12 + month whose partition, and the next, are there */
};

struct run_writer *db_runs_writer_new(struct catalog *c)
{
	struct run_writer *rw = calloc(1, sizeof(*rw));

	must(rw != NULL);
	rw->catalog = c;
	rw->last = &rw->first;
	must(!pthread_mutex_init(&rw->lock, NULL));
	return rw;
}

void db_runs_writer_free(struct run_writer *rw)
{
	if (!rw)
		return;
	must(!rw->first && !rw->leaders);
	while (rw->n_spare)
		ZSTD_freeCCtx(rw->spare[--rw->n_spare]);
	pthread_mutex_destroy(&rw->lock);
	free(rw);
}

/* ---- one run as parameters ---- */

static bool bad(double d)
{
	return isinf(d);
}

/* What readers of formats must have refused; the database would, for the whole batch. */
static int check(const struct submission *sub, struct err *err)
{
	for (size_t i = 0; i < sub->n_results; i++) {
		const struct result *r = &sub->results[i];
		bool wrong = r->status == RESULT_OK ? r->n < 1 || !isfinite(r->mean) : r->n != 0;

		wrong |= bad(r->mean) || bad(r->median) || bad(r->stddev) || r->stddev < 0 || bad(r->min) || bad(r->max);
		for (size_t k = 0; k < r->n_values; k++)
			wrong |= !isfinite(r->values[k]);
		if (wrong)
			return err_set(err, ERR_INVALID, "/results/%zu: values that are no finite numbers", i);
	}
	return 0;
}

static bool same(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

/* NULL for what the readers of db_runs.c make up again from mean, status and n. */
static void leave_out(struct columns *c)
{
	bool status = false, n = false, median = false, stddev = false, min = false, max = false;
	bool errors = false, units = false, counts = false, vals = false;

	for (size_t i = 0; i < c->n_results; i++) {
		status |= c->status[i] != RESULT_OK;
		n |= c->n[i] != (c->status[i] == RESULT_OK);
		median |= !same(c->median[i], c->mean[i]);
		stddev |= !isnan(c->stddev[i]);
		min |= !same(c->min[i], c->mean[i]);
		max |= !same(c->max[i], c->mean[i]);
		errors |= c->errors[i] != NULL;
		units |= c->original_units[i] != NULL;
		counts |= c->counts[i] != c->n[i];
		vals |= c->n[i] > 1;
	}
	c->status = status ? c->status : NULL;
	c->n = n ? c->n : NULL;
	c->median = median ? c->median : NULL;
	c->stddev = stddev ? c->stddev : NULL;
	c->min = min ? c->min : NULL;
	c->max = max ? c->max : NULL;
	c->errors = errors ? c->errors : NULL;
	c->original_units = units ? c->original_units : NULL;
	c->vals = vals || counts ? c->vals : NULL;
	c->counts = counts ? c->counts : NULL;
}

static void fill_columns(struct columns *c, const struct submission *sub, const struct sub_ids *ids, struct arena *a)
{
	size_t n = c->n_results = sub->n_results, at = 0;

	for (size_t i = 0; i < n; i++)
		c->n_vals += sub->results[i].n_values;
	c->series_ids = ids->series_ids;
	c->n = arena_array(a, int64_t, n);
	c->counts = arena_array(a, int64_t, n);
	c->status = arena_array(a, int16_t, n);
	c->mean = arena_array(a, double, n);
	c->median = arena_array(a, double, n);
	c->stddev = arena_array(a, double, n);
	c->min = arena_array(a, double, n);
	c->max = arena_array(a, double, n);
	c->vals = arena_array(a, double, c->n_vals);
	c->errors = arena_array(a, const char *, n);
	c->original_units = arena_array(a, const char *, n);
	for (size_t i = 0; i < n; i++) {
		const struct result *r = &sub->results[i];

		c->n[i] = r->n;
		c->counts[i] = (int64_t)r->n_values;
		c->status[i] = (int16_t)r->status;
		c->mean[i] = r->mean;
		c->median[i] = r->median;
		c->stddev[i] = r->stddev;
		c->min[i] = r->min;
		c->max[i] = r->max;
		c->errors[i] = r->error;
		c->original_units[i] = r->original_unit;
		for (size_t k = 0; k < r->n_values; k++)
			c->vals[at++] = r->values[k];
	}
	leave_out(c);
}

static const char *not_imported_json(struct arena *a, const struct submission *sub)
{
	struct jsonw j;
	struct buf b;
	char *text;

	if (!sub->n_not_imported)
		return NULL;
	buf_init(&b);
	j = jsonw_begin(&b);
	jsonw_array(&j);
	for (size_t i = 0; i < sub->n_not_imported; i++) {
		jsonw_object(&j);
		jsonw_kstr(&j, "at", sub->not_imported[i].at);
		jsonw_kstr(&j, "message", sub->not_imported[i].message);
		jsonw_object_end(&j);
	}
	jsonw_array_end(&j);
	text = arena_strndup(a, b.p, b.len);
	buf_fini(&b);
	return text;
}

/* One that nobody uses, with its tables as they are: the next body needs no new ones. */
static ZSTD_CCtx *take_compressor(struct run_writer *rw)
{
	ZSTD_CCtx *z = NULL;

	must(!pthread_mutex_lock(&rw->lock));
	if (rw->n_spare)
		z = rw->spare[--rw->n_spare];
	must(!pthread_mutex_unlock(&rw->lock));
	if (z)
		return z;
	z = ZSTD_createCCtx();
	must(z != NULL);
	must(!ZSTD_isError(ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, ZSTD_LEVEL)));
	must(!ZSTD_isError(ZSTD_CCtx_setParameter(z, ZSTD_c_hashLog, ZSTD_HASH_LOG)));
	return z;
}

static void give_back(struct run_writer *rw, ZSTD_CCtx *z)
{
	must(!pthread_mutex_lock(&rw->lock));
	if (rw->n_spare < SPARE_MAX) {
		rw->spare[rw->n_spare++] = z;
		z = NULL;
	}
	must(!pthread_mutex_unlock(&rw->lock));
	ZSTD_freeCCtx(z);
}

static void compress_body(struct run_writer *rw, struct member *m, struct arena *a)
{
	size_t bound = ZSTD_compressBound(m->w->raw_len);
	ZSTD_CCtx *z = take_compressor(rw);
	void *body = arena_alloc(a, bound);

	m->body_len = ZSTD_compress2(z, body, bound, m->w->raw, m->w->raw_len);
	must(!ZSTD_isError(m->body_len));
	m->body = body;
	give_back(rw, z);
}

/* ---- one run in a transaction ---- */

#define MONTH_OF(t) "(date_trunc('month', " t "::timestamptz, 'UTC') AT TIME ZONE 'UTC')::date"

/* A row comes back only where the run is new. */
static const struct stmt insert_run = {
	"insert_run",
	"WITH new AS ("
	"INSERT INTO run (run_id, content_sha256, machine_id, machine_fact_id, kernel_id, config_id, started_at,"
	" finished_at, received_at, boot_id, format, token, source, labels, environment, series_id, status, n, mean,"
	" median, stddev, vmin, vmax, errors, original_units, not_imported)"
	" VALUES ($1, $2, $3, nullif($4, 0), $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,"
	" $20, $21, $22, $23, $24, $25, $26)"
	" ON CONFLICT (run_id) DO NOTHING RETURNING run_id)"
	" INSERT INTO run_raw (run_id, month, body_type, body_bytes, body, counts, vals)"
	" SELECT run_id, " MONTH_OF("$9") ", $27, $28, $29, $30, $31 FROM new RETURNING true"
};

/*
 * With a synchronous standby it writes to the log, so that its own commit waits for the standby: a run can be seen here that
 * is not there yet, where the wait of the COMMIT that brought it was broken off by a crash or a cancel. Without, it only reads.
 */
static const struct stmt known_run = {
	"known_run",
	"SELECT content_sha256, received_at, CASE WHEN current_setting('synchronous_standby_names') <> ''"
	" THEN pg_logical_emit_message(true, 'nsecwatch', '') END FROM run WHERE run_id = $1"
};

static const struct stmt queue_runs = {
	"queue_runs",
	"INSERT INTO run_todo (run_id, what)"
	" SELECT u.run_id, w.what FROM unnest($1) u (run_id), (VALUES ('pack'), ('check')) w (what)"
};

/*
 * The same without knowing which are new: those that bear the received_at of this very attempt. A
 * later attempt must not use it: what an earlier one brought in may be done already.
 */
static const struct stmt queue_new_runs = {
	"queue_new_runs",
	"INSERT INTO run_todo (run_id, what)"
	" SELECT r.run_id, w.what FROM run r JOIN unnest($1, $2) u (run_id, received_at) USING (run_id, received_at),"
	" (VALUES ('pack'), ('check')) w (what) WHERE r.run_id = ANY($1) ON CONFLICT DO NOTHING"
};

/*
 * Wakes `watch`. Not in the transaction: a commit that notifies holds a lock of the whole cluster
 * until it is durable, and so makes every other such commit wait for its own fsync. Nor does it wait for an
 * fsync itself: the transaction has nothing that could be lost, and the next batch stands behind it.
 */
static const struct stmt notify = {
	"notify_run", "SELECT set_config('synchronous_commit', 'off', true), pg_notify('nsecwatch_run', '')"
};

static const struct stmt make_month = {
	"make_month", "SELECT run_raw_month(" MONTH_OF("$1") ")"
};

#define INSERT_ARGS 31

/* The parameters of insert_run; they borrow from the member. */
static void insert_args(const struct member *m, struct db_arg *args)
{
	const struct submission *sub = m->w->sub;
	const struct columns *c = &m->columns;
	const char *type = m->w->raw_type ? m->w->raw_type : "application/octet-stream";
	size_t n = c->n_results;
	const struct db_arg all[INSERT_ARGS] = {
		db_arg_uuid(&sub->run_id), db_arg_bytes(sub->content_sha256, 32), db_arg_i64(m->ids.machine_id),
		db_arg_i64(m->ids.fact_id), db_arg_i64(m->ids.kernel_id), db_arg_i64(m->ids.config_id),
		db_arg_time(sub->started_at), db_arg_time(sub->finished_at), db_arg_time(m->received_at),
		db_arg_text(sub->boot_id), db_arg_text(sub->format), db_arg_text(m->w->token_name),
		db_arg_json(sub->source), db_arg_json(sub->labels), db_arg_json(sub->environment),
		db_arg_i64s(c->series_ids, n), db_arg_i16s(c->status, n), db_arg_i64s(c->n, n), db_arg_f64s(c->mean, n),
		db_arg_f64s(c->median, n), db_arg_f64s(c->stddev, n), db_arg_f64s(c->min, n), db_arg_f64s(c->max, n),
		db_arg_texts(c->errors, n), db_arg_texts(c->original_units, n), db_arg_json(m->not_imported),
		db_arg_text(type), db_arg_i64((int64_t)m->w->raw_len), db_arg_bytes(m->body, m->body_len),
		db_arg_i64s(c->counts, n), db_arg_f64s(c->vals, c->n_vals),
	};

	memcpy(args, all, sizeof(all));
}

static int insert(struct db *db, const struct member *m, bool *inserted, struct err *err)
{
	struct db_arg args[INSERT_ARGS];
	struct db_rows *rows;

	insert_args(m, args);
	if (db_query(db, &insert_run, args, INSERT_ARGS, &rows, err))
		return -1;
	*inserted = db_rows_count(rows) == 1;
	db_rows_free(rows);
	return 0;
}

/*
 * What the run that is there already makes of this one. It may be our own: a first attempt whose
 * COMMIT went through although the link was lost; its received_at tells.
 */
static int compare(struct db *db, const struct run_write *w, int64_t received_at, enum write_outcome *outcome,
		   struct err *err)
{
	struct db_rows *rows;
	const void *digest;
	size_t n;

	if (db_query(db, &known_run, DB_ARGS(db_arg_uuid(&w->sub->run_id)), &rows, err))
		return -1;
	*outcome = WRITE_STORED;	/* a dry run's; what was written is found */
	if (db_rows_count(rows)) {
		digest = db_bytes(rows, 0, 0, &n);
		if (n != 32 || memcmp(digest, w->sub->content_sha256, 32))
			*outcome = WRITE_CONFLICT;
		else if (db_time(rows, 0, 1) != received_at)
			*outcome = WRITE_DUPLICATE;
	}
	db_rows_free(rows);
	return 0;
}

struct batch {
	struct member *members[BATCH_MAX];
	size_t n;
};

/* With retries, so that a run may be there already: it is asked for each. */
static int write_batch(struct db *db, void *arg, struct err *err)
{
	struct batch *b = arg;
	struct uuid stored[BATCH_MAX];
	size_t n = 0;
	bool inserted;

	for (size_t i = 0; i < b->n; i++) {
		struct member *m = b->members[i];

		if (insert(db, m, &inserted, err))
			return -1;
		m->w->outcome = WRITE_STORED;
		if (inserted)
			stored[n++] = m->w->sub->run_id;
		else if (compare(db, m->w, m->received_at, &m->w->outcome, err))
			return -1;
	}
	return n ? db_query(db, &queue_runs, DB_ARGS(db_arg_uuids(stored, n)), NULL, err) : 0;
}

static int write_patiently(struct db *db, struct batch *b, struct err *err)
{
	struct err ignored = { 0 };

	if (db_tx(db, write_batch, b, DEADLINE_MS, err))
		return -1;
	db_query(db, &notify, DB_NO_ARGS, NULL, &ignored);	/* a hint; `watch` looks by itself too */
	return 0;
}

/*
 * The usual way: the whole batch in one round trip. -1 with nothing known of what became of
 * it; then write_batch() goes over it again.
 */
static int write_quickly(struct db *db, struct batch *b, struct err *err)
{
	struct db_arg *args = malloc(b->n * INSERT_ARGS * sizeof(*args));
	struct db_call calls[BATCH_MAX + 1];
	struct uuid ids[BATCH_MAX];
	int64_t received_at[BATCH_MAX];
	int ret;

	must(args != NULL);
	for (size_t i = 0; i < b->n; i++) {
		insert_args(b->members[i], args + i * INSERT_ARGS);
		calls[i] = (struct db_call){ &insert_run, args + i * INSERT_ARGS, INSERT_ARGS, true, NULL };
		ids[i] = b->members[i]->w->sub->run_id;
		received_at[i] = b->members[i]->received_at;
	}
	const struct db_arg queue_args[] = { db_arg_uuids(ids, b->n), db_arg_times(received_at, b->n) };

	calls[b->n] = (struct db_call){ &queue_new_runs, queue_args, 2, false, NULL };
	ret = db_tx_once(db, calls, b->n + 1, &notify, err);
	for (size_t i = 0; i < b->n && !ret; i++) {
		struct run_write *w = b->members[i]->w;

		w->outcome = WRITE_STORED;
		if (!db_rows_count(calls[i].rows) && compare(db, w, received_at[i], &w->outcome, &w->err))
			w->outcome = WRITE_FAILED;
		db_rows_free(calls[i].rows);
	}
	free(args);
	return ret;
}

/* ---- batches ---- */

static int month_of(int64_t usec)
{
	time_t t = (time_t)(usec / 1000000);
	struct tm tm;

	gmtime_r(&t, &tm);
	return (tm.tm_year + 1900) * 12 + tm.tm_mon;
}

/* The partitions of this month and the next: once a month a wait for all who read the table, ahead of its need. */
static int make_months(struct run_writer *rw, struct db *db, struct err *err)
{
	int64_t now = tm_now_usec();
	bool made;

	must(!pthread_mutex_lock(&rw->lock));
	made = rw->month_made == month_of(now);
	must(!pthread_mutex_unlock(&rw->lock));
	if (made)
		return 0;
	/* 32 days on it may be the month after the next; that one is made in time then */
	if (db_query(db, &make_month, DB_ARGS(db_arg_time(now)), NULL, err) ||
	    db_query(db, &make_month, DB_ARGS(db_arg_time(now + INT64_C(28) * 86400 * 1000000)), NULL, err))
		return -1;
	must(!pthread_mutex_lock(&rw->lock));
	rw->month_made = month_of(now);
	must(!pthread_mutex_unlock(&rw->lock));
	return 0;
}

static void forget_months(struct run_writer *rw)
{
	must(!pthread_mutex_lock(&rw->lock));
	rw->month_made = 0;
	must(!pthread_mutex_unlock(&rw->lock));
}

static int by_run_id(const void *a, const void *b)
{
	const struct member *x = *(struct member *const *)a, *y = *(struct member *const *)b;

	return memcmp(&x->w->sub->run_id, &y->w->sub->run_id, sizeof(struct uuid));
}

static void fail(struct batch *b, const struct err *err)
{
	for (size_t i = 0; i < b->n; i++) {
		b->members[i]->w->outcome = WRITE_FAILED;
		b->members[i]->w->err = *err;
	}
}

/* One that the database refuses must not take the others with it: then each goes by itself. */
static void commit_batch(struct run_writer *rw, struct db *db, struct batch *b)
{
	struct batch one = { .n = 1 };
	struct err err = { 0 };

	qsort(b->members, b->n, sizeof(b->members[0]), by_run_id);
	if (!make_months(rw, db, &err) && (!write_quickly(db, b, &err) || !write_patiently(db, b, &err)))
		return;
	if (!strcmp(db_sqlstate(db), "23514"))		/* somebody dropped this month's partition */
		forget_months(rw);
	if (err.kind == ERR_UNAVAILABLE || b->n == 1) {
		fail(b, &err);
		return;
	}
	for (size_t i = 0; i < b->n; i++) {
		one.members[0] = b->members[i];
		if (write_patiently(db, &one, &err))
			fail(&one, &err);
	}
}

/* Under the lock: takes the oldest of the queue. */
static void take(struct run_writer *rw, struct batch *b)
{
	for (b->n = 0; rw->first && b->n < BATCH_MAX; b->n++) {
		b->members[b->n] = rw->first;
		rw->first->queued = false;
		rw->first = rw->first->next;
	}
	if (!rw->first)
		rw->last = &rw->first;
}

static void lead(struct run_writer *rw, struct db *db)
{
	struct batch b;

	take(rw, &b);
	rw->leaders++;
	must(!pthread_mutex_unlock(&rw->lock));
	commit_batch(rw, db, &b);
	must(!pthread_mutex_lock(&rw->lock));
	rw->leaders--;
	for (size_t i = 0; i < b.n; i++) {
		b.members[i]->done = true;
		pthread_cond_signal(&b.members[i]->changed);
	}
	if (rw->first)			/* somebody has to lead those who came meanwhile */
		pthread_cond_signal(&rw->first->changed);
}

static void write_grouped(struct run_writer *rw, struct db *db, struct member *m)
{
	must(!pthread_cond_init(&m->changed, NULL));
	must(!pthread_mutex_lock(&rw->lock));
	m->received_at = tm_now_usec();
	if (m->received_at <= rw->last_received)
		m->received_at = rw->last_received + 1;
	rw->last_received = m->received_at;
	if (m->w->received_at && m->w->received_at != TM_NONE)
		m->received_at = m->w->received_at;
	m->queued = true;
	*rw->last = m;
	rw->last = &m->next;
	while (!m->done) {
		if (m->queued && rw->leaders < LEADERS_MAX)
			lead(rw, db);
		else
			must(!pthread_cond_wait(&m->changed, &rw->lock));
	}
	must(!pthread_mutex_unlock(&rw->lock));
	pthread_cond_destroy(&m->changed);
}

/* What would become of it: nothing is written. */
static void write_dry(struct db *db, struct run_write *w)
{
	if (compare(db, w, TM_NONE, &w->outcome, &w->err))
		w->outcome = WRITE_FAILED;
}

void db_runs_write(struct run_writer *rw, struct db *db, struct arena *a, struct run_write *w)
{
	struct member m = { .w = w };

	w->outcome = WRITE_FAILED;
	if (check(w->sub, &w->err) || db_catalog_resolve(rw->catalog, db, a, w->sub, !w->dry_run, &m.ids, &w->err))
		return;
	w->series_new = m.ids.series_new;
	if (w->dry_run) {
		write_dry(db, w);
		return;
	}
	fill_columns(&m.columns, w->sub, &m.ids, a);
	m.not_imported = not_imported_json(a, w->sub);
	compress_body(rw, &m, a);
	write_grouped(rw, db, &m);
}
