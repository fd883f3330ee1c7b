/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch.h"

#include <curl/curl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "../lib/log.h"
#include "../lib/must.h"
#include "../lib/version.h"
#include "db_migrate.h"
#include "db_packs.h"
#include "detect.h"
#include "detect_mutes.h"
#include "detect_manual.h"
#include "detect_silence.h"
#include "watch_send.h"

#define POLL_MS 2000		/* the truth: NOTIFY only makes it faster */
#define SILENCE_MS 2000		/* between two looks for labs that fell silent */
#define PAUSE_MS 100		/* between two turns that find a little each: one with more in it costs less a run */
#define PACK_RUNS 2000		/* in one transaction, or as many as its memory bound allows */
#define CHECK_RUNS 32		/* in one transaction */
#define SKIP_TURNS 300		/* idle polls until runs that could not be checked are tried again: ten minutes */

struct watch {
	const struct conf *conf;
	struct db *db;
	struct catalog *catalog;
	struct arena *arena;
	struct detect detect;
	struct detect_queue queue;
	struct deliver_map map;
	struct deliver deliver;
	struct watch_send *send;	/* or NULL */
	int signals;			/* signalfd */
	uint64_t listening;		/* the connection that LISTENs: db_generation(); 0: none */
	bool unpacked;			/* so many runs wait to be packed that a check takes long: it has to read them one by one */
	bool careful;			/* a batch failed: one run at a time */
	bool full;			/* the last turn left work that it knew of */
	bool ready;			/* the schema is there */
	bool trouble;			/* said already */
	int64_t silence_at;		/* monotonic usec: when labs that are silent are looked for next */
};

/* Waits until a signal, a notification (if that matters), or the time is over. True: stop. */
static bool wait_ms(struct watch *w, int ms, bool notified)
{
	struct pollfd fds[2] = { { .fd = w->signals, .events = POLLIN }, { .fd = -1, .events = POLLIN } };

	if (notified && w->listening && w->listening == db_generation(w->db))
		fds[1].fd = db_socket(w->db);
	(void)poll(fds, 2, ms);		/* EINTR: the next turn asks again */
	return fds[0].revents & POLLIN;
}

static void say_trouble(struct watch *w, const char *what, const struct err *err)
{
	char why[900];

	log_event(w->trouble ? LOG_DEBUG : LOG_WARN, what, "error=%s", log_quote(why, sizeof(why), err->message));
	w->trouble = true;
}

/* LISTEN is lost with its connection, and so is what was notified meanwhile: the work loop looks by itself. */
static int listen_again(struct watch *w, struct err *err)
{
	if (db_connect(w->db, err))
		return -1;
	if (w->listening == db_generation(w->db))
		return 0;
	if (db_alerts_listen(w->db, err))
		return -1;
	w->listening = db_generation(w->db);
	return 0;
}

static int pack_some(struct watch *w, bool *more, struct err *err)
{
	size_t packed = 0;
	int ret = db_packs_work(w->db, w->arena, PACK_RUNS, &packed, err);

	arena_reset(w->arena);
	if (!ret && packed)
		log_event(LOG_DEBUG, "packed", "runs=%zu", packed);
	*more |= packed > 0;
	w->unpacked = packed >= PACK_RUNS;
	w->full |= w->unpacked;
	return ret;
}

static int check_some(struct watch *w, bool *more, struct err *err)
{
	struct detect_report r = { 0 };

	if (detect_work(&w->detect, w->db, w->careful ? 1 : CHECK_RUNS, &w->queue, &r, err)) {
		if (err->kind == ERR_UNAVAILABLE || w->careful)
			return -1;
		w->careful = true;	/* find out which one it is */
		*more = w->full = true;
		return 0;
	}
	w->careful &= r.runs > 0;
	*more |= r.runs > 0 || r.skipped;
	w->full |= w->careful || r.more;
	if (r.runs)
		log_event(r.alerts ? LOG_INFO : LOG_DEBUG, "checked", "runs=%zu alerts=%zu", r.runs, r.alerts);
	if (r.alerts)
		watch_send_wake(w->send);
	return 0;
}

/* Alerts whose mute is over are new again. */
static int wake_some(struct watch *w, struct err *err)
{
	size_t n;

	if (detect_mutes_expire(&w->detect, w->db, &n, err))
		return -1;
	if (n) {
		log_event(LOG_INFO, "no longer muted", "alerts=%zu", n);
		watch_send_wake(w->send);
	}
	return 0;
}

/* What people opened is told as what was found. */
static int tell_opened(struct watch *w, struct err *err)
{
	size_t n;

	if (detect_manual_tell(&w->detect, w->db, &n, err))
		return -1;
	if (n) {
		log_event(LOG_INFO, "opened by hand", "alerts=%zu", n);
		watch_send_wake(w->send);
	}
	return 0;
}

