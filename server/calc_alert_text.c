/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of alerts that mails, feeds and tables share. */
#include "calc_alert.h"

#include <math.h>
#include <string.h>

#include "../chart/table.h"

/* As a query value: everything but the unreserved (RFC 3986, 2.3) and '/'. */
static void add_encoded(struct buf *out, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		    strchr("-._~/", c))
			buf_putc(out, *s);
		else
			buf_printf(out, "%%%02X", c);
	}
}

const char *calc_alert_encoded(struct arena *a, const char *s)
{
	const char *text;
	struct buf b;

	buf_init(&b);
	add_encoded(&b, s);
	text = arena_strdup(a, b.p);
	buf_fini(&b);
	return text;
}

const char *calc_alert_range_text(struct arena *a, const struct calc_alert *al)
{
	double least, greatest;

	calc_alert_range(al, &least, &greatest);
	if (isnan(least))
		least = greatest = al->alert->worst_percent;
	/* the smaller change first: "+14 % .. +150 %", "-5 % .. -43 %" */
	if (fabs(least) > fabs(greatest)) {
		double swap = least;

		least = greatest;
		greatest = swap;
	}
	if (!strcmp(table_percent(a, least), table_percent(a, greatest)))
		return table_percent(a, greatest);
	return arena_printf(a, "%s .. %s", table_percent(a, least), table_percent(a, greatest));
}

const char *calc_alert_list_text(struct arena *a, const char *const *list, size_t n, size_t most)
{
	struct buf b;
	const char *text;

	buf_init(&b);
	for (size_t i = 0; i < n && i < most; i++)
		buf_printf(&b, "%s%s", i ? ", " : "", list[i]);
	if (n > most)
		buf_printf(&b, " and %zu more", n - most);
	text = arena_strdup(a, b.p);
	buf_fini(&b);
	return text;
}
