/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our own format: what comes out of a good submission, and what is said of a bad one. */
#include "read_file.h"
#include "tap.h"

#include "../../ingest/jread.h"

static const char head[] = "\"machine\":{\"name\":\"m\"},\"kernel\":\"6.16\",\"boot_id\":\"b\","
			   "\"started_at\":\"2026-02-13T15:08:00Z\",\"schema\":\"nsecwatch.submission/1\"";
#define RESULT "{\"benchmark\":\"b\",\"metric\":\"t\",\"unit\":\"ns\",\"better\":\"lower\",\"values\":[1]}"

static struct arena *a;
static struct read_result res;
static struct err err;

static int take(const char *text)
{
	return read_text(a, text, strlen(text), (struct read_context){ 0 }, &res, &err);
}

/* The one submission of a text; NULL with err when it is refused. */
static struct submission *one(const char *text)
{
	if (take(text) || res.n != 1)
		return NULL;
	err = res.items[0].err;
	return res.items[0].sub;
}

static struct submission *with_results(const char *results)
{
	return one(arena_printf(a, "{%s,\"results\":%s}", head, results));
}

static void good_head(const struct submission *s)
{
	is_str(s->machine, "milan-01", "the machine's name");
	is_str(s->isa, "x86_64", "its instruction set");
	is_str(s->uarch, "epyc-milan", "its micro-architecture comes from the CPU ids");
	is_str(s->machine_facts, "{\"cpu\":{\"family\":25,\"model\":1,\"model_name\":\"AMD EPYC 7763 64-Core Processor\","
	       "\"stepping\":1,\"vendor\":\"AuthenticAMD\"},\"cpus\":128,\"memory_kib\":527801344,\"sockets\":2,"
	       "\"virtualized\":false}", "the facts are kept, sorted and compact");
	is_str(s->kernel.name, "6.17-rc1+revert-cac1db8c3aad", "a variant is named after its base");
	is_str(s->kernel.release, "6.17.0-0.rc1.17.eln150.x86_64", "and keeps the running kernel's release");
	is_str(s->kernel_variant, "{\"base\":\"6.17-rc1\",\"reverts\":[\"cac1db8c3aad\"],\"applies\":[]}",
	       "what makes it a variant is kept");
	is_str(s->thp, "always", "THP: words and raw sysfs text make a slug");
	ok(!s->thp_complete && s->base_page_kib == 4, "two files do not tell all sizes; base pages of 4 KiB");
	is_str(s->environment, "{\"governor\":\"performance\",\"microcode\":\"0xa0011d3\",\"nested\":{\"a\":null,"
	       "\"b\":[1,2.5]},\"smt\":\"on\"}", "the environment is kept whole");
	is_str(s->labels, "{\"campaign\":\"eln-nightly\"}", "labels");
	ok(s->started_at == INT64_C(1770995280000000), "a time with an offset is a point in time");
	ok(s->finished_at - s->started_at == INT64_C(1800000000), "it took half an hour");
	ok(!s->run_id_given && (s->run_id.b[6] >> 4) == 8 && (s->run_id.b[8] >> 6) == 2, "a derived run id is a UUIDv8");
	ok(s->warnings->total == 0, "nothing to warn of");
}

static void good_results(const struct submission *s)
{
	const struct result *r = s->results;

	ok(s->n_results == 4 && s->n_failed == 1, "four results, one of them failed");
	is_str(r[0].params, "{\"size_kib\":400,\"thp\":\"a\\\"b\",\"warm\":true}", "parameters are sorted, 400.0 is 400");
	is_str(r[0].unit, "ns/call", "microseconds become nanoseconds, per call stays");
	is_str(r[0].original_unit, "us/call", "the unit as given is remembered");
	ok(r[0].n == 4 && r[0].n_values == 4 && r[0].iterations == 400000, "four repetitions");
	is_num(r[0].values[2], 4500, 1e-15, "the third one in ns");
	is_num(r[0].mean, 3000, 1e-15, "mean");
	is_num(r[0].median, 3000, 1e-15, "median");
	is_num(r[0].stddev, 1290.9944487358057, 1e-14, "stddev with n - 1");
	ok(r[0].min == 1500 && r[0].max == 4500, "min and max");
	ok(!r[1].values && r[1].n == 10 && r[1].mean == 143857 && r[1].stddev == 4531 && isnan(r[1].median) &&
	   isnan(r[1].min) && isnan(r[1].max), "a summary knows what it says and nothing else");
	ok(r[1].better == BETTER_HIGHER && !r[1].original_unit, "higher is better; its unit stays");
	ok(r[2].status == RESULT_FAILED && r[2].n == 0 && isnan(r[2].mean) && !r[2].values, "a failed result has no number");
	is_str(r[2].error, "mmap: Cannot allocate memory", "but says why");
	ok(r[3].mean == -1 && r[3].better == BETTER_NEUTRAL && isfinite(r[3].stddev), "what is no time may be negative or 0");
}

