/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_noise_kept.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {			/* under lock; one range, the last that was read */
	bool any;
	int64_t version, first, last;
	struct db_noise *list;
	size_t n, cap;
} kept;

/* The first that is not below id. */
static size_t place_of(int64_t id)
{
	size_t from = 0, to = kept.n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (kept.list[mid].series_id < id)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

static bool get(int64_t version, struct arena *a, int64_t first, int64_t last, struct db_noise **list, size_t *n)
{
	bool found;

	pthread_mutex_lock(&lock);
	found = kept.any && kept.version == version && kept.first <= first && kept.last >= last;
	if (found) {
		size_t from = place_of(first), to = last == INT64_MAX ? kept.n : place_of(last + 1);

		*n = to - from;
		*list = arena_alloc(a, (*n + 1) * sizeof(**list));
		memcpy(*list, kept.list + from, *n * sizeof(**list));
	}
	pthread_mutex_unlock(&lock);
	return found;
}

/* A range that is older, or less of the same, does not take the place of what there is. */
static void put(int64_t version, int64_t first, int64_t last, const struct db_noise *list, size_t n)
{
	pthread_mutex_lock(&lock);
	if (n && n <= CALC_NOISE_KEPT_MOST && (!kept.any || version > kept.version || last - first > kept.last - kept.first)) {
		if (n > kept.cap) {
			struct db_noise *more = realloc(kept.list, n * sizeof(*more));

			if (!more)
				goto out;	/* it is only kept to be faster */
			kept.list = more;
			kept.cap = n;
		}
		memcpy(kept.list, list, n * sizeof(*list));
		kept.n = n;
		kept.version = version;
		kept.first = first;
		kept.last = last;
		kept.any = true;
	}
out:
	pthread_mutex_unlock(&lock);
}

int calc_noise_kept(struct db *db, struct arena *a, int64_t first, int64_t last, struct db_noise **list, size_t *n,
		    struct err *err)
{
	int64_t version;

	/* the version first: what is read after it may be newer than it says, which is put right at the next call */
	if (db_noise_version(db, &version, err))
		return -1;
	if (get(version, a, first, last, list, n))
		return 0;
	if (db_noise_read_range(db, a, first, last, list, n, err))
		return -1;
	put(version, first, last, *list, *n);
	return 0;
}
