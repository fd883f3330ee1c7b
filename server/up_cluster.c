/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "up_cluster.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../lib/buf.h"
#include "../lib/log.h"
#include "../lib/must.h"

#define OLDEST 14

/* In a child: our signal mask and environment are nothing for PostgreSQL. */
static void clean_child(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	setpgid(0, 0);		/* Ctrl-C is for the parent, which stops all in order */
	setenv("LC_ALL", "C", 1);
}

/* ---- the programs ---- */

/* The major version of BIN/postgres, 0 when it is none or too old. */
static int version_of(const char *bin)
{
	char command[PATH_MAX + 16], line[128] = "";
	int pipefd[2], version = 0;
	pid_t pid;
	ssize_t n;

	snprintf(command, sizeof(command), "%s/initdb", bin);
	if (access(command, X_OK))
		return 0;
	snprintf(command, sizeof(command), "%s/postgres", bin);
	if (access(command, X_OK) || pipe2(pipefd, O_CLOEXEC))
		return 0;
	pid = fork();
	if (pid == 0) {
		clean_child();
		dup2(pipefd[1], STDOUT_FILENO);
		execl(command, command, "-V", (char *)NULL);
		_exit(127);
	}
	close(pipefd[1]);
	n = read(pipefd[0], line, sizeof(line) - 1);
	close(pipefd[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	line[n > 0 ? n : 0] = 0;
	if (sscanf(line, "postgres (PostgreSQL) %d", &version) != 1 || version < OLDEST)
		return 0;
	return version;
}

/* Takes bin if it is the version that is wanted (0: the newest). */
static void consider(struct up_cluster *c, const char *bin, int wanted)
{
	int version = strlen(bin) < sizeof(c->bin) ? version_of(bin) : 0;

	if (version && (wanted ? version == wanted && !c->version : version > c->version)) {
		strcpy(c->bin, bin);
		c->version = version;
	}
}

static void look_everywhere(struct up_cluster *c, int wanted)
{
	static const char *const patterns[] = { "/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/local/pgsql*/bin" };
	const char *path = getenv("PATH");
	glob_t found = { 0 };

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		glob(patterns[i], i ? GLOB_APPEND : 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++)
		consider(c, found.gl_pathv[i], wanted);
	globfree(&found);
	for (const char *s = path ? path : ""; *s; s += strcspn(s, ":"), s += *s == ':') {
		char dir[PATH_MAX];
		size_t n = strcspn(s, ":");

		if (n >= sizeof(dir))
			continue;
		memcpy(dir, s, n);
		dir[n] = 0;
		if (*dir == '/')	/* a relative one may be anything after a chdir */
			consider(c, dir, wanted);
	}
}

static int data_version(const struct up_place *place)
{
	char path[PATH_MAX];
	int version = 0;
	FILE *f = fopen(up_place_path(place, "pg/PG_VERSION", path), "re");

	if (!f)
		return 0;
	if (fscanf(f, "%d", &version) != 1)
		version = 0;
	fclose(f);
	return version;
}

int up_cluster_find(struct up_cluster *c, const struct up_place *place, const struct conf *conf, struct err *err)
{
	int wanted = data_version(place);

	memset(c, 0, sizeof(*c));
	c->place = place;
	c->connections = conf->workers + 20;	/* watch, commands, people with psql */
	if (conf->pg_bin) {
		consider(c, conf->pg_bin, wanted);
		if (!c->version && wanted)
			return err_set(err, ERR_SETUP, "--pg-bin %s has no PostgreSQL %d, which made %s/pg",
				       conf->pg_bin, wanted, place->data);
		if (!c->version)
			return err_set(err, ERR_SETUP, "--pg-bin %s has no initdb and postgres of version %d or later",
				       conf->pg_bin, OLDEST);
		return 0;
	}
	look_everywhere(c, wanted);
	if (c->version)
		return 0;
	if (wanted)
		return err_set(err, ERR_SETUP,
			       "%s/pg was made by PostgreSQL %d, which is not installed now: install postgresql-%d, or move to a newer one (README.md, Upgrade)",
			       place->data, wanted, wanted);
	return err_set(err, ERR_SETUP,
		       "no PostgreSQL %d or later found: `apt-get install postgresql`, or say where it is: --pg-bin DIR",
		       OLDEST);
}

/* ---- what a crash left ---- */

/* What /proc/PID/cwd or exe points to; "" where we may not know. */
static const char *proc_link(const char *pid, const char *what, char out[PATH_MAX])
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%.20s/%s", pid, what);
	n = readlink(link, out, PATH_MAX - 1);
	out[n > 0 ? n : 0] = 0;
	return out;
}

/* A postgres, not the shell of somebody who looks at the files. */
static bool runs_in(const char *pid, const char *dir)
{
	char path[PATH_MAX];
	const char *program;

	if (strcmp(proc_link(pid, "cwd", path), dir))
		return false;
	program = strrchr(proc_link(pid, "exe", path), '/');
	return program && !strncmp(program, "/postgres", 9);
}

static long pid_in_file(const struct up_cluster *c)
{
	char path[PATH_MAX], line[32] = "";
	int fd = open(up_place_path(c->place, "pg/postmaster.pid", path), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);

	if (fd >= 0)
		close(fd);
	return n > 0 ? atol(line) : 0;
}

/*
 * All processes of a cluster work in its directory; that tells them from a stranger who got
 * the pid of a stale postmaster.pid. Removing lock files is safe only when there are none:
 * two servers on one directory would destroy it.
 */
int up_cluster_clear(const struct up_cluster *c, int tries)
{
	/* fast shutdown first; then what a hung one understands */
	int how = tries < 600 ? SIGINT : tries < 700 ? SIGQUIT : SIGKILL;
	char pg[PATH_MAX], fresh[PATH_MAX], path[PATH_MAX + 32];
	long postmaster = pid_in_file(c);
	struct dirent *e;
	int left = 0;
	DIR *proc = opendir("/proc");

	up_place_path(c->place, "pg", pg);
	up_place_path(c->place, "pg.new", fresh);
	while (proc && (e = readdir(proc))) {
		long pid = atol(e->d_name);

		if (pid <= 0 || (!runs_in(e->d_name, pg) && !runs_in(e->d_name, fresh)))
			continue;
		left++;
		if (tries % 50 && how != SIGKILL)
			continue;	/* it was told; it takes its time */
		if (pid == postmaster || how != SIGINT)
			kill((pid_t)pid, how);
	}
	if (proc)
		closedir(proc);
	if (left && !tries)
		log_event(LOG_WARN, "a PostgreSQL of an earlier start still runs here: stopping it", "processes=%d", left);
	if (left)
		return 1;
	/* the pids in these may be somebody else's by now, or of zombies nobody reaps: PostgreSQL would give up */
	unlink(up_place_path(c->place, "pg/postmaster.pid", path));
	snprintf(path, sizeof(path), "%.4000s/.s.PGSQL.5432", c->place->run);
	unlink(path);
	strcat(path, ".lock");
	unlink(path);
	return 0;
}

/* ---- making it ---- */

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *walk)
{
	(void)st;
	(void)flag;
	if (walk->level)	/* the top belongs to a directory of root's */
		(void)remove(path);
	return 0;
}

