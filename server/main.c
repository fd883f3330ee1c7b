/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nsecwatchd: which command runs. Exit status: 0 done, 1 it could not be done, 2 the command line is wrong. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/log.h"
#include "../lib/version.h"
#include "cmd.h"
#include "conf.h"
#include "confine.h"
#include "up.h"
#include "watch.h"
#include "web.h"

/* What talks to the world has no more rights than that takes: see confine.h. */
static int serve(const struct conf *conf, struct err *err)
{
	confine_process(true);
	return web_serve(conf, err);
}

static int watch(const struct conf *conf, struct err *err)
{
	confine_process(false);
	return watch_run(conf, err);
}

static int print_version(const struct conf *conf, struct err *err)
{
	(void)conf;
	(void)err;
	printf("nsecwatchd %s\n", version_text);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(const struct conf *conf, struct err *err);
	bool db;		/* needs a database: --db, or that of --data */
} commands[] = {
	{ "up", up_run, false },
	{ "serve", serve, true },
	{ "watch", watch, true },
	{ "migrate", cmd_migrate, true },
	{ "rebuild", cmd_rebuild, true },
	{ "token", cmd_token, true },
	{ "rules", cmd_rules, true },
	{ "backup", cmd_backup, true },
	{ "restore", cmd_restore, false },	/* with --check it needs none */
	{ "export", cmd_export, true },
	{ "import", cmd_import, true },
	{ "retain", cmd_retain, true },
	{ "doctor", cmd_doctor, false },	/* that there is none is a finding */
	{ "ready", cmd_ready, false },
	{ "version", print_version, false },
};

static int run(struct conf *conf, struct err *err)
{
	char program[64];
	enum log_level level = LOG_INFO;

	snprintf(program, sizeof(program), "nsecwatchd-%s", conf->command);
	if (conf->log_level)
		log_level_parse(conf->log_level, &level);
	log_init(program, level);
	if (conf_read_secrets(conf, err))
		return -1;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(commands[i].name, conf->command))
			continue;
		if (commands[i].db && !conf->db && up_find_db(conf, &conf->db, err))
			return -1;
		return commands[i].run(conf, err);
	}
	return err_set(err, ERR_BUG, "%s is in the table of options but not of commands", conf->command);
}

int main(int argc, char **argv)
{
	struct err err = { .kind = ERR_NONE };
	struct conf conf;

	signal(SIGPIPE, SIG_IGN);	/* a client or a reader of our output that went away is an error code */
	if (conf_parse(&conf, argc, argv, &err)) {
		fprintf(stderr, "nsecwatchd: %s\n", err.message);
		return 2;
	}
	if (conf.help) {
		conf_help(conf.command);
	} else if (run(&conf, &err)) {
		fprintf(stderr, "nsecwatchd: %s\n", err.message);
		return err.kind == ERR_BAD_ARGUMENT ? 2 : 1;
	}
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "nsecwatchd: writing the output: %s\n", strerror(errno));
		return 1;
	}
	return 0;
}
