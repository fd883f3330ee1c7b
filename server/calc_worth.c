/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_worth.h"

#define SAME_SHARE 0.5		/* of a step that must be left for the next kernel to bear it out: as far from all as from nothing */

/*
 * What a change of level must show before people are told, in boots since and in thresholds. Runs that depend on the one
 * before drift away for a while in quiet series, too: a third run costs a little patience, and halves
 * the false alerts. What only shows after many runs is more often drift than a step: the trend
 * has it. Below TOLD_SCORE it is a suspect (chosen on seeds 501 to 513; judged on others).
 */
#define TOLD_BOOTS 3
#define TOLD_AT_ONCE 20.	/* so far beyond the threshold, two are enough */
#define TOLD_SCORE 2.8
#define LATE_RUNS 6
#define LATE_SCORE 4.

/* Whether from point `from` to point `to` at least half of the step is left. */
static bool bears_out(const struct calc_worth_point *p, double step, size_t from, size_t to)
{
	return (p[to].log_mean - p[from].log_mean) / step >= SAME_SHARE;
}

static enum calc_worth say(enum calc_worth worth, const char **why, const char *text)
{
	if (why)
		*why = text;
	return worth;
}

enum calc_worth calc_worth_step(const struct calc_worth_point *p, size_t n, size_t i, bool lasting, bool siblings,
				const char **why)
{
	const struct calc_worth_point *base = &p[i - 1], *head = &p[i];
	double step = head->log_mean - base->log_mean;
	bool next = i + 1 < n, before = i >= 2, once = head->boots < 2;

	if (once && lasting)
		return say(WORTH_NONE, why, "one boot of %s proves nothing in a series this long: later kernels, or another boot, decide");
	if ((once || lasting) && next && !bears_out(p, step, i - 1, i + 1))
		return say(WORTH_NONE, why, "the kernel after %s is back where it was, so %s was an outlier");
	if (base->boots < 2 && before && !bears_out(p, step, i - 2, i))
		return say(WORTH_NONE, why, "the kernel before %s was measured in one boot and was an outlier itself");
	if (!once)
		return say(WORTH_PROVEN, why, "two boots or more of %s show it");
	if (next && (base->boots >= 2 || before))
		return say(WORTH_PROVEN, why, "%s has one boot, and the kernel after it shows the same");
	/* one boot against one, in one series of several kernels: spikes look just like that */
	return base->boots >= 2 || siblings || n == 2 ?
	       say(WORTH_SUSPECT, why, "%s has one boot: one more makes it an alert, if it shows the same") :
	       say(WORTH_NONE, why, "one boot of %s stands against one of the kernel before: one more boot makes it an alert, if it shows the same");
}

enum calc_worth calc_worth_level(const struct trend_change *c, const char **why)
{
	if (c->after_boots < TOLD_BOOTS && c->score < TOLD_AT_ONCE)
		return say(WORTH_NONE, why, "the new level has too few boots: three since %s make it an alert");
	if (c->runs_after > LATE_RUNS && c->score < LATE_SCORE)
		return say(WORTH_NONE, why, "it showed only after many kernels, which is more often drift than a step at %s");
	return c->score < TOLD_SCORE ?
	       say(WORTH_SUSPECT, why, "the new level is there, but not far beyond the threshold: more kernels after %s decide") :
	       say(WORTH_PROVEN, why, "three boots or more since %s show the new level");
}

enum calc_worth calc_worth_boots(int64_t boots, const char **why)
{
	return boots >= 2 ? say(WORTH_PROVEN, why, "two boots or more of %s show it") :
			    say(WORTH_SUSPECT, why, "%s has one boot: one more makes it an alert, if it shows the same");
}
