/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "detect_range.h"

int detect_range_order(const struct cat_kernel *x, const struct cat_kernel *y)
{
	return kernel_compare_keys(x->key, x->key_len, y->key, y->key_len);
}

bool detect_range_overlap(const struct detect_range *x, const struct detect_range *y)
{
	return detect_range_order(x->from, y->to) < 0 && detect_range_order(y->from, x->to) < 0;
}

int detect_range_find(const struct detect_range *ranges, size_t n, const struct detect_range *step)
{
	int best = -1;

	for (size_t i = 0; i < n; i++) {
		int order;

		if (!detect_range_overlap(&ranges[i], step))
			continue;
		order = best < 0 ? -1 : detect_range_order(ranges[i].to, ranges[best].to);
		if (!order)
			order = detect_range_order(ranges[i].from, ranges[best].from);
		if (order < 0)
			best = (int)i;
	}
	return best;
}

struct detect_range detect_range_narrowed(const struct detect_range *x, const struct detect_range *y)
{
	return (struct detect_range){
		.from = detect_range_order(x->from, y->from) < 0 ? y->from : x->from,
		.to = detect_range_order(x->to, y->to) > 0 ? y->to : x->to,
	};
}
