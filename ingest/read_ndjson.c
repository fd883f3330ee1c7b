/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stream of submissions, one a line: each good or bad by itself, whatever its neighbours are. */
#include "read_impl.h"

#include <string.h>

static bool is_blank(const struct jread_slice *line)
{
	for (size_t i = 0; i < line->len; i++)
		if (!memchr(" \t\r", line->text[i], 3))
			return false;
	return true;
}

/* The line that begins at `at`; *next is behind its end. */
static struct jread_slice line_at(const char *at, const char *end, size_t number, const char **next)
{
	const char *nl = memchr(at, '\n', (size_t)(end - at));
	size_t len = (size_t)((nl ? nl : end) - at);

	*next = nl ? nl + 1 : end;
	if (len && at[len - 1] == '\r')
		len--;
	return (struct jread_slice){ .text = at, .len = len, .line = number };
}

static size_t count(const char *body, size_t len)
{
	const char *at = body, *end = body + len;
	size_t n = 0;

	while (at < end) {
		struct jread_slice line = line_at(at, end, 0, &at);

		n += !is_blank(&line);
	}
	return n;
}

static void read_line(struct arena *a, const struct jread_slice *line, int64_t now, struct read_item *item)
{
	bool syntax;

	item->index = line->line - 1;
	item->raw = line->text;
	item->raw_len = line->len;
	item->raw_type = "application/json";
	/* said of this line only: the others may be good */
	if (jread_check_depth(line, SUBMISSION_DEPTH_MAX, &item->err) || read_impl_json(a, line, now, item, &syntax))
		item->err.kind = ERR_INVALID;
}

int read_ndjson(struct arena *a, const char *body, size_t len, const struct read_context *ctx,
		struct read_result *out, struct err *err)
{
	const char *at = body, *end = body + len, *argument = read_impl_argument(ctx);
	size_t n = count(body, len), number = 0;

	*out = (struct read_result){ .many = true };
	if (argument || ctx->format)
		return err_set(err, ERR_BAD_ARGUMENT, "%s= goes with a file of a foreign format; each line of a stream "
			       "says it by itself", argument ? argument : "format");
	if (!n)
		return err_set(err, ERR_BAD_JSON, "the body is empty: expected a submission a line");
	if (read_impl_check_count(n, err))
		return -1;
	out->items = arena_array(a, struct read_item, n);
	while (at < end) {
		struct jread_slice line = line_at(at, end, ++number, &at);

		if (!is_blank(&line))
			read_line(a, &line, ctx->now, &out->items[out->n++]);
	}
	return 0;
}
