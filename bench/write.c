/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing 10,000 points of a chart: lib/jsonw against jansson, which needs its tree first. The same document by both.
 *   write SECONDS columns|points
 * columns: {"x":[...],"y":[...],"err":[...]}, as the API has them. points: [{"x":..,"y":..,"err":..},...].
 * Prints {"write": {...}, "jansson": {...}}.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/buf.h"
#include "../lib/jsonw.h"
#include "measure.h"
#include "pair.h"

#define POINTS 10000

static double y[POINTS], spread[POINTS];
static struct buf out;

static size_t write_points(size_t which)
{
	struct jsonw j = jsonw_begin(&out);

	(void)which;
	buf_clear(&out);
	jsonw_array(&j);
	for (int i = 0; i < POINTS; i++) {
		jsonw_object(&j);
		JSONW_KEY(&j, "x");
		jsonw_i64(&j, i);
		JSONW_KEY(&j, "y");
		jsonw_num(&j, y[i]);
		JSONW_KEY(&j, "err");
		jsonw_num(&j, spread[i]);
		jsonw_object_end(&j);
	}
	jsonw_array_end(&j);
	return out.len;
}

static size_t write_columns(size_t which)
{
	struct jsonw j = jsonw_begin(&out);

	(void)which;
	buf_clear(&out);
	jsonw_object(&j);
	jsonw_key(&j, "x");
	jsonw_array(&j);
	for (int i = 0; i < POINTS; i++)
		jsonw_i64(&j, i);
	jsonw_array_end(&j);
	jsonw_key(&j, "y");
	jsonw_array(&j);
	for (int i = 0; i < POINTS; i++)
		jsonw_num(&j, y[i]);
	jsonw_array_end(&j);
	jsonw_key(&j, "err");
	jsonw_array(&j);
	for (int i = 0; i < POINTS; i++)
		jsonw_num(&j, spread[i]);
	jsonw_array_end(&j);
	jsonw_object_end(&j);
	return out.len;
}

static size_t dump(json_t *root)
{
	char *text = json_dumps(root, JSON_COMPACT);
	size_t n;

	if (!text)
		measure_die("jansson wrote nothing");
	n = strlen(text);
	free(text);
	json_decref(root);
	return n;
}

static size_t jansson_points(size_t which)
{
	json_t *points = json_array();

	(void)which;
	for (int i = 0; i < POINTS; i++) {
		json_t *p = json_object();

		json_object_set_new_nocheck(p, "x", json_integer(i));
		json_object_set_new_nocheck(p, "y", json_real(y[i]));
		json_object_set_new_nocheck(p, "err", json_real(spread[i]));
		json_array_append_new(points, p);
	}
	return dump(points);
}

static size_t jansson_columns(size_t which)
{
	json_t *root = json_object(), *xs = json_array(), *ys = json_array(), *spreads = json_array();

	(void)which;
	for (int i = 0; i < POINTS; i++) {
		json_array_append_new(xs, json_integer(i));
		json_array_append_new(ys, json_real(y[i]));
		json_array_append_new(spreads, json_real(spread[i]));
	}
	json_object_set_new_nocheck(root, "x", xs);
	json_object_set_new_nocheck(root, "y", ys);
	json_object_set_new_nocheck(root, "err", spreads);
	return dump(root);
}

int main(int argc, char **argv)
{
	const struct pair_way points[2] = { { "write", write_points }, { "jansson", jansson_points } };
	const struct pair_way columns[2] = { { "write", write_columns }, { "jansson", jansson_columns } };
	unsigned seed = 1;

	if (argc != 3 || (strcmp(argv[2], "columns") && strcmp(argv[2], "points")))
		measure_die("usage: write SECONDS columns|points");
	for (int i = 0; i < POINTS; i++) {	/* centres and intervals: calculated, so all digits */
		y[i] = 3400 + rand_r(&seed) % 2000000 / 7e3;
		spread[i] = rand_r(&seed) % 400000 / 3e4;
	}
	buf_init(&out);
	putchar('{');
	pair_run(argv[2][0] == 'c' ? columns : points, 1, measure_seconds(argv[1]));
	puts("}");
	buf_fini(&out);
	return 0;
}
