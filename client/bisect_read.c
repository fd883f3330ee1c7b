/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs for a bisection, from files in any format, or from a server. */
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "bisect_impl.h"
#include "http.h"
#include "local_read.h"
#include "say.h"

/* ---- which values ---- */

/* What a selector is compared with; NULL: it is none of a result. */
static const char *field(struct arena *a, const char *name, const char *benchmark, const char *metric,
			 const struct jnode *params)
{
	const struct jnode *v;
	struct buf b;
	const char *text;

	if (!strcmp(name, "benchmark"))
		return benchmark;
	if (!strcmp(name, "metric"))
		return metric;
	if (strncmp(name, "param.", 6))
		return NULL;
	v = jread_get(params, name + 6);
	if (!v)
		return "";
	if (jread_str(v))
		return jread_str(v);
	buf_init(&b);
	jread_canonical(v, NULL, &b);
	text = arena_strdup(a, b.p);
	buf_fini(&b);
	return text;
}

/* OR within a name, AND between names. */
static bool is_selected(struct arena *a, const struct options_pairs *s, const char *benchmark,
			const char *metric, const struct jnode *params)
{
	for (size_t i = 0; i < s->n; i++) {
		const char *value = field(a, s->list[i][0], benchmark, metric, params);
		bool found = !value;

		for (size_t k = 0; value && !found && k < s->n; k++)
			found = !strcmp(s->list[k][0], s->list[i][0]) && !fnmatch(s->list[k][1], value, 0);
		if (!found)
			return false;
	}
	return true;
}

/* The same for what a run is about. */
static bool run_is_selected(const struct options_pairs *s, const struct bisect_facts *facts)
{
	static const char *const names[] = { "machine", "thp", "uarch", "isa", "base_page_kib" };

	for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++) {
		const char *value = bisect_facts_get(facts, names[n]);
		bool asked = false, found = false;

		for (size_t i = 0; i < s->n; i++)
			if (!strcmp(s->list[i][0], names[n])) {
				asked = true;
				found |= value && !fnmatch(s->list[i][1], value, 0);
			}
		if (asked && !found)
			return false;
	}
	return true;
}

static const char *key_of(struct arena *a, const char *benchmark, const char *params, const char *metric,
			  const char *unit)
{
	return arena_printf(a, "%s%s%s %s%s%s", benchmark, strcmp(params, "{}") ? " " : "",
			    strcmp(params, "{}") ? params : "", metric, *unit ? " in " : "", unit);
}

static void add_value(struct arena *a, struct bisect_run *run, const char *key, bool higher, double n,
		      double mean)
{
	if (!(n > 0) || !(mean > 0)) /* no logarithm */
		return;
	run->values = arena_grow(a, run->values, run->n_values * sizeof(*run->values),
				 (run->n_values + 1) * sizeof(*run->values));
	run->values[run->n_values++] = (struct bisect_value){ { key, higher }, n, n * mean };
}

static void add_run(struct arena *a, struct bisect_runs *runs, const struct bisect_run *run)
{
	runs->list = arena_grow(a, runs->list, runs->n * sizeof(*run), (runs->n + 1) * sizeof(*run));
	runs->list[runs->n++] = *run;
}

/* ---- files ---- */

static void facts_of(struct arena *a, const struct submission *sub, struct bisect_facts *f)
{
	static const char *const keys[] = { "machine", "environment", "source" };
	const char *const texts[] = { sub->machine_facts, sub->environment, sub->source };
	static const char *const names[] = { "isa", "uarch", "thp", "flavour" };
	const char *const words[] = { sub->isa, sub->uarch, sub->thp, sub->flavour };

	if (strcmp(sub->machine, LOCAL_READ_NOBODY))
		bisect_facts_add(a, f, "machine", sub->machine);
	for (size_t i = 0; i < 4; i++)
		if (strcmp(words[i], "unknown"))
			bisect_facts_add(a, f, names[i], words[i]);
	if (sub->base_page_kib)
		bisect_facts_add(a, f, "base_page_kib", arena_printf(a, "%d", sub->base_page_kib));
	for (size_t i = 0; i < 3; i++) {
		struct jread_slice slice = { texts[i] ? texts[i] : "{}", strlen(texts[i] ? texts[i] : "{}"),
					     1 };
		bool syntax;
		struct jnode *root = jread_parse(&slice, &syntax, &(struct err){ 0 });

		if (i < 2) {
			bisect_facts_add_object(a, f, keys[i], root);
		} else { /* the command line of a tool is another for each file it writes */
			const char *tool = jread_str(jread_get(root, "tool")),
				   *version = jread_str(jread_get(root, "version"));

			if (tool)
				bisect_facts_add(a, f, "source.tool", tool);
			if (version)
				bisect_facts_add(a, f, "source.version", version);
		}
		jread_free(root);
	}
}

