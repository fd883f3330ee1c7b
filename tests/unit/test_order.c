/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The quick sort of many series is the sort by the order of two; and work in parts covers everything once. */
#include <stdlib.h>
#include <string.h>

#include "../../lib/parallel.h"
#include "../../server/calc_order.h"
#include "tap.h"

#define N 3000

static const struct cat_benchmark benchmarks[] = { { .id = 1, .name = "b" }, { .id = 2, .name = "a" }, { .id = 3, .name = "c/x" } };
static const struct cat_machine machines[] = { { .id = 9, .name = "z" }, { .id = 4, .name = "m" } };
static const struct cat_config configs[] = {	/* the first and the last have the same thp */
	{ .id = 1, .thp = "never", .base_page_kib = 64, .flavour = "" },
	{ .id = 2, .thp = "always", .base_page_kib = 4, .flavour = "" },
	{ .id = 3, .thp = "never", .base_page_kib = 4, .flavour = "rt" },
};
static const struct cat_metric metrics[] = { { .id = 1, .name = "total" }, { .id = 2, .name = "latency" } };
static struct cat_param params[N][2];
static struct cat_series all[N];
static const struct cat_series *series[N];

static void make_series(void)
{
	unsigned seed = 7;

	for (int i = 0; i < N; i++) {
		params[i][0] = (struct cat_param){ .name = "mode", .text = rand_r(&seed) % 2 ? "x" : "y" };
		params[i][1] = (struct cat_param){ .name = "size", .text = "", .is_number = true, .number = rand_r(&seed) % 20 };
		all[i] = (struct cat_series){
			.id = i + 1, .benchmark = &benchmarks[rand_r(&seed) % 3], .machine = &machines[rand_r(&seed) % 2],
			.config = &configs[rand_r(&seed) % 3], .metric = &metrics[rand_r(&seed) % 2],
			.param = params[i] + rand_r(&seed) % 2,
		};
		all[i].n_params = all[i].param == params[i] ? 2 : 1;
		series[i] = &all[i];
	}
}

static int by_order(const void *a, const void *b)
{
	return calc_order_series(series[*(const size_t *)a], series[*(const size_t *)b]);
}

static void order(void)
{
	struct arena *a = arena_new();
	static size_t quick[N], plain[N];
	size_t n = 0;

	make_series();
	for (size_t i = 0; i < N; i++)
		if (i % 11)
			quick[n] = plain[n] = i, n++;
	calc_order_sort(a, series, quick, n);
	qsort(plain, n, sizeof(*plain), by_order);
	ok(!memcmp(quick, plain, n * sizeof(*plain)), "%zu series in the order of two", n);
	calc_order_sort(a, series, quick, 0);
	calc_order_sort(a, series, quick + 1, 1);
	ok(quick[1] == plain[1], "none, and one");
	arena_free(a);
}

struct visits {
	unsigned parts;
	int seen[10007];
};

static void visit(void *arg, unsigned part)
{
	struct visits *v = arg;

	for (size_t i = parallel_from(10007, part, v->parts); i < parallel_from(10007, part + 1, v->parts); i++)
		v->seen[i]++;
}

static void parallel(void)
{
	static struct visits v;
	int wrong = 0;

	for (v.parts = 1; v.parts <= PARALLEL_MOST; v.parts++)
		parallel_run(v.parts, visit, &v);
	for (int i = 0; i < 10007; i++)
		wrong += v.seen[i] != PARALLEL_MOST;
	ok(!wrong, "parts cover everything once");
	ok(parallel_parts(0, 10) == 1 && parallel_parts(19, 10) == 1 && parallel_parts(1000000, 10) <= PARALLEL_MOST,
	   "little work is one part");
}

int main(void)
{
	order();
	parallel();
	return done();
}
