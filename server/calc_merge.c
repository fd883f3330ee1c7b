/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_merge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tm.h"
#include "calc_alert_sum.h"
#include "calc_audit.h"
#include "calc_noise_learn.h"
#include "calc_triage.h"
#include "db_merges.h"
#include "db_noise.h"
#include "db_united.h"

#define DEADLINE_MS 120000	/* a history of years is learned anew */

struct merging {
	struct calc_merge *m;
	struct db *db;
	struct arena *a;
	/* as the transaction sees it, before and after: catalogues of its own, since it may come to nothing */
	struct catalog *before, *after;
	struct db_merges_map map;
	int64_t *mains;			/* that stand for any of them, before or after; each once */
	size_t n_mains;
	struct uuid *alerts;		/* that have rows of them, or had; each once */
	size_t n_alerts;
};

static const char *word(const struct calc_merge *m)
{
	return m->of == NAMES_MACHINE ? "machine" : "benchmark";
}

static const char *shown_of(const struct db_names *n)
{
	return n->shown ? n->shown : n->key;
}

/* ---- which ---- */

static int find_rows(struct merging *w, struct err *err)
{
	struct calc_merge *m = w->m;
	struct db_names *now;

	if (db_names_find(w->db, w->a, m->of, m->into, &m->into_row, err) || db_names_root(w->db, w->a, m->of, &m->into_row, err))
		return -1;
	if (!m->into_row)
		return err_set(err, ERR_NOT_FOUND, "there is no %s %s", word(m), m->into);
	if (db_names_find(w->db, w->a, m->of, m->from, &m->from_row, err))
		return -1;
	if (!m->from_row)
		return err_set(err, ERR_INVALID, "name: there is no %s \"%s\"", word(m), m->from);
	now = m->from_row;
	if (db_names_root(w->db, w->a, m->of, &now, err))
		return -1;
	if (m->undo)
		return m->from_row->merged_into && now->id == m->into_row->id ? 0 :
		       err_set(err, ERR_CONFLICT, "%s is not merged into %s", shown_of(m->from_row), shown_of(m->into_row));
	if (m->from_row->id == m->into_row->id)
		return err_set(err, ERR_CONFLICT, "\"%s\" means %s already", m->from, shown_of(m->into_row));
	return !m->from_row->merged_into ? 0 :
	       err_set(err, ERR_CONFLICT, "%s is merged into %s already", shown_of(m->from_row), shown_of(now));
}

static bool differ(const char *x, const char *y)
{
	return strcmp(x, y) && strcmp(x, "unknown") && strcmp(y, "unknown");
}

/* Numbers of two processors in one line would show a change that is none. */
static int check_processors(const struct merging *w, struct err *err)
{
	const struct calc_merge *m = w->m;
	const struct cat_machine *x, *y;

	if (m->of != NAMES_MACHINE || m->undo || m->anyway)
		return 0;
	db_catalog_lock(w->before);
	x = db_catalog_machine(w->before, m->from_row->id);
	y = db_catalog_machine(w->before, m->into_row->id);
	db_catalog_unlock(w->before);
	if (!x || !y || (!differ(x->isa, y->isa) && !differ(x->uarch, y->uarch)))
		return 0;
	return err_set(err, ERR_CONFLICT, "%s is %s (%s), %s is %s (%s): different processors are hardly one machine; "
		       "\"anyway\": true merges them all the same", x->name, x->uarch, x->isa, y->name, y->uarch, y->isa);
}

/* ---- what it changes ---- */

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int by_series(const void *a, const void *b)
{
	return by_number(&(*(const struct cat_series *const *)a)->id, &(*(const struct cat_series *const *)b)->id);
}

/* All that stands alone in the catalogue that is less united: what has another main in the other one, and with whom. */
static size_t find_moved(const struct catalog *apart, const struct catalog *united, struct arena *a,
			 const struct cat_series ***list)
{
	size_t n, found = 0;
	const struct cat_series *const *all = db_catalog_series(apart, &n);
	bool *touched = arena_array(a, bool, n + 1);

	*list = arena_array(a, const struct cat_series *, n + 1);
	for (size_t i = 0; i < n; i++) {
		const struct cat_series *main = db_catalog_series_by_id(united, all[i]->id);
		const struct cat_series *const *other;

		if (!main || main->id == all[i]->id)
			continue;
		touched[i] = true;
		other = bsearch(&main, all, n, sizeof(*all), by_series);
		if (other)
			touched[other - all] = true;
	}
	for (size_t i = 0; i < n; i++)
		if (touched[i])
			(*list)[found++] = all[i];
	return found;
}

