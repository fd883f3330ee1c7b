/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading results that came in PostgreSQL's binary format. */
#include "db_wire.h"

#include <libpq-fe.h>
#include <math.h>

#include "../lib/must.h"
#include "../lib/tm.h"

/* A db_rows is the PGresult itself, under a name that keeps libpq out of db.h. */
static const PGresult *result(const struct db_rows *rows)
{
	return (const PGresult *)rows;
}

struct db_rows *db_rows_new(void *pgresult)
{
	return pgresult;
}

void db_rows_free(struct db_rows *rows)
{
	PQclear((PGresult *)rows);
}

int db_rows_count(const struct db_rows *rows)
{
	return PQntuples(result(rows));
}

int db_rows_columns(const struct db_rows *rows)
{
	return PQnfields(result(rows));
}

static void check_cell(const struct db_rows *rows, int row, int col)
{
	must(row >= 0 && row < PQntuples(result(rows)));
	must(col >= 0 && col < PQnfields(result(rows)));
}

bool db_is_null(const struct db_rows *rows, int row, int col)
{
	check_cell(rows, row, col);
	return PQgetisnull(result(rows), row, col);
}

/* The bytes of a cell of this type; NULL of a NULL. */
static const char *cell(const struct db_rows *rows, int row, int col, unsigned oid, int *len)
{
	check_cell(rows, row, col);
	must(PQftype(result(rows), col) == oid);
	*len = PQgetlength(result(rows), row, col);
	return PQgetisnull(result(rows), row, col) ? NULL : PQgetvalue(result(rows), row, col);
}

bool db_bool(const struct db_rows *rows, int row, int col)
{
	int len;
	const char *p = cell(rows, row, col, OID_BOOL, &len);

	must(p && len == 1);
	return *p;
}

int64_t db_i64(const struct db_rows *rows, int row, int col)
{
	const char *p;
	int len;

	check_cell(rows, row, col);
	p = cell(rows, row, col, PQftype(result(rows), col), &len);
	must(p != NULL);
	switch (PQftype(result(rows), col)) {
	case OID_I16:
		return (int16_t)db_wire_get16(p);
	case OID_I32:
		return (int32_t)db_wire_get32(p);
	case OID_I64:
		return (int64_t)db_wire_get64(p);
	}
	must(!"an integer column");
	return 0;
}

static double get_f64(const char *p)
{
	uint64_t u = db_wire_get64(p);
	double d;

	memcpy(&d, &u, sizeof(d));
	return d;
}

double db_f64(const struct db_rows *rows, int row, int col)
{
	int len;
	const char *p = cell(rows, row, col, OID_F64, &len);

	return p ? get_f64(p) : NAN;
}

const char *db_text(const struct db_rows *rows, int row, int col)
{
	const char *p;
	int len;

	check_cell(rows, row, col);
	p = cell(rows, row, col, PQftype(result(rows), col), &len);
	switch (PQftype(result(rows), col)) {
	case OID_TEXT:
	case OID_VARCHAR:
	case OID_NAME:
	case OID_JSON:
	case OID_UNKNOWN:
		return p;
	case OID_JSONB:
		must(!p || *p == 1);
		return p ? p + 1 : NULL;
	}
	must(!"a text column");
	return NULL;
}

const void *db_bytes(const struct db_rows *rows, int row, int col, size_t *n)
{
	int len;
	const char *p = cell(rows, row, col, OID_BYTEA, &len);

	*n = p ? (size_t)len : 0;
	return p;
}

void db_uuid(const struct db_rows *rows, int row, int col, struct uuid *u)
{
	int len;
	const char *p = cell(rows, row, col, OID_UUID, &len);

	must(p && len == 16);
	memcpy(u->b, p, 16);
}

int64_t db_time(const struct db_rows *rows, int row, int col)
{
	int len;
	const char *p = cell(rows, row, col, OID_TIME, &len);

	return p ? (int64_t)db_wire_get64(p) + DB_WIRE_EPOCH : TM_NONE;
}

/* The elements of a one-dimensional array, one after the other. */
struct elements {
	const char *p;
	size_t n;
};

static struct elements elements_of(const struct db_rows *rows, int row, int col, unsigned oid)
{
	struct elements e = { 0 };
	int len;
	const char *p = cell(rows, row, col, oid, &len);

	if (!p || !db_wire_get32(p))
		return e;
	must(db_wire_get32(p) == 1);
	e.n = db_wire_get32(p + 12);
	e.p = p + 20;
	return e;
}

/* The next element, NULL of a NULL one. */
static const char *next(struct elements *e, int *len)
{
	const char *p = e->p + 4;

	*len = (int32_t)db_wire_get32(e->p);
	e->p = *len < 0 ? p : p + *len;
	return *len < 0 ? NULL : p;
}

/*
 * NULL arrays give a NULL pointer, empty ones a good one, so that they can be told apart.
 * The loops stay here, one a type: a run of 500 results has thousands of elements.
 */
#define ARRAY_OF(type, oid, value, null_value)								\
	struct elements e = elements_of(rows, row, col, oid);						\
	type *v;											\
	const char *p;											\
	int len;											\
													\
	*n = e.n;											\
	if (db_is_null(rows, row, col))									\
		return NULL;										\
	v = arena_alloc(a, e.n * sizeof(*v));								\
	for (size_t i = 0; i < *n; i++) {								\
		p = next(&e, &len);									\
		if (p)											\
			v[i] = (value);									\
		else											\
			v[i] = (null_value);								\
	}												\
	return v

int64_t *db_i64s(struct arena *a, const struct db_rows *rows, int row, int col, size_t *n)
{
	ARRAY_OF(int64_t, OID_I64S, (int64_t)db_wire_get64(p), (must(!"a NULL in bigint[]"), 0));
}

int16_t *db_i16s(struct arena *a, const struct db_rows *rows, int row, int col, size_t *n)
{
	ARRAY_OF(int16_t, OID_I16S, (int16_t)db_wire_get16(p), (must(!"a NULL in smallint[]"), 0));
}

double *db_f64s(struct arena *a, const struct db_rows *rows, int row, int col, size_t *n)
{
	ARRAY_OF(double, OID_F64S, get_f64(p), NAN);
}

char **db_texts(struct arena *a, const struct db_rows *rows, int row, int col, size_t *n)
{
	ARRAY_OF(char *, OID_TEXTS, arena_strndup(a, p, (size_t)len), NULL);
}

int64_t *db_times(struct arena *a, const struct db_rows *rows, int row, int col, size_t *n)
{
	ARRAY_OF(int64_t, OID_TIMES, (int64_t)db_wire_get64(p) + DB_WIRE_EPOCH, TM_NONE);
}

static struct uuid get_uuid(const char *p)
{
	struct uuid u;

	memcpy(u.b, p, sizeof(u.b));
	return u;
}

struct uuid *db_uuids(struct arena *a, const struct db_rows *rows, int row, int col, size_t *n)
{
	ARRAY_OF(struct uuid, OID_UUIDS, get_uuid(p), (struct uuid){ 0 });
}
