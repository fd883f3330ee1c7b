/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Request lines and negotiation headers as text. */
#include "../../server/web_args.h"

#include "tap.h"

static struct arena *a;

static int handler(struct req *rq, struct err *err)
{
	(void)rq;
	(void)err;
	return 0;
}

#define TABLES (REP_JSON | REP_CSV | REP_TEXT)
static const struct route table[] = {
	{ .method = "POST", .pattern = "/api/v1/runs", .handler = handler, .reps = REP_JSON, .args = "format label.*" },
	{ .method = "GET", .pattern = "/api/v1/runs", .handler = handler, .reps = TABLES, .args = "limit cursor" },
	{ .method = "GET", .pattern = "/api/v1/runs/{id}", .handler = handler, .reps = TABLES },
	{ .method = "GET", .pattern = "/api/v1/runs/{id}/raw", .handler = handler, .reps = REP_OTHER },
	{ .method = "GET", .pattern = "/api/v1/kernels:parse", .handler = handler, .reps = REP_JSON },
	{ .method = "GET", .pattern = "/sweep", .handler = handler, .reps = REP_HTML, .args = "*" },
	{ .method = "GET", .pattern = "/static/{path}", .handler = handler, .reps = REP_OTHER },
	{ .method = "GET", .pattern = "/", .handler = handler, .reps = REP_HTML },
	{ .method = "GET", .pattern = "/api/v1/deliveries/{id}", .handler = handler, .reps = REP_JSON },
	{ .method = "POST", .pattern = "/api/v1/deliveries/{id}:send-again", .handler = handler, .reps = REP_JSON },
	{ .method = NULL },
};

static int split(const char *uri, struct req *rq)
{
	struct web_path path;
	struct err err = { 0 };

	*rq = (struct req){ .arena = a };
	return web_args_split(a, uri, &path, rq, &err);
}

/* Method and URI to "PATTERN|id|ext" or the error's code and Allow. */
static const char *route(const char *method, const char *uri)
{
	struct req rq = { .arena = a };
	struct web_path path;
	struct err err = { 0 };
	const char *allow = NULL;
	enum rep ext = 0;
	const struct route *r;

	if (web_args_split(a, uri, &path, &rq, &err))
		return err_code(err.kind);
	r = web_args_route(a, table, method, &path, &rq, &ext, &allow, &err);
	if (!r)
		return err.kind == ERR_METHOD ? arena_printf(a, "%s %s", err_code(err.kind), allow) : err_code(err.kind);
	return arena_printf(a, "%s|%s|%d", r->pattern, rq.id ? rq.id : "-", (int)ext);
}

static void test_split(void)
{
	struct req rq;

	ok(!split("/a?x=1&y=a%20b+c&z&=v&x=2&", &rq) && rq.n_args == 5, "five arguments");
	is_str(web_arg(&rq, "x"), "1", "the first of two");
	is_str(web_arg(&rq, "y"), "a b c", "percent and plus are decoded");
	is_str(web_arg(&rq, "z"), "", "an argument without a value is there");
	is_str(web_arg(&rq, "w"), NULL, "one that is not there is not");
	is_str(rq.query, "x=1&y=a%20b+c&z&=v&x=2&", "the raw query");
	ok(!split("http://host:80/a/b?c=d", &rq), "absolute form");
	is_str(rq.path, "/a/b", "... its path");
	ok(!split("https://host", &rq) && !strcmp(rq.path, "/"), "... without a path");
	ok(!split("/+x", &rq), "a plus in a path");
	ok(split("/a%", &rq) && split("/a%1", &rq) && split("/a%zz", &rq) && split("/a?b=%4", &rq), "bad percent-encoding");
	ok(split("/a%00", &rq) && split("/?a=%00", &rq) && split("/?%00=a", &rq), "NUL");
	ok(split("/?a=%ff", &rq) && split("/?a=%c0%af", &rq) && split("/?a=%ed%a0%80", &rq) &&
	   split("/?a=%f4%90%80%80", &rq) && split("/?a=%e2%82", &rq), "what is no UTF-8");
	ok(!split("/?a=%e2%82%ac%f0%9f%90%a7", &rq), "what is");
	ok(split("*", &rq), "no path");
}

