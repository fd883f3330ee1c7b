/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Transparent huge page state -> one slug, the effective state of anonymous memory:
 * `always`, `never+64k-always`, `madvise+prctl-off`, `none`, `unknown`.
 */
#ifndef INGEST_THP_H
#define INGEST_THP_H

#include <stdbool.h>
#include <stddef.h>

#include "../lib/arena.h"
#include "../lib/err.h"

struct thp_file {
	const char *name;	/* "enabled", "hugepages-2048kB", "hugepages-64kB/enabled", ... */
	const char *text;	/* a word, or raw sysfs text "[always] madvise never" */
};

struct thp {
	const char *slug;	/* never NULL */
	bool complete;		/* every size's word is known */
};

/* The PMD size of an architecture ("aarch64", 64: 524288); base_page_kib 0: its usual one. 0 when not known. */
int thp_pmd_kib(const char *isa, int base_page_kib);

/*
 * From sysfs names and texts (at any depth, wrong case and plural tolerated; files
 * that say nothing of anonymous memory are passed over). pmd_kib: the PMD size, 0 for
 * 2048; the file hpage_pmd_size wins over it. A name "prctl" gives what
 * PR_GET_THP_DISABLE says (0, 1, 3). 0, or -1 with ERR_INVALID and in *bad the index
 * of the file that is wrong.
 */
int thp_from_files(struct arena *a, const struct thp_file *files, size_t n, int pmd_kib,
		   struct thp *thp, size_t *bad, struct err *err);

/* Whether the kernel has a file of this name among those of THP (or we have a use for it). */
bool thp_is_file(const char *name);

/* Checks a slug and brings it into its canonical form ("Always" -> "always", sizes sorted). */
int thp_from_slug(struct arena *a, const char *text, struct thp *thp, struct err *err);

/*
 * thp_anon= and transparent_hugepage= of a kernel command line: the defaults at boot.
 * global_word: the global word where known ("madvise"), or NULL. -1 where it says
 * nothing (valid) of THP.
 */
int thp_from_cmdline(struct arena *a, const char *cmdline, const char *global_word, int pmd_kib,
		     struct thp *thp, struct err *err);

#endif
