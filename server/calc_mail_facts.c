/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known at a glance: one sentence, and a line each on what maintainers ask for. */
#include "calc_mail_facts.h"

#include <math.h>
#include <string.h>

#include "../chart/table.h"
#include "../lib/num.h"
#include "calc_group.h"
#include "calc_mail_point.h"
#include "calc_mail_regzbot.h"
#include "calc_sweep_sentence.h"
#include "calc_words.h"

#define MICRO_PERCENT 5.0	/* Documentation/admin-guide/reporting-regressions.rst: a slow-down of */
#define BROAD_PERCENT 1.0	/* 5 % in a micro-benchmark, unless a broad one moves by more than 1 % */
#define BROAD_SHOWN 5
#define MACHINES_MOST 20
#define KERNEL_DOC "Documentation/admin-guide/reporting-regressions.rst"

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* Of the rows as they compare now, which the tables show, too: when the alert was made there were fewer boots. */
static void range(const struct calc_mail *m, double *least, double *most)
{
	*least = *most = NAN;
	for (size_t i = 0; i < m->n_rows; i++) {
		*least = fmin(*least, m->rows[i]->change_percent);
		*most = fmax(*most, m->rows[i]->change_percent);
	}
	if (fabs(*least) > fabs(*most)) {
		double swap = *least;

		*least = *most;
		*most = swap;
	}
}

static const char *range_text(struct arena *a, const struct calc_mail *m)
{
	const char *lo, *hi;
	double least, most;

	range(m, &least, &most);
	if (isnan(most))
		return calc_alert_range_text(a, m->alert);
	lo = table_percent(a, least);
	hi = table_percent(a, most);
	return strcmp(lo, hi) ? arena_printf(a, "%s .. %s", lo, hi) : hi;
}

/* "from 40 KiB, up to +150 %" of a sweep; "+14 % .. +150 %" of anything else. */
const char *calc_mail_extent(struct arena *a, const struct calc_mail *m)
{
	const char *text = m->sweep ? calc_extent_text(a, m->sweep, &m->extent) : NULL;

	return text ? text : range_text(a, m);
}

struct facts {
	struct arena *a;
	struct mail_fact *list;
	size_t n;
};

__attribute__((format(printf, 3, 4))) static void fact(struct facts *f, const char *name, const char *fmt, ...)
{
	va_list ap;

	f->list = arena_grow(f->a, f->list, f->n * sizeof(*f->list), (f->n + 1) * sizeof(*f->list));
	va_start(ap, fmt);
	f->list[f->n++] = (struct mail_fact){ name, table_clean(f->a, arena_vprintf(f->a, fmt, ap)) };
	va_end(ap);
}

const char *calc_mail_statement(struct arena *a, const struct calc_mail *m)
{
	const struct calc_alert *al = m->alert;
	const struct cat_metric *metric = al->n_rows ? al->rows[0].series->metric : NULL;
	const char *how = al->alert->regression ? "worse" : "better";

	if (metric)
		how = calc_words_moved(metric, al->alert->worst_percent > 0);
	return table_clean(a, arena_printf(a, "%s is %s with %s than with %s: %s, on %zu machine%s.", al->benchmark->name, how,
					   calc_words_kernel(a, al->to), calc_words_kernel(a, al->from), calc_mail_extent(a, m),
					   al->n_machines, plural(al->n_machines)));
}

/* "milan-01, milan-02 (epyc-milan), rome-01 (epyc-rome)" */
static const char *machines(struct arena *a, const struct calc_alert *al)
{
	const struct cat_machine **list = arena_array(a, const struct cat_machine *, al->n_rows + 1);
	const char **names = arena_array(a, const char *, al->n_rows + 1);
	size_t n = 0;

	for (size_t i = 0; i < al->n_rows; i++)	/* rows stand by machine */
		if (!i || al->rows[i - 1].series->machine != al->rows[i].series->machine)
			list[n++] = al->rows[i].series->machine;
	for (size_t i = 0; i < n; i++)
		names[i] = i + 1 < n && i + 1 < MACHINES_MOST && !strcmp(list[i]->uarch, list[i + 1]->uarch) ? list[i]->name :
			   arena_printf(a, "%s (%s)", list[i]->name, list[i]->uarch);
	return calc_alert_list_text(a, names, n, MACHINES_MOST);
}

/* What each mode makes of the same two kernels: the trade-off in one line. */
static const char *modes(struct arena *a, const struct calc_mail *m)
{
	const char *text = calc_alert_list_text(a, m->alert->thp, m->alert->n_thp, 20), *others = "";

	for (size_t i = 0; m->modes->n_rows == 1 && m->modes->n_cols > 1 && i < m->modes->n_cols; i++) {
		const struct matrix_cell *cell = &m->modes->cells[i];
		const char *word = calc_compare_verdict_word(cell->verdict);

		if (cell->verdict == COMPARE_REGRESSION || cell->verdict == COMPARE_IMPROVEMENT)
			word = cell->direction == COMPARE_WORSE ? "worse" : "better";
		else if (cell->verdict == COMPARE_INCONCLUSIVE)
			word = "can't tell";
		others = arena_printf(a, "%s%s %s %s (%s)", others, *others ? "," : "", m->modes->cols[i].text,
				      table_percent(a, cell->percent), word);
	}
	return *others ? arena_printf(a, "%s. Means of all that was measured:%s", text, others) : text;
}

