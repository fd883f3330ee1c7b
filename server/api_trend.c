/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GET /api/v1/trend: series over the kernels of their tracks, in columns. */
#include "api_trend.h"

#include <math.h>
#include <string.h>

#include "../chart/table.h"
#include "../lib/num.h"
#include "../lib/parallel.h"
#include "../lib/tm.h"
#include "api_shapes.h"
#include "calc_trend_thin.h"
#include "calc_words.h"
#include "web_shared.h"

#define RUNS_MOST 20000		/* of one answer: more would be a cloud, not dots */
#define KERNELS_APART 64	/* from so many on (10 KB) their text is a piece of its own, shared among answers */
#define POINTS_LEAST 4000	/* to be written by one CPU: a quarter of a millisecond's work */
#define POINT_BYTES 32		/* of y, lo, hi, n and boots, at least: `out` need not grow from nothing */
#define POINTS_MOST 100000	/* of a line: what most= can say */

static void json_numbers(struct jsonw *j, const char *key, const double *v, size_t n)
{
	jsonw_key(j, key);
	jsonw_array(j);
	for (size_t i = 0; i < n; i++)
		jsonw_num(j, v[i]);
	jsonw_array_end(j);
}

static void json_range(struct jsonw *j, const char *key, double lo, double hi)
{
	jsonw_key(j, key);
	jsonw_array(j);
	jsonw_num(j, lo);
	jsonw_num(j, hi);
	jsonw_array_end(j);
}

struct asked {
	struct arena *a;
	const struct trend *trend;
	bool explain, runs, dots;	/* dots: and not too many runs to be drawn */
	bool thinned;
};

static void json_change(struct jsonw *j, const struct asked *asked, const struct trend_change *c)
{
	char alert[UUID_TEXT];

	jsonw_object(j);
	jsonw_ki64(j, "at", (int64_t)c->at);
	jsonw_ki64(j, "after", (int64_t)c->after);
	jsonw_knum(j, "before_center", c->before_center);
	jsonw_knum(j, "after_center", c->after_center);
	jsonw_knum(j, "percent", c->percent);
	json_range(j, "ci", c->ci_lo, c->ci_hi);
	json_range(j, "suspects", (double)c->first, (double)c->last);
	jsonw_kbool(j, "level", c->level);
	jsonw_kstr(j, "verdict", calc_compare_verdict_word(c->verdict));
	jsonw_kstr(j, "confidence", calc_compare_confidence_word(c->confidence));
	jsonw_kstr(j, "alert_id", c->has_alert ? uuid_format(&c->alert_id, alert) : NULL);
	if (asked->explain) {
		struct why why;

		calc_why_change(asked->a, asked->trend, c, &why);
		api_shapes_why(j, &why);
	}
	jsonw_object_end(j);
}

static void json_counts(struct jsonw *j, const char *key, const int64_t *v, size_t n)
{
	char number[NUM_MAX + 1] = ",";
	size_t len = 0;

	jsonw_key(j, key);
	jsonw_array(j);
	for (size_t i = 0; i < n; i++) {
		if (!i || v[i] != v[i - 1])	/* labs repeat as often each time */
			len = 1 + (size_t)num_format_i64(number + 1, v[i]);
		memcpy(buf_room(j->out, NUM_MAX), number + !i, NUM_MAX);	/* all of it is a few words */
		j->out->len += len - !i;
	}
	jsonw_array_end(j);
}

/* Every run behind the points, in columns; null where they would be too many. */
static void json_runs(struct jsonw *j, const struct trend_series *s)
{
	char at[TM_TEXT];

	jsonw_key(j, "runs");
	jsonw_object(j);
	jsonw_key(j, "at");
	jsonw_array(j);
	for (size_t i = 0; i < s->n_runs; i++)
		jsonw_i64(j, s->runs[i].kernel);
	jsonw_array_end(j);
	jsonw_key(j, "y");
	jsonw_array(j);
	for (size_t i = 0; i < s->n_runs; i++)
		jsonw_num(j, s->runs[i].s.mean);
	jsonw_array_end(j);
	jsonw_key(j, "n");
	jsonw_array(j);
	for (size_t i = 0; i < s->n_runs; i++)
		jsonw_i64(j, s->runs[i].s.n);
	jsonw_array_end(j);
	jsonw_key(j, "started_at");
	jsonw_array(j);
	for (size_t i = 0; i < s->n_runs; i++)
		jsonw_str(j, tm_format(s->runs[i].started_at, at));
	jsonw_array_end(j);
	jsonw_object_end(j);
}

