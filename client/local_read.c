/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "local_read.h"

#include <errno.h>
#include <string.h>

#include "../ingest/format.h"
#include "../ingest/read.h"
#include "file.h"
#include "parse.h"
#include "push_files.h"
#include "say.h"

/* What stands for a kernel that no file says: nobody is shown it. */
#define NO_KERNEL "3.0"

struct reading {
	struct arena *a;
	const struct options *o;
	struct local_input *in;
	const struct kernel *wanted;	/* or NULL: the first that comes */
	const struct kernel *seen;
	const char *option;		/* that names it */
	bool clash;			/* two kernels in one side: no file is passed over for that */
	uint64_t next_boot;
};

static bool all_good(const struct read_result *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (!r->items[i].sub)
			return false;
	return r->n > 0;
}

/* Our own format, which says machine and kernel itself. */
static bool is_submission(const struct buf *body, const struct read_context *ctx)
{
	return format_guess(body->p, body->len, ctx->filename) == &format_table[0];
}

/* First as the file is; then with a machine, and a kernel, for files of foreign formats that don't say theirs. */
static int read_file(struct reading *r, const char *path, const struct buf *body, struct read_result *result,
		     bool *nameless, struct err *err)
{
	struct read_context ctx = parse_context(r->o, path);
	int attempts;

	ctx.format = ctx.format ? ctx.format : "auto";
	attempts = is_submission(body, &ctx) ? 1 : 3;
	for (int attempt = 0; attempt < attempts; attempt++) {
		if (attempt > 0)
			ctx.machine = LOCAL_READ_NOBODY;
		if (attempt > 1)
			ctx.kernel = NO_KERNEL;
		*nameless = attempt > 1;
		*err = (struct err){ 0 };
		if (!read_body(r->a, body->p, body->len, &ctx, result, err) && all_good(result))
			return 0;
	}
	for (size_t i = 0; err->kind == ERR_NONE && i < result->n; i++)
		if (!result->items[i].sub)
			*err = result->items[i].err;
	say_problems(path, "error", err->problems);
	return err_set(err, ERR_INVALID, "%s: %s", path, arena_strdup(r->a, err->message));
}

/* FNV-1a: boots are told apart by name within one comparison. */
static uint64_t boot_key(struct reading *r, const struct submission *sub)
{
	uint64_t h = 0xcbf29ce484222325u;

	if (!sub->boot_id)
		return r->next_boot++;
	for (const char *p = sub->boot_id; *p; p++)
		h = (h ^ (unsigned char)*p) * 0x100000001b3u;
	for (const char *p = sub->machine; *p; p++)
		h = (h ^ (unsigned char)*p) * 0x100000001b3u;
	return h | 1ull << 63;
}

static int add(struct reading *r, const struct submission *sub, bool nameless, struct err *err)
{
	struct local_input *in = r->in;
	uint64_t key;

	if (r->wanted && strcmp(r->wanted->identity, sub->kernel.identity))
		return 0;
	r->clash = r->seen && strcmp(r->seen->identity, sub->kernel.identity);
	if (r->clash)
		return err_set(err, ERR_INVALID, "%s: holds results of %s and of %s: say which with %s", in->path,
			       r->seen->name, sub->kernel.name, r->option);
	r->seen = &sub->kernel;
	in->kernel = nameless ? NULL : sub->kernel.name;
	in->runs++;
	parse_say_not_imported(in->path, sub);
	key = boot_key(r, sub);
	if (in->n + sub->n_results > in->cap) {
		size_t cap = 2 * (in->n + sub->n_results);

		in->values = arena_grow(r->a, in->values, in->n * sizeof(*in->values), cap * sizeof(*in->values));
		in->cap = cap;
	}
	for (size_t i = 0; i < sub->n_results; i++)
		in->values[in->n++] = (struct local_value){ sub, &sub->results[i], key };
	return 0;
}

static int take(struct reading *r, const char *path, const struct buf *body, struct err *err)
{
	struct read_result result = { 0 };
	bool nameless;
	int ret = 0;

	if (read_file(r, path, body, &result, &nameless, err))
		return -1;
	for (size_t i = 0; i < result.n && !ret; i++)
		ret = add(r, result.items[i].sub, nameless, err);
	return ret;
}

static int read_name(struct reading *r, const struct push_name *name, struct err *err)
{
	size_t before = r->in->runs;
	struct buf body;
	int ret;

	buf_init(&body);
	if (file_read(name->path, &body)) {
		ret = err_set(err, ERR_INVALID, "%s: %s", name->path, strerror(errno));
	} else {
		ret = take(r, name->path, &body, err);
		if (ret && name->found && r->in->runs == before && !r->clash) { /* something else that lies in the folder */
			say("%s: passed over: %s", name->path, err->message);
			ret = 0;
		}
	}
	buf_fini(&body);
	return ret;
}

static int begin(struct reading *r, const char *kernel, struct err *err)
{
	struct kernel *wanted = arena_zalloc(r->a, sizeof(*wanted));

	if (kernel && kernel_parse(r->a, kernel, wanted, err))
		return -1;
	r->wanted = kernel ? wanted : NULL;
	return 0;
}

static int end(struct reading *r, const char *kernel, struct err *err)
{
	if (r->in->n)
		return 0;
	return err_set(err, kernel ? ERR_NOT_FOUND : ERR_INVALID, "%s: no results%s%s", r->in->path, kernel ? " of " : "",
		       kernel ? kernel : "");
}

int local_read_text(struct arena *a, const struct options *o, const char *path, const struct buf *text, const char *kernel,
		    const char *kernel_option, struct local_input *in, struct err *err)
{
	struct reading r = { .a = a, .o = o, .in = in, .option = kernel_option };

	*in = (struct local_input){ .path = path };
	return begin(&r, kernel, err) || take(&r, path, text, err) || end(&r, kernel, err) ? -1 : 0;
}

int local_read(struct arena *a, const struct options *o, const char *path, const char *kernel, const char *kernel_option,
	       struct local_input *in, struct err *err)
{
	struct reading r = { .a = a, .o = o, .in = in, .option = kernel_option };
	struct push_name *names;
	size_t n;

	*in = (struct local_input){ .path = path };
	if (begin(&r, kernel, err) || push_files(a, &path, 1, &names, &n, err))
		return -1;
	for (size_t i = 0; i < n; i++)
		if (read_name(&r, &names[i], err))
			return -1;
	return end(&r, kernel, err);
}
