/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "jsonw.h"

#include <math.h>
#include <string.h>

#include "num.h"
#include "plain.h"
#include "utf8.h"

static void value(struct jsonw *j)
{
	if (j->comma)
		buf_putc(j->out, ',');
	j->comma = true;
}

/* A comma where one is due; room for `more` bytes and where to put them: take() says how many it were. */
static char *value_room(struct jsonw *j, size_t more)
{
	char *p = buf_room(j->out, more + 1);

	*p = ',';
	j->out->len += j->comma;
	p += j->comma;
	j->comma = true;
	return p;
}

static void take(struct jsonw *j, size_t n)
{
	j->out->len += n;
}

void jsonw_object(struct jsonw *j)
{
	value(j);
	buf_putc(j->out, '{');
	j->comma = false;
}

void jsonw_object_end(struct jsonw *j)
{
	buf_putc(j->out, '}');
	j->comma = true;
}

void jsonw_array(struct jsonw *j)
{
	value(j);
	buf_putc(j->out, '[');
	j->comma = false;
}

void jsonw_array_end(struct jsonw *j)
{
	buf_putc(j->out, ']');
	j->comma = true;
}

/* Appends from the first byte that is not plain on. */
static void escaped(struct buf *out, const char *s, size_t n)
{
	size_t from = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];
		size_t more = c < 0x80 ? plain_char(c) : utf8_char(s + i, n - i);	/* from 0x80 on: only UTF-8 */

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
static void quoted(struct jsonw *j, const char *s, size_t n)
{
	char *to = value_room(j, n + 3), *p = to;	/* two quotes, a colon of jsonw_key() */
	uint64_t word;
	size_t i = 0;

	*p++ = '"';
	for (; n - i >= 8; i += 8, p += 8) {
		memcpy(&word, s + i, 8);
		if (plain_stops(le64toh(word)))
			break;
		memcpy(p, &word, 8);
	}
	for (; i < n && plain_char((unsigned char)s[i]); i++)
		*p++ = s[i];
	*p = '\0';
	take(j, (size_t)(p - to));
	if (i < n)
		escaped(j->out, s + i, n - i);
	buf_putc(j->out, '"');
}

void jsonw_key(struct jsonw *j, const char *key)
{
	quoted(j, key, strlen(key));
	buf_putc(j->out, ':');
	j->comma = false;
}

void jsonw_null(struct jsonw *j)
{
	jsonw_raw(j, "null");
}

void jsonw_bool(struct jsonw *j, bool b)
{
	jsonw_raw(j, b ? "true" : "false");
}

void jsonw_i64(struct jsonw *j, int64_t i)
{
	take(j, (size_t)num_format_i64(value_room(j, NUM_MAX), i));
}

void jsonw_num(struct jsonw *j, double d)
{
	char *p;

	if (!isfinite(d)) {
		jsonw_null(j);
		return;
	}
	p = value_room(j, NUM_MAX);
	if (j->last_len && d == j->last) {
		memcpy(p, j->out->p + j->last_at, j->last_len);
		p[j->last_len] = 0;
	} else {
		j->last = d;
		j->last_at = (size_t)(p - j->out->p);
		j->last_len = (unsigned)num_format(p, d);
	}
	take(j, j->last_len);
}

void jsonw_strn(struct jsonw *j, const char *s, size_t n)
{
	quoted(j, s, n);
}

void jsonw_str(struct jsonw *j, const char *s)
{
	if (s)
		jsonw_strn(j, s, strlen(s));
	else
		jsonw_null(j);
}

void jsonw_raw(struct jsonw *j, const char *json)
{
	value(j);
	buf_puts(j->out, json ? json : "null");
}

void jsonw_kbool(struct jsonw *j, const char *key, bool b)
{
	jsonw_key(j, key);
	jsonw_bool(j, b);
}

void jsonw_ki64(struct jsonw *j, const char *key, int64_t i)
{
	jsonw_key(j, key);
	jsonw_i64(j, i);
}

void jsonw_knum(struct jsonw *j, const char *key, double d)
{
	jsonw_key(j, key);
	jsonw_num(j, d);
}

void jsonw_kstr(struct jsonw *j, const char *key, const char *s)
{
	jsonw_key(j, key);
	jsonw_str(j, s);
}

void jsonw_kraw(struct jsonw *j, const char *key, const char *json)
{
	jsonw_key(j, key);
	jsonw_raw(j, json);
}
