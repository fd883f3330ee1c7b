/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calc_explain_rule.h"
#include "calc_words.h"
#include "db_seen.h"

static const char *const words[] = {
	[EXPLAIN_ALERT] = "alert", [EXPLAIN_PENDING] = "pending", [EXPLAIN_NOT_MEASURED] = "not_measured",
	[EXPLAIN_FIRST] = "first", [EXPLAIN_NO_RULE] = "no_rule", [EXPLAIN_NOT_FIRED] = "not_fired",
	[EXPLAIN_NO_EVIDENCE] = "no_evidence", [EXPLAIN_NOT_RAISED] = "not_raised",
};

const char *calc_explain_word(enum explain_outcome o)
{
	return words[o];
}

/* What is asked, and what is read once for all of it. */
struct asking {
	struct catalog *c;
	struct db *db;
	struct arena *a;
	const struct cat_kernel *kernel;
	struct calc_rule *rules;
	size_t n_rules;
	struct db_mute *mutes;
	struct calc_selector *muted;
	size_t n_mutes;
	struct calc_expect *expects;
	size_t n_expects;
	struct db_member *members;
	size_t n_members;
	struct compare **compares;	/* made so far, by machine and kernel before */
	size_t n_compares;
	int64_t *machines;		/* of each */
};

/* ---- what is read once ---- */

static int read_rules(struct asking *q, struct err *err)
{
	struct db_rule *list;
	size_t n;

	if (db_rules_list(q->db, q->a, false, &list, &n, err))
		return -1;
	q->rules = arena_array(q->a, struct calc_rule, n + 1);
	for (size_t i = 0; i < n; i++) {
		if (!calc_rules_resolve(&q->rules[q->n_rules], &list[i], q->c, q->db, q->a, err))
			q->n_rules++;
		else if (err->kind == ERR_UNAVAILABLE)
			return -1;	/* else watch leaves it out, too */
	}
	return 0;
}

static int read_mutes(struct asking *q, struct err *err)
{
	struct db_mute *list;
	size_t n;

	if (db_mutes_list(q->db, q->a, true, &list, &n, err))
		return -1;
	q->mutes = arena_array(q->a, struct db_mute, n + 1);
	q->muted = arena_array(q->a, struct calc_selector, n + 1);
	for (size_t i = 0; i < n; i++) {
		if (list[i].of_alert || calc_selector_resolve(&q->muted[q->n_mutes], list[i].selector, q->c, q->a, err))
			continue;
		q->mutes[q->n_mutes++] = list[i];
	}
	return 0;
}

static int read_expectations(struct asking *q, struct err *err)
{
	struct db_expectation *list;
	size_t n;

	if (db_expectations_list(q->db, q->a, &list, &n, err))
		return -1;
	q->expects = arena_array(q->a, struct calc_expect, n + 1);
	for (size_t i = 0; i < n; i++)
		if (calc_expect_look(q->c, q->db, q->a, &list[i], &q->expects[q->n_expects++], err))
			return -1;
	return 0;
}

static int read_members(struct asking *q, const struct selection *sel, struct err *err)
{
	int64_t *ids = arena_array(q->a, int64_t, sel->n + 1);

	for (size_t i = 0; i < sel->n; i++)
		ids[i] = sel->series[i]->id;
	return db_alerts_members_of_series(q->db, q->a, ids, sel->n, &q->members, &q->n_members, err);
}

/* ---- the step ---- */

/* All that the machine measured with both: what an upload's false discovery rate is over. */
static int compare_with(struct asking *q, const struct cat_series *s, const struct cat_kernel *from, const struct compare **out,
			struct err *err)
{
	struct selection sel = { 0 };
	const struct cat_series *const *all;
	size_t n;

	for (size_t i = 0; i < q->n_compares; i++)
		if (q->machines[i] == s->machine->id && q->compares[i]->base == from) {
			*out = q->compares[i];
			return 0;
		}
	db_catalog_lock(q->c);
	all = db_catalog_series(q->c, &n);
	sel.series = arena_array(q->a, const struct cat_series *, n + 1);
	for (size_t i = 0; i < n; i++)
		if (all[i]->machine == s->machine)
			sel.series[sel.n++] = all[i];
	db_catalog_unlock(q->c);
	if (calc_compare(q->c, q->db, q->a, &sel, from, q->kernel, NULL, NULL, &q->compares[q->n_compares], err))
		return -1;
	q->machines[q->n_compares] = s->machine->id;
	*out = q->compares[q->n_compares++];
	return 0;
}

