/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the readers of LKP's files (the kernel test robot's tests) share: the names of its stats. */
#ifndef INGEST_FORMAT_LKP_H
#define INGEST_FORMAT_LKP_H

#include "format.h"

struct format_lkp_stat {
	const char *benchmark, *metric;
	const char *unit;		/* "unstated" where neither the name nor LKP's rules tell */
	enum better better;
};

/* "stress-ng.mprotect.ops_per_sec": benchmark stress-ng/mprotect, metric ops_per_sec, in ops/s, higher. */
void format_lkp_stat(struct arena *a, const char *name, struct format_lkp_stat *stat);

#endif
