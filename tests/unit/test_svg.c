/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pictures: well-formed whatever they are fed, no invented points, nothing that
 * covers or leaves the paper. With SVG_OUT=DIR they are written there, to be looked at.
 */
#include "../../chart/svg.h"

#include "tap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const double size[] = { 4, 40, 400, 4000, 40000, 400000, 4000000, 40000000 };
static const double base[] = { 1713, 2071, 3453, 18804, 172613, 1699301, 17021882, 169677478 };
static const double rc1[] = { 1775, 2362, 5993, 44116, 427731, 4252714, 42512805, 424995500 };
static const double fix[] = { 1750, 2126, 3800, 22227, 205446, 2011634, 20144468, 200764472 };

static void save(const struct buf *b, const char *name)
{
	const char *dir = getenv("SVG_OUT");
	char path[512];
	FILE *f;

	if (!dir)
		return;
	snprintf(path, sizeof(path), "%s/%s.svg", dir, name);
	f = fopen(path, "w");
	if (!f || fwrite(b->p, 1, b->len, f) != b->len || fclose(f))
		ok(0, "%s was written", path);
}

static size_t count(const char *in, const char *what)
{
	size_t n = 0;

	for (; (in = strstr(in, what)); in += strlen(what))
		n++;
	return n;
}

/* Enough of an XML reader to know that tags nest, attributes close, and no bare & or < is left. */
static int well_formed(const char *s)
{
	const char *stack[64];
	size_t depth = 0, lengths[64];

	while (*s) {
		if (*s == '&') {
			if (strncmp(s, "&lt;", 4) && strncmp(s, "&gt;", 4) && strncmp(s, "&amp;", 5) && strncmp(s, "&quot;", 6))
				return 0;
		} else if ((unsigned char)*s < 0x20 && *s != '\n') {
			return 0;
		} else if (*s == '<') {
			bool closing = s[1] == '/', quoted = false;
			const char *name = s + 1 + closing;
			size_t n = strcspn(name, " />\n");

			for (s = name; *s && (quoted || *s != '>'); s++) {
				if (*s == '"')
					quoted = !quoted;
				else if (*s == '<')
					return 0;
			}
			if (!*s || !n)
				return 0;
			if (closing) {
				if (!depth || lengths[depth - 1] != n || memcmp(stack[depth - 1], name, n))
					return 0;
				depth--;
			} else if (s[-1] != '/') {
				if (depth == COUNT(stack))
					return 0;
				stack[depth] = name;
				lengths[depth++] = n;
			}
		}
		s++;
	}
	return depth == 0;
}

static int sound(const struct buf *b)
{
	return well_formed(b->p) && !strstr(b->p, "nan") && !strstr(b->p, "inf\"") && !strstr(b->p, "NaN") &&
	       !strstr(b->p, "<script") && !strstr(b->p, "href") && !strstr(b->p, "url(");
}

static void changes(double *to, const double *y)
{
	for (size_t i = 0; i < COUNT(size); i++)
		to[i] = (y[i] / base[i] - 1) * 100;
}

