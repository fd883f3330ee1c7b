-- SPDX-License-Identifier: GPL-2.0-or-later
-- What a mail about an alert said when it was written, so that a link in it says the same in five years.
-- The id is made of the content: the same facts are one snapshot, however often they are told.

CREATE TABLE nsecwatch.snapshot (
	id uuid PRIMARY KEY,
	alert_id uuid NOT NULL,
	made_at timestamptz NOT NULL,
	subject text NOT NULL,
	body text COMPRESSION lz4 NOT NULL,
	rows_csv text COMPRESSION lz4 NOT NULL
);
COMMENT ON TABLE nsecwatch.snapshot IS 'dist:local';
