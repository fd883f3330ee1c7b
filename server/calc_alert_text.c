/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An alert in words: what a mail says, and its subject. */
#include "calc_alert.h"

#include <math.h>
#include <string.h>

#include "../chart/table.h"

#define ROWS_MOST 40	/* in a mail; the rest is counted and linked */
#define LINK_MOST 900

_Static_assert(TABLE_COLUMNS == CALC_ALERT_COLUMNS, "the text's tables are as wide as its paragraphs");

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

static const char *range_text(struct arena *a, const struct calc_alert *al)
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

static const char *list_text(struct arena *a, const char *const *list, size_t n, size_t most)
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

void calc_alert_subject(struct buf *out, const struct calc_alert *al)
{
	struct arena *a = arena_new();

	buf_printf(out, "[%s] %s %s since %s (%s)", al->alert->regression ? "REGRESSION" : "IMPROVEMENT",
		   al->benchmark->name, range_text(a, al), al->to->name,
		   list_text(a, al->machines, al->n_machines, 2));
	arena_free(a);
}

/* "machines: ..." with its continuation lines under the text. */
__attribute__((format(printf, 4, 5))) static void fact(struct buf *out, struct arena *a, const char *name,
						       const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	table_para(out, 12, arena_printf(a, "%s:%*s%s", name, 11 - (int)strlen(name), "", arena_vprintf(a, fmt, ap)));
	va_end(ap);
}

static const char *machines_text(struct arena *a, const struct calc_alert *al)
{
	const char **names = arena_array(a, const char *, al->n_rows + 1);
	size_t n = 0;

	for (size_t i = 0; i < al->n_rows; i++) {	/* rows stand by machine */
		const struct cat_machine *m = al->rows[i].series->machine;

		if (!i || al->rows[i - 1].series->machine != m)
			names[n++] = arena_printf(a, "%s (%s)", m->name, m->uarch);
	}
	return list_text(a, names, n, 20);
}

static void evidence(struct buf *out, struct arena *a, const struct calc_alert *al)
{
	size_t strong = 0, weak = 0;
	int64_t before = INT64_MAX, after = INT64_MAX;

	for (size_t i = 0; i < al->n_rows; i++) {
		const struct db_change *ch = al->rows[i].change;

		strong += !strcmp(ch->confidence, "strong");
		weak += !strcmp(ch->confidence, "weak");
		before = ch->from_boots < before ? ch->from_boots : before;
		after = ch->to_boots < after ? ch->to_boots : after;
	}
	if (al->n_rows)
		fact(out, a, "confidence", "%zu strong, %zu weak; boots: %lld or more before, %lld or more after",
		     strong, weak, (long long)before, (long long)after);
}

static bool same_group(const struct calc_alert_row *x, const struct calc_alert_row *y)
{
	return x->series->machine == y->series->machine && x->series->config == y->series->config &&
	       x->series->metric == y->series->metric && x->from == y->from && x->to == y->to;
}

static void group_head(struct buf *out, struct arena *a, const struct calc_alert *al, const struct calc_alert_row *row)
{
	const struct cat_series *s = row->series;
	const char *page = s->config->base_page_kib ? arena_printf(a, ", %d KiB pages", s->config->base_page_kib) : "";
	const char *kernels = row->from == al->from && row->to == al->to ? "" :
			      arena_printf(a, ", %s against %s", row->to->name, row->from->name);

	buf_putc(out, '\n');
	table_para(out, 2, arena_printf(a, "%s (%s), THP %s%s%s%s: %s, %s, %s is better%s", s->machine->name,
					s->machine->uarch, s->config->thp, page, *s->config->flavour ? ", " : "",
					s->config->flavour, s->metric->name, s->metric->unit,
					better_word(s->metric->better), kernels));
}

static const char *params_text(struct arena *a, const struct cat_series *s)
{
	const char *text = "";

	for (size_t i = 0; i < s->n_params; i++)
		text = arena_printf(a, "%s%s%s=%s", text, i ? " " : "", s->param[i].name, s->param[i].text);
	return *text ? text : "(no parameters)";
}

static void groups(struct buf *out, struct arena *a, const struct calc_alert *al)
{
	static const struct table_col cols[] = {
		{ .name = "parameters" },
		{ .name = "before", .right = true },
		{ .name = "after", .right = true },
		{ .name = "change", .right = true },
		{ .name = "confidence" },
	};
	size_t most = al->n_rows < ROWS_MOST ? al->n_rows : ROWS_MOST;
	struct table *t = NULL;

	for (size_t i = 0; i < most; i++) {
		const struct calc_alert_row *row = &al->rows[i];
		const char *unit = row->series->metric->unit;

		if (!i || !same_group(row - 1, row)) {
			if (t)
				table_txt(out, t);
			group_head(out, a, al, row);
			t = table_new(a, cols, sizeof(cols) / sizeof(cols[0]));
		}
		table_row(t);
		table_str(t, params_text(a, row->series));
		table_num(t, row->change->from_center, table_value(a, row->change->from_center, unit));
		table_num(t, row->change->to_center, table_value(a, row->change->to_center, unit));
		table_num(t, row->change->percent, table_percent(a, row->change->percent));
		table_str(t, row->change->confidence);
	}
	if (t)
		table_txt(out, t);
	if (al->n_rows > most)
		buf_printf(out, "\n%zu more rows are on the alert's page.\n", al->n_rows - most);
}

/* A link that a mail could not carry in one line (RFC 5321: 998 bytes) is left out. */
static void link_to(struct buf *out, const char *what, const struct buf *url)
{
	if (url->len <= LINK_MOST)
		buf_printf(out, "%s:\n%s\n", what, url->p);
}

static void links(struct buf *out, const struct calc_alert *al, const char *public_url)
{
	int n = calc_alert_url_length(public_url);
	char id[UUID_TEXT];
	struct buf url;

	if (!public_url)
		return;
	buf_init(&url);
	buf_printf(&url, "%.*s/alerts/%s", n, public_url, uuid_format(&al->alert->id, id));
	buf_putc(out, '\n');
	link_to(out, "Alert", &url);
	buf_clear(&url);
	buf_printf(&url, "%.*s/compare?base=", n, public_url);
	add_encoded(&url, al->from->name);
	buf_puts(&url, "&head=");
	add_encoded(&url, al->to->name);
	buf_puts(&url, "&benchmark=");
	add_encoded(&url, al->benchmark->name);
	link_to(out, "All rows of the two kernels", &url);
	buf_fini(&url);
}

void calc_alert_text(struct buf *out, const struct calc_alert *al, const char *public_url)
{
	struct arena *a = arena_new();

	table_para(out, 0, arena_printf(a, "%s: %s of %s in %s against %s.", al->benchmark->name,
					db_alerts_direction(al->alert->regression), range_text(a, al), al->to->name,
					al->from->name));
	buf_putc(out, '\n');
	fact(out, a, "before", "%s", al->from->name);
	fact(out, a, "since", "%s (%s)", al->to->name, al->alert->track);
	fact(out, a, "change", "%s, %lld series", range_text(a, al), (long long)al->alert->n_series);
	fact(out, a, "machines", "%s", machines_text(a, al));
	fact(out, a, "THP modes", "%s", list_text(a, al->thp, al->n_thp, 20));
	evidence(out, a, al);
	groups(out, a, al);
	links(out, al, public_url);
	arena_free(a);
}
