/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel names: reading and ordering them, listing those we know, telling us their dates. */
#include <stdlib.h>
#include <string.h>

#include "../chart/table.h"
#include "../ingest/jread.h"
#include "../ingest/kernel.h"
#include "../ingest/submission.h"
#include "../lib/jsonw.h"
#include "../lib/tm.h"
#include "api_handlers.h"
#include "api_list.h"
#include "api_shapes.h"
#include "calc_audit.h"

#define PARSE_MAX 10000
#define DEADLINE_MS 5000

/* The body as an array of at most PARSE_MAX; owner: the caller. NULL with err. `what`: how an item looks. */
static struct jnode *load_array(const struct req *rq, const char *what, struct err *err)
{
	struct jread_slice whole = { rq->body, rq->body_len, 1 };
	struct jread_split split;
	struct jnode *root;
	bool syntax;

	if (jread_split(rq->arena, rq->body, rq->body_len, SUBMISSION_DEPTH_MAX, &split, err))
		return NULL;
	root = jread_parse(&whole, &syntax, err);
	if (!root)
		return NULL;
	if (jread_type(root) != JREAD_ARRAY)
		err_set(err, ERR_INVALID, "an array of %s is needed", what);
	else if (jread_len(root) > PARSE_MAX)
		err_set(err, ERR_INVALID, "%zu items: at most %d are taken at once", jread_len(root), PARSE_MAX);
	else
		return root;
	jread_free(root);
	return NULL;
}

/* A name as given, and what it says; for sorting. */
struct named {
	const char *text;
	struct kernel k;
};

/* By track, then place; names of one place stay in the order they came in. */
static int by_place(const void *a, const void *b)
{
	const struct named *const *x = a, *const *y = b;
	const struct kernel *p = &(*x)->k, *q = &(*y)->k;
	int c = strcmp(p->track, q->track);

	if (!c)
		c = kernel_compare_keys(p->key, p->key_len, q->key, q->key_len);
	return c ? c : (*x > *y) - (*x < *y);
}

static void tell_sorted(struct jsonw *j, const struct named **list, size_t n)
{
	qsort(list, n, sizeof(*list), by_place);
	jsonw_key(j, "sorted");
	jsonw_object(j);
	for (size_t i = 0; i < n; i++) {
		if (!i || strcmp(list[i]->k.track, list[i - 1]->k.track)) {
			if (i)
				jsonw_array_end(j);
			jsonw_key(j, list[i]->k.track);
			jsonw_array(j);
		}
		jsonw_str(j, list[i]->text);
	}
	if (n)
		jsonw_array_end(j);
	jsonw_object_end(j);
}

static int check_names(struct arena *a, const struct jnode *root, struct err *err)
{
	struct problems *problems = problems_new(a);

	for (size_t i = 0; i < jread_len(root); i++)
		if (!jread_str(jread_at(root, i)))
			problems_add(problems, arena_printf(a, "/%zu", i), "a text is needed; here stands %s",
				     jread_word(jread_type(jread_at(root, i))));
	if (!problems->total)
		return 0;
	err_set(err, ERR_INVALID, "an array of texts is needed");
	err->problems = problems;
	return -1;
}

/* More than PROBLEMS_MAX of 10,000 names may be bad, and each is told: {"at","message"} in a list of its own. */
static void parse_names(struct req *rq, const struct jnode *root)
{
	struct jsonw j = jsonw_begin(&rq->out);
	size_t n = jread_len(root), good = 0;
	struct named *all = arena_array(rq->arena, struct named, n + 1);
	const struct named **list = arena_array(rq->arena, const struct named *, n + 1);
	struct buf problems;
	struct jsonw pj;

	buf_init(&problems);
	pj = jsonw_begin(&problems);
	jsonw_array(&pj);
	jsonw_object(&j);
	jsonw_key(&j, "kernels");
	jsonw_array(&j);
	for (size_t i = 0; i < n; i++) {
		struct err why = { 0 };

		all[i].text = jread_str(jread_at(root, i));
		if (!kernel_parse(rq->arena, all[i].text, &all[i].k, &why)) {
			api_shapes_parsed_kernel(&j, &all[i].k);
			list[good++] = &all[i];
			continue;
		}
		jsonw_null(&j);
		jsonw_object(&pj);
		jsonw_kstr(&pj, "at", arena_printf(rq->arena, "/%zu", i));
		jsonw_kstr(&pj, "message", why.message);
		jsonw_object_end(&pj);
	}
	jsonw_array_end(&j);
	jsonw_array_end(&pj);
	tell_sorted(&j, list, good);
	jsonw_kraw(&j, "problems", problems.p);
	jsonw_object_end(&j);
	buf_fini(&problems);
}

