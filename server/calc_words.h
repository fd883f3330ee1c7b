/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Series, their parameters and places in words: for texts and pictures, pages' and mails' alike. */
#ifndef SERVER_CALC_WORDS_H
#define SERVER_CALC_WORDS_H

#include "db_catalog.h"

const char *calc_words_base_page(struct arena *a, const struct cat_config *c);	/* "4"; NULL: unknown */
const char *calc_words_where(struct arena *a, const struct cat_series *s);	/* "milan-01 (epyc-milan, x86_64), THP always" */
const char *calc_words_metric(struct arena *a, const struct cat_series *s);	/* "mprotect/tw4m latency (ns/call, lower is better)" */
const char *calc_words_params(struct arena *a, const struct cat_series *s, const char *without);	/* "size_kib=4 threads=2" */

bool calc_words_is_time(const char *unit);	/* ns, ns/call, ...: what is slower or faster */
/* "slower", "worse", "higher": what a value that went up (or down) is. */
const char *calc_words_moved(const struct cat_metric *m, bool up);
/* As people write it: "v6.17-rc1", "6.17.0-0.rc1.17.eln150.x86_64", "v6.17-rc1 with cac1db8c3aad reverted". */
const char *calc_words_kernel(struct arena *a, const struct cat_kernel *k);

/* Machines whose figures nobody measured are named generated-*. */
bool calc_words_is_generated(const char *machine);
/* "Generated data: ...", a sentence for texts that show such a machine; NULL: all are real. */
const char *calc_words_generated(const char *const *machines, size_t n);

/* A parameter as an axis: "KiB" of size_kib ("" where the name says none), "size", "40 KiB". */
const char *calc_words_axis_unit(const char *name);
const char *calc_words_axis_head(struct arena *a, const char *name);
const char *calc_words_axis_value(struct arena *a, const char *name, const char *value);

#endif
