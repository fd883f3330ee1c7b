/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * corpus_dump [KEY=VALUE]... FILE: what the readers make of a file, as one JSON document on standard output, for
 * corpus.py. The keys are those of the query (format, machine, kernel, ...). Exit 0 also where the file is refused.
 * as=cpuinfo, as=thp: the file is a copy of /proc/cpuinfo, or a listing of THP's sysfs files, and its slug is told.
 */
#include "../unit/read_file.h"

#include <stddef.h>

#include "../../ingest/cpuinfo.h"
#include "../../ingest/format.h"
#include "../../ingest/thp.h"
#include "../../lib/jsonw.h"

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

static void put_at(struct jsonw *j, const char *at, const char *message)
{
	jsonw_object(j);
	jsonw_kstr(j, "at", at);
	jsonw_kstr(j, "message", message);
	jsonw_object_end(j);
}

static void put_problems(struct jsonw *j, const char *key, const struct problems *p)
{
	jsonw_key(j, key);
	jsonw_array(j);
	for (size_t i = 0; p && i < p->n; i++)
		put_at(j, p->list[i].at, p->list[i].message);
	jsonw_array_end(j);
}

static void put_error(struct jsonw *j, const struct err *err)
{
	jsonw_key(j, "error");
	jsonw_object(j);
	jsonw_kstr(j, "code", err_code(err->kind));
	jsonw_kstr(j, "message", err->message);
	put_problems(j, "problems", err->problems);
	jsonw_object_end(j);
}

static void put_result(struct jsonw *j, const struct result *r)
{
	jsonw_object(j);
	jsonw_kstr(j, "benchmark", r->benchmark);
	jsonw_kraw(j, "params", r->params);
	jsonw_kstr(j, "metric", r->metric);
	jsonw_kstr(j, "unit", r->unit);
	jsonw_kstr(j, "original_unit", r->original_unit);
	jsonw_kstr(j, "better", better_word(r->better));
	jsonw_kstr(j, "status", result_status_word(r->status));
	jsonw_kstr(j, "error", r->error);
	jsonw_ki64(j, "iterations", r->iterations);
	jsonw_ki64(j, "n", r->n);
	jsonw_knum(j, "mean", r->mean);
	jsonw_knum(j, "median", r->median);
	jsonw_knum(j, "stddev", r->stddev);
	jsonw_key(j, "values");
	jsonw_array(j);
	for (size_t i = 0; i < r->n_values; i++)
		jsonw_num(j, r->values[i]);
	jsonw_array_end(j);
	jsonw_object_end(j);
}

static void put_submission(struct jsonw *j, const struct submission *s)
{
	jsonw_kstr(j, "format", s->format);
	jsonw_kstr(j, "machine", s->machine);
	jsonw_kstr(j, "kernel", s->kernel.name);
	jsonw_kstr(j, "commit", s->commit);
	jsonw_kstr(j, "thp", s->thp);
	jsonw_ki64(j, "started_at", s->started_at);
	jsonw_kraw(j, "source", s->source);
	jsonw_kraw(j, "environment", s->environment);
	jsonw_key(j, "results");
	jsonw_array(j);
	for (size_t i = 0; i < s->n_results; i++)
		put_result(j, &s->results[i]);
	jsonw_array_end(j);
	jsonw_key(j, "not_imported");
	jsonw_array(j);
	for (size_t i = 0; i < s->n_not_imported; i++)
		put_at(j, s->not_imported[i].at, s->not_imported[i].message);
	jsonw_array_end(j);
	put_problems(j, "warnings", s->warnings);
}

static void put_item(struct jsonw *j, const struct read_item *item)
{
	jsonw_object(j);
	if (item->sub)
		put_submission(j, item->sub);
	else
		put_error(j, &item->err);
	jsonw_object_end(j);
}

static void dump(struct arena *a, const char *text, size_t len, struct read_context ctx)
{
	const struct format *sniffed = format_sniff(text, len);
	struct read_result res;
	struct buf out;
	struct jsonw j;
	struct err err;

	buf_init(&out);
	j = jsonw_begin(&out);
	jsonw_object(&j);
	jsonw_kstr(&j, "sniffed", sniffed ? sniffed->name : NULL);
	if (read_text(a, text, len, ctx, &res, &err)) {
		put_error(&j, &err);
		res.n = 0;
	}
	jsonw_key(&j, "items");
	jsonw_array(&j);
	for (size_t i = 0; i < res.n; i++)
		put_item(&j, &res.items[i]);
	jsonw_array_end(&j);
	jsonw_object_end(&j);
	puts(out.p);
	buf_fini(&out);
}

#define FILES_MAX 256

/* "NAME:TEXT" lines of `grep -r`, or "$ cat .../NAME" with the text on the next line. */
static size_t thp_files(struct arena *a, char *text, struct thp_file *files)
{
	static const char folder[] = "transparent_hugepage/";
	const char *pending = NULL;
	size_t n = 0;

	for (char *line = strtok(text, "\n"); line && n < FILES_MAX; line = strtok(NULL, "\n")) {
		char *at = strstr(line, folder), *colon = strchr(line, ':');

		if (!strncmp(line, "$ cat ", 6) && at) {
			pending = arena_strdup(a, at + strlen(folder));
		} else if (pending) {
			files[n++] = (struct thp_file){ pending, line };
			pending = NULL;
		} else if (colon) {
			*colon = 0;
			files[n++] = (struct thp_file){ line, colon + 1 };
		}
	}
	return n;
}

/* A file that tells of a machine: its slug, and what it was made of. */
static void identify(struct arena *a, const char *as, char *text)
{
	struct cpu_id cpu = CPU_ID_NONE;
	struct thp_file files[FILES_MAX];
	struct thp thp = { .slug = NULL };
	struct err err;
	size_t bad;

	if (!strcmp(as, "thp"))
		thp_from_files(a, files, thp_files(a, text, files), 0, &thp, &bad, &err);
	else
		cpuinfo_read(a, text, &cpu);
	printf("{\"slug\":\"%s\",\"complete\":%s,\"ids\":\"%s family %ld model %ld stepping %ld part 0x%lx %s\"}\n",
	       !strcmp(as, "thp") ? (thp.slug ? thp.slug : "") : uarch_slug(&cpu) ? uarch_slug(&cpu) : "", thp.complete ? "true" : "false",
	       cpu.vendor ? cpu.vendor : "", cpu.family, cpu.model, cpu.stepping, cpu.part, cpu.other ? cpu.other : "");
}

int main(int argc, char **argv)
{
	const char *as = argc > 2 && !strncmp(argv[1], "as=", 3) ? argv[1] + 3 : NULL;
	struct read_context ctx = { .format = "auto" };
	struct arena *a;
	char *text;
	size_t len;

	for (int i = 1; i < argc - 1 && !as; i++)
		if (!strchr(argv[i], '=') || set(&ctx, argv[i]))
			return 2;
	a = arena_new();
	text = argc > 1 ? read_file(a, argv[argc - 1], &len) : NULL;
	if (text && as)
		identify(a, as, text);
	else if (text)
		dump(a, text, len, ctx);
	else
		fprintf(stderr, "corpus_dump: %s cannot be read\n", argc > 1 ? argv[argc - 1] : "no file");
	arena_free(a);
	return text ? 0 : 2;
}
