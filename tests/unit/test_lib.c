/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ground floor: memory, growing strings, numbers as text, JSON out, ids and digests, points in time, errors. */
#include "tap.h"

#include <float.h>
#include <stdint.h>

#include "../../lib/arena.h"
#include "../../lib/buf.h"
#include "../../lib/err.h"
#include "../../lib/ident.h"
#include "../../lib/jsonw.h"
#include "../../lib/num.h"
#include "../../lib/tm.h"
#include "../../lib/utf8.h"

static void arena(void)
{
	struct arena *a = arena_new(), *other;
	const char *kept;
	char *p, *big;
	bool aligned = true;

	for (int i = 1; i < 200; i++) {
		p = arena_alloc(a, (size_t)i);
		aligned &= (uintptr_t)p % 16 == 0;
		memset(p, 0xa5, (size_t)i);
	}
	ok(aligned, "an arena gives 16-byte aligned memory");
	big = arena_alloc(a, 5u << 20);
	memset(big, 1, 5u << 20);
	ok(arena_used(a) >= 5u << 20, "a block greater than the others");
	p = arena_strdup(a, "four");
	p = arena_grow(a, p, 5, 5000);
	is_str(p, "four", "grown memory keeps what it held");
	ok(arena_strdup(a, NULL) == NULL, "a copy of NULL is NULL");
	is_str(arena_strndup(a, "abcdef", 3), "abc", "a cut copy ends");
	is_str(arena_printf(a, "%d-%s", 7, "x"), "7-x", "printf into an arena");
	arena_reset(a);
	ok(arena_used(a) == 0, "a reset arena is empty");
	other = arena_new();
	kept = arena_strdup(other, "kept");
	arena_alloc(other, 1u << 20);
	arena_strdup(a, "own");
	arena_adopt(a, other);
	ok(!strcmp(kept, "kept") && arena_used(a) >= 1u << 20, "an adopted arena's memory lives on");
	arena_adopt(a, arena_new());
	other = arena_new();
	arena_adopt(other, a);
	a = other;
	is_str(kept, "kept", "by an arena that has none of its own, too");
	arena_reset(a);
	p = arena_zalloc(a, 64);
	for (int i = 0; i < 64; i++)
		aligned &= !p[i];
	ok(aligned, "cleared memory is clear, also when used again");
	arena_free(a);
	arena_free(NULL);
}

static void buf(void)
{
	struct buf b;
	char *p;
	size_t n;

	buf_init(&b);
	is_str(b.p, "", "an empty buffer is a string");
	for (int i = 0; i < 1000; i++)
		buf_printf(&b, "%d,", i);
	ok(b.len == 3890 && !strncmp(b.p, "0,1,2,", 6) && !b.p[b.len], "a thousand numbers appended");
	buf_clear(&b);
	buf_puts(&b, "x");
	buf_putc(&b, 'y');
	buf_add(&b, "\0z", 2);
	ok(b.len == 4 && !memcmp(b.p, "xy\0z", 5), "NUL is a byte like others");
	p = buf_steal(&b, &n);
	ok(n == 4 && !b.len && !*b.p, "a stolen buffer leaves an empty one");
	free(p);
	buf_add(&b, "", 0);
	p = buf_steal(&b, &n);
	ok(p && !n && !*p, "stealing nothing gives an empty string of one's own");
	free(p);
	buf_fini(&b);
}

/* The significant digits of a number in text; how many. */
static int digits_of(const char *text, char digits[32])
{
	int n = 0;

	for (; *text && *text != 'e'; text++)
		if (*text >= '0' && *text <= '9' && (n || *text != '0') && n < 31)
			digits[n++] = *text;
	while (n && digits[n - 1] == '0')
		n--;
	digits[n] = 0;
	return n;
}

/* Whether the nearest decimal of n digits reads back as d; its digits. */
static bool reads_back(double d, int n, char digits[32])
{
	char text[64];

	snprintf(text, sizeof(text), "%.*e", n - 1, d);
	digits_of(text, digits);
	return strtod(text, NULL) == d;
}

