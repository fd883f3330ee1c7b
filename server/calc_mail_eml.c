/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mail as a message: a draft that a person opens, completes and sends. */
#include <string.h>

#include "../lib/mime.h"
#include "calc_mail.h"
#include "calc_mail_lists.h"
#include "calc_mail_regzbot.h"

#define REGRESSIONS "regressions@lists.linux.dev"
#define LKML "linux-kernel@vger.kernel.org"
#define LINE 78			/* of a header, as RFC 5322 asks */
#define STABLE "stable@vger.kernel.org"

/* The host of the public address, fit for a header; "localhost" without. */
static const char *host_of(struct arena *a, const char *url)
{
	const char *host = url ? strstr(url, "://") : NULL;
	size_t n;

	host = host ? host + 3 : "";
	n = strcspn(host, ":/?#");
	host = arena_strndup(a, host, n);
	return n && mime_is_address(arena_printf(a, "x@%s", host)) ? host : "localhost";
}

static const char *list_of(const char *benchmark)
{
	for (size_t i = 0; i < sizeof(calc_mail_lists) / sizeof(*calc_mail_lists); i++)
		if (calc_select_glob(calc_mail_lists[i].glob, benchmark))
			return calc_mail_lists[i].list;
	return NULL;
}

static void recipients(struct buf *out, const struct calc_mail *m)
{
	const char *list = list_of(m->alert->benchmark->name);
	bool stable = !strncmp(m->alert->alert->track, "stable-", 7);

	buf_printf(out, "To: %s\r\n", list ? list : LKML);
	if (!m->alert->alert->regression || m->alert->alert->silence)
		return;
	buf_printf(out, "Cc: %s%s%s%s%s\r\n", REGRESSIONS, list ? ",\r\n " : "", list ? LKML : "",
		   stable ? ",\r\n " : "", stable ? STABLE : "");
}

void calc_mail_eml(struct buf *out, const struct calc_mail *m)
{
	struct arena *a = arena_new();
	const char *host = host_of(a, m->look.public_url), *from = m->look.from;
	const struct db_alert *al = m->alert->alert;
	const char *parent = calc_mail_lore_id(a, al->report_url), *status = calc_mail_status(a, m), *fold;
	struct buf text;
	char id[UUID_TEXT];

	buf_init(&text);
	uuid_format(&al->id, id);
	mime_date_header(out, status && al->changed_at != TM_NONE ? al->changed_at : al->created_at);
	if (!from || !mime_is_address(from))
		from = arena_printf(a, "nsecwatch@%s", host);
	buf_printf(out, "From: nsecwatch <%s>\r\n", from);
	recipients(out, m);
	if (parent)
		buf_puts(&text, "Re: ");
	calc_mail_subject(&text, m);
	mime_text_header(out, "Subject", text.p);
	buf_printf(out, "Message-ID: <%s%s%s.draft@%s>\r\n", id, status ? "." : "", status ? al->state : "", host);
	if (parent) {
		fold = strlen(parent) + strlen("In-Reply-To: <>") > LINE ? "\r\n" : "";
		buf_printf(out, "In-Reply-To:%s <%s>\r\nReferences:%s <%s>\r\n", fold, parent, fold, parent);
	}
	buf_puts(out, "X-Unsent: 1\r\n");	/* mail programs open it for editing, not as received */
	buf_clear(&text);
	calc_mail_text(&text, m);
	mime_text_body(out, text.p);
	buf_fini(&text);
	arena_free(a);
}
