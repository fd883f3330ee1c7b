/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The run that an address names. */
#ifndef SERVER_API_RUNS_H
#define SERVER_API_RUNS_H

#include "web.h"

/* By {id}, whole or its beginning. ERR_NOT_FOUND. Refreshes the catalogue. */
int api_runs_find(struct req *rq, struct run **run, struct err *err);

#endif
