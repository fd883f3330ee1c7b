-- SPDX-License-Identifier: GPL-2.0-or-later
-- Who may do what, and who did: limits and ends of tokens, people signed in by a browser, and from where a decision came.

-- machines, benchmarks: globs of the names that uploads with it may have; NULL: any. last_used_at: to some
-- minutes, since each write makes every kept answer old.
ALTER TABLE nsecwatch.token
	ADD COLUMN machines text[] CHECK (cardinality(machines) > 0),
	ADD COLUMN benchmarks text[] CHECK (cardinality(benchmarks) > 0),
	ADD COLUMN expires_at timestamptz,
	ADD COLUMN last_used_at timestamptz;

-- Browsers that are signed in: the cookie's secret as its SHA-256. token_id NULL: a trusted proxy said who it
-- is, and has to say so with each request. used_at: to some minutes, likewise.
CREATE TABLE nsecwatch.session (
	sha256     bytea PRIMARY KEY CHECK (octet_length(sha256) = 32),
	token_id   bigint REFERENCES nsecwatch.token,
	who        text NOT NULL CHECK (who <> ''),
	made_at    timestamptz NOT NULL,
	used_at    timestamptz NOT NULL,
	expires_at timestamptz NOT NULL
);
COMMENT ON TABLE nsecwatch.session IS 'dist:local';
CREATE INDEX session_of ON nsecwatch.session (token_id);

-- via: how the one who did it was known: token, session, proxy, command; NULL: not told, or the program itself. address:
-- from where; request_id: which line of the log. For admins; what was decided is for all who read.
ALTER TABLE nsecwatch.event
	ADD COLUMN via text,
	ADD COLUMN address text,
	ADD COLUMN request_id text,
	DROP CONSTRAINT event_kind_check,
	ADD CONSTRAINT event_kind_check CHECK (kind IN ('alert', 'run', 'machine', 'benchmark', 'rule', 'mute',
		'expectation', 'delivery', 'kernel', 'page'));

-- Who was given access, and who came in: the same trail, but of this server alone. Decisions go along where the data
-- goes; this does not. The ids are of one sequence, so that the two are one list.
CREATE TABLE nsecwatch.access_event (
	id bigint PRIMARY KEY DEFAULT nextval('nsecwatch.event_id_seq'::regclass),
	at timestamptz NOT NULL,
	who text NOT NULL CHECK (who <> ''),
	kind text NOT NULL CHECK (kind IN ('token', 'session')),
	object text NOT NULL,
	action text NOT NULL,
	details jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(details) = 'object'),
	via text,
	address text,
	request_id text
);
COMMENT ON TABLE nsecwatch.access_event IS 'dist:local';
