/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Uploads are long lists of small objects that programs wrote, and jansson took longer to
 * read them than all else together took to store them. This reads what such programs write, and gives up
 * on the first byte that it is not sure of: it never says what is wrong, and need not know.
 */
#include "jread_own.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/must.h"

#define MEMBERS_MAX 128		/* of an object: each new key is compared with all before it */

struct quick {
	struct jscan in;
	const struct jread_stream *stream;
	char *text;			/* where the next string goes; the slice's length is room for all */
	struct arena *arena;
	struct jnode *open;		/* a stack: the children so far of all that is open */
	size_t n, cap;
	unsigned depth, depth_max;
};

static bool value(struct quick *q, struct jnode *v);

/* Behind the opening quote, to behind the closing one. */
static bool string(struct quick *q, const char **s, uint32_t *n)
{
	struct jscan_text t;
	long len;

	if (!jscan_text(&q->in, &t))
		return false;
	if (t.escaped) {
		len = jscan_unescape(&t, q->text);
		if (len < 0)
			return false;
	} else {
		memcpy(q->text, t.s, t.n);
		len = (long)t.n;
	}
	q->text[len] = '\0';
	*s = q->text;
	*n = (uint32_t)len;
	q->text += len + 1;
	return true;
}

static bool number(struct quick *q, struct jnode *v)
{
	struct jscan_number n;

	if (!jscan_number(&q->in, &n))
		return false;
	v->type = JREAD_NUMBER;
	v->is_int = n.is_int;
	if (n.is_int)
		v->i = n.i;
	else
		v->num = n.num;
	return true;
}

static bool word(struct quick *q, struct jnode *v, const char *w, enum jread_type type, bool truth)
{
	size_t n = strlen(w);

	if ((size_t)(q->in.end - q->in.p) < n || memcmp(q->in.p, w, n))
		return false;
	q->in.p += n;
	v->type = (uint8_t)type;
	v->truth = truth;
	return true;
}

static struct jnode *push(struct quick *q)
{
	if (q->n == q->cap) {
		q->cap = q->cap ? q->cap * 2 : 256;
		q->open = realloc(q->open, q->cap * sizeof(*q->open));
		must(q->open != NULL);
	}
	return memset(&q->open[q->n++], 0, sizeof(*q->open));
}

static bool member_key(struct quick *q, size_t first, const char **key)
{
	uint32_t n;

	if (!jscan_next(&q->in, '"') || !string(q, key, &n) || !n || q->n - first >= MEMBERS_MAX)
		return false;
	for (size_t i = first; i < q->n; i++)
		if (!strcmp(q->open[i].key, *key))
			return false;
	jscan_blanks(&q->in);
	if (!jscan_next(&q->in, ':'))
		return false;
	jscan_blanks(&q->in);
	return true;
}

static bool is_streamed(const struct quick *q, const struct jnode *child)
{
	return q->stream && q->depth == 1 && child->key && !strcmp(child->key, q->stream->key) &&
	       q->in.p < q->in.end && *q->in.p == '[';
}

static bool streamed(struct quick *q, struct jnode *child)
{
	child->type = JREAD_ARRAY;
	return q->stream->take(q->stream->cls, &q->in);
}

/* Behind the opening bracket. The children are gathered on the stack: their own would be gathered above them. */
static bool children(struct quick *q, struct jnode *v, bool object)
{
	char close = object ? '}' : ']';
	size_t first = q->n;

	v->type = object ? JREAD_OBJECT : JREAD_ARRAY;
	jscan_blanks(&q->in);
	if (jscan_next(&q->in, close))
		return true;
	do {
		struct jnode child = { 0 };

		jscan_blanks(&q->in);
		if (object && !member_key(q, first, &child.key))
			return false;
		if (!(is_streamed(q, &child) ? streamed(q, &child) : value(q, &child)))
			return false;
		*push(q) = child;
		jscan_blanks(&q->in);
	} while (jscan_next(&q->in, ','));
	v->n = (uint32_t)(q->n - first);
	v->child = arena_array(q->arena, struct jnode, v->n);
	memcpy(v->child, q->open + first, v->n * sizeof(*v->child));
	q->n = first;
	return jscan_next(&q->in, close);
}

static bool value(struct quick *q, struct jnode *v)
{
	bool good;

	if (q->in.p == q->in.end)
		return false;
	switch (*q->in.p) {
	case '"':
		q->in.p++;
		v->type = JREAD_STRING;
		return string(q, &v->str, &v->n);
	case '{':
	case '[':
		if (++q->depth > q->depth_max)
			return false;
		good = children(q, v, *q->in.p++ == '{');
		q->depth--;
		return good;
	case 't':
		return word(q, v, "true", JREAD_BOOL, true);
	case 'f':
		return word(q, v, "false", JREAD_BOOL, false);
	case 'n':
		return word(q, v, "null", JREAD_NULL, false);
	}
	return number(q, v);
}

bool jread_quick_parse(const struct jread_slice *slice, const struct jread_stream *stream, struct jread_doc *doc)
{
	struct quick q = { .in = { slice->text, slice->text + slice->len }, .stream = stream, .arena = doc->arena,
			   .depth_max = stream ? stream->depth_max : JREAD_QUICK_DEPTH };
	bool good;

	if (slice->len >= UINT32_MAX)
		return false;
	/* a string and its NUL take no more than the string and its quotes */
	q.text = arena_alloc(doc->arena, slice->len + 1);
	jscan_blanks(&q.in);
	good = value(&q, &doc->root);
	jscan_blanks(&q.in);
	free(q.open);
	return good && q.in.p == q.in.end;
}
