/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why an alert's rows are one alert, which kernels and commits it may come from, and what to run again. */
#ifndef SERVER_CALC_GROUP_H
#define SERVER_CALC_GROUP_H

#include "calc_alert.h"

#define CALC_GROUP_SUSPECTS 200	/* kernels listed, the newest of them */

struct group_suspect {
	const struct cat_kernel *kernel;
	const char *log;		/* JSON array of "sha subject", as the lab gave it; NULL: none */
};

struct group_rerun {
	const struct cat_machine *machine;
	const struct cat_kernel *kernel;
};

struct calc_group {
	const char *why;		/* a sentence */
	struct group_suspect *suspects;	/* kernels after `from`, up to `to`, in order; no variants */
	size_t n_suspects, suspects_left;	/* left: not listed */
	struct group_rerun *reruns;	/* of a suspect: another boot of these would tell */
	size_t n_reruns;
};

/* Of an alert with its rows. Lives in `a`. */
int calc_group_read(struct catalog *c, struct db *db, struct arena *a, const struct calc_alert *al,
		    struct calc_group **out, struct err *err);
/* Members of the alert's object: why_grouped, suspects, suspects_left, rerun. */
void calc_group_json(struct jsonw *j, const struct calc_group *g);
/* "6.17-rc1, 6.17-rc2; 2 commits: cac1db8c3aad mm: ..., ..." */
const char *calc_group_suspects_text(struct arena *a, const struct calc_group *g);

#endif
