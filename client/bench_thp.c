/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bench_thp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../ingest/thp.h"
#include "../lib/buf.h"
#include "file.h"
#include "say.h"

#ifndef PR_SET_THP_DISABLE
#define PR_SET_THP_DISABLE 41
#define PR_GET_THP_DISABLE 42
#endif

#define FOLDER "/sys/kernel/mm/transparent_hugepage"
#define FILES_MAX 64

struct file {
	const char *path, *was; /* a word */
	const char *wanted; /* NULL: stays */
};

struct bench_thp {
	struct arena *a;
	const char *root;
	struct file files[FILES_MAX]; /* enabled, then hugepages-*kB/enabled */
	size_t n;
	bool off, advises;
	int prctl_was;
	pid_t guard; /* 0: nothing was set */
	int guard_pipe; /* the guard acts when it is closed */
};

/* ---- sysfs ---- */

/* The word in brackets, or the text of a file that has none. NULL: not readable. */
static const char *word_of(struct arena *a, const char *path)
{
	const char *word = NULL, *open_at;
	struct buf b;

	buf_init(&b);
	if (!file_read(path, &b)) {
		open_at = strchr(b.p, '[');
		word = open_at ? arena_strndup(a, open_at + 1, strcspn(open_at + 1, "]"))
			       : arena_strndup(a, b.p, strcspn(b.p, "\n"));
	}
	buf_fini(&b);
	return word;
}

static int put_word(const char *path, const char *word)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC), ret;

	if (fd < 0)
		return -1;
	ret = write(fd, word, strlen(word)) == (ssize_t)strlen(word) ? 0 : -1;
	return close(fd) || ret ? -1 : 0;
}

static void add_file(struct bench_thp *t, const char *path)
{
	const char *word = word_of(t->a, path);

	if (word && t->n < FILES_MAX)
		t->files[t->n++] = (struct file){ .path = path, .was = word };
}

static void find_files(struct bench_thp *t)
{
	const char *folder = arena_printf(t->a, "%s" FOLDER, t->root);
	struct dirent *e;
	DIR *d = opendir(folder);

	if (!d)
		return;
	add_file(t, arena_printf(t->a, "%s/enabled", folder));
	while ((e = readdir(d)) != NULL)
		if (!strncmp(e->d_name, "hugepages-", 10))
			add_file(t, arena_printf(t->a, "%s/%s/enabled", folder, e->d_name));
	closedir(d);
}

static long kib_of(const struct file *f)
{
	const char *name = strstr(f->path, "/hugepages-");

	return name ? strtol(name + 11, NULL, 10) : 0;
}

size_t bench_thp_pmd_size(struct arena *a, const char *root)
{
	const char *text = word_of(a, arena_printf(a, "%s" FOLDER "/hpage_pmd_size", root));
	size_t size = text ? strtoull(text, NULL, 10) : 0;

	return size ? size : (size_t)2 << 20;
}

/* The word of anonymous memory of PMD size as the files say it; "none": no files. */
static const char *effective(const struct bench_thp *t)
{
	long pmd_kib = (long)(bench_thp_pmd_size(t->a, t->root) / 1024);

	for (size_t i = 1; i < t->n; i++)
		if (kib_of(&t->files[i]) == pmd_kib &&
		    strcmp(t->files[i].wanted ? t->files[i].wanted : t->files[i].was, "inherit"))
			return t->files[i].wanted ? t->files[i].wanted : t->files[i].was;
	return t->n ? (t->files[0].wanted ? t->files[0].wanted : t->files[0].was) : "none";
}

/* ---- the guard ---- */

static void restore_in_guard(struct bench_thp *t, int pipe)
{
	char byte;
	int failed = 0;

	setsid(); /* a ^C at the terminal is not for it */
	for (int s = 1; s < NSIG; s++)
		if (s != SIGKILL && s != SIGSTOP && s != SIGCHLD)
			signal(s, SIG_IGN);
	while (read(pipe, &byte, 1) < 0 && errno == EINTR)
		;
	for (size_t i = t->n; i--;) /* the global word last, as it was set first */
		if (t->files[i].wanted && put_word(t->files[i].path, t->files[i].was)) {
			say("%s: could not be put back to %s: %s", t->files[i].path, t->files[i].was,
			    strerror(errno));
			failed = 1;
		}
	_exit(failed);
}

