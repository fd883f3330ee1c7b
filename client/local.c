/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "local.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../chart/table.h"
#include "../lib/jsonw.h"
#include "../lib/stats/ab.h"
#include "../lib/stats/bh.h"
#include "../lib/stats/geomean.h"
#include "local_read.h"
#include "say.h"

enum { BASE, HEAD, FIX, SIDES };
static const char *const side_words[SIDES] = { "base", "head", "fix" };

#define MISSING_SHOWN 20

struct entry {			/* a value in its place */
	const struct local_value *v;
	int side;
};

struct row {
	const struct local_value *v;	/* names it */
	struct stats_side side[SIDES];
	struct ab ab;
	double change, q, restored, restored_lo, restored_hi, remaining;	/* percent */
	const char *verdict, *confidence, *direction;
};

struct missing {
	const struct local_value *v;
	int side;
};

struct local {
	struct arena *a;
	const struct options *o;
	struct local_input in[SIDES];
	int n_sides;
	bool by_machine, by_thp;	/* a side has several, so they tell series apart */
	bool by_metric;			/* there are several */
	struct entry *entries;
	size_t n;
	struct row *rows;
	size_t n_rows;
	struct missing *missing;
	size_t n_missing;
	struct student_memo memo;
};

/* ---- which values belong together ---- */

/* Numbers in names by their value: size_kib 4 before 40. */
static int by_name(const char *x, const char *y)
{
	return strverscmp(x, y);
}

static int key_order(const struct local *l, const struct local_value *x, const struct local_value *y)
{
	int d = strcmp(x->result->benchmark, y->result->benchmark);

	if (!d && l->by_machine)
		d = strcmp(x->sub->machine, y->sub->machine);
	if (!d && l->by_thp)
		d = strcmp(x->sub->thp, y->sub->thp);
	if (!d)
		d = by_name(x->result->params, y->result->params);
	if (!d)
		d = strcmp(x->result->metric, y->result->metric);
	if (!d)
		d = strcmp(x->result->unit, y->result->unit);
	return d ? d : (int)x->result->better - (int)y->result->better;
}

static int entry_order(const void *a, const void *b, void *arg)
{
	const struct entry *x = a, *y = b;
	int d = key_order(arg, x->v, y->v);

	return d ? d : x->side - y->side;
}

static bool selected(const struct options *o, const struct local_value *v)
{
	static const char *const names[] = { "benchmark", "metric", "machine", "thp" };
	const char *const values[] = { v->result->benchmark, v->result->metric, v->sub->machine, v->sub->thp };

	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
		bool asked = false, found = false;

		for (size_t i = 0; i < o->selectors.n; i++) {
			if (strcmp(o->selectors.list[i][0], names[k]))
				continue;
			asked = true;
			found |= !fnmatch(o->selectors.list[i][1], values[k], 0);
		}
		if (asked && !found)
			return false;
	}
	return true;
}

static void gather(struct local *l)
{
	const struct local_value *first[SIDES] = { 0 }, *any = NULL;
	size_t all = 0;

	for (int s = 0; s < l->n_sides; s++)
		all += l->in[s].n;
	l->entries = arena_array(l->a, struct entry, all);
	for (int s = 0; s < l->n_sides; s++)
		for (size_t i = 0; i < l->in[s].n; i++) {
			const struct local_value *v = &l->in[s].values[i];

			if (!selected(l->o, v))
				continue;
			first[s] = first[s] ? first[s] : v;
			any = any ? any : v;
			l->by_machine |= strcmp(v->sub->machine, first[s]->sub->machine) != 0;
			l->by_thp |= strcmp(v->sub->thp, first[s]->sub->thp) != 0;
			l->by_metric |= strcmp(v->result->metric, any->result->metric) != 0;
			l->entries[l->n++] = (struct entry){ v, s };
		}
	if (l->n)
		qsort_r(l->entries, l->n, sizeof(*l->entries), entry_order, l);
}

/* ---- one row ---- */

static void make_side(struct local *l, const struct entry *e, size_t n, struct stats_side *side)
{
	struct stats_sample *s = arena_array(l->a, struct stats_sample, n);
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		const struct result *r = e[i].v->result;

		if (r->status == RESULT_OK && r->n > 0)
			s[found++] = (struct stats_sample){ e[i].v->boot_key, r->n, r->mean, r->stddev, r->min, r->max };
	}
	if (found)
		stats_side_of(s, found, arena_alloc(l->a, stats_side_scratch(found)), side);
}

