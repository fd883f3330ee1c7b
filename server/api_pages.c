/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page as one HTML file that needs nothing else: the server's picture and tables of its data, and the data itself.
 * /frozen/PAGE?QUERY makes one to take away; POST /api/v1/pages keeps one under an address that stays.
 * There is no script in it, and the policy it is served with allows none.
 */
#include <string.h>

#include "../lib/ident.h"
#include "../lib/tm.h"
#include "../lib/version.h"
#include "api_body.h"
#include "api_handlers.h"
#include "calc_audit.h"
#include "db_pages.h"
#include "pages.h"
#include "web_args.h"
#include "web_shared.h"

#define ADDRESS_MOST 4000
#define DEADLINE_MS 5000
#define PAGE_BYTES_MOST (16 * 1024 * 1024)

struct frozen {
	const char *address;		/* "/compare?base=..." */
	const char *name;		/* "compare", "runs/ID", "overview" */
	const struct route *route;	/* of its data */
	struct req data;		/* as the API would be asked */
	struct buf text, csv, json, svg;
};

static void fini(struct frozen *f)
{
	buf_fini(&f->text);
	buf_fini(&f->csv);
	buf_fini(&f->json);
	buf_fini(&f->svg);
}

/* Only what the API knows: the rest is the page's own, as in pages.c. */
static void drop_page_args(struct arena *a, const struct route *route, struct req *data)
{
	struct web_arg *kept = arena_array(a, struct web_arg, data->n_args + 1);
	size_t n = 0;

	for (size_t i = 0; i < data->n_args; i++) {
		struct req one = *data;
		struct err ignored = { 0 };

		one.args = &data->args[i];
		one.n_args = 1;
		if (!web_args_check(route, &one, &ignored))
			kept[n++] = data->args[i];
	}
	data->args = kept;
	data->n_args = n;
}

/* The resource that the page at `address` shows. */
static int resolve(struct req *rq, struct frozen *f, struct err *err)
{
	size_t n = strcspn(f->address, "?");
	const char *path = arena_strndup(rq->arena, f->address, n), *allow;
	struct web_path split;
	enum rep ext;

	if (*path != '/')
		return err_set(err, ERR_BAD_ARGUMENT, "path: a page of this server is needed, as /compare?base=6.16&head=6.17-rc1");
	f->name = path[1] ? path + 1 : "overview";
	f->data = *rq;
	f->data.id = NULL;
	if (web_args_split(rq->arena, arena_printf(rq->arena, "/api/v1/%s%s", f->name, f->address + n), &split, &f->data, err))
		return -1;
	f->route = web_args_route(rq->arena, routes, "GET", &split, &f->data, &ext, &allow, err);
	if (!f->route || ext || f->route->scope != SCOPE_READ || !(f->route->reps & REP_JSON) || !f->route->shape)
		return err_set(err, ERR_NOT_FOUND, "%.200s is no page with data of its own", path);
	drop_page_args(rq->arena, f->route, &f->data);
	return 0;
}

/* One representation of the data. */
static int ask(struct frozen *f, enum rep rep, struct buf *out, struct err *err)
{
	struct req one = f->data;

	buf_init(out);
	if (!(f->route->reps & rep))
		return 0;
	one.rep = rep;
	one.shared = NULL;
	buf_init(&one.out);
	if (f->route->handler(&one, err)) {
		buf_fini(&one.out);
		return -1;
	}
	if (one.shared) {	/* text that stands apart: here it is wanted where it belongs */
		buf_add(out, one.out.p, one.shared_at);
		buf_add(out, one.shared->text, one.shared->len);
		buf_add(out, one.out.p + one.shared_at, one.out.len - one.shared_at);
		web_shared_unref(one.shared);
		buf_fini(&one.out);
	} else {
		*out = one.out;
	}
	return 0;
}

/* ---- HTML ---- */

/* In a data block of HTML: '<' of a JSON text is within a string, and can be written otherwise. */
static void data_block(struct buf *out, const char *json)
{
	buf_puts(out, "<script type=\"application/json\" id=\"data\">");
	for (; *json; json++) {
		if (*json == '<')
			buf_puts(out, "\\u003c");
		else
			buf_putc(out, *json);
	}
	buf_puts(out, "</script>\n");
}

/* The picture in the file, with its own style and its own dark mode. */
static void picture(struct buf *out, const char *svg)
{
	buf_puts(out, "<figure><img alt=\"The picture of this view; its numbers are in the text below\" src=\"data:image/svg+xml,");
	pages_percent(out, svg);
	buf_puts(out, "\"></figure>\n");
}

static void block(struct buf *out, const char *title, const char *text, bool open)
{
	buf_printf(out, "<details%s><summary>%s</summary><pre tabindex=\"0\">", open ? " open" : "", title);
	pages_escape(out, text);
	buf_puts(out, "</pre></details>\n");
}

static void head(struct req *rq, struct buf *out, const struct frozen *f)
{
	const struct embed_file *css = pages_file(rq, "base.css");

	buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
	pages_escape(out, f->address);
	buf_puts(out, " - nsecwatch</title>\n<style>\n");
	if (css)
		buf_add(out, css->data, css->len);
	buf_puts(out, "figure img { max-width: 100%; height: auto; }\n"
		      "@media screen { details pre { max-height: 80vh; overflow: auto; } }\n</style>\n</head>\n");
}

