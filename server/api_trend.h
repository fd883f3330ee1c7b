/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trend as a resource, as text and as a picture. */
#ifndef SERVER_API_TREND_H
#define SERVER_API_TREND_H

#include "calc_trend.h"
#include "web.h"

int api_trend(struct req *rq, struct err *err);

void api_trend_text(struct buf *out, struct arena *a, const struct trend *t);
void api_trend_svg(struct buf *out, struct arena *a, const struct trend *t);

#endif
