/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of formats, and what their readers share. */
#include "format.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../lib/jsonw.h"
#include "../lib/num.h"
#include "submission_json.h"

/* "machine": { somewhere: other tools have "results" too, and call a machine by its name only. */
static bool has_machine(const char *text, size_t len)
{
	static const char key[] = "\"machine\"";
	const char *end = text + len, *p = text;

	while ((p = memmem(p, (size_t)(end - p), key, strlen(key)))) {
		p += strlen(key);
		while (p < end && (isspace((unsigned char)*p) || *p == ':'))
			p++;
		if (p < end && *p == '{')
			return true;
	}
	return false;
}

static int json_sniff(const char *text, size_t len)
{
	if (memmem(text, len, "\"nsecwatch.submission/", strlen("\"nsecwatch.submission/")))
		return 100;
	return (*text == '{' || *text == '[') && memmem(text, len, "\"results\"", strlen("\"results\"")) &&
		has_machine(text, len) ? 30 : 0;
}

/*
 * A new format is a new row here and a file of its own. Our own JSON has no reader
 * here: read.c gives it to submission_json.c, item by item.
 */
#define FORMATS(ROW)								\
	ROW("nsecwatch", SUBMISSION_JSON_SCHEMA, json_sniff, NULL)		\
	ROW("mprotect-reproducer", "mprotect-table mprotect-total", format_reproducer_sniff, format_reproducer_read) \
	ROW("google-benchmark", "gbench", format_gbench_sniff, format_gbench_read) \
	ROW("google-benchmark-console", "gbench-console", format_gbench_console_sniff, format_gbench_console_read) \
	ROW("google-benchmark-csv", "gbench-csv", format_gbench_csv_sniff, format_gbench_csv_read) \
	ROW("will-it-scale", "", format_wis_sniff, format_wis_read) \
	ROW("libmicro", "", format_libmicro_sniff, format_libmicro_read) \
	ROW("stress-ng-log", "", format_stress_ng_log_sniff, format_stress_ng_log_read) \
	ROW("stress-ng-yaml", "", format_stress_ng_yaml_sniff, format_stress_ng_yaml_read) \
	ROW("perf-bench", "", format_perf_bench_sniff, format_perf_bench_read) \
	ROW("csv-series", "", format_csv_series_sniff, format_csv_series_read) \
	ROW("csv", "", format_csv_sniff, format_csv_read)				\
	ROW("lkp-stats", "", format_lkp_stats_sniff, format_lkp_read)		\
	ROW("lkp-matrix", "", format_lkp_matrix_sniff, format_lkp_read)		\
	ROW("lkp-job", "", format_lkp_job_sniff, format_lkp_job_read)		\
	ROW("lkp-compare", "", format_lkp_table_sniff, format_lkp_table_read)	\
	ROW("lkp-changed-stats", "", format_lkp_changed_sniff, format_lkp_changed_read) \
	ROW("mmtests-compare", "mmtests-log", format_mmtests_sniff, format_mmtests_read) \
	ROW("bmf", "bencher", format_bmf_sniff, format_bmf_read) \
	ROW("perf-stat", "", format_perf_stat_sniff, format_perf_stat_read) \
	ROW("fio", "fio-json", format_fio_sniff, format_fio_read) \
	ROW("fio-text", "", format_fio_text_sniff, format_fio_text_read) \
	ROW("sysbench", "", format_sysbench_sniff, format_sysbench_read) \
	ROW("hackbench", "", format_hackbench_sniff, format_hackbench_read) \
	ROW("lmbench", "lmbench-summary", format_lmbench_sniff, format_lmbench_read) \
	ROW("unixbench", "", format_unixbench_sniff, format_unixbench_read) \
	ROW("netperf", "", format_netperf_sniff, format_netperf_read) \
	ROW("kselftest-tap", "tap ktap", format_tap_sniff, format_tap_read) \
	ROW("kcidb", "", format_kcidb_sniff, format_kcidb_read) \
	ROW("hyperfine", "", format_hyperfine_sniff, format_hyperfine_read) \
	ROW("hyperfine-csv", "", format_hyperfine_csv_sniff, format_hyperfine_csv_read) \
	ROW("pytest-benchmark", "pytest", format_pytest_sniff, format_pytest_read) \
	ROW("jmh", "", format_jmh_sniff, format_jmh_read) \
	ROW("criterion", "cargo", format_criterion_sniff, format_criterion_read) \
	ROW("asv", "", format_asv_sniff, format_asv_read) \
	ROW("go-benchfmt", "go", format_go_sniff, format_go_read) \
	ROW("lnt", "", format_lnt_sniff, format_lnt_read) \
	ROW("conbench", "", format_conbench_sniff, format_conbench_read) \
	ROW("github-action-benchmark", "github-action-custom customSmallerIsBetter customBiggerIsBetter", format_github_sniff, format_github_read) \
	ROW("openmetrics", "", format_openmetrics_sniff, format_openmetrics_read) \
	ROW("prometheus-text", "prometheus", format_prometheus_sniff, format_prometheus_read) \
	ROW("perfherder", "treeherder-perfherder", format_perfherder_sniff, format_perfherder_read) \
	ROW("pts-log", "phoronix pts", format_pts_sniff, format_pts_read) \
	ROW("horreum", "", format_horreum_sniff, format_horreum_read) \
	ROW("fastpath", "", format_fastpath_sniff, format_fastpath_read)

