/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of other formats: multipart/form-data with the context and the file as it is. */
#include "push_body.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "../ingest/format.h"
#include "../lib/must.h"
#include "file.h"
#include "http.h"
#include "parse.h"
#include "push_body_impl.h"

#define COMPRESS_FROM 16384 /* bytes: below that it saves nothing worth it */

static bool among(const char *const *list, const char *key)
{
	for (; list && *list; list++)
		if (!strcmp(*list, key))
			return true;
	return false;
}

void push_body_members(struct jsonw *j, const struct jnode *own, const struct jnode *more,
		       const char *const *leave_out)
{
	for (const struct jmember *m = jread_first(own); m; m = jread_next(own, m)) {
		if (among(leave_out, jread_key(m)))
			continue;
		jsonw_key(j, jread_key(m));
		jread_canonical(jread_value(m), NULL, j->out);
		j->comma = true;
	}
	for (const struct jmember *m = jread_first(more); m; m = jread_next(more, m)) {
		if (among(leave_out, jread_key(m)) || jread_get(own, jread_key(m)))
			continue;
		jsonw_key(j, jread_key(m));
		jread_canonical(jread_value(m), NULL, j->out);
		j->comma = true;
	}
}

/* One of the things that tell runs apart; NULL: nobody says it. */
static void put_told(struct buf *b, const char *name, const struct jnode *v)
{
	if (!v)
		return;
	buf_printf(b, "%s=", name);
	jread_canonical(v, NULL, b);
	buf_putc(b, '\n');
}

void push_body_run_id(const struct options *o, const struct push_file *f, const struct buf *submission,
		      const char *format, bool says_start, const struct jread_slice *text, char out[UUID_TEXT])
{
	static const char *const members[] = { "kernel", "config", "boot_id", "labels" };
	static const char *const of_machine[] = { "name", "isa", "uarch" };
	struct jread_slice slice = { submission->p, submission->len, 1 };
	struct jnode *root;
	uint8_t digest[32];
	struct uuid id;
	struct buf b;
	bool syntax;

	root = jread_parse(&slice, &syntax, &(struct err){ 0 });
	buf_init(&b);
	buf_printf(&b, "nsecwatch push 2\nformat=%s\n", format);
	if (o->benchmark)
		buf_printf(&b, "benchmark=%s\n", o->benchmark);
	for (size_t i = 0; i < sizeof(of_machine) / sizeof(*of_machine); i++)
		put_told(&b, of_machine[i], jread_get(jread_get(root, "machine"), of_machine[i]));
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		put_told(&b, members[i], jread_get(root, members[i]));
	if (says_start || f->changed_usec || o->started_at) /* else it is now, and another one the next time */
		put_told(&b, "started_at", jread_get(root, "started_at"));
	if (!says_start && f->changed_usec)
		buf_printf(&b, "changed=%lld\n", (long long)f->changed_usec);
	buf_putc(&b, '\n');
	buf_add(&b, text->text, text->len);
	sha256(b.p, b.len, digest);
	uuid_v8_of(&id, digest);
	uuid_format(&id, out);
	buf_fini(&b);
	jread_free(root);
}

/* What a file of another format says by itself, and the command line of it. */
struct said {
	const char *machine, *kernel;
	int64_t started_at; /* or TM_NONE */
	bool thp;
	size_t n; /* submissions in it; 0: we can't read it, the server may */
};

/*
 * Our own readers tell: given the flags and a machine, they either find a kernel in the
 * file or complain. Of several kernels in a file one that is not the context's counts:
 * its results are not of this boot.
 */
static struct said what_it_says(struct arena *a, const struct options *o, const struct push_context *c,
				const struct push_file *f, const char *hint)
{
	struct read_context ctx = parse_context(o, hint);
	struct said said = { .machine = o->machine, .kernel = o->kernel, .started_at = TM_NONE };
	struct read_result result;
	struct err err = { 0 };
	bool says_kernel;

	ctx.machine = o->machine ? o->machine : c->machine ? c->machine : "unnamed";
	says_kernel = !read_body(a, f->text.p, f->text.len, &ctx, &result, &err);
	if (!says_kernel) {
		ctx.kernel = c->kernel;
		if (o->kernel || read_body(a, f->text.p, f->text.len, &ctx, &result, &err))
			return said;
	}
	said.n = result.n;
	for (size_t i = 0; i < result.n; i++) {
		const struct submission *sub = result.items[i].sub;

		if (!sub)
			continue;
		said.thp |= strcmp(sub->thp, "unknown") != 0;
		if (sub->started_at != ctx.now) /* what a missing one becomes */
			said.started_at = sub->started_at;
		if (says_kernel && (!said.kernel || (c->kernel && format_same_name(said.kernel, c->kernel))))
			said.kernel = sub->kernel.name;
	}
	return said;
}

