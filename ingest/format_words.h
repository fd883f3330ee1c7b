/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of text tables as words between blanks, for the readers of reports. */
#ifndef INGEST_FORMAT_WORDS_H
#define INGEST_FORMAT_WORDS_H

#include "format.h"

#define FORMAT_WORDS_MAX 128

struct format_word {			/* borrowed from the line */
	const char *p;
	size_t n;
};

struct format_words {
	struct format_word w[FORMAT_WORDS_MAX];
	size_t n;			/* what is more than FORMAT_WORDS_MAX is not seen */
};

/* Blanks, and the '>' of a quoted mail before the first word, are no part of words. */
void format_words(const char *line, size_t len, struct format_words *out);

bool format_words_is(const struct format_word *w, const char *text);
bool format_words_number(const struct format_word *w, double *value);

/* A number and '%', with a sign or without: "-12.3%", "+4.4e+98%". */
bool format_words_percent(const struct format_word *w);

/* From word i to the end of the line, blanks between them as they are; arena. */
char *format_words_rest(struct arena *a, const struct format_words *words, size_t i);

/* A column's word as text; arena. */
char *format_words_text(struct arena *a, const struct format_word *w);

#endif
