/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SERVER_API_SWEEP_H
#define SERVER_API_SWEEP_H

#include "web.h"

/* One parameter as axis. */
int api_sweep(struct req *rq, struct err *err);

#endif
