/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_select.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/ids.h"
#include "../lib/num.h"

#define PARAM "param."
#define NEAREST 3		/* names told with an unknown one */

enum field { F_BENCHMARK, F_METRIC, F_MACHINE, F_UARCH, F_ISA, F_THP, F_BASE_PAGE, F_PARAM };

static const char *const fields[] = {
	[F_BENCHMARK] = "benchmark", [F_METRIC] = "metric", [F_MACHINE] = "machine", [F_UARCH] = "uarch",
	[F_ISA] = "isa", [F_THP] = "thp", [F_BASE_PAGE] = "base_page_kib",
};

/* All values of one argument: a series passes when one of them fits. */
struct want {
	const char *name;		/* the argument */
	enum field field;
	const char *param;		/* of F_PARAM */
	const char **values;
	bool *is_glob;
	bool *is_number;		/* a value that is a number fits a number that is equal: 4e2 fits 400 */
	double *number;
	size_t n;
	const void *last;		/* the machine, benchmark, ... that was asked about last: series come in heaps of one */
	bool last_fits;
};

bool calc_select_is_selector(const char *name)
{
	for (size_t i = 0; i < F_PARAM; i++)
		if (!strcmp(name, fields[i]))
			return true;
	return !strcmp(name, "track") || (!strncmp(name, PARAM, strlen(PARAM)) && name[strlen(PARAM)]);
}

