-- SPDX-License-Identifier: GPL-2.0-or-later
-- Machines and benchmarks that turned out to be one. Runs stay as they came, each with the row and the series of the
-- name it was sent under: merged_into says whose history they are read as. So nothing that comes in meanwhile
-- can be lost, and undoing it gives each its own again.
ALTER TABLE nsecwatch.machine ADD COLUMN merged_into bigint REFERENCES nsecwatch.machine CHECK (merged_into <> id);
ALTER TABLE nsecwatch.benchmark ADD COLUMN merged_into bigint REFERENCES nsecwatch.benchmark CHECK (merged_into <> id);

-- saved: what was derived of the series before, {"changes": [..], "members": [..], "alerts": [..]}, rows of change and
-- alert_member, and the alerts that were merged with it ({"id", "into", "state"}).
CREATE TABLE nsecwatch.merged (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	kind text NOT NULL CHECK (kind IN ('machine', 'benchmark')),
	from_id bigint NOT NULL,
	into_id bigint NOT NULL,
	made_at timestamptz NOT NULL,
	ended_at timestamptz,
	saved jsonb NOT NULL CHECK (jsonb_typeof(saved) = 'object')
);
COMMENT ON TABLE nsecwatch.merged IS 'dist:local';
CREATE UNIQUE INDEX merge_going_on ON nsecwatch.merged (kind, from_id) WHERE ended_at IS NULL;
