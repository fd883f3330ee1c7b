-- SPDX-License-Identifier: GPL-2.0-or-later
-- Rules as data. kind: step, a change between neighbours of at least `percent`; limit, a value that crosses
-- `above` or `below` (in the metric's own unit, times in ns); baseline, worse than that kernel by at
-- least `percent`. confidence: the least a verdict must have. tell: names of targets beside those of the benchmark.
-- A rule that is gone keeps its row, for the alerts it made.
ALTER TABLE nsecwatch.rule ADD COLUMN kind text NOT NULL DEFAULT 'step' CHECK (kind IN ('step', 'limit', 'baseline'));
ALTER TABLE nsecwatch.rule ADD COLUMN confidence text NOT NULL DEFAULT 'weak' CHECK (confidence IN ('none', 'weak', 'strong'));
ALTER TABLE nsecwatch.rule ADD COLUMN above float8 CHECK (above > '-Infinity' AND above < 'Infinity');
ALTER TABLE nsecwatch.rule ADD COLUMN below float8 CHECK (below > '-Infinity' AND below < 'Infinity');
ALTER TABLE nsecwatch.rule ADD COLUMN unit text;
ALTER TABLE nsecwatch.rule ADD COLUMN baseline text;
ALTER TABLE nsecwatch.rule ADD COLUMN tell text[] NOT NULL DEFAULT '{}';
ALTER TABLE nsecwatch.rule ADD COLUMN note text;
ALTER TABLE nsecwatch.rule ADD COLUMN enabled boolean NOT NULL DEFAULT true;
ALTER TABLE nsecwatch.rule ADD COLUMN origin text NOT NULL DEFAULT 'api' CHECK (origin IN ('default', 'api', 'file'));
ALTER TABLE nsecwatch.rule ADD COLUMN changed_at timestamptz;
ALTER TABLE nsecwatch.rule ADD COLUMN last_matched_at timestamptz;
ALTER TABLE nsecwatch.rule ADD COLUMN last_fired_at timestamptz;
ALTER TABLE nsecwatch.rule ADD COLUMN deleted_at timestamptz;
ALTER TABLE nsecwatch.rule ADD CHECK (kind <> 'limit' OR above IS NOT NULL OR below IS NOT NULL);
ALTER TABLE nsecwatch.rule ADD CHECK (kind <> 'baseline' OR baseline IS NOT NULL);
ALTER TABLE nsecwatch.rule DROP CONSTRAINT rule_name_key;
CREATE UNIQUE INDEX rule_name ON nsecwatch.rule (name) WHERE deleted_at IS NULL;
UPDATE nsecwatch.rule SET origin = 'default' WHERE name = 'default';
