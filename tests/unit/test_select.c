/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selection and comparison over a catalogue (fake_catalog.h) and runs that stand in this
 * file: the database's side of db_runs.h is replaced by arrays.
 */
#include "fake_catalog.h"
#include "tap.h"

#include "../../server/calc_compare.h"
#include "../../server/calc_matrix.h"
#include "../../server/calc_mean.h"
#include "../../server/calc_sweep.h"
#include "../../server/calc_trend.h"
#include "../../server/calc_why.h"
#include "../../server/db_noise.h"
#include "../../server/db_packs.h"

static struct arena *a;
static struct err err;

/* ---- runs ---- */

struct value {
	int kernel;
	const struct cat_machine *machine;
	const char *boot;		/* NULL: a boot of its own */
	int64_t series_id;
	enum result_status status;
	int64_t n;
	double mean, stddev, least, most;
};

static const struct value *values;
static size_t n_values;

uint64_t db_runs_boot_key(int64_t machine_id, const char *boot_id, const struct uuid *run_id)
{
	uint64_t key = (uint64_t)machine_id << 32;

	if (!boot_id)
		return key + 1000000 + run_id->b[0];
	return key + (uint64_t)boot_id[0];
}

/* Each value is a run of one result. */
int db_runs_each_of_kernels(struct db *db, struct arena *arena, const int64_t *kernel_ids, size_t n_kernels,
			    const int64_t *machine_ids, size_t n_machines, db_runs_each_fn fn, void *arg,
			    struct err *e)
{
	static const char *const errors[] = { "mmap: Cannot allocate memory" };

	(void)db;
	(void)arena;
	for (size_t i = 0; i < n_values; i++) {
		struct value v = values[i];
		int16_t status = (int16_t)v.status;
		struct run run = { .run_id = { { (uint8_t)i } }, .machine_id = v.machine->id,
				   .kernel_id = kernels[v.kernel].id, .boot_id = v.boot, .n_results = 1,
				   .series_ids = &v.series_id, .status = &status, .n = &v.n, .mean = &v.mean,
				   .stddev = &v.stddev, .min = &v.least, .max = &v.most,
				   .errors = v.status == RESULT_FAILED ? errors : NULL };
		bool kernel = false, machine = n_machines == 0;

		for (size_t k = 0; k < n_kernels; k++)
			kernel |= kernel_ids[k] == run.kernel_id;
		for (size_t k = 0; k < n_machines; k++)
			machine |= machine_ids[k] == run.machine_id;
		if (kernel && machine && fn(&run, arg, e))
			return -1;
	}
	return 0;
}

int db_runs_each_of_halves(struct db *db, struct arena *arena, const int64_t *kernel_ids, size_t n_kernels,
			   const int64_t *machine_ids, size_t n_machines, db_runs_each_fn fn, void *arg, struct err *e)
{
	return db_runs_each_of_kernels(db, arena, kernel_ids, n_kernels, machine_ids, n_machines, fn, arg, e);
}

/* Every value again, by series: what histories are learned from. */
int db_packs_read(struct db *db, struct arena *arena, const int64_t *series_ids, size_t n_series, struct sample **samples,
		  size_t *n, struct err *e)
{
	(void)db;
	(void)e;
	*samples = arena_array(arena, struct sample, n_values * n_series);
	*n = 0;
	for (size_t s = 0; s < n_series; s++)
		for (size_t i = 0; i < n_values; i++) {
			const struct value *v = &values[i];
			const struct uuid id = { { (uint8_t)i } };

			if (v->series_id != series_ids[s] || v->status != RESULT_OK)
				continue;
			(*samples)[(*n)++] = (struct sample){
				.series_id = v->series_id, .kernel_id = kernels[v->kernel].id,
				.boot_key = db_runs_boot_key(v->machine->id, v->boot, &id), .n = v->n, .mean = v->mean,
				.stddev = v->stddev, .min = v->least, .max = v->most };
		}
	return 0;
}

