/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_mail_regzbot.h"

#include <math.h>
#include <string.h>

#include "../chart/table.h"
#include "../ingest/jread.h"
#include "calc_mail_point.h"
#include "calc_words.h"

#define LORE "https://lore.kernel.org/"
#define BUGZILLA "https://bugzilla.kernel.org/"
#define ID_MOST 250

static bool is_state(const struct calc_mail *m, const char *state)
{
	return !strcmp(m->alert->alert->state, state);
}

static bool starts(const char *s, const char *with)
{
	return s && !strncmp(s, with, strlen(with));
}

static int hex(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c | 0x20) : NULL;

	return c >= '0' && at ? (int)(at - digits) : -1;
}

const char *calc_mail_lore_id(struct arena *a, const char *url)
{
	const char *from, *end;
	char *id, *to;

	if (!starts(url, LORE))
		return NULL;
	end = url + strcspn(url, "?#");
	while (end > url && end[-1] == '/')
		end--;
	for (from = end; from > url && from[-1] != '/';)
		from--;
	id = to = arena_alloc(a, (size_t)(end - from) + 1);
	for (; from < end; from++) {
		if (*from == '%' && end - from > 2 && hex(from[1]) >= 0 && hex(from[2]) >= 0) {
			*to++ = (char)(hex(from[1]) << 4 | hex(from[2]));
			from += 2;
		} else {
			*to++ = *from;
		}
	}
	*to = 0;
	for (const char *p = id; *p; p++)	/* nothing that could leave its header */
		if (*p <= ' ' || *p >= 0x7f || strchr("<>()\\\"", *p))
			return NULL;
	return strchr(id, '@') && strlen(id) <= ID_MOST ? id : NULL;
}

/* What was said with the newest event of that kind. */
static const char *said(struct arena *a, const struct calc_mail *m, const char *action)
{
	const char *text = NULL;

	for (size_t i = m->alert->n_events; i-- > 0 && !text;) {
		const struct db_event *e = &m->alert->events[i];
		struct jread_slice whole = { e->details, strlen(e->details), 1 };
		struct err ignored = { 0 };
		struct jnode *root;
		bool syntax;

		if (strcmp(e->action, action))
			continue;
		root = jread_parse(&whole, &syntax, &ignored);
		text = arena_strdup(a, jread_str(jread_get(root, "text")));
		jread_free(root);
		text = text ? text : "";
	}
	return text ? table_clean(a, arena_strndup(a, text, strcspn(text, "\r\n"))) : "";
}

static const char *with(struct arena *a, const char *word, const char *reason)
{
	return *reason ? arena_printf(a, "%s: %s", word, reason) : word;
}

/* Found again after it was fixed, which nobody has told of since. */
static bool came_back(const struct calc_mail *m)
{
	for (size_t i = m->alert->n_events; i-- > 0;) {
		const struct db_event *e = &m->alert->events[i];

		if (!strcmp(e->action, "reopen"))
			return e->from_state && !strcmp(e->from_state, "fixed");
	}
	return false;
}

const char *calc_mail_status(struct arena *a, const struct calc_mail *m)
{
	const struct db_alert *al = m->alert->alert;
	const char *text = "fixed";

	if ((is_state(m, "new") || is_state(m, "acknowledged")) && came_back(m))
		return "it was fixed, and came back";
	if (is_state(m, "reported"))
		return "reported";
	if (is_state(m, "fix-posted"))
		return al->fix_commit ? arena_printf(a, "a fix is there: %.12s", al->fix_commit) : "a fix is posted";
	if (is_state(m, "accepted"))
		return with(a, "accepted trade-off", said(a, m, "accept"));
	if (is_state(m, "invalid"))
		return al->merged ? "the same as another alert" : with(a, "invalid", said(a, m, "invalid"));
	if (is_state(m, "muted"))
		return with(a, "muted", said(a, m, "mute"));
	if (!is_state(m, "fixed"))
		return NULL;
	if (m->alert->fixed_in)
		text = arena_printf(a, "%s in %s", text, calc_words_kernel(a, m->alert->fixed_in));
	if (al->fix_commit)
		text = arena_printf(a, "%s by %.12s", text, al->fix_commit);
	if (isfinite(al->restored_percent))
		text = arena_printf(a, "%s, %.0f %% restored", text,
				    fabs(al->restored_percent) < 0.5 ? 0 : al->restored_percent);
	return text;
}

/* A command in a paragraph of its own; what does not fit one line goes on below: paragraphs are read whole. */
static void command(struct buf *out, struct arena *a, const char *name, const char *value)
{
	if (strncmp(value, "http", 4))
		table_para(out, 0, arena_printf(a, "#regzbot %s: %s", name, value));
	else
		buf_printf(out, "#regzbot %s:%s%s\n", name,
			   strlen(name) + strlen(value) + 11 > TABLE_COLUMNS ? "\n" : " ", value);
	buf_putc(out, '\n');
}

/* regzbot follows threads and tickets of the kernel's own places; others it can only name. */
static void follow(struct buf *out, struct arena *a, const char *url)
{
	if (url)
		command(out, a, starts(url, LORE) || starts(url, BUGZILLA) ? "monitor" : "link", url);
}

/* What is told in the thread of the report. */
static void in_thread(struct buf *out, struct arena *a, const struct calc_mail *m)
{
	const struct db_alert *al = m->alert->alert;

	if (is_state(m, "fix-posted")) {
		follow(out, a, al->fix_url);
		if (al->fix_commit)
			command(out, a, "fix", al->fix_commit);
	} else if (is_state(m, "fixed")) {
		if (al->fix_commit)
			command(out, a, "fix", al->fix_commit);
		else
			follow(out, a, al->fix_url);
	} else if (is_state(m, "invalid") && m->dup_of) {
		command(out, a, "dup-of", m->dup_of);
	} else if (is_state(m, "invalid")) {
		command(out, a, "invalid", *said(a, m, "invalid") ? said(a, m, "invalid") : "not a regression");
	} else if (is_state(m, "accepted")) {
		command(out, a, "invalid", calc_mail_status(a, m));
	}
}

void calc_mail_regzbot(struct buf *out, struct arena *a, const struct calc_mail *m)
{
	const char *report = m->alert->alert->report_url;
	bool open = is_state(m, "suspect") || is_state(m, "new") || is_state(m, "acknowledged") || is_state(m, "reported") ||
		    is_state(m, "fix-posted");

	if (!calc_mail_lore_id(a, report)) {	/* no list has been told yet */
		if (!open)
			return;
		command(out, a, "introduced", calc_mail_introduced(a, m));
		follow(out, a, report);
	}
	in_thread(out, a, m);
}
