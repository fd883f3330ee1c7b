/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as text: the shortest decimal that reads back the same, and strict reading. Locale-free. */
#ifndef LIB_NUM_H
#define LIB_NUM_H

#include <stddef.h>
#include <stdint.h>

#define NUM_MAX 32	/* bytes num_format() may need, with the NUL */

/* Writes finite d so that strtod() gives d again, in as few digits as do that; valid JSON. Returns the length. */
int num_format(char out[NUM_MAX], double d);
int num_format_i64(char out[NUM_MAX], int64_t i);

/* The whole of s (n bytes) as a finite decimal number, no blanks, no hex, no inf/nan: 0, or -1. */
int num_parse(const char *s, size_t n, double *d);
int num_parse_i64(const char *s, size_t n, int64_t *i);

#endif
