/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pages: files of static/, compiled in or (--static DIR) from disk. A page is an HTML
 * file in which a few placeholders are filled in, each value escaped, so that its
 * links and its picture work without JavaScript; the scripts do the rest.
 *
 *	{{query}}	the page's query as the API takes it, "" or "a=b&c=d"
 *	{{svg}}		address of the server's picture of this view
 *	{{image}}	the same, or the icon where the page has no picture
 *	{{preview}}	what a link to this view is shown as elsewhere
 *	{{public}}	how links to this server start, or ""
 *	{{path}}	the page's path: "/sweep", "/runs/0198..."
 *	{{id}}		what stands for {id} in it, percent-encoded for links, or ""
 *	{{plots}}	"uplot" where the build has it, else ""
 *	{{api}}		address of the page's data
 *	{{alerts_open}}	how many alerts are open, or "" where none is
 *	{{on_sweep}}	"page" on this page, else "false": for aria-current
 *	{{version}} {{request_id}}
 *	{{>top}}	parts/top.html, filled in likewise; a part holds no parts
 */
#include "pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/log.h"
#include "../lib/must.h"
#include "../lib/version.h"
#include "api_handlers.h"
#include "db_alerts.h"
#include "web_args.h"

#define FILE_MAX_BYTES (4 * 1024 * 1024)

static const struct {
	const char *extension, *type;
} types[] = {
	{ ".html", "text/html; charset=utf-8" },
	{ ".css", "text/css; charset=utf-8" },
	{ ".js", "text/javascript; charset=utf-8" },
	{ ".svg", "image/svg+xml" },
	{ ".png", "image/png" },
	{ ".ico", "image/x-icon" },
	{ ".txt", "text/plain; charset=utf-8" },
	{ ".json", "application/json" },
};

static const char *type_of(const char *path)
{
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(dot, types[i].extension))
			return types[i].type;
	return "application/octet-stream";
}

/* Names from a request reach the disk only when every part is plain: no "..", nothing hidden. */
static bool plain_path(const char *path)
{
	if (!*path || strlen(path) > 200)
		return false;
	for (const char *p = path; *p; p++) {
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/", *p))
			return false;
		if (*p == '.' && (p == path || p[-1] == '/'))
			return false;
	}
	return *path != '/';
}

static char *read_all(struct arena *a, int fd, size_t *len)
{
	struct stat st;
	char *p;
	ssize_t n;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > FILE_MAX_BYTES)
		return NULL;
	p = arena_alloc(a, (size_t)st.st_size + 1);
	for (*len = 0; *len < (size_t)st.st_size; *len += (size_t)n) {
		n = read(fd, p + *len, (size_t)st.st_size - *len);
		if (n <= 0)
			return NULL;
	}
	p[*len] = 0;
	return p;
}

/* The file from --static DIR, where there is one; vendor/ is never there. */
static const struct embed_file *from_disk(struct req *rq, const char *path)
{
	struct embed_file *f = arena_zalloc(rq->arena, sizeof(*f));
	char *name = arena_printf(rq->arena, "%s/%s", rq->server->conf->static_dir, path);
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	char hex[65];
	uint8_t digest[32];

	if (fd < 0)
		return NULL;
	f->data = (unsigned char *)read_all(rq->arena, fd, &f->len);
	close(fd);
	if (!f->data)
		return NULL;
	sha256(f->data, f->len, digest);
	hex_format(digest, 32, hex);
	f->path = path;
	f->etag = arena_strndup(rq->arena, hex, 16);
	return f;
}

const struct embed_file *pages_file(struct req *rq, const char *path)
{
	const struct embed_file *f = NULL;

	if (!plain_path(path))
		return NULL;
	if (rq->server->conf->static_dir)
		f = from_disk(rq, path);
	return f ? f : embed_find(embed_static, path);
}

int pages_static(struct req *rq, struct err *err)
{
	const struct embed_file *f = pages_file(rq, rq->id);

	if (!f || !strcmp(type_of(f->path), types[0].type))	/* pages have addresses of their own */
		return err_set(err, ERR_NOT_FOUND, "no such file: %.200s", rq->id);
	rq->type = type_of(f->path);
	if (rq->server->conf->static_dir)	/* its bytes die with the arena */
		buf_add(&rq->out, f->data, f->len);
	else
		rq->file = f;
	return 0;
}

/* ---- page shells ---- */

void pages_escape(struct buf *out, const char *s)
{
	for (; *s; s++) {
		switch (*s) {
		case '&':
			buf_puts(out, "&amp;");
			break;
		case '<':
			buf_puts(out, "&lt;");
			break;
		case '>':
			buf_puts(out, "&gt;");
			break;
		case '"':
			buf_puts(out, "&quot;");
			break;
		case '\'':
			buf_puts(out, "&#39;");
			break;
		default:
			buf_putc(out, *s);
		}
	}
}

void pages_percent(struct buf *out, const char *s)
{
	for (; *s; s++) {
		if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~*:/@", *s))
			buf_putc(out, *s);
		else
			buf_printf(out, "%%%02X", (unsigned char)*s);
	}
}

