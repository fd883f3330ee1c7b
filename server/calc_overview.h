/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first page: where each track stands, the last change of each benchmark on each micro-architecture, open
 * alerts, machines that fell silent, what came lately. From indexes, alerts' rows and the catalogue only.
 */
#ifndef SERVER_CALC_OVERVIEW_H
#define SERVER_CALC_OVERVIEW_H

#include "calc_alert.h"
#include "db_expectations.h"
#include "db_overview.h"

#define CALC_OVERVIEW_OPEN 200		/* open alerts, the newest */
#define CALC_OVERVIEW_RUNS 200		/* newest runs that are looked at */
#define CALC_OVERVIEW_UPLOADS 20	/* what of them is shown: together where kernel and machine are the same */
#define CALC_OVERVIEW_MACHINES 500	/* more of them: only those that something is expected of are looked at */
#define CALC_OVERVIEW_BEHIND_DAYS 30	/* a machine whose newest run is older than the lab's newest by this is behind */

/* The newest kernel of a track with runs, and what was found in it. */
struct overview_track {
	const char *track;
	const struct cat_kernel *kernel, *against;	/* against: the kernel before it that was measured, or NULL */
	int64_t runs, machines, first_at, last_at;
	bool unchecked;				/* some of its runs were not compared with their neighbours yet */
	const struct calc_alert **alerts;	/* whose change came with this kernel: regressions first, then by size */
	size_t n_alerts, regressions, improvements;
	size_t open_regressions;		/* of the track, with any kernel; among the CALC_OVERVIEW_OPEN newest */
};

/* The newest change of a benchmark on a micro-architecture, in one track. Both directions can be there: of sizes or THP modes. */
struct overview_side {
	const struct calc_alert *alert;		/* or NULL */
	int64_t n_series;
	double percent;				/* the greatest of them on this micro-architecture */
};
struct overview_cell {
	bool measured;				/* there are series */
	struct overview_side worse, better;	/* of one kernel */
	const struct calc_alert *older;		/* the largest regression of an older kernel that nobody ended, or NULL */
};
struct overview_heat {
	const char *track;			/* NULL: nothing was measured */
	const struct cat_benchmark **benchmarks;	/* those with a change, by name */
	const char **uarchs;			/* by name */
	size_t n_benchmarks, n_uarchs, n_still;	/* n_still: benchmarks without any change */
	struct overview_cell *cells;		/* n_benchmarks x n_uarchs */
};

struct overview_silent {
	const struct cat_machine *machine;
	int64_t last_at;			/* start of its newest run; TM_NONE: none */
	const struct db_expectation *expected;	/* what is overdue, or NULL: it is only behind the others */
};

/* Runs of one kernel on one machine that came one after the other. */
struct overview_upload {
	const struct cat_kernel *kernel;
	const struct cat_machine *machine;
	const struct cat_config **configs;	/* each once, in order of arrival */
	size_t n_configs;
	int64_t runs, results, received_at;	/* the newest of them */
	struct uuid run_id;			/* likewise */
};

struct overview {
	struct overview_track *tracks;		/* mainline first, then by arrival, newest first */
	struct calc_alert *open;		/* newest first */
	struct overview_heat heat;
	struct overview_silent *silent;		/* what is expected first, then by age, oldest first */
	struct overview_upload *uploads;	/* newest first */
	size_t n_tracks, n_open, n_silent, n_uploads;
	int64_t open_count;			/* all there are */
	int64_t newest_start;			/* of any machine's runs; TM_NONE: none */
	size_t n_machines, n_benchmarks, n_kernels, n_series;
};

/* How large a change is, as a ratio: half and double are alike. */
double calc_overview_size(double percent);

/* track: of the heat map; NULL: the first of tracks. ERR_UNKNOWN_VALUE: there is no such track. */
int calc_overview(struct catalog *c, struct db *db, struct arena *a, const char *track, struct overview *o, struct err *err);

#endif
