/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Holding packs against the runs they come from. Packers wait meanwhile, so "runs with
 * nothing to pack" is a fixed set: uploads only add runs that wait. Each series gets a
 * checksum that does not depend on order, from its runs and from its chunks, in one
 * pass over each, in bounded memory; only series that differ are read whole and written anew.
 */
#include "db_packs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/ids.h"
#include "../lib/log.h"
#include "../lib/must.h"
#include "db_packs_store.h"
#include "db_seen.h"

#define DEADLINE_MS 60000
#define RUNS_AT_ONCE 200
#define CHUNKS_AT_ONCE 2000
#define SAMPLES_AT_ONCE 300000		/* of series written anew: some 100 MB */

/* Both sides of one series. Equal when counts and sums are. */
struct tally {
	size_t want, have;
	uint64_t want_sum, have_sum;
	bool damaged;
};

struct rebuild {
	struct rebuild_report *report;
	struct tally *tallies;		/* by series id; ids are small: they come from an identity column */
	size_t n;
	bool strangers;			/* chunks of series that do not exist */
};

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0xD6E8FEB86659FD93);
	return hash ^ hash >> 32;
}

static uint64_t mix_double(uint64_t hash, double d)
{
	uint64_t word = UINT64_MAX;	/* of every NaN */

	if (!isnan(d))
		memcpy(&word, &d, sizeof(word));
	return mix(hash, word);
}

static uint64_t hash_of(const struct sample *s)
{
	uint64_t h = mix(mix(mix((uint64_t)s->kernel_id, s->run_key), s->boot_key), (uint64_t)s->started_at);

	h = mix_double(mix_double(mix(h, (uint64_t)s->n), s->mean), s->stddev);
	return mix_double(mix_double(h, s->min), s->max);
}

static const struct stmt highest_series = {
	"rebuild_highest", "SELECT coalesce(max(id), 0) FROM series"
};

static int make_tallies(struct rebuild *r, struct db *db, struct err *err)
{
	struct db_rows *rows;

	if (db_query(db, &highest_series, DB_NO_ARGS, &rows, err))
		return -1;
	r->n = (size_t)db_i64(rows, 0, 0) + 1;
	db_rows_free(rows);
	r->tallies = calloc(r->n, sizeof(*r->tallies));
	return r->tallies ? 0 : err_set(err, ERR_SETUP, "no memory for %zu series", r->n);
}

/* ---- what the runs say ---- */

/* A page of runs, and which of them still wait. */
static const struct stmt next_runs = {
	"rebuild_runs",
	"SELECT r.run_id, EXISTS (SELECT FROM run_todo t WHERE t.what = 'pack' AND t.run_id = r.run_id)"
	" FROM (SELECT run_id FROM run WHERE run_id > $1 ORDER BY run_id LIMIT $2) r ORDER BY r.run_id"
};

static int tally_runs(struct rebuild *r, struct db *db, struct arena *a, const struct uuid *ids, size_t n,
		      struct err *err)
{
	struct sample_list l = { 0 };
	int ret = db_runs_each_of_ids(db, a, ids, n, db_packs_store_run, &l, err);

	for (size_t i = 0; i < l.n && !ret; i++) {
		const struct sample *s = &l.v[i];

		if (s->series_id <= 0 || (size_t)s->series_id >= r->n) {
			ret = err_set(err, ERR_BUG, "a run with the series %lld, which does not exist", (long long)s->series_id);
			break;
		}
		r->tallies[s->series_id].want++;
		r->tallies[s->series_id].want_sum += hash_of(s);
	}
	if (!ret)
		ret = db_seen_add(db, ids, n, err);
	r->report->runs += n;
	r->report->samples += l.n;
	db_packs_store_free(&l);
	return ret;
}

