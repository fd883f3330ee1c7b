/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "detect_queue.h"

#include <string.h>

#define RUNS_MOST 5000		/* of one machine and kernel, checked together */

int detect_queue_list(struct detect_queue *q, struct db *db, struct arena *a, int most, struct db_unchecked **list,
		      size_t *n, struct err *err)
{
	int64_t left_out = (int64_t)q->n_left_out, waiting;

	if (db_alerts_waiting(db, DETECT_QUEUE_BEHIND + left_out, &waiting, err))
		return -1;
	q->behind = waiting - left_out > (q->behind ? DETECT_QUEUE_CAUGHT_UP : DETECT_QUEUE_BEHIND - 1);
	return db_alerts_unchecked(db, a, most, q->behind, q->left_out, q->n_left_out, list, n, err);
}

int detect_queue_turn(const struct detect_queue *q, struct db *db, struct arena *a, const struct db_unchecked *of,
		      struct detect_turn *out, struct err *err)
{
	const struct db_horizon here = { of->queued_at, of->run_id };

	db_set_horizon(db, q->behind ? NULL : &here);
	*out = (struct detect_turn){ .machine_id = of->machine_id, .kernel_id = of->kernel_id };
	if (q->behind)
		return db_alerts_unchecked_of(db, a, of, RUNS_MOST, q->left_out, q->n_left_out, &out->runs, &out->n, err);
	out->n = 1;
	out->runs = arena_array(a, struct uuid, 1);
	*out->runs = of->run_id;
	return 0;
}

void detect_queue_leave_out(struct detect_queue *q, const struct uuid *run_id)
{
	if (q->n_left_out == DETECT_QUEUE_LEFT_OUT)
		memmove(q->left_out, q->left_out + 1, --q->n_left_out * sizeof(q->left_out[0]));
	q->left_out[q->n_left_out++] = *run_id;
}
