/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What looks like an access token, wherever somebody put it, is none of a log's or an answer's business. */
#ifndef LIB_MASK_H
#define LIB_MASK_H

#include <stddef.h>

/* Writes '*' over what follows "nsw_" where that is long enough to be worth something, in n bytes of text. */
void mask_tokens(char *text, size_t n);

#endif
