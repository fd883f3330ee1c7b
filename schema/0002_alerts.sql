-- SPDX-License-Identifier: GPL-2.0-or-later
-- Alerts: what `watch` finds between two neighbouring kernels of a track, and what it tells whom.
-- Facts (change, alert_member) are keyed by series and reference nothing; alert, rule and outbox
-- are few and stand on the coordinator.

-- The newest uploads are checked first: a catch-up must not make fresh ones wait.
ALTER TABLE nsecwatch.run_todo ADD COLUMN queued_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX run_todo_newest ON nsecwatch.run_todo (what, queued_at DESC, run_id);

-- When to raise an alert. selector: {"benchmark": ["mprotect/*"], "thp": ["always"]}, the
-- selectors of the reading API, each a list; {} is everything. percent: the least change.
CREATE TABLE nsecwatch.rule (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name text NOT NULL UNIQUE,
	selector jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(selector) = 'object'),
	percent float8 NOT NULL CHECK (percent > 0 AND percent < 'Infinity'),
	direction text NOT NULL DEFAULT 'both' CHECK (direction IN ('worse', 'better', 'both')),
	created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE nsecwatch.rule IS 'dist:local';

INSERT INTO nsecwatch.rule (name, selector, percent, direction) VALUES ('default', '{}', 5, 'both');

-- A step of one series between two kernels, with the newest evidence: a later boot of either
-- kernel changes the numbers, never the key. Written for every row whose verdict is a regression
-- or an improvement, whatever the rules say; follows the evidence afterwards.
CREATE TABLE nsecwatch.change (
	series_id bigint NOT NULL,
	from_kernel_id bigint NOT NULL,
	to_kernel_id bigint NOT NULL,
	from_center float8 NOT NULL,
	to_center float8 NOT NULL,
	percent float8 NOT NULL,
	verdict text NOT NULL CHECK (verdict IN ('regression', 'improvement', 'unchanged', 'inconclusive')),
	confidence text NOT NULL CHECK (confidence IN ('none', 'weak', 'strong')),
	q float8,
	from_boots bigint NOT NULL,
	to_boots bigint NOT NULL,
	PRIMARY KEY (series_id, from_kernel_id, to_kernel_id)
);
COMMENT ON TABLE nsecwatch.change IS 'dist:hash(series_id)';

-- One message for people: all steps that share kernel range, benchmark and direction. The id is
-- made of the natural key's names, so that the same step gets the same id (and Message-ID)
-- wherever and however often it is found. The range narrows when a kernel in between arrives.
-- n_series .. config_ids sum up the members, so that a list needs no scan of them.
CREATE TABLE nsecwatch.alert (
	id uuid PRIMARY KEY,
	track text NOT NULL,
	from_kernel_id bigint NOT NULL REFERENCES nsecwatch.kernel,
	to_kernel_id bigint NOT NULL REFERENCES nsecwatch.kernel,
	benchmark_id bigint NOT NULL REFERENCES nsecwatch.benchmark,
	direction text NOT NULL CHECK (direction IN ('regression', 'improvement')),
	rule_id bigint NOT NULL REFERENCES nsecwatch.rule,
	state text NOT NULL DEFAULT 'new' CHECK (state IN ('suspect', 'new', 'acknowledged', 'reported',
		'fix-posted', 'fixed', 'accepted', 'invalid', 'muted')),
	n_series bigint NOT NULL DEFAULT 0,
	worst_percent float8,
	machine_ids bigint[] NOT NULL DEFAULT '{}',
	config_ids bigint[] NOT NULL DEFAULT '{}',
	created_at timestamptz NOT NULL,
	UNIQUE (track, from_kernel_id, to_kernel_id, benchmark_id, direction)
);
COMMENT ON TABLE nsecwatch.alert IS 'dist:local';
CREATE INDEX alert_newest ON nsecwatch.alert (created_at DESC, id DESC);

-- Which steps an alert holds; the numbers stand in `change`. A series is once in an alert.
CREATE TABLE nsecwatch.alert_member (
	series_id bigint NOT NULL,
	alert_id uuid NOT NULL,
	from_kernel_id bigint NOT NULL,
	to_kernel_id bigint NOT NULL,
	direction text NOT NULL CHECK (direction IN ('regression', 'improvement')),
	PRIMARY KEY (series_id, alert_id)
);
COMMENT ON TABLE nsecwatch.alert_member IS 'dist:hash(series_id)';
CREATE INDEX alert_member_of_alert ON nsecwatch.alert_member (alert_id);

-- What is to be delivered, once each. subject and body are written down before the first
-- attempt, so that every attempt under one key says the same. next_try is also the lease of the
-- attempt under way; attempts tells whose lease it is.
CREATE TABLE nsecwatch.outbox (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	alert_id uuid NOT NULL REFERENCES nsecwatch.alert,
	kind text NOT NULL CHECK (kind IN ('webhook', 'mail')),
	idempotency_key text NOT NULL UNIQUE,
	created_at timestamptz NOT NULL,
	next_try timestamptz NOT NULL,
	attempts bigint NOT NULL DEFAULT 0,
	subject text,
	body text,
	last_error text,
	sent_at timestamptz
);
COMMENT ON TABLE nsecwatch.outbox IS 'dist:local';
CREATE INDEX outbox_waiting ON nsecwatch.outbox (kind, next_try) WHERE sent_at IS NULL;
CREATE INDEX outbox_of_alert ON nsecwatch.outbox (alert_id);
