/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Learned noise is read once a version; the database is played by this file. */
#include <math.h>

#include "../../server/calc_noise_kept.h"
#include "tap.h"

static int64_t version;
static int reads;
static double variance;
static bool written_meanwhile;

int db_noise_version(struct db *db, int64_t *v, struct err *err)
{
	(void)db;
	(void)err;
	*v = version;
	return 0;
}

/* Every second series has one. */
int db_noise_read_range(struct db *db, struct arena *a, int64_t first, int64_t last, struct db_noise **list, size_t *n,
			struct err *err)
{
	(void)db;
	(void)err;
	reads++;
	if (written_meanwhile) {
		version++;
		variance = 2;
	}
	*n = 0;
	*list = arena_array(a, struct db_noise, (size_t)(last - first + 2));
	for (int64_t id = first; id <= last; id++)
		if (id % 2)
			(*list)[(*n)++] = (struct db_noise){ id, variance, 9, NAN, 5, 10 };
	return 0;
}

static struct arena *a;
static struct db_noise *list;
static size_t n;

static bool read_range(int64_t first, int64_t last)
{
	struct err err = { 0 };

	return !calc_noise_kept(NULL, a, first, last, &list, &n, &err);
}

int main(void)
{
	a = arena_new();
	version = 7;
	variance = 1;
	ok(read_range(1, 1000) && n == 500 && reads == 1 && list[0].series_id == 1, "the first time it is read");
	ok(read_range(1, 1000) && n == 500 && reads == 1 && list[499].series_id == 999, "the second time it is there");
	ok(read_range(100, 105) && n == 3 && reads == 1 && list[0].series_id == 101 && list[2].series_id == 105,
	   "and so is a part of it");
	ok(read_range(100, 2000) && reads == 2 && n == 950, "what goes beyond it is read");
	version = 8;
	variance = 3;
	ok(read_range(100, 2000) && reads == 3 && list[0].variance == 3, "a write makes it old");
	version = 9;
	written_meanwhile = true;
	ok(read_range(1, 2) && reads == 4, "written to between the number and the rows");
	written_meanwhile = false;
	ok(read_range(1, 2) && reads == 5 && list[0].variance == 2, "it is read again");
	ok(read_range(1, 2) && reads == 5, "and then kept");
	ok(read_range(1, 2 * CALC_NOISE_KEPT_MOST + 2) && n > CALC_NOISE_KEPT_MOST && read_range(1, 2) && reads == 6 && n == 1,
	   "too many are not kept, and do not push out what is");
	arena_free(a);
	return done();
}