#define TABLE_ROW(name, aliases, sniff, read) { name, aliases, sniff, read },
#define NAME_ROW(name, aliases, sniff, read) name,

const struct format format_table[] = { FORMATS(TABLE_ROW) { NULL, NULL, NULL, NULL } };

const char *const *read_format_names(void)
{
	static const char *const names[] = { FORMATS(NAME_ROW) NULL };

	return names;
}

static bool is_word_of(const char *words, const char *name)
{
	size_t n = strlen(name), len;

	for (; *words; words += len, words += *words == ' ') {
		len = strcspn(words, " ");
		if (n && len == n && !memcmp(words, name, n))
			return true;
	}
	return false;
}

const struct format *format_find(const char *name)
{
	for (const struct format *f = format_table; f->name; f++)
		if (!strcmp(f->name, name) || is_word_of(f->aliases, name))
			return f;
	return NULL;
}

/* What a file's name says; it decides between formats that the text fits, and never alone. */
static const struct {
	const char *glob, *format;
} file_names[] = {
	{ "matrix*.json", "lkp-matrix" },
	{ "stats.json", "lkp-stats" },
	{ "job.yaml", "lkp-job" },
	{ "regsize_*k.log", "mprotect-reproducer" },
	{ "*.csv", "csv" },
};

#define SURER_BY_NAME 9		/* less than the step between a shape and a format's own words */

static bool is_named(const char *filename, const char *format)
{
	const char *base = filename + strlen(filename);

	while (base > filename && !strchr("/\\", base[-1]))
		base--;
	for (size_t i = 0; i < sizeof(file_names) / sizeof(*file_names); i++)
		if (!strcmp(file_names[i].format, format) && !fnmatch(file_names[i].glob, base, FNM_CASEFOLD))
			return true;
	return false;
}

const struct format *format_guess(const char *text, size_t len, const char *filename)
{
	const struct format *best = NULL;
	int most = 0;

	while (len && (isspace((unsigned char)*text) || memchr("\xef\xbb\xbf", *text, 3))) {
		text++;
		len--;
	}
	if (filename && strlen(filename) > SUBMISSION_TEXT_MAX)
		filename = NULL;
	for (const struct format *f = format_table; len && f->name; f++) {
		int sure = f->sniff(text, len);

		if (sure && filename && is_named(filename, f->name))
			sure += SURER_BY_NAME;
		if (sure > most) {
			most = sure;
			best = f;
		}
	}
	return best;
}

const struct format *format_sniff(const char *text, size_t len)
{
	return format_guess(text, len, NULL);
}

/* The release behind "2026-Feb-13_15h08m10s_" in the name of a folder on the way, or NULL. */
static const char *kernel_of_path(struct arena *a, const char *path)
{
	static const char shape[] = "dddd-Lll-dd_ddhddmdds_";

	for (const char *part = path; *part; part += strcspn(part, "/\\"), part += *part != 0) {
		size_t n = strcspn(part, "/\\"), i;

		for (i = 0; i < sizeof(shape) - 1 && i < n; i++) {
			char c = part[i], want = shape[i];

			if (want == 'd' ? !isdigit((unsigned char)c) :
			    want == 'L' || want == 'l' ? !isalpha((unsigned char)c) : c != want)
				break;
		}
		if (i == sizeof(shape) - 1 && n > i)
			return arena_strndup(a, part + i, n - i);
	}
	return NULL;
}