/* Each series that is in it, with who stands for it before and after; those that stand for many count for all of theirs. */
static void make_map(struct merging *w)
{
	const struct catalog *apart = w->m->undo ? w->after : w->before;
	const struct cat_series **list;
	size_t n = find_moved(apart, w->m->undo ? w->before : w->after, w->a, &list), many = n;
	int64_t *mains = arena_array(w->a, int64_t, n + 1);
	const int64_t *ids;

	for (size_t i = 0; i < n; i++)
		mains[i] = list[i]->id;
	ids = db_united_all(w->db, UNITED_SERIES, w->a, mains, &many);	/* as after: of an undone one, each side's own */
	w->m->n_series = n;
	w->map = (struct db_merges_map){ .ids = arena_array(w->a, int64_t, many + 1), .before = arena_array(w->a, int64_t, many + 1),
					 .after = arena_array(w->a, int64_t, many + 1) };
	w->mains = arena_array(w->a, int64_t, 2 * many + 1);
	for (size_t i = 0; i < many; i++) {
		size_t k = w->map.n++;

		w->map.ids[k] = ids[i];
		w->map.before[k] = db_catalog_series_by_id(w->before, ids[i])->id;
		w->map.after[k] = db_catalog_series_by_id(w->after, ids[i])->id;
		w->mains[w->n_mains++] = w->map.before[k];
		w->mains[w->n_mains++] = w->map.after[k];
	}
	if (w->n_mains)
		qsort(w->mains, w->n_mains, sizeof(*w->mains), by_number);
	n = w->n_mains;
	w->n_mains = 0;
	for (size_t i = 0; i < n; i++)
		if (!w->n_mains || w->mains[w->n_mains - 1] != w->mains[i])
			w->mains[w->n_mains++] = w->mains[i];
}

static void note_alerts(struct merging *w, const struct uuid *ids, size_t n)
{
	struct uuid *all = arena_array(w->a, struct uuid, w->n_alerts + n + 1);

	if (w->n_alerts)
		memcpy(all, w->alerts, w->n_alerts * sizeof(*all));
	w->alerts = all;
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < w->n_alerts && !uuid_equal(&all[k], &ids[i]))
			k++;
		if (k == w->n_alerts)
			all[w->n_alerts++] = ids[i];
	}
}

static int look_for_alerts(struct merging *w, struct err *err)
{
	struct uuid *ids;
	size_t n;

	if (db_merges_alerts_of(w->db, w->a, w->mains, w->n_mains, &ids, &n, err))
		return -1;
	note_alerts(w, ids, n);
	return 0;
}

/* Alerts on the machines: which they are named by is another one now, whether a row has a twin or not. */
static int note_alerts_on(struct merging *w, const int64_t *machine_ids, size_t n_machines, struct err *err)
{
	struct uuid *ids;
	size_t n;

	if (db_merges_alerts_on(w->db, w->a, machine_ids, n_machines, &ids, &n, err))
		return -1;
	note_alerts(w, ids, n);
	return 0;
}

/* ---- alerts of benchmarks ---- */

static struct triage said(const struct merging *w, enum lifecycle_action action, const char *text)
{
	return (struct triage){ .action = action, .who = w->m->who, .text = text, .due_at = TM_NONE, .until = TM_NONE,
				.restored_percent = NAN };
}

static bool overlap(struct catalog *c, const struct db_alert *x, const struct db_alert *y)
{
	const struct cat_kernel *x_from, *x_to, *y_from, *y_to;

	db_catalog_lock(c);
	x_from = db_catalog_kernel(c, x->from_kernel_id);
	x_to = db_catalog_kernel(c, x->to_kernel_id);
	y_from = db_catalog_kernel(c, y->from_kernel_id);
	y_to = db_catalog_kernel(c, y->to_kernel_id);
	db_catalog_unlock(c);
	return x_from && x_to && y_from && y_to && calc_select_kernel_order(&x_from, &y_to) < 0 &&
	       calc_select_kernel_order(&y_from, &x_to) < 0;
}

/* One of the benchmark that it goes into now which tells the same story. */
static int find_same(struct merging *w, const struct db_alert *al, const int64_t *gone, size_t n_gone, struct db_alert **same,
		     struct err *err)
{
	struct db_alert *list;
	size_t n;

	*same = NULL;
	if (db_alerts_of_benchmark(w->db, w->a, al->track, w->m->into_row->id, al->regression, &list, &n, err))
		return -1;
	for (size_t i = 0; i < n && !*same; i++)
		if (!bsearch(&list[i].benchmark_id, gone, n_gone, sizeof(*gone), by_number) && !list[i].merged && !list[i].part &&
		    overlap(w->after, &list[i], al))
			*same = &list[i];
	return 0;
}

