/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lab client: says on the lab's own machine, without a server, what nsecwatchd
 * would make of a kernel's name or of a file of results.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/buf.h"
#include "../lib/version.h"
#include "read.h"

#define WIDTH 72
#define SERVER_BODY (4u << 20) /* what a server takes without being told otherwise */

static const char usage[] = "nsecwatch version\n"
			    "    Prints the version.\n"
			    "nsecwatch kernel NAME...|-\n"
			    "    Prints what the names say (- reads them from standard input, one a\n"
			    "    line), by track and in order.\n"
			    "nsecwatch check FILE...|- [options]\n"
			    "    Reads files of results and prints what would be stored, or all that\n"
			    "    is wrong with them. Nothing is sent.\n"
			    "\n"
			    "Exit code: 0, 1 where something was wrong, 2 for a wrong command line.\n";

static const struct check_option {
	const char *name, *value, *help;
	size_t offset; /* of the text in struct read_context; SIZE_MAX: a label */
} check_options[] = {
	{ "format", "NAME", "of the files; without it they are recognised",
	  offsetof(struct read_context, format) },
	{ "machine", "NAME", "the lab's name for the machine", offsetof(struct read_context, machine) },
	{ "kernel", "RELEASE", "as uname -r gives it, a tag or a phrase",
	  offsetof(struct read_context, kernel) },
	{ "thp", "STATE", "always, madvise, never, never+64k-always, ...",
	  offsetof(struct read_context, thp) },
	{ "uarch", "NAME", "micro-architecture: epyc-milan, neoverse-n1, ...",
	  offsetof(struct read_context, uarch) },
	{ "isa", "NAME", "x86_64, aarch64, ppc64le, s390x, riscv64", offsetof(struct read_context, isa) },
	{ "base-page-kib", "N", "4, 16, 64", offsetof(struct read_context, base_page_kib) },
	{ "boot-id", "ID", "same for all runs of one boot", offsetof(struct read_context, boot_id) },
	{ "started-at", "TIME", "2026-02-13T15:08:00Z", offsetof(struct read_context, started_at) },
	{ "benchmark", "PREFIX", "before each benchmark's name", offsetof(struct read_context, benchmark) },
	{ "label", "KEY=VALUE", "may be repeated", SIZE_MAX },
};

#define N_CHECK_OPTIONS (sizeof(check_options) / sizeof(*check_options))

static int complain(const char *about, const char *message)
{
	fprintf(stderr, "nsecwatch: %s: %s\n", about, message);
	return 1;
}

static void help(void)
{
	const char *const *formats = read_format_names();
	size_t column = 0;

	printf("%s\nOptions of check (what a file does not say by itself):\n", usage);
	for (size_t i = 0; i < N_CHECK_OPTIONS; i++) {
		int n = printf("  --%s %s", check_options[i].name, check_options[i].value);

		printf("%*s%s\n", n < 24 ? 24 - n : 1, "", check_options[i].help);
	}
	printf("\nFormats: auto");
	for (column = 13; *formats; formats++) {
		if (column + 2 + strlen(*formats) > WIDTH) {
			printf(",\n    %s", *formats);
			column = 4 + strlen(*formats);
		} else {
			column += (size_t)printf(", %s", *formats);
		}
	}
	putchar('\n');
}

/* A whole file, "-" for standard input. */
static int slurp(const char *path, struct buf *out)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "rb") : stdin;
	size_t n;
	bool failed;

	if (!f)
		return complain(path, strerror(errno));
	do {
		n = fread(buf_reserve(out, 65536), 1, 65536, f);
		out->len += n;
		out->p[out->len] = 0;
	} while (n);
	failed = ferror(f);
	if (f != stdin)
		fclose(f);
	return failed ? complain(path, "cannot be read") : 0;
}

/* Prints text from column `at` on, going on below itself where it is longer than the line. */
static void print_folded(const char *text, int at)
{
	size_t room = (size_t)(WIDTH - at);

	while (strlen(text) > room) {
		size_t n = room;

		while (n && (text[n] & 0xc0) == 0x80) /* not inside a character */
			n--;
		printf("%.*s\n%*s", (int)n, text, at, "");
		text += n;
	}
	puts(text);
}

