/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_why.h"

#include <math.h>

#include "calc_sweep_judge.h"

static void input(struct why *w, const char *name, double value)
{
	if (w->n_inputs < WHY_MOST)
		w->input[w->n_inputs++] = (struct why_input){ name, value };
}

static void variance(struct why *w, const char *name, const char *about, double value, double df)
{
	w->variance[w->n_variances++] = (struct why_variance){ name, about, value, df };
}

static const char *percent(struct arena *a, double p)
{
	return arena_printf(a, "%+.*f %%", fabs(p) >= 99.95 ? 0 : fabs(p) >= 9.95 ? 1 : 2, p);
}

static const char *plain_percent(struct arena *a, double p)
{
	return arena_printf(a, "%.2g %%", p);
}

/* ---- what every verdict has ---- */

/* "q = 1.1e-17 over 6 tests is at most 0.001: strong", or which threshold was not met. */
static const char *outcome(struct arena *a, const struct why *w, double change, double q,
			   enum compare_verdict verdict, enum compare_confidence confidence)
{
	const char *q_text = arena_printf(a, "q = %.2g over %zu %s", q, w->family_size, w->family);

	if (verdict == COMPARE_UNCHANGED)
		return arena_printf(a, "The whole interval lies within %g %% of nothing: unchanged.", w->same_percent);
	if (confidence == COMPARE_NONE)
		return arena_printf(a, "%s is above %g: it may be noise, so no claim is made.", q_text, w->q_weak);
	if (fabs(change) < w->claim_percent)
		return arena_printf(a, "%s would be enough, but less than %g %% is not called a change.", q_text,
				    w->claim_percent);
	if (verdict == COMPARE_INCONCLUSIVE)
		return arena_printf(a, "%s: it moved, but nobody said which direction is better.", q_text);
	if (confidence == COMPARE_STRONG)
		return arena_printf(a, "%s is at most %g: strong.", q_text, w->q_strong);
	if (q <= w->q_strong)
		return arena_printf(a, "%s would be strong, but it is one boot a side: weak.", q_text);
	return arena_printf(a, "%s is at most %g: weak.", q_text, w->q_weak);
}

/* "+150 % (95 % interval +143 % .. +157 %), 64 standard errors from nothing." */
static const char *effect(struct arena *a, const struct why *w, double change, double lo, double hi)
{
	return arena_printf(a, "%s (95 %% interval %s .. %s), %.1f standard errors from nothing.", percent(a, change),
			    percent(a, lo), percent(a, hi), fabs(w->estimate) / w->se);
}

/* ---- rows ---- */

static void side_inputs(struct arena *a, struct why *w, const char *side, const struct stats_side *s)
{
	input(w, arena_printf(a, "%s_boots", side), (double)s->boots);
	input(w, arena_printf(a, "%s_n", side), (double)s->n);
	input(w, arena_printf(a, "%s_center", side), s->center);
	input(w, arena_printf(a, "%s_stddev", side), s->stddev);
}

static const char *boots_words(struct arena *a, const struct compare_row *r)
{
	if (r->base.boots == r->head.boots)
		return arena_printf(a, "%lld boot%s a side", (long long)r->base.boots, r->base.boots > 1 ? "s" : "");
	return arena_printf(a, "%lld against %lld boots", (long long)r->base.boots, (long long)r->head.boots);
}

/* "13 other kernels of this series" */
static const char *prior_words(struct arena *a, const struct ab *t)
{
	const char *many = t->from == 1 ? "" : "s";

	if (t->prior == NOISE_HISTORY)
		return arena_printf(a, "%lld other kernel%s of this series", (long long)t->from, many);
	return arena_printf(a, "%lld other size%s or kind%s of this benchmark on this machine", (long long)t->from, many, many);
}

/* Where the noise is known from, in a sentence. */
static const char *row_noise(struct arena *a, const struct compare_row *r)
{
	const struct ab *t = &r->ab;
	const char *boots = boots_words(a, r), *noise = plain_percent(a, t->noise * 100), *prior = prior_words(a, t);

	switch (t->source) {
	case NOISE_BOOTS:
		boots = arena_printf(a, "Noise: %s differ by %s from boot to boot (%.3g degrees of freedom", boots, noise, t->df);
		if (t->prior_df > 0)
			return arena_printf(a, "%s, %.3g of them from %s).", boots, t->prior_df, prior);
		if (t->disagrees)
			return arena_printf(a, "%s; %s tell of another noise, which does not count).", boots, prior);
		return arena_printf(a, "%s).", boots);
	case NOISE_HISTORY:
	case NOISE_SIBLINGS:
		return arena_printf(a, "Noise: %s can't tell it; by %s boots differ by %s (%.3g degrees of freedom).", boots,
				    prior, noise, t->df);
	case NOISE_REPETITIONS:
		return arena_printf(a, "Noise: %s and no history; a boot is presumed to differ by %s from the next, which only "
				       "large changes are beyond.", boots, noise);
	case NOISE_NONE:
		break;
	}
	return "";
}

