-- SPDX-License-Identifier: GPL-2.0-or-later
-- What the first page asks for without looking at what it does not show: alerts that nobody has ended, and those of the newest kernels.
CREATE INDEX alert_open ON nsecwatch.alert (created_at, id) WHERE state NOT IN ('fixed', 'accepted', 'invalid', 'muted');
CREATE INDEX alert_to ON nsecwatch.alert (to_kernel_id);
