/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_selector.h"

#include <string.h>

#include "../ingest/jread.h"

static int add_values(struct arena *a, const char *name, const struct jnode *v, struct select_arg *args, size_t *n,
		      struct err *err)
{
	bool one = jread_type(v) == JREAD_STRING;
	size_t len = one ? 1 : jread_len(v);

	for (size_t i = 0; i < len; i++) {
		const char *value = jread_str(one ? v : jread_at(v, i));

		if (!value)
			return err_set(err, ERR_INVALID, "\"%s\": a list of strings is needed", name);
		args[(*n)++] = (struct select_arg){ arena_strdup(a, name), arena_strdup(a, value) };
	}
	/* one of none of them: nothing, and surely not everything */
	return len ? 0 : err_set(err, ERR_INVALID, "\"%s\": the list is empty", name);
}

/* The selector's pairs of name and value, as a query would have them. */
static int read_args(struct arena *a, const struct jnode *root, struct select_arg **args, size_t *n, struct err *err)
{
	const struct jmember *m;
	size_t total = 0;

	*n = 0;
	for (m = jread_first(root); m; m = jread_next(root, m)) {
		enum jread_type type = jread_type(jread_value(m));

		if (!calc_select_is_selector(jread_key(m)) || (type != JREAD_ARRAY && type != JREAD_STRING))
			return err_set(err, ERR_INVALID, "\"%s\" is no selector with a list of values", jread_key(m));
		total += type == JREAD_ARRAY ? jread_len(jread_value(m)) : 1;
	}
	*args = arena_array(a, struct select_arg, total + 1);
	for (m = jread_first(root); m; m = jread_next(root, m))
		if (add_values(a, jread_key(m), jread_value(m), *args, n, err))
			return -1;
	return 0;
}

int calc_selector_resolve(struct calc_selector *s, const char *json, struct catalog *c, struct arena *a, struct err *err)
{
	struct jread_slice whole = { json, strlen(json), 1 };
	struct select_arg *args = NULL;
	bool syntax;
	struct jnode *root = jread_parse(&whole, &syntax, err);
	size_t n = 0;
	int ret;

	*s = (struct calc_selector){ .everything = false };
	if (jread_type(root) != JREAD_OBJECT) {
		jread_free(root);
		return err_set(err, ERR_INVALID, "the selector is no JSON object");
	}
	ret = read_args(a, root, &args, &n, err);
	jread_free(root);
	if (ret)
		return -1;
	s->everything = n == 0;
	if (n)
		calc_select_known(c, a, args, n, &s->sel);
	return 0;
}

bool calc_selector_has(const struct calc_selector *s, const struct cat_series *series, const char *track)
{
	size_t lo = 0, hi = s->sel.n;

	if (s->everything)
		return true;
	if (track && !calc_select_track(&s->sel, track))
		return false;
	while (lo < hi) {	/* the selection is in id order */
		size_t mid = lo + (hi - lo) / 2;

		if (s->sel.series[mid]->id == series->id)
			return true;
		if (s->sel.series[mid]->id < series->id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}
