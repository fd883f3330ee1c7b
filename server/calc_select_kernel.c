/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel arguments: names, phrases, `latest`, `latest:TRACK`, `previous`. */
#include "calc_select.h"

#include <stdlib.h>
#include <string.h>

#include "db_runs.h"

#define PROBE 16	/* kernels asked for at once while looking for the highest with results */

static int key_order(const struct cat_kernel *a, const struct cat_kernel *b)
{
	return kernel_compare_keys(a->key, a->key_len, b->key, b->key_len);
}

int calc_select_kernel_order(const void *a, const void *b)
{
	const struct cat_kernel *x = *(const struct cat_kernel *const *)a, *y = *(const struct cat_kernel *const *)b;
	int d = x->track == y->track ? 0 : strcmp(x->track, y->track);

	if (!d)
		d = key_order(x, y);
	return d ? d : strcmp(x->name, y->name);
}

/* ---- names ---- */

static const struct cat_kernel *by_text(struct catalog *c, struct arena *a, const char *text)
{
	size_t n;
	const struct cat_kernel *const *kernels = db_catalog_kernels(c, &n);
	struct kernel parsed;
	struct err ignored = { 0 };

	for (size_t i = 0; i < n; i++)
		if (!strcmp(kernels[i]->name, text))
			return kernels[i];
	if (kernel_parse(a, text, &parsed, &ignored))
		return NULL;
	return db_catalog_kernel_of(c, parsed.identity);
}

static int find_named(struct catalog *c, struct arena *a, const char *arg, const char *value,
		      const struct cat_kernel **kernel, struct err *err)
{
	size_t n;
	const struct cat_kernel *const *kernels;
	const char **names;
	char *plus = arena_strdup(a, value);

	db_catalog_lock(c);
	*kernel = by_text(c, a, value);
	if (!*kernel && strchr(plus, ' ')) {
		/* an unescaped '+' of a variant's name arrives as a blank */
		for (char *p = plus; (p = strchr(p, ' '));)
			*p = '+';
		*kernel = by_text(c, a, plus);
	}
	kernels = db_catalog_kernels(c, &n);
	names = arena_array(a, const char *, n + 1);
	for (size_t i = 0; i < n; i++)
		names[i] = kernels[i]->name;
	db_catalog_unlock(c);
	return *kernel ? 0 : calc_select_unknown(a, arg, value, names, n, err);
}

/* ---- which have results ---- */

struct probe {
	const struct selection *sel;
	const int64_t *ids;
	bool has[PROBE];
};