int db_noise_read(struct db *db, struct arena *arena, const int64_t *series_ids, size_t n_series, struct db_noise **list,
		  size_t *n, struct err *e)
{
	(void)db;
	(void)series_ids;
	(void)n_series;
	(void)e;
	*list = arena_array(arena, struct db_noise, 1);
	*n = 0;
	return 0;
}

int db_noise_read_range(struct db *db, struct arena *arena, int64_t first, int64_t last, struct db_noise **list, size_t *n,
			struct err *e)
{
	(void)first;
	(void)last;
	return db_noise_read(db, arena, NULL, 0, list, n, e);
}

void db_meanwhile(struct db *db, void (*fn)(void *arg), void *arg)
{
	(void)db;
	fn(arg);
}

int db_noise_version(struct db *db, int64_t *version, struct err *e)
{
	(void)db;
	(void)e;
	*version = 1;
	return 0;
}

#define SINGLE(k, s, v) { k, &milan, NULL, s, RESULT_OK, 1, v, NAN, v, v }
#define BOOT(k, b, s, v) { k, &milan, b, s, RESULT_OK, 1, v, NAN, v, v }
#define REPEATED(k, s, n, mean, sd) { k, &milan, NULL, s, RESULT_OK, n, mean, sd, NAN, NAN }
#define FAILED(k, s) { k, &milan, NULL, s, RESULT_FAILED, 0, NAN, NAN, NAN, NAN }

static void use(const struct value *v, size_t n)
{
	values = v;
	n_values = n;
}

static struct selection select_all(void)
{
	struct selection sel;

	calc_select_series(&catalog, a, NULL, 0, &sel, &err);
	return sel;
}

static struct compare *compare(int base, int head, int fix, const struct compare_runs *runs)
{
	struct selection sel = select_all();
	struct compare *c = NULL;

	ok(calc_compare(&catalog, NULL, a, &sel, &kernels[base], &kernels[head], fix < 0 ? NULL : &kernels[fix], runs,
			&c, &err) == 0, "%s against %s", names[head], names[base]);
	return c;
}

/* ---- selection ---- */

static size_t chosen(const char *what, struct selection *sel)
{
	char *copy = arena_strdup(a, what), *save = NULL;
	struct select_arg args[8];
	size_t n = 0;

	for (char *p = strtok_r(copy, "&", &save); p; p = strtok_r(NULL, "&", &save)) {
		char *eq = strchr(p, '=');

		*eq = '\0';
		args[n++] = (struct select_arg){ p, eq + 1 };
	}
	return calc_select_series(&catalog, a, args, n, sel, &err) ? SIZE_MAX : sel->n;
}

static void selection(void)
{
	struct selection sel;

	ok(chosen("", &sel) == 5, "no selector: all series");
	ok(chosen("machine=milan-01", &sel) == 4, "one machine");
	ok(chosen("machine=milan-01&machine=altra-01", &sel) == 5, "OR within one argument");
	ok(chosen("machine=milan-01&thp=never", &sel) == 0, "AND between arguments; two known values that never meet: empty");
	ok(chosen("benchmark=mprotect/*&uarch=*milan", &sel) == 3, "globs");
	ok(chosen("benchmark=old/mprotect", &sel) == chosen("benchmark=mprotect/tw4m", &sel) && sel.n, "another name of it");
	ok(chosen("benchmark=nothing*", &sel) == 0, "a glob that matches nothing: empty, no error");
	ok(chosen("benchmark=mprotect", &sel) == SIZE_MAX && err.kind == ERR_UNKNOWN_VALUE &&
	   strstr(err.message, "benchmark") && strstr(err.message, "mprotect/tw4m"),
	   "an unknown name: the argument and the nearest name (%s)", err.message);
	ok(chosen("machine=milan-1", &sel) == SIZE_MAX && strstr(err.message, "nearest: milan-01"),
	   "the nearest by letters comes first");
	ok(chosen("param.size_kib=4e0", &sel) == 2, "a number is a number");
	ok(chosen("param.size_kib=4*", &sel) == 4, "a glob over a parameter's text");
	ok(chosen("param.size_kib=5", &sel) == SIZE_MAX, "a parameter's unknown value");
	ok(chosen("param.size_kb=4", &sel) == SIZE_MAX && strstr(err.message, "size_kib"), "an unknown parameter: %s",
	   err.message);
	ok(chosen("base_page_kib=4", &sel) == 4 && chosen("base_page_kib=unknown", &sel) == 1, "base page");
	ok(chosen("track=mainline", &sel) == 5 && calc_select_track(&sel, "mainline") && !calc_select_track(&sel, "eln"),
	   "track chooses kernels, not series");
	ok(chosen("track=mainlin", &sel) == SIZE_MAX && chosen("track=nix*", &sel) == 5, "tracks are checked alike");
	ok(catalog.locked == 0, "the lock is given back on every way out");
	ok(calc_select_glob("a*b*c", "aXbbYc") && !calc_select_glob("a*b", "abc") && calc_select_glob("*", "") &&
	   !calc_select_glob("", "a") && calc_select_glob("[a]?", "[a]?"), "only * is special in a glob");
	ok(calc_select_is_selector("param.x") && !calc_select_is_selector("param.") && !calc_select_is_selector("run"),
	   "which arguments are selectors");
}

