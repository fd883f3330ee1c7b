/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "file.h"
#include "say.h"

#define SERVER_BODY (4u << 20) /* what a server takes without being told otherwise */

/* The value of a result: what center is made from. */
static const char *result_value(struct arena *a, const struct result *r)
{
	if (r->status != RESULT_OK)
		return r->error ? arena_printf(a, "%s: %s", result_status_word(r->status), r->error)
				: result_status_word(r->status);
	return arena_printf(a, "%.10g %s (n %lld, %s is better)", r->mean, r->unit, (long long)r->n,
			    r->better == BETTER_NEUTRAL ? "neither" : better_word(r->better));
}

static void result_print(struct arena *a, const struct result *r)
{
	const char *params = strcmp(r->params, "{}") ? r->params : "";

	printf("  ");
	say_folded(arena_printf(a, "%s %s%s%s", r->benchmark, r->metric, *params ? " " : "", params), 4);
	printf("      ");
	say_folded(result_value(a, r), 6);
}

static void field_print(const char *name, const char *value)
{
	printf("  %-10s ", name);
	say_folded(value, 13);
}

static void submission_print(struct arena *a, const struct submission *sub)
{
	char id[UUID_TEXT], time[TM_TEXT];
	const char *page = sub->base_page_kib ? arena_printf(a, ", %d KiB pages", sub->base_page_kib) : "";
	const char *flavour = *sub->flavour ? arena_printf(a, ", %s", sub->flavour) : "";

	field_print("run", uuid_format(&sub->run_id, id));
	field_print("machine", arena_printf(a, "%s (%s, %s)", sub->machine, sub->isa, sub->uarch));
	field_print("kernel", arena_printf(a, "%s (%s)", sub->kernel.name, sub->kernel.track));
	field_print("config",
		    arena_printf(a, "thp %s%s%s%s", sub->thp,
				 sub->thp_complete ? "" : " (sizes not given left out)", page, flavour));
	field_print("started", tm_format(sub->started_at, time));
	field_print("results",
		    arena_printf(a, "%zu, %zu of them without a value", sub->n_results, sub->n_failed));
	for (size_t i = 0; i < sub->n_results; i++)
		result_print(a, &sub->results[i]);
}

void parse_say_not_imported(const char *path, const struct submission *sub)
{
	for (size_t i = 0; i < sub->n_not_imported; i++)
		say("%s: not imported%s%s: %s", path, *sub->not_imported[i].at ? " at " : "",
		    sub->not_imported[i].at, sub->not_imported[i].message);
}

static int item_print(struct arena *a, const char *path, const struct read_item *item)
{
	const struct submission *sub = item->sub;

	if (!sub) {
		say("%s: %s", path, item->err.message);
		say_problems(path, "error", item->err.problems);
		return 1;
	}
	submission_print(a, sub);
	say_problems(path, "warning", sub->warnings);
	parse_say_not_imported(path, sub);
	return 0;
}

static int body_print(struct arena *a, const char *path, const struct buf *body,
		      const struct read_context *ctx)
{
	struct read_result result;
	struct err err = { 0 };
	int status = 0;

	if (body->len > SERVER_BODY)
		say("%s: more than 4 MiB: a server takes it compressed, or with a greater --max-body", path);
	if (read_body(a, body->p, body->len, ctx, &result, &err)) {
		say("%s: %s", path, err.message);
		say_problems(path, "error", err.problems);
		return 1;
	}
	for (size_t i = 0; i < result.n; i++) {
		if (result.many)
			printf("%s [%zu]\n", path, i);
		else
			printf("%s\n", path);
		status |= item_print(a, path, &result.items[i]);
	}
	return status;
}

struct read_context parse_context(const struct options *o, const char *filename)
{
	return (struct read_context){
		.format = o->format,
		.filename = filename,
		.machine = o->machine,
		.isa = o->isa,
		.uarch = o->uarch,
		.kernel = o->kernel,
		.thp = o->thp,
		.boot_id = o->boot_id,
		.benchmark = o->benchmark,
		.started_at = o->started_at,
		.base_page_kib = o->base_page_kib,
		.labels = o->labels.list,
		.n_labels = o->labels.n,
		.now = tm_now_usec(),
	};
}

int parse(const struct options *o)
{
	int status = 0;

	for (size_t i = 0; i < o->n_words; i++) {
		struct arena *a = arena_new();
		struct read_context ctx = parse_context(o, o->words[i]);
		struct buf body;

		buf_init(&body);
		if (file_read(o->words[i], &body))
			status = say("%s: %s", o->words[i], strerror(errno));
		else
			status |= body_print(a, o->words[i], &body, &ctx);
		buf_fini(&body);
		arena_free(a);
	}
	return status;
}
