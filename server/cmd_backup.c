/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `nsecwatchd backup FILE|DIR`: everything in the database, of one moment, while it is used. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "../lib/jsonw.h"
#include "../lib/must.h"
#include "../lib/tm.h"
#include "../lib/version.h"
#include "backup_file.h"
#include "cmd.h"
#include "db_backup.h"

struct backup {
	struct backup_writer *file;
	struct buf line;
	int64_t tables, rows;
};

/* What stands in b->line, and its end. */
static int put_line(struct backup *b, struct err *err)
{
	buf_putc(&b->line, '\n');
	return backup_file_write(b->file, b->line.p, b->line.len, err);
}

static struct jsonw begin_line(struct backup *b)
{
	struct jsonw j = jsonw_begin(&b->line);

	buf_clear(&b->line);
	jsonw_object(&j);
	return j;
}

static void texts(struct jsonw *j, const char *key, const char *const *list, size_t n)
{
	jsonw_key(j, key);
	jsonw_array(j);
	for (size_t i = 0; i < n; i++)
		jsonw_str(j, list[i]);
	jsonw_array_end(j);
}

static int begin(void *arg, int64_t schema, const char *const *months, size_t n_months, struct err *err)
{
	struct backup *b = arg;
	char now[TM_TEXT];
	struct jsonw j;

	buf_clear(&b->line);
	buf_puts(&b->line, "nsecwatch-backup 1");
	if (put_line(b, err))
		return -1;
	j = begin_line(b);
	jsonw_kstr(&j, "program", version_text);
	jsonw_kstr(&j, "made_at", tm_format(tm_now_usec() / 1000000 * 1000000, now));
	jsonw_ki64(&j, "schema", schema);
	texts(&j, "months", months, n_months);
	jsonw_object_end(&j);
	return put_line(b, err);
}

static int table(void *arg, const struct backup_table *t, struct err *err)
{
	struct backup *b = arg;
	struct jsonw j = begin_line(b);

	jsonw_kstr(&j, "table", t->name);
	jsonw_ki64(&j, "sequence", t->sequence);
	texts(&j, "columns", t->columns, t->n_columns);
	jsonw_object_end(&j);
	return put_line(b, err);
}

static int row(const char *text, size_t len, void *arg, struct err *err)
{
	struct backup *b = arg;

	return backup_file_write(b->file, text, len, err);
}

static int table_end(void *arg, const struct backup_table *t, struct err *err)
{
	struct backup *b = arg;
	struct jsonw j;

	b->tables++;
	b->rows += t->rows;
	if (backup_file_write(b->file, "\\.\n", 3, err))
		return -1;
	j = begin_line(b);
	jsonw_ki64(&j, "rows", t->rows);
	jsonw_object_end(&j);
	return put_line(b, err);
}

static int put_end(struct backup *b, struct err *err)
{
	char hex[65];
	struct jsonw j;

	backup_file_sum(b->file, hex);
	j = begin_line(b);
	jsonw_ki64(&j, "tables", b->tables);
	jsonw_ki64(&j, "rows", b->rows);
	jsonw_kstr(&j, "sha256", hex);
	jsonw_object_end(&j);
	return put_line(b, err);
}

/* A folder gets a file named after the moment. */
static const char *name_of(struct arena *a, const char *given)
{
	time_t now = time(NULL);
	struct stat st;
	char stamp[32];
	struct tm tm;

	if (!strcmp(given, "-") || stat(given, &st) || !S_ISDIR(st.st_mode))
		return given;
	gmtime_r(&now, &tm);
	must(strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &tm) > 0);
	return arena_printf(a, "%s/nsecwatch-%s.backup", given, stamp);
}

int cmd_backup(const struct conf *conf, struct err *err)
{
	struct arena *a = arena_new();
	const char *path = name_of(a, conf->file);
	struct backup b = { .file = backup_file_create(path, err) };
	const struct backup_visitor v = { begin, table, row, table_end, &b };
	struct db *db = NULL;
	int64_t bytes;
	int ret = -1;

	buf_init(&b.line);
	if (b.file) {
		db = db_new(conf->db, "nsecwatchd backup", 0);
		ret = db_connect(db, err) || db_backup_read(db, &v, err) || put_end(&b, err) ||
		      backup_file_commit(b.file, &bytes, err) ? -1 : 0;
	}
	if (!ret)	/* the file may be stdout */
		fprintf(stderr, "%s: %lld rows of %lld tables in %lld bytes\n", path, (long long)b.rows, (long long)b.tables,
			(long long)bytes);
	db_free(db);
	backup_file_discard(b.file);
	buf_fini(&b.line);
	arena_free(a);
	return ret;
}
