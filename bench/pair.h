/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two ways to do the same in one process, in turn: what each takes of the CPU, whoever else is busy. */
#ifndef BENCH_PAIR_H
#define BENCH_PAIR_H

#include <stddef.h>

struct pair_way {
	const char *name;
	size_t (*once)(size_t which);	/* does one of the things and returns its bytes */
};

/*
 * All `things` by both ways unmeasured, then round and round until `seconds` of CPU are used. Prints "NAME": {...} of
 * both as measure_run() does, with a comma between.
 */
void pair_run(const struct pair_way way[2], size_t things, double seconds);

#endif
