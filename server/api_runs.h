/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The run that an address names, and how two of them differ. */
#ifndef SERVER_API_RUNS_H
#define SERVER_API_RUNS_H

#include "../lib/jsonw.h"
#include "db_runs.h"
#include "web.h"

/* The id that {id} means, whole or its beginning. ERR_NOT_FOUND: none, or several begin so. */
int api_runs_id(const struct req *rq, struct uuid *id, struct err *err);
/* The same for an id that an argument gives. */
int api_runs_id_of(const struct req *rq, const char *given, struct uuid *id, struct err *err);
/* By {id}, whole or its beginning. ERR_NOT_FOUND. Refreshes the catalogue. */
int api_runs_find(struct req *rq, struct run **run, struct err *err);
/*
 * What two runs ran on, where it differs, as the object of /runs/{id}/diff; or in words, a line for each difference (returns how many).
 * Their headers are enough. Under the catalogue's lock.
 */
void api_runs_diff_json(struct req *rq, struct jsonw *j, const struct run *run, const struct run *against);
size_t api_runs_diff_para(struct req *rq, const struct run *run, const struct run *against);
/*
 * The run that its machine started before it: in the same THP mode and base page where there is one, as these bring differences of
 * their own; else in any. *before NULL: none.
 */
int api_runs_before(struct req *rq, const struct run *run, struct run **before, struct err *err);
/* What GET /runs/{id}/verdict answers at once and without reasons, a JSON object, in `out`. Takes the catalogue's lock. */
int api_runs_judged(struct req *rq, const struct run *run, struct buf *out, struct err *err);

#endif