static struct why ab_why(const struct ab *t, const char *family, size_t family_size)
{
	return (struct why){ .source = noise_source_word(t->source), .estimate = t->source ? t->diff : NAN, .se = t->se,
			     .q_weak = AB_Q_WEAK, .q_strong = AB_Q_STRONG,
			     .claim_percent = ab_floors_default.claim_percent,
			     .same_percent = ab_floors_default.same_percent, .family = family,
			     .family_size = family_size };
}

static void row_why(struct arena *a, const struct compare_row *r, const char *family, size_t family_size, struct why *w)
{
	const struct ab *t = &r->ab;

	*w = ab_why(t, family, family_size);
	side_inputs(a, w, "base", &r->base);
	side_inputs(a, w, "head", &r->head);
	input(w, "noise_percent", r->noise_percent);
	input(w, "detectable_percent", r->detectable_percent);
	if (r->fix.runs) {
		input(w, "restored_lo_percent", r->restored_lo);
		input(w, "restored_hi_percent", r->restored_hi);
		input(w, "remaining_lo_percent", r->remaining_lo);
		input(w, "remaining_hi_percent", r->remaining_hi);
	}
	if (!t->source) {
		struct student_memo memo = { 0 };	/* not out of the arena: rows are many */
		char advice[AB_ADVICE];

		if (isnan(t->diff)) {
			w->text = arena_strdup(a, "Values of 0 or less have no logarithm, which is what is tested, so there is no "
					       "verdict, however many boots there are.");
			return;
		}
		ab_advice(&r->base, &r->head, t, &memo, advice);
		w->text = arena_printf(a, "Nothing tells how noisy this is, so there is no verdict. %s.", advice);
		return;
	}
	variance(w, "base", "base", t->var_base / (double)r->base.boots, t->df);
	variance(w, "head", "head", t->var_head / (double)r->head.boots, t->df);
	variance(w, "rounding", "rounding of the values", t->rounding, NAN);
	w->text = arena_printf(a, "The change is %s %s %s", effect(a, w, r->change_percent, r->ci_lo, r->ci_hi),
			       row_noise(a, r), outcome(a, w, r->change_percent, r->q, r->verdict, r->confidence));
}

void calc_why_row(struct arena *a, const struct compare_row *r, size_t family, struct why *w)
{
	row_why(a, r, "rows of this comparison", family, w);
}

/* ---- changes ---- */

/* Which kernels may be the first of the new level. */
static const char *suspects(struct arena *a, const struct trend *t, const struct trend_change *c)
{
	if (c->first == c->last)
		return arena_printf(a, "No other kernel than %s fits as the first of it.", t->kernels[c->at]->name);
	return arena_printf(a, "The first of it is %s, or another one from %s to %s.", t->kernels[c->at]->name,
			    t->kernels[c->first]->name, t->kernels[c->last]->name);
}

static const char *level_outcome(const struct trend_change *c)
{
	if (c->confidence == COMPARE_NONE)
		return "A single kernel is no level: it is worth another run, and no claim.";
	if (c->confidence == COMPARE_STRONG)
		return "That is far enough beyond the threshold to tell people: strong.";
	return "That is beyond the threshold, but not so far that people are told: weak.";
}

static void level_why(struct arena *a, const struct trend *t, const struct trend_change *c, struct why *w)
{
	const char *step = arena_printf(a, "goes from %.4g to %.4g, a step of no percentage", c->before_center,
					c->after_center);
	const char *noise = "what no percentage tells";

	*w = (struct why){ .source = "series", .estimate = log(c->after_center / c->before_center), .se = NAN, .q_weak = NAN,
			   .q_strong = NAN, .claim_percent = AB_FLOOR_PERCENT, .same_percent = NAN };
	input(w, "before", c->before_center);
	input(w, "after", c->after_center);
	input(w, "kernels_before", (double)c->runs_before);
	input(w, "kernels_after", (double)c->runs_after);
	input(w, "noise_percent", c->noise_percent);
	input(w, "score", c->score);
	if (isfinite(c->percent) && isfinite(c->ci_lo) && isfinite(c->ci_hi))
		step = arena_printf(a, "is %s off that before (95 %% interval %s .. %s)", percent(a, c->percent),
				    percent(a, c->ci_lo), percent(a, c->ci_hi));
	if (isfinite(c->noise_percent))
		noise = plain_percent(a, c->noise_percent);
	w->text = arena_printf(a, "From %s on the level %s, over %zu kernel%s "
			       "before and %zu after. Noise: one kernel lies %s around its level; how much means of several still "
			       "differ, with drift and all, the series shows by itself. t^2 of the step is %s times what is asked of "
			       "one that long. %s %s", t->kernels[c->at]->name, step, c->runs_before, c->runs_before == 1 ? "" : "s", c->runs_after,
			       noise, arena_printf(a, c->score < 10 ? "%.1f" : "%.0f", c->score), suspects(a, t, c), level_outcome(c));
}

