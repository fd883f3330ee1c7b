/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file of a backup: one zstd frame (with its checksum) of lines, so that `zstdcat` and psql read it without us:
 *
 *	nsecwatch-backup 1
 *	{"program":"...","made_at":"...","schema":20,"months":["2026-02-01"]}
 *	{"table":"run","sequence":0,"columns":["run_id",...]}
 *	rows as COPY writes them in its text format
 *	\.
 *	{"rows":123}
 *	...
 *	{"tables":28,"rows":4567,"sha256":"of all bytes before this line"}
 *
 * Neither side holds more than a row.
 */
#ifndef SERVER_BACKUP_FILE_H
#define SERVER_BACKUP_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "../lib/err.h"

struct backup_writer;

/*
 * path "-": stdout. Else a new file beside it, that takes its place (atomically, and not before it is on the disk) at
 * _commit(). NULL: err names the file.
 */
struct backup_writer *backup_file_create(const char *path, struct err *err);
int backup_file_write(struct backup_writer *w, const void *p, size_t n, struct err *err);
void backup_file_sum(struct backup_writer *w, char hex[65]);		/* SHA-256 of all that was written */
int backup_file_commit(struct backup_writer *w, int64_t *bytes, struct err *err);	/* *bytes: of the file */
void backup_file_discard(struct backup_writer *w);			/* accepts NULL; after _commit(), too */

struct backup_reader;

struct backup_reader *backup_file_open(const char *path, struct err *err);	/* "-": stdin */
/* The next line with its end, good until the next call; *len 0: the file's end. -1: it is damaged, or cut short. */
int backup_file_line(struct backup_reader *r, const char **line, size_t *len, struct err *err);
void backup_file_sum_before(struct backup_reader *r, char hex[65]);	/* of all lines before the last one */
void backup_file_close(struct backup_reader *r);			/* accepts NULL */

#endif
