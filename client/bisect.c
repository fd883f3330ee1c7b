/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `nsecwatch bisect start`: copies the baselines, so that the judgement of a step needs nothing else. */
#include "bisect.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../chart/table.h"
#include "../lib/stats/ab.h"
#include "../lib/tm.h"
#include "bisect_impl.h"
#include "say.h"

#define WANTED 5 /* boots a side: with fewer, steps of three times the noise often end in "can't tell" */

static const char *const side_names[BISECT_SIDES] = { "good", "bad" };
static const char *const side_options[BISECT_SIDES] = { "--good", "--bad" };

/* Results of one kernel: from the files given, from the file or folder that it names, or from the server. */
static int read_side(struct bisect *b, const struct options *o, int side, struct bisect_runs *runs,
		     struct err *err)
{
	const char *kernel = side == BISECT_GOOD ? o->good : o->bad;
	struct stat st;

	for (size_t i = 0; i < o->n_words; i++) /* not each has to hold both kernels */
		if (bisect_read_file(b->a, o, &b->selectors, o->words[i], kernel, side_options[side], runs,
				     err) &&
		    (o->n_words == 1 || err->kind != ERR_NOT_FOUND))
			return -1;
	if (!o->n_words && (o->local || !stat(kernel, &st))) {
		if (bisect_read_file(b->a, o, &b->selectors, kernel, NULL, "files of one kernel", runs, err))
			return -1;
	} else if (!o->n_words && bisect_read_server(b->a, o, &b->selectors, kernel, runs, err)) {
		return -1;
	}
	if (!runs->n)
		return err_set(err, ERR_INVALID, "%s %s: no results of it that --benchmark and the like pick",
			       side_options[side], kernel);
	return 0;
}

/* One machine in one state, on both sides. */
static int check_facts(struct bisect *b, const struct bisect_runs sides[BISECT_SIDES], struct err *err)
{
	const struct bisect_run *first = &sides[BISECT_GOOD].list[0];
	const char *differ;

	for (int s = 0; s < BISECT_SIDES; s++)
		for (size_t i = 0; i < sides[s].n; i++) {
			differ = bisect_facts_differ(b->a, &first->facts, &sides[s].list[i].facts,
						     &b->ignores);
			if (differ)
				return err_set(err, ERR_INVALID,
					       "the baselines differ in more than the kernel: %s (%s, run %s). "
					       "Pick with --machine or --thp, or --ignore what does not matter",
					       differ, side_names[s], sides[s].list[i].id);
		}
	b->facts = first->facts;
	return 0;
}

/* The step that is looked for, as the baselines have it. */
static int check_step(struct bisect *b, struct err *err)
{
	struct summary_moments good = bisect_boots_side(b, BISECT_GOOD, NULL),
			       bad = bisect_boots_side(b, BISECT_BAD, NULL);
	struct seq_prior prior = { b->noise_percent / 100, isnan(b->noise_percent) ? 0 : SEQ_KNOWN };
	double sd = summary_sd(&good), percent = expm1(bad.mean - good.mean) * 100;
	int expected;

	if (good.n > 1 && bad.n > 1)
		sd = sqrt((good.m2 + bad.m2) / (good.n + bad.n - 2));
	if (isnan(seq_ratio(&good, &bad, &(struct summary_moments){ 1, 0, 0 }, &prior,
			    AB_SD_FLOOR_PERCENT / 100)) ||
	    (!prior.df && (good.n < 2 || bad.n < 2)))
		return err_set(err, ERR_INVALID,
			       "%g boot%s of the good and %g of the bad kernel: at least 2 each are needed, "
			       "better %d, as noise is between boots; or --noise, where it is known",
			       good.n, good.n > 1 ? "s" : "", bad.n, WANTED);
	if (!(bad.mean > good.mean))
		return err_set(err, ERR_INVALID,
			       "%s is not worse than %s (%+.2g %%): there is nothing to look for, or good and "
			       "bad are the wrong way round",
			       b->side[BISECT_BAD].kernel, b->side[BISECT_GOOD].kernel, percent);
	printf("%s to %s: %+.3g %%, boots differ by %.2g %% (%g and %g boots)\n", b->side[BISECT_GOOD].kernel,
	       b->side[BISECT_BAD].kernel, percent, (isnan(sd) ? prior.sd : sd) * 100, good.n, bad.n);
	expected = seq_expected(&good, &bad, &(struct summary_moments){ 0 }, &prior, AB_SD_FLOOR_PERCENT / 100,
				b->error);
	printf("a step will take about %d boot%s, and be wrong in %g %% of cases\n", expected,
	       expected == 1 ? "" : "s", b->error * 100);
	if (!prior.df && (good.n < WANTED || bad.n < WANTED))
		say("more boots of either kernel would make steps shorter and surer: %d each are a good start",
		    WANTED);
	return 0;
}

static void say_series(const struct bisect *b)
{
	printf("judged by %zu series%s:\n", b->n_series, b->n_series > 1 ? ", their geometric mean" : "");
	for (size_t i = 0; i < b->n_series && i < 10; i++)
		printf("  %s\n", table_clean(b->a, b->series[i].key));
	if (b->n_series > 10)
		printf("  ... and %zu more\n", b->n_series - 10);
}

static int start(struct bisect *b, const struct options *o, struct err *err)
{
	struct bisect_runs sides[BISECT_SIDES] = { { 0 } };
	size_t added;

	for (int s = 0; s < BISECT_SIDES; s++)
		if (read_side(b, o, s, &sides[s], err))
			return -1;
	if (check_facts(b, sides, err) || bisect_boots_series(b, sides, err))
		return -1;
	for (int s = 0; s < BISECT_SIDES; s++) {
		const char *asked = s == BISECT_GOOD ? o->good : o->bad;

		b->side[s].kernel = sides[s].list[0].kernel ? sides[s].list[0].kernel : asked;
		if (bisect_boots_add(b, &b->side[s].boots, &sides[s], &added, err))
			return -1;
	}
	return check_step(b, err) || bisect_save(b, err) ? -1 : 0;
}

int bisect_start(struct arena *a, const struct options *o)
{
	char now[TM_TEXT];
	struct bisect b = { .a = a,
			    .path = bisect_path(a, o),
			    .error = o->error / 100,
			    .max_boots = o->max_boots,
			    .noise_percent = o->noise > 0 ? o->noise : NAN,
			    .selectors = o->selectors,
			    .ignores = o->ignores };
	struct err err = { 0 };

	if (!access(b.path, F_OK) && !o->again)
		return say("%s: a bisection is under way: nsecwatch bisect log shows it, start --again forgets "
			   "it",
			   b.path);
	b.started_at = tm_format(tm_now_usec() / 1000000 * 1000000, now);
	if (start(&b, o, &err))
		return say("%s", err.message);
	say_series(&b);
	printf("kept in %s; then: git bisect run sh -c 'BUILD AND BOOT && nsecwatch bisect judge --run "
	       "MEASURE'\n",
	       b.path);
	return 0;
}
