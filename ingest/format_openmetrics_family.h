/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What OpenMetrics demands of the samples of a metric family: names, labels, values, order. */
#ifndef INGEST_FORMAT_OPENMETRICS_FAMILY_H
#define INGEST_FORMAT_OPENMETRICS_FAMILY_H

#include "format_exposition.h"

enum format_openmetrics_type {
	OPENMETRICS_UNKNOWN, OPENMETRICS_GAUGE, OPENMETRICS_COUNTER, OPENMETRICS_SUMMARY, OPENMETRICS_HISTOGRAM,
	OPENMETRICS_GAUGEHISTOGRAM, OPENMETRICS_INFO, OPENMETRICS_STATESET,
};

struct format_openmetrics_family {
	struct arena *a;
	const char *name;		/* NULL: none yet */
	const char *unit;		/* "" or NULL: none */
	enum format_openmetrics_type type;
	bool has_type, has_unit, has_help, has_samples;

	/* of the group of samples at hand: those with the same labels, le and quantile apart */
	struct format_groups groups;	/* all there were in the family */
	struct format_groups seen;	/* each sample's name and labels */
	const char *group;
	double group_time;
	bool group_has_time;
	double le, bucket, count, sum;	/* last bucket and its bound; NaN: none */
	bool has_inf, has_count, has_sum, has_negative_bucket;
};

/* By its word; false for none. "untyped" is Prometheus' word for unknown. */
bool format_openmetrics_type(const char *word, bool strict, enum format_openmetrics_type *type);

/* The suffix of a sample's name when it is one of the family's, else NULL: "" or "_total", ... */
const char *format_openmetrics_suffix(const struct format_openmetrics_family *fam, const char *name);

/* NULL, or what is wrong with a sample of the family. */
const char *format_openmetrics_check(struct format_openmetrics_family *fam, const struct format_exposition *s,
				     const char *suffix);

/* NULL, or what is wrong with the group, now that all of it was seen. */
const char *format_openmetrics_end(struct format_openmetrics_family *fam);

#endif
