/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors as values: see err.h. */
#include "err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "must.h"

int err_set(struct err *err, enum err_kind kind, const char *fmt, ...)
{
	char text[sizeof(err->message)];	/* the arguments may point into err->message */
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err->kind = kind;
	memcpy(err->message, text, sizeof(text));
	err->problems = NULL;	/* of another error, if any */
	err->line = 0;
	return -1;
}

int err_line(struct err *err, enum err_kind kind, size_t line, const char *fmt, ...)
{
	char text[sizeof(err->message)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err_set(err, kind, "line %zu: %s", line, text);
	err->line = line;
	return -1;
}

const char *err_line_at(const struct err *err, char at[ERR_AT])
{
	if (!err->line)
		return NULL;
	snprintf(at, ERR_AT, "line %zu", err->line);
	return at;
}

const char *err_line_message(const struct err *err)
{
	char at[ERR_AT];
	const char *from = err_line_at(err, at) ? strstr(err->message, at) : NULL;

	/* what a prefix put before it tells which file, and is no part of what is wrong */
	return from && !strncmp(from + strlen(at), ": ", 2) ? from + strlen(at) + 2 : err->message;
}

int err_prefix(struct err *err, const char *fmt, ...)
{
	char text[sizeof(err->message)];
	va_list ap;
	size_t n;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	n = strlen(text);
	if (n + 2 < sizeof(text))
		snprintf(text + n, sizeof(text) - n, ": %.*s", (int)(sizeof(text) - n - 3), err->message);
	memcpy(err->message, text, sizeof(text));
	return -1;
}

const char *err_code(enum err_kind kind)
{
	static const char *const codes[] = {
		[ERR_NONE] = "none",
		[ERR_BAD_JSON] = "bad_json",
		[ERR_BAD_ARGUMENT] = "bad_argument",
		[ERR_UNKNOWN_VALUE] = "unknown_value",
		[ERR_UNAUTHORIZED] = "unauthorized",
		[ERR_FORBIDDEN] = "forbidden",
		[ERR_NOT_FOUND] = "not_found",
		[ERR_METHOD] = "method_not_allowed",
		[ERR_NOT_ACCEPTABLE] = "not_acceptable",
		[ERR_CONFLICT] = "conflict",
		[ERR_TOO_LARGE] = "too_large",
		[ERR_TYPE] = "unsupported_type",
		[ERR_INVALID] = "invalid",
		[ERR_RATE] = "rate_limited",
		[ERR_UNAVAILABLE] = "unavailable",
		[ERR_BUG] = "internal",
		[ERR_SETUP] = "setup",
	};

	must(kind < sizeof(codes) / sizeof(codes[0]));
	return codes[kind];
}

struct problems *problems_new(struct arena *arena)
{
	struct problems *p = arena_zalloc(arena, sizeof(*p));

	p->arena = arena;
	return p;
}

int problems_add(struct problems *p, const char *at, const char *fmt, ...)
{
	va_list ap;

	p->total++;
	if (p->n == PROBLEMS_MAX)
		return -1;
	p->list[p->n].at = arena_strdup(p->arena, at);
	va_start(ap, fmt);
	p->list[p->n].message = arena_vprintf(p->arena, fmt, ap);
	va_end(ap);
	p->n++;
	return -1;
}
