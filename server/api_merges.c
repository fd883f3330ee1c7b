/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machines and benchmarks that are one, and the way back. */
#include "api_body.h"
#include "api_handlers.h"
#include "calc_merge.h"
#include "calc_triage.h"

#define NAME_MOST 200
#define REASON_MOST 2000

static void tell(struct req *rq, const struct calc_merge *m, const struct api_body *b)
{
	struct catalog *c = rq->server->catalog;
	struct jsonw j = jsonw_begin(&rq->out);
	const char *const *aliases;
	const char *name;

	db_catalog_lock(c);
	if (m->of == NAMES_MACHINE) {
		const struct cat_machine *e = db_catalog_machine(c, m->into_row->id);

		name = e->name;
		aliases = e->aliases;
	} else {
		const struct cat_benchmark *e = db_catalog_benchmark(c, m->into_row->id);

		name = e->name;
		aliases = e->aliases;
	}
	db_catalog_unlock(c);
	jsonw_object(&j);
	jsonw_kstr(&j, "name", name);
	jsonw_kstr(&j, "first_name", m->into_row->key);
	jsonw_key(&j, "aliases");
	jsonw_array(&j);
	for (; aliases && *aliases; aliases++)
		jsonw_str(&j, *aliases);
	jsonw_array_end(&j);
	jsonw_key(&j, "event");
	calc_triage_event_json(&j, &m->event);
	api_body_warnings(&j, b);
	jsonw_object_end(&j);
}

static int merge(struct req *rq, enum names_of of, bool undo, struct err *err)
{
	struct calc_merge m = { .of = of, .into = rq->id, .undo = undo, .who = rq->token.name };
	struct api_body b;

	if (api_body_begin(&b, rq, err))
		return -1;
	m.from = api_body_line(&b, "name", true, NAME_MOST);
	m.reason = api_body_text(&b, "reason", false, REASON_MOST);
	m.anyway = of == NAMES_MACHINE && !undo && api_body_bool(&b, "anyway", false);
	if (api_body_end(&b, err) || calc_merge_do(rq->server->catalog, rq->db, rq->arena, &m, err))
		return -1;
	tell(rq, &m, &b);
	return 0;
}

int api_merges_machine(struct req *rq, struct err *err)
{
	return merge(rq, NAMES_MACHINE, false, err);
}

int api_merges_machine_undo(struct req *rq, struct err *err)
{
	return merge(rq, NAMES_MACHINE, true, err);
}

int api_merges_benchmark(struct req *rq, struct err *err)
{
	return merge(rq, NAMES_BENCHMARK, false, err);
}

int api_merges_benchmark_undo(struct req *rq, struct err *err)
{
	return merge(rq, NAMES_BENCHMARK, true, err);
}
