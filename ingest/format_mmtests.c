/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The compare tables of mmtests: a row a statistic of an operation, a column a kernel,
 * behind each value its gain in percent. Each column is a submission. Arithmetic means
 * (Amean) are of times, lower is better; harmonic means (Hmean) of rates, higher is. The
 * other rows are aggregates of the same numbers. No unit is printed.
 */
#include "format_columns.h"

#include <string.h>

#include "../lib/jsonw.h"

#define HEADS 3				/* lines above the rows: machine, versions, patches */

struct head {
	struct format_words words;
	const char *text;
	size_t line;
};

struct reading {
	struct format_file *f;
	struct format_columns c;
	struct head heads[HEADS];	/* the last lines that were no rows; [HEADS - 1] is the latest */
	size_t n_heads;
	size_t aggregates;		/* rows of the table that are no means */
};

struct row {
	const char *statistic, *operation;
	double values[FORMAT_COLUMNS_MAX];
	size_t n;
};

/* The gain behind a value, "(   1.85%)" or "*   2.39%*", from word i: how many words, 0 for none. */
static size_t gain(const struct format_words *words, size_t i)
{
	struct format_word w = i < words->n ? words->w[i] : (struct format_word){ "", 0 };
	char open = w.n ? *w.p : 0;
	size_t used = 1;

	if (open != '(' && open != '*')
		return 0;
	w.p++;
	w.n--;
	if (!w.n) {
		if (++i == words->n)
			return 0;
		w = words->w[i];
		used = 2;
	}
	if (w.n < 2 || w.p[w.n - 1] != (open == '(' ? ')' : '*'))
		return 0;
	return w.p[w.n - 2] == '%' ? used : 0;
}

/* Columns from word i on; what is behind them ("<--") is somebody's remark. */
static size_t read_values(const struct format_words *words, size_t i, double values[FORMAT_COLUMNS_MAX])
{
	size_t n = 0, used;

	while (n < FORMAT_COLUMNS_MAX && i < words->n && format_words_number(&words->w[i], &values[n])) {
		used = gain(words, i + 1);
		if (!used)
			break;
		i += used + 1;
		n++;
	}
	return n;
}

/* STATISTIC OPERATION VALUE (GAIN%) VALUE (GAIN%) ... */
static bool read_row(struct arena *a, const struct format_words *words, struct row *row)
{
	double v;

	if (words->n < 4 || format_words_number(&words->w[0], &v))
		return false;
	for (size_t i = 2; i < words->n && i < 6; i++) {	/* an operation may have blanks in its name */
		const struct format_word *last = &words->w[i - 1];

		row->n = read_values(words, i, row->values);
		if (!row->n)
			continue;
		row->statistic = format_words_text(a, &words->w[0]);
		row->operation = arena_strndup(a, words->w[1].p, (size_t)(last->p + last->n - words->w[1].p));
		return true;
	}
	return false;
}

static bool is_kernels(struct arena *a, const struct format_words *words)
{
	struct kernel k;
	struct err err = { 0 };

	for (size_t i = 0; i < words->n; i++)
		if (kernel_parse(a, format_words_text(a, &words->w[i]), &k, &err))
			return false;
	return words->n > 0;
}

/* What the lines above the rows say: *versions and *patches are NULL where there are none. */
struct above {
	const struct head *versions, *patches, *machine;
};

static struct above look_above(struct reading *rd, size_t columns)
{
	const struct head *last = &rd->heads[HEADS - 1];
	struct above up = { .versions = NULL };
	size_t used = 0;

	if (rd->n_heads && last->words.n == columns) {
		used = 1;
		if (is_kernels(rd->f->a, &last->words))
			up.versions = last;
		else
			up.patches = last;
	}
	if (up.patches && rd->n_heads > 1 && last[-1].words.n == columns && is_kernels(rd->f->a, &last[-1].words)) {
		up.versions = last - 1;
		used = 2;
	}
	if (rd->n_heads > used)
		up.machine = last - used;
	return up;
}

