/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Request line and negotiation headers as text; see web_args.h. */
#include "web_args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../lib/num.h"
#include "../lib/utf8.h"

static const struct {
	enum rep rep;
	const char *extension, *type;
} reps[] = {	/* in the order of preference where Accept leaves it open */
	{ REP_JSON, "json", "application/json" },
	{ REP_HTML, NULL, "text/html; charset=utf-8" },
	{ REP_TEXT, "txt", "text/plain; charset=utf-8" },
	{ REP_CSV, "csv", "text/csv; charset=utf-8" },
	{ REP_SVG, "svg", "image/svg+xml" },
	{ REP_EML, "eml", "message/rfc822" },
	{ REP_ATOM, "atom", "application/atom+xml; charset=utf-8" },
	{ REP_OTHER, NULL, "application/octet-stream" },
};
#define N_REPS (sizeof(reps) / sizeof(reps[0]))

const char *web_args_rep_type(enum rep rep)
{
	for (size_t i = 0; i < N_REPS; i++)
		if (reps[i].rep == rep)
			return reps[i].type;
	return "application/octet-stream";
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* n bytes of a URI, decoded; '+' is a blank in a query only. */
static const char *decode(struct arena *a, const char *s, size_t n, bool query, const char *what, struct err *err)
{
	char *out = arena_alloc(a, n + 1);
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		char c = s[i];

		if (c == '%') {
			int hi = i + 2 < n ? hex_digit(s[i + 1]) : -1;
			int lo = i + 2 < n ? hex_digit(s[i + 2]) : -1;

			if (hi < 0 || lo < 0) {
				err_set(err, ERR_BAD_ARGUMENT, "%s: '%%' needs two hexadecimal digits behind it", what);
				return NULL;
			}
			c = (char)(hi << 4 | lo);
			i += 2;
		} else if (c == '+' && query) {
			c = ' ';
		}
		if (!c) {
			err_set(err, ERR_BAD_ARGUMENT, "%s: a NUL byte is not allowed", what);
			return NULL;
		}
		out[k++] = c;
	}
	out[k] = 0;
	if (utf8_good(out, k) < k) {
		err_set(err, ERR_BAD_ARGUMENT, "%s: not valid UTF-8", what);
		return NULL;
	}
	return out;
}

static int split_path(struct arena *a, const char *s, size_t len, struct web_path *path, struct err *err)
{
	const char *end = s + len;

	path->raw = arena_strndup(a, s, len);
	path->n = 0;
	if (!len || *s != '/')
		return err_set(err, ERR_NOT_FOUND, "no such page: a path starts with '/'");
	while (s < end) {
		const char *from = s + 1, *slash = memchr(from, '/', (size_t)(end - from));
		const char *to = slash ? slash : end;

		if (path->n == WEB_SEGMENTS_MAX)
			return err_set(err, ERR_NOT_FOUND, "no such page");
		path->segment[path->n] = decode(a, from, (size_t)(to - from), false, "path", err);
		if (!path->segment[path->n++])
			return -1;
		s = to;
	}
	return 0;
}

static int split_query(struct arena *a, const char *query, struct req *rq, struct err *err)
{
	size_t most = 1;

	for (const char *p = query; *p; p++)
		most += *p == '&';
	if (most > WEB_ARGS_MAX)
		return err_set(err, ERR_BAD_ARGUMENT, "%zu query arguments: at most %d are taken", most,
			       WEB_ARGS_MAX);
	rq->args = arena_array(a, struct web_arg, most);
	for (const char *p = query, *next; *p; p = next) {
		size_t n = strcspn(p, "&");
		const char *eq = memchr(p, '=', n);
		size_t name_len = eq ? (size_t)(eq - p) : n;
		struct web_arg *arg = &rq->args[rq->n_args];

		next = p + n + (p[n] == '&');
		if (!n)
			continue;
		arg->name = decode(a, p, name_len, true, "query", err);
		arg->value = arg->name ? decode(a, eq ? eq + 1 : "", eq ? n - name_len - 1 : 0, true, arg->name, err) :
					 NULL;
		if (!arg->value)
			return -1;
		rq->n_args++;
	}
	return 0;
}