static void test_good(void)
{
	size_t len = 0;
	const char *text = read_file(a, "tests/data/submission.json", &len);
	struct submission *s;

	if (!ok(text != NULL, "tests/data/submission.json is there"))
		return;
	s = one(text);
	if (!ok(s != NULL, "a full submission is read: %s", err.message))
		return;
	ok(!res.many && res.items[0].raw_len == len, "one submission, its bytes are the body's");
	good_head(s);
	good_results(s);
}

static void test_identity(void)
{
	const char *text = arena_printf(a, "{%s,\"results\":[" RESULT "]}", head);
	struct submission *s = one(text), *t;

	t = one(arena_printf(a, "{\"results\":[\n {\"values\":[1.0], \"unit\":\"ns\",\"better\":\"lower\",\"metric\":\"\\u0074\","
			     "\"benchmark\":\"b\"}],\n%s}", head));
	ok(s && t && uuid_equal(&s->run_id, &t->run_id), "order of keys, spacing, escapes and 1.0 make no other run");
	t = one(arena_printf(a, "{%s,\"results\":[%s]}", head,
			     "{\"benchmark\":\"b\",\"metric\":\"t\",\"unit\":\"ns\",\"better\":\"lower\",\"values\":[2]}"));
	ok(s && t && !uuid_equal(&s->run_id, &t->run_id), "another value does");
	t = one(arena_printf(a, "{\"run_id\":\"01234567-89AB-cdef-0123-456789abcdef\",%s,\"results\":[" RESULT "]}", head));
	ok(t && t->run_id_given && t->run_id.b[0] == 1 && t->run_id.b[15] == 0xef, "a given run id is taken");
	ok(s && t && !memcmp(s->content_sha256, t->content_sha256, 32), "the content's hash leaves the run id out");
}

static void test_defaults(void)
{
	struct submission *s = one("{\"machine\":{\"name\":\"m\"},\"kernel\":\"v6.17-rc1 with cac1db8c3aad reverted\","
				   "\"results\":[" RESULT "]}");

	if (!ok(s != NULL, "the least that is a submission: %s", err.message))
		return;
	is_str(s->kernel.name, "6.17-rc1+revert-cac1db8c3aad", "a phrase is a variant");
	ok(s->kernel_variant != NULL, "kept as one");
	is_str(s->thp, "unknown", "a THP state nobody gave is unknown");
	is_str(s->uarch, "unknown", "so is a uarch that nothing tells");
	ok(s->started_at == NOW && s->finished_at == TM_NONE && !s->boot_id, "it started when it arrived");
	is_str(s->environment, "{}", "no environment is an empty one");
	ok(s->warnings->total == 3, "missing schema, boot_id and started_at are warned of");
	s = one("{\"machine\":{\"name\":\"m\",\"uarch\":\"My-Core\"},\"kernel\":\"6.12.0-55.el10.aarch64+64k\",\"results\":[" RESULT "]}");
	ok(s && s->base_page_kib == 64 && !strcmp(s->isa, "aarch64") && !strcmp(s->uarch, "my-core"),
	   "the kernel's name tells isa and base page size");
	s = one(arena_printf(a, "{%s,\"zzz\":1,\"config\":{\"yyy\":2},\"results\":[{\"x/~\":1,\"benchmark\":\"b\",\"metric\":\"t\","
			     "\"unit\":\"ns\",\"better\":\"lower\",\"values\":[1]}]}", head));
	ok(s && s->warnings->total == 3, "unknown fields are warnings");
	is_str(s ? s->warnings->list[1].at : "", "/results/0/x~1~0", "with their place as a JSON pointer");
}

