/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "say.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../chart/table.h"
#include "../lib/buf.h"

#define WIDTH 72

static bool progress; /* such a line stands on the terminal */

/* Formatted and cleaned, with `end`, in one write. */
__attribute__((format(printf, 2, 0))) static void put(const char *start, const char *fmt, va_list ap,
						      const char *end)
{
	struct arena *a = arena_new();

	fprintf(stderr, "%s%s%s", start, table_clean(a, arena_vprintf(a, fmt, ap)), end);
	arena_free(a);
}

void say_progress_end(void)
{
	if (progress)
		fputs("\r\033[K", stderr);
	progress = false;
}

void say_progress(const char *fmt, ...)
{
	va_list ap;

	if (!isatty(STDERR_FILENO))
		return;
	va_start(ap, fmt);
	put("\r", fmt, ap, "\033[K");
	va_end(ap);
	fflush(stderr);
	progress = true;
}

int say(const char *fmt, ...)
{
	va_list ap;

	say_progress_end();
	va_start(ap, fmt);
	put("nsecwatch: ", fmt, ap, "\n");
	va_end(ap);
	return 1;
}

void say_problems(const char *about, const char *kind, const struct problems *p)
{
	for (size_t i = 0; p && i < p->n; i++)
		say("%s: %s%s%s: %s", about, kind, *p->list[i].at ? " at " : "", p->list[i].at,
		    p->list[i].message);
	if (p && p->total > p->n)
		say("%s: and %zu more", about, p->total - p->n);
}

void say_folded(const char *text, int at)
{
	size_t room = (size_t)(WIDTH - at);

	while (strlen(text) > room) {
		size_t n = room;

		while (n && (text[n] & 0xc0) == 0x80) /* not inside a character */
			n--;
		printf("%.*s\n%*s", (int)n, text, at, "");
		text += n;
	}
	puts(text);
}
