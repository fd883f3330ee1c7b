-- SPDX-License-Identifier: GPL-2.0-or-later
-- Which runs have which benchmarks is looked up set by set, the newest of each: a question that a sharded engine refuses over
-- a distributed table. A row is a hundred bytes with its indexes, so it stays where the queues are.
COMMENT ON TABLE nsecwatch.run_seen IS 'dist:local';