/* ---- kernel ---- */

static int by_place(const void *a, const void *b)
{
	const struct kernel *x = a, *y = b;
	int d = strcmp(x->track, y->track);

	if (!d)
		d = memcmp(x->key, y->key, x->key_len < y->key_len ? x->key_len : y->key_len);
	if (!d)
		d = (int)x->key_len - (int)y->key_len;
	return d ? d : strcmp(x->name, y->name);
}

#define KERNEL_COLUMNS "  %-8s %-4s %-5s "
#define KERNEL_NAME_AT 22

static void kernel_row(struct arena *a, const struct kernel *k)
{
	char rc[16] = "", after[32] = "";
	const char *name = k->name;

	if (k->rc)
		snprintf(rc, sizeof(rc), "rc%d", k->rc);
	if (k->distance)
		snprintf(after, sizeof(after), "%lld", (long long)k->distance);
	if (k->uncounted)
		strcat(after, "+");
	if (*k->flavour)
		name = arena_printf(a, "%s  [%s]", name, k->flavour);
	if (printf(KERNEL_COLUMNS, k->base, rc, after) > KERNEL_NAME_AT)
		printf("\n%*s", KERNEL_NAME_AT, "");
	print_folded(name, KERNEL_NAME_AT);
}

static void kernels_print(struct arena *a, struct kernel *list, size_t n)
{
	if (n)
		qsort(list, n, sizeof(*list), by_place);
	for (size_t i = 0; i < n; i++) {
		if (!i || strcmp(list[i].track, list[i - 1].track)) {
			printf("%s%s\n" KERNEL_COLUMNS "name  [flavour]\n", i ? "\n" : "", list[i].track,
			       "base", "rc", "after");
		} else if (kernel_compare(&list[i - 1], &list[i]) == KERNEL_UNORDERED) {
			puts("  -- which of these is later, their names do not say --");
		}
		kernel_row(a, &list[i]);
	}
}

struct names {
	struct arena *a;
	struct kernel *list;
	size_t n, cap;
	int status;
};

static void name_add(struct names *names, const char *text)
{
	struct err err = { 0 };

	if (names->n == names->cap) {
		size_t cap = names->cap ? names->cap * 2 : 64;

		names->list = arena_grow(names->a, names->list, names->cap * sizeof(*names->list),
					 cap * sizeof(*names->list));
		names->cap = cap;
	}
	if (kernel_parse(names->a, text, &names->list[names->n], &err))
		names->status = complain("kernel", err.message);
	else
		names->n++;
}

static void names_read(struct names *names)
{
	struct buf in;
	char *rest, *line;

	buf_init(&in);
	names->status |= slurp("-", &in);
	if (strlen(in.p) != in.len)
		names->status = complain("kernel", "standard input has NUL bytes");
	for (rest = in.p; (line = strsep(&rest, "\n")) != NULL;) {
		line[strcspn(line, "\r")] = 0;
		if (*line)
			name_add(names, line);
	}
	buf_fini(&in);
}

static int cmd_kernel(int argc, char **argv)
{
	struct names names = { .a = arena_new() };

	if (argc < 2) {
		complain("kernel", "names are needed, or - to read them from standard input");
		arena_free(names.a);
		return 2;
	}
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-"))
			name_add(&names, argv[i]);
		else
			names_read(&names);
	}
	kernels_print(names.a, names.list, names.n);
	arena_free(names.a);
	return names.status;
}

/* ---- check ---- */

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
	print_folded(arena_printf(a, "%s %s%s%s", r->benchmark, r->metric, *params ? " " : "", params), 4);
	printf("      ");
	print_folded(result_value(a, r), 6);
}