/* Whether at least half of the others of its benchmark and metric, over their params, say the same. */
static bool siblings_agree(const struct compare *cmp, const struct compare_row *row)
{
	size_t all = 0, same = 0;

	for (size_t i = 0; i < cmp->n_rows; i++) {
		const struct cat_series *s = cmp->rows[i].series;

		if (s->benchmark != row->series->benchmark || s->metric != row->series->metric || s->config != row->series->config)
			continue;
		all++;
		same += cmp->rows[i].verdict == row->verdict;
	}
	return same >= 2 && 2 * same >= all;
}

static const char *worth_sentence(struct asking *q, const char *half)
{
	const char *name = q->kernel->name, *at = strstr(half, "%s"), *again = at ? strstr(at + 2, "%s") : NULL;
	char *text = again ? arena_printf(q->a, "%.*s%s%.*s%s%s", (int)(at - half), half, name, (int)(again - at - 2), at + 2, name, again + 2) :
		     at ? arena_printf(q->a, "%.*s%s%s", (int)(at - half), half, name, at + 2) : arena_strdup(q->a, half);

	return text;
}

/* The series' kernels on the track, for the measure of evidence: *at is the one asked about, or *n. */
static struct calc_worth_point *points_of(struct arena *a, const struct trend *t, const struct trend_series *s,
					  const struct cat_kernel *kernel, const struct cat_kernel **before, size_t *n, size_t *at)
{
	struct calc_worth_point *p = arena_array(a, struct calc_worth_point, t->n_kernels + 1);
	bool found = false;

	*n = *at = 0;
	*before = NULL;
	for (size_t i = 0; i < t->n_kernels; i++) {
		if (isnan(s->y[i]) || strcmp(t->kernels[i]->track, s->track) || t->kernels[i]->is_variant)
			continue;
		if (t->kernels[i] == kernel) {
			*at = *n;
			found = true;
		} else if (!found) {
			*before = t->kernels[i];
		}
		p[(*n)++] = (struct calc_worth_point){ log(s->y[i]), s->boots[i] };
	}
	if (!found) {
		*at = *n;
		*before = NULL;
	}
	return p;
}

static void take_level(struct asking *q, struct explain *x, const struct trend *t, const struct trend_change *ch)
{
	const char *half;

	x->level = true;
	x->from = ch->from;
	x->before = ch->before_center;
	x->after = ch->after_center;
	x->percent = ch->percent;
	x->verdict = ch->verdict;
	x->confidence = ch->confidence;
	x->noise_percent = ch->noise_percent;
	x->q = NAN;
	x->from_boots = ch->before_boots;
	x->to_boots = ch->after_boots;
	x->worth = calc_worth_level(ch, &half);
	x->worth_text = worth_sentence(q, half);
	calc_why_change(q->a, t, ch, &x->why);
}

/* The change of level that the kernel may be the first of. */
static const struct trend_change *level_at(const struct trend *t, const struct trend_series *s, const struct cat_kernel *kernel)
{
	for (size_t i = 0; i < s->n_changes; i++) {
		const struct trend_change *ch = &s->changes[i];

		if (ch->level && (t->kernels[ch->at] == kernel || ch->to == kernel))
			return ch;
	}
	return NULL;
}

static int look_at_step(struct asking *q, struct explain *x, const struct trend *t, const struct trend_series *s, struct err *err)
{
	const struct compare_row *row = NULL;
	const struct trend_change *level;
	const struct compare *cmp;
	const char *half;
	size_t n, at;
	struct calc_worth_point *p = points_of(q->a, t, s, q->kernel, &x->from, &n, &at);

	if (at == n || !x->from)
		return 0;
	level = n >= CALC_WORTH_LONG ? level_at(t, s, q->kernel) : NULL;
	if (compare_with(q, x->series, x->from, &cmp, err))
		return -1;
	for (size_t i = 0; i < cmp->n_rows && !row; i++)
		if (cmp->rows[i].series == x->series)
			row = &cmp->rows[i];
	if (!row)
		return err_set(err, ERR_UNAVAILABLE, "what was measured changed meanwhile: ask again");
	x->before = row->base.center;
	x->after = row->head.center;
	x->percent = row->change_percent;
	x->verdict = row->verdict;
	x->confidence = row->confidence;
	x->q = row->tested ? row->q : NAN;
	x->noise_percent = row->tested ? row->noise_percent : NAN;
	x->from_boots = row->base.boots;
	x->to_boots = row->head.boots;
	calc_why_row(q->a, row, cmp->family, &x->why);
	x->worth = calc_worth_step(p + (at >= 2 ? at - 2 : 0), (at >= 2 ? n - at + 2 : n), at >= 2 ? 2 : at, n >= CALC_WORTH_LONG,
				   siblings_agree(cmp, row), &half);
	x->worth_text = worth_sentence(q, half);
	/* single boots of a long series say less than its levels */
	if (level && x->worth != WORTH_PROVEN)
		take_level(q, x, t, level);
	return 0;
}

