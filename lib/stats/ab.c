/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ab.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#define MATHLIB_STANDALONE
#include <Rmath.h>

/*
 * At these levels the variance of the boots compared is above or below the prior's by more than chance. Below
 * is a rare word: who believes small variances that come by chance (among 64 rows one at 1 %) claims what
 * is not there.
 */
#define ABOVE_P 0.01
#define BELOW_P 1e-4
#define CONTRADICTS_LEAST 1e-6	/* equal values contradict nobody: (0.1 %)^2 */
/* What one boot differs from the next by, to say what more boots would show where nothing is known. */
#define NOISE_GUESS 0.01

const struct ab_floors ab_floors_default = { AB_FLOOR_PERCENT, AB_SAME_PERCENT, AB_SD_FLOOR_PERCENT };

/* ---- rounding ---- */

/* Decimals of v, up to 9; -1: more than that, it was not rounded by a person's format. */
static int decimals(double v)
{
	double power = 1;

	for (int k = 0; k <= 9; k++, power *= 10) {
		double x = v * power;

		if (fabs(x) > 1 / DBL_EPSILON)
			return -1;
		if (fabs(x - nearbyint(x)) <= 4 * DBL_EPSILON * fabs(x))
			return k;
	}
	return -1;
}

double ab_step(double least, double most)
{
	int a, b;

	if (!isfinite(least) || !isfinite(most))
		return 0;
	a = decimals(least);
	b = a < 0 ? -1 : decimals(most);
	if (b < 0)
		return 0;
	return pow(10, -(a > b ? a : b));
}

/* r^2 / 12 */
static double rounding(const struct stats_side *s)
{
	double r = s->center > 0 ? ab_step(s->min, s->max) / s->center : 0;

	return r * r / 12;
}

/* ---- variances ---- */

static double reps_of(const struct stats_side *s)
{
	return (double)s->n / (double)s->boots;
}

/* Pooled over the boots of each side that has several. */
static void own_variance(const struct stats_side *base, const struct stats_side *head, struct ab *t)
{
	const struct stats_side *side[] = { base, head };
	double ss = 0;

	t->own = NAN;
	t->own_df = 0;
	for (int i = 0; i < 2; i++) {
		double df = (double)(side[i]->boots - 1);

		if (df < 1)
			continue;
		ss += df * side[i]->log_stddev * side[i]->log_stddev;
		t->own_df += df;
	}
	if (t->own_df > 0)
		t->own = ss / t->own_df;
	/* 1e-24: equal values whose mean was rounded; without a known step they are no estimate */
	if (!isfinite(t->own) || (t->own < 1e-24 && !(t->rounding > 0)))
		t->own_df = 0;
}

static bool contradicts(double own, double own_df, double prior, double prior_df)
{
	double f = own / prior;

	/* with so few boots no ratio between these is beyond a level, whatever the prior's df; and pf() is dear */
	if (own_df < 20 && f > .25 && f < 1.7)
		return false;
	return pf(f, own_df, prior_df, 0, 0) < ABOVE_P || pf(f, own_df, prior_df, 1, 0) < BELOW_P;
}

/* What the prior expects of the boots that the own variance comes from. */
static double expected(const struct stats_side *base, const struct stats_side *head, const struct noise *prior)
{
	double a = (double)(base->boots - 1), b = (double)(head->boots - 1);

	return (a * noise_at(prior, reps_of(base)) + b * noise_at(prior, reps_of(head))) / (a + b);
}

static void from_boots(const struct stats_side *base, const struct stats_side *head, const struct noise *prior,
		       struct ab *t)
{
	double p = t->prior ? expected(base, head, prior) : 0, v;

	t->source = NOISE_BOOTS;
	t->df = t->own_df;
	t->var_base = t->var_head = t->own;
	if (!t->prior)
		return;
	t->disagrees = !(p > 0) || !isfinite(p) ||
		       contradicts(fmax(t->own, CONTRADICTS_LEAST), t->own_df, p, prior->df);
	if (t->disagrees)
		return;
	/* pooled; and where a side's boots have other numbers of repetitions, as the prior tells them apart */
	v = (t->own_df * t->own + prior->df * p) / (t->own_df + prior->df);
	t->var_base = v * noise_at(prior, reps_of(base)) / p;
	t->var_head = v * noise_at(prior, reps_of(head)) / p;
	t->prior_df = prior->df;
	t->df += prior->df;
}

static void from_prior(const struct stats_side *base, const struct stats_side *head, const struct noise *prior,
		       struct ab *t)
{
	t->source = prior->source;
	t->var_base = noise_at(prior, reps_of(base));
	t->var_head = noise_at(prior, reps_of(head));
	t->df = t->prior_df = prior->df;
}

/*
 * tau presumed. Where it is the constant, it adds no uncertainty of its own; where it follows
 * the spread of the repetitions, it is as uncertain as that (Satterthwaite, Biometrics
 * Bull. 2, 1946, for the sum).
 */