/* One thing wrong each: the place, and a word of the message. */
static const struct bad {
	const char *fields;	/* instead of the head */
	const char *results;
	const char *at, *message;
} bad[] = {
	{ "\"kernel\":\"6.16\"", "[" RESULT "]", "/machine/name", "needs a name" },
	{ "\"kernel\":\"6.16\",\"machine\":\"m\"", "[" RESULT "]", "/machine", "an object is needed, this is text" },
	{ "\"kernel\":\"6.16\",\"machine\":{\"name\":7}", "[" RESULT "]", "/machine/name", "text is needed" },
	{ "\"kernel\":\"6.16\",\"machine\":{\"name\":\"\"}", "[" RESULT "]", "/machine/name", "is empty" },
	{ "\"kernel\":\"6.16\",\"machine\":{\"name\":\"a\\nb\"}", "[" RESULT "]", "/machine/name", "control character" },
	{ "\"kernel\":\"6.16\",\"machine\":{\"name\":\"m\",\"cpus\":0}", "[" RESULT "]", "/machine/cpus", "integer from 1" },
	{ "\"kernel\":\"6.16\",\"machine\":{\"name\":\"m\",\"virtualized\":1}", "[" RESULT "]", "/machine/virtualized", "boolean" },
	{ "\"kernel\":\"6.16\",\"machine\":{\"name\":\"m\",\"uarch\":\"a b\"}", "[" RESULT "]", "/machine/uarch", "one word" },
	{ "\"kernel\":\"6.16\",\"machine\":{\"name\":\"m\",\"cpu\":{\"family\":\"25\"}}", "[" RESULT "]", "/machine/cpu/family", "number" },
	{ "\"machine\":{\"name\":\"m\"}", "[" RESULT "]", "/kernel", "is needed" },
	{ "\"machine\":{\"name\":\"m\"},\"kernel\":6.16", "[" RESULT "]", "/kernel", "a release as text, or an object" },
	{ "\"machine\":{\"name\":\"m\"},\"kernel\":\"6.17 with something odd\"", "[" RESULT "]", "/kernel", "" },
	{ "\"machine\":{\"name\":\"m\"},\"kernel\":{\"release\":\"6.16\",\"commit\":\"xyz\"}", "[" RESULT "]", "/kernel/commit", "hex" },
	{ "\"machine\":{\"name\":\"m\"},\"kernel\":{\"release\":\"6.16\",\"variant\":{}}", "[" RESULT "]", "/kernel/variant", "reverts or applies" },
	{ "\"machine\":{\"name\":\"m\"},\"kernel\":{\"release\":\"6.16\",\"variant\":{\"reverts\":[\"xx\"]}}", "[" RESULT "]",
	  "/kernel/variant/reverts/0", "hex digits" },
	{ "\"machine\":{\"name\":\"m\"},\"kernel\":{\"release\":\"6.16\",\"variant\":{\"applies\":[{}]}}", "[" RESULT "]",
	  "/kernel/variant/applies/0", "title or a url" },
	{ "@,\"config\":{\"thp\":\"sometimes\"}", "[" RESULT "]", "/config/thp", "" },
	{ "@,\"config\":{\"thp\":{\"enabled\":\"sometimes\"}}", "[" RESULT "]", "/config/thp/enabled", "" },
	{ "@,\"config\":{\"thp\":true}", "[" RESULT "]", "/config/thp", "a slug" },
	{ "@,\"config\":{\"base_page_kib\":5}", "[" RESULT "]", "/config/base_page_kib", "power of two" },
	{ "@,\"environment\":[]", "[" RESULT "]", "/environment", "an object is needed" },
	{ "@,\"labels\":{\"a\":1}", "[" RESULT "]", "/labels/a", "text is needed" },
	{ "@,\"source\":{\"tool\":null}", "[" RESULT "]", "/source/tool", "text is needed, this is null" },
	{ "@,\"run_id\":\"7\"", "[" RESULT "]", "/run_id", "UUID" },
	{ "@,\"finished_at\":\"2026-02-13T15:08:00\"", "[" RESULT "]", "/finished_at", "offset" },
	{ "@,\"finished_at\":\"2026-02-13T15:07:00Z\"", "[" RESULT "]", "/finished_at", "before it began" },
	{ "\"schema\":\"other/1\",\"kernel\":\"6.16\",\"machine\":{\"name\":\"m\"}", "[" RESULT "]", "/schema", "this server reads" },
	{ "@", "[]", "/results", "no results" },
	{ "@", "{}", "/results", "an array is needed" },
	{ "@", "[7]", "/results/0", "an object is needed, this is a number" },
	{ "@", "[{\"metric\":\"t\",\"unit\":\"ns\",\"better\":\"lower\",\"values\":[1]}]", "/results/0/benchmark", "is needed" },
	{ "@", "[{\"benchmark\":\"b\",\"metric\":\"t\",\"unit\":\"ns\",\"values\":[1]}]", "/results/0/better", "lower" },
	{ "@", "[{\"benchmark\":\"b\",\"metric\":\"t\",\"unit\":5,\"better\":\"lower\",\"values\":[1]}]", "/results/0/unit", "text is needed" },
#define R(rest) "[{\"benchmark\":\"b\",\"metric\":\"t\",\"unit\":\"ns\",\"better\":\"lower\"," rest "}]"
	{ "@", R("\"values\":[]"), "/results/0/values", "no value" },
	{ "@", R("\"values\":[1,0]"), "/results/0/values/1", "a time above 0 is needed, this is 0 ns" },
	{ "@", R("\"values\":[-5]"), "/results/0/values/0", "a time above 0" },
	{ "@", R("\"values\":[1,\"2\"]"), "/results/0/values/1", "a number is needed, this is text" },
	{ "@", R("\"values\":5"), "/results/0/values", "an array of numbers" },
	{ "@", R("\"values\":null"), "/results/0/values", "an array of numbers is needed, this is null" },
	{ "@", R("\"iterations\":5"), "/results/0", "values, a summary or" },
	{ "@", R("\"values\":[1],\"summary\":{\"n\":1,\"mean\":1}"), "/results/0/summary", "not both" },
	{ "@", R("\"values\":[1],\"status\":\"failed\""), "/results/0/values", "failed has no numbers" },
	{ "@", R("\"status\":\"broken\""), "/results/0/status", "skipped" },
	{ "@", R("\"values\":[1],\"iterations\":-1"), "/results/0/iterations", "0 or more" },
	{ "@", R("\"values\":[1],\"params\":{\"a/b\":[1]}"), "/results/0/params/a~1b", "this is an array" },
	{ "@", R("\"values\":[1],\"params\":{\"\":1}"), "/results/0/params/", "is empty" },
	{ "@", R("\"summary\":{\"n\":0,\"mean\":1}"), "/results/0/summary/n", "a count from 1" },
	{ "@", R("\"summary\":{\"n\":1.5,\"mean\":1}"), "/results/0/summary/n", "a count is needed" },
	{ "@", R("\"summary\":{\"n\":2}"), "/results/0/summary/mean", "is needed" },
	{ "@", R("\"summary\":{\"n\":2,\"mean\":0}"), "/results/0/summary/mean", "above 0" },
	{ "@", R("\"summary\":{\"n\":2,\"mean\":1,\"stddev\":-1}"), "/results/0/summary/stddev", "0 or more" },
	{ "@", R("\"summary\":{\"n\":1,\"mean\":1,\"stddev\":1}"), "/results/0/summary/stddev", "n of 2" },
	{ "@", R("\"summary\":{\"n\":2,\"mean\":1,\"min\":2}"), "/results/0/summary/min", "above the mean" },
	{ "@", R("\"summary\":{\"n\":2,\"mean\":\"1\"}"), "/results/0/summary/mean", "a number is needed" },
	{ "@", "[" RESULT "," RESULT "]", "/results/1", "/results/0" },
	{ "@", "[{\"benchmark\":\"b\",\"metric\":\"t\",\"unit\":\"s\",\"better\":\"lower\",\"values\":[1e308]}]", "/results/0/values/0", "finite" },
};

