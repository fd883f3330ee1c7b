-- SPDX-License-Identifier: GPL-2.0-or-later
-- Months whose bodies and raw repetitions `nsecwatchd retain` dropped, and when: their runs say so. The summaries in run stay.
CREATE TABLE nsecwatch.retained (
	month      date PRIMARY KEY,
	dropped_at timestamptz NOT NULL,
	runs       bigint NOT NULL,
	bytes      bigint NOT NULL		-- on the disk
);
COMMENT ON TABLE nsecwatch.retained IS 'dist:local';
