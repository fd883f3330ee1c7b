/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parameters of statements in PostgreSQL's binary format. */
#include "db_wire.h"

#include <math.h>

#include "../lib/must.h"
#include "../lib/tm.h"

struct db_arg db_arg_null(void)
{
	return (struct db_arg){ .type = DB_NULL };
}

struct db_arg db_arg_bool(bool b)
{
	return (struct db_arg){ .type = DB_BOOL, .b = b };
}

struct db_arg db_arg_i16(int i)
{
	must(i >= INT16_MIN && i <= INT16_MAX);
	return (struct db_arg){ .type = DB_I16, .i = i };
}

struct db_arg db_arg_i64(int64_t i)
{
	return (struct db_arg){ .type = DB_I64, .i = i };
}

struct db_arg db_arg_f64(double d)
{
	return (struct db_arg){ .type = DB_F64, .d = d };
}

struct db_arg db_arg_time(int64_t usec)
{
	return (struct db_arg){ .type = DB_TIME, .i = usec };
}

/* p NULL is SQL NULL, of the right type all the same: a statement is prepared with the types of its first use. */
static struct db_arg pointer(int type, const void *p, size_t n)
{
	return (struct db_arg){ .type = type, .p = p, .n = n };
}

struct db_arg db_arg_text(const char *s)
{
	return pointer(DB_TEXT, s, s ? strlen(s) : 0);
}

struct db_arg db_arg_json(const char *s)
{
	return pointer(DB_JSON, s, s ? strlen(s) : 0);
}

struct db_arg db_arg_bytes(const void *p, size_t n)
{
	return pointer(DB_BYTES, p, n);
}

struct db_arg db_arg_uuid(const struct uuid *u)
{
	return pointer(DB_UUID, u, sizeof(*u));
}

struct db_arg db_arg_i64s(const int64_t *v, size_t n)
{
	return pointer(DB_I64_ARRAY, v, n);
}

struct db_arg db_arg_i16s(const int16_t *v, size_t n)
{
	return pointer(DB_I16_ARRAY, v, n);
}

struct db_arg db_arg_f64s(const double *v, size_t n)
{
	return pointer(DB_F64_ARRAY, v, n);
}

struct db_arg db_arg_texts(const char *const *v, size_t n)
{
	return pointer(DB_TEXT_ARRAY, v, n);
}

struct db_arg db_arg_uuids(const struct uuid *v, size_t n)
{
	return pointer(DB_UUID_ARRAY, v, n);
}

struct db_arg db_arg_bytess(const void *const *v, const size_t *lengths, size_t n)
{
	struct db_arg arg = pointer(DB_BYTES_ARRAY, v, n);

	arg.lengths = lengths;
	return arg;
}

struct db_arg db_arg_times(const int64_t *v, size_t n)
{
	return pointer(DB_TIME_ARRAY, v, n);
}

struct db_arg db_arg_bools(const bool *v, size_t n)
{
	return pointer(DB_BOOL_ARRAY, v, n);
}

static const struct {
	unsigned oid, element;		/* element: of an array, else 0 */
} types[] = {
	[DB_NULL] = { 0, 0 },
	[DB_BOOL] = { OID_BOOL, 0 },
	[DB_I16] = { OID_I16, 0 },
	[DB_I64] = { OID_I64, 0 },
	[DB_F64] = { OID_F64, 0 },
	[DB_TEXT] = { OID_TEXT, 0 },
	[DB_JSON] = { OID_JSONB, 0 },
	[DB_BYTES] = { OID_BYTEA, 0 },
	[DB_UUID] = { OID_UUID, 0 },
	[DB_TIME] = { OID_TIME, 0 },
	[DB_I64_ARRAY] = { OID_I64S, OID_I64 },
	[DB_F64_ARRAY] = { OID_F64S, OID_F64 },
	[DB_TEXT_ARRAY] = { OID_TEXTS, OID_TEXT },
	[DB_I16_ARRAY] = { OID_I16S, OID_I16 },
	[DB_UUID_ARRAY] = { OID_UUIDS, OID_UUID },
	[DB_BYTES_ARRAY] = { OID_BYTEAS, OID_BYTEA },
	[DB_TIME_ARRAY] = { OID_TIMES, OID_TIME },
	[DB_BOOL_ARRAY] = { OID_BOOLS, OID_BOOL },
};

unsigned db_arg_oid(const struct db_arg *arg)
{
	return types[arg->type].oid;
}

bool db_arg_is_null(const struct db_arg *arg)
{
	switch (arg->type) {
	case DB_NULL:
		return true;
	case DB_BOOL:
	case DB_I16:
	case DB_I64:
	case DB_F64:
		return false;
	case DB_TIME:
		return arg->i == TM_NONE;
	default:
		return !arg->p;
	}
}

static void put16(struct buf *b, uint16_t u)
{
	u = htobe16(u);
	buf_add(b, &u, sizeof(u));
}

