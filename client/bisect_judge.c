/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `nsecwatch bisect judge`: one step. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "../lib/stats/ab.h"
#include "../lib/jsonw.h"
#include "../lib/tm.h"
#include "bisect.h"
#include "bisect_impl.h"
#include "file.h"
#include "say.h"

#define IN_VAIN 2 /* runs of a command that brought no new boot */

struct judge {
	struct bisect b;
	const struct options *o;
	const char *commit; /* or NULL */
	const char *kernel; /* of the runs that were read last, or NULL */
	struct bisect_step *step;
};

/* ---- what is judged ---- */

/* What a command prints, up to its first line end; NULL: nothing, or it failed. */
static const char *line_of(struct arena *a, const char *command)
{
	FILE *f = popen(command, "re");
	char text[256] = "";
	const char *line;

	if (!f)
		return NULL;
	line = fgets(text, sizeof(text), f) ? arena_strndup(a, text, strcspn(text, "\n")) : NULL;
	return pclose(f) || !line || !*line ? NULL : line;
}

/* The commit that git bisect has checked out here. */
static const char *commit_here(struct arena *a)
{
	return line_of(a, "test -f \"$(git rev-parse --git-path BISECT_LOG 2>/dev/null)\" && git rev-parse HEAD "
			  "2>/dev/null");
}

/* "6.17.0-rc1-00012-gdeadbeef1234" names a commit: is it this one? True where it names none. */
static bool names_commit(const char *kernel, const char *commit)
{
	const char *g = strstr(kernel, "-g");
	size_t n;

	for (; g; g = strstr(g + 1, "-g")) {
		n = strspn(g + 2, "0123456789abcdef");
		if (n >= 7 && n <= 40 &&
		    !strchr("0123456789abcdefghijklmnopqrstuvwxyz", g[2 + n] ? g[2 + n] : '-'))
			return !strncmp(g + 2, commit, n);
	}
	return true;
}

static bool same_text(const char *x, const char *y)
{
	return x && y && !strcmp(x, y);
}

/* The step of a kernel, a new one if need be. */
static struct bisect_step *step_of(struct judge *j, const char *kernel)
{
	struct bisect *b = &j->b;
	struct bisect_step *s;

	for (size_t i = 0; i < b->n_steps; i++) {
		s = &b->steps[i];
		if (j->commit ? same_text(s->commit, j->commit) : !s->commit && same_text(s->kernel, kernel))
			return s;
	}
	b->steps = arena_grow(b->a, b->steps, b->n_steps * sizeof(*s), (b->n_steps + 1) * sizeof(*s));
	s = &b->steps[b->n_steps++];
	*s = (struct bisect_step){ .commit = j->commit, .kernel = kernel, .state = "more", .ratio = NAN };
	return s;
}

/* All runs of one kernel, measured as the baselines were; else err says what changed. */
static int check_runs(struct judge *j, struct bisect_runs *runs, struct err *err)
{
	struct bisect *b = &j->b;
	struct options_pairs ignores = b->ignores;

	for (size_t i = 0; i < j->o->ignores.n; i++) {
		ignores.list = arena_grow(b->a, ignores.list, ignores.n * sizeof(*ignores.list),
					  (ignores.n + 1) * sizeof(*ignores.list));
		ignores.list[ignores.n][0] = j->o->ignores.list[i][0];
		ignores.list[ignores.n++][1] = j->o->ignores.list[i][1];
	}
	j->kernel = runs->n ? runs->list[0].kernel : NULL;
	j->kernel = j->kernel ? j->kernel : j->o->kernel ? j->o->kernel : j->commit;
	if (!runs->n)
		return err_set(err, ERR_INVALID, "no results that the bisection is about");
	if (!j->kernel)
		return err_set(err, ERR_INVALID,
			       "the results do not say of which kernel they are: give --kernel NAME");
	if (j->commit && !names_commit(j->kernel, j->commit))
		return err_set(err, ERR_INVALID,
			       "refused: %s is not the kernel of commit %.12s: was the new one booted?",
			       j->kernel, j->commit);
	for (size_t i = 0; i < runs->n; i++) {
		const char *differ = bisect_facts_differ(b->a, &b->facts, &runs->list[i].facts, &ignores);

		if (!same_text(runs->list[i].kernel, j->kernel) && runs->list[i].kernel)
			return err_set(err, ERR_INVALID,
				       "refused: results of %s and of %s: say which with --kernel", j->kernel,
				       runs->list[i].kernel);
		if (differ)
			return err_set(err, ERR_INVALID,
				       "refused: not only the kernel changed: %s. Put it right and measure "
				       "again, or --ignore it",
				       differ);
	}
	return 0;
}

/* ---- the judgement ---- */

static double level_of(const struct bisect *b, const struct summary_moments *here)
{
	struct summary_moments good = bisect_boots_moments(b, &b->side[BISECT_GOOD].boots);

	return expm1(here->mean - good.mean) * 100;
}

