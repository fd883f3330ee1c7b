-- SPDX-License-Identifier: GPL-2.0-or-later
-- What the probes of ingest write to: the least that stores a run, in arrays and in rows. The
-- row layout has the index that its trends need, and half a million rows to begin with.
CREATE SCHEMA bare;

CREATE TABLE bare.run_packed (
	run_id    bigint PRIMARY KEY,
	kernel_id integer NOT NULL,
	at        timestamptz NOT NULL,
	series_id integer[] COMPRESSION lz4 NOT NULL,
	mean      double precision[] COMPRESSION lz4 NOT NULL,
	stddev    double precision[] COMPRESSION lz4 NOT NULL,
	n         integer[] COMPRESSION lz4 NOT NULL
);

CREATE TABLE bare.run (
	run_id    bigint PRIMARY KEY,
	kernel_id integer NOT NULL,
	at        timestamptz NOT NULL
);

CREATE TABLE bare.sample (
	run_id    bigint NOT NULL,
	kernel_id integer NOT NULL,
	at        timestamptz NOT NULL,
	series_id integer NOT NULL,
	mean      double precision NOT NULL,
	stddev    double precision NOT NULL,
	n         integer NOT NULL
);
CREATE INDEX sample_series ON bare.sample (series_id, kernel_id) INCLUDE (mean, stddev);

INSERT INTO bare.sample (run_id, kernel_id, at, series_id, mean, stddev, n)
SELECT i, i % 500 + 1, timestamptz '2026-01-01' + i * interval '1 second', (random() * 19999)::integer + 1,
	1700 + 1000 * random(), 3.5, 10
FROM generate_series(1, 500000) i;
VACUUM ANALYZE bare.sample;