static void test_routes(void)
{
	is_str(route("GET", "/api/v1/runs"), "/api/v1/runs|-|0", "a list");
	is_str(route("HEAD", "/api/v1/runs.csv"), "/api/v1/runs|-|2", "its extension");
	is_str(route("GET", "/api/v1/runs/17.txt"), "/api/v1/runs/{id}|17|4", "an id with an extension");
	is_str(route("GET", "/api/v1/runs/a%2Fb"), "/api/v1/runs/{id}|a/b|0", "a slash in an id stays in it");
	is_str(route("GET", "/api/v1/runs/6.17"), "/api/v1/runs/{id}|6.17|0", "a dot that is no extension");
	is_str(route("GET", "/api/v1/runs/x.svg"), "not_acceptable", "an extension it lacks");
	is_str(route("GET", "/api/v1/runs/x/raw"), "/api/v1/runs/{id}/raw|x|0", "behind an id");
	is_str(route("GET", "/api/v1/runs/"), "not_found", "an empty id");
	is_str(route("GET", "/api/v1/runs/x/y"), "not_found", "too deep");
	is_str(route("GET", "/api/v1"), "not_found", "not deep enough");
	is_str(route("PUT", "/api/v1/runs"), "method_not_allowed POST, GET, HEAD", "another method");
	is_str(route("POST", "/api/v1/runs/x"), "method_not_allowed GET, HEAD", "another method on an id");
	is_str(route("get", "/sweep"), "method_not_allowed GET, HEAD", "methods are upper case");
	is_str(route("GET", "/static/a/b/c.svg"), "/static/{path}|a/b/c.svg|0", "the rest of a path");
	is_str(route("GET", "/static/"), "/static/{path}||0", "an empty rest");
	is_str(route("GET", "/"), "/|-|0", "the root");
	is_str(route("GET", "/sweep/"), "not_found", "a slash at the end is another path");
	is_str(route("GET", "/api/v1/kernels:parse"), "/api/v1/kernels:parse|-|0", "a colon");
	is_str(route("POST", "/api/v1/deliveries/17:send-again"), "/api/v1/deliveries/{id}:send-again|17|0", "a verb behind an id");
	is_str(route("POST", "/api/v1/deliveries/:send-again"), "method_not_allowed GET, HEAD", "not without the id");
	is_str(route("POST", "/api/v1/deliveries/17:send"), "method_not_allowed GET, HEAD", "nor another verb");
	is_str(route("GET", "/api/v1/deliveries/17"), "/api/v1/deliveries/{id}|17|0", "the id alone");
}

static const char *check(const char *uri, const struct route *r)
{
	struct err err = { 0 };
	struct req rq;

	if (split(uri, &rq))
		return "split";
	return web_args_check(r, &rq, &err) ? arena_strdup(a, err.message) : NULL;
}

static void test_check(void)
{
	is_str(check("/?format=x&label.a=b&label.c=d", &table[0]), NULL, "known ones and a family");
	ok(strstr(check("/?label.=b", &table[0]), "label.") != NULL, "a family's empty member is none");
	ok(strstr(check("/?formt=x", &table[0]), "did you mean format?") != NULL, "the nearest is named");
	ok(strstr(check("/?zzzzzzz=x", &table[0]), "taken here: format label.*") != NULL, "or all of them");
	ok(strstr(check("/?x=1", &table[2]), "none is taken") != NULL, "where none is taken");
	is_str(check("/?anything=1", &table[5]), NULL, "where any is");
	is_str(check("/?anything=1&anything=2&base=3&base=4", &table[5]), NULL, "and may be repeated");
}

static void test_repeated(void)
{
	const struct route get = { .method = "GET", .args = "base head kernel machine" };
	const struct route post = { .method = "POST", .args = "machine label.*" };

	is_str(check("/?kernel=a&kernel=b&machine=c&machine=d&base=e&head=f", &get), NULL, "selectors are many");
	ok(strstr(check("/?base=a&head=b&base=c", &get), "base: given twice") != NULL, "one base");
	ok(strstr(check("/?base=a&base=a", &get), "base: given twice") != NULL, "the same one again, too");
	ok(strstr(check("/?machine=a&label.x=1&machine=b", &post), "machine: given twice") != NULL, "one machine a file");
	is_str(check("/?label.a=1&label.b=2", &post), NULL, "labels differ by name");
	ok(strstr(check("/?label.a=1&label.a=2", &post), "label.a: given twice") != NULL, "and each is one");
}

static int rep(const char *accept, unsigned reps, enum rep ext)
{
	struct route r = { .reps = reps };
	struct err err = { 0 };
	enum rep got;

	return web_args_rep(&r, ext, accept, &got, &err) ? -1 : (int)got;
}

