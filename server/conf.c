/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "../lib/log.h"
#include "../lib/must.h"
#include "../lib/num.h"

enum { UP = 1, SERVE = 2, WATCH = 4, MIGRATE = 8, REBUILD = 16, TOKEN = 32, READY = 64, VERSION = 128, RULES = 256,
       BACKUP = 512, RESTORE = 1024, EXPORT = 2048, IMPORT = 4096, RETAIN = 8192, DOCTOR = 16384 };
#define WITH_FILE (BACKUP | RESTORE | EXPORT | IMPORT)
#define WITH_DB (SERVE | WATCH | MIGRATE | REBUILD | TOKEN | RULES | WITH_FILE | RETAIN | DOCTOR)

static const struct command {
	const char *name;
	unsigned bit;
	const char *usage, *help;
} commands[] = {
	{ "up", UP, "", "all on one machine: a private PostgreSQL under --data, serve and watch" },
	{ "serve", SERVE, "", "answer HTTP: uploads, pages, the API" },
	{ "watch", WATCH, "", "find changes, deliver alerts" },
	{ "migrate", MIGRATE, "", "bring the database's schema to this program's version" },
	{ "rebuild", REBUILD, "", "make the series packs anew from the runs, tell what differed" },
	{ "token", TOKEN, " add|list|revoke", "access tokens for labs, people and programs" },
	{ "rules", RULES, " load FILE", "the rules of alerts from a JSON file; those of an earlier file that are not in it go" },
	{ "backup", BACKUP, " FILE|DIR", "everything in the database, of one moment, into one file; - is standard output" },
	{ "restore", RESTORE, " FILE", "a backup into an empty database, whole or not at all" },
	{ "export", EXPORT, " FILE", "all runs as submissions, one a line, and what people decided; - is standard output" },
	{ "import", IMPORT, " FILE", "what export wrote, or anybody's submissions, one a line; - is standard input" },
	{ "retain", RETAIN, "", "drop bodies and raw repetitions that are older than --raw; the summaries stay for ever" },
	{ "doctor", DOCTOR, "", "look at configuration, permissions, disk, clocks and PostgreSQL: what is wrong, and the cure" },
	{ "ready", READY, "", "ask a running serve whether it is ready: status 0 or 1, for health checks" },
	{ "version", VERSION, "", "print the version" },
	{ NULL, 0, NULL, NULL },
};

enum type { TEXT, FLAG, INT, NUM, SECRET };

#define AT(field) offsetof(struct conf, field)

/* Whole workloads by the names that suites give them: builds, databases, servers, suites that sum up. */
#define BROAD "kernbench*,*kernel-build*,*build-linux*,*build-kernel*,unixbench/*index*,*pgbench*,*postgres*,*mysql*," \
	      "*mariadb*,*sysbench*oltp*,*redis*,*memcached*,*nginx*,*apache*,*specjbb*,spec*,reaim*,aim7*,dbench*,*git*"

