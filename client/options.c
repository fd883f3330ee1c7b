/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../ingest/read.h"
#include "../lib/buf.h"
#include "../lib/must.h"
#include "../lib/num.h"
#include "file.h"
#include "say.h"

#define WIDTH 72 /* of help */
#define HELP_AT 26 /* where its second column begins */

enum { COLLECT = 1, PUSH = 2, CHECK = 4, COMPARE = 8, PARSE = 16, KERNEL = 32, VERSION = 64, DETECT = 128 };
#define ONLINE (PUSH | CHECK | COMPARE)
#define READS (PUSH | PARSE)
#define GATES (CHECK | COMPARE)

static const struct command {
	const char *name;
	unsigned bit;
	const char *words; /* NULL: takes none */
	size_t least, most;
	const char *help;
} commands[] = {
	{ "collect", COLLECT, NULL, 0, 0, "prints what this machine is, as JSON: the context of results" },
	{ "push", PUSH, " FILE...|DIR|-", 1, SIZE_MAX, "sends results; keeps them while the server is away" },
	{ "check", CHECK, " --base KERNEL", 0, 0,
	  "is --head slower than --base? exit code 3 if so: a CI gate" },
	{ "compare", COMPARE, " BASE HEAD", 2, 2,
	  "prints the server's table of two kernels; --local: of two files" },
	{ "parse", PARSE, " FILE...|-", 1, SIZE_MAX,
	  "prints what would be stored, or all that is wrong; sends nothing" },
	{ "detect", DETECT, " FILE|-", 1, 1, "prints where series changed their level; needs no server" },
	{ "kernel", KERNEL, " NAME...|-", 1, SIZE_MAX,
	  "prints what names of kernels say, by track and in order" },
	{ "version", VERSION, NULL, 0, 0, "prints the version" },
	{ NULL, 0, NULL, 0, 0, NULL },
};

enum type { TEXT, FLAG, INT, PERCENT, SECRET, LABEL, SELECTOR, PARAM };

#define AT(field) offsetof(struct options, field)

