/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Candidates, and which of them stay. */
#include <math.h>
#include <string.h>

#include "change_own.h"

static const size_t window[] = { 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024 };
#define WINDOWS (sizeof(window) / sizeof(*window))

/* What t^2 of means of a and b runs must exceed. */
double change_threshold(const struct change *c, size_t a, size_t b)
{
	size_t least = a < b ? a : b;
	double n = (double)c->n, t = tune_c0 + tune_c1 * log(n);

	if (least <= 3)
		t += tune_short3;
	else if (least <= 6)
		t += tune_short6;
	return t * (1 + tune_small_n2 / (n * n));
}

/* Mean of from..to and the variance of that: by the table, or by its own spread where that is larger. */
static double side(const struct change *c, size_t from, size_t to, double *mean)
{
	double w = c->sw[to] - c->sw[from], wx = c->swx[to] - c->swx[from], k = (double)(to - from), own;
	double s2 = c->s2[to - from];

	*mean = wx / w;
	own = c->swxx[to] - c->swxx[from] - wx * *mean;
	own = (own + tune_own_df * c->s2[1]) / (k - 1 + tune_own_df);
	if (own > c->s2[1] * tune_local_f)
		s2 *= own / (c->s2[1] * tune_local_f);
	return s2 / w + c->rounding;
}

double change_variance(const struct change *c, size_t from, size_t to)
{
	double mean;

	return side(c, from, to, &mean);
}

static double t2(const struct change *c, size_t at, size_t a, size_t b)
{
	double ma, mb, d, va = side(c, at - a, at, &ma), vb = side(c, at, at + b, &mb);

	d = mb - ma;
	return d * d / (va + vb);
}

double change_ratio(const struct change *c, size_t lo, size_t at, size_t hi)
{
	size_t a = at - lo, b = hi - at, last_a = 0, last_b = 0;
	double best = 0, full = t2(c, at, a, b);

	best = full / change_threshold(c, a, b);
	for (size_t i = 0; i < WINDOWS; i++) {
		size_t wa = window[i] < a ? window[i] : a, wb = window[i] < b ? window[i] : b;

		if (window[i] < tune_win_min)
			continue;
		if ((wa == a && wb == b) || (wa == last_a && wb == last_b))
			break;
		best = fmax(best, t2(c, at, wa, wb) / change_threshold(c, wa, wb));
		last_a = wa;
		last_b = wb;
	}
	return best;
}

/* t^2 of k runs before `at` and b from it on, by the table alone: candidates are many. */
static double quick_t2(const struct change *c, size_t at, size_t k, size_t b)
{
	double wa = c->sw[at] - c->sw[at - k], wb = c->sw[at + b] - c->sw[at];
	double d = (c->swx[at + b] - c->swx[at]) * wa - (c->swx[at] - c->swx[at - k]) * wb;

	return d * d / (wa * wb * (c->s2[k] * wb + c->s2[b] * wa));
}

/* Candidates: the best place of each neighbourhood, by windows of each size. */
static void propose(struct change *c)
{
	size_t n = c->n;

	memset(c->mark, 0, n);
	for (size_t g = 0; g < WINDOWS && 2 * window[g] <= n; g++) {
		size_t k = window[g], best = 0;
		double most = tune_cand;

		if (k > 16 && k & (k - 1))	/* 24, 48, ...: their neighbours see the same places */
			continue;
		for (size_t at = k; at + 2 <= n; at++) {
			double t = quick_t2(c, at, k, at + k <= n ? k : n - at);

			if (best && at - best > k / 2) {
				c->mark[best] = 1;
				best = 0;
				most = tune_cand;
			}
			if (t > most) {
				best = at;
				most = t;
			}
		}
		if (best)
			c->mark[best] = 1;
	}
	c->n_cut = 0;
	for (size_t i = 2; i + 2 <= n; i++)
		if (c->mark[i])
			c->cut[c->n_cut++] = i;
}

/* The place in lo..hi that divides best: least weighted squares. */
size_t change_best_place(const struct change *c, size_t lo, size_t hi, size_t least, double *gain)
{
	double w = change_weight(c, lo, hi), sum = c->swx[hi] - c->swx[lo], most = -1;
	size_t best = lo;

	for (size_t at = lo + least; at + least <= hi; at++) {
		double wa = c->sw[at] - c->sw[lo], sa = c->swx[at] - c->swx[lo];
		double d = sa * w - sum * wa, g = d * d / (wa * (w - wa));

		if (g > most) {
			most = g;
			best = at;
		}
	}
	*gain = most;
	return best;
}