/* The child that keeps the old words. It has to hold no end of a pipe that others wait on. */
static int start_guard(struct bench_thp *t, struct err *err)
{
	int ends[2], null;

	if (pipe2(ends, O_CLOEXEC) || (t->guard = fork()) < 0)
		return err_set(err, ERR_SETUP, "--thp: no process to put the state back: %s",
			       strerror(errno));
	if (!t->guard) {
		close(ends[1]);
		null = open("/dev/null", O_RDWR);
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		restore_in_guard(t, ends[0]);
	}
	close(ends[0]);
	t->guard_pipe = ends[1];
	return 0;
}

/* ---- modes ---- */

/* "64k", "2m" of a slug in KiB. */
static long slug_kib(const char *s)
{
	char *end;
	long v = strtol(s, &end, 10);

	return *end == 'm' ? v * 1024 : v;
}

/* What each file is to say for a state in its canonical form. */
static int plan(struct bench_thp *t, const char *slug, struct err *err)
{
	long pmd_kib = (long)(bench_thp_pmd_size(t->a, t->root) / 1024);
	const char *rest = slug + strcspn(slug, "+");

	t->files[0].wanted = arena_strndup(t->a, slug, (size_t)(rest - slug));
	for (size_t i = 1; i < t->n; i++)
		t->files[i].wanted = kib_of(&t->files[i]) == pmd_kib ? "inherit" : "never";
	while (*rest) {
		const char *part = ++rest, *dash;
		size_t i = 1;

		rest += strcspn(rest, "+");
		if (!strncmp(part, "prctl", 5)) {
			t->off = !strncmp(part, "prctl-off", 9);
			continue;
		}
		dash = strchr(part, '-');
		while (i < t->n && kib_of(&t->files[i]) != slug_kib(part))
			i++;
		if (i == t->n || !dash)
			return err_set(err, ERR_SETUP, "--thp %s: this kernel has no huge pages of %ld KiB",
				       slug, slug_kib(part));
		t->files[i].wanted = arena_strndup(t->a, dash + 1, (size_t)(rest - dash - 1));
	}
	return 0;
}

static bool is_set(const struct bench_thp *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->files[i].wanted, t->files[i].was))
			return false;
	return true;
}

static bool may_set(const struct bench_thp *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->files[i].wanted, t->files[i].was) && access(t->files[i].path, W_OK))
			return false;
	return true;
}

/* Sets it, and looks whether it is. */
static int set_all(struct bench_thp *t, const char *slug, struct err *err)
{
	if (start_guard(t, err))
		return -1;
	for (size_t i = 0; i < t->n; i++) {
		const struct file *f = &t->files[i];
		const char *now;

		if (put_word(f->path, f->wanted))
			return err_set(err, ERR_SETUP, "--thp %s: %s: %s", slug, f->path, strerror(errno));
		now = word_of(t->a, f->path);
		if (!now || strcmp(now, f->wanted))
			return err_set(err, ERR_SETUP, "--thp %s: %s says %s after %s was written", slug,
				       f->path, now ? now : "nothing", f->wanted);
	}
	return 0;
}

static void keep_all(struct bench_thp *t)
{
	for (size_t i = 0; i < t->n; i++)
		t->files[i].wanted = NULL;
}

enum way { NOTHING, SET, OFF, ADVISE };

/* A state that is to be set: what can be done. */
static int way_to_state(struct bench_thp *t, const char *mode, const struct thp *thp, enum way *way, struct err *err)
{
	if (!t->n)
		return err_set(
			err, ERR_SETUP,
			"--thp %s: this kernel has no transparent huge pages (%s%s): only as-is is to be had",
			mode, t->root, FOLDER);
	if (plan(t, thp->slug, err))
		return -1;
	if (is_set(t) || may_set(t)) {
		*way = is_set(t) ? NOTHING : SET;
		return 0;
	}
	keep_all(t);	/* what is in effect is what was, then */
	if (!strcmp(thp->slug, "never")) {
		*way = OFF;
		return 0;
	}
	if (strcmp(thp->slug, "always") || !strcmp(effective(t), "never"))
		return err_set(err, ERR_SETUP,
			       "--thp %s needs root: %s cannot be written. Without: as-is, off%s", mode,
			       t->files[0].path, strcmp(effective(t), "never") ? ", advised" : "");
	*way = ADVISE;
	return 0;
}