static void draft_numbers(struct draft *d, const struct read_context *ctx)
{
	int64_t kib;

	if (ctx->base_page_kib) {
		if (num_parse_i64(ctx->base_page_kib, strlen(ctx->base_page_kib), &kib) || kib < 1 || kib > 1024)
			problems_add(d->problems, "base_page_kib", "a number of KiB is needed: base_page_kib=4");
		else
			d->base_page_kib = (int)kib;
	}
	if (ctx->started_at && tm_parse(ctx->started_at, &d->started_at)) {
		d->started_at = TM_NONE;
		problems_add(d->problems, "started_at", TM_REFUSED, ctx->started_at);
	}
}

/* The labels in the order of their names; arena. */
static const char *(*sorted_labels(struct arena *a, const struct read_context *ctx))[2]
{
	const char *(*l)[2] = arena_alloc(a, (ctx->n_labels + 1) * sizeof(*l));

	for (size_t i = 0; i < ctx->n_labels; i++) {
		size_t at = i;

		for (; at && strcmp(l[at - 1][0], ctx->labels[i][0]) > 0; at--) {
			l[at][0] = l[at - 1][0];
			l[at][1] = l[at - 1][1];
		}
		l[at][0] = ctx->labels[i][0];
		l[at][1] = ctx->labels[i][1];
	}
	return l;
}

static const char *labels_text(struct draft *d, const struct read_context *ctx)
{
	const char *(*l)[2] = sorted_labels(d->a, ctx);
	struct jsonw j = jsonw_begin(&d->scratch);

	buf_clear(&d->scratch);
	jsonw_object(&j);
	for (size_t i = 0; i < ctx->n_labels; i++) {
		if (i && !strcmp(l[i][0], l[i - 1][0]))
			problems_add(d->problems, arena_printf(d->a, "label.%s", l[i][0]), "given twice");
		else
			jsonw_kstr(&j, l[i][0], l[i][1]);
	}
	jsonw_object_end(&j);
	return arena_strndup(d->a, d->scratch.p, d->scratch.len);
}

static void put_said(struct jsonw *j, const char *key, const char *value)
{
	if (value && *value)
		jsonw_kstr(j, key, value);
}

void format_source(struct format_file *f, struct draft *d, const char *tool, const char *version, const char *command)
{
	struct jsonw j = jsonw_begin(&d->scratch);

	buf_clear(&d->scratch);
	jsonw_object(&j);
	put_said(&j, "tool", tool);
	put_said(&j, "version", version);
	put_said(&j, "command", command);
	put_said(&j, "file", f->ctx->filename);
	jsonw_object_end(&j);
	d->source = arena_strndup(d->a, d->scratch.p, d->scratch.len);
}

void format_draft(struct format_file *f, struct draft *d)
{
	const struct read_context *ctx = f->ctx;

	submission_build_init(d, f->a, &submission_build_at_query, f->format->name);
	d->lenient = true;
	d->now = ctx->now;
	d->machine = ctx->machine;
	d->isa = ctx->isa;
	d->uarch = ctx->uarch;
	d->thp = ctx->thp;
	d->boot_id = ctx->boot_id;
	d->kernel = ctx->kernel;
	if (!d->kernel && ctx->filename) {
		d->kernel = kernel_of_path(f->a, ctx->filename);
		d->kernel_at = "filename";
	}
	if (ctx->n_labels)
		d->labels = labels_text(d, ctx);
	draft_numbers(d, ctx);
	format_source(f, d, NULL, NULL, NULL);
}

void format_said_commit(struct draft *d, const char *commit)
{
	size_t n = commit ? strspn(commit, "0123456789abcdefABCDEF") : 0;

	if (n >= 7 && n <= 64 && !commit[n])
		d->commit = arena_strdup(d->a, commit);
}

