/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of ids as the database gives them. */
#ifndef LIB_IDS_H
#define LIB_IDS_H

#include <stddef.h>
#include <stdint.h>

/* Two int64_t, or structures that begin with one, for qsort() and bsearch(). */
int ids_compare(const void *a, const void *b);
/* Puts them into order, each once; returns how many are left. */
size_t ids_unique(int64_t *ids, size_t n);

#endif
