-- SPDX-License-Identifier: GPL-2.0-or-later
-- The tables that the Node rival writes to: a row a result, with the index its trends need.
CREATE SEQUENCE b_run;
CREATE TABLE run (id bigint PRIMARY KEY, machine_id integer NOT NULL, kernel_id integer NOT NULL,
	ts timestamptz NOT NULL, key text NOT NULL UNIQUE);
CREATE TABLE sample (run_id bigint NOT NULL, ts timestamptz NOT NULL, value double precision NOT NULL,
	series_id integer NOT NULL, kernel_id integer NOT NULL, stddev real NOT NULL, n integer NOT NULL);
CREATE INDEX sample_sk ON sample (series_id, kernel_id) INCLUDE (value);
CREATE TABLE b_series (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key text NOT NULL UNIQUE);
INSERT INTO sample (run_id, ts, value, series_id, kernel_id, stddev, n)
SELECT i, now(), 1700 + 1000 * random(), (random() * 19999)::integer + 1, i % 500, 3.5, 10
FROM generate_series(1, 500000) i;
VACUUM ANALYZE sample;
