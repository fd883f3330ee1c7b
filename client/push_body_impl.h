/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between push_context.c, push_body.c and push_own.c. */
#ifndef CLIENT_PUSH_BODY_IMPL_H
#define CLIENT_PUSH_BODY_IMPL_H

#include "../lib/ident.h"
#include "../lib/jsonw.h"
#include "push_body.h"

enum push_body_use { USE_NOTHING, USE_MACHINE, USE_ALL };

/*
 * How much of the context is of a file that names this machine and kernel (NULL: it does
 * not say). Tells why not all.
 */
enum push_body_use push_body_use(const struct push_context *c, const struct push_file *f, const char *machine,
				 const char *kernel);

/*
 * When it was measured, where nobody says it: when the file was written, else now. Not
 * left to the server, whose time is that of arrival: a request may wait for days.
 */
const char *push_body_time(struct arena *a, const struct push_file *f);

const char *push_body_kernel(const struct jnode *submission);
const char *push_body_machine(const struct jnode *submission);

/* The members of `own`, then those of `more` that it lacks. Either may be NULL. Inside an object. */
void push_body_members(struct jsonw *j, const struct jnode *own, const struct jnode *more,
		       const char *const *leave_out);

/*
 * An id that follows from what was measured, where and when: `submission` is what goes out (of it what sets one
 * measurement apart from another, not the environment, which may be known better the next time), says_start that
 * the file itself tells when. Else the time when the file was written counts, so that equal numbers measured
 * again are another run, and the same file pushed again the same. What comes through a pipe has no such time.
 */
void push_body_run_id(const struct options *o, const struct push_file *f, const struct buf *submission,
		      const char *format, bool says_start, const struct jread_slice *text, char out[UUID_TEXT]);

/* Files of our own format. */
int push_own(struct arena *a, const struct options *o, const struct push_context *c, const struct push_file *f,
	     struct spool_entry *e, struct err *err);

#endif
