/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_rules.h"

#include <math.h>
#include <string.h>

#include "../ingest/jread.h"
#include "../ingest/unit.h"

static int add_values(struct arena *a, const char *name, const struct jnode *v, struct select_arg *args, size_t *n,
		      struct err *err)
{
	bool one = jread_type(v) == JREAD_STRING;
	size_t len = one ? 1 : jread_len(v);

	for (size_t i = 0; i < len; i++) {
		const char *value = jread_str(one ? v : jread_at(v, i));

		if (!value)
			return err_set(err, ERR_INVALID, "\"%s\": a list of strings is needed", name);
		args[(*n)++] = (struct select_arg){ arena_strdup(a, name), arena_strdup(a, value) };
	}
	/* one of none of them: nothing, and surely not everything */
	return len ? 0 : err_set(err, ERR_INVALID, "\"%s\": the list is empty", name);
}

/* The selector's pairs of name and value, as a query would have them. */
static int read_args(struct arena *a, const struct jnode *root, struct select_arg **args, size_t *n, struct err *err)
{
	const struct jmember *m;
	size_t total = 0;

	*n = 0;
	for (m = jread_first(root); m; m = jread_next(root, m)) {
		enum jread_type type = jread_type(jread_value(m));

		if (!calc_select_is_selector(jread_key(m)) || (type != JREAD_ARRAY && type != JREAD_STRING))
			return err_set(err, ERR_INVALID, "\"%s\" is no selector with a list of values", jread_key(m));
		total += type == JREAD_ARRAY ? jread_len(jread_value(m)) : 1;
	}
	*args = arena_array(a, struct select_arg, total + 1);
	for (m = jread_first(root); m; m = jread_next(root, m))
		if (add_values(a, jread_key(m), jread_value(m), *args, n, err))
			return -1;
	return 0;
}

int calc_rules_resolve(struct calc_rule *r, const struct db_rule *rule, struct catalog *c, struct db *db,
		       struct arena *a, struct err *err)
{
	struct jread_slice whole = { rule->selector, strlen(rule->selector), 1 };
	struct selection everything = { 0 };
	struct select_arg *args = NULL;
	struct err unknown = { 0 };
	struct jnode *root;
	bool syntax;
	size_t n = 0;
	int ret;

	*r = (struct calc_rule){ .rule = *rule };
	root = jread_parse(&whole, &syntax, err);
	if (jread_type(root) != JREAD_OBJECT) {
		jread_free(root);
		return err_set(err, ERR_INVALID, "the selector is no JSON object");
	}
	ret = read_args(a, root, &args, &n, err);
	jread_free(root);
	if (ret)
		return -1;
	r->everything = n == 0;
	if (n)
		calc_select_known(c, a, args, n, &r->sel);
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
	size_t lo = 0, hi = r->sel.n;

	if (r->rule.unit && !unit_fits(r->rule.unit, series->metric->unit))
		return false;
	if (r->everything)
		return true;
	if (!calc_select_track(&r->sel, track))
		return false;
	while (lo < hi) {	/* the selection is in id order */
		size_t mid = lo + (hi - lo) / 2;

		if (r->sel.series[mid]->id == series->id)
			return true;
		if (r->sel.series[mid]->id < series->id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
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
