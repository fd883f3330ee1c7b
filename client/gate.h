/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two kernels compared by the server: for people, and as the gate of a CI job. */
#ifndef CLIENT_GATE_H
#define CLIENT_GATE_H

#include "options.h"

int gate_compare(struct arena *a, const struct options *o);	/* the exit codes */
int gate_check(struct arena *a, const struct options *o);

#endif
