/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_sweep_sentence.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "../chart/table.h"
#include "../lib/num.h"
#include "calc_words.h"

/* ---- words ---- */

/* A sign belongs to what is not nothing: "0 %", never "-0.0 %". */
static const char *signed_percent(struct arena *a, double percent, double whole_from)
{
	if (fabs(percent) < .05)
		return "0 %";
	return arena_printf(a, "%+.*f %%", fabs(percent) >= whole_from ? 0 : 1, percent);
}

const char *calc_sweep_sentence_percent(struct arena *a, double percent)
{
	return signed_percent(a, percent, 9.95);
}

/* One digit more, for what is not part of a range: "+18.8 %". */
static const char *precise(struct arena *a, double percent)
{
	return signed_percent(a, percent, 99.95);
}

const char *calc_sweep_sentence_x(struct arena *a, const struct sweep *s, double x)
{
	char number[NUM_MAX];

	num_format(number, x);
	return calc_words_axis_value(a, s->axis, number);
}

/* Names of tags carry their v in sentences: 6.17-rc1, 6.12.3; not what distributions build, nor variants. */
static const char *tag(struct arena *a, const char *name)
{
	size_t n = strspn(name, "0123456789.");

	if (!isdigit((unsigned char)*name) || !memchr(name, '.', n))
		return name;
	if (!strncmp(name + n, "-rc", 3))
		n += 3 + strspn(name + n + 3, "0123456789");
	return name[n] ? name : arena_printf(a, "v%s", name);
}

/* "cac1db8c3aad reverted", or the variant's name: of "BASE+revert-SHA" what was done is plain. */
static const char *variant_words(struct arena *a, const struct cat_kernel *k)
{
	static const char revert[] = "+revert-";
	const char *plus = strchr(k->name, '+');
	size_t n = sizeof(revert) - 1;

	if (!plus || strncmp(plus, revert, n) || strchr(plus + 1, '+'))
		return k->name;
	return arena_printf(a, "%s reverted", plus + n);
}

/* The range of changes from `onset` up (all of them without one), the smaller move first. */
static const char *range(struct arena *a, const struct sweep_ratio *r)
{
	double least = INFINITY, most = -INFINITY;
	const char *lo, *hi;

	for (size_t i = 0; i < r->n; i++) {
		if (r->x[i] < r->onset)
			continue;
		least = fmin(least, r->percent[i]);
		most = fmax(most, r->percent[i]);
	}
	lo = calc_sweep_sentence_percent(a, most > 0 ? least : most);
	hi = calc_sweep_sentence_percent(a, most > 0 ? most : least);
	return strcmp(lo, hi) ? arena_printf(a, "%s .. %s", lo, hi) : hi;
}

/* How far a move is known to be one, where there is a noise estimate. */
static const char *noise_words(struct arena *a, const struct sweep_ratio *r)
{
	size_t tested = 0, claimed = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (r->x[i] < r->onset || !r->row[i]->tested)
			continue;
		tested++;
		claimed += r->row[i]->verdict >= COMPARE_IMPROVEMENT;
	}
	if (!tested)
		return "";
	return arena_printf(a, " (%zu of %zu beyond noise)", claimed, tested);
}

/* "17.02 -> 42.51 ns": both in the unit of the larger. */
static const char *from_to(struct arena *a, double from, double to, const char *unit)
{
	static const struct { double least; const char *name; } times[] = {
		{ 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 0, "ns" },
	};
	const char *name = arena_strndup(a, unit, strcspn(unit, "/"));
	double by = 1;

	for (size_t i = 0; calc_words_is_time(unit); i++) {
		if (fmax(from, to) < times[i].least)
			continue;
		name = times[i].name;
		by = fmax(times[i].least, 1);
		break;
	}
	return arena_printf(a, "%.4g -> %.4g %s", from / by, to / by, table_clean(a, name));
}

/* Sizes without a ratio are none that it is worse at. */
static const char *sizes_words(struct arena *a, const struct sweep_ratio *r)
{
	return r->n == r->sizes ? arena_printf(a, "at all %zu sizes", r->n) :
				  arena_printf(a, "at the %zu of %zu sizes that have a ratio", r->n, r->sizes);
}

/* ---- sentences ---- */

