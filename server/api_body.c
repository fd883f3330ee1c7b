/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "api_body.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../ingest/submission.h"
#include "../lib/must.h"
#include "../lib/tm.h"

#define URL_MOST 1000
#define TEXTS_MOST 1000

struct jnode *api_body_parse(const struct req *rq, struct err *err)
{
	struct jread_slice whole = { rq->body, rq->body_len, 1 };
	bool syntax;

	if (jread_check_depth(&whole, SUBMISSION_DEPTH_MAX, err))
		return NULL;
	return jread_parse(&whole, &syntax, err);
}

int api_body_begin(struct api_body *b, const struct req *rq, struct err *err)
{
	*b = (struct api_body){ .a = rq->arena, .problems = problems_new(rq->arena), .warnings = problems_new(rq->arena) };
	b->root = b->own = api_body_parse(rq, err);
	if (!b->root)
		return -1;
	if (jread_type(b->root) == JREAD_OBJECT)
		return 0;
	err_set(err, ERR_INVALID, "an object is needed; here stands %s", jread_word(jread_type(b->root)));
	jread_free(b->own);
	b->root = b->own = NULL;
	return -1;
}

int api_body_of(struct api_body *b, struct arena *a, const struct jnode *root, struct err *err)
{
	*b = (struct api_body){ .a = a, .problems = problems_new(a), .warnings = problems_new(a), .root = root };
	if (jread_type(root) == JREAD_OBJECT)
		return 0;
	return err_set(err, ERR_INVALID, "an object is needed; here stands %s", jread_word(jread_type(root)));
}

static bool was_asked(const struct api_body *b, const char *key)
{
	for (size_t i = 0; i < b->n_asked; i++)
		if (!strcmp(b->asked[i], key))
			return true;
	return false;
}

int api_body_end(struct api_body *b, struct err *err)
{
	const struct problems *p = b->problems;

	for (const struct jmember *m = jread_first(b->root); m; m = jread_next(b->root, m))
		if (!was_asked(b, jread_key(m)))
			problems_add(b->warnings, jread_pointer(b->a, "", jread_key(m)), "unknown field, ignored");
	jread_free(b->own);
	b->root = b->own = NULL;
	if (!p->total)
		return 0;
	err_set(err, ERR_INVALID, "%s: %s", p->list[0].at, p->list[0].message);
	if (p->total > 1)
		err_prefix(err, "%zu problems, the first", p->total);
	err->problems = p;
	return -1;
}

void api_body_warnings(struct jsonw *j, const struct api_body *b)
{
	jsonw_key(j, "warnings");
	jsonw_array(j);
	for (size_t i = 0; i < b->warnings->n; i++) {
		jsonw_object(j);
		jsonw_kstr(j, "at", b->warnings->list[i].at);
		jsonw_kstr(j, "message", b->warnings->list[i].message);
		jsonw_object_end(j);
	}
	jsonw_array_end(j);
}

int api_body_wrong(struct api_body *b, const char *key, const char *fmt, ...)
{
	va_list ap;
	const char *text;

	va_start(ap, fmt);
	text = arena_vprintf(b->a, fmt, ap);
	va_end(ap);
	return problems_add(b->problems, jread_pointer(b->a, "", key), "%s", text);
}

/* The field, if it is there and not null; from now on it is one that is known. */
static const struct jnode *field(struct api_body *b, const char *key, bool needed)
{
	const struct jnode *v = jread_get(b->root, key);

	if (!was_asked(b, key)) {
		must(b->n_asked < sizeof(b->asked) / sizeof(b->asked[0]));
		b->asked[b->n_asked++] = key;
	}
	if (v && jread_type(v) != JREAD_NULL)
		return v;
	if (needed)
		api_body_wrong(b, key, "is needed");
	return NULL;
}

bool api_body_has(struct api_body *b, const char *key)
{
	(void)field(b, key, false);
	return jread_get(b->root, key) != NULL;
}

bool api_body_is_null(struct api_body *b, const char *key)
{
	return api_body_has(b, key) && jread_type(jread_get(b->root, key)) == JREAD_NULL;
}

static bool has_control(const char *s, const char *but)
{
	for (; *s; s++)
		if (((unsigned char)*s < ' ' || *s == 0x7f) && !strchr(but, *s))
			return true;
	return false;
}

