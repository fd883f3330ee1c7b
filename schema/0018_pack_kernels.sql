-- SPDX-License-Identifier: GPL-2.0-or-later
-- Which kernels a chunk's samples are of, as one number made of their ids: chunks of equal numbers hold the
-- same. NULL: of many, or written before. Where a machine has thousands of boots of a kernel, a
-- check reads the newest of those chunks and leaves the rest where it is.
ALTER TABLE nsecwatch.series_pack ADD COLUMN kernel_set bigint;
