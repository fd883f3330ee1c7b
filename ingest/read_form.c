/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forms. A delimiter is CRLF, two dashes, the boundary, then blanks and CRLF (or two
 * dashes more at the end), to the letter: what only begins like one is a part's text, and
 * bare LF ends no line. What stands before the first and behind the last is ignored.
 */
#include "read_form.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "read_impl.h"

#define BOUNDARY_MAX 70		/* RFC 2046 */

struct cursor {
	const char *p, *end;
};

struct form {
	struct arena *a;
	struct cursor body;
	const char *mark;		/* CRLF "--" BOUNDARY */
	size_t mark_len;
	size_t cap;
};

static int wrong(struct err *err, const char *what)
{
	return err_set(err, ERR_BAD_ARGUMENT, "multipart/form-data: %s", what);
}

static void skip_blanks(struct cursor *c)
{
	while (c->p < c->end && (*c->p == ' ' || *c->p == '\t'))
		c->p++;
}

static bool is_token(char c)
{
	return c > ' ' && c < 0x7f && !strchr("()<>@,;:\\\"/[]?=", c);
}

static char *token(struct arena *a, struct cursor *c)
{
	const char *from = c->p;

	while (c->p < c->end && is_token(*c->p))
		c->p++;
	return arena_strndup(a, from, (size_t)(c->p - from));
}

/*
 * From behind the opening quote; NULL when it never closes. A backslash takes away the
 * meaning of a quote or of itself only: Windows paths come with theirs bare.
 */
static char *quoted(struct arena *a, struct cursor *c)
{
	const char *from = c->p;
	char *out, *w;

	for (; c->p < c->end && *c->p != '"'; c->p++)
		if (*c->p == '\\' && c->p + 1 < c->end && (c->p[1] == '"' || c->p[1] == '\\'))
			c->p++;
	if (c->p == c->end)
		return NULL;
	out = w = arena_strndup(a, from, (size_t)(c->p++ - from));
	for (const char *r = out; *r; r++) {
		if (*r == '\\' && (r[1] == '"' || r[1] == '\\'))
			r++;
		*w++ = *r;
	}
	*w = 0;
	return out;
}

/* "; NAME=VALUE": 1, 0 at the end, -1 when it is none. */
static int parameter(struct arena *a, struct cursor *c, char **name, char **value)
{
	skip_blanks(c);
	if (c->p == c->end)
		return 0;
	if (*c->p++ != ';')
		return -1;
	skip_blanks(c);
	if (c->p == c->end)	/* a semicolon at the end does no harm */
		return 0;
	*name = token(a, c);
	skip_blanks(c);
	if (!**name || c->p == c->end || *c->p++ != '=')
		return -1;
	skip_blanks(c);
	if (c->p < c->end && *c->p == '"') {
		c->p++;
		*value = quoted(a, c);
	} else {
		*value = token(a, c);
	}
	return *value ? 1 : -1;
}