static struct bisect_run run_of(struct arena *a, const struct submission *sub, const char *kernel)
{
	char id[UUID_TEXT];
	struct bisect_run run = { .id = arena_strdup(a, uuid_format(&sub->run_id, id)),
				  .boot = sub->boot_id,
				  .kernel = kernel };

	facts_of(a, sub, &run.facts);
	return run;
}

static void add_results(struct arena *a, const struct options_pairs *selectors, const struct submission *sub,
			struct bisect_run *run)
{
	for (size_t i = 0; i < sub->n_results; i++) {
		const struct result *r = &sub->results[i];
		struct jread_slice slice = { r->params, strlen(r->params), 1 };
		struct jnode *params;
		bool syntax;

		if (r->status != RESULT_OK || r->better == BETTER_NEUTRAL)
			continue;
		params = jread_parse(&slice, &syntax, &(struct err){ 0 });
		if (is_selected(a, selectors, r->benchmark, r->metric, params))
			add_value(a, run, key_of(a, r->benchmark, r->params, r->metric, r->unit),
				  r->better == BETTER_HIGHER, (double)r->n, r->mean);
		jread_free(params);
	}
}

static void take(struct arena *a, const struct options_pairs *selectors, const struct local_input *in,
		 struct bisect_runs *runs)
{
	const struct submission *last = NULL;

	for (size_t i = 0; i < in->n; i++) {
		struct bisect_run run;

		if (in->values[i].sub == last)
			continue;
		last = in->values[i].sub;
		run = run_of(a, last, in->kernel);
		if (!run_is_selected(selectors, &run.facts))
			continue;
		add_results(a, selectors, last, &run);
		if (run.n_values)
			add_run(a, runs, &run);
	}
}

int bisect_read_file(struct arena *a, const struct options *o, const struct options_pairs *selectors,
		     const char *path, const char *kernel, const char *kernel_option,
		     struct bisect_runs *runs, struct err *err)
{
	struct local_input in;

	if (local_read(a, o, path, kernel, kernel_option, &in, err))
		return -1;
	take(a, selectors, &in, runs);
	return 0;
}

int bisect_read_text(struct arena *a, const struct options *o, const struct options_pairs *selectors,
		     const char *about, const struct buf *text, struct bisect_runs *runs, struct err *err)
{
	struct local_input in;

	if (local_read_text(a, o, about, text, o->kernel, "--kernel", &in, err))
		return -1;
	take(a, selectors, &in, runs);
	return 0;
}

/* ---- a server ---- */

/* The answer of GET target, parsed; the caller frees it. */
static struct jnode *get(struct http *h, struct arena *a, const char *target, struct err *err)
{
	struct http_request rq = { .target = target };
	struct http_answer answer;
	struct jnode *root = NULL;
	enum http_meaning meaning;
	bool syntax;

	buf_init(&answer.body);
	meaning = http_send(h, a, &rq, &answer, err);
	if (meaning == HTTP_AWAY || meaning == HTTP_SETUP)
		err->kind = ERR_UNAVAILABLE; /* says nothing of the kernel */
	if (meaning == HTTP_GOOD) {
		struct jread_slice slice = { answer.body.p, answer.body.len, 1 };

		root = jread_parse(&slice, &syntax, err);
		if (!root)
			err_prefix(err, "the server's answer");
	}
	say_progress_end();
	buf_fini(&answer.body);
	return root;
}

static double number(const struct jnode *v)
{
	return jread_type(v) == JREAD_NUMBER ? jread_num(v) : NAN;
}

static void copy_result(struct arena *a, const struct options_pairs *selectors, const struct jnode *r,
			struct bisect_run *run)
{
	const char *benchmark = jread_str(jread_get(r, "benchmark")),
		   *metric = jread_str(jread_get(r, "metric")), *unit = jread_str(jread_get(r, "unit")),
		   *better = jread_str(jread_get(r, "better"));
	const struct jnode *params = jread_get(r, "params");
	struct buf text;

