/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every file first becomes a request in the spool, on disk; then the spool is sent,
 * oldest first, and what the server acknowledged leaves it. So whatever ends the
 * program in between loses nothing, and what is sent again the server knows again.
 */
#include "push.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../ingest/format.h"
#include "file.h"
#include "http.h"
#include "push_body.h"
#include "push_files.h"
#include "say.h"
#include "verdict.h"

struct pushing {
	struct arena *a;
	const struct options *o;
	struct http *http;
	struct spool *spool; /* NULL: straight to the server (--dry-run, no home) */
	const char **mine; /* ids in the spool of what this command added */
	size_t n_mine, cap_mine;
	const char **runs; /* run ids of what this command sent */
	size_t n_runs, cap_runs;
	bool failed;
	bool away; /* the rest need not be tried */
};

static void add(struct arena *a, const char ***list, size_t *n, size_t *cap, const char *text)
{
	if (*n == *cap) {
		*list = arena_grow(a, *list, *cap * sizeof(**list), (*cap * 2 + 16) * sizeof(**list));
		*cap = *cap * 2 + 16;
	}
	(*list)[(*n)++] = arena_strdup(a, text);
}

static void fail(struct pushing *p, const struct err *err)
{
	say("%s", err->message);
	p->failed = true;
}

static bool is_mine(const struct pushing *p, const char *id)
{
	if (!id)
		return true;
	for (size_t i = 0; i < p->n_mine; i++)
		if (!strcmp(p->mine[i], id))
			return true;
	return false;
}

/* ---- what the server says ---- */

static void tell_list(const char *about, const char *kind, const struct jnode *list)
{
	for (size_t i = 0; i < jread_len(list); i++) {
		const char *at = jread_str(jread_get(jread_at(list, i), "at"));
		const char *message = jread_str(jread_get(jread_at(list, i), "message"));

		say("%s: %s%s%s: %s", about, kind, at && *at ? " at " : "", at ? at : "",
		    message ? message : "");
	}
}

/* The run's id is ours, made of what was measured where: that it is taken means that the server has it. */
static bool tell_known(const struct spool_entry *e)
{
	say_progress_end();
	printf("duplicate %s: stored before, with another context\n", e->about);
	return true;
}

/* One submission's answer: the whole body, or one of "items". False: it was not stored. */
static bool tell_item(struct pushing *p, const struct spool_entry *e, const struct jnode *item)
{
	const char *status = jread_str(jread_get(item, "status")),
		   *run = jread_str(jread_get(item, "run_id"));
	const struct jnode *error = jread_get(item, "error");
	const char *message = jread_str(jread_get(error, "message"));
	int64_t results = 0, without = 0;

	if (error && e->derived_id && status && !strcmp(status, "conflict"))
		return tell_known(e);
	if (error || !status || !run) {
		say("%s: %s", e->about, message ? message : "the server's answer is not understood");
		tell_list(e->about, "error", jread_get(error, "problems"));
		return false;
	}
	jread_int(jread_get(item, "results"), &results);
	jread_int(jread_get(item, "failed"), &without);
	say_progress_end();
	printf("%s %s %s: %lld results", p->o->dry_run ? "checked" : status, run, e->about,
	       (long long)results);
	if (without)
		printf(", %lld of them without a value", (long long)without);
	putchar('\n');
	tell_list(e->about, "warning", jread_get(item, "warnings"));
	if (is_mine(p, e->id) && !p->o->dry_run)
		add(p->a, &p->runs, &p->n_runs, &p->cap_runs, run);
	return true;
}

static bool tell_answer(struct pushing *p, const struct spool_entry *e, const struct http_answer *answer)
{
	struct jread_slice slice = { answer->body.p, answer->body.len, 1 };
	struct jnode *root;
	const struct jnode *items;
	bool syntax, good = true;

	root = jread_parse(&slice, &syntax, &(struct err){ 0 });
	items = jread_get(root, "items");
	if (!items)
		good = tell_item(p, e, root);
	for (size_t i = 0; i < jread_len(items); i++)
		good &= tell_item(p, e, jread_at(items, i));
	jread_free(root);
	return good;
}

/* ---- sending ---- */

static void put_aside(struct pushing *p, struct arena *a, const char *id)
{
	struct err err = { 0 };
	const char *where = spool_refuse(p->spool, a, id, &err);

	if (where)
		say("put aside as %s", where);
	else
		fail(p, &err);
}

/* It was answered, for good or bad: it leaves the spool. What is not in a file of the caller's is kept for a person. */
static void leave(struct pushing *p, struct arena *a, const struct spool_entry *e, bool good)
{
	struct err err = { 0 };

	p->failed |= !good;
	if (!e->id)
		return;
	if (!good && !is_mine(p, e->id))
		put_aside(p, a, e->id);
	else if (spool_remove(p->spool, e->id, &err))
		fail(p, &err);
}

/* Sends one; false: no use to go on with the next. */
static bool send_one(struct pushing *p, struct arena *a, const struct spool_entry *e)
{
	struct http_request rq = { .target = e->target,
				   .type = e->type,
				   .coding = *e->coding ? e->coding : NULL,
				   .body = e->body,
				   .len = e->len };
	struct http_answer answer;
	struct err err = { 0 };
	bool go_on = true;

	buf_init(&answer.body);
	switch (http_send(p->http, a, &rq, &answer, &err)) {
	case HTTP_GOOD:
		leave(p, a, e, tell_answer(p, e, &answer));
		break;
	case HTTP_REFUSED:
		if (answer.status == 409 && e->derived_id) {
			leave(p, a, e, tell_known(e));
			break;
		}
		say("%s: %s", e->about, err.message);
		say_problems(e->about, "error", err.problems);
		leave(p, a, e, false);
		break;
	case HTTP_AWAY:
	case HTTP_SETUP:
		err_prefix(&err, "%s", e->about);
		fail(p, &err);
		go_on = false;
		break;
	}
	buf_fini(&answer.body);
	return go_on;
}

