/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `nsecwatchd export FILE`: all runs as submissions, one a line, as POST /api/v1/runs takes them, so that whoever leaves
 * takes everything along; and between them records of what people decided. docs/formats.md has the format.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../lib/jsonw.h"
#include "../lib/version.h"
#include "cmd.h"
#include "db_export.h"
#include "db_migrate.h"

#define PAGE 500		/* runs whose ids are read at once */

struct export {
	FILE *f;
	const char *path;
	struct arena *a;		/* of one run */
	struct export_names *names;
	struct buf line;
	bool bodies;
	int64_t runs, records;
};

static int put_line(struct export *x, const char *text, size_t len, struct err *err)
{
	if (fwrite(text, 1, len, x->f) == len && putc('\n', x->f) != EOF)
		return 0;
	return err_set(err, ERR_SETUP, "%s: %s", x->path, strerror(errno));
}

static void time_of(struct jsonw *j, const char *key, int64_t usec)
{
	char text[TM_TEXT];

	if (usec != TM_NONE)
		jsonw_kstr(j, key, tm_format(usec, text));
}

static void text_of(struct jsonw *j, const char *key, const char *text)
{
	if (text)
		jsonw_kstr(j, key, text);
}

static void number_of(struct jsonw *j, const char *key, double d)
{
	if (!isnan(d))
		jsonw_knum(j, key, d);
}

/* What was given as an object of its own, in the object that is open. */
static void members_of(struct jsonw *j, const char *object)
{
	size_t n = object ? strlen(object) : 0;

	if (n > 2) {
		jsonw_piece(j, object + 1, n - 2);
		j->comma = true;
	}
}

static void put_machine(struct jsonw *j, const struct export_head *h)
{
	jsonw_key(j, "machine");
	jsonw_object(j);
	jsonw_kstr(j, "name", h->machine);
	text_of(j, "isa", h->isa);
	text_of(j, "uarch", h->uarch);
	members_of(j, h->facts);
	jsonw_object_end(j);
}

static void put_kernel(struct jsonw *j, const struct export_head *h)
{
	jsonw_key(j, "kernel");
	jsonw_object(j);
	if (h->variant)		/* its name may be a phrase that says the same once more */
		jsonw_kraw(j, "variant", h->variant);
	else
		jsonw_kstr(j, "release", h->release);
	text_of(j, "commit", h->commit);
	jsonw_object_end(j);
}

static void put_config(struct jsonw *j, const struct export_head *h)
{
	jsonw_key(j, "config");
	jsonw_object(j);
	text_of(j, "thp", h->thp);
	if (h->base_page_kib)
		jsonw_ki64(j, "base_page_kib", h->base_page_kib);
	jsonw_object_end(j);
}

static void put_summary(struct jsonw *j, const struct run *r, size_t i)
{
	jsonw_key(j, "summary");
	jsonw_object(j);
	jsonw_ki64(j, "n", r->n[i]);
	jsonw_knum(j, "mean", r->mean[i]);
	number_of(j, "median", r->median[i]);
	number_of(j, "stddev", r->stddev[i]);
	/* of equal values the mean may be off by its last digit, and no reader takes that */
	number_of(j, "min", isnan(r->min[i]) ? NAN : fmin(r->min[i], r->mean[i]));
	number_of(j, "max", isnan(r->max[i]) ? NAN : fmax(r->max[i], r->mean[i]));
	jsonw_object_end(j);
}

static void put_result(struct jsonw *j, const struct export *x, const struct run *r, size_t i)
{
	const struct export_series *s = db_export_names_of(x->names, r->series_ids[i]);

	jsonw_object(j);
	jsonw_kstr(j, "benchmark", s->benchmark);
	jsonw_kraw(j, "params", s->params);
	jsonw_kstr(j, "metric", s->metric);
	jsonw_kstr(j, "unit", s->unit);
	jsonw_kstr(j, "better", better_word(s->better));
	if (r->status[i] != RESULT_OK) {
		jsonw_kstr(j, "status", result_status_word((enum result_status)r->status[i]));
		text_of(j, "error", r->errors ? r->errors[i] : NULL);
	} else if (r->n_values[i]) {
		jsonw_key(j, "values");
		jsonw_array(j);
		for (size_t k = 0; k < r->n_values[i]; k++)
			jsonw_num(j, r->values[i][k]);
		jsonw_array_end(j);
	} else {
		put_summary(j, r, i);
	}
	jsonw_object_end(j);
}

/* What a submission has no place for, and `import` puts back. */
static int put_beside(struct jsonw *j, struct export *x, struct db *db, const struct export_head *h, const struct run *r,
		      struct err *err)
{
	const void *body;
	const char *type;
	char hex[65];
	size_t len;

