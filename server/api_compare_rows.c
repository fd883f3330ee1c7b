/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of a comparison as JSON. There may be 20,000 of 750 bytes, each with a dozen numbers, and a person
 * waits: so room is made once a row, what is the same in every row is copied as constants are, and
 * what neighbours have in common as it stands in the row before.
 */
#include "api_compare.h"

#include <math.h>
#include <string.h>

#include "../lib/num.h"
#include "../lib/parallel.h"

#define ROW_GUESS 800		/* bytes */
#define ROWS_LEAST 2000		/* in a part: a millisecond's work */

/* Keys, words and numbers of a row, at most: 45 numbers, and keys and words of some 700 bytes. */
#define FIXED_MOST (45 * NUM_MAX + 1000)

/* ---- pieces, where there is room; each returns where the next one goes ---- */

#define PUT(p, literal) put(p, literal, sizeof(literal) - 1)

static inline char *put(char *p, const char *s, size_t n)
{
	memcpy(p, s, n);
	return p + n;
}

static char *put_num(char *p, double d)
{
	return isfinite(d) ? p + num_format(p, d) : PUT(p, "null");
}

static char *put_word(char *p, const char *word)
{
	if (!word)
		return PUT(p, "null");
	*p++ = '"';
	p = put(p, word, strlen(word));
	*p++ = '"';
	return p;
}

static char *put_side(char *p, const struct stats_side *s)
{
	if (!s->runs)
		return PUT(p, "null");
	p = PUT(p, "{\"runs\":");
	p += num_format_i64(p, s->runs);
	p = PUT(p, ",\"boots\":");
	p += num_format_i64(p, s->boots);
	p = PUT(p, ",\"n\":");
	p += num_format_i64(p, s->n);
	p = put_num(PUT(p, ",\"center\":"), s->center);
	p = put_num(PUT(p, ",\"stddev\":"), s->stddev);
	p = put_num(PUT(p, ",\"min\":"), s->min);
	p = put_num(PUT(p, ",\"max\":"), s->max);
	*p++ = '}';
	return p;
}

static char *put_interval(char *p, double lo, double hi)
{
	if (!isfinite(lo) || !isfinite(hi))
		return PUT(p, "null");
	*p++ = '[';
	p = put_num(p, lo);
	*p++ = ',';
	p = put_num(p, hi);
	*p++ = ']';
	return p;
}

/* Behind the series and without the end of the object. */
static char *put_values(char *p, const struct compare_row *r)
{
	p = put_side(PUT(p, ",\"base\":"), &r->base);
	p = put_side(PUT(p, ",\"head\":"), &r->head);
	p = put_side(PUT(p, ",\"fix\":"), &r->fix);
	p = put_num(PUT(p, ",\"change_percent\":"), r->change_percent);
	p = put_word(PUT(p, ",\"direction\":"), calc_compare_direction_word(r->direction));
	p = put_interval(PUT(p, ",\"change_ci\":"), r->ci_lo, r->ci_hi);
	p = put_word(PUT(p, ",\"verdict\":"), calc_compare_verdict_word(r->verdict));
	p = put_word(PUT(p, ",\"confidence\":"), calc_compare_confidence_word(r->confidence));
	p = put_num(PUT(p, ",\"p\":"), r->p);
	p = put_num(PUT(p, ",\"q\":"), r->q);
	p = put_num(PUT(p, ",\"noise_percent\":"), r->noise_percent);
	p = put_num(PUT(p, ",\"detectable_percent\":"), r->detectable_percent);
	p = put_num(PUT(p, ",\"restored_percent\":"), r->restored_percent);
	return put_num(PUT(p, ",\"remaining_percent\":"), r->remaining_percent);
}

/* ---- the series ---- */

/* A text of the catalogue that many series have. It stays where it is for good: a new name is another text. */
struct common {
	const char *text;
	size_t len;
};

/* What the row before was about: mostly the next one is, too. Zero it once. */
struct before {
	struct common benchmark, metric, machine, config;
};

static size_t look(struct common *c, const char *text)
{
	if (c->text != text)
		*c = (struct common){ text, strlen(text) };
	return c->len;
}

/* With the beginning of the object; behind it there is room for FIXED_MOST. */
static char *put_series(struct buf *out, struct before *b, const struct cat_series *s)
{
	size_t params = strlen(s->params), most = FIXED_MOST + params;
	char *p;

	most += look(&b->benchmark, s->benchmark->json) + look(&b->metric, s->metric->json);
	most += look(&b->machine, s->machine->json) + look(&b->config, s->config->json);
	p = PUT(buf_room(out, most), "{\"series_id\":\"");
	p += num_format_i64(p, s->id);
	p = PUT(p, "\",");
	p = put(p, b->benchmark.text, b->benchmark.len);
	*p++ = ',';
	p = put(p, b->metric.text, b->metric.len);
	p = put(PUT(p, ",\"params\":"), s->params, params);
	*p++ = ',';
	p = put(p, b->machine.text, b->machine.len);
	*p++ = ',';
	return put(p, b->config.text, b->config.len);
}

/* A row without the end of its object. */
static void open_row(struct buf *out, struct before *b, const struct compare_row *r)
{
	char *p = put_values(put_series(out, b, r->series), r);

	*p = 0;
	out->len = (size_t)(p - out->p);
}

/* ---- all of them ---- */

/* Rows are written in as many parts as pay, each into a buffer of its own but for the first. */
struct parts {
	const struct compare *c;
	unsigned n;
	struct buf *out[PARALLEL_MOST];
};

static void write_part(void *arg, unsigned part)
{
	const struct parts *p = arg;
	size_t from = parallel_from(p->c->n_rows, part, p->n), to = parallel_from(p->c->n_rows, part + 1, p->n);
	struct before before = { 0 };

	buf_reserve(p->out[part], (to - from) * ROW_GUESS + FIXED_MOST);
	for (size_t i = from; i < to; i++) {
		if (i)
			buf_putc(p->out[part], ',');
		open_row(p->out[part], &before, &p->c->rows[i]);
		buf_putc(p->out[part], '}');
	}
}

void api_compare_rows(struct buf *out, const struct compare *c)
{
	struct parts parts = { .c = c, .n = parallel_parts(c->n_rows, ROWS_LEAST), .out = { out } };
	struct buf more[PARALLEL_MOST];

	buf_reserve(out, c->n_rows * ROW_GUESS);
	for (unsigned i = 1; i < parts.n; i++) {
		buf_init(&more[i]);
		parts.out[i] = &more[i];
	}
	parallel_run(parts.n, write_part, &parts);
	for (unsigned i = 1; i < parts.n; i++) {
		buf_add(out, more[i].p, more[i].len);
		buf_fini(&more[i]);
	}
}

void api_compare_row(struct jsonw *j, const struct compare_row *r)
{
	struct before before = { 0 };

	if (j->comma)
		buf_putc(j->out, ',');
	open_row(j->out, &before, r);
	j->comma = true;
}
