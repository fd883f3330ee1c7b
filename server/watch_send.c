/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch_send.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../lib/log.h"
#include "../lib/must.h"
#include "../lib/tm.h"
#include "deliver_http.h"
#include "watch_compose.h"
#include "watch_keep.h"

#define THREADS_MOST 8
#define TICK_MS 1000			/* how late a delivery that is due may be */
#define LEASE_S 20			/* a delivery of a watch that died is free again after this */
#define HOLD_TICKS 5			/* leases are renewed */
#define KEEP_TICKS 15			/* digests and the rest are looked at */
#define GRACE_USEC (4 * 1000000)	/* for what is under way when we are told to stop */
#define DELAY_MAX_MS (3600 * 1000)
#define DOWN_MAX_MS 30000		/* longest pause of a receiver that was not there */
#define LINK_TRIES_MS 1000		/* pause before asking a database that is away again */
#define UNENDED 5			/* attempts beyond the last: those that a watch did not survive */

/* A receiver. Under lock. */
struct lane {
	const char *target;		/* of a webhook; NULL: the mail server */
	bool busy;
	int64_t free_at;		/* monotonic usec */
};

struct sender {
	struct watch_send *s;
	struct db *db;
	pthread_t thread;
	int64_t item;			/* the row under way, or 0; under lock */
};

struct watch_send {
	const struct deliver_map *map;
	struct deliver d;
	struct catalog *catalog;
	struct calc_mail_look look;
	int tries, settle_s;
	pthread_mutex_t lock;
	pthread_cond_t change;
	bool woken;			/* under lock */
	bool stopping;			/* under lock */
	bool link_down;			/* under lock: said once */
	struct lane *lanes;
	size_t n_lanes;
	pthread_mutex_t claiming;	/* taken before lock: one looks for a row at a time */
	struct sender senders[THREADS_MOST], keeper;
	size_t n_senders;
	_Atomic int64_t end;		/* monotonic usec when what is under way must end; 0: not stopping */
};

int64_t watch_send_delay_ms(int64_t attempts, double random)
{
	int64_t delay = 1000;

	for (int64_t i = 1; i < attempts && delay < DELAY_MAX_MS; i++)
		delay *= 2;
	delay = delay < DELAY_MAX_MS ? delay : DELAY_MAX_MS;
	return delay / 2 + (int64_t)(random * (double)(delay / 2));
}

double watch_send_random(const char *idempotency_key, int64_t attempts)
{
	char text[OUTBOX_KEY + 32];
	uint8_t digest[32];
	uint32_t r;
	int n = snprintf(text, sizeof(text), "%s %lld", idempotency_key, (long long)attempts);

	sha256(text, n < (int)sizeof(text) ? (size_t)n : sizeof(text) - 1, digest);
	memcpy(&r, digest, sizeof(r));
	return r / 4294967296.0;
}

static bool past_grace(void *arg)
{
	struct watch_send *s = arg;
	int64_t end = atomic_load(&s->end);

	return end && tm_monotonic_usec() > end;
}

static bool stopping(struct watch_send *s)
{
	return atomic_load(&s->end) != 0;
}

static struct timespec in_ms(int ms)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += ms / 1000;
	t.tv_nsec += (long)(ms % 1000) * 1000000;
	if (t.tv_nsec >= 1000000000) {
		t.tv_sec++;
		t.tv_nsec -= 1000000000;
	}
	return t;
}

/* Until there may be something to do. */
static void wait_for_work(struct watch_send *s)
{
	must(!pthread_mutex_lock(&s->lock));
	while (!s->woken && !s->stopping)
		must(!pthread_cond_wait(&s->change, &s->lock));
	s->woken = false;
	must(!pthread_mutex_unlock(&s->lock));
}

/* Until told to stop, or the time is over. */
static void pause_ms(struct watch_send *s, int ms)
{
	struct timespec until = in_ms(ms);

	must(!pthread_mutex_lock(&s->lock));
	while (!s->stopping)
		if (pthread_cond_timedwait(&s->change, &s->lock, &until) == ETIMEDOUT)
			break;
	must(!pthread_mutex_unlock(&s->lock));
}

