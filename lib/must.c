/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "must.h"

#include <stdio.h>
#include <stdlib.h>

void must_fail(const char *expr, const char *file, int line)
{
	fprintf(stderr, "%s:%d: must hold, a bug in nsecwatch: %s\n", file, line, expr);
	abort();
}
