-- SPDX-License-Identifier: GPL-2.0-or-later
-- Who asked for a delivery to be sent again stands in the audit trail, too.
ALTER TABLE nsecwatch.event
	DROP CONSTRAINT event_kind_check,
	ADD CONSTRAINT event_kind_check CHECK (kind IN ('alert', 'run', 'machine', 'benchmark', 'rule', 'mute',
		'expectation', 'delivery'));
