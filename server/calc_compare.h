/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Do two kernels differ, and does a third bring the loss back? One row a series that both
 * have measured, with change, test and verdict as API.md "Meanings" says; what could not
 * be paired is listed with its reason. Used by the API and by watch.
 */
#ifndef SERVER_CALC_COMPARE_H
#define SERVER_CALC_COMPARE_H

#include "../lib/stats/points.h"
#include "calc_select.h"
#include "db_runs.h"

/* Percent. No smaller change is called a regression or an improvement; "unchanged" says the 95 % CI lies inside it. */
#define COMPARE_FLOOR_PERCENT 0.5

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
	double ci_lo, ci_hi;			/* of change_percent, 95 % */
	double p, q;				/* q: Benjamini-Hochberg over the rows of the comparison */
	double df, log_se;			/* of the test: ln(head/base) has this standard error */
	double noise_percent, detectable_percent;
	double restored_percent, remaining_percent;
	enum compare_verdict verdict;
	enum compare_confidence confidence;
};

struct compare_missing {
	const struct cat_series *series;
	enum compare_side side;
	enum compare_reason reason;
	const char *error;			/* what the lab said of a failed or skipped result, or NULL */
};

struct compare {
	const struct cat_kernel *base, *head, *fix;	/* fix may be NULL */
	struct compare_row *rows;		/* by benchmark, machine, thp, numeric params */
	size_t n_rows;
	struct compare_missing *missing;	/* in the same order */
	size_t n_missing;
	size_t regressions, improvements, unchanged, inconclusive;
	double geomean_percent, restored_percent;	/* NaN: none */
};

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
struct sides;
struct compare *calc_compare_rows(struct arena *a, const struct sides *sides, size_t base, size_t head, int fix);

/* Order of rows: benchmark, machine, thp, numeric params, then all that makes a series. For qsort() over pointers. */
int calc_compare_order(const void *a, const void *b);

/* Verdict and confidence from a test's q; `better` says which way is worse. */
void calc_compare_judge(struct compare_row *row, enum better better, bool one_boot);

/* Words of the API: "regression", "strong", "worse" (NULL for none), "not_run", "base". */
const char *calc_compare_verdict_word(enum compare_verdict v);
const char *calc_compare_confidence_word(enum compare_confidence c);
/* The side of a change in percent; NaN or a neutral metric: none. */
enum compare_direction calc_compare_direction(double change, enum better better);
const char *calc_compare_direction_word(enum compare_direction d);
const char *calc_compare_reason_word(enum compare_reason r);
const char *calc_compare_side_word(enum compare_side s);

#endif