/* ---- rules, mutes, expectations ---- */

static int ask_rules(struct asking *q, struct explain *x, bool measured, struct err *err)
{
	const struct calc_rule_step step = {
		.series = x->series, .from = x->from, .to = x->to, .from_center = x->before, .to_center = x->after,
		.percent = x->percent, .verdict = x->verdict, .confidence = x->confidence,
	};
	const char *half;

	x->rules = arena_array(q->a, struct explain_rule, q->n_rules + 1);
	for (size_t i = 0; i < q->n_rules; i++) {
		struct explain_rule *r = &x->rules[x->n_rules++];

		if (calc_explain_rule(q->c, q->db, q->a, &q->rules[i], measured && x->from ? &step : NULL, x->series, q->kernel, r, err))
			return -1;
		if (r->fires && !x->fired)
			x->fired = r;
	}
	/* a limit is crossed, and a baseline missed, whatever the neighbours say */
	if (x->fired && x->fired->rule->kind != RULE_STEP) {
		x->worth = calc_worth_boots(x->to_boots, &half);
		x->worth_text = worth_sentence(q, half);
	}
	return 0;
}

static void look_at_others(struct asking *q, struct explain *x)
{
	struct calc_expect *list = arena_array(q->a, struct calc_expect, q->n_expects + 1);

	x->mutes = arena_array(q->a, const struct db_mute *, q->n_mutes + 1);
	for (size_t i = 0; i < q->n_mutes; i++)
		if (calc_selector_has(&q->muted[i], x->series, q->kernel->track))
			x->mutes[x->n_mutes++] = &q->mutes[i];
	for (size_t i = 0; i < q->n_expects; i++) {
		const struct calc_expect *e = &q->expects[i];

		if (e->machine == x->series->machine && (calc_select_glob(e->e->benchmark, x->series->benchmark->name) ||
							 calc_select_glob(e->e->benchmark, x->series->benchmark->key)))
			list[x->n_expects++] = *e;
	}
	x->expects = list;
}

/* The alert that has a row of the series over the step, or over a range that it lies in. */
static int find_alert(struct asking *q, struct explain *x, struct err *err)
{
	for (size_t i = 0; i < q->n_members && !x->alert; i++) {
		const struct db_change *ch = &q->members[i].change;
		const struct cat_kernel *from, *to;
		struct db_alert *al;

		if (ch->series_id != x->series->id)
			continue;
		db_catalog_lock(q->c);
		from = db_catalog_kernel(q->c, ch->from_kernel_id);
		to = db_catalog_kernel(q->c, ch->to_kernel_id);
		db_catalog_unlock(q->c);
		if (!from || !to || strcmp(to->track, q->kernel->track) || calc_select_kernel_order(&from, &q->kernel) >= 0 ||
		    calc_select_kernel_order(&q->kernel, &to) > 0)
			continue;
		if (db_alerts_get(q->db, q->a, &q->members[i].alert_id, &al, err))
			return -1;
		x->alert = al;
	}
	return 0;
}

/* ---- in words ---- */

static const char *percent(struct arena *a, double p)
{
	return arena_printf(a, "%+.*f %%", fabs(p) >= 99.95 ? 0 : fabs(p) >= 9.95 ? 1 : 2, p);
}

static const char *step_text(struct arena *a, const struct explain *x)
{
	return arena_printf(a, "%s from %s to %s (%s, confidence %s)", isfinite(x->percent) ? percent(a, x->percent) : "the step",
			    x->from->name, x->to->name, calc_compare_verdict_word(x->verdict),
			    calc_compare_confidence_word(x->confidence));
}

static const char *rule_name(struct arena *a, const struct db_rule *r)
{
	return arena_printf(a, "rule \"%s\"", r->name);
}

/* Of rules that look at the series and do not fire: the one that a step would be told by. */
static const struct explain_rule *nearest(const struct explain *x)
{
	for (size_t i = 0; i < x->n_rules; i++)
		if (x->rules[i].selects && x->rules[i].rule->enabled)
			return &x->rules[i];
	return NULL;
}