/* Not the shortest form, or of the shortest not the nearest. A power of two has uneven neighbours: there, it may be another. */
static bool worse_than_printf(const char *text, double d)
{
	char ours[32], theirs[32];
	int n = digits_of(text, ours), e;

	if (n > 1 && reads_back(d, n - 1, theirs))
		return true;
	return fabs(frexp(d, &e)) != 0.5 && reads_back(d, n, theirs) && strcmp(ours, theirs) != 0;
}

static void num(void)
{
	static const struct {
		double d;
		const char *text;
	} rows[] = { { 0, "0" },
		     { 1, "1" },
		     { -1, "-1" },
		     { 3453.1, "3453.1" },
		     { 0.1, "0.1" },
		     { 1e21, "1e+21" },
		     { 1e15, "1e+15" },
		     { -1234567890123456768.0, "-1234567890123456768" },
		     { 1.2345e20, "1.2345e+20" },
		     { 2251799813685249.5, "2251799813685249.5" },
		     { 0.001, "0.001" },
		     { 0.0001, "1e-04" },
		     { 0.00012, "0.00012" },
		     { 1.5e-7, "1.5e-07" },
		     { 9.5367431640625e-7, "9.5367431640625e-07" },
		     { 2.2250738585072014e-308, "2.2250738585072014e-308" },
		     { -1.5e300, "-1.5e+300" },
		     { 6895988972, "6895988972" },
		     { 5e-324, "5e-324" },
		     { 2.5e-310, "2.5e-310" },
		     { 0.1 + 0.2, "0.30000000000000004" },
		     { 1.7976931348623157e308, "1.7976931348623157e+308" } };
	static const char *const bad[] = { "",	    " 1",  "1 ", "0x10", "inf", "nan", "1e",
					   "1e400", "--1", ".",	 "1,5",	 "+",	"1e+" };
	char text[NUM_MAX];
	double d;
	int64_t i;
	unsigned seed = 1;
	int wrong = 0, worse = 0;

	for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++) {
		num_format(text, rows[r].d);
		is_str(text, rows[r].text, "shortest form");
	}
	for (int r = 0; r < 100000; r++) {
		uint64_t bits = ((uint64_t)rand_r(&seed) << 42) ^ ((uint64_t)rand_r(&seed) << 21) ^
				(uint64_t)rand_r(&seed);

		memcpy(&d, &bits, sizeof(d));
		if (!isfinite(d))
			continue;
		num_format(text, d);
		wrong += strtod(text, NULL) != d;
		/* in between whole numbers are written to the last digit, where that is no longer than an exponent */
		worse += !(fabs(d) >= 1e15 && fabs(d) < 1e22) && worse_than_printf(text, d);
	}
	ok(!wrong, "100,000 doubles read back the same");
	ok(!worse, "in as few digits as do that, and in those that are nearest");
	for (size_t r = 0; r < sizeof(bad) / sizeof(*bad); r++)
		ok(num_parse(bad[r], strlen(bad[r]), &d) == -1, "\"%s\" is no number", bad[r]);
	ok(!num_parse("3453.10", 7, &d) && d == 3453.1 && !num_parse("1e3x", 3, &d) && d == 1000,
	   "numbers, and of n bytes only");
	ok(!num_parse_i64("-9223372036854775808", 20, &i) && i == INT64_MIN, "the least integer");
	ok(num_parse_i64("9223372036854775808", 19, &i) == -1 && num_parse_i64("1.0", 3, &i) == -1,
	   "no integers");
}

static void whole(void)
{
	char text[NUM_MAX], theirs[32];
	size_t wrong = 0;
	unsigned seed = 3;

	for (int i = 0; i < 100000; i++) {
		int64_t v = (int64_t)(((uint64_t)rand_r(&seed) << 33 ^ (uint64_t)rand_r(&seed) << 2) >> rand_r(&seed) % 64);
		int64_t near = i % 19 ? v : (int64_t)pow(10, i / 19 % 19) - i % 2;	/* around powers of ten, too */

		for (int sign = 1; sign >= -1; sign -= 2) {
			snprintf(theirs, sizeof(theirs), "%lld", (long long)(sign * near));
			wrong += num_format_i64(text, sign * near) != (int)strlen(theirs) || strcmp(text, theirs);
		}
	}
	ok(!wrong, "100,000 whole numbers are as printf() writes them");
	num_format_i64(text, INT64_MIN);
	is_str(text, "-9223372036854775808", "the least one, too");
}

