/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_group.h"

#include <stdlib.h>
#include <string.h>

#include "../ingest/jread.h"
#include "calc_ids.h"
#include "calc_select.h"

#define COMMITS_SHOWN 5

/* ---- why ---- */

static size_t count(struct arena *a, const struct calc_alert *al, int64_t (*of)(const struct cat_series *))
{
	struct calc_ids seen = calc_ids_new(a, al->n_rows + 1);
	size_t n = 0;

	for (size_t i = 0; i < al->n_rows; i++) {
		uint32_t *at = calc_ids_at(&seen, of(al->rows[i].series));

		n += !*at;
		*at = 1;
	}
	return n;
}

static int64_t machine_of(const struct cat_series *s)
{
	return s->machine->id;
}

static int64_t config_of(const struct cat_series *s)
{
	return s->config->id;
}

static const char *counted(struct arena *a, size_t n, const char *what)
{
	return arena_printf(a, "%zu %s%s", n, what, n == 1 ? "" : "s");
}

static const char *why(struct arena *a, const struct calc_alert *al)
{
	const char *text, *how = al->alert->regression ? "worse" : "better";
	size_t wider = 0;

	for (size_t i = 0; i < al->n_rows; i++)
		wider += al->rows[i].from != al->from || al->rows[i].to != al->to;
	text = arena_printf(a, "One alert, because all are %s, all became %s, and all between %s and %s of %s: %s on %s with %s",
			    al->benchmark->name, how, al->from->name, al->to->name, al->alert->track,
			    arena_printf(a, "%zu series", al->n_rows), counted(a, count(a, al, machine_of), "machine"),
			    counted(a, count(a, al, config_of), "configuration"));
	if (wider)
		text = arena_printf(a, "%s; %zu of them over a range of kernels of their own, which overlaps", text, wider);
	return arena_printf(a, "%s.", text);
}

/* ---- suspects ---- */

static int read_logs(struct db *db, struct arena *a, struct calc_group *g, struct err *err)
{
	int64_t *ids = arena_array(a, int64_t, g->n_suspects);
	const char **logs = arena_array(a, const char *, g->n_suspects);

	for (size_t i = 0; i < g->n_suspects; i++)
		ids[i] = g->suspects[i].kernel->id;
	if (g->n_suspects && db_catalog_kernel_logs(db, a, ids, g->n_suspects, logs, err))
		return -1;
	for (size_t i = 0; i < g->n_suspects; i++)
		g->suspects[i].log = logs[i];
	return 0;
}

static void find_suspects(struct catalog *c, struct arena *a, const struct calc_alert *al, struct calc_group *g)
{
	const struct cat_kernel **in, *const *all;
	size_t n, n_in = 0;

	db_catalog_lock(c);
	all = db_catalog_kernels(c, &n);
	in = arena_array(a, const struct cat_kernel *, n);
	for (size_t i = 0; i < n; i++)
		if (!all[i]->is_variant && !strcmp(all[i]->track, al->alert->track) &&
		    calc_select_kernel_order(&all[i], &al->from) > 0 && calc_select_kernel_order(&all[i], &al->to) <= 0)
			in[n_in++] = all[i];
	db_catalog_unlock(c);
	if (n_in)
		qsort(in, n_in, sizeof(*in), calc_select_kernel_order);
	g->suspects_left = n_in > CALC_GROUP_SUSPECTS ? n_in - CALC_GROUP_SUSPECTS : 0;
	g->n_suspects = n_in - g->suspects_left;
	g->suspects = arena_array(a, struct group_suspect, g->n_suspects);
	for (size_t i = 0; i < g->n_suspects; i++)
		g->suspects[i].kernel = in[g->suspects_left + i];
}

/* ---- what to run again ---- */

static void add_rerun(struct calc_group *g, const struct cat_machine *m, const struct cat_kernel *k)
{
	for (size_t i = 0; i < g->n_reruns; i++)
		if (g->reruns[i].machine == m && g->reruns[i].kernel == k)
			return;
	g->reruns[g->n_reruns++] = (struct group_rerun){ m, k };
}

static void find_reruns(struct arena *a, const struct calc_alert *al, struct calc_group *g)
{
	if (strcmp(al->alert->state, "suspect"))
		return;
	g->reruns = arena_array(a, struct group_rerun, 2 * al->n_rows);
	for (size_t i = 0; i < al->n_rows; i++) {
		const struct calc_alert_row *row = &al->rows[i];

		add_rerun(g, row->series->machine, row->to);
		if (row->change->from_boots < 2)
			add_rerun(g, row->series->machine, row->from);
	}
}

int calc_group_read(struct catalog *c, struct db *db, struct arena *a, const struct calc_alert *al,
		    struct calc_group **out, struct err *err)
{
	struct calc_group *g = arena_zalloc(a, sizeof(*g));

	g->why = why(a, al);
	find_suspects(c, a, al, g);
	find_reruns(a, al, g);
	*out = g;
	return read_logs(db, a, g, err);
}

/* ---- shown ---- */

void calc_group_json(struct jsonw *j, const struct calc_group *g)
{
	jsonw_kstr(j, "why_grouped", g->why);
	jsonw_key(j, "suspects");
	jsonw_array(j);
	for (size_t i = 0; i < g->n_suspects; i++) {
		jsonw_object(j);
		jsonw_kstr(j, "kernel", g->suspects[i].kernel->name);
		jsonw_kstr(j, "commit", g->suspects[i].kernel->commit);
		jsonw_kraw(j, "log", g->suspects[i].log ? g->suspects[i].log : "[]");
		jsonw_object_end(j);
	}
	jsonw_array_end(j);
	jsonw_ki64(j, "suspects_left", (int64_t)g->suspects_left);
	jsonw_key(j, "rerun");
	jsonw_array(j);
	for (size_t i = 0; i < g->n_reruns; i++) {
		jsonw_object(j);
		jsonw_kstr(j, "machine", g->reruns[i].machine->name);
		jsonw_kstr(j, "kernel", g->reruns[i].kernel->name);
		jsonw_object_end(j);
	}
	jsonw_array_end(j);
}

/* Adds the first lines of a log to *text, up to COMMITS_SHOWN in all. */
static void add_commits(struct arena *a, const char *log, const char **text, size_t *n)
{
	struct jread_slice whole = { log, strlen(log), 1 };
	struct err ignored = { 0 };
	bool syntax;
	struct jnode *root = jread_parse(&whole, &syntax, &ignored);

	for (size_t i = 0; jread_type(root) == JREAD_ARRAY && i < jread_len(root); i++, ++*n) {
		const char *line = jread_str(jread_at(root, i));

		if (line && *n < COMMITS_SHOWN)
			*text = arena_printf(a, "%s%s%s", *text, *n ? "; " : "", line);
	}
	jread_free(root);
}

const char *calc_group_suspects_text(struct arena *a, const struct calc_group *g)
{
	const char **names = arena_array(a, const char *, g->n_suspects), *text, *commits = "";
	size_t n = 0;

	for (size_t i = 0; i < g->n_suspects; i++) {
		names[i] = g->suspects[i].kernel->name;
		if (g->suspects[i].log)
			add_commits(a, g->suspects[i].log, &commits, &n);
	}
	text = calc_alert_list_text(a, names, g->n_suspects, 6);
	if (n)
		text = arena_printf(a, "%s; %s: %s%s", text, counted(a, n, "commit"), commits,
				    n > COMMITS_SHOWN ? arena_printf(a, " and %zu more", n - COMMITS_SHOWN) : "");
	return text;
}
