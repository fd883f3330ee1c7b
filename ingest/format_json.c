/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the readers of JSON share. */
#include "format_json.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "../lib/num.h"

/* Bytes of a token that JSON has not, and Python writes: NaN, Infinity, -Infinity; else 0. */
static size_t foreign_token(const char *s, size_t n)
{
	static const char *const tokens[] = { "NaN", "Infinity", "-Infinity", "nan", "inf", "-inf", "-nan" };

	for (size_t i = 0; i < sizeof(tokens) / sizeof(*tokens); i++) {
		size_t m = strlen(tokens[i]);

		if (n >= m && !memcmp(s, tokens[i], m) && (n == m || !isalnum((unsigned char)s[m])))
			return m;
	}
	return 0;
}

/* Behind the string that begins at s[i] (a quote). */
static size_t past_string(const char *s, size_t n, size_t i)
{
	for (i++; i < n && s[i] != '"'; i++)
		if (s[i] == '\\')
			i++;
	return i < n ? i + 1 : n;
}

/* A copy in which each such token is null; the text itself where there is none. */
static const char *mend(struct arena *a, const char *s, size_t *len, size_t *mended)
{
	size_t n = *len, out = 0;
	char *copy = NULL;

	*mended = 0;
	for (size_t i = 0; i < n;) {
		size_t from = i, m = 0;

		if (s[i] == '"')
			i = past_string(s, n, i);
		else if (strchr("NIin-", s[i]) && (m = foreign_token(s + i, n - i)))
			i += m;
		else
			i++;
		if (m && !copy) {
			copy = arena_alloc(a, n * 2 + 1);
			memcpy(copy, s, from);
		}
		*mended += m > 0;
		if (copy)
			memcpy(copy + out, m ? "null" : s + from, m ? 4 : i - from);
		out += m ? 4 : i - from;
	}
	if (!copy)
		return s;
	copy[out] = 0;
	*len = out;
	return copy;
}

static struct jnode *parse(struct arena *a, const char *text, size_t len, size_t line, size_t *mended, struct err *err)
{
	struct jread_slice slice = { text, len, line };
	bool syntax;

	*mended = 0;
	if (jread_check_depth(&slice, SUBMISSION_DEPTH_MAX, err))
		return NULL;
	slice.text = mend(a, text, &slice.len, mended);
	return jread_parse(&slice, &syntax, err);
}

struct jnode *format_json(struct format_file *f, enum jread_type want, const char *shape, size_t *mended, struct err *err)
{
	size_t ignored;
	struct jnode *root = parse(f->a, f->text, f->len, 1, mended ? mended : &ignored, err);
	enum jread_type type = jread_type(root);

	if (!root || (want == JREAD_ABSENT ? type == JREAD_OBJECT || type == JREAD_ARRAY : type == want))
		return root;
	jread_free(root);
	err_set(err, ERR_INVALID, "%s: %s is needed: %s; this is %s", f->format->name,
		want == JREAD_ABSENT ? "an object or an array" : jread_word(want), shape, jread_word(type));
	return NULL;
}

#define LOOK_MAX 8	/* times the text's length */

void format_json_stream(struct format_json_stream *s, struct format_file *f)
{
	*s = (struct format_json_stream){ .f = f, .line = 1 };
}

/* Past the end of the object that begins at text[at]; 0: it never ends. */
static size_t object_end(const char *text, size_t n, size_t at)
{
	size_t depth = 0;

	while (at < n) {
		char c = text[at];

		if (c == '"') {
			at = past_string(text, n, at);
			continue;
		}
		at++;
		if (c == '{' || c == '[')
			depth++;
		else if ((c == '}' || c == ']') && --depth == 0)
			return at;
	}
	return 0;
}

static void advance(struct format_json_stream *s, size_t to)
{
	for (; s->at < to; s->at++)
		s->line += s->f->text[s->at] == '\n';
}

struct jnode *format_json_next(struct format_json_stream *s, struct err *err)
{
	const char *text = s->f->text, *found = memchr(text + s->at, '{', s->f->len - s->at), *eol;
	size_t end, mended;
	struct jnode *root;

	err->kind = ERR_NONE;
	if (!found)
		return NULL;
	advance(s, (size_t)(found - text));
	s->doc_line = s->line;
	s->doc_from = s->at;
	end = object_end(text, s->f->len, s->at);
	s->doc_to = end ? end : s->f->len;
	s->looked_at += s->doc_to - s->at;
	if (s->looked_at > LOOK_MAX * s->f->len) {
		advance(s, s->f->len);
		err_line(err, ERR_BAD_JSON, s->doc_line, "too much of this is no JSON: given up here");
		return NULL;
	}
	root = parse(s->f->a, found, s->doc_to - s->at, s->line, &mended, err);
	eol = memchr(found, '\n', s->f->len - s->at);
	advance(s, root ? s->doc_to : eol ? (size_t)(eol - text) + 1 : s->f->len);
	return root;
}

double format_json_number(const struct jnode *v)
{
	const char *s = jread_str(v);
	double d;

	if (jread_type(v) == JREAD_NUMBER)
		return jread_num(v);
	return s && !num_parse(s, strlen(s), &d) ? d : NAN;
}

const char *format_json_text(const struct jnode *object, const char *key)
{
	return jread_str(jread_get(object, key));
}

const struct jnode *format_json_at(const struct jnode *v, ...)
{
	const char *key;
	va_list ap;

	va_start(ap, v);
	while (v && (key = va_arg(ap, const char *)))
		v = jread_type(v) == JREAD_OBJECT ? jread_get(v, key) : NULL;
	va_end(ap);
	return v;
}

size_t format_json_count(const struct jnode *v)
{
	return jread_type(v) == JREAD_ARRAY ? jread_len(v) : jread_type(v) != JREAD_ABSENT;
}

const struct jnode *format_json_item(const struct jnode *v, size_t i)
{
	return jread_type(v) == JREAD_ARRAY ? jread_at(v, i) : v;
}

const char *format_json_place(struct arena *a, const char *base, size_t index)
{
	return arena_printf(a, "%s/%zu", base, index);
}

const char *format_json_copy(struct draft *d, const struct jnode *object)
{
	buf_clear(&d->scratch);
	jread_canonical(object, NULL, &d->scratch);
	return arena_strndup(d->a, d->scratch.p, d->scratch.len);
}

void format_json_part(struct format_file *f, const struct jnode *v)
{
	struct buf text;

	buf_init(&text);
	jread_canonical(v, NULL, &text);
	f->part = arena_strndup(f->a, text.p, text.len);
	f->part_len = text.len;
	f->by_part = true;
	buf_fini(&text);
}

bool format_json_has(const char *text, size_t len, const char *key)
{
	const char *end = text + len, *p = text;
	size_t n = strlen(key);

	while ((p = memmem(p, (size_t)(end - p), key, n))) {
		if (p > text && p[-1] == '"' && p + n < end && p[n] == '"')
			return true;
		p += n;
	}
	return false;
}
