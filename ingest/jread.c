/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Documents as trees of nodes, and cutting a body into documents; jread_quick.c and jread_careful.c make the trees. */
#include "jread.h"

#include <math.h>
#include <string.h>

#include "../lib/must.h"
#include "jread_own.h"

struct scan {
	const char *s;
	size_t len, i;
	size_t line;
	size_t depth, depth_max;
};

/* Past the string that starts at i; false when it does not end. */
static bool scan_string(struct scan *sc)
{
	for (sc->i++; sc->i < sc->len; sc->i++) {
		switch (sc->s[sc->i]) {
		case '\\':
			sc->i++;
			break;
		case '\n':
			sc->line++;
			break;
		case '"':
			sc->i++;
			return true;
		}
	}
	return false;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void scan_blanks(struct scan *sc)
{
	for (; sc->i < sc->len && is_blank(sc->s[sc->i]); sc->i++)
		sc->line += sc->s[sc->i] == '\n';
}

static int too_deep(const struct scan *sc, struct err *err)
{
	return err_line(err, ERR_BAD_JSON, sc->line, "nested deeper than %zu levels", sc->depth_max);
}

/*
 * One value, to the comma or bracket behind it at its own level. 1, 0 when the
 * brackets do not add up (the library will say what is wrong), -1 when too deep.
 */
static int scan_value(struct scan *sc, struct err *err)
{
	sc->depth = 0;
	while (sc->i < sc->len) {
		switch (sc->s[sc->i]) {
		case '"':
			if (!scan_string(sc))
				return 0;
			continue;
		case '[':
		case '{':
			if (++sc->depth > sc->depth_max)
				return too_deep(sc, err);
			break;
		case ']':
		case '}':
			if (!sc->depth)
				return 1;
			sc->depth--;
			break;
		case ',':
			if (!sc->depth)
				return 1;
			break;
		case '\n':
			sc->line++;
			break;
		}
		sc->i++;
	}
	return sc->depth == 0;
}

static struct jread_slice trimmed(struct jread_slice s)
{
	while (s.len && is_blank(s.text[s.len - 1]))
		s.len--;
	return s;
}

static void add_slice(struct arena *a, struct jread_split *out, size_t *cap, struct jread_slice s)
{
	if (out->n == *cap) {
		size_t more = *cap ? *cap * 2 : 4;

		out->slices = arena_grow(a, out->slices, *cap * sizeof(s), more * sizeof(s));
		*cap = more;
	}
	out->slices[out->n++] = trimmed(s);
}

/* The elements of the array that starts at i: 1, 0 or -1 as scan_value(). */
static int split_array(struct arena *a, struct scan *sc, struct jread_split *out, struct err *err)
{
	size_t cap = 0;

	sc->i++;
	scan_blanks(sc);
	if (sc->i < sc->len && sc->s[sc->i] == ']') {
		sc->i++;
		goto end;
	}
	for (;;) {
		struct jread_slice s = { .text = sc->s + sc->i, .line = sc->line };
		size_t from = sc->i;
		int ret = scan_value(sc, err);

		if (ret <= 0)
			return ret;
		s.len = sc->i - from;
		if (!s.len || sc->i == sc->len || sc->s[sc->i] == '}')
			return 0;
		add_slice(a, out, &cap, s);
		if (sc->s[sc->i++] == ']')
			break;
		scan_blanks(sc);
	}
end:
	scan_blanks(sc);
	return sc->i == sc->len;
}

struct jread_slice jread_whole(const char *text, size_t len)
{
	return trimmed((struct jread_slice){ .text = text, .len = len, .line = 1 });
}

int jread_split(struct arena *a, const char *text, size_t len, size_t depth_max, struct jread_split *out,
		struct err *err)
{
	struct scan sc = { .s = text, .len = len, .line = 1, .depth_max = depth_max };
	struct jread_slice whole = { .text = text, .len = len, .line = 1 };
	struct jnode *root;
	bool syntax;
	size_t cap = 0;
	int ret;

	*out = (struct jread_split){ .n = 0 };
	scan_blanks(&sc);
	if (sc.i == len)
		return err_set(err, ERR_BAD_JSON, "the body is empty");
	out->is_array = text[sc.i] == '[';
	ret = out->is_array ? split_array(a, &sc, out, err) : scan_value(&sc, err);
	if (ret < 0)
		return -1;
	if (ret && !out->is_array)
		add_slice(a, out, &cap, whole);
	if (ret)
		return 0;
	/* brackets that do not add up: the library names the place */
	root = jread_parse(&whole, &syntax, err);
	if (!root)
		return -1;
	jread_free(root);
	return err_line(err, ERR_BAD_JSON, sc.line, "this is no JSON");
}

int jread_check_depth(const struct jread_slice *slice, size_t depth_max, struct err *err)
{
	struct scan sc = { .s = slice->text, .len = slice->len, .line = slice->line, .depth_max = depth_max };

	/* a comma or bracket too many ends a value: what is behind it is looked at, too */
	for (; sc.i < sc.len; sc.i++)
		if (scan_value(&sc, err) < 0)
			return -1;
	return 0;
}

static struct jread_doc *new_doc(struct arena *a)
{
	struct jread_doc *doc = arena_zalloc(a, sizeof(*doc));

	doc->arena = a;
	return doc;
}

struct jnode *jread_stream(const struct jread_slice *slice, const struct jread_stream *stream)
{
	struct arena *a = arena_new();
	struct jread_doc *doc = new_doc(a);

	if (jread_quick_parse(slice, stream, doc))
		return &doc->root;
	arena_free(a);
	return NULL;
}

struct jnode *jread_parse(const struct jread_slice *slice, bool *syntax, struct err *err)
{
	struct arena *a = arena_new();
	struct jread_doc *doc = new_doc(a);

	if (jread_quick_parse(slice, NULL, doc))
		return &doc->root;
	arena_reset(a);
	doc = new_doc(a);
	if (!jread_careful_parse(slice, doc, syntax, err))
		return &doc->root;
	arena_free(a);
	return NULL;
}

void jread_free(struct jnode *root)
{
	if (root)
		arena_free(((struct jread_doc *)root)->arena);
}

enum jread_type jread_type(const struct jnode *v)
{
	return v ? (enum jread_type)v->type : JREAD_ABSENT;
}

const char *jread_word(enum jread_type type)
{
	static const char *const words[] = {
		[JREAD_ABSENT] = "nothing", [JREAD_NULL] = "null", [JREAD_BOOL] = "a boolean",
		[JREAD_NUMBER] = "a number", [JREAD_STRING] = "text", [JREAD_ARRAY] = "an array",
		[JREAD_OBJECT] = "an object",
	};

	must(type < sizeof(words) / sizeof(words[0]));
	return words[type];
}

static bool is(const struct jnode *v, enum jread_type type)
{
	return v && v->type == type;
}

size_t jread_len(const struct jnode *v)
{
	return is(v, JREAD_OBJECT) || is(v, JREAD_ARRAY) ? v->n : 0;
}

const struct jnode *jread_get(const struct jnode *object, const char *key)
{
	for (uint32_t i = 0; is(object, JREAD_OBJECT) && i < object->n; i++) {
		const char *k = object->child[i].key;

		if (*k == *key && !strcmp(k, key))	/* mostly the first letter tells: no call then */
			return &object->child[i];
	}
	return NULL;
}

const struct jnode *jread_at(const struct jnode *array, size_t i)
{
	return is(array, JREAD_ARRAY) && i < array->n ? &array->child[i] : NULL;
}

bool jread_bool(const struct jnode *v)
{
	return is(v, JREAD_BOOL) && v->truth;
}

double jread_num(const struct jnode *v)
{
	if (!is(v, JREAD_NUMBER))
		return 0;
	return v->is_int ? (double)v->i : v->num;
}

bool jread_int(const struct jnode *v, int64_t *i)
{
	if (!is(v, JREAD_NUMBER))
		return false;
	if (v->is_int) {
		*i = v->i;
		return true;
	}
	/* 4e5 is an integer, too */
	if (!(fabs(v->num) < 9007199254740992.0) || v->num != floor(v->num))
		return false;
	*i = (int64_t)v->num;
	return true;
}

const char *jread_str(const struct jnode *v)
{
	return is(v, JREAD_STRING) ? v->str : NULL;
}

/* A member is its value's node; the name only keeps them apart for callers. */
static const struct jmember *member(const struct jnode *object, const struct jnode *v)
{
	return v < object->child + object->n ? (const struct jmember *)v : NULL;
}

const struct jmember *jread_first(const struct jnode *object)
{
	return is(object, JREAD_OBJECT) && object->n ? member(object, object->child) : NULL;
}

const struct jmember *jread_next(const struct jnode *object, const struct jmember *m)
{
	return member(object, jread_value(m) + 1);
}

const char *jread_key(const struct jmember *m)
{
	return jread_value(m)->key;
}

const struct jnode *jread_value(const struct jmember *m)
{
	return (const struct jnode *)m;
}

char *jread_pointer(struct arena *a, const char *base, const char *key)
{
	char *p = arena_alloc(a, strlen(base) + 2 * strlen(key) + 2), *w = p;

	w = stpcpy(w, base);
	*w++ = '/';
	for (; *key; key++) {
		if (*key == '~' || *key == '/') {
			*w++ = '~';
			*w++ = *key == '~' ? '0' : '1';
		} else {
			*w++ = *key;
		}
	}
	*w = 0;
	return p;
}
