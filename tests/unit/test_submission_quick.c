/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our own format read from its text, against the same by way of a tree, which is what all is defined by. */
#include "mutate.h"
#include "read_file.h"
#include "same_submission.h"
#include "tap.h"

#define MUTATIONS 40000

static struct arena *a;

static const char head[] = "\"machine\":{\"name\":\"m\"},\"kernel\":\"6.16\",\"boot_id\":\"b\","
			   "\"started_at\":\"2026-02-13T15:08:00Z\",\"schema\":\"nsecwatch.submission/1\"";

static const char *with(const char *results)
{
	return arena_printf(a, "{%s,\"results\":[%s]}", head, results);
}

/* A result whose value, or params, or name is what is looked at. */
static const char *value(const char *v)
{
	return with(arena_printf(a, "{\"benchmark\":\"b\",\"metric\":\"t\",\"unit\":\"x\",\"better\":\"lower\",\"values\":%s}", v));
}

static const char *params(const char *p)
{
	return with(arena_printf(a, "{\"benchmark\":\"b\",\"params\":%s,\"metric\":\"t\",\"unit\":\"x\",\"better\":\"lower\",\"values\":[1]}", p));
}

static const char *named(const char *n)
{
	return with(arena_printf(a, "{\"benchmark\":\"%s\",\"metric\":\"t\",\"unit\":\"x\",\"better\":\"lower\",\"values\":[1]}", n));
}

static const char *summary(const char *s)
{
	return with(arena_printf(a, "{\"benchmark\":\"b\",\"metric\":\"t\",\"unit\":\"us\",\"better\":\"higher\",\"summary\":%s}", s));
}

static void expect(const char *text, bool wanted)
{
	bool quick;
	const char *other = read_both_ways(a, text, strlen(text), &quick), *from = strstr(text, "\"results\"");

	ok(!other && quick == wanted, "%s: %.90s%s%s", wanted ? "from its text, as by a tree" : "left to the tree", from ? from : text,
	   other ? "; other: " : "", other ? other : "");
}

static void taken(void)
{
	static const char *const values[] = {
		"[1]", "[1,2.5,3]", "[ 1 , 2 ]", "[4e5]", "[3.0]", "[-0]", "[-0.0,1]", "[0.001]", "[0.0001]", "[0.00001234]", "[1e-7,1e22]",
		"[123456789012345]", "[0.1,0.30000000000000004]", "[1.50]", "[123456789.125]", "[9007199254740991]", "[5e-324,1.7976931348623157e308]",
		"[100000000000000000000.0]", "[12345678901234567.5]",
	};
	static const char *const some[] = {
		"{}", "{\"size\":4}", "{\"b\":1,\"a\":2}", "{ \"b\" : \"x<y\" , \"a\" : true }", "{\"a\":false,\"b\":-2.5e3,\"c\":400.0,\"d\":-0.0}",
		"{\"a\":1e14,\"b\":999999999999999,\"aa\":\"\"}", "{\"\xc2\xb5\":\"\xc2\xb5s\"}", "{\"c\":1,\"b\":2,\"a\":3,\"d\":4,\"ab\":5}",
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		expect(value(values[i]), true);
	for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++)
		expect(params(some[i]), true);
	expect(named("vector<int>"), true);
	expect(named("\xc3\xa9t\xc3\xa9 <1>"), true);
	expect(summary("{\"n\":10,\"mean\":2104.528,\"stddev\":12.9124}"), true);
	expect(summary("{ \"stddev\" : 0 , \"median\" : 3.0, \"min\":1, \"max\" : 5e0, \"n\" : 3 , \"mean\":3 }"), true);
	expect(with("{\"benchmark\":\"b\",\"metric\":\"t\",\"unit\":\"x\",\"better\":\"neutral\",\"status\":\"failed\",\"error\":\"out of <memory>\"},"
		    "{\"values\":[1],\"better\":\"higher\",\"unit\":\"ms\",\"metric\":\"u\",\"benchmark\":\"b\",\"iterations\":7,\"status\":\"ok\"}"), true);
	expect(arena_printf(a, " {\"results\":[{\"benchmark\":\"b\",\"metric\":\"t\",\"unit\":\"x\",\"better\":\"lower\",\"values\":[1]}],"
			    "\"odd\":1,\"labels\":{\"a\":\"\\u00b5\\ud83d\\ude00\\n\"},%s}\n", head), true);
}

