/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports that name several kernels in one file; read by way of format_reproducer.c. */
#ifndef INGEST_FORMAT_REPRODUCER_REPORTS_H
#define INGEST_FORMAT_REPRODUCER_REPORTS_H

#include "format.h"

/* Is this line the heading of the table of releases? */
bool format_reproducer_reports_is_releases(const char *line);

int format_reproducer_reports_releases(struct format_file *f, struct err *err);
int format_reproducer_reports_totals(struct format_file *f, struct err *err);

#endif