struct span {
	double least, most;
};

static void widen(struct span *s, double v)
{
	s->least = fmin(s->least, v);
	s->most = fmax(s->most, v);
}

/* "3", "3 .. 5": counts; with percent "0.8 %", "0.5 .. 0.9 %". */
static const char *span_text(struct arena *a, struct span s, bool percent)
{
	const char *lo = percent ? arena_printf(a, "%.2g", s.least) : arena_printf(a, "%.0f", s.least);
	const char *hi = percent ? arena_printf(a, "%.2g", s.most) : arena_printf(a, "%.0f", s.most);
	const char *unit = percent ? " %" : "";

	return strcmp(lo, hi) ? arena_printf(a, "%s .. %s%s", lo, hi, unit) : arena_printf(a, "%s%s", hi, unit);
}

static void how_sure(struct facts *f, const struct calc_mail *m)
{
	static const struct span nothing = { NAN, NAN };
	struct arena *a = f->a;
	struct span boots = nothing, reps = nothing, noise = nothing, seen = nothing;
	size_t strong = 0, weak = 0, tested = 0, presumed = 0;
	const char *text;

	for (size_t i = 0; i < m->n_rows; i++) {
		const struct compare_row *r = m->rows[i];

		widen(&boots, (double)r->base.boots);
		widen(&boots, (double)r->head.boots);
		widen(&reps, (double)(r->base.n / r->base.boots));
		widen(&reps, (double)(r->head.n / r->head.boots));
		widen(&noise, r->noise_percent);
		widen(&seen, r->detectable_percent);
		tested += r->tested;
		presumed += r->ab.source == NOISE_REPETITIONS;
	}
	for (size_t i = 0; i < m->alert->n_rows; i++) {
		strong += !strcmp(m->alert->rows[i].change->confidence, "strong");
		weak += !strcmp(m->alert->rows[i].change->confidence, "weak");
	}
	if (!m->n_rows)
		return;
	text = arena_printf(a, "%s boot%s x %s repetition%s a kernel; ", span_text(a, boots, false),
			    boots.most == 1 ? "" : "s", span_text(a, reps, false), reps.most == 1 ? "" : "s");
	if (tested)
		text = arena_printf(a, "%snoise %s%s, %s would be seen; ", text, span_text(a, noise, true),
				    presumed == tested ? " (presumed: nothing is known of other boots)" : "",
				    span_text(a, seen, true));
	else
		text = arena_printf(a, "%sno noise estimate; ", text);
	fact(f, "how sure", "%s%zu strong, %zu weak", text, strong, weak);
}

static void add_once(const char **list, size_t *n, const char *text)
{
	for (size_t i = 0; i < *n; i++)
		if (!strcmp(list[i], text))
			return;
	list[(*n)++] = text;
}

/* "milan-01, rome-01, THP never": where the variant has a line. */
static const char *places(struct arena *a, const struct sweep *s, const struct cat_kernel *variant)
{
	const char **machines = arena_array(a, const char *, s->n_ratios), **thp = arena_array(a, const char *, s->n_ratios);
	size_t n = 0, n_thp = 0;

	for (size_t i = 0; i < s->n_ratios; i++) {
		if (s->ratios[i].line->kernel != variant || !s->ratios[i].has_pair)
			continue;
		add_once(machines, &n, s->ratios[i].line->series->machine->name);
		add_once(thp, &n_thp, s->ratios[i].line->series->config->thp);
	}
	return arena_printf(a, "%s, THP %s", calc_alert_list_text(a, machines, n, 3), calc_alert_list_text(a, thp, n_thp, 3));
}

/* Over all machines and modes where a line fits; how many. */
static size_t sweep_fixes(struct facts *to, const struct calc_mail *m, const struct mail_fix *f, const char *word)
{
	struct arena *a = to->a;
	struct calc_extent_fix all = { 0 };

	if (m->sweep)
		calc_extent_fix_of(m->sweep, f->broken, f->kernel, &all);
	if (all.n)
		fact(to, word, "%s: %s, %s", calc_words_kernel(a, f->kernel), places(a, m->sweep, f->kernel),
		     calc_extent_fix_text(a, &all));
	return all.n;
}

static void fixes(struct facts *to, const struct calc_mail *m)
{
	struct arena *a = to->a;

	for (size_t i = 0; i < m->n_fixes; i++) {
		const struct mail_fix *f = &m->fixes[i];
		const char *word = calc_mail_reverted(a, f->kernel) ? "revert" : "fix";
		const char *rows = arena_printf(a, "%zu row%s", f->n_rows, plural(f->n_rows));

		if (sweep_fixes(to, m, f, word))
			continue;
		if (f->n_rows == 1 && isfinite(f->lo))
			rows = arena_printf(a, "95 %% CI: %.0f .. %.0f %%", f->lo, f->hi);
		else if (f->most - f->least >= 0.5)
			rows = arena_printf(a, "%s: %.0f .. %.0f %%", rows, f->least, f->most);
		fact(to, word, "%s on %s: restores %.0f %% (%s), %s remains", calc_words_kernel(a, f->kernel),
		     calc_alert_list_text(a, f->machines, f->n_machines, 3), f->restored, rows,
		     table_percent(a, f->remaining));
	}
}

