/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From numbers to places and to words: ranges, scales, ticks, units. */
#include "svg.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void svg_range_add(struct svg_range *r, double v)
{
	if (!isfinite(v))
		return;
	if (r->lo > r->hi)
		r->lo = r->hi = v;
	else
		r->lo = fmin(r->lo, v), r->hi = fmax(r->hi, v);
}

void svg_range_lines(struct svg_range *r, const struct chart_line *lines, size_t n, bool positive)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < lines[i].n; k++) {
			const double *of[] = { lines[i].y, lines[i].lo, lines[i].hi };

			if (!isfinite(lines[i].y[k]))
				continue;	/* a band without its point is not drawn either */
			for (size_t o = 0; o < 3; o++)
				if (of[o] && (!positive || of[o][k] > 0))
					svg_range_add(r, of[o][k]);
		}
}

static double on_axis(const struct svg_scale *s, double v)
{
	return s->log ? log10(v) : v;
}

double svg_at(const struct svg_scale *s, double v)
{
	double a = on_axis(s, s->v0), b = on_axis(s, s->v1);
	double share = (on_axis(s, v) - a) / (b - a);

	/* ends that are equal, or too far apart for a double's difference */
	if (!(b > a) || !isfinite(share))
		return (s->p0 + s->p1) / 2;
	return s->p0 + share * (s->p1 - s->p0);
}

void svg_widen(struct svg_scale *s, double share)
{
	double a = on_axis(s, s->v0), b = on_axis(s, s->v1), by = (b - a) * share;

	if (!(by > 0))	/* a single value: stand in the middle of something */
		by = s->log ? 0.3 : a ? fabs(a) * 0.1 : 1;
	s->v0 = fmax(s->log ? pow(10, a - by) : a - by, s->log ? DBL_MIN : -DBL_MAX);
	s->v1 = fmin(s->log ? pow(10, b + by) : b + by, DBL_MAX);
}

static size_t log_ticks(const struct svg_scale *s, double *ticks, size_t max)
{
	static const double few[] = { 1 }, some[] = { 1, 2, 5 }, many[] = { 1, 1.5, 2, 3, 4, 5, 6, 8 };
	double decades = log10(s->v1 / s->v0);
	const double *of = decades > 2.2 ? few : decades > 0.8 ? some : many;
	size_t n_of = decades > 2.2 ? 1 : decades > 0.8 ? 3 : 8, n = 0;
	int from = (int)floor(log10(s->v0)), to = (int)ceil(log10(s->v1)), step = 1 + (to - from) / 10;

	for (int d = from; d <= to; d += step)
		for (size_t i = 0; i < n_of; i++) {
			double v = of[i] * pow(10, d);

			if (v >= s->v0 && v <= s->v1 && n < max)
				ticks[n++] = v;
		}
	return n;
}

size_t svg_ticks(const struct svg_scale *s, double *ticks, size_t max)
{
	double span = s->v1 - s->v0, step, decade;
	size_t n = 0;

	if (!(span > 0) || !isfinite(span) || max < 2)
		return 0;
	if (s->log && log10(s->v1 / s->v0) > 0.35)
		return log_ticks(s, ticks, max);
	step = span / 5;
	decade = pow(10, floor(log10(step)));
	step = step / decade <= 1 ? decade : step / decade <= 2 ? 2 * decade : step / decade <= 5 ? 5 * decade : 10 * decade;
	for (double k = ceil(s->v0 / step); k * step <= fmin(s->v1 + span * 1e-9, DBL_MAX) && n < max; k++)
		ticks[n++] = k * step + 0.0;	/* no "-0" */
	return n;
}

static bool starts(const char *s, const char *with)
{
	size_t n = strlen(with);

	return !strncmp(s, with, n) && (s[n] == 0 || s[n] == '/');
}

struct svg_unit svg_unit_of(const char *unit, double around)
{
	double v = fabs(around);

	if (starts(unit, "ns"))
		return v >= 1e9 ? (struct svg_unit){ 1e-9, "s" } : v >= 1e6 ? (struct svg_unit){ 1e-6, "ms" } :
		       v >= 1e3 ? (struct svg_unit){ 1e-3, "us" } : (struct svg_unit){ 1, "ns" };
	return v >= 1e9 ? (struct svg_unit){ 1e-9, "G" } : v >= 1e6 ? (struct svg_unit){ 1e-6, "M" } :
	       v >= 1e4 ? (struct svg_unit){ 1e-3, "k" } : (struct svg_unit){ 1, "" };
}

/* 3 significant digits; more where the number has them before its point. */
static void significant(char *out, size_t size, double v)
{
	double a = fabs(v);
	int digits = a >= 99.95 || a == 0 ? 0 : a >= 9.995 ? 1 : a >= 0.9995 ? 2 : a >= 0.09995 ? 3 : a >= 0.009995 ? 4 : -1;

	if (digits < 0)
		snprintf(out, size, "%.3g", v);
	else
		snprintf(out, size, "%.*f", digits, v);
	if (digits > 0) {
		size_t n = strlen(out);

		while (n && out[n - 1] == '0')
			out[--n] = 0;
		if (n && out[n - 1] == '.')
			out[n - 1] = 0;
	}
}

void svg_number(char out[SVG_TEXT], double v, struct svg_unit unit)
{
	char digits[48];

	significant(digits, sizeof(digits), v * unit.factor);
	snprintf(out, SVG_TEXT, "%s%s%s", digits, *unit.suffix ? " " : "", unit.suffix);
}

void svg_percent(char out[SVG_TEXT], double percent)
{
	char digits[48];
	double a = fabs(percent);

	if (a < 0.05)
		snprintf(digits, sizeof(digits), "0");
	else
		snprintf(digits, sizeof(digits), a >= 9.995 ? "%.0f" : "%.1f", a);
	snprintf(out, SVG_TEXT, "%s%s %%", a < 0.05 ? "" : percent < 0 ? "-" : "+", digits);
}

/* 40000000 as "40 000 000", thin spaces between. */
static void grouped(char *out, size_t size, double v)
{
	char digits[64];
	size_t n, used = 0;

	snprintf(digits, sizeof(digits), "%.0f", v);
	n = strlen(digits);
	for (size_t i = 0; i < n && used + 5 < size; i++) {
		if (i && (n - i) % 3 == 0 && n > 4 && digits[i - 1] != '-')
			used += (size_t)snprintf(out + used, size - used, "\xe2\x80\x89");
		out[used++] = digits[i];
	}
	out[used] = 0;
}

static const char *const sizes[] = { "KiB", "MiB", "GiB", "TiB" };

void svg_size(char out[SVG_TEXT], double x, const char *unit)
{
	char digits[96];
	size_t step = 0;

	if (!strcmp(unit, "KiB"))
		while (step < 3 && x >= 1024 && fmod(x, 1024) == 0)
			x /= 1024, step++;
	if (x == floor(x) && fabs(x) < 1e15)
		grouped(digits, sizeof(digits), x);
	else
		significant(digits, sizeof(digits), x);
	snprintf(out, SVG_TEXT, "%s%s%s", digits, *unit ? " " : "", step ? sizes[step] : unit);
}

void svg_size_about(char out[SVG_TEXT], double x, const char *unit)
{
	char digits[48];
	size_t step = 0;
	double v = x;

	*out = 0;
	if (strcmp(unit, "KiB") || x < 1024 || fmod(x, 1024) == 0)
		return;
	while (step < 3 && v >= 1024)
		v /= 1024, step++;
	significant(digits, sizeof(digits), v);
	snprintf(out, SVG_TEXT, "%s %s", digits, sizes[step]);
}
