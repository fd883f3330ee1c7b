/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The client's spool: what was added comes back as it was, in order, and nothing half written does. */
#include "tap.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../client/file.h"
#include "../../client/spool.h"

static char folder[64];

static struct spool *open_or_die(struct arena *a)
{
	struct err err = { 0 };
	struct spool *s = spool_open(a, folder, &err);

	if (!s) {
		printf("Bail out! %s\n", err.message);
		exit(1);
	}
	return s;
}

static struct spool_entry entry(const char *about, const char *body, size_t len)
{
	return (struct spool_entry){ .server = "http://x:1",
				     .target = "/api/v1/runs?label.a=b%20c",
				     .type = "text/csv",
				     .coding = "",
				     .about = about,
				     .body = body,
				     .len = len };
}

static size_t count(struct spool *s, struct arena *a, const char ***ids)
{
	struct err err = { 0 };
	size_t n = 99;

	ok(!spool_list(s, a, ids, &n, &err), "the spool can be listed");
	return n;
}

static void comes_back_as_it_was(void)
{
	struct arena *a = arena_new();
	struct spool *s = open_or_die(a);
	struct spool_entry e = entry("a file\nwith: a line", "one\0\n\ntwo", 9), got;
	const char **ids;
	struct err err = { 0 };
	struct stat st;

	e.derived_id = true;
	ok(!stat(folder, &st) && (st.st_mode & 0777) == 0700, "the folder is for nobody but us");
	ok(!spool_add(s, &e, &err), "an entry is added");
	ok(count(s, a, &ids) == 1 && !strcmp(ids[0], e.id), "it is the one that is listed");
	ok(!spool_read(s, a, ids[0], &got, &err), "it can be read");
	ok(got.len == 9 && !memcmp(got.body, e.body, 9),
	   "its body is the same to the byte, NUL and empty lines included");
	is_str(got.target, e.target, "so is its target");
	is_str(got.server, e.server, "its server");
	is_str(got.type, e.type, "its type");
	is_str(got.about, "a file with: a line", "a name with a newline cannot forge a line of the head");
	ok(got.derived_id, "whose id it is, too");
	ok(!stat(arena_printf(a, "%s/%s", folder, ids[0]), &st) && (st.st_mode & 0777) == 0600,
	   "its file is for nobody but us");
	ok(!spool_remove(s, ids[0], &err) && !count(s, a, &ids), "it can be removed");
	spool_close(s);
	arena_free(a);
}

static void order_holds(void)
{
	struct arena *a = arena_new();
	struct spool *s = open_or_die(a);
	struct spool_entry e = entry("future", "x", 1), got;
	const char **ids, *later;
	struct err err = { 0 };
	size_t n, in_order = 0;

	spool_add(s, &e, &err);
	/* as if the clock had been two hundred years ahead, and was set back */
	later = arena_printf(a, "%s/00008000000000000000-00000000.push", folder);
	ok(!rename(arena_printf(a, "%s/%s", folder, e.id), later), "an entry from the future stands there");
	spool_close(s);
	s = open_or_die(a);
	for (int i = 0; i < 20; i++) {
		e = entry(arena_printf(a, "%d", i), "x", 1);
		spool_add(s, &e, &err);
	}
	n = count(s, a, &ids);
	for (size_t i = 1; i < n; i++)
		in_order += !spool_read(s, a, ids[i], &got, &err) && atoi(got.about) == (int)i - 1;
	ok(n == 21 && in_order == 20, "the order is that of adding, even when the clock is set back");
	for (size_t i = 0; i < n; i++)
		spool_remove(s, ids[i], &err);
	spool_close(s);
	arena_free(a);
}

static void damage_is_seen(void)
{
	struct arena *a = arena_new();
	struct spool *s = open_or_die(a);
	struct spool_entry e = entry("a", "some body", 9), got;
	struct err err = { 0 };
	const char *path, *where;
	struct buf whole;
	size_t seen = 0;
	const char **ids;

	spool_add(s, &e, &err);
	path = arena_printf(a, "%s/%s", folder, e.id);
	buf_init(&whole);
	file_read(path, &whole);
	for (size_t len = 0; len < whole.len; len++) {
		int fd = open(path, O_WRONLY | O_TRUNC);

		ok(fd >= 0 && write(fd, whole.p, len) == (ssize_t)len, "cut to %zu bytes", len);
		close(fd);
		err = (struct err){ 0 };
		seen += spool_read(s, a, e.id, &got, &err) && err.kind == ERR_INVALID;
	}
	ok(seen == whole.len, "an entry cut anywhere is seen to be damaged");
	buf_fini(&whole);
	where = spool_refuse(s, a, e.id, &err);
	ok(where && !access(where, F_OK) && !count(s, a, &ids), "it can be put aside");
	unlink(where);
	rmdir(arena_printf(a, "%s/refused", folder));
	ok(spool_read(s, a, "no-such", &got, &err) && err.kind == ERR_SETUP,
	   "one that is not there is another error");
	spool_close(s);
	arena_free(a);
}

static void one_at_a_time(void)
{
	struct arena *a = arena_new();
	struct spool *s = open_or_die(a);
	int pipes[2], status = 0;
	char c = 0;
	pid_t child;

	ok(!pipe(pipes), "a pipe");
	fflush(stdout);
	child = fork();
	if (!child) {
		struct spool *mine;

		spool_close(s); /* the child's copy: the lock is still ours */
		mine = open_or_die(a);
		_exit(write(pipes[1], "x", 1) != 1 || !mine);
	}
	close(pipes[1]);
	fcntl(pipes[0], F_SETFL, O_NONBLOCK);
	ok(read(pipes[0], &c, 1) < 0, "a second process waits while the first has the spool open");
	fcntl(pipes[0], F_SETFL, 0);
	spool_close(s);
	ok(read(pipes[0], &c, 1) == 1 && c == 'x', "and gets it when the first closes it");
	ok(waitpid(child, &status, 0) == child && !status, "the second ends well");
	close(pipes[0]);
	arena_free(a);
}

static void half_written_is_no_entry(void)
{
	struct arena *a = arena_new();
	const char *half = arena_printf(a, "%s/00000000000000000001-00000000.push.new", folder);
	struct spool *s;
	const char **ids;

	ok(!file_write(half, "nsec", 4), "a process was killed while it wrote");
	s = open_or_die(a);
	ok(!count(s, a, &ids) && access(half, F_OK), "what it left is no entry, and is gone");
	spool_close(s);
	arena_free(a);
}

static void a_bad_folder_is_told(void)
{
	struct arena *a = arena_new();
	struct err err = { 0 };

	ok(!spool_open(a, "/dev/null/spool", &err) && strstr(err.message, "/dev/null/spool"),
	   "a folder that cannot be is told by its name");
	arena_free(a);
}

int main(void)
{
	char base[] = "/tmp/nsecwatch-spool.XXXXXX";

	if (!mkdtemp(base))
		return 1;
	snprintf(folder, sizeof(folder), "%s/a/b", base);
	comes_back_as_it_was();
	order_holds();
	damage_is_seen();
	one_at_a_time();
	half_written_is_no_entry();
	a_bad_folder_is_told();
	snprintf(folder, sizeof(folder), "%s/a/b/lock", base);
	unlink(folder);
	snprintf(folder, sizeof(folder), "%s/a/b", base);
	rmdir(folder);
	snprintf(folder, sizeof(folder), "%s/a", base);
	rmdir(folder);
	ok(!rmdir(base), "nothing is left behind");
	return done();
}