static void the_story(void)
{
	static const double onset[] = { 40, 400 };
	double worse[COUNT(size)], left[COUNT(size)];
	const struct chart_line lines[] = {
		{ .label = "6.16", .n = 8, .x = size, .y = base },
		{ .label = "6.17-rc1", .n = 8, .x = size, .y = rc1 },
		{ .label = "6.17-rc1+revert-cac1db8c3aad", .n = 8, .x = size, .y = fix, .hollow = true },
	};
	const struct chart_line ratios[] = {
		{ .label = "6.17-rc1", .n = 8, .x = size, .y = worse },
		{ .label = "6.17-rc1+revert-cac1db8c3aad", .n = 8, .x = size, .y = left, .hollow = true },
	};
	const struct chart_sweep c = {
		.title = "6.17-rc1 is slower than 6.16 from 40 KiB up, by +14 % .. +150 %",
		.subtitle = "mprotect/tw4m latency, milan-01 (epyc-milan), THP unknown. n = 1: one value a point, no noise estimate",
		.x_name = "size_kib", .x_unit = "KiB", .y_unit = "ns/call", .lines = lines, .n_lines = 3,
		.ratio_title = "change against 6.16", .ratios = ratios, .onsets = onset, .n_ratios = 2,
	};
	struct buf b;

	buf_init(&b);
	changes(worse, rc1);
	changes(left, fix);
	chart_sweep_svg(&b, &c);
	save(&b, "story");
	ok(sound(&b), "the story's sweep is well-formed, without script, link or outside font");
	ok(count(b.p, "class=\"line ") == 5, "three lines and two ratio lines are drawn");
	ok(count(b.p, "class=\"mark ") == 5 * 8, "each measured point has its marker, and nothing else has");
	ok(strstr(b.p, ">4<") && strstr(b.p, ">400<") && strstr(b.p, ">4000<") && strstr(b.p, ">3.91 MiB<") &&
	   strstr(b.p, "size_kib, in KiB, log scale") && count(b.p, "GiB<") == 2,
	   "ticks stand at the measured sizes, named as they are");
	ok(strstr(b.p, ">1 us<") || strstr(b.p, ">10 us<"), "y ticks are in us and ms");
	ok(strstr(b.p, ">+150 %<") && strstr(b.p, ">+18 %<"), "the ratio lines end in their percent");
	ok(strstr(b.p, "from 40 KiB on") && strstr(b.p, "from 400 KiB on"), "both onsets are marked");
	ok(strstr(b.p, "prefers-color-scheme:dark") != NULL, "it has a dark side");
	ok(count(b.p, ">6.17-rc1+revert-cac1db8c3aad<") == 1, "a line is named at its end, once");
	buf_fini(&b);
}

static void with_noise(void)
{
	double lo[8], hi[8], gap[8];
	struct chart_line lines[] = {
		{ .label = "6.16", .n = 8, .x = size, .y = base, .lo = lo, .hi = hi },
		{ .label = "6.17-rc1", .n = 8, .x = size, .y = gap },
	};
	struct chart_sweep c = {
		.title = "t", .x_name = "size_kib", .x_unit = "KiB", .y_unit = "ns/call", .lines = lines, .n_lines = 2,
	};
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < 8; i++) {
		lo[i] = i == 3 ? NAN : base[i] * 0.8;
		hi[i] = i == 3 ? NAN : base[i] * 1.3;
		gap[i] = i == 4 ? NAN : rc1[i];
	}
	chart_sweep_svg(&b, &c);
	save(&b, "noise");
	ok(sound(&b), "a sweep with bands and gaps is well-formed");
	ok(count(b.p, "class=\"band ") == 2, "the band stops where no noise is known");
	ok(count(b.p, "class=\"gap ") == 1, "a size that was not run is a gap, not a point");
	ok(count(b.p, "class=\"mark ") == 15, "and has no marker");
	ok(!strstr(b.p, "change in percent"), "without ratios there is no ratio panel");
	buf_fini(&b);
}

static void little_or_nothing(void)
{
	static const double one = 400, y = 3453, none = NAN;
	struct chart_line line = { .label = "6.16", .n = 1, .x = &one, .y = &y };
	struct chart_sweep c = { .title = "One point", .x_name = "size_kib", .x_unit = "KiB", .y_unit = "ns/call",
				 .lines = &line, .n_lines = 1 };
	struct buf b;

	buf_init(&b);
	chart_sweep_svg(&b, &c);
	save(&b, "one");
	ok(sound(&b) && count(b.p, "class=\"mark ") == 1, "one point is one marker");
	buf_clear(&b);
	line.y = &none;
	chart_sweep_svg(&b, &c);
	ok(sound(&b) && strstr(b.p, "nothing of it was measured"), "only missing values: it says so");
	buf_clear(&b);
	c.n_lines = 0;
	chart_sweep_svg(&b, &c);
	save(&b, "none");
	ok(sound(&b) && strstr(b.p, "nothing of it was measured"), "no line at all: it says so");
	buf_fini(&b);
}

