/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * corpus_dump [KEY=VALUE]... FILE: what the readers make of a file, as one JSON document on standard output, for
 * corpus.py. The keys are those of the query (format, machine, kernel, ...). Exit 0 also where the file is refused.
 */
#include "../unit/read_file.h"

#include <stddef.h>

#include "../../ingest/format.h"
#include "../../lib/json.h"

static const struct {
	const char *key;
	size_t offset;
} keys[] = {
#define KEY(name) { #name, offsetof(struct read_context, name) }
	KEY(format), KEY(filename), KEY(machine), KEY(isa), KEY(uarch), KEY(kernel), KEY(thp), KEY(boot_id),
	KEY(benchmark), KEY(started_at), KEY(base_page_kib),
#undef KEY
};

static int set(struct read_context *ctx, char *arg)
{
	char *value = strchr(arg, '=');

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (strncmp(arg, keys[i].key, (size_t)(value - arg)) || keys[i].key[value - arg])
			continue;
		value++;
		memcpy((char *)ctx + keys[i].offset, &value, sizeof(value));
		return 0;
	}
	fprintf(stderr, "corpus_dump: %s is no argument of a foreign format\n", arg);
	return -1;
}

static void put_at(struct json *j, const char *at, const char *message)
{
	json_object(j);
	json_kstr(j, "at", at);
	json_kstr(j, "message", message);
	json_object_end(j);
}

static void put_problems(struct json *j, const char *key, const struct problems *p)
{
	json_key(j, key);
	json_array(j);
	for (size_t i = 0; p && i < p->n; i++)
		put_at(j, p->list[i].at, p->list[i].message);
	json_array_end(j);
}

static void put_error(struct json *j, const struct err *err)
{
	json_key(j, "error");
	json_object(j);
	json_kstr(j, "code", err_code(err->kind));
	json_kstr(j, "message", err->message);
	put_problems(j, "problems", err->problems);
	json_object_end(j);
}

static void put_result(struct json *j, const struct result *r)
{
	json_object(j);
	json_kstr(j, "benchmark", r->benchmark);
	json_kraw(j, "params", r->params);
	json_kstr(j, "metric", r->metric);
	json_kstr(j, "unit", r->unit);
	json_kstr(j, "original_unit", r->original_unit);
	json_kstr(j, "better", better_word(r->better));
	json_kstr(j, "status", result_status_word(r->status));
	json_kstr(j, "error", r->error);
	json_ki64(j, "iterations", r->iterations);
	json_ki64(j, "n", r->n);
	json_knum(j, "mean", r->mean);
	json_knum(j, "median", r->median);
	json_knum(j, "stddev", r->stddev);
	json_key(j, "values");
	json_array(j);
	for (size_t i = 0; i < r->n_values; i++)
		json_num(j, r->values[i]);
	json_array_end(j);
	json_object_end(j);
}

static void put_submission(struct json *j, const struct submission *s)
{
	json_kstr(j, "format", s->format);
	json_kstr(j, "machine", s->machine);
	json_kstr(j, "kernel", s->kernel.name);
	json_kstr(j, "commit", s->commit);
	json_kstr(j, "thp", s->thp);
	json_ki64(j, "started_at", s->started_at);
	json_kraw(j, "source", s->source);
	json_kraw(j, "environment", s->environment);
	json_key(j, "results");
	json_array(j);
	for (size_t i = 0; i < s->n_results; i++)
		put_result(j, &s->results[i]);
	json_array_end(j);
	json_key(j, "not_imported");
	json_array(j);
	for (size_t i = 0; i < s->n_not_imported; i++)
		put_at(j, s->not_imported[i].at, s->not_imported[i].message);
	json_array_end(j);
	put_problems(j, "warnings", s->warnings);
}

static void put_item(struct json *j, const struct read_item *item)
{
	json_object(j);
	if (item->sub)
		put_submission(j, item->sub);
	else
		put_error(j, &item->err);
	json_object_end(j);
}

static void dump(struct arena *a, const char *text, size_t len, struct read_context ctx)
{
	const struct format *sniffed = format_sniff(text, len);
	struct read_result res;
	struct buf out;
	struct json j;
	struct err err;

	buf_init(&out);
	j = json_begin(&out);
	json_object(&j);
	json_kstr(&j, "sniffed", sniffed ? sniffed->name : NULL);
	if (read_text(a, text, len, ctx, &res, &err)) {
		put_error(&j, &err);
		res.n = 0;
	}
	json_key(&j, "items");
	json_array(&j);
	for (size_t i = 0; i < res.n; i++)
		put_item(&j, &res.items[i]);
	json_array_end(&j);
	json_object_end(&j);
	puts(out.p);
	buf_fini(&out);
}

int main(int argc, char **argv)
{
	struct read_context ctx = { .format = "auto" };
	struct arena *a;
	char *text;
	size_t len;

	for (int i = 1; i < argc - 1; i++)
		if (!strchr(argv[i], '=') || set(&ctx, argv[i]))
			return 2;
	a = arena_new();
	text = argc > 1 ? read_file(a, argv[argc - 1], &len) : NULL;
	if (text)
		dump(a, text, len, ctx);
	else
		fprintf(stderr, "corpus_dump: %s cannot be read\n", argc > 1 ? argv[argc - 1] : "no file");
	arena_free(a);
	return text ? 0 : 2;
}