static double percent(double part, double whole)
{
	double p = (part / whole - 1) * 100;

	return isfinite(p) ? p : NAN;
}

/* change: its sign is that of head - base; so not a percentage of what is below 0 */
static const char *direction_of(double change, enum better better)
{
	if (isnan(change) || better == BETTER_NEUTRAL)
		return NULL;
	if (change == 0)
		return "same";
	return (change > 0) == (better == BETTER_HIGHER) ? "better" : "worse";
}

static void test_row(struct local *l, struct row *r)
{
	const struct stats_side *base = &r->side[BASE], *head = &r->side[HEAD], *fix = &r->side[FIX];

	r->change = percent(head->center, base->center);
	r->direction = direction_of(base->center < 0 ? head->center - base->center : r->change, r->v->result->better);
	ab_test(base, head, NULL, &ab_floors_default, &l->memo, &r->ab);
	r->restored = ab_restored(base, head, fix, &r->ab, &l->memo, &r->restored_lo, &r->restored_hi);
	r->remaining = fix->runs ? percent(fix->center, base->center) : NAN;
}

/* Rows, and what lacks a side, from the sorted entries. */
static void make_rows(struct local *l)
{
	l->rows = arena_array(l->a, struct row, l->n);
	l->missing = arena_array(l->a, struct missing, SIDES * l->n);
	for (size_t from = 0, to; from < l->n; from = to) {
		struct row *r = &l->rows[l->n_rows];

		for (to = from; to < l->n && !key_order(l, l->entries[from].v, l->entries[to].v);)
			to++;
		*r = (struct row){ .v = l->entries[from].v };
		for (size_t i = from, next; i < to; i = next) {
			for (next = i; next < to && l->entries[next].side == l->entries[i].side;)
				next++;
			make_side(l, &l->entries[i], next - i, &r->side[l->entries[i].side]);
		}
		for (int s = 0; s < l->n_sides; s++)
			if (!r->side[s].runs)
				l->missing[l->n_missing++] = (struct missing){ r->v, s };
		if (!r->side[BASE].runs || !r->side[HEAD].runs)
			continue;
		test_row(l, r);
		l->n_rows++;
	}
}

static void judge(struct local *l)
{
	static const char *const confidences[] = { "none", "weak", "strong" };
	double *q = arena_array(l->a, double, l->n_rows);

	for (size_t i = 0; i < l->n_rows; i++)
		q[i] = l->rows[i].ab.p;
	bh_q(q, l->n_rows, arena_array(l->a, size_t, l->n_rows), q);
	for (size_t i = 0; i < l->n_rows; i++) {
		struct row *r = &l->rows[i];
		enum better better = r->v->result->better;
		enum ab_confidence confidence;
		enum ab_verdict v = ab_judge(&r->ab, q[i], &ab_floors_default, &confidence);

		r->q = q[i];
		r->confidence = confidences[confidence];
		r->verdict = v == AB_UNCHANGED ? "unchanged" : "inconclusive";
		if (v >= AB_LOWER && better != BETTER_NEUTRAL)
			r->verdict = (v == AB_HIGHER) == (better == BETTER_HIGHER) ? "improvement" : "regression";
	}
}

static size_t count(const struct local *l, const char *verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n_rows; i++)
		n += !strcmp(l->rows[i].verdict, verdict);
	return n;
}

static double geomean_percent(const struct local *l)
{
	struct geomean g = { 0 };

	for (size_t i = 0; i < l->n_rows; i++)
		geomean_add_pair(&g, l->rows[i].side[HEAD].center, l->rows[i].side[BASE].center);
	return (geomean_value(&g) - 1) * 100;
}

/* ---- JSON, in the API's words ---- */

static void json_names(struct jsonw *j, const struct local_value *v)
{
	jsonw_kstr(j, "benchmark", v->result->benchmark);
	jsonw_kraw(j, "params", v->result->params);
	jsonw_kstr(j, "metric", v->result->metric);
	jsonw_kstr(j, "unit", v->result->unit);
	jsonw_kstr(j, "better", better_word(v->result->better));
	jsonw_kstr(j, "machine", v->sub->machine);
	jsonw_kstr(j, "thp", v->sub->thp);
}

