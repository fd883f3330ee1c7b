/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A PostgreSQL for unit tests: a database of its own on the server that NSECWATCH_TEST_DSN
 * names, else on a cluster of its own (tests/pg.sh) that ends with the test.
 */
#ifndef TESTS_PG_H
#define TESTS_PG_H

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../server/db.h"
#include "../../server/db_migrate.h"

static char pg_dir[64];			/* of our own cluster, or "" */
static char pg_base[512];		/* conninfo of the server */
static char pg_dsn[600];		/* conninfo of the test's database */

/* Runs tests/pg.sh; its first line of output goes to out. */
__attribute__((unused)) static int pg_sh(const char *args, char *out, size_t size)
{
	char cmd[200];
	FILE *f;

	snprintf(cmd, sizeof(cmd), "tests/pg.sh %s", args);
	f = popen(cmd, "r");
	if (!f)
		return -1;
	if (out && fgets(out, (int)size, f))
		out[strcspn(out, "\n")] = 0;
	return pclose(f);
}

__attribute__((unused)) static int pg_script(const char *dsn, const char *sql)
{
	struct db *db = db_new(dsn, "test", 60000);
	struct err err;
	int ret = db_script(db, sql, &err);

	if (ret)
		printf("# %s: %s\n", sql, err.message);
	db_free(db);
	return ret;
}

static void pg_drop(void)
{
	char sql[100];

	snprintf(sql, sizeof(sql), "DROP DATABASE nsecwatch_test_%d", (int)getpid());
	pg_script(pg_base, sql);
}

/* A child that outlives us, however we end, stops and removes our cluster then. */
static void pg_leave_no_trace(void)
{
	char args[100], byte;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		exit(1);
	if (fork()) {
		close(ends[0]);		/* the other one stays open as long as we live */
		return;
	}
	close(ends[1]);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	while (read(ends[0], &byte, 1) < 0)
		;
	snprintf(args, sizeof(args), "rm -rf %s 2>/dev/null", pg_dir);
	for (int tries = 0; tries < 50 && !access(pg_dir, F_OK); tries++) {
		char stop[100];

		/* again, where the test had just begun to start it */
		snprintf(stop, sizeof(stop), "stop %s immediate", pg_dir);
		pg_sh(stop, NULL, 0);
		if (system(args))
			nanosleep(&(struct timespec){ 0, 100000000 }, NULL);
	}
	_exit(0);
}

/* Sets pg_dsn; ends the test where no server can be had. */
__attribute__((unused)) static void pg_start(void)
{
	const char *dsn = getenv("NSECWATCH_TEST_DSN");
	char args[100];

	if (dsn && *dsn) {
		snprintf(pg_base, sizeof(pg_base), "%s", dsn);
		snprintf(args, sizeof(args), "CREATE DATABASE nsecwatch_test_%d", (int)getpid());
		if (pg_script(pg_base, args))
			exit(1);
		snprintf(pg_dsn, sizeof(pg_dsn), "%s dbname=nsecwatch_test_%d", pg_base, (int)getpid());
		atexit(pg_drop);
	} else {
		snprintf(pg_dir, sizeof(pg_dir), "/tmp/nsecwatch-test.XXXXXX");
		if (!mkdtemp(pg_dir))
			exit(1);
		pg_leave_no_trace();
		snprintf(args, sizeof(args), "start %s", pg_dir);
		if (pg_sh(args, pg_base, sizeof(pg_base))) {
			printf("Bail out! tests/pg.sh could not start a PostgreSQL\n");
			exit(1);
		}
		snprintf(pg_dsn, sizeof(pg_dsn), "%s", pg_base);
	}
}

/* A migrated database and a connection to it. */
__attribute__((unused)) static struct db *pg_migrated(void)
{
	struct db *db = db_new(pg_dsn, "test", 60000);
	struct err err;
	int applied;

	if (db_migrate_run(db, &applied, &err)) {
		printf("Bail out! %s\n", err.message);
		exit(1);
	}
	return db;
}

#endif
