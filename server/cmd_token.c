/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `nsecwatchd token add|list|revoke`. What it does stands in the audit trail, done by "nsecwatchd token". */
#include <stdio.h>
#include <string.h>

#include "../lib/tm.h"
#include "calc_token.h"
#include "cmd.h"
#include "db_events.h"

#define WHO "nsecwatchd token"

/* What an option says, or status 2. */
static int wrong(struct err *err, const char *option)
{
	err->kind = ERR_BAD_ARGUMENT;
	return err_prefix(err, "%s", option);
}

static int read_options(struct arena *a, const struct conf *conf, struct token *t, struct err *err)
{
	*t = (struct token){ .name = conf->token_name, .expires_at = TM_NONE };
	if (db_tokens_scope_parse(conf->token_scope, &t->scope) || t->scope == SCOPE_NONE)
		return err_set(err, ERR_BAD_ARGUMENT, "--scope is \"%s\": ingest, read, triage or admin is needed",
			       conf->token_scope);
	if (calc_token_globs(a, conf->token_machines, &t->machines, err))
		return wrong(err, "--machines");
	if (calc_token_globs(a, conf->token_benchmarks, &t->benchmarks, err))
		return wrong(err, "--benchmarks");
	if (calc_token_check(t, err))
		return wrong(err, "--scope");
	if (conf->token_expires && calc_token_end(conf->token_expires, tm_now_usec(), &t->expires_at, err))
		return wrong(err, "--expires");
	return 0;
}

/* "milan-*, rome-1" */
static const char *listed(struct arena *a, const char *globs)
{
	char *text = arena_strndup(a, globs, strlen(globs) - 1);

	for (char *p = text; (p = strchr(p, '\n')); )
		*p = ',';
	return text;
}

static void say_limits(struct arena *a, FILE *to, const struct token *t)
{
	char end[TM_TEXT];

	if (t->machines)
		fprintf(to, "  machines %s", listed(a, t->machines));
	if (t->benchmarks)
		fprintf(to, "  benchmarks %s", listed(a, t->benchmarks));
	if (t->expires_at != TM_NONE)
		fprintf(to, "  %s %s", t->expires_at > tm_now_usec() ? "until" : "expired", tm_format(t->expires_at, end));
}

static int add(struct db *db, struct arena *a, const struct conf *conf, struct err *err)
{
	char text[TOKEN_TEXT];
	struct token t;

	if (read_options(a, conf, &t, err) || calc_token_add(db, a, &t, WHO, text, err))
		return -1;
	fprintf(stderr, "token \"%s\" may %s", t.name, db_tokens_scope_word(t.scope));
	say_limits(a, stderr, &t);
	fprintf(stderr, ". This is the only time it is shown:\n");
	puts(text);
	return 0;
}

static int list(struct db *db, struct arena *a, struct err *err)
{
	struct token *list;
	size_t n;

	if (db_tokens_list(db, a, &list, &n, err))
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct token *t = &list[i];
		char when[TM_TEXT];

		printf("%-24s  %-6s  made %s", t->name, db_tokens_scope_word(t->scope), tm_format(t->created_at, when));
		printf("  used %s", t->last_used_at == TM_NONE ? "never" : tm_format(t->last_used_at, when));
		say_limits(a, stdout, t);
		if (t->revoked_at != TM_NONE)
			printf("  revoked %s", tm_format(t->revoked_at, when));
		putchar('\n');
	}
	return 0;
}

static int revoke(struct db *db, struct arena *a, const struct conf *conf, struct err *err)
{
	struct token t;

	if (calc_token_revoke(db, a, conf->token_name, WHO, &t, err))
		return err->kind == ERR_NOT_FOUND ? err_set(err, ERR_NOT_FOUND, "there is no token \"%s\": see `nsecwatchd token list`",
							    conf->token_name) : -1;
	printf("token \"%s\" is revoked; a running server takes it for some seconds more\n", conf->token_name);
	return 0;
}

int cmd_token(const struct conf *conf, struct err *err)
{
	static const struct db_events_origin by_hand = { .via = "command" };
	struct db *db = cmd_open_db(conf, err);
	struct arena *a;
	int ret;

	if (!db)
		return -1;
	db_events_from(db, &by_hand);
	a = arena_new();
	if (!strcmp(conf->subcommand, "add"))
		ret = add(db, a, conf, err);
	else if (!strcmp(conf->subcommand, "list"))
		ret = list(db, a, err);
	else
		ret = revoke(db, a, conf, err);
	arena_free(a);
	db_free(db);
	return ret;
}