/* Labs that fell silent, or send again; not at every turn. */
static int listen_for_silence(struct watch *w, struct err *err)
{
	int64_t now = tm_monotonic_usec();
	size_t n;

	if (now < w->silence_at)
		return 0;
	if (detect_silence_look(&w->detect, w->db, &n, err))
		return -1;
	w->silence_at = now + SILENCE_MS * INT64_C(1000);
	if (n) {
		log_event(LOG_INFO, "silent labs", "changed=%zu", n);
		watch_send_wake(w->send);
	}
	return 0;
}

/* One turn of work. *more: the next one need not wait. Checks that fail leave packing alone. */
static int turn(struct watch *w, bool *more, struct err *err)
{
	struct err pack_err = { 0 };
	bool news;
	int ret = 0;

	*more = w->full = false;
	db_look_around(w->db);
	if (!w->ready && db_migrate_check(w->db, err))
		return -1;
	w->ready = true;
	if (listen_again(w, err))
		return -1;
	news = db_notified(w->db, DB_ALERTS_CHANNEL);	/* taken off the socket: what it tells is looked up now */
	if (news || !w->unpacked)
		ret = check_some(w, more, err);
	if (!ret)
		ret = wake_some(w, err) || tell_opened(w, err) || listen_for_silence(w, err) ? -1 : 0;
	if (!pack_some(w, more, &pack_err))
		return ret;
	if (!ret)
		*err = pack_err;
	return -1;
}

/*
 * A notification that finds `watch` idle is followed at once; while uploads keep coming, what
 * came in a tenth of a second is done together. True: stop.
 */
static bool wait_for_work(struct watch *w, bool more)
{
	return more ? wait_ms(w, w->full ? 0 : PAUSE_MS, false) : wait_ms(w, POLL_MS, true);
}

static void work(struct watch *w)
{
	int idle = 0;
	bool more = true;

	w->full = true;
	while (!wait_for_work(w, more)) {
		struct err err = { 0 };

		if (turn(w, &more, &err)) {
			say_trouble(w, w->ready ? "work has to wait" : "waiting for the database and its schema", &err);
			more = false;
			w->listening = err.kind == ERR_UNAVAILABLE ? 0 : w->listening;
			continue;
		}
		if (w->trouble)
			log_event(LOG_INFO, "work goes on", NULL);
		w->trouble = false;
		idle = more ? 0 : idle + 1;
		if (idle == SKIP_TURNS) {
			w->queue.n_left_out = 0;
			idle = 0;
		}
	}
}

/* SIGTERM and SIGINT come through a descriptor, in no thread. */
static int signal_descriptor(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	must(!pthread_sigmask(SIG_BLOCK, &set, NULL));
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	must(fd >= 0);
	return fd;
}

int watch_check(const struct conf *conf, struct err *err)
{
	struct arena *a = arena_new();
	struct deliver_map map;
	struct deliver d;
	int ret;

	must(!curl_global_init(CURL_GLOBAL_DEFAULT));
	ret = deliver_map_load(a, conf, &map, err) || deliver_init(&d, a, conf, &map, err) ? -1 : 0;
	curl_global_cleanup();
	arena_free(a);
	return ret;
}

int watch_run(const struct conf *conf, struct err *err)
{
	struct watch w = { .conf = conf, .arena = arena_new() };
	struct arena *whole = arena_new();	/* what is read once */
	int ret = -1;

	w.signals = signal_descriptor();
	must(!curl_global_init(CURL_GLOBAL_DEFAULT));
	if (deliver_map_load(whole, conf, &w.map, err) || deliver_init(&w.deliver, whole, conf, &w.map, err))
		goto out;
	w.catalog = db_catalog_new();
	w.db = db_new(conf->db, "nsecwatchd watch", conf->statement_timeout_ms);
	w.detect = (struct detect){ .catalog = w.catalog, .default_percent = conf->alert_percent, .map = &w.map };
	w.send = watch_send_start(conf, &w.deliver, &w.map, w.catalog);
	log_event(LOG_INFO, "watching", "version=%s webhooks=%zu mail=%s", version_text, w.map.able.n,
		  w.map.able.mail ? "yes" : "no");
	work(&w);
	log_event(LOG_INFO, "stopping", NULL);
	watch_send_stop(w.send);
	db_free(w.db);
	db_catalog_free(w.catalog);
	ret = 0;
out:
	arena_free(w.arena);
	arena_free(whole);
	curl_global_cleanup();
	close(w.signals);
	return ret;
}
