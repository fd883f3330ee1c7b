/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The quick JSON parser against jansson: what it takes, and that jansson makes the same of it. */
#include "mutate.h"
#include "read_file.h"
#include "same_json.h"
#include "tap.h"

#define MUTATIONS 60000

/* A text in a line of TAP, where # and control characters mean something. */
static const char *shown(const char *text)
{
	static char line[60];
	size_t i = 0;

	for (; text[i] && i < sizeof(line) - 1; i++)
		line[i] = (unsigned char)text[i] < ' ' || (unsigned char)text[i] > '~' || text[i] == '#' || text[i] == '\\' ?
			  '.' : text[i];
	line[i] = '\0';
	return line;
}

static void takes(const char *text)
{
	ok(json_both_ways(text, strlen(text)) == JSON_SAME, "quick, and as jansson reads it: %s", shown(text));
}

static void leaves(const char *text)
{
	ok(json_both_ways(text, strlen(text)) == JSON_LEFT, "left to jansson: %s", shown(text));
}

static void values(void)
{
	static const char *const good[] = {
		"{}", "[]", " [ ] ", "{\"a\":1,\"b\":[true,false,null],\"c\":{\"d\":\"e\"}}", "\"\"", "\"a\\\"b\\\\c\\/d\\b\\f\\n\\r\\t\"",
		"0", "-0", "7", "-12", "123456789012345678", "0.5", "-0.0", "1e5", "1E+5", "1e-5", "0e0", "1.5e3", "-0.0e-0",
		"3453.1", "0.1", "0.30000000000000004", "9007199254740993.0", "1.7976931348623157e308", "5e-324", "1e-400",
		"2.2250738585072011e-308", "123456789012345678901234567890.5", "1e22", "1e23", "9007199254740992e22",
		"179769313486231580793728971405301e2", "[1,2,3]", "[[[[]]]]",
		"1234567890123456789", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
		"99999999999999999999", "{\"99999999999999999999\":[99999999999999999999,-18446744073709551616,\"\\\"99999999999999999999\",7]}", "\t\r\n{ \"a\" : [ 1 , 2 ] }\n",
		"\"\\u0041\\u00e9\\u20AC\"", "\"\\ud83d\\ude00 \\uDBFF\\uDFFF\"", "\"\\u007f<\x7f\"", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"",
		"{\"\\u00b5s\":\"\xc2\xb5s, which is eight bytes and more\"}",
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		takes(good[i]);
}

static void left(void)
{
	static const char *const odd[] = {
		"", " ", "{", "[", "\"", "\"a", "\"\\", "\"\\u00\"", "\"\\u00g0\"", "\"\\u0000\"", "\"\\ud83d\"", "\"\\ud83d\\u0041\"", "\"\\ude00\"",
		"\"\\ud83dxude00\"", "\"\xc3\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xff\"", "\"\n\"", "\"\\x\"", "{\"\":1}",
		"{\"a\":1,\"a\":2}", "{\"a\":1,}", "{\"a\"1}", "{\"a\":}", "{a:1}", "[1,]", "[,1]", "[1 2]", "[1}", "{\"a\":1]",
		"01", "-", "-a", "1.", ".5", "1e", "1e+", "+1", "0x1", "1e400", "-1e400",
		"NaN", "nul", "truex", "nulll", "1 1", "{} {}", "[] x", "1e99999", "'a'",
	};
	char deep[400];

	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++)
		leaves(odd[i]);
	ok(json_both_ways("1\0", 2) == JSON_LEFT && json_both_ways("\"a\0b\"", 5) == JSON_LEFT, "NUL is no blank, and no letter");
	memset(deep, '[', 200);
	memset(deep + 200, ']', 200);
	ok(json_both_ways(deep, 400) == JSON_LEFT, "200 levels are left to jansson");
}

/* A text is not NUL-terminated: nothing behind it may be looked at. The sanitizer sees to that. */
static void cut_short(const char *text)
{
	size_t len = strlen(text), wrong = 0;

	for (size_t n = 0; n < len; n += n < 300 ? 1 : 97) {
		char *part = malloc(n + 1);

		memcpy(part, text, n);
		wrong += json_both_ways(part, n) == JSON_OTHER;
		part = realloc(part, n ? n : 1);
		wrong += json_both_ways(part, n) == JSON_OTHER;
		free(part);
	}
	ok(!wrong, "cut anywhere, it is never read otherwise than jansson would");
}

static void mutated(const char *text)
{
	size_t size = strlen(text) * 2 + 64, other = 0, kept = 0;
	char *s = malloc(size);

	for (int i = 0; i < MUTATIONS; i++) {
		if (i % 8 == 0)		/* up to eight changes to one text */
			strcpy(s, text);
		mutate(s, size, "\"\"\\{}[]:,,0123456789.-+eE tfnu/\n\x80");
		switch (json_both_ways(s, strlen(s))) {
		case JSON_OTHER:
			printf("# read otherwise: %s\n", s);
			other++;
			break;
		case JSON_SAME:
			kept++;
			break;
		case JSON_LEFT:
			break;
		}
	}
	ok(!other, "%d mutations: what is taken is what jansson reads", MUTATIONS);
	ok(kept > MUTATIONS / 100, "and some were still JSON (%zu)", kept);
	free(s);
}

/* Numbers with every count of digits and every power: where rounding could go wrong. */
static void many_numbers(void)
{
	unsigned seed = 6;
	size_t other = 0, taken = 0;
	char text[80];

	for (int i = 0; i < 200000; i++) {
		int digits = 1 + rand_r(&seed) % 20, at = 0;

		if (rand_r(&seed) % 2)
			text[at++] = '-';
		text[at++] = (char)('1' + rand_r(&seed) % 9);
		for (int d = 1; d < digits; d++) {
			if (d == 1 + i % 20)
				text[at++] = '.';
			text[at++] = (char)('0' + rand_r(&seed) % 10);
		}
		text[at] = '\0';
		if (i % 3)
			sprintf(text + at, "e%d", rand_r(&seed) % 60 - 30);
		enum json_verdict v = json_both_ways(text, strlen(text));

		if (v == JSON_OTHER)
			printf("# %s\n", text);
		other += v == JSON_OTHER;
		taken += v == JSON_SAME;
	}
	ok(!other && taken > 100000, "%zu numbers, each to the bit as jansson's", taken);
}

int main(void)
{
	struct arena *a = arena_new();
	size_t len;
	const char *text = read_file(a, "tests/data/submission.json", &len);

	values();
	left();
	takes(text);
	cut_short(text);
	mutated("{\"a\":[1,2.5e3,{\"b\":\"c\\n\",\"d\":null}],\"e\":{\"f\":true,\"g\":-0.25,\"h\":[]},\"i\":12345678}");
	mutated("[3453.1,-1e-7,0,123456789012345678,\"x\\\\y\",{},false]");
	many_numbers();
	arena_free(a);
	return done();
}