static const char *kernel_of(const char *value)
{
	const struct cat_kernel *k;
	struct selection sel = select_all();

	return calc_select_kernel(&catalog, NULL, a, "head", value, &sel, &k, &err) ? NULL : k->name;
}

static void kernel_names(void)
{
	static const struct value some[] = {
		SINGLE(V616, 13, 1), SINGLE(V617RC1, 13, 1), SINGLE(REVERT, 13, 1), SINGLE(ELN, 13, 1), FAILED(RC2, 13),
	};
	static const struct value eln[] = { SINGLE(ELN, 13, 1) };
	const struct cat_kernel *k;
	struct selection sel = select_all();

	use(some, N(some));
	is_str(kernel_of("6.17-rc1"), "6.17-rc1", "by name");
	is_str(kernel_of("v6.17-rc1"), "6.17-rc1", "by v form");
	is_str(kernel_of("6.17.0-rc1"), "6.17-rc1", "X.Y.0 is X.Y");
	is_str(kernel_of("v6.17-rc1 with cac1db8c3aad reverted"), names[REVERT], "by phrase");
	is_str(kernel_of("6.17-rc1+revert-cac1db8c3aad"), names[REVERT], "a variant by its name");
	is_str(kernel_of("6.17-rc1 revert-cac1db8c3aad"), names[REVERT], "a blank where no phrase matches is a +");
	ok(!kernel_of("6.15") && err.kind == ERR_UNKNOWN_VALUE && strstr(err.message, "head") && strstr(err.message, "6.16"),
	   "an unknown kernel: %s", err.message);
	ok(!kernel_of("previous") && err.kind == ERR_BAD_ARGUMENT, "previous alone: to what?");
	is_str(kernel_of("latest"), "6.17-rc1", "latest: the highest on mainline with results, no variant");
	is_str(kernel_of("latest:eln"), names[ELN], "latest of a track");
	ok(!kernel_of("latest:nix") && err.kind == ERR_UNKNOWN_VALUE, "latest of an unknown track");
	use(eln, N(eln));
	is_str(kernel_of("latest"), names[ELN], "latest: on the only track with results");
	use(NULL, 0);
	is_str(kernel_of("latest"), "6.17-rc2", "latest of a selection without results: by the catalogue");
	use(some, N(some));
	ok(calc_select_previous(&catalog, NULL, a, "base", &sel, &kernels[RC2], &k, &err) == 0 && k == &kernels[V617RC1],
	   "previous: the next lower one with results");
	ok(calc_select_previous(&catalog, NULL, a, "base", &sel, &kernels[REVERT], &k, &err) == 0 && k == &kernels[V616],
	   "previous of a variant is before its base");
	ok(calc_select_previous(&catalog, NULL, a, "base", &sel, &kernels[V616], &k, &err) == -1 &&
	   err.kind == ERR_UNKNOWN_VALUE, "nothing before the first: %s", err.message);
	ok(catalog.locked == 0, "the lock is given back");
}

