/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stress-ng's two outputs, its log and its YAML, have in common: a stressor has a
 * rate of bogo operations and some more numbers, told by a name each. Series are named
 * as LKP names them, so that a lab's own files and the robot's mails meet.
 */
#ifndef INGEST_FORMAT_STRESS_NG_H
#define INGEST_FORMAT_STRESS_NG_H

#include "format.h"

struct format_stress_ng_stressor;

struct format_stress_ng {
	struct format_file *f;
	struct draft d;
	struct format_set set;
	size_t *of_series;		/* one a series of the set: its stressor */
	size_t cap_of_series;
	struct format_groups names;	/* of the stressors */
	struct format_stress_ng_stressor *stressors;
	size_t cap_stressors;
};

void format_stress_ng_begin(struct format_stress_ng *s, struct format_file *f);

/* A number of a stressor: `name` as the tool prints it ("bogo ops/s", "nanosecs per flock lock call"), or as YAML's key. */
void format_stress_ng_add(struct format_stress_ng *s, size_t line, const char *stressor, const char *name, double value,
			  double bogo_ops);

/* A stressor that failed (its numbers are then none) or was skipped (unless some of its instances have numbers). */
void format_stress_ng_status(struct format_stress_ng *s, size_t line, const char *stressor, enum result_status status,
			     const char *why);

/* Gives all series to the draft and adds it to the file. */
void format_stress_ng_end(struct format_stress_ng *s);

#endif
