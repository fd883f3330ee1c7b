/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines as a terminal shows them: what tools print for people comes with colours,
 * progress overwritten in place and other people's line ends.
 */
#ifndef INGEST_FORMAT_TEXT_H
#define INGEST_FORMAT_TEXT_H

#include "format.h"

/*
 * s[0..n) without escape sequences and control characters (a tab is a blank), nothing
 * before the last carriage return, no blanks at its end; cut to size - 1 bytes.
 * Returns the length.
 */
size_t format_text_plain(char *out, size_t size, const char *s, size_t n);

/* The next line in that form, in the arena; NULL at the end. l->number is its number. */
char *format_text_line(struct format_lines *l, struct arena *a);

/* Cuts a line into its words (runs of non-blanks), at most max; the last takes the rest. Returns how many. */
size_t format_text_words(char *line, char **words, size_t max);

/* A whole word as a finite number. */
bool format_text_number(const char *word, double *v);

/* Whether s starts with prefix. */
bool format_text_starts(const char *s, const char *prefix);

/* For sniffing: true when one of the lines in the first 64 KiB, in that form, is what `is` says yes to. */
bool format_text_any_line(const char *text, size_t len, bool (*is)(const char *line));

#endif
