/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"

#include "../../chart/table.h"

static struct arena *a;

static const struct table_col cols[] = {
	TABLE_STR("machine"), { .name = "center", .head = "value", .right = true },
	{ .name = "series_id", .in = TABLE_CSV }, { .name = "mark", .in = TABLE_TXT },
};

static struct table *sample(void)
{
	struct table *t = table_new(a, cols, 4);

	table_row(t);
	table_str(t, "milan-01");
	table_num(t, 1713, table_value(a, 1713, "ns/call"));
	table_i64(t, 7);
	table_str(t, "*");
	table_row(t);
	table_str(t, NULL);
	table_num(t, NAN, NULL);
	table_i64(t, 8);
	table_str(t, "");
	return t;
}

static const char *csv_of(struct table *t)
{
	struct buf out;
	const char *s;

	buf_init(&out);
	table_csv(&out, t);
	s = arena_strdup(a, out.p);
	buf_fini(&out);
	return s;
}

static const char *txt_of(struct table *t)
{
	struct buf out;
	const char *s;

	buf_init(&out);
	table_txt(&out, t);
	s = arena_strdup(a, out.p);
	buf_fini(&out);
	return s;
}

static size_t widest(const char *s)
{
	size_t most = 0, n = 0;

	for (; *s; s++) {
		if (*s == '\n')
			n = 0;
		else if (((unsigned char)*s & 0xc0) != 0x80 && ++n > most)
			most = n;
	}
	return most;
}

static const char *one_cell(const char *text)
{
	static const struct table_col col[] = { TABLE_STR("x") };
	struct table *t = table_new(a, col, 1);

	table_row(t);
	table_str(t, text);
	return csv_of(t) + strlen("x\r\n");
}

static void csv(void)
{
	static const struct table_col number[] = { TABLE_NUM("x") };
	struct table *t = table_new(a, number, 1);

	is_str(csv_of(sample()), "machine,center,series_id\r\nmilan-01,1713,7\r\n,,8\r\n",
	       "CSV has CRLF, raw numbers, nothing for what is missing");
	is_str(one_cell("a,\"b\"\n"), "\"a,\"\"b\"\"\n\"\r\n", "commas, quotes and line ends are quoted");
	is_str(one_cell("=1+1"), "\"'=1+1\"\r\n", "a string that begins a formula is kept from running");
	is_str(one_cell("@SUM(A1)"), "\"'@SUM(A1)\"\r\n", "so is @");
	is_str(one_cell("-2+3"), "\"'-2+3\"\r\n", "so is - in a string");
	is_str(one_cell("\t=1"), "\"'\t=1\"\r\n", "so is TAB");
	is_str(one_cell("6.17-rc1+revert-cac1db8c3aad"), "6.17-rc1+revert-cac1db8c3aad\r\n", "a kernel's name stays as it is");
	table_row(t);
	table_num(t, -66.59, NULL);
	is_str(csv_of(t), "x\r\n-66.59\r\n", "a negative number stays a number");
}

static void text(void)
{
	static const struct table_col many[] = {
		TABLE_STR("benchmark"), TABLE_STR("machine"), TABLE_NUM("a"), TABLE_NUM("b"),
	};
	static const struct table_col numbers[] = { TABLE_NUM("first"), TABLE_NUM("second"), TABLE_NUM("third") };
	char longest[201];
	struct table *t = table_new(a, many, 4);
	const char *s;

	is_str(txt_of(sample()), "machine     value  mark\nmilan-01  1.71 us  *\n-               -\n",
	       "text is aligned, with units, without trailing blanks");
	memset(longest, 'x', 200);
	longest[200] = '\0';
	table_row(t);
	table_str(t, longest);
	table_str(t, "a machine with a long name that goes on and on");
	table_num(t, 12345, NULL);
	table_num(t, 1e-7, NULL);
	s = txt_of(t);
	ok(widest(s) <= TABLE_COLUMNS, "a row that is too wide is broken into lines of 72");
	ok(strstr(s, "with a long") != NULL, "at blanks");

	t = table_new(a, numbers, 3);
	table_row(t);
	for (int i = 0; i < 3; i++)
		table_num(t, 1, "a cell that is wider than a third of the line");
	s = txt_of(t);
	ok(widest(s) <= TABLE_COLUMNS && !strncmp(s, "first: a cell", 13), "numbers are never broken: blocks instead");

	is_str(table_clean(a, "a\x1b[31m\nb\xc2\x9b" "c\xe2\x80\xae" "d\xc3\xa9"), "a?[31m?b?c?d\xc3\xa9",
	       "escapes, line ends and marks that turn text around are not sent to a terminal");
	t = table_new(a, many, 4);
	ok(!strcmp(txt_of(t), "benchmark  machine  a  b\n"), "a table of no rows is its head");
}

static void paragraphs(void)
{
	struct buf out;
	char word[300];

	buf_init(&out);
	memset(word, 'y', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	table_para(&out, 4, "short");
	is_str(out.p, "short\n", "a short paragraph is a line");
	buf_clear(&out);
	table_para(&out, 4, arena_printf(a, "%s and some words after it", word));
	ok(widest(out.p) <= TABLE_COLUMNS, "a word longer than a line is cut");
	ok(strstr(out.p, "\n    y") != NULL, "lines after the first are indented");
	buf_clear(&out);
	table_para(&out, 0, arena_printf(a, "%.*s +10 %% up", TABLE_COLUMNS - 4, word));
	ok(strstr(out.p, "\n+10 % up\n") != NULL, "a number keeps its percent sign");
	buf_fini(&out);
}

static void numbers(void)
{
	is_str(table_value(a, 1713, "ns/call"), "1.71 us", "nanoseconds find their unit");
	is_str(table_value(a, 1775, "ns/call"), "1.78 us", "halves go up, as people round");
	is_str(table_value(a, 999.7, "ns"), "1.00 us", "what rounds up to the next unit is there");
	is_str(table_value(a, 424995500, "ns/call"), "425 ms", "milliseconds");
	is_str(table_value(a, .25, "ns/call"), "0.250 ns", "less than a nanosecond");
	is_str(table_value(a, 143857, "calls/s"), "144k", "counts in thousands");
	is_str(table_value(a, 12, "calls/s"), "12", "a small count as it is");
	is_str(table_value(a, NAN, "ns"), "-", "nothing");
	is_str(table_value(a, 1e307, "calls/s"), "1.00e+307", "no 300 digits");
	is_str(table_value(a, -2e300, "ns"), "-2.00e+291 s", "nor of time");
	is_str(table_value(a, 1.5e-300, "%"), "1.50e-300", "what is not 0 does not look like it");
	is_str(table_percent(a, 1e307), "+1.00e+307 %", "nor of percent");
	is_str(table_percent(a, 150.2622), "+150 %", "percent: three digits");
	is_str(table_percent(a, 3.6194), "+3.62 %", "percent: at most two decimals");
	is_str(table_percent(a, -66.59), "-66.6 %", "percent: the sign as computed");
	is_str(table_percent(a, 99.97), "+100 %", "percent: rounding takes no fourth digit");
	is_str(table_percent(a, 0), "0 %", "no change has no sign");
	is_str(table_sig3(a, 1.0 / 3), "0.333", "three digits");
	is_str(table_sig3(a, 1234), "1234", "a count is not rounded");
	is_str(table_sig3(a, 123456.7), "123457", "never fewer digits than the number has before the point");
}

int main(void)
{
	a = arena_new();
	csv();
	text();
	paragraphs();
	numbers();
	arena_free(a);
	return done();
}
