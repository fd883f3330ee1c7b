/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the parts of collect: files below a root, and the list of what was left out. */
#ifndef CLIENT_COLLECT_IMPL_H
#define CLIENT_COLLECT_IMPL_H

#include <stdbool.h>

#include "../ingest/uarch.h"
#include "../lib/arena.h"
#include "../lib/buf.h"
#include "../lib/jsonw.h"

struct collect {
	struct arena *a;
	const char *root;	/* "" for the running system, else where its proc and sys are */
	struct jsonw *j;
	struct buf left_out;	/* "governor, microcode" */
	bool tell;

	/* read first, used by more than one part */
	const char *cpuinfo;	/* text, or "" */
	const char *release;	/* or NULL */
	struct cpu_id cpu;
	const char *isa;	/* or NULL */
};

/* A file's text in ASCII without the blanks at its end; NULL (and errno) where it cannot be read or is empty. */
const char *collect_text(struct collect *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The names in a folder that match a glob without slashes, in order; *n. NULL: no such folder. */
const char **collect_names(struct collect *c, const char *glob, size_t *n, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
bool collect_exists(struct collect *c, const char *path);

/* `what` is left out of the context, because ... */
void collect_leave_out(struct collect *c, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* "key": value, or left out with the file's name and errno. */
void collect_put(struct collect *c, const char *key, const char *value, const char *path);

/* The value of "key : value" of a text with such lines; NULL: none. */
const char *collect_line(struct collect *c, const char *text, const char *key);

const char *collect_hypervisor(struct collect *c);	/* its name, or NULL */

void collect_machine(struct collect *c, const char *name);	/* the members of "machine" */
void collect_config(struct collect *c);				/* of "config" */
void collect_environment(struct collect *c);			/* of "environment" */

#endif
