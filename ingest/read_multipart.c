/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A form of one part "context" (a submission without results) and files. What the files
 * measured under the context's kernel, on its machine, is one submission: a run is an
 * upload of one machine, boot and kernel. A file that names other kernels (a table with a
 * column each) adds submissions of its own, with the context for what it does not say.
 */
#include <string.h>

#include "../lib/jsonw.h"
#include "format.h"
#include "read_form.h"
#include "read_impl.h"
#include "submission_json.h"

struct reading {
	struct arena *a;
	const char *body;
	size_t len;
	const struct read_context *asked;	/* the query: format, benchmark */
	struct read_context ctx;		/* for the files: what the context says */
	struct read_form form;
	const struct read_form_part *context;
	struct draft d;				/* of the submission that all files share */
	const char *environment, *source, *format;	/* the first file's; format NULL: they differ */
	size_t files, joined;
	struct read_item *others;		/* submissions of their own */
	size_t n_others, cap_others;
};

static const char *file_name(const struct reading *rd, const struct read_form_part *part)
{
	if (part->filename && *part->filename)
		return part->filename;
	return arena_printf(rd->a, "part %zu", (size_t)(part - rd->form.parts) + 1);
}

/* A place in a file, for somebody who sent several. */
static const char *place(const struct reading *rd, const char *file, const char *at)
{
	return *at ? arena_printf(rd->a, "%s: %s", file, at) : file;
}

static bool is_part(const struct read_form_part *part, const char *name)
{
	return !strcmp(part->name, name);
}

/* The context; other parts are files, or nothing we know. */
static int sort_parts(struct reading *rd, struct err *err)
{
	for (size_t i = 0; i < rd->form.n; i++) {
		const struct read_form_part *part = &rd->form.parts[i];

		if (is_part(part, "context") && rd->context)
			return err_set(err, ERR_BAD_ARGUMENT, "multipart/form-data: two parts are named context");
		if (is_part(part, "context"))
			rd->context = part;
		rd->files += is_part(part, "result");
	}
	if (!rd->context)
		return err_set(err, ERR_BAD_ARGUMENT, "multipart/form-data: no part is named context: "
			       "expected a submission without results, as JSON");
	if (!rd->files)
		return err_set(err, ERR_INVALID, "no part is named result: expected one a file of results");
	return 0;
}

static int check_query(const struct read_context *asked, struct err *err)
{
	struct read_context rest = *asked;
	const char *argument;

	rest.benchmark = NULL;	/* a prefix is for the files: no context says it */
	argument = read_impl_argument(&rest);
	if (!argument && asked->filename)
		argument = "filename";
	if (argument)
		return err_set(err, ERR_BAD_ARGUMENT, "%s= goes with one file as the body; in a form the part context "
			       "and the parts' headers say it", argument);
	if (asked->format && strcmp(asked->format, "auto") && !format_find(asked->format))
		return err_set(err, ERR_BAD_ARGUMENT, "format=%s: unknown", asked->format);
	return 0;
}

static const char *unless_unknown(const char *s)
{
	return !s || !strcmp(s, "unknown") ? NULL : s;
}

static void context_labels(struct reading *rd, const struct jnode *labels)
{
	size_t n = jread_type(labels) == JREAD_OBJECT ? jread_len(labels) : 0;

	rd->ctx.labels = arena_zalloc_array(rd->a, n + 1, sizeof(*rd->ctx.labels));
	for (const struct jmember *m = n ? jread_first(labels) : NULL; m; m = jread_next(labels, m)) {
		const char **label = rd->ctx.labels[rd->ctx.n_labels++];

		label[0] = arena_strdup(rd->a, jread_key(m));
		label[1] = arena_strdup(rd->a, jread_str(jread_value(m)));
	}
}

/* The context's words as arguments, for readers that know of these only. */
static void set_context(struct reading *rd, const struct jnode *root)
{
	const struct submission *sub = rd->d.sub;
	char started[TM_TEXT];

	rd->ctx = (struct read_context){
		.format = rd->asked->format ? rd->asked->format : "auto",
		.benchmark = rd->asked->benchmark,
		.machine = sub->machine,
		.isa = unless_unknown(sub->isa),
		.uarch = unless_unknown(sub->uarch),
		.kernel = sub->kernel.name,
		.thp = unless_unknown(sub->thp),
		.boot_id = sub->boot_id,
		.now = rd->asked->now,
	};
	if (sub->base_page_kib)
		rd->ctx.base_page_kib = arena_printf(rd->a, "%d", sub->base_page_kib);
	if (rd->d.started_at != TM_NONE)
		rd->ctx.started_at = arena_strdup(rd->a, tm_format(rd->d.started_at, started));
	context_labels(rd, jread_get(root, "labels"));
}

