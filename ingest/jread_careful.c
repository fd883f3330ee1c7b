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
		err_set(err, ERR_BAD_JSON, "line %zu: the same key twice in one object: %s", line, je->text);
		break;
	case json_error_numeric_overflow:
		err_set(err, ERR_BAD_JSON, "line %zu: a number that no double can hold: %s", line, je->text);
		break;
	case json_error_null_character:
	case json_error_null_byte_in_key:
		err_set(err, ERR_BAD_JSON, "line %zu: NUL (\\u0000) cannot stand in a text", line);
		break;
	case json_error_invalid_utf8:
		*syntax = true;
		err_set(err, ERR_BAD_JSON, "line %zu: this is no UTF-8: %s", line, je->text);
		break;
	default:
		*syntax = true;
		if (near_nan(slice, je->position))
			err_set(err, ERR_BAD_JSON, "line %zu: NaN and Infinity are no JSON: "
				"leave the value out, or give the result \"status\": \"failed\"", line);
		else
			err_set(err, ERR_BAD_JSON, "line %zu: %s", line, je->text);
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

int jread_careful_parse(const struct jread_slice *slice, struct jread_doc *doc, bool *syntax, struct err *err)
{
	json_error_t je;
	json_t *root = json_loadb(slice->text, slice->len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &je);

	if (!root)
		return refuse(slice, &je, syntax, err);
	copy(doc->arena, &doc->root, root);
	json_decref(root);
	return 0;
}
