/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parent of `up`. It has one thread, no connection and no parser; what it does as root
 * is: make directories, start children as the unprivileged user, wait, write the token.
 * All signals are taken with sigtimedwait(), so nothing runs in a handler.
 */
#include "up.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../lib/arena.h"
#include "../lib/log.h"
#include "../lib/must.h"
#include "../lib/terminal.h"
#include "../lib/tm.h"
#include "up_cluster.h"
#include "up_listen.h"
#include "up_place.h"
#include "up_setup.h"
#include "watch.h"

enum { POSTGRES, SERVE, WATCH, JOB, N_CHILDREN };

struct child {
	const char *name;
	pid_t pid;			/* 0: does not run */
	bool wanted;			/* is started again when it ends */
	int64_t started, next_start;	/* monotonic usec */
	int deaths;			/* in a row, each after a short life */
	int status;			/* of the last end */
};

struct up {
	struct conf conf;		/* a copy, in which these are filled in: */
	char conninfo[2 * PATH_MAX], listen[300], pages[PATH_MAX];
	struct up_place place;
	struct up_cluster cluster;
	struct child children[N_CHILDREN];
	sigset_t signals;
	int stops;			/* SIGTERM, SIGINT received, or the terminal went away */
	bool terminal;			/* there was one */
	int clear_tries;
	bool was_ready;			/* the address has been printed */
	struct err *err;
	bool failed;			/* err is set: stop all */
};

static int64_t in_ms(int ms)
{
	return tm_monotonic_usec() + ms * INT64_C(1000);
}

/* ---- children that end ---- */

static void fail(struct up *u, const struct child *c)
{
	if (u->failed || u->stops)
		return;
	u->failed = true;
	if (WIFEXITED(c->status) && WEXITSTATUS(c->status) == 126)
		err_set(u->err, ERR_SETUP, "%s could not be started as user %s (is the program executable for it?)",
			c->name, u->place.user);
	else
		err_set(u->err, ERR_SETUP, "%s ended at its start: the reason stands above", c->name);
}

/* Again after 0.25 s, 0.5 s, ... 30 s; from the start once it has lived a minute. */
static void note_end(struct up *u, struct child *c, int status)
{
	bool signalled = WIFSIGNALED(status);
	int64_t lived = tm_monotonic_usec() - c->started;
	int delay_ms;

	c->pid = 0;
	c->status = status;
	if (!c->wanted || u->stops || u->failed)
		return;
	c->deaths = lived > 60 * INT64_C(1000000) ? 1 : c->deaths + 1;
	delay_ms = c->deaths > 7 ? 30000 : 125 << c->deaths;
	c->next_start = in_ms(delay_ms);
	log_event(LOG_ERROR, "a child ended", "child=%s %s=%d restart_ms=%d", c->name, signalled ? "signal" : "status",
		  signalled ? WTERMSIG(status) : WEXITSTATUS(status), delay_ms);
	/* before the first page is served, and for a wrong option, trying again would hide the reason */
	if ((!u->was_ready && c != &u->children[WATCH]) || (WIFEXITED(status) && WEXITSTATUS(status) == 2))
		fail(u, c);
}

static void reap(struct up *u)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (int i = 0; i < N_CHILDREN; i++)
			if (u->children[i].pid == pid)
				note_end(u, &u->children[i], status);
}

/* What can be read anew, the certificate, serve reads. */
static void reload(struct up *u)
{
	if (u->children[SERVE].pid)
		kill(u->children[SERVE].pid, SIGHUP);
}

/* Sleeps until a signal came or ms went by. */
static void wait_event(struct up *u, int ms)
{
	struct timespec ts = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };
	int sig = sigtimedwait(&u->signals, NULL, &ts);

	if (sig == SIGCHLD)
		reap(u);
	else if (sig == SIGHUP && (!u->terminal || terminal_is_there()))
		reload(u);
	else if (sig > 0)
		u->stops++;
}

static bool ending(const struct up *u)
{
	return u->stops || u->failed;
}

/* ---- children that start ---- */

static void in_child(struct up *u)
{
	/* a shell's background job ignores SIGINT: PostgreSQL would lose our stop until it has its own handler */
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &u->signals, NULL);
	setpgid(0, 0);		/* Ctrl-C is for the parent, which stops all in order */
}

