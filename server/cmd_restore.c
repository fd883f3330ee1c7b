/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `nsecwatchd restore FILE`: a backup into an empty database, whole or not at all; `restore FILE --check` only reads it
 * through. Of an older schema it is brought to this program's.
 */
#include <stdio.h>
#include <string.h>

#include "../ingest/jread.h"
#include "backup_file.h"
#include "cmd.h"
#include "db_backup.h"
#include "db_copy.h"
#include "db_migrate.h"
#include "up.h"

#define MAGIC "nsecwatch-backup 1\n"

struct restore {
	struct backup_reader *file;
	const char *path;
	struct arena *a;
	struct db *db;			/* NULL: only to be looked at */
	const char *made_at, *program;
	int64_t schema, tables, rows;
};

static int damaged(const struct restore *r, const char *what, struct err *err)
{
	return err_set(err, ERR_INVALID, "%s: it is damaged, or no backup: %s", r->path, what);
}

/* The next line as JSON; owner: the caller, jread_free(). */
static struct jnode *next_object(struct restore *r, struct err *err)
{
	struct jread_slice slice = { .line = 1 };
	struct jnode *root;
	bool syntax;

	if (backup_file_line(r->file, &slice.text, &slice.len, err))
		return NULL;
	if (jread_check_depth(&slice, 4, err) || !(root = jread_parse(&slice, &syntax, err))) {
		damaged(r, "a line between tables is no JSON", err);
		return NULL;
	}
	return root;
}

static const char **texts(struct restore *r, const struct jnode *list, size_t *n)
{
	const char **out;

	*n = jread_len(list);
	out = arena_array(r->a, const char *, *n + 1);
	for (size_t i = 0; i < *n; i++) {
		const char *s = jread_str(jread_at(list, i));

		out[i] = arena_strdup(r->a, s ? s : "");
	}
	return out;
}

static int read_begin(struct restore *r, struct err *err)
{
	const char *line, **months;
	struct jnode *root;
	size_t len, n;
	int ret = 0;

	if (backup_file_line(r->file, &line, &len, err))
		return -1;
	if (len != strlen(MAGIC) || memcmp(line, MAGIC, len))
		return err_set(err, ERR_INVALID, "%s: it does not begin as a backup of nsecwatchd does", r->path);
	root = next_object(r, err);
	if (!root)
		return -1;
	if (!jread_int(jread_get(root, "schema"), &r->schema) || r->schema < 1)
		ret = damaged(r, "it does not say of which schema it is", err);
	else if (r->schema > db_migrate_newest())
		ret = err_set(err, ERR_CONFLICT, "%s: it is of schema %lld, this program knows schemas up to %lld: restore it with the"
			      " nsecwatchd that made it, or a newer one", r->path, (long long)r->schema, (long long)db_migrate_newest());
	r->made_at = arena_strdup(r->a, jread_str(jread_get(root, "made_at")));
	r->program = arena_strdup(r->a, jread_str(jread_get(root, "program")));
	months = texts(r, jread_get(root, "months"), &n);
	jread_free(root);
	if (!ret && r->db)
		ret = db_backup_begin(r->db, r->schema, months, n, err);
	return ret;
}

/* Rows up to the line that ends them. */
static int read_rows(struct restore *r, int64_t *n, struct err *err)
{
	const char *line;
	size_t len;

	for (*n = 0;; (*n)++) {
		if (backup_file_line(r->file, &line, &len, err))
			return -1;
		if (!len)
			return damaged(r, "it ends within a table", err);
		if (len == 3 && !memcmp(line, "\\.\n", 3))
			return 0;
		if (r->db && db_copy_put(r->db, line, len, err))
			return -1;
	}
}

static int read_table(struct restore *r, const struct jnode *head, struct err *err)
{
	struct backup_table t = { .name = arena_strdup(r->a, jread_str(jread_get(head, "table"))) };
	struct jnode *tail;
	int64_t n;
	int ret;

	t.columns = texts(r, jread_get(head, "columns"), &t.n_columns);
	if (!t.name || !jread_int(jread_get(head, "sequence"), &t.sequence))
		return damaged(r, "a table has no name", err);
	if (r->db && db_backup_table(r->db, &t, err))
		return -1;
	if (read_rows(r, &n, err)) {
		if (r->db)
			db_copy_end(r->db, "the backup cannot be read", &n, err);
		return -1;
	}
	tail = next_object(r, err);
	if (!tail)
		return -1;
	ret = jread_int(jread_get(tail, "rows"), &t.rows) && t.rows == n ? 0 : damaged(r, "rows of a table are missing", err);
	jread_free(tail);
	r->tables++;
	r->rows += n;
	return ret || (r->db && db_backup_table_end(r->db, &t, err)) ? -1 : 0;
}

/* The last line says what all before it must be. */
static int read_end(struct restore *r, const struct jnode *end, struct err *err)
{
	const char *sum = jread_str(jread_get(end, "sha256"));
	int64_t tables, rows;
	char hex[65];

	backup_file_sum_before(r->file, hex);
	if (!sum || strcmp(sum, hex) != 0)
		return damaged(r, "its checksum is another", err);
	if (!jread_int(jread_get(end, "tables"), &tables) || tables != r->tables ||
	    !jread_int(jread_get(end, "rows"), &rows) || rows != r->rows)
		return damaged(r, "tables are missing", err);
	return 0;
}

static int read_all(struct db *db, void *arg, struct err *err)
{
	struct restore *r = arg;
	bool more = true;
	int ret = read_begin(r, err);

	while (!ret && more) {
		struct jnode *v = next_object(r, err);

		more = v && jread_get(v, "table");
		ret = !v ? -1 : more ? read_table(r, v, err) : read_end(r, v, err);
		jread_free(v);
	}
	return ret || (db && db_backup_finish(db, err)) ? -1 : 0;
}

int cmd_restore(const struct conf *conf, struct err *err)
{
	struct restore r = { .path = conf->file, .a = arena_new() };
	const char *conninfo = conf->db;
	int ret = -1;

	if (!conf->check_only && !conninfo && up_find_db(conf, &conninfo, err))
		goto out;
	r.file = backup_file_open(conf->file, err);
	if (!r.file)
		goto out;
	if (conf->check_only) {
		ret = read_all(NULL, &r, err);
	} else {
		r.db = db_new(conninfo, "nsecwatchd restore", 0);
		ret = db_connect(r.db, err) || db_backup_write(r.db, read_all, &r, err) ? -1 : 0;
	}
	if (!ret)
		printf("%s of %s, schema %lld: %lld rows of %lld tables %s\n", conf->file, r.made_at ? r.made_at : "unknown times",
		       (long long)r.schema, (long long)r.rows, (long long)r.tables,
		       conf->check_only ? "are whole" : "are restored; tokens are those of the backup");
out:
	db_free(r.db);
	backup_file_close(r.file);
	arena_free(r.a);
	return ret;
}
