-- SPDX-License-Identifier: GPL-2.0-or-later
-- Pages that were kept as they were, each one HTML file with its data in it, so that a link to it says the same in
-- five years. The id is made of the address and the data: the same facts are one page, however often they are kept.
CREATE TABLE nsecwatch.page (
	id uuid PRIMARY KEY,
	made_at timestamptz NOT NULL,
	made_by text NOT NULL,		-- the token's name
	address text NOT NULL CHECK (address <> ''),
	html text COMPRESSION lz4 NOT NULL
);
COMMENT ON TABLE nsecwatch.page IS 'dist:local';
