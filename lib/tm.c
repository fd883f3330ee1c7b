/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tm.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "must.h"

#define USEC 1000000

static int64_t clock_usec(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * USEC + t.tv_nsec / 1000;
}

int64_t tm_now_usec(void)
{
	return clock_usec(CLOCK_REALTIME);
}

int64_t tm_monotonic_usec(void)
{
	return clock_usec(CLOCK_MONOTONIC);
}

/* Exactly `digits` decimal digits at *s, moving it past them: the number, or -1. */
static int digits_at(const char **s, int digits)
{
	int n = 0;

	for (int i = 0; i < digits; i++, (*s)++) {
		if (**s < '0' || **s > '9')
			return -1;
		n = n * 10 + (**s - '0');
	}
	return n;
}

static int char_at(const char **s, const char *any)
{
	if (!**s || !strchr(any, **s))
		return -1;
	return *(*s)++;
}

/* A fraction of a second behind the dot, cut to microseconds. */
static int fraction_at(const char **s, int64_t *usec)
{
	int64_t unit = USEC / 10;

	*usec = 0;
	if (**s != '.')
		return 0;
	(*s)++;
	if (**s < '0' || **s > '9')
		return -1;
	for (; **s >= '0' && **s <= '9'; (*s)++, unit /= 10)
		*usec += (**s - '0') * unit;
	return 0;
}

static int offset_at(const char **s, int *minutes)
{
	int sign = char_at(s, "Zz+-"), h, m;

	*minutes = 0;
	if (sign == 'Z' || sign == 'z')
		return 0;
	h = sign < 0 ? -1 : digits_at(s, 2);
	if (h < 0 || h > 23 || char_at(s, ":") < 0)
		return -1;
	m = digits_at(s, 2);
	if (m < 0 || m > 59)
		return -1;
	*minutes = (h * 60 + m) * (sign == '-' ? -1 : 1);
	return 0;
}

static int month_days(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	int leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return month == 2 ? 28 + leap : days[month - 1];
}

int tm_parse(const char *s, int64_t *usec)
{
	struct tm t = { 0 };
	int year, offset;
	int64_t frac;

	year = digits_at(&s, 4);
	if (year < 1970 || char_at(&s, "-") < 0)
		return -1;
	t.tm_year = year - 1900;
	t.tm_mon = digits_at(&s, 2) - 1;
	if (t.tm_mon < 0 || t.tm_mon > 11 || char_at(&s, "-") < 0)
		return -1;
	t.tm_mday = digits_at(&s, 2);
	if (t.tm_mday < 1 || t.tm_mday > month_days(year, t.tm_mon + 1) || char_at(&s, "Tt ") < 0)
		return -1;
	t.tm_hour = digits_at(&s, 2);
	if (t.tm_hour < 0 || t.tm_hour > 23 || char_at(&s, ":") < 0)
		return -1;
	t.tm_min = digits_at(&s, 2);
	if (t.tm_min < 0 || t.tm_min > 59 || char_at(&s, ":") < 0)
		return -1;
	t.tm_sec = digits_at(&s, 2);
	if (t.tm_sec < 0 || t.tm_sec > 60 || fraction_at(&s, &frac) || offset_at(&s, &offset) || *s)
		return -1;
	*usec = ((int64_t)timegm(&t) - (int64_t)offset * 60) * USEC + frac;
	return *usec < 0 ? -1 : 0;
}

const char *tm_format(int64_t usec, char out[TM_TEXT])
{
	time_t sec = (time_t)(usec / USEC);
	int frac = (int)(usec % USEC);
	struct tm t;
	size_t n;

	gmtime_r(&sec, &t);
	n = strftime(out, TM_TEXT, "%Y-%m-%dT%H:%M:%S", &t);
	if (frac)
		n += (size_t)snprintf(out + n, TM_TEXT - n, ".%06d", frac);
	snprintf(out + n, TM_TEXT - n, "Z");
	return out;
}

void tm_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	must(!pthread_condattr_init(&attr));
	must(!pthread_condattr_setclock(&attr, CLOCK_MONOTONIC));
	must(!pthread_cond_init(cond, &attr));
	must(!pthread_condattr_destroy(&attr));
}
