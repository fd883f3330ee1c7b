/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of the kernel test robot's mails (lkp compare): a row a stat, a column a
 * commit, between two columns the change. Each column is a submission: its kernel is
 * the column's name where that is a tag, else kernel= with the commit behind it. The
 * lines above a table say machine, test parameters and what the commits are.
 */
#include "format_lkp.h"

#include <ctype.h>
#include <string.h>

#include "../lib/jsonw.h"
#include "../lib/num.h"
#include "format_columns.h"

#define FIELDS_MAX 32

struct commit {
	const char *name, *title;	/* as the list under "commit:" has it; title may be NULL */
};

struct field {				/* of "compiler/kconfig/...:" */
	const char *name, *value;
};

struct reading {
	struct format_file *f;
	struct format_columns c;

	/* above a table */
	struct field fields[FIELDS_MAX];
	size_t n_fields;
	bool want_values;		/* the line of field names came */
	struct commit commits[FORMAT_COLUMNS_MAX];
	size_t n_commits;
	bool in_commits;
	struct format_words names;	/* the last line with words: columns, if dashes follow */
	size_t names_line;
	size_t too_wide;		/* columns of a table that has too many */

	/* in a table */
	size_t spread;			/* rows with a deviation */
	bool counts;			/* rows under "fail:runs" */
	bool ended;			/* a blank line: only what is a row goes on */
};

/* All that goes with the machine's installation, not with what the test did. */
static bool is_environment(const char *field)
{
	static const char *const names[] = { "compiler", "cpufreq_governor", "kconfig", "rootfs", "tbox_group",
					     "testbox", "ucode", "debug-setup", NULL };

	for (size_t i = 0; names[i]; i++)
		if (!strcmp(names[i], field))
			return true;
	return false;
}

static const char *field_value(const struct reading *rd, const char *name)
{
	for (size_t i = 0; i < rd->n_fields; i++)
		if (!strcmp(rd->fields[i].name, name))
			return rd->fields[i].value;
	return NULL;
}

/* "a/b/c:" or its values "x/y/z": one word, so many parts. */
static size_t split(const struct format_word *w, struct format_word parts[FIELDS_MAX])
{
	const char *p = w->p, *end = w->p + w->n;
	size_t n = 0;

	while (n < FIELDS_MAX) {
		const char *slash = memchr(p, '/', (size_t)(end - p));

		parts[n].p = p;
		parts[n++].n = (size_t)((slash ? slash : end) - p);
		if (!slash)
			return n;
		p = slash + 1;
	}
	return 0;
}

static bool take_field_names(struct reading *rd, const struct format_words *words)
{
	struct format_word w = words->w[0], parts[FIELDS_MAX];
	size_t n;

	if (words->n != 1 || w.n < 2 || w.n > SUBMISSION_TEXT_MAX || w.p[w.n - 1] != ':' || !memchr(w.p, '/', w.n) || memchr(w.p, ':', w.n - 1))
		return false;
	w.n--;
	n = split(&w, parts);
	for (size_t i = 0; i < n; i++)
		rd->fields[i] = (struct field){ format_words_text(rd->f->a, &parts[i]), "" };
	rd->n_fields = n;
	rd->want_values = n > 0;
	return true;
}

/* Values with a slash in them cannot be told apart: then none is known. Nor where one is no name's length. */
static void take_field_values(struct reading *rd, const struct format_words *words)
{
	struct format_word parts[FIELDS_MAX];
	size_t n = words->n == 1 ? split(&words->w[0], parts) : 0;

	rd->want_values = false;
	if (n != rd->n_fields || words->w[0].n > SUBMISSION_TEXT_MAX)
		rd->n_fields = 0;
	for (size_t i = 0; i < rd->n_fields; i++)
		rd->fields[i].value = format_words_text(rd->f->a, &parts[i]);
}

/* HASH ("title"), or HASH <-- your "title" */
static void take_commit(struct reading *rd, const struct format_words *words)
{
	char *rest = format_words_rest(rd->f->a, words, 1);
	char *open = strchr(rest, '"'), *close = strrchr(rest, '"');

	if (rd->n_commits == FORMAT_COLUMNS_MAX)
		return;
	if (close)
		*close = 0;
	rd->commits[rd->n_commits++] = (struct commit){ format_words_text(rd->f->a, &words->w[0]),
							open < close ? open + 1 : NULL };
}