int web_args_split(struct arena *a, const char *uri, struct web_path *path, struct req *rq, struct err *err)
{
	size_t len;

	rq->query = "";
	rq->path = "";
	rq->args = NULL;
	rq->n_args = 0;
	*path = (struct web_path){ .raw = "" };
	if (uri[strcspn(uri, " \t")])		/* "GET /a b HTTP/1.1": who reads what? */
		return err_set(err, ERR_BAD_ARGUMENT, "a blank in the address: %%20 is needed");
	if (!strncasecmp(uri, "http://", 7) || !strncasecmp(uri, "https://", 8)) {	/* RFC 9112, 3.2.2 */
		uri = strstr(uri, "://") + 3;
		uri += strcspn(uri, "/?");
	}
	len = strcspn(uri, "?");
	if (uri[len])
		rq->query = arena_strdup(a, uri + len + 1);
	rq->path = len ? arena_strndup(a, uri, len) : "/";
	if (split_path(a, rq->path, strlen(rq->path), path, err))
		return -1;
	return split_query(a, rq->query, rq, err);
}

/* How much of seg is the id where its end is what stands behind "{id}" in the pattern; 0: it does not fit. */
static size_t verb_fits(const char *pattern, size_t n, const char *seg)
{
	size_t verb = n - strcspn(pattern, "}") - 1, len = strlen(seg);

	return len > verb && !memcmp(seg + len - verb, pattern + n - verb, verb) ? len - verb : 0;
}

/* Whether pattern fits the first n segments; the last one without its extension when last is given. */
static bool pattern_fits(struct arena *a, const char *pattern, const struct web_path *path, const char *last,
			 const char **id)
{
	size_t i = 0;

	*id = NULL;
	for (const char *p = pattern; *p; i++) {
		size_t n = strcspn(p + 1, "/");
		const char *seg;

		if (n == 6 && !strncmp(p + 1, "{path}", 6)) {	/* the rest; never of a stripped path */
			if (last || i >= path->n)
				return false;
			for (*id = path->segment[i++]; i < path->n; i++)
				*id = arena_printf(a, "%s/%s", *id, path->segment[i]);
			return true;
		}
		if (i >= path->n)
			return false;
		seg = last && i == path->n - 1 ? last : path->segment[i];
		if (p[1] == '{') {	/* "{id}", or "{id}:verb" */
			size_t id_len = verb_fits(p + 1, n, seg);

			if (!id_len)
				return false;
			*id = arena_strndup(a, seg, id_len);
		} else if (strlen(seg) != n || strncmp(p + 1, seg, n)) {
			return false;
		}
		p += n + 1;
	}
	return i == path->n;
}

/* The path's extension when it names a representation; *stem = the last segment without it. */
static enum rep extension_of(struct arena *a, const struct web_path *path, const char **stem)
{
	const char *last = path->n ? path->segment[path->n - 1] : "";
	const char *dot = strrchr(last, '.');

	for (size_t i = 0; dot && i < N_REPS; i++)
		if (reps[i].extension && !strcmp(dot + 1, reps[i].extension)) {
			*stem = arena_strndup(a, last, (size_t)(dot - last));
			return reps[i].rep;
		}
	return 0;
}

static bool takes_id(const char *pattern)
{
	size_t n = strlen(pattern);

	return n > 4 && !strcmp(pattern + n - 4, "{id}");
}

static bool method_fits(const struct route *route, const char *method)
{
	return !strcmp(route->method, method) || (!strcmp(method, "HEAD") && !strcmp(route->method, "GET"));
}

static void add_allowed(struct arena *a, const char **allow, const char *method)
{
	const char *words = !strcmp(method, "GET") ? "GET, HEAD" : method;

	if (!*allow)
		*allow = words;
	else if (!strstr(*allow, words))
		*allow = arena_printf(a, "%s, %s", *allow, words);
}

const struct route *web_args_route(struct arena *a, const struct route *table, const char *method,
				   const struct web_path *path, struct req *rq, enum rep *ext,
				   const char **allow, struct err *err)
{
	const char *stem = NULL, *id;
	enum rep named = extension_of(a, path, &stem);
	const struct route *lacks = NULL;

	*allow = NULL;
	for (int stripped = named ? 1 : 0; stripped >= 0; stripped--) {
		for (const struct route *r = table; r->method; r++) {
			if (!pattern_fits(a, r->pattern, path, stripped ? stem : NULL, &id))
				continue;
			if (lacks && takes_id(r->pattern))
				continue;	/* "runs/X.svg" is no run called "X.svg" */
			add_allowed(a, allow, r->method);
			if (!method_fits(r, method))
				continue;
			if (stripped && !(r->reps & named)) {
				lacks = r;
				continue;
			}
			rq->id = id;
			*ext = stripped ? named : 0;
			return r;
		}
	}
	if (lacks)
		err_set(err, ERR_NOT_ACCEPTABLE, "%s has no such representation", path->raw);
	else if (*allow)
		err_set(err, ERR_METHOD, "%s takes %s", path->raw, *allow);
	else
		err_set(err, ERR_NOT_FOUND, "no such resource: %s", path->raw);
	return NULL;
}

