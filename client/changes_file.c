/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "changes_file.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "../ingest/format_cells.h"
#include "../ingest/jread.h"
#include "../lib/must.h"
#include "../lib/num.h"
#include "../lib/utf8.h"
#include "file.h"

#define DEPTH 16

/* ---- JSON ---- */

static int wrong(struct err *err, const char *name, const char *what)
{
	return err_set(err, ERR_INVALID, "series \"%s\": %s", name, what);
}

static bool number(const struct jnode *v, double *out)
{
	*out = NAN;
	if (jread_type(v) == JREAD_NUMBER)
		*out = jread_num(v);
	return jread_type(v) == JREAD_NUMBER || jread_type(v) == JREAD_NULL ||
	       (jread_type(v) == JREAD_ARRAY && !jread_len(v));	/* see null_nans() */
}

/* Repetitions become their mean and standard deviation (two passes). */
static int of_repetitions(const struct jnode *v, struct change_run *run)
{
	double sum = 0, ss = 0, x;
	int64_t n = 0;

	for (size_t i = 0; i < jread_len(v); i++) {
		if (!number(jread_at(v, i), &x))
			return -1;
		if (isnan(x))
			continue;
		sum += x;
		n++;
	}
	*run = (struct change_run){ .value = n ? sum / (double)n : NAN, .sd = NAN, .reps = n };
	for (size_t i = 0; i < jread_len(v); i++) {
		number(jread_at(v, i), &x);
		if (!isnan(x))
			ss += (x - run->value) * (x - run->value);
	}
	if (n > 1)
		run->sd = sqrt(ss / (double)(n - 1));
	return 0;
}

static int add_values(struct arena *a, const struct jnode *values, struct changes_series *s, struct err *err)
{
	s->n = jread_len(values);
	s->runs = arena_array(a, struct change_run, s->n);
	for (size_t i = 0; i < s->n; i++) {
		const struct jnode *v = jread_at(values, i);
		struct change_run *run = &s->runs[i];

		*run = (struct change_run){ .sd = NAN, .reps = 1 };
		if (jread_type(v) == JREAD_ARRAY ? of_repetitions(v, run) : !number(v, &run->value))
			return wrong(err, s->name, "a value is a number, null or an array of numbers");
	}
	return 0;
}

static int add_columns(struct arena *a, const struct jnode *o, struct changes_series *s, struct err *err)
{
	const struct jnode *sd = jread_get(o, "sd"), *reps = jread_get(o, "reps"), *labels = jread_get(o, "labels");
	double n;

	if ((sd && jread_len(sd) != s->n) || (reps && jread_len(reps) != s->n) || (labels && jread_len(labels) != s->n))
		return wrong(err, s->name, "sd, reps and labels have one element a value");
	if (labels)
		s->labels = arena_array(a, const char *, s->n);
	for (size_t i = 0; i < s->n; i++) {
		if (sd && !number(jread_at(sd, i), &s->runs[i].sd))
			return wrong(err, s->name, "sd has something else than numbers and null");
		if (reps && !number(jread_at(reps, i), &n))
			return wrong(err, s->name, "reps has something else than numbers and null");
		if (reps && n >= 1 && n <= 1e15)
			s->runs[i].reps = (int64_t)n;
		if (labels)
			s->labels[i] = arena_strdup(a, jread_str(jread_at(labels, i)));
	}
	return 0;
}

static int add_series(struct arena *a, const char *name, const struct jnode *v, struct changes_series *s,
		      struct err *err)
{
	s->name = arena_strdup(a, name);
	if (jread_type(v) == JREAD_ARRAY)
		return add_values(a, v, s, err);
	if (jread_type(jread_get(v, "values")) != JREAD_ARRAY)
		return wrong(err, s->name, "no array of values");
	if (add_values(a, jread_get(v, "values"), s, err))
		return -1;
	return add_columns(a, v, s, err);
}

/*
 * Python writes NaN and Infinity, which are no JSON: outside of strings they become null. NaN
 * is shorter than that and becomes [ ], no repetitions: no value either.
 */
