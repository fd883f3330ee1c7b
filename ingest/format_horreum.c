/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Horreum's export of label values (/api/test/ID/labelValues): a dataset each, a run of
 * its own, with its times and the labels that a schema took out of it. A number is a
 * measurement without a unit or a direction; texts and the rest describe the run. The
 * test's name is not in the export: benchmark= gives it.
 */
#include "format_sink.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "../lib/jsonw.h"
#include "format_json.h"

static bool is_kernel(const char *label)
{
	static const char *const names[] = { "kernel", "kernel_version", "kernel_release", "kernelversion", "kernelrelease",
					     "uname" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcasecmp(label, names[i]))
			return true;
	return false;
}

/* RFC 3339, or milliseconds since 1970. */
static void take_time(const struct jnode *v, int64_t *usec)
{
	const char *s = jread_str(v);
	int64_t ms;

	if (*usec != TM_NONE)
		return;
	if (s && tm_parse(s, usec))
		*usec = TM_NONE;
	else if (jread_int(v, &ms) && ms > 0 && ms < INT64_MAX / 1000)
		*usec = ms * 1000;
}

static void take_labels(struct format_sink *k, const struct jnode *values, const char *at, struct jsonw *env)
{
	for (const struct jmember *m = jread_first(values); m; m = jread_next(values, m)) {
		struct draft_result r = { .in = jread_pointer(k->f->a, at, jread_key(m)), .index = DRAFT_RESULT_NO_INDEX,
					  .metric = jread_key(m), .unit = "unstated" };
		const struct jnode *v = jread_value(m);
		enum jread_type type = jread_type(v);

		if (type == JREAD_NUMBER)
			format_sink_add(k, &r, jread_num(v));
		else if (type == JREAD_ARRAY || type == JREAD_OBJECT)
			format_left_out(&k->d, r.in, "expected a number or a text: a label of more than one value");
		else if (type == JREAD_STRING)
			jsonw_kstr(env, jread_key(m), jread_str(v));
		if (type == JREAD_STRING && is_kernel(jread_key(m)) && !k->d.kernel) {
			k->d.kernel = arena_strdup(k->d.a, jread_str(v));
			k->d.kernel_at = r.in;
		}
	}
}

static void take_dataset(struct format_file *f, const struct jnode *set, size_t i)
{
	const char *at = arena_printf(f->a, "/%zu", i);
	const struct jnode *values = jread_get(set, "values");
	struct format_sink k;
	struct jsonw j;
	struct buf env;

	format_sink_init(&k, f, "horreum");
	buf_init(&env);
	j = jsonw_begin(&env);
	jsonw_object(&j);
	take_time(jread_get(set, "start"), &k.d.started_at);
	take_time(jread_get(set, "stop"), &k.d.finished_at);
	if (jread_type(values) == JREAD_OBJECT)
		take_labels(&k, values, arena_printf(f->a, "%s/values", at), &j);
	else
		problems_add(k.d.problems, at, "expected {\"runId\": 1, \"datasetId\": 1, \"values\": {LABEL: VALUE}}");
	jsonw_object_end(&j);
	k.d.environment = arena_strndup(f->a, env.p, env.len);
	buf_fini(&env);
	format_json_part(f, set);
	format_sink_end(&k);
}

int format_horreum_read(struct format_file *f, struct err *err)
{
	struct jnode *root = format_json(f, JREAD_ABSENT, "[{\"runId\", \"datasetId\", \"values\": {...}}]", NULL, err);
	size_t n = root ? format_json_count(root) : 0;

	if (!root)
		return -1;
	for (size_t i = 0; i < n; i++)
		take_dataset(f, format_json_item(root, i), i);
	jread_free(root);
	return n ? 0 : err_set(err, ERR_INVALID, "horreum: an export without a dataset");
}

int format_horreum_sniff(const char *text, size_t len)
{
	return (*text == '[' || *text == '{') && format_json_has(text, len, "values") &&
		format_json_has(text, len, "runId") ? 80 : 0;
}
