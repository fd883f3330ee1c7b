/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "up.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int up_find_db(const struct conf *conf, const char **conninfo, struct err *err)
{
	char path[4096], *line = NULL;
	size_t room = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/conninfo", conf->data);
	f = fopen(path, "re");
	if (!f && errno == ENOENT)
		return err_set(err, ERR_SETUP,
			       "no database: give --db CONNINFO (or NSECWATCH_DB), or --data DIR of a running `nsecwatchd up` (%s is not there)",
			       path);
	if (!f)
		return err_set(err, ERR_SETUP, "%s: %s", path, strerror(errno));
	if (getline(&line, &room, f) < 0) {
		free(line);
		fclose(f);
		return err_set(err, ERR_SETUP, "%s is empty: start `nsecwatchd up` again", path);
	}
	fclose(f);
	line[strcspn(line, "\n")] = 0;
	*conninfo = line;
	return 0;
}

int up_run(const struct conf *conf, struct err *err)
{
	return err_set(err, ERR_SETUP, "up --data %s: not in this revision yet", conf->data);
}
