/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sweep in sentences, as text of at most 72 columns and as a picture. */
#ifndef SERVER_CALC_SWEEP_TEXT_H
#define SERVER_CALC_SWEEP_TEXT_H

#include "../lib/buf.h"
#include "calc_sweep.h"

/*
 * Facts as one sentence: "6.17-rc1 is slower than 6.16 from 40 KiB up, by +14 % .. +150 %:
 * per page +150 %, fixed cost +1.5 %."
 */
const char *calc_sweep_sentence(struct arena *a, const struct sweep *s, const struct sweep_ratio *r);
/* All sentences of the one group there is; NULL with several groups, or none. */
const char *calc_sweep_sentences(struct arena *a, const struct sweep *s);
/* The ratio of the kernel that r's kernel is a variant of, in the same group; NULL: none. */
const struct sweep_ratio *calc_sweep_fixes(const struct sweep *s, const struct sweep_ratio *r);

void calc_sweep_text(struct buf *out, struct arena *a, const struct sweep *s);
void calc_sweep_svg(struct buf *out, struct arena *a, const struct sweep *s);

#endif