static void left(void)
{
	static const char *const values[] = { "[]", "[null]", "[\"1\"]", "[1,]", "[01]", "[1e400]", "1", "[9007199254740993]", "[1" };
	static const char *const some[] = {
		"[]", "null", "{\"a\":1,\"a\":2}", "{\"a\":null}", "{\"a\":[1]}", "{\"\":1}", "{\" a\":1}", "{\"a\":\"x \"}", "{\"a\":1e15}",
		"{\"a\":1,}", "{\"a\"}", "{\"a\\n\":1}", "{\"a\":tru}", "{\"<\":1}",
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		expect(value(values[i]), false);
	for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++)
		expect(params(some[i]), false);
	expect(named("a\\u0041"), false);
	expect(named(""), false);
	expect(with(""), false);
	expect(with("{}"), false);
	expect(with("1"), false);
	expect(summary("{}"), false);
	expect(summary("{\"mean\":1}"), false);
	expect(summary("{\"n\":2}"), false);
	expect(summary("{\"n\":2,\"mean\":1,\"n\":2}"), false);
	expect(summary("{\"n\":2,\"mean\":1,\"x\":2}"), false);
	expect(with("{\"benchmark\":\"b\",\"metric\":\"t\",\"unit\":\"x\",\"values\":[1]}"), false);
	expect(with("{\"benchmark\":\"b\",\"metric\":\"t\",\"unit\":\"x\",\"better\":\"lower\",\"values\":[1],\"odd\":1}"), false);
	expect(with("{\"benchmark\":\"b\",\"metric\":\"t\",\"unit\":\"ns\",\"better\":\"lower\",\"values\":[-1]}"), false);
	expect(with("{\"benchmark\":\"b\",\"metric\":\"t\",\"unit\":\"x\",\"better\":\"lower\",\"values\":[1]},"
		    "{\"benchmark\":\"b\",\"metric\":\"t\",\"unit\":\"x\",\"better\":\"lower\",\"values\":[1]}"), false);
	expect("{\"results\":[{\"benchmark\":\"b\",\"metric\":\"t\",\"unit\":\"x\",\"better\":\"lower\",\"values\":[1]}]}", false);
	expect("{\"results\":{}}", false);
	expect("[]", false);
	expect("", false);
}

/* Each text in memory of its own: nothing behind its end may be looked at. */
static void mutated(const char *text, const char *bytes)
{
	size_t size = strlen(text) * 2 + 64, kept = 0, wrong = 0;
	char *s = malloc(size);

	for (int i = 0; i < MUTATIONS; i++) {
		const char *other;
		char *exact;
		bool quick;

		if (i % 3 == 0)
			strcpy(s, text);
		mutate(s, size, bytes);
		exact = malloc(strlen(s) + 1);
		memcpy(exact, s, strlen(s));
		exact = realloc(exact, strlen(s) ? strlen(s) : 1);
		other = read_both_ways(a, exact, strlen(s), &quick);
		if (other)
			printf("# %s, of %s\n", other, s);
		wrong += other != NULL;
		kept += quick;
		free(exact);
		arena_reset(a);
	}
	ok(!wrong && kept > MUTATIONS / 100, "%d mutations, %zu of them read from the text as by a tree", MUTATIONS, kept);
	free(s);
}

int main(void)
{
	static const char small[] =
		"{\"machine\":{\"name\":\"m\"},\"kernel\":\"6.1\",\"results\":[{\"benchmark\":\"b\",\"params\":{\"a\":4,\"b\":\"c\"},\"metric\":\"t\",\"unit\":\"x\","
		"\"better\":\"lower\",\"values\":[2.5,3]},{\"benchmark\":\"c\",\"metric\":\"t\",\"unit\":\"ms\",\"better\":\"higher\",\"summary\":{\"n\":3,\"mean\":7.25}}]}";

	a = arena_new();
	taken();
	left();
	mutated(small, "\"\"\\{}[]:,,0123456789.-+eE tfnu/<\n\x80");
	mutated(small, "0123456789.-e");
	arena_free(a);
	return done();
}
