/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ids.h"

#include <stdlib.h>

int ids_compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

size_t ids_unique(int64_t *ids, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(ids, n, sizeof(*ids), ids_compare);
	for (size_t i = 0; i < n; i++)
		if (!kept || ids[kept - 1] != ids[i])
			ids[kept++] = ids[i];
	return kept;
}
