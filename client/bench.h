/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `nsecwatch bench`: benchmarks of our own for what a kernel does with memory, printed as
 * submissions: of several THP modes, an array.
 */
#ifndef CLIENT_BENCH_H
#define CLIENT_BENCH_H

#include "options.h"

int bench(struct arena *a, const struct options *o);	/* the exit code; 130: interrupted */

#endif