static void json_side(struct jsonw *j, int which, const struct stats_side *s)
{
	jsonw_key(j, side_words[which]);
	if (!s->runs) {
		jsonw_null(j);
		return;
	}
	jsonw_object(j);
	jsonw_ki64(j, "runs", s->runs);
	jsonw_ki64(j, "boots", s->boots);
	jsonw_ki64(j, "n", s->n);
	jsonw_knum(j, "center", s->center);
	jsonw_knum(j, "stddev", s->stddev);
	jsonw_knum(j, "min", s->min);
	jsonw_knum(j, "max", s->max);
	jsonw_object_end(j);
}

static void json_pair(struct jsonw *j, const char *key, double lo, double hi)
{
	jsonw_key(j, key);
	if (!isfinite(lo) || !isfinite(hi)) {
		jsonw_null(j);
		return;
	}
	jsonw_array(j);
	jsonw_num(j, lo);
	jsonw_num(j, hi);
	jsonw_array_end(j);
}

static void json_row(struct jsonw *j, struct local *l, const struct row *r)
{
	char advice[AB_ADVICE];
	bool told = strcmp(r->verdict, "inconclusive") != 0;

	ab_advice(&r->side[BASE], &r->side[HEAD], &r->ab, &l->memo, advice);
	jsonw_object(j);
	json_names(j, r->v);
	for (int s = 0; s < SIDES; s++)
		json_side(j, s, &r->side[s]);
	jsonw_knum(j, "change_percent", r->change);
	jsonw_kstr(j, "direction", r->direction);
	json_pair(j, "change_ci", expm1(r->ab.lo) * 100, expm1(r->ab.hi) * 100);
	jsonw_kstr(j, "verdict", r->verdict);
	jsonw_kstr(j, "confidence", r->confidence);
	jsonw_knum(j, "p", r->ab.p);
	jsonw_knum(j, "q", r->q);
	jsonw_kstr(j, "noise_source", noise_source_word(r->ab.source));
	jsonw_knum(j, "noise_percent", r->ab.noise * 100);
	jsonw_knum(j, "detectable_percent", expm1(r->ab.detectable) * 100);
	jsonw_knum(j, "restored_percent", r->restored);
	json_pair(j, "restored_ci", r->restored_lo, r->restored_hi);
	jsonw_knum(j, "remaining_percent", r->remaining);
	jsonw_kstr(j, "advice", told ? NULL : advice);
	jsonw_object_end(j);
}

static void as_json(struct buf *out, struct local *l)
{
	static const char *const verdicts[] = { "regression", "improvement", "unchanged", "inconclusive" };
	static const char *const keys[] = { "regressions", "improvements", "unchanged", "inconclusive" };
	struct jsonw j = jsonw_begin(out);

	jsonw_object(&j);
	for (int s = 0; s < SIDES; s++) {
		jsonw_key(&j, side_words[s]);
		if (s >= l->n_sides) {
			jsonw_null(&j);
			continue;
		}
		jsonw_object(&j);
		jsonw_kstr(&j, "file", l->in[s].path);
		jsonw_kstr(&j, "kernel", l->in[s].kernel);
		jsonw_object_end(&j);
	}
	jsonw_key(&j, "summary");
	jsonw_object(&j);
	jsonw_ki64(&j, "rows", (int64_t)l->n_rows);
	for (size_t i = 0; i < 4; i++)
		jsonw_ki64(&j, keys[i], (int64_t)count(l, verdicts[i]));
	jsonw_knum(&j, "geomean_percent", geomean_percent(l));
	jsonw_object_end(&j);
	jsonw_key(&j, "rows");
	jsonw_array(&j);
	for (size_t i = 0; i < l->n_rows; i++)
		json_row(&j, l, &l->rows[i]);
	jsonw_array_end(&j);
	jsonw_key(&j, "missing");
	jsonw_array(&j);
	for (size_t i = 0; i < l->n_missing; i++) {
		jsonw_object(&j);
		json_names(&j, l->missing[i].v);
		jsonw_kstr(&j, "side", side_words[l->missing[i].side]);
		jsonw_object_end(&j);
	}
	jsonw_array_end(&j);
	jsonw_object_end(&j);
	buf_putc(out, '\n');
}

