/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mask.h"

#include <ctype.h>
#include <string.h>

#define PREFIX "nsw_"
#define PREFIX_LEN 4
#define LEAST 16	/* of 43: what is left out of a cut one cannot be guessed, nor can a name be mistaken for one */

static size_t run(const char *s, size_t n)
{
	size_t len = 0;

	while (len < n && (isalnum((unsigned char)s[len]) || s[len] == '_' || s[len] == '-'))
		len++;
	return len;
}

void mask_tokens(char *text, size_t n)
{
	char *end = text + n, *at;

	for (; (at = memmem(text, (size_t)(end - text), PREFIX, PREFIX_LEN)); ) {
		size_t len;

		text = at + PREFIX_LEN;
		len = run(text, (size_t)(end - text));
		if (len >= LEAST)
			memset(text, '*', len);
		text += len;
	}
}