/* clang-format off: a table */
static const struct option {
	const char *name, *value; /* "url", "URL" */
	enum type type;
	size_t at;
	const char *standard; /* NULL: none */
	unsigned commands;
	bool setting; /* also NSECWATCH_NAME, also in the settings file */
	const char *help;
} options[] = {
	{ "url", "URL", TEXT, AT(url), "http://127.0.0.1:8080", ONLINE, true, "of the server" },
	{ "token", NULL, SECRET, AT(token), NULL, ONLINE, true,
	  "access token (environment or settings file only)" },
	{ "token-file", "FILE", TEXT, AT(token_file), NULL, ONLINE, true,
	  "whose first line is the access token" },
	{ "ca-file", "FILE", TEXT, AT(ca_file), NULL, ONLINE, true,
	  "certificates to trust instead of the system's" },
	{ "timeout", "SECONDS", INT, AT(timeout_s), "60", ONLINE, true, "for one answer of the server" },
	{ "retry-for", "SECONDS", INT, AT(retry_for_s), "30", ONLINE, true,
	  "how long to try again while the server is away" },
	{ "spool", "DIR", TEXT, AT(spool), NULL, PUSH, true,
	  "where results wait until the server has them (~/.local/state/nsecwatch/spool)" },
	{ "machine", "NAME", TEXT, AT(machine), NULL, COLLECT | PUSH, true,
	  "the lab's name for the machine (its host name)" },
	{ "machine", "NAME", TEXT, AT(machine), NULL, PARSE, false, "the lab's name for the machine" },
	{ "context", "FILE", TEXT, AT(context), NULL, PUSH, false,
	  "what collect printed where the results were measured (else: this machine, now)" },
	{ "format", "NAME", TEXT, AT(format), "auto", READS, false,
	  "of the files; else they are recognised" },
	{ "kernel", "RELEASE", TEXT, AT(kernel), NULL, READS, false,
	  "as uname -r gives it, a tag or a phrase" },
	{ "thp", "STATE", TEXT, AT(thp), NULL, READS, false,
	  "always, madvise, never, never+64k-always, ..." },
	{ "uarch", "NAME", TEXT, AT(uarch), NULL, READS, false,
	  "micro-architecture: epyc-milan, neoverse-n1, ..." },
	{ "isa", "NAME", TEXT, AT(isa), NULL, READS, false, "x86_64, aarch64, ppc64le, s390x, riscv64" },
	{ "base-page-kib", "N", TEXT, AT(base_page_kib), NULL, READS, false, "4, 16, 64" },
	{ "boot-id", "ID", TEXT, AT(boot_id), NULL, READS, false, "the same for all runs of one boot" },
	{ "started-at", "TIME", TEXT, AT(started_at), NULL, READS, false, "2026-02-13T15:08:00Z" },
	{ "benchmark", "PREFIX", TEXT, AT(benchmark), NULL, READS, false,
	  "before the names of a file's benchmarks" },
	{ "label", "KEY=VALUE", LABEL, AT(labels), NULL, READS, false, "may be repeated" },
	{ "spooled", NULL, FLAG, AT(spooled), NULL, PUSH, false, "send what waits; no file needed" },
	{ "dry-run", NULL, FLAG, AT(dry_run), NULL, PUSH, false,
	  "the server checks and answers, and stores nothing" },
	{ "wait", NULL, FLAG, AT(wait), NULL, PUSH, false,
	  "for the verdict; exit code 3 where something became slower" },
	{ "wait-for", "SECONDS", INT, AT(wait_for_s), "300", PUSH, false, "how long" },
	{ "base", "KERNEL", TEXT, AT(base), NULL, CHECK, false, "what to judge against; also: previous" },
	{ "head", "KERNEL", TEXT, AT(head), "latest", CHECK, false, "what to judge; also: latest:TRACK" },
	{ "max-regression", "PERCENT", PERCENT, AT(max_regression), "5%", CHECK, false, "that passes" },
	{ "strict", NULL, FLAG, AT(strict), NULL, CHECK, false,
	  "what can't be told, and what did not run on --head, fails, too" },
	{ "fix", "KERNEL", TEXT, AT(fix), NULL, COMPARE, false,
	  "a third kernel (--local: file): what it brings back" },
	{ "local", NULL, FLAG, AT(local), NULL, COMPARE, false,
	  "BASE and HEAD are files or folders of results; needs no server" },
	{ "base", "KERNEL", TEXT, AT(base), NULL, COMPARE, false, "--local: whose results count in BASE" },
	{ "head", "KERNEL", TEXT, AT(head), NULL, COMPARE, false, "--local: whose results count in HEAD" },
	{ "format", "NAME", TEXT, AT(format), NULL, COMPARE, false, "--local: of the files; else they are recognised" },
	{ "json", NULL, FLAG, AT(json), NULL, COMPARE, false, "--local: the answer as JSON" },
	{ "benchmark", "GLOB", SELECTOR, AT(selectors), NULL, GATES, false,
	  "only these; this and what follows may be repeated" },
	{ "metric", "GLOB", SELECTOR, AT(selectors), NULL, GATES, false, "what was measured: latency, ..." },
	{ "machine", "GLOB", SELECTOR, AT(selectors), NULL, GATES, false, "the lab's name" },
	{ "uarch", "GLOB", SELECTOR, AT(selectors), NULL, GATES, false, "epyc-*, neoverse-n1, ..." },
	{ "isa", "GLOB", SELECTOR, AT(selectors), NULL, GATES, false, "x86_64, aarch64, ..." },
	{ "thp", "GLOB", SELECTOR, AT(selectors), NULL, GATES, false,
	  "always, madvise, never+64k-always, ..." },
	{ "base-page-kib", "N", SELECTOR, AT(selectors), NULL, GATES, false, "4, 16, 64" },
	{ "track", "GLOB", SELECTOR, AT(selectors), NULL, GATES, false,
	  "of kernels: mainline, stable-6.16, eln, ..." },
	{ "param", "NAME=GLOB", PARAM, AT(selectors), NULL, GATES, false, "a parameter of the benchmark" },
	{ "run", "ID", SELECTOR, AT(selectors), NULL, GATES, false, "only what these runs measured" },
	{ "json", NULL, FLAG, AT(json), NULL, DETECT, false, "each change with its step, suspects and levels" },
	{ "text", NULL, FLAG, AT(text), NULL, DETECT, false, "the series drawn, with the changes between rows" },
	{ "online", NULL, FLAG, AT(online), NULL, DETECT, false,
	  "fed run by run: [runs seen, index] of each alert, said once" },
	{ "root", "DIR", TEXT, AT(root), "/", COLLECT | PUSH, false,
	  "where proc and sys are: for images, and for tests" },
	{ "config", "FILE", TEXT, AT(config), NULL, ONLINE | COLLECT | PARSE, false,
	  "settings: name = value lines (~/.config/nsecwatch/config)" },
	{ "help", NULL, FLAG, AT(help), NULL, ~0u, false, "this text" },
	{ NULL, NULL, TEXT, 0, NULL, 0, false, NULL },
};
/* clang-format on */

