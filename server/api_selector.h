/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Selectors and kernels in bodies: {"machine": ["milan-*"], "param.size_kib": "400"}; a wrong one is the document's fault. */
#ifndef SERVER_API_SELECTOR_H
#define SERVER_API_SELECTOR_H

#include "api_body.h"
#include "calc_select.h"

/*
 * The object `key` as arguments of a selection (none where it is not there). benchmark: one more that goes
 * with them, or NULL. What is no selector, or has an empty list, is a problem of the body.
 */
void api_selector_read(struct api_body *b, const char *key, const char *benchmark, struct select_arg **args, size_t *n);
/* The same as canonical JSON, as rules keep it; "{}" where it is not there. */
const char *api_selector_text(struct api_body *b, const char *key);

/* Resolved; ERR_INVALID where a name is not known. */
int api_selector_series(struct req *rq, const struct select_arg *args, size_t n, struct selection *sel, struct err *err);
int api_selector_kernel(struct req *rq, const char *key, const char *name, const struct cat_kernel **k, struct err *err);

#endif