/* ---- comparison ---- */

static size_t why_bytes(const struct compare_row *r)
{
	size_t before = arena_used(a);
	struct why w;

	calc_why_row(a, r, 1, &w);
	return arena_used(a) - before;
}

static void story(void)
{
	static const struct value v[] = {
		SINGLE(V616, 11, 3453), SINGLE(V617RC1, 11, 5993), SINGLE(REVERT, 11, 3800),
		SINGLE(V616, 12, 2071), SINGLE(V617RC1, 12, 2362), SINGLE(REVERT, 12, 2126),
		SINGLE(V616, 13, 1713), SINGLE(V617RC1, 13, 1775), FAILED(REVERT, 13),
		REPEATED(V616, 15, 10, 143857, 4531), REPEATED(V617RC1, 15, 10, 81503, 2131),
		REPEATED(REVERT, 15, 10, 138701, 496.1),
	};
	struct compare *c;
	const struct compare_row *r;

	use(v, N(v));
	c = compare(V616, V617RC1, REVERT, NULL);
	ok(c->n_rows == 4 && c->rows[0].series->id == 13 && c->rows[1].series->id == 12 && c->rows[2].series->id == 11 &&
	   c->rows[3].series->id == 15, "rows by benchmark, then by the number of the size");
	r = &c->rows[2];
	is_num(r->change_percent, 73.56, 1e-4, "+73.56 %");
	is_num(r->restored_percent, 86.3, 1e-3, "restored 86.3 %");
	ok(r->direction == COMPARE_WORSE && r->verdict == COMPARE_INCONCLUSIVE && r->confidence == COMPARE_NONE,
	   "single values: a direction, no verdict");
	ok(!r->tested && isnan(r->p) && isnan(r->q) && isnan(r->ci_lo) && isnan(r->noise_percent) &&
	   isnan(r->detectable_percent), "single values: no noise, no p, no interval");
	ok(why_bytes(r) < 4096, "why that is takes %zu bytes: rows may be 100,000", why_bytes(r));
	ok(!c->rows[0].fix.runs && isnan(c->rows[0].restored_percent), "a fix that failed restores nothing known");
	ok(c->n_missing == 1 && c->missing[0].side == COMPARE_FIX && c->missing[0].reason == COMPARE_FAILED &&
	   strstr(c->missing[0].error, "mmap"), "... and is listed with what the lab said");
	r = &c->rows[3];
	is_num(r->change_percent, -43.34, 1e-3, "raptorlake: -43.34 %");
	is_num(r->restored_percent, 91.7, 1e-3, "raptorlake: restored 91.7 %");
	is_num(r->remaining_percent, -3.58, 2e-3, "raptorlake: remaining -3.58 %");
	ok(r->verdict == COMPARE_REGRESSION && r->confidence == COMPARE_WEAK,
	   "summaries are a noise estimate; one boot a side is never strong");
	ok(r->ci_lo < -43.34 && r->ci_hi > -43.34 && r->p < .05 && r->p > .001 && r->ab.source == NOISE_REPETITIONS,
	   "with an interval and a p from what boots are presumed to differ by");
	ok(r->restored_lo < 91.7 && r->restored_hi > 91.7 && r->remaining_lo < 0 && r->remaining_hi > 0,
	   "restored with an interval; with the fix within noise of the start");
	ok(c->regressions == 1 && c->inconclusive == 3 && isfinite(c->geomean_percent), "counts");
	/* of the three rows that have a fix */
	is_num(c->restored_percent, 100 * (cbrt(5993. / 3453 * 2362 / 2071 * 81503 / 143857) -
					   cbrt(3800. / 3453 * 2126 / 2071 * 138701 / 143857)) /
	       (cbrt(5993. / 3453 * 2362 / 2071 * 81503 / 143857) - 1), 1e-9, "restored over all: from geomeans of rows with a fix");
}

