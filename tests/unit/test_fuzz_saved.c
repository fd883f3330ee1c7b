/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What fuzzing once found (tests/fuzz/saved/TARGET/), and its seeds: nothing of it
 * crashes, and all of it is told. Worth most under SAN=address.
 */
#include "../fuzz/targets.h"
#include "replay.h"

/* test_fuzz_server.c and tests/http/test_fuzz_http.py have these. */
static bool is_of_others(const char *name)
{
	static const char *const others[] = { "query", "selector", "inflate", "http" };

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(others[i], name))
			return true;
	return false;
}

static void replay_all(struct arena *a, const char *below)
{
	struct dirent **names;
	int n = scandir(below, &names, visible, alphasort);

	for (int i = 0; i < n; i++) {
		if (!is_of_others(names[i]->d_name))
			replay(a, arena_printf(a, "%s/%s", below, names[i]->d_name), names[i]->d_name);
		free(names[i]);
	}
	ok(n > 0, "%s is there", below);
	if (n >= 0)
		free(names);
}

int main(void)
{
	struct arena *a = arena_new();

	replay_all(a, "tests/fuzz/saved");
	replay_all(a, "tests/fuzz/seeds");
	ok(replay(a, "tests/data/formats", "sniff"), "the small files of all formats are there");
	arena_free(a);
	return done();
}
