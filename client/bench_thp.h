/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * THP modes of a measurement. A state is set in sysfs, which needs root, and is for the whole machine, so a
 * child process holds the old words and puts them back when this one ends, however it ends.
 */
#ifndef CLIENT_BENCH_THP_H
#define CLIENT_BENCH_THP_H

#include <stdbool.h>

#include "../lib/arena.h"
#include "../lib/err.h"

struct bench_thp;		/* at most one at a time */

/*
 * Brings a mode about: "as-is", "off", "advised", or a state as never+64k-always. root: where sys is, "" for
 * this system. Without the rights to set it, "never" becomes "off" and "always" "advised", and that is said.
 * NULL and err: it cannot be had here. Lives in the arena until bench_thp_end().
 */
struct bench_thp *bench_thp_begin(struct arena *a, const char *root, const char *mode, struct err *err);

/*
 * Whether a mode is to be had here, before anything is measured or changed. -1: ERR_BAD_ARGUMENT for a word that
 * is none, else ERR_SETUP.
 */
int bench_thp_check(struct arena *a, const char *root, const char *mode, struct err *err);

/* All is as it was before; false: something could not be put back, and that was said. Accepts NULL. */
bool bench_thp_end(struct bench_thp *t);

/* Whether regions are to be advised (MADV_HUGEPAGE). */
bool bench_thp_advises(const struct bench_thp *t);

/* What a region of PMD size can be expected to have: 1 huge pages, 0 none, -1 not known. */
int bench_thp_expects(const struct bench_thp *t);

/* The size of a huge page, bytes: hpage_pmd_size, else 2 MiB. */
size_t bench_thp_pmd_size(struct arena *a, const char *root);

#endif
