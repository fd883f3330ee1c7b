-- SPDX-License-Identifier: GPL-2.0-or-later
-- Who is told of an alert is in the configuration of `watch`; one that a person opened waits for it.
ALTER TABLE nsecwatch.alert ADD COLUMN untold boolean NOT NULL DEFAULT false;
CREATE INDEX alert_untold ON nsecwatch.alert (id) WHERE untold;