static void say(struct asking *q, struct explain *x, bool measured, bool pending)
{
	const struct explain_rule *r = x->fired ? x->fired : nearest(x);
	struct arena *a = q->a;
	const char *name = r ? rule_name(a, r->rule) : "";

	if (x->alert) {
		x->outcome = EXPLAIN_ALERT;
		x->sentence = arena_printf(a, "There is an alert, %s: %s.%s", x->alert->state, measured && x->from ? step_text(a, x) :
					   "of a range that this kernel lies in",
					   x->fired ? arena_printf(a, " By %s: %s Evidence: %s.", name, x->fired->text, x->worth_text) : "");
		x->next = !strcmp(x->alert->state, "suspect") && x->fired ? x->worth_text : NULL;
	} else if (!measured) {
		x->outcome = EXPLAIN_NOT_MEASURED;
		x->sentence = arena_printf(a, "No alert: this series has no value of %s.", x->to->name);
	} else if (pending) {
		x->outcome = EXPLAIN_PENDING;
		x->sentence = arena_printf(a, "No alert yet: a run of %s waits for its check by nsecwatchd watch.", x->to->name);
	} else if (!x->from) {
		x->outcome = EXPLAIN_FIRST;
		x->sentence = arena_printf(a, "No alert: %s is the first kernel of its track that this series was measured with, so "
					   "there is nothing to compare it with.", x->to->name);
	} else if (!r) {
		x->outcome = EXPLAIN_NO_RULE;
		x->sentence = "No alert: no rule in force looks at this series.";
	} else if (!x->fired) {
		x->outcome = EXPLAIN_NOT_FIRED;
		x->sentence = arena_printf(a, "No alert: %s. By %s: %s", step_text(a, x), name, r->text);
		if (x->verdict == COMPARE_INCONCLUSIVE && isfinite(x->percent) && fabs(x->percent) >= r->rule->percent)
			x->next = arena_printf(a, "more boots of %s and %s tell whether it is more than noise", x->from->name, x->to->name);
	} else if (x->worth != WORTH_PROVEN) {
		x->outcome = EXPLAIN_NO_EVIDENCE;
		x->sentence = arena_printf(a, "No alert yet: %s. By %s: %s But %s.", step_text(a, x), name, r->text, x->worth_text);
		x->next = x->worth_text;
	} else {
		x->outcome = EXPLAIN_NOT_RAISED;
		x->sentence = arena_printf(a, "No alert, though by %s: %s When its runs were checked, the rule was another, or "
					   "the step an old story; the next run of the series is checked anew.", name, r->text);
	}
}

static int explain_one(struct asking *q, const struct trend *t, struct explain *x, struct err *err)
{
	const struct trend_series *s = NULL;
	bool pending = false, measured = false;

	x->to = q->kernel;
	x->percent = x->q = x->noise_percent = NAN;
	x->worth_text = "";
	for (size_t i = 0; i < t->n_series && !s; i++)
		if (t->series[i].series == x->series && !strcmp(t->series[i].track, q->kernel->track))
			s = &t->series[i];
	for (size_t i = 0; s && i < t->n_kernels; i++)
		measured |= t->kernels[i] == q->kernel && !isnan(s->y[i]);
	if ((measured && look_at_step(q, x, t, s, err)) ||
	    db_seen_unchecked(q->db, x->series->machine->id, q->kernel->id, &pending, err) || ask_rules(q, x, measured, err) ||
	    find_alert(q, x, err))
		return -1;
	look_at_others(q, x);
	say(q, x, measured, pending);
	return 0;
}

int calc_explain(struct catalog *c, struct db *db, struct arena *a, const struct selection *sel,
		 const struct cat_kernel *kernel, struct explain **out, struct err *err)
{
	struct asking q = { .c = c, .db = db, .a = a, .kernel = kernel, .compares = arena_array(a, struct compare *, sel->n + 1),
			    .machines = arena_array(a, int64_t, sel->n + 1) };
	struct trend *t;

	if (kernel->is_variant)
		return err_set(err, ERR_BAD_ARGUMENT, "kernel: %s is a variant; alerts are raised between releases", kernel->name);
	if (read_rules(&q, err) || read_mutes(&q, err) || read_expectations(&q, err) || read_members(&q, sel, err) ||
	    calc_trend(c, db, a, sel, false, NULL, &t, err))
		return -1;
	*out = arena_array(a, struct explain, sel->n + 1);
	for (size_t i = 0; i < sel->n; i++) {
		(*out)[i].series = sel->series[i];
		if (explain_one(&q, t, &(*out)[i], err))
			return -1;
	}
	if (sel->n)	/* each begins with its series */
		qsort(*out, sel->n, sizeof(**out), calc_compare_order);
	return 0;
}