bool format_same_name(const char *x, const char *y)
{
	return !strcmp(x + (*x == 'v'), y + (*y == 'v'));
}

void format_said_kernel(struct draft *d, const char *kernel, size_t line)
{
	const char *at = arena_printf(d->a, "line %zu", line);

	if (!d->kernel) {
		d->kernel = kernel;
		d->kernel_at = at;
	} else if (!format_same_name(d->kernel, kernel)) {
		problems_add(d->warnings, at, "the file says kernel %s; %s goes before it", kernel, d->kernel);
	}
}

const char **format_kernels(struct format_file *f, size_t n, const char *parts, struct err *err)
{
	const char **names = arena_array(f->a, const char *, n), *p = f->ctx->kernel ? f->ctx->kernel : "";
	struct problems *problems;
	size_t found = 0;

	for (; *p; p += strcspn(p, "|"), p += *p == '|')
		if (found++ < n)
			names[found - 1] = arena_strndup(f->a, p, strcspn(p, "|"));
	if (found == n)
		return names;
	problems = problems_new(f->a);
	problems_add(problems, "kernel", "the file has %zu parts (%s), each of a kernel that it does not name: "
		     "kernel=FIRST|SECOND|... gives the names in their order; given are %zu", n, parts, found);
	err_set(err, ERR_BAD_ARGUMENT, "kernel: %s", problems->list[0].message);
	err->problems = problems;
	return NULL;
}

const char *format_benchmark(const struct format_file *f, const char *name)
{
	if (!f->ctx->benchmark || !*f->ctx->benchmark)
		return name;
	return arena_printf(f->a, "%s/%s", f->ctx->benchmark, name);
}

/* What makes an upload of a file the same again: its arguments, sorted, and its bytes. */
static void put_content(const struct format_file *f, struct buf *out)
{
	const struct read_context *ctx = f->ctx;
	const char *(*l)[2] = sorted_labels(f->a, ctx);
	struct jsonw j = jsonw_begin(out);

	jsonw_object(&j);
	put_said(&j, "base_page_kib", ctx->base_page_kib);
	put_said(&j, "benchmark", ctx->benchmark);
	put_said(&j, "boot_id", ctx->boot_id);
	put_said(&j, "filename", ctx->filename);
	put_said(&j, "format", f->format->name);
	put_said(&j, "isa", ctx->isa);
	put_said(&j, "kernel", ctx->kernel);
	for (size_t i = 0; i < ctx->n_labels; i++)
		put_said(&j, arena_printf(f->a, "label.%s", l[i][0]), l[i][1]);
	put_said(&j, "machine", ctx->machine);
	put_said(&j, "started_at", ctx->started_at);
	put_said(&j, "thp", ctx->thp);
	put_said(&j, "uarch", ctx->uarch);
	jsonw_object_end(&j);
	buf_putc(out, '\n');
	buf_add(out, f->by_part ? f->part : f->text, f->by_part ? f->part_len : f->len);
}

/* What an item is derived from; those behind the first do not have the whole file hashed again. */
static void put_item_content(struct format_file *f, struct buf *out)
{
	if (f->n_items && !f->by_part) {
		buf_add(out, f->digest, sizeof(f->digest));
		buf_printf(out, "\n%zu", f->n_items);
		return;
	}
	put_content(f, out);
	sha256(out->p, out->len, f->digest);
}

void format_left_out(struct draft *d, const char *at, const char *what)
{
	if (d->left_out->n < PROBLEMS_MAX)
		problems_add(d->left_out, at, "%s", what);
	else	/* counted only: no memory for the rest of a hopeless file */
		d->left_out->total++;
}

void format_left_out_line(struct draft *d, size_t line, const char *fmt, ...)
{
	va_list ap;

	if (d->left_out->n == PROBLEMS_MAX) {
		d->left_out->total++;
		return;
	}
	va_start(ap, fmt);
	problems_add(d->left_out, arena_printf(d->a, "line %zu", line), "%s", arena_vprintf(d->a, fmt, ap));
	va_end(ap);
}

