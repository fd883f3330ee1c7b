/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LKP's stats in JSON. stats.json (and MONITOR.json): what one run measured, a number a
 * stat, or an array of samples over the run. matrix.json: an array a stat, its index
 * the run. `X.time` beside other X stats is their axis, no result.
 */
#include "format_lkp.h"

#include <string.h>

#include "format_json.h"

#define STAT_NAME_MAX ((size_t)2 * SUBMISSION_NAME_MAX)	/* benchmark and metric */

struct reading {
	struct format_file *f;
	struct draft d;
	const struct jnode *root;
	size_t sampled;			/* stats whose values are samples over one run */
};

/* The part of a stat's name that its monitor's other stats share, with the dot. */
static size_t prefix_len(const char *name)
{
	return strcspn(name, ".") + 1;
}

static bool increases(const struct jnode *v)
{
	size_t n = jread_len(v);

	for (size_t i = 0; i < n; i++)
		if (jread_type(jread_at(v, i)) != JREAD_NUMBER ||
		    (i && jread_num(jread_at(v, i)) < jread_num(jread_at(v, i - 1))))
			return false;
	return n > 0;
}

/* "mpstat.time": when the samples of mpstat's other stats were taken. */
static bool is_axis(const char *key, const struct jnode *v)
{
	return !strcmp(key + strcspn(key, "."), ".time") && jread_type(v) == JREAD_ARRAY && increases(v);
}

/* Whether a stat's monitor says when it looked, for each of its n values (so that a long axis costs no short stat). */
static bool has_axis(const struct reading *rd, const char *key, size_t n)
{
	const char *axis = arena_printf(rd->f->a, "%.*stime", (int)prefix_len(key), key);
	const struct jnode *v = jread_get(rd->root, axis);

	return v && jread_len(v) == n && is_axis(axis, v);
}

/* The numbers of a stat; what is none is left out and said. */
static void take_values(struct reading *rd, const char *at, const struct jnode *v, struct format_series *s)
{
	size_t n = jread_len(v);

	if (jread_type(v) == JREAD_NUMBER) {
		format_series_add(rd->f->a, s, jread_num(v));
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const struct jnode *x = jread_at(v, i);

		if (jread_type(x) == JREAD_NUMBER)
			format_series_add(rd->f->a, s, jread_num(x));
		else if (rd->d.left_out->n == PROBLEMS_MAX)
			rd->d.left_out->total++;
		else
			format_left_out(&rd->d, arena_printf(rd->f->a, "%s/%zu", at, i), "expected a number");
	}
}

static void take_stat(struct reading *rd, const char *key, const struct jnode *v)
{
	const char *at = jread_pointer(rd->f->a, "", key);
	struct format_lkp_stat stat;
	struct format_series s = { .n_values = 0 };

	if (strlen(key) > STAT_NAME_MAX) {
		format_left_out(&rd->d, at, "the name is too long");
		return;
	}
	if (jread_type(v) != JREAD_NUMBER && jread_type(v) != JREAD_ARRAY) {
		format_left_out(&rd->d, at, "expected a number, or an array of numbers");
		return;
	}
	take_values(rd, at, v, &s);
	if (!s.n_values) {
		format_left_out(&rd->d, at, "no number in it");
		return;
	}
	format_lkp_stat(rd->f->a, key, &stat);
	s.r = (struct draft_result){ .in = at, .index = DRAFT_RESULT_NO_INDEX, .metric = stat.metric, .unit = stat.unit,
				     .better = stat.better, .benchmark = format_benchmark(rd->f, stat.benchmark) };
	rd->sampled += s.n_values > 1 && has_axis(rd, key, jread_len(v));
	format_series_end(&rd->d, &s, 1);
}

/* matrix.json names the files that its columns came from. */
static bool is_source(const char *key)
{
	return !strcmp(key, "stats_source");
}

