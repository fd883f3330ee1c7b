/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command line and settings of the lab client, out of one table: that is also --help.
 * A setting comes from a flag, else from the environment, else from the settings file,
 * else it has the table's default.
 */
#ifndef CLIENT_OPTIONS_H
#define CLIENT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "../lib/arena.h"
#include "../lib/err.h"

#define OPTIONS_USAGE 2			/* the exit code for a wrong command line or settings file */

struct options_pairs {			/* of options that may be repeated */
	const char *(*list)[2];		/* name, value */
	size_t n;
};

/* All strings live in the arena, in argv or in the environment. NULL = not said. */
struct options {
	const char *command;		/* NULL with help: of the whole program */
	bool help;
	const char **words;		/* what is no option: files, names */
	size_t n_words;

	/* settings */
	const char *config;
	const char *url, *token, *token_file, *ca_file, *spool;
	int retry_for_s, timeout_s;

	/* push, parse, collect: what a file does not say by itself */
	const char *root, *context, *format;
	const char *machine;		/* a setting, too */
	const char *kernel, *thp, *uarch, *isa, *base_page_kib, *boot_id, *started_at, *benchmark;
	struct options_pairs labels;
	bool spooled, dry_run, wait;
	int wait_for_s;

	/* check, compare */
	const char *base, *head, *fix;
	double max_regression;		/* percent */
	bool strict;
	struct options_pairs selectors;	/* as the API names them: "param.size_kib" */

	bool local;

	/* bench; thp, labels and machine, too */
	bool list;
	const char *sizes, *mapping, *cpu;
	int reps;			/* 0: as many as the precision wants */
	double precision;		/* percent */

	/* bisect */
	const char *good, *bad, *state, *commit, *run;
	double error, noise;		/* percent */
	int max_boots, unsure;
	struct options_pairs ignores;
	bool again, svg, html;

	/* detect, compare --local */
	bool json, text, online;
};

/*
 * Reads settings file, environment and argv[1..]. -1: err says what is wrong (a wrong
 * command line, for exit code 2). The token, wherever it came from, is in o->token.
 */
int options_read(struct arena *a, int argc, char **argv, struct options *o, struct err *err);

/* The help text: of o->command, or of all. */
void options_help(const struct options *o, FILE *out);

#endif