/* Open alerts of what is merged go into those about the same kernels: there is one of a benchmark and range. */
static int join_alerts(struct merging *w, int64_t merge_id, const int64_t *gone, size_t n_gone, struct err *err)
{
	struct db_alert_filter f = { .benchmark_ids = gone, .n_benchmarks = n_gone, .regressions = true, .improvements = true,
				     .before_created_at = TM_NONE };
	struct db_merges_alert *saved;
	struct db_alert *list, *same;
	size_t n, n_saved = 0;

	if (db_alerts_list(w->db, w->a, &f, INT16_MAX, &list, &n, err))
		return -1;
	saved = arena_array(w->a, struct db_merges_alert, n + 1);
	for (size_t i = 0; i < n; i++) {
		struct triage t = said(w, LIFECYCLE_MERGE, arena_printf(w->a, "The benchmark %s was merged into %s.",
									shown_of(w->m->from_row), shown_of(w->m->into_row)));

		if (!bsearch(&list[i].benchmark_id, gone, n_gone, sizeof(*gone), by_number) || list[i].merged || list[i].part ||
		    !calc_lifecycle_is_open(list[i].state))
			continue;
		if (find_same(w, &list[i], gone, n_gone, &same, err))
			return -1;
		if (!same)
			continue;
		t.into = same->id;
		saved[n_saved++] = (struct db_merges_alert){ .id = list[i].id, .into = same->id, .state = list[i].state };
		note_alerts(w, &list[i].id, 1);
		note_alerts(w, &same->id, 1);
		if (calc_triage_in_tx(w->after, w->db, w->a, &list[i].id, &t, err))
			return -1;
	}
	return db_merges_save_alerts(w->db, w->a, merge_id, saved, n_saved, err);
}

/* Back again, in the states they had, unless somebody has done something else with them. */
static int part_alerts(struct merging *w, const struct db_merges_alert *list, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		struct triage t = said(w, LIFECYCLE_REOPEN, arena_printf(w->a, "The benchmark %s is none of %s any more.",
									 shown_of(w->m->from_row), shown_of(w->m->into_row)));
		struct db_alert *al;

		if (db_alerts_get_locked(w->db, w->a, &list[i].id, &al, err))
			return -1;
		if (!al || !al->merged || !uuid_equal(&al->merged_into, &list[i].into))
			continue;
		note_alerts(w, &list[i].id, 1);
		note_alerts(w, &list[i].into, 1);
		if (calc_triage_in_tx(w->before, w->db, w->a, &list[i].id, &t, err) ||
		    db_alerts_get_locked(w->db, w->a, &list[i].id, &al, err))
			return -1;
		al->state = list[i].state;
		if (db_triage_write(w->db, al, err))
			return -1;
	}
	return 0;
}

/* ---- the end of it ---- */

/* An alert that only the other's numbers showed is over. */
static int close_empty(struct merging *w, const struct uuid *id, struct err *err)
{
	struct triage t = said(w, LIFECYCLE_INVALID, arena_printf(w->a, "Nothing of it is left: %s is none of %s any more.",
								  shown_of(w->m->from_row), shown_of(w->m->into_row)));
	struct db_alert *al;

	t.who = "watch";	/* which takes it back when something shows it again */
	if (db_alerts_drop_suspect(w->db, id, err) || db_alerts_get(w->db, w->a, id, &al, err))
		return -1;
	if (!al || al->n_series || al->merged || !strcmp(al->origin, "manual") || !calc_lifecycle_is_open(al->state))
		return 0;
	return calc_triage_in_tx(w->after, w->db, w->a, id, &t, err);
}

static int sum_up(struct merging *w, struct err *err)
{
	if (look_for_alerts(w, err))
		return -1;
	for (size_t i = 0; i < w->n_alerts; i++)
		if (calc_alert_sum_up(w->after, w->db, w->a, &w->alerts[i], err) ||
		    (w->m->undo && close_empty(w, &w->alerts[i], err)))
			return -1;
	w->m->n_alerts = w->n_alerts;
	return 0;
}

/* What boots of a series differ by is another thing now, and what comes after each kernel, too. */
static int learn(struct merging *w, const int64_t *rows, size_t n_rows, struct err *err)
{
	int64_t *ids = arena_array(w->a, int64_t, w->map.n + 1);
	size_t n = 0, changed = 0;

	for (size_t i = 0; i < w->map.n; i++)
		if (w->map.after[i] == w->map.ids[i])
			ids[n++] = w->map.ids[i];
	return (w->n_mains && db_noise_delete(w->db, w->mains, w->n_mains, err)) ||
	       (n && calc_noise_learn(w->after, w->db, w->a, ids, n, &changed, err)) ||
	       db_merges_check_again(w->db, w->m->of, rows, n_rows, err) ? -1 : 0;
}

