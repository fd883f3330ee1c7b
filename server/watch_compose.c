/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch_compose.h"

#include <stdio.h>
#include <string.h>

#include "../chart/table.h"
#include "../lib/jsonw.h"
#include "calc_alert.h"
#include "calc_words.h"
#include "db_digest.h"

#define DIGEST_MACHINES 4	/* named */
#define DIGEST_MOST 200		/* alerts in one; the rest is counted */

struct compose {
	struct catalog *catalog;
	struct db *db;
	struct arena *a;
	const struct calc_mail_look *look;
	const char *public_url;
	struct buf subject, text, link;
};

/* The first lines of a text, and how many are left out. */
static void add_lines(struct buf *out, const char *text)
{
	size_t left = 0;

	for (int i = 0; i < WATCH_COMPOSE_LINES && *text; i++) {
		size_t n = strcspn(text, "\n");

		buf_add(out, text, n);
		buf_putc(out, '\n');
		text += n + (text[n] == '\n');
	}
	for (; *text; text++)
		left += *text == '\n' || !text[1];
	if (left)
		buf_printf(out, "(%zu more lines)\n", left);
}

static void add_escaped(struct buf *out, const char *s)
{
	for (; *s; s++)
		if (*s == '&')
			buf_puts(out, "&amp;");
		else if (*s == '<')
			buf_puts(out, "&lt;");
		else if (*s == '>')
			buf_puts(out, "&gt;");
		else
			buf_putc(out, *s);
}

/* Between fences, without what could end them; Slack reads entities even there. */
static void add_fenced(struct buf *out, const char *s, bool entities)
{
	struct buf plain;

	buf_init(&plain);
	for (; *s; s++)
		buf_putc(&plain, *s == '`' ? '\'' : *s);
	buf_puts(out, "```\n");
	entities ? add_escaped(out, plain.p) : buf_puts(out, plain.p);
	buf_puts(out, "```");
	buf_fini(&plain);
}

void watch_compose_chat(struct buf *out, enum outbox_kind kind, const char *subject, const char *text, const char *link)
{
	struct jsonw j = jsonw_begin(out);
	struct buf plain, shown;

	buf_init(&plain);
	buf_init(&shown);
	buf_printf(&plain, "%s\n\n", subject);
	add_lines(&plain, text);
	jsonw_object(&j);
	if (kind == OUTBOX_MATRIX) {	/* m.notice: bots do not answer it */
		buf_puts(&shown, "<pre><code>");
		add_escaped(&shown, plain.p);
		buf_puts(&shown, "</code></pre>");
		if (link) {
			buf_printf(&plain, "%s\n", link);
			add_escaped(&shown, link);
		}
		jsonw_kstr(&j, "msgtype", "m.notice");
		jsonw_kstr(&j, "body", plain.p);
		jsonw_kstr(&j, "format", "org.matrix.custom.html");
		jsonw_kstr(&j, "formatted_body", shown.p);
	} else {
		add_fenced(&shown, plain.p, kind == OUTBOX_SLACK);
		if (link)
			buf_printf(&shown, "\n%s", link);
		jsonw_kstr(&j, "text", shown.p);
	}
	jsonw_object_end(&j);
	buf_fini(&plain);
	buf_fini(&shown);
}

static void link_to(struct compose *c, const char *path)
{
	if (c->public_url)
		buf_printf(&c->link, "%.*s%s", calc_alert_url_length(c->public_url), c->public_url, path);
}

static int load(struct compose *c, const struct uuid *id, struct calc_alert **al, struct err *err)
{
	if (calc_alert_load(c->catalog, c->db, c->a, id, al, err))
		return -1;
	return *al ? 0 : err_set(err, ERR_BUG, "the alert of this delivery is gone");
}

static int compose_alert(struct compose *c, const struct outbox_item *item, struct buf *body, struct err *err)
{
	struct calc_alert *al;
	struct calc_mail *mail;
	char id[UUID_TEXT];

	if (load(c, &item->alert_id, &al, err))
		return -1;
	if (item->kind == OUTBOX_WEBHOOK) {
		struct jsonw j = jsonw_begin(body);

		al->n_deliveries = 0;	/* how far we are is no news to the receiver */
		buf_printf(&c->subject, "%s %s since %s", al->benchmark->name, table_percent(c->a, al->alert->worst_percent),
			   al->to->name);
		calc_alert_json(&j, al, c->public_url, true);
		return 0;
	}
	if (calc_mail_of(c->catalog, c->db, c->a, al, c->look, &mail, err))
		return -1;
	calc_mail_subject(&c->subject, mail);
	calc_mail_text(&c->text, mail);
	link_to(c, arena_printf(c->a, "/alerts/%s", uuid_format(&item->alert_id, id)));
	return 0;
}

