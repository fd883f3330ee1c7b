/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A catalogue of arrays: the database's side of db_catalog.h for tests of what only looks things up in it. */
#ifndef TESTS_FAKE_CATALOG_H
#define TESTS_FAKE_CATALOG_H

#include "../../server/db_catalog.h"

#include <string.h>

#define N(x) (sizeof(x) / sizeof(*(x)))

static const struct cat_benchmark mprotect = { .id = 1, .key = "mprotect/tw4m", .name = "mprotect/tw4m" };
static const struct cat_benchmark bigheap = { .id = 2, .key = "stress-ng/bigheap", .name = "stress-ng/bigheap" };
static const struct cat_metric latency = { .id = 1, .name = "latency", .unit = "ns/call", .better = BETTER_LOWER };
static const struct cat_metric rate = { .id = 2, .name = "rate", .unit = "calls/s", .better = BETTER_HIGHER };
static const struct cat_machine milan = { .id = 1, .key = "milan-01", .name = "milan-01", .isa = "x86_64", .uarch = "epyc-milan", .facts = "{}" };
static const struct cat_machine altra = { .id = 2, .key = "altra-01", .name = "altra-01", .isa = "aarch64", .uarch = "neoverse-n1", .facts = "{}" };
static const struct cat_config always = { .id = 1, .thp = "always", .base_page_kib = 4, .flavour = "" };
static const struct cat_config never = { .id = 2, .thp = "never", .flavour = "" };
static const struct cat_param size4 = { "size_kib", "4", true, 4 }, size40 = { "size_kib", "40", true, 40 };
static const struct cat_param size400 = { "size_kib", "400", true, 400 };

static const struct cat_series series[] = {
	{ 11, &mprotect, &latency, &milan, &always, "{\"size_kib\":400}", &size400, 1 },
	{ 12, &mprotect, &latency, &milan, &always, "{\"size_kib\":40}", &size40, 1 },
	{ 13, &mprotect, &latency, &milan, &always, "{\"size_kib\":4}", &size4, 1 },
	{ 14, &mprotect, &latency, &altra, &never, "{\"size_kib\":4}", &size4, 1 },
	{ 15, &bigheap, &rate, &milan, &always, "{}", NULL, 0 },
};
static const struct cat_series *series_list[N(series)];

enum { V616, V617RC1, REVERT, ELN, RC2, N_KERNELS };
static struct cat_kernel kernels[N_KERNELS];
static const struct cat_kernel *kernel_list[N_KERNELS];
static const char *const names[N_KERNELS] = {
	"6.16", "6.17-rc1", "6.17-rc1+revert-cac1db8c3aad", "6.16.0-65.eln150.x86_64", "6.17-rc2",
};

struct catalog {
	int locked;
};
static struct catalog catalog;

void db_catalog_lock(struct catalog *c)
{
	c->locked++;
}

void db_catalog_unlock(struct catalog *c)
{
	c->locked--;
}

const struct cat_kernel *const *db_catalog_kernels(const struct catalog *c, size_t *n)
{
	(void)c;
	*n = N_KERNELS;
	return kernel_list;
}

const struct cat_series *const *db_catalog_series(const struct catalog *c, size_t *n)
{
	(void)c;
	*n = N(series);
	return series_list;
}

const struct cat_series *const *db_catalog_series_of(const struct catalog *c, int64_t benchmark_id, size_t *n)
{
	size_t first = 0;

	(void)c;
	while (first < N(series) && series[first].benchmark->id != benchmark_id)	/* those of one stand together */
		first++;
	for (*n = 0; first + *n < N(series) && series[first + *n].benchmark->id == benchmark_id;)
		(*n)++;
	return series_list + first;
}

const struct cat_benchmark *const *db_catalog_benchmarks(const struct catalog *c, size_t *n)
{
	static const struct cat_benchmark *const list[] = { &mprotect, &bigheap };

	(void)c;
	*n = N(list);
	return list;
}

const struct cat_machine *const *db_catalog_machines(const struct catalog *c, size_t *n)
{
	static const struct cat_machine *const list[] = { &milan, &altra };

	(void)c;
	*n = N(list);
	return list;
}

const struct cat_benchmark *db_catalog_benchmark_of(const struct catalog *c, const char *name)
{
	(void)c;
	if (!strcmp(name, "old/mprotect"))	/* another name of it */
		return &mprotect;
	return !strcmp(name, mprotect.name) ? &mprotect : !strcmp(name, bigheap.name) ? &bigheap : NULL;
}

const struct cat_machine *db_catalog_machine_of(const struct catalog *c, const char *name)
{
	(void)c;
	return !strcmp(name, milan.name) ? &milan : !strcmp(name, altra.name) ? &altra : NULL;
}

const struct cat_kernel *db_catalog_kernel(const struct catalog *c, int64_t id)
{
	(void)c;
	return id >= 1 && id <= N_KERNELS ? &kernels[id - 1] : NULL;
}

const struct cat_series *db_catalog_series_by_id(const struct catalog *c, int64_t id)
{
	(void)c;
	for (size_t i = 0; i < N(series); i++)
		if (series[i].id == id)
			return &series[i];
	return NULL;
}

const struct cat_kernel *db_catalog_kernel_of(const struct catalog *c, const char *identity)
{
	(void)c;
	for (size_t i = 0; i < N_KERNELS; i++)
		if (!strcmp(kernels[i].identity, identity))
			return &kernels[i];
	return NULL;
}

/* False: one of the names is no kernel. Texts are the arena's. */
static bool make_catalog(struct arena *arena)
{
	for (size_t i = 0; i < N(series); i++)
		series_list[i] = &series[i];
	for (size_t i = 0; i < N_KERNELS; i++) {
		struct kernel k;
		struct err e;

		if (kernel_parse(arena, names[i], &k, &e))
			return false;
		kernels[i] = (struct cat_kernel){ .id = (int64_t)i + 1, .name = k.name, .identity = k.identity,
						  .release = k.release, .base = k.base, .track = k.track, .rc = k.rc,
						  .key_len = k.key_len, .is_variant = k.is_variant,
						  .released_at = TM_NONE };
		memcpy(kernels[i].key, k.key, k.key_len);
		kernel_list[i] = &kernels[i];
	}
	kernels[REVERT].variant_base_id = kernels[V617RC1].id;
	return true;
}

#endif
