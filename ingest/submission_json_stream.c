/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The results of nsecwatch.submission/1 from the text itself, and what they are as canonical JSON beside: an upload
 * is one long list of small objects, and a tree of them took longer to make and to walk than all else. What is odd is
 * left to submission_json_results.c: unknown or doubled members, escapes, and whatever is wrong. Programs write the
 * same members in the same order again and again, and mostly the same benchmark, metric and unit; that is looked for
 * first.
 */
#include "submission_json_impl.h"

#include <endian.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/jsonw.h"
#include "../lib/must.h"

#define MEMBERS_MAX 10
#define LIST_MAX 32		/* parameters of a result; more are left to the tree */
#define PARAM_NUMBER_MAX 1e15	/* from there on the series' name, where it is a double, and the canonical text may differ */
#define EXACT_MAX 9007199254740992.0	/* 2^53: up to it each integer is a double */
#define FIRST_ROOM 64		/* results that there is room for before their size is known */

struct piece {			/* canonical text: in the body, or written anew, from `at` on */
	const char *s;		/* NULL: anew */
	size_t at, n;		/* n: 0 = not there */
};

struct label {			/* of a member: ,"name": */
	char text[16];		/* all of it is copied, which is one instruction */
	size_t n;
};
#define LABEL(name) { ",\"" name "\":", sizeof(name) + 3 }

struct shape {			/* the members of one kind of object, in the order of their names */
	const struct label *labels;
	int n;
};

/* In the order of canonical JSON. */
enum { BENCHMARK, BETTER, ERROR, ITERATIONS, METRIC, PARAMS, STATUS, SUMMARY, UNIT, VALUES, N_MEMBERS };
static const struct label labels[N_MEMBERS] = {
	LABEL("benchmark"), LABEL("better"), LABEL("error"), LABEL("iterations"), LABEL("metric"),
	LABEL("params"), LABEL("status"), LABEL("summary"), LABEL("unit"), LABEL("values"),
};
static const struct shape result_shape = { labels, N_MEMBERS };

enum { MAX, MEAN, MEDIAN, MIN, N, STDDEV, N_SUMMARY };
static const struct label summary_labels[N_SUMMARY] = {
	LABEL("max"), LABEL("mean"), LABEL("median"), LABEL("min"), LABEL("n"), LABEL("stddev"),
};
static const struct shape summary_shape = { summary_labels, N_SUMMARY };

struct object {			/* one that is being read */
	const struct shape *shape;
	uint8_t *order;		/* which member came as the first, second, ... of the last one of its kind */
	int count;
	struct piece pieces[MEMBERS_MAX];
};

struct name {			/* a text that mostly is that of the result before */
	const char *s;		/* in the body */
	size_t n;
	const char *kept;	/* NUL-terminated: the draft's; of a new one, for the time being, room */
	char room[SUBMISSION_NAME_MAX + 1];
};

struct param {
	struct jscan_text name;
	struct piece value;
};

struct stream {
	struct draft *d;
	struct buf *out;	/* canonical JSON of the array */
	struct buf anew;	/* pieces of the result at hand */
	double *values;
	size_t cap_values;
	struct name benchmark, metric, unit;
	uint8_t order[MEMBERS_MAX], summary_order[MEMBERS_MAX];
};

/* ---- objects ---- */

/* Whether "name" is next. */
static bool is_label(const struct jscan *in, const struct label *l)
{
	size_t n = l->n - 2;		/* without comma and colon */
	uint64_t there, wanted;

	if ((size_t)(in->end - in->p) < sizeof(there))
		return false;		/* there is more behind a name: a value and two brackets at least */
	memcpy(&there, in->p, sizeof(there));
	memcpy(&wanted, l->text + 1, sizeof(wanted));
	if (n < sizeof(there))
		return !((le64toh(there) ^ le64toh(wanted)) << 8 * (sizeof(there) - n));
	return there == wanted && (size_t)(in->end - in->p) >= n &&
	       !memcmp(in->p + sizeof(there), l->text + 1 + sizeof(there), n - sizeof(there));
}

/* The member whose key is next, to its value; -1: none of ours, or there already. */
static int next_member(struct jscan *in, struct object *o)
{
	int m = o->count < o->shape->n ? o->order[o->count] : 0;

	if (!is_label(in, &o->shape->labels[m]))
		for (m = 0; m < o->shape->n && !is_label(in, &o->shape->labels[m]);)
			m++;
	if (m == o->shape->n || o->pieces[m].n)
		return -1;
	o->order[o->count++] = (uint8_t)m;
	in->p += o->shape->labels[m].n - 2;
	jscan_blanks(in);
	if (!jscan_next(in, ':'))
		return -1;
	jscan_blanks(in);
	return m;
}

