/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libFuzzer's side of targets.h: FUZZ_TARGET=NAME tells which. See run.sh. */
#include "targets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *name;
	const char *bad;

	if (!name)
		name = getenv("FUZZ_TARGET") ? getenv("FUZZ_TARGET") : "sniff";
	bad = target_run(name, (const char *)data, size);
	if (bad) {
		fprintf(stderr, "%s: %s\n", name, bad);
		abort();
	}
	return 0;
}
