/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd.h"

#include <stdio.h>
#include <string.h>

#include "../lib/tm.h"
#include "calc_noise_learn.h"
#include "db_migrate.h"
#include "db_packs.h"
#include "db_tokens.h"
#include "up_listen.h"

/* Somebody waits at a terminal: no statement timeout, a first error is the answer. */
static struct db *open_db(const struct conf *conf, struct err *err)
{
	struct db *db = db_new(conf->db, "nsecwatchd command", 0);

	if (db_connect(db, err)) {
		db_free(db);
		return NULL;
	}
	return db;
}

int cmd_migrate(const struct conf *conf, struct err *err)
{
	struct db *db = open_db(conf, err);
	int applied, ret;

	if (!db)
		return -1;
	if (conf->check_only) {
		ret = db_migrate_check(db, err);
		if (!ret)
			puts("the schema is current");
		db_free(db);
		return ret;
	}
	ret = db_migrate_run(db, &applied, err);
	if (!ret && applied)
		printf("%d migration%s applied: the schema is current\n", applied, applied == 1 ? "" : "s");
	else if (!ret)
		puts("nothing to do: the schema is current");
	db_free(db);
	return ret;
}

int cmd_rebuild(const struct conf *conf, struct err *err)
{
	struct db *db = open_db(conf, err);
	struct rebuild_report report = { 0 };
	size_t noise;
	int ret;

	if (!db)
		return -1;
	ret = db_packs_rebuild(db, &report, err);
	if (!ret)
		printf("%zu runs, %zu series, %zu samples: %zu series differed from their runs%s\n", report.runs,
		       report.series, report.samples, report.series_changed,
		       report.series_changed ? " and were made anew" : "");
	if (!ret)
		ret = calc_noise_learn_all(db, &noise, err);
	if (!ret && noise)
		printf("the noise of %zu series was learned anew\n", noise);
	db_free(db);
	return ret;
}

static int token_add(struct db *db, const struct conf *conf, struct err *err)
{
	char text[TOKEN_TEXT];
	enum token_scope scope;

	if (db_tokens_scope_parse(conf->token_scope, &scope) || scope == SCOPE_NONE)
		return err_set(err, ERR_BAD_ARGUMENT, "--scope is \"%s\": ingest, read, triage or admin is needed",
			       conf->token_scope);
	if (db_tokens_add(db, conf->token_name, scope, text, err))
		return -1;
	fprintf(stderr, "token \"%s\" may %s. This is the only time it is shown:\n", conf->token_name,
		db_tokens_scope_word(scope));
	puts(text);
	return 0;
}

static int token_list(struct db *db, struct err *err)
{
	struct arena *a = arena_new();
	struct token *list;
	size_t n;
	int ret = db_tokens_list(db, a, &list, &n, err);

	for (size_t i = 0; !ret && i < n; i++) {
		char made[TM_TEXT], gone[TM_TEXT];

		printf("%-24s  %-6s  %s", list[i].name, db_tokens_scope_word(list[i].scope),
		       tm_format(list[i].created_at, made));
		if (list[i].revoked_at != TM_NONE)
			printf("  revoked %s", tm_format(list[i].revoked_at, gone));
		putchar('\n');
	}
	arena_free(a);
	return ret;
}

static int token_revoke(struct db *db, const struct conf *conf, struct err *err)
{
	bool found = false;

	if (db_tokens_revoke(db, conf->token_name, &found, err))
		return -1;
	if (!found)
		return err_set(err, ERR_NOT_FOUND, "there is no token \"%s\": see `nsecwatchd token list`",
			       conf->token_name);
	printf("token \"%s\" is revoked\n", conf->token_name);
	return 0;
}

int cmd_token(const struct conf *conf, struct err *err)
{
	struct db *db = open_db(conf, err);
	int ret;

	if (!db)
		return -1;
	if (!strcmp(conf->subcommand, "add"))
		ret = token_add(db, conf, err);
	else if (!strcmp(conf->subcommand, "list"))
		ret = token_list(db, err);
	else
		ret = token_revoke(db, conf, err);
	db_free(db);
	return ret;
}

int cmd_ready(const struct conf *conf, struct err *err)
{
	char url[512];

	up_listen_url(conf->listen_host, conf->listen_port, conf->tls_cert, url, sizeof(url));
	if (!up_listen_ready(conf->listen_host, conf->listen_port, conf->tls_cert))
		return err_set(err, ERR_UNAVAILABLE, "%sreadyz does not say that it is ready", url);
	printf("%s is ready\n", url);
	return 0;
}