/* To the next member or element; *over: that was the last. */
static bool separator(struct jscan *in, char close, bool *over)
{
	jscan_blanks(in);
	*over = jscan_next(in, close);
	if (*over)
		return true;
	if (!jscan_next(in, ','))
		return false;
	jscan_blanks(in);
	return true;
}

static const char *piece_text(const struct stream *s, const struct piece *piece)
{
	return piece->s ? piece->s : s->anew.p + piece->at;
}

static size_t put_pieces(const struct stream *s, char *to, const struct object *o)
{
	char *p = to;

	for (int m = 0; m < o->shape->n; m++) {
		const struct piece *piece = &o->pieces[m];

		if (!piece->n)
			continue;
		memcpy(p, o->shape->labels[m].text, sizeof(o->shape->labels[m].text));
		p += o->shape->labels[m].n;
		memcpy(p, piece_text(s, piece), piece->n);
		p += piece->n;
	}
	*to = '{';			/* where the first comma was: there is a member */
	*p++ = '}';
	return (size_t)(p - to);
}

/* Room for what put_pieces() writes. */
static size_t pieces_room(const struct object *o)
{
	size_t n = sizeof(o->shape->labels->text);

	for (int m = 0; m < o->shape->n; m++)
		n += o->pieces[m].n ? o->pieces[m].n + o->shape->labels[m].n : 0;
	return n;
}

/* What was written anew from `from` on. */
static struct piece anew(const struct stream *s, size_t from)
{
	return (struct piece){ NULL, from, s->anew.len - from };
}

/* ---- words ---- */

static bool text(struct stream *s, struct jscan *in, struct jscan_text *t, struct piece *piece)
{
	struct jsonw j = jsonw_begin(&s->anew);
	size_t from = s->anew.len;

	if (!jscan_next(in, '"') || !jscan_text(in, t) || t->escaped)
		return false;
	if (t->as_is) {
		*piece = (struct piece){ t->s - 1, 0, t->n + 2 };
		return true;
	}
	jsonw_strn(&j, t->s, t->n);
	*piece = anew(s, from);
	return true;
}

static bool is_word(const struct jscan_text *t, const char *word)
{
	return t->n == strlen(word) && !memcmp(t->s, word, t->n);
}

static bool name(struct stream *s, struct jscan *in, struct name *last, const char **out, struct piece *piece)
{
	struct jscan_text t;

	if (!text(s, in, &t, piece) || t.n > SUBMISSION_NAME_MAX)
		return false;
	if (!last->kept || last->n != t.n || memcmp(last->s, t.s, t.n)) {
		memcpy(last->room, t.s, t.n);
		last->room[t.n] = '\0';
		last->kept = last->room;
	}
	last->s = t.s;
	last->n = t.n;
	*out = last->kept;
	return true;
}

/* As jread_canonical() does: 4e5 is an integer, too. */
static void put_double(struct jsonw *j, double d)
{
	if (fabs(d) < EXACT_MAX && d == floor(d))
		jsonw_i64(j, (int64_t)d);
	else
		jsonw_num(j, d);
}

static bool number(struct stream *s, struct jscan *in, struct jscan_number *v, struct piece *piece)
{
	struct jsonw j = jsonw_begin(&s->anew);
	const char *from = in->p;
	size_t at = s->anew.len;

	if (!jscan_number(in, v))
		return false;
	if (v->as_is) {
		*piece = (struct piece){ from, 0, (size_t)(in->p - from) };
		return true;
	}
	if (v->is_int)
		jsonw_i64(&j, v->i);
	else
		put_double(&j, v->num);
	*piece = anew(s, at);
	return true;
}

static bool integer(struct stream *s, struct jscan *in, int64_t *i, struct piece *piece)
{
	struct jscan_number v;

	if (!number(s, in, &v, piece) || !v.is_int)
		return false;
	*i = v.i;
	return true;
}

static bool real(struct stream *s, struct jscan *in, double *d, struct piece *piece)
{
	struct jscan_number v;

	if (!number(s, in, &v, piece))
		return false;
	*d = jscan_double(&v);
	return true;
}

/* ---- members ---- */

static bool better(struct stream *s, struct jscan *in, struct draft_result *r, struct piece *piece)
{
	struct jscan_text t;

	if (!text(s, in, &t, piece))
		return false;
	if (is_word(&t, "lower"))
		r->better = BETTER_LOWER;
	else if (is_word(&t, "higher"))
		r->better = BETTER_HIGHER;
	else
		return is_word(&t, "neutral");
	return true;
}

static bool status(struct stream *s, struct jscan *in, struct draft_result *r, struct piece *piece)
{
	struct jscan_text t;

	if (!text(s, in, &t, piece))
		return false;
	if (is_word(&t, "failed"))
		r->status = RESULT_FAILED;
	else if (is_word(&t, "skipped"))
		r->status = RESULT_SKIPPED;
	else
		return is_word(&t, "ok");
	return true;
}