enum { SAME, GONE, MOVED };

static size_t edge(const struct change *c, size_t i)	/* i from 0: before the first cut */
{
	return i == 0 ? 0 : i <= c->n_cut ? c->cut[i - 1] : c->n;
}

static double ratio_of(const struct change *c, size_t i)
{
	size_t lo = edge(c, i), at = edge(c, i + 1), hi = edge(c, i + 2);
	double d = change_mean(c, at, hi) - change_mean(c, lo, at);

	if (fabs(d) < tune_floor)
		return 0;
	return change_ratio(c, lo, at, hi);
}

static void slide(struct change *c, size_t i)
{
	size_t lo = edge(c, i), hi = edge(c, i + 2), least = hi - lo >= 6 && hi < c->n ? 3 : 2;
	double gain;

	if (hi - lo >= 2 * least)
		c->cut[i] = change_best_place(c, lo, hi, least, &gain);
}

/* Takes out the cuts that are marked; their neighbours find their place anew and are measured again. */
static void drop_marked(struct change *c)
{
	uint8_t *mark = c->mark;
	size_t kept = 0, old = c->n_cut;

	for (size_t i = 0; i < old; i++) {
		if (mark[i] == GONE)
			continue;
		c->cut[kept] = c->cut[i];
		c->ratio[kept] = c->ratio[i];
		mark[kept] = (i && mark[i - 1] == GONE) || (i + 1 < old && mark[i + 1] == GONE) ? MOVED : SAME;
		kept++;
	}
	c->n_cut = kept;
	for (size_t i = 0; i < kept; i++)
		if (mark[i] == MOVED)
			slide(c, i);
	for (size_t i = 0; i < kept; i++)
		if (mark[i] == MOVED || (i && mark[i - 1] == MOVED) || (i + 1 < kept && mark[i + 1] == MOVED))
			c->ratio[i] = ratio_of(c, i);
}

/*
 * Merges bottom-up. What goes first matters only among neighbours, so all that are weaker
 * than both of theirs go at once.
 */
static void merge(struct change *c)
{
	bool any;

	for (size_t i = 0; i < c->n_cut; i++)
		c->ratio[i] = ratio_of(c, i);
	do {
		any = false;
		for (size_t i = 0; i < c->n_cut; i++) {
			double r = c->ratio[i];
			bool gone = r < 1 && (!i || c->mark[i - 1] != GONE) && (!i || r <= c->ratio[i - 1]) &&
				    (i + 1 == c->n_cut || r <= c->ratio[i + 1]);

			c->mark[i] = gone ? GONE : SAME;
			any |= gone;
		}
		if (any)
			drop_marked(c);
	} while (any);
}

/*
 * A few runs that leave a level and come back to it are no level unless they stand out far:
 * the neighbouring levels alike, both steps must be as clear as that. Drops both.
 */
static bool excursions(struct change *c)
{
	bool any = false;

	memset(c->mark, SAME, c->n_cut);
	for (size_t i = 0; i + 1 < c->n_cut; i++) {
		size_t lo = edge(c, i), at = edge(c, i + 1), to = edge(c, i + 2), hi = edge(c, i + 3);
		double before = change_mean(c, lo, at), in = change_mean(c, at, to), after = change_mean(c, to, hi);

		if (to - at > (size_t)tune_exc_len || fabs(after - before) > tune_exc_same * fabs(in - before))
			continue;
		if (to - at > 2 && fmin(c->ratio[i], c->ratio[i + 1]) >= tune_exc_need)
			continue;
		c->mark[i] = c->mark[i + 1] = GONE;
		any = true;
		i++;
	}
	if (any)
		drop_marked(c);
	return any;
}

/* The cuts, given noise as it would be without them; then the noise that is left, and again. */
void change_split(struct change *c)
{
	size_t n_cand, n_last = 0;

	c->n_cut = 0;
	change_noise(c, true);
	if (c->n < 4)
		return;
	propose(c);
	n_cand = c->n_cut;
	memcpy(c->cand, c->cut, n_cand * sizeof(*c->cand));
	for (int pass = 0; pass < (int)tune_iter; pass++) {
		memcpy(c->cut, c->cand, n_cand * sizeof(*c->cut));
		c->n_cut = n_cand;
		do
			merge(c);
		while (excursions(c));
		if (pass && c->n_cut == n_last && !memcmp(c->cut, c->last, n_last * sizeof(*c->cut)))
			break;
		n_last = c->n_cut;
		memcpy(c->last, c->cut, n_last * sizeof(*c->last));
		change_noise(c, false);
	}
}
