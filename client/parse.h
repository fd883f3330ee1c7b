/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `nsecwatch parse`: what a server would make of files of results, without one. */
#ifndef CLIENT_PARSE_H
#define CLIENT_PARSE_H

#include "../ingest/read.h"
#include "options.h"

int parse(const struct options *o);	/* the exit code */

/* What the command line says of a file; strings are borrowed from o. */
struct read_context parse_context(const struct options *o, const char *filename);

/* To standard error, a line each. */
void parse_say_not_imported(const char *path, const struct submission *sub);

#endif