const char *calc_sweep_sentence_statement(struct arena *a, const struct sweep *s, const struct sweep_ratio *r)
{
	const struct cat_metric *m = r->line->series->metric;
	const char *name = tag(a, r->line->kernel->name), *base = tag(a, r->base->kernel->name);

	if (!r->n && r->sizes)
		return arena_printf(a, "%s against %s: no ratio to values of 0 or less.", name, base);
	if (!r->n)
		return arena_printf(a, "%s and %s have no %s in common.", name, base, s->axis);
	if (isnan(r->onset))
		return arena_printf(a, "%s against %s: %s, no lasting change.", name, base, range(a, r));
	return arena_printf(a, "%s is %s than %s %s, by %s%s.", name, calc_words_moved(m, r->percent[r->n - 1] > 0), base,
			    r->onset == r->x[0] && r->n > 1 ? sizes_words(a, r) :
			    arena_printf(a, "from %s up", calc_sweep_sentence_x(a, s, r->onset)),
			    range(a, r), noise_words(a, r));
}

static bool changed(const struct sweep_part *p)
{
	return p->confidence != COMPARE_NONE && p->verdict != COMPARE_UNCHANGED;
}

/* What is known of one cost: "17.02 -> 42.51 ns (+150 %, strong)", "no change shown (+1.5 %)". */
static const char *part_words(struct arena *a, const struct sweep_ratio *r, enum sweep_cost c)
{
	const struct sweep_part *p = &r->part[c];

	if (!p->test->told)
		return "too small here to be told";
	if (p->verdict == COMPARE_UNCHANGED)
		return arena_printf(a, "unchanged (%s)", precise(a, p->percent));
	if (!changed(p))
		return arena_printf(a, "no change shown (%s)", precise(a, p->percent));
	return arena_printf(a, "%s (%s, %s)", from_to(a, p->base, p->head, r->line->series->metric->unit),
			    precise(a, p->percent), calc_compare_confidence_word(p->confidence));
}

static const char *brought_back(struct arena *a, const struct sweep_part *p)
{
	if (isnan(p->restored_percent))
		return "";
	return arena_printf(a, ", %.0f %% of the change is brought back", p->restored_percent);
}

/* What a variant leaves of a change per unit. */
static const char *remains(struct arena *a, const struct sweep_ratio *r)
{
	const struct sweep_part *p = &r->part[SWEEP_PER_UNIT];
	const char *with = arena_printf(a, "With %s", variant_words(a, r->line->kernel)), *unit = r->line->unit;

	if (!p->test->told)
		return arena_printf(a, "%s the cost per %s is too small to be told", with, unit);
	if (!changed(p))
		return arena_printf(a, "%s no change per %s %s (%s)", with, unit,
				    p->verdict == COMPARE_UNCHANGED ? "remains" : "is shown any more", precise(a, p->percent));
	return arena_printf(a, "%s %s per %s remains", with, precise(a, p->percent), unit);
}

/* The ratio that r's kernel is to repair, where that has lost something per unit. */
static const struct sweep_ratio *repaired(const struct sweep *s, const struct sweep_ratio *r)
{
	const struct sweep_ratio *broken = r->has_pair ? calc_sweep_fixes(s, r) : NULL;

	return broken && broken->has_pair && changed(&broken->part[SWEEP_PER_UNIT]) ? broken : NULL;
}

const char *calc_sweep_sentence_cost(struct arena *a, const struct sweep *s, const struct sweep_ratio *r)
{
	const struct sweep_part *p = &r->part[SWEEP_PER_UNIT];
	const char *fixed;

	if (!r->has_pair)
		return "";
	fixed = part_words(a, r, SWEEP_FIXED);
	if (!repaired(s, r))
		return arena_printf(a, "Per %s: %s; fixed cost: %s.", r->line->unit,
				    part_words(a, r, SWEEP_PER_UNIT), fixed);
	return arena_printf(a, "%s%s%s; fixed cost: %s.", remains(a, r), changed(p) ?
			    arena_printf(a, " (%s, %s)", from_to(a, p->base, p->head, r->line->series->metric->unit),
					 calc_compare_confidence_word(p->confidence)) : "",
			    brought_back(a, p), fixed);
}

const char *calc_sweep_sentence(struct arena *a, const struct sweep *s, const struct sweep_ratio *r)
{
	const char *cost = calc_sweep_sentence_cost(a, s, r);

	if (repaired(s, r))
		return cost;
	return arena_printf(a, "%s%s%s", calc_sweep_sentence_statement(a, s, r), *cost ? " " : "", cost);
}

const char *calc_sweep_sentences(struct arena *a, const struct sweep *s)
{
	const char *text = NULL;

	if (s->n_lines && s->lines[s->n_lines - 1].group != s->lines[0].group)
		return NULL;
	for (size_t i = 0; i < s->n_ratios; i++)
		text = arena_printf(a, "%s%s%s", text ? text : "", text ? " " : "",
				    calc_sweep_sentence(a, s, &s->ratios[i]));
	return text;
}
