-- SPDX-License-Identifier: GPL-2.0-or-later
-- Which run has results of which benchmark: a row for each of the two took a third of the disk that a sample takes. But a
-- lab runs the same benchmarks each night, so the set of them is written once, and of a run only which set it has. A set
-- is called by its content (the first half of the SHA-256 of its ids), so that whoever packs need not ask what it is called.
CREATE TABLE nsecwatch.benchmark_set (
	set_id uuid NOT NULL,
	benchmark_id bigint NOT NULL,
	PRIMARY KEY (benchmark_id, set_id)
);
COMMENT ON TABLE nsecwatch.benchmark_set IS 'dist:reference';
CREATE INDEX benchmark_set_members ON nsecwatch.benchmark_set (set_id, benchmark_id);

-- Derived from run by whoever packs it, as run_benchmark was.
CREATE TABLE nsecwatch.run_seen (
	run_id uuid PRIMARY KEY,
	set_id uuid NOT NULL,
	kernel_id bigint NOT NULL,
	machine_id bigint NOT NULL,
	config_id bigint NOT NULL,
	received_at timestamptz NOT NULL
);
COMMENT ON TABLE nsecwatch.run_seen IS 'dist:hash(run_id)';

CREATE TEMPORARY TABLE seen_sets ON COMMIT DROP AS
SELECT run_id, kernel_id, machine_id, config_id, received_at, ids,
	substr(encode(sha256(convert_to(array_to_string(ids, ','), 'UTF8')), 'hex'), 1, 32)::uuid AS set_id
FROM (SELECT run_id, kernel_id, machine_id, config_id, received_at, array_agg(benchmark_id ORDER BY benchmark_id) AS ids
	FROM nsecwatch.run_benchmark GROUP BY run_id, kernel_id, machine_id, config_id, received_at) r;

INSERT INTO nsecwatch.benchmark_set (set_id, benchmark_id)
SELECT s.set_id, u.id FROM (SELECT DISTINCT set_id, ids FROM seen_sets) s CROSS JOIN unnest(s.ids) u (id);
INSERT INTO nsecwatch.run_seen (run_id, set_id, kernel_id, machine_id, config_id, received_at)
SELECT run_id, set_id, kernel_id, machine_id, config_id, received_at FROM seen_sets;

CREATE INDEX run_seen_newest ON nsecwatch.run_seen (set_id, received_at DESC, run_id DESC);
CREATE INDEX run_seen_set ON nsecwatch.run_seen (set_id, kernel_id, machine_id, config_id);
CREATE INDEX run_seen_kernel ON nsecwatch.run_seen (kernel_id, set_id, machine_id, config_id);

DROP TABLE nsecwatch.run_benchmark;