static void boots(void)
{
	static const struct value v[] = {
		BOOT(V616, "a", 13, 1000), BOOT(V616, "b", 13, 1010), BOOT(V616, "c", 13, 990),
		BOOT(V617RC1, "d", 13, 1100), BOOT(V617RC1, "e", 13, 1111), BOOT(V617RC1, "f", 13, 1090),
		BOOT(V616, "a", 12, 1000), BOOT(V616, "b", 12, 1000.6), BOOT(V616, "c", 12, 999.3),
		BOOT(V617RC1, "d", 12, 1000.2), BOOT(V617RC1, "e", 12, 999.9), BOOT(V617RC1, "f", 12, 1000.3),
		BOOT(V616, "a", 11, 25), BOOT(V616, "b", 11, 25), BOOT(V616, "c", 11, 25),
		BOOT(V617RC1, "d", 11, 25), BOOT(V617RC1, "e", 11, 25), BOOT(V617RC1, "f", 11, 25),
		BOOT(V616, "a", 15, 500), BOOT(V616, "b", 15, 505), BOOT(V617RC1, "d", 15, 499),
	};
	struct compare_runs runs = { .ids = (const struct uuid[]){ { { 0 } }, { { 3 } } },
				     .kernel_ids = (const int64_t[]){ 1, 2 }, .n = 2 };
	struct compare *c;

	use(v, N(v));
	c = compare(V616, V617RC1, -1, NULL);
	ok(c->n_rows == 4 && c->rows[0].verdict == COMPARE_REGRESSION && c->rows[0].confidence == COMPARE_STRONG,
	   "three boots a side, +10 %%: a strong regression (q %.2g)", c->rows[0].q);
	is_num(c->rows[0].ab.df, 4, 0, "boots are what is counted");
	ok(c->rows[0].noise_percent > .5 && c->rows[0].noise_percent < 1.5, "noise: of a boot's mean");
	ok(c->rows[1].verdict == COMPARE_UNCHANGED && c->rows[1].ci_lo > -2 && c->rows[1].ci_hi < 2,
	   "unchanged: the interval lies inside what counts as the same");
	ok(c->rows[2].verdict == COMPARE_INCONCLUSIVE && c->rows[2].direction == COMPARE_SAME &&
	   c->rows[2].ci_hi > .5, "25 on every boot, in steps of 1: not known to be unchanged");
	ok(!c->rows[3].tested && c->rows[3].verdict == COMPARE_INCONCLUSIVE, "a side of one single value: no test");
	c = compare(V616, V617RC1, -1, &runs);
	ok(c->rows[0].base.runs == 1 && c->rows[0].head.center == 1100, "run= narrows");
	runs.n = 1;
	c = compare(V616, V617RC1, -1, &runs);
	ok(c->rows[0].base.runs == 1 && c->rows[0].head.runs == 3, "... the kernels whose runs are named");
	c = compare(V617RC1, V617RC1, -1, NULL);
	ok(c->n_rows == 4 && c->rows[0].change_percent == 0 && c->rows[0].direction == COMPARE_SAME && isnan(c->restored_percent),
	   "a kernel against itself is the same");
	c = compare(ELN, RC2, -1, NULL);
	ok(c->n_rows == 0 && c->n_missing == 0 && isnan(c->geomean_percent), "kernels without results: nothing");
}

