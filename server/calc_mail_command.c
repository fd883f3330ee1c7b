/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line is continued as a shell reads it: behind a blank outside of quotes where there is
 * one; within a word, or in double quotes, a backslash and the line's end are nothing;
 * single quotes are closed before it and opened again.
 */
#include "calc_mail_command.h"

#include <string.h>

#include "../chart/table.h"

#define FIRST_INDENT 2
#define NEXT_INDENT 6
#define ROOM_TO_CONTINUE 4	/* of "' \" and the like at a line's end */

static size_t char_bytes(const char *s)
{
	size_t n = 1;

	while (((unsigned char)s[n] & 0xc0) == 0x80)
		n++;
	return n;
}

/* The quote that stands open after n bytes: '\'', '"' or 0; and whether the last byte escapes the next. */
static char quote_after(const char *s, size_t n, char open, bool *escaped)
{
	*escaped = false;
	for (size_t i = 0; i < n; i++) {
		if (*escaped)
			*escaped = false;
		else if (s[i] == '\\' && open != '\'')
			*escaped = true;
		else if (open && s[i] == open)
			open = 0;
		else if (!open && (s[i] == '\'' || s[i] == '"'))
			open = s[i];
	}
	return open;
}

/* How many bytes fit into `width` columns; all of them where the rest is short. */
static size_t fitting(const char *s, size_t width)
{
	size_t n = 0;

	for (size_t used = 0; s[n] && used < width; used++)
		n += char_bytes(s + n);
	return n;
}

/* The last blank outside of quotes in the first n bytes, where the line may end; 0: none. */
static size_t last_blank(const char *s, size_t n, char open)
{
	bool escaped;

	for (size_t i = n; i-- > 1;)
		if (s[i] == ' ' && !quote_after(s, i, open, &escaped) && !escaped)
			return i;
	return 0;
}

static void one_line(struct buf *out, const char *s)
{
	size_t indent = FIRST_INDENT;
	char open = 0;
	bool escaped;

	for (;;) {
		size_t n = fitting(s, TABLE_COLUMNS - indent), cut;

		buf_printf(out, "%*s", (int)indent, "");
		if (!s[n]) {
			buf_printf(out, "%s\n", s);
			return;
		}
		n = fitting(s, TABLE_COLUMNS - indent - ROOM_TO_CONTINUE);
		cut = last_blank(s, n, open);
		if (cut) {
			buf_printf(out, "%.*s \\\n", (int)cut, s);
			s += cut + 1;
			open = 0;
			indent = NEXT_INDENT;
			continue;
		}
		quote_after(s, n, open, &escaped);
		n -= escaped;	/* a backslash goes with what it escapes */
		open = quote_after(s, n, open, &escaped);
		buf_add(out, s, n);
		buf_puts(out, open == '\'' ? "'\\\n'" : "\\\n");
		s += n;
		indent = 0;
	}
}

void calc_mail_command(struct buf *out, const char *command)
{
	struct arena *a = arena_new();

	for (const char *p = command; *p; p += strspn(p, "\n")) {
		size_t n = strcspn(p, "\n");

		one_line(out, table_clean(a, arena_strndup(a, p, n)));
		p += n;
	}
	arena_free(a);
}
