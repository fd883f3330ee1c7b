/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One sentence of facts about a comparison: how many cells changed, and what those have in common that others lack. */
#ifndef SERVER_CALC_FACTS_H
#define SERVER_CALC_FACTS_H

#include "calc_compare.h"

/*
 * "42 of 96 cells regress, all at size >= 400 KiB and with THP never; 12 improve, all with THP always." A cell is a
 * row. Without any noise estimate: what went which way by number, and that it is unproven. In plain characters; in `a`.
 */
const char *calc_facts(struct arena *a, const struct compare *c);

#endif