/* What is to be done for a mode; *thp: the state, where it is one. Changes nothing but what t has in mind. */
static int way_to(struct bench_thp *t, const char *mode, struct thp *thp, enum way *way, struct err *err)
{
	*thp = (struct thp){ .slug = "" };
	*way = strcmp(mode, "off") ? NOTHING : OFF;
	if (!strcmp(mode, "as-is") || *way == OFF)
		return 0;
	if (!strcmp(mode, "advised")) {
		*way = ADVISE;
		if (t->prctl_was == 1)
			return err_set(
				err, ERR_SETUP,
				"--thp advised: huge pages are switched off for this process (prctl) by its parent");
		return strcmp(effective(t), "never") && t->n ? 0 :
			err_set(err, ERR_SETUP,
				"--thp advised: advice has no effect here: %s%s/enabled is %s; as root, --thp "
				"madvise sets it",
				t->root, FOLDER, t->n ? "never" : "not there");
	}
	if (thp_from_slug(t->a, mode, thp, err) || !strncmp(thp->slug, "none", 4) ||
	    !strncmp(thp->slug, "unknown", 7))
		return err_set(err, ERR_BAD_ARGUMENT,
			       "--thp is \"%s\": as-is, off, advised, never, always, madvise or a state as "
			       "never+64k-always is needed",
			       mode);
	return way_to_state(t, mode, thp, way, err);
}

static int begin(struct bench_thp *t, const char *mode, struct err *err)
{
	struct thp thp;
	enum way way;

	if (way_to(t, mode, &thp, &way, err))
		return -1;
	if (way == SET) {
		t->advises = !strncmp(thp.slug, "madvise", 7);
		return set_all(t, thp.slug, err);
	}
	keep_all(t);
	if (*thp.slug && way == OFF)
		say("--thp never: not root, so they are switched off for this process alone (off)");
	if (*thp.slug && way == ADVISE)
		say("--thp always: not root, so the region is advised (advised)");
	t->off |= way == OFF;
	t->advises = way == ADVISE || !strncmp(thp.slug, "madvise", 7);
	return 0;
}

static struct bench_thp *look(struct arena *a, const char *root)
{
	struct bench_thp *t = arena_zalloc(a, sizeof(*t));
	int was = prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0);

	t->a = a;
	t->root = root;
	t->guard_pipe = -1;
	t->prctl_was = was > 0 ? was : 0;
	find_files(t);
	return t;
}

int bench_thp_check(struct arena *a, const char *root, const char *mode, struct err *err)
{
	struct thp thp;
	enum way way;

	return way_to(look(a, root), mode, &thp, &way, err);
}

struct bench_thp *bench_thp_begin(struct arena *a, const char *root, const char *mode, struct err *err)
{
	struct bench_thp *t = look(a, root);

	if (begin(t, mode, err) ||
	    (t->off && !t->prctl_was && prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) &&
	     err_set(err, ERR_SETUP, "--thp %s: prctl(PR_SET_THP_DISABLE): %s; only as-is is to be had here", mode, strerror(errno)))) {
		bench_thp_end(t);
		return NULL;
	}
	return t;
}

bool bench_thp_end(struct bench_thp *t)
{
	int status = 0;

	if (!t)
		return true;
	if (t->off && !t->prctl_was)
		prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
	if (t->guard <= 0)
		return true;
	close(t->guard_pipe);
	while (waitpid(t->guard, &status, 0) < 0 && errno == EINTR)
		;
	t->guard = 0;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

bool bench_thp_advises(const struct bench_thp *t)
{
	return t->advises;
}

int bench_thp_expects(const struct bench_thp *t)
{
	const char *word = effective(t);

	if (t->off || t->prctl_was == 1 || !strcmp(word, "never") || !strcmp(word, "none"))
		return 0;
	if (!strcmp(word, "madvise"))
		return t->advises;
	return !strcmp(word, "always") ? 1 : -1;
}
