/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is fuzzed of the server without a socket: the request line with its headers, bodies that
 * come compressed, and the selectors and kernels of a question, over a catalogue of arrays. As
 * targets.h.
 */
#ifndef TESTS_TARGETS_SERVER_H
#define TESTS_TARGETS_SERVER_H

#include "../unit/fake_catalog.h"

#include "../../lib/utf8.h"
#include "../../server/calc_selector.h"
#include "../../server/db_runs.h"
#include "../../server/web_args.h"
#include "../../server/web_inflate.h"

#define LINES_MAX 64

/* Each kernel has a run of each series. */
int db_runs_each_of_kernels(struct db *db, struct arena *a, const int64_t *kernel_ids, size_t n_kernels,
			    const int64_t *machine_ids, size_t n_machines, db_runs_each_fn fn, void *arg, struct err *err)
{
	(void)db;
	(void)a;
	(void)machine_ids;
	(void)n_machines;
	for (size_t k = 0; k < n_kernels; k++)
		for (size_t i = 0; i < N(series); i++) {
			int16_t status = RESULT_OK;
			int64_t id = series[i].id;
			struct run run = { .machine_id = series[i].machine->id, .kernel_id = kernel_ids[k], .n_results = 1,
					   .series_ids = &id, .status = &status };

			if (fn(&run, arg, err))
				return -1;
		}
	return 0;
}

static size_t lines_of(char *text, char *lines[LINES_MAX])
{
	size_t n = 0;

	for (char *line = text; line && n < LINES_MAX;) {
		char *next = strchr(line, '\n');

		if (next)
			*next++ = 0;
		lines[n++] = line;
		line = next;
	}
	return n;
}

/* ---- request lines ---- */

static int no_handler(struct req *rq, struct err *err)
{
	(void)rq;
	return err_set(err, ERR_NOT_FOUND, "none");
}

static const struct route some_routes[] = {
	{ .method = "POST", .pattern = "/api/v1/runs", .handler = no_handler, .reps = REP_JSON, .args = "format machine label.*" },
	{ .method = "GET", .pattern = "/api/v1/runs", .handler = no_handler, .reps = REP_JSON | REP_CSV | REP_TEXT,
	  .args = "machine kernel thp param.* limit cursor" },
	{ .method = "GET", .pattern = "/api/v1/runs/{id}", .handler = no_handler, .reps = REP_JSON | REP_CSV | REP_TEXT },
	{ .method = "GET", .pattern = "/api/v1/runs/{id}/raw", .handler = no_handler, .reps = REP_OTHER },
	{ .method = "POST", .pattern = "/api/v1/deliveries/{id}:send-again", .handler = no_handler, .reps = REP_JSON },
	{ .method = "GET", .pattern = "/api/v1/trend", .handler = no_handler, .reps = REP_JSON | REP_SVG, .args = "benchmark base" },
	{ .method = "GET", .pattern = "/sweep", .handler = no_handler, .reps = REP_HTML, .args = "*" },
	{ .method = "GET", .pattern = "/static/{path}", .handler = no_handler, .reps = REP_OTHER },
	{ .method = "GET", .pattern = "/", .handler = no_handler, .reps = REP_HTML },
	{ .method = NULL },
};

static void put_encoded(struct buf *b, const char *text)
{
	for (; *text; text++)
		buf_printf(b, "%%%02X", (unsigned char)*text);
}

static bool same_args(const struct req *x, const struct req *y)
{
	for (size_t i = 0; i < x->n_args && x->n_args == y->n_args; i++)
		if (strcmp(x->args[i].name, y->args[i].name) || strcmp(x->args[i].value, y->args[i].value))
			return false;
	return x->n_args == y->n_args;
}

