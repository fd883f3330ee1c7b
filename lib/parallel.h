/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One request's work on several CPUs: for the few answers of tens of thousands of rows,
 * which a person waits for. Threads live as long as the call: starting one takes some 20 us.
 */
#ifndef LIB_PARALLEL_H
#define LIB_PARALLEL_H

#include <stddef.h>

#define PARALLEL_MOST 8		/* parts: beyond, memory is what all wait for */

/* Into how many parts to split n items, so that each has at least `least`: 1 up to CPUs there are. */
unsigned parallel_parts(size_t n, size_t least);

/* fn(arg, 0) ... fn(arg, parts - 1), at once, one of them in this thread; returns when all have. */
void parallel_run(unsigned parts, void (*fn)(void *arg, unsigned part), void *arg);

/* Where part begins among n items; the next one's begin is its end. */
static inline size_t parallel_from(size_t n, unsigned part, unsigned parts)
{
	return n / parts * part + n % parts * part / parts;
}

#endif
