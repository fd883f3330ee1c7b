/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The schema can be distributed without change: the shared linter finds nothing in it. */
#include "pg.h"
#include "tap.h"

static void test_lint(const char *file)
{
	char cmd[1600], line[400];
	int findings = 0;
	FILE *f;

	snprintf(cmd, sizeof(cmd), "psql -X -q -A -t -v ON_ERROR_STOP=1 -v sch=nsecwatch -f '%s' '%s' 2>&1", file, pg_dsn);
	f = popen(cmd, "r");
	while (f && fgets(line, sizeof(line), f)) {
		printf("# %s", line);
		findings++;
	}
	ok(f && pclose(f) == 0 && !findings, "lint_distributable.sql finds nothing");
}

int main(void)
{
	const char *shared = getenv("NSECWATCH_SHARED");
	char file[400];

	snprintf(file, sizeof(file), "%s/tools/lint_distributable.sql", shared ? shared : "../shared");
	if (access(file, R_OK)) {
		skip("lint_distributable.sql finds nothing", "no shared folder with it: set NSECWATCH_SHARED");
		return done();
	}
	pg_start();
	db_free(pg_migrated());
	test_lint(file);
	return done();
}
