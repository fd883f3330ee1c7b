/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all readers share: a draft collects what a document says, in the sender's own
 * words and places; finishing it checks, derives and brings into canonical form
 * (kernel, THP, units, summaries) and gives the submission, or everything that is
 * wrong with it at once.
 */
#ifndef INGEST_SUBMISSION_BUILD_H
#define INGEST_SUBMISSION_BUILD_H

#include "../lib/buf.h"
#include "submission.h"
#include "thp.h"
#include "uarch.h"

#define SUBMISSION_NAME_MAX 200		/* bytes of a machine, benchmark, metric, parameter */
#define SUBMISSION_TEXT_MAX 4000	/* bytes of an error, a command line, a label */

/* What the sender calls the fields of the head: JSON pointers, or query arguments. */
struct draft_at {
	const char *machine, *isa, *uarch, *kernel, *variant, *commit, *thp, *base_page_kib;
	const char *boot_id, *started_at, *finished_at, *results;
	bool query;
};
extern const struct draft_at submission_build_at_json, submission_build_at_query;

struct draft {				/* NULL, 0 = not said */
	struct arena *a;
	const struct draft_at *at;
	const char *format;		/* of the submission it becomes */
	int64_t now;			/* usec: what a missing started_at becomes */

	const char *machine, *isa, *uarch, *machine_facts;
	struct cpu_id cpu;
	const char *kernel, *kernel_at;	/* kernel_at: where it was found, when not at->kernel */
	const char *commit;
	bool has_variant;		/* the three below are said */
	const char *variant_base;
	const char **reverts;
	size_t n_reverts;
	struct kernel_patch *applies;
	size_t n_applies;
	const char *thp;		/* a slug, or: */
	struct thp_file *thp_files;
	const char **thp_at;		/* one place a file, or NULL: at->thp */
	size_t n_thp_files;
	int base_page_kib;
	const char *boot_id, *environment, *source, *labels;	/* JSON objects, the last three */
	int64_t started_at, finished_at;	/* TM_NONE = not said */
	bool run_id_given;
	struct uuid run_id;

	struct submission *sub;		/* what it becomes; NULL before submission_build_head() */

	/* foreign files: a bad result is left out and listed, the good ones go in */
	bool lenient;
	bool empty;			/* a file that says what was run, and has no results by nature */
	struct problems *problems, *warnings, *left_out;

	/* under submission_results.c */
	struct result *results;
	size_t n_results, cap_results, n_failed;
	struct series_set *series;
	struct result last;		/* texts and unit of the result before: mostly the same again */
	bool last_is_time;
	double last_factor;
	struct buf scratch;
};

enum param_type { PARAM_TEXT, PARAM_NUMBER, PARAM_BOOL };

struct draft_param {
	const char *name;
	enum param_type type;
	const char *text;
	double number;
	bool yes;
};

#define DRAFT_RESULT_NO_INDEX SIZE_MAX	/* `in` is the place by itself */

struct draft_result {			/* borrowed texts: all is copied */
	const char *in;			/* "/results": the place is "/results/3"; "line": "line 3" */
	size_t index;
	const char *benchmark, *metric, *unit;
	struct draft_param *params;	/* gets sorted */
	size_t n_params;
	const char *params_text;	/* or, instead: checked and canonical already, the draft keeps it as it is */
	enum better better;
	enum result_status status;
	const char *error;
	int64_t iterations;
	const double *values;		/* in `unit`; NaN: wrong, and the reader has said so */
	size_t n_values;
	bool has_summary;		/* then n, mean and, where not NaN, the rest */
	int64_t n;
	double mean, median, stddev, min, max;
	bool numbers_said;		/* values or summary are wrong, and the reader has said so */
	bool broken;			/* something else is, likewise */
};

/* A text that the reader found wrong and has said so. */
extern const char submission_build_said[];

/* An empty draft; give it back with submission_build_fini() (its strings stay in the arena). */
void submission_build_init(struct draft *d, struct arena *a, const struct draft_at *at, const char *format);
void submission_build_fini(struct draft *d);

/* Checks and derives all but the results. Called before them, its problems come first. */
void submission_build_head(struct draft *d);

/* Room for n results to come. */
void submission_build_expect(struct draft *d, size_t n);

/* Checks a result and takes it in; what is wrong goes to problems, or left_out. */
void submission_build_result(struct draft *d, const struct draft_result *r);

/* Takes in a result that is checked and canonical already, of another submission in the same arena. */
void submission_build_take(struct draft *d, const struct result *r, const char *at);

/*
 * Says what is wrong with a result, at its place or at a field in it ("values/0",
 * NULL for the whole); counts as its end: the caller leaves the result out. -1.
 */
int submission_build_wrong(struct draft *d, const struct draft_result *r, const char *field, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* NULL when the text is good as a name of at most `max` bytes, else what is wrong with it. */
const char *submission_build_bad_name(const char *text, size_t max);
const char *submission_build_bad_text(const char *text, size_t n, size_t max);	/* of n bytes */

/* True when v can be no value in `unit` (NULL = not said): not finite, or a time that is not above 0. */
bool submission_build_bad_value(struct arena *a, const char *unit, double v);

/*
 * Finishes (also the head): `content` is what the run id is derived from and what "the same again"
 * means. NULL with err (ERR_INVALID, or ERR_BAD_ARGUMENT where arguments of the query
 * are to blame) and everything that is wrong in err->problems.
 */
struct submission *submission_build_finish(struct draft *d, const void *content, size_t content_len,
					   struct err *err);

#endif