static void note_link(struct watch_send *s, const struct err *err)
{
	char why[900];
	bool said;

	must(!pthread_mutex_lock(&s->lock));
	said = s->link_down;
	s->link_down = err != NULL;
	must(!pthread_mutex_unlock(&s->lock));
	if (err && !said)
		log_event(LOG_WARN, "delivery waits for the database", "error=%s", log_quote(why, sizeof(why), err->message));
	if (!err && said)
		log_event(LOG_INFO, "delivery has its database back", NULL);
}

/* ---- one delivery ---- */

static int send_mail(struct watch_send *s, const struct outbox_item *item, struct deliver_fate *fate, struct err *err)
{
	const struct deliver_target *t = deliver_map_target(s->map, item->kind, item->target);
	char alert[UUID_TEXT] = "", id[UUID_TEXT + 64];
	bool first = item->has_alert && !strcmp(item->event, "opened");

	if (item->has_alert)
		uuid_format(&item->alert_id, alert);
	if (first)
		snprintf(id, sizeof(id), "%s", alert);
	else if (item->has_alert)
		snprintf(id, sizeof(id), "%s.%.60s", alert, item->event);
	if (!t && !strcmp(item->target, OUTBOX_DEFAULT))
		return err_set(err, ERR_UNAVAILABLE, "no --mail-to is set");
	return deliver_mail(&s->d,
			    &(struct deliver_mail){
				    .to = t ? t->address : item->target,
				    .subject = item->subject,
				    .body = item->body,
				    .message_id = item->has_alert ? id : item->idempotency_key,
				    .thread_id = item->has_alert && !first ? alert : NULL,
				    .date = item->created_at,
			    },
			    fate, err);
}

static int send_item(struct watch_send *s, const struct outbox_item *item, struct deliver_fate *fate, struct err *err)
{
	char event[80];

	if (item->kind == OUTBOX_MAIL)
		return send_mail(s, item, fate, err);
	snprintf(event, sizeof(event), "%s.%.60s", item->has_alert ? "alert" : "digest", item->event);
	return deliver_http(&s->d, deliver_map_target(s->map, item->kind, item->target),
			    &(struct deliver_http){ .key = item->idempotency_key, .event = event, .body = item->body }, fate,
			    err);
}

/* It has been sent: nothing else is done before the database knows. */
static void mark_sent(struct sender *me, const struct outbox_item *item)
{
	struct watch_send *s = me->s;
	struct err err = { 0 };
	char why[900];

	while (db_outbox_sent(me->db, item, &err)) {
		note_link(s, &err);
		if (past_grace(s)) {
			log_event(LOG_ERROR, "sent, but the database could not be told: it will be sent again",
				  "key=%s error=%s", item->idempotency_key, log_quote(why, sizeof(why), err.message));
			return;
		}
		if (stopping(s)) {	/* pause_ms() does not pause any more */
			struct timespec t = { .tv_nsec = 50 * 1000000 };

			nanosleep(&t, NULL);
		} else {
			pause_ms(s, LINK_TRIES_MS);
		}
	}
	log_event(LOG_INFO, "delivered", "key=%s attempts=%lld", item->idempotency_key, (long long)item->attempts);
}

/* When it is tried again; -1: never. */
static int64_t delay_of(struct watch_send *s, const struct outbox_item *item, const struct deliver_fate *fate)
{
	int64_t delay = watch_send_delay_ms(item->attempts, watch_send_random(item->idempotency_key, item->attempts));

	if (stopping(s))	/* not its fault */
		return 0;
	if (item->attempts >= s->tries)
		return -1;
	return fate->again_ms > delay ? fate->again_ms : delay;
}

static void mark_failed(struct sender *me, const struct outbox_item *item, int64_t delay, const struct err *why)
{
	struct err err = { 0 };
	char text[900];

	log_event(LOG_WARN, delay < 0 ? "delivery given up" : "delivery failed", "key=%s attempts=%lld retry_ms=%lld error=%s",
		  item->idempotency_key, (long long)item->attempts, (long long)delay,
		  log_quote(text, sizeof(text), why->message));
	if (db_outbox_failed(me->db, item, delay, why->message, &err))
		note_link(me->s, &err);	/* the lease runs out by itself */
}

