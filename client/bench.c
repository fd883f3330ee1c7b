/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bench.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../lib/num.h"
#include "../lib/stats/summary.h"
#include "bench_impl.h"
#include "bench_sizes.h"
#include "bench_thp.h"
#include "file.h"
#include "say.h"

#define REPS_LEAST 5
#define REPS_MOST 60 /* where the precision is not reached */
#define INTERRUPTED 130
#define MARGIN_KIB 65536 /* of free memory that is left alone, beside page tables (1/512) */

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	interrupted = sig;
}

/* ---- the machine ---- */

/* To one CPU, and which: the last allowed one is the least likely to get the interrupts. */
static int pin(struct bench_run *r, struct err *err)
{
	static cpu_set_t allowed, one; /* big, and there is one command a process */
	int64_t cpu = -1;

	CPU_ZERO(&allowed);
	CPU_ZERO(&one);
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return err_set(err, ERR_SETUP, "sched_getaffinity: %s", strerror(errno));
	if (r->o->cpu) {
		if (num_parse_i64(r->o->cpu, strlen(r->o->cpu), &cpu) || cpu < 0 || cpu >= CPU_SETSIZE)
			return err_set(err, ERR_BAD_ARGUMENT, "--cpu is \"%s\": the number of a CPU is needed",
				       r->o->cpu);
		if (!CPU_ISSET((size_t)cpu, &allowed))
			return err_set(
				err, ERR_SETUP,
				"--cpu %s: this process may not run there (taskset, cpuset or not online)",
				r->o->cpu);
	}
	for (int i = 0; !r->o->cpu && i < CPU_SETSIZE; i++)
		if (CPU_ISSET((size_t)i, &allowed))
			cpu = i;
	CPU_SET((size_t)cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		return err_set(err, ERR_SETUP, "--cpu %d: %s", (int)cpu, strerror(errno));
	r->cpu = (int)cpu;
	return 0;
}

/* The number behind a key of a file; -1: not there. */
static long long number_in(const char *path, const char *key)
{
	long long v = -1;
	const char *at;
	struct buf b;

	buf_init(&b);
	if (!file_read(path, &b) && (at = strstr(b.p, key)) != NULL) {
		at += strlen(key);
		v = *at >= '0' || *at == ' ' ? strtoll(at, NULL, 10) : -1;
	}
	buf_fini(&b);
	return v;
}

/* KiB that may be used: of the machine, of the control group (version 2), of the process. */
static long long free_kib(struct arena *a)
{
	long long left = number_in("/proc/meminfo", "MemAvailable:"), max, now;
	const char *group;
	struct rlimit l;
	struct buf b;

	buf_init(&b);
	if (!file_read("/proc/self/cgroup", &b) && (group = strstr(b.p, "0::/")) != NULL) {
		group = arena_strndup(a, group + 3, strcspn(group + 3, "\n"));
		max = number_in(arena_printf(a, "/sys/fs/cgroup%s/memory.max", group), "");
		now = number_in(arena_printf(a, "/sys/fs/cgroup%s/memory.current", group), "");
		if (max >= 0 && now >= 0 && (left < 0 || (max - now) / 1024 < left))
			left = (max - now) / 1024;
	}
	buf_fini(&b);
	if (!getrlimit(RLIMIT_AS, &l) && l.rlim_cur != RLIM_INFINITY &&
	    (left < 0 || (long long)(l.rlim_cur / 1024) < left))
		left = (long long)(l.rlim_cur / 1024);
	return left;
}

/* ---- one cell: a benchmark at a size ---- */

/* As narrow as was wished? */
static bool is_precise(struct bench_run *r, const struct bench_cell *c)
{
	struct summary s;

	summary_of(c->values, c->n, arena_array(r->a, double, c->n), &r->memo, &s);
	return (s.hi - s.lo) / 2 <= s.mean * r->o->precision / 100;
}

static bool is_done(struct bench_run *r, struct bench_cell *c)
{
	if (r->o->reps)
		return c->n >= (size_t)r->o->reps;
	if (c->n < REPS_LEAST)
		return false;
	c->imprecise = !is_precise(r, c);
	return !c->imprecise || c->n >= REPS_MOST;
}

static void give_up(struct bench_cell *c, bool skipped, const char *why)
{
	c->done = true;
	c->skipped = skipped;
	c->error = why;
}

static bool fits(struct bench_run *r, struct bench_cell *c)
{
	long long need = (long long)(bench_time_memory(c->op, c->size) / 1024), left = free_kib(r->a);

	need += need / 512 + MARGIN_KIB;
	if (left < 0 || need <= left)
		return true;
	give_up(c, true, arena_printf(r->a, "%lld KiB of memory are needed, %lld KiB are free", need, left));
	return false;
}

/* Did the region get the pages that this mode is about? Said once a cell, in the results always. */
static void verify(struct bench_run *r, struct bench_cell *c, const struct bench_pages *p)
{
	int expects = c->size >= r->pmd ? bench_thp_expects(r->thp) : -1;
	long kib = (long)(c->size / r->pmd * r->pmd / 1024);

	c->pages = bench_pages_text(r->a, p, c->size);
	if (!strcmp(r->o->mapping, "pte") && c->size >= r->pmd && p->huge_kib)
		give_up(c, false,
			arena_printf(r->a, "%ld KiB are mapped by huge entries after all", p->huge_kib));
	else if (!strcmp(r->o->mapping, "pmd") && c->size >= r->pmd && p->huge_kib < kib)
		give_up(c, false,
			arena_printf(r->a, "%ld of %ld KiB are mapped by huge entries", p->huge_kib, kib));
	else if (expects == 1 && strcmp(r->o->mapping, "pte") && p->huge_kib < kib && !c->told)
		c->told = say("%s %s: huge pages were asked for, and %ld of %ld KiB have them", c->op->name,
			      bench_sizes_text(r->a, c->size), p->huge_kib, kib) != 0;
	else if (expects == 0 && p->huge_kib && !c->told)
		c->told = say("%s %s: no huge pages were asked for, and %ld KiB have them", c->op->name,
			      bench_sizes_text(r->a, c->size), p->huge_kib) != 0;
}

static void repeat(struct bench_run *r, struct bench_cell *c)
{
	struct bench_area area = { .size = c->size,
				   .page = r->page,
				   .pmd = r->pmd,
				   .advises = bench_thp_advises(r->thp),
				   .by_ptes = !strcmp(r->o->mapping, "pte") };
	struct err err = { 0 };
	struct bench_rep rep;

	if (!fits(r, c))
		return;
	if (bench_time(c->op, &area, &rep, &err)) {
		give_up(c, false, arena_strdup(r->a, err.message));
		return;
	}
	verify(r, c, &rep.pages);
	c->values = arena_grow(r->a, c->values, c->n * sizeof(double), (c->n + 1) * sizeof(double));
	c->values[c->n++] = rep.ns;
	c->calls += rep.calls;
	c->batches += rep.batches;
	c->disturbed += rep.disturbed;
	c->done |= is_done(r, c);
}

/* Repetitions go round the cells, so that a machine's slow drift is in the spread of each, not between them. */
static void measure(struct bench_run *r)
{
	size_t left = r->n;

	for (size_t round = 1; left && !interrupted; round++) {
		left = 0;
		for (size_t i = 0; i < r->n && !interrupted; i++) {
			struct bench_cell *c = &r->cells[i];

			if (c->done)
				continue;
			say_progress("thp %s: round %zu: %s %s", r->mode, round, c->op->name,
				     bench_sizes_text(r->a, c->size));
			repeat(r, c);
			left += !c->done;
		}
	}
	say_progress_end();
}

/* ---- the plan ---- */

static int plan(struct bench_run *r, struct err *err)
{
	const struct options *o = r->o;
	bool all = o->n_words == 1 && !strcmp(o->words[0], "all");
	size_t *sizes, n_sizes, n_ops = 0;
	const struct bench_op *ops[16];

	r->page = (size_t)sysconf(_SC_PAGESIZE);
	r->root = strcmp(o->root, "/") ? o->root : "";
	r->pmd = bench_thp_pmd_size(r->a, r->root);
	if (strcmp(o->mapping, "as-is") && strcmp(o->mapping, "pte") && strcmp(o->mapping, "pmd"))
		return err_set(err, ERR_BAD_ARGUMENT, "--mapping is \"%s\": as-is, pte or pmd is needed",
			       o->mapping);
	if (!o->reps && !(o->precision > 0))
		return err_set(err, ERR_BAD_ARGUMENT, "--precision: more than 0 %% is needed");
	if (bench_sizes(r->a, o->sizes, r->page, &sizes, &n_sizes, err))
		return -1;
	for (const struct bench_op *op = bench_ops; all && op->name; op++)
		ops[n_ops++] = op;
	for (size_t i = 0; !all && i < o->n_words && n_ops < 16; i++) {
		ops[n_ops] = bench_ops_of(o->words[i]);
		if (!ops[n_ops++])
			return err_set(err, ERR_BAD_ARGUMENT,
				       "there is no benchmark \"%s\": nsecwatch bench --list has them",
				       o->words[i]);
	}
	r->n = n_ops * n_sizes;
	r->cells = arena_array(r->a, struct bench_cell, r->n);
	for (size_t i = 0; i < n_ops; i++) {
		if (ops[i]->untouched && !strcmp(o->mapping, "pte"))
			return err_set(
				err, ERR_BAD_ARGUMENT,
				"--mapping pte: %s makes new pages, they are mapped as the kernel wants",
				ops[i]->name);
		for (size_t k = 0; k < n_sizes; k++)
			r->cells[i * n_sizes + k] = (struct bench_cell){ .op = ops[i], .size = sizes[k] };
	}
	return 0;
}

static void tell(const struct bench_run *r)
{
	size_t without = 0, imprecise = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct bench_cell *c = &r->cells[i];

		without += c->error != NULL;
		imprecise += c->imprecise && !c->error;
		if (c->error)
			say("thp %s: %s %s: %s: %s", r->mode, c->op->name, bench_sizes_text(r->a, c->size),
			    c->skipped ? "skipped" : "failed", c->error);
	}
	if (imprecise)
		say("thp %s: %zu of %zu did not come to +-%g %% in %d repetitions: the machine is busy, or noisy",
		    r->mode, imprecise, r->n, r->o->precision, REPS_MOST);
	if (without == r->n)
		say("thp %s: nothing could be measured", r->mode);
}

