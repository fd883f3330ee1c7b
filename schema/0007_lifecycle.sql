-- SPDX-License-Identifier: GPL-2.0-or-later
-- What becomes of an alert, and who did it: the audit trail, and what triage says of alerts.

-- Every decision, once, never changed. object: the UUID of an alert or a run, the name or id of the rest. who:
-- the name of the token, or the part of the program that did it. event_key: the sender's own id of
-- it, so that a repeated request is no second event.
CREATE TABLE nsecwatch.event (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	at timestamptz NOT NULL,
	who text NOT NULL CHECK (who <> ''),
	kind text NOT NULL CHECK (kind IN ('alert', 'run', 'machine', 'benchmark', 'rule', 'mute', 'expectation')),
	object text NOT NULL,
	action text NOT NULL,
	from_state text,
	to_state text,
	details jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(details) = 'object'),
	event_key uuid UNIQUE
);
COMMENT ON TABLE nsecwatch.event IS 'dist:local';
CREATE INDEX event_of ON nsecwatch.event (kind, object, id);

-- rule_id: none of an alert that a person made. part: pieces split off have the same natural key. A
-- merged alert keeps its row: what is found in its range later goes where it went.
ALTER TABLE nsecwatch.alert ALTER COLUMN rule_id DROP NOT NULL;
ALTER TABLE nsecwatch.alert ADD COLUMN part smallint NOT NULL DEFAULT 0 CHECK (part >= 0);
ALTER TABLE nsecwatch.alert DROP CONSTRAINT alert_track_from_kernel_id_to_kernel_id_benchmark_id_direct_key;
ALTER TABLE nsecwatch.alert ADD UNIQUE (track, from_kernel_id, to_kernel_id, benchmark_id, direction, part);
ALTER TABLE nsecwatch.alert ADD COLUMN origin text NOT NULL DEFAULT 'watch' CHECK (origin IN ('watch', 'manual', 'split'));
ALTER TABLE nsecwatch.alert ADD COLUMN merged_into uuid REFERENCES nsecwatch.alert CHECK (merged_into <> id);
ALTER TABLE nsecwatch.alert ADD COLUMN assignee text;
ALTER TABLE nsecwatch.alert ADD COLUMN due_at timestamptz;
ALTER TABLE nsecwatch.alert ADD COLUMN report_url text;
ALTER TABLE nsecwatch.alert ADD COLUMN fix_url text;
ALTER TABLE nsecwatch.alert ADD COLUMN fix_commit text;
ALTER TABLE nsecwatch.alert ADD COLUMN fixed_in_kernel_id bigint REFERENCES nsecwatch.kernel;
ALTER TABLE nsecwatch.alert ADD COLUMN restored_percent float8;
ALTER TABLE nsecwatch.alert ADD COLUMN changed_at timestamptz;

-- Ranges that an alert had and has no longer. nudged: what is found there is still its own; reopened: it
-- was fixed, came back in a later range, and what is found in the old one is the old story.
CREATE TABLE nsecwatch.alert_range (
	alert_id uuid NOT NULL REFERENCES nsecwatch.alert,
	from_kernel_id bigint NOT NULL REFERENCES nsecwatch.kernel,
	to_kernel_id bigint NOT NULL REFERENCES nsecwatch.kernel,
	why text NOT NULL CHECK (why IN ('nudged', 'reopened')),
	PRIMARY KEY (alert_id, from_kernel_id, to_kernel_id)
);
COMMENT ON TABLE nsecwatch.alert_range IS 'dist:local';

-- Of a row that a person moved: the alert it was found for. It stays where it was put.
ALTER TABLE nsecwatch.alert_member ADD COLUMN moved_from uuid;
