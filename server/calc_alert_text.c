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

void calc_alert_csv(struct buf *out, struct arena *a, const struct calc_alert *al)
{
	static const struct table_col cols[] = {
		{ .name = "series_id" },     { .name = "benchmark" },	 { .name = "metric" },
		{ .name = "unit" },	     { .name = "better" },	 { .name = "params" },
		{ .name = "machine" },	     { .name = "uarch" },	 { .name = "thp" },
		{ .name = "from" },	     { .name = "to" },		 { .name = "before_center" },
		{ .name = "after_center" },  { .name = "before_boots" }, { .name = "after_boots" },
		{ .name = "change_percent" }, { .name = "verdict" },	 { .name = "confidence" },
	};
	struct table *t = table_new(a, cols, sizeof(cols) / sizeof(cols[0]));

	for (size_t i = 0; i < al->n_rows; i++) {
		const struct calc_alert_row *row = &al->rows[i];
		const struct cat_series *s = row->series;

		table_row(t);
		table_i64(t, s->id);
		table_str(t, s->benchmark->name);
		table_str(t, s->metric->name);
		table_str(t, s->metric->unit);
		table_str(t, better_word(s->metric->better));
		table_str(t, s->params);
		table_str(t, s->machine->name);
		table_str(t, s->machine->uarch);
		table_str(t, s->config->thp);
		table_str(t, row->from->name);
		table_str(t, row->to->name);
		table_num(t, row->change->from_center, NULL);
		table_num(t, row->change->to_center, NULL);
		table_i64(t, row->change->from_boots);
		table_i64(t, row->change->to_boots);
		table_num(t, row->change->percent, NULL);
		table_str(t, row->change->verdict);
		table_str(t, row->change->confidence);
	}
	table_csv(out, t);
}