static void put32(struct buf *b, uint32_t u)
{
	u = htobe32(u);
	buf_add(b, &u, sizeof(u));
}

static void put64(struct buf *b, uint64_t u)
{
	u = htobe64(u);
	buf_add(b, &u, sizeof(u));
}

/* Where the next element is put: bytes of known number, the length before them. */
static char *element(char *p, uint32_t len)
{
	len = htobe32(len);
	memcpy(p, &len, 4);
	return p + 4;
}

static char *element64(char *p, uint64_t big_endian)
{
	p = element(p, 8);
	memcpy(p, &big_endian, 8);
	return p + 8;
}

#define NULL_LENGTH UINT32_MAX

/* float8[]: the long arrays of an upload, so without a call for each element. */
static bool put_f64s(struct buf *b, const double *v, size_t n)
{
	char *p = buf_reserve(b, n * 12), *start = p;
	bool nulls = false;

	for (size_t i = 0; i < n; i++) {
		if (isnan(v[i])) {
			nulls = true;
			p = element(p, NULL_LENGTH);
		} else {
			p = element64(p, db_wire_f64(v[i]));
		}
	}
	b->len += (size_t)(p - start);
	return nulls;
}

static bool put_i64s(struct buf *b, const int64_t *v, size_t n, int64_t epoch)
{
	char *p = buf_reserve(b, n * 12), *start = p;
	bool nulls = false;

	for (size_t i = 0; i < n; i++) {
		if (epoch && v[i] == TM_NONE) {
			nulls = true;
			p = element(p, NULL_LENGTH);
		} else {
			p = element64(p, htobe64((uint64_t)(v[i] - epoch)));
		}
	}
	b->len += (size_t)(p - start);
	return nulls;
}

static bool put_element(struct buf *b, const void *p, size_t len)
{
	if (!p) {
		put32(b, NULL_LENGTH);
		return true;
	}
	must(len < INT32_MAX);
	put32(b, (uint32_t)len);
	buf_add(b, p, len);
	return false;
}

/* One element of the types that come in small numbers; true: it is NULL. */
static bool put_other(struct buf *b, const struct db_arg *arg, size_t i)
{
	const char *const *texts = arg->p;
	const void *const *bytes = arg->p;

	switch (arg->type) {
	case DB_TEXT_ARRAY:
		return put_element(b, texts[i], texts[i] ? strlen(texts[i]) : 0);
	case DB_BYTES_ARRAY:
		return put_element(b, bytes[i], arg->lengths[i]);
	case DB_UUID_ARRAY:
		return put_element(b, ((const struct uuid *)arg->p)[i].b, 16);
	case DB_BOOL_ARRAY:
		return put_element(b, &(char){ ((const bool *)arg->p)[i] }, 1);
	case DB_I16_ARRAY:
		put32(b, 2);
		put16(b, (uint16_t)((const int16_t *)arg->p)[i]);
		return false;
	default:
		must(!"an array type");
		return true;
	}
}

static void put_array(struct buf *b, const struct db_arg *arg)
{
	size_t at = b->len;
	bool nulls = false;
	uint32_t flag;

	must(arg->n < INT32_MAX);
	put32(b, arg->n ? 1 : 0);			/* dimensions */
	put32(b, 0);					/* "has NULLs", set below */
	put32(b, types[arg->type].element);
	if (!arg->n)
		return;
	put32(b, (uint32_t)arg->n);
	put32(b, 1);					/* lower bound */
	if (arg->type == DB_F64_ARRAY) {
		nulls = put_f64s(b, arg->p, arg->n);
	} else if (arg->type == DB_I64_ARRAY) {
		nulls = put_i64s(b, arg->p, arg->n, 0);
	} else if (arg->type == DB_TIME_ARRAY) {
		nulls = put_i64s(b, arg->p, arg->n, DB_WIRE_EPOCH);
	} else {
		for (size_t i = 0; i < arg->n; i++)
			nulls |= put_other(b, arg, i);
	}
	flag = htobe32(nulls);
	memcpy(b->p + at + 4, &flag, 4);
}

void db_arg_encode(const struct db_arg *arg, struct buf *b)
{
	switch (arg->type) {
	case DB_BOOL:
		buf_putc(b, arg->b);
		break;
	case DB_I16:
		put16(b, (uint16_t)arg->i);
		break;
	case DB_I64:
		put64(b, (uint64_t)arg->i);
		break;
	case DB_TIME:
		put64(b, (uint64_t)(arg->i - DB_WIRE_EPOCH));
		break;
	case DB_F64:
		put64(b, be64toh(db_wire_f64(arg->d)));
		break;
	case DB_JSON:
		buf_putc(b, 1);				/* version of jsonb's binary format */
		buf_add(b, arg->p, arg->n);
		break;
	case DB_TEXT:
	case DB_BYTES:
	case DB_UUID:
		buf_add(b, arg->p, arg->n);
		break;
	default:
		put_array(b, arg);
	}
}
