/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of other formats go as they are, with the context in the query. */
#include "push_body.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "../ingest/format.h"
#include "../ingest/thp.h"
#include "../lib/must.h"
#include "file.h"
#include "http.h"
#include "parse.h"
#include "push_body_impl.h"

#define COMPRESS_FROM 16384	/* bytes: below that it saves nothing worth it */

static bool among(const char *const *list, const char *key)
{
	for (; list && *list; list++)
		if (!strcmp(*list, key))
			return true;
	return false;
}

void push_body_members(struct json *j, const struct jnode *own, const struct jnode *more,
		       const char *const *leave_out)
{
	for (const struct jmember *m = jread_first(own); m; m = jread_next(own, m)) {
		if (among(leave_out, jread_key(m)))
			continue;
		json_key(j, jread_key(m));
		jread_canonical(jread_value(m), NULL, j->out);
		j->comma = true;
	}
	for (const struct jmember *m = jread_first(more); m; m = jread_next(more, m)) {
		if (among(leave_out, jread_key(m)) || jread_get(own, jread_key(m)))
			continue;
		json_key(j, jread_key(m));
		jread_canonical(jread_value(m), NULL, j->out);
		j->comma = true;
	}
}

void push_body_run_id(const char *machine, const char *kernel, const char *boot_id, const char *benchmark,
		      const char *text, size_t len, char out[UUID_TEXT])
{
	const char *const parts[] = { "nsecwatch push 1", machine, kernel, boot_id, benchmark };
	uint8_t digest[32];
	struct uuid id;
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		buf_add(&b, parts[i] ? parts[i] : "", parts[i] ? strlen(parts[i]) + 1 : 1);
	buf_add(&b, text, len);
	sha256(b.p, b.len, digest);
	uuid_v8_of(&id, digest);
	uuid_format(&id, out);
	buf_fini(&b);
}

/* What a file of another format says by itself, and the command line of it. */
struct said {
	const char *machine, *kernel;
	bool thp;
};

/*
 * Our own readers tell: with nothing but the flags, then with a machine in addition,
 * they either find what they need in the file or complain.
 */
static struct said what_it_says(struct arena *a, const struct options *o, const struct push_file *f,
				const char *hint, const char *machine)
{
	struct read_context ctx = parse_context(o, hint);
	struct said said = { .machine = o->machine, .kernel = o->kernel };
	struct read_result result;
	struct err err = { 0 };

	ctx.machine = machine ? machine : "unnamed";
	if (read_body(a, f->text.p, f->text.len, &ctx, &result, &err) || !result.n)
		return said;
	if (result.items[0].sub) {
		said.kernel = result.items[0].sub->kernel.name;
		said.thp = strcmp(result.items[0].sub->thp, "unknown") != 0;
	}
	return said;
}

/* The last two parts of the path: the folder's name may tell the kernel. The same from wherever it is pushed. */
static const char *hint_of(struct arena *a, const char *path)
{
	char *whole = strcmp(path, "-") ? realpath(path, NULL) : NULL;
	const char *p = whole ? whole + strlen(whole) : NULL, *hint;

	for (int parts = 0; p > whole; p--)
		if (p[-1] == '/' && ++parts == 2)
			break;
	hint = whole ? arena_strdup(a, p) : NULL;
	free(whole);
	return hint;
}

/* The context's THP files as the one word that a query has. */
static const char *thp_of(struct arena *a, const struct push_context *c)
{
	const struct jnode *config = jread_get(c->root, "config"), *thp = jread_get(config, "thp");
	struct thp_file *files = arena_array(a, struct thp_file, jread_len(thp) + 1);
	struct err err = { 0 };
	int64_t page = 0;
	struct thp state;
	size_t n = 0, bad;

	if (!thp || jread_str(thp))
		return jread_str(thp);
	for (const struct jmember *m = jread_first(thp); m; m = jread_next(thp, m))
		if (jread_str(jread_value(m)))
			files[n++] = (struct thp_file){ jread_key(m), jread_str(jread_value(m)) };
	jread_int(jread_get(config, "base_page_kib"), &page);
	if (thp_from_files(a, files, n, thp_pmd_kib(jread_str(jread_get(jread_get(c->root, "machine"), "isa")), (int)page),
			   &state, &bad, &err))
		return NULL;
	return state.slug;
}

