-- SPDX-License-Identifier: GPL-2.0-or-later
-- Machines and benchmarks under other names. name stays what the first upload said, and what labs go on
-- sending; shown is what people read instead (NULL: name); aliases are names that mean the same one.
ALTER TABLE nsecwatch.machine ADD COLUMN shown text CHECK (shown <> '');
ALTER TABLE nsecwatch.machine ADD COLUMN aliases text[] NOT NULL DEFAULT '{}';
ALTER TABLE nsecwatch.benchmark ADD COLUMN shown text CHECK (shown <> '');
ALTER TABLE nsecwatch.benchmark ADD COLUMN aliases text[] NOT NULL DEFAULT '{}';