/* As the user: whoever owns a tree could swap what root is about to remove. */
static void empty(const struct up_cluster *c, const char *name)
{
	pid_t pid = fork();

	if (pid == 0) {
		char path[PATH_MAX + 4];

		if (up_place_reach(c->place, name, path))
			_exit(0);
		strcat(path, "/.");	/* a link of /proc is walked, not removed */
		up_place_drop(c->place, SIGKILL, false);
		nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void exec_initdb(const struct up_cluster *c, int output)
{
	char program[PATH_MAX + 16], data[PATH_MAX];

	snprintf(program, sizeof(program), "%s/initdb", c->bin);
	if (up_place_reach(c->place, "pg.new", data))
		_exit(126);
	clean_child();
	up_place_drop(c->place, SIGTERM, false);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	if (chdir("/"))
		_exit(126);
	execl(program, program, "-D", data, "-U", "postgres", "-E", "UTF8", "--locale=C", "--data-checksums",
	      "--auth-local=peer", "--auth-host=reject", "--no-instructions", (char *)NULL);
	dprintf(STDERR_FILENO, "%s: %s\n", program, strerror(errno));
	_exit(127);
}

static int run_initdb(const struct up_cluster *c, struct err *err)
{
	int output = memfd_create("initdb", MFD_CLOEXEC), status = -1;
	char said[600] = "";
	pid_t pid = fork();
	off_t len;
	ssize_t n;

	if (pid == 0)
		exec_initdb(c, output);
	if (pid > 0)
		waitpid(pid, &status, 0);
	len = lseek(output, 0, SEEK_END);
	len = len > (off_t)sizeof(said) - 1 ? len - (off_t)sizeof(said) + 1 : 0;
	n = pread(output, said, sizeof(said) - 1, len);
	said[n > 0 ? n : 0] = 0;
	close(output);
	if (pid > 0 && status == 0)
		return 0;
	return err_set(err, ERR_SETUP, "initdb of PostgreSQL %d failed in %s/pg.new:\n%s", c->version, c->place->data, said);
}

int up_cluster_init(const struct up_cluster *c, struct err *err)
{
	char path[PATH_MAX], fresh[PATH_MAX];
	struct stat st;
	int dir;

	if (data_version(c->place))
		return 0;
	if (!lstat(up_place_path(c->place, "pg", path), &st))
		return err_set(err, ERR_SETUP, "%s is there but is no PostgreSQL cluster: move it away", path);
	up_place_path(c->place, "pg.new", fresh);
	if (!lstat(fresh, &st))	/* an initdb that was interrupted */
		empty(c, "pg.new");
	log_event(LOG_INFO, "making a PostgreSQL cluster", "version=%d user=%s", c->version, c->place->user);
	if (up_place_mkdir(c->place, "pg.new", err) || run_initdb(c, err))
		return -1;
	if (rename(fresh, path))
		return err_set(err, ERR_SETUP, "renaming %s to %s: %s", fresh, path, strerror(errno));
	dir = open(c->place->data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0) {
		fsync(dir);
		close(dir);
	}
	return 0;
}

/* ---- running it ---- */

/* Who may connect: root and the user, over the socket, as the kernel tells the server. */
static int write_rules(const struct up_cluster *c, const char *data)
{
	char path[PATH_MAX + 32];
	FILE *f;

	snprintf(path, sizeof(path), "%s/pg_hba.conf", data);
	f = fopen(path, "we");
	if (!f)
		return -1;
	fputs("# written by nsecwatchd at each start\nlocal all all peer map=nsecwatch\n", f);
	if (fclose(f))
		return -1;
	snprintf(path, sizeof(path), "%s/pg_ident.conf", data);
	f = fopen(path, "we");
	if (!f)
		return -1;
	fputs("# written by nsecwatchd at each start\n", f);
	for (int i = 0; i < 2; i++) {
		const char *user = i ? "root" : c->place->user;

		fprintf(f, "nsecwatch \"%s\" postgres\nnsecwatch \"%s\" nsecwatch\n", user, user);
	}
	return fclose(f) ? -1 : 0;
}

struct words {
	char *list[64];
	size_t n;
};

static void add(struct words *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct words *w, const char *fmt, ...)
{
	va_list ap;

	must(w->n < 63);
	va_start(ap, fmt);
	must(vasprintf(&w->list[w->n++], fmt, ap) >= 0);
	va_end(ap);
	w->list[w->n] = NULL;
}

/* A directory for unix_socket_directories: a list, so quoted. */
static void add_socket(struct words *w, const char *dir)
{
	struct buf b;

	buf_init(&b);
	buf_puts(&b, "unix_socket_directories=\"");
	for (; *dir; dir++) {
		if (*dir == '"')
			buf_putc(&b, '"');
		buf_putc(&b, *dir);
	}
	buf_putc(&b, '"');
	add(w, "-c");
	add(w, "%s", b.p);
	buf_fini(&b);
}

/* A quarter of the memory, as the manual advises, but this is a lab's machine with other work: 64 MB to 1 GB. */
static int shared_buffers_mib(void)
{
	struct sysinfo si;
	unsigned long mib = sysinfo(&si) ? 512 : (unsigned long)(si.totalram * (double)si.mem_unit / (1 << 20) / 4);

	return mib < 64 ? 64 : mib > 1024 ? 1024 : (int)mib;
}

static void server_words(const struct up_cluster *c, const char *data, struct words *w)
{
	static const char *const settings[] = {
		"listen_addresses=", "port=5432", "unix_socket_permissions=0700",
		"timezone=UTC", "log_timezone=UTC", "max_wal_size=2GB",
		"default_toast_compression=lz4", "random_page_cost=1.1", "jit=off",
		"logging_collector=on", "log_directory=log", "log_filename=postgresql-%a.log",
		"log_truncate_on_rotation=on", "log_rotation_age=1d", "log_rotation_size=0",
		"log_checkpoints=off", "autovacuum=on",
	};

	memset(w, 0, sizeof(*w));
	add(w, "%s/postgres", c->bin);	/* by its whole path, from which it finds its other files */
	add(w, "-D");
	add(w, "%s", data);
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		add(w, "-c");
		add(w, "%s", settings[i]);
	}
	add(w, "-c");
	add(w, "wal_compression=%s", c->version >= 15 ? "lz4" : "on");
	add(w, "-c");
	add(w, "max_connections=%d", c->connections);
	add(w, "-c");
	add(w, "shared_buffers=%dMB", shared_buffers_mib());
	add_socket(w, c->place->run);
}

/* What it says before its log collector runs goes to a file, too: it is of interest only when it fails. */
static int redirect(const char *data)
{
	char path[PATH_MAX + 32];
	int null = open("/dev/null", O_RDONLY), log;

	snprintf(path, sizeof(path), "%s/log", data);
	if (mkdir(path, 0700) && errno != EEXIST)
		return -1;
	snprintf(path, sizeof(path), "%s/log/start.log", data);
	log = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (null < 0 || log < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(log, STDOUT_FILENO) < 0 ||
	    dup2(log, STDERR_FILENO) < 0)
		return -1;
	return close(null) || close(log) ? -1 : 0;
}

pid_t up_cluster_start(const struct up_cluster *c)
{
	char program[PATH_MAX + 16], data[PATH_MAX];
	struct words w;
	pid_t pid = fork();

	if (pid)
		return pid;
	if (up_place_reach(c->place, "pg", data))
		_exit(126);
	clean_child();
	up_place_drop(c->place, SIGINT, false);	/* the parent gone: a fast shutdown, not a crash */
	if (write_rules(c, data) || chdir("/") || redirect(data)) {
		dprintf(STDERR_FILENO, "nsecwatchd: preparing %s/pg: %s\n", c->place->data, strerror(errno));
		_exit(126);
	}
	snprintf(program, sizeof(program), "%s/postgres", c->bin);
	server_words(c, data, &w);
	execv(program, w.list);
	dprintf(STDERR_FILENO, "nsecwatchd: %s: %s\n", program, strerror(errno));
	_exit(127);
}

/* As pg_ctl does it: the eighth line of postmaster.pid says "ready". */
bool up_cluster_ready(const struct up_cluster *c, pid_t pid)
{
	char path[PATH_MAX], line[PATH_MAX + 8];
	int fd = open(up_place_path(c->place, "pg/postmaster.pid", path), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	bool ready = false;

	for (int i = 1; f && fgets(line, sizeof(line), f); i++) {
		if (i == 1 && atol(line) != (long)pid)
			break;
		if (i == 8)
			ready = !strncmp(line, "ready", 5);
	}
	if (f)
		fclose(f);
	return ready;
}

void up_cluster_conninfo(const struct up_cluster *c, const char *role, char *out, size_t size)
{
	struct buf b;

	buf_init(&b);
	buf_puts(&b, "host='");
	for (const char *s = c->place->run; *s; s++) {
		if (*s == '\'' || *s == '\\')
			buf_putc(&b, '\\');
		buf_putc(&b, *s);
	}
	buf_printf(&b, "' port=5432 user=%s dbname=%s", role, role);
	must(b.len < size);
	memcpy(out, b.p, b.len + 1);
	buf_fini(&b);
}

static void print_tail(const char *path)
{
	char text[2048];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	off_t end = lseek(fd, 0, SEEK_END);
	ssize_t n = pread(fd, text, sizeof(text), end > (off_t)sizeof(text) ? end - (off_t)sizeof(text) : 0);

	if (n > 0)
		(void)!write(STDERR_FILENO, text, (size_t)n);
}

void up_cluster_print_log(const struct up_cluster *c)
{
	pid_t pid = fork();

	if (pid == 0) {
		char path[PATH_MAX + 64], data[PATH_MAX], day[8];
		time_t now = time(NULL);
		struct tm tm;

		if (up_place_reach(c->place, "pg", data))
			_exit(1);
		up_place_drop(c->place, SIGKILL, false);
		snprintf(path, sizeof(path), "%s/log/start.log", data);
		print_tail(path);
		strftime(day, sizeof(day), "%a", gmtime_r(&now, &tm));
		snprintf(path, sizeof(path), "%s/log/postgresql-%s.log", data, day);
		print_tail(path);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}
