/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `nsecwatchd import FILE`: what `export` wrote, or submissions of anybody, one a line. Runs are stored as uploads are,
 * each once, so that it can be run again after whatever went wrong; what people decided goes in one transaction behind
 * them, and only where there were no decisions yet.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../ingest/jread.h"
#include "../ingest/read.h"
#include "../lib/must.h"
#include "cmd.h"
#include "db_catalog.h"
#include "db_export.h"
#include "db_migrate.h"

#define WORKERS 4		/* they share commits */
#define TOLD_MOST 20		/* refused lines that are told */

struct import {
	const struct conf *conf;
	FILE *f;
	struct catalog *catalog;
	struct run_writer *writer;
	struct export_import before;
	int64_t schema;			/* of the database that the file is of; 0: it does not say */
	pthread_mutex_t lock;
	/* under lock, while workers run */
	char *line;
	size_t cap, number;
	ssize_t len;			/* of the line that nobody has taken; -1: none */
	bool at_records, failed, ended;
	struct err err;			/* of the failure */
	int64_t stored, known, conflicts, invalid, records, left_out;
	int month;			/* year * 12 + month whose partition was made last */
};

static bool is_record(const char *line)
{
	return !strncmp(line, "{\"record\":", 10);
}

/* Into im->line: the next line that is not blank. */
static int next_line(struct import *im, struct err *err)
{
	do {
		errno = 0;
		im->len = getline(&im->line, &im->cap, im->f);
		if (im->len < 0 && ferror(im->f))
			return err_set(err, ERR_SETUP, "%s: %s", im->conf->file, strerror(errno));
		im->number++;
	} while (im->len > 0 && strspn(im->line, " \t\r\n") == (size_t)im->len);
	return 0;
}

/* ---- one run ---- */

