/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "up_place.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../lib/must.h"

#define SOCKET_NAME "/.s.PGSQL.5432"

const char *up_place_path(const struct up_place *p, const char *name, char out[PATH_MAX])
{
	int n = snprintf(out, PATH_MAX, "%s/%s", p->data, name);

	must(n > 0 && n < PATH_MAX);	/* up_place_open() left room */
	return out;
}

static int make_parents(const char *path, struct err *err)
{
	char part[PATH_MAX];

	for (const char *s = strchr(path + 1, '/'); s; s = strchr(s + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", (int)(s - path), path);
		if (mkdir(part, 0755) && errno != EEXIST)
			return err_set(err, ERR_SETUP, "--data: cannot make %s: %s", part, strerror(errno));
	}
	return 0;
}

static int open_data(struct up_place *p, const char *data, struct err *err)
{
	char full[PATH_MAX];

	if (!*data || strlen(data) > PATH_MAX - 256)
		return err_set(err, ERR_SETUP, "--data: a path of 1 to %d bytes is needed", PATH_MAX - 256);
	if (make_parents(data, err))
		return -1;
	if (!mkdir(data, 0755)) {
		if (chmod(data, 0755))	/* a strict umask must not hide it from the cluster's user */
			return err_set(err, ERR_SETUP, "--data %s: %s", data, strerror(errno));
	} else if (errno != EEXIST) {
		return err_set(err, ERR_SETUP, "--data: cannot make %s: %s", data, strerror(errno));
	}
	if (!realpath(data, full))
		return err_set(err, ERR_SETUP, "--data %s: %s", data, strerror(errno));
	if (strlen(full) > PATH_MAX - 256 || strchr(full, '\n'))
		return err_set(err, ERR_SETUP, "--data %s: the path is too long, or has a line break", data);
	strcpy(p->data, full);
	return 0;
}

static int lock_data(struct up_place *p, struct err *err)
{
	char path[PATH_MAX], pid[32];
	ssize_t n;

	up_place_path(p, "lock", path);
	p->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (p->lock < 0)
		return err_set(err, ERR_SETUP, "cannot write in %s: %s", p->data, strerror(errno));
	if (flock(p->lock, LOCK_EX | LOCK_NB)) {
		n = read(p->lock, pid, sizeof(pid) - 1);
		pid[n > 0 ? n : 0] = 0;
		pid[strcspn(pid, "\n")] = 0;
		close(p->lock);
		p->lock = -1;
		return err_set(err, ERR_SETUP,
			       "another `nsecwatchd up` (pid %s) runs on %s: stop it first, or give another --data DIR",
			       *pid ? pid : "unknown", p->data);
	}
	n = snprintf(pid, sizeof(pid), "%ld\n", (long)getpid());
	if (ftruncate(p->lock, 0) || pwrite(p->lock, pid, (size_t)n, 0) != n)
		return err_set(err, ERR_SETUP, "writing %s: %s", path, strerror(errno));
	return 0;
}

static int take_user(struct up_place *p, const struct passwd *pw)
{
	if (!pw || !pw->pw_uid || strlen(pw->pw_name) >= sizeof(p->user))
		return -1;
	strcpy(p->user, pw->pw_name);
	p->uid = pw->pw_uid;
	p->gid = pw->pw_gid;
	return 0;
}

static int choose_user(struct up_place *p, struct err *err)
{
	static const char *const names[] = { "nsecwatch", "postgres", "nobody" };
	char path[PATH_MAX];
	struct stat st;
	bool made = !lstat(up_place_path(p, "pg", path), &st);

	if (made && !S_ISDIR(st.st_mode))
		return err_set(err, ERR_SETUP, "%s is not a directory: move it away", path);
	p->drop = geteuid() == 0;
	if (!p->drop) {
		if (made && st.st_uid != geteuid())
			return err_set(err, ERR_SETUP,
				       "%s belongs to user %ld: start as root or as that user, or give another --data DIR",
				       path, (long)st.st_uid);
		if (take_user(p, getpwuid(geteuid())))
			return err_set(err, ERR_SETUP, "user %ld has no name in /etc/passwd: PostgreSQL needs one",
				       (long)geteuid());
		return 0;
	}
	if (made) {
		if (take_user(p, getpwuid(st.st_uid)))
			return err_set(err, ERR_SETUP,
				       "%s belongs to user %ld, who is root or has no name: chown it to the user who shall run PostgreSQL",
				       path, (long)st.st_uid);
		return 0;
	}
	for (size_t i = 0; i < 3; i++)
		if (!take_user(p, getpwnam(names[i])))
			return 0;
	return err_set(err, ERR_SETUP,
		       "PostgreSQL refuses to run as root, and there is no user nsecwatch, postgres or nobody: make one (useradd --system nsecwatch)");
}

/* Tried as that user, since only the kernel knows all the rules. */
bool up_place_may(const struct up_place *p, const char *path, int mode)
{
	pid_t pid;
	int status;

	if (!p->drop)
		return true;
	pid = fork();
	if (pid == 0) {
		up_place_drop(p, SIGKILL, false);
		_exit(access(path, mode) ? 1 : 0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

int up_place_mkdir(const struct up_place *p, const char *name, struct err *err)
{
	char path[PATH_MAX];
	int fd = -1, ret = -1;

	up_place_path(p, name, path);
	if (mkdir(path, 0700) && errno != EEXIST)
		goto out;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || (p->drop && fchown(fd, p->uid, p->gid)) || fchmod(fd, 0700))
		goto out;
	ret = 0;
out:
	if (ret)
		err_set(err, ERR_SETUP, "cannot make %s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return ret;
}

/* What an earlier start left as run/: a directory elsewhere that is still ours alone? */
static bool still_ours(const struct up_place *p, const char *dir)
{
	struct stat st;

	return !lstat(dir, &st) && S_ISDIR(st.st_mode) && st.st_uid == p->uid && (st.st_mode & 07777) == 0700;
}

static int run_elsewhere(struct up_place *p, const char *link, struct err *err)
{
	const char *base = p->drop ? "/run" : getenv("XDG_RUNTIME_DIR");
	ssize_t n = readlink(link, p->run, sizeof(p->run) - 1);

	p->run_elsewhere = true;
	p->run[n > 0 ? n : 0] = 0;
	if (n > 0 && still_ours(p, p->run))
		return 0;
	if (!base || *base != '/' || strlen(base) > 60 || access(base, W_OK))
		base = "/tmp";
	snprintf(p->run, sizeof(p->run), "%s/nsecwatch-XXXXXX", base);
	if (!mkdtemp(p->run))
		return err_set(err, ERR_SETUP, "cannot make a directory for PostgreSQL's socket in %s: %s", base,
			       strerror(errno));
	if (p->drop && chown(p->run, p->uid, p->gid))
		return err_set(err, ERR_SETUP, "%s: %s", p->run, strerror(errno));
	if ((unlink(link) && errno != ENOENT) || symlink(p->run, link))
		return err_set(err, ERR_SETUP, "cannot make the link %s: %s", link, strerror(errno));
	return 0;
}

/* A socket's address holds 107 bytes; the user must be able to walk there; a comma parts two hosts for libpq. */
static int choose_run(struct up_place *p, struct err *err)
{
	struct sockaddr_un address;
	char path[PATH_MAX];
	struct stat st;

	up_place_path(p, "run", path);
	if (p->hidden || strchr(path, ',') || strlen(path) + strlen(SOCKET_NAME) >= sizeof(address.sun_path)) {
		if (!lstat(path, &st) && S_ISDIR(st.st_mode) && rmdir(path))
			return err_set(err, ERR_SETUP, "%s: %s: remove it, nothing in it is kept", path, strerror(errno));
		return run_elsewhere(p, path, err);
	}
	if (!lstat(path, &st) && S_ISLNK(st.st_mode))
		unlink(path);
	strcpy(p->run, path);
	return up_place_mkdir(p, "run", err);
}

int up_place_open(struct up_place *p, const char *data, struct err *err)
{
	memset(p, 0, sizeof(*p));
	p->lock = -1;
	p->parent = getpid();
	if (open_data(p, data, err) || lock_data(p, err) || choose_user(p, err))
		return -1;
	p->hidden = !up_place_may(p, p->data, X_OK);
	return choose_run(p, err);
}

void up_place_close(struct up_place *p)
{
	char path[PATH_MAX];

	if (p->lock < 0)
		return;
	unlink(up_place_path(p, "conninfo", path));
	if (p->run_elsewhere && !rmdir(p->run))
		unlink(up_place_path(p, "run", path));
	close(p->lock);
	p->lock = -1;
}

int up_place_reach(const struct up_place *p, const char *name, char out[PATH_MAX])
{
	char path[PATH_MAX];
	int fd;

	up_place_path(p, name, path);
	if (!p->hidden) {
		strcpy(out, path);
		return 0;
	}
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);	/* inherited: no O_CLOEXEC */
	if (fd < 0)
		return -1;
	snprintf(out, PATH_MAX, "/proc/self/fd/%d", fd);
	return 0;
}

/* Of all that root may, only this is left, and given on through exec. */
static int keep_bind(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2] = { { 0 } };

	caps[0].effective = caps[0].permitted = caps[0].inheritable = 1u << CAP_NET_BIND_SERVICE;
	if (syscall(SYS_capset, &head, caps))
		return -1;
	return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_BIND_SERVICE, 0, 0);
}

void up_place_drop(const struct up_place *p, int death, bool bind_low)
{
	if (bind_low && p->drop && prctl(PR_SET_KEEPCAPS, 1))
		_exit(126);
	if (p->drop && (setgroups(1, &p->gid) || setgid(p->gid) || setuid(p->uid) || !setuid(0)))
		_exit(126);
	if (bind_low && p->drop)
		(void)keep_bind();	/* if it is refused, so is listening, with a message */
	umask(077);
	/* after setuid(), which would clear it; a parent that was gone before is not signalled */
	if (prctl(PR_SET_PDEATHSIG, death) || getppid() != p->parent)
		_exit(126);
}

int up_place_write(const struct up_place *p, const char *name, const char *text, struct err *err)
{
	char path[PATH_MAX], temp[PATH_MAX], temp_name[64];
	size_t len = strlen(text);
	int fd, dir;

	snprintf(temp_name, sizeof(temp_name), "%s.new", name);
	up_place_path(p, temp_name, temp);
	up_place_path(p, name, path);
	unlink(temp);
	fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return err_set(err, ERR_SETUP, "cannot write %s: %s", temp, strerror(errno));
	if (write(fd, text, len) != (ssize_t)len || fsync(fd) || rename(temp, path)) {
		err_set(err, ERR_SETUP, "writing %s: %s", path, strerror(errno));
		close(fd);
		return -1;
	}
	close(fd);
	dir = open(p->data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0) {
		fsync(dir);
		close(dir);
	}
	return 0;
}
