/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The context: where it comes from, and how much of it is of a given file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../ingest/submission_json.h"
#include "../lib/tm.h"
#include "collect.h"
#include "file.h"
#include "push_body_impl.h"
#include "say.h"

static const char *text_of(const struct jnode *object, const char *key)
{
	return jread_str(jread_get(object, key));
}

const char *push_body_kernel(const struct jnode *submission)
{
	const struct jnode *kernel = jread_get(submission, "kernel");

	return jread_type(kernel) == JREAD_STRING ? jread_str(kernel) : text_of(kernel, "release");
}

const char *push_body_machine(const struct jnode *submission)
{
	return text_of(jread_get(submission, "machine"), "name");
}

static int parse(struct arena *a, const char *about, const char *text, size_t len, struct push_context *c,
		 struct err *err)
{
	struct jread_slice slice = { text, len, 1 };
	bool syntax;

	(void)a;
	c->root = jread_parse(&slice, &syntax, err);
	if (!c->root)
		return err_prefix(err, "%s", about);
	if (jread_type(c->root) != JREAD_OBJECT || jread_get(c->root, "results"))
		return err_set(err, ERR_INVALID,
			       "%s: a context is a submission without results: what nsecwatch collect "
			       "prints",
			       about);
	c->machine = push_body_machine(c->root);
	c->kernel = push_body_kernel(c->root);
	c->boot_id = text_of(c->root, "boot_id");
	return 0;
}

/* When the running system was started: btime of /proc/stat, in seconds. */
static int64_t boot_usec(struct arena *a, const char *root)
{
	const char *line;
	int64_t usec = 0;
	struct buf b;

	buf_init(&b);
	if (!file_read(arena_printf(a, "%s/proc/stat", root), &b) && (line = strstr(b.p, "\nbtime ")) != NULL)
		usec = strtoll(line + 7, NULL, 10) * 1000000;
	buf_fini(&b);
	return usec;
}

int push_body_context(struct arena *a, const struct options *o, struct push_context *c, struct err *err)
{
	const char *left_out, *text;
	struct buf b;
	int ret;

	*c = (struct push_context){ .collected = !o->context };
	if (c->collected) {
		text = collect_context(a, o, NULL, false, &left_out);
		if (*left_out)
			say("of this machine could not be read: %s (nsecwatch collect says why)", left_out);
		c->boot_usec = boot_usec(a, o->root);
		return parse(a, "collect", text, strlen(text), c, err);
	}
	buf_init(&b);
	if (file_read(o->context, &b))
		ret = err_set(err, ERR_SETUP, "%s: %s", o->context, strerror(errno));
	else
		ret = parse(a, o->context, b.p, b.len, c, err);
	buf_fini(&b);
	return ret;
}

void push_body_context_end(struct push_context *c)
{
	jread_free(c->root);
	c->root = NULL;
}

const char *push_body_time(struct arena *a, const struct push_file *f)
{
	char text[TM_TEXT];

	return arena_strdup(a, tm_format(f->changed_usec ? f->changed_usec : tm_now_usec(), text));
}

/* Two spellings of one kernel. */
static bool same_kernel(const char *x, const char *y)
{
	return !strcmp(x + (*x == 'v'), y + (*y == 'v'));
}

enum push_body_use push_body_use(const struct push_context *c, const struct push_file *f, const char *machine,
				 const char *kernel)
{
	if (machine && c->machine && strcmp(machine, c->machine)) {
		say("%s: is of machine %s, the context of %s: not added", f->about, machine, c->machine);
		return USE_NOTHING;
	}
	if (kernel && c->kernel && !same_kernel(kernel, c->kernel)) {
		say("%s: is of kernel %s, the context of %s: only what is known of the machine is added",
		    f->about, kernel, c->kernel);
		return USE_MACHINE;
	}
	if (c->collected && f->changed_usec && f->changed_usec < c->boot_usec) {
		say("%s: is older than this boot: only what is known of the machine is added (give "
		    "--context)",
		    f->about);
		return USE_MACHINE;
	}
	return USE_ALL;
}