static int put_event(struct merging *w, struct err *err)
{
	struct calc_merge *m = w->m;
	struct audit au;

	calc_audit_begin(&au, m->who, word(m), m->undo ? "unmerge" : "merge", m->into_row->key);
	jsonw_object(&au.json);
	jsonw_kstr(&au.json, "name", m->from_row->key);
	if (m->reason)
		jsonw_kstr(&au.json, "reason", m->reason);
	jsonw_ki64(&au.json, "series", (int64_t)m->n_series);
	jsonw_ki64(&au.json, "alerts", (int64_t)m->n_alerts);
	jsonw_object_end(&au.json);
	return calc_audit_end(&au, w->db, w->a, &m->event, err);
}

static const int64_t *sorted(struct arena *a, const int64_t *ids, size_t n)
{
	int64_t *list = arena_array(a, int64_t, n + 1);

	memcpy(list, ids, n * sizeof(*ids));
	qsort(list, n, sizeof(*list), by_number);
	return list;
}

/* All rows that are read as one of the two, before or after: *gone those that are read as the one that goes. */
static const int64_t *rows_of(struct merging *w, size_t *n, const int64_t **gone, size_t *n_gone)
{
	enum united_kind kind = w->m->of == NAMES_MACHINE ? UNITED_MACHINE : UNITED_BENCHMARK;
	int64_t *ids = arena_array(w->a, int64_t, 2), *one = arena_array(w->a, int64_t, 1);

	ids[0] = w->m->into_row->id;
	ids[1] = *one = w->m->from_row->id;
	*n = 2;
	*n_gone = 1;
	*gone = sorted(w->a, db_united_all(w->db, kind, w->a, one, n_gone), *n_gone);
	return db_united_all(w->db, kind, w->a, ids, n);
}

static int merge(struct merging *w, const int64_t *gone, size_t n_gone, struct err *err)
{
	struct calc_merge *m = w->m;
	int64_t id;

	return look_for_alerts(w, err) || db_merges_save(w->db, m->of, m->from_row->id, m->into_row->id, &w->map, &id, err) ||
	       db_merges_move(w->db, &w->map, err) ||
	       (m->of == NAMES_BENCHMARK && join_alerts(w, id, gone, n_gone, err)) ? -1 : 0;
}

static int undo(struct merging *w, struct err *err)
{
	struct calc_merge *m = w->m;
	struct db_merges_alert *parted;
	size_t n;
	int64_t id;

	if (look_for_alerts(w, err) || db_merges_find(w->db, w->a, m->of, m->from_row->id, &id, &parted, &n, err))
		return -1;
	if (!id)
		return err_set(err, ERR_BUG, "a %s is merged, and nothing is known of it", word(m));
	return part_alerts(w, parted, n, err) || db_merges_undo(w->db, id, &w->map, err) ? -1 : 0;
}

static int do_it(struct merging *w, struct err *err)
{
	struct calc_merge *m = w->m;
	const int64_t *rows, *gone;
	size_t n_rows, n_gone;

	if (db_alerts_lock_wait(w->db, err) || find_rows(w, err) || db_catalog_refresh(w->before, w->db, err) ||
	    check_processors(w, err))
		return -1;
	rows = rows_of(w, &n_rows, &gone, &n_gone);	/* before: what goes is still by itself, or the whole is one */
	if (db_merges_set(w->db, m->of, m->from_row->id, m->undo ? 0 : m->into_row->id, err) ||
	    db_catalog_refresh(w->after, w->db, err))
		return -1;
	make_map(w);
	if (m->of == NAMES_MACHINE && note_alerts_on(w, rows, n_rows, err))
		return -1;
	return (m->undo ? undo(w, err) : merge(w, gone, n_gone, err)) || sum_up(w, err) || learn(w, rows, n_rows, err) ||
	       put_event(w, err) ? -1 : 0;
}

static int merge_tx(struct db *db, void *arg, struct err *err)
{
	struct merging w = *(struct merging *)arg;
	int ret;

	w.db = db;
	w.before = db_catalog_new();
	w.after = db_catalog_new();
	ret = do_it(&w, err);
	db_catalog_free(w.before);
	db_catalog_free(w.after);
	db_united_use(db, NULL);	/* the process's own catalogue says it again */
	return ret;
}

int calc_merge_do(struct catalog *c, struct db *db, struct arena *a, struct calc_merge *m, struct err *err)
{
	struct merging w = { .m = m, .a = a };

	return db_tx(db, merge_tx, &w, DEADLINE_MS, err) || db_catalog_refresh(c, db, err) ? -1 : 0;
}
