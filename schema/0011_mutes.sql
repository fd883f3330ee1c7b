-- SPDX-License-Identifier: GPL-2.0-or-later
-- Silence on purpose: of one alert, or of all that a selector picks, for a reason, until a time (NULL: until
-- somebody ends it). An alert of which every row is muted is muted, and told to nobody; when that
-- is over it is new again, and told.
CREATE TABLE nsecwatch.mute (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	selector jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(selector) = 'object'),
	alert_id uuid REFERENCES nsecwatch.alert,
	reason text NOT NULL CHECK (reason <> ''),
	author text NOT NULL CHECK (author <> ''),
	created_at timestamptz NOT NULL,
	until timestamptz,
	ended_at timestamptz,
	CHECK ((alert_id IS NOT NULL) = (selector = '{}'))
);
COMMENT ON TABLE nsecwatch.mute IS 'dist:local';

ALTER TABLE nsecwatch.alert ADD COLUMN mute_id bigint REFERENCES nsecwatch.mute;
CREATE INDEX alert_muted ON nsecwatch.alert (mute_id) WHERE state = 'muted';