/* This program again, by its inode: it may have been replaced, or lie where the user cannot walk. */
static pid_t start_self(struct up *u, const char *command)
{
	struct rlimit files;
	pid_t pid = fork();

	if (pid)
		return pid;
	in_child(u);
	signal(SIGHUP, SIG_IGN);	/* one that is passed on while it starts; serve takes them later, and is told by us alone */
	conf_export(&u->conf, command);
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	up_place_drop(&u->place, SIGTERM, !strcmp(command, "serve") && u->conf.listen_port < 1024);
	if (chdir("/"))
		_exit(126);
	execl("/proc/self/exe", "nsecwatchd", command, (char *)NULL);
	_exit(126);
}

static void start_child(struct up *u, int which)
{
	struct child *c = &u->children[which];

	if (which == POSTGRES && up_cluster_clear(&u->cluster, u->clear_tries++)) {
		c->next_start = in_ms(100);
		return;
	}
	u->clear_tries = 0;
	c->started = tm_monotonic_usec();
	c->pid = which == POSTGRES ? up_cluster_start(&u->cluster) : start_self(u, c->name);
	if (c->pid < 0) {
		c->pid = 0;
		c->next_start = in_ms(1000);
		log_event(LOG_ERROR, "fork failed", "child=%s errno=%d", c->name, errno);
	}
}

/* Starts what is due; how long until the next is. */
static int start_due(struct up *u)
{
	int wait_ms = 60000;

	for (int i = 0; i < N_CHILDREN; i++) {
		struct child *c = &u->children[i];
		int64_t left;

		if (!c->wanted || c->pid)
			continue;
		if (c->next_start <= tm_monotonic_usec())
			start_child(u, i);
		if (c->pid)
			continue;
		left = (c->next_start - tm_monotonic_usec()) / 1000 + 1;
		if (left < wait_ms)
			wait_ms = left < 1 ? 1 : (int)left;
	}
	return wait_ms;
}

/* ---- the way up ---- */

static int start_database(struct up *u)
{
	struct child *c = &u->children[POSTGRES];
	int64_t patience = in_ms(10000);

	if (up_cluster_find(&u->cluster, &u->place, &u->conf, u->err))
		return -1;
	while (!ending(u) && up_cluster_clear(&u->cluster, u->clear_tries++))
		wait_event(u, 100);
	u->clear_tries = 0;
	if (ending(u) || up_cluster_init(&u->cluster, u->err))
		return -1;
	c->wanted = true;
	while (!ending(u)) {
		int wait_ms = start_due(u);

		if (c->pid && up_cluster_ready(&u->cluster, c->pid))
			return 0;
		if (tm_monotonic_usec() > patience) {
			log_event(LOG_INFO, "waiting for PostgreSQL, which may be recovering", NULL);
			patience = in_ms(10000);
		}
		wait_event(u, wait_ms < 50 ? wait_ms : 50);
	}
	if (u->failed) {
		for (int i = 1; i < 50 && up_cluster_clear(&u->cluster, i); i++)
			wait_event(u, 20);	/* its log collector writes to the end */
		up_cluster_print_log(&u->cluster);
	}
	return -1;
}

static int run_job(struct up *u, enum up_setup_job job, struct up_setup_answer *answer)
{
	struct child *c = &u->children[JOB];
	int ends[2];
	ssize_t n;

	if (pipe2(ends, O_CLOEXEC))
		return err_set(u->err, ERR_SETUP, "pipe: %s", strerror(errno));
	c->pid = fork();
	if (c->pid == 0) {
		in_child(u);
		up_place_drop(&u->place, SIGKILL, false);
		up_setup_do(job, &u->cluster, &u->conf, answer);
		_exit(write(ends[1], answer, sizeof(*answer)) == (ssize_t)sizeof(*answer) ? 0 : 1);
	}
	close(ends[1]);
	if (c->pid < 0)
		c->pid = 0;
	while (c->pid && !ending(u))
		wait_event(u, 1000);
	if (c->pid) {
		kill(c->pid, SIGKILL);
		waitpid(c->pid, NULL, 0);
		c->pid = 0;
	}
	n = read(ends[0], answer, sizeof(*answer));
	close(ends[0]);
	if (ending(u))
		return -1;
	if (n != (ssize_t)sizeof(*answer))
		return err_set(u->err, ERR_SETUP, "preparing the database ended too early: the reason stands above");
	return answer->done ? 0 : err_set(u->err, ERR_SETUP, "preparing the database: %s", answer->message);
}

/*
 * The first token, told once, in a file. admin.token.making stands while the token may
 * be in the database and not yet in the file.
 */
