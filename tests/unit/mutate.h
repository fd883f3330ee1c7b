/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small random changes to a text, the same in every run: for tests that readers survive what they refuse. */
#ifndef TESTS_MUTATE_H
#define TESTS_MUTATE_H

#include <stdlib.h>
#include <string.h>

static unsigned mutate_seed = 20260213;

static void mutate(char *s, size_t size, const char *bytes)
{
	size_t n = strlen(s), at = n ? (size_t)rand_r(&mutate_seed) % n : 0;

	switch (rand_r(&mutate_seed) % 4) {
	case 0: /* put */
		if (n + 2 < size) {
			memmove(s + at + 1, s + at, n - at + 1);
			s[at] = bytes[(size_t)rand_r(&mutate_seed) % strlen(bytes)];
		}
		break;
	case 1: /* take */
		if (n)
			memmove(s + at, s + at + 1, n - at);
		break;
	case 2: /* change */
		if (n)
			s[at] = bytes[(size_t)rand_r(&mutate_seed) % strlen(bytes)];
		break;
	default: /* cut, or double a piece */
		if (rand_r(&mutate_seed) % 2)
			s[at] = 0;
		else if (n + (n - at) + 1 < size)
			memcpy(s + n, s + at, n - at), s[n + n - at] = 0;
	}
}

#endif
