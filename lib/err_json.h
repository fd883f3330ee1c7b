/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong with a document, as the API tells it: "problems":[{"at","message"}]. */
#ifndef LIB_ERR_JSON_H
#define LIB_ERR_JSON_H

#include "err.h"
#include "jsonw.h"

/* The member "problems" of an open object, and "problems_total" where more were found than are listed. */
void err_json_problems(struct jsonw *j, const struct err *err);

#endif
