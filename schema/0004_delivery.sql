-- SPDX-License-Identifier: GPL-2.0-or-later
-- Delivery: for whom a row is, when it was given up, and what waits for a digest.

-- target: a mail address, or the name of a webhook in the configuration of `watch` (never its
-- URL, which can be a secret); 'default': what the options name. event: what it tells: 'opened',
-- or a digest as 'weekly-2026-02-09', which has no alert of its own. A row waits until it is
-- sent or dead; a dead one waits again when somebody asks for it. busy_until: the lease of the
-- attempt under way, renewed while it lasts.
ALTER TABLE nsecwatch.outbox
	DROP CONSTRAINT outbox_kind_check,
	ALTER COLUMN alert_id DROP NOT NULL,
	ADD COLUMN target text NOT NULL DEFAULT 'default',
	ADD COLUMN event text NOT NULL DEFAULT 'opened',
	ADD COLUMN dead_at timestamptz,
	ADD COLUMN busy_until timestamptz,
	ADD COLUMN again_at timestamptz,
	ADD COLUMN again_by text,
	ADD CONSTRAINT outbox_kind_check CHECK (kind IN ('mail', 'webhook', 'slack', 'mattermost', 'matrix')),
	ADD CONSTRAINT outbox_one_end CHECK (sent_at IS NULL OR dead_at IS NULL);
ALTER TABLE nsecwatch.outbox
	ALTER COLUMN target DROP DEFAULT,
	ALTER COLUMN event DROP DEFAULT;
DROP INDEX nsecwatch.outbox_waiting;
CREATE INDEX outbox_waiting ON nsecwatch.outbox (next_try) WHERE sent_at IS NULL AND dead_at IS NULL;
CREATE INDEX outbox_dead ON nsecwatch.outbox (id) WHERE dead_at IS NOT NULL;

-- What a digest will tell: an alert's event, once for each who gets it. outbox_id: the digest it
-- went into. created_at decides which digest is the next one.
CREATE TABLE nsecwatch.digest_item (
	kind text NOT NULL,
	target text NOT NULL,
	alert_id uuid NOT NULL REFERENCES nsecwatch.alert,
	event text NOT NULL,
	period text NOT NULL CHECK (period IN ('daily', 'weekly')),
	created_at timestamptz NOT NULL,
	outbox_id bigint REFERENCES nsecwatch.outbox,
	PRIMARY KEY (kind, target, alert_id, event)
);
COMMENT ON TABLE nsecwatch.digest_item IS 'dist:local';
CREATE INDEX digest_item_waiting ON nsecwatch.digest_item (kind, target, period) WHERE outbox_id IS NULL;
CREATE INDEX digest_item_of_outbox ON nsecwatch.digest_item (outbox_id) WHERE outbox_id IS NOT NULL;
CREATE INDEX digest_item_of_alert ON nsecwatch.digest_item (alert_id);
