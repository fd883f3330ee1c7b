/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who is told about what: the targets that options name get everything, those of the
 * --maintainers file what its sections say. Read at start, constant after. The file is
 * written like the kernel's MAINTAINERS: a heading, then lines of a letter and a value,
 *
 *	MEMORY MANAGEMENT
 *	B:	mprotect*
 *	X:	mprotect/thp-total
 *	M:	mm-perf@lab.example weekly quiet=20:00-08:00 tz=Europe/Berlin
 *	H:	https://hooks.lab.example/x secret=/etc/nsecwatch/hook.key
 *
 * B benchmarks (globs), X those not meant, M and L mail addresses, H webhooks. An empty
 * line ends a section, # begins a comment.
 */
#ifndef SERVER_DELIVER_MAP_H
#define SERVER_DELIVER_MAP_H

#include "conf.h"
#include "db_outbox.h"

enum deliver_when { DELIVER_NOW, DELIVER_DAILY, DELIVER_WEEKLY, DELIVER_NEVER };

struct deliver_target {
	enum outbox_kind kind;
	const char *name;		/* as outbox.target has it: unique among mails, and among webhooks */
	const char *address;		/* mail */
	const char *url;		/* webhook; may be a secret, like the next */
	const char *secret;		/* or NULL: key of the signature, access token of matrix */
	enum deliver_when regressions, improvements;
	const char *zone;
	int digest_minute;		/* of the day */
	int quiet_from, quiet_to;	/* likewise; equal: no quiet hours */
	int line;			/* in the file; 0: an option's */
};

struct deliver_section {
	const char *name;		/* NULL: everything, what the options say */
	const char **benchmarks, **excepts;
	size_t n_benchmarks, n_excepts;
	const struct deliver_target **targets;
	size_t n_targets;
};

struct deliver_map {
	struct deliver_target **targets;
	size_t n_targets;
	struct deliver_section *sections;
	size_t n_sections;
	struct deliver_target standard;	/* what is not said otherwise; and for targets no longer here */
	struct outbox_able able;
};

/* From the options and the file they name, into the arena. -1: err says which line is wrong. */
int deliver_map_load(struct arena *a, const struct conf *conf, struct deliver_map *map, struct err *err);

/* The file's text; `file` is how errors call it. For deliver_map_load() and tests. */
int deliver_map_parse(struct arena *a, const char *file, const char *text, struct deliver_map *map, struct err *err);

/* NULL: not (or no longer) in the configuration. */
const struct deliver_target *deliver_map_target(const struct deliver_map *map, enum outbox_kind kind, const char *name);

/* By what a rule calls it: a webhook's name, or an address. NULL: none. */
const struct deliver_target *deliver_map_find(const struct deliver_map *map, const char *name);

/* Who is told about a benchmark, each once. */
const struct deliver_target **deliver_map_who(struct arena *a, const struct deliver_map *map, const char *benchmark,
					      size_t *n);

#endif
