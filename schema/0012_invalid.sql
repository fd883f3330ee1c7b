-- SPDX-License-Identifier: GPL-2.0-or-later
-- Runs that somebody found to be wrong: the run stays as it came, and no question is answered from it. Taking
-- the row away undoes it.
CREATE TABLE nsecwatch.run_invalid (
	run_id uuid PRIMARY KEY,
	reason text NOT NULL CHECK (reason <> ''),
	who text NOT NULL,
	at timestamptz NOT NULL
);
COMMENT ON TABLE nsecwatch.run_invalid IS 'dist:hash(run_id)';