static void test_bad(void)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const struct bad *b = &bad[i];
		const char *fields = *b->fields == '@' ? arena_printf(a, "%s%s", head, b->fields + 1) : b->fields;
		struct submission *s = one(arena_printf(a, "{%s,\"results\":%s}", fields, b->results));
		const struct problems *p = err.problems;
		int good = !s && err.kind == ERR_INVALID && p && p->total == 1 && !strcmp(p->list[0].at, b->at) &&
			   strstr(p->list[0].message, b->message);

		ok(good, "refused: %.100s %.60s", *b->fields == '@' ? b->fields + 1 : b->fields, b->results);
		if (!good)
			printf("# %zu problems, %s: %s (wanted %s: %s)\n", p ? p->total : 0, p && p->n ? p->list[0].at : "-",
			       p && p->n ? p->list[0].message : err.message, b->at, b->message);
	}
}

static void test_all_at_once(void)
{
	struct buf b;
	struct submission *s;

	s = one("{\"kernel\":5,\"machine\":{},\"results\":[{\"benchmark\":5,\"unit\":\"ns\",\"better\":\"up\",\"values\":[-1,\"x\",-2],"
		"\"params\":{\"a\":null}},{\"status\":\"failed\"}]}");
	ok(!s && err.problems && err.problems->total == 13, "everything wrong is said at once (13 things)");
	if (err.problems && err.problems->total != 13)
		for (size_t i = 0; i < err.problems->n; i++)
			printf("# %s: %s\n", err.problems->list[i].at, err.problems->list[i].message);
	buf_init(&b);
	for (int i = 0; i < 5000; i++)
		buf_printf(&b, "%s{\"benchmark\":\"b%d\"}", i ? "," : "", i);
	s = with_results(arena_printf(a, "[%s]", b.p));
	ok(!s && err.problems && err.problems->n == PROBLEMS_MAX && err.problems->total == 15000,
	   "of 15,000 problems the first hundred are listed");
	ok(!s && strstr(err.message, "15000 problems"), "and the message counts all");
	buf_fini(&b);
}

