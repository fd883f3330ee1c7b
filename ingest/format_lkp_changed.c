/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LKP's cases of changed stats: matrix_a and matrix_b, the runs of each stat on two
 * kernels that are not named (kernel=FIRST|SECOND), and what LKP makes of them.
 */
#include <string.h>

#include "../lib/num.h"
#include "format_lkp.h"
#include "format_sink.h"
#include "yread.h"

static void take_stat(struct format_sink *k, const char *in, const char *name, const struct ynode *runs)
{
	struct format_lkp_stat stat;
	struct draft_result r = { .index = DRAFT_RESULT_NO_INDEX };
	double v;

	format_lkp_stat(k->f->a, name, &stat);
	r.benchmark = stat.benchmark;
	r.metric = stat.metric;
	r.unit = stat.unit;
	r.better = stat.better;
	for (size_t i = 0; runs->type == YREAD_LIST && i < runs->n; i++) {
		const struct ynode *run = runs->items[i];

		r.in = arena_printf(k->f->a, "line %zu", run->line);
		if (run->type == YREAD_TEXT && !num_parse(run->text, strlen(run->text), &v))
			format_sink_add(k, &r, v);
		else
			submission_build_wrong(&k->d, &r, NULL, "expected a number in %s, of %s", in, name);
	}
	if (runs->type != YREAD_LIST)
		format_left_out_line(&k->d, runs->line, "expected a list of numbers: the runs of %s", name);
}

static void take_matrix(struct format_file *f, const char *name, const struct ynode *matrix, const char *kernel)
{
	struct format_sink k;

	format_sink_init(&k, f, "lkp");
	k.d.kernel = kernel;
	for (size_t i = 0; i < matrix->n; i++)
		take_stat(&k, name, matrix->keys[i], matrix->items[i]);
	format_sink_end(&k);
}

int format_lkp_changed_read(struct format_file *f, struct err *err)
{
	const struct ynode *root = yread(f->a, f->text, f->len, SUBMISSION_DEPTH_MAX, err), *a, *b;
	const char **kernels;

	if (!root)
		return -1;
	a = yread_get(root, "matrix_a");
	b = yread_get(root, "matrix_b");
	if (!a || !b || a->type != YREAD_MAP || b->type != YREAD_MAP)
		return err_set(err, ERR_INVALID, "lkp-changed-stats: expected matrix_a and matrix_b, each with the runs of its stats");
	kernels = format_kernels(f, 2, "matrix_a, matrix_b", err);
	if (!kernels)
		return -1;
	take_matrix(f, "matrix_a", a, kernels[0]);
	take_matrix(f, "matrix_b", b, kernels[1]);
	return 0;
}

int format_lkp_changed_sniff(const char *text, size_t len)
{
	const char *b = memmem(text, len, "\nmatrix_b:", strlen("\nmatrix_b:"));

	return b && memmem(text, (size_t)(b - text), "matrix_a:", strlen("matrix_a:")) ? 85 : 0;
}