static const char *string(struct api_body *b, const char *key, bool needed, size_t most, const char *but)
{
	const struct jnode *v = field(b, key, needed);
	const char *s = jread_str(v);

	if (!v)
		return NULL;
	if (!s)
		api_body_wrong(b, key, "a text is needed; here stands %s", jread_word(jread_type(v)));
	else if (!s[strspn(s, " \t\r\n")])
		api_body_wrong(b, key, "is empty");
	else if (strlen(s) > most)
		api_body_wrong(b, key, "%zu bytes: at most %zu are taken", strlen(s), most);
	else if (has_control(s, but))
		api_body_wrong(b, key, "a control character is in it");
	else
		return arena_strdup(b->a, s);
	return NULL;
}

const char *api_body_line(struct api_body *b, const char *key, bool needed, size_t most)
{
	return string(b, key, needed, most, "");
}

const char *api_body_text(struct api_body *b, const char *key, bool needed, size_t most)
{
	return string(b, key, needed, most, "\t\r\n");
}

const char *api_body_url(struct api_body *b, const char *key, bool needed)
{
	const char *s = string(b, key, needed, URL_MOST, ""), *rest;

	if (!s)
		return NULL;
	rest = !strncmp(s, "https://", 8) ? s + 8 : !strncmp(s, "http://", 7) ? s + 7 : "";
	if (*rest && *rest != '/' && !strpbrk(s, " \"<>\\^`{|}"))
		return s;
	api_body_wrong(b, key, "\"%.60s\" is no address that begins with https://", s);
	return NULL;
}

const char *api_body_word(struct api_body *b, const char *key, bool needed, const char *const *words)
{
	const char *s = string(b, key, needed, 100, ""), *list = "";

	if (!s)
		return NULL;
	for (size_t i = 0; words[i]; i++) {
		if (!strcmp(words[i], s))
			return words[i];
		list = arena_printf(b->a, "%s%s%s", list, i ? ", " : "", words[i]);
	}
	api_body_wrong(b, key, "\"%s\" is none of %s", s, list);
	return NULL;
}

int64_t api_body_time(struct api_body *b, const char *key, bool needed)
{
	const char *s = string(b, key, needed, 100, "");
	int64_t usec;

	if (!s)
		return TM_NONE;
	if (!tm_parse(s, &usec))
		return usec;
	api_body_wrong(b, key, TM_REFUSED, s);
	return TM_NONE;
}

bool api_body_bool(struct api_body *b, const char *key, bool standard)
{
	const struct jnode *v = field(b, key, false);

	if (v && jread_type(v) != JREAD_BOOL)
		api_body_wrong(b, key, "true or false is needed; here stands %s", jread_word(jread_type(v)));
	return v ? jread_bool(v) : standard;
}

double api_body_num(struct api_body *b, const char *key, bool needed, double least, double most)
{
	const struct jnode *v = field(b, key, needed);
	double d = jread_num(v);

	if (!v)
		return NAN;
	if (jread_type(v) != JREAD_NUMBER)
		api_body_wrong(b, key, "a number is needed; here stands %s", jread_word(jread_type(v)));
	else if (!(d >= least && d <= most))
		api_body_wrong(b, key, "%g: a number from %g to %g is needed", d, least, most);
	else
		return d;
	return NAN;
}

bool api_body_uuid(struct api_body *b, const char *key, bool needed, struct uuid *id)
{
	const char *s = string(b, key, needed, 100, "");

	if (s && !uuid_parse(s, id))
		return true;
	if (s)
		api_body_wrong(b, key, "\"%s\" is no UUID", s);
	return false;
}

const char **api_body_texts(struct api_body *b, const char *key, bool needed, size_t *n)
{
	const struct jnode *v = field(b, key, needed);
	bool one = jread_type(v) == JREAD_STRING;
	size_t len = one ? 1 : jread_len(v);
	const char **list;

	*n = 0;
	if (!v)
		return NULL;
	if (!one && (jread_type(v) != JREAD_ARRAY || len > TEXTS_MOST)) {
		api_body_wrong(b, key, "a list of at most %d texts is needed", TEXTS_MOST);
		return NULL;
	}
	list = arena_array(b->a, const char *, len + 1);
	for (size_t i = 0; i < len; i++) {
		const char *s = jread_str(one ? v : jread_at(v, i));

		if (s && *s && !has_control(s, ""))
			list[(*n)++] = arena_strdup(b->a, s);
		else
			problems_add(b->problems, arena_printf(b->a, "/%s/%zu", key, i), "a text is needed");
	}
	if (!len && needed)
		api_body_wrong(b, key, "the list is empty");
	return list;
}
