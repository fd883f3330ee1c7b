/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two runs side by side: what they ran on, where it differs. Whatever their kernels,
 * machines and tools; a boot's id and times are of the run itself, and are left out.
 */
#include <stdlib.h>
#include <string.h>

#include "../ingest/jread.h"
#include "../lib/jsonw.h"
#include "api_handlers.h"
#include "api_list.h"
#include "api_runs.h"
#include "api_shapes.h"

#define DEPTH_MAX 8		/* what is nested deeper is compared as a whole */

struct fact {
	const char *name;
	const char *value;		/* JSON */
};

struct facts {
	struct arena *a;
	struct fact *list;
	size_t n, cap;
};

static void add(struct facts *f, const char *name, const char *value)
{
	if (f->n == f->cap) {
		size_t more = f->cap ? f->cap * 2 : 32;

		f->list = arena_grow(f->a, f->list, f->cap * sizeof(*f->list), more * sizeof(*f->list));
		f->cap = more;
	}
	f->list[f->n++] = (struct fact){ name, value };
}

static void add_text(struct facts *f, const char *name, const char *text)
{
	struct buf out;
	struct jsonw j;

	if (!text || !*text)
		return;
	buf_init(&out);
	j = jsonw_begin(&out);
	jsonw_str(&j, text);
	add(f, name, arena_strndup(f->a, out.p, out.len));
	buf_fini(&out);
}

/* An object's members as NAME.KEY, of any depth; what is no object as it stands. */
static void add_json(struct facts *f, const char *name, const struct jnode *v, int depth)
{
	struct buf out;

	if (jread_type(v) == JREAD_OBJECT && depth < DEPTH_MAX) {
		for (const struct jmember *m = jread_first(v); m; m = jread_next(v, m))
			add_json(f, arena_printf(f->a, "%s.%s", name, jread_key(m)), jread_value(m), depth + 1);
		return;
	}
	if (jread_type(v) == JREAD_NULL)
		return;
	buf_init(&out);
	jread_canonical(v, NULL, &out);
	add(f, name, arena_strndup(f->a, out.p, out.len));
	buf_fini(&out);
}

static void add_object(struct facts *f, const char *name, const char *text)
{
	struct jread_slice slice = { text ? text : "{}", text ? strlen(text) : 2, 1 };
	struct jnode *root;
	struct err err;
	bool syntax;

	root = jread_parse(&slice, &syntax, &err);
	add_json(f, name, root, 0);	/* NULL is nothing: the database holds JSON only */
	jread_free(root);
}

static int by_name(const void *x, const void *y)
{
	return strcmp(((const struct fact *)x)->name, ((const struct fact *)y)->name);
}

/* Under the catalogue's lock. */
static struct facts facts_of(struct req *rq, const struct run *run)
{
	const struct catalog *c = rq->server->catalog;
	const struct cat_machine *machine = db_catalog_machine(c, run->machine_id);
	const struct cat_kernel *kernel = db_catalog_kernel(c, run->kernel_id);
	const struct cat_config *config = db_catalog_config(c, run->config_id);
	struct facts f = { .a = rq->arena };

	if (machine) {
		add_text(&f, "machine", machine->name);
		add_text(&f, "uarch", machine->uarch);
		add_text(&f, "isa", machine->isa);
	}
	if (kernel)
		add_text(&f, "kernel", kernel->name);
	if (config) {
		add_text(&f, "thp", config->thp);
		add_text(&f, "flavour", config->flavour);
		if (config->base_page_kib)
			add(&f, "base_page_kib", arena_printf(rq->arena, "%d", config->base_page_kib));
	}
	add_text(&f, "format", run->format);
	add_object(&f, "environment", run->environment);
	add_object(&f, "source", run->source);
	add_object(&f, "labels", run->labels);
	if (f.n)
		qsort(f.list, f.n, sizeof(*f.list), by_name);
	return f;
}

/* The next name of both, in order; NULL values: not said there. False at the end. */
static bool next(const struct facts *x, const struct facts *y, size_t *i, size_t *k, const struct fact **a,
		 const struct fact **b)
{
	int order = *i == x->n ? 1 : *k == y->n ? -1 : strcmp(x->list[*i].name, y->list[*k].name);

	if (*i == x->n && *k == y->n)
		return false;
	*a = order <= 0 ? &x->list[(*i)++] : NULL;
	*b = order >= 0 ? &y->list[(*k)++] : NULL;
	return true;
}

static bool differ(const struct fact *a, const struct fact *b)
{
	return !a || !b || strcmp(a->value, b->value);
}

