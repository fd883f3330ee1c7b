/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Do two kernels differ, and does a third bring the loss back? One row a series that both
 * have measured, with change, test and verdict as API.md "Meanings" says; what could not
 * be paired is listed with its reason. Used by the API and by watch.
 */
#ifndef SERVER_CALC_COMPARE_H
#define SERVER_CALC_COMPARE_H

#include "../lib/stats/ab.h"
#include "calc_select.h"
#include "db_runs.h"

enum compare_direction { COMPARE_NO_DIRECTION, COMPARE_SAME, COMPARE_BETTER, COMPARE_WORSE };
enum compare_verdict { COMPARE_INCONCLUSIVE, COMPARE_UNCHANGED, COMPARE_IMPROVEMENT, COMPARE_REGRESSION };
enum compare_confidence { COMPARE_NONE, COMPARE_WEAK, COMPARE_STRONG };
enum compare_side { COMPARE_BASE, COMPARE_HEAD, COMPARE_FIX };
enum compare_reason { COMPARE_NOT_RUN, COMPARE_FAILED, COMPARE_SKIPPED };

struct compare_row {
	const struct cat_series *series;
	struct stats_side base, head, fix;	/* fix.runs = 0: none */
	double change_percent;			/* (head / base - 1) * 100 as computed; NaN where base is 0 */
	enum compare_direction direction;	/* against what is better; needs no noise estimate */
	bool tested;				/* a noise estimate exists: ci, p, q, noise, detectable are numbers */
	struct ab ab;				/* the test behind them, on logarithms: variances, df, where the noise is known from */
	double ci_lo, ci_hi;			/* of change_percent, 95 % */
	double p, q;				/* q: Benjamini-Hochberg over the rows of the comparison */
	double noise_percent, detectable_percent;
	double restored_percent, restored_lo, restored_hi;	/* lo, hi: 95 % CI, NaN without noise */
	double remaining_percent, remaining_lo, remaining_hi;	/* likewise */
	enum compare_verdict verdict;
	enum compare_confidence confidence;
};

struct compare_missing {
	const struct cat_series *series;
	enum compare_side side;
	enum compare_reason reason;
	const char *error;			/* what the lab said of a failed or skipped result, or NULL */
};

struct sides;			/* calc_sides.h */
struct compare_group;		/* calc_arranged.h */

struct compare {
	const struct sides *sides;		/* what it is made of */
	const struct cat_kernel *base, *head, *fix;	/* fix may be NULL */
	struct compare_row *rows;		/* by benchmark, machine, thp, numeric params */
	size_t n_rows;
	struct compare_missing *missing;	/* in the same order */
	size_t n_missing;
	size_t regressions, improvements, unchanged, inconclusive;
	size_t family;				/* tests that q is over: on average q of the claims at q are false */
	double geomean_percent, geomean_lo, geomean_hi;		/* NaN: none; lo, hi: 95 % CI, NaN if a row has no noise */
	double restored_percent;		/* NaN: none */
	bool signs_disagree;			/* one row surely rose, by its q, and one surely fell */
	const struct compare *of;		/* rows are a choice of this one's, or stand otherwise; all else is its; or NULL */
	const char *chosen_by;			/* in words; NULL: rows are all (calc_shown.h) */
	const char *arranged_by;		/* in words; NULL: rows stand as said above (calc_arranged.h) */
	const char *grouped_by;			/* the dimension; NULL: no groups */
	struct compare_group *groups;		/* in the order of the rows, which they cover */
	size_t n_groups;
};

/* All that was compared and judged together. */
static inline const struct compare *calc_compare_whole(const struct compare *c)
{
	return c->of ? c->of : c;
}

/* Which runs count: all, or of the kernels that have one among these only those named (run=). */
struct compare_runs {
	const struct uuid *ids;
	const int64_t *kernel_ids;		/* whose runs they are */
	size_t n;
};

/*
 * Everything lives in `a`. runs and fix may be NULL. What has not been measured gives no
 * row and is no error. Resolve names before with calc_select_*().
 */
int calc_compare(struct catalog *c, struct db *db, struct arena *a, const struct selection *sel,
		 const struct cat_kernel *base, const struct cat_kernel *head, const struct cat_kernel *fix,
		 const struct compare_runs *runs, struct compare **out, struct err *err);

/*
 * The same from sides that are read already (by kernel index in them; fix < 0: none). Only
 * rows, counts and means: what is missing is not listed. For sweeps and matrices.
 */
struct compare *calc_compare_rows(struct arena *a, const struct sides *sides, size_t base, size_t head, int fix);

/* Order of rows: benchmark, machine, thp, numeric params, then all that makes a series. For qsort() over pointers. */
int calc_compare_order(const void *a, const void *b);

/* Tests row->head against row->base: change_percent, and all down to detectable_percent; q = p. noise may be NULL. */
void calc_compare_test(struct compare_row *row, const struct noise *noise, struct student_memo *memo);
/*
 * Verdict and confidence from row->ab and row->q; `better` says which way is worse. Of a neutral metric no change
 * has a verdict.
 */
void calc_compare_judge(struct compare_row *row, enum better better);

/* Words of the API: "regression", "strong", "worse" (NULL for none), "not_run", "base". */
const char *calc_compare_verdict_word(enum compare_verdict v);
const char *calc_compare_confidence_word(enum compare_confidence c);
/* The side of a change, of which the sign counts; NaN or a neutral metric: none. */
enum compare_direction calc_compare_direction(double change, enum better better);
const char *calc_compare_direction_word(enum compare_direction d);
const char *calc_compare_reason_word(enum compare_reason r);
const char *calc_compare_side_word(enum compare_side s);

#endif
