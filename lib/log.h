/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Structured logs on stderr, logfmt: one line an event, `ts=... level=... msg="..." key=value`. Thread-safe. */
#ifndef LIB_LOG_H
#define LIB_LOG_H

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

void log_init(const char *program, enum log_level least);
int log_level_parse(const char *word, enum log_level *level);	/* "error|warn|info|debug"; 0 or -1 */

/*
 * `fields` is a printf format that gives the rest of the line as logfmt, or NULL;
 * text from outside goes through %s only inside log_quote().
 */
void log_event(enum log_level level, const char *msg, const char *fields, ...)
	__attribute__((format(printf, 3, 4)));

/* Writes s into out as a logfmt value: quoted, control bytes escaped, cut to fit. Returns out. */
const char *log_quote(char *out, int size, const char *s);

#endif
