/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mask.h"

static const char *program_name = "nsecwatch";
static enum log_level least_level = LOG_INFO;

static const char *const level_words[] = { "error", "warn", "info", "debug" };

void log_init(const char *program, enum log_level least)
{
	program_name = program;
	least_level = least;
}

int log_level_parse(const char *word, enum log_level *level)
{
	for (unsigned i = 0; i < sizeof(level_words) / sizeof(level_words[0]); i++)
		if (!strcmp(word, level_words[i])) {
			*level = (enum log_level)i;
			return 0;
		}
	return -1;
}

const char *log_quote(char *out, int size, const char *s)
{
	int n = 0;

	out[n++] = '"';
	for (; s && *s && n < size - 7; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\') {
			out[n++] = '\\';
			out[n++] = (char)c;
		} else if (c < 0x20 || c == 0x7f) {
			n += snprintf(out + n, 5, "\\x%02x", c);
		} else {
			out[n++] = (char)c;
		}
	}
	out[n++] = '"';
	out[n] = 0;
	return out;
}

/* The beginning of a line; lines come by the thousand a second, and this takes as long as the rest. */
static int put_second(char *line, size_t size, time_t second)
{
	static _Thread_local struct {
		time_t second;
		int n;
		char text[40];
	} last;
	struct tm tm;

	if (!last.n || last.second != second) {
		gmtime_r(&second, &tm);
		last.n = (int)strftime(last.text, sizeof(last.text), "ts=%Y-%m-%dT%H:%M:%S", &tm);
		last.second = second;
	}
	return snprintf(line, size, "%s", last.text);
}

void log_event(enum log_level level, const char *msg, const char *fields, ...)
{
	char line[4096];
	struct timespec now;
	va_list ap;
	int n;

	if (level > least_level)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	n = put_second(line, sizeof(line), now.tv_sec);
	n += snprintf(line + n, sizeof(line) - (size_t)n, ".%03ldZ level=%s program=%s msg=\"%s\"",
		      now.tv_nsec / 1000000, level_words[level], program_name, msg);
	if (fields) {
		line[n++] = ' ';
		va_start(ap, fields);
		n += vsnprintf(line + n, sizeof(line) - (size_t)n, fields, ap);
		va_end(ap);
	}
	if (n > (int)sizeof(line) - 2)
		n = (int)sizeof(line) - 2;
	mask_tokens(line, (size_t)n);
	line[n++] = '\n';
	(void)!write(STDERR_FILENO, line, (size_t)n);	/* one write: lines of threads do not mix */
}