static void field_print(const char *name, const char *value)
{
	printf("  %-10s ", name);
	print_folded(value, 13);
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

static void problems_print(const char *path, const char *kind, const struct problems *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		fprintf(stderr, "%s: %s%s%s: %s\n", path, kind, *p->list[i].at ? " at " : "", p->list[i].at,
			p->list[i].message);
	if (p->total > p->n)
		fprintf(stderr, "%s: and %zu more\n", path, p->total - p->n);
}

static int item_print(struct arena *a, const char *path, const struct read_item *item)
{
	const struct submission *sub = item->sub;

	if (!sub) {
		fprintf(stderr, "%s: %s\n", path, item->err.message);
		problems_print(path, "error", item->err.problems);
		return 1;
	}
	submission_print(a, sub);
	problems_print(path, "warning", sub->warnings);
	for (size_t i = 0; i < sub->n_not_imported; i++)
		fprintf(stderr, "%s: not imported%s%s: %s\n", path, *sub->not_imported[i].at ? " at " : "",
			sub->not_imported[i].at, sub->not_imported[i].message);
	return 0;
}

static int check_file(const char *path, struct read_context ctx)
{
	struct arena *a = arena_new();
	struct read_result result;
	struct err err = { 0 };
	struct buf body;
	int status;

	buf_init(&body);
	status = slurp(path, &body);
	if (!status) {
		ctx.filename = path;
		ctx.now = tm_now_usec();
		if (body.len > SERVER_BODY)
			complain(path, "more than 4 MiB: a server takes it compressed, or with a greater "
				       "--max-body");
		if (read_body(a, body.p, body.len, &ctx, &result, &err)) {
			fprintf(stderr, "%s: %s\n", path, err.message);
			problems_print(path, "error", err.problems);
			status = 1;
		} else {
			for (size_t i = 0; i < result.n; i++) {
				if (result.many)
					printf("%s [%zu]\n", path, i);
				else
					printf("%s\n", path);
				status |= item_print(a, path, &result.items[i]);
			}
		}
	}
	buf_fini(&body);
	arena_free(a);
	return status;
}

/* "KEY=VALUE" into the labels. */
static int label_add(struct read_context *ctx, const char *(*labels)[2], char *text)
{
	char *equals = strchr(text, '=');

	if (!equals || equals == text)
		return complain("--label", "KEY=VALUE was expected");
	*equals = 0;
	labels[ctx->n_labels][0] = text;
	labels[ctx->n_labels++][1] = equals + 1;
	ctx->labels = labels;
	return 0;
}

static int check_files(int argc, char **argv, const struct read_context *ctx)
{
	int status = 0;

	if (optind == argc) {
		complain("check", "a file is needed, or - for standard input");
		return 2;
	}
	for (int i = optind; i < argc; i++)
		status |= check_file(argv[i], *ctx);
	return status;
}

static int cmd_check(int argc, char **argv)
{
	struct option options[N_CHECK_OPTIONS + 1] = { 0 };
	struct read_context ctx = { .format = "auto" };
	const char *(*labels)[2] = calloc((size_t)argc, sizeof(*labels));
	int c, at, status = labels ? 0 : 2;

	for (size_t i = 0; i < N_CHECK_OPTIONS; i++)
		options[i] = (struct option){ check_options[i].name, required_argument, NULL, 0 };
	while (!status && (c = getopt_long(argc, argv, "", options, &at)) != -1) {
		if (c)
			status = 2; /* getopt has said it */
		else if (check_options[at].offset == SIZE_MAX)
			status = label_add(&ctx, labels, optarg) ? 2 : 0;
		else
			memcpy((char *)&ctx + check_options[at].offset, &optarg, sizeof(optarg));
	}
	if (!status)
		status = check_files(argc, argv, &ctx);
	free(labels);
	return status;
}

int main(int argc, char **argv)
{
	const char *command = argc > 1 ? argv[1] : "";

	setlinebuf(stdout); /* in order with what goes to standard error */
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			help();
			return 0;
		}
	if (!strcmp(command, "version") || !strcmp(command, "--version")) {
		printf("nsecwatch %s\n", version_text);
		return 0;
	}
	if (!strcmp(command, "kernel"))
		return cmd_kernel(argc - 1, argv + 1);
	if (!strcmp(command, "check"))
		return cmd_check(argc - 1, argv + 1);
	fputs(usage, stderr);
	return 2;
}
