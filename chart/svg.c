/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The document, its style sheet, and text in it. Scales are in svg_scale.c, marks in svg_marks.c. */
#include "svg.h"

#include <stdio.h>
#include <string.h>

/*
 * Hues after Okabe and Ito, darkened on white (text >= 4.5 : 1) and lightened on black;
 * static/base.css has the same values, so that a page and its pictures agree.
 */
static const char style[] =
	"svg{color-scheme:light dark;--bg:#fff;--fg:#1c1f23;--muted:#5b636d;--rule:#dfe3e7;--axis:#8b949e;"
	"--worse:#bd4b00;--better:#0068a8;--w1:#fdf1e8;--w2:#fbdcc4;--w3:#f6bd94;--w4:#e8905a;"
	"--b1:#ebf4fa;--b2:#cde4f3;--b3:#9fcbe8;--b4:#66a9d6;--heat-fg:#1c1f23;--soft:#f6f7f8;"
	"--s0:#30363d;--s1:#bd4b00;--s2:#0068a8;--s3:#00785a;--s4:#a5457f;--s5:#8f6200;--s6:#24759f;--s7:#6b6b6b;"
	"--s8:#7d4f26;--s9:#5f6b00;--s10:#6a4fb3;--s11:#006d77}"
	"@media (prefers-color-scheme:dark){svg{--bg:#14171a;--fg:#e3e6ea;--muted:#98a1ab;--rule:#2b3036;--axis:#6b747e;"
	"--worse:#ff8a4c;--better:#5bb5ee;--w1:#2b1e16;--w2:#48291a;--w3:#6f3a1c;--w4:#96481a;"
	"--b1:#16232d;--b2:#193549;--b3:#1c4b6b;--b4:#20628e;--heat-fg:#f2f4f6;--soft:#1c2025;"
	"--s0:#d5d9de;--s1:#ff8a4c;--s2:#5bb5ee;--s3:#2fc69b;--s4:#e29ac4;--s5:#e6a91e;--s6:#9fd0f0;--s7:#a0a0a0;"
	"--s8:#cfa57a;--s9:#c2cb52;--s10:#b6a5f5;--s11:#58c8d2}}"
	"text{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu Sans',sans-serif;fill:var(--fg);"
	"font-variant-numeric:tabular-nums}"
	".bg{fill:var(--bg)}.title{font-size:16px;font-weight:600}.muted{fill:var(--muted)}.small{font-size:11px;fill:var(--muted)}"
	".halo{paint-order:stroke;stroke:var(--bg);stroke-width:4px;stroke-linejoin:round}"
	".worse{fill:var(--worse)}.better{fill:var(--better)}.bold{font-weight:600}"
	".sneutral{stroke:var(--axis)}.sworse{stroke:var(--worse)}.sbetter{stroke:var(--better)}"
	".cell{fill:var(--soft)}.w1{fill:var(--w1)}.w2{fill:var(--w2)}.w3{fill:var(--w3)}.w4{fill:var(--w4)}"
	".d1{fill:var(--b1)}.d2{fill:var(--b2)}.d3{fill:var(--b3)}.d4{fill:var(--b4)}.heat{fill:var(--heat-fg)}"
	".rule{stroke:var(--rule)}.axis{stroke:var(--axis)}.lead{stroke:var(--axis);stroke-width:.7}"
	".onset{stroke-dasharray:2 3}.band{stroke:none;opacity:.16}.gap{opacity:.5;stroke-dasharray:1 4}"
	"path,line,circle{fill:none}.line{stroke-width:2;stroke-linejoin:round}.hollow{fill:var(--bg)}"
#define S(n) ".c" #n "{stroke:var(--s" #n ")}.f" #n "{fill:var(--s" #n ");stroke:var(--s" #n ")}" \
	".b" #n "{fill:var(--s" #n ")}.t" #n "{fill:var(--s" #n ")}"
	S(0) S(1) S(2) S(3) S(4) S(5) S(6) S(7) S(8) S(9) S(10) S(11)
#undef S
	".mark{stroke-width:1.6}";

void svg_begin(struct buf *out, double width, double height, const char *title, const char *desc)
{
	buf_printf(out,
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
		   "role=\"img\" aria-labelledby=\"title desc\">\n<title id=\"title\">",
		   width, height, width, height);
	svg_escape(out, title, strlen(title));
	buf_puts(out, "</title>\n<desc id=\"desc\">");
	svg_escape(out, desc, strlen(desc));
	buf_printf(out, "</desc>\n<style>%s</style>\n<rect class=\"bg\" width=\"%.0f\" height=\"%.0f\"/>\n", style, width,
		   height);
}

void svg_end(struct buf *out)
{
	buf_puts(out, "</svg>\n");
}

/* Marks that turn around the text behind them (RLO and its kin), and line ends of Unicode. */
static bool turns_text(const unsigned char *s, size_t len)
{
	if (len != 3 || s[0] != 0xe2)
		return false;
	return (s[1] == 0x80 && (s[2] == 0x8e || s[2] == 0x8f || (s[2] >= 0xa8 && s[2] <= 0xae))) ||
	       (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9);
}

