/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jansson behind jread.h: the only file of ingest/ that includes its header. */
#include "jread_own.h"

#include <jansson.h>
#include <string.h>

#include "../lib/must.h"

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

static int refuse(const struct jread_slice *slice, const json_error_t *je, bool *syntax, struct err *err)
{
	size_t line = slice->line + (je->line > 0 ? (size_t)je->line - 1 : 0);

	*syntax = false;
	switch (json_error_code(je)) {
	case json_error_duplicate_key:
		err_line(err, ERR_BAD_JSON, line, "the same key twice in one object: %s", je->text);
		break;
	case json_error_numeric_overflow:
		err_line(err, ERR_BAD_JSON, line, "a number that no double can hold: %s", je->text);
		break;
	case json_error_null_character:
	case json_error_null_byte_in_key:
		err_line(err, ERR_BAD_JSON, line, "NUL (\\u0000) cannot stand in a text");
		break;
	case json_error_invalid_utf8:
		*syntax = true;
		err_line(err, ERR_BAD_JSON, line, "this is no UTF-8: %s", je->text);
		break;
	default:
		*syntax = true;
		if (near_nan(slice, je->position))
			err_line(err, ERR_BAD_JSON, line, "NaN and Infinity are no JSON: "
				"leave the value out, or give the result \"status\": \"failed\"");
		else
			err_line(err, ERR_BAD_JSON, line, "%s", je->text);
	}
	return -1;
}

static void copy(struct arena *a, struct jnode *v, json_t *j);

static void copy_members(struct arena *a, struct jnode *v, json_t *j)
{
	const char *key;
	json_t *of;
	size_t i = 0;

	v->n = (uint32_t)json_object_size(j);
	v->child = arena_array(a, struct jnode, v->n);
	json_object_foreach(j, key, of) {
		v->child[i].key = arena_strdup(a, key);
		copy(a, &v->child[i++], of);
	}
}

static void copy_elements(struct arena *a, struct jnode *v, json_t *j)
{
	v->n = (uint32_t)json_array_size(j);
	v->child = arena_array(a, struct jnode, v->n);
	for (uint32_t i = 0; i < v->n; i++)
		copy(a, &v->child[i], json_array_get(j, i));
}

/* jansson stops at 2048 levels, and so does this recursion. */
static void copy(struct arena *a, struct jnode *v, json_t *j)
{
	static const uint8_t types[] = {
		[JSON_OBJECT] = JREAD_OBJECT, [JSON_ARRAY] = JREAD_ARRAY, [JSON_STRING] = JREAD_STRING,
		[JSON_INTEGER] = JREAD_NUMBER, [JSON_REAL] = JREAD_NUMBER, [JSON_TRUE] = JREAD_BOOL,
		[JSON_FALSE] = JREAD_BOOL, [JSON_NULL] = JREAD_NULL,
	};

	v->type = types[json_typeof(j)];
	v->truth = json_is_true(j);
	v->is_int = json_is_integer(j);
	if (json_is_object(j)) {
		copy_members(a, v, j);
	} else if (json_is_array(j)) {
		copy_elements(a, v, j);
	} else if (json_is_string(j)) {
		v->n = (uint32_t)json_string_length(j);
		v->str = arena_strdup(a, json_string_value(j));
	} else if (v->is_int) {
		v->i = json_integer_value(j);
	} else if (json_is_real(j)) {
		v->num = json_real_value(j);
	}
}

/* Whether these n bytes are an integer past 64 bits. */
static bool is_big_integer(const char *s, size_t n)
{
	size_t sign = *s == '-', digits = n - sign;

	for (size_t i = sign; i < n; i++)
		if (s[i] < '0' || s[i] > '9')
			return false;
	if (digits != 19)
		return digits > 19;
	return memcmp(s + sign, sign ? "9223372036854775808" : "9223372036854775807", 19) > 0;
}

/*
 * The text with "e0" behind each integer past 64 bits, for jansson to read it as the number
 * it is. (Its flag for that would make all integers of the document doubles.)
 */
static void widen(const struct jread_slice *slice, struct buf *out)
{
	bool in_text = false;

	for (size_t i = 0, n; i < slice->len; i += n) {
		const char *s = slice->text + i;

		n = in_text && *s == '\\' && i + 1 < slice->len ? 2 : 1;
		if (*s == '"')
			in_text = !in_text;
		if (in_text || !(*s == '-' || (*s >= '0' && *s <= '9'))) {
			buf_add(out, s, n);
			continue;
		}
		for (n = 1; i + n < slice->len && s[n] && strchr("0123456789+-.eE", s[n]);)
			n++;
		buf_add(out, s, n);
		if (is_big_integer(s, n))
			buf_puts(out, "e0");
	}
}

static json_t *load(const char *text, size_t len, json_error_t *je)
{
	return json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, je);
}

int jread_careful_parse(const struct jread_slice *slice, struct jread_doc *doc, bool *syntax, struct err *err)
{
	json_error_t je;
	json_t *root = load(slice->text, slice->len, &je);

	if (!root && json_error_code(&je) == json_error_numeric_overflow) {
		struct buf wide;

		buf_init(&wide);
		widen(slice, &wide);
		root = load(wide.p, wide.len, &je);
		buf_fini(&wide);
	}
	if (!root)
		return refuse(slice, &je, syntax, err);
	copy(doc->arena, &doc->root, root);
	json_decref(root);
	return 0;
}
