/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What labs are expected to send, and what they did send last. */
#ifndef SERVER_DB_EXPECTATIONS_H
#define SERVER_DB_EXPECTATIONS_H

#include "db_alerts.h"

struct db_expectation {
	int64_t id, machine_id;
	const char *benchmark;		/* a glob */
	int64_t interval_s;
	const char *note, *author;	/* note: or NULL */
	int64_t created_at;
	bool silent;			/* there is an alert of it */
	struct uuid alert_id;
};

int db_expectations_list(struct db *db, struct arena *a, struct db_expectation **list, size_t *n, struct err *err);
int db_expectations_add(struct db *db, struct db_expectation *e, struct err *err);	/* sets id, created_at */
int db_expectations_delete(struct db *db, int64_t id, struct err *err);
/* alert_id NULL: the silence is over. */
int db_expectations_set_alert(struct db *db, int64_t id, const struct uuid *alert_id, struct err *err);

/* The last run of these benchmarks on the machine. at TM_NONE: there is none. */
struct db_last_run {
	int64_t at, kernel_id, benchmark_id;
};
int db_expectations_last(struct db *db, int64_t machine_id, const int64_t *benchmark_ids, size_t n,
			 struct db_last_run *last, struct err *err);
/* An alert of a silence. */
int db_expectations_alert(struct db *db, struct db_alert *alert, struct err *err);

#endif
