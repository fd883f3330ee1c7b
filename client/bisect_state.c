/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of a bisection as a file, which is its log, too: replaced as a whole, so that it is never half. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../lib/jsonw.h"
#include "bisect_impl.h"
#include "file.h"

#define SCHEMA "nsecwatch.bisect/1"
#define FILE_NAME "bisect.json"

static const char *const side_names[BISECT_SIDES] = { "good", "bad" };

const char *bisect_path(struct arena *a, const struct options *o)
{
	return arena_printf(a, "%s/" FILE_NAME, o->state);
}

/* ---- writing ---- */

static void put_pairs(struct jsonw *j, const char *key, const struct options_pairs *p)
{
	jsonw_key(j, key);
	jsonw_array(j);
	for (size_t i = 0; i < p->n; i++) {
		jsonw_array(j);
		jsonw_str(j, p->list[i][0]);
		jsonw_str(j, p->list[i][1]);
		jsonw_array_end(j);
	}
	jsonw_array_end(j);
}

static void put_boots(const struct bisect *b, struct jsonw *j, const struct bisect_boots *boots)
{
	jsonw_key(j, "boots");
	jsonw_array(j);
	for (size_t i = 0; i < boots->n; i++) {
		const struct bisect_boot *boot = &boots->list[i];

		jsonw_object(j);
		jsonw_kstr(j, "id", boot->id);
		jsonw_key(j, "runs");
		jsonw_array(j);
		for (size_t k = 0; k < boot->n_runs; k++)
			jsonw_str(j, boot->runs[k]);
		jsonw_array_end(j);
		jsonw_key(j, "n");
		jsonw_array(j);
		for (size_t k = 0; k < b->n_series; k++)
			jsonw_num(j, boot->n[k]);
		jsonw_array_end(j);
		jsonw_key(j, "sum");
		jsonw_array(j);
		for (size_t k = 0; k < b->n_series; k++)
			jsonw_num(j, boot->sum[k]);
		jsonw_array_end(j);
		jsonw_object_end(j);
	}
	jsonw_array_end(j);
}

static void put_setting(const struct bisect *b, struct jsonw *j)
{
	jsonw_kstr(j, "schema", SCHEMA);
	jsonw_kstr(j, "started_at", b->started_at);
	jsonw_knum(j, "error", b->error);
	jsonw_ki64(j, "max_boots", b->max_boots);
	jsonw_knum(j, "noise_percent", b->noise_percent);
	put_pairs(j, "selectors", &b->selectors);
	put_pairs(j, "ignores", &b->ignores);
	jsonw_key(j, "series");
	jsonw_array(j);
	for (size_t i = 0; i < b->n_series; i++) {
		jsonw_object(j);
		jsonw_kstr(j, "key", b->series[i].key);
		jsonw_kstr(j, "better", b->series[i].higher ? "higher" : "lower");
		jsonw_object_end(j);
	}
	jsonw_array_end(j);
	put_pairs(j, "facts", &(struct options_pairs){ b->facts.list, b->facts.n });
	for (int s = 0; s < BISECT_SIDES; s++) {
		jsonw_key(j, side_names[s]);
		jsonw_object(j);
		jsonw_kstr(j, "kernel", b->side[s].kernel);
		put_boots(b, j, &b->side[s].boots);
		jsonw_object_end(j);
	}
}

static void put_steps(const struct bisect *b, struct jsonw *j)
{
	jsonw_key(j, "steps");
	jsonw_array(j);
	for (size_t i = 0; i < b->n_steps; i++) {
		const struct bisect_step *s = &b->steps[i];

		jsonw_object(j);
		jsonw_kstr(j, "commit", s->commit);
		jsonw_kstr(j, "kernel", s->kernel);
		jsonw_kstr(j, "state", s->state);
		jsonw_knum(j, "ratio", s->ratio);
		put_boots(b, j, &s->boots);
		jsonw_object_end(j);
	}
	jsonw_array_end(j);
	jsonw_key(j, "log");
	jsonw_array(j);
	for (size_t i = 0; i < b->n_log; i++) {
		const struct bisect_entry *e = &b->log[i];

		jsonw_object(j);
		jsonw_kstr(j, "at", e->at);
		jsonw_kstr(j, "commit", e->commit);
		jsonw_kstr(j, "kernel", e->kernel);
		jsonw_kstr(j, "state", e->state);
		jsonw_ki64(j, "boots", e->boots);
		jsonw_knum(j, "level_percent", e->level);
		jsonw_knum(j, "ratio", e->ratio);
		jsonw_knum(j, "probability_bad", seq_probability(e->ratio));
		jsonw_kstr(j, "message", e->message);
		jsonw_object_end(j);
	}
	jsonw_array_end(j);
}

