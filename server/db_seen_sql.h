/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of statements that db_seen.c and db_runs.c share. */
#ifndef SERVER_DB_SEEN_SQL_H
#define SERVER_DB_SEEN_SQL_H

/* Whether nobody found this run (the alias of a table with run_id) to be wrong. */
#define SEEN_VALID(table) "NOT EXISTS (SELECT FROM run_invalid v WHERE v.run_id = " table ".run_id)"

/* Whether run `r` has one of the series of a bigint[]. Hashed: the overlap of arrays takes the product of their lengths. */
#define SEEN_HAS_SERIES(series)									\
	"EXISTS (SELECT FROM unnest(r.series_id) x (id) WHERE x.id IN (SELECT unnest(" series "::bigint[])))"

/* The sets in which one of the benchmarks of a bigint[] is, each once. */
#define SEEN_SETS(benchmarks)									\
	"SELECT DISTINCT m.set_id FROM benchmark_set m WHERE m.benchmark_id = ANY(" benchmarks "::bigint[])"

/* Whether run `r` has one of the benchmarks of a bigint[]; of runs that run_seen does not have yet. */
#define SEEN_HAS_BENCHMARK(benchmarks)								\
	"EXISTS (SELECT FROM series x WHERE x.id = ANY(r.series_id) AND x.benchmark_id = ANY(" benchmarks "::bigint[]))"

#endif
