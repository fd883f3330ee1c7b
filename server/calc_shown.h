/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which rows of a comparison are shown. They are chosen after all are judged: q, verdicts, counts and sentences stay
 * those of the whole. static/compare_rows.js chooses by the same rules in the page.
 */
#ifndef SERVER_CALC_SHOWN_H
#define SERVER_CALC_SHOWN_H

#include "calc_compare.h"

struct shown {
	const char *verdict;		/* a verdict's word, or "worse" or "better": a direction; NULL: any */
	const char *confidence;		/* "weak": or more; "strong"; NULL, "any": any */
	const char *text;		/* words, all of which a row must hold; NULL: any */
	const char *on, *mode;		/* a machine, a THP mode; NULL: any */
	bool sized;
	double lo, hi;			/* of the numeric parameter that most rows have; INFINITY: no end */
};

/* Reads "400..4000", "400..", "..4000" into it. False: it is none of these. */
bool calc_shown_size(struct shown *s, const char *text);
/* False: no such word. */
bool calc_shown_is_verdict(const char *word);
bool calc_shown_is_confidence(const char *word);

/* c itself where all is asked for; else a choice of its rows, with `of` and `chosen_by` set. In `a`. */
const struct compare *calc_shown(struct arena *a, const struct compare *c, const struct shown *s);

#endif
