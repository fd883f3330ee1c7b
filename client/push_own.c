/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of our own format: one submission, an array, or one a line. Each gets what it
 * lacks of the context; one that lacks nothing goes out as the bytes it is.
 */
#include <string.h>

#include "../ingest/submission.h"
#include "push_body_impl.h"

/* What the command line may say of a submission, when it does not say it by itself. */
struct flag {
	const char *option, *value, *object, *key;
};

static int check_flags(const struct options *o, const struct push_file *f, const struct jnode *sub,
		       struct err *err)
{
	const struct flag flags[] = {
		{ "--kernel", o->kernel, NULL, "kernel" },
		{ "--thp", o->thp, "config", "thp" },
		{ "--base-page-kib", o->base_page_kib, "config", "base_page_kib" },
		{ "--uarch", o->uarch, "machine", "uarch" },
		{ "--isa", o->isa, "machine", "isa" },
		{ "--boot-id", o->boot_id, NULL, "boot_id" },
		{ "--started-at", o->started_at, NULL, "started_at" },
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		const struct jnode *in = flags[i].object ? jread_get(sub, flags[i].object) : sub;

		if (flags[i].value && jread_get(in, flags[i].key))
			return err_set(err, ERR_SETUP, "%s: says its %s by itself: leave %s out", f->about,
				       flags[i].key, flags[i].option);
	}
	if (o->benchmark)
		return err_set(err, ERR_SETUP, "%s: names its benchmarks by itself: leave --benchmark out",
			       f->about);
	return 0;
}

/* An object of the submission: its own members, those that flags say, those of the context that it lacks. */
static void put_object(struct arena *a, struct jsonw *j, const char *key, const struct jnode *sub,
		       const struct jnode *context, const struct options_pairs *flags)
{
	const struct jnode *own = jread_get(sub, key), *more = jread_get(context, key);
	const char **given = arena_array(a, const char *, flags->n + 1);
	size_t n = 0;

	for (size_t i = 0; i < flags->n; i++)
		if (flags->list[i][1])
			given[n++] = flags->list[i][0];
	if (!jread_len(own) && !jread_len(more) && !n)
		return;
	jsonw_key(j, key);
	jsonw_object(j);
	for (size_t i = 0; i < flags->n; i++) {
		if (!flags->list[i][1])
			continue;
		jsonw_key(j, flags->list[i][0]);
		if (!strcmp(flags->list[i][0], "base_page_kib"))
			jsonw_raw(j, flags->list[i][1]);
		else
			jsonw_str(j, flags->list[i][1]);
	}
	push_body_members(j, own, more, given);
	jsonw_object_end(j);
}

static void put_merged(struct arena *a, const struct options *o, const struct push_context *c,
		       const struct push_file *f, enum push_body_use use, const struct jnode *sub,
		       const char *run_id, struct buf *out)
{
	static const char *const done[] = { "run_id", "machine", "config",     "labels",
					    "kernel", "boot_id", "started_at", NULL };
	const struct jnode *all = use == USE_ALL ? c->root : NULL,
			   *some = use == USE_NOTHING ? NULL : c->root;
	const char *machine[][2] = { { "name", o->machine }, { "isa", o->isa }, { "uarch", o->uarch } };
	const char *config[][2] = { { "thp", o->thp }, { "base_page_kib", o->base_page_kib } };
	const char *top[][2] = { { "kernel", o->kernel },
				 { "boot_id", o->boot_id },
				 { "started_at", o->started_at } };
	struct jsonw j = jsonw_begin(out);

	if (push_body_machine(sub))
		machine[0][1] = NULL; /* the setting says how this machine is called, no more */
	jsonw_object(&j);
	if (run_id)
		jsonw_kstr(&j, "run_id", run_id);
	put_object(a, &j, "machine", sub, some, &(struct options_pairs){ machine, 3 });
	put_object(a, &j, "config", sub, all, &(struct options_pairs){ config, 2 });
	put_object(a, &j, "labels", sub, all, &o->labels);
	for (size_t i = 0; i < sizeof(top) / sizeof(*top); i++) {
		const char *key = top[i][0];
		const struct jnode *v = jread_get(sub, key) ? jread_get(sub, key) : jread_get(all, key);

		if (top[i][1]) {
			jsonw_kstr(&j, key, top[i][1]);
		} else if (!v && !strcmp(key, "started_at")) {
			jsonw_kstr(&j, key, push_body_time(a, f));
		} else if (v) {
			jsonw_key(&j, key);
			jread_canonical(v, NULL, out);
			j.comma = true;
		}
	}
	push_body_members(&j, sub, all, done);
	jsonw_object_end(&j);
}

/* Whether the submission says all that a context could. */
static bool is_complete(const struct options *o, const struct jnode *sub)
{
	static const char *const members[] = { "machine",     "kernel",	 "config",
					       "environment", "boot_id", "started_at" };

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		if (!jread_get(sub, members[i]))
			return false;
	return !o->labels.n;
}

