/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mail in words: subject, facts, numbers, how to see it oneself, where more is; and the same apart, as JSON. */
#include <string.h>

#include "../chart/table.h"
#include "../lib/jsonw.h"
#include "calc_mail_command.h"
#include "calc_mail_facts.h"
#include "calc_mail_regzbot.h"
#include "calc_words.h"

#define FACT_INDENT 12
#define LINK_MOST 900		/* a mail could not carry a longer one in one line (RFC 5321: 998 bytes) */

void calc_mail_subject(struct buf *out, const struct calc_mail *m)
{
	struct arena *a = arena_new();
	const struct calc_alert *al = m->alert;

	if (al->alert->silence) {
		buf_puts(out, table_clean(a, arena_printf(a, "[SILENCE] %s", al->alert->about)));
		arena_free(a);
		return;
	}
	buf_puts(out, table_clean(a, arena_printf(a, "[%s] %s: %s since %s", al->alert->regression ? "REGRESSION" : "IMPROVEMENT",
						  al->benchmark->name, calc_mail_extent(a, m), calc_words_kernel(a, al->to))));
	if (al->n_machines > 1)
		buf_printf(out, " (%zu machines)", al->n_machines);
	arena_free(a);
}

static void opening(struct buf *out, struct arena *a, const struct calc_mail *m)
{
	const struct mail_fact *facts;
	const char *generated = calc_words_generated(m->alert->machines, m->alert->n_machines);
	size_t n;

	table_para(out, 0, calc_mail_statement(a, m));
	if (generated)
		table_para(out, 0, generated);
	if (!strcmp(m->alert->alert->state, "suspect"))
		table_para(out, 0, "This is a suspicion: one boot has shown it so far. Run that kernel again before "
				   "anybody is told.");
	buf_putc(out, '\n');
	facts = calc_mail_facts(a, m, &n);
	for (size_t i = 0; i < n; i++)
		table_para(out, FACT_INDENT, arena_printf(a, "%s:%*s%s", facts[i].name,
							  FACT_INDENT - 1 - (int)strlen(facts[i].name), "", facts[i].text));
	buf_putc(out, '\n');
}

static void reproduce(struct buf *out, const struct calc_mail *m)
{
	if (!m->n_commands)
		return;
	buf_puts(out, "To reproduce:\n\n");
	for (size_t i = 0; i < m->n_commands; i++)
		calc_mail_command(out, m->commands[i]);
	buf_putc(out, '\n');
}

static void link_to(struct buf *out, const char *what, const char *url)
{
	if (strlen(url) <= LINK_MOST)
		buf_printf(out, "%s:\n%s\n", what, url);
}

static void links(struct buf *out, struct arena *a, const struct calc_mail *m)
{
	const char *url = m->look.public_url;
	const struct calc_alert *al = m->alert;
	char id[UUID_TEXT];

	if (!url)
		return;
	url = arena_strndup(a, url, (size_t)calc_alert_url_length(url));
	uuid_format(&al->alert->id, id);
	link_to(out, "Alert", arena_printf(a, "%s/alerts/%s", url, id));
	if (al->alert->silence) {
		buf_putc(out, '\n');
		return;
	}
	if (al->alert->report_url)
		link_to(out, "Report", al->alert->report_url);
	if (al->alert->fix_url)
		link_to(out, "Fix", al->alert->fix_url);
	link_to(out, "CSV", arena_printf(a, "%s/api/v1/alerts/%s.csv", url, id));
	link_to(out, "All rows of the two kernels",
		arena_printf(a, "%s/compare?base=%s&head=%s&benchmark=%s", url, calc_alert_encoded(a, al->from->name),
			     calc_alert_encoded(a, al->to->name), calc_alert_encoded(a, al->benchmark->name)));
	if (m->kept)
		link_to(out, "As it is now, for good",
			arena_printf(a, "%s/api/v1/snapshots/%s.txt", url, uuid_format(&m->snapshot, id)));
	buf_putc(out, '\n');
}

/* Of runs that did not come there is nothing to compare. */
static void silence(struct buf *out, struct arena *a, const struct calc_mail *m)
{
	const struct calc_alert *al = m->alert;

	table_para(out, 0, arena_printf(a, "Silence: %s.", al->alert->about));
	buf_putc(out, '\n');
	table_para(out, FACT_INDENT, arena_printf(a, "last:       %s, of %s", al->benchmark->name, calc_words_kernel(a, al->to)));
	buf_putc(out, '\n');
}

void calc_mail_words(struct buf *out, struct arena *a, const struct calc_mail *m)
{
	if (m->alert->alert->silence) {
		silence(out, a, m);
		return;
	}
	opening(out, a, m);
	calc_mail_tables(out, a, m);
	reproduce(out, m);
}

/* Of what a generator made no kernel list is told. */
static bool invented(const struct calc_alert *al)
{
	for (size_t i = 0; i < al->n_machines; i++)
		if (!calc_words_is_generated(al->machines[i]))
			return false;
	return al->n_machines > 0;
}

void calc_mail_text(struct buf *out, const struct calc_mail *m)
{
	struct arena *a = arena_new();

	calc_mail_words(out, a, m);
	links(out, a, m);
	if (m->alert->alert->regression && !m->alert->alert->silence && !invented(m->alert))
		calc_mail_regzbot(out, a, m);
	while (out->len > 1 && out->p[out->len - 1] == '\n' && out->p[out->len - 2] == '\n')
		out->p[--out->len] = '\0';
	arena_free(a);
}

static void rule_json(struct jsonw *j, const struct db_rule *rule)
{
	jsonw_key(j, "rule");
	if (!rule) {
		jsonw_null(j);
		return;
	}
	jsonw_object(j);
	jsonw_kstr(j, "name", rule->name);
	jsonw_kstr(j, "kind", db_rules_kinds[rule->kind]);
	jsonw_knum(j, "percent", rule->percent);
	jsonw_kstr(j, "confidence", rule->confidence);
	jsonw_knum(j, "above", rule->above);
	jsonw_knum(j, "below", rule->below);
	jsonw_kstr(j, "unit", rule->unit);
	jsonw_kstr(j, "baseline", rule->baseline);
	jsonw_kraw(j, "selector", rule->selector);
	jsonw_object_end(j);
}

void calc_mail_json(struct jsonw *j, const struct calc_mail *m)
{
	struct arena *a = arena_new();
	const struct mail_fact *facts;
	struct buf text;
	size_t n;

	facts = calc_mail_facts(a, m, &n);
	buf_init(&text);
	jsonw_object(j);
	calc_mail_subject(&text, m);
	jsonw_kstr(j, "subject", text.p);
	jsonw_kstr(j, "statement", calc_mail_statement(a, m));
	jsonw_key(j, "facts");
	jsonw_array(j);
	for (size_t i = 0; i < n; i++) {
		jsonw_object(j);
		jsonw_kstr(j, "name", facts[i].name);
		jsonw_kstr(j, "text", facts[i].text);
		jsonw_object_end(j);
	}
	jsonw_array_end(j);
	jsonw_kstr(j, "axis", m->axis);
	jsonw_key(j, "fixes");
	jsonw_array(j);
	for (size_t i = 0; i < m->n_fixes; i++)
		jsonw_str(j, m->fixes[i].kernel->name);
	jsonw_array_end(j);
	rule_json(j, m->rule);
	buf_clear(&text);
	calc_mail_text(&text, m);
	jsonw_kstr(j, "text", text.p);
	jsonw_object_end(j);
	buf_fini(&text);
	arena_free(a);
}