static void ask(struct arena *a, const char **target, const char *name, const char *value)
{
	if (value)
		*target = arena_printf(a, "%s&%s=%s", *target, http_quote(a, name), http_quote(a, value));
}

/* A member of the context, or of an object in it, as text; an integer too. */
static const char *member(struct arena *a, const struct jnode *object, const char *key)
{
	const struct jnode *v = jread_get(object, key);
	int64_t i;

	return jread_int(v, &i) ? arena_printf(a, "%lld", (long long)i) : jread_str(v);
}

static const char *either(const char *flag, const char *context)
{
	return flag ? flag : context;
}

static void ask_labels(struct arena *a, const char **target, const struct options *o, const struct jnode *labels)
{
	for (size_t i = 0; i < o->labels.n; i++)
		ask(a, target, arena_printf(a, "label.%s", o->labels.list[i][0]), o->labels.list[i][1]);
	for (const struct jmember *m = jread_first(labels); m; m = jread_next(labels, m)) {
		bool given = false;

		for (size_t i = 0; i < o->labels.n; i++)
			given |= !strcmp(o->labels.list[i][0], jread_key(m));
		if (!given)
			ask(a, target, arena_printf(a, "label.%s", jread_key(m)), jread_str(jread_value(m)));
	}
}

static const char *target_of(struct arena *a, const struct options *o, const struct push_context *c,
			     enum push_body_use use, const struct said *said, const char *hint)
{
	const char *target = arena_printf(a, "/api/v1/runs?format=%s", http_quote(a, o->format));
	const struct jnode *all = use == USE_ALL ? c->root : NULL;
	const struct jnode *machine = use == USE_NOTHING ? NULL : jread_get(c->root, "machine");

	ask(a, &target, "machine", either(o->machine, member(a, machine, "name")));
	ask(a, &target, "isa", either(o->isa, member(a, machine, "isa")));
	ask(a, &target, "uarch", either(o->uarch, member(a, machine, "uarch")));
	ask(a, &target, "kernel", either(o->kernel, all && !said->kernel ? c->kernel : NULL));
	ask(a, &target, "thp", either(o->thp, all && !said->thp ? thp_of(a, c) : NULL));
	ask(a, &target, "base_page_kib", either(o->base_page_kib, member(a, jread_get(all, "config"), "base_page_kib")));
	ask(a, &target, "boot_id", either(o->boot_id, member(a, all, "boot_id")));
	ask(a, &target, "started_at", either(o->started_at, member(a, all, "started_at")));
	ask(a, &target, "benchmark", o->benchmark);
	ask(a, &target, "filename", hint);
	ask_labels(a, &target, o, jread_get(all, "labels"));
	return target;
}

static void make_foreign(struct arena *a, const struct options *o, const struct push_context *c,
			 const struct push_file *f, struct spool_entry *e)
{
	const char *hint = hint_of(a, f->path);
	struct said said = what_it_says(a, o, f, hint, either(o->machine, c->machine));
	enum push_body_use use = push_body_use(c, f, said.machine, said.kernel);

	e->type = "application/octet-stream";
	e->target = target_of(a, o, c, use, &said, hint);
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

int push_body_make(struct arena *a, const struct options *o, const struct push_context *c, const struct push_file *f,
		   struct spool_entry *e, struct err *err)
{
	const struct format *format = strcmp(o->format, "auto") ? format_find(o->format)
								: format_sniff(f->text.p, f->text.len);

	*e = (struct spool_entry){ .server = o->url, .about = f->about };
	if (format && !strcmp(format->name, "nsecwatch")) {
		if (push_own(a, o, c, f, e, err))
			return -1;
		set_body(a, e->body, e->len, e);
		return 0;
	}
	make_foreign(a, o, c, f, e);
	set_body(a, f->text.p, f->text.len, e);
	return 0;
}
