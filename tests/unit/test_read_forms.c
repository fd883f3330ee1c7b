/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Streams of submissions and forms with files: ndjson, multipart/form-data to the letter, and damaged ones. */
#include "mutate.h"
#include "read_file.h"
#include "tap.h"

#include "../../ingest/read_form.h"
#include "../../lib/buf.h"

static struct arena *a;
static struct read_result res;
static struct read_form form;
static struct err err;

/* A body in memory of exactly its length; the arena keeps it, for what borrows from it. */
static const char *exact(const char *text, size_t len)
{
	char *p = malloc(len ? len : 1);

	memcpy(p, text, len);
	return p;
}

static int take_form(const char *type, const char *text)
{
	const char *p = exact(text, strlen(text));
	int ret;

	err = (struct err){ 0 };
	ret = read_form(a, p, strlen(text), type, &form, &err);
	for (size_t i = 0; i < form.n; i++)
		form.parts[i].body = arena_strndup(a, form.parts[i].body, form.parts[i].len);
	free((void *)(size_t)p);
	return ret;
}

#define B "multipart/form-data; boundary=XX"
#define PART(name, body) "--XX\r\nContent-Disposition: form-data; name=\"" name "\"\r\n\r\n" body "\r\n"

static void test_form(void)
{
	ok(!take_form(B, "preamble\r\n" PART("a", "1\r\n2") "--XX  \r\ncontent-type: text/csv\r\nContent-Disposition: form-data; filename=\"C:\\\\d\\e \\\"q\\\".csv\"; name=b\r\n"
		      "\r\n\r\n--XX--\r\nepilogue --XX\r\n") && form.n == 2, "two parts between preamble and epilogue: %s", err.message);
	ok(form.n == 2 && form.parts[0].len == 4 && !memcmp(form.parts[0].body, "1\r\n2", 4) && !form.parts[0].filename && !form.parts[0].type,
	   "the CRLF before a delimiter is its own, those inside are the part's");
	ok(form.n == 2 && form.parts[1].len == 0 && !strcmp(form.parts[1].name, "b"), "an empty part, its name without quotes");
	is_str(form.n == 2 ? form.parts[1].filename : "", "C:\\d\\e \"q\".csv", "a quoted file name; a lone backslash stays");
	is_str(form.n == 2 ? form.parts[1].type : "", "text/csv", "header names in any case");
	ok(!take_form("Multipart/Form-Data ; charset=utf-8; BOUNDARY=\"a b'(c)+_,-./:=?\"", "--a b'(c)+_,-./:=?\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\n"
		      "x\r\n--a b'(c)+_,-./:=?--") && form.n == 1, "a quoted boundary; no line end behind the last: %s", err.message);
	ok(!take_form(B, PART("a", "--XX\n--XXY\r\n--XXY\r\n--XX-\r\n --XX") "--XX--\r\n") && form.n == 1 && form.parts[0].len == 31,
	   "what only begins like a delimiter, or stands behind a bare LF, is text: %zu bytes", form.n ? form.parts[0].len : 0);
	ok(!take_form(B, "--XX--\r\n") && form.n == 0, "no part at all");
	ok(!take_form(B, "--XXY\r\n" PART("a", "1") "--XX--") && form.n == 1, "a preamble that begins like the delimiter");
}

