/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the table of commands and options, what reads a command line by it, and --help. */
#ifndef CLIENT_OPTIONS_IMPL_H
#define CLIENT_OPTIONS_IMPL_H

#include "options.h"

enum options_bit {
	COLLECT = 1,
	PUSH = 2,
	CHECK = 4,
	COMPARE = 8,
	PARSE = 16,
	KERNEL = 32,
	VERSION = 64,
	DETECT = 128,
	BENCH = 256,
	BISECT_START = 512,
	BISECT_JUDGE = 1024,
	BISECT_LOG = 2048,
};

#define ONLINE (PUSH | CHECK | COMPARE | BISECT_START | BISECT_JUDGE)
#define READS (PUSH | PARSE)
#define GATES (CHECK | COMPARE)
#define PICKS (GATES | BISECT_START)
#define BISECTS (BISECT_START | BISECT_JUDGE | BISECT_LOG)

struct options_command {
	const char *name;	/* "push", "bisect start" */
	unsigned bit;
	const char *words;	/* NULL: takes none */
	size_t least, most;
	const char *help;
};

enum options_type { TEXT, FLAG, INT, PERCENT, SECRET, LABEL, SELECTOR, PARAM };

struct options_option {
	const char *name, *value;	/* "url", "URL" */
	enum options_type type;
	size_t at;			/* in struct options */
	const char *standard;		/* NULL: none */
	unsigned commands;
	bool setting;			/* also NSECWATCH_NAME, also in the settings file */
	const char *help;
};

extern const struct options_command options_commands[];	/* both end with a NULL name */
extern const struct options_option options_table[];

const struct options_command *options_command_of(const char *name);	/* NULL: none */

/* NSECWATCH_TOKEN_FILE of "token-file" */
const char *options_variable(const struct options_option *o, char out[64]);

#endif
