/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads what a mail says: the pair of kernels, later ones, variants, broad benchmarks, how it was measured. */
#include "calc_mail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../ingest/jread.h"
#include "db_seen.h"
#include "db_snapshots.h"

#define GROUPS_MOST 4		/* sweeps (a machine, a THP mode, a metric each) in one mail */
#define SWEEP_ROWS_MOST 64	/* of all sweeps but the first: a mail is read, not searched */
#define SWEEP_KERNELS_MOST 4
#define FIXES_TRIED 24
#define RUNS_ASKED 60		/* of the first bad kernel, for their commands */
#define COMMAND_MOST 800

/* What the reading functions share. */
struct work {
	struct catalog *c;
	struct db *db;
	struct arena *a;
	const struct calc_alert *al;
	struct selection all;		/* every series of the benchmark */
	struct calc_mail *m;
};

static struct selection series_of(struct work *w)
{
	struct selection sel = { 0 };
	const struct cat_series *const *list;

	db_catalog_lock(w->c);
	list = db_catalog_series_of(w->c, w->al->benchmark->id, &sel.n);
	sel.series = arena_array(w->a, const struct cat_series *, sel.n);
	memcpy(sel.series, list, sel.n * sizeof(*list));
	db_catalog_unlock(w->c);
	return sel;
}

static bool is_member(const struct calc_alert *al, const struct cat_series *series)
{
	for (size_t i = 0; i < al->n_rows; i++)
		if (al->rows[i].series == series)
			return true;
	return false;
}

static int read_pair(struct work *w, struct err *err)
{
	struct compare *pair;

	if (calc_compare(w->c, w->db, w->a, &w->all, w->al->from, w->al->to, NULL, NULL, &pair, err))
		return -1;
	w->m->pair = pair;
	w->m->rows = arena_array(w->a, const struct compare_row *, pair->n_rows);
	for (size_t i = 0; i < pair->n_rows; i++)
		if (is_member(w->al, pair->rows[i].series))
			w->m->rows[w->m->n_rows++] = &pair->rows[i];
	w->m->places = calc_matrix(w->a, pair, "uarch", "thp");
	w->m->modes = calc_matrix(w->a, pair, "benchmark", "thp");
	return 0;
}

/* ---- variants ---- */

/*
 * Kernels with results of the benchmark that change something in the first bad kernel or a later one
 * of its track; those of the first bad one first.
 */
static int variants(struct work *w, const struct cat_kernel **list, const struct cat_kernel **broken, size_t *found,
		    struct err *err)
{
	const struct seen_filter f = { .benchmark_ids = &w->al->benchmark->id, .n_benchmarks = 1 };
	int64_t *ids;
	size_t n;

	*found = 0;
	if (db_seen_kernels(w->db, w->a, &f, &ids, &n, err))
		return -1;
	db_catalog_lock(w->c);
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < n && *found < FIXES_TRIED; i++) {
			const struct cat_kernel *k = db_catalog_kernel(w->c, ids[i]);
			const struct cat_kernel *base = k && k->is_variant ? db_catalog_kernel(w->c, k->variant_base_id) : NULL;

			if (!base || strcmp(base->track, w->al->to->track) || (base == w->al->to) != !pass ||
			    calc_select_kernel_order(&base, &w->al->to) < 0)
				continue;
			list[*found] = k;
			broken[(*found)++] = base;
		}
	db_catalog_unlock(w->c);
	return 0;
}

/* What restores most comes first: of many reverts of a bisection that is the one. */
static int by_restored(const void *x, const void *y)
{
	const struct mail_fix *f = x, *g = y;

	if (f->restored != g->restored)
		return f->restored > g->restored ? -1 : 1;
	return strcmp(f->kernel->name, g->kernel->name);
}

/* Rows stand by machine within the benchmark. */
static void add_machine(struct mail_fix *fix, const char *name)
{
	if (!fix->n_machines || strcmp(fix->machines[fix->n_machines - 1], name))
		fix->machines[fix->n_machines++] = name;
}

