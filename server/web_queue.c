/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One bounded queue and the workers behind it, each with its own connection and arena. A
 * handler that has no answer yet (a long poll) parks its call instead of holding a worker.
 *
 * The worker that was busy last is woken first: its memory, its connection's plans and the caches of
 * that server process are warm, and as few of them are ever touched as there is work for.
 */
#include "web_call.h"

#include <stdlib.h>

#include "../lib/must.h"
#include "../lib/tm.h"

#define PARKED_MAX 1000

struct worker {
	struct web_queue *queue;
	pthread_t thread;
	struct db *db;
	struct web_standby standby;
	struct arena *arena;
	pthread_cond_t cond;
	struct worker *next_idle;	/* under queue->lock, as the next */
	bool idle;			/* in the list */
};

struct web_queue {
	struct web *web;
	struct db_second *second;	/* lent to all workers */
	struct worker *workers;
	unsigned n_workers;
	size_t most;
	pthread_mutex_t lock;
	/* under lock */
	struct worker *idle;		/* the last busy first */
	struct call *first, *last;
	size_t queued;
	struct call *parked;		/* by wake_at */
	size_t n_parked;
	unsigned busy;
	bool stopping;
};

static void append(struct web_queue *q, struct call *call)
{
	call->next = NULL;
	*(q->last ? &q->last->next : &q->first) = call;
	q->last = call;
	q->queued++;
}

/* Under lock: a worker that waits, or NULL. To be woken when the lock is free: it would only wait for that. */
static struct worker *take_idle(struct web_queue *q)
{
	struct worker *w = q->idle;

	if (w) {
		q->idle = w->next_idle;
		w->idle = false;
	}
	return w;
}

/* They live as long as the queue. */
static void wake(struct worker *w)
{
	if (w)
		must(!pthread_cond_signal(&w->cond));
}

static bool push(struct web_queue *q, struct call *call)
{
	struct worker *idle = NULL;
	bool taken;

	must(!pthread_mutex_lock(&q->lock));
	taken = !q->stopping && q->queued < q->most;
	if (taken) {
		append(q, call);
		idle = take_idle(q);
	}
	must(!pthread_mutex_unlock(&q->lock));
	wake(idle);
	return taken;
}

void web_queue_give(struct web_queue *q, struct call *call)
{
	struct MHD_Connection *connection = call->connection;
	struct err err = { 0 };

	if (push(q, call))
		return;
	atomic_fetch_add(&q->web->refused, 1);
	err_set(&err, ERR_UNAVAILABLE, "the server is too busy: all workers have work and the queue is full");
	web_run_fail(call, 0, NULL, &err);
	MHD_resume_connection(connection);
}

/* false: there are too many already, or the server is going down. */
static bool park(struct web_queue *q, struct call *call)
{
	struct call **p = &q->parked;
	struct worker *idle = NULL;
	bool taken;

	must(!pthread_mutex_lock(&q->lock));
	taken = !q->stopping && q->n_parked < PARKED_MAX;
	if (taken) {
		while (*p && (*p)->wake_at <= call->wake_at)
			p = &(*p)->next;
		call->next = *p;
		*p = call;
		q->n_parked++;
		idle = take_idle(q);	/* somebody has to sleep shorter */
	}
	must(!pthread_mutex_unlock(&q->lock));
	wake(idle);
	return taken;
}

/* Under lock: parked calls whose time has come go to the end of the queue. */
static void wake_parked(struct web_queue *q)
{
	int64_t now = tm_monotonic_usec();

	while (q->parked && (q->stopping || q->parked->wake_at <= now)) {
		struct call *call = q->parked;

		q->parked = call->next;
		q->n_parked--;
		call->rq.last_call = q->stopping;
		append(q, call);
	}
}

/* Under lock: the first of the queue leaves it. */
static struct call *take_first(struct web_queue *q)
{
	struct call *call = q->first;

	q->first = call->next;
	if (!q->first)
		q->last = NULL;
	q->queued--;
	return call;
}

void web_queue_expire(struct web_queue *q)
{
	int64_t before = tm_monotonic_usec() - q->web->conf->request_timeout_s * INT64_C(1000000);
	struct MHD_Connection *connection;
	struct call *call;

	for (;;) {
		must(!pthread_mutex_lock(&q->lock));
		call = q->first && q->first->queued_at < before ? take_first(q) : NULL;
		must(!pthread_mutex_unlock(&q->lock));
		if (!call)
			return;
		connection = call->connection;
		web_run_too_late(call);
		MHD_resume_connection(connection);
	}
}

