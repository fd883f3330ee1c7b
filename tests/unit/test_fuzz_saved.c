/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What fuzzing once found (tests/fuzz/saved/TARGET/), and its seeds: nothing of it
 * crashes, and all of it is told. Worth most under SAN=address.
 */
#include "../fuzz/targets.h"
#include "tap.h"

#include <dirent.h>

static struct arena *a;

static int visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* Every file of a folder as `target`; false: there is no such folder. */
static bool replay(const char *folder, const char *target)
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

int main(void)
{
	struct dirent **names;
	int n = scandir("tests/fuzz/saved", &names, visible, alphasort);

	a = arena_new();
	for (int i = 0; i < n; i++) {
		replay(arena_printf(a, "tests/fuzz/saved/%s", names[i]->d_name), names[i]->d_name);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++)
		replay(arena_printf(a, "tests/fuzz/seeds/%s", targets[i].name), targets[i].name);
	ok(replay("tests/data/formats", "sniff"), "the small files of all formats are there");
	arena_free(a);
	return done();
}
