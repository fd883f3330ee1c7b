/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "4K..1G", "4K..1G*2", "4K,40K,400K": lists of sizes in binary units. */
#ifndef CLIENT_BENCH_SIZES_H
#define CLIENT_BENCH_SIZES_H

#include <stddef.h>

#include "../lib/arena.h"
#include "../lib/err.h"

#define BENCH_SIZE_MAX ((size_t)1 << 42)	/* 4 TiB */

/* Bytes, ascending, each once and a multiple of page (the base page). 0, or -1 and err. */
int bench_sizes(struct arena *a, const char *text, size_t page, size_t **sizes, size_t *n, struct err *err);

/* "4 KiB", "1 GiB"; in the arena. */
const char *bench_sizes_text(struct arena *a, size_t size);

#endif
