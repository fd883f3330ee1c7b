/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keeper of the data version: a thread with a link of its own that answers what the cache has an answer for. A hit is
 * good if the data version at some moment after the request arrived is the answer's. So all that wait share one round
 * trip: while it is under way, those that arrive wait for the next one. What turns out to be no hit goes to the workers'
 * queue, as all does while the link is down or slow.
 */
#include "web_call.h"

#include <stdlib.h>

#include "../lib/log.h"
#include "../lib/must.h"
#include "../lib/tm.h"
#include "db_runs.h"

#define SLOW_USEC 100000	/* a round trip that takes so long: the workers have links that may be better */
#define RETRY_USEC 1000000	/* between two tries to connect */

struct web_keeper {
	struct web *web;
	pthread_t thread;
	struct db *db;
	struct web_standby standby;	/* with --db-read it asks there, and never the primary */
	struct arena *arena;
	pthread_mutex_t lock;
	pthread_cond_t cond;
	/* under lock */
	struct call *first, *last;	/* they wait for the next round trip */
	struct call *asked_for;		/* those that the one under way is for */
	bool up;			/* the link is there */
	bool idle;			/* the thread waits for a call */
	bool stopping;
	int64_t asked_at;		/* monotonic usec: since when one is under way; 0: none is */
};

static struct db *link_of(struct web_keeper *k)
{
	return k->standby.db ? k->standby.db : k->db;
}

/* Under lock: all that wait for the next round trip. */
static struct call *take_next(struct web_keeper *k)
{
	struct call *list = k->first;

	k->first = k->last = NULL;
	return list;
}

/* Under lock: all that wait for one, the first come first. */
static struct call *take_all(struct web_keeper *k)
{
	struct call *list = k->asked_for, **end = &list;

	while (*end)
		end = &(*end)->next;
	*end = take_next(k);
	k->asked_for = NULL;
	return list;
}

static void queue_all(struct web_keeper *k, struct call *list)
{
	struct call *call;

	while ((call = list)) {
		list = call->next;
		web_queue_give(k->web->queue, call);
	}
}

/* Under lock. */
static bool is_slow(const struct web_keeper *k)
{
	return k->asked_at && tm_monotonic_usec() - k->asked_at > SLOW_USEC;
}

bool web_keeper_take(struct web_keeper *k, struct call *call)
{
	struct call *late = NULL;
	bool taken, wake;

	must(!pthread_mutex_lock(&k->lock));
	if (is_slow(k))
		late = take_all(k);
	taken = k->up && !k->stopping && !is_slow(k);
	if (taken) {
		call->next = NULL;
		*(k->last ? &k->last->next : &k->first) = call;
		k->last = call;
	}
	wake = taken && k->idle;
	k->idle = k->idle && !wake;
	must(!pthread_mutex_unlock(&k->lock));
	if (wake)
		must(!pthread_cond_signal(&k->cond));
	queue_all(k, late);
	return taken;
}

void web_keeper_expire(struct web_keeper *k)
{
	struct call *late;

	must(!pthread_mutex_lock(&k->lock));
	late = is_slow(k) ? take_all(k) : NULL;
	must(!pthread_mutex_unlock(&k->lock));
	queue_all(k, late);
}

/* All that wait now; NULL: no more will come. */
static struct call *next_calls(struct web_keeper *k)
{
	struct call *list;

	must(!pthread_mutex_lock(&k->lock));
	while (!k->first && !k->stopping) {
		k->idle = true;
		must(!pthread_cond_wait(&k->cond, &k->lock));
	}
	k->idle = false;
	list = take_next(k);
	must(!pthread_mutex_unlock(&k->lock));
	return list;
}

static void begin(struct web_keeper *k, struct call *list)
{
	must(!pthread_mutex_lock(&k->lock));
	k->asked_for = list;
	k->asked_at = tm_monotonic_usec();
	must(!pthread_mutex_unlock(&k->lock));
}

/* Those of them that it did not take too long for. */
static struct call *end(struct web_keeper *k)
{
	struct call *list;

	must(!pthread_mutex_lock(&k->lock));
	list = k->asked_for;
	k->asked_for = NULL;
	k->asked_at = 0;
	must(!pthread_mutex_unlock(&k->lock));
	return list;
}

