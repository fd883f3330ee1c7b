/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libFuzzer's side of a header with target_run(): FUZZ_TARGET=NAME tells which. See run.sh. */
#ifndef TESTS_FUZZ_MAIN_H
#define TESTS_FUZZ_MAIN_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *name;
	const char *bad;

	if (!name)
		name = getenv("FUZZ_TARGET") ? getenv("FUZZ_TARGET") : targets[0].name;
	bad = target_run(name, (const char *)data, size);
	if (bad) {
		fprintf(stderr, "%s: %s\n", name, bad);
		abort();
	}
	return 0;
}

#endif