static int read_runs(struct rebuild *r, struct db *db, struct err *err)
{
	struct uuid ids[RUNS_AT_ONCE], after = { 0 };
	struct arena *a = arena_new();
	struct db_rows *rows;
	int ret = 0, n;
	size_t packed;

	do {
		ret = db_query(db, &next_runs, DB_ARGS(db_arg_uuid(&after), db_arg_i64(RUNS_AT_ONCE)), &rows, err);
		n = ret ? 0 : db_rows_count(rows);
		packed = 0;
		for (int i = 0; i < n; i++) {
			db_uuid(rows, i, 0, &after);
			if (!db_bool(rows, i, 1))
				ids[packed++] = after;
		}
		db_rows_free(rows);
		if (packed)
			ret = tally_runs(r, db, a, ids, packed, err);
		arena_reset(a);
	} while (n == RUNS_AT_ONCE && !ret);
	arena_free(a);
	return ret;
}

/* ---- what the packs say ---- */

static const struct stmt next_chunks = {
	"rebuild_chunks",
	"SELECT series_id, samples, body, crc32, chunk FROM series_pack WHERE (series_id, chunk) > ($1, $2)"
	" ORDER BY series_id, chunk LIMIT $3"
};

static void tally_chunk(struct rebuild *r, const struct db_rows *rows, int i)
{
	struct sample samples[PACK_CHUNK_MAX];
	int64_t id = db_i64(rows, i, 0);
	struct tally *t = id > 0 && (size_t)id < r->n ? &r->tallies[id] : NULL;
	size_t n = db_packs_store_chunk(rows, i, samples);

	if (!t) {
		r->strangers = true;
		return;
	}
	t->damaged |= !n;
	t->have += n;
	for (size_t k = 0; k < n; k++)
		t->have_sum += hash_of(&samples[k]);
}

static int read_chunks(struct rebuild *r, struct db *db, struct err *err)
{
	int64_t series_id = INT64_MIN, chunk = 0;
	struct db_rows *rows;
	int n;

	do {
		if (db_query(db, &next_chunks,
			     DB_ARGS(db_arg_i64(series_id), db_arg_i64(chunk), db_arg_i64(CHUNKS_AT_ONCE)), &rows, err))
			return -1;
		n = db_rows_count(rows);
		for (int i = 0; i < n; i++)
			tally_chunk(r, rows, i);
		if (n) {
			series_id = db_i64(rows, n - 1, 0);
			chunk = db_i64(rows, n - 1, 4);
		}
		db_rows_free(rows);
	} while (n == CHUNKS_AT_ONCE);
	return 0;
}

/* ---- what differs ---- */

static const struct stmt samples_of = {
	"rebuild_samples",
	"SELECT r.run_id FROM run r WHERE r.machine_id IN (SELECT machine_id FROM series WHERE id = ANY($1))"
	" AND NOT EXISTS (SELECT FROM run_todo t WHERE t.what = 'pack' AND t.run_id = r.run_id) ORDER BY r.run_id"
};

static const struct stmt delete_packs = {
	"rebuild_delete", "DELETE FROM series_pack WHERE series_id = ANY($1)"
};

static const struct stmt delete_strangers = {
	"rebuild_delete_strangers", "DELETE FROM series_pack p WHERE NOT EXISTS (SELECT FROM series s WHERE s.id = p.series_id)"
};

/* Of what was appended from `from` on, keeps the samples of these series (ids are sorted). */
static void keep_only(struct sample_list *l, size_t from, const int64_t *ids, size_t n)
{
	size_t kept = from;

	for (size_t i = from; i < l->n; i++)
		if (bsearch(&l->v[i].series_id, ids, n, sizeof(*ids), ids_compare))
			l->v[kept++] = l->v[i];
	l->n = kept;
}

static int read_samples(struct db *db, const int64_t *ids, size_t n, struct sample_list *l, struct err *err)
{
	struct arena *a = arena_new(), *page = arena_new();
	struct db_rows *rows = NULL;
	struct uuid *run_ids;
	size_t n_runs, part, before;
	int ret = db_query(db, &samples_of, DB_ARGS(db_arg_i64s(ids, n)), &rows, err);

	n_runs = ret ? 0 : (size_t)db_rows_count(rows);
	run_ids = arena_array(a, struct uuid, n_runs);
	for (size_t i = 0; i < n_runs; i++)
		db_uuid(rows, (int)i, 0, &run_ids[i]);
	db_rows_free(rows);
	for (size_t i = 0; i < n_runs && !ret; i += part) {
		part = n_runs - i < RUNS_AT_ONCE ? n_runs - i : RUNS_AT_ONCE;
		before = l->n;
		ret = db_runs_each_of_ids(db, page, run_ids + i, part, db_packs_store_run, l, err);
		keep_only(l, before, ids, n);
		arena_reset(page);
	}
	arena_free(page);
	arena_free(a);
	return ret;
}

