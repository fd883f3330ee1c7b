/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Units: times become nanoseconds, the denominator stays, all else stays as it came. */
#include "tap.h"

#include "../../ingest/unit.h"

static const struct {
	const char *unit, *canonical;
	double factor; /* 0: no time */
} rows[] = {
	{ "ns", "ns", 1 },
	{ "ns/call", "ns/call", 1 },
	{ "nsec/call", "ns/call", 1 },
	{ "nsec", "ns", 1 },
	{ "us/call", "ns/call", 1e3 },
	{ "usec", "ns", 1e3 },
	{ "usecs/op", "ns/op", 1e3 },
	{ "\xc2\xb5s", "ns", 1e3 },
	{ "\xce\xbcs/op", "ns/op", 1e3 },
	{ "microseconds", "ns", 1e3 },
	{ "ms", "ns", 1e6 },
	{ "msec/op", "ns/op", 1e6 },
	{ "mSec", "ns", 1e6 },
	{ "milliseconds", "ns", 1e6 },
	{ "s", "ns", 1e9 },
	{ "sec", "ns", 1e9 },
	{ "seconds", "ns", 1e9 },
	{ "Seconds", "ns", 1e9 },
	{ "s/GB", "ns/GB", 1e9 },
	{ "ps", "ns", 1e-3 },
	{ "min", "ns", 6e10 },
	{ "minutes", "ns", 6e10 },
	{ "hours", "ns", 3.6e12 },
	{ "us per call", "ns/call", 1e3 },
	{ "usec / op", "ns/op", 1e3 },
	{ "nanoseconds/iter", "ns/iter", 1 },
	{ "calls/s", NULL, 0 },
	{ "ops/us", NULL, 0 },
	{ "MB/s", NULL, 0 },
	{ "unstated", NULL, 0 },
	{ "", NULL, 0 },
	{ "S", NULL, 0 },
	{ "Ms", NULL, 0 },
	{ "NS", NULL, 0 },
	{ "cycles", NULL, 0 },
	{ "seconds elapsed", NULL, 0 },
	{ "us/", NULL, 0 },
	{ "secular", NULL, 0 },
	{ "percent", NULL, 0 },
	{ "nss", NULL, 0 },
	{ "bogo ops/s", NULL, 0 },
	{ "/s", NULL, 0 },
	{ "us ", NULL, 0 },
};

int main(void)
{
	struct arena *a = arena_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *canonical;
		double factor;
		bool time = unit_canonical(a, rows[i].unit, &canonical, &factor);

		is_str(canonical, rows[i].canonical ? rows[i].canonical : rows[i].unit, rows[i].unit);
		ok(time == (rows[i].factor > 0) && factor == (time ? rows[i].factor : 1), "%s: times %g",
		   rows[i].unit, factor);
	}
	arena_free(a);
	return done();
}