/* What the fix of a comparison restores of the rows that changed the alert's way. */
static void judge_fix(struct work *w, const struct compare *c, struct mail_fix *fix)
{
	enum compare_verdict way = w->al->alert->regression ? COMPARE_REGRESSION : COMPARE_IMPROVEMENT;
	double head = 0, fixed = 0;

	*fix = (struct mail_fix){ .kernel = c->fix, .broken = c->head, .least = NAN, .most = NAN, .lo = NAN, .hi = NAN,
				  .machines = arena_array(w->a, const char *, c->n_rows) };
	for (size_t i = 0; i < c->n_rows; i++) {
		const struct compare_row *row = &c->rows[i];

		if (!row->fix.runs || !(row->base.center > 0) || !(row->head.center > 0) || !(row->fix.center > 0) ||
		    (row->verdict != way && !is_member(w->al, row->series) &&
		     !(!row->tested && row->direction == (w->al->alert->regression ? COMPARE_WORSE : COMPARE_BETTER))))
			continue;
		head += log(row->head.center / row->base.center);
		fixed += log(row->fix.center / row->base.center);
		fix->least = fmin(fix->least, row->restored_percent);
		fix->most = fmax(fix->most, row->restored_percent);
		fix->lo = fix->n_rows ? NAN : row->restored_lo;
		fix->hi = fix->n_rows ? NAN : row->restored_hi;
		add_machine(fix, row->series->machine->name);
		fix->n_rows++;
	}
	if (!fix->n_rows)
		return;
	head = exp(head / (double)fix->n_rows);
	fixed = exp(fixed / (double)fix->n_rows);
	fix->restored = head != 1 ? (head - fixed) / (head - 1) * 100 : NAN;
	fix->remaining = (fixed - 1) * 100;
}

static int read_fixes(struct work *w, struct err *err)
{
	const struct cat_kernel *list[FIXES_TRIED], *broken[FIXES_TRIED];
	struct mail_fix all[FIXES_TRIED];
	size_t n, n_good = 0;

	if (variants(w, list, broken, &n, err))
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct compare *c;

		if (calc_compare(w->c, w->db, w->a, &w->all, w->al->from, broken[i], list[i], NULL, &c, err))
			return -1;
		judge_fix(w, c, &all[n_good]);
		n_good += all[n_good].n_rows && isfinite(all[n_good].restored);
	}
	if (n_good)
		qsort(all, n_good, sizeof(*all), by_restored);
	w->m->n_fixes = n_good < CALC_MAIL_FIXES ? n_good : CALC_MAIL_FIXES;
	memcpy(w->m->fixes, all, w->m->n_fixes * sizeof(*all));
	return 0;
}

/* ---- the sweep ---- */

static bool same_group(const struct cat_series *s, const struct cat_series *t)
{
	return s->machine == t->machine && s->config == t->config && s->metric == t->metric;
}

/* Members that stand for their groups, those of the largest change first. */
static size_t groups(struct work *w, const struct compare_row **first)
{
	size_t n = 0;

	for (size_t i = 0; i < w->m->n_rows; i++) {
		const struct compare_row *row = w->m->rows[i];
		size_t at = 0;

		while (at < n && !same_group(first[at]->series, row->series))
			at++;
		if (at == n)
			first[n++] = row;
		else if (fabs(row->change_percent) > fabs(first[at]->change_percent))
			first[at] = row;
	}
	for (size_t i = 1; i < n; i++)	/* few */
		for (size_t k = i; k && fabs(first[k]->change_percent) > fabs(first[k - 1]->change_percent); k--) {
			const struct compare_row *swap = first[k];

			first[k] = first[k - 1];
			first[k - 1] = swap;
		}
	return n;
}

/* How many different values the selection's series have of a numeric parameter. */
static size_t values_of(struct arena *a, const struct selection *sel, const char *axis)
{
	double *seen = arena_array(a, double, sel->n);
	size_t n = 0;

	for (size_t i = 0; i < sel->n; i++)
		for (size_t p = 0; p < sel->series[i]->n_params; p++) {
			const struct cat_param *param = &sel->series[i]->param[p];
			size_t k = 0;

			if (!param->is_number || strcmp(param->name, axis))
				continue;
			while (k < n && seen[k] != param->number)
				k++;
			if (k == n)
				seen[n++] = param->number;
		}
	return n;
}

static const char *axis_of(struct arena *a, const struct selection *sel)
{
	size_t n, most = 2;		/* two points are the least of a line */
	const char **names = calc_sweep_axes(a, sel, &n), *best = NULL;

	for (size_t i = 0; i < n; i++) {
		size_t values = values_of(a, sel, names[i]);

		if (values > most || (values == most && !best)) {
			best = names[i];
			most = values;
		}
	}
	return best;
}

static size_t series_in(const struct work *w, const struct cat_series *group)
{
	size_t n = 0;

	for (size_t i = 0; i < w->all.n; i++)
		n += same_group(w->all.series[i], group);
	return n;
}