/* All cells in one THP mode: a submission. */
static int one_mode(struct bench_run *r, struct buf *out, struct err *err)
{
	if (plan(r, err))
		return -1;
	r->thp = bench_thp_begin(r->a, r->root, r->mode, err);
	if (!r->thp)
		return -1;
	r->started_usec = tm_now_usec();
	measure(r);
	if (!interrupted) {
		bench_print(r, out); /* while the state holds: it is read again */
		tell(r);
	}
	return bench_thp_end(r->thp) ? 0 : err_set(err, ERR_SETUP, "the THP state could not be put back");
}

/* One after the other; several are a JSON array, a mode a line. */
static int all_modes(struct bench_run *r, struct err *err)
{
	char *modes = arena_strdup(r->a, r->o->thp), *ahead = arena_strdup(r->a, r->o->thp);
	bool many = strchr(modes, ',') != NULL;
	const char *mode;
	struct buf out;
	int ret = plan(r, err);

	while (!ret && (mode = strsep(&ahead, ",")) != NULL)	/* none is measured in vain */
		ret = bench_thp_check(r->a, r->root, mode, err);
	if (ret)
		return -1;
	buf_init(&out);
	while ((r->mode = strsep(&modes, ",")) != NULL && !interrupted && !ret) {
		if (many)
			buf_puts(&out, out.len ? ",\n" : "[");
		ret = one_mode(r, &out, err);
	}
	buf_puts(&out, many ? "]\n" : "\n");
	if (!interrupted && !ret)
		fwrite(out.p, 1, out.len, stdout);
	buf_fini(&out);
	return ret;
}

static void list(void)
{
	for (const struct bench_op *op = bench_ops; op->name; op++)
		printf("%-10s %s\n", op->name, op->help);
}

static void catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = on_signal };

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &sa, NULL);
}

int bench(struct arena *a, const struct options *o)
{
	struct bench_run r = { .a = a, .o = o };
	struct err err = { 0 };

	if (o->list) {
		list();
		return 0;
	}
	catch_signals();
	if (pin(&r, &err) || all_modes(&r, &err)) {
		say("%s", err.message);
		return err.kind == ERR_BAD_ARGUMENT ? OPTIONS_USAGE : 1;
	}
	if (!interrupted)
		return 0;
	say("interrupted: nothing is printed");
	return INTERRUPTED;
}
