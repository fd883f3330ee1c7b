/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tag of linux-next ("next-20250814") does not name its base: it is mainline's
 * newest tag of the days before. Tags of mainline come on Sundays, a week apart, rc1
 * two weeks after the release; so the days of releases are enough. A day outside the
 * table has no known base.
 */
#include "kernel_impl.h"

/* Days of release, from the tags. */
static const struct release {
	int major, minor, date;
} releases[] = {
	{ 5, 19, 20220731 }, { 6, 0, 20221002 },  { 6, 1, 20221211 },  { 6, 2, 20230219 },
	{ 6, 3, 20230423 },  { 6, 4, 20230625 },  { 6, 5, 20230827 },  { 6, 6, 20231029 },
	{ 6, 7, 20240107 },  { 6, 8, 20240310 },  { 6, 9, 20240512 },  { 6, 10, 20240714 },
	{ 6, 11, 20240915 }, { 6, 12, 20241117 }, { 6, 13, 20250119 }, { 6, 14, 20250324 },
	{ 6, 15, 20250525 }, { 6, 16, 20250727 }, { 6, 17, 20250928 }, { 6, 18, 20251130 },
	{ 6, 19, 20260208 }, { 7, 0, 20260412 },  { 7, 1, 20260614 },  { 7, 2, 20260816 },
};

#define N_RELEASES (sizeof(releases) / sizeof(*releases))
#define MERGE_WINDOW 14 /* days from a release to the next -rc1 */

static int month_days(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

	return month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : days[month - 1];
}

bool kernel_dates_valid(int yyyymmdd)
{
	int year = yyyymmdd / 10000, month = yyyymmdd / 100 % 100, day = yyyymmdd % 100;

	return year >= 1991 && year < 2100 && month >= 1 && month <= 12 && day >= 1 &&
	       day <= month_days(year, month);
}

/* Days since 1970-01-01 (the civil calendar, years beginning in March). */
static int day_of(int yyyymmdd)
{
	int year = yyyymmdd / 10000, month = yyyymmdd / 100 % 100, day = yyyymmdd % 100;
	int y = month > 2 ? year : year - 1, m = (month + 9) % 12;

	return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

/* The Sunday on or before a day: day 0 was a Thursday. */
static int sunday_of(int day)
{
	return day - (day + 4) % 7;
}

bool kernel_dates_base(int yyyymmdd, int version[3], int *rc)
{
	int day = day_of(yyyymmdd), first_rc;
	size_t last = 0;

	if (day <= day_of(releases[0].date) || day > day_of(releases[N_RELEASES - 1].date) + MERGE_WINDOW)
		return false;
	while (last + 1 < N_RELEASES && day > day_of(releases[last + 1].date))
		last++;
	*rc = 0;
	first_rc = sunday_of(day_of(releases[last].date)) + MERGE_WINDOW;
	if (last + 1 < N_RELEASES && day > first_rc) {
		last++;
		/* a release on a Monday comes when the next candidate would be due */
		if (day > sunday_of(day_of(releases[last].date)))
			day = sunday_of(day_of(releases[last].date));
		*rc = (day - first_rc - 1) / 7 + 1;
	}
	version[0] = releases[last].major;
	version[1] = releases[last].minor;
	version[2] = 0;
	return true;
}
