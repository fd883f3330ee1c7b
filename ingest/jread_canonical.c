/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One spelling for equal JSON: what run ids and "the same again" are made from, and what is stored. */
#include "jread.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/jsonw.h"
#include "../lib/must.h"

static int by_key(const void *x, const void *y)
{
	const struct jmember *const *a = x, *const *b = y;

	return strcmp(jread_key(*a), jread_key(*b));
}

static bool is_left_out(const char *const *leave_out, const char *key)
{
	for (; leave_out && *leave_out; leave_out++)
		if (!strcmp(*leave_out, key))
			return true;
	return false;
}

struct given {			/* the text of a member, instead of its value */
	const char *key;
	const struct buf *text;
};

static void put_value(struct jsonw *j, const struct jnode *v);

static void put_object(struct jsonw *j, const struct jnode *v, const char *const *leave_out, const struct given *given)
{
	const struct jmember *few[16], **all = few;
	size_t n = 0, len = jread_len(v);

	if (len > 16) {
		all = malloc(len * sizeof(*all));
		must(all != NULL);
	}
	for (const struct jmember *m = jread_first(v); m; m = jread_next(v, m))
		if (!is_left_out(leave_out, jread_key(m)))
			all[n++] = m;
	qsort(all, n, sizeof(*all), by_key);
	jsonw_object(j);
	for (size_t i = 0; i < n; i++) {
		jsonw_key(j, jread_key(all[i]));
		if (given && !strcmp(given->key, jread_key(all[i]))) {
			jsonw_piece(j, given->text->p, given->text->len);
			j->comma = true;
		} else {
			put_value(j, jread_value(all[i]));
		}
	}
	jsonw_object_end(j);
	if (all != few)
		free(all);
}

static void put_number(struct jsonw *j, const struct jnode *v)
{
	int64_t i;

	if (jread_int(v, &i))
		jsonw_i64(j, i);
	else
		jsonw_num(j, jread_num(v));
}

static void put_value(struct jsonw *j, const struct jnode *v)
{
	switch (jread_type(v)) {
	case JREAD_OBJECT:
		put_object(j, v, NULL, NULL);
		break;
	case JREAD_ARRAY:
		jsonw_array(j);
		for (size_t i = 0; i < jread_len(v); i++)
			put_value(j, jread_at(v, i));
		jsonw_array_end(j);
		break;
	case JREAD_STRING:
		jsonw_str(j, jread_str(v));
		break;
	case JREAD_NUMBER:
		put_number(j, v);
		break;
	case JREAD_BOOL:
		jsonw_bool(j, jread_bool(v));
		break;
	case JREAD_NULL:
	case JREAD_ABSENT:
		jsonw_null(j);
		break;
	}
}

void jread_canonical(const struct jnode *v, const char *const *leave_out, struct buf *out)
{
	struct jsonw j = jsonw_begin(out);

	if (jread_type(v) == JREAD_OBJECT)
		put_object(&j, v, leave_out, NULL);
	else
		put_value(&j, v);
}

void jread_canonical_with(const struct jnode *v, const char *const *leave_out, const char *key, const struct buf *text,
			  struct buf *out)
{
	struct given given = { key, text };
	struct jsonw j = jsonw_begin(out);

	must(jread_type(v) == JREAD_OBJECT);
	put_object(&j, v, leave_out, &given);
}