static void hostile_names(void)
{
	static const char evil[] = "\"><script>alert(1)</script>&\x01\xff\xc0\x80\xed\xa0\x80]]>";
	static const double zero[] = { 0, 1e300, -5, 1e-300 }, y[] = { 1e308, 1e-308, -1, INFINITY };
	struct chart_line line = { .label = evil, .n = 4, .x = zero, .y = y };
	struct chart_sweep c = { .title = evil, .subtitle = evil, .x_name = evil, .x_unit = evil, .y_unit = evil,
				 .lines = &line, .n_lines = 1, .ratio_title = evil, .ratios = &line, .n_ratios = 1 };
	static const char *const kernels[] = { evil, evil, evil, evil };
	struct chart_trend t = { .title = evil, .subtitle = evil, .y_unit = evil, .kernels = kernels, .n_kernels = 4,
				 .lines = &line, .n_lines = 1 };
	struct buf b;

	buf_init(&b);
	chart_sweep_svg(&b, &c);
	ok(sound(&b) && strstr(b.p, "&lt;script&gt;"), "hostile names stay text in a sweep");
	buf_clear(&b);
	chart_trend_svg(&b, &t);
	ok(sound(&b) && strstr(b.p, "&lt;script&gt;"), "hostile names stay text in a trend");
	buf_fini(&b);
}

/* y of every name in the room right of the panel: none closer than a line of text. */
static int labels_apart(const char *svg)
{
	double at[64], x, y;
	size_t n = 0;

	for (const char *s = svg; (s = strstr(s, "<text x=\"")); s++)
		if (sscanf(s, "<text x=\"%lf\" y=\"%lf\" class=\"t", &x, &y) == 2 && strstr(s, "class=\"t") &&
		    strstr(s, "class=\"t") < strchr(s, '>') && !strstr(s, "title") && n < COUNT(at))
			at[n++] = y;
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			if (fabs(at[i] - at[k]) < 14)
				return 0;
	return 1;
}

static void many_lines(void)
{
	struct chart_line lines[40];
	char names[40][16];
	double y[40][8];
	struct chart_sweep c = { .title = "Forty lines", .x_name = "size_kib", .x_unit = "KiB", .y_unit = "ns/call",
				 .lines = lines, .n_lines = 40 };
	struct buf b;

	for (size_t i = 0; i < 40; i++) {
		snprintf(names[i], sizeof(names[i]), "6.%zu", i);
		for (size_t k = 0; k < 8; k++)
			y[i][k] = base[k] * (1 + 0.001 * (double)i);
		lines[i] = (struct chart_line){ .label = names[i], .n = 8, .x = size, .y = y[i] };
	}
	buf_init(&b);
	chart_sweep_svg(&b, &c);
	save(&b, "many");
	ok(sound(&b) && labels_apart(b.p), "names of lines that end together are moved apart");
	ok(strstr(b.p, ">and 21 more<") != NULL, "and where there is no room, it says how many are left out");
	buf_fini(&b);
}

