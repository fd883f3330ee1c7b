/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"

#include <float.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../lib/stats/change_own.h"

#define MOST 128

/* A copy of what was found: the detector reuses its memory. */
struct answer {
	struct change_found found[MOST], last;
	size_t n, n_outliers;
	bool suspect;
};

static struct arena *arena;
static struct change *detector;

static void keep(struct answer *a)
{
	const struct change_list *l = change_find(detector);

	*a = (struct answer){ .n = l->n, .suspect = l->suspect, .last = l->last, .n_outliers = l->n_outliers };
	for (size_t i = 0; i < l->n && i < MOST; i++)
		a->found[i] = l->found[i];
}

static struct answer of_runs(const struct change_run *runs, size_t n)
{
	struct answer a;

	change_clear(detector);
	for (size_t i = 0; i < n; i++)
		change_add(detector, &runs[i]);
	keep(&a);
	return a;
}

static struct answer of(const double *v, size_t n)
{
	struct answer a;

	change_clear(detector);
	for (size_t i = 0; i < n; i++)
		change_add(detector, &(struct change_run){ v[i], NAN, 1, 1 });
	keep(&a);
	return a;
}

/* ---- noise of our own: the same on every machine ---- */

static uint64_t state;

static double uniform(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double gauss(void)
{
	return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* n runs around `level` with a relative deviation of sd. */
static void runs(double *v, size_t n, double level, double sd)
{
	for (size_t i = 0; i < n; i++)
		v[i] = level * (1 + sd * gauss());
}

static bool finite_found(const struct change_found *f)
{
	return isfinite(f->before) && isfinite(f->after) && !isinf(f->percent) && !isinf(f->ci_lo) &&
	       !isinf(f->ci_hi) && isfinite(f->score) && !(f->noise_percent < 0) && !(f->noise_percent > 1e300) && f->lo <= f->index &&
	       f->index <= f->hi;
}

static bool sane(const struct answer *a)
{
	bool good = true;

	for (size_t i = 0; i < a->n && i < MOST; i++)
		good &= finite_found(&a->found[i]);
	return good && (!a->suspect || finite_found(&a->last));
}

static bool same(const struct answer *a, const struct answer *b)
{
	bool good = a->n == b->n && a->suspect == b->suspect;

	for (size_t i = 0; good && i < a->n && i < MOST; i++)
		good = a->found[i].index == b->found[i].index && a->found[i].lo == b->found[i].lo &&
		       a->found[i].hi == b->found[i].hi &&
		       fabs(a->found[i].percent - b->found[i].percent) < 1e-6 * fabs(a->found[i].percent);
	return good;
}

/* ---- what changes are found ---- */

static void test_steps(void)
{
	struct { const char *what; size_t n, at; double level, after, sd; } list[] = {
		{ "8 % in noise of 1 %", 60, 30, 3453, 3729, 0.01 },
		{ "3 % in noise of 1 %, 100 runs a side", 200, 100, 3453, 3557, 0.01 },
		{ "150 % of a large value", 40, 25, 1.7e8, 4.2e8, 0.02 },
		{ "an improvement of 20 %", 50, 10, 1713, 1370, 0.02 },
		{ "30 %, three runs ago", 80, 77, 1713, 2227, 0.02 },
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++) {
		double v[200];
		struct answer a;

		state = 21 + i;
		runs(v, list[i].at, list[i].level, list[i].sd);
		runs(v + list[i].at, list[i].n - list[i].at, list[i].after, list[i].sd);
		a = of(v, list[i].n);
		ok(a.n == 1 && !a.suspect && a.found[0].lo <= list[i].at && list[i].at <= a.found[0].hi &&
		   a.found[0].ci_lo < (list[i].after / list[i].level - 1) * 100 &&
		   a.found[0].ci_hi > (list[i].after / list[i].level - 1) * 100 && sane(&a),
		   "found, its place among the suspects, its size in the interval: %s", list[i].what);
	}
}

static void test_quiet(void)
{
	double v[300], ar = 0;
	size_t n = 0;

	state = 7;
	for (int k = 0; k < 20; k++) {
		runs(v, 300, 1000, 0.02);
		n += of(v, 300).n;
	}
	ok(n == 0, "no change in 6,000 quiet runs");
	for (int k = 0; k < 20; k++) {
		for (size_t i = 0; i < 300; i++) {
			ar = 0.7 * ar + gauss();
			v[i] = 1000 * (1 + 0.01 * ar);
		}
		n += of(v, 300).n;
	}
	ok(n <= 4, "hardly one in 6,000 runs that depend on the one before: %zu", n);
	n = 0;
	for (int k = 0; k < 20; k++) {
		runs(v, 300, 1000, 0.01);
		for (size_t i = 0; i < 300; i++)
			v[i] *= uniform() < 0.03 ? 1 + 2 * uniform() : 1;
		n += of(v, 300).n;
	}
	ok(n <= 2, "nor of lone spikes: %zu", n);
}

static void test_end(void)
{
	double v[60];
	struct answer a;

	state = 11;
	runs(v, 60, 1000, 0.01);
	v[59] = 1200;
	a = of(v, 60);
	ok(a.n == 0 && a.suspect && a.last.index == 59 && a.last.state == CHANGE_SUSPECT && !a.last.clear,
	   "one run that deviates is a suspect, no change");
	v[58] = 1195;
	a = of(v, 60);
	ok(a.n == 1 && !a.suspect && a.found[0].index == 58 && a.found[0].state == CHANGE_LIKELY && a.found[0].clear,
	   "two that agree are a change, likely");
	for (size_t i = 54; i < 58; i++)
		v[i] = 1190 + (double)i;
	a = of(v, 60);
	ok(a.n == 1 && a.found[0].index == 54 && a.found[0].state == CHANGE_CERTAIN, "six are certain");
	runs(v, 60, 1000, 0.01);
	v[20] = v[40] = 1200;
	v[59] = 1200;
	a = of(v, 60);
	ok(a.n == 0 && !a.suspect && a.n_outliers >= 2, "what happened before as a lone run is no suspect, but an outlier");
	runs(v, 60, 1000, 0.01);
	v[30] = v[31] = 1300;
	ok(of(v, 60).n == 0, "two runs that leave the level and come back are none");
}

static void test_weights(void)
{
	struct change_run r[80];
	double v[80];
	struct answer plain, weighed;

	state = 5;
	for (size_t i = 0; i < 80; i++) {	/* the first half of one repetition, 5 % each; then of 25 */
		int reps = i < 40 ? 1 : 25;
		double sum = 0, ss = 0, x[25];

		for (int k = 0; k < reps; k++)
			sum += x[k] = (i < 60 ? 1000 : 1030) * (1 + 0.05 * gauss());
		for (int k = 0; k < reps; k++)
			ss += (x[k] - sum / reps) * (x[k] - sum / reps);
		v[i] = sum / reps;
		r[i] = (struct change_run){ v[i], reps > 1 ? sqrt(ss / (reps - 1)) : NAN, reps, 1 };
	}
	plain = of(v, 80);
	weighed = of_runs(r, 80);
	ok(plain.n == 0 && weighed.n == 1 && weighed.found[0].lo <= 60 && weighed.found[0].hi >= 60,
	   "runs of many repetitions weigh more: a step of 3 %% is seen that is not otherwise");
}

/* ---- what must not matter ---- */

static void test_invariance(void)
{
	double v[160], w[160], gaps[320];
	struct answer a, b;
	bool prefix = true;
	size_t checked = 0;

	state = 3;
	runs(v, 60, 3453, 0.02);
	runs(v + 60, 50, 3700, 0.02);
	runs(v + 110, 50, 3000, 0.02);
	v[20] *= 3;
	a = of(v, 160);
	ok(a.n == 2, "two steps");
	for (size_t i = 0; i < 160; i++)
		w[i] = v[i] / 1000;
	b = of(w, 160);
	ok(same(&a, &b), "in other units: the same");
	for (size_t i = 0; i < 160; i++)
		w[i] = 1e9 / v[i];
	b = of(w, 160);
	ok(b.n == 2 && b.found[0].index == a.found[0].index && b.found[1].index == a.found[1].index &&
	   fabs((1 + b.found[0].percent / 100) * (1 + a.found[0].percent / 100) - 1) < 1e-9,
	   "as calls per second: the same places, the inverse ratio");
	for (size_t i = 0; i < 160; i++) {
		gaps[2 * i] = NAN;
		gaps[2 * i + 1] = v[i];
	}
	b = of(gaps, 320);
	ok(b.n == 2 && b.found[0].index == 2 * a.found[0].index + 1 && b.found[0].score == a.found[0].score,
	   "kernels not run in between do not matter, but for the index");
	change_clear(detector);
	for (size_t n = 0; n < 160; n++) {
		struct change *other = change_new(arena);
		struct answer grown, whole;
		const struct change_list *l;

		change_add(detector, &(struct change_run){ v[n], NAN, 1, 1 });
		keep(&grown);
		if (n % 13 && n != 159)
			continue;
		for (size_t i = 0; i <= n; i++)
			change_add(other, &(struct change_run){ v[i], NAN, 1, 1 });
		l = change_find(other);
		whole = (struct answer){ .n = l->n, .suspect = l->suspect };
		for (size_t i = 0; i < l->n && i < MOST; i++)
			whole.found[i] = l->found[i];
		prefix &= same(&grown, &whole);
		checked++;
	}
	ok(prefix && checked > 10, "run by run is the same as all at once, at each length");
	for (size_t i = 0; i < 160; i++)
		w[i] = v[159 - i];
	b = of(w, 160);
	ok(b.n == 2 && 160 - b.found[1].index == a.found[0].index && 160 - b.found[0].index == a.found[1].index,
	   "the other way round: the same places");
}

/* ---- what no series should be, and some are ---- */

static void test_odd(void)
{
	static double many[100000];
	double v[64] = { 0 }, odd[] = { NAN, INFINITY, -INFINITY, 0, -1, 5e-324, 1e-310, DBL_MIN, DBL_MAX, 1e300, 25 };
	struct answer a;
	bool good = true;

	a = of(v, 0);
	ok(a.n == 0 && !a.suspect, "no run: nothing");
	v[0] = 25;
	a = of(v, 1);
	ok(a.n == 0 && !a.suspect, "one run: nothing");
	v[1] = 30;
	a = of(v, 2);
	ok(a.n == 0 && !a.suspect, "two runs: nothing");
	v[1] = v[2] = 25;
	ok(of(v, 3).n == 0, "25, 25, 25: nothing");
	for (size_t i = 0; i < 40; i++)
		v[i] = i < 20 ? 25 : 30;
	a = of(v, 40);
	ok(a.n == 1 && a.found[0].index == 20 && sane(&a) && fabs(a.found[0].percent - 20) < 1e-9,
	   "20 times 25, then 20 times 30: one change of 20 %%, exactly");
	for (size_t i = 0; i < 40; i++)
		v[i] = i < 20 ? 25 : 26;
	ok(of(v, 40).n == 0, "25 to 26 may be 25.49 to 25.51: nothing");
	for (size_t i = 0; i < 40; i++)
		v[i] = 0;
	ok(of(v, 40).n == 0, "zeros: nothing");
	for (size_t i = 20; i < 40; i++)
		v[i] = 1;
	a = of(v, 40);
	ok(a.n == 1 && sane(&a) && isnan(a.found[0].percent) && isnan(a.found[0].noise_percent),
	   "from 0 to 1: a change, of no percentage, nor is its noise one");
	for (size_t i = 0; i < 10; i++)
		v[i] = i < 4 ? (i % 2 ? -.1 : .1) : i < 5 ? 0 : 5;
	a = of(v, 10);
	ok(a.n == 1 && sane(&a) && a.found[0].before == 0 && isnan(a.found[0].percent) && isnan(a.found[0].noise_percent),
	   "from about 0, which adds up to 0 but for rounding: likewise");
	for (size_t i = 0; i < 40; i++)
		v[i] = i < 20 ? 1e-300 : 2e300;
	a = of(v, 40);
	ok(a.n == 1 && isnan(a.found[0].percent) && isnan(a.found[0].ci_hi), "beyond a double: no percentage");
	state = 9;
	for (size_t i = 0; i < 60; i++)
		v[i] = (i < 30 ? -50 : -80) + gauss();
	a = of(v, 60);
	ok(a.n == 1 && sane(&a) && a.found[0].index == 30 && a.found[0].percent < -50 && a.found[0].percent > -70,
	   "negative values: the step as a share of the level's size");
	for (int k = 0; k < 20000; k++) {
		size_t n = (size_t)(uniform() * 40);

		for (size_t i = 0; i < n; i++)
			v[i] = uniform() < 0.5 ? odd[(size_t)(uniform() * sizeof(odd) / sizeof(*odd))] : gauss();
		a = of(v, n);
		good &= sane(&a);
	}
	ok(good, "any mixture of NaN, infinities, zeros, denormals, largest: finite answers");
	runs(many, 50000, 1000, 0.02);
	runs(many + 50000, 50000, 1010, 0.02);
	a = of(many, 100000);
	ok(a.n == 1 && a.found[0].lo <= 50000 && a.found[0].hi >= 50000, "100,000 runs, a step of 1 %%");
	for (size_t i = 0; i < 100000; i += 40)
		runs(many + i, 40, i / 40 % 2 ? 1000 : 1100, 0.01);
	change_clear(detector);
	for (size_t i = 0; i < 100000; i++)
		change_add(detector, &(struct change_run){ many[i], NAN, 1, 1 });
	ok(change_find(detector)->n == 2499, "100,000 runs with 2,499 changes");
	change_clear(detector);
	for (size_t i = 0; i < ((size_t)1 << CHANGE_LEVELS) + 1000; i++)
		change_add(detector, &(struct change_run){ i % 2 ? 25 : 26, NAN, 1, 1 });
	ok(change_find(detector)->n == 0 && change_variance(detector, 0, ((size_t)1 << CHANGE_LEVELS) + 1000) > 0,
	   "a million: means of more runs than are measured have a noise, too");
}

static void test_match(void)
{
	struct change_found found[] = {
		{ .index = 48, .before = 1, .after = 2 },
		{ .index = 51, .before = 2, .after = 3 },
		{ .index = 53, .before = 3, .after = 1 },
		{ .index = 90, .before = 1, .after = 2 },
	};
	struct change_said said[] = { { 50, true }, { 80, true } };
	size_t of[4];

	change_match(&(struct change_list){ .found = found, .n = 4 }, said, 2, of);
	ok(of[1] == 0, "a change that was told is known again though its place has moved");
	ok(of[0] == SIZE_MAX && of[2] == SIZE_MAX && of[3] == SIZE_MAX,
	   "another beside it, its reversal, and one far off are new");
}

int main(void)
{
	arena = arena_new();
	detector = change_new(arena);
	test_steps();
	test_quiet();
	test_end();
	test_weights();
	test_invariance();
	test_odd();
	test_match();
	arena_free(arena);
	return done();
}
