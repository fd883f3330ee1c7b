-- SPDX-License-Identifier: GPL-2.0-or-later
-- From the runs of one kernel, which came by POST, those of all the others: every result again
-- with 1 % of noise, and from the 300th kernel on every fiftieth series 30 % slower. Made in the
-- database, because 10 million results by POST would take longer than all that is measured.
SELECT setseed(0.5);

CREATE TEMP TABLE place AS
SELECT id AS kernel_id, row_number() OVER (ORDER BY sort_key) AS ord FROM nsecwatch.kernel WHERE track = 'mainline';

INSERT INTO nsecwatch.run (run_id, content_sha256, machine_id, machine_fact_id, kernel_id, config_id, started_at,
	received_at, boot_id, format, series_id, status, n, mean, median, stddev, vmin, vmax)
SELECT h.id::uuid, sha256(h.id::bytea), r.machine_id, r.machine_fact_id, p.kernel_id, r.config_id,
	r.started_at + p.ord * interval '7 days', r.received_at - interval '1 hour' + p.ord * interval '1 second',
	r.boot_id || '-' || p.ord, r.format, r.series_id, r.status, r.n, m.mean, r.median, r.stddev, r.vmin, r.vmax
FROM place p
CROSS JOIN nsecwatch.run r
CROSS JOIN LATERAL (SELECT md5(p.kernel_id || ' ' || r.run_id) AS id) h
CROSS JOIN LATERAL (
	SELECT array_agg(u.mean * (1 + 0.01 * (random() + random() + random() - 1.5))
		* CASE WHEN p.ord > 300 AND u.series_id % 50 = 0 THEN 1.3 ELSE 1 END ORDER BY u.at) AS mean
	FROM unnest(r.mean, r.series_id) WITH ORDINALITY u (mean, series_id, at)
) m
WHERE p.kernel_id <> r.kernel_id
ORDER BY p.ord, r.run_id;

-- All of them count as packed; `nsecwatchd rebuild` makes that true.
DELETE FROM nsecwatch.run_todo;
VACUUM ANALYZE nsecwatch.run;
