/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One line of a metrics exposition (OpenMetrics 1.0, or Prometheus' text format 0.0.4) as a sample. */
#ifndef INGEST_FORMAT_EXPOSITION_H
#define INGEST_FORMAT_EXPOSITION_H

#include "format.h"

#define FORMAT_EXPOSITION_LABELS 64
#define FORMAT_EXPOSITION_LINE 16384	/* bytes; no label may be that long */

struct format_exposition {
	const char *name;
	struct {
		const char *name, *value;
	} labels[FORMAT_EXPOSITION_LABELS];
	size_t n_labels;
	double value;			/* may be NaN or infinite */
	bool has_time, has_exemplar;
	double time;			/* seconds; Prometheus' milliseconds made so */
};

/* Whether a text is a metric's or (colons apart) a label's name. */
bool format_exposition_is_name(const char *s, size_t n, bool metric);

/* A number as both formats write it, with NaN and Inf in any case. */
bool format_exposition_number(const char *s, size_t n, double *v);

/* NULL, or what is wrong with the line. `strict` is OpenMetrics: single blanks, exemplars. Texts go to the arena. */
const char *format_exposition(struct arena *a, const char *line, bool strict, struct format_exposition *out);

/* The value of a label, or NULL. */
const char *format_exposition_label(const struct format_exposition *s, const char *name);

#endif
