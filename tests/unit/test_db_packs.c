/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packs: every sample once, packed or not; what is damaged is found and made anew. */
#include "pg.h"
#include "sub.h"
#include "tap.h"

#include <pthread.h>

#include "../../server/db_packs.h"
#include "../../server/db_packs_code.h"

static bool same(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static bool same_sample(const struct sample *a, const struct sample *b)
{
	return a->series_id == b->series_id && a->kernel_id == b->kernel_id && a->run_key == b->run_key &&
	       a->boot_key == b->boot_key && a->started_at == b->started_at && a->n == b->n && same(a->mean, b->mean) &&
	       same(a->stddev, b->stddev) && same(a->min, b->min) && same(a->max, b->max);
}

static void fill(struct sample in[PACK_CHUNK_MAX])
{
	for (size_t i = 0; i < PACK_CHUNK_MAX; i++)
		in[i] = (struct sample){
			.series_id = 7, .kernel_id = (int64_t)(i * 37 % 11), .run_key = i * UINT64_C(0x9E3779B97F4A7C15),
			.boot_key = i % 2 ? i : i * UINT64_C(0x9E3779B97F4A7C15),
			.started_at = SUB_T0 - (int64_t)i * 86400000000 * (i % 3 ? 1 : -1), .n = (int64_t)i,
			.mean = i % 5 ? 1e300 / (double)(i + 1) : -0.0, .stddev = i % 4 ? NAN : 0.5, .min = i % 7 ? NAN : -1,
			.max = i % 9 ? 5e-324 : 1,
		};
	in[3].started_at = INT64_MIN;
	in[4].started_at = INT64_MAX;
}

/* Whether they come back; *wrong: how many damaged forms of theirs were taken for good. */
static bool comes_back(const struct sample *in, size_t n, size_t *bytes, size_t *wrong)
{
	struct sample out[PACK_CHUNK_MAX];
	struct buf b;
	bool good;

	buf_init(&b);
	db_packs_code_write(&b, in, n);
	*bytes = b.len;
	good = db_packs_code_read(b.p, b.len, 7, out) == n;
	for (size_t i = 0; i < n; i++)
		good &= same_sample(&in[i], &out[i]);
	for (size_t len = 0; len < b.len; len++)
		*wrong += db_packs_code_read(b.p, len, 7, out) != 0;
	buf_putc(&b, 0);
	*wrong += db_packs_code_read(b.p, b.len, 7, out) != 0;
	buf_fini(&b);
	return good;
}

static void test_code(void)
{
	struct sample in[PACK_CHUNK_MAX], plain;
	size_t wrong = 0, bytes, all;
	bool good = true;

	fill(in);
	for (size_t n = 1; n <= PACK_CHUNK_MAX; n += 127)
		good &= comes_back(in, n, &all, &wrong);
	fill(in);
	for (size_t i = 0; i < 63; i++)		/* differences of each length */
		in[i].kernel_id = in[i].started_at = INT64_C(1) << i;
	good &= comes_back(in, 63, &bytes, &wrong);
	ok(good, "samples come back from a chunk as they went in");
	for (unsigned ones = 1; ones < 16; ones++) {	/* of the columns n, stddev, min and max, each set of constant ones */
		fill(in);
		for (size_t i = 0; i < PACK_CHUNK_MAX; i++) {
			in[i].n = ones & 1 ? 10 : in[i].n;
			in[i].stddev = ones & 2 ? 0.25 : in[i].stddev;
			in[i].min = ones & 4 ? NAN : in[i].min;
			in[i].max = ones & 8 ? NAN : in[i].max;
		}
		good &= comes_back(in, PACK_CHUNK_MAX, &bytes, &wrong);
		good &= bytes < all - 100;
	}
	ok(good && bytes < all - 25 * 127, "and where a column is one value, it stands there once: %zu bytes of %zu", bytes, all);
	ok(!wrong, "a chunk that is cut or too long is refused");
	plain = (struct sample){ .series_id = 7, .kernel_id = 12, .run_key = 1, .boot_key = 1, .started_at = SUB_T0, .n = 1,
				 .mean = 5, .stddev = NAN, .min = 5, .max = 5 };
	good = comes_back(&plain, 1, &bytes, &wrong);
	ok(good && bytes <= 32, "a lone value takes %zu bytes", bytes);
}

static void store(struct run_writer *rw, struct db *db, struct arena *a, struct submission *s)
{
	struct run_write w = { .sub = s, .raw = "{}", .raw_len = 2, .raw_type = "application/json" };

	db_runs_write(rw, db, a, &w);
	if (w.outcome != WRITE_STORED) {
		printf("Bail out! %s\n", w.err.message);
		exit(1);
	}
}

/* n runs of 10 results on machine "m", each different. */
static void store_many(struct run_writer *rw, struct db *db, struct arena *a, const char *machine, int from, int n)
{
	for (int i = from; i < from + n; i++) {
		struct submission *s = sub_new(a, machine, i % 2 ? "6.17-rc1" : "6.16", 10, arena_printf(a, "%s %d", machine, i));
		double reps[2] = { 100 + i, 101 + i };

		s->boot_id = i % 3 ? NULL : arena_printf(a, "boot %d", i / 6);
		s->started_at += (int64_t)i * 1000000;
		if (i % 4 == 0)
			sub_set_values(a, &s->results[0], reps, 2);
		if (i % 5 == 0) {
			struct result *r = &s->results[9];

			*r = (struct result){ .benchmark = r->benchmark, .params = r->params, .metric = r->metric, .unit = r->unit,
					      .better = r->better, .status = RESULT_FAILED, .mean = NAN, .median = NAN,
					      .stddev = NAN, .min = NAN, .max = NAN };
		}
		store(rw, db, a, s);
	}
}

static int by_run(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	if (x->series_id != y->series_id)
		return x->series_id < y->series_id ? -1 : 1;
	return x->run_key < y->run_key ? -1 : x->run_key > y->run_key;
}

static size_t read_all(struct db *db, struct arena *a, struct catalog *c, struct sample **samples)
{
	struct err err;
	size_t n, n_series;
	const struct cat_series *const *list = db_catalog_series(c, &n_series);
	int64_t *ids = arena_array(a, int64_t, n_series);

	for (size_t i = 0; i < n_series; i++)
		ids[i] = list[i]->id;
	if (db_packs_read(db, a, ids, n_series, samples, &n, &err)) {
		printf("# %s\n", err.message);
		return 0;
	}
	if (n)
		qsort(*samples, n, sizeof(**samples), by_run);
	return n;
}

static bool same_samples(const struct sample *a, size_t n_a, const struct sample *b, size_t n_b)
{
	if (n_a != n_b)
		return false;
	for (size_t i = 0; i < n_a; i++)
		if (!same_sample(&a[i], &b[i]))
			return false;
	return true;
}

static void test_packing(struct run_writer *rw, struct catalog *c, struct db *db, struct arena *a)
{
	struct sample *before, *after;
	struct err err;
	size_t n, m, packed, sum = 0;
	int64_t waiting;

	store_many(rw, db, a, "pack-01", 0, 300);
	n = read_all(db, a, c, &before);
	ok(n == 300 * 10 - 60, "samples of waiting runs are there, failed ones are not");
	ok(!db_packs_waiting(db, &waiting, &err) && waiting == 300, "300 runs wait");
	ok(!db_packs_work(db, a, 100, &packed, &err) && packed == 100, "some are packed");
	m = read_all(db, a, c, &after);
	ok(same_samples(before, n, after, m), "half packed, the samples are the same");
	do {
		if (db_packs_work(db, a, 37, &packed, &err))
			break;
		sum += packed;
	} while (packed);
	ok(sum == 200 && !db_packs_waiting(db, &waiting, &err) && !waiting, "the rest is packed");
	m = read_all(db, a, c, &after);
	ok(same_samples(before, n, after, m), "all packed, the samples are the same");
}

static const struct stmt chunk_sizes = {
	"t_chunks", "SELECT max(samples), count(*) FROM nsecwatch.series_pack WHERE series_id = (SELECT min(id) FROM nsecwatch.series)"
};

static void test_chunks(struct db *db)
{
	struct db_rows *r;
	struct err err;

	ok(!db_query(db, &chunk_sizes, DB_NO_ARGS, &r, &err) && db_i64(r, 0, 0) == PACK_CHUNK_FULL && db_i64(r, 0, 1) == 4,
	   "300 samples are four chunks, full ones first");
	db_rows_free(r);
}

static void test_rebuild(struct run_writer *rw, struct catalog *c, struct db *db, struct arena *a)
{
	static const char *const damages[] = {
		"DELETE FROM series_pack WHERE series_id = (SELECT min(series_id) FROM series_pack)",
		"UPDATE series_pack SET crc32 = crc32 + 1 WHERE (series_id, chunk) = (SELECT series_id, chunk FROM series_pack LIMIT 1)",
		"UPDATE series_pack SET body = set_byte(body, 20, 255 - get_byte(body, 20))"
		" WHERE (series_id, chunk) = (SELECT series_id, chunk FROM series_pack LIMIT 1)",
		/* a good chunk, but of another series */
		"UPDATE series_pack p SET body = q.body, crc32 = q.crc32 FROM series_pack q WHERE p.chunk = 0 AND q.chunk = 0"
		" AND p.series_id = (SELECT min(series_id) FROM series_pack) AND q.series_id = p.series_id + 1",
		"INSERT INTO series_pack SELECT series_id, 77, samples, body, crc32 FROM series_pack LIMIT 1",
	};
	struct rebuild_report report;
	struct sample *before, *after;
	struct err err;
	size_t n, m;

	ok(!db_packs_rebuild(db, &report, &err) && report.series_changed == 0 && report.runs == 300 && report.samples == 2940 &&
	   report.series == 10, "a rebuild changes nothing where nothing is wrong");
	store_many(rw, db, a, "pack-02", 0, 3);
	n = read_all(db, a, c, &before);
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		ok(!db_script(db, damages[i], &err), "damage %zu", i);
		ok(!db_packs_rebuild(db, &report, &err) && report.series_changed == 1, "is found");
		m = read_all(db, a, c, &after);
		ok(same_samples(before, n, after, m), "and made good");
		ok(!db_packs_rebuild(db, &report, &err) && report.series_changed == 0, "for good");
	}
	db_script(db, "INSERT INTO series_pack SELECT 1000000000, 0, samples, body, crc32 FROM series_pack LIMIT 1", &err);
	db_script(db, "DELETE FROM series_pack WHERE series_id < 1000000", &err);
	ok(!db_packs_rebuild(db, &report, &err) && report.series_changed == 10 && report.runs == 300, "all packs gone: all are made anew");
	m = read_all(db, a, c, &after);
	ok(same_samples(before, n, after, m), "with the same samples");
}