static void put_machine(struct jsonw *j, const struct options *o, const struct push_context *c, bool use)
{
	static const char *const not_these[] = { "name", "isa", "uarch", NULL };
	static const char *const name_isa[] = { "name", "isa", NULL };
	const struct jnode *machine = use ? jread_get(c->root, "machine") : NULL;
	const char *name = o->machine ? o->machine : use ? c->machine : NULL;
	const char *isa = o->isa ? o->isa : jread_str(jread_get(machine, "isa"));

	jsonw_key(j, "machine");
	jsonw_object(j);
	if (name)
		jsonw_kstr(j, "name", name);
	if (isa)
		jsonw_kstr(j, "isa", isa);
	if (o->uarch)
		jsonw_kstr(j, "uarch", o->uarch);
	push_body_members(j, machine, NULL, o->uarch ? not_these : name_isa);
	jsonw_object_end(j);
}

static void put_config(struct jsonw *j, const struct options *o, const struct jnode *config, bool says_thp)
{
	static const char *const known[] = { "thp", "base_page_kib", NULL };
	const struct jnode *thp = says_thp ? NULL : jread_get(config, "thp"),
			   *page = jread_get(config, "base_page_kib");

	if (!o->thp && !o->base_page_kib && !config)
		return;
	jsonw_key(j, "config");
	jsonw_object(j);
	if (o->thp) {
		jsonw_kstr(j, "thp", o->thp);
	} else if (thp) {
		jsonw_key(j, "thp");
		jread_canonical(thp, NULL, j->out);
		j->comma = true;
	}
	if (o->base_page_kib || page) {
		jsonw_key(j, "base_page_kib");
		if (o->base_page_kib)
			jsonw_raw(j, o->base_page_kib);
		else
			jread_canonical(page, NULL, j->out);
		j->comma = true;
	}
	push_body_members(j, config, NULL, known);
	jsonw_object_end(j);
}

static void put_labels(struct jsonw *j, const struct options *o, const struct jnode *labels)
{
	const char **given = calloc(o->labels.n + 1, sizeof(*given));

	must(given);
	jsonw_key(j, "labels");
	jsonw_object(j);
	for (size_t i = 0; i < o->labels.n; i++) {
		given[i] = o->labels.list[i][0];
		jsonw_kstr(j, o->labels.list[i][0], o->labels.list[i][1]);
	}
	push_body_members(j, labels, NULL, given);
	jsonw_object_end(j);
	free(given);
}

static const char *started_at(struct arena *a, const struct options *o, const struct jnode *context,
			      const struct said *said, const struct push_file *f)
{
	const char *text = jread_str(jread_get(context, "started_at"));
	char own[TM_TEXT];

	if (o->started_at)
		return o->started_at;
	if (said->started_at != TM_NONE)
		return arena_strdup(a, tm_format(said->started_at, own));
	return text ? text : push_body_time(a, f);
}

static void put_context(struct arena *a, struct jsonw *j, const struct options *o,
			const struct push_context *c, const struct push_file *f, enum push_body_use use,
			const struct said *said, const char *run_id)
{
	static const char *const done[] = { "schema", "run_id",	 "machine",    "kernel", "config",
					    "labels", "boot_id", "started_at", NULL };
	const struct jnode *all = use == USE_ALL ? c->root : NULL;

	jsonw_object(j);
	jsonw_kstr(j, "schema", "nsecwatch.submission/1");
	if (run_id)
		jsonw_kstr(j, "run_id", run_id);
	put_machine(j, o, c, use != USE_NOTHING);
	if (o->kernel || (said->kernel && use != USE_ALL)) {
		jsonw_kstr(j, "kernel", o->kernel ? o->kernel : said->kernel);
	} else if (jread_get(all, "kernel")) {
		jsonw_key(j, "kernel");
		jread_canonical(jread_get(all, "kernel"), NULL, j->out);
		j->comma = true;
	}
	put_config(j, o, jread_get(all, "config"), said->thp && !o->thp);
	if (o->boot_id || (all && c->boot_id))
		jsonw_kstr(j, "boot_id", o->boot_id ? o->boot_id : c->boot_id);
	jsonw_kstr(j, "started_at", started_at(a, o, all, said, f));
	put_labels(j, o, jread_get(all, "labels"));
	push_body_members(j, all, NULL, done); /* environment, source */
	jsonw_object_end(j);
}

/* The last two parts of the path: the folder's name may tell the kernel. The same from wherever it is pushed. */
static const char *hint_of(struct arena *a, const struct push_file *f)
{
	char *whole =
		f->changed_usec ? realpath(f->path, NULL) : NULL; /* a pipe has no name that means anything */
	const char *p = whole ? whole + strlen(whole) : NULL, *hint;

	for (int parts = 0; p > whole; p--)
		if (p[-1] == '/' && ++parts == 2)
			break;
	hint = whole ? arena_strdup(a, p) : NULL;
	free(whole);
	return hint;
}

