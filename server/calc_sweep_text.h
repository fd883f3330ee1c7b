/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sweep as text of at most 72 columns and as a picture. */
#ifndef SERVER_CALC_SWEEP_TEXT_H
#define SERVER_CALC_SWEEP_TEXT_H

#include "../lib/buf.h"
#include "calc_sweep_sentence.h"

void calc_sweep_text(struct buf *out, struct arena *a, const struct sweep *s);
void calc_sweep_svg(struct buf *out, struct arena *a, const struct sweep *s);

#endif
