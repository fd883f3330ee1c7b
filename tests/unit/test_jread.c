/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The quick JSON parser against jansson: what it takes, jansson takes too, and makes the same of. */
#include "mutate.h"
#include "read_file.h"
#include "tap.h"

#include "../../ingest/jread_own.h"

#define MUTATIONS 60000

static bool same(const struct jnode *x, const struct jnode *y)
{
	if (x->type != y->type || x->n != y->n || x->is_int != y->is_int || x->truth != y->truth)
		return false;
	if (!x->key != !y->key || (x->key && strcmp(x->key, y->key)))
		return false;
	switch (x->type) {
	case JREAD_NUMBER:		/* to the bit: -0.0 is not 0.0 */
		return !memcmp(&x->num, &y->num, sizeof(x->num));
	case JREAD_STRING:
		return !strcmp(x->str, y->str);
	case JREAD_ARRAY:
	case JREAD_OBJECT:
		for (uint32_t i = 0; i < x->n; i++)
			if (!same(&x->child[i], &y->child[i]))
				return false;
	}
	return true;
}

enum verdict { LEFT, SAME, OTHER };	/* the quick one left it, or read it as jansson does, or not */

static enum verdict judge(const char *text, size_t len)
{
	struct jread_slice s = { text, len, 1 };
	struct jread_doc quick = { .arena = arena_new() }, careful = { .arena = arena_new() };
	bool took = jread_quick_parse(&s, &quick), syntax;
	enum verdict v = LEFT;
	struct err err = { 0 };

	if (took)
		v = !jread_careful_parse(&s, &careful, &syntax, &err) && same(&quick.root, &careful.root) ? SAME : OTHER;
	arena_free(quick.arena);
	arena_free(careful.arena);
	return v;
}

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
	ok(judge(text, strlen(text)) == SAME, "quick, and as jansson reads it: %s", shown(text));
}

static void leaves(const char *text)
{
	ok(judge(text, strlen(text)) == LEFT, "left to jansson: %s", shown(text));
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
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		takes(good[i]);
}

static void left(void)
{
	static const char *const odd[] = {
		"", " ", "{", "[", "\"", "\"a", "\"\\", "\"\\u0041\"", "\"\xc3\xa9\"", "\"\x7f\"", "\"\n\"", "\"\\x\"", "{\"\":1}",
		"{\"a\":1,\"a\":2}", "{\"a\":1,}", "{\"a\"1}", "{\"a\":}", "{a:1}", "[1,]", "[,1]", "[1 2]", "[1}", "{\"a\":1]",
		"01", "-", "-a", "1.", ".5", "1e", "1e+", "+1", "0x1", "1e400", "-1e400",
		"NaN", "nul", "truex", "nulll", "1 1", "{} {}", "[] x", "1e99999", "'a'",
	};
	char deep[400];

	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++)
		leaves(odd[i]);
	ok(judge("1\0", 2) == LEFT && judge("\"a\0b\"", 5) == LEFT, "NUL is no blank, and no letter");
	memset(deep, '[', 200);
	memset(deep + 200, ']', 200);
	ok(judge(deep, 400) == LEFT, "200 levels are left to jansson");
}

/* A text is not NUL-terminated: nothing behind it may be looked at. The sanitizer sees to that. */
static void cut_short(const char *text)
{
	size_t len = strlen(text), wrong = 0;

	for (size_t n = 0; n < len; n += n < 300 ? 1 : 97) {
		char *part = malloc(n + 1);

		memcpy(part, text, n);
		wrong += judge(part, n) == OTHER;
		part = realloc(part, n ? n : 1);
		wrong += judge(part, n) == OTHER;
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
		switch (judge(s, strlen(s))) {
		case OTHER:
			printf("# read otherwise: %s\n", s);
			other++;
			break;
		case SAME:
			kept++;
			break;
		case LEFT:
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
		enum verdict v = judge(text, strlen(text));

		if (v == OTHER)
			printf("# %s\n", text);
		other += v == OTHER;
		taken += v == SAME;
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
