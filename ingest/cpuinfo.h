/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of /proc/cpuinfo, of any architecture, to CPU ids. Of a hybrid machine: those of the CPU listed first. */
#ifndef INGEST_CPUINFO_H
#define INGEST_CPUINFO_H

#include "../lib/arena.h"
#include "uarch.h"

/* Strings in *cpu live in the arena; what the text does not say stays -1 or NULL. */
void cpuinfo_read(struct arena *a, const char *text, struct cpu_id *cpu);

#endif
