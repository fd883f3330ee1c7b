-- SPDX-License-Identifier: GPL-2.0-or-later
-- The samples of the history once more as rows with a covering index, for the bare query.
CREATE SCHEMA bare;
CREATE TABLE bare.sample AS
SELECT r.kernel_id::integer, r.started_at AS at, u.series_id::integer, u.mean, u.stddev, u.n::integer
FROM nsecwatch.run r, unnest(r.series_id, r.mean, r.stddev, r.n) u (series_id, mean, stddev, n)
ORDER BY r.started_at, r.run_id;
CREATE INDEX sample_series ON bare.sample (series_id, kernel_id) INCLUDE (mean, stddev);
VACUUM ANALYZE bare.sample;

-- What the Node rival reads.
CREATE VIEW public.d_heap AS
SELECT kernel_id AS kernel_ord, mean AS value, stddev, series_id FROM bare.sample;