static void test_bad_forms(void)
{
	static const struct {
		const char *type, *body, *why;
	} bad[] = {
		{ "multipart/form-data", "", "no boundary" },
		{ "multipart/form-data; charset=utf-8", "", "no boundary" },
		{ "multipart/form-data; boundary=", "", "boundary is 1 to 70" },
		{ "multipart/form-data; boundary=\"\"", "", "boundary is 1 to 70" },
		{ "multipart/form-data; boundary=\"a\\\"b\"", "", "boundary is 1 to 70" },
		{ "multipart/form-data; boundary=\"ends with blank \"", "", "boundary is 1 to 70" },
		{ "multipart/form-data; boundary=0123456789012345678901234567890123456789012345678901234567890123456789x", "", "boundary is 1 to 70" },
		{ "multipart/form-data; boundary=\"open", "", "cannot be read" },
		{ "multipart/form-data; boundary", "", "cannot be read" },
		{ "multipart/form-data boundary=XX", "", "cannot be read" },
		{ "multipart/form-data; boundary=a; boundary=b", "", "two boundaries" },
		{ "multipart/mixed; boundary=XX", "", "only multipart/form-data" },
		{ B, "", "nowhere in the body" },
		{ B, "--XX\nContent-Disposition: form-data; name=a\n\nx\n--XX--\n", "nowhere in the body" },
		{ B, "--YY\r\n\r\n--YY--", "nowhere in the body" },
		{ B, "x--XX\r\n", "nowhere in the body" },
		{ B, PART("a", "1"), "it was cut" },
		{ B, PART("a", "1") "--XX\r\n", "it was cut" },
		{ B, PART("a", "1") "--XX-", "it was cut" },
		{ B, "--XX\r\n\r\nx\r\n--XX--", "no Content-Disposition" },
		{ B, "--XX\r\nContent-Disposition: form-data; filename=x\r\n\r\nx\r\n--XX--", "no Content-Disposition" },
		{ B, "--XX\r\nContent-Disposition: attachment; name=x\r\n\r\nx\r\n--XX--", "not form-data" },
		{ B, "--XX\r\nContent-Disposition: form-data; name=\"x\r\n\r\nx\r\n--XX--", "cannot be read" },
		{ B, "--XX\r\nContent-Disposition: form-data; name=x\r\nContent-Disposition: form-data; name=y\r\n\r\nx\r\n--XX--", "two headers" },
		{ B, "--XX\r\nContent-Disposition: form-data;\r\n name=x\r\n\r\nx\r\n--XX--", "folded" },
		{ B, "--XX\r\nContent-Disposition: form-data; name=x\nfoo: bar\r\n\r\nx\r\n--XX--", "bare LF" },
		{ B, "--XX\r\nContent-Disposition: form-data; name=x\r\nfoo\r\n\r\nx\r\n--XX--", "NAME: VALUE" },
		{ B, "--XX\r\nContent-Disposition: form-data; name=x\r\n--XX--", "without a blank line" },
		{ B, "--XX\r\nContent-Disposition: form-data; name=\"x\xff\"\r\n\r\nx\r\n--XX--", "no text in UTF-8" },
		{ B, "--XX\r\nContent-Disposition: form-data; name=\"x\x01\"\r\n\r\nx\r\n--XX--", "control character" },
		{ B, "--XX\r\nContent-Disposition: form-data; name=x\r\nContent-Transfer-Encoding: base64\r\n\r\nx\r\n--XX--", "base64 is not taken" },
	};
	struct buf b;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(take_form(bad[i].type, bad[i].body) && strstr(err.message, bad[i].why) &&
		   (err.kind == ERR_BAD_ARGUMENT || err.kind == ERR_TYPE), "%zu: %s", i, err.message);
	buf_init(&b);
	for (int i = 0; i <= READ_FORM_PARTS_MAX; i++)
		buf_puts(&b, PART("a", "1"));
	buf_puts(&b, "--XX--");
	ok(take_form(B, b.p) && err.kind == ERR_TOO_LARGE, "%s", err.message);
	buf_clear(&b);
	buf_puts(&b, "--XX\r\nContent-Disposition: form-data; name=x\r\nX: ");
	for (int i = 0; i < READ_FORM_HEAD_MAX; i++)
		buf_putc(&b, 'x');
	buf_puts(&b, "\r\n\r\nx\r\n--XX--");
	ok(take_form(B, b.p) && err.kind == ERR_TOO_LARGE, "%s", err.message);
	buf_fini(&b);
}