static bool from_repetitions(const struct stats_side *base, const struct stats_side *head, struct ab *t)
{
	double df = (double)(base->n - 1) + (double)(head->n - 1), s2, known, unsure;

	s2 = ((double)(base->n - 1) * base->log_stddev * base->log_stddev +
	      (double)(head->n - 1) * head->log_stddev * head->log_stddev) / df;
	if (!isfinite(s2) || (s2 < 1e-24 && !(t->rounding > 0)))
		return false;
	known = AB_TAU_PRESUMED * AB_TAU_PRESUMED;
	unsure = AB_TAU_TIMES * AB_TAU_TIMES * s2;
	if (known >= unsure)
		unsure = 0;
	else
		known = 0;
	t->source = NOISE_REPETITIONS;
	t->var_base = known + unsure + s2 / (double)base->n;
	t->var_head = known + unsure + s2 / (double)head->n;
	unsure = 2 * unsure + s2 / (double)base->n + s2 / (double)head->n;
	t->df = unsure > 0 ? df * ((2 * known + unsure) / unsure) * ((2 * known + unsure) / unsure) : 1e6;
	t->df = fmin(t->df, 1e6);
	return true;
}

static bool usable(const struct noise *prior)
{
	return prior && prior->source && prior->df > 0 && isfinite(prior->variance);
}

/* values: there are several a side. */
static bool find_variance(const struct stats_side *base, const struct stats_side *head, const struct noise *prior,
			  bool values, struct ab *t)
{
	own_variance(base, head, t);
	if (usable(prior)) {
		t->prior = prior->source;
		t->from = prior->from;
	}
	/* a side of one single value takes no other side's word for its noise */
	if (t->own_df > 0 && (values || t->prior))
		from_boots(base, head, prior, t);
	else if (t->prior)
		from_prior(base, head, prior, t);
	else if (t->one_boot && values)
		return from_repetitions(base, head, t);
	return t->source != NOISE_NONE;
}

/* ---- the test ---- */

void ab_of_estimate(double diff, double se, double df, struct student_memo *memo, struct ab *t)
{
	double reach = student_t975(memo, df) * se;

	t->diff = diff;
	t->se = se;
	t->df = df;
	t->p = student_p(diff / se, df);
	t->lo = diff - reach;
	t->hi = diff + reach;
	t->detectable = reach + student_t80(memo, df) * se;
	if (!t->source)
		t->source = NOISE_BOOTS;
}

static void spread_out(const struct stats_side *base, const struct stats_side *head, const struct ab_floors *floors,
		       struct student_memo *memo, struct ab *t)
{
	double least = floors->sd_percent * floors->sd_percent / 1e4, se;

	t->var_base = fmax(t->var_base, least);
	t->var_head = fmax(t->var_head, least);
	se = sqrt(t->var_base / (double)base->boots + t->var_head / (double)head->boots + t->rounding);
	ab_of_estimate(t->diff, se, t->df, memo, t);
	t->noise = sqrt((t->var_base + t->var_head) / 2);
}

bool ab_test(const struct stats_side *base, const struct stats_side *head, const struct noise *prior,
	     const struct ab_floors *floors, struct student_memo *memo, struct ab *t)
{
	*t = (struct ab){
		.diff = head->log_mean - base->log_mean, .var_base = NAN, .var_head = NAN, .rounding = NAN, .se = NAN,
		.df = NAN, .p = NAN, .lo = NAN, .hi = NAN, .noise = NAN, .detectable = NAN, .own = NAN,
	};
	if (!base->runs || !head->runs || !isfinite(t->diff))
		return false;
	t->one_boot = base->boots + head->boots <= 2;
	t->rounding = rounding(base) + rounding(head);
	if (!find_variance(base, head, prior, base->n > 1 && head->n > 1, t))
		return false;
	spread_out(base, head, floors, memo, t);
	if (isfinite(t->se) && isfinite(t->p))
		return true;
	t->source = NOISE_NONE;
	t->se = t->df = t->p = t->lo = t->hi = t->noise = t->detectable = NAN;
	return false;
}

/* By how much the ends of the interval are off, as logarithms; NaN: not known. */
static double reach_of(const struct stats_side *side, const struct noise *prior, struct student_memo *memo)
{
	static const struct stats_side nothing = { .runs = 1, .boots = 1, .n = 1 };
	struct ab t = { .rounding = rounding(side), .one_boot = side->boots == 1 };

	if (!find_variance(side, &nothing, prior, side->n > 1, &t))
		return NAN;
	t.var_base = fmax(t.var_base, AB_SD_FLOOR_PERCENT * AB_SD_FLOOR_PERCENT / 1e4);
	return student_t975(memo, t.df) * sqrt(t.var_base / (double)side->boots + t.rounding);
}

bool ab_interval(const struct stats_side *side, const struct noise *prior, struct student_memo *memo, struct ab_row *row,
		 double *lo, double *hi)
{
	/* one boot, and nothing of its own that tells how it varies or was rounded: it is as the prior says of so many repetitions */
	bool alike = side->boots == 1 && (isnan(side->min) || isnan(side->max)) && usable(prior);

	*lo = *hi = NAN;
	if (!side->runs || !isfinite(side->log_mean))
		return false;
	if (!alike || row->n != side->n) {
		double reach = reach_of(side, prior, memo);

		if (!isfinite(reach))
			return false;
		*row = (struct ab_row){ alike ? side->n : 0, exp(-reach), exp(reach) };
	}
	*lo = side->center * row->less;
	*hi = side->center * row->more;
	return true;
}