/* Bytes of the UTF-8 character at s, or 0 where there is none that XML may hold, or a picture show. */
static size_t character(const unsigned char *s, size_t n)
{
	size_t len = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 :
		     s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;

	if (!len || len > n)
		return 0;
	if (len == 1)
		return s[0] >= 0x20 && s[0] != 0x7f ? 1 : 0;
	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||	/* overlong, surrogates */
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f) ||
	    (s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe) ||			/* U+FFFE, U+FFFF */
	    turns_text(s, len))
		return 0;
	return len;
}

void svg_escape(struct buf *out, const char *s, size_t n)
{
	for (size_t i = 0, len; i < n; i += len ? len : 1) {
		len = character((const unsigned char *)s + i, n - i);
		if (!len)
			buf_puts(out, "\xef\xbf\xbd");
		else if (s[i] == '<')
			buf_puts(out, "&lt;");
		else if (s[i] == '>')
			buf_puts(out, "&gt;");
		else if (s[i] == '&')
			buf_puts(out, "&amp;");
		else if (s[i] == '"')
			buf_puts(out, "&quot;");
		else
			buf_add(out, s + i, len);
	}
}

void svg_text(struct buf *out, double x, double y, const char *class, const char *anchor, const char *s)
{
	buf_printf(out, "<text x=\"%.1f\" y=\"%.1f\"", x, y);
	if (*class)
		buf_printf(out, " class=\"%s\"", class);
	if (strcmp(anchor, "start"))
		buf_printf(out, " text-anchor=\"%s\"", anchor);
	buf_putc(out, '>');
	svg_escape(out, s, strlen(s));
	buf_puts(out, "</text>\n");
}

static bool starts_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

static size_t characters(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += starts_character(*s);
	return n;
}

static double em_of(const char *s)
{
	if (!starts_character(*s))
		return 0;
	if (!strncmp(s, "\xe2\x80\x89", 3))	/* thin space */
		return 0.2;
	return strchr("iljt.,:;'|! -", *s) ? 0.36 : strchr("mwMW%", *s) ? 0.92 : 0.63;
}

/* Wide enough for DejaVu Sans, the widest of the usual system fonts. */
double svg_width(const char *s, double font_px)
{
	double em = 0;

	for (; *s; s++)
		em += em_of(s);
	return em * font_px;
}

void svg_shorten(char *out, size_t size, const char *s, size_t max)
{
	size_t n = characters(s), head, tail, used = 0, at = 0;

	if (n <= max && strlen(s) < size) {
		snprintf(out, size, "%s", s);
		return;
	}
	if (max * 4 + 4 > size)
		max = (size - 4) / 4;
	tail = (max - 1) / 2;
	head = max - 1 - tail;
	for (; *s; s++) {
		at += starts_character(*s);
		if (at <= head || at > n - tail)
			out[used++] = *s;
		else if (at == head + 1 && starts_character(*s))
			used += (size_t)snprintf(out + used, size - used, "\xe2\x80\xa6");
		if (used + 4 >= size)	/* not UTF-8 at all: continuation bytes without end */
			break;
	}
	out[used] = 0;
}

/* Where s is to be broken so that its first part fits: at a blank if there is one. */
static size_t break_at(const char *s, double font_px, double width)
{
	double used = 0;
	size_t blank = 0, i;

	for (i = 0; s[i]; i++) {
		used += em_of(s + i) * font_px;
		if (used > width)
			break;
		if (s[i] == ' ')
			blank = i;
	}
	if (!s[i])
		return i;
	if (blank)
		return blank;
	while (i > 1 && !starts_character(s[i]))
		i--;
	return i ? i : 1;
}

/* A paragraph of at most `rows` lines; the last one ends in an ellipsis when more is left. */
static double paragraph(struct buf *out, const char *s, const char *class, double font_px, double x, double y,
			double width, int rows)
{
	struct buf row;

	buf_init(&row);
	for (int i = 0; i < rows && *s; i++, y += font_px * 1.35) {
		size_t n = break_at(s, font_px, width);

		buf_clear(&row);
		buf_add(&row, s, n);
		s += n;
		while (*s == ' ')
			s++;
		if (i == rows - 1 && *s)
			buf_puts(&row, " \xe2\x80\xa6");
		svg_text(out, x, y, class, "start", row.p);
	}
	buf_fini(&row);
	return y;
}

double svg_heading(struct buf *out, double x, double width, const char *title, const char *subtitle)
{
	double y = paragraph(out, title, "title", 16, x, 24, width, 2);

	if (subtitle && *subtitle)
		y = paragraph(out, subtitle, "muted", 12, x, y - 1, width, 2);
	return y;
}

void svg_nothing(struct buf *out, double width, const char *title, const char *subtitle, const char *text)
{
	static const double edge = 12;
	double y;

	svg_begin(out, width, 160, title, "No data for this selection.");
	y = svg_heading(out, edge, width - 2 * edge, title, subtitle);
	svg_text(out, edge, y + 24, "muted", "start", text);
	svg_end(out);
}
