/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Units of measurement. Times are stored in nanoseconds whatever they came in; the
 * denominator stays: `us/call` is 1000 `ns/call`. What is no time stays as it is.
 */
#ifndef INGEST_UNIT_H
#define INGEST_UNIT_H

#include <stdbool.h>

#include "../lib/arena.h"

/*
 * *canonical and *factor (value in canonical = value * factor) are always set. True
 * when `unit` is a time (its numerator: "s", "usec/op", "ms per call"); else
 * *canonical is `unit` itself and *factor is 1.
 */
bool unit_canonical(struct arena *a, const char *unit, const char **canonical, double *factor);

#endif