static int write_token(struct up *u, bool needed)
{
	char file[PATH_MAX], making[PATH_MAX], line[TOKEN_TEXT + 1];
	struct up_setup_answer answer = { .done = false };
	bool interrupted;

	up_place_path(&u->place, "admin.token", file);
	up_place_path(&u->place, "admin.token.making", making);
	interrupted = !access(making, F_OK);
	if (!access(file, F_OK) || (!needed && !interrupted)) {
		unlink(making);
		return 0;
	}
	if (!interrupted && up_place_write(&u->place, "admin.token.making", "", u->err))
		return -1;
	if (run_job(u, interrupted ? UP_SETUP_TOKEN_AGAIN : UP_SETUP_TOKEN, &answer))
		return -1;
	snprintf(line, sizeof(line), "%s\n", answer.token);
	if (up_place_write(&u->place, "admin.token", line, u->err))
		return -1;
	unlink(making);
	return 0;
}

static int prepare(struct up *u)
{
	struct up_setup_answer answer = { .done = false };

	if (run_job(u, UP_SETUP_ALL, &answer) || write_token(u, answer.needs_token))
		return -1;
	if (answer.migrations)
		log_event(LOG_INFO, "schema brought up to date", "migrations=%d", answer.migrations);
	if (u->conf.demo)
		log_event(LOG_INFO, "demonstration data", "runs_new=%d", answer.demo_stored);
	up_cluster_conninfo(&u->cluster, "nsecwatch", u->conninfo, sizeof(u->conninfo));
	u->conf.db = u->conninfo;
	return up_place_write(&u->place, "conninfo", u->conninfo, u->err);
}

static void print_address(const struct up *u)
{
	char url[512], token[PATH_MAX];

	up_listen_url(u->conf.listen_host, u->conf.listen_port, u->conf.tls_cert, url, sizeof(url));
	printf("\n  nsecwatch is ready   %s\n", url);
	if (!access(up_place_path(&u->place, "admin.token", token), F_OK))
		printf("  first token          %s (scope admin)\n", token);
	printf("  to stop              Ctrl-C, or kill %ld\n\n", (long)getpid());
	fflush(stdout);
}

static int start_programs(struct up *u)
{
	u->children[SERVE].wanted = u->children[WATCH].wanted = true;
	while (!ending(u)) {
		int wait_ms = start_due(u);

		if (u->children[SERVE].pid && up_listen_ready(u->conf.listen_host, u->conf.listen_port, u->conf.tls_cert)) {
			u->was_ready = true;
			print_address(u);
			return 0;
		}
		wait_event(u, wait_ms < 50 ? wait_ms : 50);
	}
	return -1;
}

/* ---- the way down ---- */

/* Tells a child to end, more firmly after each deadline (seconds; 0 ends the list) or further signal. */
static void stop_child(struct up *u, int which, const int how[], const int patience_s[])
{
	struct child *c = &u->children[which];

	c->wanted = false;
	for (int i = 0; c->pid; i++) {
		int64_t deadline = in_ms(patience_s[i] * 1000);
		int stops = u->stops;

		kill(c->pid, how[i]);
		while (c->pid && u->stops == stops && (!patience_s[i] || tm_monotonic_usec() < deadline))
			wait_event(u, 1000);
		if (!patience_s[i])	/* SIGKILL: it cannot but end */
			i--;
	}
}

static void stop_all(struct up *u)
{
	static const int program_how[] = { SIGTERM, SIGKILL }, program_s[] = { 20, 0 };
	static const int postgres_how[] = { SIGINT, SIGQUIT, SIGKILL }, postgres_s[] = { 60, 10, 0 };

	if (u->children[WATCH].pid)
		kill(u->children[WATCH].pid, SIGTERM);	/* both at once; then wait for each */
	stop_child(u, SERVE, program_how, program_s);
	stop_child(u, WATCH, program_how, program_s);
	stop_child(u, POSTGRES, postgres_how, postgres_s);
	/* a killed postmaster's backends go by themselves; they must be gone before the lock is */
	for (int i = 0; u->cluster.place && i < 100 && up_cluster_clear(&u->cluster, i + 1); i++)
		wait_event(u, 100);
}

/* An `up` that was killed left its conninfo, and maybe a serve that is still finishing what it had begun. */
static int check_listen(struct up *u)
{
	char conninfo[PATH_MAX];
	int64_t patience_s = access(up_place_path(&u->place, "conninfo", conninfo), F_OK) ? 0 : 30;
	int64_t deadline = tm_monotonic_usec() + patience_s * 1000000;
	bool told = false;
	int ret;

	while ((ret = up_listen_check(u->conf.listen, u->conf.listen_host, &u->conf.listen_port, u->err)) > 0 &&
	       tm_monotonic_usec() < deadline && !u->stops) {
		if (!told)
			log_event(LOG_WARN, "the address is in use: waiting for the serve of an up that was killed",
				  "listen=%s", u->conf.listen);
		told = true;
		wait_event(u, 100);
	}
	return ret ? -1 : 0;
}

