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
	variance(w, "paired_residuals", f->pooled ? "scatter of the sizes around both fits, pooled with the boots' noise" :
		 "scatter of the sizes around both fits, what both miss alike taken out", t->own, t->fit_df);
	variance(w, "common_misfit", "what both fits miss alike, where it weighs unequally", t->common, t->fit_df);
	variance(w, "whole_run", f->run_known ? "what moves all sizes of a run together, from boots or history" :
		 "what moves all sizes of a run together: assumed", t->run, t->run_df);
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
	return arena_printf(a, "%s, and a reboot is assumed to move a whole run by %g %%, which single boots can't show.",
			    scatter, FITPAIR_BOOT_SD * 100);
}

void calc_why_part(struct arena *a, const struct sweep *s, const struct sweep_ratio *r, enum sweep_cost c,
		   struct why *w)
{
	const struct sweep_part *p = &r->part[c];
	const char *what = c == SWEEP_FIXED ? "fixed cost" : c == SWEEP_OVERALL ? "mean over all sizes" :
			   arena_printf(a, "cost per %s", r->line->unit);

	*w = (struct why){ .source = "residuals", .q_weak = AB_Q_WEAK, .q_strong = AB_Q_STRONG,
			   .claim_percent = AB_FLOOR_PERCENT, .same_percent = AB_SAME_PERCENT,
			   .family = "costs of this sweep", .family_size = s->family };
	part_numbers(r, c, w);
	if (!p->test->told) {
		w->text = arena_printf(a, "The %s is not above nought by at least three standard errors in both fits, so the "
				       "ratio of the two means nothing.", what);
		return;
	}
	w->text = arena_printf(a, "The %s moved by %s %s %s", what, effect(a, w, p->percent, p->ci_lo, p->ci_hi),
			       part_noise(a, r), outcome(a, w, p->percent, p->q, p->verdict, p->confidence));
}
