/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bench_pages.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINE 512

/* Documentation/admin-guide/mm/pagemap.rst */
#define PAGEMAP_PRESENT (1ull << 63)
#define PAGEMAP_PFN ((1ull << 55) - 1)
#define KPF_COMPOUND_HEAD (1ull << 15)
#define KPF_COMPOUND_TAIL (1ull << 16)
#define LOOKED_AT 4096 /* pages, from the start: a few huge ones */

static long kib_of(const char *line, const char *key)
{
	size_t n = strlen(key);
	long v;

	return !strncmp(line, key, n) && sscanf(line + n, ": %ld kB", &v) == 1 ? v : 0;
}

/* Sums over the mappings inside the region: splitting leaves several. */
static int read_smaps(uintptr_t from, uintptr_t to, struct bench_pages *p)
{
	FILE *f = fopen("/proc/self/smaps", "re");
	char line[LINE];
	int found = 0, inside = 0;

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f)) {
		uintptr_t start, end;

		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &start, &end) == 2) {
			inside = start >= from && end <= to;
			found |= inside;
		} else if (inside) {
			p->rss_kib += kib_of(line, "Rss");
			p->huge_kib += kib_of(line, "AnonHugePages");
		}
	}
	fclose(f);
	return found ? 0 : -1;
}

/* The longest run of one head and its tails among the first pages. */
static long folio_pages(int pagemap, int flags_fd, uintptr_t from, size_t n, size_t page)
{
	long most = 0, run = 0;

	for (size_t i = 0; i < n && i < LOOKED_AT; i++) {
		uint64_t entry, flags = 0, pfn;

		if (pread(pagemap, &entry, 8, (off_t)((from / page + i) * 8)) != 8)
			return 0;
		pfn = entry & PAGEMAP_PFN;
		if (!(entry & PAGEMAP_PRESENT) || !pfn) /* without rights the PFN reads as 0 */
			continue;
		if (pread(flags_fd, &flags, 8, (off_t)(pfn * 8)) != 8)
			return 0;
		run = flags & KPF_COMPOUND_HEAD ? 1 : run && flags & KPF_COMPOUND_TAIL ? run + 1 : 0;
		most = run > most ? run : most;
	}
	return most > 1 ? most : 0;
}

int bench_pages_of(const void *start, size_t size, struct bench_pages *p)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = (uintptr_t)start;
	int pagemap, flags;

	*p = (struct bench_pages){ 0 };
	if (read_smaps(from, from + size, p))
		return -1;
	pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	flags = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	if (pagemap >= 0 && flags >= 0)
		p->folio_kib = folio_pages(pagemap, flags, from, size / page, page) * (long)(page / 1024);
	if (pagemap >= 0)
		close(pagemap);
	if (flags >= 0)
		close(flags);
	return 0;
}

const char *bench_pages_text(struct arena *a, const struct bench_pages *p, size_t size)
{
	long kib = (long)(size / 1024);

	if (!p->rss_kib)
		return "absent";
	if (p->huge_kib >= kib)
		return "pmd";
	if (p->huge_kib)
		return arena_printf(a, "pmd %ld %%", p->huge_kib * 100 / kib);
	return p->folio_kib ? arena_printf(a, "pte of %ld KiB", p->folio_kib) : "base";
}
