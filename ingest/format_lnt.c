/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LLVM's LNT: reports of format 2 (machine, run, tests: a metric a member, repetitions
 * as arrays, METRIC_status beside it) and of the older one (Machine, Run, Tests: a name
 * "nts.TEST.exec" and Data). A status that is neither 0 (pass) nor 2 (expected to
 * fail) makes its own repetitions no measurements.
 */
#include "format_sink.h"

#include <math.h>
#include <string.h>

#include "format_json.h"

/* LNT's own metrics: what "compile" in a name, or "compile_time" as a member, is. */
static const struct metric {
	const char *suffix, *name, *unit;
	enum better better;
} metrics[] = {
	{ "compile", "compile_time", "s", BETTER_LOWER },
	{ "exec", "execution_time", "s", BETTER_LOWER },
	{ "score", "score", "unstated", BETTER_HIGHER },
	{ "mem", "mem_bytes", "B", BETTER_LOWER },
	{ "hash", "hash", NULL, BETTER_NEUTRAL },
	{ "code_size", "code_size", "B", BETTER_LOWER },
};

static const char *end_of(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n > m && !strcmp(s + n - m, suffix) ? s + n - m : NULL;
}

static struct metric metric_of(const char *name)
{
	for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++)
		if (!strcmp(name, metrics[i].name))
			return metrics[i];
	if (end_of(name, "_time"))
		return (struct metric){ "", name, "s", BETTER_LOWER };
	if (end_of(name, "_bytes") || end_of(name, "size"))
		return (struct metric){ "", name, "B", BETTER_LOWER };
	return (struct metric){ "", name, "unstated", BETTER_NEUTRAL };
}

/* Whether repetition i passed, by the status beside it. */
static bool passed(const struct jnode *status, size_t i)
{
	double v = format_json_number(format_json_item(status, i));

	return !status || !(v > 0) || v == 2;
}

static void take_values(struct format_sink *k, struct draft_result *r, const struct jnode *v, const struct jnode *status)
{
	size_t n = format_json_count(v), good = 0;
	const char *at = r->in;

	for (size_t i = 0; i < n; i++)
		good += passed(status, i);
	if (n && !good) {
		r->status = RESULT_FAILED;
		r->error = "the test failed, its status says";
		format_sink_result(k, r);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (jread_type(v) == JREAD_ARRAY)
			r->in = format_json_place(k->f->a, at, i);
		if (passed(status, i))
			format_sink_add(k, r, format_json_number(format_json_item(v, i)));
		else
			format_left_out(&k->d, r->in, "the test failed here, its status says: no measurement");
	}
}

/* The two that LNT keeps a status of. */
static const struct jnode *status_of(const struct jnode *test, const char *metric)
{
	if (!strcmp(metric, "compile_time"))
		return jread_get(test, "compile_status");
	return strcmp(metric, "execution_time") ? NULL : jread_get(test, "execution_status");
}

static void take_test(struct format_sink *k, const struct jnode *test, size_t i)
{
	const char *at = format_json_place(k->f->a, "/tests", i), *name = format_json_text(test, "name");

	if (!name) {
		format_left_out(&k->d, at, "expected {\"name\": TEXT, \"execution_time\": SECONDS, ...}");
		return;
	}
	for (const struct jmember *m = jread_first(test); m; m = jread_next(test, m)) {
		struct metric metric = metric_of(jread_key(m));
		struct draft_result r = { .in = jread_pointer(k->f->a, at, jread_key(m)), .index = DRAFT_RESULT_NO_INDEX,
					  .benchmark = name, .metric = metric.name, .unit = metric.unit, .better = metric.better };
		const struct jnode *v = jread_value(m);

		if (!strcmp(jread_key(m), "name") || end_of(jread_key(m), "_status") || !metric.unit ||
		    isnan(format_json_number(format_json_item(v, 0))))
			continue;
		take_values(k, &r, v, status_of(test, jread_key(m)));
	}
}

/* "nts.SingleSource/Test.exec": suite, test, and what was measured. */
static void take_old_test(struct format_sink *k, const struct jnode *test, size_t i)
{
	const char *at = format_json_place(k->f->a, "/Tests", i), *name = format_json_text(test, "Name"), *dot, *end;
	const struct jnode *data = jread_get(test, "Data");
	struct draft_result r = { .in = at, .index = DRAFT_RESULT_NO_INDEX, .metric = "execution_time", .unit = "s",
				  .better = BETTER_LOWER };

	if (!name || !jread_len(data)) {
		format_left_out(&k->d, at, "expected {\"Name\": TEXT, \"Data\": [NUMBER, ...]}");
		return;
	}
	dot = strchr(name, '.');
	name = dot && dot[1] ? dot + 1 : name;
	r.benchmark = name;
	if (end_of(name, ".status"))
		return;
	for (size_t s = 0; s < sizeof(metrics) / sizeof(*metrics); s++) {
		end = end_of(name, arena_printf(k->f->a, ".%s", metrics[s].suffix));
		if (!end)
			continue;
		if (!metrics[s].unit)
			return;
		r.metric = metrics[s].name;
		r.unit = metrics[s].unit;
		r.better = metrics[s].better;
		r.benchmark = arena_strndup(k->f->a, name, (size_t)(end - name));
	}
	take_values(k, &r, data, NULL);
}

static void take_machine(struct format_sink *k, const struct jnode *machine, const char *name)
{
	struct draft *d = &k->d;

	if (jread_type(machine) == JREAD_OBJECT)
		d->environment = format_json_copy(d, machine);
	if (!d->machine && name)
		d->machine = arena_strdup(d->a, name);
}

int format_lnt_read(struct format_file *f, struct err *err)
{
	struct format_sink k;
	struct jnode *root = format_json(f, JREAD_OBJECT, "{\"format_version\": \"2\", \"machine\", \"run\", \"tests\": []}",
					 NULL, err);
	const struct jnode *tests, *old, *machine;

	if (!root)
		return -1;
	tests = jread_get(root, "tests");
	old = jread_get(root, "Tests");
	if (jread_type(tests) != JREAD_ARRAY && jread_type(old) != JREAD_ARRAY) {
		jread_free(root);
		return err_set(err, ERR_INVALID, "/tests: expected an array, LNT's tests");
	}
	format_sink_init(&k, f, "LNT");
	machine = jread_get(root, tests ? "machine" : "Machine");
	take_machine(&k, machine, format_json_text(machine, tests ? "name" : "Name"));
	for (size_t i = 0; tests && i < jread_len(tests); i++)
		take_test(&k, jread_at(tests, i), i);
	for (size_t i = 0; !tests && i < jread_len(old); i++)
		take_old_test(&k, jread_at(old, i), i);
	k.d.empty = !jread_len(tests ? tests : old);
	format_sink_end(&k);
	jread_free(root);
	return 0;
}

int format_lnt_sniff(const char *text, size_t len)
{
	if (*text != '{')
		return 0;
	if (format_json_has(text, len, "Tests") && format_json_has(text, len, "Run") && format_json_has(text, len, "Machine"))
		return 80;
	return format_json_has(text, len, "tests") && format_json_has(text, len, "run") &&
		format_json_has(text, len, "machine") ? 60 : 0;
}