void format_add(struct format_file *f, struct draft *d)
{
	struct read_item *item;
	struct buf content;

	if (f->n_items == FORMAT_ITEMS_MAX) {
		f->refused++;
		return;
	}
	if (f->n_items == f->cap_items) {
		size_t more = f->cap_items ? f->cap_items * 2 : 4;

		f->items = arena_grow(f->a, f->items, f->cap_items * sizeof(*item), more * sizeof(*item));
		f->cap_items = more;
	}
	item = &f->items[f->n_items];
	*item = (struct read_item){ .raw = f->part ? f->part : f->text, .raw_len = f->part ? f->part_len : f->len };
	buf_init(&content);
	put_item_content(f, &content);
	item->sub = submission_build_finish(d, content.p, content.len, &item->err);
	buf_fini(&content);
	f->n_items++;
}

bool format_line(struct format_lines *l, const char **line, size_t *len)
{
	const char *end;

	if (l->next == l->end)
		return false;
	end = memchr(l->next, '\n', (size_t)(l->end - l->next));
	*line = l->next;
	*len = (size_t)((end ? end : l->end) - l->next);
	l->next = end ? end + 1 : l->end;
	if (*len && (*line)[*len - 1] == '\r')
		--*len;
	l->number++;
	return true;
}

static uint64_t key_hash(uint64_t h, const char *s)
{
	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3ULL;
	h *= 0x9e3779b97f4a7c15ULL;
	return h ^ (h >> 32);
}

static void groups_grow(struct format_groups *g)
{
	size_t cap = g->cap ? g->cap * 2 : 64;

	if (!g->cap)
		random_bytes(&g->seed, sizeof(g->seed));
	g->slots = arena_array(g->a, uint32_t, cap);
	for (size_t i = 0; i < g->n; i++) {
		size_t at = key_hash(g->seed, g->keys[i]) & (cap - 1);

		for (; g->slots[at]; at = (at + 1) & (cap - 1))
			;
		g->slots[at] = (uint32_t)i + 1;
	}
	g->cap = cap;
	g->keys = arena_grow(g->a, g->keys, g->cap_keys * sizeof(*g->keys), cap / 2 * sizeof(*g->keys));
	g->cap_keys = cap / 2;
}

/* The slot of a key, or the empty one where it would go. */
static uint32_t *group_slot(const struct format_groups *g, const char *key)
{
	size_t at = key_hash(g->seed, key) & (g->cap - 1);

	while (g->slots[at] && strcmp(g->keys[g->slots[at] - 1], key))
		at = (at + 1) & (g->cap - 1);
	return &g->slots[at];
}

size_t format_group(struct format_groups *g, const char *key, bool *first)
{
	uint32_t *slot;

	if (g->n * 2 >= g->cap)
		groups_grow(g);
	slot = group_slot(g, key);
	*first = !*slot;
	if (*first) {
		g->keys[g->n] = arena_strdup(g->a, key);
		*slot = (uint32_t)++g->n;
	}
	return *slot - 1;
}

bool format_group_find(const struct format_groups *g, const char *key, size_t *index)
{
	const uint32_t *slot = g->cap ? group_slot(g, key) : NULL;

	if (!slot || !*slot)
		return false;
	*index = *slot - 1;
	return true;
}

void format_series_add(struct arena *a, struct format_series *s, double value)
{
	if (s->n_values == s->cap_values) {
		size_t more = s->cap_values ? s->cap_values * 2 : 1;

		s->values = arena_grow(a, s->values, s->cap_values * sizeof(value), more * sizeof(value));
		s->cap_values = more;
	}
	s->values[s->n_values++] = value;
}

struct format_series *format_set_get(struct format_set *set, const char *key, bool *first)
{
	size_t at = format_group(&set->groups, key, first);

	if (at == set->cap) {
		size_t more = at ? at * 2 : 16;

		set->series = arena_grow(set->groups.a, set->series, at * sizeof(*set->series), more * sizeof(*set->series));
		set->cap = more;
	}
	if (*first)
		set->series[at] = (struct format_series){ .n_values = 0 };
	return &set->series[at];
}

void format_series_end(struct draft *d, struct format_series *series, size_t n)
{
	submission_build_expect(d, n);
	for (size_t i = 0; i < n; i++) {
		struct format_series *s = &series[i];

		if (s->n_values) {
			s->r.values = s->values;
			s->r.n_values = s->n_values;
		}
		submission_build_result(d, &s->r);
	}
}