static void test_accept(void)
{
	ok(rep(NULL, TABLES, 0) == REP_JSON && rep("", TABLES, 0) == REP_JSON, "without Accept: JSON");
	ok(rep("text/csv", TABLES, 0) == REP_CSV, "one type");
	ok(rep("text/csv;q=0.5,text/plain;q=0.6", TABLES, 0) == REP_TEXT, "weights");
	ok(rep("text/*;q=0.9, text/csv;q=0.1, */*;q=0.2", TABLES, 0) == REP_TEXT, "the most exact range counts");
	ok(rep("TEXT/CSV ; q=1.000", TABLES, 0) == REP_CSV, "case and blanks");
	ok(rep("text/csv;header=present;q=0, */*;q=0.1", TABLES, 0) == REP_JSON, "a weight behind another parameter");
	ok(rep("image/png", TABLES, 0) == -1 && rep("*/*;q=0", TABLES, 0) == -1, "none");
	ok(rep("image/png", TABLES, REP_CSV) == REP_CSV, "the extension wins");
	ok(rep("text/csv", REP_OTHER, 0) == REP_OTHER, "a resource with one form of its own");
	ok(rep(",,;q=,text", TABLES, 0) == -1, "nonsense");
}

static void test_gzip(void)
{
	ok(web_args_takes_gzip("gzip") && web_args_takes_gzip("br, GZIP;q=0.1") && web_args_takes_gzip("*"), "wanted");
	ok(!web_args_takes_gzip(NULL) && !web_args_takes_gzip("") && !web_args_takes_gzip("br"), "not said");
	ok(!web_args_takes_gzip("gzip;q=0") && !web_args_takes_gzip("gzip; q=0.000, *") && !web_args_takes_gzip("*;q=0"), "refused");
	ok(!web_args_takes_gzip("gzipx") && !web_args_takes_gzip("gzip;q=oops"), "nonsense");
}

static void test_etags(void)
{
	ok(web_args_etag_matches("\"a\"", "\"a\"") && web_args_etag_matches("\"b\", \"a\"", "\"a\""), "one of a list");
	ok(web_args_etag_matches("W/\"a\"", "\"a\"") && web_args_etag_matches("\"a\"", "W/\"a\""), "weakly");
	ok(web_args_etag_matches("*", "\"a\""), "any");
	ok(!web_args_etag_matches("\"ab\"", "\"a\"") && !web_args_etag_matches("\"a", "\"a\"") &&
	   !web_args_etag_matches("a", "\"a\"") && !web_args_etag_matches("", "\"a\"") &&
	   !web_args_etag_matches("\"x\\\"a\"", "\"a\""), "none of them");
	ok(web_args_etag_matches("\"b,c\" , \"a\"", "\"a\""), "a comma in a tag");
}

static void test_canonical(void)
{
	struct buf x, y;
	struct req rq;

	buf_init(&x);
	buf_init(&y);
	split("/?b=1&a=2&b=0", &rq);
	web_args_canonical(&rq, &x);
	split("/?b=1&b=0&a=2", &rq);
	web_args_canonical(&rq, &y);
	ok(x.len == y.len && !memcmp(x.p, y.p, x.len), "names in any order are one question");
	buf_clear(&y);
	split("/?b=0&b=1&a=2", &rq);
	web_args_canonical(&rq, &y);
	ok(x.len != y.len || memcmp(x.p, y.p, x.len), "the values of one name in another order are not");
	buf_fini(&x);
	buf_fini(&y);
}

static void test_numbers(void)
{
	struct err err = { 0 };
	struct req rq;
	int v = 0;

	split("/?a=7&b=x&c=99&d=", &rq);
	ok(!web_arg_int(&rq, "a", 1, 10, 3, &v, &err) && v == 7, "a number");
	ok(!web_arg_int(&rq, "z", 1, 10, 3, &v, &err) && v == 3, "its default");
	ok(web_arg_int(&rq, "b", 1, 10, 3, &v, &err) && web_arg_int(&rq, "c", 1, 10, 3, &v, &err) &&
	   web_arg_int(&rq, "d", 1, 10, 3, &v, &err), "none, too large, empty");
}

int main(void)
{
	a = arena_new();
	test_split();
	test_routes();
	test_check();
	test_repeated();
	test_accept();
	test_gzip();
	test_etags();
	test_canonical();
	test_numbers();
	arena_free(a);
	return done();
}
