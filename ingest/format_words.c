/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words between blanks. */
#include "format_words.h"

#include <string.h>

#include "../lib/num.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

void format_words(const char *line, size_t len, struct format_words *out)
{
	const char *p = line, *end = line + len;

	out->n = 0;
	while (p < end && (is_blank(*p) || *p == '>'))
		p++;
	while (p < end && out->n < FORMAT_WORDS_MAX) {
		struct format_word *w = &out->w[out->n];

		w->p = p;
		while (p < end && !is_blank(*p))
			p++;
		w->n = (size_t)(p - w->p);
		out->n += w->n > 0;
		while (p < end && is_blank(*p))
			p++;
	}
}

bool format_words_is(const struct format_word *w, const char *text)
{
	return w->n == strlen(text) && !memcmp(w->p, text, w->n);
}

bool format_words_number(const struct format_word *w, double *value)
{
	return !num_parse(w->p, w->n, value);
}

bool format_words_percent(const struct format_word *w)
{
	double v;

	return w->n > 1 && w->p[w->n - 1] == '%' && !num_parse(w->p, w->n - 1, &v);
}

char *format_words_rest(struct arena *a, const struct format_words *words, size_t i)
{
	const struct format_word *last = &words->w[words->n - 1];

	if (i >= words->n)
		return arena_strdup(a, "");
	return arena_strndup(a, words->w[i].p, (size_t)(last->p + last->n - words->w[i].p));
}

char *format_words_text(struct arena *a, const struct format_word *w)
{
	return arena_strndup(a, w->p, w->n);
}
