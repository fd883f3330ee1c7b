/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Boots of a bisection: runs put together, and what they come to. */
#include <math.h>
#include <string.h>

#include "bisect_impl.h"

static const struct bisect_value *value_of(const struct bisect_run *run, const char *key)
{
	for (size_t i = 0; i < run->n_values; i++)
		if (!strcmp(run->values[i].series.key, key))
			return &run->values[i];
	return NULL;
}

static bool has_run(const struct bisect_boot *boot, const char *id)
{
	for (size_t i = 0; i < boot->n_runs; i++)
		if (!strcmp(boot->runs[i], id))
			return true;
	return false;
}

static struct bisect_boot *boot_of(struct bisect *b, struct bisect_boots *boots, const char *id)
{
	struct bisect_boot *boot;

	for (size_t i = 0; i < boots->n; i++)
		if (!strcmp(boots->list[i].id, id))
			return &boots->list[i];
	boots->list = arena_grow(b->a, boots->list, boots->n * sizeof(*boot), (boots->n + 1) * sizeof(*boot));
	boot = &boots->list[boots->n++];
	*boot = (struct bisect_boot){ .id = id,
				      .n = arena_array(b->a, double, b->n_series),
				      .sum = arena_array(b->a, double, b->n_series) };
	return boot;
}

int bisect_boots_add(struct bisect *b, struct bisect_boots *boots, const struct bisect_runs *runs,
		     size_t *added, struct err *err)
{
	*added = 0;
	for (size_t i = 0; i < runs->n; i++) /* all or nothing */
		for (size_t k = 0; k < b->n_series; k++)
			if (!value_of(&runs->list[i], b->series[k].key))
				return err_set(err, ERR_INVALID, "a run lacks %s, which the baselines have",
					       b->series[k].key);
	for (size_t i = 0; i < runs->n; i++) {
		const struct bisect_run *run = &runs->list[i];
		struct bisect_boot *boot = boot_of(b, boots, run->boot ? run->boot : run->id);

		if (has_run(boot, run->id))
			continue;
		boot->runs = arena_grow(b->a, boot->runs, boot->n_runs * sizeof(char *),
					(boot->n_runs + 1) * sizeof(char *));
		boot->runs[boot->n_runs++] = run->id;
		for (size_t k = 0; k < b->n_series; k++) {
			const struct bisect_value *v = value_of(run, b->series[k].key);

			boot->n[k] += v->n;
			boot->sum[k] += v->sum;
		}
		++*added;
	}
	return 0;
}

double bisect_boots_value(const struct bisect *b, const struct bisect_boot *boot)
{
	double sum = 0;

	for (size_t k = 0; k < b->n_series; k++) {
		double v = log(boot->sum[k] / boot->n[k]);

		sum += b->series[k].higher ? -v : v;
	}
	return sum / (double)b->n_series;
}

struct summary_moments bisect_boots_moments(const struct bisect *b, const struct bisect_boots *boots)
{
	struct summary_moments m = { 0 };

	for (size_t i = 0; i < boots->n; i++)
		summary_add(&m, bisect_boots_value(b, &boots->list[i]));
	return m;
}

struct summary_moments bisect_boots_side(const struct bisect *b, int side, const struct bisect_step *without)
{
	const char *state = side == BISECT_GOOD ? "good" : "bad";
	struct summary_moments m = bisect_boots_moments(b, &b->side[side].boots), more;

	for (size_t i = 0; i < b->n_steps; i++) {
		if (&b->steps[i] == without || strcmp(b->steps[i].state, state))
			continue;
		more = bisect_boots_moments(b, &b->steps[i].boots);
		summary_merge(&m, &more);
	}
	return m;
}

/* Whether all runs of both sides have it. */
static bool in_all(const struct bisect_runs sides[BISECT_SIDES], const char *key)
{
	for (int s = 0; s < BISECT_SIDES; s++)
		for (size_t i = 0; i < sides[s].n; i++)
			if (!value_of(&sides[s].list[i], key))
				return false;
	return true;
}

int bisect_boots_series(struct bisect *b, const struct bisect_runs sides[BISECT_SIDES], struct err *err)
{
	const struct bisect_run *first = &sides[BISECT_GOOD].list[0];

	b->series = arena_array(b->a, struct bisect_series, first->n_values);
	b->n_series = 0;
	for (size_t i = 0; i < first->n_values; i++)
		if (in_all(sides, first->values[i].series.key))
			b->series[b->n_series++] = first->values[i].series;
	if (!b->n_series)
		return err_set(
			err, ERR_INVALID,
			"no series has values in all runs of both kernels: narrow it down with --benchmark, "
			"--metric and --param, or give runs that measured the same");
	return 0;
}

const char *bisect_sure(struct arena *a, double percent)
{
	return percent > 99.99 ? "> 99.99 %" : arena_printf(a, "%.2f %%", percent);
}
