/* SPDX-License-Identifier: GPL-2.0-or-later */
/* TAP for prove(1), in a page: ok(condition, "what a user would say"), is_str(), is_num(), done(). */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tap_n, tap_failed;

__attribute__((format(printf, 2, 3), unused)) static int ok(int good, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", good ? "" : "not ", ++tap_n);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	tap_failed += !good;
	return good;
}

__attribute__((unused)) static int is_str(const char *got, const char *want, const char *what)
{
	int good = got && want ? !strcmp(got, want) : got == want;

	ok(good, "%s", what);
	if (!good)
		printf("#      got: %s\n# expected: %s\n", got ? got : "(null)", want ? want : "(null)");
	return good;
}

/* Within a relative tolerance (absolute around 0); NaN equals NaN. */
__attribute__((unused)) static int is_num(double got, double want, double tolerance, const char *what)
{
	int good = (isnan(got) && isnan(want)) || fabs(got - want) <= tolerance * fmax(1e-300, fabs(want)) ||
		   (want == 0 && fabs(got) <= tolerance);

	ok(good, "%s", what);
	if (!good)
		printf("#      got: %.17g\n# expected: %.17g\n", got, want);
	return good;
}

__attribute__((unused)) static void skip(const char *what, const char *why)
{
	printf("ok %d - %s # SKIP %s\n", ++tap_n, what, why);
}

__attribute__((unused)) static int done(void)
{
	printf("1..%d\n", tap_n);
	return tap_failed != 0;
}

#endif
