-- SPDX-License-Identifier: GPL-2.0-or-later
-- Which run has results of which benchmark, failed ones counted. Derived from run by whoever
-- packs it, never the truth: a run that is not here still waits in run_todo for its packing. Without it
-- the lists of runs and kernels of one benchmark would read the arrays of every run.

CREATE TABLE nsecwatch.run_benchmark (
	run_id uuid NOT NULL,
	benchmark_id bigint NOT NULL,
	kernel_id bigint NOT NULL,
	machine_id bigint NOT NULL,
	config_id bigint NOT NULL,
	received_at timestamptz NOT NULL,
	PRIMARY KEY (run_id, benchmark_id)
);
COMMENT ON TABLE nsecwatch.run_benchmark IS 'dist:hash(run_id)';
CREATE INDEX run_benchmark_newest ON nsecwatch.run_benchmark (benchmark_id, received_at DESC, run_id DESC);
CREATE INDEX run_benchmark_kernel ON nsecwatch.run_benchmark (benchmark_id, kernel_id, machine_id, config_id);

INSERT INTO nsecwatch.run_benchmark (run_id, benchmark_id, kernel_id, machine_id, config_id, received_at)
SELECT DISTINCT r.run_id, s.benchmark_id, r.kernel_id, r.machine_id, r.config_id, r.received_at
FROM nsecwatch.run r CROSS JOIN unnest(r.series_id) u (id) JOIN nsecwatch.series s ON s.id = u.id
WHERE NOT EXISTS (SELECT FROM nsecwatch.run_todo t WHERE t.what = 'pack' AND t.run_id = r.run_id);
