/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_arranged.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calc_words.h"

/* ---- order ---- */

/* Effect in units of noise; rows without a noise estimate stand behind all that have one, by the size of their change. */
static double effect(const struct compare_row *r)
{
	double change = isfinite(r->change_percent) ? r->change_percent : 0, half;

	if (!isfinite(r->ci_lo) || !isfinite(r->ci_hi))
		return -1 / (1 + fabs(change));
	half = (log1p(r->ci_hi / 100) - log1p(fmax(-99.99, r->ci_lo) / 100)) / 2;
	return fabs(log1p(change / 100)) / fmax(1e-9, half);
}

static double change(const struct compare_row *r) { return r->change_percent; }
static double noise(const struct compare_row *r) { return r->noise_percent; }
static double detectable(const struct compare_row *r) { return r->detectable_percent; }
static double restored(const struct compare_row *r) { return r->restored_percent; }
static double remains(const struct compare_row *r) { return r->remaining_percent; }

static const struct sort {
	const char *word;
	double (*key)(const struct compare_row *r);
	const char *said, *said_up;	/* as words after "sorted by"; the largest first, and last */
} sorts[] = {
	{ "row", NULL, NULL, NULL },
	{ "effect", effect, "effect against noise, the surest first", "effect against noise, the surest last" },
	{ "change", change, "change, the largest first", "change, the smallest first" },
	{ "noise", noise, "noise, the largest first", "noise, the smallest first" },
	{ "detectable", detectable, "detectable change, the largest first", "detectable change, the smallest first" },
	{ "restored", restored, "restored share, the largest first", "restored share, the smallest first" },
	{ "remains", remains, "what remains, the largest first", "what remains, the smallest first" },
};

static const struct sort *sort_of(const char *word)
{
	for (size_t i = 0; word && i < sizeof(sorts) / sizeof(*sorts); i++)
		if (!strcmp(sorts[i].word, word + (*word == '-')))
			return &sorts[i];
	return NULL;
}

bool calc_arranged_is_sort(const char *word)
{
	return sort_of(word) != NULL;
}

struct place {
	const struct compare_row *row;
	double key;
	const char *value;		/* of its group */
	size_t at, group;		/* before; order of its group */
};

/* The largest first; equals stay as they stand. */
static int by_key(const void *x, const void *y)
{
	const struct place *p = x, *q = y;

	if (p->key != q->key)
		return p->key > q->key ? -1 : 1;
	return (p->at > q->at) - (p->at < q->at);
}

static int by_key_up(const void *x, const void *y)
{
	const struct place *p = x, *q = y;

	if (p->key != q->key)
		return p->key < q->key ? -1 : 1;
	return (p->at > q->at) - (p->at < q->at);
}

/* What is not known counts as the least. */
static void sort_places(struct place *places, size_t n, const char *word)
{
	const struct sort *s = sort_of(word);

	if (!s || !s->key)
		return;
	for (size_t i = 0; i < n; i++) {
		places[i].key = s->key(places[i].row);
		if (isnan(places[i].key))
			places[i].key = -INFINITY;
	}
	qsort(places, n, sizeof(*places), *word == '-' ? by_key : by_key_up);
	for (size_t i = 0; i < n; i++)
		places[i].at = i;
}

/* ---- groups ---- */

static const char *const dimensions[] = { "none", "benchmark", "metric", "machine", "uarch", "isa", "thp", "page", "sweep" };

bool calc_arranged_is_group(const char *word)
{
	for (size_t i = 0; i < sizeof(dimensions) / sizeof(*dimensions); i++)
		if (!strcmp(word, dimensions[i]))
			return true;
	return !strncmp(word, "param.", 6) && word[6];
}

static const char *value_of(struct arena *a, const struct cat_series *s, const char *by)
{
	const char *page;

	if (!strcmp(by, "benchmark"))
		return s->benchmark->name;
	if (!strcmp(by, "metric"))
		return s->metric->name;
	if (!strcmp(by, "machine"))
		return s->machine->name;
	if (!strcmp(by, "uarch"))
		return s->machine->uarch;
	if (!strcmp(by, "isa"))
		return s->machine->isa;
	if (!strcmp(by, "thp"))
		return s->config->thp;
	page = calc_words_base_page(a, s->config);
	if (!strcmp(by, "page"))
		return page ? arena_printf(a, "%s KiB pages", page) : "unknown page size";
	if (!strcmp(by, "sweep"))
		return arena_printf(a, "%s %s on %s, THP %s%s%s", s->benchmark->name, s->metric->name, s->machine->name,
				    s->config->thp, page ? ", pages of KiB " : "", page ? page : "");
	for (size_t i = 0; i < s->n_params; i++)
		if (!strcmp(s->param[i].name, by + 6))
			return *calc_words_axis_unit(by + 6) ? calc_words_axis_value(a, by + 6, s->param[i].text) :
			       arena_printf(a, "%s=%s", by + 6, s->param[i].text);
	return arena_printf(a, "no %s", by + 6);
}

