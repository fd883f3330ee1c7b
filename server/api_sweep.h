/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SERVER_API_SWEEP_H
#define SERVER_API_SWEEP_H

#include "../lib/jsonw.h"
#include "calc_sweep.h"
#include "web.h"

/* One parameter as axis. */
int api_sweep(struct req *rq, struct err *err);

/* An element of ratios[]. */
void api_sweep_ratio(struct jsonw *j, struct arena *a, const struct sweep *s, const struct sweep_ratio *r, bool explain);

#endif
