/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a bisection knows, between the parts of `nsecwatch bisect`. Everything lives in one arena. */
#ifndef CLIENT_BISECT_IMPL_H
#define CLIENT_BISECT_IMPL_H

#include "../ingest/jread.h"
#include "../lib/stats/seq.h"
#include "options.h"

enum { BISECT_GOOD, BISECT_BAD, BISECT_SIDES };

/* What must not change but the kernel: "environment.governor" = "performance". */
struct bisect_facts {
	const char *(*list)[2];
	size_t n;
};

struct bisect_series {
	const char *key;		/* "nsecwatch/mprotect {"size_kib":4} latency ns/call" */
	bool higher;			/* is better */
};

struct bisect_boot {
	const char *id;			/* of the boot, or of the run where nobody named the boot */
	const char **runs;		/* ids of what was read of it: nothing counts twice */
	size_t n_runs;
	double *n, *sum;		/* a series of the bisection each: values, and their sum */
};

struct bisect_boots {
	struct bisect_boot *list;
	size_t n;
};

struct bisect_step {
	const char *commit, *kernel;	/* commit: or NULL */
	const char *state;		/* "more", "good", "bad", "skip" */
	double ratio;			/* seq_ratio() when it was last judged */
	struct bisect_boots boots;
};

struct bisect_entry {			/* of the log: what a judgement came to */
	const char *at, *commit, *kernel, *state, *message;
	double ratio, level;		/* level: percent worse than good */
	int64_t boots;
};

struct bisect {
	struct arena *a;
	const char *path;		/* of the state */
	const char *started_at;
	double error;			/* of a step, not percent */
	int max_boots;
	double noise_percent;		/* NaN: not given */
	struct options_pairs selectors, ignores;
	struct bisect_series *series;
	size_t n_series;
	struct bisect_facts facts;
	struct {
		const char *kernel;
		struct bisect_boots boots;
	} side[BISECT_SIDES];
	struct bisect_step *steps;
	size_t n_steps;
	struct bisect_entry *log;
	size_t n_log;
};

/* One run as it was read, from a file or a server. */
struct bisect_value {
	struct bisect_series series;
	double n, sum;
};

struct bisect_run {
	const char *id, *boot, *kernel;	/* boot: or NULL */
	struct bisect_facts facts;
	struct bisect_value *values;
	size_t n_values;
};

struct bisect_runs {
	struct bisect_run *list;
	size_t n;
};

/* "99.63 %", never all of it: "> 99.99 %". In the arena. */
const char *bisect_sure(struct arena *a, double percent);

/* bisect_state.c. 0, or -1 and err. */
int bisect_load(struct arena *a, const char *path, struct bisect *b, struct err *err);
int bisect_save(const struct bisect *b, struct err *err);
void bisect_write(const struct bisect *b, struct buf *out);	/* as JSON */
const char *bisect_path(struct arena *a, const struct options *o);	/* of the state */

/* bisect_read.c. Runs are added to *runs; values are those that the selectors pick. 0, or -1 and err. */
int bisect_read_file(struct arena *a, const struct options *o, const struct options_pairs *selectors, const char *path,
		     const char *kernel, const char *kernel_option, struct bisect_runs *runs, struct err *err);
int bisect_read_server(struct arena *a, const struct options *o, const struct options_pairs *selectors, const char *kernel,
		       struct bisect_runs *runs, struct err *err);
/* Results in any format that came from elsewhere: about names them. */
int bisect_read_text(struct arena *a, const struct options *o, const struct options_pairs *selectors, const char *about,
		     const struct buf *text, struct bisect_runs *runs, struct err *err);

/* bisect_facts.c */
void bisect_facts_add(struct arena *a, struct bisect_facts *f, const char *key, const char *value);
/* All scalars of a JSON object, below prefix. */
void bisect_facts_add_object(struct arena *a, struct bisect_facts *f, const char *prefix, const struct jnode *object);
const char *bisect_facts_get(const struct bisect_facts *f, const char *key);	/* NULL: not there */
/* What differs, "governor: performance here, powersave there"; NULL: nothing that counts. */
const char *bisect_facts_differ(struct arena *a, const struct bisect_facts *was, const struct bisect_facts *now,
				const struct options_pairs *ignores);

/* bisect_boots.c */
/* Adds runs to boots. -1 and err: a run lacks a series. *added: boots and repetitions that are new. */
int bisect_boots_add(struct bisect *b, struct bisect_boots *boots, const struct bisect_runs *runs, size_t *added,
		     struct err *err);
/* Their values: log geometric means over the series, of what is worse when higher. */
struct summary_moments bisect_boots_moments(const struct bisect *b, const struct bisect_boots *boots);
double bisect_boots_value(const struct bisect *b, const struct bisect_boot *boot);
/* The moments of a side: its baseline, and the boots of all steps that were judged to be of it, but for one. */
struct summary_moments bisect_boots_side(const struct bisect *b, int side, const struct bisect_step *without);
/* The series that all boots of both sides have, from their runs. -1 and err: none, or directions differ. */
int bisect_boots_series(struct bisect *b, const struct bisect_runs sides[BISECT_SIDES], struct err *err);

#endif