/* Almost-delimiters without end: the time grows with the length, no faster. */
static void test_no_quadratic_scan(void)
{
	struct buf b;

	buf_init(&b);
	buf_puts(&b, "--XX\r\nContent-Disposition: form-data; name=x\r\n\r\n");
	while (b.len < 8 << 20)
		buf_puts(&b, "\r\n--X\r\n--XX \t\r\r\n--XXX");
	ok(take_form(B, b.p) && strstr(err.message, "cut"), "8 MiB of almost-delimiters: %s", err.message);
	buf_clear(&b);
	buf_puts(&b, "--XX\r\nContent-Disposition: form-data; name=x\r\n\r\n\r\n--XX");
	while (b.len < 8 << 20)
		buf_putc(&b, ' ');
	ok(take_form(B, b.p) && strstr(err.message, "cut"), "8 MiB of blanks behind one");
	buf_fini(&b);
}

/* ---- forms with a context and files */

#define CONTEXT "{\"schema\":\"nsecwatch.submission/1\",\"machine\":{\"name\":\"m1\",\"isa\":\"x86_64\"},\"kernel\":\"v6.16\",\"boot_id\":\"b\"," \
		"\"config\":{\"thp\":\"always\",\"base_page_kib\":4},\"environment\":{\"smt\":\"on\"},\"started_at\":\"2026-02-13T15:08:00Z\",\"labels\":{\"k\":\"v\"}}"
#define FILE_PART(file, body) "--XX\r\nContent-Disposition: form-data; name=\"result\"; filename=\"" file "\"\r\n\r\n" body "\r\n"
#define END "--XX--\r\n"
#define SUMMARY "size_kib,runtime_sec,nsec_per_call\n4,1,2674.5\n400,1,8560\n"
#define CSV "benchmark,metric,unit,better,value\nb,t,us,lower,2\nc,t,us,lower,0\n"

static int take(const char *text, struct read_context ctx)
{
	const char *p = exact(text, strlen(text));
	int ret;

	ctx.now = NOW;
	err = (struct err){ 0 };
	res = (struct read_result){ .n = 0 };
	ret = read_multipart(a, p, strlen(text), B, &ctx, &res, &err);
	for (size_t i = 0; i < res.n; i++)
		res.items[i].raw = arena_strndup(a, res.items[i].raw, res.items[i].raw_len);
	free((void *)(size_t)p);
	return ret;
}

static struct submission *item(size_t i)
{
	return i < res.n ? res.items[i].sub : NULL;
}

static const char *problem(size_t i, size_t k)
{
	const struct problems *p = i < res.n && !item(i) ? res.items[i].err.problems : NULL;

	return p && k < p->n ? p->list[k].at : "";
}

