/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A selector that is kept (of a rule, a mute, an expectation): {"benchmark": ["mm/..."], "machine": "milan-*"}, resolved. */
#ifndef SERVER_CALC_SELECTOR_H
#define SERVER_CALC_SELECTOR_H

#include "calc_select.h"

struct calc_selector {
	bool everything;		/* it selects nothing in particular */
	struct selection sel;		/* else these */
};

/* -1: it is none. Values that name nothing (yet) select nothing. */
int calc_selector_resolve(struct calc_selector *s, const char *json, struct catalog *c, struct arena *a, struct err *err);
/* Whether a series is selected; track: of the kernel it is about, or NULL for any. */
bool calc_selector_has(const struct calc_selector *s, const struct cat_series *series, const char *track);

#endif