static int64_t time_in(const struct jnode *beside, const char *key)
{
	const char *text = jread_str(jread_get(beside, key));
	int64_t usec;

	return text && !tm_parse(text, &usec) ? usec : TM_NONE;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Hex text in an arena; NULL: it is none. */
static const uint8_t *bytes_in(struct arena *a, const struct jnode *beside, const char *key, size_t *n)
{
	const char *text = jread_str(jread_get(beside, key));
	uint8_t *out;

	*n = text ? strlen(text) / 2 : 0;
	if (!text || strlen(text) % 2)
		return NULL;
	out = arena_alloc(a, *n + 1);
	for (size_t i = 0; i < *n; i++) {
		int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return NULL;
		out[i] = (uint8_t)(high << 4 | low);
	}
	return out;
}

static void take_not_imported(struct arena *a, struct submission *sub, const struct jnode *list)
{
	sub->n_not_imported = jread_len(list);
	sub->not_imported = arena_array(a, struct not_imported, sub->n_not_imported);
	for (size_t i = 0; i < sub->n_not_imported; i++) {
		const char *at = jread_str(jread_get(jread_at(list, i), "at"));
		const char *message = jread_str(jread_get(jread_at(list, i), "message"));

		sub->not_imported[i] = (struct not_imported){ arena_strdup(a, at ? at : ""), arena_strdup(a, message ? message : "") };
	}
}

/* The member "export": what the run was beside what a submission says. */
static void take_beside(struct arena *a, const struct jnode *beside, struct run_write *w, struct submission *sub)
{
	const struct jnode *units = jread_get(beside, "original_units");
	const char *text = jread_str(jread_get(beside, "format"));
	const uint8_t *bytes;
	size_t n;

	if (text)
		sub->format = arena_strdup(a, text);
	w->token_name = arena_strdup(a, jread_str(jread_get(beside, "token")));
	w->received_at = time_in(beside, "received_at");
	bytes = bytes_in(a, beside, "content_sha256", &n);
	if (bytes && n == 32)
		memcpy(sub->content_sha256, bytes, n);
	if (jread_type(jread_get(beside, "not_imported")) == JREAD_ARRAY)
		take_not_imported(a, sub, jread_get(beside, "not_imported"));
	for (size_t i = 0; i < jread_len(units) && i < sub->n_results; i++)
		sub->results[i].original_unit = arena_strdup(a, jread_str(jread_at(units, i)));
	bytes = bytes_in(a, beside, "body", &n);
	if (bytes) {
		w->raw = bytes;
		w->raw_len = n;
		w->raw_type = arena_strdup(a, jread_str(jread_get(beside, "body_type")));
	}
}

/* What `export` wrote beside the submission, into w; nothing where somebody else wrote the line. */
static int read_beside(struct arena *a, const char *line, size_t len, struct run_write *w, struct submission *sub,
		       struct err *err)
{
	struct jread_slice slice = { line, len, 1 };
	struct jnode *root;
	bool syntax;

	if (!strstr(line, "\"export\":"))
		return 0;
	root = jread_parse(&slice, &syntax, err);
	if (!root)
		return -1;
	if (jread_type(jread_get(root, "export")) == JREAD_OBJECT)
		take_beside(a, jread_get(root, "export"), w, sub);
	jread_free(root);
	return 0;
}

static int make_month(struct import *im, struct db *db, int64_t usec, struct err *err)
{
	time_t t = (time_t)(usec / 1000000);
	struct tm tm;
	bool made;

	gmtime_r(&t, &tm);
	must(!pthread_mutex_lock(&im->lock));
	made = im->month == tm.tm_year * 12 + tm.tm_mon + 1;
	must(!pthread_mutex_unlock(&im->lock));
	if (made)
		return 0;
	if (db_export_month(db, usec, err))
		return -1;
	must(!pthread_mutex_lock(&im->lock));
	im->month = tm.tm_year * 12 + tm.tm_mon + 1;
	must(!pthread_mutex_unlock(&im->lock));
	return 0;
}

static void refuse(struct import *im, size_t number, const char *why)
{
	must(!pthread_mutex_lock(&im->lock));
	if (++im->invalid <= TOLD_MOST)
		fprintf(stderr, "line %zu: %s\n", number, why);
	must(!pthread_mutex_unlock(&im->lock));
}

static void count(struct import *im, const struct run_write *w, size_t number)
{
	must(!pthread_mutex_lock(&im->lock));
	im->stored += w->outcome == WRITE_STORED;
	im->known += w->outcome == WRITE_DUPLICATE;
	im->conflicts += w->outcome == WRITE_CONFLICT;
	if (w->outcome == WRITE_CONFLICT && im->conflicts <= TOLD_MOST)
		fprintf(stderr, "line %zu: a run of this id is here already, with other content\n", number);
	must(!pthread_mutex_unlock(&im->lock));
}

/* -1: nothing more can be done; a line that is refused is told and passed over. */
static int import_run(struct import *im, struct db *db, struct arena *a, const char *line, size_t len, size_t number,
		      struct err *err)
{
	struct read_context context = { .now = tm_now_usec() };
	struct run_write w = { .raw = line, .raw_len = len, .raw_type = "application/json", .dry_run = true };
	struct err why = { 0 };
	struct read_result all;

	if (read_body(a, line, len, &context, &all, &why) || all.n != 1 || all.many || !all.items[0].sub) {
		const struct problems *p = !why.kind && all.n ? all.items[0].err.problems : NULL;

		refuse(im, number, why.kind ? why.message : p && p->n ? arena_printf(a, "%s: %s", p->list[0].at, p->list[0].message) :
		       "no submission");
		return 0;
	}
	w.sub = all.items[0].sub;
	w.received_at = TM_NONE;
	if (read_beside(a, line, len, &w, all.items[0].sub, err))
		return -1;
	/* what is there is only looked at: it would be queued for packing once more under the received_at it has */
	db_runs_write(im->writer, db, a, &w);
	if (w.outcome == WRITE_STORED) {
		w.dry_run = false;
		if (w.received_at != TM_NONE && make_month(im, db, w.received_at, err))
			return -1;
		db_runs_write(im->writer, db, a, &w);
	}
	if (w.outcome == WRITE_FAILED && w.err.kind == ERR_INVALID) {
		refuse(im, number, w.err.message);
		return 0;
	}
	if (w.outcome == WRITE_FAILED) {
		*err = w.err;
		return err_prefix(err, "line %zu", number);
	}
	count(im, &w, number);
	return 0;
}

/* ---- workers ---- */

/* The next run's line, copied; NULL: there is none, or somebody failed. */
static char *take_line(struct import *im, struct arena *a, size_t *len, size_t *number)
{
	char *copy = NULL;

	must(!pthread_mutex_lock(&im->lock));
	if (!im->failed && !im->at_records && im->len > 0) {
		copy = arena_strndup(a, im->line, (size_t)im->len);
		*len = (size_t)im->len;
		*number = im->number;
		im->failed = next_line(im, &im->err) != 0;
		im->at_records = im->len > 0 && is_record(im->line);
	}
	must(!pthread_mutex_unlock(&im->lock));
	return copy;
}

static void *work(void *arg)
{
	struct import *im = arg;
	struct arena *a = arena_new();
	struct db *db = db_new(im->conf->db, "nsecwatchd import", 0);
	struct err err = { 0 };
	size_t len, number;
	char *line;

	while ((line = take_line(im, a, &len, &number))) {
		if (import_run(im, db, a, line, len, number, &err)) {
			must(!pthread_mutex_lock(&im->lock));
			if (!im->failed)
				im->err = err;
			im->failed = true;
			must(!pthread_mutex_unlock(&im->lock));
		}
		arena_reset(a);
	}
	db_free(db);
	arena_free(a);
	return NULL;
}

static int import_runs(struct import *im, struct err *err)
{
	pthread_t threads[WORKERS];

	for (int i = 0; i < WORKERS; i++)
		must(!pthread_create(&threads[i], NULL, work, im));
	for (int i = 0; i < WORKERS; i++)
		must(!pthread_join(threads[i], NULL));
	if (im->failed)
		*err = im->err;
	return im->failed ? -1 : 0;
}

/* ---- records ---- */

/* The first line and the last one. */
static int take_edge(struct import *im, const struct jnode *root, bool begin, struct err *err)
{
	int64_t n;

	if (begin) {
		if (!jread_int(jread_get(root, "database_schema"), &im->schema))
			return err_set(err, ERR_INVALID, "line %zu: it does not say of which schema it is", im->number);
		return 0;
	}
	im->ended = true;
	n = im->stored + im->known + im->conflicts + im->invalid;
	if (jread_int(jread_get(root, "runs"), &n) && n != im->stored + im->known + im->conflicts + im->invalid)
		return err_set(err, ERR_INVALID, "%s: lines are missing: it says that it has %lld runs", im->conf->file, (long long)n);
	return 0;
}

static int import_record(struct import *im, struct db *db, struct err *err)
{
	struct jread_slice slice = { im->line, (size_t)im->len, im->number };
	const char *kind;
	struct jnode *root;
	bool syntax, done = false;
	int ret = 0;

	root = jread_parse(&slice, &syntax, err);
	if (!root)
		return err_prefix(err, "line %zu", im->number);
	kind = jread_str(jread_get(root, "record"));
	if (!kind)
		ret = err_set(err, ERR_INVALID, "line %zu: a record of no kind", im->number);
	else if (!strcmp(kind, "begin") || !strcmp(kind, "end"))
		ret = take_edge(im, root, *kind == 'b', err);
	else if (im->schema == db_migrate_newest())
		ret = db_export_put(db, &im->before, kind, im->line, &done, err);
	if (!ret && kind && strcmp(kind, "begin") != 0 && strcmp(kind, "end") != 0) {
		im->records += done;
		im->left_out += !done;
	}
	jread_free(root);
	return ret && err->line == 0 && strncmp(err->message, "line ", 5) ? err_prefix(err, "line %zu", im->number) : ret;
}

/* All records from here on, up to a run or the end. */
static int import_records(struct db *db, void *arg, struct err *err)
{
	struct import *im = arg;

	while (im->len > 0 && is_record(im->line))
		if (import_record(im, db, err) || next_line(im, err))
			return -1;
	return db_export_end(db, err);
}

static int import_all(struct import *im, struct db *db, struct err *err)
{
	if (db_migrate_check(db, err) || db_export_begin(db, &im->before, err) || db_catalog_refresh(im->catalog, db, err) ||
	    next_line(im, err) || db_tx(db, import_records, im, 0, err))
		return -1;
	im->at_records = false;
	if (import_runs(im, err) || (im->len > 0 && db_tx(db, import_records, im, 0, err)))
		return -1;
	if (im->len > 0)
		return err_set(err, ERR_INVALID, "line %zu: a run behind the records: two files in one? import them apart", im->number);
	if (im->schema && !im->ended)
		return err_set(err, ERR_INVALID, "%s: it is cut short; what it had is imported", im->conf->file);
	return 0;
}

static void tell(const struct import *im)
{
	printf("%lld runs stored, %lld were here already, %lld are others under the same id, %lld refused; %lld records put back\n",
	       (long long)im->stored, (long long)im->known, (long long)im->conflicts, (long long)im->invalid, (long long)im->records);
	if (im->schema && im->schema != db_migrate_newest())
		printf("%lld records of what people decided are left out: they are of schema %lld, this server is of %lld. Migrate the other"
		       " one first, or restore a backup of it\n", (long long)im->left_out, (long long)im->schema,
		       (long long)db_migrate_newest());
	else if (im->left_out)
		printf("%lld records are left out: there were decisions of the same kind here, or they are here already\n",
		       (long long)im->left_out);
}

int cmd_import(const struct conf *conf, struct err *err)
{
	struct import im = { .conf = conf, .f = strcmp(conf->file, "-") ? fopen(conf->file, "re") : stdin };
	struct db *db;
	int ret;

	if (!im.f)
		return err_set(err, ERR_SETUP, "%s: %s", conf->file, strerror(errno));
	must(!pthread_mutex_init(&im.lock, NULL));
	im.catalog = db_catalog_new();
	im.writer = db_runs_writer_new(im.catalog);
	db = db_new(conf->db, "nsecwatchd import", 0);
	ret = db_connect(db, err) || import_all(&im, db, err) ? -1 : 0;
	if (im.stored || im.known || !ret)
		tell(&im);
	if (!ret && (im.conflicts || im.invalid))
		ret = err_set(err, ERR_INVALID, "%lld lines were not stored", (long long)(im.conflicts + im.invalid));
	db_free(db);
	db_runs_writer_free(im.writer);
	db_catalog_free(im.catalog);
	pthread_mutex_destroy(&im.lock);
	if (im.f != stdin)
		fclose(im.f);
	free(im.line);
	return ret;
}