/* How many of the groups a mail has room for. */
static size_t groups_shown(const struct work *w, const struct compare_row *const *first, size_t n)
{
	size_t rows = 0, shown = 0;

	while (shown < n && shown < GROUPS_MOST) {
		rows += series_in(w, first[shown]->series);
		if (shown && rows > SWEEP_ROWS_MOST)
			break;
		shown++;
	}
	return shown;
}

static int read_sweep(struct work *w, struct err *err)
{
	const struct compare_row **first = arena_array(w->a, const struct compare_row *, w->m->n_rows);
	const struct cat_kernel *kernels[SWEEP_KERNELS_MOST] = { w->al->from, w->al->to };
	size_t n_groups = groups(w, first), n_shown = groups_shown(w, first, n_groups), n_kernels = 2;
	struct selection sel = { .series = arena_array(w->a, const struct cat_series *, w->all.n) };
	struct sweep *s;

	w->m->extent = (struct calc_extent){ NAN, NAN };
	for (size_t i = 0; i < w->all.n; i++)
		for (size_t g = 0; g < n_shown; g++)
			if (same_group(w->all.series[i], first[g]->series)) {
				sel.series[sel.n++] = w->all.series[i];
				break;
			}
	w->m->axis = axis_of(w->a, &sel);
	if (!w->m->axis)
		return 0;
	for (size_t i = 0; i < w->m->n_fixes && n_kernels < SWEEP_KERNELS_MOST; i++)
		if (w->m->fixes[i].broken == w->al->to)
			kernels[n_kernels++] = w->m->fixes[i].kernel;
	if (calc_sweep(w->c, w->db, w->a, &sel, w->m->axis, kernels, n_kernels, NULL, SWEEP_ONSET_PERCENT, &s, err))
		return -1;
	w->m->sweep = s;
	w->m->groups_left = n_groups - n_shown;
	calc_extent_of(w->a, s, w->al->to, w->m->rows, w->m->n_rows, &w->m->extent);
	return 0;
}

/* ---- broad benchmarks ---- */

static int by_id(const void *x, const void *y)
{
	const struct cat_series *s = *(const struct cat_series *const *)x, *t = *(const struct cat_series *const *)y;

	return (s->id > t->id) - (s->id < t->id);
}

static bool is_broad(struct arena *a, const char *globs, const char *name)
{
	for (const char *p = globs; p && *p; p += strcspn(p, ","), p += *p == ',')
		if (calc_select_glob(arena_strndup(a, p, strcspn(p, ",")), name))
			return true;
	return false;
}

/* The series of all broad benchmarks, in id order. */
static struct selection broad_series(struct work *w)
{
	const struct cat_benchmark *const *list;
	struct selection sel = { 0 };
	bool *broad;
	size_t n, n_series;

	db_catalog_lock(w->c);
	list = db_catalog_benchmarks(w->c, &n);
	broad = arena_array(w->a, bool, n);
	for (size_t i = 0; i < n; i++)
		broad[i] = is_broad(w->a, w->m->look.broad, list[i]->name);
	for (size_t i = 0; i < n; i++) {
		const struct cat_series *const *of = broad[i] ? db_catalog_series_of(w->c, list[i]->id, &n_series) : NULL;

		if (!of)
			continue;
		sel.series = arena_grow(w->a, sel.series, sel.n * sizeof(*of), (sel.n + n_series) * sizeof(*of));
		memcpy(sel.series + sel.n, of, n_series * sizeof(*of));
		sel.n += n_series;
	}
	db_catalog_unlock(w->c);
	if (sel.n)
		qsort(sel.series, sel.n, sizeof(*sel.series), by_id);
	return sel;
}

/* Of the same two kernels, on whatever machine. */
static int read_broad(struct work *w, struct err *err)
{
	struct selection sel;
	struct compare *c;

	if (is_broad(w->a, w->m->look.broad, w->al->benchmark->name))
		return 0;
	sel = broad_series(w);
	if (calc_compare(w->c, w->db, w->a, &sel, w->al->from, w->al->to, NULL, NULL, &c, err))
		return -1;
	w->m->broad = calc_matrix(w->a, c, "benchmark", "track");
	return 0;
}

/* ---- how it was measured ---- */

/* The command of a run's source, or NULL. */
static const char *command_of(struct arena *a, const struct run *run)
{
	struct jread_slice whole = { run->source, run->source ? strlen(run->source) : 0, 1 };
	struct err ignored = { 0 };
	struct jnode *root = NULL;
	const char *command;
	bool syntax;

	if (run->source)
		root = jread_parse(&whole, &syntax, &ignored);
	command = jread_type(root) == JREAD_OBJECT ? jread_str(jread_get(root, "command")) : NULL;
	command = command && *command && strlen(command) <= COMMAND_MOST ? arena_strdup(a, command) : NULL;
	jread_free(root);
	return command;
}

