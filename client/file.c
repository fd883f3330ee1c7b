/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE 65536 /* /proc gives no size: files are read until they end */

static int read_all(int fd, struct buf *out)
{
	ssize_t n;

	do {
		n = read(fd, buf_reserve(out, PIECE), PIECE);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		out->len += (size_t)n;
		out->p[out->len] = 0;
	} while (n);
	return 0;
}

/* close() that keeps the errno of what went wrong before it. */
static int closed(int fd, int ret)
{
	int why = errno;

	if (close(fd) && !ret)
		return -1;
	errno = ret ? why : errno;
	return ret;
}

int file_read(const char *path, struct buf *out)
{
	int fd;

	if (!strcmp(path, "-"))
		return read_all(STDIN_FILENO, out);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -1 : closed(fd, read_all(fd, out));
}

static int write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t did = write(fd, p, n);

		if (did < 0 && errno != EINTR)
			return -1;
		if (did > 0) {
			p += did;
			n -= (size_t)did;
		}
	}
	return fsync(fd);
}

int file_write(const char *path, const char *p, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	return fd < 0 ? -1 : closed(fd, write_all(fd, p, n));
}

int file_sync_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -1 : closed(fd, fsync(fd));
}

/* A folder that was not there lasts when the one above it is synced. */
static int make_folder(const char *path)
{
	char *above;
	int ret;

	if (mkdir(path, 0700))
		return errno == EEXIST ? 0 : -1;
	above = strdup(path);
	if (!above)
		return -1;
	above[file_name(above) - above] = 0;
	ret = file_sync_folder(*above ? above : ".");
	free(above);
	return ret;
}

int file_make_folders(const char *path)
{
	char *copy = strdup(path);
	int ret = copy ? 0 : -1;

	for (char *p = copy; !ret && p && *p; p++) {
		if (p == copy || *p != '/')
			continue;
		*p = 0;
		ret = make_folder(copy);
		*p = '/';
	}
	ret = ret ? ret : make_folder(path);
	free(copy);
	return ret;
}

static const char *home(struct arena *a, const char *variable, const char *usual, const char *rest)
{
	const char *base = getenv(variable), *mine = getenv("HOME");

	if (base && *base == '/') /* the specification: a relative one is to be ignored */
		return arena_printf(a, "%s/%s", base, rest);
	return mine && *mine ? arena_printf(a, "%s/%s/%s", mine, usual, rest) : NULL;
}

const char *file_config_home(struct arena *a, const char *rest)
{
	return home(a, "XDG_CONFIG_HOME", ".config", rest);
}

const char *file_state_home(struct arena *a, const char *rest)
{
	return home(a, "XDG_STATE_HOME", ".local/state", rest);
}

const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