static void digest_line(struct compose *c, struct buf *out, const struct calc_alert *al)
{
	buf_printf(out, "- %s %s since %s, %lld series on ", al->benchmark->name,
		   table_percent(c->a, al->alert->worst_percent), al->to->name, (long long)al->alert->n_series);
	for (size_t i = 0; i < al->n_machines && i < DIGEST_MACHINES; i++)
		buf_printf(out, "%s%s", i ? ", " : "", al->machines[i]);
	if (al->n_machines > DIGEST_MACHINES)
		buf_printf(out, " and %zu more", al->n_machines - DIGEST_MACHINES);
	buf_printf(out, " (%s)", al->alert->state);
}

/* Those of one direction, a line and a link each. */
static void digest_part(struct compose *c, struct calc_alert *const *list, size_t n, bool regressions)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		struct buf line;
		char id[UUID_TEXT];

		if (list[i]->alert->regression != regressions)
			continue;
		if (!any)
			buf_puts(&c->text, regressions ? "\nRegressions\n" : "\nImprovements\n");
		any = true;
		buf_init(&line);
		digest_line(c, &line, list[i]);
		buf_putc(&c->text, '\n');
		table_para(&c->text, 2, line.p);
		buf_fini(&line);
		if (c->public_url)
			buf_printf(&c->text, "  %.*s/alerts/%s\n", calc_alert_url_length(c->public_url), c->public_url,
				   uuid_format(&list[i]->alert->id, id));
	}
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* event: "weekly-2026-02-09" */
static void digest_text(struct compose *c, const char *event, struct calc_alert *const *list, size_t n, size_t all)
{
	int period = (int)strcspn(event, "-");
	const char *day = event + period + (event[period] == '-');
	const char *generated = NULL;
	size_t worse = 0;

	for (size_t i = 0; i < n; i++)
		worse += list[i]->alert->regression;
	buf_printf(&c->subject, "[nsecwatch] %.*s digest of %s: %zu regression%s, %zu improvement%s%s", period, event, day,
		   worse, plural(worse), n - worse, plural(n - worse), n < all ? " and more" : "");
	table_para(&c->text, 0, arena_printf(c->a, "What changed until %s, %zu alert%s:", day, all, plural(all)));
	for (size_t i = 0; i < n && !generated; i++)
		generated = calc_words_generated(list[i]->machines, list[i]->n_machines);
	if (generated)
		table_para(&c->text, 0, generated);
	digest_part(c, list, n, true);
	digest_part(c, list, n, false);
	if (n < all)
		buf_printf(&c->text, "\n%zu more are on the page of alerts.\n", all - n);
	link_to(c, "/alerts");
	if (c->public_url)
		buf_printf(&c->text, "\nAll alerts:\n%s\n", c->link.p);
}

static void digest_json(struct compose *c, const char *event, struct calc_alert *const *list, size_t n, size_t all,
			struct buf *body)
{
	struct jsonw j = jsonw_begin(body);

	jsonw_object(&j);
	jsonw_kstr(&j, "digest", event);
	jsonw_ki64(&j, "n_alerts", (int64_t)all);
	jsonw_key(&j, "alerts");
	jsonw_array(&j);
	for (size_t i = 0; i < n; i++)
		calc_alert_json(&j, list[i], c->public_url, false);
	jsonw_array_end(&j);
	jsonw_object_end(&j);
}

static int compose_digest(struct compose *c, const struct outbox_item *item, struct buf *body, struct err *err)
{
	struct calc_alert **list;
	struct uuid *ids;
	size_t all, n;

	if (db_digest_alerts(c->db, c->a, item->id, &ids, &all, err))
		return -1;
	n = all < DIGEST_MOST ? all : DIGEST_MOST;
	list = arena_array(c->a, struct calc_alert *, n);
	for (size_t i = 0; i < n; i++)
		if (load(c, &ids[i], &list[i], err))
			return -1;
	if (item->kind == OUTBOX_WEBHOOK)
		digest_json(c, item->event, list, n, all, body);
	else
		digest_text(c, item->event, list, n, all);
	return 0;
}

int watch_compose(struct catalog *catalog, struct db *db, struct arena *a, struct outbox_item *item,
		  const struct calc_mail_look *look, struct err *err)
{
	struct compose c = { .catalog = catalog, .db = db, .a = a, .look = look, .public_url = look->public_url };
	const char *link;
	struct buf body;
	int ret;

	if (item->body)
		return 0;
	buf_init(&c.subject);
	buf_init(&c.text);
	buf_init(&c.link);
	buf_init(&body);
	ret = item->has_alert ? compose_alert(&c, item, &body, err) : compose_digest(&c, item, &body, err);
	link = *c.link.p ? c.link.p : NULL;
	if (!ret && item->kind == OUTBOX_MAIL)
		buf_puts(&body, c.text.p);
	else if (!ret && item->kind != OUTBOX_WEBHOOK)
		watch_compose_chat(&body, item->kind, c.subject.p, c.text.p, link);
	if (!ret)
		ret = db_outbox_write_down(db, a, item, *c.subject.p ? c.subject.p : NULL, body.p, err);
	buf_fini(&c.subject);
	buf_fini(&c.text);
	buf_fini(&c.link);
	buf_fini(&body);
	return ret;
}