	if (!benchmark || !metric || !better || !strcmp(better, "neutral") ||
	    !is_selected(a, selectors, benchmark, metric, params))
		return;
	buf_init(&text);
	jread_canonical(params, NULL, &text);
	add_value(a, run, key_of(a, benchmark, text.p, metric, unit ? unit : ""), !strcmp(better, "higher"),
		  number(jread_get(r, "n")), number(jread_get(r, "center")));
	buf_fini(&text);
}

/* Of the run object of the API. */
static void copy_run(struct arena *a, const struct jnode *v, struct bisect_run *run)
{
	static const char *const texts[] = { "machine", "isa", "uarch", "thp", "flavour" };
	const struct jnode *source = jread_get(v, "source");
	int64_t kib;

	run->id = arena_strdup(a, jread_str(jread_get(v, "run_id")));
	run->boot = arena_strdup(a, jread_str(jread_get(v, "boot_id")));
	run->kernel = arena_strdup(a, jread_str(jread_get(jread_get(v, "kernel"), "name")));
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (jread_str(jread_get(v, texts[i])) && strcmp(jread_str(jread_get(v, texts[i])), "unknown"))
			bisect_facts_add(a, &run->facts, texts[i], jread_str(jread_get(v, texts[i])));
	if (jread_int(jread_get(v, "base_page_kib"), &kib))
		bisect_facts_add(a, &run->facts, "base_page_kib", arena_printf(a, "%lld", (long long)kib));
	bisect_facts_add_object(a, &run->facts, "environment", jread_get(v, "environment"));
	if (jread_str(jread_get(source, "tool")))
		bisect_facts_add(a, &run->facts, "source.tool", jread_str(jread_get(source, "tool")));
	if (jread_str(jread_get(source, "version")))
		bisect_facts_add(a, &run->facts, "source.version", jread_str(jread_get(source, "version")));
}

static int read_one(struct http *h, struct arena *a, const struct options_pairs *selectors, const char *id,
		    struct bisect_runs *runs, struct err *err)
{
	struct jnode *root = get(h, a, arena_printf(a, "/api/v1/runs/%s", id), err);
	const struct jnode *results = jread_get(root, "results");
	struct bisect_run run = { 0 };

	if (!root)
		return -1;
	copy_run(a, jread_get(root, "run"), &run);
	for (size_t i = 0; run.id && run.kernel && i < jread_len(results); i++)
		copy_result(a, selectors, jread_at(results, i), &run);
	if (run.n_values)
		add_run(a, runs, &run);
	jread_free(root);
	return 0;
}

/* A page of the list of runs; *next: the target of the one after it, or NULL. */
static int read_page(struct http *h, struct arena *a, const struct options_pairs *selectors,
		     const char *target, const char **next, struct bisect_runs *runs, struct err *err)
{
	struct jnode *root = get(
		h, a, *next ? arena_printf(a, "%s&cursor=%s", target, http_quote(a, *next)) : target, err);
	const struct jnode *list = jread_get(root, "runs");
	int ret = root ? 0 : -1;

	for (size_t i = 0; i < jread_len(list) && !ret; i++) {
		const char *id = jread_str(jread_get(jread_at(list, i), "run_id"));

		if (id && jread_type(jread_get(jread_at(list, i), "invalid")) <= JREAD_NULL)
			ret = read_one(h, a, selectors, id, runs, err);
	}
	*next = arena_strdup(a, jread_str(jread_get(root, "next")));
	jread_free(root);
	return ret;
}

int bisect_read_server(struct arena *a, const struct options *o, const struct options_pairs *selectors,
		       const char *kernel, struct bisect_runs *runs, struct err *err)
{
	const char *target = arena_printf(a, "/api/v1/runs?kernel=%s", http_quote(a, kernel)), *next = NULL;
	struct http *h = http_new(a, o, err);
	int ret;

	if (!h)
		return -1;
	for (size_t i = 0; i < selectors->n; i++)
		target = arena_printf(a, "%s&%s=%s", target, http_quote(a, selectors->list[i][0]),
				      http_quote(a, selectors->list[i][1]));
	do
		ret = read_page(h, a, selectors, target, &next, runs, err);
	while (!ret && next);
	http_free(h);
	return ret;
}