static void tell_all(struct reading *rd, const char *file, const struct err *err)
{
	char at[ERR_AT];

	if (!err->problems)
		problems_add(rd->d.problems, err_line_at(err, at) ? place(rd, file, at) : file, "%s", err_line_message(err));
	for (size_t i = 0; err->problems && i < err->problems->n; i++)
		problems_add(rd->d.problems, place(rd, file, err->problems->list[i].at), "%s",
			     err->problems->list[i].message);
}

static void add_other(struct reading *rd, const struct read_form_part *part, const struct read_item *item)
{
	if (rd->n_others == rd->cap_others) {
		size_t more = rd->cap_others ? rd->cap_others * 2 : 8;

		rd->others = arena_grow(rd->a, rd->others, rd->cap_others * sizeof(*item), more * sizeof(*item));
		rd->cap_others = more;
	}
	if (item->sub && rd->d.environment && !strcmp(item->sub->environment, "{}"))
		item->sub->environment = rd->d.environment;
	rd->others[rd->n_others] = *item;
	rd->others[rd->n_others++].raw_type = part->type && *part->type ? part->type : "text/plain";
}

/* Warnings of the file about what the context answers for. */
static bool is_of_head(const char *at)
{
	static const char *const heads[] = { "boot_id", "started_at", "kernel", "machine", "isa", "base_page_kib" };

	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		if (!strcmp(heads[i], at))
			return true;
	return false;
}

static void join(struct reading *rd, const char *file, const struct submission *sub)
{
	for (size_t i = 0; i < sub->n_results; i++)
		submission_build_take(&rd->d, &sub->results[i], file);
	for (size_t i = 0; i < sub->n_not_imported; i++)
		format_left_out(&rd->d, place(rd, file, sub->not_imported[i].at), sub->not_imported[i].message);
	for (size_t i = 0; i < sub->warnings->n; i++)
		if (!is_of_head(sub->warnings->list[i].at))
			problems_add(rd->d.warnings, place(rd, file, sub->warnings->list[i].at), "%s",
				     sub->warnings->list[i].message);
	if (!rd->joined++) {
		rd->environment = sub->environment;
		rd->source = sub->source;
		rd->format = sub->format;
	} else if (rd->format && strcmp(rd->format, sub->format)) {
		rd->format = NULL;
	}
}

/* Whether a file's submission is the context's: of its machine and kernel. */
static bool is_same_run(const struct reading *rd, const struct submission *sub)
{
	return !strcmp(sub->machine, rd->d.sub->machine) &&
	       !strcmp(sub->kernel.identity, rd->d.sub->kernel.identity);
}

static void take_items(struct reading *rd, const struct read_form_part *part, const struct read_result *res)
{
	const char *file = file_name(rd, part);

	for (size_t i = 0; i < res->n; i++) {
		const struct read_item *item = &res->items[i];

		if (item->sub && is_same_run(rd, item->sub))
			join(rd, file, item->sub);
		else if (item->sub || res->n > 1)
			add_other(rd, part, item);
		else
			tell_all(rd, file, &item->err);
	}
}

static int read_files(struct reading *rd, struct err *err)
{
	for (size_t i = 0; i < rd->form.n; i++) {
		const struct read_form_part *part = &rd->form.parts[i];
		struct err why = { 0 };
		struct read_result res;

		if (part == rd->context)
			continue;
		if (!is_part(part, "result")) {
			problems_add(rd->d.warnings, arena_printf(rd->a, "part %zu", i + 1),
				     "unknown part \"%.100s\", ignored", part->name);
			continue;
		}
		rd->ctx.filename = part->filename;
		if (read_impl_file(rd->a, part->body, part->len, &rd->ctx, &res, &why))
			tell_all(rd, file_name(rd, part), &why);
		else
			take_items(rd, part, &res);
		if (read_impl_check_count(rd->n_others + 1, err))
			return -1;
	}
	return 0;
}

