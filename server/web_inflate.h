/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bodies that come compressed (Content-Encoding: gzip, zstd), under a cap on what they become. */
#ifndef SERVER_WEB_INFLATE_H
#define SERVER_WEB_INFLATE_H

#include "../lib/buf.h"
#include "../lib/err.h"

/*
 * Appends the body to `out`. coding NULL or "identity": *plain is set and nothing is done.
 * -1: ERR_TYPE (another coding), ERR_TOO_LARGE, ERR_BAD_JSON (not what it says to be).
 */
int web_inflate(const char *coding, const char *body, size_t len, size_t most, bool *plain, struct buf *out,
		struct err *err);

#endif
