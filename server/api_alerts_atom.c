/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "api_alerts_atom.h"

#include <math.h>
#include <string.h>

#include "../chart/svg.h"
#include "../chart/table.h"
#include "calc_words.h"
#include "web_args.h"

static void add_text(struct buf *out, struct arena *a, const char *s)
{
	const char *clean = table_clean(a, s);

	svg_escape(out, clean, strlen(clean));
}

static void element(struct buf *out, struct arena *a, const char *name, const char *text)
{
	buf_printf(out, "<%s>", name);
	add_text(out, a, text);
	buf_printf(out, "</%s>\n", name);
}

static void link_to(struct req *rq, const char *rel, const char *type, const char *path)
{
	const char *base = rq->server->conf->public_url;

	buf_printf(&rq->out, "<link rel=\"%s\" type=\"%s\" href=\"", rel, type);
	add_text(&rq->out, rq->arena, arena_printf(rq->arena, "%.*s%s", calc_alert_url_length(base), base ? base : "", path));
	buf_puts(&rq->out, "\"/>\n");
}

/* The query without what only chooses the page of the list; cursor: this one instead of it, or NULL. */
static const char *query(const struct req *rq, const char *cursor)
{
	const char *text = "";

	for (size_t i = 0; i < rq->n_args; i++)
		if (strcmp(rq->args[i].name, "cursor") && (cursor || strcmp(rq->args[i].name, "limit")))
			text = arena_printf(rq->arena, "%s%c%s=%s", text, *text ? '&' : '?', rq->args[i].name,
					    calc_alert_encoded(rq->arena, rq->args[i].value));
	if (cursor && *cursor)
		text = arena_printf(rq->arena, "%s%ccursor=%s", text, *text ? '&' : '?', cursor);
	return text;
}

static const char *feed_path(const struct req *rq, const char *cursor)
{
	return arena_printf(rq->arena, "/api/v1/alerts.atom%s", query(rq, cursor));
}

/* urn:uuid: of what the feed is about, the same in whatever order it was asked for. */
static void feed_id(struct req *rq)
{
	struct req asked = *rq;
	uint8_t digest[32];
	struct uuid id;
	char text[UUID_TEXT];
	struct buf b;

	asked.args = arena_array(rq->arena, struct web_arg, rq->n_args + 1);
	asked.n_args = 0;
	for (size_t i = 0; i < rq->n_args; i++)
		if (strcmp(rq->args[i].name, "cursor") && strcmp(rq->args[i].name, "limit"))
			asked.args[asked.n_args++] = rq->args[i];
	buf_init(&b);
	buf_puts(&b, "nsecwatch.alerts.atom");
	web_args_canonical(&asked, &b);
	sha256(b.p, b.len, digest);
	buf_fini(&b);
	uuid_v8_of(&id, digest);
	buf_printf(&rq->out, "<id>urn:uuid:%s</id>\n", uuid_format(&id, text));
}

/* When it was found, or something was decided of it. */
static int64_t changed(const struct db_alert *al)
{
	return al->changed_at != TM_NONE ? al->changed_at : al->created_at;
}

static void entry(struct req *rq, const struct calc_alert *al)
{
	struct arena *a = rq->arena;
	const char *worst = isfinite(al->alert->worst_percent) ? table_percent(a, al->alert->worst_percent) : "?";
	const char *kind = db_alerts_kind(al->alert);
	char id[UUID_TEXT], at[TM_TEXT];

	uuid_format(&al->alert->id, id);
	buf_printf(&rq->out, "<entry>\n<id>urn:uuid:%s</id>\n", id);
	element(&rq->out, a, "title", al->alert->silence ? arena_printf(a, "[SILENCE] %s", al->alert->about) :
		arena_printf(a, "[%s] %s: up to %s since %s",
						   al->alert->regression ? "REGRESSION" : "IMPROVEMENT", al->benchmark->name, worst,
						   calc_words_kernel(a, al->to)));
	link_to(rq, "alternate", "text/html", arena_printf(a, "/alerts/%s", id));
	link_to(rq, "related", "text/plain", arena_printf(a, "/api/v1/alerts/%s/mail.txt", id));
	element(&rq->out, a, "published", tm_format(al->alert->created_at, at));
	element(&rq->out, a, "updated", tm_format(changed(al->alert), at));
	buf_printf(&rq->out, "<category term=\"%s\"/>\n<category term=\"%s\"/>\n", kind, al->alert->state);
	element(&rq->out, a, "summary", arena_printf(
		a, "%s of up to %s in %lld series between %s and %s on %s, THP %s; %s.", kind, worst, (long long)al->alert->n_series,
		calc_words_kernel(a, al->from), calc_words_kernel(a, al->to),
		calc_alert_list_text(a, al->machines, al->n_machines, 10), calc_alert_list_text(a, al->thp, al->n_thp, 10),
		al->alert->state));
	buf_puts(&rq->out, "</entry>\n");
}

void api_alerts_atom(struct req *rq, const struct calc_alert *list, size_t n, const char *next)
{
	int64_t newest = 0;
	char at[TM_TEXT];

	for (size_t i = 0; i < n; i++)
		if (changed(list[i].alert) > newest)
			newest = changed(list[i].alert);
	buf_puts(&rq->out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n");
	feed_id(rq);
	element(&rq->out, rq->arena, "title", arena_printf(rq->arena, "nsecwatch alerts %s", query(rq, NULL)));
	element(&rq->out, rq->arena, "updated", tm_format(newest, at));
	buf_puts(&rq->out, "<author><name>nsecwatch</name></author>\n");
	link_to(rq, "self", "application/atom+xml", feed_path(rq, web_arg(rq, "cursor") ? web_arg(rq, "cursor") : ""));
	link_to(rq, "alternate", "text/html", arena_printf(rq->arena, "/alerts%s", query(rq, NULL)));
	if (next)
		link_to(rq, "next", "application/atom+xml", feed_path(rq, next));
	for (size_t i = 0; i < n; i++)
		entry(rq, &list[i]);
	buf_puts(&rq->out, "</feed>\n");
}
