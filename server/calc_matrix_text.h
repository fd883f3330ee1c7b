/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SERVER_CALC_MATRIX_TEXT_H
#define SERVER_CALC_MATRIX_TEXT_H

#include "../lib/buf.h"
#include "calc_matrix.h"

/* As text of at most 72 columns; rows and cols: the names of the dimensions. */
void calc_matrix_text(struct buf *out, struct arena *a, const struct matrix *m, const char *rows, const char *cols);

#endif
