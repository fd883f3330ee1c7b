/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of the shared corpus, which is not in the repository: a test that needs one skips where it is absent. */
#ifndef TESTS_SHARED_H
#define TESTS_SHARED_H

#include "tap.h"

static inline FILE *shared_open(const char *name)
{
	const char *dir = getenv("NSECWATCH_SHARED");
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/corpus/%s", dir ? dir : "../shared", name);
	f = fopen(path, "r");
	if (!f)
		skip(name, "not there (NSECWATCH_SHARED, default ../shared)");
	return f;
}

/* The whole of a small file, in static memory; NULL (and a skip) where it is absent. */
__attribute__((unused)) static const char *shared_text(const char *name)
{
	static char text[1 << 18];
	FILE *f = shared_open(name);
	size_t n;

	if (!f)
		return NULL;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = 0;
	return text;
}

/* Cuts a line of a .tsv at its tabs; columns that are not there are "". */
__attribute__((unused)) static void shared_columns(char *line, char **col, int n)
{
	char *rest = line, *end;

	line[strcspn(line, "\n")] = 0;
	end = line + strlen(line);
	for (int i = 0; i < n; i++) {
		col[i] = strsep(&rest, "\t");
		if (!col[i])
			col[i] = end;
	}
}

#endif