static const struct refused {
	const char *text;
	const char *message;
} refused[] = {
	{ "", "empty" },
	{ " \n\t", "empty" },
	{ "{\"a\":\n\n[}", "line 3" },
	{ "{\"a\":NaN}", "NaN and Infinity are no JSON" },
	{ "{\"a\":-Infinity}", "NaN and Infinity are no JSON" },
	{ "{\"a\":\n1e400}", "line 2: a number that no double can hold" },
	{ "{\"a\":1,\"a\":2}", "the same key twice" },
	{ "{\"a\":\"\\u0000\"}", "NUL" },
	{ "{\"a\":\"\xff\"}", "UTF-8" },
	{ "{\"a\":\"\xc0\x80\"}", "UTF-8" },
	{ "{} {}", "line 1" },
	{ "[{},", "line 1" },
	{ "[,]", "line 1" },
	{ "[{}\n{}]", "line 2" },
	{ "[}", "line 1" },
	{ "\"", "line 1" },
};

static void test_not_json(void)
{
	char *deep;

	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		int ret = take(refused[i].text);

		ok(ret && err.kind == ERR_BAD_JSON && strstr(err.message, refused[i].message), "no JSON: %s (%s)",
		   refused[i].message, err.message);
	}
	ok(read_text(a, "{\"a\":\"x\0y\"}", 11, (struct read_context){ 0 }, &res, &err) && err.kind == ERR_BAD_JSON,
	   "a NUL byte inside a text");
	for (int kind = 0; kind < 2; kind++) {
		deep = arena_alloc(a, 600001);
		for (int i = 0; i < 600000; i++)
			deep[i] = kind ? '[' : "{\"a\":"[i % 5];
		deep[600000] = 0;
		ok(take(deep) && err.kind == ERR_BAD_JSON && strstr(err.message, "deeper than 32"), "a depth bomb is refused");
	}
	ok(take("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]") && err.kind == ERR_BAD_JSON,
	   "33 levels in an item of an array are too deep");
	ok(!take("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]") && res.items[0].err.kind == ERR_INVALID,
	   "32 are not");
}

