/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading YAML: the one narrow interface between the readers of ingest/ and libyaml. A
 * document becomes a small tree in the arena. Tags mean nothing and all scalars are
 * text; anchors and aliases are refused (a few lines of them make gigabytes).
 */
#ifndef INGEST_YREAD_H
#define INGEST_YREAD_H

#include <stdbool.h>
#include <stddef.h>

#include "../lib/arena.h"
#include "../lib/err.h"

#define YREAD_NODES_MAX 500000

enum yread_type { YREAD_TEXT, YREAD_LIST, YREAD_MAP };

struct ynode {
	enum yread_type type;
	size_t line;			/* from 1 */
	const char *text;		/* of YREAD_TEXT, without its quotes; "" when empty */
	bool quoted;			/* '1.10' is a text, 1.10 may be a number */
	const char **keys;		/* of YREAD_MAP, one an item */
	struct ynode **items;
	size_t n, cap;
};

/* The only document of a text. NULL with ERR_INVALID and the line. */
struct ynode *yread(struct arena *a, const char *text, size_t len, size_t depth_max, struct err *err);

/* The item of a map; NULL: no map, or not there. */
const struct ynode *yread_get(const struct ynode *map, const char *key);

/* Its text; NULL where it is no text, or not there. */
const char *yread_text(const struct ynode *map, const char *key);

#endif
