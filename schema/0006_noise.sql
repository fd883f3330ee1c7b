-- SPDX-License-Identifier: GPL-2.0-or-later
-- How much one boot of a series differs from the next, learned from its kernels. Derived from
-- runs by whoever checks them (nsecwatchd rebuild makes it anew), never the truth, and only
-- written when it says something else than before: a comparison of thousands of series reads this
-- where it cannot read all their samples.

CREATE TABLE nsecwatch.series_noise (
	series_id bigint PRIMARY KEY,
	variance  float8 NOT NULL CHECK (variance >= 0 AND variance < 'Infinity'),	-- of ln of the mean of one boot of `reps` repetitions
	df        float8 NOT NULL CHECK (df > 0 AND df < 'Infinity'),			-- degrees of freedom of that
	within    float8 CHECK (within >= 0 AND within < 'Infinity'),			-- variance of ln of one repetition in a boot
	reps      float8 NOT NULL CHECK (reps > 0 AND reps < 'Infinity'),
	kernels   bigint NOT NULL CHECK (kernels > 0)
);
COMMENT ON TABLE nsecwatch.series_noise IS 'dist:hash(series_id)';