static bool error(struct stream *s, struct jscan *in, struct draft_result *r, struct piece *piece)
{
	struct jscan_text t;

	if (!text(s, in, &t, piece))
		return false;
	r->error = arena_strndup(s->d->a, t.s, t.n);
	return true;
}

/* Sorts by name as they come: they mostly are sorted. false: a name twice. */
static bool add_param(struct param *params, size_t n, const struct param *p)
{
	size_t at = n;

	while (at > 0) {
		const struct jscan_text *before = &params[at - 1].name;
		size_t least = before->n < p->name.n ? before->n : p->name.n;
		int order = memcmp(before->s, p->name.s, least);

		if (!order && before->n == p->name.n)
			return false;
		if (order < 0 || (!order && before->n < p->name.n))
			break;
		params[at] = params[at - 1];
		at--;
	}
	params[at] = *p;
	return true;
}

static bool param_value(struct stream *s, struct jscan *in, struct param *p)
{
	struct jscan_number v;
	struct jscan_text t;

	if (in->p == in->end)
		return false;
	if (*in->p == '"')
		return text(s, in, &t, &p->value) && (!t.n || !submission_build_bad_text(t.s, t.n, SUBMISSION_NAME_MAX));
	for (int yes = 0; yes < 2; yes++) {
		const char *word = yes ? "true" : "false";
		size_t n = strlen(word);

		if ((size_t)(in->end - in->p) >= n && !memcmp(in->p, word, n)) {
			p->value = (struct piece){ in->p, 0, n };
			in->p += n;
			return true;
		}
	}
	return number(s, in, &v, &p->value) && fabs(jscan_double(&v)) < PARAM_NUMBER_MAX;
}

static bool next_param(struct stream *s, struct jscan *in, struct param *p)
{
	if (!jscan_next(in, '"') || !jscan_text(in, &p->name) || !p->name.as_is ||
	    submission_build_bad_text(p->name.s, p->name.n, SUBMISSION_NAME_MAX))
		return false;
	jscan_blanks(in);
	if (!jscan_next(in, ':'))
		return false;
	jscan_blanks(in);
	return param_value(s, in, p);
}

static struct piece put_params(struct stream *s, const struct param *list, size_t n)
{
	size_t from = s->anew.len;

	for (size_t i = 0; i < n; i++) {
		const struct param *p = &list[i];
		char *to = buf_room(&s->anew, p->name.n + p->value.n + 5);

		*to++ = i ? ',' : '{';
		memcpy(to, p->name.s - 1, p->name.n + 2);	/* with its quotes */
		to += p->name.n + 2;
		*to++ = ':';
		memcpy(to, piece_text(s, &p->value), p->value.n);
		s->anew.len += p->name.n + p->value.n + 4;
	}
	buf_puts(&s->anew, n ? "}" : "{}");
	return anew(s, from);
}

static bool params(struct stream *s, struct jscan *in, struct piece *piece)
{
	struct param list[LIST_MAX], p;
	bool over = false;
	size_t n = 0;

	if (!jscan_next(in, '{'))
		return false;
	jscan_blanks(in);
	over = jscan_next(in, '}');
	while (!over)
		if (n == LIST_MAX || !next_param(s, in, &p) || !add_param(list, n++, &p) || !separator(in, '}', &over))
			return false;
	*piece = put_params(s, list, n);
	return true;
}

static bool summary(struct stream *s, struct jscan *in, struct draft_result *r, struct piece *piece)
{
	struct object o = { .shape = &summary_shape, .order = s->summary_order };
	double *const numbers[N_SUMMARY] = { [MAX] = &r->max, [MEAN] = &r->mean, [MEDIAN] = &r->median, [MIN] = &r->min,
					     [STDDEV] = &r->stddev };
	bool over = false;
	size_t from;

	r->has_summary = true;
	r->mean = r->median = r->stddev = r->min = r->max = NAN;
	if (!jscan_next(in, '{'))
		return false;
	jscan_blanks(in);
	while (!over) {
		int m = next_member(in, &o);

		if (m < 0 || !(m == N ? integer(s, in, &r->n, &o.pieces[m]) : real(s, in, numbers[m], &o.pieces[m])) ||
		    !separator(in, '}', &over))
			return false;
	}
	from = s->anew.len;
	buf_room(&s->anew, pieces_room(&o));
	s->anew.len += put_pieces(s, s->anew.p + from, &o);
	*piece = anew(s, from);
	return o.pieces[N].n > 0;
}

