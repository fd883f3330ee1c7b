/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch_send.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "../lib/log.h"
#include "../lib/must.h"
#include "../lib/tm.h"

#define POLL_MS 1000
#define BOOKKEEPING_S 60		/* a lease is longer than any attempt by this */
#define GRACE_USEC (4 * 1000000)	/* for what is under way when we are told to stop */
#define DELAY_MAX_MS (3600 * 1000)
#define LINK_TRIES_MS 1000		/* pause before asking a database that is away again */

struct watch_send {
	enum outbox_kind kind;
	struct deliver d;
	struct catalog *catalog;
	struct db *db;			/* the thread's */
	struct calc_mail_look look;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t change;
	bool woken;			/* under lock */
	bool stopping;			/* under lock */
	_Atomic int64_t end;		/* monotonic usec when what is under way must end; 0: not stopping */
	bool link_down;			/* the thread's: said once */
};

int64_t watch_send_delay_ms(int64_t attempts, double random)
{
	int64_t delay = 1000;

	for (int64_t i = 1; i < attempts && delay < DELAY_MAX_MS; i++)
		delay *= 2;
	delay = delay < DELAY_MAX_MS ? delay : DELAY_MAX_MS;
	return delay / 2 + (int64_t)(random * (double)(delay / 2));
}

static double random_share(void)
{
	uint32_t r;

	random_bytes(&r, sizeof(r));
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

/* Until woken, told to stop, or the time is over. */
static void pause_ms(struct watch_send *s, int ms)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += (long)(ms % 1000) * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	must(!pthread_mutex_lock(&s->lock));
	while (!s->woken && !s->stopping)
		if (pthread_cond_timedwait(&s->change, &s->lock, &until) == ETIMEDOUT)
			break;
	s->woken = false;
	must(!pthread_mutex_unlock(&s->lock));
}

static void note_link(struct watch_send *s, const struct err *err)
{
	char why[900];

	if (!s->link_down)
		log_event(LOG_WARN, "delivery waits for the database", "kind=%s error=%s",
			  db_outbox_kind_word(s->kind), log_quote(why, sizeof(why), err->message));
	s->link_down = true;
}

/* What the alert says now becomes what all attempts say. */
static int compose(struct watch_send *s, struct arena *a, struct outbox_item *item, struct err *err)
{
	struct buf subject, body;
	struct calc_mail *mail = NULL;
	struct calc_alert *al;
	int ret;

	if (item->body)
		return 0;
	if (calc_alert_load(s->catalog, s->db, a, &item->alert_id, &al, err))
		return -1;
	if (!al)
		return err_set(err, ERR_BUG, "the alert of this delivery is gone");
	if (s->kind == OUTBOX_MAIL && calc_mail_of(s->catalog, s->db, a, al, &s->look, &mail, err))
		return -1;
	buf_init(&subject);
	buf_init(&body);
	if (s->kind == OUTBOX_MAIL) {
		calc_mail_subject(&subject, mail);
		calc_mail_text(&body, mail);
	} else {
		struct jsonw j = jsonw_begin(&body);

		al->n_deliveries = 0;	/* how far we are is no news to the receiver */
		calc_alert_json(&j, al, s->look.public_url, true);
	}
	ret = db_outbox_write_down(s->db, a, item, s->kind == OUTBOX_MAIL ? subject.p : NULL, body.p, err);
	buf_fini(&subject);
	buf_fini(&body);
	return ret;
}

static int send_item(struct watch_send *s, const struct outbox_item *item, struct err *err)
{
	char id[UUID_TEXT];

	if (s->kind == OUTBOX_WEBHOOK)
		return deliver_webhook(&s->d, item->idempotency_key, item->body, err);
	return deliver_mail(&s->d,
			    &(struct deliver_mail){
				    .subject = item->subject,
				    .body = item->body,
				    .message_id = uuid_format(&item->alert_id, id),
				    .date = item->created_at,
			    },
			    err);
}

/* It has been sent: nothing else is done before the database knows. */
static void mark_sent(struct watch_send *s, const struct outbox_item *item)
{
	struct err err = { 0 };
	char why[900];

	while (db_outbox_sent(s->db, item, &err)) {
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

static void mark_failed(struct watch_send *s, const struct outbox_item *item, const struct err *why)
{
	int64_t delay = stopping(s) ? 0 : watch_send_delay_ms(item->attempts, random_share());
	struct err err = { 0 };
	char text[900];

	log_event(LOG_WARN, "delivery failed", "key=%s attempts=%lld retry_ms=%lld error=%s", item->idempotency_key,
		  (long long)item->attempts, (long long)delay, log_quote(text, sizeof(text), why->message));
	if (db_outbox_failed(s->db, item, delay, why->message, &err))
		note_link(s, &err);	/* the lease runs out by itself */
}

/* One row, if one is due: true, and there may be more. */
static bool deliver_one(struct watch_send *s, struct arena *a)
{
	int lease_s = (s->kind == OUTBOX_MAIL ? DELIVER_MAIL_S : DELIVER_WEBHOOK_S) + BOOKKEEPING_S;
	struct outbox_item *item;
	struct err err = { 0 };

	if (db_outbox_claim(s->db, a, s->kind, lease_s, &item, &err)) {
		note_link(s, &err);
		return false;
	}
	if (s->link_down)
		log_event(LOG_INFO, "delivery has its database back", "kind=%s", db_outbox_kind_word(s->kind));
	s->link_down = false;
	if (!item)
		return false;
	if (compose(s, a, item, &err) || send_item(s, item, &err))
		mark_failed(s, item, &err);
	else
		mark_sent(s, item);
	return true;
}

static void *run(void *arg)
{
	struct watch_send *s = arg;
	struct arena *a = arena_new();

	while (!stopping(s)) {
		if (!deliver_one(s, a))
			pause_ms(s, POLL_MS);
		arena_reset(a);
	}
	arena_free(a);
	return NULL;
}

struct watch_send *watch_send_start(enum outbox_kind kind, const struct deliver *d, struct catalog *catalog,
				    const char *conninfo, int statement_timeout_ms,
				    const struct calc_mail_look *look)
{
	struct watch_send *s = calloc(1, sizeof(*s));
	pthread_condattr_t monotonic;

	must(s);
	s->kind = kind;
	s->d = *d;
	s->d.stop = past_grace;
	s->d.stop_arg = s;
	s->catalog = catalog;
	s->look = *look;
	s->db = db_new(conninfo, "nsecwatchd watch", statement_timeout_ms);
	must(!pthread_mutex_init(&s->lock, NULL));
	must(!pthread_condattr_init(&monotonic));
	must(!pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC));
	must(!pthread_cond_init(&s->change, &monotonic));
	must(!pthread_condattr_destroy(&monotonic));
	must(!pthread_create(&s->thread, NULL, run, s));
	return s;
}

void watch_send_wake(struct watch_send *s)
{
	if (!s)
		return;
	must(!pthread_mutex_lock(&s->lock));
	s->woken = true;
	must(!pthread_cond_signal(&s->change));
	must(!pthread_mutex_unlock(&s->lock));
}

void watch_send_stop(struct watch_send *s)
{
	if (!s)
		return;
	atomic_store(&s->end, tm_monotonic_usec() + GRACE_USEC);
	must(!pthread_mutex_lock(&s->lock));
	s->stopping = true;
	must(!pthread_cond_signal(&s->change));
	must(!pthread_mutex_unlock(&s->lock));
	must(!pthread_join(s->thread, NULL));
	must(!pthread_cond_destroy(&s->change));
	must(!pthread_mutex_destroy(&s->lock));
	db_free(s->db);
	free(s);
}