static bool selected(const struct selection *sel, int64_t series_id)
{
	size_t lo = 0, hi = sel->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (sel->series[mid]->id < series_id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < sel->n && sel->series[lo]->id == series_id;
}

static int probe_run(const struct run *run, void *arg, struct err *err)
{
	struct probe *p = arg;
	size_t k = 0;

	(void)err;
	while (p->ids[k] != run->kernel_id)
		k++;
	for (size_t i = 0; i < run->n_results && !p->has[k]; i++)
		p->has[k] = run->status[i] == RESULT_OK && selected(p->sel, run->series_ids[i]);
	return 0;
}

/* The first of these kernels (n of them, highest first) with a result of the selection; NULL: none. */
static int first_with_results(struct db *db, struct arena *a, const struct selection *sel,
			      const struct cat_kernel **list, size_t n, const struct cat_kernel **found,
			      struct err *err)
{
	size_t n_machines;
	const int64_t *machines = calc_select_machines(a, sel, &n_machines);
	struct arena *scratch = arena_new();
	int ret = 0;

	*found = NULL;
	for (size_t at = 0; at < n && sel->n && !*found && !ret; at += PROBE) {
		int64_t ids[PROBE];
		struct probe p = { .sel = sel, .ids = ids };
		size_t many = n - at < PROBE ? n - at : PROBE;

		for (size_t i = 0; i < many; i++)
			ids[i] = list[at + i]->id;
		ret = db_runs_each_of_kernels(db, scratch, ids, many, machines, n_machines, probe_run, &p, err);
		for (size_t i = 0; i < many && !ret && !*found; i++)
			if (p.has[i])
				*found = list[at + i];
		arena_reset(scratch);
	}
	arena_free(scratch);
	return ret;
}

/* Kernels of the selection's tracks (or of one track), no variants, by track, the highest first within it. */
static const struct cat_kernel **candidates(struct catalog *c, struct arena *a, const struct selection *sel,
					    const char *track, size_t *n)
{
	size_t all;
	const struct cat_kernel *const *kernels;
	const struct cat_kernel **list;

	*n = 0;
	db_catalog_lock(c);
	kernels = db_catalog_kernels(c, &all);
	list = arena_array(a, const struct cat_kernel *, all + 1);
	for (size_t i = 0; i < all; i++)
		if (!kernels[i]->is_variant && calc_select_track(sel, kernels[i]->track) &&
		    (!track || !strcmp(track, kernels[i]->track)))
			list[(*n)++] = kernels[i];
	db_catalog_unlock(c);
	qsort(list, *n, sizeof(*list), calc_select_kernel_order);
	for (size_t from = 0, to; from < *n; from = to) {
		for (to = from; to < *n && !strcmp(list[to]->track, list[from]->track);)
			to++;
		for (size_t i = from, j = to - 1; i < j; i++, j--) {
			const struct cat_kernel *k = list[i];

			list[i] = list[j];
			list[j] = k;
		}
	}
	return list;
}

/* ---- latest ---- */

/* The end of the track that begins at list[from]. */
static size_t track_end(const struct cat_kernel **list, size_t n, size_t from)
{
	size_t to = from;

	while (to < n && !strcmp(list[to]->track, list[from]->track))
		to++;
	return to;
}

/*
 * The highest of each track, mainline alone when it has one. need_results false: as the
 * catalogue has it, for a selection that nothing matches, whose answer is empty but no error.
 */
static int latest_of_tracks(struct db *db, struct arena *a, const struct selection *sel,
			    const struct cat_kernel **list, size_t n, bool need_results,
			    const struct cat_kernel **best, size_t *n_best, struct err *err)
{
	*n_best = 0;
	for (size_t from = 0, to; from < n; from = to) {
		const struct cat_kernel *k = list[from];

		to = track_end(list, n, from);
		if (need_results && first_with_results(db, a, sel, list + from, to - from, &k, err))
			return -1;
		if (!k)
			continue;
		if (!strcmp(k->track, "mainline")) {
			best[0] = k;
			*n_best = 1;
			return 0;
		}
		best[(*n_best)++] = k;
	}
	return 0;
}

static int latest(struct catalog *c, struct db *db, struct arena *a, const char *arg, const char *track,
		  const struct selection *sel, const struct cat_kernel **kernel, struct err *err)
{
	size_t n, n_best = 0;
	const struct cat_kernel **list = candidates(c, a, sel, track, &n);
	const struct cat_kernel **best = arena_array(a, const struct cat_kernel *, n + 1);
	const char *names = "";

	if (latest_of_tracks(db, a, sel, list, n, true, best, &n_best, err) ||
	    (!n_best && latest_of_tracks(db, a, sel, list, n, false, best, &n_best, err)))
		return -1;
	if (!n_best)
		return err_set(err, ERR_UNKNOWN_VALUE, "%s: there is no kernel%s%s yet", arg,
			       track ? " on track " : "", track ? track : "");
	*kernel = best[0];
	if (n_best == 1)
		return 0;
	for (size_t i = 0; i < n_best; i++)
		names = arena_printf(a, "%s%slatest:%s", names, i ? ", " : "", best[i]->track);
	return err_set(err, ERR_BAD_ARGUMENT, "%s: latest of which track? There are %s", arg, names);
}

static int check_track(struct catalog *c, struct arena *a, const char *arg, const char *track, struct err *err)
{
	size_t n;
	const struct cat_kernel *const *kernels;
	const char **names;
	bool known = false;

	db_catalog_lock(c);
	kernels = db_catalog_kernels(c, &n);
	names = arena_array(a, const char *, n + 1);
	for (size_t i = 0; i < n; i++) {
		names[i] = kernels[i]->track;
		known |= !strcmp(track, names[i]);
	}
	db_catalog_unlock(c);
	return known ? 0 : calc_select_unknown(a, arg, track, names, n, err);
}

int calc_select_kernel(struct catalog *c, struct db *db, struct arena *a, const char *arg, const char *value,
		       const struct selection *sel, const struct cat_kernel **kernel, struct err *err)
{
	*kernel = NULL;
	if (!strcmp(value, "latest"))
		return latest(c, db, a, arg, NULL, sel, kernel, err);
	if (!strncmp(value, "latest:", 7))
		return check_track(c, a, arg, value + 7, err) ? -1 :
		       latest(c, db, a, arg, value + 7, sel, kernel, err);
	if (!strcmp(value, "previous"))
		return err_set(err, ERR_BAD_ARGUMENT, "%s: previous to what? Name another kernel with it", arg);
	return find_named(c, a, arg, value, kernel, err);
}

int calc_select_previous(struct catalog *c, struct db *db, struct arena *a, const char *arg,
			 const struct selection *sel, const struct cat_kernel *head,
			 const struct cat_kernel **kernel, struct err *err)
{
	size_t n, from = 0, kept;
	const struct cat_kernel **list = candidates(c, a, sel, head->track, &n);

	while (from < n && key_order(list[from], head) >= 0)
		from++;
	/* keys order all of a track; names of local trees and of two branches have no before and after */
	kept = from;
	for (size_t i = from; i < n; i++)
		if (kernel_compare_names(list[i]->name, head->name) == KERNEL_BEFORE)
			list[kept++] = list[i];
	n = kept;
	if (first_with_results(db, a, sel, list + from, n - from, kernel, err))
		return -1;
	if (!*kernel && !sel->n && from < n)
		*kernel = list[from];
	if (!*kernel)
		return err_set(err, ERR_UNKNOWN_VALUE, "%s: no kernel before %s on track %s has results here", arg,
			       head->name, head->track);
	return 0;
}