static const char *line_at(struct arena *a, const struct head *h)
{
	return arena_printf(a, "line %zu", h->line);
}

/* VERSION, and a patch (series) on it unless the column is the base of all. */
static void name_kernel(struct draft *d, const struct above *up, size_t column)
{
	const char *patch = up->patches ? format_words_text(d->a, &up->patches->words.w[column]) : NULL;

	if (up->versions) {
		const char *version = format_words_text(d->a, &up->versions->words.w[column]);

		if (d->kernel && !format_same_name(d->kernel, version))
			problems_add(d->warnings, line_at(d->a, up->versions), "the table says %s; kernel= is for tables "
				     "that do not say", version);
		d->kernel = version;
		d->kernel_at = line_at(d->a, up->versions);
	} else if (!up->patches) {
		problems_add(d->problems, "", "expected a line with the names of the kernels above the first row");
		d->kernel = submission_build_said;
	}
	if (!patch || !strcmp(patch, "vanilla") || !strcmp(patch, "baseline"))
		return;
	d->applies = arena_array(d->a, struct kernel_patch, 1);
	d->applies[0].title = patch;
	d->n_applies = 1;
	d->has_variant = true;
}

static void name_machine(struct reading *rd, struct draft *d, const struct above *up)
{
	if (!up->machine || (d->machine && rd->c.tables == 1))
		return;
	if (d->machine)
		problems_add(d->warnings, line_at(d->a, up->machine), "this table is of \"%s\"; machine= is not for "
			     "several tables", up->machine->text);
	d->machine = up->machine->text;
}

/* What stands above the table, whoever the machine is then said to be. */
static void set_environment(struct draft *d, const struct above *up)
{
	struct jsonw j = jsonw_begin(&d->scratch);

	if (!up->machine)
		return;
	buf_clear(&d->scratch);
	jsonw_object(&j);
	jsonw_kstr(&j, "heading", up->machine->text);
	jsonw_object_end(&j);
	d->environment = arena_strndup(d->a, d->scratch.p, d->scratch.len);
}

static void begin_table(struct reading *rd, size_t columns)
{
	struct above up = look_above(rd, columns);

	rd->aggregates = 0;
	format_columns_begin(&rd->c, columns, "mmtests");
	for (size_t i = 0; i < rd->c.n; i++) {
		struct draft *d = &rd->c.drafts[i];

		name_kernel(d, &up, i);
		name_machine(rd, d, &up);
		set_environment(d, &up);
	}
	rd->n_heads = 0;
}

static void end_table(struct reading *rd)
{
	if (rd->c.n && rd->aggregates)
		format_columns_warn(&rd->c, arena_printf(rd->f->a, "%zu rows are aggregates of the same numbers (Min, "
							 "Stddev, ...): only Amean and Hmean are imported", rd->aggregates));
	format_columns_end(&rd->c);
}

/* "page_fault1-processes-12": the count behind a word that says what is counted is a parameter. */
static size_t count_param(struct arena *a, char *operation, struct draft_param *param)
{
	static const char *const counted[] = { "processes", "threads", "clients", "tasks", "groups", "jobs", NULL };
	char *count = strrchr(operation, '-'), *word;
	struct format_word w;

	if (!count || count == operation)
		return 0;
	w = (struct format_word){ count + 1, strlen(count + 1) };
	if (!w.n || strspn(w.p, "0123456789") < w.n || !format_words_number(&w, &param->number))
		return 0;
	for (word = count; word > operation && word[-1] != '-'; word--)
		;
	for (size_t i = 0; counted[i] && word > operation + 1; i++) {
		if (strlen(counted[i]) != (size_t)(count - word) || strncmp(word, counted[i], (size_t)(count - word)))
			continue;
		param->name = arena_strndup(a, word, (size_t)(count - word));
		param->type = PARAM_NUMBER;
		word[-1] = 0;
		return 1;
	}
	return 0;
}

static enum better better_of(const char *statistic)
{
	return !strcmp(statistic, "Amean") ? BETTER_LOWER : !strcmp(statistic, "Hmean") ? BETTER_HIGHER : BETTER_NEUTRAL;
}