static void test_files(void)
{
	static const char two[] = PART("context", CONTEXT) FILE_PART("summary.csv", SUMMARY) FILE_PART("mine.csv", CSV) PART("comment", "hello") END;
	struct submission *s, *t;

	ok(!take(two, (struct read_context){ .now = 0 }) && res.n == 1 && !res.many && item(0), "context and files are one submission: %s", err.message);
	s = item(0);
	if (!s)
		return;
	ok(s->n_results == 3 && !strcmp(s->machine, "m1") && !strcmp(s->kernel.name, "6.16") && !strcmp(s->boot_id, "b") && !strcmp(s->thp, "always"),
	   "with the results of all files, and the context's head");
	is_str(s->environment, "{\"smt\":\"on\"}", "its environment");
	is_str(s->labels, "{\"k\":\"v\"}", "its labels");
	is_str(s->format, "multipart", "files of two formats");
	ok(s->n_not_imported == 1 && !strcmp(s->not_imported[0].at, "mine.csv: line 3"), "what is not imported names its file");
	ok(s->warnings->n == 1 && !strcmp(s->warnings->list[0].at, "part 4"), "a part nobody knows is a warning, and there is no other: %s %s",
	   s->warnings->n ? s->warnings->list[0].at : "", s->warnings->n ? s->warnings->list[0].message : "");
	ok(res.items[0].raw_len == strlen(two) && !strcmp(res.items[0].raw, two), "the body is kept as it came");
	take("x\r\n" PART("context", " " CONTEXT "\n") FILE_PART("summary.csv", SUMMARY) FILE_PART("mine.csv", CSV) END, (struct read_context){ .now = 0 });
	t = item(0);
	ok(t && uuid_equal(&s->run_id, &t->run_id), "another spelling of the context is the same run");
	take(PART("context", CONTEXT) FILE_PART("summary.csv", SUMMARY) FILE_PART("mine2.csv", CSV) END, (struct read_context){ .now = 0 });
	t = item(0);
	ok(t && !uuid_equal(&s->run_id, &t->run_id), "a file with another name is another one");
	take(PART("context", "{\"finished_at\":\"2026-02-13T15:09:00Z\"," "\"machine\":{\"name\":\"m1\"},\"kernel\":\"6.16\"}") FILE_PART("a.csv", CSV) END,
	     (struct read_context){ .now = 0 });
	s = item(0);
	take(PART("context", "{\"finished_at\":\"2026-02-13T15:09:01Z\"," "\"machine\":{\"name\":\"m1\"},\"kernel\":\"6.16\"}") FILE_PART("a.csv", CSV) END,
	     (struct read_context){ .now = 0 });
	t = item(0);
	ok(s && t && !uuid_equal(&s->run_id, &t->run_id), "another context, too");
	take(PART("context", CONTEXT) FILE_PART("", CSV) END, (struct read_context){ .format = "csv", .benchmark = "lab" });
	s = item(0);
	ok(s && !strcmp(s->format, "csv") && !strcmp(s->results[0].benchmark, "lab/b") && !strcmp(s->not_imported[0].at, "part 2: line 3"),
	   "format= and benchmark= are for all files; one without a name has its number");
	take(PART("context", CONTEXT) FILE_PART("a", SUMMARY) FILE_PART("b", SUMMARY) END, (struct read_context){ .now = 0 });
	s = item(0);
	ok(s && s->n_results == 2 && s->n_not_imported == 2 && !strcmp(s->not_imported[0].at, "b"), "a series that stands in two files is stored once, and told");
}

#define TABLE "v6.16\nsize_kib | nsec_per_call\n4 | 1713\n"
#define TABLE2 "v6.17-rc1\nsize_kib | nsec_per_call\n4 | 1750\n"

static void test_other_kernels(void)
{
	take(PART("context", CONTEXT) FILE_PART("x.csv", CSV) FILE_PART("t.txt", TABLE TABLE2) END, (struct read_context){ .now = 0 });
	ok(res.many && res.n == 2 && item(0) && item(1) && item(0)->n_results == 2 && !strcmp(item(1)->kernel.name, "6.17-rc1"),
	   "a file of another kernel, too, adds a submission of its own: %zu", res.n);
	ok(item(1) && !strcmp(item(1)->machine, "m1") && !strcmp(item(1)->thp, "always") && !strcmp(item(1)->labels, "{\"k\":\"v\"}") &&
	   !strcmp(item(1)->environment, "{\"smt\":\"on\"}") && !strcmp(res.items[1].raw, TABLE TABLE2) && !strcmp(res.items[1].raw_type, "text/plain") &&
	   res.items[1].index == 1, "with the context for what the file does not say, and its own bytes");
	take(PART("context", CONTEXT) FILE_PART("t.txt", TABLE2 TABLE2) END, (struct read_context){ .now = 0 });
	ok(res.n == 2 && item(0) && !strcmp(item(0)->kernel.name, "6.17-rc1"), "files of other kernels only leave none for the context's");
	take(PART("context", "{\"run_id\":\"00000000-0000-4000-8000-000000000000\"," "\"machine\":{\"name\":\"m1\"},\"kernel\":\"v6.16\"}")
	     FILE_PART("t.txt", TABLE2 TABLE2) END, (struct read_context){ .now = 0 });
	ok(res.n == 3 && !item(0) && !strcmp(problem(0, 0), "/run_id"), "their ids are not the context's");
}

