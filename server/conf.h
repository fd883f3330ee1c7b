/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All options of nsecwatchd in one table: name, type, default, help, which commands take
 * it. `--some-name V` on the command line, NSECWATCH_SOME_NAME in the environment
 * (the command line wins; an empty variable counts as not set). Secrets have no place on a
 * command line, where ps shows them: environment, or --NAME-file.
 */
#ifndef SERVER_CONF_H
#define SERVER_CONF_H

#include <stdbool.h>
#include <stddef.h>

#include "../lib/arena.h"
#include "../lib/err.h"

struct conf {
	const char *command;		/* "up", "serve", ... */
	const char *subcommand;		/* of token: "add", "list", "revoke" */
	const char *data;		/* --data DIR */
	const char *listen;		/* --listen ADDR:PORT, as given; its parts: listen_host, listen_port */
	const char *tls_cert, *tls_key;	/* --tls-cert FILE, --tls-key FILE: both, or NULL for plain HTTP */
	const char *db;			/* --db CONNINFO; NULL: not given */
	const char *pg_bin;		/* --pg-bin DIR: where initdb and postgres are; NULL: look */
	const char *static_dir;		/* --static DIR: pages from disk */
	const char *public_url;		/* --public-url: how links in alerts start */
	const char *log_level;
	const char *token_name, *token_scope, *token_machines, *token_benchmarks, *token_expires;
	const char *proxy;		/* networks whose word about a request's sender counts; NULL: none */
	const char *proxy_user_header;	/* in which they name the person; NULL: they do not */
	const char *proxy_scope, *proxy_admins;
	const char *rules_file;		/* rules load FILE */
	const char *db_read;		/* --db-read CONNINFO; NULL: none */
	const char *retain_raw;		/* retain --raw MONTHS */
	const char *file;		/* backup, restore, export, import FILE */
	const char *webhook_url, *smtp_url, *smtp_user, *smtp_password, *mail_from, *mail_to;
	const char *broad_benchmarks;	/* globs, with commas */
	const char *smtp_password_file;
	const char *maintainers;	/* --maintainers FILE */
	const char *webhook_format, *webhook_secret, *webhook_secret_file, *webhook_allow, *ca_file;
	const char *improvements, *digest_at, *time_zone;
	int delivery_tries, settle_s;
	bool demo, private_reads, secure_cookies, check_only, bodies, json, help;
	int workers, queue_length, max_body_kib, max_inflated_kib, max_connections;
	int token_rate, token_at_once, address_rate, address_at_once, session_hours;
	int uploads_per_minute, idle_timeout_s, request_timeout_s, statement_timeout_ms;
	double alert_percent;		/* the default rule's threshold; 0: its own */

	char listen_host[256];		/* "127.0.0.1", "::1", "" = all addresses */
	int listen_port;		/* 0 = any free one */
};

/* argv and the environment into *conf (strings borrowed from both). -1: err says which word is wrong. */
int conf_parse(struct conf *conf, int argc, char **argv, struct err *err);
void conf_help(const char *command);	/* prints help of a command, or of all, on stdout */

/* A secret is the first line of a file; -1: err names the file. */
#define CONF_SECRET 1024
int conf_secret_of_file(const char *name, char out[CONF_SECRET], struct err *err);

/* Reads what --smtp-password-file and --webhook-secret-file name (kept until the process ends). */
int conf_read_secrets(struct conf *conf, struct err *err);

/* Makes the paths among the options absolute: for processes that work elsewhere. */
int conf_absolute(struct conf *conf, struct arena *a, struct err *err);

/* Sets NSECWATCH_* so that `command`, started with no options, has the values of *conf. */
void conf_export(const struct conf *conf, const char *command);

/* ADDR:PORT, [V6]:PORT, :PORT, PORT -> host ("" = all) and port. */
int conf_listen_split(const char *text, char host[256], int *port, struct err *err);

#endif