static void null_nans(char *text)
{
	static const char *const words[] = { "-Infinity", "Infinity", "NaN" };
	bool in_string = false;

	for (char *p = text; *p; p++) {
		if (in_string && *p == '\\' && p[1]) {
			p++;
			continue;
		}
		if (*p == '"')
			in_string = !in_string;
		for (size_t i = 0; i < 3 && !in_string; i++) {
			size_t n = strlen(words[i]);

			if (strncmp(p, words[i], n) || isalnum((unsigned char)p[n]))
				continue;
			memset(p, ' ', n);
			memcpy(p, n < 4 ? "[ ]" : "null", n < 4 ? n : 4);
			break;
		}
	}
}

static int read_json(struct arena *a, char *text, size_t len, struct changes_file *file, struct err *err)
{
	struct jread_slice whole = { text, len, 1 };
	const struct jnode *list;
	struct jnode *root;
	bool syntax;
	int ret = 0;

	null_nans(text);
	if (jread_check_depth(&whole, DEPTH, err))
		return -1;
	root = jread_parse(&whole, &syntax, err);
	if (!root)
		return -1;
	list = jread_type(jread_get(root, "series")) == JREAD_OBJECT ? jread_get(root, "series") : root;
	if (jread_type(list) == JREAD_OBJECT) {
		file->series = arena_array(a, struct changes_series, jread_len(list) + 1);
		for (const struct jmember *m = jread_first(list); m && !ret; m = jread_next(list, m))
			ret = add_series(a, jread_key(m), jread_value(m), &file->series[file->n++], err);
	} else {
		ret = err_set(err, ERR_INVALID, "an object of series is needed");
	}
	jread_free(root);
	return ret;
}

/* ---- CSV ---- */

enum { NAME, VALUE, SD, REPS, LABEL, COLUMNS };

static const char *const names[COLUMNS][4] = {
	{ "name", "series", "series_id", NULL },
	{ "value", "y", "mean", NULL },
	{ "stddev", "sd", NULL, NULL },
	{ "n", "reps", NULL, NULL },
	{ "label", "kernel", NULL, NULL },
};

struct csv {
	struct arena *a;
	struct format_cells cells;
	size_t at[COLUMNS];		/* SIZE_MAX: no such column */
	size_t *cap;			/* of each series */
	size_t cap_series;
	void *places;			/* a tree (tsearch()) of struct place */
};

struct place {
	const char *name;
	size_t at;			/* of the series in the file */
};

/* Empty, or a word for what is no number: NaN. */
static bool csv_number(const char *s, double *x)
{
	*x = NAN;
	if (!*s || !strcasecmp(s, "nan") || !strcasecmp(s, "null") || !strcasecmp(s + (*s == '-'), "inf") ||
	    !strcasecmp(s + (*s == '-'), "infinity"))
		return true;
	return !num_parse(s, strlen(s), x);
}

/* Whether the row at hand names the columns; else it is the first of data. */
static bool head(struct csv *c)
{
	bool any = false;
	double x;

	for (size_t k = 0; k < COLUMNS; k++) {
		c->at[k] = SIZE_MAX;
		for (size_t i = 0; i < 4 && names[k][i]; i++)
			for (size_t j = 0; j < c->cells.n_cells && c->at[k] == SIZE_MAX; j++)
				if (!strcasecmp(c->cells.cells[j], names[k][i]))
					c->at[k] = j;
		any |= c->at[k] != SIZE_MAX;
	}
	for (size_t j = 0; j < c->cells.n_cells && !any; j++)
		any = !csv_number(c->cells.cells[j], &x);
	return any;
}

static const char *cell(const struct csv *c, int k)
{
	return c->at[k] < c->cells.n_cells ? c->cells.cells[c->at[k]] : "";
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct place *)a)->name, ((const struct place *)b)->name);
}

static void not_owned(void *place)	/* the arena has it */
{
	(void)place;
}

/* Rows of a series may stand among others', and a file may have a series a row. */
static struct changes_series *series_of(struct csv *c, struct changes_file *file, const char *name)
{
	struct place key = { .name = name, .at = file->n }, *new, **found = tfind(&key, &c->places, by_name);