static const struct option {
	const char *name, *value;	/* "data", "DIR" */
	enum type type;
	size_t at;
	const char *standard;		/* NULL: none */
	unsigned commands;
	double least, most;		/* of INT and NUM */
	const char *help;
} options[] = {
	{ "data", "DIR", TEXT, AT(data), "./var", UP | WITH_DB, 0, 0,
	  "up: where everything is kept; others: whose database, when --db is not given" },
	{ "db", "CONNINFO", TEXT, AT(db), NULL, WITH_DB, 0, 0,
	  "an existing PostgreSQL (14 or later), as libpq takes it: \"host=db dbname=nsecwatch\"" },
	{ "db-read", "CONNINFO", TEXT, AT(db_read), NULL, SERVE, 0, 0,
	  "hot standbys to read from, \"host=b,c dbname=nsecwatch\"; what is not there yet, or fails, is asked of --db" },
	{ "listen", "ADDR:PORT", TEXT, AT(listen), "127.0.0.1:8080", UP | SERVE | READY, 0, 0,
	  "where to answer HTTP; \":8080\" is all addresses, port 0 any free port" },
	{ "tls-cert", "FILE", TEXT, AT(tls_cert), NULL, UP | SERVE | READY, 0, 0,
	  "speak HTTPS: the certificate (PEM, its chain behind it); read again at SIGHUP" },
	{ "tls-key", "FILE", TEXT, AT(tls_key), NULL, UP | SERVE, 0, 0, "its private key, readable for serve alone" },
	{ "demo", NULL, FLAG, AT(demo), NULL, UP, 0, 0, "load the demonstration data once" },
	{ "private", NULL, FLAG, AT(private_reads), NULL, UP | SERVE, 0, 0, "reading needs a token, or signing in, too" },
	{ "proxy", "NETS", TEXT, AT(proxy), NULL, UP | SERVE, 0, 0,
	  "addresses of the proxies in front of it, as 127.0.0.1,10.1.0.0/24: whose X-Forwarded-For and X-Forwarded-Proto count" },
	{ "proxy-user-header", "NAME", TEXT, AT(proxy_user_header), NULL, UP | SERVE, 0, 0,
	  "the header in which they name who has signed in with them, as X-Forwarded-User; they must take it out of what clients send" },
	{ "proxy-scope", "SCOPE", TEXT, AT(proxy_scope), "read", UP | SERVE, 0, 0,
	  "what those people may do: read, triage or admin" },
	{ "proxy-admins", "NAMES", TEXT, AT(proxy_admins), NULL, UP | SERVE, 0, 0,
	  "which of them may do everything, with commas" },
	{ "session-hours", "N", INT, AT(session_hours), "168", UP | SERVE, 1, 8760,
	  "after so long a browser has to sign in again; unused, after 12" },
	{ "secure-cookies", NULL, FLAG, AT(secure_cookies), NULL, UP | SERVE, 0, 0,
	  "mark the browser's cookie Secure always, not only where HTTPS is seen or --public-url says it" },
	{ "check", NULL, FLAG, AT(check_only), NULL, MIGRATE | RESTORE | RETAIN, 0, 0,
	  "change nothing: tell whether the schema is the one this program needs (status 0) or not (1), whether the backup is whole, "
	  "what would be dropped" },
	{ "raw", "MONTHS", TEXT, AT(retain_raw), NULL, RETAIN, 0, 0, "how long bodies and repetitions are kept: 6m, 2y" },
	{ "json", NULL, FLAG, AT(json), NULL, DOCTOR, 0, 0, "the findings as JSON" },
	{ "bodies", NULL, FLAG, AT(bodies), NULL, EXPORT, 0, 0, "with the bodies of uploads as they came, too" },
	{ "public-url", "URL", TEXT, AT(public_url), NULL, UP | SERVE | WATCH, 0, 0,
	  "how others reach this server: the start of links in alerts" },
	{ "name", "NAME", TEXT, AT(token_name), NULL, TOKEN, 0, 0, "add, revoke: the token's name" },
	{ "scope", "SCOPE", TEXT, AT(token_scope), NULL, TOKEN, 0, 0,
	  "add: what it may do: ingest, read, triage or admin" },
	{ "machines", "GLOBS", TEXT, AT(token_machines), NULL, TOKEN, 0, 0,
	  "add: the machines it may send of, as milan-*,rome-1; another in an upload: 403 (default: any)" },
	{ "benchmarks", "GLOBS", TEXT, AT(token_benchmarks), NULL, TOKEN, 0, 0,
	  "add: the benchmarks likewise, as mprotect/*" },
	{ "expires", "WHEN", TEXT, AT(token_expires), NULL, TOKEN, 0, 0,
	  "add: when it ends: 90d, 12h or a time as 2027-01-01T00:00:00Z (default: never)" },
	{ "maintainers", "FILE", TEXT, AT(maintainers), NULL, UP | WATCH, 0, 0,
	  "who is told about which benchmarks; README says how it is written" },
	{ "webhook-url", "URL", TEXT, AT(webhook_url), NULL, UP | WATCH, 0, 0, "POST each alert there as JSON" },
	{ "webhook-format", "FORMAT", TEXT, AT(webhook_format), "json", UP | WATCH, 0, 0,
	  "what it understands: json (all of it, signed), slack, mattermost or matrix" },
	{ "webhook-secret", NULL, SECRET, AT(webhook_secret), NULL, UP | WATCH, 0, 0,
	  "key of its signature; for matrix the access token (environment only)" },
	{ "webhook-secret-file", "FILE", TEXT, AT(webhook_secret_file), NULL, UP | WATCH, 0, 0,
	  "the same: the first line of this file" },
	{ "webhook-allow", "NETS", TEXT, AT(webhook_allow), NULL, UP | WATCH, 0, 0,
	  "private networks in which webhooks may be, as 10.1.0.0/16,127.0.0.1; others are refused" },
	{ "smtp-url", "URL", TEXT, AT(smtp_url), NULL, UP | WATCH, 0, 0,
	  "mail server for alerts: smtp://host:25, smtps://host:465" },
	{ "smtp-user", "USER", TEXT, AT(smtp_user), NULL, UP | WATCH, 0, 0, "user name at the mail server" },
	{ "smtp-password", NULL, SECRET, AT(smtp_password), NULL, UP | WATCH, 0, 0,
	  "its password (environment only)" },
	{ "smtp-password-file", "FILE", TEXT, AT(smtp_password_file), NULL, UP | WATCH, 0, 0,
	  "its password: the first line of this file" },
	{ "mail-from", "ADDRESS", TEXT, AT(mail_from), NULL, UP | SERVE | WATCH, 0, 0, "sender of alerts, and of their drafts" },
	{ "mail-to", "ADDRESS", TEXT, AT(mail_to), NULL, UP | WATCH, 0, 0, "who gets alerts" },
	{ "ca-file", "FILE", TEXT, AT(ca_file), NULL, UP | WATCH, 0, 0,
	  "certificates (PEM) that mail server and webhooks are checked with, in place of the system's" },
	{ "improvements", "WHEN", TEXT, AT(improvements), "weekly", UP | WATCH, 0, 0,
	  "when improvements are told: now, or in a daily or weekly digest, or never" },
	{ "digest-at", "HH:MM", TEXT, AT(digest_at), "08:00", UP | WATCH, 0, 0,
	  "when digests go out; weekly ones on Mondays" },
	{ "time-zone", "ZONE", TEXT, AT(time_zone), "UTC", UP | WATCH, 0, 0,
	  "of that time and of quiet hours, as Europe/Berlin" },
	{ "delivery-tries", "N", INT, AT(delivery_tries), "100", UP | WATCH, 1, 100000,
	  "attempts until a delivery is given up: 100 are about four days" },
	{ "settle", "SECONDS", INT, AT(settle_s), "5", UP | WATCH, 0, 3600,
	  "an alert is told when no run of its kernels has come in for so long, so that the first message has all machines; "
	  "at most ten times as long later" },
	{ "alert-percent", "PERCENT", NUM, AT(alert_percent), NULL, UP | WATCH, 0.01, 1000,
	  "the default rule's threshold, in place of its own (5)" },
	{ "broad-benchmarks", "GLOBS", TEXT, AT(broad_benchmarks), BROAD, UP | SERVE | WATCH, 0, 0,
	  "names of benchmarks, with commas, that stand for whole workloads: mails tell whether one moves, too" },
	{ "workers", "N", INT, AT(workers), "16", UP | SERVE, 1, 256,
	  "threads that run requests, each with a database connection; uploads wait in them for the disk" },
	{ "queue-length", "N", INT, AT(queue_length), "256", UP | SERVE, 1, 65536,
	  "requests that may wait for a worker; more get 503" },
	{ "max-connections", "N", INT, AT(max_connections), "4096", UP | SERVE, 1, 65536,
	  "open HTTP connections; more get 503" },
	{ "uploads-per-minute", "N", INT, AT(uploads_per_minute), "0", UP | SERVE, 0, 1000000,
	  "what one token may send; more get 429 (0: no limit)" },
	{ "token-rate", "N", INT, AT(token_rate), "0", UP | SERVE, 0, 10000000,
	  "requests a minute of one token or person; more get 429 (0: no limit)" },
	{ "token-at-once", "N", INT, AT(token_at_once), "0", UP | SERVE, 0, 65536,
	  "its requests at the same time, likewise" },
	{ "address-rate", "N", INT, AT(address_rate), "0", UP | SERVE, 0, 10000000,
	  "requests a minute of one address, or of an IPv6 network of 64 bits; more get 429 (0: no limit)" },
	{ "address-at-once", "N", INT, AT(address_at_once), "0", UP | SERVE, 0, 65536,
	  "its requests at the same time, likewise" },
	{ "max-body", "KIB", INT, AT(max_body_kib), "4096", UP | SERVE, 1, 1 << 20, "largest body, as received" },
	{ "max-inflated", "KIB", INT, AT(max_inflated_kib), "16384", UP | SERVE, 1, 1 << 20,
	  "largest body, uncompressed" },
	{ "idle-timeout", "SECONDS", INT, AT(idle_timeout_s), "30", UP | SERVE, 1, 3600,
	  "a connection that says nothing is closed after this" },
	{ "request-timeout", "SECONDS", INT, AT(request_timeout_s), "120", UP | SERVE, 1, 3600,
	  "a request must have arrived after this" },
	{ "statement-timeout", "MS", INT, AT(statement_timeout_ms), "30000", UP | SERVE | WATCH, 100, 3600000,
	  "the longest database statement" },
	{ "static", "DIR", TEXT, AT(static_dir), NULL, UP | SERVE, 0, 0, "pages from this folder, not from the program" },
	{ "pg-bin", "DIR", TEXT, AT(pg_bin), NULL, UP, 0, 0, "where initdb and postgres are (else the newest found)" },
	{ "log-level", "LEVEL", TEXT, AT(log_level), "info", UP | WITH_DB, 0, 0, "error, warn, info or debug" },
	{ "help", NULL, FLAG, AT(help), NULL, ~0u, 0, 0, "this text" },
	{ NULL, NULL, TEXT, 0, NULL, 0, 0, 0, NULL },
};

