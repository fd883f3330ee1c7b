/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a sweep says, in sentences made of its facts and verdicts: one builder for the API, the pages and mails. */
#ifndef SERVER_CALC_SWEEP_SENTENCE_H
#define SERVER_CALC_SWEEP_SENTENCE_H

#include "calc_sweep.h"

/* "v6.17-rc1 is slower than v6.16 from 40 KiB up, by +14 % .. +150 %." */
const char *calc_sweep_sentence_statement(struct arena *a, const struct sweep *s, const struct sweep_ratio *r);

/*
 * Which cost it is; "" where there is no fit:
 * "Per page: 17.02 -> 42.51 ns (+150 %, strong); fixed cost: no change shown (+1.5 %)."
 * Of a variant of a kernel that is there too: "With cac1db8c3aad reverted +18.8 % per page
 * remains (17.02 -> 20.22 ns, strong), 87 % of the change is brought back; fixed cost: ..."
 */
const char *calc_sweep_sentence_cost(struct arena *a, const struct sweep *s, const struct sweep_ratio *r);

/* Both; of a variant whose base is there too only what it costs, if there is a fit. */
const char *calc_sweep_sentence(struct arena *a, const struct sweep *s, const struct sweep_ratio *r);
/* All sentences of the one group there is; NULL with several groups, or none. */
const char *calc_sweep_sentences(struct arena *a, const struct sweep *s);

/* "+150 %", "+14 %", "+1.5 %", and a place on the axis: "40 KiB". */
const char *calc_sweep_sentence_percent(struct arena *a, double percent);
const char *calc_sweep_sentence_x(struct arena *a, const struct sweep *s, double x);

#endif
