/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small JSON body (an event, a rule, a mute) read field by field. What is wrong is gathered with
 * its place, and told all at once; fields nobody asked for are warnings.
 */
#ifndef SERVER_API_BODY_H
#define SERVER_API_BODY_H

#include "../ingest/jread.h"
#include "../lib/jsonw.h"
#include "web.h"

struct api_body {
	struct arena *a;
	const struct jnode *root;	/* an object */
	struct problems *problems, *warnings;
	struct jnode *own;		/* the root, if it is ours to free */
	const char *asked[32];		/* names of fields, for the warnings */
	size_t n_asked;
};

/* The request's body as JSON, depth checked; owner: the caller, jread_free(). NULL with err. */
struct jnode *api_body_parse(const struct req *rq, struct err *err);

/* -1: no object. On 0, api_body_end() has to follow. */
int api_body_begin(struct api_body *b, const struct req *rq, struct err *err);
/* Of a value that is parsed already and stays its owner's. */
int api_body_of(struct api_body *b, struct arena *a, const struct jnode *root, struct err *err);
/* Frees. -1 with ERR_INVALID and all problems, where there are any. */
int api_body_end(struct api_body *b, struct err *err);
void api_body_warnings(struct jsonw *j, const struct api_body *b);	/* the member "warnings" */

int api_body_wrong(struct api_body *b, const char *key, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Whether the field is there, even as null. */
bool api_body_has(struct api_body *b, const char *key);
bool api_body_is_null(struct api_body *b, const char *key);

/* One line of at most `most` bytes; NULL where it is not there (or null). needed: then that is wrong. */
const char *api_body_line(struct api_body *b, const char *key, bool needed, size_t most);
/* The same of several lines. */
const char *api_body_text(struct api_body *b, const char *key, bool needed, size_t most);
const char *api_body_url(struct api_body *b, const char *key, bool needed);	/* http or https */
/* One of words (NULL-terminated); NULL where it is not there. */
const char *api_body_word(struct api_body *b, const char *key, bool needed, const char *const *words);
int64_t api_body_time(struct api_body *b, const char *key, bool needed);	/* TM_NONE where it is not there */
bool api_body_bool(struct api_body *b, const char *key, bool standard);
double api_body_num(struct api_body *b, const char *key, bool needed, double least, double most);	/* NaN: not there */
bool api_body_uuid(struct api_body *b, const char *key, bool needed, struct uuid *id);	/* whether it is there */
/* A list of texts, or one text. NULL where it is not there. */
const char **api_body_texts(struct api_body *b, const char *key, bool needed, size_t *n);

#endif