	if (found)
		return &file->series[(*found)->at];
	if (file->n == c->cap_series) {
		size_t cap = c->cap_series ? 2 * c->cap_series : 8;

		file->series = arena_grow(c->a, file->series, file->n * sizeof(*file->series), cap * sizeof(*file->series));
		c->cap = arena_grow(c->a, c->cap, file->n * sizeof(*c->cap), cap * sizeof(*c->cap));
		c->cap_series = cap;
	}
	new = arena_alloc(c->a, sizeof(*new));
	*new = key;
	must(tsearch(new, &c->places, by_name));
	c->cap[file->n] = 0;
	file->series[file->n] = (struct changes_series){ .name = name };
	return &file->series[file->n++];
}

static int add_row(struct csv *c, struct changes_file *file, const char *standard, struct err *err)
{
	const char *name = *cell(c, NAME) ? cell(c, NAME) : standard;
	struct changes_series *s = series_of(c, file, name);
	size_t *cap = &c->cap[s - file->series];
	struct change_run run = { .reps = 1 };
	double reps;

	if (!csv_number(cell(c, VALUE), &run.value) || !csv_number(cell(c, SD), &run.sd) ||
	    !csv_number(cell(c, REPS), &reps))
		return err_set(err, ERR_INVALID, "line %zu: value, stddev and n are numbers", c->cells.row_line);
	if (reps >= 1 && reps <= 1e15)
		run.reps = (int64_t)reps;
	if (s->n == *cap) {
		size_t more = *cap ? 2 * *cap : 64;

		s->runs = arena_grow(c->a, s->runs, s->n * sizeof(*s->runs), more * sizeof(*s->runs));
		s->labels = arena_grow(c->a, s->labels, s->n * sizeof(*s->labels), more * sizeof(*s->labels));
		*cap = more;
	}
	s->labels[s->n] = *cell(c, LABEL) ? cell(c, LABEL) : NULL;
	s->runs[s->n++] = run;
	return 0;
}

static int read_csv(struct arena *a, const char *text, size_t len, const char *standard, struct changes_file *file,
		    struct err *err)
{
	struct csv c = { .a = a };
	struct buf scratch;
	int row, ret = 0;

	buf_init(&scratch);
	format_cells_init(&c.cells, a, &scratch, text, len);
	row = format_cells_row(&c.cells);
	if (row > 0 && head(&c)) {
		if (c.at[VALUE] == SIZE_MAX && c.cells.n_cells == 1)
			c.at[VALUE] = 0;
		if (c.at[VALUE] == SIZE_MAX)
			ret = err_set(err, ERR_INVALID, "line 1: no column value (nor y, nor mean)");
		row = format_cells_row(&c.cells);
	} else if (row > 0) {
		c.at[VALUE] = 0;
		if (c.cells.n_cells != 1)
			ret = err_set(err, ERR_INVALID, "line 1: several columns, and no line with their names");
	}
	for (; row > 0 && !ret; row = format_cells_row(&c.cells))
		ret = add_row(&c, file, standard, err);
	if (row < 0 && !ret)
		ret = err_set(err, ERR_INVALID, "line %zu: a quote that never closes", c.cells.row_line);
	tdestroy(c.places, not_owned);
	buf_fini(&scratch);
	return ret;
}

int changes_file_read(struct arena *a, const char *path, struct changes_file *file, struct err *err)
{
	const char *standard = strcmp(path, "-") ? file_name(path) : "series";
	struct buf text;
	size_t skip;
	int ret = -1;

	*file = (struct changes_file){ 0 };
	buf_init(&text);
	if (file_read(path, &text)) {
		err_set(err, ERR_SETUP, "%s", strerror(errno));
	} else if (utf8_good(text.p, text.len) != text.len || strlen(text.p) != text.len) {
		err_set(err, ERR_INVALID, "no text in UTF-8");
	} else {
		skip = strncmp(text.p, "\xef\xbb\xbf", 3) ? 0 : 3;
		skip += strspn(text.p + skip, " \t\r\n");
		if (text.p[skip] == '{' || text.p[skip] == '[')
			ret = read_json(a, text.p + skip, text.len - skip, file, err);
		else
			ret = read_csv(a, text.p + skip, text.len - skip, standard, file, err);
		if (!ret && !file->n)
			ret = err_set(err, ERR_INVALID, "no series in it");
	}
	buf_fini(&text);
	return ret;
}