static void json_series(struct jsonw *j, const struct asked *asked, const struct trend_series *t)
{
	const struct cat_series *s = t->series;
	size_t n = asked->trend->n_kernels;

	jsonw_object(j);
	api_shapes_id(j, "series_id", s->id);
	jsonw_kstr(j, "benchmark", s->benchmark->name);
	jsonw_kstr(j, "metric", s->metric->name);
	jsonw_kstr(j, "unit", s->metric->unit);
	jsonw_kstr(j, "better", better_word(s->metric->better));
	jsonw_kraw(j, "params", s->params);
	jsonw_kstr(j, "machine", s->machine->name);
	jsonw_kstr(j, "uarch", s->machine->uarch);
	jsonw_kstr(j, "thp", s->config->thp);
	jsonw_key(j, "base_page_kib");
	if (s->config->base_page_kib)
		jsonw_i64(j, s->config->base_page_kib);
	else
		jsonw_null(j);
	jsonw_kstr(j, "track", t->track);
	json_numbers(j, "y", t->y, n);
	json_numbers(j, "lo", t->lo, n);
	json_numbers(j, "hi", t->hi, n);
	json_counts(j, "n", t->n, n);
	json_counts(j, "boots", t->boots, n);
	if (asked->thinned)
		jsonw_ki64(j, "left_out", (int64_t)t->left_out);
	if (asked->dots)
		json_runs(j, t);
	else if (asked->runs)
		jsonw_kraw(j, "runs", "null");
	jsonw_key(j, "changes");
	jsonw_array(j);
	for (size_t i = 0; i < t->n_changes; i++)
		json_change(j, asked, &t->changes[i]);
	jsonw_array_end(j);
	jsonw_key(j, "suspect");
	if (t->suspect)
		json_change(j, asked, &t->last);
	else
		jsonw_null(j);
	jsonw_object_end(j);
}

/* When each machine first ran each kernel: a machine runs all its series together. */
static void json_machines(struct jsonw *j, struct arena *a, const struct trend *t)
{
	int64_t *first = arena_array(a, int64_t, t->n_kernels);
	bool *told = arena_array(a, bool, t->n_series);
	char at[TM_TEXT];

	jsonw_key(j, "machines");
	jsonw_array(j);
	for (size_t m = 0; m < t->n_series; m++) {
		if (told[m])
			continue;
		memset(first, 0, t->n_kernels * sizeof(*first));
		for (size_t i = m; i < t->n_series; i++) {
			const struct trend_series *s = &t->series[i];

			if (s->series->machine != t->series[m].series->machine)
				continue;
			told[i] = true;
			for (size_t r = 0; r < s->n_runs; r++)
				if (!first[s->runs[r].kernel] || s->runs[r].started_at < first[s->runs[r].kernel])
					first[s->runs[r].kernel] = s->runs[r].started_at;
		}
		jsonw_object(j);
		jsonw_kstr(j, "machine", t->series[m].series->machine->name);
		jsonw_key(j, "started_at");
		jsonw_array(j);
		for (size_t i = 0; i < t->n_kernels; i++)
			jsonw_str(j, first[i] ? tm_format(first[i], at) : NULL);
		jsonw_array_end(j);
		jsonw_object_end(j);
	}
	jsonw_array_end(j);
}

struct written {		/* some of the series, as text */
	const struct asked *asked;
	size_t from, to;
	struct buf text;
};

static void write_part(void *arg, unsigned i)
{
	struct written *part = (struct written *)arg + i;
	struct jsonw j = jsonw_begin(&part->text);

	buf_reserve(&part->text, (part->to - part->from) * part->asked->trend->n_kernels * POINT_BYTES);
	for (size_t k = part->from; k < part->to; k++)
		json_series(&j, part->asked, &part->asked->trend->series[k]);
}

/* On several CPUs where it pays. Explanations come from the answer's arena, which is one thread's. */
static void json_all_series(struct jsonw *j, const struct asked *asked)
{
	const struct trend *t = asked->trend;
	unsigned n = asked->explain ? 1 : parallel_parts(t->n_series * t->n_kernels, POINTS_LEAST);
	struct written parts[PARALLEL_MOST];

	for (unsigned i = 0; i < n; i++) {
		parts[i] = (struct written){ .asked = asked, .from = parallel_from(t->n_series, i, n),
					     .to = parallel_from(t->n_series, i + 1, n) };
		buf_init(&parts[i].text);
	}
	if (n == 1) {
		for (size_t i = 0; i < t->n_series; i++)
			json_series(j, asked, &t->series[i]);
		return;
	}
	parallel_run(n, write_part, parts);
	for (unsigned i = 0; i < n; i++) {
		if (parts[i].text.len) {
			jsonw_piece(j, parts[i].text.p, parts[i].text.len);
			j->comma = true;
		}
		buf_fini(&parts[i].text);
	}
}

/*
 * The kernels, as text that the answers about them have in common. The catalogue makes an entry's text anew when
 * something in it changes, and never takes one back, so the same addresses are the same texts.
 */
static void kernels_apart(struct req *rq, struct jsonw *j, const struct trend *t)
{
	const char **texts = arena_alloc(rq->arena, t->n_kernels * sizeof(*texts));

	for (size_t i = 0; i < t->n_kernels; i++)
		texts[i] = __atomic_load_n(&t->kernels[i]->json, __ATOMIC_ACQUIRE);
	rq->shared = web_shared_find(texts, t->n_kernels * sizeof(*texts));
	rq->shared_at = rq->out.len;
	if (!rq->shared) {
		struct buf text;
		struct jsonw own = jsonw_begin(&text);

		buf_init(&text);
		for (size_t i = 0; i < t->n_kernels; i++)
			jsonw_raw(&own, texts[i]);
		rq->shared = web_shared_new(texts, t->n_kernels * sizeof(*texts), &text);
	}
	j->comma = true;
}

