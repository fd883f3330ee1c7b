/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What most readers do with a number: it goes to its series as a repetition, or is listed as not imported. */
#ifndef INGEST_FORMAT_SINK_H
#define INGEST_FORMAT_SINK_H

#include "format.h"

#define FORMAT_SINK_PARAMS 24

struct format_sink {
	struct format_file *f;
	struct draft d;
	struct format_set set;
	struct draft_param params[FORMAT_SINK_PARAMS];	/* of the results to come */
	size_t n_params;
	struct buf key;
};

/* A draft made by `tool`; give it back with format_sink_end(), or format_sink_fini() where the file is refused. */
void format_sink_init(struct format_sink *k, struct format_file *f, const char *tool);
void format_sink_fini(struct format_sink *k);

/* Its series go to the draft, the draft to the file's items; the sink is empty then. */
void format_sink_end(struct format_sink *k);

/* Parameters of all results to come, until they are cleared to the first n. More than fit are listed by the draft. */
void format_sink_text(struct format_sink *k, const char *name, const char *text);
void format_sink_number(struct format_sink *k, const char *name, double number);
/* A text that is a number becomes one: "16", for tools that have no types. */
void format_sink_word(struct format_sink *k, const char *name, const char *word);

/*
 * A repetition. r says place, benchmark (without the prefix), metric, unit, direction
 * and, at a series' first time, iterations; all texts are copied. What can be no value
 * of that unit is listed as left out.
 */
void format_sink_add(struct format_sink *k, const struct draft_result *r, double value);

/* A result that the tool gives in its own figures, or that failed: r says it all. Once a series. */
void format_sink_result(struct format_sink *k, const struct draft_result *r);

/* What a unit says of direction: times are better lower, rates higher; else neutral. */
enum better format_sink_better(struct arena *a, const char *unit);

#endif