static void json(void)
{
	struct buf b;
	struct jsonw j;

	buf_init(&b);
	j = jsonw_begin(&b);
	jsonw_object(&j);
	jsonw_kstr(&j, "a\"b", "x\ny\\z<\x01\x7f");
	jsonw_knum(&j, "nan", NAN);
	jsonw_key(&j, "list");
	jsonw_array(&j);
	jsonw_i64(&j, INT64_MIN);
	jsonw_num(&j, 0.5);
	jsonw_str(&j, NULL);
	jsonw_bool(&j, true);
	jsonw_array(&j);
	jsonw_array_end(&j);
	jsonw_object(&j);
	jsonw_object_end(&j);
	jsonw_array_end(&j);
	jsonw_kraw(&j, "raw", "{\"k\":1}");
	jsonw_object_end(&j);
	is_str(b.p,
	       "{\"a\\\"b\":\"x\\ny\\\\z\\u003c\\u0001\\u007f\",\"nan\":null,\"list\":[-9223372036854775808,"
	       "0.5,null,true,[],{}],"
	       "\"raw\":{\"k\":1}}",
	       "JSON with its commas and escapes");
	buf_clear(&b);
	jsonw_str(&(struct jsonw){ .out = &b }, "cut \xc3\xa9\xe2\x82");
	is_str(b.p, "\"cut \xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\"", "half a character is no reason for a bad document");
	buf_fini(&b);
}