static void as_json(struct req *rq, const struct asked *asked)
{
	const struct trend *t = asked->trend;
	struct jsonw j = jsonw_begin(&rq->out);

	buf_reserve(&rq->out, t->n_series * t->n_kernels * POINT_BYTES);
	jsonw_object(&j);
	jsonw_key(&j, "kernels");
	jsonw_array(&j);
	if (t->n_kernels >= KERNELS_APART)
		kernels_apart(rq, &j, t);
	for (size_t i = 0; i < t->n_kernels && !rq->shared; i++)
		api_shapes_kernel(&j, t->kernels[i]);
	jsonw_array_end(&j);
	if (asked->runs)
		json_machines(&j, asked->a, t);
	jsonw_key(&j, "series");
	jsonw_array(&j);
	json_all_series(&j, asked);
	jsonw_array_end(&j);
	jsonw_object_end(&j);
}

static const struct table_col csv_head[] = {
	TABLE_STR("series_id"), TABLE_STR("benchmark"), TABLE_STR("metric"), TABLE_STR("unit"), TABLE_STR("better"),
	TABLE_STR("params"), TABLE_STR("machine"), TABLE_STR("uarch"), TABLE_STR("thp"), TABLE_STR("base_page_kib"),
	TABLE_STR("track"), TABLE_STR("kernel"), TABLE_NUM("y"), TABLE_NUM("lo"), TABLE_NUM("hi"), TABLE_NUM("n"),
	TABLE_NUM("change_percent"), TABLE_STR("change_confidence"),
};

static void csv_series(struct table *t, struct arena *a, const struct trend *tr, const struct trend_series *s)
{
	size_t change = 0;

	for (size_t i = 0; i < tr->n_kernels; i++) {
		bool changed = change < s->n_changes && s->changes[change].at == i;

		if (isnan(s->y[i]))
			continue;
		table_row(t);
		table_i64(t, s->series->id);
		table_str(t, s->series->benchmark->name);
		table_str(t, s->series->metric->name);
		table_str(t, s->series->metric->unit);
		table_str(t, better_word(s->series->metric->better));
		table_str(t, s->series->params);
		table_str(t, s->series->machine->name);
		table_str(t, s->series->machine->uarch);
		table_str(t, s->series->config->thp);
		table_str(t, calc_words_base_page(a, s->series->config));
		table_str(t, s->track);
		table_str(t, tr->kernels[i]->name);
		table_num(t, s->y[i], NULL);
		table_num(t, s->lo[i], NULL);
		table_num(t, s->hi[i], NULL);
		table_i64(t, s->n[i]);
		table_num(t, changed ? s->changes[change].percent : NAN, NULL);
		table_str(t, changed ? calc_compare_confidence_word(s->changes[change].confidence) : NULL);
		change += changed;
	}
}

static void as_csv(struct buf *out, struct arena *a, const struct trend *t)
{
	struct table *table = table_new(a, csv_head, sizeof(csv_head) / sizeof(*csv_head));

	for (size_t i = 0; i < t->n_series; i++)
		csv_series(table, a, t, &t->series[i]);
	table_csv(out, table);
}

static bool few_runs(const struct trend *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_series; i++)
		n += t->series[i].n_runs;
	return n <= RUNS_MOST;
}

int api_trend(struct req *rq, struct err *err)
{
	struct asked asked = { .a = rq->arena };
	struct selection sel;
	struct compare_runs runs;
	struct trend *t;
	int variants, most;

	if (web_arg_int(rq, "variants", 0, 1, 0, &variants, err) || api_shapes_selection(rq, &sel, err) ||
	    web_arg_int(rq, "most", TREND_THIN_LEAST, POINTS_MOST, POINTS_MOST, &most, err) ||
	    api_shapes_flag(rq, "explain", &asked.explain, err) || api_shapes_flag(rq, "runs", &asked.runs, err) ||
	    api_shapes_runs(rq, &runs, err) ||
	    calc_trend(rq->server->catalog, rq->db, rq->arena, &sel, variants != 0, &runs, &t, err))
		return -1;
	asked.trend = t;
	asked.thinned = web_arg(rq, "most") && calc_trend_thin(rq->arena, t, (size_t)most);
	asked.dots = asked.runs && few_runs(t);
	if (rq->rep == REP_CSV)
		as_csv(&rq->out, rq->arena, t);
	else if (rq->rep == REP_TEXT)
		api_trend_text(&rq->out, rq->arena, t);
	else if (rq->rep == REP_SVG)
		api_trend_svg(&rq->out, rq->arena, t);
	else
		as_json(rq, &asked);
	return 0;
}
