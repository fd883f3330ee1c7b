/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The run that an address names. */
#ifndef SERVER_API_RUNS_H
#define SERVER_API_RUNS_H

#include "web.h"

/* The id that {id} means, whole or its beginning. ERR_NOT_FOUND: none, or several begin so. */
int api_runs_id(const struct req *rq, struct uuid *id, struct err *err);
/* The same for an id that an argument gives. */
int api_runs_id_of(const struct req *rq, const char *given, struct uuid *id, struct err *err);
/* By {id}, whole or its beginning. ERR_NOT_FOUND. Refreshes the catalogue. */
int api_runs_find(struct req *rq, struct run **run, struct err *err);

#endif
