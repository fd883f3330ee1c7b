/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernels, benchmarks, machines and open alerts by any part of their name: for the search box, and for curl. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../lib/jsonw.h"
#include "api_handlers.h"
#include "api_list.h"
#include "calc_alert.h"

#define WORDS_MOST 8
#define QUERY_MOST 200		/* bytes */
#define ALERTS_MOST 200		/* open ones that are looked at, the newest */
#define LIMIT_MOST 100
#define LIMIT_STANDARD 20

struct hit {
	const char *kind, *name, *note, *id;	/* id: what stands in its address */
	int rank;
	size_t order;				/* among equals: as they came */
};

struct search {
	struct arena *a;
	char *word[WORDS_MOST];
	size_t n_words;
	struct hit *hits;
	size_t n, room;
};

static void split(struct search *s, const char *text)
{
	char *save = NULL;

	for (char *w = strtok_r(arena_strdup(s->a, text), " \t", &save); w && s->n_words < WORDS_MOST; w = strtok_r(NULL, " \t", &save))
		s->word[s->n_words++] = w;
}

/* How well a word fits: the whole name, its beginning, the beginning of one of its parts, anywhere in it, only the note. 0: not at all. */
static int fit(const char *word, const char *name, const char *note)
{
	const char *p = strcasestr(name, word);
	int best = p ? 2 : strcasestr(note, word) ? 1 : 0;

	if (p && !strcasecmp(name, word))
		return 16;
	if (p == name && p)
		return 8;
	for (; p; p = strcasestr(p + 1, word))
		if (strchr("/-_.+ ", p[-1]))
			return 4;
	return best;
}

static void offer(struct search *s, const char *kind, const char *name, const char *note, const char *id)
{
	int rank = 0;

	for (size_t i = 0; i < s->n_words; i++) {
		int f = fit(s->word[i], name, note);

		if (!f && strcasecmp(kind, s->word[i]))	/* "kernel 6.17": its kind is a word, too */
			return;
		rank += f;
	}
	if (s->n == s->room) {
		s->hits = arena_grow(s->a, s->hits, s->room * sizeof(*s->hits), (2 * s->room + 64) * sizeof(*s->hits));
		s->room = 2 * s->room + 64;
	}
	s->hits[s->n] = (struct hit){ kind, name, note, id, rank, s->n };
	s->n++;
}

static void offer_alias(struct search *s, const char *kind, const char *name, const char *const *aliases)
{
	for (; aliases && *aliases; aliases++)
		offer(s, kind, name, arena_printf(s->a, "also called %s", *aliases), name);
}

/* Newest kernels first: ids grow as they come. */
static void look_in_catalog(struct search *s, struct catalog *c)
{
	const struct cat_machine *const *machines;
	const struct cat_benchmark *const *benchmarks;
	const struct cat_kernel *const *kernels;
	size_t n;

	db_catalog_lock(c);
	benchmarks = db_catalog_benchmarks(c, &n);
	for (size_t i = 0; i < n; i++) {
		offer(s, "benchmark", benchmarks[i]->name, "", benchmarks[i]->name);
		if (s->n_words)
			offer_alias(s, "benchmark", benchmarks[i]->name, benchmarks[i]->aliases);
	}
	machines = db_catalog_machines(c, &n);
	for (size_t i = 0; i < n; i++) {
		offer(s, "machine", machines[i]->name, machines[i]->uarch, machines[i]->name);
		if (s->n_words)
			offer_alias(s, "machine", machines[i]->name, machines[i]->aliases);
	}
	kernels = db_catalog_kernels(c, &n);
	for (size_t i = n; i-- > 0;)
		offer(s, "kernel", kernels[i]->name, kernels[i]->track, kernels[i]->name);
	db_catalog_unlock(c);
}

static int look_in_alerts(struct search *s, struct req *rq, struct err *err)
{
	struct db_alert *list;
	char id[UUID_TEXT];
	size_t n;

	if (db_alerts_open(rq->db, s->a, ALERTS_MOST, &list, &n, err))
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct calc_alert al;
		const char *note;

		if (calc_alert_name(rq->server->catalog, s->a, &list[i], &al, err))
			return -1;
		note = arena_printf(s->a, "%s since %s, %s, %s: %s", table_percent(s->a, list[i].worst_percent), al.to->name,
				    db_alerts_kind(&list[i]), list[i].state, calc_alert_list_text(s->a, al.machines, al.n_machines, 20));
		offer(s, "alert", al.benchmark->name, note, arena_strdup(s->a, uuid_format(&list[i].id, id)));
	}
	return 0;
}

static int by_rank(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	if (x->rank != y->rank)
		return y->rank - x->rank;
	if (strlen(x->name) != strlen(y->name))	/* the less of it is something else */
		return strlen(x->name) < strlen(y->name) ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* As one part of a path: a '/' in it, too. */
static const char *part(struct arena *a, const char *id)
{
	struct buf out;
	const char *text;

	buf_init(&out);
	for (const char *p = calc_alert_encoded(a, id); *p; p++)
		*p == '/' ? buf_puts(&out, "%2F") : buf_putc(&out, *p);
	text = arena_strdup(a, out.p);
	buf_fini(&out);
	return text;
}

static void tell(struct req *rq, const struct search *s, size_t n)
{
	struct jsonw j = jsonw_begin(&rq->out);

	jsonw_object(&j);
	jsonw_key(&j, "items");
	jsonw_array(&j);
	for (size_t i = 0; i < n; i++) {
		const struct hit *x = &s->hits[i];

		jsonw_object(&j);
		jsonw_kstr(&j, "kind", x->kind);
		jsonw_kstr(&j, "name", x->name);
		jsonw_kstr(&j, "note", x->note);
		jsonw_kstr(&j, "url", arena_printf(rq->arena, "/%ss/%s", x->kind, part(rq->arena, x->id)));
		jsonw_object_end(&j);
	}
	jsonw_array_end(&j);
	jsonw_ki64(&j, "found", (int64_t)s->n);
	jsonw_object_end(&j);
}

static void table(struct req *rq, const struct search *s, size_t n)
{
	static const struct table_col cols[] = { TABLE_STR("kind"), TABLE_STR("name"), TABLE_STR("note") };
	struct table *t = table_new(rq->arena, cols, sizeof(cols) / sizeof(cols[0]));

	for (size_t i = 0; i < n; i++) {
		table_row(t);
		table_str(t, s->hits[i].kind);
		table_str(t, s->hits[i].name);
		table_str(t, s->hits[i].note);
	}
	api_list_table(rq, t);
}

int api_search(struct req *rq, struct err *err)
{
	const char *text = web_arg(rq, "q");
	struct search s = { .a = rq->arena };
	int limit;

	if (text && strlen(text) > QUERY_MOST)
		return err_set(err, ERR_BAD_ARGUMENT, "q: at most %d bytes", QUERY_MOST);
	if (web_arg_int(rq, "limit", 1, LIMIT_MOST, LIMIT_STANDARD, &limit, err) ||
	    db_catalog_refresh_for(rq->server->catalog, rq->db, rq->version, err))
		return -1;
	split(&s, text ? text : "");
	if (look_in_alerts(&s, rq, err))
		return -1;
	look_in_catalog(&s, rq->server->catalog);
	if (s.n && s.n_words)
		qsort(s.hits, s.n, sizeof(*s.hits), by_rank);
	if (rq->rep == REP_JSON)
		tell(rq, &s, s.n < (size_t)limit ? s.n : (size_t)limit);
	else
		table(rq, &s, s.n < (size_t)limit ? s.n : (size_t)limit);
	return 0;
}
