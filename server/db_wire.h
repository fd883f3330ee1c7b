/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between db.c, db_arg.c and db_rows.c only: PostgreSQL's binary formats. No user of db.h needs this. */
#ifndef SERVER_DB_WIRE_H
#define SERVER_DB_WIRE_H

#include <endian.h>
#include <string.h>

#include "../lib/buf.h"
#include "db.h"

/* pg_type.oid of what we send and read; fixed for all versions of PostgreSQL. */
enum db_wire_oid {
	OID_BOOL = 16, OID_BYTEA = 17, OID_NAME = 19, OID_I64 = 20, OID_I16 = 21, OID_I32 = 23, OID_TEXT = 25,
	OID_JSON = 114, OID_F64 = 701, OID_UNKNOWN = 705, OID_VARCHAR = 1043, OID_TIME = 1184, OID_UUID = 2950,
	OID_JSONB = 3802,
	OID_BOOLS = 1000, OID_BYTEAS = 1001, OID_I16S = 1005, OID_TEXTS = 1009, OID_I64S = 1016, OID_F64S = 1022,
	OID_TIMES = 1185, OID_UUIDS = 2951,
};

/* timestamptz counts microseconds from 2000-01-01 */
#define DB_WIRE_EPOCH INT64_C(946684800000000)

unsigned db_arg_oid(const struct db_arg *arg);			/* 0: the server is to infer it */
bool db_arg_is_null(const struct db_arg *arg);
void db_arg_encode(const struct db_arg *arg, struct buf *out);	/* of one that is not NULL */

/* Takes the PGresult over. */
struct db_rows *db_rows_new(void *pgresult);
int db_rows_columns(const struct db_rows *rows);

static inline uint64_t db_wire_f64(double d)
{
	uint64_t u;

	memcpy(&u, &d, sizeof(u));
	return htobe64(u);
}

static inline uint16_t db_wire_get16(const char *p)
{
	uint16_t u;

	memcpy(&u, p, sizeof(u));
	return be16toh(u);
}

static inline uint32_t db_wire_get32(const char *p)
{
	uint32_t u;

	memcpy(&u, p, sizeof(u));
	return be32toh(u);
}

static inline uint64_t db_wire_get64(const char *p)
{
	uint64_t u;

	memcpy(&u, p, sizeof(u));
	return be64toh(u);
}

#endif
