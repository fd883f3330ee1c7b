/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line of perf stat -x: [time,][group,[cpus,]]value,unit,event[,variance],runtime,
 * percent running[,metric value,metric unit]. Which fields are there, the line has to
 * tell by itself: an event is what stands two behind a value.
 */
#include "format_perf_stat.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "../lib/num.h"

#define FIELDS_MAX 24

/* Cuts a copy of the line; an event's own commas, between slashes, do not cut. */
static size_t cut(struct arena *a, const char *line, char separator, char **fields)
{
	char *p = arena_strdup(a, line);
	bool in_event = false;
	size_t n = 0;

	fields[n++] = p;
	for (; *p && n < FIELDS_MAX; p++) {
		if (*p == '/')
			in_event = !in_event && strchr(p + 1, '/');
		if (*p != separator || in_event)
			continue;
		*p = 0;
		fields[n++] = p + 1;
	}
	return n;
}

static bool is_number(const char *s)
{
	double v;

	return !num_parse(s, strlen(s), &v);
}

static bool is_value(const char *s)
{
	return is_number(s) || !strcmp(s, "<not counted>") || !strcmp(s, "<not supported>");
}

static bool is_unit(const char *s)
{
	return !*s || (isalpha((unsigned char)*s) && strlen(s) < 16) || *s == '%';
}

static bool is_event(const char *s)
{
	size_t n = strlen(s);

	return n > 1 && strpbrk(s, "abcdefghijklmnopqrstuvwxyz") && s[n - 1] != '%' && !strchr(s, ' ') && !strchr(s, '"');
}

/* Runtime and percent running stand behind the event, or behind a variance. */
static bool has_tail(char **fields, size_t n, size_t event, double *spread)
{
	size_t i = event + 1, m;

	*spread = NAN;
	if (i < n && (m = strlen(fields[i])) > 1 && fields[i][m - 1] == '%') {
		if (num_parse(fields[i], m - 1, spread))
			*spread = NAN;
		i++;
	}
	return i + 1 < n && is_number(fields[i]) && is_number(fields[i + 1]);
}

bool format_perf_stat_csv(struct arena *a, const char *line, struct format_perf_stat_count *c)
{
	static const char separators[] = ",;|";
	char *fields[FIELDS_MAX];

	for (const char *s = separators; *s; s++) {
		size_t n = strchr(line, *s) ? cut(a, line, *s, fields) : 0;

		for (size_t i = 0; i + 4 < n && i < 4; i++) {
			if (!is_value(fields[i]) || !is_unit(fields[i + 1]) || !is_event(fields[i + 2]) ||
			    !has_tail(fields, n, i + 2, &c->spread))
				continue;
			c->line = 0;
			c->value = fields[i];
			c->unit = fields[i + 1];
			c->event = fields[i + 2];
			c->group = NULL;
			c->interval = i && is_number(fields[0]);
			for (size_t g = 0; g < i; g++)
				if (isalpha((unsigned char)*fields[g]))
					c->group = fields[g];
			return true;
		}
	}
	return false;
}