/* Arguments are UTF-8, and what they are encoded as anew means them again. */
static const char *check_args(struct arena *a, const struct req *rq)
{
	struct req again = { .arena = a };
	struct web_path path;
	struct err err;
	struct buf uri, one, two;
	const char *bad = NULL;

	buf_init(&uri);
	buf_init(&one);
	buf_init(&two);
	buf_puts(&uri, "/?");
	for (size_t i = 0; i < rq->n_args; i++) {
		if (utf8_good(rq->args[i].name, strlen(rq->args[i].name)) < strlen(rq->args[i].name) ||
		    utf8_good(rq->args[i].value, strlen(rq->args[i].value)) < strlen(rq->args[i].value))
			bad = "an argument that is no UTF-8";
		buf_putc(&uri, '&');
		put_encoded(&uri, rq->args[i].name);
		buf_putc(&uri, '=');
		put_encoded(&uri, rq->args[i].value);
	}
	if (!bad && rq->n_args + 1 < WEB_ARGS_MAX &&	/* the first '&' counts, too */
	    (web_args_split(a, uri.p, &path, &again, &err) || !same_args(rq, &again)))
		bad = "arguments that are others when they are encoded anew";
	web_args_canonical(rq, &one);
	web_args_canonical(&again, &two);
	if (!bad && rq->n_args + 1 < WEB_ARGS_MAX && (one.len != two.len || memcmp(one.p, two.p, one.len)))
		bad = "the same arguments are another question";
	buf_fini(&uri);
	buf_fini(&one);
	buf_fini(&two);
	return bad;
}

/* "METHOD URI", then Accept, Accept-Encoding and If-None-Match, a line each. */
static const char *target_query(struct arena *a, const char *text, size_t len)
{
	char *lines[LINES_MAX] = { NULL }, *uri;
	size_t n = lines_of(arena_strndup(a, text, len), lines);
	struct req rq = { .arena = a };
	const struct route *route;
	struct web_path path;
	struct err err;
	enum rep ext, rep;
	const char *allow = NULL, *bad;

	web_args_takes_gzip(n > 2 ? lines[2] : NULL);
	web_args_etag_matches(n > 3 ? lines[3] : "", "\"0123456789abcdef\"");
	uri = strchr(lines[0], ' ');
	if (!uri)
		return NULL;
	*uri++ = 0;
	if (web_args_split(a, uri, &path, &rq, &err))
		return err.kind && *err.message ? NULL : "an address refused without a reason";
	bad = check_args(a, &rq);
	if (bad)
		return bad;
	route = web_args_route(a, some_routes, lines[0], &path, &rq, &ext, &allow, &err);
	if (!route)
		return err.kind && *err.message && (err.kind != ERR_METHOD || allow) ? NULL : "no route, and no reason";
	if (web_args_check(route, &rq, &err))
		return err.kind == ERR_BAD_ARGUMENT && *err.message ? NULL : "arguments refused without a reason";
	if (web_args_rep(route, ext, n > 1 ? lines[1] : NULL, &rep, &err))
		return err.kind == ERR_NOT_ACCEPTABLE && *err.message ? NULL : "a form refused without a reason";
	return (route->reps & rep) && web_args_rep_type(rep) ? NULL : "a form that the route does not have";
}

/* ---- bodies that come compressed ---- */

#define UNPACKED_MOST (256 * 1024)

/* The first line is the Content-Encoding. */
static const char *target_inflate(struct arena *a, const char *text, size_t len)
{
	const char *nl = memchr(text, '\n', len), *body = nl ? nl + 1 : text + len;
	const char *coding = arena_strndup(a, text, nl ? (size_t)(nl - text) : len);
	const char *bad = NULL;
	struct err err = { 0 };
	struct buf out;
	bool plain;

	buf_init(&out);
	if (web_inflate(coding, body, len - (size_t)(body - text), UNPACKED_MOST, &plain, &out, &err))
		bad = err.kind && *err.message ? NULL : "a body refused without a reason";
	else if (plain ? out.len > 0 : out.len > UNPACKED_MOST)
		bad = "more than may be";
	buf_fini(&out);
	return bad;
}

/* ---- selectors ---- */

static bool is_within(const struct selection *small, const struct selection *big)
{
	for (size_t i = 0, k = 0; i < small->n; i++) {
		while (k < big->n && big->series[k] != small->series[i])
			k++;
		if (k == big->n)
			return false;
	}
	return true;
}

/* In id order, each once, all of them known. */
static bool is_selection(const struct selection *sel)
{
	for (size_t i = 0; i < sel->n; i++) {
		if (db_catalog_series_by_id(&catalog, sel->series[i]->id) != sel->series[i])
			return false;
		if (i && sel->series[i - 1]->id >= sel->series[i]->id)
			return false;
	}
	return true;
}

/* One value less of a name: fewer series where the name has others, else more. */
static const char *check_less(struct arena *a, const struct select_arg *args, size_t n, const struct selection *all)
{
	struct select_arg *rest = arena_array(a, struct select_arg, n);
	struct selection sel;

	for (size_t out = 0; out < n; out++) {
		bool others = false;

		for (size_t i = 0, k = 0; i < n; i++) {
			if (i == out)
				continue;
			others |= !strcmp(args[i].name, args[out].name);
			rest[k++] = args[i];
		}
		calc_select_known(&catalog, a, rest, n - 1, &sel);
		if (others ? !is_within(&sel, all) : !is_within(all, &sel))
			return others ? "another value of a name selects less" : "another name selects more";
	}
	return NULL;
}

