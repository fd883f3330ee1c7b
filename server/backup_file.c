/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backup_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <nettle/sha2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "../lib/buf.h"
#include "../lib/ident.h"
#include "../lib/must.h"

#define LEVEL 3
#define LINE_MOST ((size_t)1 << 30)	/* PostgreSQL has no longer rows */

struct backup_writer {
	char *path, *part;		/* part: where it grows; NULL on stdout */
	int fd;
	ZSTD_CStream *zstd;
	struct sha256_ctx sum;
	char *out;
	size_t out_size;
	int64_t bytes;
};

static int failed(const char *path, struct err *err)
{
	return err_set(err, ERR_SETUP, "%s: %s", path, strerror(errno));
}

struct backup_writer *backup_file_create(const char *path, struct err *err)
{
	struct backup_writer *w = calloc(1, sizeof(*w));

	must(w != NULL);
	w->path = strdup(path);
	must(w->path != NULL);
	w->fd = STDOUT_FILENO;
	if (strcmp(path, "-") != 0) {
		must(asprintf(&w->part, "%s.part", path) > 0);
		/* token hashes and all bodies are in it: for its owner alone */
		w->fd = open(w->part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		if (w->fd < 0) {
			failed(w->part, err);
			backup_file_discard(w);
			return NULL;
		}
	}
	w->zstd = ZSTD_createCStream();
	must(w->zstd != NULL);
	must(!ZSTD_isError(ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, LEVEL)));
	must(!ZSTD_isError(ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1)));
	w->out_size = ZSTD_CStreamOutSize();
	w->out = malloc(w->out_size);
	must(w->out != NULL);
	sha256_init(&w->sum);
	return w;
}

static int write_all(struct backup_writer *w, const char *p, size_t n, struct err *err)
{
	w->bytes += (int64_t)n;
	while (n) {
		ssize_t did = write(w->fd, p, n);

		if (did < 0 && errno == EINTR)
			continue;
		if (did < 0)
			return failed(w->part ? w->part : "standard output", err);
		p += did;
		n -= (size_t)did;
	}
	return 0;
}

/* Compresses, and writes what comes out of it; *left: what zstd still has in it. */
static int compress(struct backup_writer *w, ZSTD_inBuffer *in, ZSTD_EndDirective how, size_t *left, struct err *err)
{
	ZSTD_outBuffer out = { w->out, w->out_size, 0 };

	*left = ZSTD_compressStream2(w->zstd, &out, in, how);
	must(!ZSTD_isError(*left));
	return write_all(w, w->out, out.pos, err);
}

int backup_file_write(struct backup_writer *w, const void *p, size_t n, struct err *err)
{
	ZSTD_inBuffer in = { p, n, 0 };
	size_t left;

	sha256_update(&w->sum, n, p);
	while (in.pos < in.size)
		if (compress(w, &in, ZSTD_e_continue, &left, err))
			return -1;
	return 0;
}

static void sum_so_far(const struct sha256_ctx *sum, char hex[65])
{
	struct sha256_ctx copy = *sum;
	uint8_t digest[32];

	sha256_digest(&copy, sizeof(digest), digest);
	hex_format(digest, sizeof(digest), hex);
}

void backup_file_sum(struct backup_writer *w, char hex[65])
{
	sum_so_far(&w->sum, hex);
}

/* A new name is on the disk when its folder is. */
static int sync_folder(const char *path, struct err *err)
{
	char *copy = strdup(path);
	int fd, ret = 0;

	must(copy != NULL);
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fsync(fd))
		ret = failed(path, err);
	if (fd >= 0)
		close(fd);
	free(copy);
	return ret;
}

int backup_file_commit(struct backup_writer *w, int64_t *bytes, struct err *err)
{
	ZSTD_inBuffer in = { NULL, 0, 0 };
	size_t left;
	int fd;

	do {
		if (compress(w, &in, ZSTD_e_end, &left, err))
			return -1;
	} while (left);
	*bytes = w->bytes;
	if (!w->part)
		return 0;
	if (fsync(w->fd))
		return failed(w->part, err);
	fd = w->fd;
	w->fd = -1;
	if (close(fd))
		return failed(w->part, err);
	if (rename(w->part, w->path))
		return failed(w->path, err);
	free(w->part);
	w->part = NULL;
	return sync_folder(w->path, err);
}

