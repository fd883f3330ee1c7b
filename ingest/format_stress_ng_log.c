/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stress-ng's log: the table of --metrics (bogo operations a second in real time), the
 * miscellaneous numbers below each stressor or below the table, and at its end which
 * stressors were skipped or failed. All else is chatter.
 */
#include "format_stress_ng.h"

#include <ctype.h>
#include <string.h>

#include "format_text.h"

struct reading {
	struct format_stress_ng s;
	struct format_lines lines;
	bool in_table;
	size_t tables;
	const char *command;
};

/* What follows "stress-ng: info:  [2759] ", and its kind ("info", "metrc", "fail"); NULL: no line of stress-ng's. */
static char *message_of(char *line)
{
	char *at = strstr(line, "stress-ng: "), *pid;
	size_t digits;

	pid = at ? strchr(at, '[') : NULL;
	if (!pid)
		return NULL;
	digits = strspn(pid + 1, "0123456789");
	if (!digits || pid[1 + digits] != ']')
		return NULL;
	pid += digits + 2;
	return pid + strspn(pid, " ");
}

static bool is_header(const char *message)
{
	return format_text_starts(message, "stressor ") && strstr(message, "bogo ops") != NULL;
}

/* "flock 171659332 60.00 44.80 771.49 2860967.69 210292.23": stressor, bogo ops, three times, two rates. */
static bool take_row(struct reading *rd, const char *stressor, char **words, size_t n)
{
	double v[6];

	if (n < 7)
		return false;
	for (size_t i = 0; i < 6; i++)
		if (!format_text_number(words[i + 1], &v[i]))
			return false;
	format_stress_ng_add(&rd->s, rd->lines.number, stressor, "ops per sec", v[4], v[0]);
	return true;
}

/* "nanosecs per flock lock call (harmonic mean of 6 instances)" without how it was averaged. */
static char *name_of(char *text)
{
	static const char *const means[] = { " (average", " (harmonic mean", " (geometric mean", " (sum", " (total", " (max" };

	for (size_t i = 0; i < sizeof(means) / sizeof(*means); i++) {
		char *at = strstr(text, means[i]);

		if (at)
			*at = 0;
	}
	return text;
}

#define WORDS_MAX 16

static void table_line(struct reading *rd, char *message)
{
	char *words[WORDS_MAX], *copy = arena_strdup(rd->s.f->a, message), *name;
	size_t n = format_text_words(copy, words, WORDS_MAX);
	double value, second;

	if (n < 3 || strchr(words[0], ':') || *words[0] == '(' || take_row(rd, words[0], words, n))
		return;
	if (!format_text_number(words[1], &value))
		return;
	if (format_text_number(words[2], &second)) {	/* of the table, and not all of its columns are numbers */
		format_left_out_line(&rd->s.d, rd->lines.number, "expected seven columns, all but the first numbers: \"%.100s\"",
				     message);
		return;
	}
	/* the name is the rest of the message, with its blanks */
	name = message + (words[1] - copy) + strlen(words[1]);
	name = name_of(name + strspn(name, " "));
	format_stress_ng_add(&rd->s, rd->lines.number, words[0], name, value, 0);
}

/* "failed: 2: vm (1) mmap (3)", "skipped: 1: rdrand (1)" */
static bool take_summary(struct reading *rd, const char *message)
{
	static const struct {
		const char *word, *what;
		enum result_status status;
	} kinds[] = { { "skipped: ", "were skipped", RESULT_SKIPPED }, { "failed: ", "failed", RESULT_FAILED } };

	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		const char *p = message + strlen(kinds[k].word);

		if (!format_text_starts(message, kinds[k].word))
			continue;
		p += strspn(p, "0123456789");
		if (*p == ':')
			p++;
		for (p += strspn(p, " "); *p; p += strspn(p, " ,")) {
			size_t len = strcspn(p, " ("), close;
			const char *stressor = arena_strndup(rd->s.f->a, p, len);

			p += len + strspn(p + len, " ");
			close = *p == '(' ? strcspn(p, ")") : 0;
			if (!close || !*stressor)
				return true;
			format_stress_ng_status(&rd->s, rd->lines.number, stressor, kinds[k].status,
						arena_printf(rd->s.f->a, "%.*s of its instances %s", (int)strspn(p + 1, "0123456789"),
							     p + 1, kinds[k].what));
			p += close + (p[close] == ')');
		}
		return true;
	}
	return false;
}

static void take_message(struct reading *rd, char *message)
{
	if (is_header(message)) {
		rd->in_table = true;
		rd->tables++;
	} else if (format_text_starts(message, "for a ")) {
		rd->in_table = false;	/* "for a 60.00s run time:" ends what was measured */
	} else if (format_text_starts(message, "metrics untrustworthy: ") && message[strlen("metrics untrustworthy: ")] != '0') {
		problems_add(rd->s.d.warnings, arena_printf(rd->s.f->a, "line %zu", rd->lines.number), "stress-ng says: %s",
			     message);
	} else if (!take_summary(rd, message) && rd->in_table) {
		table_line(rd, message);
	}
}

static void read_lines(struct reading *rd)
{
	char *line, *message, *at;

	while ((line = format_text_line(&rd->lines, rd->s.f->a))) {
		message = message_of(line);
		at = strstr(line, "stress-ng -");
		if (message)
			take_message(rd, message);
		else if (at && !rd->command)
			rd->command = at;
	}
}

static bool is_header_line(const char *line)
{
	char copy[512], *message;

	format_text_plain(copy, sizeof(copy), line, strlen(line));
	message = message_of(copy);
	return message && is_header(message);
}

int format_stress_ng_log_sniff(const char *text, size_t len)
{
	return format_text_any_line(text, len, is_header_line) ? 90 : 0;
}

int format_stress_ng_log_read(struct format_file *f, struct err *err)
{
	struct reading rd = { .lines = { f->text, f->text + f->len, 0 } };
	int ret = 0;

	format_stress_ng_begin(&rd.s, f);
	read_lines(&rd);
	format_source(f, &rd.s.d, "stress-ng", NULL, rd.command);
	if (!rd.tables)
		ret = err_set(err, ERR_INVALID, "stress-ng's log: expected its table of metrics (stress-ng --metrics), a line "
			      "\"stressor bogo ops real time usr time sys time bogo ops/s ...\"");
	else
		format_stress_ng_end(&rd.s);
	submission_build_fini(&rd.s.d);
	return ret;
}
