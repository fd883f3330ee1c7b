/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times in any spelling that benchmark tools print, to nanoseconds. */
#include "unit.h"

#include <string.h>
#include <strings.h>

/*
 * Symbols of one or two letters count in lower case only ("S" is siemens, "Ms" a
 * megasecond); longer words in any case ("mSec" is UnixBench's).
 */
static const struct time_word {
	const char *word;
	double nsec;
} time_words[] = {
	{ "ps", 1e-3 },		{ "psec", 1e-3 },	{ "picosecond", 1e-3 }, { "ns", 1 },
	{ "nsec", 1 },		{ "nanosec", 1 },	{ "nanosecond", 1 },	{ "us", 1e3 },
	{ "usec", 1e3 },	{ "microsec", 1e3 },	{ "microsecond", 1e3 }, { "\xc2\xb5s", 1e3 },
	{ "\xc2\xb5sec", 1e3 }, /* U+00B5 micro sign */
	{ "\xce\xbcs", 1e3 },	{ "\xce\xbcsec", 1e3 }, /* U+03BC Greek mu */
	{ "ms", 1e6 },		{ "msec", 1e6 },	{ "millisec", 1e6 },	{ "millisecond", 1e6 },
	{ "s", 1e9 },		{ "sec", 1e9 },		{ "second", 1e9 },	{ "min", 60e9 },
	{ "minute", 60e9 },	{ "h", 3600e9 },	{ "hour", 3600e9 },
};

/* Nanoseconds of the time word s[0..n), or 0. A plural s is one of a word, not of a symbol. */
static double nsec_of(const char *s, size_t n)
{
	for (size_t i = 0; i < sizeof(time_words) / sizeof(*time_words); i++) {
		const struct time_word *w = &time_words[i];
		size_t len = strlen(w->word);
		bool symbol = len < 3;

		if (n == len && !(symbol ? strncmp(s, w->word, n) : strncasecmp(s, w->word, n)))
			return w->nsec;
		if (!symbol && n == len + 1 && (s[len] == 's' || s[len] == 'S') &&
		    !strncasecmp(s, w->word, len))
			return w->nsec;
	}
	return 0;
}

bool unit_canonical(struct arena *a, const char *unit, const char **canonical, double *factor)
{
	size_t n = strcspn(unit, " /");
	const char *rest = unit + n;
	double nsec = nsec_of(unit, n);

	*canonical = unit;
	*factor = 1;
	if (!(nsec > 0))
		return false;
	rest += strspn(rest, " ");
	if (*rest == '/')
		rest++;
	else if (!strncmp(rest, "per ", 4))
		rest += 4;
	else if (*rest)
		return false; /* "seconds elapsed": we do not know what is said */
	rest += strspn(rest, " ");
	if (unit[n] && !*rest)
		return false; /* "us/" */
	*factor = nsec;
	if (!*rest)
		*canonical = "ns";
	else if (nsec == 1 && n == 2 && rest == unit + 3)
		*canonical = unit;
	else
		*canonical = arena_printf(a, "ns/%s", rest);
	return true;
}