static int by_text(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static int read_commands(struct work *w, struct err *err)
{
	int64_t *series = arena_array(w->a, int64_t, w->al->n_rows);
	struct run_filter f = { .kernel_ids = &w->al->to->id, .n_kernels = 1, .benchmark_ids = &w->al->benchmark->id,
				.n_benchmarks = 1, .series_ids = series, .n_series = w->al->n_rows };
	struct run *runs;
	size_t n;

	for (size_t i = 0; i < w->al->n_rows; i++)
		series[i] = w->al->rows[i].series->id;
	if (!w->al->n_rows || db_runs_list(w->db, w->a, &f, NULL, RUNS_ASKED, &runs, &n, err))
		return w->al->n_rows ? -1 : 0;
	for (size_t i = 0; i < n && w->m->n_commands < CALC_MAIL_COMMANDS; i++) {
		const char *command = command_of(w->a, &runs[i]);
		size_t k = 0;

		while (command && k < w->m->n_commands && strcmp(command, w->m->commands[k]))
			k++;
		if (command && k == w->m->n_commands)
			w->m->commands[w->m->n_commands++] = command;
	}
	qsort(w->m->commands, w->m->n_commands, sizeof(*w->m->commands), by_text);
	return 0;
}

/* The report of the alert that this one went into. */
static int read_dup(struct work *w, struct err *err)
{
	struct db_alert *into;

	if (!w->al->alert->merged)
		return 0;
	if (db_alerts_get(w->db, w->a, &w->al->alert->merged_into, &into, err))
		return -1;
	w->m->dup_of = into ? into->report_url : NULL;
	return 0;
}

static int read_rule(struct work *w, struct err *err)
{
	struct db_rule *rule = NULL;

	if (w->al->alert->rule_id && db_rules_get(w->db, w->a, w->al->alert->rule_id, &rule, err))
		return -1;
	w->m->rule = rule;
	return 0;
}

/* Under an id made of the content, so that the same facts are kept once. */
static int keep(struct work *w, struct err *err)
{
	struct db_snapshot s = { .alert_id = w->al->alert->id, .made_at = tm_now_usec() };
	struct buf subject, body, csv, all;
	uint8_t digest[32];
	int ret;

	buf_init(&subject);
	buf_init(&body);
	buf_init(&csv);
	buf_init(&all);
	calc_mail_subject(&subject, w->m);
	calc_mail_words(&body, w->a, w->m);
	calc_alert_csv(&csv, w->a, w->al);
	buf_printf(&all, "nsecwatch.snapshot\n%s\n%s\n%s", subject.p, body.p, csv.p);
	sha256(all.p, all.len, digest);
	uuid_v8_of(&s.id, digest);
	s.subject = subject.p;
	s.body = body.p;
	s.csv = csv.p;
	ret = db_snapshots_keep(w->db, &s, err);
	w->m->kept = !ret;
	w->m->snapshot = s.id;
	buf_fini(&subject);
	buf_fini(&body);
	buf_fini(&csv);
	buf_fini(&all);
	return ret;
}

int calc_mail_of(struct catalog *c, struct db *db, struct arena *a, const struct calc_alert *al,
		 const struct calc_mail_look *look, struct calc_mail **out, struct err *err)
{
	struct calc_mail *m = arena_zalloc(a, sizeof(*m));
	struct work w = { .c = c, .db = db, .a = a, .al = al, .m = m };

	m->look = *look;
	m->alert = al;
	w.all = series_of(&w);
	if (read_pair(&w, err) || calc_still(c, db, a, al, &m->still, err) || read_fixes(&w, err) ||
	    read_sweep(&w, err) || read_broad(&w, err) || read_commands(&w, err) || read_dup(&w, err) || read_rule(&w, err))
		return -1;
	if (look->public_url && keep(&w, err))
		return -1;
	*out = m;
	return 0;
}

int calc_mail_load(struct catalog *c, struct db *db, struct arena *a, const struct uuid *id,
		   const struct calc_mail_look *look, struct calc_mail **out, struct err *err)
{
	struct calc_alert *al;

	*out = NULL;
	if (calc_alert_load(c, db, a, id, &al, err))
		return -1;
	return al ? calc_mail_of(c, db, a, al, look, out, err) : 0;
}
