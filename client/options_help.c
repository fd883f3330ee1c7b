/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --help, from the table of options. */
#include <stdio.h>
#include <string.h>

#include "../ingest/read.h"
#include "../lib/buf.h"
#include "options_impl.h"

#define WIDTH 72 /* of help */
#define HELP_AT 26 /* where its second column begins */

/* Text in columns at..WIDTH, broken at blanks; `column` is where it begins. */
static void folded(FILE *out, const char *text, int at, int column)
{
	int blank = 0;

	for (const char *word = text + strspn(text, " "); *word; word += strspn(word, " ")) {
		int n = (int)strcspn(word, " ");

		if (column + blank + n > WIDTH && blank) {
			fprintf(out, "\n%*s", at, "");
			column = at;
			blank = 0;
		}
		column += fprintf(out, "%*s%.*s", blank, "", n, word);
		blank = 1;
		word += n;
	}
	fputc('\n', out);
}

static void help_option(FILE *out, const struct options_option *o)
{
	char name[64], text[256];
	int n = o->type == SECRET
			? fprintf(out, "  %s", options_variable(o, name))
			: fprintf(out, "  --%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");

	fprintf(out, n < HELP_AT - 1 ? "%*s" : "\n%*s", n < HELP_AT - 1 ? HELP_AT - n : HELP_AT, "");
	snprintf(text, sizeof(text), o->standard ? "%s (%s)" : "%s", o->help, o->standard);
	folded(out, text, HELP_AT, HELP_AT);
}

static void help_formats(FILE *out)
{
	const char *const *names = read_format_names();
	struct buf all;

	buf_init(&all);
	for (; *names; names++)
		buf_printf(&all, ", %s", *names);
	fputs("\nFormats: auto", out);
	folded(out, all.p, 4, 13);
	buf_fini(&all);
}

static void help_command(FILE *out, const struct options_command *c)
{
	fprintf(out, "usage: nsecwatch %s%s [OPTIONS]\n", c->name, c->words ? c->words : "");
	folded(out, c->help, 0, 0);
	fputc('\n', out);
	for (const struct options_option *o = options_table; o->name; o++)
		if (o->commands & c->bit)
			help_option(out, o);
	if (c->bit & READS)
		help_formats(out);
}

void options_help(const struct options *o, FILE *out)
{
	char name[64];

	if (o->command) {
		help_command(out, options_command_of(o->command));
	} else {
		fputs("usage: nsecwatch COMMAND [OPTIONS]\n\n", out);
		for (const struct options_command *c = options_commands; c->name; c++) {
			fprintf(out, "  %s%-*s", c->name, 26 - 2 - (int)strlen(c->name),
				c->words ? c->words : "");
			folded(out, c->help, HELP_AT, HELP_AT);
		}
		fputs("\nnsecwatch COMMAND --help has the options of each. Settings, each also a\n"
		      "line \"name = value\" of ~/.config/nsecwatch/config:\n\n",
		      out);
		for (const struct options_option *p = options_table; p->name; p++)
			if (p->setting)
				fprintf(out, "  %-24s%s\n", options_variable(p, name), p->name);
	}
	if (o->command && !strcmp(o->command, "bisect judge")) {
		fputs("\nExit code: 0 good; 1 bad; 125 can't tell; 128 a person has to look\n(stops git bisect run).\n", out);
		return;
	}
	fputs("\nExit code: 0; 1 something failed; 2 a wrong command line; 3 something\n"
	      "became slower (push --wait, check).\n",
	      out);
}
