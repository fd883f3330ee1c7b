/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All options of nsecwatchd in one table: name, type, default, help, which commands take
 * it. `--some-name V` on the command line, NSECWATCH_SOME_NAME in the environment.
 */
#ifndef SERVER_CONF_H
#define SERVER_CONF_H

#include <stdbool.h>
#include <stddef.h>

#include "../lib/err.h"

struct conf {
	const char *command;		/* "up", "serve", ... */
	const char *subcommand;		/* of token: "add", "list", "revoke" */
	const char *data;		/* --data DIR */
	const char *listen;		/* --listen ADDR:PORT */
	const char *db;			/* --db CONNINFO */
	const char *static_dir;		/* --static DIR: pages from disk */
	const char *public_url;		/* --public-url: how links in alerts start */
	const char *log_level;
	const char *token_name, *token_scope, *token_id;
	const char *webhook_url, *smtp_url, *smtp_user, *smtp_password, *mail_from, *mail_to;
	bool demo, private_reads, help;
	int workers, queue_length, max_body_kib, max_inflated_kib, max_connections;
	int idle_timeout_s, request_timeout_s, statement_timeout_ms;
	double alert_percent;		/* the default rule's threshold */
};

/* argv and the environment into *conf (strings borrowed from both). -1: err says which word is wrong. */
int conf_parse(struct conf *conf, int argc, char **argv, struct err *err);
void conf_help(const char *command);	/* prints help of a command, or of all, on stdout */

#endif
