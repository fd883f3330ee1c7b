/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The quick JSON parser against jansson: what it takes, jansson takes too, and makes the same of. */
#ifndef TESTS_SAME_JSON_H
#define TESTS_SAME_JSON_H

#include <string.h>

#include "../../ingest/jread_own.h"

static bool same_node(const struct jnode *x, const struct jnode *y)
{
	if (x->type != y->type || x->n != y->n || x->is_int != y->is_int || x->truth != y->truth)
		return false;
	if (!x->key != !y->key || (x->key && strcmp(x->key, y->key)))
		return false;
	switch (x->type) {
	case JREAD_NUMBER:		/* to the bit: -0.0 is not 0.0 */
		return !memcmp(&x->num, &y->num, sizeof(x->num));
	case JREAD_STRING:
		return !strcmp(x->str, y->str);
	case JREAD_ARRAY:
	case JREAD_OBJECT:
		for (uint32_t i = 0; i < x->n; i++)
			if (!same_node(&x->child[i], &y->child[i]))
				return false;
	}
	return true;
}

enum json_verdict { JSON_LEFT, JSON_SAME, JSON_OTHER };	/* the quick one left it, or read it as jansson does, or not */

static enum json_verdict json_both_ways(const char *text, size_t len)
{
	struct jread_slice s = { text, len, 1 };
	struct jread_doc quick = { .arena = arena_new() }, careful = { .arena = arena_new() };
	bool took = jread_quick_parse(&s, NULL, &quick), syntax;
	enum json_verdict v = JSON_LEFT;
	struct err err = { 0 };

	if (took)
		v = !jread_careful_parse(&s, &careful, &syntax, &err) && same_node(&quick.root, &careful.root) ? JSON_SAME : JSON_OTHER;
	arena_free(quick.arena);
	arena_free(careful.arena);
	return v;
}

#endif
