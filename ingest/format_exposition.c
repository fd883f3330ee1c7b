/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NAME{LABEL="VALUE",...} VALUE [TIME] [# {LABEL="VALUE"} VALUE [TIME]] */
#include "format_exposition.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../lib/num.h"

#define EXEMPLAR_CHARACTERS 128		/* OpenMetrics: of all names and values of an exemplar's labels */

struct cursor {
	struct arena *a;
	const char *p;
	bool strict;
	const char *wrong;
};

bool format_exposition_is_name(const char *s, size_t n, bool metric)
{
	if (!n || isdigit((unsigned char)*s))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && s[i] != '_' && !(metric && s[i] == ':'))
			return false;
	return true;
}

bool format_exposition_number(const char *s, size_t n, double *v)
{
	static const struct {
		const char *word;
		double value;
	} words[] = { { "nan", NAN }, { "+inf", INFINITY }, { "inf", INFINITY }, { "-inf", -INFINITY },
		      { "+infinity", INFINITY }, { "infinity", INFINITY }, { "-infinity", -INFINITY } };
	bool plus = n && *s == '+';

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (n == strlen(words[i].word) && !strncasecmp(s, words[i].word, n)) {
			*v = words[i].value;
			return true;
		}
	if (plus && n > 1 && !isdigit((unsigned char)s[1]) && s[1] != '.')
		return false;
	return n > plus && !num_parse(s + plus, n - plus, v);
}

static bool fail(struct cursor *c, const char *why)
{
	c->wrong = why;
	return false;
}

/* Blanks between the parts: one, or for Prometheus any. */
static bool blank(struct cursor *c)
{
	if (*c->p != ' ' && (c->strict || *c->p != '\t'))
		return false;
	c->p++;
	while (!c->strict && (*c->p == ' ' || *c->p == '\t'))
		c->p++;
	return true;
}

static void loose_blanks(struct cursor *c)
{
	while (!c->strict && (*c->p == ' ' || *c->p == '\t'))
		c->p++;
}

/* A quoted value, its escapes resolved. */
static const char *label_value(struct cursor *c)
{
	const char *end;
	char *out, *o;

	if (*c->p != '"') {
		fail(c, "expected a label's value in quotes");
		return NULL;
	}
	for (end = c->p + 1; *end && *end != '"'; end++)
		end += *end == '\\' && end[1];
	out = o = arena_alloc(c->a, (size_t)(end - c->p) + 1);
	for (c->p++; *c->p && *c->p != '"'; c->p++) {
		if (*c->p == '\\' && c->p[1]) {
			c->p++;
			if (*c->p == 'n')
				*o++ = '\n';
			else if (*c->p == '"' || *c->p == '\\')
				*o++ = *c->p;
			else {
				*o++ = '\\';
				*o++ = *c->p;
			}
		} else {
			*o++ = *c->p;
		}
	}
	*o = 0;
	if (*c->p != '"') {
		fail(c, "a label's value without its closing quote");
		return NULL;
	}
	c->p++;
	return out;
}

static size_t name_length(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || s[n] == '_' || s[n] == ':')
		n++;
	return n;
}

/* {NAME="VALUE",...}, *characters counting those of names and values. */
static bool label_set(struct cursor *c, struct format_exposition *out, size_t *characters)
{
	*characters = 0;
	if (*c->p != '{')
		return true;
	c->p++;
	loose_blanks(c);
	while (*c->p != '}') {
		size_t n = name_length(c->p), i = out->n_labels;
		const char *name = c->p;

		if (!format_exposition_is_name(name, n, false))
			return fail(c, "expected a label's name");
		if (i == FORMAT_EXPOSITION_LABELS)
			return fail(c, "more than 64 labels");
		c->p += n;
		loose_blanks(c);
		if (*c->p != '=')
			return fail(c, "expected = behind a label's name");
		c->p++;
		loose_blanks(c);
		out->labels[i].name = arena_strndup(c->a, name, n);
		out->labels[i].value = label_value(c);
		if (!out->labels[i].value)
			return false;
		for (size_t k = 0; k < i; k++)
			if (!strcmp(out->labels[k].name, out->labels[i].name))
				return fail(c, "a label stands there twice");
		*characters += n;
		for (const char *s = out->labels[i].value; *s; s++)
			*characters += ((unsigned char)*s & 0xc0) != 0x80;
		out->n_labels++;
		loose_blanks(c);
		if (*c->p == ',') {
			c->p++;
			loose_blanks(c);
			if (*c->p == '}' && c->strict)
				return fail(c, "a comma without a label behind it");
		} else if (*c->p != '}') {
			return fail(c, "expected , or } behind a label");
		}
	}
	c->p++;
	return true;
}

static bool number(struct cursor *c, double *v)
{
	size_t n = strcspn(c->p, " \t");

	if (!format_exposition_number(c->p, n, v))
		return false;
	c->p += n;
	return true;
}

static bool time_of(struct cursor *c, double *v)
{
	if (!number(c, v) || !isfinite(*v))
		return fail(c, "expected a time");
	if (!c->strict)
		*v /= 1000;
	return true;
}

/* "# {LABELS} VALUE [TIME]" */
static bool exemplar(struct cursor *c)
{
	struct format_exposition own = { .n_labels = 0 };
	size_t characters;

	if (c->p[0] != '#' || c->p[1] != ' ' || c->p[2] != '{')
		return fail(c, "expected an exemplar: # {LABELS} VALUE");
	c->p += 2;
	if (!label_set(c, &own, &characters))
		return false;
	if (characters > EXEMPLAR_CHARACTERS)
		return fail(c, "an exemplar with more than 128 characters of labels");
	if (!blank(c) || !number(c, &own.value))
		return fail(c, "expected an exemplar's value");
	if (*c->p && (!blank(c) || !time_of(c, &own.time)))
		return fail(c, "expected an exemplar's time");
	return true;
}

const char *format_exposition(struct arena *a, const char *line, bool strict, struct format_exposition *out)
{
	struct cursor c = { .a = a, .p = line, .strict = strict };
	size_t n = name_length(line), characters;

	out->n_labels = 0;
	out->has_time = out->has_exemplar = false;
	if (strlen(line) > FORMAT_EXPOSITION_LINE)
		return "a line of more than 16384 bytes";
	if (!format_exposition_is_name(line, n, true))
		return "expected a metric's name";
	out->name = arena_strndup(a, line, n);
	c.p += n;
	loose_blanks(&c);
	if (!label_set(&c, out, &characters))
		return c.wrong;
	if (c.p[-1] != ' ' && c.p[-1] != '\t' && !blank(&c))
		return "expected a blank and a value";
	loose_blanks(&c);
	if (!number(&c, &out->value))
		return "expected a number as the value";
	loose_blanks(&c);
	if (*c.p && (!strict || blank(&c)) && *c.p && *c.p != '#') {
		out->has_time = true;
		if (!time_of(&c, &out->time))
			return c.wrong;
		loose_blanks(&c);
		if (*c.p && strict && !blank(&c))
			return "expected the end of the line behind the time";
	}
	if (*c.p && strict) {
		out->has_exemplar = true;
		if (!exemplar(&c))
			return c.wrong;
	}
	if (*c.p || (strict && c.p[-1] == ' '))
		return "expected the end of the line";
	return NULL;
}

const char *format_exposition_label(const struct format_exposition *s, const char *name)
{
	for (size_t i = 0; i < s->n_labels; i++)
		if (!strcmp(s->labels[i].name, name))
			return s->labels[i].value;
	return NULL;
}
