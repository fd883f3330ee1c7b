/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A prepared statement and nothing else: what the database takes to answer, received whole.
 *   probe_query CONNINFO CLIENTS SECONDS FILE SQL
 * A line of FILE is the statement's one parameter as text. Results come in binary.
 * The lines are gone through from the one that BENCH_FROM says (0), round and round.
 */
#include <libpq-fe.h>
#include <stdlib.h>

#include "measure.h"

static const char *conninfo, *sql;
static struct measure_lines lines;
static size_t from;

static void *connect_and_prepare(struct client *c)
{
	PGconn *link = PQconnectdb(conninfo);
	PGresult *r;

	(void)c;
	if (PQstatus(link) != CONNECTION_OK)
		measure_die("%s", PQerrorMessage(link));
	r = PQprepare(link, "q", sql, 0, NULL);
	if (PQresultStatus(r) != PGRES_COMMAND_OK)
		measure_die("%s", PQerrorMessage(link));
	PQclear(r);
	return link;
}

static void query(struct client *c)
{
	const char *value = lines.line[(from + measure_next()) % lines.n];
	PGresult *r = PQexecPrepared(c->own, "q", 1, &value, NULL, NULL, 1);
	int rows, cols;

	if (PQresultStatus(r) != PGRES_TUPLES_OK)
		measure_die("%s", PQerrorMessage(c->own));
	rows = PQntuples(r);
	cols = PQnfields(r);
	if (!rows)
		measure_die("no rows for %.100s", value);
	for (int i = 0; i < rows; i++)
		for (int k = 0; k < cols; k++)
			c->bytes += (uint64_t)PQgetlength(r, i, k);
	PQclear(r);
}

static void disconnect(struct client *c)
{
	PQfinish(c->own);
}

int main(int argc, char **argv)
{
	const struct measure_work statement = { connect_and_prepare, query, disconnect };
	const char *begin = getenv("BENCH_FROM");

	if (argc != 6)
		measure_die("usage: probe_query CONNINFO CLIENTS SECONDS FILE SQL");
	conninfo = argv[1];
	lines = measure_read(argv[4]);
	sql = argv[5];
	from = begin ? strtoul(begin, NULL, 10) : 0;
	measure_run(&statement, measure_count(argv[2], "clients"), measure_seconds(argv[3]));
	return 0;
}