static bool is_hex(const char *s, size_t n)
{
	return n >= 7 && n <= 64 && strspn(s, "0123456789abcdefABCDEF") >= n;
}

/* What the list says of a column; the column's name is cut to fit, the list's is short. */
static const char *title_of(const struct reading *rd, const char *column)
{
	for (size_t i = 0; i < rd->n_commits; i++) {
		size_t n = strlen(rd->commits[i].name), len = strlen(column);

		if (!strncmp(rd->commits[i].name, column, n < len ? n : len))
			return rd->commits[i].title;
	}
	return NULL;
}

#define HASH_LEN 12	/* of a commit in a kernel's name, as the kernel's own builds write it */

/* The kernel of a column that is a commit: it lies on kernel=, nobody says how far behind. */
static void name_by_commit(struct draft *d, const char *commit)
{
	struct kernel base;
	struct err err = { 0 };

	d->commit = commit;
	if (!d->kernel) {
		problems_add(d->problems, "kernel", "kernel=RELEASE is needed, the one the commits lie on: "
			     "this table names %s only by its commit", commit);
		d->kernel = submission_build_said;
		return;
	}
	if (kernel_parse(d->a, d->kernel, &base, &err))
		return;		/* it will be said */
	if (base.hash && strncmp(base.hash, commit, strlen(base.hash)))
		problems_add(d->problems, "kernel", "this is the kernel of commit %s, the table has %s: "
			     "give the release that the commits lie on", base.hash, commit);
	else if (!base.hash)
		d->kernel = arena_printf(d->a, "%s-g%.*s", d->kernel, HASH_LEN, commit);
}

static void name_kernel(struct reading *rd, struct draft *d, const char *column)
{
	struct kernel k;
	struct err err = { 0 };

	if (is_hex(column, strlen(column)) || kernel_parse(d->a, column, &k, &err)) {
		if (is_hex(column, strlen(column)))
			name_by_commit(d, column);
		else
			problems_add(d->problems, arena_printf(d->a, "line %zu", rd->names_line),
				     "expected commits or tags as names of the columns, this is \"%.60s\"", column);
		return;
	}
	d->kernel = column;
	d->kernel_at = arena_printf(d->a, "line %zu", rd->names_line);
}

static void name_machine(struct reading *rd, struct draft *d)
{
	const char *box = field_value(rd, "tbox_group");

	if (!box || !*box || (d->machine && !strcmp(d->machine, box)))
		return;
	if (d->machine && rd->c.tables == 1)
		return;
	if (d->machine)
		problems_add(d->warnings, arena_printf(d->a, "line %zu", rd->names_line),
			     "this table is of %s; machine= is not for several tables", box);
	d->machine = box;
}

static void set_environment(struct reading *rd, struct draft *d, const char *column)
{
	const char *title = title_of(rd, column);
	struct jsonw j = jsonw_begin(&d->scratch);

	buf_clear(&d->scratch);
	jsonw_object(&j);
	if (title)
		jsonw_kstr(&j, "commit_title", title);
	for (size_t i = 0; i < rd->n_fields; i++) {
		const struct field *fl = &rd->fields[i];

		if (is_environment(fl->name))
			jsonw_kstr(&j, !strcmp(fl->name, "cpufreq_governor") ? "governor" : fl->name, fl->value);
	}
	jsonw_object_end(&j);
	d->environment = arena_strndup(d->a, d->scratch.p, d->scratch.len);
}

static void begin_table(struct reading *rd)
{
	rd->spread = 0;
	rd->counts = rd->ended = rd->in_commits = false;
	format_columns_begin(&rd->c, rd->names.n, "lkp-tests");
	for (size_t i = 0; i < rd->c.n; i++) {
		struct draft *d = &rd->c.drafts[i];
		const char *column = format_words_text(rd->f->a, &rd->names.w[i]);

		name_kernel(rd, d, column);
		name_machine(rd, d);
		set_environment(rd, d, column);
	}
}

