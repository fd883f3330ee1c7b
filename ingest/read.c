/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The front door: which reader a body goes to, and what may not come in at all. */
#include "read.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "format.h"
#include "read_impl.h"
#include "submission_json.h"

int read_impl_check_count(size_t n, struct err *err)
{
	if (n <= READ_ITEMS_MAX)
		return 0;
	return err_set(err, ERR_TOO_LARGE, "%zu submissions in one body: at most %d", n, READ_ITEMS_MAX);
}

int read_impl_json(struct arena *a, const struct jread_slice *slice, int64_t now, struct read_item *item,
		   bool *syntax)
{
	struct jnode *root;

	item->raw = slice->text;
	item->raw_len = slice->len;
	item->sub = submission_json_quick(a, slice, now);
	if (item->sub)
		return 0;
	root = jread_parse(slice, syntax, &item->err);
	if (!root)
		return -1;
	item->sub = submission_json_read(a, root, now, &item->err);
	jread_free(root);
	return 0;
}

/* One submission that is good and needs no second look. */
static bool read_quickly(struct arena *a, const char *body, size_t len, int64_t now, struct read_result *out)
{
	struct jread_slice whole = jread_whole(body, len);
	struct submission *sub = submission_json_quick(a, &whole, now);

	if (!sub)
		return false;
	out->items = arena_array(a, struct read_item, 1);
	out->items[0] = (struct read_item){ .sub = sub, .raw = whole.text, .raw_len = whole.len };
	out->n = 1;
	return true;
}

/* One submission, or an array of them, each on its own. */
static int read_json(struct arena *a, const char *body, size_t len, int64_t now, struct read_result *out,
		     struct err *err)
{
	struct jread_split split;
	bool syntax;

	if (read_quickly(a, body, len, now, out))
		return 0;
	if (jread_split(a, body, len, SUBMISSION_DEPTH_MAX, &split, err))
		return -1;
	if (read_impl_check_count(split.n, err))
		return -1;
	out->many = split.is_array;
	out->items = arena_array(a, struct read_item, split.n);
	out->n = split.n;
	for (size_t i = 0; i < split.n; i++) {
		struct read_item *item = &out->items[i];

		if (!read_impl_json(a, &split.slices[i], now, item, &syntax))
			continue;
		/* bytes that are no JSON spoil the whole; what we refuse spoils its own item */
		if (syntax || !out->many) {
			*err = item->err;
			return -1;
		}
		item->err.kind = ERR_INVALID;
	}
	return 0;
}

const char *read_impl_argument(const struct read_context *ctx)
{
	if (ctx->machine)
		return "machine";
	if (ctx->kernel)
		return "kernel";
	if (ctx->thp)
		return "thp";
	if (ctx->isa)
		return "isa";
	if (ctx->uarch)
		return "uarch";
	if (ctx->base_page_kib)
		return "base_page_kib";
	if (ctx->boot_id)
		return "boot_id";
	if (ctx->started_at)
		return "started_at";
	if (ctx->benchmark)
		return "benchmark";
	return ctx->n_labels ? "label.KEY" : NULL;
}

static const char *known_formats(struct arena *a)
{
	const char *s = "";

	for (const struct format *f = format_table; f->name; f++)
		s = arena_printf(a, "%s%s%s", s, *s ? ", " : "", f->name);
	return s;
}

static bool ends_early(const char *message)
{
	return strstr(message, "end of file") || strstr(message, "premature end");
}

/* No format fits: said of the text as a whole, unless it is JSON that ends too early. */
static int fits_none(struct arena *a, const char *text, size_t len, struct err *err)
{
	struct jread_slice whole = { text, len, 1 };
	const char *p = text, *end = text + len;
	bool syntax = false;
	struct jnode *root;

	while (p < end && isspace((unsigned char)*p))
		p++;
	if (p < end && (*p == '{' || *p == '[')) {
		root = jread_parse(&whole, &syntax, err);
		jread_free(root);
		if (!root && syntax && ends_early(err->message))
			return err_set(err, ERR_BAD_JSON, "the file is cut short: it begins as JSON, and %s",
				       arena_strdup(a, err->message));
	}
	return err_set(err, ERR_BAD_ARGUMENT, "format=auto: this looks like none of %s; name the format", known_formats(a));
}