enum ab_verdict ab_judge(const struct ab *t, double q, const struct ab_floors *floors, enum ab_confidence *confidence)
{
	double percent, same = floors->same_percent;

	*confidence = AB_NONE;
	if (!t->source || isnan(q))
		return AB_INCONCLUSIVE;
	if (q <= AB_Q_WEAK)
		*confidence = q <= AB_Q_STRONG && !t->one_boot ? AB_STRONG : AB_WEAK;
	percent = *confidence ? expm1(t->diff) * 100 : 0;	/* most have none, and an exponential takes as long as the rest */
	if (*confidence && fabs(percent) >= floors->claim_percent)
		return percent > 0 ? AB_HIGHER : AB_LOWER;
	/* expm1(x) is x or more */
	if ((t->lo * 100 >= -same || expm1(t->lo) * 100 >= -same) && t->hi * 100 <= same && expm1(t->hi) * 100 <= same)
		return AB_UNCHANGED;
	return AB_INCONCLUSIVE;
}

/* ---- the third kernel ---- */

double ab_restored(const struct stats_side *base, const struct stats_side *head, const struct stats_side *fix,
		   const struct ab *t, struct student_memo *memo, double *lo, double *hi)
{
	double lost = head->center - base->center, left = fix->center - base->center, restored;
	double v_base, v_head, v_fix, t2, a, b, c;

	*lo = *hi = NAN;
	restored = (1 - left / lost) * 100;
	if (!base->runs || !head->runs || !fix->runs || lost == 0 || !isfinite(restored))
		return NAN;
	if (!t->source)
		return restored;
	if (t->lo <= 0 && t->hi >= 0)
		return NAN;
	/* variances of the three centres, from those of their logarithms */
	v_base = base->center * base->center * (t->var_base / (double)base->boots + rounding(base));
	v_head = head->center * head->center * (t->var_head / (double)head->boots + rounding(head));
	v_fix = fix->center * fix->center * (t->noise * t->noise / (double)fix->boots + rounding(fix));
	/* left - x lost = 0 within t of its standard error; left and lost share the base */
	t2 = student_t975(memo, t->df);
	t2 *= t2;
	a = lost * lost - t2 * (v_base + v_head);
	b = left * lost - t2 * v_base;
	c = left * left - t2 * (v_base + v_fix);
	if (a > 0 && b * b >= a * c) {
		*lo = (1 - (b + sqrt(b * b - a * c)) / a) * 100;
		*hi = (1 - (b - sqrt(b * b - a * c)) / a) * 100;
	}
	return restored;
}

/* ---- what more boots would show ---- */

static double detectable(double noise, int boots, struct student_memo *memo)
{
	double df = 2. * boots - 2;

	return (student_t975(memo, df) + student_t80(memo, df)) * noise * sqrt(2. / boots);
}

double ab_detectable_percent(double noise, int boots, struct student_memo *memo)
{
	return expm1(detectable(noise, boots, memo)) * 100;
}

int ab_boots_needed(double noise, double percent, struct student_memo *memo)
{
	for (int boots = 2; boots <= 1000; boots++)
		if (detectable(noise, boots, memo) <= log1p(percent / 100))
			return boots;
	return 0;
}

void ab_advice(const struct stats_side *base, const struct stats_side *head, const struct ab *t,
	       struct student_memo *memo, char text[AB_ADVICE])
{
	bool known = t->source && t->source != NOISE_REPETITIONS;
	double noise = known ? t->noise : NOISE_GUESS;
	int have = (int)fmin(fmin((double)base->boots, (double)head->boots), 1000), need;
	char boots[48];

	text[0] = 0;
	if (isnan(t->diff)) {
		snprintf(text, AB_ADVICE, "a value that is not above 0 has no ratio to test");
		return;
	}
	if (base->boots == head->boots)
		snprintf(boots, sizeof(boots), "%d boot%s each", have, have > 1 ? "s" : "");
	else
		snprintf(boots, sizeof(boots), "%lld and %lld boots", (long long)base->boots, (long long)head->boots);
	if (!known) {
		need = have + 2;
		snprintf(text, AB_ADVICE,
			 "%s, no history: %d more boots would show >= %.0f %% if boots differ by %.0f %%", boots, need - have,
			 ab_detectable_percent(noise, need, memo), noise * 100);
		return;
	}
	need = ab_boots_needed(noise, AB_SAME_PERCENT, memo);
	if (need > have)
		snprintf(text, AB_ADVICE, "%s find >= %.2g %%: %d more would find >= %.0f %%", boots,
			 expm1(t->detectable) * 100, need - have, AB_SAME_PERCENT);
	else
		snprintf(text, AB_ADVICE, "%s find >= %.2g %%", boots, expm1(t->detectable) * 100);
}
