/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jansson behind jread.h: the only file that includes its header. */
#include "jread.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "../lib/must.h"

static const json_t *tree(const struct jnode *v)
{
	return (const json_t *)v;
}

static struct jnode *node(json_t *j)
{
	return (struct jnode *)j;
}

/* jansson's getters that hand out members want a mutable tree; they change nothing. */
static json_t *loose(const struct jnode *v)
{
	union {
		const struct jnode *v;
		json_t *j;
	} u = { .v = v };

	return u.j;
}

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
	return err_set(err, ERR_BAD_JSON, "line %zu: nested deeper than %zu levels", sc->line, sc->depth_max);
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

static void add_slice(struct arena *a, struct jread_split *out, size_t *cap, struct jread_slice s)
{
	if (out->n == *cap) {
		size_t more = *cap ? *cap * 2 : 4;

		out->slices = arena_grow(a, out->slices, *cap * sizeof(s), more * sizeof(s));
		*cap = more;
	}
	while (s.len && is_blank(s.text[s.len - 1]))
		s.len--;
	out->slices[out->n++] = s;
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
	return err_set(err, ERR_BAD_JSON, "line %zu: this is no JSON", sc.line);
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

/* Python and friends write NaN and Infinity where JSON has no such thing. */
static bool near_nan(const struct jread_slice *s, int position)
{
	size_t from = position > 9 ? (size_t)position - 9 : 0;
	size_t n = from < s->len ? s->len - from : 0;

	if (n > 18)
		n = 18;
	return memmem(s->text + from, n, "NaN", 3) || memmem(s->text + from, n, "nan", 3) ||
	       memmem(s->text + from, n, "Infinity", 8);
}

struct jnode *jread_parse(const struct jread_slice *slice, bool *syntax, struct err *err)
{
	size_t line;
	json_error_t je;
	json_t *root;

	root = json_loadb(slice->text, slice->len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &je);
	if (root)
		return node(root);
	line = slice->line + (je.line > 0 ? (size_t)je.line - 1 : 0);
	*syntax = false;
	switch (json_error_code(&je)) {
	case json_error_duplicate_key:
		err_set(err, ERR_BAD_JSON, "line %zu: the same key twice in one object: %s", line, je.text);
		break;
	case json_error_numeric_overflow:
		err_set(err, ERR_BAD_JSON, "line %zu: a number that no double can hold: %s", line, je.text);
		break;
	case json_error_null_character:
	case json_error_null_byte_in_key:
		err_set(err, ERR_BAD_JSON, "line %zu: NUL (\\u0000) cannot stand in a text", line);
		break;
	case json_error_invalid_utf8:
		*syntax = true;
		err_set(err, ERR_BAD_JSON, "line %zu: this is no UTF-8: %s", line, je.text);
		break;
	default:
		*syntax = true;
		if (near_nan(slice, je.position))
			err_set(err, ERR_BAD_JSON, "line %zu: NaN and Infinity are no JSON: "
				"leave the value out, or give the result \"status\": \"failed\"", line);
		else
			err_set(err, ERR_BAD_JSON, "line %zu: %s", line, je.text);
	}
	return NULL;
}

void jread_free(struct jnode *root)
{
	json_decref((json_t *)root);
}

enum jread_type jread_type(const struct jnode *v)
{
	if (!v)
		return JREAD_ABSENT;
	switch (json_typeof(tree(v))) {
	case JSON_OBJECT:
		return JREAD_OBJECT;
	case JSON_ARRAY:
		return JREAD_ARRAY;
	case JSON_STRING:
		return JREAD_STRING;
	case JSON_INTEGER:
	case JSON_REAL:
		return JREAD_NUMBER;
	case JSON_TRUE:
	case JSON_FALSE:
		return JREAD_BOOL;
	case JSON_NULL:
		break;
	}
	return JREAD_NULL;
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

size_t jread_len(const struct jnode *v)
{
	return json_is_object(tree(v)) ? json_object_size(tree(v)) : json_array_size(tree(v));
}

const struct jnode *jread_get(const struct jnode *object, const char *key)
{
	return node(json_object_get(tree(object), key));
}

const struct jnode *jread_at(const struct jnode *array, size_t i)
{
	return node(json_array_get(tree(array), i));
}

bool jread_bool(const struct jnode *v)
{
	return json_is_true(tree(v));
}

double jread_num(const struct jnode *v)
{
	return json_number_value(tree(v));
}

bool jread_int(const struct jnode *v, int64_t *i)
{
	double d;

	if (json_is_integer(tree(v))) {
		*i = json_integer_value(tree(v));
		return true;
	}
	if (!json_is_real(tree(v)))
		return false;
	d = json_real_value(tree(v));	/* 4e5 is an integer, too */
	if (!(fabs(d) < 9007199254740992.0) || d != floor(d))
		return false;
	*i = (int64_t)d;
	return true;
}

const char *jread_str(const struct jnode *v)
{
	return json_string_value(tree(v));
}

const struct jmember *jread_first(const struct jnode *object)
{
	return json_object_iter(loose(object));
}

static void *iter(const struct jmember *m)
{
	union {
		const struct jmember *m;
		void *p;
	} u = { .m = m };

	return u.p;
}

const struct jmember *jread_next(const struct jnode *object, const struct jmember *m)
{
	return json_object_iter_next(loose(object), iter(m));
}

const char *jread_key(const struct jmember *m)
{
	return json_object_iter_key(iter(m));
}

const struct jnode *jread_value(const struct jmember *m)
{
	return node(json_object_iter_value(iter(m)));
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
