/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a terminal's bytes to plain lines and words. */
#include "format_text.h"

#include <string.h>

#include "../lib/num.h"

#define SNIFF_BYTES (64 * 1024)
#define SNIFF_LINE 512

/* Bytes of the escape sequence that begins at s (an ESC): ECMA-48's CSI and OSC, or two bytes. */
static size_t escape_len(const char *s, size_t n)
{
	size_t i = 2;

	if (n < 2)
		return n;
	if (s[1] == '[') {
		while (i < n && !(s[i] >= 0x40 && s[i] <= 0x7e))
			i++;
		return i < n ? i + 1 : n;
	}
	if (s[1] == ']') {
		while (i < n && s[i] != '\a' && s[i] != '\x1b')
			i++;
		return i < n && s[i] == '\a' ? i + 1 : i;
	}
	return 2;
}

size_t format_text_plain(char *out, size_t size, const char *s, size_t n)
{
	size_t len = 0;

	for (size_t i = 0; i < n;) {
		char c = s[i];

		if (c == '\x1b') {
			i += escape_len(s + i, n - i);
			continue;
		}
		i++;
		if (c == '\r' && i < n)
			len = 0;
		else if (c == '\t')
			c = ' ';
		if ((unsigned char)c >= 0x20 && c != 0x7f && len + 1 < size)
			out[len++] = c;
	}
	while (len && out[len - 1] == ' ')
		len--;
	out[len] = 0;
	return len;
}

char *format_text_line(struct format_lines *l, struct arena *a)
{
	const char *s;
	char *out;
	size_t n;

	if (!format_line(l, &s, &n))
		return NULL;
	out = arena_alloc(a, n + 1);
	format_text_plain(out, n + 1, s, n);
	return out;
}

size_t format_text_words(char *line, char **words, size_t max)
{
	size_t n = 0;

	for (;;) {
		line += strspn(line, " ");
		if (!*line || n == max)
			return n;
		words[n++] = line;
		if (n == max)
			return n;
		line += strcspn(line, " ");
		if (*line)
			*line++ = 0;
	}
}

bool format_text_number(const char *word, double *v)
{
	return !num_parse(word, strlen(word), v);
}

bool format_text_starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

bool format_text_any_line(const char *text, size_t len, bool (*is)(const char *line))
{
	struct format_lines l = { text, text + (len < SNIFF_BYTES ? len : SNIFF_BYTES), 0 };
	char line[SNIFF_LINE];
	const char *s;
	size_t n;

	while (format_line(&l, &s, &n)) {
		format_text_plain(line, sizeof(line), s, n);
		if (is(line))
			return true;
	}
	return false;
}