static const char *check_selectors(struct arena *a, const struct select_arg *args, size_t n)
{
	struct selection sel, known;
	struct err err;

	calc_select_known(&catalog, a, args, n, &known);
	if (!is_selection(&known))
		return "a selection out of order";
	if (calc_select_series(&catalog, a, args, n, &sel, &err))
		return err.kind && *err.message ? NULL : "a selector refused without a reason";
	if (!is_within(&sel, &known) || !is_within(&known, &sel))
		return "a question and a rule select otherwise";
	return n <= 12 ? check_less(a, args, n, &known) : NULL;
}

static const char *check_kernel(struct arena *a, const char *arg, const char *value)
{
	const struct cat_kernel *kernel = NULL, *before;
	struct selection sel;
	struct err err;

	calc_select_known(&catalog, a, NULL, 0, &sel);
	if (calc_select_kernel(&catalog, NULL, a, arg, value, &sel, &kernel, &err))
		return err.kind && *err.message ? NULL : "a kernel refused without a reason";
	if (!kernel || db_catalog_kernel(&catalog, kernel->id) != kernel)
		return "a kernel that is none";
	if (!calc_select_previous(&catalog, NULL, a, arg, &sel, kernel, &before, &err) && strcmp(before->track, kernel->track))
		return "the kernel before is of another track";
	return NULL;
}

/* '*' is any text, by what is left to match of each at each place: slow and plain. */
static bool plain_glob(const char *pattern, const char *text)
{
	size_t n = strlen(text);
	bool now[64] = { true }, next[64];

	for (; *pattern; pattern++) {
		memset(next, 0, sizeof(next));
		for (size_t i = 0; i <= n; i++) {
			if (*pattern == '*')
				next[i] = now[i] || (i && next[i - 1]);
			else
				next[i] = i && now[i - 1] && text[i - 1] == *pattern;
		}
		memcpy(now, next, sizeof(now));
	}
	return now[n];
}

/* A selector of a rule as JSON, or lines "NAME=VALUE": selectors, kernels (base, head), or globs against a text. */
static const char *target_selector(struct arena *a, const char *text, size_t len)
{
	static struct arena *made;	/* its texts are the catalogue's */
	char *lines[LINES_MAX], *copy = arena_strndup(a, text, len);
	struct select_arg args[LINES_MAX];
	struct calc_selector kept;
	const char *bad = NULL;
	struct err err;
	size_t n, n_args = 0;

	if (!made && !make_catalog(made = arena_new()))
		return "a catalogue of kernels that are none";
	if (*copy == '{') {
		if (calc_selector_resolve(&kept, copy, &catalog, a, &err))
			return err.kind && *err.message ? NULL : "a kept selector refused without a reason";
		return kept.everything || is_selection(&kept.sel) ? NULL : "a kept selection out of order";
	}
	n = lines_of(copy, lines);
	for (size_t i = 0; i < n && !bad; i++) {
		char *value = strchr(lines[i], '=');

		if (!value)
			continue;
		*value++ = 0;
		if (strlen(value) < 64 && calc_select_glob(lines[i], value) != plain_glob(lines[i], value))
			bad = "a glob that is none";
		else if (calc_select_is_selector(lines[i]))
			args[n_args++] = (struct select_arg){ lines[i], value };
		else
			bad = check_kernel(a, lines[i], value);
	}
	bad = bad ? bad : check_selectors(a, args, n_args);
	return bad ? bad : catalog.locked ? "the catalogue stays locked" : NULL;
}

static const struct {
	const char *name;
	const char *(*run)(struct arena *a, const char *text, size_t len);
} targets[] = { { "query", target_query }, { "selector", target_selector }, { "inflate", target_inflate } };

/* NULL, or what is wrong. A name that is no target is wrong, too. */
static const char *target_run(const char *name, const char *text, size_t len)
{
	const char *bad = "no such target";
	struct arena *a = arena_new();

	for (size_t i = 0; i < N(targets); i++)
		if (!strcmp(targets[i].name, name))
			bad = targets[i].run(a, text, len);
	arena_free(a);
	return bad;
}

#endif