/* The word of a blank-separated list at p, its length in *n; NULL at the end. */
static const char *next_word(const char *p, size_t *n)
{
	p += strspn(p, " ");
	*n = strcspn(p, " ");
	return *n ? p : NULL;
}

static bool word_fits(const char *word, size_t n, const char *name)
{
	if (word[n - 1] == '*')
		return !strncmp(word, name, n - 1) && (n == 1 || name[n - 1]);
	return strlen(name) == n && !strncmp(word, name, n);
}

/* Edit distance, up to 63 bytes a side. */
static unsigned distance(const char *a, size_t n, const char *b)
{
	size_t m = strlen(b);
	unsigned row[64];

	if (n > 63 || m > 63)
		return 64;
	for (size_t j = 0; j <= m; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			unsigned best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[m];
}

static int unknown_arg(const struct route *route, const char *name, struct err *err)
{
	unsigned best = 64;
	const char *near = NULL;
	size_t near_len = 0, n;

	for (const char *w = route->args; (w = next_word(w, &n)); w += n) {
		unsigned d = distance(w, n, name);

		if (d < best) {
			best = d;
			near = w;
			near_len = n;
		}
	}
	if (!near)
		return err_set(err, ERR_BAD_ARGUMENT, "%.200s: unknown query argument; none is taken here", name);
	if (best <= 2 + strlen(name) / 3)
		return err_set(err, ERR_BAD_ARGUMENT, "%.200s: unknown query argument; did you mean %.*s?", name,
			       (int)near_len, near);
	return err_set(err, ERR_BAD_ARGUMENT, "%.200s: unknown query argument; taken here: %s", name, route->args);
}

/* Two of what can be only one: to take either of them would be to guess. */
static bool is_single(const struct route *route, const char *name)
{
	static const char single[] = "base head fix axis onset_percent compare explain previous verdict confidence size text on mode only "
				     "values sweeps variants runs most rows cols order limit "
				     "cursor wait alert subject object who";
	size_t n;

	if (strcmp(route->method, "GET") != 0)	/* as the context of a file */
		return true;
	for (const char *w = single; (w = next_word(w, &n)); w += n)
		if (word_fits(w, n, name))
			return true;
	return false;
}

static int check_repeated(const struct route *route, const struct req *rq, struct err *err)
{
	for (size_t i = 1; i < rq->n_args; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(rq->args[i].name, rq->args[k].name) && is_single(route, rq->args[i].name))
				return err_set(err, ERR_BAD_ARGUMENT, "%.200s: given twice, and it can be only one",
					       rq->args[i].name);
	return 0;
}

int web_args_check(const struct route *route, const struct req *rq, struct err *err)
{
	for (size_t i = 0; i < rq->n_args; i++) {
		const char *name = rq->args[i].name, *w = route->args;
		size_t n;

		for (; w && (w = next_word(w, &n)); w += n)
			if (word_fits(w, n, name))
				break;
		if (w)
			continue;
		if (!route->args)
			return err_set(err, ERR_BAD_ARGUMENT, "%.200s: unknown query argument; none is taken here",
				       name);
		return unknown_arg(route, name, err);
	}
	/* a page takes everything, and shows what the API says of it */
	return route->args && !strcmp(route->args, "*") ? 0 : check_repeated(route, rq, err);
}

/* The weight "q=0.5" of a header element (its parameters behind ';'); 1 without. */
static double weight(const char *params, const char *end)
{
	while (params < end && (params = memchr(params, ';', (size_t)(end - params)))) {
		const char *p = params + 1;
		double q;
		size_t n;

		p += strspn(p, " \t");
		params++;
		if (p >= end || (*p != 'q' && *p != 'Q') || p[1] != '=')
			continue;
		for (n = 0; p + 2 + n < end && strchr("0123456789.", p[2 + n]); n++)
			;
		return num_parse(p + 2, n, &q) || q > 1 ? 0 : q;
	}
	return 1;
}

/* How well a range, as in Accept (n bytes), fits the type: 0 not, else more the more exact. */
static int range_fits(const char *range, size_t n, const char *type)
{
	size_t type_len = strcspn(type, ";");
	const char *slash = strchr(type, '/');

	if (n == 3 && !strncmp(range, "*/*", 3))
		return 1;
	if (n >= 2 && range[n - 1] == '*' && range[n - 2] == '/')
		return n - 1 == (size_t)(slash - type) + 1 && !strncasecmp(range, type, n - 1) ? 2 : 0;
	return n == type_len && !strncasecmp(range, type, n) ? 3 : 0;
}

static double accept_weight(const char *accept, const char *type)
{
	int best = 0;
	double q = 0;

	for (const char *p = accept, *end; *p; p = *end ? end + 1 : end) {
		size_t n;
		int fit;

		end = p + strcspn(p, ",");
		p += strspn(p, " \t");
		n = p < end ? strcspn(p, " \t;,") : 0;
		fit = n ? range_fits(p, n, type) : 0;
		if (fit > best) {
			best = fit;
			q = weight(p + n, end);
		}
	}
	return q;
}

static int not_acceptable(const struct route *route, struct err *err)
{
	char list[300] = "";
	size_t n = 0;

	for (size_t i = 0; i < N_REPS; i++)
		if (route->reps & reps[i].rep)
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%.*s", n ? ", " : "",
					      (int)strcspn(reps[i].type, ";"), reps[i].type);
	return err_set(err, ERR_NOT_ACCEPTABLE, "Accept: this resource comes as %s", list);
}