static void body(struct buf *out, const struct frozen *f, int64_t now)
{
	char at[TM_TEXT];

	buf_puts(out, "<body>\n<main>\n<h1>");
	pages_escape(out, f->name);
	buf_puts(out, " as it was</h1>\n<p class=\"trust\">What ");
	pages_escape(out, f->address);
	buf_printf(out, " showed on %s (UTC). This file holds its data and does not change. <a href=\"",
		   tm_format(now / 1000000 * 1000000, at));
	pages_escape(out, f->address);
	buf_puts(out, "\">The same view today</a></p>\n");
	if (f->svg.len)
		picture(out, f->svg.p);
	if (f->text.len)
		block(out, "Text", f->text.p, true);
	if (f->csv.len)
		block(out, "CSV", f->csv.p, false);
	data_block(out, f->json.p);
	buf_printf(out, "<p class=\"hint\">Made by nsecwatch %s. The JSON of the data is in this file, too: its element with the "
		   "id <code>data</code>.</p>\n</main>\n</body>\n</html>\n", version_text);
}

/* The page as HTML, in `out`; f for who wants to know what is in it. */
static int freeze(struct req *rq, const char *address, struct frozen *f, struct buf *out, struct err *err)
{
	int ret;

	*f = (struct frozen){ .address = address };
	buf_init(&f->text);
	buf_init(&f->csv);
	buf_init(&f->json);
	buf_init(&f->svg);
	ret = resolve(rq, f, err) || ask(f, REP_JSON, &f->json, err) || ask(f, REP_TEXT, &f->text, err) ||
	      ask(f, REP_CSV, &f->csv, err) || ask(f, REP_SVG, &f->svg, err);
	if (ret)
		return -1;
	head(rq, out, f);
	body(out, f, tm_now_usec());
	return out->len <= PAGE_BYTES_MOST ? 0 :
	       err_set(err, ERR_TOO_LARGE, "this page would be %zu MiB: narrow the selection", out->len >> 20);
}

/* "compare-6.17-rc1.html" would be nicer; this one is safe in a header. */
static const char *file_name(struct req *rq, const char *name)
{
	return arena_printf(rq->arena, "nsecwatch-%.*s.html", (int)strcspn(name, "/"), name);
}

int api_pages_frozen(struct req *rq, struct err *err)
{
	struct frozen f;
	const char *address = arena_printf(rq->arena, "/%s%s%s", strcmp(rq->id, "overview") ? rq->id : "",
					   *rq->query ? "?" : "", rq->query);
	int ret = freeze(rq, address, &f, &rq->out, err);

	fini(&f);
	if (ret) {
		buf_clear(&rq->out);
		return -1;
	}
	rq->type = WEB_TYPE_FROZEN;
	rq->disposition = file_name(rq, f.name);
	return 0;
}

/* Of the address and the data: no time is in it. */
static void id_of(const struct frozen *f, struct uuid *id)
{
	struct buf text;
	uint8_t digest[32];

	buf_init(&text);
	buf_printf(&text, "%s\n", f->address);
	buf_add(&text, f->json.p, f->json.len);
	sha256(text.p, text.len, digest);
	uuid_v8_of(id, digest);
	buf_fini(&text);
}

struct keeping {
	struct req *rq;
	const struct db_page *page;
	bool is_new;
};

static int keep_tx(struct db *db, void *arg, struct err *err)
{
	struct keeping *k = arg;
	char id[UUID_TEXT];
	struct audit au;

	if (db_pages_keep(db, k->page, &k->is_new, err))
		return -1;
	if (!k->is_new)
		return 0;
	calc_audit_begin(&au, k->page->made_by, "page", "keep", uuid_format(&k->page->id, id));
	jsonw_object(&au.json);
	jsonw_kstr(&au.json, "address", k->page->address);
	jsonw_object_end(&au.json);
	return calc_audit_end(&au, db, k->rq->arena, NULL, err);
}

static int keep(struct req *rq, const struct frozen *f, const char *html, struct err *err)
{
	struct jsonw j = jsonw_begin(&rq->out);
	struct db_page page = { .made_at = tm_now_usec(), .made_by = rq->token.name, .address = f->address, .html = html };
	struct keeping k = { .rq = rq, .page = &page };
	char id[UUID_TEXT];

	id_of(f, &page.id);
	if (db_tx(rq->db, keep_tx, &k, DEADLINE_MS, err))
		return -1;
	uuid_format(&page.id, id);
	rq->status = k.is_new ? 201 : 200;
	rq->location = arena_printf(rq->arena, "/pages/%s", id);
	jsonw_object(&j);
	jsonw_kstr(&j, "status", k.is_new ? "done" : "duplicate");
	jsonw_kstr(&j, "id", id);
	jsonw_kstr(&j, "url", rq->location);
	jsonw_object_end(&j);
	return 0;
}

int api_pages_post(struct req *rq, struct err *err)
{
	struct api_body b;
	struct frozen f;
	struct buf html;
	const char *address;
	int ret;

	if (api_body_begin(&b, rq, err))
		return -1;
	address = api_body_line(&b, "path", true, ADDRESS_MOST);
	if (api_body_end(&b, err))
		return -1;
	buf_init(&html);
	ret = freeze(rq, address, &f, &html, err) || keep(rq, &f, html.p, err) ? -1 : 0;
	if (ret && err->kind == ERR_NOT_FOUND)
		err->kind = ERR_INVALID;	/* it is the body that is wrong here, not the address */
	fini(&f);
	buf_fini(&html);
	return ret;
}

int api_pages_get(struct req *rq, struct err *err)
{
	struct uuid id;
	const char *html;

	if (uuid_parse(rq->id, &id))
		return err_set(err, ERR_NOT_FOUND, "%.100s is no kept page: its id is a UUID", rq->id);
	if (db_pages_html(rq->db, rq->arena, &id, &html, err))
		return -1;
	if (!html)
		return err_set(err, ERR_NOT_FOUND, "there is no kept page %s", rq->id);
	buf_puts(&rq->out, html);
	rq->type = WEB_TYPE_FROZEN;
	return 0;
}