/* ---- text ---- */

/* "size_kib=4 threads=2" of {"size_kib":4,"threads":2}: compact JSON has no blank but within a string. */
static const char *params_of(struct local *l, const struct local_value *v)
{
	struct buf b;
	bool string = false;
	const char *s;

	buf_init(&b);
	for (const char *p = v->result->params; *p; p++) {
		if (*p == '"') {
			string = !string;
		} else if (string && *p == '\\' && p[1]) {
			buf_putc(&b, *p++);
			buf_putc(&b, *p);
		} else if (string || !strchr("{}:,", *p)) {
			buf_putc(&b, *p);
		} else if (*p == ':' || *p == ',') {
			buf_putc(&b, *p == ':' ? '=' : ' ');
		}
	}
	s = arena_strndup(l->a, b.len ? b.p : "", b.len);
	buf_fini(&b);
	return s;
}

static const char *name_of(struct local *l, const struct local_value *v)
{
	const char *params = params_of(l, v);
	const char *name = *params ? arena_printf(l->a, "%s %s", v->result->benchmark, params) : v->result->benchmark;

	if (l->by_machine)
		name = arena_printf(l->a, "%s %s", v->sub->machine, name);
	return l->by_thp ? arena_printf(l->a, "%s %s", v->sub->thp, name) : name;
}

static const char *verdict_text(struct arena *a, const struct row *r)
{
	if (!strcmp(r->verdict, "inconclusive"))
		return "can't tell";
	return strcmp(r->verdict, "unchanged") ? arena_printf(a, "%s (%s)", r->verdict, r->confidence) : r->verdict;
}

static void text_row(struct local *l, struct table *t, const struct row *r)
{
	const char *unit = r->v->result->unit;
	double fix = r->side[FIX].runs ? r->side[FIX].center : NAN;

	table_row(t);
	table_str(t, name_of(l, r->v));
	if (l->by_metric)
		table_str(t, r->v->result->metric);
	table_num(t, r->side[BASE].center, table_value(l->a, r->side[BASE].center, unit));
	table_num(t, r->side[HEAD].center, table_value(l->a, r->side[HEAD].center, unit));
	table_num(t, r->change, table_percent(l->a, r->change));
	if (l->n_sides > FIX) {
		table_num(t, fix, table_value(l->a, fix, unit));
		table_num(t, r->restored, arena_printf(l->a, "%.1f %%", r->restored));
	}
	table_str(t, verdict_text(l->a, r));
}

static void text_rows(struct buf *out, struct local *l)
{
	struct table_col *cols = arena_array(l->a, struct table_col, 8);
	struct table *t;
	size_t n = 0;

	cols[n++] = (struct table_col)TABLE_STR("benchmark");
	if (l->by_metric)
		cols[n++] = (struct table_col)TABLE_STR("metric");
	cols[n++] = (struct table_col)TABLE_NUM("base");
	cols[n++] = (struct table_col)TABLE_NUM("head");
	cols[n++] = (struct table_col)TABLE_NUM("change");
	if (l->n_sides > FIX) {
		cols[n++] = (struct table_col)TABLE_NUM("fix");
		cols[n++] = (struct table_col)TABLE_NUM("restored");
	}
	cols[n++] = (struct table_col)TABLE_STR("verdict");
	t = table_new(l->a, cols, n);
	for (size_t i = 0; i < l->n_rows; i++)
		text_row(l, t, &l->rows[i]);
	table_txt(out, t);
}