int web_args_rep(const struct route *route, enum rep ext, const char *accept, enum rep *rep, struct err *err)
{
	double best = 0;

	*rep = ext;
	if (ext)
		return 0;
	if (route->reps == REP_OTHER || !accept || !*accept)
		accept = "*/*";
	for (size_t i = 0; i < N_REPS; i++) {
		double q = route->reps & reps[i].rep ? accept_weight(accept, reps[i].type) : 0;

		if (q > best) {
			best = q;
			*rep = reps[i].rep;
		}
	}
	return *rep ? 0 : not_acceptable(route, err);
}

bool web_args_takes_gzip(const char *accept_encoding)
{
	double named = -1, star = -1;

	for (const char *p = accept_encoding, *end; p && *p; p = *end ? end + 1 : end) {
		size_t n;

		end = p + strcspn(p, ",");
		p += strspn(p, " \t");
		n = p < end ? strcspn(p, " \t;,") : 0;
		if ((n == 4 && !strncasecmp(p, "gzip", 4)) || (n == 6 && !strncasecmp(p, "x-gzip", 6)))
			named = weight(p + n, end);
		else if (n == 1 && *p == '*')
			star = weight(p + n, end);
	}
	return named >= 0 ? named > 0 : star > 0;
}

bool web_args_etag_matches(const char *if_none_match, const char *etag)
{
	size_t len;

	if (!strncmp(etag, "W/", 2))
		etag += 2;
	len = strlen(etag);
	for (const char *p = if_none_match; p && *p;) {
		p += strspn(p, " \t,");
		if (*p == '*')
			return true;
		if (!strncmp(p, "W/", 2))	/* RFC 9110, 13.1.2: the weak comparison */
			p += 2;
		if (!strncmp(p, etag, len))
			return true;
		if (*p != '"')
			return false;
		p += 1 + strcspn(p + 1, "\"");
		p += *p == '"';
	}
	return false;
}

static int by_name(const void *a, const void *b)
{
	const struct web_arg *const *x = a, *const *y = b;
	int c = strcmp((*x)->name, (*y)->name);

	return c ? c : (*x > *y) - (*x < *y);	/* stable */
}

void web_args_canonical(const struct req *rq, struct buf *out)
{
	const struct web_arg **sorted = arena_array(rq->arena, const struct web_arg *, rq->n_args + 1);

	for (size_t i = 0; i < rq->n_args; i++)
		sorted[i] = &rq->args[i];
	qsort(sorted, rq->n_args, sizeof(*sorted), by_name);
	for (size_t i = 0; i < rq->n_args; i++) {	/* NUL stands in no name and no value */
		buf_add(out, sorted[i]->name, strlen(sorted[i]->name) + 1);
		buf_add(out, sorted[i]->value, strlen(sorted[i]->value) + 1);
	}
}

const char *web_arg(const struct req *rq, const char *name)
{
	for (size_t i = 0; i < rq->n_args; i++)
		if (!strcmp(rq->args[i].name, name))
			return rq->args[i].value;
	return NULL;
}

const char **web_args(const struct req *rq, const char *name, size_t *n)
{
	const char **list = arena_array(rq->arena, const char *, rq->n_args + 1);

	*n = 0;
	for (size_t i = 0; i < rq->n_args; i++)
		if (!strcmp(rq->args[i].name, name))
			list[(*n)++] = rq->args[i].value;
	return list;
}

int web_arg_int(const struct req *rq, const char *name, int least, int most, int standard, int *value,
		struct err *err)
{
	const char *text = web_arg(rq, name);
	int64_t i;

	*value = standard;
	if (!text)
		return 0;
	if (num_parse_i64(text, strlen(text), &i) || i < least || i > most)
		return err_set(err, ERR_BAD_ARGUMENT, "%s: a whole number from %d to %d is needed", name, least, most);
	*value = (int)i;
	return 0;
}