/* The pause of its receiver in ms. */
static int64_t deliver_item(struct sender *me, struct arena *a, struct outbox_item *item)
{
	struct watch_send *s = me->s;
	const struct deliver_target *t = deliver_map_target(s->map, item->kind, item->target);
	struct deliver_fate fate = { 0 };
	struct err err = { 0 };
	int64_t until, delay;

	if (watch_keep_quiet(t, me->db, tm_now_usec(), &until, &err)) {
		note_link(s, &err);
		return 0;
	}
	if (until != TM_NONE) {
		if (db_outbox_put_off(me->db, item, until, &err))
			note_link(s, &err);
		return 0;
	}
	if (item->attempts > s->tries + UNENDED) {
		err_set(&err, ERR_UNAVAILABLE, "given up: its last attempts did not end");
		mark_failed(me, item, -1, &err);
		return 0;
	}
	if (watch_compose(s->catalog, me->db, a, item, &s->look, &err) || send_item(s, item, &fate, &err)) {
		delay = delay_of(s, item, &fate);
		mark_failed(me, item, delay, &err);
		return fate.down ? (delay < 0 || delay > DOWN_MAX_MS ? DOWN_MAX_MS : delay) : fate.again_ms;
	}
	mark_sent(me, item);
	return 0;
}

/* ---- who does what ---- */

/* Receivers that are free, as what can be delivered now: whether there is any. */
static bool free_lanes(struct watch_send *s, const char **names, struct outbox_able *able)
{
	int64_t now = tm_monotonic_usec();

	*able = (struct outbox_able){ .targets = names, .settle_s = s->settle_s };
	must(!pthread_mutex_lock(&s->lock));
	for (size_t i = 0; i < s->n_lanes; i++) {
		const struct lane *l = &s->lanes[i];

		if (l->busy || l->free_at > now)
			continue;
		if (l->target)
			names[able->n++] = l->target;
		else
			able->mail = true;
	}
	must(!pthread_mutex_unlock(&s->lock));
	return able->mail || able->n;
}

static struct lane *lane_of(struct watch_send *s, const struct outbox_item *item)
{
	for (size_t i = 0; i < s->n_lanes; i++) {
		struct lane *l = &s->lanes[i];

		if (item->kind == OUTBOX_MAIL ? !l->target : l->target && !strcmp(l->target, item->target))
			return l;
	}
	must(!"a receiver that was free");
	return NULL;
}

static struct outbox_item *claim(struct sender *me, struct arena *a, struct lane **lane)
{
	struct watch_send *s = me->s;
	const char **names = arena_array(a, const char *, s->n_lanes);
	struct outbox_item *item = NULL;
	struct outbox_able able;
	struct err err = { 0 };

	must(!pthread_mutex_lock(&s->claiming));
	if (free_lanes(s, names, &able)) {
		if (db_outbox_claim(me->db, a, &able, LEASE_S, &item, &err))
			note_link(s, &err);
		else
			note_link(s, NULL);
	}
	if (item) {
		*lane = lane_of(s, item);
		must(!pthread_mutex_lock(&s->lock));
		(*lane)->busy = true;
		me->item = item->id;
		must(!pthread_mutex_unlock(&s->lock));
	}
	must(!pthread_mutex_unlock(&s->claiming));
	return item;
}

static void *send_all(void *arg)
{
	struct sender *me = arg;
	struct watch_send *s = me->s;
	struct arena *a = arena_new();

	while (!stopping(s)) {
		struct outbox_item *item;
		struct lane *lane;
		int64_t pause;

		arena_reset(a);
		item = claim(me, a, &lane);
		if (!item) {
			wait_for_work(s);
			continue;
		}
		watch_send_wake(s);	/* there may be more, for another */
		pause = deliver_item(me, a, item);
		must(!pthread_mutex_lock(&s->lock));
		me->item = 0;
		lane->busy = false;
		lane->free_at = pause ? tm_monotonic_usec() + pause * 1000 : 0;
		must(!pthread_mutex_unlock(&s->lock));
	}
	arena_free(a);
	return NULL;
}