static void tell_waiting(struct pushing *p, size_t n)
{
	if (n)
		say("%zu wait%s in %s: the next push sends %s, or nsecwatch push --spooled", n,
		    n == 1 ? "s" : "", p->o->spool, n == 1 ? "it" : "them");
}

/* Everything in the spool that is for this server, oldest first. */
static void send_spool(struct pushing *p)
{
	size_t n, foreign = 0, waiting = 0;
	struct err err = { 0 };
	const char **ids;

	if (spool_list(p->spool, p->a, &ids, &n, &err)) {
		fail(p, &err);
		return;
	}
	for (size_t i = 0; i < n && !waiting; i++) {
		struct arena *a = arena_new();
		struct spool_entry e;

		if (spool_read(p->spool, a, ids[i], &e, &err)) {
			fail(p, &err);
			if (err.kind == ERR_INVALID)
				put_aside(p, a, ids[i]);
		} else if (strcmp(e.server, p->o->url)) {
			foreign++;
		} else {
			say_progress("%zu of %zu: %s", i + 1, n, e.about);
			if (!send_one(p, a, &e))
				waiting = n - i;
		}
		arena_free(a);
	}
	say_progress_end();
	tell_waiting(p, waiting);
	if (foreign && !waiting)
		say("%zu in %s are for another server than %s", foreign, p->o->spool, p->o->url);
}

/* ---- files ---- */

static int read_file(const char *path, struct push_file *f, struct err *err)
{
	struct stat st;

	f->path = path;
	f->about = strcmp(path, "-") ? path : "standard input";
	if (file_read(path, &f->text))
		return err_set(err, ERR_SETUP, "%s: %s", f->about, strerror(errno));
	if (!f->text.p[strspn(f->text.p, " \t\r\n")])
		return err_set(err, ERR_INVALID, "%s: is empty", f->about);
	f->changed_usec = !strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode)
				  ? 0
				  : st.st_mtim.tv_sec * 1000000LL + st.st_mtim.tv_nsec / 1000;
	return 0;
}

/* One file into the spool, or to the server. */
static void push_file(struct pushing *p, const struct push_context *c, const struct push_name *name,
		      size_t *taken)
{
	struct arena *a = arena_new();
	struct err err = { 0 };
	struct push_file f;
	struct spool_entry e;

	buf_init(&f.text);
	if (read_file(name->path, &f, &err)) {
		fail(p, &err);
	} else if (name->found && !strcmp(p->o->format, "auto") && !format_sniff(f.text.p, f.text.len)) {
		say("%s: passed over: no format that is known here", f.about);
	} else if (push_body_make(a, p->o, c, &f, &e, &err)) {
		fail(p, &err);
		say_problems(f.about, "error", err.problems);
	} else {
		++*taken;
		if (p->o->dry_run)
			e.target =
				arena_printf(a, "%s%sdry_run=1", e.target, strchr(e.target, '?') ? "&" : "?");
		if (!p->spool)
			p->away = !send_one(p, a, &e);
		else if (spool_add(p->spool, &e, &err))
			fail(p, &err);
		else
			add(p->a, &p->mine, &p->n_mine, &p->cap_mine, e.id);
	}
	buf_fini(&f.text);
	arena_free(a);
}

static void push_named(struct pushing *p)
{
	struct push_context c = { 0 };
	struct push_name *names;
	struct err err = { 0 };
	size_t n, taken = 0;

	if (push_files(p->a, p->o->words, p->o->n_words, &names, &n, &err) ||
	    push_body_context(p->a, p->o, &c, &err)) {
		fail(p, &err);
		return;
	}
	for (size_t i = 0; i < n && !p->away; i++) {
		say_progress("reading %zu of %zu: %s", i + 1, n, names[i].path);
		push_file(p, &c, &names[i], &taken);
	}
	say_progress_end();
	if (!taken && !p->failed) {
		say("no file with results");
		p->failed = true;
	}
	push_body_context_end(&c);
}

/* A machine without a writable home (a container of a CI system) may push all the same; it only has no second chance. */
static int open_spool(struct pushing *p, struct options *o, struct err *err)
{
	bool named = o->spool != NULL;

	if (o->dry_run)
		return 0;
	if (!named)
		o->spool = file_state_home(p->a, "nsecwatch/spool");
	p->spool = o->spool ? spool_open(p->a, o->spool, err) : NULL;
	if (p->spool)
		return 0;
	if (named || o->spooled)
		return o->spool ? -1
				: err_set(err, ERR_SETUP, "no home, no --spool: there is nothing that waits");
	say("%s: without a spool: what the server does not take now has to be pushed again",
	    o->spool ? err->message : "neither HOME nor XDG_STATE_HOME is set");
	return 0;
}

int push(struct arena *a, const struct options *given)
{
	struct options o = *given;
	struct pushing p = { .a = a, .o = &o };
	struct err err = { 0 };
	int slower = 0;

	p.http = http_new(a, &o, &err);
	if (!p.http || open_spool(&p, &o, &err)) {
		http_free(p.http);
		return say("%s", err.message);
	}
	if (o.n_words)
		push_named(&p);
	if (p.spool)
		send_spool(&p);
	spool_close(p.spool);
	if (o.wait && !p.failed) {
		slower = verdict_wait(p.http, a, &o, p.runs, p.n_runs, &err);
		if (slower < 0)
			fail(&p, &err);
	}
	http_free(p.http);
	return p.failed ? 1 : slower ? 3 : 0;
}