/* As one segment of a path: a name may have a '/' in it. */
static const char *encoded(struct arena *a, const char *s)
{
	struct buf out;
	const char *text;

	buf_init(&out);
	for (const char *slash; (slash = strchr(s, '/')); s = slash + 1) {
		pages_percent(&out, arena_strndup(a, s, (size_t)(slash - s)));
		buf_puts(&out, "%2F");
	}
	pages_percent(&out, s);
	text = arena_strdup(a, out.p);
	buf_fini(&out);
	return text;
}

/* The API resource whose picture and tables a page shows, or NULL. */
static const struct route *resource_of(const struct req *rq, const char *page)
{
	char *pattern = arena_printf(rq->arena, "/api/v1/%s", page);

	for (const struct route *r = routes; r->method; r++)
		if (!strcmp(r->method, "GET") && !strcmp(r->pattern, pattern))
			return r;
	return NULL;
}

/* The query without what only the page's scripts know: the API refuses unknown arguments. */
static const char *api_query(const struct req *rq, const struct route *resource)
{
	struct req one = *rq;
	struct err ignored = { 0 };
	struct buf out;
	const char *text;

	buf_init(&out);
	for (size_t i = 0; i < rq->n_args; i++) {
		one.args = &rq->args[i];
		one.n_args = 1;
		if (resource && web_args_check(resource, &one, &ignored))
			continue;
		if (out.len)
			buf_putc(&out, '&');
		pages_percent(&out, rq->args[i].name);
		buf_putc(&out, '=');
		pages_percent(&out, rq->args[i].value);
	}
	text = arena_strdup(rq->arena, out.p);
	buf_fini(&out);
	return text;
}

/* Address of the server's picture; without what it cannot be drawn from, of one that says what to choose. */
static const char *picture(const struct req *rq, const char *name, const char *query)
{
	bool two = !strcmp(name, "compare") || !strcmp(name, "matrix");

	if (!*query || (!strcmp(name, "sweep") && !web_arg(rq, "kernel")) ||
	    (two && (!web_arg(rq, "base") || !web_arg(rq, "head"))))
		return "/static/choose.svg";
	return arena_printf(rq->arena, "/api/v1/%s.svg?%s", name, query);
}

/* What all pages begin and end with. */
static const char *const parts[] = { "head", "top", "end" };

static const struct embed_file *part(struct req *rq, const char *name)
{
	return pages_file(rq, arena_printf(rq->arena, "parts/%s.html", name));
}

/* A placeholder's value. False: it has none. */
static bool put_value(struct buf *out, const char *name, size_t n, const struct pages_value *values)
{
	for (const struct pages_value *v = values; v->name; v++)
		if (strlen(v->name) == n && !strncmp(v->name, name, n)) {
			pages_escape(out, v->text);
			return true;
		}
	return false;
}

/* The part that a placeholder names, {{>top}}; NULL: none. */
static const struct embed_file *find_part(struct req *rq, const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (n && *name == '>' && strlen(parts[i]) == n - 1 && !strncmp(parts[i], name + 1, n - 1))
			return part(rq, parts[i]);
	return NULL;
}

/* whole: of a page; a part holds no parts. */
static void fill(struct req *rq, const char *html, const struct pages_value *values, bool whole)
{
	for (const char *open; (open = strstr(html, "{{")); ) {
		const char *close = strstr(open, "}}"), *name = open + 2;
		size_t n = close ? (size_t)(close - name) : 0;
		const struct embed_file *f = whole ? find_part(rq, name, n) : NULL;

		buf_add(&rq->out, html, (size_t)(open - html));
		if (f) {
			fill(rq, (const char *)f->data, values, false);
			html = close + 2 + (close[2] == '\n');	/* a part ends its last line itself */
		} else if (close && put_value(&rq->out, name, n, values)) {
			html = close + 2;
		} else {
			buf_puts(&rq->out, "{{");
			html = name;
		}
	}
	buf_puts(&rq->out, html);
}

/* Where the page's data comes from. */
static const char *api_address(const struct req *rq, const char *name, const char *query)
{
	if (rq->id)
		return arena_printf(rq->arena, "/api/v1/%ss/%s.json", name, encoded(rq->arena, rq->id));
	return arena_printf(rq->arena, "/api/v1/%s.json%s%s", name, *query ? "?" : "", query);
}

/* "sweep" of "/sweep", "overview" of "/", "run" of "/runs/{id}": the name of the file. */
static const char *page_name(const struct req *rq)
{
	static const char *const single[] = { "run", "machine", "kernel", "benchmark" };

	if (!strcmp(rq->path, "/"))
		return "overview";
	if (!rq->id)
		return rq->path + 1;
	for (size_t i = 0; i < sizeof(single) / sizeof(*single); i++)	/* "/runs/..." is of "run" */
		if (!strncmp(rq->path + 1, single[i], strlen(single[i])))
			return single[i];
	return "alert";
}