/*
 * What makes a form the same again: context, arguments, and the files, each with its
 * name; not the boundary, which is another one in every request.
 */
static void put_content(const struct reading *rd, const struct jnode *root, struct buf *out)
{
	static const char *const no_id[] = { "run_id", "results", NULL };

	jread_canonical(root, no_id, out);
	for (size_t i = 0; i < rd->form.n; i++) {
		const struct read_form_part *part = &rd->form.parts[i];
		struct jsonw j = jsonw_begin(out);

		if (!is_part(part, "result"))
			continue;
		buf_putc(out, '\n');
		jsonw_object(&j);
		if (rd->asked->benchmark)
			jsonw_kstr(&j, "benchmark", rd->asked->benchmark);
		jsonw_kstr(&j, "filename", part->filename);
		jsonw_kstr(&j, "format", rd->ctx.format);
		jsonw_ki64(&j, "length", (int64_t)part->len);
		jsonw_object_end(&j);
		buf_putc(out, '\n');
		buf_add(out, part->body, part->len);
	}
}

/* The submission of all files together, good or bad. */
static void finish(struct reading *rd, const struct jnode *root, struct read_item *item)
{
	struct draft *d = &rd->d;
	struct buf content;

	if (!d->environment)
		d->environment = rd->environment;
	if (!d->source)
		d->source = rd->source;
	d->empty = rd->joined && !d->n_results;		/* every file is of a kind that has none */
	if (rd->joined)
		d->format = rd->format ? rd->format : "multipart";
	buf_init(&content);
	put_content(rd, root, &content);
	item->sub = submission_build_finish(d, content.p, content.len, &item->err);
	buf_fini(&content);
}

static int read_parts(struct reading *rd, const struct jnode *root, struct read_result *out, struct err *err)
{
	struct read_item whole = { .raw = rd->body, .raw_len = rd->len };
	bool good_context;

	submission_json_context(rd->a, root, rd->asked->now, &rd->d);
	good_context = !rd->d.problems->total;
	if (good_context) {
		set_context(rd, root);
		rd->d.lenient = true;
		if (read_files(rd, err))
			return -1;
	}
	if (rd->n_others && !rd->joined && rd->d.run_id_given)
		problems_add(rd->d.problems, "/run_id", "no file is of the context's kernel: the others get ids of their own");
	out->items = arena_array(rd->a, struct read_item, rd->n_others + 1);
	/* files of other kernels only: nothing is left for the context's own */
	if (!good_context || rd->joined || rd->d.problems->total || !rd->n_others) {
		finish(rd, root, &whole);
		out->items[out->n++] = whole;
	}
	for (size_t i = 0; i < rd->n_others; i++) {
		rd->others[i].index = out->n;
		out->items[out->n++] = rd->others[i];
	}
	out->many = out->n > 1;
	return 0;
}

/* The part context as an object; owner: the caller. */
static struct jnode *parse_context(struct reading *rd, struct err *err)
{
	struct jread_slice slice = { .text = rd->context->body, .len = rd->context->len, .line = 1 };
	struct jnode *root = NULL;
	bool syntax;

	if (!jread_check_depth(&slice, SUBMISSION_DEPTH_MAX, err))
		root = jread_parse(&slice, &syntax, err);
	if (!root) {
		err_prefix(err, "context");
		return NULL;
	}
	if (jread_type(root) == JREAD_OBJECT)
		return root;
	err_set(err, ERR_INVALID, "context: a submission is an object, this is %s", jread_word(jread_type(root)));
	jread_free(root);
	return NULL;
}

int read_multipart(struct arena *a, const char *body, size_t len, const char *content_type,
		   const struct read_context *ctx, struct read_result *out, struct err *err)
{
	struct reading rd = { .a = a, .body = body, .len = len, .asked = ctx };
	struct jnode *root;
	int ret;

	*out = (struct read_result){ .n = 0 };
	if (check_query(ctx, err) || read_form(a, body, len, content_type, &rd.form, err) || sort_parts(&rd, err))
		return -1;
	root = parse_context(&rd, err);
	if (!root)
		return -1;
	ret = read_parts(&rd, root, out, err);
	submission_build_fini(&rd.d);
	jread_free(root);
	return ret;
}
