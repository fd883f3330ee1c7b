/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_overview.h"

#include "../lib/tm.h"
#include "db_seen_sql.h"
#include "db_united.h"

int db_overview_has_runs(struct db *db, int64_t kernel_id, bool *any, struct err *err)
{
	static const struct stmt has = { "overview_has_runs", "SELECT true FROM run WHERE kernel_id = $1 LIMIT 1" };
	struct db_rows *rows;

	if (db_query(db, &has, DB_ARGS(db_arg_i64(kernel_id)), &rows, err))
		return -1;
	*any = db_rows_count(rows) > 0;
	db_rows_free(rows);
	return 0;
}

int db_overview_counts(struct db *db, struct arena *a, const int64_t *kernel_ids, size_t n_kernels,
		       struct overview_count **list, size_t *n, struct err *err)
{
	static const struct stmt counts = {
		"overview_counts", "SELECT kernel_id, machine_id, count(*) FROM run WHERE kernel_id = ANY($1)"
				   " GROUP BY kernel_id, machine_id ORDER BY kernel_id, machine_id"
	};
	struct db_rows *rows;

	if (db_query(db, &counts, DB_ARGS(db_arg_i64s(kernel_ids, n_kernels)), &rows, err))
		return -1;
	*n = (size_t)db_rows_count(rows);
	*list = arena_array(a, struct overview_count, *n + 1);
	*n = 0;
	for (int i = 0; i < db_rows_count(rows); i++) {
		struct overview_count one = { db_i64(rows, i, 0), db_united_main(db, UNITED_MACHINE, db_i64(rows, i, 1)), db_i64(rows, i, 2) };
		size_t k = *n;

		while (k && (*list)[k - 1].kernel_id == one.kernel_id && (*list)[k - 1].machine_id != one.machine_id)
			k--;
		if (k && (*list)[k - 1].kernel_id == one.kernel_id)	/* of a machine that is read as one with it */
			(*list)[k - 1].runs += one.runs;
		else
			(*list)[(*n)++] = one;
	}
	db_rows_free(rows);
	return 0;
}

int db_overview_times(struct db *db, struct arena *a, const int64_t *kernel_ids, size_t n_kernels,
		      struct overview_times **list, size_t *n, struct err *err)
{
	static const struct stmt times = {
		"overview_times", "SELECT kernel_id, min(received_at), max(received_at) FROM run WHERE kernel_id = ANY($1)"
				  " GROUP BY kernel_id ORDER BY kernel_id"
	};
	struct db_rows *rows;

	if (db_query(db, &times, DB_ARGS(db_arg_i64s(kernel_ids, n_kernels)), &rows, err))
		return -1;
	*n = (size_t)db_rows_count(rows);
	*list = arena_array(a, struct overview_times, *n + 1);
	for (int i = 0; i < (int)*n; i++)
		(*list)[i] = (struct overview_times){ db_i64(rows, i, 0), db_time(rows, i, 1), db_time(rows, i, 2) };
	db_rows_free(rows);
	return 0;
}

int db_overview_unchecked(struct db *db, struct arena *a, const int64_t *kernel_ids, size_t n_kernels, int64_t **ids,
			  size_t *n, struct err *err)
{
	static const struct stmt waiting = {
		"overview_unchecked", "SELECT DISTINCT r.kernel_id FROM run r JOIN run_todo t ON t.run_id = r.run_id AND t.what = 'check'"
				      " WHERE r.kernel_id = ANY($1) ORDER BY r.kernel_id"
	};
	struct db_rows *rows;

	if (db_query(db, &waiting, DB_ARGS(db_arg_i64s(kernel_ids, n_kernels)), &rows, err))
		return -1;
	*n = (size_t)db_rows_count(rows);
	*ids = arena_array(a, int64_t, *n + 1);
	for (int i = 0; i < (int)*n; i++)
		(*ids)[i] = db_i64(rows, i, 0);
	db_rows_free(rows);
	return 0;
}

int db_overview_extents(struct db *db, struct arena *a, const struct uuid *alert_ids, size_t n_alerts,
			struct overview_extent **list, size_t *n, struct err *err)
{
	static const struct stmt extents = {
		"overview_extents",
		"SELECT m.alert_id, s.machine_id, count(*), min(c.percent), max(c.percent) FROM alert_member m"
		" JOIN change c ON c.series_id = m.series_id AND c.from_kernel_id = m.from_kernel_id AND c.to_kernel_id = m.to_kernel_id"
		" JOIN series s ON s.id = m.series_id WHERE m.alert_id = ANY($1) GROUP BY 1, 2 ORDER BY 1, 2"
	};
	struct db_rows *rows;

	if (db_query(db, &extents, DB_ARGS(db_arg_uuids(alert_ids, n_alerts)), &rows, err))
		return -1;
	*n = (size_t)db_rows_count(rows);
	*list = arena_array(a, struct overview_extent, *n + 1);
	for (int i = 0; i < (int)*n; i++) {
		struct overview_extent *x = &(*list)[i];

		db_uuid(rows, i, 0, &x->alert_id);
		x->machine_id = db_united_main(db, UNITED_MACHINE, db_i64(rows, i, 1));
		x->n_series = db_i64(rows, i, 2);
		x->least = db_f64(rows, i, 3);
		x->greatest = db_f64(rows, i, 4);
	}
	db_rows_free(rows);
	return 0;
}

int db_overview_last_start(struct db *db, int64_t machine_id, int64_t *at, struct err *err)
{
	static const struct stmt last = {	/* of one: a list would be sorted whole */
		"overview_last_start", "SELECT r.started_at FROM run r WHERE r.machine_id = $1 AND " SEEN_VALID("r")
				       " ORDER BY r.started_at DESC LIMIT 1"
	};
	struct arena *a = arena_new();
	size_t n = 1;
	const int64_t *ids = db_united_all(db, UNITED_MACHINE, a, &machine_id, &n);
	struct db_rows *rows;
	int ret = 0;

	*at = TM_NONE;
	for (size_t i = 0; i < n && !ret; i++) {
		ret = db_query(db, &last, DB_ARGS(db_arg_i64(ids[i])), &rows, err);
		if (ret)
			break;
		if (db_rows_count(rows) && (*at == TM_NONE || db_time(rows, 0, 0) > *at))
			*at = db_time(rows, 0, 0);
		db_rows_free(rows);
	}
	arena_free(a);
	return ret;
}