static void test_bad_files(void)
{
	take(PART("context", CONTEXT) FILE_PART("x.csv", CSV) FILE_PART("y.json", "{\"benchmarks\":[{\"real_time\":]}") FILE_PART("z", "hello") END,
	     (struct read_context){ .now = 0 });
	ok(res.n == 1 && !item(0) && res.items[0].err.kind == ERR_INVALID && !strcmp(problem(0, 0), "y.json: line 1") && !strcmp(problem(0, 1), "z"),
	   "a file that cannot be read spoils the submission, and all are named: %s", res.n ? res.items[0].err.message : err.message);
	take(PART("context", CONTEXT) FILE_PART("x.csv", "benchmark,metric,unit,better,value\nc,t,us,lower,0\n") END, (struct read_context){ .now = 0 });
	ok(res.n == 1 && !item(0) && !strcmp(problem(0, 0), "x.csv: line 2"), "a file without a good result, with its line");
	take(PART("context", "{\"machine\":{},\"kernel\":5,\"results\":[1]}") FILE_PART("x.csv", CSV) END, (struct read_context){ .now = 0 });
	ok(res.n == 1 && !item(0) && res.items[0].err.kind == ERR_INVALID && res.items[0].err.problems->total == 3,
	   "a wrong context is said with pointers: %s", res.n ? res.items[0].err.message : "");
	take(PART("context", CONTEXT) FILE_PART("x.json", CONTEXT) END, (struct read_context){ .now = 0 });
	ok(res.n == 1 && !item(0) && strstr(res.items[0].err.message, "by itself"), "a submission is no file: %s", res.n ? res.items[0].err.message : "");
	ok(take(PART("context", CONTEXT) END, (struct read_context){ .now = 0 }) && err.kind == ERR_INVALID && strstr(err.message, "named result"), "no file");
	ok(take(FILE_PART("x.csv", CSV) END, (struct read_context){ .now = 0 }) && err.kind == ERR_BAD_ARGUMENT && strstr(err.message, "named context"), "no context");
	ok(take(PART("context", CONTEXT) PART("context", CONTEXT) FILE_PART("x.csv", CSV) END, (struct read_context){ .now = 0 }) &&
	   strstr(err.message, "two parts"), "two contexts");
	ok(take(PART("context", "{") FILE_PART("x.csv", CSV) END, (struct read_context){ .now = 0 }) && err.kind == ERR_BAD_JSON &&
	   !strncmp(err.message, "context: line 1", 15), "a context that is no JSON: %s", err.message);
	ok(take(PART("context", "[]") FILE_PART("x.csv", CSV) END, (struct read_context){ .now = 0 }) && err.kind == ERR_INVALID, "%s", err.message);
	ok(take(PART("context", CONTEXT) FILE_PART("x.csv", CSV) END, (struct read_context){ .machine = "m" }) && err.kind == ERR_BAD_ARGUMENT &&
	   !strncmp(err.message, "machine=", 8), "the context says the machine, no argument does");
	ok(take(PART("context", CONTEXT) FILE_PART("x.csv", CSV) END, (struct read_context){ .format = "nonsense" }) && err.kind == ERR_BAD_ARGUMENT,
	   "a format nobody knows is the request's fault");
}

/* ---- streams */

#define LINE(name) "{\"machine\":{\"name\":\"" name "\"},\"kernel\":\"6.16\",\"results\":[{\"benchmark\":\"b\",\"metric\":\"t\",\"unit\":\"ns\",\"better\":\"lower\",\"values\":[1]}]}"