static void put_json(struct jsonw *j, const struct run *const runs[2], const struct facts f[2])
{
	const struct fact *a, *b;
	size_t i = 0, k = 0, same = 0;
	char id[UUID_TEXT];

	jsonw_object(j);
	jsonw_kstr(j, "run", uuid_format(&runs[0]->run_id, id));
	jsonw_kstr(j, "against", uuid_format(&runs[1]->run_id, id));
	jsonw_key(j, "differences");
	jsonw_array(j);
	while (next(&f[0], &f[1], &i, &k, &a, &b)) {
		if (!differ(a, b)) {
			same++;
			continue;
		}
		jsonw_object(j);
		jsonw_kstr(j, "name", a ? a->name : b->name);
		jsonw_kraw(j, "run", a ? a->value : "null");
		jsonw_kraw(j, "against", b ? b->value : "null");
		jsonw_object_end(j);
	}
	jsonw_array_end(j);
	jsonw_ki64(j, "same", (int64_t)same);
	jsonw_object_end(j);
}

static void put_table(struct req *rq, const struct facts f[2])
{
	static const struct table_col cols[] = { { .name = "name" }, { .name = "run" }, { .name = "against" } };
	struct table *t = table_new(rq->arena, cols, sizeof(cols) / sizeof(cols[0]));
	const struct fact *a, *b;
	size_t i = 0, k = 0;

	while (next(&f[0], &f[1], &i, &k, &a, &b)) {
		if (!differ(a, b))
			continue;
		table_row(t);
		table_str(t, a ? a->name : b->name);
		table_str(t, a ? a->value : NULL);
		table_str(t, b ? b->value : NULL);
	}
	api_list_table(rq, t);
}

void api_runs_diff_json(struct req *rq, struct jsonw *j, const struct run *run, const struct run *against)
{
	const struct facts f[2] = { facts_of(rq, run), facts_of(rq, against) };

	put_json(j, (const struct run *[]){ run, against }, f);
}

size_t api_runs_diff_para(struct req *rq, const struct run *run, const struct run *against)
{
	const struct facts f[2] = { facts_of(rq, run), facts_of(rq, against) };
	const struct fact *a, *b;
	size_t i = 0, k = 0, n = 0;

	while (next(&f[0], &f[1], &i, &k, &a, &b)) {
		const char *is = a ? a->value : "not said", *was = b ? b->value : "not said";

		if (!differ(a, b))
			continue;
		n++;
		table_para(&rq->out, 4, table_clean(rq->arena, arena_printf(rq->arena, "%s: %s -> %s", a ? a->name : b->name, was, is)));
	}
	return n;
}

int api_runs_before(struct req *rq, const struct run *run, struct run **before, struct err *err)
{
	struct catalog *c = rq->server->catalog;
	const struct cat_config *const *all, *own;
	size_t n_all, n = 0;
	int64_t *ids;

	*before = NULL;
	db_catalog_lock(c);
	all = db_catalog_configs(c, &n_all);
	own = db_catalog_config(c, run->config_id);
	ids = arena_array(rq->arena, int64_t, n_all + 1);
	for (size_t i = 0; i < n_all && own; i++)
		if (!strcmp(all[i]->thp, own->thp) && all[i]->base_page_kib == own->base_page_kib)
			ids[n++] = all[i]->id;
	db_catalog_unlock(c);
	if (n && db_runs_before(rq->db, rq->arena, run, ids, n, before, err))
		return -1;
	return *before ? 0 : db_runs_before(rq->db, rq->arena, run, NULL, 0, before, err);
}

int api_runs_diff(struct req *rq, struct err *err)
{
	const char *against = web_arg(rq, "against");
	const struct run *runs[2];
	struct facts f[2];
	struct run *run;
	struct uuid id;

	if (!against)
		return err_set(err, ERR_BAD_ARGUMENT, "against=ID is needed: the other run");
	if (api_runs_id_of(rq, against, &id, err) || db_runs_get(rq->db, rq->arena, &id, &run, err))
		return -1;
	if (!run)
		return err_set(err, ERR_NOT_FOUND, "there is no run %.60s", against);
	runs[1] = run;
	if (api_runs_find(rq, &run, err))	/* the catalogue is refreshed behind both */
		return -1;
	runs[0] = run;
	db_catalog_lock(rq->server->catalog);
	for (int i = 0; i < 2; i++)
		f[i] = facts_of(rq, runs[i]);
	if (rq->rep == REP_JSON) {
		struct jsonw j = jsonw_begin(&rq->out);

		put_json(&j, runs, f);
	} else {
		put_table(rq, f);
	}
	db_catalog_unlock(rq->server->catalog);
	return 0;
}