struct reading {
	struct arena *a;
	struct options *o;
	const struct command *c;
	struct err *err;
};

static const struct command *command_of(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

/* The option of that name which the command has; another command's, for a better message, else. */
static const struct option *option_of(const char *name, size_t len, unsigned bit)
{
	const struct option *other = NULL;

	for (const struct option *o = options; o->name; o++) {
		if (strlen(o->name) != len || memcmp(o->name, name, len))
			continue;
		if (o->commands & bit)
			return o;
		other = o;
	}
	return other;
}

static const struct option *setting_of(const char *name)
{
	for (const struct option *o = options; o->name; o++)
		if (o->setting && !strcmp(o->name, name))
			return o;
	return NULL;
}

/* NSECWATCH_TOKEN_FILE of "token-file" */
static const char *variable(const struct option *o, char out[64])
{
	must(snprintf(out, 64, "NSECWATCH_%s", o->name) < 64);
	for (char *p = out; *p; p++)
		*p = *p == '-' ? '_' : (char)toupper((unsigned char)*p);
	return out;
}

static void pair_add(struct arena *a, struct options_pairs *p, const char *name, const char *value)
{
	p->list = arena_grow(a, p->list, p->n * sizeof(*p->list), (p->n + 1) * sizeof(*p->list));
	p->list[p->n][0] = name;
	p->list[p->n++][1] = value;
}

/* "NAME=VALUE" */
static int set_pair(struct reading *r, const struct option *o, const char *from, const char *value)
{
	const char *equals = strchr(value, '=');
	const char *name;

	if (!equals || equals == value)
		return err_set(r->err, ERR_SETUP, "%s is \"%s\": %s is needed", from, value, o->value);
	name = arena_strndup(r->a, value, (size_t)(equals - value));
	if (o->type == PARAM)
		name = arena_printf(r->a, "param.%s", name);
	pair_add(r->a, (struct options_pairs *)(void *)((char *)r->o + o->at), name, equals + 1);
	return 0;
}

/* A selector's name as the API spells it. */
static void set_selector(struct reading *r, const struct option *o, const char *value)
{
	char *name = arena_strdup(r->a, o->name);

	for (char *p = name; *p; p++)
		*p = *p == '-' ? '_' : *p;
	pair_add(r->a, (struct options_pairs *)(void *)((char *)r->o + o->at), name, value);
}

static int set(struct reading *r, const struct option *o, const char *from, const char *value)
{
	char *at = (char *)r->o + o->at;
	size_t len = strlen(value);
	int64_t i;
	double d;

	switch (o->type) {
	case TEXT:
		if (!len)
			return err_set(r->err, ERR_SETUP, "%s is empty: %s is needed", from, o->value);
		memcpy(at, &value, sizeof(value));
		return 0;
	case SECRET:
		memcpy(at, &value, sizeof(value));
		return 0;
	case FLAG:
		*(bool *)at = true;
		return 0;
	case INT:
		if (num_parse_i64(value, len, &i) || i < 0 || i > 86400)
			return err_set(r->err, ERR_SETUP,
				       "%s is \"%s\": a whole number from 0 to 86400 is needed", from, value);
		*(int *)(void *)at = (int)i;
		return 0;
	case PERCENT:
		if (num_parse(value, len - (len && value[len - 1] == '%'), &d) || d < 0)
			return err_set(r->err, ERR_SETUP, "%s is \"%s\": a percentage is needed, as 5%%",
				       from, value);
		*(double *)(void *)at = d;
		return 0;
	case SELECTOR:
		set_selector(r, o, value);
		return 0;
	case LABEL:
	case PARAM:
		return set_pair(r, o, from, value);
	}
	must(!"a type of the table");
	return -1;
}

/* ---- the three places ---- */

static int set_standards(struct reading *r)
{
	for (const struct option *o = options; o->name; o++)
		if (o->standard && (o->commands & r->c->bit) && set(r, o, o->name, o->standard))
			return -1;
	return 0;
}

/* A token and a file with one at the same place are a mistake; one from a better place replaces both. */
static int end_of_place(struct reading *r, const char *place, const char *token, const char *file)
{
	bool new_token = r->o->token != token, new_file = r->o->token_file != file;

	if (new_token && new_file)
		return err_set(r->err, ERR_SETUP, "%s has token and token-file: give one", place);
	if (new_token)
		r->o->token_file = NULL;
	if (new_file)
		r->o->token = NULL;
	return 0;
}

static char *trimmed(char *s)
{
	char *end;

	s += strspn(s, " \t");
	end = s + strlen(s);
	while (end > s && strchr(" \t\r", end[-1]))
		*--end = 0;
	return s;
}

static int set_from_line(struct reading *r, const char *path, size_t number, char *line)
{
	char *equals = strchr(line, '='), *name = trimmed(line), *value;
	const struct option *o;

	if (!*name || *name == '#')
		return 0;
	if (!equals)
		return err_set(r->err, ERR_SETUP, "%s: line %zu: name = value is needed", path, number);
	*equals = 0;
	value = trimmed(equals + 1);
	name = trimmed(name);
	o = setting_of(name);
	if (!o)
		return err_set(r->err, ERR_SETUP, "%s: line %zu: there is no setting \"%s\"", path, number,
			       name);
	if (!(o->commands & r->c->bit))
		return 0; /* another command's */
	return set(r, o, arena_printf(r->a, "%s: line %zu: %s", path, number, name), value);
}

/* The settings file. That it is not there is an error only where somebody named it. */
static int set_from_file(struct reading *r, const char *path, bool named)
{
	const char *token = r->o->token, *file = r->o->token_file;
	struct buf text;
	size_t number = 0;
	char *rest, *line;
	struct stat st;
	int ret = -1;

	buf_init(&text);
	if (file_read(path, &text)) {
		ret = named || (errno != ENOENT && errno != ENOTDIR)
			      ? err_set(r->err, ERR_SETUP, "%s: %s", path, strerror(errno))
			      : 0;
		goto out;
	}
	rest = arena_strdup(r->a, text.p);
	while ((line = strsep(&rest, "\n")) != NULL)
		if (set_from_line(r, path, ++number, line))
			goto out;
	ret = end_of_place(r, path, token, file);
	if (r->o->token != token && !stat(path, &st) && st.st_mode & 077)
		say("%s: has a token, and others may read it: chmod 600 it", path);
out:
	buf_fini(&text);
	return ret;
}

static int set_from_environment(struct reading *r)
{
	const char *token = r->o->token, *file = r->o->token_file;
	char name[64];

	for (const struct option *o = options; o->name; o++) {
		const char *value =
			o->setting && (o->commands & r->c->bit) ? getenv(variable(o, name)) : NULL;

		if (value && *value && set(r, o, arena_strdup(r->a, name), value))
			return -1;
	}
	return end_of_place(r, "the environment", token, file);
}

/* One "--name", "--name=value"; takes the next word where a value is needed. */
static int set_from_flag(struct reading *r, char ***argv)
{
	const char *word = *(*argv)++;
	size_t len = strcspn(word + 2, "=");
	const struct option *o = option_of(word + 2, len, r->c->bit);
	const char *value = word[2 + len] ? word + 2 + len + 1 : NULL;
	const char *spelt = arena_strndup(r->a, word, len + 2);
	char name[64];

	if (!o || !(o->commands & r->c->bit))
		return err_set(r->err, ERR_SETUP, "%s is no option of %s: see nsecwatch %s --help", spelt,
			       r->c->name, r->c->name);
	if (o->type == SECRET) /* the word itself is not repeated: it may hold the token */
		return err_set(r->err, ERR_SETUP, "%s would show in ps: set %s, or use %s-file FILE", spelt,
			       variable(o, name), spelt);
	if (o->type == FLAG && value)
		return err_set(r->err, ERR_SETUP, "%s takes no value", spelt);
	if (o->type != FLAG && !value)
		value = **argv ? *(*argv)++ : NULL;
	if (o->type != FLAG && !value)
		return err_set(r->err, ERR_SETUP, "%s needs a value: %s %s", spelt, spelt, o->value);
	return set(r, o, spelt, value ? value : "");
}

static int set_from_words(struct reading *r, char **argv)
{
	const char *token = r->o->token, *file = r->o->token_file;
	bool only_words = false;

	while (*argv) {
		if (!only_words && !strcmp(*argv, "--")) {
			only_words = true;
			argv++;
		} else if (!only_words && !strcmp(*argv, "-h")) {
			r->o->help = true;
			argv++;
		} else if (!only_words && !strncmp(*argv, "--", 2)) {
			if (set_from_flag(r, &argv))
				return -1;
		} else {
			r->o->words[r->o->n_words++] = *argv++;
		}
	}
	return end_of_place(r, "the command line", token, file);
}

/* ---- what it comes to ---- */

/* --config of the command line: it must be known before the other words are read. */
static const char *config_word(char **argv)
{
	const char *path = NULL;

	for (; *argv && strcmp(*argv, "--"); argv++) {
		if (!strncmp(*argv, "--config=", 9))
			path = *argv + 9;
		else if (!strcmp(*argv, "--config") && argv[1])
			path = *++argv;
	}
	return path;
}

static int read_token(struct reading *r)
{
	struct options *o = r->o;
	struct buf text;

	if (o->token_file) {
		buf_init(&text);
		if (file_read(o->token_file, &text)) {
			buf_fini(&text);
			return err_set(r->err, ERR_SETUP, "token-file: %s: %s", o->token_file,
				       strerror(errno));
		}
		text.p[strcspn(text.p, "\r\n")] = 0;
		o->token = arena_strdup(r->a, trimmed(text.p));
		buf_fini(&text);
	}
	if (o->token && !*o->token)
		o->token = NULL;
	for (const char *p = o->token; p && *p; p++) /* it becomes a header: nothing may end it */
		if (*p <= ' ' || *p >= 0x7f)
			return err_set(r->err, ERR_SETUP,
				       "the access token has a blank or a character that no token has");
	return 0;
}

/* A comparison of files has no catalogue to select from, and one of the server takes its kernels as words. */
static int check_local(struct reading *r)
{
	static const char *const known[] = { "benchmark", "metric", "machine", "thp" };
	const struct options *o = r->o;

	if (!o->local && (o->base || o->head || o->format || o->json))
		return err_set(r->err, ERR_SETUP, "compare: --base, --head, --format and --json go with --local");
	for (size_t i = 0; o->local && i < o->selectors.n; i++) {
		size_t k = 0;

		while (k < 4 && strcmp(known[k], o->selectors.list[i][0]))
			k++;
		if (k == 4)
			return err_set(r->err, ERR_SETUP, "compare --local selects by --benchmark, --metric, --machine and --thp only");
	}
	return 0;
}

static int check(struct reading *r)
{
	const struct command *c = r->c;
	struct options *o = r->o;
	size_t least = c->bit == PUSH && o->spooled ? 0 : c->least, n;
	int64_t kib;

	if (o->n_words < least || o->n_words > c->most)
		return err_set(r->err, ERR_SETUP, "%s: what is needed is: nsecwatch %s%s", c->name, c->name,
			       c->words ? c->words : "");
	if (c->bit == COMPARE && check_local(r))
		return -1;
	if (o->json && o->text)
		return err_set(r->err, ERR_SETUP, "detect: --json or --text, not both");
	if (c->bit == CHECK && !o->base)
		return err_set(r->err, ERR_SETUP, "check: --base KERNEL is needed: what to judge against");
	if (o->base_page_kib &&
	    (num_parse_i64(o->base_page_kib, strlen(o->base_page_kib), &kib) || kib < 1 || kib > 1024))
		return err_set(r->err, ERR_SETUP, "--base-page-kib is \"%s\": a number of KiB is needed",
			       o->base_page_kib);
	if (c->bit & ONLINE) { /* one spelling of an address: it says whom an entry of the spool is for */
		for (n = strlen(o->url); n && o->url[n - 1] == '/'; n--)
			;
		o->url = arena_strndup(r->a, o->url, n);
		return read_token(r);
	}
	return 0;
}

int options_read(struct arena *a, int argc, char **argv, struct options *o, struct err *err)
{
	struct reading r = { .a = a, .o = o, .err = err };
	const char *word = argc > 1 ? argv[1] : "";
	const char *path;

	*o = (struct options){ .words = arena_array(a, const char *, (size_t)argc + 1) };
	if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help")) {
		o->help = true;
		return 0;
	}
	r.c = command_of(!strcmp(word, "--version") ? "version" : word);
	if (!r.c)
		return err_set(err, ERR_SETUP,
			       *word ? "unknown command \"%s\": see nsecwatch --help"
				     : "a command is needed%s: see nsecwatch --help",
			       word);
	o->command = r.c->name;
	path = config_word(argv + 2);
	if (set_standards(&r))
		return -1;
	if (path || (r.c->bit & (ONLINE | COLLECT | PARSE) &&
		     (o->config = file_config_home(a, "nsecwatch/config")) != NULL)) {
		if (set_from_file(&r, path ? path : o->config, path != NULL))
			return -1;
	}
	if (set_from_environment(&r) || set_from_words(&r, argv + 2))
		return -1;
	return o->help ? 0 : check(&r);
}