/* Labels of the command line that the submission has with another value. */
static int check_labels(const struct options *o, const struct push_file *f, const struct jnode *sub,
			struct err *err)
{
	const struct jnode *own = jread_get(sub, "labels");

	for (size_t i = 0; i < o->labels.n; i++) {
		const char *mine = jread_str(jread_get(own, o->labels.list[i][0]));

		if (mine && strcmp(mine, o->labels.list[i][1]))
			return err_set(err, ERR_SETUP,
				       "%s: says that label %s is %s: leave --label %s=%s out", f->about,
				       o->labels.list[i][0], mine, o->labels.list[i][0],
				       o->labels.list[i][1]);
	}
	return 0;
}

/* One submission into out, as it is or with what it lacks; *derived: its run id is ours. */
static int one(struct arena *a, const struct options *o, const struct push_context *c,
	       const struct push_file *f, const struct jread_slice *slice, struct buf *out, bool *derived,
	       struct err *err)
{
	struct jnode *sub;
	enum push_body_use use;
	char id[UUID_TEXT];
	const char *given;
	struct buf without;
	bool syntax;
	int ret = -1;

	sub = jread_parse(slice, &syntax, err);
	if (!sub)
		return err_prefix(err, "%s", f->about);
	if (jread_type(sub) != JREAD_OBJECT ||
	    is_complete(o, sub)) { /* what is no object the server refuses, and says why */
		buf_add(out, slice->text, slice->len);
		jread_free(sub);
		return 0;
	}
	if (check_flags(o, f, sub, err) || check_labels(o, f, sub, err))
		goto out;
	use = push_body_use(c, f, push_body_machine(sub), o->kernel ? o->kernel : push_body_kernel(sub));
	given = jread_str(jread_get(sub, "run_id"));
	if (!given) {
		buf_init(&without);
		put_merged(a, o, c, f, use, sub, NULL, &without);
		push_body_run_id(o, f, &without, "nsecwatch", jread_get(sub, "started_at") != NULL, slice, id);
		buf_fini(&without);
	}
	*derived |= !given;
	put_merged(a, o, c, f, use, sub, given ? given : id, out);
	ret = 0;
out:
	jread_free(sub);
	return ret;
}

/* One submission a line: the first line is a whole document, and more follows. */
static bool is_lines(const struct buf *text)
{
	const char *end = memchr(text->p, '\n', text->len);
	struct jread_slice first = { text->p, end ? (size_t)(end - text->p) : 0, 1 };
	struct jnode *root;
	bool syntax;

	if (!end || !end[strspn(end, " \t\r\n")])
		return false;
	root = jread_parse(&first, &syntax, &(struct err){ 0 });
	jread_free(root);
	return root != NULL;
}

static int lines(struct arena *a, const struct options *o, const struct push_context *c,
		 const struct push_file *f, struct buf *out, bool *derived, struct err *err)
{
	const char *p = f->text.p, *end = p + f->text.len;

	for (size_t number = 1; p < end; number++) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		struct jread_slice slice = { p, (size_t)((stop ? stop : end) - p), number };

		if (slice.len && strspn(p, " \t\r") < slice.len && one(a, o, c, f, &slice, out, derived, err))
			return -1;
		if (slice.len && strspn(p, " \t\r") < slice.len)
			buf_putc(out, '\n');
		p += slice.len + (stop != NULL);
	}
	return 0;
}

static int documents(struct arena *a, const struct options *o, const struct push_context *c,
		     const struct push_file *f, struct buf *out, bool *derived, struct err *err)
{
	struct jread_split split;

	if (jread_split(a, f->text.p, f->text.len, SUBMISSION_DEPTH_MAX, &split, err))
		return err_prefix(err, "%s", f->about);
	if (split.is_array)
		buf_putc(out, '[');
	for (size_t i = 0; i < split.n; i++) {
		if (i)
			buf_puts(out, ",\n");
		if (one(a, o, c, f, &split.slices[i], out, derived, err))
			return -1;
	}
	if (split.is_array)
		buf_putc(out, ']');
	return 0;
}

int push_own(struct arena *a, const struct options *o, const struct push_context *c,
	     const struct push_file *f, struct spool_entry *e, struct err *err)
{
	bool many = is_lines(&f->text);
	struct buf out;
	int ret;

	buf_init(&out);
	ret = many ? lines(a, o, c, f, &out, &e->derived_id, err)
		   : documents(a, o, c, f, &out, &e->derived_id, err);
	e->target = "/api/v1/runs";
	e->type = many ? "application/x-ndjson" : "application/json";
	e->body = arena_strndup(a, out.p, out.len);
	e->len = out.len;
	buf_fini(&out);
	return ret;
}