static void read_stats(struct reading *rd)
{
	format_draft(rd->f, &rd->d);
	format_source(rd->f, &rd->d, "lkp-tests", NULL, NULL);
	submission_build_expect(&rd->d, jread_len(rd->root));
	for (const struct jmember *m = jread_first(rd->root); m; m = jread_next(rd->root, m)) {
		const char *key = arena_strdup(rd->f->a, jread_key(m));

		if (!is_source(key) && !is_axis(key, jread_value(m)))
			take_stat(rd, key, jread_value(m));
	}
	if (rd->sampled)
		problems_add(rd->d.warnings, "", "the values of %zu stats are samples over the time of one run, "
			     "no repetitions of it", rd->sampled);
	format_add(rd->f, &rd->d);
	submission_build_fini(&rd->d);
}

int format_lkp_read(struct format_file *f, struct err *err)
{
	struct reading rd = { .f = f };
	struct jnode *root = format_json(f, JREAD_OBJECT, "{\"STAT\": 1, \"STAT\": [1, 2]}", NULL, err);

	if (!root)
		return -1;
	rd.root = root;
	read_stats(&rd);
	jread_free(root);
	return 0;
}

/* A look at JSON without reading it: members of one object, their keys and how the values begin. */
struct look {
	const char *p, *end;
	const char *prefix;		/* of the first stat */
	size_t stats, arrays;
	bool sources, several;		/* stats_source; stats of several monitors */
};

static void blanks(struct look *l)
{
	while (l->p < l->end && strchr(" \t\r\n", *l->p))
		l->p++;
}

static bool look_at(struct look *l, char c)
{
	blanks(l);
	if (l->p == l->end || *l->p != c)
		return false;
	l->p++;
	return true;
}

/* A string without escapes, which stats' names do not need. */
static bool look_text(struct look *l, const char **text, size_t *n)
{
	const char *from, *quote;

	if (!look_at(l, '"'))
		return false;
	from = l->p;
	quote = memchr(from, '"', (size_t)(l->end - from));
	if (!quote || memchr(from, '\\', (size_t)(quote - from)))
		return false;
	*text = from;
	*n = (size_t)(quote - from);
	l->p = quote + 1;
	return true;
}

static bool look_number(struct look *l)
{
	const char *from;

	blanks(l);
	from = l->p;
	if (l->end - l->p >= 4 && !memcmp(l->p, "null", 4))
		l->p += 4;
	while (l->p < l->end && *l->p && strchr("+-.eE0123456789", *l->p))
		l->p++;
	return l->p > from;
}

/* A number (or null, which the reader will tell), or an array of them; of texts, where sources stand. */
static bool look_value(struct look *l, bool sources)
{
	const char *text;
	size_t n;

	if (!look_at(l, '['))
		return look_number(l);
	l->arrays++;
	if (look_at(l, ']'))
		return true;
	do {
		if (!(sources ? look_text(l, &text, &n) : look_number(l)))
			return false;
	} while (look_at(l, ','));
	return look_at(l, ']');
}

/* True when all of the text is an object of dotted names with numbers. */
static bool look_stats(struct look *l)
{
	static const char source[] = "stats_source";
	const char *key;
	size_t n;

	if (!look_at(l, '{'))
		return false;
	do {
		bool sources;

		if (!look_text(l, &key, &n))
			return false;
		sources = n == sizeof(source) - 1 && !memcmp(key, source, n);
		if (!look_at(l, ':') || (!sources && !memchr(key, '.', n)) || !look_value(l, sources))
			return false;
		l->sources |= sources;
		if (sources)
			continue;
		if (!l->stats++)
			l->prefix = key;
		else
			l->several |= strncmp(key, l->prefix, prefix_len(l->prefix)) != 0;
	} while (look_at(l, ','));
	return look_at(l, '}') && l->stats;
}

int format_lkp_stats_sniff(const char *text, size_t len)
{
	struct look l = { .p = text, .end = text + len };

	return look_stats(&l) && !l.sources ? 60 : 0;
}

/* Nothing in a matrix says so, but that each stat is an array, and monitors stand side by side. */
int format_lkp_matrix_sniff(const char *text, size_t len)
{
	struct look l = { .p = text, .end = text + len };

	if (!look_stats(&l))
		return 0;
	return l.sources || (l.several && l.arrays == l.stats) ? 65 : 55;
}