/* ---- help ---- */

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

static void help_option(FILE *out, const struct option *o)
{
	char name[64], text[256];
	int n = o->type == SECRET
			? fprintf(out, "  %s", variable(o, name))
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

static void help_command(FILE *out, const struct command *c)
{
	fprintf(out, "usage: nsecwatch %s%s [OPTIONS]\n%s\n\n", c->name, c->words ? c->words : "", c->help);
	for (const struct option *o = options; o->name; o++)
		if (o->commands & c->bit)
			help_option(out, o);
	if (c->bit & READS)
		help_formats(out);
}

void options_help(const struct options *o, FILE *out)
{
	char name[64];

	if (o->command) {
		help_command(out, command_of(o->command));
	} else {
		fputs("usage: nsecwatch COMMAND [OPTIONS]\n\n", out);
		for (const struct command *c = commands; c->name; c++) {
			fprintf(out, "  %s%-*s", c->name, 26 - 2 - (int)strlen(c->name),
				c->words ? c->words : "");
			folded(out, c->help, HELP_AT, HELP_AT);
		}
		fputs("\nnsecwatch COMMAND --help has the options of each. Settings, each also a\n"
		      "line \"name = value\" of ~/.config/nsecwatch/config:\n\n",
		      out);
		for (const struct option *p = options; p->name; p++)
			if (p->setting)
				fprintf(out, "  %-24s%s\n", variable(p, name), p->name);
	}
	fputs("\nExit code: 0; 1 something failed; 2 a wrong command line; 3 something\n"
	      "became slower (push --wait, check).\n",
	      out);
}