static int stream(const char *text)
{
	const char *p = exact(text, strlen(text));
	struct read_context ctx = { .now = NOW };
	int ret;

	err = (struct err){ 0 };
	ret = read_ndjson(a, p, strlen(text), &ctx, &res, &err);
	for (size_t i = 0; !ret && i < res.n; i++)
		res.items[i].raw = arena_strndup(a, res.items[i].raw, res.items[i].raw_len);
	free((void *)(size_t)p);
	return ret;
}

static void test_stream(void)
{
	struct read_context ctx = { .kernel = "6.16" };
	struct buf b;

	ok(!stream(LINE("a") "\r\n\n{\"x\":\n \t\n" LINE("b") "\n[1]\n" LINE("c")) && res.many && res.n == 5, "five lines that are not blank: %zu", res.n);
	ok(res.n == 5 && item(0) && !item(1) && item(2) && !item(3) && item(4), "each is good or bad by itself");
	ok(res.n == 5 && res.items[0].index == 0 && res.items[1].index == 2 && res.items[2].index == 4 && res.items[3].index == 5 && res.items[4].index == 6,
	   "its index is its line - 1; blank lines are counted");
	ok(res.n == 5 && res.items[1].err.kind == ERR_INVALID && strstr(res.items[1].err.message, "line 3"), "%s", res.n == 5 ? res.items[1].err.message : "");
	is_str(res.n == 5 ? res.items[2].raw : "", LINE("b"), "each keeps its own line");
	ok(!stream(LINE("a")) && res.many && res.n == 1 && item(0), "one line without its end is a stream of one");
	ok(!stream("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n" LINE("a") "\n") && !item(0) && item(1) &&
	   strstr(res.items[0].err.message, "line 1: nested"), "a line too deep spoils itself: %s", res.n ? res.items[0].err.message : err.message);
	ok(stream("") && err.kind == ERR_BAD_JSON, "an empty stream: %s", err.message);
	ok(stream("\n \r\n") && err.kind == ERR_BAD_JSON, "blank lines only");
	ok(read_ndjson(a, "{}", 2, &ctx, &res, &err) && err.kind == ERR_BAD_ARGUMENT, "kernel= is not for streams: %s", err.message);
	buf_init(&b);
	for (int i = 0; i <= READ_ITEMS_MAX; i++)
		buf_puts(&b, "1\n");
	ok(stream(b.p) && err.kind == ERR_TOO_LARGE, "%s", err.message);
	b.p[b.len - 1] = '2';
	buf_clear(&b);
	buf_puts(&b, "[1");
	for (int i = 0; i < READ_ITEMS_MAX; i++)
		buf_puts(&b, ",1");
	buf_puts(&b, "]");
	ctx.kernel = NULL;
	ok(read_text(a, b.p, b.len, ctx, &res, &err) && err.kind == ERR_TOO_LARGE, "as many in an array: %s", err.message);
	buf_fini(&b);
}

static void test_mutations(void)
{
	static const char whole[] = "pre\r\n" PART("context", CONTEXT) FILE_PART("summary.csv", SUMMARY) FILE_PART("t.txt", TABLE TABLE2) END;
	char text[8192];
	size_t read = 0;

	for (int round = 0; round < 5000; round++) {
		struct arena *mine = arena_new(), *before = a;

		if (round % 8 == 0)
			snprintf(text, sizeof(text), "%s", whole);
		mutate(text, sizeof(text), "\r\n-X;=\":\\ ,{}[]0|");
		a = mine;
		read += !take(text, (struct read_context){ .now = 0 });
		stream(text);
		a = before;
		arena_free(mine);
	}
	ok(read > 500, "damaged forms are read or refused, never worse (%zu were read)", read);
}

int main(void)
{
	a = arena_new();
	test_form();
	test_bad_forms();
	test_no_quadratic_scan();
	test_files();
	test_other_kernels();
	test_bad_files();
	test_stream();
	test_mutations();
	arena_free(a);
	return done();
}
