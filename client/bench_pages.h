/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What pages a region of this process really has: /proc/self/smaps tells how much of it is mapped by huge
 * entries; where /proc/kpageflags may be read (root), the flags of the pages tell how large the folios
 * behind small entries are.
 */
#ifndef CLIENT_BENCH_PAGES_H
#define CLIENT_BENCH_PAGES_H

#include <stddef.h>

#include "../lib/arena.h"

struct bench_pages {
	long rss_kib, huge_kib;		/* of the region: present; of it, PMD-mapped */
	long folio_kib;			/* of its largest folio behind small entries; 0: none or not readable */
};

int bench_pages_of(const void *start, size_t size, struct bench_pages *p);	/* 0, or -1: smaps does not have it */

/* "base", "pmd", "pte of 2048 KiB", "pmd 50 %", "absent"; what is recorded. In the arena. */
const char *bench_pages_text(struct arena *a, const struct bench_pages *p, size_t size);

#endif