/* One boot a side: what is known of the noise comes from another kernel, or from another size. */
static void histories(void)
{
	static const struct value v[] = {
		BOOT(RC2, "a", 13, 1000), BOOT(RC2, "b", 13, 1010), BOOT(RC2, "c", 13, 990), BOOT(RC2, "d", 13, 1003),
		SINGLE(V616, 13, 1000), SINGLE(V617RC1, 13, 1200), SINGLE(V616, 12, 1000), SINGLE(V617RC1, 12, 1200),
		REPEATED(V616, 15, 5, 1000, 10), REPEATED(V617RC1, 15, 5, 1050, 10),
		SINGLE(REVERT, 11, 1000), SINGLE(ELN, 11, 2000), SINGLE(V616, 11, 1000), SINGLE(V617RC1, 11, 1000),
	};
	const struct compare_row *r;
	struct compare *c;

	use(v, N(v));
	c = compare(V616, V617RC1, -1, NULL);
	r = c->rows;
	ok(r[0].ab.source == NOISE_HISTORY && r[0].ab.df == 3 && r[0].ab.from == 1 && r[0].verdict == COMPARE_REGRESSION,
	   "single values with a history of boots of another kernel: +20 %% is a regression");
	ok(r[0].confidence == COMPARE_WEAK, "... one boot a side is never more than weak");
	ok(r[1].ab.source == NOISE_SIBLINGS && r[1].ab.from == 1 && r[1].ab.df <= 3 && r[1].p > r[0].p,
	   "another size without a history: as noisy as its sibling");
	ok(r[2].ab.source == NOISE_SIBLINGS && r[2].verdict != COMPARE_REGRESSION, "... where nothing moved, nothing is claimed");
	ok(r[3].ab.source == NOISE_REPETITIONS && r[3].verdict == COMPARE_INCONCLUSIVE, "another benchmark is no sibling");
	c = compare(V616, RC2, -1, NULL);
	ok(c->n_rows == 1 && !c->rows[0].tested, "the kernels compared are no history of their own: a single value stays one");
}

static void matrix(void)
{
	static const struct value v[] = {
		SINGLE(V616, 13, 100), SINGLE(V617RC1, 13, 200), SINGLE(V616, 12, 100), SINGLE(V617RC1, 12, 50),
		{ V616, &altra, NULL, 14, RESULT_OK, 5, 100, 1, NAN, NAN },
		{ V617RC1, &altra, NULL, 14, RESULT_OK, 5, 130, 1, NAN, NAN },
	};
	struct matrix *m;

	use(v, N(v));
	m = calc_matrix(a, compare(V616, V617RC1, -1, NULL), "uarch", "thp");
	ok(m->n_rows == 2 && m->n_cols == 2 && !strcmp(m->rows[0].text, "epyc-milan") && !strcmp(m->cols[1].text, "never"),
	   "labels are sorted");
	ok(m->cells[0].n_series == 2 && fabs(m->cells[0].percent) < 1e-9 && m->cells[0].worst->series->id == 13,
	   "a cell: geomean and the worst of its rows");
	ok(!m->cells[0].tested && m->cells[0].verdict == COMPARE_INCONCLUSIVE, "no noise estimate: can't tell");
	ok(m->cells[1].n_series == 0 && m->cells[2].n_series == 0, "what was not run is empty");
	ok(m->cells[3].verdict == COMPARE_REGRESSION && m->cells[3].confidence == COMPARE_WEAK, "a cell of one row has its verdict");
	m = calc_matrix(a, compare(V616, V617RC1, -1, NULL), "param.size_kib", "machine");
	ok(m->n_rows == 2 && m->rows[0].number == 4 && m->rows[1].number == 40 && m->n_cols == 2, "sizes as rows, by number");
	ok(calc_matrix_is_dimension("param.x") && !calc_matrix_is_dimension("param.") && !calc_matrix_is_dimension("kernel"),
	   "what can be a dimension");
}