static void a_trend(void)
{
	static const char *const kernels[] = { "6.12", "6.13", "6.14", "6.15", "6.16", "6.17-rc1", "6.17-rc2", "6.17" };
	static const double y[] = { 1700, 1710, 1695, NAN, 1699, 4252, 4260, 4249 }, lo[] = { 1680, 1690, 1675, NAN, 1680, 4200, 4210, 4200 },
			    hi[] = { 1720, 1730, 1715, NAN, 1720, 4300, 4310, 4300 };
	const struct chart_line line = { .label = "400000 KiB", .n = 8, .y = y, .lo = lo, .hi = hi };
	const struct chart_change change = { .line = 0, .at = 5, .percent = 150.3, .worse = true };
	static const struct chart_variant variants[] = {
		{ .line = 0, .at = 5, .y = 1702, .name = "6.17-rc1+revert-cac1db8c3aad" },
		{ .line = 0, .at = 5, .y = 12000, .name = "6.17-rc1+apply-x" },
		{ .line = 1, .at = 5, .y = 1e9, .name = "6.17-rc1+apply-y" },
		{ .line = 0, .at = 5, .y = 1600, .name = "6.17-rc1+revert-cac1db8c3aad" },
	};
	struct chart_trend t = { .title = "mprotect/tw4m latency: +150 % with 6.17-rc1", .subtitle = "milan-01, THP always",
				 .y_unit = "ns/call", .kernels = kernels, .n_kernels = 8, .lines = &line, .n_lines = 1,
				 .changes = &change, .n_changes = 1 };
	struct buf b;

	buf_init(&b);
	chart_trend_svg(&b, &t);
	save(&b, "trend");
	ok(sound(&b), "a trend is well-formed");
	ok(count(b.p, "class=\"mark ") == 7 && count(b.p, "class=\"gap ") == 1, "a kernel that was not run is a gap");
	ok(strstr(b.p, ">+150 %<") && strstr(b.p, "\"worse halo\""), "a step carries its percent and its side");
	ok(strstr(b.p, ">6.17-rc2</text>") != NULL, "kernels are named in order under the axis");
	buf_clear(&b);
	t.variants = variants;
	t.n_variants = 4;
	chart_trend_svg(&b, &t);
	save(&b, "trend-variants");
	ok(sound(&b) && count(b.p, "hollow\"") == 3 && count(b.p, "class=\"mark f0\"") == 7,
	   "variants are hollow marks beside the points of the line; one of a line that is not there is none");
	ok(strstr(b.p, "<title>6.17-rc1+revert-cac1db8c3aad: 1.7 us</title>") && count(b.p, ">+revert-cac1db8c3aad</text>") == 1,
	   "a variant tells its name, and what it adds to that of its kernel stands beside the highest");
	ok(count(b.p, ">6.17-rc1</text>") == 1 && count(b.p, ">6.17-rc1+") == 3 && count(b.p, "<title>6.17-rc1+") == 3, "a variant has no place of its own on the axis");
	ok(strstr(b.p, ">12 us<") || strstr(b.p, ">10 us<"), "the axis reaches a variant above all points");
	buf_clear(&b);
	t.n_variants = 0;
	t.n_kernels = 0;
	t.n_lines = 0;
	chart_trend_svg(&b, &t);
	ok(sound(&b) && strstr(b.p, "nothing of it was measured"), "no kernel at all: it says so");
	buf_fini(&b);
}

static void the_widest_range(void)
{
	static const char *const kernels[] = { "6.16", "6.17" };
	static const double y[] = { 0, 1.7e308 };
	const struct chart_line line = { .label = "x", .n = 2, .y = y };
	const struct chart_trend t = { .title = "All that a double holds", .y_unit = "x", .kernels = kernels,
				       .n_kernels = 2, .lines = &line, .n_lines = 1 };
	struct buf b;

	buf_init(&b);
	chart_trend_svg(&b, &t);
	ok(sound(&b) && !strstr(b.p, ">inf"), "the widest range has finite ticks");
	buf_fini(&b);
}

static void a_comparison(void)
{
	struct chart_effect rows[] = {
		{ .group = "mprotect", .label = "4 KiB", .text = "+3.6 %, can't tell", .percent = 3.6, .lo = -2, .hi = 9, .remains = NAN,
		  .tone = CHART_WORSE },
		{ .group = "mprotect", .label = "400 KiB", .text = "+150 %, regression", .percent = 150, .lo = 120, .hi = 180,
		  .remains = 18, .tone = CHART_WORSE, .claimed = true },
		{ .group = "mremap </text>", .label = "<b>", .text = "-66 %, improvement", .percent = -66, .lo = NAN, .hi = NAN,
		  .remains = NAN, .tone = CHART_BETTER, .claimed = true },
		{ .group = "mremap </text>", .label = "lost", .text = "all of it", .percent = -100, .lo = NAN, .hi = NAN, .remains = NAN },
	};
	struct chart_compare c = { .title = "6.17-rc1 against 6.16", .subtitle = "n", .fix = "revert", .rows = rows, .n_rows = 4,
				   .n_all = 70 };
	struct buf b;

	buf_init(&b);
	chart_compare_svg(&b, &c);
	save(&b, "compare");
	ok(sound(&b), "a comparison is well-formed");
	ok(count(b.p, "<circle class=\"mark ") == 4, "each row has its mark");
	ok(count(b.p, "class=\"line s") == 2, "an interval is drawn only where there is one");
	ok(count(b.p, "mark sneutral hollow") == 1, "what remains stands where a fix was run");
	ok(count(b.p, "class=\"bold halo\"") == 2, "a heading a group");
	ok(strstr(b.p, ">4 of 70 rows") != NULL, "rows that are left out are told");
	buf_clear(&b);
	c.n_rows = c.n_all = 0;
	chart_compare_svg(&b, &c);
	ok(sound(&b) && strstr(b.p, "Nothing of this selection"), "nothing to compare: it says so");
	buf_fini(&b);
}