static void put_part(struct buf *b, const char *boundary, const char *name, const char *filename,
		     const char *type)
{
	buf_printf(b, "--%s\r\nContent-Disposition: form-data; name=\"%s\"", boundary, name);
	if (filename) {
		buf_puts(b, "; filename=\"");
		for (const char *p = filename; *p; p++) { /* as browsers do */
			if (strchr("\"\r\n", *p))
				buf_printf(b, "%%%02X", *p);
			else
				buf_putc(b, *p);
		}
		buf_putc(b, '"');
	}
	buf_printf(b, "\r\nContent-Type: %s\r\n\r\n", type);
}

/* The boundary follows from the content, so that the same is the same to the byte, and cannot be in it. */
static const char *put_parts(struct arena *a, struct buf *b, const struct buf *context,
			     const struct push_file *f, const char *hint)
{
	char boundary[48] = "nsecwatch-";
	uint8_t digest[32];

	buf_add(b, context->p, context->len);
	buf_add(b, f->text.p, f->text.len);
	sha256(b->p, b->len, digest);
	buf_clear(b);
	hex_format(digest, 16, boundary + strlen(boundary));
	put_part(b, boundary, "context", NULL, "application/json");
	buf_add(b, context->p, context->len);
	buf_puts(b, "\r\n");
	put_part(b, boundary, "result", hint ? hint : "stdin", "application/octet-stream");
	buf_add(b, f->text.p, f->text.len);
	buf_printf(b, "\r\n--%s--\r\n", boundary);
	return arena_printf(a, "multipart/form-data; boundary=%s", boundary);
}

static const char *target_of(struct arena *a, const struct options *o)
{
	const char *target = "/api/v1/runs", *sign = "?";

	if (strcmp(o->format, "auto")) {
		target = arena_printf(a, "%s%sformat=%s", target, sign, http_quote(a, o->format));
		sign = "&";
	}
	if (o->benchmark)
		target = arena_printf(a, "%s%sbenchmark=%s", target, sign, http_quote(a, o->benchmark));
	return target;
}

static void make_foreign(struct arena *a, const struct options *o, const struct push_context *c,
			 const struct push_file *f, const char *format, struct spool_entry *e, struct buf *body)
{
	const char *hint = hint_of(a, f);
	struct said said = what_it_says(a, o, c, f, hint);
	enum push_body_use use = push_body_use(c, f, said.machine, said.kernel);
	struct jread_slice text = { f->text.p, f->text.len, 1 };
	char id[UUID_TEXT];
	struct buf context;
	struct jsonw j;

	buf_init(&context);
	j = jsonw_begin(&context);
	put_context(a, &j, o, c, f, use, &said, NULL);
	if (said.n == 1) {
		push_body_run_id(o, f, &context, format, said.started_at != TM_NONE && !o->started_at, &text, id);
		buf_clear(&context);
		j = jsonw_begin(&context);
		put_context(a, &j, o, c, f, use, &said, id);
	}
	e->type = put_parts(a, body, &context, f, hint);
	e->target = target_of(a, o);
	e->derived_id = said.n == 1;
	buf_fini(&context);
}

/* Compresses what is worth it; the same bytes give the same. */
static void set_body(struct arena *a, const char *p, size_t n, struct spool_entry *e)
{
	z_stream z = { 0 };
	char *out;

	e->coding = "";
	e->body = p;
	e->len = n;
	if (n < COMPRESS_FROM)
		return;
	must(deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	z.avail_out = (uInt)deflateBound(&z, n);
	out = arena_alloc(a, z.avail_out);
	z.next_out = (Bytef *)out;
	z.next_in = (Bytef *)(uintptr_t)p;
	z.avail_in = (uInt)n;
	must(deflate(&z, Z_FINISH) == Z_STREAM_END);
	e->coding = "gzip";
	e->body = out;
	e->len = z.total_out;
	deflateEnd(&z);
}

int push_body_make(struct arena *a, const struct options *o, const struct push_context *c,
		   const struct push_file *f, struct spool_entry *e, struct err *err)
{
	const struct format *format =
		strcmp(o->format, "auto") ? format_find(o->format) : format_sniff(f->text.p, f->text.len);
	struct buf body;

	*e = (struct spool_entry){ .server = o->url, .about = f->about };
	if (format && !strcmp(format->name, "nsecwatch")) {
		if (push_own(a, o, c, f, e, err))
			return -1;
		set_body(a, e->body, e->len, e);
		return 0;
	}
	buf_init(&body);
	make_foreign(a, o, c, f, format ? format->name : o->format, e, &body);
	set_body(a, arena_strndup(a, body.p, body.len), body.len, e);
	buf_fini(&body);
	return 0;
}
