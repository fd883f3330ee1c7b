/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The private PostgreSQL cluster of `up`: finding the programs, initdb (in pg.new, renamed
 * when it is whole), starting the server, and clearing what a crash left behind.
 * Its settings are given on the command line and its access rules are written at each
 * start, so that no file of the cluster needs an edit.
 */
#ifndef SERVER_UP_CLUSTER_H
#define SERVER_UP_CLUSTER_H

#include "conf.h"
#include "up_place.h"

struct up_cluster {
	const struct up_place *place;
	char bin[PATH_MAX];		/* where initdb and postgres are */
	int version;			/* 15 */
	int connections;		/* max_connections */
};

/* Chooses the programs: the version of the data when there is data, else the newest. */
int up_cluster_find(struct up_cluster *c, const struct up_place *place, const struct conf *conf, struct err *err);

/*
 * Ends what an earlier start left running on this data (a parent that was killed), and removes
 * stale lock files. 0: nothing runs. 1: asked it to stop, call again soon. `tries` counts calls.
 */
int up_cluster_clear(const struct up_cluster *c, int tries);

/* Makes the cluster if there is none. Blocks for seconds. */
int up_cluster_init(const struct up_cluster *c, struct err *err);

/* Starts the server: its pid, or -1. Signals blocked in the caller are unblocked in it. */
pid_t up_cluster_start(const struct up_cluster *c);

/* Whether the server of this pid accepts connections now. */
bool up_cluster_ready(const struct up_cluster *c, pid_t pid);

/* The conninfo for a role of the cluster ("postgres", "nsecwatch") and the database of the same name. */
void up_cluster_conninfo(const struct up_cluster *c, const char *role, char *out, size_t size);

/* The server's last words in its log, onto stderr: why it did not start. */
void up_cluster_print_log(const struct up_cluster *c);

#endif