static void test_damaged(struct run_writer *rw, struct catalog *c, struct db *db, struct arena *a)
{
	static const char damage[] = "UPDATE series_pack SET crc32 = crc32 + 1 WHERE (series_id, chunk) ="
				     " (SELECT series_id, chunk FROM series_pack ORDER BY series_id, chunk DESC LIMIT 1)";
	struct rebuild_report report;
	struct sample *samples, *before;
	struct err err;
	size_t n, packed;
	int64_t id;

	while (!db_packs_work(db, a, 1000, &packed, &err) && packed)
		;
	id = db_catalog_series(c, &n)[0]->id;
	ok(!db_packs_read(db, a, &id, 1, &before, &n, &err) && n == 300, "all is packed");
	db_script(db, damage, &err);
	store_many(rw, db, a, "pack-01", 1000, 2);
	ok(!db_packs_work(db, a, 1000, &packed, &err) && packed == 2, "what comes in is packed beside a damaged chunk");
	ok(!db_packs_rebuild(db, &report, &err) && report.series_changed == 1, "a rebuild makes it good");
	ok(!db_packs_read(db, a, &id, 1, &samples, &n, &err) && n == 302, "with all samples");
	db_script(db, damage, &err);
	ok(!db_packs_read(db, a, &id, 1, &samples, &n, &err) && n == 302, "a reader who meets one makes it good by itself");
	db_script(db, "UPDATE series_pack SET body = 'x' WHERE (series_id, chunk) ="
		  " (SELECT series_id, chunk FROM series_pack ORDER BY series_id, chunk LIMIT 1)", &err);
	ok(!db_packs_read_newest(db, a, &id, 1, 1000, &samples, &n, &err) && n == 302, "one who reads the newest, too");
	ok(!db_packs_rebuild(db, &report, &err) && !report.series_changed, "a rebuild finds nothing left");
}

