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

/*
 * A kernel argument (name, v form, phrase, latest, latest:TRACK): the kernel. `arg` is
 * the argument's name for errors. previous is resolved by its user, who knows the head.
 */
int calc_select_kernel(struct catalog *c, struct arena *a, const char *arg, const char *value,
		       const struct selection *sel, const struct cat_kernel **kernel, struct err *err);

#endif