static void test_many(void)
{
	const char *good = arena_printf(a, "{%s,\"results\":[" RESULT "]}", head), *text;
	int ret;

	text = arena_printf(a, " [%s , 5,\n{\"a\":1,\"a\":2}, {\"b\":1e400},%s ]\n", good, good);
	ret = take(text);
	ok(!ret && res.many && res.n == 5, "an array of five");
	if (ret || res.n != 5)
		return;
	ok(res.items[0].sub && res.items[4].sub, "a bad item does no harm to the good ones");
	ok(res.items[0].raw_len == strlen(good) && res.items[4].raw_len == strlen(good), "each has its own bytes");
	ok(!res.items[1].sub && res.items[1].err.problems && !strcmp(res.items[1].err.problems->list[0].at, ""),
	   "a number is no submission");
	ok(!res.items[2].sub && res.items[2].err.kind == ERR_INVALID && strstr(res.items[2].err.message, "line 2: the same key"),
	   "a key twice spoils its own item: %s", res.items[2].err.message);
	ok(!res.items[3].sub && strstr(res.items[3].err.message, "no double"), "so does 1e400");
	ok(!take("[]") && res.many && res.n == 0, "an empty array has no items");
	ok(!take(arena_printf(a, "[%s]", good)) && res.many && res.n == 1, "an array of one is an array");
	ok(read_text(a, good, strlen(good), (struct read_context){ .machine = "x" }, &res, &err) &&
	   err.kind == ERR_BAD_ARGUMENT && strstr(err.message, "machine="), "arguments for foreign formats are refused beside JSON");
}

static void test_size(void)
{
	struct buf b;
	struct submission *s;

	buf_init(&b);
	for (int i = 0; i < SUBMISSION_RESULTS_MAX; i++)
		buf_printf(&b, "%s{\"benchmark\":\"b\",\"params\":{\"i\":%d},\"metric\":\"t\",\"unit\":\"us\",\"better\":\"lower\",\"values\":[%d.5]}",
			   i ? "," : "", i, i);
	s = with_results(arena_printf(a, "[%s]", b.p));
	ok(s && s->n_results == SUBMISSION_RESULTS_MAX && s->results[99999].mean == 99999500, "100,000 results are read");
	s = with_results(arena_printf(a, "[%s," RESULT "]", b.p));
	ok(!s && err.problems && err.problems->total == 1 && !strcmp(err.problems->list[0].at, "/results"), "one more is refused");
	buf_fini(&b);
}

static void test_numbers(void)
{
	struct submission *s = with_results("[{\"benchmark\":\"b\",\"metric\":\"t\",\"unit\":\"x\",\"better\":\"lower\","
					    "\"values\":[0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1]}]");

	ok(s && s->results[0].mean == 0.1 && s->results[0].stddev == 0, "ten times 0.1 is 0.1, without spread");
	s = with_results("[{\"benchmark\":\"b\",\"metric\":\"t\",\"unit\":\"x\",\"better\":\"lower\",\"values\":[1e308,1e308,1.1e308]}]");
	ok(s && isfinite(s->results[0].mean) && isnan(s->results[0].stddev) && s->results[0].median == 1e308,
	   "huge values do not become infinite");
	s = with_results("[{\"benchmark\":\"b\",\"metric\":\"t\",\"unit\":\"x\",\"better\":\"lower\",\"summary\":{\"n\":1,\"mean\":1,\"stddev\":0}}]");
	ok(s && isnan(s->results[0].stddev), "a stddev of one value is none");
	s = with_results("[" RESULT ",{\"benchmark\":\"b\",\"metric\":\"t\",\"unit\":\"ns\",\"better\":\"lower\",\"params\":{\"a\":\"1\"},\"values\":[1]},"
			 "{\"benchmark\":\"b\",\"metric\":\"t\",\"unit\":\"ns\",\"better\":\"lower\",\"params\":{\"a\":1},\"values\":[1]}]");
	ok(s && s->n_results == 3, "1 and \"1\" are two parameters");
	s = with_results("[{\"benchmark\":\"b\",\"metric\":\"t\",\"unit\":\"ns\",\"better\":\"lower\",\"values\":[1]},"
			 "{\"benchmark\":\"b\",\"metric\":\"t\",\"unit\":\"us\",\"better\":\"lower\",\"values\":[1]}]");
	ok(!s && err.problems && strstr(err.problems->list[0].message, "/results/0"), "ns and us are one series");
}

int main(void)
{
	a = arena_new();
	test_good();
	test_identity();
	test_defaults();
	test_bad();
	test_all_at_once();
	test_not_json();
	test_many();
	test_size();
	test_numbers();
	arena_free(a);
	return done();
}
