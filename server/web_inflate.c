/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "web_inflate.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>
#include <zstd.h>

#include "../lib/must.h"

#define STEP (64 * 1024)
#define ZSTD_WINDOW_LOG 23	/* 8 MiB: what RFC 8878 asks a decoder to have */

static int too_large(size_t most, struct err *err)
{
	return err_set(err, ERR_TOO_LARGE, "the body is larger than %zu KiB when unpacked", most / 1024);
}

static int gunzip(const char *body, size_t len, size_t most, struct buf *out, struct err *err)
{
	z_stream z = { 0 };
	int ret = Z_OK;

	must(inflateInit2(&z, 15 + 16) == Z_OK);
	z.next_in = (Bytef *)(uintptr_t)body;
	z.avail_in = (uInt)len;
	while (ret == Z_OK && out->len <= most) {
		z.next_out = (Bytef *)buf_reserve(out, STEP);
		z.avail_out = STEP;
		ret = inflate(&z, Z_NO_FLUSH);
		out->len += STEP - z.avail_out;
		out->p[out->len] = 0;
		if (ret == Z_STREAM_END && z.avail_in)	/* members may follow one another */
			ret = inflateReset(&z);
	}
	inflateEnd(&z);
	if (out->len > most)
		return too_large(most, err);
	if (ret != Z_STREAM_END)
		return err_set(err, ERR_BAD_JSON, "Content-Encoding: the body is no whole gzip file");
	return 0;
}

static int unzstd(const char *body, size_t len, size_t most, struct buf *out, struct err *err)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_inBuffer in = { .src = body, .size = len };
	size_t left = 1;

	must(z != NULL);
	ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG);
	while (out->len <= most) {
		ZSTD_outBuffer to = { .dst = buf_reserve(out, STEP), .size = STEP };
		size_t taken = in.pos;

		left = ZSTD_decompressStream(z, &to, &in);
		if (ZSTD_isError(left))
			break;
		out->len += to.pos;
		out->p[out->len] = 0;
		if (in.pos == in.size && (!left || !to.pos))
			break;
		if (in.pos == taken && !to.pos)
			break;
	}
	ZSTD_freeDStream(z);
	if (out->len > most)
		return too_large(most, err);
	if (left)
		return err_set(err, ERR_BAD_JSON, "Content-Encoding: the body is no whole zstd file");
	return 0;
}

int web_inflate(const char *coding, const char *body, size_t len, size_t most, bool *plain, struct buf *out,
		struct err *err)
{
	*plain = !coding || !strcasecmp(coding, "identity");
	if (*plain)
		return 0;
	if (!strcasecmp(coding, "gzip") || !strcasecmp(coding, "x-gzip"))
		return gunzip(body, len, most, out, err);
	if (!strcasecmp(coding, "zstd"))
		return unzstd(body, len, most, out, err);
	return err_set(err, ERR_TYPE, "Content-Encoding %.40s: gzip or zstd is taken", coding);
}