static void log_entry(struct judge *j, const char *kernel, const char *state, double ratio,
		      const struct summary_moments *here, const char *message)
{
	struct bisect *b = &j->b;
	char now[TM_TEXT];

	b->log = arena_grow(b->a, b->log, b->n_log * sizeof(*b->log), (b->n_log + 1) * sizeof(*b->log));
	b->log[b->n_log++] = (struct bisect_entry){
		.at = arena_strdup(b->a, tm_format(tm_now_usec() / 1000000 * 1000000, now)),
		.commit = j->commit,
		.kernel = kernel,
		.state = state,
		.message = message,
		.ratio = ratio,
		.level = here->n > 0 ? level_of(b, here) : NAN,
		.boots = (int64_t)here->n,
	};
}

static struct seq_prior prior_of(const struct bisect *b)
{
	return (struct seq_prior){ b->noise_percent / 100, isnan(b->noise_percent) ? 0 : SEQ_KNOWN };
}

/* Where the level lies between the good (0) and the bad (1) one, when it is near neither. */
static const char *between(const struct bisect *b, const struct summary_moments *good,
			   const struct summary_moments *bad, const struct summary_moments *here)
{
	double share = (here->mean - good->mean) / (bad->mean - good->mean);
	double se =
		sqrt((good->m2 + bad->m2 + here->m2) / fmax(good->n + bad->n + here->n - 3, 1) / here->n) /
		(bad->mean - good->mean);

	if (share > .25 && share < .75 && se < .1)
		return arena_printf(b->a,
				    "; it lies between, at %.0f %% of the way: maybe there are two steps",
				    share * 100);
	return "";
}

/* Judges the step by its boots so far. */
static void judge_step(struct judge *j)
{
	struct bisect *b = &j->b;
	struct bisect_step *s = j->step;
	struct summary_moments good = bisect_boots_side(b, BISECT_GOOD, s),
			       bad = bisect_boots_side(b, BISECT_BAD, s),
			       here = bisect_boots_moments(b, &s->boots);
	struct seq_prior prior = prior_of(b);
	double floor = AB_SD_FLOOR_PERCENT / 100;
	enum seq_state state;
	const char *message;
	int more;

	s->ratio = seq_ratio(&good, &bad, &here, &prior, floor);
	state = seq_state_of(s->ratio, b->error);
	if (state != SEQ_MORE) {
		double p = seq_probability(s->ratio);

		s->state = state == SEQ_BAD ? "bad" : "good";
		message = arena_printf(b->a, "%s, %s sure%s", s->state,
				       bisect_sure(b->a, (state == SEQ_BAD ? p : 1 - p) * 100),
				       between(b, &good, &bad, &here));
	} else if (here.n >= b->max_boots) {
		s->state = "skip";
		message = arena_printf(
			b->a,
			"can't tell after %g boots%s: more boots of the good and the bad kernel would tell",
			here.n, between(b, &good, &bad, &here));
	} else {
		more = seq_expected(&good, &bad, &here, &prior, floor, b->error);
		more = more > b->max_boots - (int)here.n ? b->max_boots - (int)here.n : more;
		s->state = "more";
		message = arena_printf(
			b->a, "unsure (%.3g %% bad): %d more boot%s wanted; boot again and measure again",
			seq_probability(s->ratio) * 100, more, more == 1 ? " is" : "s are");
	}
	log_entry(j, s->kernel, s->state, s->ratio, &here, message);
}

/* More boots of a baseline's kernel join it; the exit code is known. */
static int join_baseline(struct judge *j, int side, const struct bisect_runs *runs, struct err *err)
{
	struct bisect *b = &j->b;
	struct summary_moments all;
	size_t added;

	if (bisect_boots_add(b, &b->side[side].boots, runs, &added, err))
		return -1;
	all = bisect_boots_moments(b, &b->side[side].boots);
	log_entry(j, b->side[side].kernel, side == BISECT_GOOD ? "good" : "bad", NAN, &all,
		  arena_printf(b->a, "the %s kernel itself: its baseline has %g boots now",
			       side == BISECT_GOOD ? "good" : "bad", all.n));
	return 0;
}

/* Takes runs into the bisection and judges. 0, -1 and err; *added: how much was new. */
static int take(struct judge *j, struct bisect_runs *runs, size_t *added, struct err *err)
{
	struct bisect *b = &j->b;

	*added = 0;
	if (check_runs(j, runs, err))
		return -1;
	for (int s = 0; s < BISECT_SIDES && !j->commit; s++)
		if (!strcmp(j->kernel, b->side[s].kernel)) {
			*added = 1;
			return join_baseline(j, s, runs, err);
		}
	j->step = step_of(j, j->kernel);
	if (bisect_boots_add(b, &j->step->boots, runs, added, err))
		return -1;
	judge_step(j);
	return 0;
}

/* ---- where runs come from ---- */