/* aria-current of a link to `page`; one alert stands under them all. */
static const char *on(const char *page, const char *link)
{
	return !strcmp(page, link) || (!strcmp(page, "alert") && !strcmp(link, "alerts")) ? "page" : "false";
}

static const char *data_version(struct req *rq)
{
	const char *version = NULL;
	struct err err = { 0 };

	/* the page itself can be shown without the database; its scripts will tell */
	return db_runs_data_version(rq->db, rq->arena, &version, &err) ? "" : version;
}

static const char *alerts_open(struct req *rq)
{
	struct err err = { 0 };
	int64_t n;

	return db_alerts_count_open(rq->db, &n, &err) || !n ? "" : arena_printf(rq->arena, "%lld", (long long)n);
}

#define PREVIEW_ARGS 8
#define PREVIEW_BYTES 160

/* What a link to it is shown as elsewhere: "sweep: 6.16, 6.17-rc1, mprotect/tw4m"; "kernel: 6.17-rc1". */
static const char *preview(const struct req *rq, const char *name)
{
	const char *text = rq->id ? rq->id : "";

	for (size_t i = 0; i < rq->n_args && i < PREVIEW_ARGS; i++)
		if (strlen(text) + strlen(rq->args[i].value) < PREVIEW_BYTES)
			text = arena_printf(rq->arena, "%s%s%s", text, *text ? ", " : "", rq->args[i].value);
	return arena_printf(rq->arena, "%s%s%s", name, *text ? ": " : "", text);
}

/* How links to this server start, without a slash at the end; "": nobody told (--public-url). */
static const char *public_url(const struct req *rq)
{
	const char *url = rq->server->conf->public_url ? rq->server->conf->public_url : "";
	size_t n = strlen(url);

	while (n && url[n - 1] == '/')
		n--;
	return arena_strndup(rq->arena, url, n);
}

/* Of those that show nothing that was measured; there is no count of alerts either, since not everybody who sees them may read. */
int pages_fill(struct req *rq, const char *file, const struct pages_value *values, struct err *err)
{
	const struct embed_file *f = pages_file(rq, file);
	const struct pages_value common[] = {
		{ "on_overview", "false" }, { "on_sweep", "false" }, { "on_trend", "false" }, { "on_compare", "false" },
		{ "on_matrix", "false" }, { "on_alerts", "false" }, { "alerts_open", "" }, { "preview", "sign in" },
		{ "public", public_url(rq) }, { "image", "/static/icon.svg" }, { "api", "/api/v1/session" }, { "plots", "" },
		{ "version", version_text }, { "request_id", rq->request_id },
	};
	struct pages_value all[40] = { { NULL, NULL } };
	size_t n = sizeof(common) / sizeof(common[0]);

	if (!f)
		return err_set(err, ERR_NOT_FOUND, "this build has no page %s", file);
	memcpy(all, common, sizeof(common));
	for (; values->name; values++) {
		must(n < 39);
		all[n++] = *values;
	}
	fill(rq, (const char *)f->data, all, true);
	return 0;
}

int pages_page(struct req *rq, struct err *err)
{
	const char *name = page_name(rq), *query, *version = data_version(rq);
	const struct embed_file *f = pages_file(rq, arena_printf(rq->arena, "%s.html", name));
	const struct route *resource = rq->id ? NULL : resource_of(rq, name);
	char *tag;
	char hex[65];
	uint8_t digest[32];

	if (!f)
		return err_set(err, ERR_NOT_FOUND, "this build has no page %s", name);
	query = api_query(rq, resource);
	fill(rq, (const char *)f->data, (const struct pages_value[]){
		{ "query", query },
		{ "api", api_address(rq, name, query) },
		{ "on_overview", on(name, "overview") },
		{ "on_sweep", on(name, "sweep") },
		{ "on_trend", on(name, "trend") },
		{ "on_compare", on(name, "compare") },
		{ "on_matrix", on(name, "matrix") },
		{ "on_alerts", on(name, "alerts") },
		{ "alerts_open", alerts_open(rq) },
		{ "svg", picture(rq, name, query) },
		{ "image", resource && (resource->reps & REP_SVG) ? picture(rq, name, query) : "/static/icon.svg" },
		{ "preview", preview(rq, name) },
		{ "public", public_url(rq) },
		{ "path", rq->path },
		{ "id", rq->id ? encoded(rq->arena, rq->id) : "" },
		{ "plots", embed_find(embed_static, "vendor/uPlot.esm.js") ? "uplot" : "" },
		{ "version", version_text },
		{ "request_id", rq->request_id },
		{ NULL, NULL },
	}, true);
	/* weak: the request's id differs each time, and nobody wants the page again for that */
	tag = arena_printf(rq->arena, "%s %s %s %s", f->etag, rq->path, rq->query, version);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if ((f = part(rq, parts[i])))
			tag = arena_printf(rq->arena, "%s %s", tag, f->etag);
	sha256(tag, strlen(tag), digest);
	hex_format(digest, 16, hex);
	rq->weak_etag = arena_strdup(rq->arena, hex);
	return 0;
}
