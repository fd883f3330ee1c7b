/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lmbench's two outputs: what a run prints, and the tables made of it. */
#ifndef INGEST_FORMAT_LMBENCH_H
#define INGEST_FORMAT_LMBENCH_H

#include "format.h"

/* Whether a line is the title of the tables. */
bool format_lmbench_summary_title(const char *line);
int format_lmbench_summary_read(struct format_file *f, struct err *err);

#endif