static int by_value(const void *x, const void *y)
{
	const struct place *p = x, *q = y;
	int d = strcmp(p->value, q->value);

	return d ? d : (p->at > q->at) - (p->at < q->at);
}

static int by_group(const void *x, const void *y)
{
	const struct place *p = x, *q = y;

	if (p->group != q->group)
		return p->group < q->group ? -1 : 1;
	return (p->at > q->at) - (p->at < q->at);
}

/* Groups stand in the order in which their first rows come. */
static size_t group_places(struct arena *a, struct place *places, size_t n, const char *by)
{
	size_t groups = 0;

	for (size_t i = 0; i < n; i++)
		places[i].value = value_of(a, places[i].row->series, by);
	qsort(places, n, sizeof(*places), by_value);
	for (size_t from = 0, to; from < n; from = to, groups++)
		for (to = from; to < n && !strcmp(places[from].value, places[to].value); to++)
			places[to].group = places[from].at;
	qsort(places, n, sizeof(*places), by_group);
	return groups;
}

static void sum_up(struct compare_group *g, const struct place *first, size_t n)
{
	double logs = 0;
	size_t ratios = 0;

	*g = (struct compare_group){ .value = first->value, .n_rows = n, .geomean_percent = NAN };
	for (size_t i = 0; i < n; i++) {
		const struct compare_row *r = first[i].row;

		g->regressions += r->verdict == COMPARE_REGRESSION;
		g->improvements += r->verdict == COMPARE_IMPROVEMENT;
		g->unchanged += r->verdict == COMPARE_UNCHANGED;
		if (isfinite(r->change_percent) && r->change_percent > -100) {
			logs += log1p(r->change_percent / 100);
			ratios++;
		}
	}
	if (ratios)
		g->geomean_percent = expm1(logs / (double)ratios) * 100;
}

static void set_groups(struct arena *a, struct compare *out, const struct place *places, size_t n, size_t n_groups)
{
	out->groups = arena_array(a, struct compare_group, n_groups + 1);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from; to < n && places[to].group == places[from].group;)
			to++;
		sum_up(&out->groups[out->n_groups++], places + from, to - from);
	}
}

/* ---- all ---- */

static const char *told(struct arena *a, const char *sort, const char *group)
{
	const struct sort *s = sort_of(sort);
	const char *text = "";

	if (s && s->key)
		text = arena_printf(a, "sorted by %s", *sort == '-' ? s->said : s->said_up);
	if (group)
		text = arena_printf(a, "%s%sgrouped by %s", text, *text ? "; " : "",
				    strncmp(group, "param.", 6) ? group : group + 6);
	return text;
}

const struct compare *calc_arranged(struct arena *a, const struct compare *c, const struct arrange *how)
{
	const char *group = how->group && strcmp(how->group, "none") != 0 ? how->group : NULL;
	const struct sort *sort = sort_of(how->sort);
	struct place *places;
	struct compare_row *rows;
	struct compare *out;
	size_t groups;

	if (!group && (!sort || !sort->key))
		return c;
	places = arena_array(a, struct place, c->n_rows + 1);
	for (size_t i = 0; i < c->n_rows; i++)
		places[i] = (struct place){ .row = &c->rows[i], .at = i };
	sort_places(places, c->n_rows, how->sort);
	out = arena_zalloc(a, sizeof(*out));
	*out = *c;
	out->of = calc_compare_whole(c);
	out->arranged_by = told(a, how->sort, group);
	out->grouped_by = group;
	if (group) {
		groups = group_places(a, places, c->n_rows, group);
		set_groups(a, out, places, c->n_rows, groups);
	}
	rows = arena_array(a, struct compare_row, c->n_rows + 1);
	for (size_t i = 0; i < c->n_rows; i++)
		rows[i] = *places[i].row;
	out->rows = rows;
	return out;
}

const char *calc_arranged_row_name(struct arena *a, const struct cat_series *s, const char *group)
{
	const char *by = group ? group : "", *text = "";
	bool sweep = !strcmp(by, "sweep");

	if (!sweep && strcmp(by, "benchmark") != 0)
		text = s->benchmark->name;
	if (s->n_params)
		text = arena_printf(a, "%s%s%s", text, *text ? " " : "",
				    s->n_params == 1 && *calc_words_axis_unit(s->param[0].name) ?
				    calc_words_axis_value(a, s->param[0].name, s->param[0].text) :
				    calc_words_params(a, s, NULL));
	if (!sweep && strcmp(by, "machine") != 0)
		text = arena_printf(a, "%s%s%s", text, *text ? ", " : "", s->machine->name);
	if (!sweep && strcmp(by, "thp") != 0)
		text = arena_printf(a, "%s%sTHP %s", text, *text ? ", " : "", s->config->thp);
	return *text ? text : s->metric->name;
}
