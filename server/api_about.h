/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the answers about one machine, kernel or benchmark share. */
#ifndef SERVER_API_ABOUT_H
#define SERVER_API_ABOUT_H

#include "../lib/jsonw.h"
#include "../lib/tm.h"
#include "calc_alert.h"
#include "db_about.h"
#include "web.h"

void api_about_time(struct jsonw *j, const char *key, int64_t at);	/* TM_NONE: null */
/* For a cell: whole, or as text to the minute. In `out`. */
const char *api_about_when(const struct req *rq, int64_t at, char out[TM_TEXT]);
/* "alerts": those of them that pick() takes (NULL: all). */
typedef bool (*api_about_pick)(const struct calc_alert *al, const void *arg);
int api_about_alerts(struct req *rq, struct jsonw *j, const struct db_alert *list, size_t n, api_about_pick pick,
		     const void *arg, struct err *err);
/* "aliases": NULL-terminated, or NULL. */
void api_about_aliases(struct jsonw *j, const char *const *aliases);
/* A run as these lists have it; names from the catalogue. False, and nothing written: it is newer than the catalogue. */
bool api_about_run(struct req *rq, struct jsonw *j, const struct about_run *r);
/* Where the id of the address is no name of these ("machine", "benchmark"): not found, with the nearest. Returns -1. */
int api_about_unknown(struct req *rq, const char *what, struct err *err);
/* Of the id of an address: what it should have been is no bad argument, but not there. Returns -1. */
int api_about_missing(struct err *err);

#endif