static void add_value(struct stream *s, size_t n, double v)
{
	if (n == s->cap_values) {
		s->cap_values = s->cap_values ? 2 * s->cap_values : 64;
		s->values = realloc(s->values, s->cap_values * sizeof(*s->values));
		must(s->values != NULL);
	}
	s->values[n] = v;
}

static struct piece put_values(struct stream *s, size_t n)
{
	struct jsonw j = jsonw_begin(&s->anew);
	size_t from = s->anew.len;

	jsonw_array(&j);
	for (size_t i = 0; i < n; i++)
		put_double(&j, s->values[i]);
	jsonw_array_end(&j);
	return anew(s, from);
}

static bool values(struct stream *s, struct jscan *in, struct draft_result *r, struct piece *piece)
{
	const char *from = in->p, *number;
	bool over = false, as_is = true;
	size_t n = 0, len = 1;		/* without blanks */
	struct jscan_number v;

	if (!jscan_next(in, '['))
		return false;
	jscan_blanks(in);
	for (; !over; n++) {
		number = in->p;
		if (!jscan_number(in, &v) || (v.is_int && (v.i > (int64_t)EXACT_MAX || v.i < -(int64_t)EXACT_MAX)))
			return false;
		as_is &= v.as_is;
		len += (size_t)(in->p - number) + 1;
		add_value(s, n, jscan_double(&v));
		if (!separator(in, ']', &over))
			return false;
	}
	r->values = s->values;
	r->n_values = n;
	*piece = as_is && len == (size_t)(in->p - from) ? (struct piece){ from, 0, len } : put_values(s, n);
	return true;
}

/* ---- results ---- */

static bool member(struct stream *s, struct jscan *in, int m, struct draft_result *r, struct piece *piece)
{
	switch (m) {
	case BENCHMARK:
		return name(s, in, &s->benchmark, &r->benchmark, piece);
	case METRIC:
		return name(s, in, &s->metric, &r->metric, piece);
	case UNIT:
		return name(s, in, &s->unit, &r->unit, piece);
	case BETTER:
		return better(s, in, r, piece);
	case STATUS:
		return status(s, in, r, piece);
	case ERROR:
		return error(s, in, r, piece);
	case PARAMS:
		return params(s, in, piece);
	case SUMMARY:
		return summary(s, in, r, piece);
	case VALUES:
		return values(s, in, r, piece);
	}
	return integer(s, in, &r->iterations, piece);
}

/* The draft has the names now: the next result may have the same. */
static void keep_names(struct stream *s)
{
	const struct result *last = &s->d->last;

	s->benchmark.kept = last->benchmark;
	s->metric.kept = last->metric;
	s->unit.kept = last->original_unit ? last->original_unit : last->unit;
}

static bool result(struct stream *s, struct jscan *in, size_t index)
{
	struct object o = { .shape = &result_shape, .order = s->order };
	struct draft_result r = { .in = "/results", .index = index };
	const struct piece *p = &o.pieces[PARAMS];
	bool over = false;

	if (!jscan_next(in, '{'))
		return false;
	jscan_blanks(in);
	buf_clear(&s->anew);
	while (!over) {
		int m = next_member(in, &o);

		if (m < 0 || !member(s, in, m, &r, &o.pieces[m]) || !separator(in, '}', &over))
			return false;
	}
	if (!o.pieces[BETTER].n)
		return false;
	if (p->n)
		r.params_text = arena_strndup(s->d->a, piece_text(s, p), p->n);
	submission_build_result(s->d, &r);
	keep_names(s);
	buf_putc(s->out, index ? ',' : '[');
	buf_room(s->out, pieces_room(&o));
	s->out->len += put_pieces(s, s->out->p + s->out->len, &o);
	return !s->d->problems->total && !s->d->warnings->total;
}

/* Room for all, as it looks from those that there are. */
static void expect(struct stream *s, const struct jscan *in, const char *from, size_t n)
{
	size_t rest = (size_t)(in->end - in->p), read = (size_t)(in->p - from);

	if (n == s->d->cap_results)
		submission_build_expect(s->d, n < FIRST_ROOM ? FIRST_ROOM : n + n * rest / read + 1);
}

bool submission_json_stream(struct draft *d, struct jscan *in, struct buf *out)
{
	struct stream s = { .d = d, .out = out };
	const char *from = in->p;
	bool good = jscan_next(in, '['), over = false;

	buf_init(&s.anew);
	buf_reserve(out, (size_t)(in->end - in->p));	/* canonical JSON is seldom longer */
	jscan_blanks(in);
	for (size_t i = 0; good && !over; i++) {
		expect(&s, in, from, i);
		good = result(&s, in, i) && separator(in, ']', &over);
	}
	if (good)
		buf_putc(out, ']');
	buf_fini(&s.anew);
	free(s.values);
	return good;
}