/* Of a list those that the standby may answer. The others, from the first it is behind for, are the workers' to look after. */
static struct call *those_shown(struct web_keeper *k, struct call *list)
{
	struct call *call, **p = &list;

	while (k->standby.db && (call = *p)) {
		call->standby = &k->standby;
		if (!web_standby_shows(call))
			break;
		p = &call->next;
	}
	if (k->standby.db) {
		queue_all(k, *p);
		*p = NULL;
	}
	return list;
}

/* One after the other at once: the network thread is woken by the first, and busy until the last is there. */
static void resume_all(struct call *list)
{
	struct call *call;

	while ((call = list)) {
		list = call->next;
		MHD_resume_connection(call->connection);	/* from here on the call is the network thread's */
	}
}

/* One round trip and what it decides. */
static void ask(struct web_keeper *k, struct call *list)
{
	int64_t begun = tm_monotonic_usec(), waited = db_waited_usec(link_of(k));
	struct err ignored = { 0 };
	const char *version;
	struct call *call, **p = &list;
	int failed;

	list = those_shown(k, list);
	if (!list)
		return;
	begin(k, list);
	failed = db_runs_data_version(link_of(k), k->arena, &version, &ignored);
	list = end(k);
	if (failed) {
		queue_all(k, list);	/* where it fails again, a worker tells why */
		return;
	}
	waited = db_waited_usec(link_of(k)) - waited;
	while ((call = *p)) {
		if (web_run_hit(call, version, begun, waited)) {
			p = &call->next;
		} else {
			*p = call->next;
			web_queue_give(k->web->queue, call);
		}
	}
	resume_all(list);
}

/* Whether to go on. */
static bool set_up(struct web_keeper *k, bool up)
{
	struct call *list;
	bool stopping;

	must(!pthread_mutex_lock(&k->lock));
	k->up = up;
	list = up ? NULL : take_next(k);
	stopping = k->stopping;
	must(!pthread_mutex_unlock(&k->lock));
	queue_all(k, list);
	return !stopping;
}

static void pause_for(struct web_keeper *k, int64_t usec)
{
	int64_t until = tm_monotonic_usec() + usec;
	struct timespec ts = { .tv_sec = until / 1000000, .tv_nsec = until % 1000000 * 1000 };

	must(!pthread_mutex_lock(&k->lock));
	while (!k->stopping && tm_monotonic_usec() < until)
		pthread_cond_timedwait(&k->cond, &k->lock, &ts);
	must(!pthread_mutex_unlock(&k->lock));
}

/* Until the link is there. false: the end. */
static bool connect_link(struct web_keeper *k)
{
	struct err ignored = { 0 };

	while (set_up(k, false)) {
		if (!db_connect(link_of(k), &ignored))
			return set_up(k, true);
		pause_for(k, RETRY_USEC);
	}
	return false;
}

static void *work(void *cls)
{
	struct web_keeper *k = cls;
	struct call *list;

	while (connect_link(k)) {
		while (db_is_up(link_of(k)) && (list = next_calls(k))) {
			ask(k, list);
			arena_reset(k->arena);
		}
	}
	return NULL;
}

struct web_keeper *web_keeper_new(struct web *web)
{
	struct web_keeper *k = calloc(1, sizeof(*k));

	must(k != NULL);
	k->web = web;
	k->db = db_new(web->conf->db, "nsecwatchd serve keeper", web->conf->statement_timeout_ms);
	web_standby_init(&k->standby, web->conf->db_read, web->conf->statement_timeout_ms);
	k->arena = arena_new();
	must(!pthread_mutex_init(&k->lock, NULL));
	tm_cond_init(&k->cond);
	must(!pthread_create(&k->thread, NULL, work, k));
	return k;
}

void web_keeper_stop(struct web_keeper *k)
{
	must(!pthread_mutex_lock(&k->lock));
	k->stopping = true;
	must(!pthread_cond_signal(&k->cond));
	must(!pthread_mutex_unlock(&k->lock));
	must(!pthread_join(k->thread, NULL));
}

void web_keeper_free(struct web_keeper *k)
{
	if (!k)
		return;
	db_free(k->db);
	web_standby_fini(&k->standby);
	arena_free(k->arena);
	pthread_cond_destroy(&k->cond);
	pthread_mutex_destroy(&k->lock);
	free(k);
}
