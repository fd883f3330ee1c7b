/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where did a series change its level? Runs in (a value each, in the order of their
 * kernels), changes out: the place, a range of suspects, the step in percent with its
 * confidence interval, and how sure that is. One configuration, no randomness: the same
 * runs give the same changes, however they were added.
 *
 * How: propose generously, dispose with a calibrated test.
 *  1. y = ln(value), so that a step is a ratio and units fall away (change_prepare.c);
 *     weights from repetitions; lone outliers are clipped.
 *  2. The noise of a mean of k runs, for every k, out of the series itself
 *     (change_noise.c): one table covers white noise, autocorrelation, drift and modes.
 *  3. Candidates from windows of many sizes, merged bottom-up while the weakest boundary
 *     fails the test against that table (change_split.c); again with the noise that is
 *     left, until nothing moves.
 *  4. The end of the series, where few runs speak (change_tail.c), and what is told of
 *     each change (change_report.c).
 */
#ifndef LIB_STATS_CHANGE_H
#define LIB_STATS_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../arena.h"

struct change_run {
	double value;		/* not finite: no value, the place stays empty */
	double sd;		/* of its repetitions (n - 1); NaN or 0: not known */
	int64_t reps;		/* repetitions the value is a mean of; below 1 counts as 1 */
	int64_t boots;		/* in which they were measured; likewise. sd is of one boot's: NaN where there are several */
};

/* How far a change is believed: by the runs after it and by how clearly it stands out. */
enum change_state {
	CHANGE_SUSPECT,		/* the last run deviates: worth a re-run, no more */
	CHANGE_LIKELY,		/* few runs since, or not far beyond the threshold */
	CHANGE_CERTAIN,
};

#define CHANGE_LARGE 2

struct change_found {
	size_t index;		/* of the first run of the new level, among all added */
	size_t lo, hi;		/* suspect range: the first run of the new level is one of these */
	double before, after;	/* levels, in the values' unit */
	double percent;		/* (after - before) / |before| * 100; NaN where before is 0, or beyond a double */
	double ci_lo, ci_hi;	/* 95 % confidence interval of percent */
	double score;		/* t^2 by its threshold: 1 is just a change */
	double noise_percent;	/* standard deviation of one run around the level; NaN likewise */
	size_t runs_before, runs_after;	/* with a value, to the next change or the end */
	enum change_state state;
	bool clear;		/* far enough beyond the threshold to tell people, not only to show */
	bool large;		/* a step of CHANGE_LARGE percent and up: worth telling them, unless rules say otherwise */
};

struct change_list {
	const struct change_found *found;	/* by index */
	size_t n;
	const size_t *outliers;	/* runs that no level explains, by index */
	size_t n_outliers;
	bool suspect;		/* the last run deviates; told in `last` and nowhere else */
	struct change_found last;
};

struct change;

/* Memory comes from `a` and grows by doubling; change_clear() keeps it for the next series. */
struct change *change_new(struct arena *a);
void change_clear(struct change *c);

/* Appends a run. */
void change_add(struct change *c, const struct change_run *run);

/* The changes in all that was added so far; valid until the next call of any function here. */
const struct change_list *change_find(struct change *c);

struct change_said {		/* a change that was told to people once */
	size_t index;
	bool up;
};

/*
 * Which of the changes found was told before: of[i] of found[i] is its place in `said`, or
 * SIZE_MAX. Each one told stands for at most one change: the nearest of its direction within
 * CHANGE_SAME runs, since a change's place may move a little as runs arrive.
 */
#define CHANGE_SAME 5
void change_match(const struct change_list *l, const struct change_said *said, size_t n, size_t *of);

const char *change_state_word(enum change_state state);

#endif