static const struct command *command_of(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

static const struct option *option_of(const char *name, size_t len)
{
	for (const struct option *o = options; o->name; o++)
		if (strlen(o->name) == len && !memcmp(o->name, name, len))
			return o;
	return NULL;
}

/* NSECWATCH_MAX_BODY of "max-body" */
static const char *env_name(const struct option *o, char out[64])
{
	int n = snprintf(out, 64, "NSECWATCH_%s", o->name);

	must(n < 64);
	for (char *p = out; *p; p++)
		*p = *p == '-' ? '_' : (char)toupper((unsigned char)*p);
	return out;
}

static int set_flag(bool *flag, const char *from, const char *value, struct err *err)
{
	static const char *const yes[] = { "1", "yes", "true", "on" }, *const no[] = { "0", "no", "false", "off" };

	for (size_t i = 0; i < 4; i++) {
		if (!strcasecmp(value, yes[i]) || !strcasecmp(value, no[i])) {
			*flag = !strcasecmp(value, yes[i]);
			return 0;
		}
	}
	return err_set(err, ERR_SETUP, "%s is \"%s\": yes or no is needed", from, value);
}

/* Stores one value; `from` is how the user spelt the option ("--workers", "NSECWATCH_WORKERS"). */
static int set(struct conf *conf, const struct option *o, const char *from, const char *value, struct err *err)
{
	char *at = (char *)conf + o->at;
	int64_t i;
	double d;

	switch (o->type) {
	case TEXT:
	case SECRET:
		memcpy(at, &value, sizeof(value));
		return 0;
	case FLAG:
		return set_flag((bool *)at, from, value, err);
	case INT:
		if (num_parse_i64(value, strlen(value), &i) || i < (int64_t)o->least || i > (int64_t)o->most)
			return err_set(err, ERR_SETUP, "%s is \"%s\": a whole number from %.0f to %.0f is needed",
				       from, value, o->least, o->most);
		*(int *)(void *)at = (int)i;
		return 0;
	case NUM:
		if (num_parse(value, strlen(value), &d) || d < o->least || d > o->most)
			return err_set(err, ERR_SETUP, "%s is \"%s\": a number from %g to %g is needed", from, value,
				       o->least, o->most);
		*(double *)(void *)at = d;
		return 0;
	}
	must(!"a type of the table");
	return -1;
}

static int set_from_environment(struct conf *conf, const struct command *c, struct err *err)
{
	char name[64];

	for (const struct option *o = options; o->name; o++) {
		const char *value;

		if (!(o->commands & c->bit))
			continue;
		if (o->standard && set(conf, o, o->name, o->standard, err))
			return -1;
		if (!strcmp(o->name, "help"))
			continue;
		value = getenv(env_name(o, name));
		if (value && *value && set(conf, o, name, value, err))
			return -1;
	}
	return 0;
}

/* Passwords that are part of a value: those of libpq (password=, user:password@), of URLs, and whole addresses of webhooks. */
static bool holds_secret(const struct option *o, const char *value)
{
	const char *at = strstr(value, "://");

	if (o->at == AT(webhook_url))
		return true;
	if (o->at != AT(db) && o->at != AT(db_read) && o->at != AT(smtp_url))
		return false;
	return strcasestr(value, "password") || (at && strchr(at, '@'));
}

/* ps shows the command line for as long as the process lives: there it is written over, and used from a copy, as long-lived. */
static const char *hide(const char *value)
{
	static struct hidden {
		struct hidden *next;
		char value[];
	} *all;
	size_t size = strlen(value) + 1;
	struct hidden *copy = malloc(sizeof(*copy) + size);

	must(copy);
	memcpy(copy->value, value, size);
	copy->next = all;
	all = copy;
	memset((char *)(uintptr_t)value, '*', size - 1);
	return copy->value;
}

/* One word "--name", "--name=value"; eats the next word where a value is needed. */
static int set_from_word(struct conf *conf, const struct command *c, char ***argv, struct err *err)
{
	const char *word = *(*argv)++;
	size_t len = strcspn(word + 2, "=");
	const struct option *o = option_of(word + 2, len);
	const char *value = word[2 + len] ? word + 2 + len + 1 : NULL;
	char spelt[64], env[64];

	if (!o)
		return err_set(err, ERR_SETUP, "unknown option %s: see `nsecwatchd %s --help`", word, c->name);
	snprintf(spelt, sizeof(spelt), "--%s", o->name);
	if (!(o->commands & c->bit))
		return err_set(err, ERR_SETUP, "%s is not an option of %s: see `nsecwatchd %s --help`", spelt, c->name,
			       c->name);
	if (o->type == SECRET)
		return err_set(err, ERR_SETUP, "%s would show in ps: set %s, or use %s-file FILE", spelt,
			       env_name(o, env), spelt);
	if (o->type == FLAG)
		return set(conf, o, spelt, value ? value : "yes", err);
	if (!value)
		value = *(*argv) ? *(*argv)++ : NULL;
	if (!value)
		return err_set(err, ERR_SETUP, "%s needs a value: %s %s", spelt, spelt, o->value);
	return set(conf, o, spelt, holds_secret(o, value) ? hide(value) : value, err);
}

/* "load", then the file. */
static int set_rules_word(struct conf *conf, const char *word, struct err *err)
{
	if (!conf->subcommand && strcmp(word, "load") != 0)
		return err_set(err, ERR_SETUP, "rules takes load FILE; here stands \"%s\"", word);
	if (conf->rules_file)
		return err_set(err, ERR_SETUP, "rules load takes one file; here stands a second, \"%s\"", word);
	if (conf->subcommand)
		conf->rules_file = word;
	else
		conf->subcommand = "load";
	return 0;
}

static int set_file_word(struct conf *conf, const struct command *c, const char *word, struct err *err)
{
	if (conf->file)
		return err_set(err, ERR_SETUP, "%s takes one file; here stands a second, \"%s\"", c->name, word);
	conf->file = word;
	return 0;
}

static int set_subcommand(struct conf *conf, const struct command *c, const char *word, struct err *err)
{
	static const char *const known[] = { "add", "list", "revoke" };

	if (c->bit == RULES)
		return set_rules_word(conf, word, err);
	if (c->bit & WITH_FILE)
		return set_file_word(conf, c, word, err);
	if (c->bit != TOKEN)
		return err_set(err, ERR_SETUP, "%s takes no \"%s\": options start with --, see `nsecwatchd %s --help`",
			       c->name, word, c->name);
	for (size_t i = 0; i < 3 && !conf->subcommand; i++)
		if (!strcmp(known[i], word)) {
			conf->subcommand = known[i];
			return 0;
		}
	return err_set(err, ERR_SETUP, "token takes one of add, list, revoke; here stands \"%s\"", word);
}

static int check_token(const struct conf *conf, struct err *err)
{
	if (!conf->subcommand)
		return err_set(err, ERR_SETUP, "token: add, list or revoke? e.g. `nsecwatchd token add --name ci --scope ingest`");
	if (strcmp(conf->subcommand, "list") && !(conf->token_name && *conf->token_name))
		return err_set(err, ERR_SETUP, "token %s needs --name NAME", conf->subcommand);
	if (!strcmp(conf->subcommand, "add") && !conf->token_scope)
		return err_set(err, ERR_SETUP, "token add needs --scope ingest|read|triage|admin");
	return 0;
}

static int check_proxy(const struct conf *conf, struct err *err)
{
	static const char *const scopes[] = { "read", "triage", "admin" };
	const char *header = conf->proxy_user_header;
	size_t i = 0;

	if (header && !conf->proxy)
		return err_set(err, ERR_SETUP, "--proxy-user-header needs --proxy: whose word is it that counts?");
	if (header && (!*header || strspn(header, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-") != strlen(header)))
		return err_set(err, ERR_SETUP, "--proxy-user-header is \"%s\": the name of a header is needed, as X-Forwarded-User", header);
	if (conf->proxy_admins && !header)
		return err_set(err, ERR_SETUP, "--proxy-admins needs --proxy-user-header, too");
	while (i < 3 && conf->proxy_scope && strcmp(conf->proxy_scope, scopes[i]))
		i++;
	return i < 3 ? 0 : err_set(err, ERR_SETUP, "--proxy-scope is \"%s\": read, triage or admin is needed", conf->proxy_scope);
}

static int check(struct conf *conf, const struct command *c, struct err *err)
{
	enum log_level level;

	if (conf->log_level && log_level_parse(conf->log_level, &level))
		return err_set(err, ERR_SETUP, "--log-level is \"%s\": error, warn, info or debug is needed",
			       conf->log_level);
	if (conf->listen && conf_listen_split(conf->listen, conf->listen_host, &conf->listen_port, err))
		return err_prefix(err, "--listen");
	if (c->bit & (UP | SERVE) && !conf->tls_cert != !conf->tls_key)
		return err_set(err, ERR_SETUP, "--tls-cert and --tls-key go together: one is missing");
	if (check_proxy(conf, err))
		return -1;
	if (conf->mail_to && (!conf->smtp_url || !conf->mail_from))
		return err_set(err, ERR_SETUP, "--mail-to needs --smtp-url and --mail-from, too");
	if (conf->smtp_password && conf->smtp_password_file)
		return err_set(err, ERR_SETUP, "NSECWATCH_SMTP_PASSWORD and --smtp-password-file are both set: give one");
	if (conf->webhook_secret && conf->webhook_secret_file)
		return err_set(err, ERR_SETUP, "NSECWATCH_WEBHOOK_SECRET and --webhook-secret-file are both set: give one");
	if ((conf->smtp_password || conf->smtp_password_file) && !conf->smtp_user)
		return err_set(err, ERR_SETUP, "a password for the mail server is set, but no --smtp-user");
	if (c->bit == RULES && !conf->rules_file)
		return err_set(err, ERR_SETUP, "rules: load which file? `nsecwatchd rules load FILE`");
	if ((c->bit & WITH_FILE) && !(conf->file && *conf->file))
		return err_set(err, ERR_SETUP, "%s: which file? `nsecwatchd %s%s`", c->name, c->name, c->usage);
	if (c->bit == RETAIN && !(conf->retain_raw && *conf->retain_raw))
		return err_set(err, ERR_SETUP, "retain: how long? `nsecwatchd retain --raw 6m`");
	return c->bit == TOKEN ? check_token(conf, err) : 0;
}

int conf_parse(struct conf *conf, int argc, char **argv, struct err *err)
{
	const struct command *c;

	memset(conf, 0, sizeof(*conf));
	if (argc < 2)
		return err_set(err, ERR_SETUP, "a command is needed: see `nsecwatchd --help`");
	argv++;
	if (!strcmp(*argv, "--help") || !strcmp(*argv, "-h") || !strcmp(*argv, "help")) {
		conf->help = true;
		return 0;
	}
	c = command_of(!strcmp(*argv, "--version") ? "version" : *argv);
	if (!c)
		return err_set(err, ERR_SETUP, "unknown command \"%s\": see `nsecwatchd --help`", *argv);
	conf->command = c->name;
	argv++;
	if (set_from_environment(conf, c, err))
		return -1;
	while (*argv) {
		if (!strcmp(*argv, "-h")) {
			conf->help = true;
			argv++;
		} else if (!strncmp(*argv, "--", 2)) {
			if (set_from_word(conf, c, &argv, err))
				return -1;
		} else if (set_subcommand(conf, c, *argv++, err)) {
			return -1;
		}
	}
	return conf->help ? 0 : check(conf, c, err);
}

int conf_listen_split(const char *text, char host[256], int *port, struct err *err)
{
	const char *colon = strrchr(text, ':'), *digits = colon ? colon + 1 : text;
	const char *from = text, *to = colon ? colon : text;
	int64_t n;

	if (num_parse_i64(digits, strlen(digits), &n) || n < 0 || n > 65535)
		return err_set(err, ERR_SETUP, "\"%s\" does not end in a port from 0 to 65535: write ADDR:PORT", text);
	if (from < to && *from == '[' && to[-1] == ']')
		from++, to--;
	else if (memchr(from, ':', (size_t)(to - from)))
		return err_set(err, ERR_SETUP, "\"%s\": write an IPv6 address in brackets, [::1]:8080", text);
	if (to - from > 255)
		return err_set(err, ERR_SETUP, "\"%s\": the address is too long", text);
	memcpy(host, from, (size_t)(to - from));
	host[to - from] = 0;
	if (!strcmp(host, "*"))
		host[0] = 0;
	*port = (int)n;
	return 0;
}

int conf_secret_of_file(const char *name, char out[CONF_SECRET], struct err *err)
{
	FILE *f = fopen(name, "re");
	int failed = 0;

	if (!f)
		return err_set(err, ERR_SETUP, "%s: %s", name, strerror(errno));
	if (!fgets(out, CONF_SECRET, f)) {
		failed = ferror(f) ? errno : 0;
		out[0] = 0;
	}
	fclose(f);
	if (failed)
		return err_set(err, ERR_SETUP, "%s: %s", name, strerror(failed));
	if (strlen(out) == CONF_SECRET - 1)
		return err_set(err, ERR_SETUP, "%s: its first line is too long", name);
	out[strcspn(out, "\r\n")] = 0;
	return *out ? 0 : err_set(err, ERR_SETUP, "%s: its first line is empty", name);
}

int conf_read_secrets(struct conf *conf, struct err *err)
{
	static char password[CONF_SECRET], secret[CONF_SECRET];

	if (conf->smtp_password_file) {
		if (conf_secret_of_file(conf->smtp_password_file, password, err))
			return err_prefix(err, "--smtp-password-file");
		conf->smtp_password = password;
		conf->smtp_password_file = NULL;
	}
	if (conf->webhook_secret_file) {
		if (conf_secret_of_file(conf->webhook_secret_file, secret, err))
			return err_prefix(err, "--webhook-secret-file");
		conf->webhook_secret = secret;
		conf->webhook_secret_file = NULL;
	}
	return 0;
}

int conf_absolute(struct conf *conf, struct arena *a, struct err *err)
{
	char here[PATH_MAX];

	if (!getcwd(here, sizeof(here)))
		return err_set(err, ERR_SETUP, "the working directory: %s", strerror(errno));
	for (const struct option *o = options; o->name; o++) {
		char *at = (char *)conf + o->at;
		const char *text;

		if (o->type != TEXT || !o->value || (strcmp(o->value, "FILE") && strcmp(o->value, "DIR")))
			continue;
		memcpy(&text, at, sizeof(text));
		if (!text || !*text || *text == '/')
			continue;
		text = arena_printf(a, "%s/%s", here, text);
		memcpy(at, &text, sizeof(text));
	}
	return 0;
}

static void export(const struct conf *conf, const struct option *o)
{
	const char *at = (const char *)conf + o->at, *text = NULL;
	char name[64], number[NUM_MAX];

	switch (o->type) {
	case TEXT:
	case SECRET:
		memcpy(&text, at, sizeof(text));
		break;
	case FLAG:
		text = *(const bool *)at ? "yes" : "no";
		break;
	case INT:
		snprintf(number, sizeof(number), "%d", *(const int *)(const void *)at);
		text = number;
		break;
	case NUM:
		if (*(const double *)(const void *)at < o->least)	/* not given, and without a standard */
			break;
		num_format(number, *(const double *)(const void *)at);
		text = number;
		break;
	}
	env_name(o, name);
	if (text)
		must(!setenv(name, text, 1));
	else
		must(!unsetenv(name));
}

void conf_export(const struct conf *conf, const char *command)
{
	const struct command *c = command_of(command);

	must(c);
	for (const struct option *o = options; o->name; o++) {
		char name[64];

		if (!strcmp(o->name, "help"))
			continue;
		if (o->commands & c->bit)
			export(conf, o);
		else	/* watch's mail password is nothing that serve should see */
			must(!unsetenv(env_name(o, name)));
	}
}

/* Text behind the left column, broken at blanks. */
static void print_wrapped(const char *text, int left, int width)
{
	int column = left;

	while (*text) {
		int n = (int)strcspn(text, " ");

		for (int most = width - left, i = most; n > most && i > 0; i--)	/* a list is broken behind a comma */
			if (text[i - 1] == ',')
				n = i;
		if (column > left && column + 1 + n > width) {
			printf("\n%*s", left, "");
			column = left;
		} else if (column > left) {
			putchar(' ');
			column++;
		}
		printf("%.*s", n, text);
		column += n;
		text += n + (text[n] == ' ');
	}
	putchar('\n');
}

static void help_option(const struct option *o)
{
	char left[64], text[512], env[64];

	if (o->type == SECRET)
		snprintf(left, sizeof(left), "%s", env_name(o, env));
	else
		snprintf(left, sizeof(left), "--%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
	snprintf(text, sizeof(text), "%s%s%s%s", o->help, o->standard ? " (default: " : "",
		 o->standard ? o->standard : "", o->standard ? ")" : "");
	printf("  %-28s", left);
	if (strlen(left) >= 28)
		printf("\n%*s", 30, "");
	print_wrapped(text, 30, 96);
}

void conf_help(const char *command)
{
	const struct command *one = command ? command_of(command) : NULL;

	if (one)
		printf("usage: nsecwatchd %s%s [OPTION]...\n%c%s.\n\n", one->name, one->usage,
		       toupper((unsigned char)one->help[0]), one->help + 1);
	else
		printf("usage: nsecwatchd COMMAND [OPTION]...\n"
		       "Stores benchmark results of kernels, draws them, finds regressions, tells maintainers.\n\n");
	for (const struct command *c = commands; !one && c->name; c++)
		printf("  %-8s%-18s  %s\n", c->name, c->usage, c->help);
	if (!one)
		printf("\n`nsecwatchd COMMAND --help` has the options of a command. To start: nsecwatchd up --demo\n");
	for (const struct option *o = options; one && o->name; o++)
		if (o->commands & one->bit)
			help_option(o);
	if (one)
		printf("\nEach option can also be set in the environment: --max-body is NSECWATCH_MAX_BODY.\n");
}