static void end_table(struct reading *rd)
{
	if (rd->c.n && rd->spread)
		format_columns_warn(&rd->c, arena_printf(rd->f->a, "the deviation (+- %%) of %zu rows is not kept: "
							 "the table does not say of how many runs it is", rd->spread));
	format_columns_end(&rd->c);
	rd->n_commits = 0;
}

/* A result's parameters: those of the test, but what its name says already. */
static size_t set_params(const struct reading *rd, const char *benchmark, struct draft_param params[FIELDS_MAX])
{
	const char *suite_end = strchr(benchmark, '/');
	size_t suite = suite_end ? (size_t)(suite_end - benchmark) : strlen(benchmark), n = 0;

	for (size_t i = 0; i < rd->n_fields; i++) {
		const struct field *fl = &rd->fields[i];
		struct draft_param *p = &params[n];

		if (is_environment(fl->name) || !*fl->value ||
		    (!strcmp(fl->name, "testcase") && strlen(fl->value) == suite && !strncmp(fl->value, benchmark, suite)) ||
		    (!strcmp(fl->name, "test") && suite_end && !strcmp(fl->value, suite_end + 1)))
			continue;
		*p = (struct draft_param){ .name = fl->name, .type = PARAM_TEXT, .text = fl->value };
		if (!num_parse(fl->value, strlen(fl->value), &p->number))
			p->type = PARAM_NUMBER;
		n++;
	}
	return n;
}

struct row {
	double values[FORMAT_COLUMNS_MAX];
	bool spread;
	const char *name;
};

/* "±" in any shape that mail made of it, by itself or before its number: what is behind it, or NULL. */
static const char *behind_plus_minus(const struct format_word *w)
{
	const char *p = w->p, *end = w->p + w->n;

	if (w->n >= 3 && !memcmp(p, "+/-", 3))
		return p + 3;
	if (w->n >= 2 && !memcmp(p, "+-", 2))
		return p + 2;
	while (p < end && (*p == '?' || (unsigned char)*p >= 0x80))
		p++;
	return p > w->p ? p : NULL;
}

/* The words of a deviation at i ("±", "3%"; or "±12%"): how many, 0 for none. */
static size_t deviation(const struct format_words *words, size_t i)
{
	const char *rest = i < words->n ? behind_plus_minus(&words->w[i]) : NULL;
	struct format_word w;

	if (!rest)
		return 0;
	w = (struct format_word){ rest, (size_t)(words->w[i].p + words->w[i].n - rest) };
	if (w.n)
		return format_words_percent(&w) ? 1 : 0;
	return i + 1 < words->n && format_words_percent(&words->w[i + 1]) ? 2 : 0;
}

/* A change against the first column: "-12.3%", or "-0.7" of what is a percentage itself. */
static bool is_change(const struct format_word *w)
{
	double v;

	return (*w->p == '+' || *w->p == '-') && (format_words_percent(w) || format_words_number(w, &v));
}

/* NULL, or what is wrong with the row. */
static const char *read_row(const struct reading *rd, const struct format_words *words, struct row *row)
{
	size_t i = 0, n;

	*row = (struct row){ .spread = false };
	for (size_t k = 0; k < rd->c.n; k++) {
		if (k && (i == words->n || !is_change(&words->w[i++])))
			return "expected the change against the first column";
		if (i == words->n || !format_words_number(&words->w[i++], &row->values[k]))
			return "expected a number in each column";
		n = deviation(words, i);
		row->spread |= n > 0;
		i += n;
	}
	if (i + 1 != words->n)
		return "expected the name of a stat behind the columns";
	row->name = format_words_text(rd->f->a, &words->w[i]);
	return NULL;
}

static void take_row(struct reading *rd, const struct row *row)
{
	struct draft_param params[FIELDS_MAX];
	struct draft_result r = { .params = params };
	struct format_lkp_stat stat;

	format_lkp_stat(rd->f->a, row->name, &stat);
	r.benchmark = format_benchmark(rd->f, stat.benchmark);
	r.metric = stat.metric;
	r.unit = stat.unit;
	r.better = stat.better;
	r.n_params = set_params(rd, stat.benchmark, params);
	rd->spread += row->spread;
	format_columns_result(&rd->c, &r, row->values);
}