static void utf8(void)
{
	static const char *const good[] = { "a", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
					    "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf" };
	static const char *const bad[] = { "\x80", "\xbf", "\xc0\xaf", "\xc1\xbf", "\xc3", "\xc3(", "\xe0\x9f\xbf", "\xe2\x82",
					   "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf0\x9f\x98", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff" };
	bool all = true, none = true;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		all &= utf8_char(good[i], strlen(good[i])) == strlen(good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		none &= !utf8_char(bad[i], strlen(bad[i]));
	ok(all && none, "UTF-8 in its shortest form, without surrogates");
	ok(utf8_good("a\xc3\xa9\xff", 4) == 3 && utf8_good("a\xc3\xa9", 2) == 1 && utf8_good("", 0) == 0, "as far as it is");
}

static void plain(void)
{
	static const struct { const char *from, *to; } all[] = {
		{ "", "" }, { "AZaz09@[", "azaz09@[" }, { "\xc3\x84\xc3\x96", "\xc3\xa4\xc3\xb6" }, { "\xce\xa3\xce\xa3", "\xcf\x83\xcf\x83" },
		{ "\xd0\x96", "\xd0\xb6" }, { "\xf0\x90\x90\x80\xf0\x9f\x98\x80", "\xf0\x90\x90\xa8\xf0\x9f\x98\x80" },
		{ "a\tb\xc2\xa0\x43\xe2\x80\xaf\xe3\x80\x80", "a b c  " }, { "\xffX\xc3", "\xffx\xc3" },
	};
	struct buf out;

	buf_init(&out);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		buf_clear(&out);
		utf8_plain(&out, all[i].from);
		ok(!strcmp(out.p ? out.p : "", all[i].to), "plain: \"%s\"", all[i].to);
	}
	buf_fini(&out);
}

static void ident(void)
{
	struct uuid u, v;
	char text[UUID_TEXT], hex[65], last[UUID_TEXT] = "";
	uint8_t digest[32];
	bool rising = true;

	sha256("abc", 3, digest);
	hex_format(digest, 32, hex);
	is_str(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "SHA-256 of abc");
	uuid_v8_of(&u, digest);
	is_str(uuid_format(&u, text), "ba7816bf-8f01-8fea-8141-40de5dae2223", "a version 8 UUID of it");
	ok(!uuid_parse("BA7816BF-8F01-8FEA-8141-40DE5DAE2223", &v) && uuid_equal(&u, &v),
	   "upper case is read");
	ok(uuid_parse("ba7816bf-8f01-8fea-8141-40de5dae222", &v) == -1 && uuid_parse("", &v) == -1 &&
		   uuid_parse("ba7816bf_8f01-8fea-8141-40de5dae2223", &v) == -1 &&
		   uuid_parse("ga7816bf-8f01-8fea-8141-40de5dae2223", &v) == -1,
	   "what is no UUID");
	for (int i = 0; i < 1000; i++) {
		uuid_v7(&u);
		uuid_format(&u, text);
		rising &= strncmp(last, text, 13) <= 0 && text[14] == '7' && strchr("89ab", text[19]);
		memcpy(last, text, sizeof(last));
	}
	ok(rising, "version 7 UUIDs rise with time");
}

static void tm(void)
{
	static const struct {
		const char *text, *utc; /* NULL: refused */
	} rows[] = {
		{ "2026-02-13T15:08:00Z", "2026-02-13T15:08:00Z" },
		{ "2026-02-13T15:08:00.25+01:30", "2026-02-13T13:38:00.250000Z" },
		{ "2026-02-13t15:08:00.1234567z", "2026-02-13T15:08:00.123456Z" },
		{ "2024-02-29 00:00:00-12:00", "2024-02-29T12:00:00Z" },
		{ "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z" },
		{ "9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z" },
		{ "2023-02-29T00:00:00Z", NULL },
		{ "2026-02-13T15:08:00", NULL },
		{ "2026-02-13", NULL },
		{ "", NULL },
		{ "2026-13-01T00:00:00Z", NULL },
		{ "2026-00-01T00:00:00Z", NULL },
		{ "2026-01-01T24:00:00Z", NULL },
		{ "2026-01-01T00:60:00Z", NULL },
		{ "2026-01-01T00:00:00.Z", NULL },
		{ "2026-01-01T00:00:00Zx", NULL },
		{ "2026-01-01T00:00:00+25:00", NULL },
		{ "1969-12-31T23:59:59Z", NULL },
		{ "2026-1-01T00:00:00Z", NULL },
		{ "1970-01-01T00:00:00+01:00", NULL },
	};
	char text[TM_TEXT];
	int64_t t;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int ret = tm_parse(rows[i].text, &t);

		if (rows[i].utc)
			is_str(ret ? "refused" : tm_format(t, text), rows[i].utc, rows[i].text);
		else
			ok(ret == -1, "no time: \"%s\"", rows[i].text);
	}
}

static void err(void)
{
	struct arena *a = arena_new();
	struct problems *p = problems_new(a);
	char at[] = "/results/0", longest[3000];
	struct err e = { 0 };

	ok(err_set(&e, ERR_INVALID, "%s is %d", "x", 7) == -1 && e.kind == ERR_INVALID, "an error is -1");
	ok(err_prefix(&e, "line %d", 3) == -1, "with a prefix too");
	is_str(e.message, "line 3: x is 7", "and says both");
	err_set(&e, ERR_INVALID, "again: %s", e.message);
	is_str(e.message, "again: line 3: x is 7", "a message may quote itself");
	e.problems = p;
	err_set(&e, ERR_UNAVAILABLE, "something else");
	ok(e.problems == NULL, "the problems of another error are gone");
	memset(longest, 'y', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	err_set(&e, ERR_BUG, "%s", longest);
	err_prefix(&e, "%s", longest);
	ok(strlen(e.message) < sizeof(e.message), "long messages are cut");
	for (int i = 0; i < 150; i++)
		problems_add(p, at, "number %d", i);
	at[0] = 'X';
	ok(p->n == PROBLEMS_MAX && p->total == 150, "problems past the cap are counted");
	is_str(p->list[0].at, "/results/0", "their places are copies");
	is_str(p->list[99].message, "number 99", "and their texts");
	arena_free(a);
}

int main(void)
{
	arena();
	buf();
	num();
	whole();
	json();
	utf8();
	plain();
	ident();
	tm();
	err();
	return done();
}