/* What the rows without a verdict lack, each reason once. */
static void text_advice(struct buf *out, struct local *l)
{
	const char **told = arena_array(l->a, const char *, l->n_rows);
	size_t n = 0;

	for (size_t i = 0; i < l->n_rows; i++) {
		const struct row *r = &l->rows[i];
		char advice[AB_ADVICE];
		size_t k = 0, same = 0;

		if (strcmp(r->verdict, "inconclusive") || r->v->result->better == BETTER_NEUTRAL)
			continue;
		ab_advice(&r->side[BASE], &r->side[HEAD], &r->ab, &l->memo, advice);
		while (k < n && strcmp(told[k], advice))
			k++;
		if (k < n || n >= MISSING_SHOWN)
			continue;
		told[n++] = arena_strdup(l->a, advice);
		for (size_t m = i; m < l->n_rows; m++) {
			char other[AB_ADVICE];

			ab_advice(&l->rows[m].side[BASE], &l->rows[m].side[HEAD], &l->rows[m].ab, &l->memo, other);
			same += !strcmp(l->rows[m].verdict, "inconclusive") && !strcmp(other, advice);
		}
		table_para(out, 2, arena_printf(l->a, "%zu can't be told: %s.", same, advice));
	}
}

static void text_head(struct buf *out, struct local *l)
{
	for (int s = 0; s < l->n_sides; s++) {
		const struct local_input *in = &l->in[s];

		table_para(out, 2, arena_printf(l->a, "%s: %s%s%s, %zu run%s", side_words[s], table_clean(l->a, in->path),
						in->kernel ? ", kernel " : "",
						in->kernel ? table_clean(l->a, in->kernel) : "", in->runs,
						in->runs == 1 ? "" : "s"));
	}
	if (!l->by_metric && l->n)
		table_para(out, 2, arena_printf(l->a, "%s", table_clean(l->a, l->entries[0].v->result->metric)));
	buf_putc(out, '\n');
}

static void as_text(struct buf *out, struct local *l)
{
	text_head(out, l);
	if (l->n_rows) {
		text_rows(out, l);
		buf_putc(out, '\n');
	}
	for (size_t i = 0; i < l->n_missing && i < MISSING_SHOWN; i++)
		table_para(out, 2, arena_printf(l->a, "not in %s: %s %s", side_words[l->missing[i].side],
						table_clean(l->a, name_of(l, l->missing[i].v)),
						table_clean(l->a, l->missing[i].v->result->metric)));
	if (l->n_missing > MISSING_SHOWN)
		table_para(out, 2, arena_printf(l->a, "... and %zu more", l->n_missing - MISSING_SHOWN));
	text_advice(out, l);
	table_para(out, 2, arena_printf(l->a, "%zu rows: %zu regressions, %zu improvements, %zu unchanged, "
					"%zu can't be told%s.", l->n_rows, count(l, "regression"), count(l, "improvement"), count(l, "unchanged"),
					count(l, "inconclusive"),
					l->n_rows > 1 && isfinite(geomean_percent(l)) ?
					arena_printf(l->a, "; geomean %s", table_percent(l->a, geomean_percent(l))) : ""));
}

/* Two machines or THP modes compared are seldom what was meant. */
static void warn(const struct local *l)
{
	const struct submission *base = l->in[BASE].values[0].sub;

	for (int s = HEAD; s < l->n_sides; s++) {
		const struct submission *sub = l->in[s].values[0].sub;

		if (!l->by_machine && strcmp(base->machine, sub->machine))
			say("%s was measured on %s, %s on %s", side_words[BASE], base->machine, side_words[s], sub->machine);
		if (!l->by_thp && strcmp(base->thp, sub->thp))
			say("%s was measured with THP %s, %s with %s", side_words[BASE], base->thp, side_words[s], sub->thp);
	}
}

int local_compare(struct arena *a, const struct options *o)
{
	const char *paths[] = { o->words[0], o->words[1], o->fix };
	const char *kernels[] = { o->base, o->head, NULL };
	static const char *const names[] = { "--base", "--head", "a file of one kernel" };
	struct local *l = arena_zalloc(a, sizeof(*l));
	struct err err = { 0 };
	struct buf out;

	l->a = a;
	l->o = o;
	l->n_sides = o->fix ? SIDES : FIX;
	for (int s = 0; s < l->n_sides; s++)
		if (local_read(a, o, paths[s], kernels[s], names[s], &l->in[s], &err))
			return say("%s", err.message);
	gather(l);
	make_rows(l);
	judge(l);
	warn(l);
	buf_init(&out);
	if (o->json)
		as_json(&out, l);
	else
		as_text(&out, l);
	fwrite(out.p, 1, out.len, stdout);
	buf_fini(&out);
	return l->n_rows ? 0 : say("%s and %s have nothing in common", paths[0], paths[1]);
}
