-- SPDX-License-Identifier: GPL-2.0-or-later
-- Spreads a migrated database over the workers of a Citus cluster; run once, on the coordinator, as the owner:
--
--	psql -v ON_ERROR_STOP=1 -d nsecwatch -f schema/distribute.sql
--
-- No migration, and in no program. Tables that are labelled dist:local stay where they are. One call a statement: several in
-- one are refused for tables that refer to one another.

-- Names: on every worker, those first that others refer to.
SELECT create_reference_table('nsecwatch.machine');
SELECT create_reference_table('nsecwatch.machine_fact');
SELECT create_reference_table('nsecwatch.kernel');
SELECT create_reference_table('nsecwatch.config');
SELECT create_reference_table('nsecwatch.benchmark');
SELECT create_reference_table('nsecwatch.benchmark_set');
SELECT create_reference_table('nsecwatch.metric');
SELECT create_reference_table('nsecwatch.series');

-- Runs, and what hangs on them.
SELECT create_distributed_table('nsecwatch.run', 'run_id');
SELECT create_distributed_table('nsecwatch.run_raw', 'run_id', colocate_with => 'nsecwatch.run');
SELECT create_distributed_table('nsecwatch.run_invalid', 'run_id', colocate_with => 'nsecwatch.run');

-- The same by series.
SELECT create_distributed_table('nsecwatch.series_pack', 'series_id');
SELECT create_distributed_table('nsecwatch.series_noise', 'series_id', colocate_with => 'nsecwatch.series_pack');
SELECT create_distributed_table('nsecwatch.change', 'series_id', colocate_with => 'nsecwatch.series_pack');
SELECT create_distributed_table('nsecwatch.alert_member', 'series_id', colocate_with => 'nsecwatch.series_pack');
