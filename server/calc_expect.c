/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_expect.h"

#include <string.h>

#include "../lib/num.h"
#include "../lib/tm.h"
#include "calc_select.h"

#define YEARS_MOST 10

static const struct {
	char letter;
	int64_t seconds;
} units[] = { { 'w', 7 * 86400 }, { 'd', 86400 }, { 'h', 3600 }, { 'm', 60 }, { 's', 1 } };

int64_t calc_expect_interval(const char *text)
{
	size_t n = strlen(text);
	int64_t count;

	if (n < 2 || num_parse_i64(text, n - 1, &count) || count <= 0)
		return -1;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (text[n - 1] == units[i].letter && count <= YEARS_MOST * INT64_C(366) * 86400 / units[i].seconds)
			return count * units[i].seconds;
	return -1;
}

const char *calc_expect_interval_text(struct arena *a, int64_t seconds)
{
	size_t i = 0;

	while (seconds % units[i].seconds)
		i++;
	return arena_printf(a, "%lld%c", (long long)(seconds / units[i].seconds), units[i].letter);
}

int calc_expect_look(struct catalog *c, struct db *db, struct arena *a, const struct db_expectation *e,
		     struct calc_expect *x, struct err *err)
{
	const struct cat_benchmark *const *all;
	struct db_last_run last;
	int64_t *ids;
	size_t n, found = 0;

	db_catalog_lock(c);
	all = db_catalog_benchmarks(c, &n);
	ids = arena_array(a, int64_t, n + 1);
	for (size_t i = 0; i < n; i++)
		if (calc_select_glob(e->benchmark, all[i]->name) || calc_select_glob(e->benchmark, all[i]->key) ||
		    all[i] == db_catalog_benchmark_of(c, e->benchmark))
			ids[found++] = all[i]->id;
	db_catalog_unlock(c);
	if (db_expectations_last(db, e->machine_id, ids, found, &last, err))
		return -1;
	*x = (struct calc_expect){ .e = e, .last_at = last.at };
	x->due_at = (last.at == TM_NONE || last.at < e->created_at ? e->created_at : last.at) + e->interval_s * 1000000;
	db_catalog_lock(c);
	x->machine = db_catalog_machine(c, e->machine_id);
	x->kernel = last.at == TM_NONE ? NULL : db_catalog_kernel(c, last.kernel_id);
	all = db_catalog_benchmarks(c, &n);
	for (size_t i = 0; i < n && last.at != TM_NONE; i++)
		if (all[i]->id == last.benchmark_id)
			x->benchmark = all[i];
	db_catalog_unlock(c);
	if (!x->machine || (last.at != TM_NONE && (!x->kernel || !x->benchmark)))
		return err_set(err, ERR_UNAVAILABLE, "an expectation names what the catalogue does not have yet");
	return 0;
}

const char *calc_expect_sentence(struct arena *a, const struct calc_expect *x)
{
	char at[TM_TEXT];
	const char *since = x->last_at == TM_NONE ? "" : arena_printf(a, " since %s", tm_format(x->last_at / 1000000 * 1000000, at));

	return arena_printf(a, "no run of %s from %s%s; one is expected every %s", x->e->benchmark, x->machine->name, since,
			    calc_expect_interval_text(a, x->e->interval_s));
}