static int64_t first_series_of(struct catalog *c, const char *machine)
{
	size_t n, i = 0;
	const struct cat_series *const *list = db_catalog_series(c, &n);

	while (i < n && strcmp(list[i]->machine->name, machine))
		i++;
	return i < n ? list[i]->id : 0;
}

static void test_newest(struct run_writer *rw, struct catalog *c, struct db *db, struct arena *a)
{
	const struct db_horizon none = { .queued_at = 0 };
	struct sample *samples;
	struct err err;
	size_t n = 0, packed, old = 0;
	int64_t id;

	store_many(rw, db, a, "pack-many", 0, 800);
	id = first_series_of(c, "pack-many");
	ok(!db_packs_read_newest(db, a, &id, 1, 100, &samples, &n, &err) && n == 200, "of runs that wait, the newest 100 of each kernel");
	while (!db_packs_work(db, a, 1000, &packed, &err) && packed)
		;
	db_script(db, "UPDATE series_pack SET crc32 = crc32 + 1 WHERE chunk < 4 AND samples = 96", &err);
	ok(!db_packs_read_newest(db, a, &id, 1, 100, &samples, &n, &err) && n == 200, "and of packs; older chunks are not even read");
	for (size_t i = 0; i < n; i++)
		old += samples[i].started_at < SUB_T0 + 600 * INT64_C(1000000);
	ok(!old, "they are the newest");
	db_script(db, "UPDATE series_pack SET crc32 = crc32 - 1 WHERE chunk < 4 AND samples = 96", &err);
	db_set_horizon(db, &none);
	ok(!db_packs_read_newest(db, a, &id, 1, 100, &samples, &n, &err) && n == 0, "before the horizon there was nothing");
	db_set_horizon(db, NULL);
}

