/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was measured as a submission: the context of collect, and the results. */
#include <string.h>

#include "../lib/jsonw.h"
#include "../lib/version.h"
#include "bench_impl.h"
#include "bench_sizes.h"
#include "bench_thp.h"
#include "collect.h"
#include "say.h"

static const char *name_of(struct arena *a, const struct bench_cell *c)
{
	return arena_printf(a, "nsecwatch/%s", c->op->name);
}

/* "bench" of the environment: what the numbers were got under. */
static const char *conditions(struct bench_run *r)
{
	uint64_t batches = 0, disturbed = 0;
	const char *text;
	struct buf b;
	struct jsonw j;

	buf_init(&b);
	j = jsonw_begin(&b);
	jsonw_object(&j);
	jsonw_ki64(&j, "cpu", r->cpu);
	jsonw_kstr(&j, "thp_mode", r->mode);
	jsonw_kstr(&j, "mapping", r->o->mapping);
	for (size_t i = 0; i < r->n; i++) {
		batches += r->cells[i].batches;
		disturbed += r->cells[i].disturbed;
	}
	jsonw_ki64(&j, "batches", (int64_t)batches);
	jsonw_ki64(&j, "batches_disturbed", (int64_t)disturbed);
	jsonw_key(&j, "pages");
	jsonw_object(&j);
	for (size_t i = 0; i < r->n; i++) {
		const struct bench_cell *c = &r->cells[i];

		if (c->pages)
			jsonw_kstr(&j,
				   arena_printf(r->a, "%s %s", c->op->name, bench_sizes_text(r->a, c->size)),
				   c->pages);
	}
	jsonw_object_end(&j);
	jsonw_object_end(&j);
	text = arena_strndup(r->a, b.p, b.len);
	buf_fini(&b);
	return text;
}

static void put_params(struct bench_run *r, struct jsonw *j, const struct bench_cell *c)
{
	jsonw_key(j, "params");
	jsonw_object(j);
	jsonw_ki64(j, "size_kib", (int64_t)(c->size / 1024));
	if (bench_thp_advises(r->thp))
		jsonw_kstr(j, "advice", "hugepage");
	if (strcmp(r->o->mapping, "as-is"))
		jsonw_kstr(j, "mapping", r->o->mapping);
	jsonw_object_end(j);
}

static void put_result(struct bench_run *r, struct jsonw *j, const struct bench_cell *c)
{
	jsonw_object(j);
	jsonw_kstr(j, "benchmark", name_of(r->a, c));
	put_params(r, j, c);
	jsonw_kstr(j, "metric", "latency");
	jsonw_kstr(j, "unit", "ns/call");
	jsonw_kstr(j, "better", "lower");
	if (c->error) {
		jsonw_kstr(j, "status", c->skipped ? "skipped" : "failed");
		jsonw_kstr(j, "error", c->error);
	} else {
		jsonw_key(j, "values");
		jsonw_array(j);
		for (size_t i = 0; i < c->n; i++)
			jsonw_num(j, c->values[i]);
		jsonw_array_end(j);
		jsonw_ki64(j, "iterations", (int64_t)c->calls);
	}
	jsonw_object_end(j);
}

/* What it takes to measure this again. */
static const char *command(struct bench_run *r)
{
	const struct options *o = r->o;
	const char *text = "nsecwatch bench";

	for (size_t i = 0; i < o->n_words; i++)
		text = arena_printf(r->a, "%s %s", text, o->words[i]);
	text = arena_printf(r->a, "%s --sizes '%s' --thp %s", text, o->sizes, r->mode);
	if (strcmp(o->mapping, "as-is"))
		text = arena_printf(r->a, "%s --mapping %s", text, o->mapping);
	return o->reps ? arena_printf(r->a, "%s --reps %d --cpu %d", text, o->reps, r->cpu)
		       : arena_printf(r->a, "%s --precision %g%% --cpu %d", text, o->precision, r->cpu);
}

static void put_source(struct bench_run *r, struct jsonw *j)
{
	char started[TM_TEXT], finished[TM_TEXT];

	jsonw_kstr(j, "started_at", tm_format(r->started_usec, started));
	jsonw_kstr(j, "finished_at", tm_format(tm_now_usec(), finished));
	jsonw_key(j, "source");
	jsonw_object(j);
	jsonw_kstr(j, "tool", "nsecwatch bench");
	jsonw_kstr(j, "version", version_text);
	jsonw_kstr(j, "command", command(r));
	jsonw_object_end(j);
	if (r->o->labels.n) {
		jsonw_key(j, "labels");
		jsonw_object(j);
		for (size_t i = 0; i < r->o->labels.n; i++)
			jsonw_kstr(j, r->o->labels.list[i][0], r->o->labels.list[i][1]);
		jsonw_object_end(j);
	}
}

void bench_print(struct bench_run *r, struct buf *out)
{
	const char *left_out, *context = collect_context(r->a, r->o, conditions(r), false, &left_out);
	struct jsonw j;

	if (*left_out)
		say("of this machine could not be read: %s (nsecwatch collect says why)", left_out);
	buf_add(out, context, strlen(context) - 1); /* its object goes on */
	j = jsonw_begin(out);
	j.comma = true;
	put_source(r, &j);
	jsonw_key(&j, "results");
	jsonw_array(&j);
	for (size_t i = 0; i < r->n; i++)
		put_result(r, &j, &r->cells[i]);
	jsonw_array_end(&j);
	jsonw_object_end(&j);
}