static void hold_leases(struct watch_send *s)
{
	int64_t ids[THREADS_MOST];
	struct err err = { 0 };
	size_t n = 0;

	must(!pthread_mutex_lock(&s->lock));
	for (size_t i = 0; i < s->n_senders; i++)
		if (s->senders[i].item)
			ids[n++] = s->senders[i].item;
	must(!pthread_mutex_unlock(&s->lock));
	if (db_outbox_hold(s->keeper.db, ids, n, LEASE_S, &err))
		note_link(s, &err);
}

static void *keep_all(void *arg)
{
	struct sender *me = arg;
	struct watch_send *s = me->s;
	struct arena *a = arena_new();

	for (unsigned tick = 0; !stopping(s); tick++) {
		struct err err = { 0 };

		if (tick % HOLD_TICKS == 0)
			hold_leases(s);
		if (tick % KEEP_TICKS == 0 && watch_keep(s->map, me->db, a, tm_now_usec(), &err))
			note_link(s, &err);
		arena_reset(a);
		watch_send_wake(s);
		pause_ms(s, TICK_MS);
	}
	arena_free(a);
	return NULL;
}

static void start(struct sender *me, struct watch_send *s, const struct conf *conf, void *(*run)(void *))
{
	*me = (struct sender){ .s = s, .db = db_new(conf->db, "nsecwatchd watch", conf->statement_timeout_ms) };
	must(!pthread_create(&me->thread, NULL, run, me));
}

static void end(struct sender *me)
{
	must(!pthread_join(me->thread, NULL));
	db_free(me->db);
}

struct watch_send *watch_send_start(const struct conf *conf, const struct deliver *d, const struct deliver_map *map,
				    struct catalog *catalog)
{
	struct watch_send *s = calloc(1, sizeof(*s));

	must(s);
	s->map = map;
	s->d = *d;
	s->d.stop = past_grace;
	s->d.stop_arg = s;
	s->catalog = catalog;
	s->look = (struct calc_mail_look){ conf->public_url, conf->mail_from, conf->broad_benchmarks };
	s->tries = conf->delivery_tries;
	s->settle_s = conf->settle_s;
	s->lanes = calloc(map->able.n + 1, sizeof(*s->lanes));
	must(s->lanes);
	for (size_t i = 0; i < map->able.n; i++)
		s->lanes[s->n_lanes++].target = map->able.targets[i];
	s->n_lanes += map->able.mail;
	must(!pthread_mutex_init(&s->lock, NULL) && !pthread_mutex_init(&s->claiming, NULL));
	tm_cond_init(&s->change);
	while (s->n_senders < s->n_lanes && s->n_senders < THREADS_MOST)
		start(&s->senders[s->n_senders++], s, conf, send_all);
	start(&s->keeper, s, conf, keep_all);
	return s;
}

void watch_send_wake(struct watch_send *s)
{
	if (!s)
		return;
	must(!pthread_mutex_lock(&s->lock));
	s->woken = true;
	must(!pthread_cond_broadcast(&s->change));
	must(!pthread_mutex_unlock(&s->lock));
}

void watch_send_stop(struct watch_send *s)
{
	if (!s)
		return;
	atomic_store(&s->end, tm_monotonic_usec() + GRACE_USEC);
	must(!pthread_mutex_lock(&s->lock));
	s->stopping = true;
	must(!pthread_cond_broadcast(&s->change));
	must(!pthread_mutex_unlock(&s->lock));
	for (size_t i = 0; i < s->n_senders; i++)
		end(&s->senders[i]);
	end(&s->keeper);
	must(!pthread_cond_destroy(&s->change));
	must(!pthread_mutex_destroy(&s->lock) && !pthread_mutex_destroy(&s->claiming));
	free(s->lanes);
	free(s);
}