void bisect_write(const struct bisect *b, struct buf *out)
{
	struct jsonw j = jsonw_begin(out);

	jsonw_object(&j);
	put_setting(b, &j);
	put_steps(b, &j);
	jsonw_object_end(&j);
	buf_putc(out, '\n');
}

int bisect_save(const struct bisect *b, struct err *err)
{
	const char *folder = arena_strndup(b->a, b->path, (size_t)(file_name(b->path) - b->path - 1));
	const char *next = arena_printf(b->a, "%s.new", b->path);
	struct buf out;
	int ret = 0;

	buf_init(&out);
	bisect_write(b, &out);
	unlink(next);
	if (file_make_folders(folder) || file_write(next, out.p, out.len) || rename(next, b->path) ||
	    file_sync_folder(folder))
		ret = err_set(err, ERR_SETUP, "%s: %s", b->path, strerror(errno));
	buf_fini(&out);
	return ret;
}

/* ---- reading ---- */

static double number(const struct jnode *v)
{
	return jread_type(v) == JREAD_NUMBER ? jread_num(v) : NAN;
}

static const char *text(struct arena *a, const struct jnode *v, const char *key)
{
	return arena_strdup(a, jread_str(jread_get(v, key)));
}

static void get_pairs(struct arena *a, const struct jnode *v, struct options_pairs *p)
{
	p->n = jread_len(v);
	p->list = arena_zalloc(a, (p->n + 1) * sizeof(*p->list));
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < 2; k++) {
			const char *s = jread_str(jread_at(jread_at(v, i), k));

			p->list[i][k] = arena_strdup(a, s ? s : "");
		}
}

static void get_boots(struct bisect *b, const struct jnode *list, struct bisect_boots *boots)
{
	boots->n = jread_len(list);
	boots->list = arena_array(b->a, struct bisect_boot, boots->n + 1);
	for (size_t i = 0; i < boots->n; i++) {
		const struct jnode *v = jread_at(list, i), *runs = jread_get(v, "runs");
		struct bisect_boot *boot = &boots->list[i];

		boot->id = text(b->a, v, "id");
		boot->n_runs = jread_len(runs);
		boot->runs = arena_array(b->a, const char *, boot->n_runs + 1);
		for (size_t k = 0; k < boot->n_runs; k++)
			boot->runs[k] = arena_strdup(b->a, jread_str(jread_at(runs, k)));
		boot->n = arena_array(b->a, double, b->n_series);
		boot->sum = arena_array(b->a, double, b->n_series);
		for (size_t k = 0; k < b->n_series; k++) {
			boot->n[k] = number(jread_at(jread_get(v, "n"), k));
			boot->sum[k] = number(jread_at(jread_get(v, "sum"), k));
		}
	}
}

static void get_setting(struct bisect *b, const struct jnode *root)
{
	const struct jnode *series = jread_get(root, "series");
	struct options_pairs facts;
	int64_t max = 0;

	b->started_at = text(b->a, root, "started_at");
	b->error = number(jread_get(root, "error"));
	b->max_boots = jread_int(jread_get(root, "max_boots"), &max) ? (int)max : 0;
	b->noise_percent = number(jread_get(root, "noise_percent"));
	get_pairs(b->a, jread_get(root, "selectors"), &b->selectors);
	get_pairs(b->a, jread_get(root, "ignores"), &b->ignores);
	get_pairs(b->a, jread_get(root, "facts"), &facts);
	b->facts = (struct bisect_facts){ facts.list, facts.n };
	b->n_series = jread_len(series);
	b->series = arena_array(b->a, struct bisect_series, b->n_series + 1);
	for (size_t i = 0; i < b->n_series; i++) {
		const char *better = jread_str(jread_get(jread_at(series, i), "better"));

		b->series[i] = (struct bisect_series){ text(b->a, jread_at(series, i), "key"),
						       better && !strcmp(better, "higher") };
	}
	for (int s = 0; s < BISECT_SIDES; s++) {
		b->side[s].kernel = text(b->a, jread_get(root, side_names[s]), "kernel");
		get_boots(b, jread_get(jread_get(root, side_names[s]), "boots"), &b->side[s].boots);
	}
}