static int run(struct up *u)
{
	if (check_listen(u))
		return -1;
	up_listen_text(u->conf.listen_host, u->conf.listen_port, u->listen, sizeof(u->listen));
	u->conf.listen = u->listen;	/* port 0 has become a number */
	if (u->conf.static_dir && !realpath(u->conf.static_dir, u->pages))
		return err_set(u->err, ERR_SETUP, "--static %s: %s", u->conf.static_dir, strerror(errno));
	if (u->conf.static_dir)
		u->conf.static_dir = u->pages;	/* children work in / */
	if (start_database(u) || prepare(u) || start_programs(u))
		return -1;
	while (!ending(u))
		wait_event(u, start_due(u));
	return u->failed ? -1 : 0;
}

/* Variables of libpq are meant for some other database than our private one. */
static void forget_pg_variables(void)
{
	static const char *const names[] = {
		"PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGPASSWORD", "PGPASSFILE", "PGSERVICE",
		"PGSERVICEFILE", "PGOPTIONS", "PGAPPNAME", "PGSSLMODE", "PGREQUIRESSL", "PGREQUIREPEER", "PGDATA",
		"PGTARGETSESSIONATTRS", "PGCLIENTENCODING", "PGTZ", "PGDATESTYLE", "PGCHANNELBINDING", "PGGSSENCMODE",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
}

/* What watch and serve are to read, they read as the user. (Secrets are read by us, and handed on.) */
static int check_files(const struct up *u)
{
	const struct {
		const char *option, *file;
	} files[] = { { "--maintainers", u->conf.maintainers }, { "--ca-file", u->conf.ca_file },
		      { "--tls-cert", u->conf.tls_cert }, { "--tls-key", u->conf.tls_key } };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (files[i].file && *files[i].file && !up_place_may(&u->place, files[i].file, R_OK))
			return err_set(u->err, ERR_SETUP, "%s %s: user %s, as whom %s runs, cannot read it", files[i].option,
				       files[i].file, u->place.user, i < 2 ? "watch" : "serve");
	return 0;
}

int up_run(const struct conf *conf, struct err *err)
{
	struct up u = { .conf = *conf, .err = err, .terminal = terminal_is_there() };
	struct arena *a = arena_new();
	struct sigaction hup;
	int ret;

	u.children[POSTGRES].name = "postgres";
	u.children[SERVE].name = "serve";
	u.children[WATCH].name = "watch";
	u.children[JOB].name = "setup";
	sigemptyset(&u.signals);
	sigaddset(&u.signals, SIGTERM);
	sigaddset(&u.signals, SIGINT);
	if (sigaction(SIGHUP, NULL, &hup) || hup.sa_handler != SIG_IGN)	/* nohup means it */
		sigaddset(&u.signals, SIGHUP);
	sigaddset(&u.signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &u.signals, NULL);
	forget_pg_variables();
	if (conf_absolute(&u.conf, a, err) || watch_check(&u.conf, err) || up_place_open(&u.place, u.conf.data, err)) {
		arena_free(a);
		return -1;
	}
	ret = check_files(&u) || run(&u) ? -1 : 0;
	if (u.stops) {
		log_event(LOG_INFO, "stopping", NULL);
		ret = 0;
	}
	stop_all(&u);
	up_place_close(&u.place);
	arena_free(a);
	return ret;
}

int up_find_db(const struct conf *conf, const char **conninfo, struct err *err)
{
	static char line[2 * PATH_MAX];
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s/conninfo", conf->data);
	f = fopen(path, "re");
	if (!f && errno == ENOENT)
		return err_set(err, ERR_SETUP,
			       "no database: give --db CONNINFO (or NSECWATCH_DB), or --data DIR of a running `nsecwatchd up` (%s is not there)",
			       path);
	if (!f)
		return err_set(err, ERR_SETUP, "%s: %s", path, strerror(errno));
	if (!fgets(line, sizeof(line), f))
		line[0] = 0;
	fclose(f);
	if (!*line)
		return err_set(err, ERR_SETUP, "%s is empty: start `nsecwatchd up` again", path);
	line[strcspn(line, "\n")] = 0;
	*conninfo = line;
	return 0;
}
