/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parameters of a result in words, as the server's tables have them. */
#ifndef CLIENT_PARAMS_H
#define CLIENT_PARAMS_H

#include "../ingest/jread.h"
#include "../lib/arena.h"

/* {"size_kib":400}: "400 KiB"; of several, or of one whose name says no unit, "size_kib=400 threads=2". In the arena. */
const char *params_text(struct arena *a, const struct jnode *object);

#endif