/* The lines of heads: "%stddev %change %stddev", the arrows below, "fail:runs". */
static bool is_head(struct reading *rd, const struct format_words *words)
{
	bool arrows = true, marks = true;

	for (size_t i = 0; i < words->n; i++) {
		arrows &= format_words_is(&words->w[i], "\\") || format_words_is(&words->w[i], "|") ||
			  format_words_is(&words->w[i], "/");
		marks &= format_words_is(&words->w[i], "fail:runs") || *words->w[i].p == '%';
	}
	if (marks)
		rd->counts = format_words_is(&words->w[0], "fail:runs");
	return arrows || marks;
}

static void table_line(struct reading *rd, const struct format_words *words)
{
	const char *wrong;
	struct row row;

	if (is_head(rd, words))
		return;
	if (rd->counts) {
		format_columns_left_out(&rd->c, "how often a test failed: no measurement");
		return;
	}
	wrong = read_row(rd, words, &row);
	if (!wrong)
		take_row(rd, &row);
	else if (rd->ended)
		end_table(rd);
	else
		format_columns_left_out(&rd->c, wrong);
}

static bool is_dashes(const struct format_words *words)
{
	for (size_t i = 0; i < words->n; i++)
		if (words->w[i].n < 8 || strspn(words->w[i].p, "-") < words->w[i].n)
			return false;
	return words->n > 0;
}

static bool is_rule(const struct format_words *words)
{
	return words->n == 1 && words->w[0].n >= 8 && strspn(words->w[0].p, "=") >= words->w[0].n;
}

/* A line above a table, or between tables. */
static void outer_line(struct reading *rd, const struct format_words *words)
{
	if (is_dashes(words) && words->n == rd->names.n) {
		if (words->n > FORMAT_COLUMNS_MAX)
			rd->too_wide = words->n;
		else
			begin_table(rd);
	} else if (rd->want_values) {
		take_field_values(rd, words);
	} else if (format_words_is(&words->w[0], "commit:")) {
		rd->in_commits = true;
		rd->n_commits = 0;
	} else if (!take_field_names(rd, words)) {
		if (rd->in_commits)
			take_commit(rd, words);
		rd->names = *words;
		rd->names_line = rd->c.lines.number;
	}
}

static void take_line(struct reading *rd, const struct format_words *words)
{
	if (!words->n) {
		rd->in_commits = false;
		rd->ended = true;
		return;
	}
	if (rd->c.n && (is_rule(words) || format_words_is(&words->w[0], "commit:")))
		end_table(rd);
	if (is_rule(words)) {
		rd->n_fields = 0;
		return;
	}
	if (rd->c.n)
		table_line(rd, words);
	if (!rd->c.n)
		outer_line(rd, words);
}

/* Lines of dashes under as many words. */
static size_t count_tables(const struct format_file *f)
{
	struct format_lines l = { f->text, f->text + f->len, 0 };
	struct format_words words;
	size_t n = 0, before = 0, len;
	const char *p;

	while (format_line(&l, &p, &len)) {
		format_words(p, len, &words);
		n += is_dashes(&words) && words.n == before;
		before = words.n;
	}
	return n;
}

int format_lkp_table_read(struct format_file *f, struct err *err)
{
	struct reading *rd = arena_zalloc(f->a, sizeof(*rd));

	rd->f = f;
	format_columns_init(&rd->c, f, count_tables(f));
	while (format_columns_next(&rd->c))
		take_line(rd, &rd->c.words);
	end_table(rd);
	if (rd->too_wide)
		return err_set(err, ERR_INVALID, "a table of %zu columns: at most %d", rd->too_wide, FORMAT_COLUMNS_MAX);
	if (f->n_items)
		return 0;
	return err_set(err, ERR_INVALID, "no table of the kernel test robot: expected a line with a commit a column, "
		       "dashes under it, and rows: number, change, number, stat");
}

int format_lkp_table_sniff(const char *text, size_t len)
{
	const char *head;

	head = memmem(text, len, "%stddev", strlen("%stddev"));
	return head && memmem(head, len - (size_t)(head - text), "%change", strlen("%change")) ? 85 : 0;
}