static void a_matrix(void)
{
	const char *rows[] = { "epyc-milan", "neoverse-n1 & more" }, *cols[] = { "always", "never", "<unknown>" };
	struct chart_cell cells[] = {
		{ .text = "-66.6 %", .note = "improvement, 12 rows", .brief = "improvement", .strength = 4, .tone = CHART_BETTER },
		{ .text = "+150 %", .note = "regression, 1 row", .brief = "regression", .strength = 3, .tone = CHART_WORSE },
		{ 0 },
		{ .text = "+0.1 %", .note = "unchanged, 1 row", .brief = "unchanged" },
		{ 0 }, { 0 },
	};
	struct chart_matrix m = { .title = "t", .subtitle = "s", .row_name = "uarch", .col_name = "thp", .rows = rows, .cols = cols,
				  .n_rows = 2, .n_cols = 3, .n_all_rows = 2, .n_all_cols = 3, .cells = cells };
	struct buf b;

	buf_init(&b);
	chart_matrix_svg(&b, &m);
	save(&b, "matrix");
	ok(sound(&b), "a matrix is well-formed");
	ok(count(b.p, "<rect class=\"cell") == 3, "a cell that is empty has no colour and no number");
	ok(strstr(b.p, "\"cell d4\"") && strstr(b.p, "\"cell w3\"") && strstr(b.p, "<rect class=\"cell\""),
	   "side and strength have a colour each, unchanged has none");
	ok(strstr(b.p, ">improvement, 12 rows<") != NULL, "the word stands in the cell");
	buf_clear(&b);
	m.n_all_cols = 40;
	chart_matrix_svg(&b, &m);
	ok(sound(&b) && strstr(b.p, "3 of 40 columns"), "columns that are left out are told");
	buf_clear(&b);
	m.n_rows = 0;
	chart_matrix_svg(&b, &m);
	ok(sound(&b) && strstr(b.p, "Nothing of this selection"), "no rows: it says so");
	buf_fini(&b);
}

static void numbers(void)
{
	char out[SVG_TEXT];

	svg_number(out, 1713, svg_unit_of("ns/call", 1713));
	is_str(out, "1.71 us", "3 significant digits, the unit chosen by size");
	svg_number(out, 424995500, svg_unit_of("ns", 424995500));
	is_str(out, "425 ms", "ms");
	svg_number(out, 999.6, svg_unit_of("ns/call", 999.6));
	is_str(out, "1000 ns", "no fourth digit behind the point");
	svg_number(out, 143857, svg_unit_of("calls/s", 143857));
	is_str(out, "144 k", "what is no time keeps its own unit");
	svg_percent(out, 150.26);
	is_str(out, "+150 %", "percent with sign");
	svg_percent(out, -3.58);
	is_str(out, "-3.6 %", "a small percent has one decimal");
	svg_percent(out, -0.01);
	is_str(out, "0 %", "0 has no sign");
	svg_size(out, 40, "KiB");
	is_str(out, "40 KiB", "a size in KiB");
	svg_size(out, 4096, "KiB");
	is_str(out, "4 MiB", "a whole number of MiB is said so");
	svg_size(out, 4000, "KiB");
	is_str(out, "4000 KiB", "4000 KiB is not 4 MiB");
	svg_size(out, 40000000, "KiB");
	is_str(out, "40\xe2\x80\x89" "000\xe2\x80\x89" "000 KiB", "long numbers are grouped");
	svg_shorten(out, sizeof(out), "6.17.0-0.rc1.17.eln150.x86_64", 11);
	is_str(out, "6.17.\xe2\x80\xa6""86_64", "a long name keeps both ends");
}

int main(void)
{
	the_story();
	with_noise();
	little_or_nothing();
	hostile_names();
	many_lines();
	a_trend();
	the_widest_range();
	a_comparison();
	a_matrix();
	numbers();
	return done();
}