static void unlist(struct worker *w)
{
	struct worker **p = &w->queue->idle;

	while (*p != w)
		p = &(*p)->next_idle;
	*p = w->next_idle;
	w->idle = false;
}

/* Under lock. Woken for nothing, it is in the list still. */
static void wait_for_work(struct worker *w)
{
	struct web_queue *q = w->queue;
	struct timespec ts;

	w->next_idle = q->idle;
	w->idle = true;
	q->idle = w;
	if (q->parked) {
		ts.tv_sec = q->parked->wake_at / 1000000;
		ts.tv_nsec = q->parked->wake_at % 1000000 * 1000;
		pthread_cond_timedwait(&w->cond, &q->lock, &ts);
	} else {
		must(!pthread_cond_wait(&w->cond, &q->lock));
	}
	if (w->idle)			/* nobody woke it */
		unlist(w);
}

/* The next call; NULL: no more will come. */
static struct call *next_call(struct worker *w)
{
	struct web_queue *q = w->queue;
	struct call *call;

	must(!pthread_mutex_lock(&q->lock));
	wake_parked(q);
	while (!q->first && !q->stopping) {
		wait_for_work(w);
		wake_parked(q);
	}
	call = q->first ? take_first(q) : NULL;
	q->busy += call != NULL;
	must(!pthread_mutex_unlock(&q->lock));
	return call;
}

static void run_done(struct web_queue *q)
{
	must(!pthread_mutex_lock(&q->lock));
	q->busy--;
	must(!pthread_mutex_unlock(&q->lock));
}

static void run(struct worker *w, struct call *call)
{
	struct web_queue *q = w->queue;
	struct MHD_Connection *connection = call->connection;

	call->standby = &w->standby;
	web_run_call(call, w->db, w->arena);
	arena_reset(w->arena);
	if (!call->answer) {		/* asked to be called again */
		if (park(q, call)) {
			run_done(q);
			return;
		}
		call->rq.last_call = true;
		web_run_call(call, w->db, w->arena);
		arena_reset(w->arena);
	}
	run_done(q);
	MHD_resume_connection(connection);	/* from here on the call is the network thread's */
}

static void *work(void *cls)
{
	struct worker *w = cls;
	struct call *call;

	while ((call = next_call(w)))
		run(w, call);
	return NULL;
}

struct web_queue *web_queue_new(struct web *web)
{
	struct web_queue *q = calloc(1, sizeof(*q));

	must(q != NULL);
	q->web = web;
	q->most = (size_t)web->conf->queue_length;
	q->n_workers = (unsigned)web->conf->workers;
	q->workers = calloc(q->n_workers, sizeof(*q->workers));
	must(q->workers != NULL);
	q->second = db_second_new(web->conf->db, "nsecwatchd serve second", web->conf->statement_timeout_ms);
	must(!pthread_mutex_init(&q->lock, NULL));
	for (unsigned i = 0; i < q->n_workers; i++) {
		struct worker *w = &q->workers[i];

		w->queue = q;
		w->db = db_new(web->conf->db, "nsecwatchd serve", web->conf->statement_timeout_ms);
		db_lend(w->db, q->second);
		web_standby_init(&w->standby, web->conf->db_read, web->conf->statement_timeout_ms);
		w->arena = arena_new();
		tm_cond_init(&w->cond);
		must(!pthread_create(&w->thread, NULL, work, w));
	}
	return q;
}

void web_queue_stop(struct web_queue *q)
{
	must(!pthread_mutex_lock(&q->lock));
	q->stopping = true;
	while (q->idle)
		wake(take_idle(q));
	must(!pthread_mutex_unlock(&q->lock));
	for (unsigned i = 0; i < q->n_workers; i++)
		must(!pthread_join(q->workers[i].thread, NULL));
}

void web_queue_free(struct web_queue *q)
{
	if (!q)
		return;
	for (unsigned i = 0; i < q->n_workers; i++) {
		db_free(q->workers[i].db);
		web_standby_fini(&q->workers[i].standby);
		arena_free(q->workers[i].arena);
		pthread_cond_destroy(&q->workers[i].cond);
	}
	pthread_mutex_destroy(&q->lock);
	db_second_free(q->second);
	free(q->workers);
	free(q);
}

void web_queue_stats(struct web_queue *q, uint64_t *queued, uint64_t *busy)
{
	must(!pthread_mutex_lock(&q->lock));
	*queued = q->queued + q->n_parked;
	*busy = q->busy;
	must(!pthread_mutex_unlock(&q->lock));
}
