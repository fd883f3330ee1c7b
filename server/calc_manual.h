/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An alert that a person opens: of a benchmark between two kernels, with the rows that both have measured. */
#ifndef SERVER_CALC_MANUAL_H
#define SERVER_CALC_MANUAL_H

#include "calc_compare.h"
#include "db_events.h"
#include "db_triage.h"

struct manual {
	const char *who, *text;		/* text: why; or NULL */
	const struct cat_kernel *from, *to;
	const struct cat_benchmark *benchmark;
	bool regression;
	const struct selection *sel;	/* which series */
	bool has_key;
	struct uuid key;		/* the sender's own id of it */
	/* out */
	struct db_alert *alert;
	struct db_event *event;
	bool repeated;
};

/* ERR_CONFLICT: there is one of this range and direction. ERR_INVALID: kernels in no order, nothing measured on both. */
int calc_manual_open(struct catalog *c, struct db *db, struct arena *a, struct manual *m, struct err *err);

#endif
