/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a person at a terminal, or the log of a CI job, reads: on standard error, one line each. */
#ifndef CLIENT_SAY_H
#define CLIENT_SAY_H

#include <stdarg.h>
#include <stddef.h>

#include "../lib/err.h"

/* "nsecwatch: ...", without control characters: text of a server or a file may be in it. Returns 1. */
int say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* "ABOUT: error at /kernel: message" for each; kind: "error", "warning". */
void say_problems(const char *about, const char *kind, const struct problems *p);

/* A line that the next one takes the place of; nothing where standard error is no terminal. NULL: gone. */
void say_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void say_progress_end(void);

/* Prints text from column `at` on, going on below itself where it is longer than 72 columns. */
void say_folded(const char *text, int at);

#endif
