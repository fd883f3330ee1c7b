/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A double as the shortest decimal that reads back the same; of several the nearest. num.h writes it. */
#ifndef LIB_NUM_DECIMAL_H
#define LIB_NUM_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

struct num_decimal {
	uint64_t digits;	/* at most 17, the last one not 0 */
	int exponent;		/* value = digits * 10^exponent */
};

/* Of the magnitude of a finite d that is not 0. */
struct num_decimal num_decimal_of(double d);

/*
 * The same of nearly all doubles in a third of the time, but of 16 or 17 digits, the last of
 * which may be 0. No digits (0): it can't tell.
 */
struct num_decimal num_decimal_quick(double d);

#endif