int api_kernels_parse(struct req *rq, struct err *err)
{
	struct jnode *root = load_array(rq, "kernel names", err);
	int ret = -1;

	if (root && !check_names(rq->arena, root, err)) {
		parse_names(rq, root);
		ret = 0;
	}
	jread_free(root);
	return ret;
}

/* What one item of POST /api/v1/kernels says. */
struct update {
	struct kernel k;
	const char *commit, *log;
	int64_t released_at;
};

static int read_commit(struct arena *a, const struct jnode *v, struct update *u, struct err *err)
{
	const char *s = jread_str(v);

	if (!v)
		return 0;
	if (!s || strlen(s) < 7 || strlen(s) > 64 || strspn(s, "0123456789abcdefABCDEF") != strlen(s))
		return err_set(err, ERR_INVALID, "commit: 7 to 64 hexadecimal digits are needed");
	u->commit = arena_strdup(a, s);
	return 0;
}

static int read_log(struct arena *a, const struct jnode *v, struct update *u, struct err *err)
{
	struct buf text;

	if (!v)
		return 0;
	if (jread_type(v) != JREAD_ARRAY)
		return err_set(err, ERR_INVALID, "log: an array of \"SHA SUBJECT\" is needed");
	for (size_t i = 0; i < jread_len(v); i++)
		if (!jread_str(jread_at(v, i)))
			return err_set(err, ERR_INVALID, "log/%zu: \"SHA SUBJECT\" is needed", i);
	buf_init(&text);
	jread_canonical(v, NULL, &text);
	u->log = arena_strdup(a, text.p);
	buf_fini(&text);
	return 0;
}

static int read_update(struct arena *a, const struct jnode *item, struct update *u, struct err *err)
{
	const struct jnode *object = jread_type(item) == JREAD_OBJECT ? item : NULL;
	const struct jnode *released = object ? jread_get(object, "released_at") : NULL;
	const char *release = object ? jread_str(jread_get(object, "release")) : NULL;

	*u = (struct update){ .released_at = TM_NONE };
	if (!release)
		return err_set(err, ERR_INVALID, "an object with a text \"release\" is needed");
	if (released && !jread_str(released))
		return err_set(err, ERR_INVALID, "released_at: a text is needed; here stands %s",
			       jread_word(jread_type(released)));
	if (released && tm_parse(jread_str(released), &u->released_at))
		return err_set(err, ERR_INVALID, "released_at: " TM_REFUSED, jread_str(released));
	if (read_commit(a, jread_get(object, "commit"), u, err) || read_log(a, jread_get(object, "log"), u, err))
		return -1;
	return kernel_parse(a, arena_strdup(a, release), &u->k, err);
}

static int update_items(struct req *rq, const struct jnode *root, struct err *err)
{
	struct jsonw j = jsonw_begin(&rq->out);
	size_t n = jread_len(root);

	jsonw_object(&j);
	jsonw_key(&j, "items");
	jsonw_array(&j);
	for (size_t i = 0; i < n; i++) {
		struct err why = { 0 };
		struct update u;
		bool created = false;
		int bad = read_update(rq->arena, jread_at(root, i), &u, &why);

		jsonw_object(&j);
		jsonw_ki64(&j, "index", (int64_t)i);
		if (!bad && db_catalog_kernel_update(rq->server->catalog, rq->db, &u.k, u.commit, u.released_at, u.log,
						     &created, err))
			return -1;
		jsonw_kstr(&j, "status", bad ? "invalid" : created ? "created" : "updated");
		if (bad)
			jsonw_kstr(&j, "message", why.message);
		jsonw_object_end(&j);
	}
	jsonw_array_end(&j);
	jsonw_object_end(&j);
	return 0;
}

struct telling {
	struct req *rq;
	const struct jnode *root;
};

/* One line of the trail a request: a mirror sends its whole list each night. */
static int tell_tx(struct db *db, void *arg, struct err *err)
{
	struct telling *t = arg;
	size_t n = jread_len(t->root);
	const char *first = n && jread_type(jread_at(t->root, 0)) == JREAD_OBJECT ?
			    jread_str(jread_get(jread_at(t->root, 0), "release")) : NULL;
	struct audit au;

	calc_audit_begin(&au, t->rq->token.name, "kernel", "update", first ? first : "");
	jsonw_object(&au.json);
	jsonw_ki64(&au.json, "kernels", (int64_t)n);
	jsonw_object_end(&au.json);
	return calc_audit_end(&au, db, t->rq->arena, NULL, err);
}

int api_kernels_post(struct req *rq, struct err *err)
{
	struct jnode *root = load_array(rq, "{\"release\", \"released_at\", \"commit\", \"log\"}", err);
	struct telling t = { rq, root };
	int ret = root && !db_tx(rq->db, tell_tx, &t, DEADLINE_MS, err) ? update_items(rq, root, err) : -1;

	jread_free(root);
	return ret;
}

