/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests that wait on disk until the server has them: a file each, in a folder, in
 * the order in which they came. One process at a time has a spool open. What stands in
 * it survives kill -9 and a power cut; sending twice what was sent is harmless, since a
 * request is frozen here and the server knows it again.
 */
#ifndef CLIENT_SPOOL_H
#define CLIENT_SPOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "../lib/arena.h"
#include "../lib/err.h"

struct spool_entry {
	const char *id;			/* its file's name; sorts as they came */
	const char *server;		/* whom it is for: the url setting */
	const char *target, *type;	/* of the request */
	const char *coding;		/* "gzip", or "" */
	const char *about;		/* for people: the name of the file of results */
	const char *body;
	size_t len;
	bool derived_id;		/* the run's id is ours: the server's 409 then says "stored before" */
};

struct spool;

/* Makes the folder where need be, and waits while another process has it open. NULL: err. */
struct spool *spool_open(struct arena *a, const char *folder, struct err *err);
void spool_close(struct spool *s);					/* accepts NULL */

/* When it returns 0, the entry is on the disk; sets e->id. */
int spool_add(struct spool *s, struct spool_entry *e, struct err *err);

/* The ids, oldest first. */
int spool_list(struct spool *s, struct arena *a, const char ***ids, size_t *n, struct err *err);

/* One of them. -1: it cannot be read, or is damaged (ERR_INVALID). */
int spool_read(struct spool *s, struct arena *a, const char *id, struct spool_entry *e, struct err *err);

int spool_remove(struct spool *s, const char *id, struct err *err);	/* the server has it */
/* Puts it aside, into FOLDER/refused, for people to look at; its path there, in the arena. NULL: err. */
const char *spool_refuse(struct spool *s, struct arena *a, const char *id, struct err *err);

#endif