static int choose(struct arena *a, const struct read_context *ctx, const char *text, size_t len,
		  const struct format **format, struct err *err)
{
	bool by_content = !strcmp(ctx->format, "auto");

	*format = by_content ? format_guess(text, len, ctx->filename) : format_find(ctx->format);
	if (*format)
		return 0;
	if (by_content)
		return fits_none(a, text, len, err);
	return err_set(err, ERR_BAD_ARGUMENT, "format=%s: unknown; known are auto, %s", ctx->format,
		       known_formats(a));
}

/* Arguments of the query that spoil every submission of a file spoil the request. */
static bool all_blame_arguments(const struct format_file *f)
{
	for (size_t i = 0; i < f->n_items; i++)
		if (f->items[i].sub || f->items[i].err.kind != ERR_BAD_ARGUMENT)
			return false;
	return true;
}

static int read_foreign(struct arena *a, const struct format *format, const char *text, size_t len,
			const struct read_context *ctx, struct read_result *out, struct err *err)
{
	struct format_file f = { .a = a, .format = format, .ctx = ctx };

	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {	/* Excel writes a byte order mark */
		text += 3;
		len -= 3;
	}
	f.text = arena_strndup(a, text, len);
	f.len = len;
	if (format->read(&f, err))
		return -1;
	if (!f.n_items)	/* a reader should say more; what is sent never ends the process */
		return err_set(err, ERR_INVALID, "nothing in the file is a result of %s", format->name);
	if (f.refused)
		return err_set(err, ERR_INVALID, "%zu submissions in one file: at most %d; cut it", f.n_items + f.refused,
			       FORMAT_ITEMS_MAX);
	if (all_blame_arguments(&f)) {
		*err = f.items[0].err;
		return -1;
	}
	out->items = f.items;
	out->n = f.n_items;
	out->many = f.n_items > 1;
	return 0;
}

/* Whether a file is asked for in a foreign format; our own JSON has the first row of the table. */
static bool is_foreign(const struct read_context *ctx)
{
	return ctx->format && format_find(ctx->format) != &format_table[0];
}

static int read_chosen(struct arena *a, const struct format *format, const char *body, size_t len,
		       const struct read_context *ctx, struct read_result *out, struct err *err)
{
	const char *argument = read_impl_argument(ctx);

	if (format != &format_table[0])
		return read_foreign(a, format, body, len, ctx, out, err);
	if (argument)
		return err_set(err, ERR_BAD_ARGUMENT, "%s= goes with a foreign format (format=NAME): "
			       "a submission says it by itself", argument);
	return read_json(a, body, len, ctx->now, out, err);
}

static void warn_of(const struct read_mended *mended, struct read_result *out)
{
	char at[32];

	if (!mended->bytes)
		return;
	snprintf(at, sizeof(at), "line %zu", mended->line);
	for (size_t i = 0; i < out->n; i++)
		if (out->items[i].sub)
			problems_add(out->items[i].sub->warnings, at, "%zu bytes from here on are no UTF-8: read as Latin-1",
				     mended->bytes);
}

int read_impl_file(struct arena *a, const char *text, size_t len, const struct read_context *ctx,
		   struct read_result *out, struct err *err)
{
	const struct format *format;
	struct read_mended mended;

	*out = (struct read_result){ .n = 0 };
	if (read_impl_text(a, &text, &len, &mended, err) || choose(a, ctx, text, len, &format, err))
		return -1;
	if (format == &format_table[0])
		return err_set(err, ERR_INVALID, "a submission of its own: send it by itself, or as files and a context");
	if (read_foreign(a, format, text, len, ctx, out, err))
		return -1;
	warn_of(&mended, out);
	return 0;
}

int read_body(struct arena *a, const char *body, size_t len, const struct read_context *ctx, struct read_result *out,
	      struct err *err)
{
	const struct format *format = &format_table[0];
	struct read_mended mended = { .bytes = 0 };
	const char *text = body;
	size_t text_len = len;

	*out = (struct read_result){ .n = 0 };
	if (is_foreign(ctx) && read_impl_text(a, &text, &text_len, &mended, err))
		return -1;
	if (ctx->format && choose(a, ctx, text, text_len, &format, err))
		return -1;
	if (read_chosen(a, format, text, text_len, ctx, out, err))
		return -1;
	warn_of(&mended, out);
	for (size_t i = 0; i < out->n; i++)
		out->items[i].index = i;
	/* the one submission of a body came as the whole body */
	if (!out->many && out->n == 1) {
		out->items[0].raw = body;
		out->items[0].raw_len = len;
	}
	return 0;
}
