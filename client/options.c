/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../lib/buf.h"
#include "../lib/must.h"
#include "../lib/num.h"
#include "file.h"
#include "options_impl.h"
#include "say.h"

struct reading {
	struct arena *a;
	struct options *o;
	const struct options_command *c;
	struct err *err;
};

/* The option of that name which the command has; another command's, for a better message, else. */
static const struct options_option *option_of(const char *name, size_t len, unsigned bit)
{
	const struct options_option *other = NULL;

	for (const struct options_option *o = options_table; o->name; o++) {
		if (strlen(o->name) != len || memcmp(o->name, name, len))
			continue;
		if (o->commands & bit)
			return o;
		other = o;
	}
	return other;
}

static const struct options_option *setting_of(const char *name)
{
	for (const struct options_option *o = options_table; o->name; o++)
		if (o->setting && !strcmp(o->name, name))
			return o;
	return NULL;
}

static void pair_add(struct arena *a, struct options_pairs *p, const char *name, const char *value)
{
	p->list = arena_grow(a, p->list, p->n * sizeof(*p->list), (p->n + 1) * sizeof(*p->list));
	p->list[p->n][0] = name;
	p->list[p->n++][1] = value;
}

/* "NAME=VALUE" */
static int set_pair(struct reading *r, const struct options_option *o, const char *from, const char *value)
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
static void set_selector(struct reading *r, const struct options_option *o, const char *value)
{
	char *name = arena_strdup(r->a, o->name);

	for (char *p = name; *p; p++)
		*p = *p == '-' ? '_' : *p;
	pair_add(r->a, (struct options_pairs *)(void *)((char *)r->o + o->at), name, value);
}

static int set(struct reading *r, const struct options_option *o, const char *from, const char *value)
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
	for (const struct options_option *o = options_table; o->name; o++)
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
	const struct options_option *o;

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

	for (const struct options_option *o = options_table; o->name; o++) {
		const char *value =
			o->setting && (o->commands & r->c->bit) ? getenv(options_variable(o, name)) : NULL;

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
	const struct options_option *o = option_of(word + 2, len, r->c->bit);
	const char *value = word[2 + len] ? word + 2 + len + 1 : NULL;
	const char *spelt = arena_strndup(r->a, word, len + 2);
	char name[64];

	if (!o || !(o->commands & r->c->bit))
		return err_set(r->err, ERR_SETUP, "%s is no option of %s: see nsecwatch %s --help", spelt,
			       r->c->name, r->c->name);
	if (o->type == SECRET) /* the word itself is not repeated: it may hold the token */
		return err_set(r->err, ERR_SETUP, "%s would show in ps: set %s, or use %s-file FILE", spelt,
			       options_variable(o, name), spelt);
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
	const struct options_command *c = r->c;
	struct options *o = r->o;
	size_t least = c->bit == PUSH && o->spooled ? 0 : c->least, n;
	int64_t kib;

	if (o->n_words < least || o->n_words > c->most)
		return err_set(r->err, ERR_SETUP, "%s: what is needed is: nsecwatch %s%s", c->name, c->name,
			       c->words ? c->words : "");
	if (c->bit == BENCH && o->list == (o->n_words > 0))
		return err_set(r->err, ERR_SETUP, "bench: names of benchmarks are needed, or \"all\", or --list alone");
	if (c->bit == BISECT_START && (!o->good || !o->bad))
		return err_set(r->err, ERR_SETUP, "bisect start: --good KERNEL and --bad KERNEL are needed");
	if (c->bit == BISECT_START && (!(o->error > 0) || o->error >= 50 || o->max_boots < 1))
		return err_set(r->err, ERR_SETUP, "bisect start: --error from above 0 to below 50 %%, and --max-boots from 1, are needed");
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
	int skip = 2;

	*o = (struct options){ .words = arena_array(a, const char *, (size_t)argc + 1) };
	if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help")) {
		o->help = true;
		return 0;
	}
	if (!strcmp(word, "bisect") && argc > 2 && *argv[2] != '-') { /* a command of two words */
		word = arena_printf(a, "bisect %s", argv[2]);
		skip = 3;
	}
	r.c = options_command_of(!strcmp(word, "--version") ? "version" : word);
	if (!r.c && !strncmp(word, "bisect", 6))
		return err_set(err, ERR_SETUP, "bisect start, bisect judge or bisect log is needed: see nsecwatch --help");
	if (!r.c)
		return err_set(err, ERR_SETUP,
			       *word ? "unknown command \"%s\": see nsecwatch --help"
				     : "a command is needed%s: see nsecwatch --help",
			       word);
	o->command = r.c->name;
	path = config_word(argv + skip);
	if (set_standards(&r))
		return -1;
	if (path || (r.c->bit & (ONLINE | COLLECT | PARSE | BENCH | BISECTS) &&
		     (o->config = file_config_home(a, "nsecwatch/config")) != NULL)) {
		if (set_from_file(&r, path ? path : o->config, path != NULL))
			return -1;
	}
	if (set_from_environment(&r) || set_from_words(&r, argv + skip))
		return -1;
	return o->help ? 0 : check(&r);
}
