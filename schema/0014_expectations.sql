-- SPDX-License-Identifier: GPL-2.0-or-later
-- What labs are expected to send: runs of a benchmark (a glob) from a machine at least every so often. Silence
-- raises an alert of its own, between the last kernel that was measured and itself, and the next run ends it.
CREATE TABLE nsecwatch.expectation (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	machine_id bigint NOT NULL REFERENCES nsecwatch.machine,
	benchmark text NOT NULL DEFAULT '*' CHECK (benchmark <> ''),
	interval_s bigint NOT NULL CHECK (interval_s > 0),
	note text,
	author text NOT NULL,
	created_at timestamptz NOT NULL,
	alert_id uuid REFERENCES nsecwatch.alert,	-- of the silence that goes on
	deleted_at timestamptz
);
COMMENT ON TABLE nsecwatch.expectation IS 'dist:local';

ALTER TABLE nsecwatch.alert DROP CONSTRAINT alert_direction_check;
ALTER TABLE nsecwatch.alert ADD CHECK (direction IN ('regression', 'improvement', 'silence'));
ALTER TABLE nsecwatch.alert ADD COLUMN about text;	-- of a silence: what is missing
