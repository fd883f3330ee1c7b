/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A submission: what one machine, in one boot of one kernel, measured; validated and
 * in canonical form, whatever format it came in. Readers make it, db_runs stores it.
 * Everything in it lives in one arena.
 */
#ifndef INGEST_SUBMISSION_H
#define INGEST_SUBMISSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../lib/arena.h"
#include "../lib/err.h"
#include "../lib/ident.h"
#include "../lib/tm.h"
#include "kernel.h"

#define SUBMISSION_RESULTS_MAX 100000
#define SUBMISSION_DEPTH_MAX 32

enum better { BETTER_NEUTRAL, BETTER_LOWER, BETTER_HIGHER };
enum result_status { RESULT_OK, RESULT_FAILED, RESULT_SKIPPED };

const char *better_word(enum better better);			/* "lower", "higher", "neutral" */
const char *result_status_word(enum result_status status);	/* "ok", "failed", "skipped" */

struct result {
	const char *benchmark;		/* "mprotect/tw4m" */
	const char *params;		/* JSON object, keys sorted, compact: the series' key. "{}" = none */
	const char *metric;		/* "latency" */
	const char *unit;		/* canonical: "ns/call" */
	const char *original_unit;	/* as given, or NULL when it is the canonical one */
	enum better better;
	enum result_status status;
	const char *error;		/* of a failed or skipped result, or NULL */
	int64_t iterations;		/* of the tool, or 0 */

	/* values in the canonical unit; a failed result has n = 0 and NaN everywhere */
	const double *values;		/* raw repetitions, n_values of them; NULL for a summary */
	size_t n_values;
	int64_t n;			/* n_values, or summary.n */
	double mean, median;		/* median NaN where only a summary is known */
	double stddev;			/* n - 1; NaN where n < 2 or not given */
	double min, max;		/* NaN where not known */
};

struct not_imported {			/* part of a foreign file that is no result */
	const char *at, *message;
};

struct submission {
	struct uuid run_id;
	bool run_id_given;		/* else derived from the content */
	uint8_t content_sha256[32];	/* what "the same again" means */

	const char *machine;		/* name */
	const char *isa, *uarch;	/* "unknown" where neither given nor derivable */
	const char *machine_facts;	/* JSON object as given (cpu, virtualized, cpus, ...) or "{}" */

	struct kernel kernel;
	const char *commit;		/* or NULL */
	const char *kernel_variant;	/* JSON object {"base","reverts":[],"applies":[]} or NULL */

	const char *thp;		/* slug; "unknown" when nobody said */
	bool thp_complete;
	int base_page_kib;		/* 0 = unknown */
	const char *flavour;		/* from the kernel's name */

	const char *environment;	/* JSON object */
	const char *boot_id;		/* or NULL: the run is a boot of its own */
	int64_t started_at;		/* usec UTC; never TM_NONE (now, when not given) */
	int64_t finished_at;		/* or TM_NONE */
	const char *source;		/* JSON object */
	const char *labels;		/* JSON object of strings */
	const char *format;		/* "nsecwatch.submission/1" or the foreign format's name */

	struct result *results;
	size_t n_results, n_failed;	/* n_failed: results that are not RESULT_OK */
	struct not_imported *not_imported;
	size_t n_not_imported;
	struct problems *warnings;	/* never NULL */
};

#endif