void calc_why_change(struct arena *a, const struct trend *t, const struct trend_change *c, struct why *w)
{
	if (c->level) {
		level_why(a, t, c, w);
		return;
	}
	row_why(a, c->row, "steps of this trend", t->family, w);
	w->text = arena_printf(a, "Against %s, the kernel before. %s", t->kernels[c->after]->name, w->text);
}

/* ---- cells ---- */

void calc_why_cell(struct arena *a, const struct matrix *m, const struct matrix_cell *c, struct why *w)
{
	const char *signs = c->signs_disagree ? " Rows disagree: some are surely above and some surely below nothing." : "";

	*w = ab_why(&c->ab, "cells of this matrix", m->family);
	input(w, "rows", (double)c->n_series);
	input(w, "worst_change_percent", c->worst ? c->worst->change_percent : NAN);
	if (!c->tested) {
		w->text = arena_printf(a, "Not every one of the %zu rows tells how noisy it is, so their mean has no verdict.%s",
				       c->n_series, signs);
		return;
	}
	variance(w, "mean", "mean over rows",
		 c->ab.se * c->ab.se, c->ab.df);
	w->text = arena_printf(a, "The mean over %zu row%s is %s %s%s", c->n_series, c->n_series > 1 ? "s" : "",
			       effect(a, w, c->percent, c->ci_lo, c->ci_hi),
			       outcome(a, w, c->percent, c->q, c->verdict, c->confidence), signs);
}

/* ---- sweeps ---- */

static void part_numbers(const struct sweep_ratio *r, enum sweep_cost c, struct why *w)
{
	const struct fitpair *f = &r->pair;
	const struct fitpair_part *t = r->part[c].test;

	input(w, "sizes", (double)f->n);
	if (c != SWEEP_OVERALL) {
		input(w, "base", r->part[c].base);
		input(w, "head", r->part[c].head);
	}
	input(w, "paired_scatter_percent", sqrt(f->paired) * 100);
	input(w, "common_misfit_percent", sqrt(f->common) * 100);
	input(w, "base_max_residual_percent", f->base.max_residual_percent);
	input(w, "head_max_residual_percent", f->head.max_residual_percent);
	if (f->run_known)
		input(w, "known_noise_percent", sqrt(r->in.noise) * 100);
	variance(w, "paired_residuals", f->pooled ? "sizes around the fits, and boots" :
		 "sizes around the fits", t->own, t->fit_df);
	variance(w, "common_misfit", "misfit of both alike", t->common, t->fit_df);
	variance(w, "whole_run", f->run_known ? "whole runs, from boots or history" :
		 "whole runs, assumed", t->run, t->run_df);
	w->estimate = t->change;
	w->se = t->se;
}

static const char *part_noise(struct arena *a, const struct sweep_ratio *r)
{
	const struct fitpair *f = &r->pair;
	const char *scatter = plain_percent(a, sqrt(f->paired) * 100);

	scatter = arena_printf(a, "Noise: the %zu sizes scatter by %s around both fits", f->n, scatter);
	if (f->common > 0)
		scatter = arena_printf(a, "%s (the %s that both miss alike cancels)", scatter,
				       plain_percent(a, sqrt(f->common) * 100));
	if (f->run_known)
		return arena_printf(a, "%s, and boots or history show that whole runs differ by %s.", scatter,
				    plain_percent(a, sqrt(f->run) * 100));
	return arena_printf(a, "%s, and a reboot is assumed to move a whole run by %s, which single boots can't show.",
			    scatter, plain_percent(a, sqrt(f->run / 2) * 100));
}

void calc_why_part(struct arena *a, const struct sweep *s, const struct sweep_ratio *r, enum sweep_cost c,
		   struct why *w)
{
	const struct sweep_part *p = &r->part[c];
	const char *what = c == SWEEP_FIXED ? "fixed cost" : c == SWEEP_OVERALL ? "mean over all sizes" :
			   arena_printf(a, "cost per %s", r->line->unit);

	*w = (struct why){ .source = "residuals", .q_weak = AB_Q_WEAK, .q_strong = AB_Q_STRONG,
			   .claim_percent = AB_FLOOR_PERCENT, .same_percent = AB_SAME_PERCENT,
			   .family = "tests of this sweep", .family_size = s->family };
	part_numbers(r, c, w);
	if (!p->test->told) {
		w->text = arena_printf(a, "The %s is not above nought by at least three standard errors in both fits, so the "
				       "ratio of the two means nothing.", what);
		return;
	}
	w->text = arena_printf(a, "The %s differs by %s %s %s", what, effect(a, w, p->percent, p->ci_lo, p->ci_hi),
			       part_noise(a, r), outcome(a, w, p->percent, p->q, p->verdict, p->confidence));
}
