/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One error, told once: what kind (web.c alone turns it into an HTTP status),
 * where in the sender's document, and a sentence for a person. What can fail
 * takes `struct err *` last and returns err_set(...), which is -1.
 */
#ifndef LIB_ERR_H
#define LIB_ERR_H

#include <stdbool.h>
#include <stddef.h>

struct arena;

enum err_kind {
	ERR_NONE = 0,
	ERR_BAD_JSON,		/* 400: not JSON, bad syntax */
	ERR_BAD_ARGUMENT,	/* 400: a query argument */
	ERR_UNKNOWN_VALUE,	/* 400: names nothing we have */
	ERR_UNAUTHORIZED,	/* 401 */
	ERR_FORBIDDEN,		/* 403 */
	ERR_NOT_FOUND,		/* 404 */
	ERR_METHOD,		/* 405 */
	ERR_NOT_ACCEPTABLE,	/* 406 */
	ERR_CONFLICT,		/* 409 */
	ERR_TOO_LARGE,		/* 413 */
	ERR_TYPE,		/* 415: media type or content encoding */
	ERR_INVALID,		/* 422: well-formed but wrong */
	ERR_RATE,		/* 429, with Retry-After */
	ERR_UNAVAILABLE,	/* 503, with Retry-After: try again */
	ERR_BUG,		/* 500: ours; the sender can do nothing */
	ERR_SETUP,		/* command line, files, the machine: never over HTTP */
};

#define ERR_AT 32		/* "line 17" with its NUL */
#define PROBLEMS_MAX 100	/* listed in one answer; the rest is counted */

struct problem {
	const char *at;		/* JSON pointer ("" = the whole document) or "line 17" */
	const char *message;
};

/* All that is wrong with one document. Strings live in the arena given to it. */
struct problems {
	struct arena *arena;
	struct problem list[PROBLEMS_MAX];
	size_t n;		/* in list */
	size_t total;		/* found, listed or not */
};

struct err {
	enum err_kind kind;
	char message[768];
	size_t line;		/* of a text, that the message begins with ("line 17: ..."); 0: none */
	const struct problems *problems;	/* or NULL; owned by the caller's arena */
};

/* Records kind and message (replacing what was there; problems are set after) and returns -1. */
int err_set(struct err *err, enum err_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for one line of a text: "line 17: MESSAGE". */
int err_line(struct err *err, enum err_kind kind, size_t line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* What is wrong, without its "line 17: ", and where: "line 17", or NULL. */
const char *err_line_message(const struct err *err);
const char *err_line_at(const struct err *err, char at[ERR_AT]);

/* Puts "PREFIX: " before the message that is there; returns -1. */
int err_prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The API's word for a kind: "bad_json", "unknown_value", ... */
const char *err_code(enum err_kind kind);

/* A new list in the arena. */
struct problems *problems_new(struct arena *arena);

/* Adds one problem (counted only, past PROBLEMS_MAX). `at` is copied. Returns -1. */
int problems_add(struct problems *p, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