static void take_row(struct reading *rd, const struct row *row)
{
	struct draft_param param;
	char *operation = arena_strdup(rd->f->a, row->operation);
	struct draft_result r = {
		.metric = row->statistic, .unit = "unstated", .better = better_of(row->statistic),
		.params = &param, .n_params = count_param(rd->f->a, operation, &param) };

	if (r.better == BETTER_NEUTRAL) {
		rd->aggregates++;
		return;
	}
	r.benchmark = format_benchmark(rd->f, arena_printf(rd->f->a, "mmtests/%s", operation));
	format_columns_result(&rd->c, &r, row->values);
}

static void remember(struct reading *rd, const struct format_words *words)
{
	memmove(rd->heads, rd->heads + 1, (HEADS - 1) * sizeof(rd->heads[0]));
	rd->heads[HEADS - 1] = (struct head){ *words, format_words_rest(rd->f->a, words, 0), rd->c.lines.number };
	rd->n_heads += rd->n_heads < HEADS;
}

static void take_line(struct reading *rd, const struct format_words *words)
{
	struct row row;

	if (!words->n || !read_row(rd->f->a, words, &row)) {
		if (words->n && rd->c.n)
			end_table(rd);
		if (words->n)
			remember(rd, words);
		return;
	}
	if (!rd->c.n)
		begin_table(rd, row.n);
	if (row.n == rd->c.n) {
		take_row(rd, &row);
		return;
	}
	format_columns_left_out(&rd->c, "expected as many columns as in the rows above");
}

/* Tables are groups of rows with other lines between them. */
static size_t count_tables(const struct format_file *f)
{
	struct format_lines l = { f->text, f->text + f->len, 0 };
	struct format_words words;
	struct row row;
	bool in = false;
	size_t n = 0, len;
	const char *p;

	while (format_line(&l, &p, &len)) {
		format_words(p, len, &words);
		if (!words.n)
			continue;
		n += !in && read_row(f->a, &words, &row);
		in = read_row(f->a, &words, &row);
	}
	return n;
}

static bool is_run_log(const char *text, size_t len)
{
	static const char start[] = "Running ", word[] = " iteration ";
	struct format_lines l = { text, text + len, 0 };
	const char *p;
	size_t n;

	while (format_line(&l, &p, &n))
		if (n > sizeof(start) && !memcmp(p, start, sizeof(start) - 1) && memmem(p, n, word, sizeof(word) - 1))
			return true;
	return false;
}

int format_mmtests_read(struct format_file *f, struct err *err)
{
	struct reading *rd = arena_zalloc(f->a, sizeof(*rd));

	rd->f = f;
	format_columns_init(&rd->c, f, count_tables(f));
	while (format_columns_next(&rd->c))
		take_line(rd, &rd->c.words);
	end_table(rd);
	if (f->n_items)
		return 0;
	if (is_run_log(f->text, f->len))
		return err_set(err, ERR_INVALID, "a run log of mmtests: it says which iterations ran, not how fast; "
			       "send what its compare-kernels.sh prints");
	return err_set(err, ERR_INVALID, "no compare table of mmtests: expected rows like "
		       "\"Amean  elapsed  543.00 (   0.00%%)  530.00 *   2.39%%*\"");
}

/* A mean in one of the first lines, with its gain. */
int format_mmtests_sniff(const char *text, size_t len)
{
	static const char *const means[] = { "Amean ", "Hmean " };
	struct format_lines l = { text, text + (len < 8192 ? len : 8192), 0 };
	const char *p;
	size_t n;

	while (format_line(&l, &p, &n)) {
		while (n && (*p == ' ' || *p == '>')) {
			p++;
			n--;
		}
		for (size_t i = 0; i < sizeof(means) / sizeof(*means); i++)
			if (n > 6 && !memcmp(p, means[i], 6) && memchr(p, '%', n))
				return 85;
	}
	return is_run_log(text, len < 8192 ? len : 8192) ? 40 : 0;
}