/* ---- the kernel's own bar ---- */

static bool moves(const struct matrix_cell *cell)
{
	return cell->n_series && cell->direction == COMPARE_WORSE && fabs(cell->percent) > BROAD_PERCENT &&
	       cell->verdict != COMPARE_UNCHANGED;
}

static const char *broad_list(struct arena *a, const struct matrix *b, size_t *n_moved)
{
	const char *text = "";
	size_t shown = 0, left = 0;

	*n_moved = 0;
	for (int pass = 0; pass < 2; pass++)	/* those that move come first */
		for (size_t i = 0; i < b->n_rows * (b->n_cols ? 1 : 0); i++) {
			const struct matrix_cell *cell = &b->cells[i * b->n_cols];

			if (!cell->n_series || moves(cell) == pass)
				continue;
			*n_moved += !pass;
			if (shown++ == BROAD_SHOWN) {
				left++;
				shown--;
				continue;
			}
			text = arena_printf(a, "%s%s%s %s (%s)", text, *text ? ", " : "", b->rows[i].text,
					    table_percent(a, cell->percent),
					    cell->verdict == COMPARE_INCONCLUSIVE ? "can't tell" :
					    calc_compare_verdict_word(cell->verdict));
		}
	return left ? arena_printf(a, "%s and %zu more", text, left) : text;
}

/* A regression only: what the kernel's own rule for performance says of it. */
static void bar(struct facts *f, const struct calc_mail *m)
{
	struct arena *a = f->a;
	const char *worst, *list;
	double least, size;
	size_t n_moved;

	range(m, &least, &size);
	if (isnan(size))
		size = m->alert->alert->worst_percent;
	worst = table_percent(a, size);
	size = fabs(size);
	if (!m->broad) {
		fact(f, "bar", "a broad benchmark: %s is %s the %g %% of %s", worst,
		     size > BROAD_PERCENT ? "above" : "not above", BROAD_PERCENT, KERNEL_DOC);
		return;
	}
	list = broad_list(a, m->broad, &n_moved);
	fact(f, "broad", "%s%s", n_moved ? "" : "micro only: ", *list ? list :
	     "no broad benchmark was measured on both kernels");
	fact(f, "bar", "%s is %s the %g %% that %s asks of a micro-benchmark%s", worst,
	     size > MICRO_PERCENT ? "above" : "not above", MICRO_PERCENT, KERNEL_DOC,
	     n_moved ? arena_printf(a, "; a broad one moves by more than %g %%, too", BROAD_PERCENT) : "");
}

/* What was asked for, where that is more than a change: a reader has no other way to know what 2000 ns are about. */
static void asked(struct facts *f, const struct db_rule *rule)
{
	struct arena *a = f->a;
	const char *unit = rule->unit ? rule->unit : "";
	const char *above = isnan(rule->above) ? "" : arena_printf(a, "above %.6g %s", rule->above, unit);
	const char *below = isnan(rule->below) ? "" : arena_printf(a, "below %.6g %s", rule->below, unit);

	if (rule->kind == RULE_LIMIT)
		fact(f, "limit", "%s: told when values go %s%s%s", rule->name, above, *above && *below ? " or " : "", below);
	else if (rule->kind == RULE_BASELINE)
		fact(f, "baseline", "%s: never worse than %s by %g %% or more", rule->name, rule->baseline, rule->percent);
}

const struct mail_fact *calc_mail_facts(struct arena *a, const struct calc_mail *m, size_t *n)
{
	const struct calc_alert *al = m->alert;
	const char *still = calc_still_sentence(a, &m->still);
	const char *status = calc_mail_status(a, m);
	struct facts f = { .a = a };

	if (status)
		fact(&f, "status", "%s", status);
	fact(&f, "since", "%s (%s); last good: %s", calc_words_kernel(a, al->to), al->alert->track,
	     calc_words_kernel(a, al->from));
	fact(&f, "change", "%s, %lld of %zu series", range_text(a, m), (long long)al->alert->n_series,
	     m->pair->n_rows);
	if (al->group)
		fact(&f, "grouped", "%s", al->group->why);
	if (al->group && al->group->n_suspects)
		fact(&f, "suspects", "%s", calc_group_suspects_text(a, al->group));
	fact(&f, "machines", "%s", machines(a, al));
	fact(&f, "THP modes", "%s", modes(a, m));
	how_sure(&f, m);
	if (still)
		fact(&f, "newest", "%s", still);
	fixes(&f, m);
	if (m->rule)
		asked(&f, m->rule);
	if (al->alert->regression)
		bar(&f, m);
	*n = f.n;
	return f.list;
}
