/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json.h"

#include <math.h>
#include <string.h>

#include "num.h"
#include "utf8.h"

static void value(struct json *j)
{
	if (j->comma)
		buf_putc(j->out, ',');
	j->comma = true;
}

void json_object(struct json *j)
{
	value(j);
	buf_putc(j->out, '{');
	j->comma = false;
}

void json_object_end(struct json *j)
{
	buf_putc(j->out, '}');
	j->comma = true;
}

void json_array(struct json *j)
{
	value(j);
	buf_putc(j->out, '[');
	j->comma = false;
}

void json_array_end(struct json *j)
{
	buf_putc(j->out, ']');
	j->comma = true;
}

/* What stands in a string as it is. From 0x80 on it must be UTF-8 to do so: escaped() looks. */
static bool plain(unsigned char c)
{
	return c >= 0x20 && c != '"' && c != '\\' && c != '<' && c < 0x7f;
}

/* Appends from the first byte that is not plain on. */
static void escaped(struct buf *out, const char *s, size_t n)
{
	size_t from = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];
		size_t more = c < 0x80 ? plain(c) : utf8_char(s + i, n - i);

		if (more) {
			i += more - 1;
			continue;
		}
		buf_add(out, s + from, i - from);
		from = i + 1;
		if (c == '"' || c == '\\') {
			buf_putc(out, '\\');
			buf_putc(out, (char)c);
		} else if (c == '\n') {
			buf_puts(out, "\\n");
		} else if (c >= 0x80) {		/* half a character at the end of a message that was cut */
			buf_puts(out, "\xef\xbf\xbd");
		} else {
			buf_printf(out, "\\u%04x", c);
		}
	}
	buf_add(out, s + from, n - from);
}

/* A comma where one is due, then "s". Most strings have nothing to escape: copied while looked at. */
static void quoted(struct json *j, const char *s, size_t n)
{
	char *to = buf_reserve(j->out, n + 4), *p = to;	/* a comma, two quotes, a colon of json_key() */
	size_t i = 0;

	if (j->comma)
		*p++ = ',';
	j->comma = true;
	*p++ = '"';
	for (; i < n && plain((unsigned char)s[i]); i++)
		*p++ = s[i];
	*p = '\0';
	j->out->len += (size_t)(p - to);
	if (i < n)
		escaped(j->out, s + i, n - i);
	buf_putc(j->out, '"');
}

void json_key(struct json *j, const char *key)
{
	quoted(j, key, strlen(key));
	buf_putc(j->out, ':');
	j->comma = false;
}

void json_null(struct json *j)
{
	json_raw(j, "null");
}

void json_bool(struct json *j, bool b)
{
	json_raw(j, b ? "true" : "false");
}

void json_i64(struct json *j, int64_t i)
{
	value(j);
	j->out->len += (size_t)num_format_i64(buf_reserve(j->out, NUM_MAX), i);
}

void json_num(struct json *j, double d)
{
	if (!isfinite(d)) {
		json_null(j);
		return;
	}
	value(j);
	j->out->len += (size_t)num_format(buf_reserve(j->out, NUM_MAX), d);
}

void json_strn(struct json *j, const char *s, size_t n)
{
	quoted(j, s, n);
}

void json_str(struct json *j, const char *s)
{
	if (s)
		json_strn(j, s, strlen(s));
	else
		json_null(j);
}

void json_raw(struct json *j, const char *json)
{
	value(j);
	buf_puts(j->out, json ? json : "null");
}

void json_kbool(struct json *j, const char *key, bool b)
{
	json_key(j, key);
	json_bool(j, b);
}

void json_ki64(struct json *j, const char *key, int64_t i)
{
	json_key(j, key);
	json_i64(j, i);
}

void json_knum(struct json *j, const char *key, double d)
{
	json_key(j, key);
	json_num(j, d);
}

void json_kstr(struct json *j, const char *key, const char *s)
{
	json_key(j, key);
	json_str(j, s);
}

void json_kraw(struct json *j, const char *key, const char *json)
{
	json_key(j, key);
	json_raw(j, json);
}
