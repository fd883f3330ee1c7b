/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trend of more kernels than a picture has room for: what is drawn of each line stays, the rest goes. */
#ifndef SERVER_CALC_TREND_THIN_H
#define SERVER_CALC_TREND_THIN_H

#include "calc_trend.h"

#define TREND_THIN_LEAST 100

/*
 * Leaves each line of t at most `most` points (at least TREND_THIN_LEAST), and a few more that must stay: of as many
 * neighbours as share a place on the axis the lowest and the highest, the ends, and what changes and suspects are
 * about. Kernels without a point left go, and indexes follow. Returns whether any point went (s->left_out of a series).
 */
bool calc_trend_thin(struct arena *a, struct trend *t, size_t most);

#endif
