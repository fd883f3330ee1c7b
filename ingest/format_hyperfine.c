/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hyperfine --export-json: a command with the time of each run. A run that did not
 * exit with 0 measured something else and is left out. A time of 0 is what hyperfine
 * gives for a command as quick as starting a shell: no time, but where the others make
 * a mean above 0, that is kept as a summary. --export-csv has summaries only.
 */
#include "format_sink.h"

#include <math.h>
#include <string.h>

#include "../lib/num.h"
#include "format_cells.h"
#include "format_json.h"

static void set_params(struct format_sink *k, const struct jnode *params)
{
	k->n_params = 0;
	for (const struct jmember *m = jread_first(params); m; m = jread_next(params, m))
		format_sink_word(k, jread_key(m), jread_str(jread_value(m)));
}

static bool has_zero(const struct jnode *times)
{
	for (size_t i = 0; i < jread_len(times); i++)
		if (jread_type(jread_at(times, i)) == JREAD_NUMBER && !(jread_num(jread_at(times, i)) > 0))
			return true;
	return false;
}

static double above_0(double v)
{
	return v > 0 ? v : NAN;
}

/* The command's own figures of n runs. */
static void take_summary(struct format_sink *k, struct draft_result *r, const struct jnode *row, int64_t n)
{
	r->has_summary = true;
	r->n = n;
	r->mean = format_json_number(jread_get(row, "mean"));
	r->median = above_0(format_json_number(jread_get(row, "median")));
	r->stddev = n > 1 ? format_json_number(jread_get(row, "stddev")) : NAN;
	r->min = above_0(format_json_number(jread_get(row, "min")));
	r->max = above_0(format_json_number(jread_get(row, "max")));
	format_sink_result(k, r);
}

/* null is a signal's end; older versions had no codes. */
static bool passed(const struct jnode *codes, size_t i)
{
	const struct jnode *c = jread_at(codes, i);
	int64_t code;

	return !c || (jread_int(c, &code) && !code);
}

static void take_times(struct format_sink *k, struct draft_result *r, const struct jnode *row, const char *at)
{
	const struct jnode *times = jread_get(row, "times"), *codes = jread_get(row, "exit_codes");
	size_t n = jread_len(times), good = 0;

	if (jread_type(times) != JREAD_ARRAY || !n) {
		take_summary(k, r, row, 1);
		return;
	}
	if (has_zero(times)) {
		problems_add(k->d.warnings, at, "times of 0: the command is too quick to be measured; hyperfine's mean is kept, "
			     "no repetitions");
		take_summary(k, r, row, (int64_t)n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		good += passed(codes, i);
	if (!good) {
		r->status = RESULT_FAILED;
		r->error = "each run of the command failed";
		format_sink_result(k, r);
	}
	for (size_t i = 0; i < n && good; i++)
		if (passed(codes, i))
			format_sink_add(k, r, format_json_number(jread_at(times, i)));
		else
			format_left_out(&k->d, format_json_place(k->f->a, arena_printf(k->f->a, "%s/exit_codes", at), i),
					"this run of the command failed: its time is no measurement");
}

static void take_row(struct format_sink *k, const struct jnode *row, size_t i)
{
	const char *at = format_json_place(k->f->a, "/results", i);
	struct draft_result r = { .in = at, .index = DRAFT_RESULT_NO_INDEX, .benchmark = format_json_text(row, "command"),
				  .metric = "time", .unit = "s", .better = BETTER_LOWER };

	if (!r.benchmark) {
		format_left_out(&k->d, at, "expected {\"command\": TEXT, \"times\": [SECONDS, ...]}");
		return;
	}
	set_params(k, jread_get(row, "parameters"));
	take_times(k, &r, row, at);
}

int format_hyperfine_read(struct format_file *f, struct err *err)
{
	struct format_sink k;
	struct jnode *root = format_json(f, JREAD_OBJECT, "{\"results\": [{\"command\": ...}]}", NULL, err);
	const struct jnode *rows = root ? jread_get(root, "results") : NULL;

	if (!root)
		return -1;
	if (jread_type(rows) != JREAD_ARRAY) {
		jread_free(root);
		return err_set(err, ERR_INVALID, "/results: expected an array, hyperfine's results");
	}
	format_sink_init(&k, f, "hyperfine");
	for (size_t i = 0; i < jread_len(rows); i++)
		take_row(&k, jread_at(rows, i), i);
	format_sink_end(&k);
	jread_free(root);
	return 0;
}

int format_hyperfine_sniff(const char *text, size_t len)
{
	return *text == '{' && format_json_has(text, len, "results") && format_json_has(text, len, "command") &&
		format_json_has(text, len, "mean") && format_json_has(text, len, "user") ? 80 : 0;
}

/* ---- CSV ---- */

static const char csv_header[] = "command,mean,stddev,median,user,system,min,max";

static double cell(const struct format_cells *c, size_t i)
{
	double v;

	return i < c->n_cells && !num_parse(c->cells[i], strlen(c->cells[i]), &v) ? v : NAN;
}

/* "parameter_n" is the parameter n. */
static void csv_params(struct format_sink *k, const struct format_cells *c, char *const *names, size_t n)
{
	static const char prefix[] = "parameter_";

	k->n_params = 0;
	for (size_t i = 8; i < n && i < c->n_cells; i++)
		if (!strncmp(names[i], prefix, strlen(prefix)) && names[i][strlen(prefix)])
			format_sink_word(k, names[i] + strlen(prefix), c->cells[i]);
}

static void csv_row(struct format_sink *k, const struct format_cells *c)
{
	struct draft_result r = { .in = "line", .index = c->row_line, .benchmark = c->cells[0], .metric = "time", .unit = "s",
				  .better = BETTER_LOWER, .has_summary = true, .n = 1, .mean = cell(c, 1), .stddev = NAN,
				  .median = above_0(cell(c, 3)), .min = above_0(cell(c, 6)), .max = above_0(cell(c, 7)) };

	if (c->n_cells < 8 || isnan(r.mean))
		format_left_out_line(&k->d, c->row_line, "expected %s", csv_header);
	else
		format_sink_result(k, &r);
}

int format_hyperfine_csv_read(struct format_file *f, struct err *err)
{
	struct format_cells c;
	struct format_sink k;
	struct buf scratch;
	char **names;
	size_t n;

	buf_init(&scratch);
	format_cells_init(&c, f->a, &scratch, f->text, f->len);
	if (format_cells_row(&c) <= 0 || c.n_cells < 8 || strcmp(c.cells[0], "command") || strcmp(c.cells[7], "max")) {
		buf_fini(&scratch);
		return err_line(err, ERR_INVALID, c.row_line, "expected hyperfine's header: %s", csv_header);
	}
	n = c.n_cells;
	names = arena_array(f->a, char *, n);
	for (size_t i = 0; i < n; i++)
		names[i] = arena_strdup(f->a, c.cells[i]);
	format_sink_init(&k, f, "hyperfine");
	problems_add(k.d.warnings, "", "hyperfine's CSV does not say of how many runs a mean is, nor its runs: "
		     "--export-json does");
	while (format_cells_row(&c) > 0) {
		csv_params(&k, &c, names, n);
		csv_row(&k, &c);
	}
	format_sink_end(&k);
	buf_fini(&scratch);
	return 0;
}

int format_hyperfine_csv_sniff(const char *text, size_t len)
{
	return len >= strlen(csv_header) && !memcmp(text, csv_header, strlen(csv_header)) ? 90 : 0;
}