static void get_steps(struct bisect *b, const struct jnode *root)
{
	const struct jnode *steps = jread_get(root, "steps"), *log = jread_get(root, "log");

	b->n_steps = jread_len(steps);
	b->steps = arena_array(b->a, struct bisect_step, b->n_steps + 1);
	for (size_t i = 0; i < b->n_steps; i++) {
		const struct jnode *v = jread_at(steps, i);

		b->steps[i] = (struct bisect_step){ text(b->a, v, "commit"),
						    text(b->a, v, "kernel"),
						    text(b->a, v, "state"),
						    number(jread_get(v, "ratio")),
						    { 0 } };
		get_boots(b, jread_get(v, "boots"), &b->steps[i].boots);
	}
	b->n_log = jread_len(log);
	b->log = arena_array(b->a, struct bisect_entry, b->n_log + 1);
	for (size_t i = 0; i < b->n_log; i++) {
		const struct jnode *v = jread_at(log, i);
		struct bisect_entry *e = &b->log[i];

		*e = (struct bisect_entry){ text(b->a, v, "at"),
					    text(b->a, v, "commit"),
					    text(b->a, v, "kernel"),
					    text(b->a, v, "state"),
					    text(b->a, v, "message"),
					    number(jread_get(v, "ratio")),
					    number(jread_get(v, "level_percent")),
					    0 };
		jread_int(jread_get(v, "boots"), &e->boots);
	}
}

static bool boots_are_whole(const struct bisect *b, const struct bisect_boots *boots)
{
	for (size_t i = 0; i < boots->n; i++) {
		if (!boots->list[i].id)
			return false;
		for (size_t k = 0; k < b->n_series; k++)
			if (!(boots->list[i].n[k] > 0) || !(boots->list[i].sum[k] > 0))
				return false;
	}
	return true;
}

/* What is read is a file that somebody may have edited, or another program's. */
static bool is_whole(const struct bisect *b)
{
	bool whole = b->n_series && b->error > 0 && b->error < .5 && b->max_boots > 0;

	for (size_t i = 0; i < b->n_series; i++)
		whole &= b->series[i].key != NULL;
	for (int s = 0; s < BISECT_SIDES; s++)
		whole = whole && b->side[s].kernel && b->side[s].boots.n &&
			boots_are_whole(b, &b->side[s].boots);
	for (size_t i = 0; i < b->n_steps; i++)
		whole = whole && b->steps[i].kernel && b->steps[i].state &&
			boots_are_whole(b, &b->steps[i].boots);
	for (size_t i = 0; i < b->n_log; i++)
		whole = whole && b->log[i].at && b->log[i].kernel && b->log[i].state && b->log[i].message;
	return whole;
}

int bisect_load(struct arena *a, const char *path, struct bisect *b, struct err *err)
{
	struct jread_slice slice = { .line = 1 };
	const char *schema;
	struct jnode *root;
	struct buf body;
	bool syntax;
	int ret = 0;

	*b = (struct bisect){ .a = a, .path = path };
	buf_init(&body);
	if (file_read(path, &body)) {
		ret = err_set(err, ERR_SETUP, "%s: %s", path,
			      errno == ENOENT ? "no bisection is under way: nsecwatch bisect start begins one"
					      : strerror(errno));
		buf_fini(&body);
		return ret;
	}
	slice.text = body.p;
	slice.len = body.len;
	root = jread_parse(&slice, &syntax, err);
	schema = jread_str(jread_get(root, "schema"));
	if (!root) {
		ret = err_prefix(err, "%s", path);
	} else if (!schema || strcmp(schema, SCHEMA)) {
		ret = err_set(err, ERR_SETUP, "%s: not the state of a bisection (\"schema\": \"" SCHEMA "\")",
			      path);
	} else {
		get_setting(b, root);
		get_steps(b, root);
		if (!is_whole(b))
			ret = err_set(err, ERR_SETUP,
				      "%s: something of it is missing or no number: start again", path);
	}
	jread_free(root);
	buf_fini(&body);
	return ret;
}
