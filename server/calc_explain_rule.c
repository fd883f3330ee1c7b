/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_explain_rule.h"

#include <math.h>
#include <string.h>

static const char *percent(struct arena *a, double p)
{
	return arena_printf(a, "%+.*f %%", fabs(p) >= 99.95 ? 0 : fabs(p) >= 9.95 ? 1 : 2, p);
}

/* Why a rule of steps, or of a baseline, does not fire at this one. */
static const char *step_missing(struct arena *a, const struct db_rule *rule, const struct calc_rule_step *s)
{
	bool worse = s->verdict == COMPARE_REGRESSION;

	if (s->verdict == COMPARE_UNCHANGED)
		return arena_printf(a, "against %s it is unchanged.", s->from->name);
	if (s->verdict == COMPARE_INCONCLUSIVE)
		return arena_printf(a, "against %s nothing is sure: %s may be noise.", s->from->name, percent(a, s->percent));
	if (worse ? !rule->worse : !rule->better)
		return worse ? "it got worse, and the rule looks for what gets better." : "it got better, and the rule looks for what gets worse.";
	if (!strcmp(rule->confidence, "strong") && s->confidence != COMPARE_STRONG)
		return arena_printf(a, "%s is only %s, and the rule asks for strong confidence.", percent(a, s->percent),
				    calc_compare_confidence_word(s->confidence));
	if (!strcmp(rule->confidence, "weak") && s->confidence == COMPARE_NONE)
		return arena_printf(a, "%s has no confidence, and the rule asks for weak at least.", percent(a, s->percent));
	return arena_printf(a, "%s is less than its %g %%.", percent(a, s->percent), rule->percent);
}

static const char *step_fired(struct arena *a, const struct db_rule *rule, const struct calc_rule_step *s)
{
	return arena_printf(a, "%s against %s, %s, is at least its %g %%.", percent(a, s->percent), s->from->name,
			    calc_compare_confidence_word(s->confidence), rule->percent);
}

static const char *bounds(struct arena *a, const struct db_rule *rule)
{
	const char *most = isnan(rule->above) ? "" : arena_printf(a, "at most %.4g", rule->above);
	const char *least = isnan(rule->below) ? "" : arena_printf(a, "at least %.4g", rule->below);

	return arena_printf(a, "%s%s%s", most, *most && *least ? " and " : "", least);
}

static const char *limit_text(struct arena *a, const struct db_rule *rule, const struct calc_rule_step *s)
{
	const char *unit = s->series->metric->unit;
	bool above = s->to_center > rule->above, below = s->to_center < rule->below;
	double limit = above ? rule->above : rule->below;
	const char *side = above ? "above" : "below";

	if (!above && !below)
		return arena_printf(a, "%.4g %s is within its limit, %s.", s->to_center, unit, bounds(a, rule));
	if (above ? s->from_center > limit : s->from_center < limit)
		return arena_printf(a, "%.4g %s is %s its limit of %.4g, but so was %s before it: what stays there is told once, when "
				    "it crosses.", s->to_center, unit, side, limit, s->from->name);
	return arena_printf(a, "%.4g %s is %s its limit of %.4g, and %s was not.", s->to_center, unit, side, limit, s->from->name);
}

/* The comparison with the rule's own kernel; *text where there is none. */
static int baseline_step(struct catalog *c, struct db *db, struct arena *a, const struct calc_rule *r,
			 const struct cat_series *series, const struct cat_kernel *kernel, struct calc_rule_step *s, const char **text,
			 struct err *err)
{
	struct selection sel = { .series = arena_array(a, const struct cat_series *, 1), .n = 1 };
	const struct cat_kernel *base = r->baseline;
	struct compare *cmp;

	*text = NULL;
	sel.series[0] = series;
	if (!base)
		*text = arena_printf(a, "nobody has measured its baseline %s yet.", r->rule.baseline);
	else if (strcmp(base->track, kernel->track))
		*text = arena_printf(a, "its baseline %s is of another track, %s.", base->name, base->track);
	else if (calc_select_kernel_order(&base, &kernel) >= 0)
		*text = arena_printf(a, "%s does not come after its baseline %s.", kernel->name, base->name);
	if (*text)
		return 0;
	if (calc_compare(c, db, a, &sel, base, kernel, NULL, NULL, &cmp, err))
		return -1;
	if (!cmp->n_rows) {
		*text = arena_printf(a, "this series was not measured with both its baseline %s and %s.", base->name, kernel->name);
		return 0;
	}
	*s = (struct calc_rule_step){ .series = series, .from = base, .to = kernel, .from_center = cmp->rows[0].base.center,
				      .to_center = cmp->rows[0].head.center, .percent = cmp->rows[0].change_percent,
				      .verdict = cmp->rows[0].verdict, .confidence = cmp->rows[0].confidence };
	return 0;
}

int calc_explain_rule(struct catalog *c, struct db *db, struct arena *a, const struct calc_rule *r,
		      const struct calc_rule_step *step, const struct cat_series *series, const struct cat_kernel *kernel,
		      struct explain_rule *out, struct err *err)
{
	const struct db_rule *rule = &r->rule;
	struct calc_rule_step own = { 0 };
	bool regression = false, would;

	*out = (struct explain_rule){ .rule = rule, .selects = calc_rules_selects(r, series, kernel->track) };
	if (!out->selects)
		out->text = rule->unit && calc_selector_has(&r->on, series, kernel->track) ?
			    arena_printf(a, "it looks at values in %s, and this series has %s.", rule->unit, series->metric->unit) :
			    "its selector leaves this series out.";
	else if (rule->kind == RULE_BASELINE && baseline_step(c, db, a, r, series, kernel, &own, &out->text, err))
		return -1;
	if (out->text)
		return 0;
	step = rule->kind == RULE_BASELINE ? &own : step;
	if (!step) {
		out->text = "there is no step to look at.";
		return 0;
	}
	would = calc_rules_fires(r, step, &regression);
	out->text = rule->kind == RULE_LIMIT ? limit_text(a, rule, step) : would ? step_fired(a, rule, step) : step_missing(a, rule, step);
	out->fires = would && rule->enabled;
	if (would && !rule->enabled)
		out->text = arena_printf(a, "%s But it is off.", out->text);
	return 0;
}
