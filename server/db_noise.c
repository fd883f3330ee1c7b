/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_noise.h"

static const struct stmt read_noise = {
	"noise_read",
	"SELECT series_id, variance, df, within, reps, kernels FROM series_noise WHERE series_id = ANY($1)"
	" ORDER BY series_id"
};

int db_noise_read(struct db *db, struct arena *a, const int64_t *series_ids, size_t n_series, struct db_noise **list,
		  size_t *n, struct err *err)
{
	struct db_rows *rows;

	if (db_query(db, &read_noise, DB_ARGS(db_arg_i64s(series_ids, n_series)), &rows, err))
		return -1;
	*n = (size_t)db_rows_count(rows);
	*list = arena_array(a, struct db_noise, *n);
	for (int i = 0; i < (int)*n; i++)
		(*list)[i] = (struct db_noise){ db_i64(rows, i, 0), db_f64(rows, i, 1), db_f64(rows, i, 2),
						db_f64(rows, i, 3), db_f64(rows, i, 4), db_i64(rows, i, 5) };
	db_rows_free(rows);
	return 0;
}

/* Arrays of all: a row each would take three times as long, and a list of thousands longer to plan than to look up. */
static const struct stmt read_range = {
	"noise_read_range",
	"SELECT array_agg(series_id), array_agg(variance), array_agg(df), array_agg(within), array_agg(reps),"
	" array_agg(kernels) FROM (SELECT series_id, variance, df, within, reps, kernels FROM series_noise"
	" WHERE series_id BETWEEN $1 AND $2 ORDER BY series_id) x"
};

int db_noise_read_range(struct db *db, struct arena *a, int64_t first, int64_t last, struct db_noise **list, size_t *n,
			struct err *err)
{
	struct db_rows *rows;
	int64_t *ids, *kernels;
	double *columns[4];
	size_t same;

	if (db_query(db, &read_range, DB_ARGS(db_arg_i64(first), db_arg_i64(last)), &rows, err))
		return -1;
	ids = db_i64s(a, rows, 0, 0, n);
	for (int k = 0; k < 4; k++)
		columns[k] = db_f64s(a, rows, 0, 1 + k, &same);
	kernels = db_i64s(a, rows, 0, 5, &same);
	*list = arena_array(a, struct db_noise, *n);
	for (size_t i = 0; i < *n; i++)
		(*list)[i] = (struct db_noise){ ids[i], columns[0][i], columns[1][i], columns[2][i], columns[3][i], kernels[i] };
	db_rows_free(rows);
	return 0;
}

static const struct stmt read_version = { "noise_version", "SELECT changes FROM noise_version" };

int db_noise_version(struct db *db, int64_t *version, struct err *err)
{
	struct db_rows *rows;

	if (db_query(db, &read_version, NULL, 0, &rows, err))
		return -1;
	*version = db_i64(rows, 0, 0);
	db_rows_free(rows);
	return 0;
}

/* With each write, in its transaction. */
#define COUNTED "WITH counted AS (UPDATE noise_version SET changes = changes + 1) "

static const struct stmt write_noise = {
	"noise_write",
	COUNTED "INSERT INTO series_noise (series_id, variance, df, within, reps, kernels)"
	" SELECT series_id, variance, df, within, reps, kernels"
	" FROM unnest($1::bigint[], $2::float8[], $3::float8[], $4::float8[], $5::float8[], $6::bigint[])"
	" u (series_id, variance, df, within, reps, kernels)"
	" ON CONFLICT (series_id) DO UPDATE SET variance = excluded.variance, df = excluded.df,"
	" within = excluded.within, reps = excluded.reps, kernels = excluded.kernels"
};

int db_noise_write(struct db *db, struct arena *a, const struct db_noise *list, size_t n, struct err *err)
{
	int64_t *ids = arena_array(a, int64_t, n), *kernels = arena_array(a, int64_t, n);
	double *columns[4];

	for (int k = 0; k < 4; k++)
		columns[k] = arena_array(a, double, n);
	for (size_t i = 0; i < n; i++) {
		ids[i] = list[i].series_id;
		columns[0][i] = list[i].variance;
		columns[1][i] = list[i].df;
		columns[2][i] = list[i].within;
		columns[3][i] = list[i].reps;
		kernels[i] = list[i].kernels;
	}
	return db_query(db, &write_noise,
			DB_ARGS(db_arg_i64s(ids, n), db_arg_f64s(columns[0], n), db_arg_f64s(columns[1], n),
				db_arg_f64s(columns[2], n), db_arg_f64s(columns[3], n), db_arg_i64s(kernels, n)),
			NULL, err);
}

static const struct stmt delete_noise = {
	"noise_delete", COUNTED "DELETE FROM series_noise WHERE series_id = ANY($1)"
};

int db_noise_delete(struct db *db, const int64_t *series_ids, size_t n, struct err *err)
{
	return db_query(db, &delete_noise, DB_ARGS(db_arg_i64s(series_ids, n)), NULL, err);
}