/* Writes the packs of these series anew. */
static int write_anew(struct db *db, const int64_t *ids, size_t n, struct err *err)
{
	struct chunk_list chunks = { .arena = arena_new() };
	struct sample_list l = { 0 };
	size_t end;
	int ret = read_samples(db, ids, n, &l, err);

	db_packs_store_sort(&l);
	for (size_t i = 0; i < l.n && !ret; i = end) {
		for (end = i; end < l.n && l.v[end].series_id == l.v[i].series_id; end++)
			;
		db_packs_store_add(&chunks, 0, l.v + i, end - i);
	}
	if (!ret)
		ret = db_query(db, &delete_packs, DB_ARGS(db_arg_i64s(ids, n)), NULL, err);
	if (!ret)
		ret = db_packs_store_write(db, &chunks, err);
	db_packs_store_free(&l);
	arena_free(chunks.arena);
	return ret;
}

struct mending {
	const int64_t *ids;		/* sorted */
	size_t n;
};

static int mend(struct db *db, void *arg, struct err *err)
{
	const struct mending *m = arg;
	bool mine;

	if (db_packs_store_lock(db, true, &mine, err))
		return -1;
	return write_anew(db, m->ids, m->n, err);
}

int db_packs_mend(struct db *db, const int64_t *series_ids, size_t n, struct err *err)
{
	int64_t *ids = malloc(n * sizeof(*ids));
	struct mending m = { ids, n };
	int ret;

	must(ids != NULL);
	memcpy(ids, series_ids, n * sizeof(*ids));
	qsort(ids, n, sizeof(*ids), ids_compare);
	ret = db_in_tx(db) ? mend(db, &m, err) : db_tx(db, mend, &m, DEADLINE_MS, err);
	log_event(ret ? LOG_ERROR : LOG_WARN, ret ? "a damaged pack could not be made anew" : "damaged packs were made anew from the runs",
		  "series=%lld more=%zu", (long long)ids[0], n - 1);
	free(ids);
	return ret;
}

static bool differs(const struct tally *t)
{
	return t->damaged || t->want != t->have || t->want_sum != t->have_sum;
}

static int repair(struct rebuild *r, struct db *db, struct err *err)
{
	int64_t *ids = malloc(r->n * sizeof(*ids));
	size_t n = 0, samples = 0;
	int ret = 0;

	must(ids != NULL);
	for (size_t id = 1; id < r->n && !ret; id++) {
		r->report->series += r->tallies[id].want > 0;
		if (!differs(&r->tallies[id]))
			continue;
		r->report->series_changed++;
		ids[n++] = (int64_t)id;
		samples += r->tallies[id].want;
		if (samples >= SAMPLES_AT_ONCE) {
			ret = write_anew(db, ids, n, err);
			n = samples = 0;
		}
	}
	if (n && !ret)
		ret = write_anew(db, ids, n, err);
	if (r->strangers && !ret)
		ret = db_query(db, &delete_strangers, DB_NO_ARGS, NULL, err);
	free(ids);
	return ret;
}

static int rebuild(struct db *db, void *arg, struct err *err)
{
	struct rebuild r = { .report = arg };
	bool mine;
	int ret;

	*r.report = (struct rebuild_report){ 0 };
	if (db_packs_store_lock(db, true, &mine, err) || make_tallies(&r, db, err))
		return -1;
	ret = read_runs(&r, db, err);
	if (!ret)
		ret = read_chunks(&r, db, err);
	if (!ret)
		ret = repair(&r, db, err);
	free(r.tallies);
	return ret;
}

int db_packs_rebuild(struct db *db, struct rebuild_report *report, struct err *err)
{
	return db_tx(db, rebuild, report, DEADLINE_MS, err);
}
