/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of sizes, and what is said of pages. */
#include "tap.h"

#include "../../client/bench_pages.h"
#include "../../client/bench_sizes.h"

static const char *list(struct arena *a, const char *text)
{
	struct err err = { 0 };
	size_t *v, n;
	const char *out = "";

	if (bench_sizes(a, text, 4096, &v, &n, &err))
		return arena_printf(a, "%s", err.message);
	for (size_t i = 0; i < n; i++)
		out = arena_printf(a, "%s%s%s", out, i ? ", " : "", bench_sizes_text(a, v[i]));
	return out;
}

static void sizes(struct arena *a)
{
	is_str(list(a, "4K..1M"), "4 KiB, 16 KiB, 64 KiB, 256 KiB, 1 MiB", "a range in steps of 4");
	is_str(list(a, "4K..20K*2"), "4 KiB, 8 KiB, 16 KiB, 20 KiB", "a factor; the end is in it");
	is_str(list(a, "40k,4K,2m,4096,1G..1G"), "4 KiB, 40 KiB, 2 MiB, 1 GiB", "a list, sorted, each once");
	is_str(list(a, "4T"), "4 TiB", "the greatest");
	ok(strstr(list(a, "5T"), "up to 4T") != NULL, "and no greater");
	ok(strstr(list(a, "4K,,8K"), "up to 4T") != NULL, "nothing is no size");
	ok(strstr(list(a, ""), "up to 4T") != NULL, "nor is nothing at all");
	ok(strstr(list(a, "4K..1M*1"), "factor") != NULL, "a factor of 1 goes nowhere");
	ok(strstr(list(a, "-4K"), "up to 4T") != NULL, "below 0");
	ok(strstr(list(a, "K"), "up to 4T") != NULL, "a unit alone");
	ok(strstr(list(a, "6K"), "4 KiB of a page") != NULL, "no half pages");
}

static void pages(struct arena *a)
{
	const size_t mib = 1 << 20;

	is_str(bench_pages_text(a, &(struct bench_pages){ 4096, 4096, 0 }, 4 * mib), "pmd", "huge entries");
	is_str(bench_pages_text(a, &(struct bench_pages){ 4096, 2048, 0 }, 4 * mib), "pmd 50 %",
	       "half of it");
	is_str(bench_pages_text(a, &(struct bench_pages){ 4096, 0, 0 }, 4 * mib), "base", "small pages");
	is_str(bench_pages_text(a, &(struct bench_pages){ 4096, 0, 64 }, 4 * mib), "pte of 64 KiB",
	       "large folios");
	is_str(bench_pages_text(a, &(struct bench_pages){ 0, 0, 0 }, 4 * mib), "absent", "nothing there");
}

int main(void)
{
	struct arena *a = arena_new();

	sizes(a);
	pages(a);
	arena_free(a);
	return done();
}