static bool is_boundary(const char *s)
{
	size_t n = strlen(s);

	if (!n || n > BOUNDARY_MAX || s[n - 1] == ' ')
		return false;
	return strspn(s, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'()+_,-./:=? ") == n;
}

/* The boundary that the media type names. */
static int find_boundary(struct arena *a, const char *type, const char **boundary, struct err *err)
{
	static const char form_data[] = "multipart/form-data";
	struct cursor c = { type, type + strlen(type) };
	char *name, *value;
	int ret;

	*boundary = NULL;
	skip_blanks(&c);
	if (strncasecmp(c.p, form_data, sizeof(form_data) - 1))
		return err_set(err, ERR_TYPE, "Content-Type %.100s: of multipart only multipart/form-data is taken", type);
	c.p += sizeof(form_data) - 1;
	while ((ret = parameter(a, &c, &name, &value)) > 0) {
		if (strcasecmp(name, "boundary"))
			continue;
		if (*boundary)
			return wrong(err, "its Content-Type has two boundaries");
		*boundary = value;
	}
	if (ret < 0)
		return err_set(err, ERR_BAD_ARGUMENT, "Content-Type %.100s cannot be read: expected multipart/form-data; "
			       "boundary=TEXT", type);
	if (!*boundary)
		return wrong(err, "its Content-Type has no boundary: expected multipart/form-data; boundary=TEXT");
	if (!is_boundary(*boundary))
		return wrong(err, "its boundary is 1 to 70 letters, digits and '()+_,-./:=? (RFC 2046)");
	return 0;
}

/*
 * Looks for the next delimiter from `from` on. 1: a part follows; 2: it was the last
 * delimiter; 0: none. *at is where it begins, *behind what is behind it.
 */
static int next_mark(const struct form *f, const char *from, const char **at, const char **behind)
{
	const char *end = f->body.end, *p = from;

	/* each byte is looked at once more only where a delimiter might be: linear */
	while ((p = memmem(p, (size_t)(end - p), f->mark, f->mark_len))) {
		struct cursor c = { p + f->mark_len, end };
		bool last = end - c.p >= 2 && !memcmp(c.p, "--", 2);

		*at = p;
		c.p += last ? 2 : 0;
		skip_blanks(&c);
		if (last && c.p == end) {
			*behind = end;
			return 2;
		}
		if (end - c.p >= 2 && !memcmp(c.p, "\r\n", 2)) {
			*behind = c.p + 2;
			return last ? 2 : 1;
		}
		p += 2;
	}
	return 0;
}

/* One header: what it says is taken where we know it. */
static int take_header(struct arena *a, struct cursor line, struct read_form_part *part, struct err *err)
{
	struct cursor c = line;
	char *name = token(a, &c), *key, *value;
	int ret;

	if (!*name || c.p == c.end || *c.p++ != ':')
		return wrong(err, "a part's header cannot be read: expected NAME: VALUE");
	skip_blanks(&c);
	if (!strcasecmp(name, "Content-Type"))
		part->type = arena_strndup(a, c.p, (size_t)(c.end - c.p));
	if (!strcasecmp(name, "Content-Transfer-Encoding")) {
		key = token(a, &c);
		if (strcasecmp(key, "binary") && strcasecmp(key, "8bit") && strcasecmp(key, "7bit"))
			return err_set(err, ERR_TYPE, "multipart/form-data: Content-Transfer-Encoding %.40s is not taken "
				       "(RFC 7578): send the bytes as they are", key);
	}
	if (strcasecmp(name, "Content-Disposition"))
		return 0;
	if (part->name || strcasecmp(token(a, &c), "form-data"))
		return wrong(err, part->name ? "a part has two headers Content-Disposition" :
			     "a part's Content-Disposition is not form-data");
	while ((ret = parameter(a, &c, &key, &value)) > 0) {
		if (!strcasecmp(key, "name"))
			part->name = value;
		else if (!strcasecmp(key, "filename"))
			part->filename = value;
	}
	return ret < 0 ? wrong(err, "a part's Content-Disposition cannot be read: expected form-data; name=\"...\"") : 0;
}

/* The headers at the front of a part; its body is what is behind them. */
static int take_head(struct arena *a, struct cursor c, struct read_form_part *part, struct err *err)
{
	const char *from = c.p;

	for (;;) {
		const char *eol = memmem(c.p, (size_t)(c.end - c.p), "\r\n", 2);

		if ((eol ? eol : c.end) - from > READ_FORM_HEAD_MAX)
			return err_set(err, ERR_TOO_LARGE, "multipart/form-data: more than %d bytes of headers in a part",
				       READ_FORM_HEAD_MAX);
		if (!eol)
			return wrong(err, "a part without a blank line behind its headers (lines end in CRLF)");
		if (eol == c.p)
			break;
		if (*c.p == ' ' || *c.p == '\t')
			return wrong(err, "a part's header is folded over lines");
		if (memchr(c.p, 0, (size_t)(eol - c.p)) || memchr(c.p, '\n', (size_t)(eol - c.p)))
			return wrong(err, "a part's header has a NUL or a bare LF in it");
		if (take_header(a, (struct cursor){ c.p, eol }, part, err))
			return -1;
		c.p = eol + 2;
	}
	if (!part->name)
		return wrong(err, "a part has no Content-Disposition: form-data; name=\"...\"");
	part->body = c.p + 2;
	part->len = (size_t)(c.end - part->body);
	return 0;
}

/* What a header said becomes part of messages and of what is stored. */
static int check_words(const struct read_form_part *part, struct err *err)
{
	const char *const words[] = { part->name, part->filename, part->type };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t n = words[i] ? strlen(words[i]) : 0;

		if (read_impl_utf8_bad(words[i] ? words[i] : "", n) < n)
			return wrong(err, "a part's header is no text in UTF-8");
		for (size_t k = 0; k < n; k++)
			if ((unsigned char)words[i][k] < 0x20 || words[i][k] == 0x7f)
				return wrong(err, "a part's header has a control character in it");
	}
	return 0;
}

static int add_part(struct form *f, const char *from, const char *end, struct read_form *out, struct err *err)
{
	struct read_form_part part = { .name = NULL };

	if (out->n == READ_FORM_PARTS_MAX)
		return err_set(err, ERR_TOO_LARGE, "multipart/form-data: more than %d parts", READ_FORM_PARTS_MAX);
	if (take_head(f->a, (struct cursor){ from, end }, &part, err) || check_words(&part, err))
		return -1;
	if (out->n == f->cap) {
		size_t more = f->cap ? f->cap * 2 : 8;

		out->parts = arena_grow(f->a, out->parts, f->cap * sizeof(part), more * sizeof(part));
		f->cap = more;
	}
	out->parts[out->n++] = part;
	return 0;
}

/* The first delimiter may begin the body, without its CRLF. */
static int first_mark(const struct form *f, const char **behind)
{
	struct form shifted = *f;
	const char *at;
	int kind;

	if ((size_t)(f->body.end - f->body.p) < f->mark_len - 2 || memcmp(f->body.p, f->mark + 2, f->mark_len - 2))
		return next_mark(f, f->body.p, &at, behind);
	shifted.mark += 2;
	shifted.mark_len -= 2;
	kind = next_mark(&shifted, f->body.p, &at, behind);
	return kind && at == f->body.p ? kind : next_mark(f, f->body.p, &at, behind);
}

int read_form(struct arena *a, const char *body, size_t len, const char *content_type, struct read_form *out,
	      struct err *err)
{
	struct form f = { .a = a, .body = { body, body + len } };
	const char *boundary, *from, *at, *behind;
	int kind;

	*out = (struct read_form){ .n = 0 };
	if (find_boundary(a, content_type, &boundary, err))
		return -1;
	f.mark = arena_printf(a, "\r\n--%s", boundary);
	f.mark_len = strlen(f.mark);
	kind = first_mark(&f, &from);
	if (!kind)
		return err_set(err, ERR_BAD_ARGUMENT, "multipart/form-data: the boundary --%s is nowhere in the body, on a "
			       "line that ends in CRLF", boundary);
	while (kind == 1) {
		kind = next_mark(&f, from, &at, &behind);
		if (!kind)
			return err_set(err, ERR_BAD_ARGUMENT, "multipart/form-data: the body ends without --%s--: it was cut",
				       boundary);
		if (add_part(&f, from, at, out, err))
			return -1;
		from = behind;
	}
	return 0;
}