/* ---- uploads, packers and readers at once ---- */

struct busy {
	struct run_writer *rw;
	struct catalog *c;
	int thread, stop;
	int64_t series_id;
	size_t wrong;
};

static void *upload(void *arg)
{
	struct busy *b = arg;
	struct db *db = db_new(pg_dsn, "test", 60000);
	struct arena *a = arena_new();

	for (int i = 0; i < 60; i++) {
		store_many(b->rw, db, a, "busy", b->thread * 1000 + i, 1);
		arena_reset(a);
	}
	arena_free(a);
	db_free(db);
	return NULL;
}

static void *pack_on(void *arg)
{
	struct busy *b = arg;
	struct db *db = db_new(pg_dsn, "test", 60000);
	struct arena *a = arena_new();
	struct err err;
	size_t packed;

	while (!__atomic_load_n(&b->stop, __ATOMIC_ACQUIRE)) {
		if (db_packs_work(db, a, 5, &packed, &err)) {
			printf("# %s\n", err.message);
			b->wrong++;
		}
		arena_reset(a);
	}
	arena_free(a);
	db_free(db);
	return NULL;
}

/* Samples only become more, and never one twice. */
static void *read_on(void *arg)
{
	struct busy *b = arg;
	struct db *db = db_new(pg_dsn, "test", 60000);
	struct arena *a = arena_new();
	struct sample *samples;
	struct err err;
	size_t n, last = 0;

	while (!__atomic_load_n(&b->stop, __ATOMIC_ACQUIRE)) {
		if (db_packs_read(db, a, &b->series_id, 1, &samples, &n, &err)) {
			printf("# %s\n", err.message);
			b->wrong++;
			break;
		}
		qsort(samples, n, sizeof(*samples), by_run);
		for (size_t i = 1; i < n; i++)
			b->wrong += samples[i].run_key == samples[i - 1].run_key;
		b->wrong += n < last;
		last = n;
		arena_reset(a);
	}
	arena_free(a);
	db_free(db);
	return NULL;
}

static void test_busy(struct run_writer *rw, struct catalog *c, struct db *db, struct arena *a)
{
	struct busy up[4], back[4];
	pthread_t up_threads[4], back_threads[4];
	struct rebuild_report report;
	size_t wrong = 0, packed;
	struct err err;
	int64_t series_id, waiting;
	size_t n;

	store_many(rw, db, a, "busy", 900000, 1);
	series_id = db_catalog_series(c, &n)[n - 2]->id;
	for (int i = 0; i < 4; i++) {
		up[i] = (struct busy){ .rw = rw, .c = c, .thread = i };
		back[i] = (struct busy){ .rw = rw, .c = c, .series_id = series_id };
		pthread_create(&up_threads[i], NULL, upload, &up[i]);
		pthread_create(&back_threads[i], NULL, i < 2 ? pack_on : read_on, &back[i]);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(up_threads[i], NULL);
	for (int i = 0; i < 4; i++) {
		__atomic_store_n(&back[i].stop, 1, __ATOMIC_RELEASE);
		pthread_join(back_threads[i], NULL);
		wrong += back[i].wrong;
	}
	ok(!wrong, "no reader misses a sample or sees one twice while runs come in and are packed");
	while (!db_packs_work(db, a, 1000, &packed, &err) && packed)
		;
	ok(!db_packs_waiting(db, &waiting, &err) && waiting == 0, "at last all are packed");
	ok(!db_packs_rebuild(db, &report, &err) && report.series_changed == 0, "and a rebuild changes nothing");
}

int main(void)
{
	struct arena *a = arena_new();
	struct catalog *c = db_catalog_new();
	struct run_writer *rw = db_runs_writer_new(c);
	struct db *db;

	test_code();
	pg_start();
	db = pg_migrated();
	test_packing(rw, c, db, a);
	test_chunks(db);
	test_rebuild(rw, c, db, a);
	test_damaged(rw, c, db, a);
	test_newest(rw, c, db, a);
	test_busy(rw, c, db, a);
	db_runs_writer_free(rw);
	db_catalog_free(c);
	arena_free(a);
	db_free(db);
	return done();
}