static int by_order(const void *a, const void *b)
{
	const struct cat_kernel *x = *(const struct cat_kernel *const *)a, *y = *(const struct cat_kernel *const *)b;
	int c = strcmp(x->track, y->track);

	if (!c)
		c = kernel_compare_keys(x->key, x->key_len, y->key, y->key_len);
	if (!c)
		c = x->is_variant - y->is_variant;	/* the base before its variants */
	return c ? c : (x->id > y->id) - (x->id < y->id);
}

/* Those nobody gave a date come last. */
static int by_release(const void *a, const void *b)
{
	const struct cat_kernel *x = *(const struct cat_kernel *const *)a, *y = *(const struct cat_kernel *const *)b;
	int64_t p = x->released_at == TM_NONE ? INT64_MAX : x->released_at;
	int64_t q = y->released_at == TM_NONE ? INT64_MAX : y->released_at;

	return p != q ? (p > q) - (p < q) : by_order(a, b);
}

static int pick_order(const struct req *rq, int (**order)(const void *, const void *), struct err *err)
{
	const char *word = web_arg(rq, "order");

	*order = NULL;
	if (!word || !strcmp(word, "0"))
		return 0;
	if (!strcmp(word, "1"))
		*order = by_order;
	else if (!strcmp(word, "released") || !strcmp(word, "released_at"))
		*order = by_release;
	else
		return err_set(err, ERR_BAD_ARGUMENT, "order: 1 (within tracks) or released_at is needed");
	return 0;
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The kernels of the tracks asked for, and of runs that the other selectors ask for; a copy, under no lock after. */
static int pick(struct req *rq, const struct selection *sel, const struct cat_kernel ***out, size_t *n, struct err *err)
{
	const struct cat_kernel *const *all, **list;
	struct seen_filter seen;
	size_t n_all, n_ids = 0;
	int64_t *ids = NULL;
	bool of_runs = api_shapes_seen(rq, sel, &seen);

	*n = 0;
	if (of_runs && sel->n && db_seen_kernels(rq->db, rq->arena, &seen, &ids, &n_ids, err))
		return -1;
	db_catalog_lock(rq->server->catalog);
	all = db_catalog_kernels(rq->server->catalog, &n_all);
	list = arena_array(rq->arena, const struct cat_kernel *, n_all + 1);
	for (size_t i = 0; i < n_all; i++)
		if (calc_select_track(sel, all[i]->track) &&
		    (!of_runs || (n_ids && bsearch(&all[i]->id, ids, n_ids, sizeof(*ids), by_number))))
			list[(*n)++] = all[i];
	db_catalog_unlock(rq->server->catalog);
	*out = list;
	return 0;
}

static void kernels_table(struct req *rq, const struct cat_kernel **list, const struct api_list *page)
{
	static const struct table_col cols[] = {
		{ .name = "name", .head = "kernel" },
		{ .name = "release", .in = TABLE_CSV },
		{ .name = "base" },
		{ .name = "rc", .right = true },
		{ .name = "distance", .right = true, .in = TABLE_CSV },
		{ .name = "track" },
		{ .name = "commit", .in = TABLE_CSV },
		{ .name = "released_at", .head = "released" },
	};
	struct table *t = table_new(rq->arena, cols, sizeof(cols) / sizeof(cols[0]));
	char when[TM_TEXT];

	for (size_t i = page->from; i < page->to; i++) {
		const struct cat_kernel *k = list[i];

		table_row(t);
		table_str(t, k->name);
		table_str(t, k->release);
		table_str(t, k->base);
		if (k->rc)
			table_i64(t, k->rc);
		else
			table_none(t);
		table_i64(t, k->distance);
		table_str(t, k->track);
		table_str(t, k->commit);
		table_str(t, k->released_at == TM_NONE ? NULL : tm_format(k->released_at, when));
	}
	api_list_table(rq, t);
}

int api_kernels_list(struct req *rq, struct err *err)
{
	int (*order)(const void *, const void *);
	const struct cat_kernel **list;
	struct selection sel;
	struct api_list page;
	struct jsonw j = jsonw_begin(&rq->out);
	size_t n;

	if (pick_order(rq, &order, err) || api_shapes_selection(rq, &sel, err) || pick(rq, &sel, &list, &n, err))
		return -1;
	if (order && n)
		qsort(list, n, sizeof(*list), order);
	if (api_list_page(rq, n, &page, err))
		return -1;
	if (rq->rep != REP_JSON) {
		kernels_table(rq, list, &page);
		return 0;
	}
	jsonw_object(&j);
	jsonw_key(&j, "kernels");
	jsonw_array(&j);
	for (size_t i = page.from; i < page.to; i++)
		api_shapes_kernel(&j, list[i]);
	jsonw_array_end(&j);
	jsonw_kstr(&j, "next", page.next);
	jsonw_object_end(&j);
	return 0;
}
