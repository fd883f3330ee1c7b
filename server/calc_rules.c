/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_rules.h"

#include <math.h>
#include <string.h>

#include "../ingest/unit.h"

int calc_rules_resolve(struct calc_rule *r, const struct db_rule *rule, struct catalog *c, struct db *db,
		       struct arena *a, struct err *err)
{
	struct selection everything = { 0 };
	struct err unknown = { 0 };

	*r = (struct calc_rule){ .rule = *rule };
	if (calc_selector_resolve(&r->on, rule->selector, c, a, err))
		return -1;
	if (rule->kind != RULE_BASELINE || !calc_select_kernel(c, db, a, "baseline", rule->baseline, &everything, &r->baseline, &unknown))
		return 0;
	r->baseline = NULL;
	return unknown.kind == ERR_UNAVAILABLE ? err_set(err, ERR_UNAVAILABLE, "%s", unknown.message) : 0;
}

/* A limit in plain time is one of time per call, too. */
static bool unit_fits(const char *unit, const char *of_series)
{
	size_t n = strlen(unit);

	return !strncmp(unit, of_series, n) && (!of_series[n] || (of_series[n] == '/' && !strchr(unit, '/')));
}

bool calc_rules_selects(const struct calc_rule *r, const struct cat_series *series, const char *track)
{
	if (r->rule.unit && !unit_fits(r->rule.unit, series->metric->unit))
		return false;
	return calc_selector_has(&r->on, series, track);
}

static enum compare_confidence least_confidence(const struct db_rule *rule)
{
	for (int c = COMPARE_NONE; c < COMPARE_STRONG; c++)
		if (!strcmp(calc_compare_confidence_word((enum compare_confidence)c), rule->confidence))
			return (enum compare_confidence)c;
	return COMPARE_STRONG;
}

/* A change that the test is sure of, large enough, in a direction that is looked at. */
static bool is_breach(const struct db_rule *rule, const struct calc_rule_step *s, bool *regression)
{
	if (s->verdict != COMPARE_REGRESSION && s->verdict != COMPARE_IMPROVEMENT)
		return false;
	*regression = s->verdict == COMPARE_REGRESSION;
	return (*regression ? rule->worse : rule->better) && s->confidence >= least_confidence(rule) &&
	       fabs(s->percent) >= rule->percent;
}

/* Over the line, from the other side of it: what stays there is told once. */
static bool crosses(const struct db_rule *rule, const struct calc_rule_step *s, bool *regression)
{
	*regression = true;
	return (s->to_center > rule->above && s->from_center <= rule->above) ||
	       (s->to_center < rule->below && s->from_center >= rule->below);
}

bool calc_rules_fires(const struct calc_rule *r, const struct calc_rule_step *step, bool *regression)
{
	switch (r->rule.kind) {
	case RULE_STEP:
		return is_breach(&r->rule, step, regression);
	case RULE_LIMIT:
		return crosses(&r->rule, step, regression);
	case RULE_BASELINE:
		return step->from == r->baseline && is_breach(&r->rule, step, regression) && *regression;
	}
	return false;
}

double calc_rules_limit(struct arena *a, double limit, const char *unit, const char **canonical)
{
	double factor = 1;

	*canonical = NULL;
	if (unit)
		unit_canonical(a, unit, canonical, &factor);
	return limit * factor;
}
