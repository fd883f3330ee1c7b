/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From what a query (or a rule) asks for to series and kernels of the catalogue. The
 * same selectors everywhere: benchmark metric machine uarch isa thp base_page_kib track
 * param.NAME, each repeatable (OR within one, AND between), with '*' globs.
 */
#ifndef SERVER_CALC_SELECT_H
#define SERVER_CALC_SELECT_H

#include "db_catalog.h"

struct select_arg {
	const char *name, *value;
};

struct selection {
	const struct cat_series **series;	/* in id order; in the arena */
	size_t n;
	const char **tracks;			/* track= arguments as given */
	size_t n_tracks;
};

/* Which argument names are selectors: "param.size_kib" too. */
bool calc_select_is_selector(const char *name);

/*
 * Resolves the selectors among args. An exact value that names nothing: ERR_UNKNOWN_VALUE
 * naming the argument and the nearest known ones; a glob that matches nothing: an empty
 * selection. Takes the catalogue's lock itself.
 */
int calc_select_series(struct catalog *c, struct arena *a, const struct select_arg *args, size_t n,
		       struct selection *sel, struct err *err);
/* The same where values may name what is yet to come, as in a rule: they select nothing. */
void calc_select_known(struct catalog *c, struct arena *a, const struct select_arg *args, size_t n,
		       struct selection *sel);

/*
 * A kernel argument (name, v form, phrase, `latest`, `latest:TRACK`): the kernel. `arg` is
 * the argument's name for errors. `latest` looks for kernels with results of the
 * selection (db); all else needs the catalogue only. `previous` is refused here: its
 * user resolves the head first and calls calc_select_previous().
 */
int calc_select_kernel(struct catalog *c, struct db *db, struct arena *a, const char *arg, const char *value,
		       const struct selection *sel, const struct cat_kernel **kernel, struct err *err);

/* The next lower kernel of head's track with results of the selection; never a variant. ERR_UNKNOWN_VALUE: none. */
int calc_select_previous(struct catalog *c, struct db *db, struct arena *a, const char *arg,
			 const struct selection *sel, const struct cat_kernel *head,
			 const struct cat_kernel **kernel, struct err *err);

/* The machines of the selection's series, each once, in id order. */
const int64_t *calc_select_machines(struct arena *a, const struct selection *sel, size_t *n);

/* Whether track= lets this kernel in. */
bool calc_select_track(const struct selection *sel, const char *track);

/* Kernels of one track by key, then name: for qsort() over pointers. Across tracks: by track's name. */
int calc_select_kernel_order(const void *a, const void *b);

/* Glob with '*' only. */
bool calc_select_glob(const char *pattern, const char *text);

/* Says in err that `value` of `arg` names nothing, and the nearest of names. Returns -1. */
int calc_select_unknown(struct arena *a, const char *arg, const char *value, const char *const *names, size_t n,
			struct err *err);

#endif