/* Means over rows: of one machine errors may go the same way, of two they are independent. */
static void means(void)
{
	static struct student_memo memo;
	const struct compare_row up = { .series = &series[0], .tested = true, .ci_lo = 1, .ci_hi = 3, .base.center = 100,
					.head.center = 102, .ab = { .source = NOISE_BOOTS, .se = .01, .df = 4 } };
	struct compare_row down = up, other = up, unknown = up;
	const struct compare_row *rows[] = { &up, &down };
	struct calc_mean m;

	down.head.center = 98;
	down.ci_lo = -3;
	down.ci_hi = -1;
	other.series = &series[3];
	calc_mean(a, rows, 2, &memo, &m);
	ok(m.signs_disagree && m.n == 2 && m.better == BETTER_LOWER, "rows that surely moved apart disagree");
	down.q = .2;
	calc_mean(a, rows, 2, &memo, &m);
	ok(!m.signs_disagree, "... not by an interval alone, which chance may have put there");
	down.q = 0;
	is_num(m.ab.se, .01, 1e-12, "two rows of one machine: their mean is as unsure as each");
	is_num(m.ab.df, 4, 1e-12, "... and its error no better known");
	ok(m.lo < m.percent && m.percent < m.hi, "an interval around the geometric mean");
	rows[1] = &other;
	calc_mean(a, rows, 2, &memo, &m);
	is_num(m.ab.se, .01 / sqrt(2), 1e-12, "two machines are independent");
	is_num(m.ab.df, 8, 1e-12, "... and their degrees of freedom add up");
	unknown.tested = false;
	rows[1] = &unknown;
	calc_mean(a, rows, 2, &memo, &m);
	ok(!m.ab.source && isnan(m.lo) && m.percent > 1, "a row without noise: a mean without interval");
	calc_mean(a, rows, 0, &memo, &m);
	ok(!m.n && isnan(m.percent) && !m.ab.source, "of no rows none");
}

static void trends_at_once(void)
{
	static const size_t many[] = { 1, 7000, 8000, 99999, TREND_POINTS_MAX };

	ok(calc_trend_at_once(0, 256) == 256 && calc_trend_at_once(100, 256) == 256, "of few kernels as many series as are asked for");
	for (size_t i = 0; i < N(many); i++)
		ok(calc_trend_at_once(many[i], 256) >= 1 && calc_trend_at_once(many[i], 256) * many[i] <= TREND_POINTS_MAX,
		   "of %zu kernels not more points than a trend may have", many[i]);
}

static void sweep(void)
{
	static const struct value v[] = {
		SINGLE(V616, 13, 1713), SINGLE(V616, 12, 2071), SINGLE(V616, 11, 3453),
		SINGLE(V617RC1, 13, 1775), SINGLE(V617RC1, 12, 2362), SINGLE(V617RC1, 11, 5993),
		{ V616, &altra, NULL, 14, RESULT_OK, 1, 5, NAN, 5, 5 }, SINGLE(V616, 15, 1),
	};
	const struct cat_kernel *list[] = { &kernels[V616], &kernels[V617RC1] };
	struct selection sel = select_all();
	struct sweep *s;
	size_t n;

	use(v, N(v));
	ok(calc_sweep(&catalog, NULL, a, &sel, "size_kib", list, 2, NULL, 5, &s, &err) == 0, "a sweep");
	ok(s->n_lines == 3 && s->lines[0].n == 1 && s->lines[1].n == 3 && s->lines[1].x[0] == 4 && s->lines[1].x[2] == 400,
	   "a line a kernel and machine, points by x");
	is_str(s->lines[1].params, "{}", "params without the axis");
	ok(s->lines[1].has_fit && s->lines[1].unit_step == 4 && !strcmp(s->lines[1].unit, "page") && !s->lines[0].has_fit,
	   "a fit per page from three points on");
	ok(s->n_ratios == 1 && s->ratios[0].onset == 40 && isnan(s->lines[1].lo[0]), "one ratio, its onset, no interval of n = 1");
	ok(calc_sweep(&catalog, NULL, a, &sel, "size_kib", list, 2, NULL, 50, &s, &err) == 0 && s->ratios[0].onset == 400,
	   "the onset's threshold is the caller's");
	ok(calc_sweep_axes(a, &sel, &n) && n == 1, "the axes there are");
}

int main(void)
{
	a = arena_new();
	ok(make_catalog(a), "all names of the catalogue are kernels");
	selection();
	kernel_names();
	story();
	boots();
	histories();
	means();
	matrix();
	trends_at_once();
	sweep();
	arena_free(a);
	return done();
}
