/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What serve and watch can no longer do, each tried in a process of its own. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../server/confine.h"
#include "tap.h"

/* Each: 0 when it went through, else errno. */
static int try_exec(void)
{
	execl("/bin/true", "true", (char *)NULL);
	return errno;
}

static int try_mount(void)
{
	return mount("none", "/tmp", "tmpfs", 0, NULL) ? errno : 0;
}

static int try_namespace(void)
{
	return unshare(CLONE_NEWUSER) ? errno : 0;
}

static int try_trace(void)
{
	return ptrace(PTRACE_ATTACH, getppid(), NULL, NULL) ? errno : 0;
}

static int try_user(void)
{
	return setuid(getuid()) ? errno : 0;
}

static int try_listen(void)
{
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	return fd < 0 || bind(fd, (struct sockaddr *)&any, sizeof(any)) || listen(fd, 1) ? errno : 0;
}

static void *nothing(void *arg)
{
	return arg;
}

/* What they live of. */
static int try_usual(void)
{
	struct addrinfo *found = NULL;
	pthread_t thread;
	int pair[2], bad = getaddrinfo("localhost", "80", NULL, &found);

	if (!bad)
		freeaddrinfo(found);
	if (bad || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || pthread_create(&thread, NULL, nothing, NULL) || pthread_join(thread, NULL))
		return errno ? errno : 1;
	return access("/proc/self/fd", R_OK | X_OK) ? errno : 0;
}

static int in_child(int (*what)(void), bool listens)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		confine_process(listens);
		_exit(what());
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
	bool watched = getenv("SAN") && *getenv("SAN") && *getenv("SAN") != 'u';	/* a sanitizer's own needs: see confine.c */

	for (int listens = 0; listens < 2; listens++) {
		const char *who = listens ? "serve" : "watch";

		ok(in_child(try_exec, listens) == (watched ? 0 : EPERM), "%s runs no program", who);
		ok(in_child(try_mount, listens) == EPERM, "%s mounts nothing", who);
		ok(in_child(try_namespace, listens) == EPERM, "%s makes no namespace", who);
		if (!watched)
			ok(in_child(try_trace, listens) == EPERM, "%s traces nobody", who);
		ok(in_child(try_user, listens) == EPERM, "%s becomes nobody else", who);
		ok(in_child(try_listen, listens) == (listens ? 0 : EPERM), "%s %s", who, listens ? "listens" : "cannot listen");
		ok(in_child(try_usual, listens) == 0, "%s looks up names, makes sockets and threads", who);
	}
	return done();
}
