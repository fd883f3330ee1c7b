/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inside of a parsed document, shared by jread.c, jread_quick.c and jread_careful.c only.
 * A document is one arena: nodes, texts, and the root with the arena's own address.
 */
#ifndef INGEST_JREAD_OWN_H
#define INGEST_JREAD_OWN_H

#include "jread.h"

struct jnode {
	const char *key;		/* as a member of an object */
	union {
		double num;
		int64_t i;
		const char *str;
		struct jnode *child;	/* of arrays and objects: n of them, one after the other, in their order */
	};
	uint32_t n;
	uint8_t type;			/* enum jread_type */
	bool is_int;			/* JREAD_NUMBER: i, else num */
	bool truth;			/* JREAD_BOOL */
};

struct jread_doc {
	struct jnode root;		/* first: what jread_free() gets */
	struct arena *arena;
};

#define JREAD_QUICK_DEPTH 64	/* it recurses; deeper ones are read carefully */

/*
 * Most documents, quickly. False for anything it is not sure of, good or bad, with the document to be thrown
 * away: that is the careful one's to judge. `stream` as for jread_stream(), or NULL.
 */
bool jread_quick_parse(const struct jread_slice *slice, const struct jread_stream *stream, struct jread_doc *doc);

/* Any document, by jansson, which also says what is wrong with a bad one. As jread_parse(). */
int jread_careful_parse(const struct jread_slice *slice, struct jread_doc *doc, bool *syntax, struct err *err);

#endif
