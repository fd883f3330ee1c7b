/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machines and benchmarks under other names: renamed, aliased, and the way back. */
#include <string.h>

#include "api_body.h"
#include "api_handlers.h"
#include "calc_audit.h"
#include "calc_triage.h"
#include "db_names.h"

#define DEADLINE_MS 5000
#define NAME_MOST 200
#define REASON_MOST 2000
#define ALIASES_MOST 100

struct naming {
	struct req *rq;
	enum names_of of;
	const char *verb;		/* "rename", "alias", "unalias" */
	const char *name, *reason;
	struct db_names *now;		/* as it is after */
	struct db_event event;
};

static const char *word_of(enum names_of of)
{
	return of == NAMES_MACHINE ? "machine" : "benchmark";
}

static const char *shown_of(const struct db_names *n)
{
	return n->shown ? n->shown : n->key;
}

static bool has_alias(const struct db_names *n, const char *name)
{
	for (size_t i = 0; i < n->n_aliases; i++)
		if (!strcmp(n->aliases[i], name))
			return true;
	return false;
}

/* A list of its own, since the row's is constant. */
static int set_alias(struct arena *a, struct db_names *n, const char *name, bool there, struct err *err)
{
	const char **list = arena_array(a, const char *, n->n_aliases + 2);
	size_t kept = 0;

	for (size_t i = 0; i < n->n_aliases; i++)
		if (strcmp(n->aliases[i], name))
			list[kept++] = n->aliases[i];
	if (there)
		list[kept++] = name;
	if (kept > ALIASES_MOST)
		return err_set(err, ERR_INVALID, "name: more than %d other names", ALIASES_MOST);
	n->aliases = list;
	n->n_aliases = kept;
	return 0;
}

/* What it was called goes on to mean it. */
static int rename_it(struct naming *m, struct err *err)
{
	const char *old = shown_of(m->now);

	if (!strcmp(old, m->name))
		return err_set(err, ERR_CONFLICT, "it is called %s already", old);
	if (set_alias(m->rq->arena, m->now, m->name, false, err) ||
	    (strcmp(old, m->now->key) && set_alias(m->rq->arena, m->now, old, true, err)))
		return -1;
	m->now->shown = strcmp(m->name, m->now->key) ? m->name : NULL;
	return 0;
}

static int change(struct naming *m, struct err *err)
{
	bool there = has_alias(m->now, m->name);

	if (!strcmp(m->verb, "rename"))
		return rename_it(m, err);
	if (!strcmp(m->verb, "unalias"))
		return there ? set_alias(m->rq->arena, m->now, m->name, false, err) :
		       err_set(err, ERR_CONFLICT, "\"%s\" is no other name of %s", m->name, shown_of(m->now));
	if (there || !strcmp(m->name, m->now->key) || !strcmp(m->name, shown_of(m->now)))
		return err_set(err, ERR_CONFLICT, "\"%s\" means %s already", m->name, shown_of(m->now));
	return set_alias(m->rq->arena, m->now, m->name, true, err);
}

static int put_event(struct naming *m, struct db *db, const char *before, struct err *err)
{
	struct audit au;

	calc_audit_begin(&au, m->rq->token.name, word_of(m->of), m->verb, m->now->key);
	jsonw_object(&au.json);
	jsonw_kstr(&au.json, "name", m->name);
	if (!strcmp(m->verb, "rename"))
		jsonw_kstr(&au.json, "old_name", before);
	if (m->reason)
		jsonw_kstr(&au.json, "reason", m->reason);
	jsonw_object_end(&au.json);
	return calc_audit_end(&au, db, m->rq->arena, &m->event, err);
}

static int name_tx(struct db *db, void *arg, struct err *err)
{
	struct naming *m = arg;
	struct db_names *other, *root;
	const char *before;

	if (db_names_find(db, m->rq->arena, m->of, m->rq->id, &m->now, err) ||
	    db_names_root(db, m->rq->arena, m->of, &m->now, err) ||
	    db_names_find(db, m->rq->arena, m->of, m->name, &other, err))
		return -1;
	root = other;
	if (db_names_root(db, m->rq->arena, m->of, &root, err))
		return -1;
	if (!m->now)
		return err_set(err, ERR_NOT_FOUND, "there is no %s %s", word_of(m->of), m->rq->id);
	if (root && root->id != m->now->id)
		return err_set(err, ERR_CONFLICT, "\"%s\" is another %s, %s; if they are one, merge them", m->name, word_of(m->of),
			       shown_of(root));
	if (other && other->id != m->now->id)
		return err_set(err, ERR_CONFLICT, "\"%s\" means %s already, which %s was merged into", m->name, shown_of(m->now),
			       shown_of(other));
	before = shown_of(m->now);
	if (change(m, err) || db_names_write(db, m->of, m->now, err))
		return -1;
	return put_event(m, db, before, err);
}

static void tell(struct req *rq, const struct naming *m, const struct api_body *b)
{
	struct jsonw j = jsonw_begin(&rq->out);

	jsonw_object(&j);
	jsonw_kstr(&j, "name", shown_of(m->now));
	jsonw_kstr(&j, "first_name", m->now->key);
	jsonw_key(&j, "aliases");
	jsonw_array(&j);
	for (size_t i = 0; i < m->now->n_aliases; i++)
		jsonw_str(&j, m->now->aliases[i]);
	jsonw_array_end(&j);
	jsonw_key(&j, "event");
	calc_triage_event_json(&j, &m->event);
	api_body_warnings(&j, b);
	jsonw_object_end(&j);
}

static int name_it(struct req *rq, enum names_of of, const char *verb, struct err *err)
{
	struct naming m = { .rq = rq, .of = of, .verb = verb };
	struct api_body b;

	if (api_body_begin(&b, rq, err))
		return -1;
	m.name = api_body_line(&b, "name", true, NAME_MOST);
	m.reason = api_body_text(&b, "reason", false, REASON_MOST);
	if (m.name && strchr(m.name, '*'))
		api_body_wrong(&b, "name", "a * stands for any text in questions, and so in no name");
	if (api_body_end(&b, err) || db_tx(rq->db, name_tx, &m, DEADLINE_MS, err))
		return -1;
	tell(rq, &m, &b);
	return 0;
}

int api_names_machine_rename(struct req *rq, struct err *err)
{
	return name_it(rq, NAMES_MACHINE, "rename", err);
}

int api_names_machine_alias(struct req *rq, struct err *err)
{
	return name_it(rq, NAMES_MACHINE, "alias", err);
}

int api_names_machine_unalias(struct req *rq, struct err *err)
{
	return name_it(rq, NAMES_MACHINE, "unalias", err);
}

int api_names_benchmark_rename(struct req *rq, struct err *err)
{
	return name_it(rq, NAMES_BENCHMARK, "rename", err);
}

int api_names_benchmark_alias(struct req *rq, struct err *err)
{
	return name_it(rq, NAMES_BENCHMARK, "alias", err);
}

int api_names_benchmark_unalias(struct req *rq, struct err *err)
{
	return name_it(rq, NAMES_BENCHMARK, "unalias", err);
}