	jsonw_key(j, "export");
	jsonw_object(j);
	time_of(j, "received_at", r->received_at);
	jsonw_kstr(j, "format", r->format);
	hex_format(h->content_sha256, 32, hex);
	jsonw_kstr(j, "content_sha256", hex);
	text_of(j, "token", h->token);
	if (r->not_imported)
		jsonw_kraw(j, "not_imported", r->not_imported);
	if (r->original_units) {
		jsonw_key(j, "original_units");
		jsonw_array(j);
		for (size_t i = 0; i < r->n_results; i++)
			jsonw_str(j, r->original_units[i]);
		jsonw_array_end(j);
	}
	if (x->bodies) {
		if (db_runs_raw(db, x->a, &r->run_id, &body, &len, &type, err))
			return -1;
		if (body) {
			char *digits = arena_alloc(x->a, 2 * len + 1);

			hex_format(body, len, digits);
			jsonw_kstr(j, "body_type", type);
			jsonw_kstr(j, "body", digits);
		}
	}
	jsonw_object_end(j);
	return 0;
}

static int put_run(struct export *x, struct db *db, const struct uuid *id, struct err *err)
{
	struct jsonw j = jsonw_begin(&x->line);
	struct export_head h;
	char text[UUID_TEXT];
	struct run *r;

	arena_reset(x->a);
	buf_clear(&x->line);
	if (db_runs_get(db, x->a, id, &r, err) || db_export_head(db, x->a, id, &h, err) ||
	    db_export_names_need(x->names, db, r->series_ids, r->n_results, err))
		return -1;
	jsonw_object(&j);
	jsonw_kstr(&j, "schema", "nsecwatch.submission/1");
	jsonw_kstr(&j, "run_id", uuid_format(id, text));
	put_machine(&j, &h);
	put_kernel(&j, &h);
	put_config(&j, &h);
	if (r->environment)
		jsonw_kraw(&j, "environment", r->environment);
	text_of(&j, "boot_id", r->boot_id);
	time_of(&j, "started_at", r->started_at);
	time_of(&j, "finished_at", r->finished_at);
	if (r->source)
		jsonw_kraw(&j, "source", r->source);
	if (r->labels)
		jsonw_kraw(&j, "labels", r->labels);
	jsonw_key(&j, "results");
	jsonw_array(&j);
	for (size_t i = 0; i < r->n_results; i++)
		put_result(&j, x, r, i);
	jsonw_array_end(&j);
	if (put_beside(&j, x, db, &h, r, err))
		return -1;
	jsonw_object_end(&j);
	x->runs++;
	return put_line(x, x->line.p, x->line.len, err);
}

/* Its kind stands first in the line: that tells it from a submission. */
static int put_record(const char *kind, const char *json, void *arg, struct err *err)
{
	struct export *x = arg;

	x->records++;
	buf_clear(&x->line);
	buf_printf(&x->line, "{\"record\":\"%s\",%s", kind, json + 1);
	return put_line(x, x->line.p, x->line.len, err);
}

static int put_edge(struct export *x, const char *what, int64_t schema, struct err *err)
{
	struct jsonw j = jsonw_begin(&x->line);

	buf_clear(&x->line);
	jsonw_object(&j);
	jsonw_kstr(&j, "record", what);
	if (schema) {
		jsonw_kstr(&j, "format", "nsecwatch.export/1");
		jsonw_kstr(&j, "program", version_text);
		jsonw_ki64(&j, "database_schema", schema);
	} else {
		jsonw_ki64(&j, "runs", x->runs);
		jsonw_ki64(&j, "records", x->records);
	}
	jsonw_object_end(&j);
	return put_line(x, x->line.p, x->line.len, err);
}

static int export_all(struct db *db, void *arg, struct err *err)
{
	struct run_cursor at = { .received_at = TM_NONE };
	struct export *x = arg;
	struct uuid ids[PAGE];
	size_t n;

	if (db_export_ids(db, &at, ids, PAGE, &n, err) || db_migrate_check(db, err) ||
	    put_edge(x, "begin", db_migrate_newest(), err) || db_export_records(db, true, put_record, x, err))
		return -1;
	while (n) {
		for (size_t i = 0; i < n; i++)
			if (put_run(x, db, &ids[i], err))
				return -1;
		if (db_export_ids(db, &at, ids, PAGE, &n, err))
			return -1;
	}
	return db_export_records(db, false, put_record, x, err) || put_edge(x, "end", 0, err) ? -1 : 0;
}

int cmd_export(const struct conf *conf, struct err *err)
{
	bool to_stdout = !strcmp(conf->file, "-");
	struct export x = { .f = to_stdout ? stdout : fopen(conf->file, "wex"), .path = conf->file, .bodies = conf->bodies };
	struct db *db;
	int ret;

	if (!x.f)
		return err_set(err, ERR_SETUP, "%s: %s", conf->file, strerror(errno));
	x.a = arena_new();
	x.names = db_export_names_new();
	buf_init(&x.line);
	db = db_new(conf->db, "nsecwatchd export", 0);
	ret = db_connect(db, err) || db_export_snapshot(db, export_all, &x, err) ? -1 : 0;
	if ((to_stdout ? fflush(x.f) : fclose(x.f)) && !ret)
		ret = err_set(err, ERR_SETUP, "%s: %s", conf->file, strerror(errno));
	if (ret && !to_stdout)
		remove(conf->file);
	if (!ret)
		fprintf(stderr, "%s: %lld runs, %lld records\n", conf->file, (long long)x.runs, (long long)x.records);
	db_free(db);
	db_export_names_free(x.names);
	arena_free(x.a);
	buf_fini(&x.line);
	return ret;
}
