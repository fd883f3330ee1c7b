/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Durable runs with libpq alone: one statement, one commit, everything in binary, nothing checked.
 *   probe_ingest CONNINFO CLIENTS SECONDS packed|rows RESULTS
 * packed: one row of arrays a run. rows: a row for the run and one a result, by UNNEST. The tables are those of bare.sql.
 */
#include <endian.h>
#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure.h"

#define SERIES 20000		/* as many as the seeded table of bare.sql has */
#define KERNELS 500
#define POSTGRES_EPOCH 946684800

enum oid { OID_INT4 = 23, OID_FLOAT8 = 701 };

static const char *conninfo;
static bool packed;
static unsigned results;
static uint64_t first_id;

static const char packed_sql[] =
	"INSERT INTO bare.run_packed (run_id, kernel_id, at, series_id, mean, stddev, n)"
	" VALUES ($1, $2, $3, $4, $5, $6, $7)";

static const char rows_sql[] =
	"WITH r AS (INSERT INTO bare.run (run_id, kernel_id, at) VALUES ($1, $2, $3))"
	" INSERT INTO bare.sample (run_id, kernel_id, at, series_id, mean, stddev, n)"
	" SELECT $1, $2, $3, u.series_id, u.mean, u.stddev, u.n"
	" FROM unnest($4::int4[], $5::float8[], $6::float8[], $7::int4[]) u (series_id, mean, stddev, n)";

struct writer {
	PGconn *link;
	unsigned seed;
	char *arrays;			/* the four, one after the other */
};

static char *put32(char *p, uint32_t u)
{
	u = htobe32(u);
	memcpy(p, &u, sizeof(u));
	return p + sizeof(u);
}

static char *put64(char *p, uint64_t u)
{
	u = htobe64(u);
	memcpy(p, &u, sizeof(u));
	return p + sizeof(u);
}

static char *put_double(char *p, double d)
{
	uint64_t u;

	memcpy(&u, &d, sizeof(u));
	return put64(p, u);
}

/* One dimension, no NULLs, this type, n elements from 1 on. */
static char *put_array(char *p, enum oid type, unsigned n)
{
	p = put32(p, 1);
	p = put32(p, 0);
	p = put32(p, type);
	p = put32(p, n);
	return put32(p, 1);
}

static char *put_ints(char *p, unsigned n, uint32_t value, uint32_t step)
{
	p = put_array(p, OID_INT4, n);
	for (unsigned i = 0; i < n; i++, value += step)
		p = put32(put32(p, 4), value);
	return p;
}

static char *put_doubles(struct writer *w, char *p, unsigned n, double least, double spread)
{
	p = put_array(p, OID_FLOAT8, n);
	for (unsigned i = 0; i < n; i++)
		p = put_double(put32(p, 8), least + spread * rand_r(&w->seed) / RAND_MAX);
	return p;
}

static uint64_t time_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)(t.tv_sec - POSTGRES_EPOCH) * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void *open_writer(struct client *c)
{
	struct writer *w = measure_alloc(1, sizeof(*w));
	PGresult *r;

	w->arrays = measure_alloc(results + 2, 8 + 12 + 12 + 8);	/* two more: the four heads of 20 */
	w->seed = c->index * 7919 + (unsigned)first_id;
	w->link = PQconnectdb(conninfo);
	if (PQstatus(w->link) != CONNECTION_OK)
		measure_die("%s", PQerrorMessage(w->link));
	r = PQprepare(w->link, "write", packed ? packed_sql : rows_sql, 0, NULL);
	if (PQresultStatus(r) != PGRES_COMMAND_OK)
		measure_die("%s", PQerrorMessage(w->link));
	PQclear(r);
	return w;
}

static void write_run(struct client *c)
{
	struct writer *w = c->own;
	char id[8], kernel[4], at[8], *part[5];
	const char *values[7] = { id, kernel, at };
	int lengths[7] = { sizeof(id), sizeof(kernel), sizeof(at) }, formats[7] = { 1, 1, 1, 1, 1, 1, 1 };
	PGresult *r;

	put64(id, first_id + measure_next());
	put32(kernel, (uint32_t)rand_r(&w->seed) % KERNELS + 1);
	put64(at, time_now());
	part[0] = w->arrays;
	part[1] = put_ints(part[0], results, (uint32_t)rand_r(&w->seed) % (SERIES - results) + 1, 1);
	part[2] = put_doubles(w, part[1], results, 1700, 1000);
	part[3] = put_doubles(w, part[2], results, 1, 10);
	part[4] = put_ints(part[3], results, 10, 0);
	for (int i = 0; i < 4; i++) {
		values[3 + i] = part[i];
		lengths[3 + i] = (int)(part[i + 1] - part[i]);
	}
	r = PQexecPrepared(w->link, "write", 7, values, lengths, formats, 1);
	if (PQresultStatus(r) != PGRES_COMMAND_OK)
		measure_die("%s", PQerrorMessage(w->link));
	PQclear(r);
}

static void close_writer(struct client *c)
{
	struct writer *w = c->own;

	PQfinish(w->link);
	free(w->arrays);
	free(w);
}

int main(int argc, char **argv)
{
	const struct measure_work writing = { open_writer, write_run, close_writer };

	if (argc != 6 || (strcmp(argv[4], "packed") && strcmp(argv[4], "rows")))
		measure_die("usage: probe_ingest CONNINFO CLIENTS SECONDS packed|rows RESULTS");
	conninfo = argv[1];
	packed = argv[4][0] == 'p';
	results = measure_count(argv[5], "results");
	if (results >= SERIES)
		measure_die("results: fewer than %d", SERIES);
	first_id = time_now();		/* microseconds, and less than one id a microsecond is made */
	measure_run(&writing, measure_count(argv[2], "clients"), measure_seconds(argv[3]));
	return 0;
}