/* One more measurement by --run: its standard output in any format. */
static int run_command(struct judge *j, struct bisect_runs *runs, struct err *err)
{
	struct buf text;
	size_t n;
	FILE *f;
	int status, ret;

	fflush(stdout);
	f = popen(j->o->run, "re");
	if (!f)
		return err_set(err, ERR_SETUP, "--run: %s", strerror(errno));
	buf_init(&text);
	while ((n = fread(buf_reserve(&text, 65536), 1, 65536, f)) > 0) {
		text.len += n;
		text.p[text.len] = 0;
	}
	status = pclose(f);
	if (status)
		ret = err_set(err, ERR_INVALID,
			      WIFEXITED(status) ? "--run %s: ended with %d" : "--run %s: was killed (%d)",
			      j->o->run, WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	else
		ret = bisect_read_text(j->b.a, j->o, &j->b.selectors, "--run", &text, runs, err);
	buf_fini(&text);
	return ret;
}

/* Until it is sure. A command that goes on in the same boot brings repetitions only, which are no help. */
static int judge_by_command(struct judge *j, struct err *err)
{
	for (int in_vain = 0;;) {
		struct bisect_runs runs = { 0 };
		size_t boots = j->step ? j->step->boots.n : 0, added;

		if (run_command(j, &runs, err) || take(j, &runs, &added, err) || bisect_save(&j->b, err))
			return -1;
		if (!j->step || strcmp(j->step->state, "more"))
			return 0;
		say("%s", j->b.log[j->b.n_log - 1].message);
		in_vain = j->step->boots.n == boots ? in_vain + 1 : 0;
		if (in_vain == IN_VAIN)
			return err_set(err, ERR_INVALID,
				       "--run measures in the same boot again and again (%s): noise is between "
				       "boots, it has to boot each time",
				       j->step->boots.list[j->step->boots.n - 1].id);
	}
}

static int judge_by_files(struct judge *j, struct err *err)
{
	const struct options *o = j->o;
	struct bisect_runs runs = { 0 };
	struct utsname u;
	size_t added;

	for (size_t i = 0; i < o->n_words; i++)
		if (bisect_read_file(j->b.a, o, &j->b.selectors, o->words[i], o->kernel, "--kernel", &runs,
				     err))
			return -1;
	if (!o->n_words) {
		uname(&u);
		if (bisect_read_server(j->b.a, o, &j->b.selectors, o->kernel ? o->kernel : u.release, &runs,
				       err))
			return -1;
	}
	if (take(j, &runs, &added, err))
		return -1;
	if (!added)
		say("nothing new: these runs were judged before");
	return bisect_save(&j->b, err);
}

/* ---- what is said ---- */

static void print(const struct judge *j)
{
	const struct bisect_entry *e = &j->b.log[j->b.n_log - 1];
	struct buf out;
	struct jsonw w;

	if (!j->o->json) {
		printf("%s: %lld boot%s, %+.3g %% from good: %s\n", e->kernel, (long long)e->boots,
		       e->boots == 1 ? "" : "s", e->level, e->message);
		return;
	}
	buf_init(&out);
	w = jsonw_begin(&out);
	jsonw_object(&w);
	jsonw_kstr(&w, "commit", e->commit);
	jsonw_kstr(&w, "kernel", e->kernel);
	jsonw_kstr(&w, "state", e->state);
	jsonw_ki64(&w, "boots", e->boots);
	jsonw_knum(&w, "level_percent", e->level);
	jsonw_knum(&w, "probability_bad", seq_probability(e->ratio));
	jsonw_kstr(&w, "message", e->message);
	jsonw_object_end(&w);
	puts(out.p);
	buf_fini(&out);
}

static int exit_code(const struct judge *j)
{
	const char *state = j->b.log[j->b.n_log - 1].state;

	if (!strcmp(state, "good"))
		return 0;
	if (!strcmp(state, "bad"))
		return 1;
	return !strcmp(state, "more") && j->o->unsure ? j->o->unsure : BISECT_CANT_TELL;
}

int bisect_judge(struct arena *a, const struct options *o)
{
	struct judge j = { .o = o };
	struct err err = { 0 };

	if (bisect_load(a, bisect_path(a, o), &j.b, &err)) {
		say("%s", err.message);
		return BISECT_ABORT;
	}
	j.commit = o->commit ? o->commit : commit_here(a);
	if (o->run ? judge_by_command(&j, &err) : judge_by_files(&j, &err)) {
		say("%s", err.message);
		if (err.kind == ERR_SETUP || err.kind == ERR_UNAVAILABLE)
			return BISECT_ABORT; /* to skip one commit after the other would be no help */
		log_entry(&j,
			  j.kernel   ? j.kernel
			  : j.commit ? j.commit
				     : "?",
			  "refused", NAN, &(struct summary_moments){ 0 }, arena_strdup(a, err.message));
		return bisect_save(&j.b, &err) ? BISECT_ABORT : BISECT_CANT_TELL;
	}
	print(&j);
	return exit_code(&j);
}
