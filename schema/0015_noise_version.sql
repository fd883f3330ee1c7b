-- SPDX-License-Identifier: GPL-2.0-or-later
-- How often series_noise was written to: whoever keeps what he read of it asks for one number
-- instead of thousands of rows. Its row's lock puts writers in order, so that a number seen means
-- that all writes up to it are seen.

CREATE TABLE nsecwatch.noise_version (
	id      integer PRIMARY KEY CHECK (id = 1),
	changes bigint NOT NULL
);
COMMENT ON TABLE nsecwatch.noise_version IS 'dist:local';
INSERT INTO nsecwatch.noise_version VALUES (1, 0);
