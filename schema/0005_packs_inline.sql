-- SPDX-License-Identifier: GPL-2.0-or-later
-- Chunks of series packs stand in the row itself, from now on: those that are there move when they
-- are written anew. Out of line, as a value of more than 2 KB does by default, a trend fetched each
-- in three pieces through a second index, and packing deleted and inserted those pieces for every
-- chunk that it added to. Two full chunks (96 samples: see db_packs_code.h) fill a page; no
-- room is kept for updates, which would keep the second one out.
ALTER TABLE nsecwatch.series_pack ALTER COLUMN body SET STORAGE MAIN;
ALTER TABLE nsecwatch.series_pack SET (fillfactor = 100);
