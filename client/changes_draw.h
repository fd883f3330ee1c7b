/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A series as text of at most 72 columns, with its changes between the rows. */
#ifndef CLIENT_CHANGES_DRAW_H
#define CLIENT_CHANGES_DRAW_H

#include "../lib/buf.h"
#include "changes_file.h"

void changes_draw(struct arena *a, struct buf *out, const struct changes_series *s, const struct change_list *l);
/* "+20 % [+19 %, +21 %]", or in words where the level before is 0 and the like. */
const char *changes_draw_step(struct arena *a, const struct change_found *f);

#endif
