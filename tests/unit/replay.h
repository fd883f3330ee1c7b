/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inputs of make fuzz again, through target_run() of a header of targets. */
#ifndef TESTS_REPLAY_H
#define TESTS_REPLAY_H

#include "read_file.h"
#include "tap.h"

#include <dirent.h>

static int visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* Every file of a folder as `target`; false: there is no such folder. */
static bool replay(struct arena *a, const char *folder, const char *target)
{
	struct dirent **files;
	int n = scandir(folder, &files, visible, alphasort), bad = 0;

	for (int i = 0; i < n; i++) {
		size_t len;
		const char *path = arena_printf(a, "%s/%s", folder, files[i]->d_name);
		char *text = read_file(a, path, &len);
		const char *wrong = text ? target_run(target, text, len) : "it cannot be read";

		if (wrong) {
			printf("# %s as %s: %s\n", path, target, wrong);
			bad++;
		}
		free(files[i]);
	}
	if (n < 0)
		return false;
	free(files);
	ok(!bad && n > 0, "%d inputs of %s hold as %s", n, folder, target);
	return true;
}

#endif
