/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The packer: a thread with its own connection (and so the one that reads the database's figures
 * for /metrics) that lends `watch` a hand when many runs wait
 * to be packed, so that trends stay fast where `watch` does not keep up or does not run.
 * No worker does it: a transaction of packing takes tens of MiB that each of them would keep.
 */
#include "web_call.h"

#include <stdlib.h>

#include "../lib/log.h"
#include "../lib/must.h"
#include "../lib/tm.h"
#include "db_packs.h"

#define PACK_ABOVE 1000		/* waiting runs from which on a hand is lent */
#define PACK_RUNS 4000		/* per transaction, or as many as its memory bound allows */
#define LOOK_USEC 1000000	/* between two looks at how many wait */
#define GAUGES_USEC 4500000	/* between two readings of the figures for /metrics, about */
#define REST 2			/* times what packing took, unless very many wait: uploads need the CPUs too */
#define MANY 5000

struct web_pack {
	pthread_t thread;
	struct db *db;
	struct arena *arena;
	pthread_mutex_t lock;
	pthread_cond_t cond;
	bool stopping;			/* under lock, as the next */
	bool has_gauges;
	struct db_gauges gauges;
};

/*
 * One look; how long to pause after it. All that waits goes in one transaction: it writes an open
 * chunk of each series once, however many samples that gets.
 */
static int64_t pack(struct web_pack *p)
{
	int64_t begun = tm_monotonic_usec(), rest;
	struct err err = { 0 };
	int64_t waiting = 0;
	size_t packed = 0;
	char quoted[300];

	if (db_packs_waiting(p->db, &waiting, &err) ||
	    (waiting > PACK_ABOVE && db_packs_work(p->db, p->arena, PACK_RUNS, &packed, &err)))
		log_event(err.kind == ERR_UNAVAILABLE ? LOG_DEBUG : LOG_WARN,
			  "packing failed", "error=%s", log_quote(quoted, sizeof(quoted), err.message));
	else if (packed)
		log_event(LOG_DEBUG, "packed", "runs=%zu waiting=%lld", packed, (long long)waiting);
	arena_reset(p->arena);
	rest = (tm_monotonic_usec() - begun) * REST;
	if (packed && waiting - (int64_t)packed > MANY)
		return 0;
	return packed && rest > LOOK_USEC ? rest : LOOK_USEC;
}

/* Until the next look, or the end: false. */
static bool pause_for(struct web_pack *p, int64_t usec)
{
	int64_t until = tm_monotonic_usec() + usec;
	struct timespec ts = { .tv_sec = until / 1000000, .tv_nsec = until % 1000000 * 1000 };
	bool go_on;

	must(!pthread_mutex_lock(&p->lock));
	while (!p->stopping && tm_monotonic_usec() < until)
		pthread_cond_timedwait(&p->cond, &p->lock, &ts);
	go_on = !p->stopping;
	must(!pthread_mutex_unlock(&p->lock));
	return go_on;
}

/* For /metrics, which is answered where nobody may wait for a database. */
static void read_gauges(struct web_pack *p)
{
	struct err ignored = { 0 };
	struct db_gauges g;
	bool has = !db_gauges_read(p->db, &g, &ignored);

	must(!pthread_mutex_lock(&p->lock));
	p->has_gauges = has;
	if (has)
		p->gauges = g;
	must(!pthread_mutex_unlock(&p->lock));
}

bool web_pack_gauges(struct web_pack *p, struct db_gauges *g)
{
	bool has;

	must(!pthread_mutex_lock(&p->lock));
	has = p->has_gauges;
	*g = p->gauges;
	must(!pthread_mutex_unlock(&p->lock));
	return has;
}

static void *work(void *cls)
{
	struct web_pack *p = cls;
	int64_t pause = LOOK_USEC, read = 0;

	while (pause_for(p, pause)) {
		if (tm_monotonic_usec() - read >= GAUGES_USEC) {
			db_look_around(p->db);
			read_gauges(p);
			read = tm_monotonic_usec();
		}
		pause = pack(p);
	}
	return NULL;
}

struct web_pack *web_pack_new(const struct conf *conf)
{
	struct web_pack *p = calloc(1, sizeof(*p));

	must(p != NULL);
	p->db = db_new(conf->db, "nsecwatchd serve packer", conf->statement_timeout_ms);
	p->arena = arena_new();
	must(!pthread_mutex_init(&p->lock, NULL));
	tm_cond_init(&p->cond);
	must(!pthread_create(&p->thread, NULL, work, p));
	return p;
}

void web_pack_free(struct web_pack *p)
{
	if (!p)
		return;
	must(!pthread_mutex_lock(&p->lock));
	p->stopping = true;
	must(!pthread_cond_signal(&p->cond));
	must(!pthread_mutex_unlock(&p->lock));
	must(!pthread_join(p->thread, NULL));
	db_free(p->db);
	arena_free(p->arena);
	pthread_cond_destroy(&p->cond);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