bool calc_select_glob(const char *pattern, const char *text)
{
	const char *star = NULL, *from = NULL;

	/* only the last star needs to be tried again: what an earlier one took is settled */
	while (*text) {
		if (*pattern == '*') {
			star = ++pattern;
			from = text;
		} else if (*pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star;
			text = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

static bool is_glob(const char *value)
{
	return strchr(value, '*') != NULL;
}

/* ---- names nobody knows ---- */

/* Levenshtein distance over bytes; rows has room for strlen(b) + 1. */
static size_t distance(const char *a, const char *b, size_t *row)
{
	size_t n = strlen(b);

	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t corner = row[0];

		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			size_t best = corner + (a[i - 1] != b[j - 1]);

			corner = row[j];
			best = best < row[j] + 1 ? best : row[j] + 1;
			row[j] = best < row[j - 1] + 1 ? best : row[j - 1] + 1;
		}
	}
	return row[n];
}

struct near {
	const char *name;
	size_t distance;
};

/* Puts a name among the nearest, which are in order; the same name once. */
static void keep_near(struct near *near, const char *name, size_t d)
{
	size_t at = NEAREST;

	for (size_t i = 0; i < NEAREST; i++)
		if (near[i].name && !strcmp(near[i].name, name))
			return;
	while (at > 0 && (!near[at - 1].name || d < near[at - 1].distance))
		at--;
	for (size_t i = NEAREST - 1; i > at; i--)
		near[i] = near[i - 1];
	if (at < NEAREST)
		near[at] = (struct near){ name, d };
}

int calc_select_unknown(struct arena *a, const char *arg, const char *value, const char *const *names, size_t n,
			struct err *err)
{
	char shown[121], *list = arena_strdup(a, "");
	struct near near[NEAREST] = { 0 };
	size_t longest = 0, *row;

	/* the distance costs the product of lengths: what is longer than any name is not compared whole */
	strncpy(shown, value, sizeof(shown) - 1);
	shown[sizeof(shown) - 1] = '\0';
	for (size_t i = 0; i < n; i++)
		if (strlen(names[i]) > longest)
			longest = strlen(names[i]);
	row = arena_array(a, size_t, longest + 1);
	for (size_t i = 0; i < n; i++) {
		size_t d = distance(shown, names[i], row);

		/* a part of a name is nearer than its length says */
		if (*shown && strstr(names[i], shown))
			d = d > 0;
		keep_near(near, names[i], d);
	}
	for (size_t i = 0; i < NEAREST && near[i].name; i++)
		list = arena_printf(a, "%s%s%s", list, i ? ", " : "", near[i].name);
	if (!*list)
		return err_set(err, ERR_UNKNOWN_VALUE, "%s: \"%s\" is not known; there is none yet", arg, shown);
	return err_set(err, ERR_UNKNOWN_VALUE, "%s: \"%s\" is not known; nearest: %s", arg, shown, list);
}

/* ---- series ---- */

static const char *text_of(struct arena *a, const struct cat_series *s, enum field field)
{
	switch (field) {
	case F_BENCHMARK: return s->benchmark->name;
	case F_METRIC: return s->metric->name;
	case F_MACHINE: return s->machine->name;
	case F_UARCH: return s->machine->uarch;
	case F_ISA: return s->machine->isa;
	case F_THP: return s->config->thp;
	case F_BASE_PAGE: return s->config->base_page_kib ? arena_printf(a, "%d", s->config->base_page_kib) :
							    "unknown";
	case F_PARAM: break;
	}
	return NULL;
}

static const struct cat_param *param_of(const struct cat_series *s, const char *name)
{
	for (size_t i = 0; i < s->n_params; i++)
		if (!strcmp(s->param[i].name, name))
			return &s->param[i];
	return NULL;
}

static bool value_fits(const struct want *w, size_t i, const char *text, bool is_number, double number)
{
	if (w->is_glob[i])
		return calc_select_glob(w->values[i], text);
	if (is_number && w->is_number[i])
		return w->number[i] == number;
	return !strcmp(w->values[i], text);
}

/* Whether one of the other names of a machine or benchmark fits a glob: an old name goes on to mean it. */
static bool alias_fits(const char *glob, const char *key, const char *const *aliases)
{
	if (calc_select_glob(glob, key))
		return true;
	for (; aliases && *aliases; aliases++)
		if (calc_select_glob(glob, *aliases))
			return true;
	return false;
}

/* Whether a series fits one value of a want. */
static bool fits_value(struct arena *a, const struct want *w, size_t i, const struct cat_series *s)
{
	const struct cat_param *p;

	if (w->field == F_PARAM) {
		p = param_of(s, w->param);
		return p && value_fits(w, i, p->text, p->is_number, p->number);
	}
	if (w->field == F_BASE_PAGE)
		return value_fits(w, i, text_of(a, s, w->field), s->config->base_page_kib != 0,
				  s->config->base_page_kib);
	if (value_fits(w, i, text_of(a, s, w->field), false, 0))
		return true;
	if (!w->is_glob[i] || (w->field != F_BENCHMARK && w->field != F_MACHINE))
		return false;
	return w->field == F_MACHINE ? alias_fits(w->values[i], s->machine->key, s->machine->aliases) :
				       alias_fits(w->values[i], s->benchmark->key, s->benchmark->aliases);
}

/* What of a series a want looks at: the same thing fits or not in every series that has it. NULL: params, each its own. */
static const void *part_of(const struct cat_series *s, enum field field)
{
	switch (field) {
	case F_BENCHMARK: return s->benchmark;
	case F_METRIC: return s->metric;
	case F_MACHINE:
	case F_UARCH:
	case F_ISA: return s->machine;
	case F_THP:
	case F_BASE_PAGE: return s->config;
	case F_PARAM: break;
	}
	return NULL;
}

static bool fits_any(struct arena *a, const struct want *w, const struct cat_series *s)
{
	for (size_t i = 0; i < w->n; i++)
		if (fits_value(a, w, i, s))
			return true;
	return false;
}

static bool fits(struct arena *a, struct want *w, size_t n, const struct cat_series *s)
{
	for (size_t k = 0; k < n; k++) {
		const void *part = part_of(s, w[k].field);

		if (!part || part != w[k].last)
			w[k].last_fits = fits_any(a, &w[k], s);
		w[k].last = part;
		if (!w[k].last_fits)
			return false;
	}
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Distinct names of params or of a field's values, over all series; the caller holds the lock. */
static const char **names_of(struct catalog *c, struct arena *a, const struct want *w, bool param_names, size_t *n)
{
	size_t n_series, cap = 64;
	const struct cat_series *const *series = db_catalog_series(c, &n_series);
	const char **names = arena_array(a, const char *, cap), *last = "";
	size_t unique = 0;

	*n = 0;
	for (size_t i = 0; i < n_series; i++) {
		size_t many = w->field == F_PARAM ? series[i]->n_params : 1;

		for (size_t k = 0; k < many; k++) {
			const struct cat_param *p = w->field == F_PARAM ? &series[i]->param[k] : NULL;
			const char *name = !p ? text_of(a, series[i], w->field) : param_names ? p->name : p->text;

			if ((p && !param_names && strcmp(p->name, w->param)) || !strcmp(name, last))
				continue;
			if (*n == cap) {
				names = arena_grow(a, names, cap * sizeof(*names), 2 * cap * sizeof(*names));
				cap *= 2;
			}
			names[(*n)++] = last = name;
		}
	}
	qsort(names, *n, sizeof(*names), by_name);
	for (size_t i = 0; i < *n; i++)
		if (!unique || strcmp(names[unique - 1], names[i]))
			names[unique++] = names[i];
	*n = unique;
	return names;
}

/* Series, perhaps of one benchmark only. */
struct some_series {
	const struct cat_series *const *v;
	size_t n;
};

/* Marks the values that series have; how many exact ones are left. */
static size_t look_among(struct arena *a, const struct want *w, const struct some_series *series, bool *known, bool *param_known,
			 size_t left)
{
	const void *part, *last = NULL;

	for (size_t s = 0; s < series->n && (left || !*param_known); s++, last = part) {
		part = part_of(series->v[s], w->field);
		if (part && part == last)
			continue;
		*param_known = *param_known || param_of(series->v[s], w->param);
		for (size_t i = 0; i < w->n; i++)
			if (!known[i] && fits_value(a, w, i, series->v[s])) {
				known[i] = true;
				left--;
			}
	}
	return left;
}

/*
 * Exact values must name something that exists, whatever the other arguments leave of it. Mostly it is among the series of
 * the benchmark asked for; all of them, 20,000 perhaps, are looked at where it is not.
 */
static int check_known(struct catalog *c, struct arena *a, const struct want *w, const struct some_series *near, struct err *err)
{
	struct some_series all;
	size_t n, left = w->n;
	bool *known = arena_array(a, bool, w->n), param_known = w->field != F_PARAM;
	const char **names;

	for (size_t i = 0; i < w->n; i++)
		if (w->is_glob[i]) {
			known[i] = true;
			left--;
		}
	left = look_among(a, w, near, known, &param_known, left);
	all.v = db_catalog_series(c, &all.n);
	left = look_among(a, w, &all, known, &param_known, left);
	if (!left && param_known)
		return 0;
	if (!param_known) {
		names = names_of(c, a, w, true, &n);
		return calc_select_unknown(a, w->name, w->param, names, n, err);
	}
	for (size_t i = 0; i < w->n; i++) {
		if (known[i])
			continue;
		names = names_of(c, a, w, false, &n);
		return calc_select_unknown(a, w->name, w->values[i], names, n, err);
	}
	return 0;
}

/* The tracks of kernels, each once; under the lock. */
static const char **tracks_of(struct catalog *c, struct arena *a, size_t *n)
{
	size_t n_kernels;
	const struct cat_kernel *const *kernels = db_catalog_kernels(c, &n_kernels);
	const char **tracks = arena_array(a, const char *, n_kernels + 1);

	*n = 0;
	for (size_t i = 0; i < n_kernels; i++) {
		size_t k = 0;

		while (k < *n && strcmp(tracks[k], kernels[i]->track))
			k++;
		if (k == *n)
			tracks[(*n)++] = kernels[i]->track;
	}
	return tracks;
}

static int check_track(struct catalog *c, struct arena *a, const char *value, struct err *err)
{
	size_t n, i = 0;
	const char **tracks = tracks_of(c, a, &n);

	while (i < n && strcmp(tracks[i], value))
		i++;
	return i < n || is_glob(value) ? 0 : calc_select_unknown(a, "track", value, tracks, n, err);
}

/* What people read now, for one of the names that mean it. */
static const char *shown_name(const struct catalog *c, enum field field, const char *value)
{
	const struct cat_benchmark *b = field == F_BENCHMARK ? db_catalog_benchmark_of(c, value) : NULL;
	const struct cat_machine *m = field == F_MACHINE ? db_catalog_machine_of(c, value) : NULL;

	return b ? b->name : m ? m->name : value;
}

static void add_want(struct catalog *c, struct arena *a, struct want *wants, size_t *n_wants, const struct select_arg *arg, size_t most)
{
	struct want *w = NULL;

	for (size_t i = 0; i < *n_wants && !w; i++)
		if (!strcmp(wants[i].name, arg->name))
			w = &wants[i];
	if (!w) {
		w = &wants[(*n_wants)++];
		w->name = arg->name;
		w->field = F_PARAM;
		for (size_t i = 0; i < F_PARAM; i++)
			if (!strcmp(arg->name, fields[i]))
				w->field = (enum field)i;
		w->param = w->field == F_PARAM ? arg->name + strlen(PARAM) : NULL;
		w->values = arena_array(a, const char *, most);
		w->is_glob = arena_array(a, bool, most);
		w->is_number = arena_array(a, bool, most);
		w->number = arena_array(a, double, most);
	}
	w->is_glob[w->n] = is_glob(arg->value);
	w->is_number[w->n] = num_parse(arg->value, strlen(arg->value), &w->number[w->n]) == 0;
	w->values[w->n] = w->is_glob[w->n] ? arg->value : shown_name(c, w->field, arg->value);
	w->n++;
}

static void add_fitting(struct arena *a, struct want *wants, size_t n_wants, const struct cat_series *const *series,
			size_t n, struct selection *sel)
{
	for (size_t i = 0; i < n; i++)
		if (fits(a, wants, n_wants, series[i]))
			sel->series[sel->n++] = series[i];
}

static int by_series_id(const void *a, const void *b)
{
	const struct cat_series *const *x = a, *const *y = b;

	return (*x)->id < (*y)->id ? -1 : (*x)->id > (*y)->id;
}

/* Of benchmarks that are asked for, only their own series are looked at: a thousandth, perhaps, of all. */
static void select_of_benchmarks(struct catalog *c, struct arena *a, struct want *wants, size_t n_wants,
				 const struct want *benchmark, struct selection *sel)
{
	size_t n_benchmarks, n, found = 0;
	const struct cat_benchmark *const *benchmarks = db_catalog_benchmarks(c, &n_benchmarks);

	for (size_t i = 0; i < n_benchmarks; i++) {
		const struct cat_series s = { .benchmark = benchmarks[i] }, *const *series;

		if (!fits_any(a, benchmark, &s))
			continue;
		series = db_catalog_series_of(c, benchmarks[i]->id, &n);
		sel->series = arena_grow(a, sel->series, sel->n * sizeof(*sel->series), (sel->n + n) * sizeof(*sel->series));
		add_fitting(a, wants, n_wants, series, n, sel);
		found++;
	}
	if (found > 1)
		qsort(sel->series, sel->n, sizeof(*sel->series), by_series_id);
}

static void select_locked(struct catalog *c, struct arena *a, struct want *wants, size_t n_wants, struct selection *sel)
{
	size_t n;
	const struct cat_series *const *series = db_catalog_series(c, &n);

	for (size_t i = 0; i < n_wants; i++)
		if (wants[i].field == F_BENCHMARK) {
			select_of_benchmarks(c, a, wants, n_wants, &wants[i], sel);
			return;
		}
	sel->series = arena_array(a, const struct cat_series *, n + 1);
	add_fitting(a, wants, n_wants, series, n, sel);
}

/* Those of the first benchmark that is asked for by its name; none. */
static struct some_series near_series(struct catalog *c, const struct want *wants, size_t n)
{
	struct some_series near = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct cat_benchmark *b = wants[i].field == F_BENCHMARK && !wants[i].is_glob[0] ?
						db_catalog_benchmark_of(c, wants[i].values[0]) : NULL;

		if (b)
			near.v = db_catalog_series_of(c, b->id, &near.n);
	}
	return near;
}

/* strict: an exact value must name something. */
static int select_series(struct catalog *c, struct arena *a, const struct select_arg *args, size_t n, bool strict,
			 struct selection *sel, struct err *err)
{
	struct want *wants = arena_array(a, struct want, n + 1);
	struct some_series near;
	size_t n_wants = 0;
	int ret = 0;

	*sel = (struct selection){ .tracks = arena_array(a, const char *, n + 1) };
	db_catalog_lock(c);
	for (size_t i = 0; i < n && !ret; i++) {
		if (!strcmp(args[i].name, "track")) {
			sel->tracks[sel->n_tracks++] = args[i].value;
			ret = strict ? check_track(c, a, args[i].value, err) : 0;
		} else if (calc_select_is_selector(args[i].name)) {
			add_want(c, a, wants, &n_wants, &args[i], n);
		}
	}
	near = near_series(c, wants, n_wants);
	for (size_t i = 0; i < n_wants && strict && !ret; i++)
		ret = check_known(c, a, &wants[i], &near, err);
	if (!ret)
		select_locked(c, a, wants, n_wants, sel);
	db_catalog_unlock(c);
	return ret;
}

int calc_select_series(struct catalog *c, struct arena *a, const struct select_arg *args, size_t n,
		       struct selection *sel, struct err *err)
{
	return select_series(c, a, args, n, true, sel, err);
}

void calc_select_known(struct catalog *c, struct arena *a, const struct select_arg *args, size_t n,
		       struct selection *sel)
{
	struct err none = { 0 };

	select_series(c, a, args, n, false, sel, &none);
}

bool calc_select_track(const struct selection *sel, const char *track)
{
	for (size_t i = 0; i < sel->n_tracks; i++)
		if (calc_select_glob(sel->tracks[i], track))
			return true;
	return sel->n_tracks == 0;
}

const int64_t *calc_select_machines(struct arena *a, const struct selection *sel, size_t *n)
{
	int64_t *ids = arena_array(a, int64_t, sel->n + 1);

	*n = 0;
	for (size_t i = 0; i < sel->n; i++)
		if (!i || sel->series[i]->machine != sel->series[i - 1]->machine)
			ids[(*n)++] = sel->series[i]->machine->id;
	*n = ids_unique(ids, *n);
	return ids;
}
