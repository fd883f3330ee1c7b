/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between cmd_doctor.c (configuration, files, the machine) and cmd_doctor_database.c (PostgreSQL and what waits in it). */
#ifndef SERVER_CMD_DOCTOR_H
#define SERVER_CMD_DOCTOR_H

#include <stdarg.h>

#include "../lib/arena.h"

#define DOCTOR_MOST 64

enum doctor_level { DOCTOR_OK, DOCTOR_INFO, DOCTOR_WARN, DOCTOR_BAD };

struct doctor_finding {
	enum doctor_level level;
	const char *check, *message;
	const char *cure;		/* or NULL */
};

struct doctor {
	struct arena *a;
	struct doctor_finding findings[DOCTOR_MOST];
	size_t n, bad, warned;
	int workers, http_connections;	/* of serve */
	const char *time_zone;		/* of watch, or NULL */
};

/* One finding more; cure is borrowed, or NULL. */
void cmd_doctor_say(struct doctor *d, enum doctor_level level, const char *check, const char *cure, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

void cmd_doctor_database(struct doctor *d, const char *conninfo);

#endif
