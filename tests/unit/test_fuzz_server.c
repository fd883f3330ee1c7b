/* SPDX-License-Identifier: GPL-2.0-or-later */
/* As test_fuzz_saved.c, of the targets that stand in the server. */
#include "../fuzz/targets_server.h"
#include "replay.h"

int main(void)
{
	struct arena *a = arena_new();

	for (size_t i = 0; i < N(targets); i++) {
		ok(replay(a, arena_printf(a, "tests/fuzz/seeds/%s", targets[i].name), targets[i].name), "%s has seeds", targets[i].name);
		replay(a, arena_printf(a, "tests/fuzz/saved/%s", targets[i].name), targets[i].name);
	}
	arena_free(a);
	return done();
}
