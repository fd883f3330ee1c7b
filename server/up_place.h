/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The directory that `up` keeps everything in, and as whom what runs:
 *
 *	lock		held while an `up` runs here
 *	admin.token	the first token (0600)
 *	conninfo	while it runs: how to reach its database
 *	pg/		the cluster, of the unprivileged user
 *	run/		its socket (0700); or a link to a short directory elsewhere
 *
 * Started as root, everything but the parent runs as `nsecwatch`, `postgres` or `nobody`,
 * the first that exists, or as whoever pg/ belongs to already.
 */
#ifndef SERVER_UP_PLACE_H
#define SERVER_UP_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "../lib/err.h"

struct up_place {
	char data[PATH_MAX];		/* absolute */
	char run[PATH_MAX];		/* where the socket is: reachable by the user, short enough */
	bool run_elsewhere;		/* not in data; made by us */
	char user[64];			/* of the cluster, serve and watch */
	uid_t uid;
	gid_t gid;
	bool drop;			/* we are root and they are not */
	bool hidden;			/* the user cannot walk to data: children get it as a descriptor */
	int lock;
	pid_t parent;			/* who opened it */
};

/* Makes what is missing, takes the lock, chooses the user. -1: err says what is in the way and the cure. */
int up_place_open(struct up_place *p, const char *data, struct err *err);
/* Gives the lock back and removes what is only good while we run. */
void up_place_close(struct up_place *p);

/* DATA/name, in out. */
const char *up_place_path(const struct up_place *p, const char *name, char out[PATH_MAX]);

/* Whether the user can walk to a directory (X_OK) or read a file (R_OK); true where up runs as that user itself. */
bool up_place_may(const struct up_place *p, const char *path, int mode);

/* A directory of the user in DATA, mode 0700, made if missing. */
int up_place_mkdir(const struct up_place *p, const char *name, struct err *err);

/*
 * How a child that has dropped root reaches DATA/name: the path, or, where a parent directory is
 * closed to the user, /proc/self/fd/N of a descriptor that it and its children inherit.
 * Called in the child, before up_place_drop(). -1: errno.
 */
int up_place_reach(const struct up_place *p, const char *name, char out[PATH_MAX]);

/*
 * In a child: becomes the user for good and dies by `death` when the parent does. Exits on
 * failure. bind_low: keeps the right to listen on ports below 1024, through exec too.
 */
void up_place_drop(const struct up_place *p, int death, bool bind_low);

/* Replaces DATA/name (mode 0600, root's or ours) by this text: whole or not at all. */
int up_place_write(const struct up_place *p, const char *name, const char *text, struct err *err);

#endif
