/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_change.h"

#include <math.h>

struct db_change calc_change_of(const struct compare *cmp, const struct compare_row *row)
{
	return (struct db_change){
		.series_id = row->series->id,
		.from_kernel_id = cmp->base->id,
		.to_kernel_id = cmp->head->id,
		.from_center = row->base.center,
		.to_center = row->head.center,
		.percent = row->change_percent,
		.verdict = calc_compare_verdict_word(row->verdict),
		.confidence = calc_compare_confidence_word(row->confidence),
		.q = row->tested ? row->q : NAN,
		.from_boots = row->base.boots,
		.to_boots = row->head.boots,
	};
}
