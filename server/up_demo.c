/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "up_demo.h"

#include <string.h>

#include "../ingest/read.h"
#include "../lib/tm.h"
#include "db_catalog.h"
#include "db_runs.h"
#include "embed.h"

struct loader {
	struct db *db;
	struct catalog *catalog;
	struct run_writer *writer;
	struct arena *arena;
	int *stored;
};

/* The first thing wrong with a submission, for a message of one line. */
static int refused(const struct read_item *item, struct err *err)
{
	const struct problems *p = item->err.problems;

	if (p && p->n)
		return err_set(err, ERR_BUG, "%s: %s", p->list[0].at, p->list[0].message);
	return err_set(err, ERR_BUG, "%s", item->err.message);
}

static int store(struct loader *l, const struct read_item *item, struct err *err)
{
	struct run_write w = {
		.sub = item->sub, .raw = item->raw, .raw_len = item->raw_len, .raw_type = "application/json",
	};

	if (!item->sub)
		return refused(item, err);
	db_runs_write(l->writer, l->db, l->arena, &w);
	if (w.outcome == WRITE_FAILED) {
		*err = w.err;
		return -1;
	}
	if (w.outcome == WRITE_STORED)
		++*l->stored;
	/* WRITE_CONFLICT: a demo of an older version is there; it stays */
	return 0;
}

static int load_file(struct loader *l, const struct embed_file *file, struct err *err)
{
	struct read_context context = { .now = tm_now_usec() };
	struct read_result all;

	arena_reset(l->arena);
	if (read_body(l->arena, (const char *)file->data, file->len, &context, &all, err))
		return err_prefix(err, "demo/%s", file->path);
	for (size_t i = 0; i < all.n; i++)
		if (store(l, &all.items[i], err))
			return err_prefix(err, "demo/%s, submission %zu", file->path, i);
	return 0;
}

int up_demo_load(struct db *db, int *stored, struct err *err)
{
	struct loader l = { .db = db, .catalog = db_catalog_new(), .arena = arena_new(), .stored = stored };
	int ret;

	l.writer = db_runs_writer_new(l.catalog);
	*stored = 0;
	ret = db_catalog_refresh(l.catalog, db, err);
	for (const struct embed_file *f = embed_demo; !ret && f->path; f++) {
		size_t len = strlen(f->path);

		if (len > 5 && !strcmp(f->path + len - 5, ".json"))
			ret = load_file(&l, f, err);
	}
	db_runs_writer_free(l.writer);
	db_catalog_free(l.catalog);
	arena_free(l.arena);
	return ret;
}
