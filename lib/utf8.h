/* SPDX-License-Identifier: GPL-2.0-or-later */
/* UTF-8 as RFC 3629 has it: shortest forms only, no surrogates, nothing above U+10FFFF. */
#ifndef LIB_UTF8_H
#define LIB_UTF8_H

#include <stddef.h>

#include "buf.h"

/* Bytes of the character at s, of which n bytes are there; 0: what stands there is no UTF-8. */
size_t utf8_char(const char *s, size_t n);

/* How many bytes from the start are UTF-8: n when all are. */
size_t utf8_good(const char *s, size_t n);

/*
 * Adds s with each letter as its small one, of every script, by itself: none depends on those around it. Blanks, of
 * other widths, too, become ' '. Bytes that are no UTF-8 stay. static/compare_rows.js does the same.
 */
void utf8_plain(struct buf *out, const char *s);

#endif
