/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "api_selector.h"

#include <string.h>

#define VALUES_MOST 1000

/* One selector of the object: a text, or a list of them. */
static void read_one(struct api_body *b, const char *base, const struct jmember *m, struct select_arg *args, size_t *n)
{
	const char *name = jread_key(m), *at = jread_pointer(b->a, base, name);
	const struct jnode *v = jread_value(m);
	bool one = jread_type(v) == JREAD_STRING;
	size_t len = one ? 1 : jread_len(v);

	if (!calc_select_is_selector(name)) {
		problems_add(b->problems, at, "is no selector: benchmark, metric, machine, uarch, isa, thp, base_page_kib, track and "
			     "param.NAME are");
		return;
	}
	if (!len || (!one && jread_type(v) != JREAD_ARRAY)) {
		problems_add(b->problems, at, "a list of texts is needed, one at least");
		return;
	}
	for (size_t i = 0; i < len; i++) {
		const char *s = jread_str(one ? v : jread_at(v, i));

		if (!s || !*s)
			problems_add(b->problems, at, "a text is needed; here stands %s",
				     s ? "an empty one" : jread_word(jread_type(jread_at(v, i))));
		else
			args[(*n)++] = (struct select_arg){ arena_strdup(b->a, name), arena_strdup(b->a, s) };
	}
}

static size_t count_values(const struct jnode *v)
{
	size_t n = 0;

	for (const struct jmember *m = jread_first(v); m; m = jread_next(v, m))
		n += jread_type(jread_value(m)) == JREAD_ARRAY ? jread_len(jread_value(m)) : 1;
	return n;
}

void api_selector_read(struct api_body *b, const char *key, const char *benchmark, struct select_arg **args, size_t *n)
{
	const struct jnode *v = api_body_has(b, key) ? jread_get(b->root, key) : NULL;
	size_t most = jread_type(v) == JREAD_OBJECT ? count_values(v) : 0;

	*n = 0;
	*args = arena_array(b->a, struct select_arg, most + 1);
	if (v && jread_type(v) != JREAD_OBJECT) {
		api_body_wrong(b, key, "an object is needed, as {\"machine\": [\"milan-*\"]}");
		return;
	}
	if (most > VALUES_MOST) {
		api_body_wrong(b, key, "%zu values: at most %d are taken", most, VALUES_MOST);
		return;
	}
	for (const struct jmember *m = v ? jread_first(v) : NULL; m; m = jread_next(v, m))
		read_one(b, arena_printf(b->a, "/%s", key), m, *args, n);
	if (benchmark)
		(*args)[(*n)++] = (struct select_arg){ "benchmark", benchmark };
}

const char *api_selector_text(struct api_body *b, const char *key)
{
	const struct jnode *v = api_body_has(b, key) ? jread_get(b->root, key) : NULL;
	struct buf out;
	const char *text;

	if (jread_type(v) != JREAD_OBJECT)
		return "{}";
	buf_init(&out);
	jread_canonical(v, NULL, &out);
	text = arena_strdup(b->a, out.p);
	buf_fini(&out);
	return text;
}

static int of_document(struct err *err)
{
	if (err->kind == ERR_UNKNOWN_VALUE || err->kind == ERR_BAD_ARGUMENT)
		err->kind = ERR_INVALID;
	return -1;
}

int api_selector_series(struct req *rq, const struct select_arg *args, size_t n, struct selection *sel, struct err *err)
{
	return calc_select_series(rq->server->catalog, rq->arena, args, n, sel, err) ? of_document(err) : 0;
}

int api_selector_kernel(struct req *rq, const char *key, const char *name, const struct cat_kernel **k, struct err *err)
{
	struct selection everything = { 0 };

	*k = NULL;
	if (!name)
		return 0;
	return calc_select_kernel(rq->server->catalog, rq->db, rq->arena, key, name, &everything, k, err) ? of_document(err) : 0;
}