void backup_file_discard(struct backup_writer *w)
{
	if (!w)
		return;
	if (w->part) {
		if (w->fd >= 0)
			close(w->fd);
		unlink(w->part);
		free(w->part);
	}
	ZSTD_freeCStream(w->zstd);
	free(w->out);
	free(w->path);
	free(w);
}

/* ---- reading ---- */

struct backup_reader {
	char *path;
	FILE *f;
	ZSTD_DStream *zstd;
	struct sha256_ctx sum;		/* of all lines but the last one */
	char *in, *out;
	size_t in_size, out_size;
	ZSTD_inBuffer input;
	size_t at, end;			/* of out: what was not given yet */
	bool whole;			/* the frame has ended */
	struct buf line;
};

struct backup_reader *backup_file_open(const char *path, struct err *err)
{
	struct backup_reader *r = calloc(1, sizeof(*r));

	must(r != NULL);
	buf_init(&r->line);
	r->path = strdup(strcmp(path, "-") != 0 ? path : "standard input");
	must(r->path != NULL);
	r->f = strcmp(path, "-") != 0 ? fopen(path, "re") : stdin;
	if (!r->f) {
		failed(path, err);
		backup_file_close(r);
		return NULL;
	}
	r->zstd = ZSTD_createDStream();
	must(r->zstd != NULL);
	r->in_size = ZSTD_DStreamInSize();
	r->out_size = ZSTD_DStreamOutSize();
	r->in = malloc(r->in_size);
	r->out = malloc(r->out_size);
	must(r->in && r->out);
	sha256_init(&r->sum);
	return r;
}

void backup_file_close(struct backup_reader *r)
{
	if (!r)
		return;
	if (r->f && r->f != stdin)
		fclose(r->f);
	ZSTD_freeDStream(r->zstd);
	buf_fini(&r->line);
	free(r->in);
	free(r->out);
	free(r->path);
	free(r);
}

/* More bytes into out; none where the frame has ended. */
static int fill(struct backup_reader *r, struct err *err)
{
	r->at = r->end = 0;
	while (!r->end && !r->whole) {
		ZSTD_outBuffer out = { r->out, r->out_size, 0 };
		size_t left;

		if (r->input.pos == r->input.size) {
			r->input = (ZSTD_inBuffer){ r->in, fread(r->in, 1, r->in_size, r->f), 0 };
			if (ferror(r->f))
				return failed(r->path, err);
			if (!r->input.size)
				return err_set(err, ERR_INVALID, "%s: it is cut short", r->path);
		}
		left = ZSTD_decompressStream(r->zstd, &out, &r->input);
		if (ZSTD_isError(left))
			return err_set(err, ERR_INVALID, "%s: it is damaged, or no backup: %s", r->path, ZSTD_getErrorName(left));
		r->end = out.pos;
		r->whole = left == 0;
	}
	return 0;
}

int backup_file_line(struct backup_reader *r, const char **line, size_t *len, struct err *err)
{
	const char *end = NULL;

	sha256_update(&r->sum, r->line.len, (const uint8_t *)r->line.p);
	buf_clear(&r->line);
	while (!end) {
		size_t n;

		if (r->at == r->end && fill(r, err))
			return -1;
		if (r->at == r->end)
			break;
		end = memchr(r->out + r->at, '\n', r->end - r->at);
		n = end ? (size_t)(end + 1 - (r->out + r->at)) : r->end - r->at;
		if (r->line.len + n > LINE_MOST)
			return err_set(err, ERR_INVALID, "%s: a line is longer than a row can be: it is no backup", r->path);
		buf_add(&r->line, r->out + r->at, n);
		r->at += n;
	}
	*line = r->line.p;
	*len = r->line.len;
	return 0;
}

void backup_file_sum_before(struct backup_reader *r, char hex[65])
{
	sum_so_far(&r->sum, hex);
}
