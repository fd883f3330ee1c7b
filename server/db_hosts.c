/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_hosts.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/log.h"
#include "../lib/must.h"
#include "../lib/num.h"
#include "../lib/tm.h"

#define HOSTS_MAX 16
#define STEP_USEC 200000	/* until the next server is asked, too */
#define LOOK_USEC 30000000	/* so often somebody asks all: one may have been promoted while the old one goes on */
#define TIMEOUT_S 5		/* connect_timeout where nobody says another */

struct host {
	char *name, *addr, *port;	/* NULL: not given */
};

struct db_hosts {
	struct db_hosts *next;
	char *conninfo;
	struct host hosts[HOSTS_MAX];
	int n;				/* 0 or 1: libpq's business */
	int timeout_s;
	bool one_is_right;		/* only the primary will do, so that it can move */
	_Atomic int right;		/* which was right last; -1: none yet */
	_Atomic uint64_t epoch;
	_Atomic uint32_t former;	/* bits of those that were not admitted when they were asked last */
	_Atomic int64_t looked;		/* monotonic usec */
	struct db_timeline timeline;	/* the highest seen; under lock */
};

static _Atomic uint64_t refused;	/* of the process */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct db_hosts *all;		/* under lock */

/* ---- what the conninfo names ---- */

static const char *option(const PQconninfoOption *options, const char *keyword, const char *variable)
{
	for (const PQconninfoOption *o = options; o->keyword; o++)
		if (!strcmp(o->keyword, keyword) && o->val && *o->val)
			return o->val;
	return variable ? getenv(variable) : NULL;
}

static int parts_of(const char *list)
{
	int n = 1;

	for (; list && *list; list++)
		n += *list == ',';
	return list ? n : 0;
}

/* The nth part of a list with commas; of a list of one, that; NULL: none, or an empty one. */
static char *part_of(const char *list, int nth)
{
	char *part;

	if (!list)
		return NULL;
	for (; nth && parts_of(list) > 1; nth--)
		list = strchr(list, ',') + 1;
	if (!strcspn(list, ","))
		return NULL;
	part = strndup(list, strcspn(list, ","));
	must(part != NULL);
	return part;
}

/* 1, or 2 and more servers; where libpq has something to say against the list, it shall. */
static void read_list(struct db_hosts *h, const PQconninfoOption *options)
{
	const char *names = option(options, "host", "PGHOST"), *addrs = option(options, "hostaddr", "PGHOSTADDR");
	const char *ports = option(options, "port", "PGPORT"), *timeout = option(options, "connect_timeout", "PGCONNECT_TIMEOUT");
	const char *session = option(options, "target_session_attrs", "PGTARGETSESSIONATTRS");
	int n = parts_of(addrs ? addrs : names);
	int64_t seconds;

	if (n > HOSTS_MAX || (session && !strcmp(session, "prefer-standby")) || option(options, "service", "PGSERVICE") || (parts_of(ports) > 1 && parts_of(ports) != n) ||
	    (names && addrs && parts_of(names) != n))
		return;
	h->n = n;
	for (int i = 0; i < n; i++)
		h->hosts[i] = (struct host){ part_of(names, i), part_of(addrs, i), part_of(ports, i) };
	h->timeout_s = TIMEOUT_S;
	if (timeout && !num_parse_i64(timeout, strlen(timeout), &seconds) && seconds > 0 && seconds < 3600)
		h->timeout_s = seconds < 2 ? 2 : (int)seconds;	/* 2: as libpq has it */
	h->one_is_right = !session || !strcmp(session, "read-write") || !strcmp(session, "primary");
}

static struct db_hosts *hosts_new(const char *conninfo)
{
	struct db_hosts *h = calloc(1, sizeof(*h));
	PQconninfoOption *options;

	must(h != NULL);
	h->conninfo = strdup(conninfo);
	must(h->conninfo != NULL);
	atomic_init(&h->right, -1);
	options = PQconninfoParse(conninfo, NULL);
	if (options)
		read_list(h, options);
	PQconninfoFree(options);
	return h;
}

struct db_hosts *db_hosts_of(const char *conninfo)
{
	struct db_hosts *h;

	must(!pthread_mutex_lock(&lock));
	for (h = all; h && strcmp(h->conninfo, conninfo) != 0; h = h->next)
		;
	if (!h) {
		h = hosts_new(conninfo);
		h->next = all;
		all = h;
	}
	must(!pthread_mutex_unlock(&lock));
	return h;
}

bool db_hosts_several(const struct db_hosts *h)
{
	return h->n > 1;
}

uint64_t db_hosts_epoch(struct db_hosts *h)
{
	return atomic_load(&h->epoch);
}

struct db_timeline db_hosts_timeline(struct db_hosts *h)
{
	struct db_timeline t;

	must(!pthread_mutex_lock(&lock));
	t = h->timeline;
	must(!pthread_mutex_unlock(&lock));
	return t;
}

void db_hosts_saw(struct db_hosts *h, struct db_timeline t)
{
	must(!pthread_mutex_lock(&lock));
	if (t.number > h->timeline.number && (!h->timeline.number || t.cluster == h->timeline.cluster))
		h->timeline = t;
	must(!pthread_mutex_unlock(&lock));
}

bool db_hosts_look_is_due(struct db_hosts *h)
{
	int64_t now = tm_monotonic_usec(), looked = atomic_load(&h->looked);

	return h->n > 1 && h->one_is_right && now - looked >= LOOK_USEC && atomic_compare_exchange_strong(&h->looked, &looked, now);
}

uint64_t db_hosts_refused(void)
{
	return atomic_load(&refused);
}

static void name_host(const struct host *host, struct buf *out)
{
	const char *name = host->name ? host->name : host->addr;

	buf_printf(out, "%s%s%s", name ? name : "local", host->port ? ":" : "", host->port ? host->port : "");
}

void db_hosts_former(const struct db_hosts *h, struct buf *names)
{
	for (int i = 0; i < h->n; i++) {
		if (!(atomic_load(&h->former) & UINT32_C(1) << i))
			continue;
		buf_puts(names, names->len ? ", " : "");
		name_host(&h->hosts[i], names);
	}
}

/* Said once, and again after it was good in between. */
static void refuse(struct db_hosts *h, int host, struct db_timeline t, int64_t newest)
{
	char quoted[200];
	struct buf name;

	atomic_fetch_add(&refused, 1);
	if (atomic_fetch_or(&h->former, UINT32_C(1) << host) & UINT32_C(1) << host)
		return;
	buf_init(&name);
	name_host(&h->hosts[host], &name);
	buf_putc(&name, 0);
	log_event(LOG_ERROR, "split brain: a former primary takes writes; stop it, and make it a standby",
		  "host=%s timeline=%lld newest=%lld", log_quote(quoted, sizeof(quoted), name.p), (long long)t.number, (long long)newest);
	buf_fini(&name);
}

bool db_hosts_admit(struct db_hosts *h, int host, struct db_timeline t)
{
	int64_t newest = 0;
	int before;

	if (h->one_is_right && t.number) {
		must(!pthread_mutex_lock(&lock));
		if (t.cluster != h->timeline.cluster || t.number > h->timeline.number)
			h->timeline = t;
		newest = h->timeline.number;
		must(!pthread_mutex_unlock(&lock));
	}
	if (t.number < newest) {
		refuse(h, host, t, newest);
		return false;
	}
	atomic_fetch_and(&h->former, ~(UINT32_C(1) << host));
	before = atomic_exchange(&h->right, host);
	if (before >= 0 && before != host && h->one_is_right)
		atomic_fetch_add(&h->epoch, 1);
	return true;
}

int db_hosts_count(const struct db_hosts *h)
{
	return h->n;
}

void db_hosts_of_one(const struct db_hosts *h, int host, const char **keys, const char **values, size_t n)
{
	const struct host *one = &h->hosts[host];

	/* later ones count: in place of the conninfo's lists; NULL: as if it did not stand there */
	keys[n] = "host";
	values[n] = one->name;
	keys[n + 1] = "hostaddr";
	values[n + 1] = one->addr;
	keys[n + 2] = "port";
	values[n + 2] = one->port;
	keys[n + 3] = NULL;
	values[n + 3] = NULL;
}

/* ---- asking them ---- */

struct race {
	struct db_hosts *h;
	uint32_t without;		/* bits of hosts that are not asked */
	struct {
		PGconn *conn;		/* NULL: not asked, or has failed */
		PostgresPollingStatusType wants;
		int64_t since;
		int host;
	} lanes[HOSTS_MAX];
	int started;
	int64_t next_start;
	struct buf *why;
};

static void lane_ends(struct race *r, int lane, const char *why)
{
	const struct host *host = &r->h->hosts[r->lanes[lane].host];

	buf_puts(r->why, r->why->len ? "; " : "");
	name_host(host, r->why);
	buf_printf(r->why, ": %.*s", (int)strcspn(why, "\n"), why);
	PQfinish(r->lanes[lane].conn);
	r->lanes[lane].conn = NULL;
	r->next_start = 0;
}

/* The one that was right last, then the others as they are written. */
static int host_of_lane(const struct race *r, int lane)
{
	int right = atomic_load(&r->h->right);

	if (right < 0)
		return lane;
	return !lane ? right : lane <= right ? lane - 1 : lane;
}

static void start(struct race *r, const char **keys, const char **values, size_t n)
{
	int lane = r->started++, at = host_of_lane(r, lane);

	r->lanes[lane].host = at;
	if (r->without >> at & 1)
		return;
	db_hosts_of_one(r->h, at, keys, values, n);
	r->lanes[lane].conn = PQconnectStartParams(keys, values, 1);
	r->lanes[lane].since = tm_monotonic_usec();
	r->lanes[lane].wants = PGRES_POLLING_WRITING;
	r->next_start = r->lanes[lane].since + STEP_USEC;
	if (!r->lanes[lane].conn || PQstatus(r->lanes[lane].conn) == CONNECTION_BAD)
		lane_ends(r, lane, r->lanes[lane].conn ? PQerrorMessage(r->lanes[lane].conn) : "out of memory");
}

/* Until something happens to one of them, or something is due. How many are under way. */
static int watch_lanes(struct race *r, struct pollfd fds[HOSTS_MAX])
{
	int64_t due = r->started < r->h->n ? r->next_start : INT64_MAX;
	int n = 0;

	for (int i = 0; i < r->started; i++) {
		int64_t end = r->lanes[i].since + r->h->timeout_s * INT64_C(1000000);

		fds[i] = (struct pollfd){ .fd = -1 };
		if (!r->lanes[i].conn)
			continue;
		fds[i].fd = PQsocket(r->lanes[i].conn);
		fds[i].events = r->lanes[i].wants == PGRES_POLLING_READING ? POLLIN : POLLOUT;
		due = end < due ? end : due;
		n++;
	}
	if (n) {
		int64_t left = due - tm_monotonic_usec();

		poll(fds, (nfds_t)r->started, left <= 0 ? 0 : (int)(left / 1000) + 1);
	}
	return n;
}

/* The lane that has a good connection, or -1. */
static int advance(struct race *r, const struct pollfd fds[HOSTS_MAX])
{
	int64_t now = tm_monotonic_usec();

	for (int i = 0; i < r->started; i++) {
		if (!r->lanes[i].conn)
			continue;
		if (fds[i].revents)
			r->lanes[i].wants = PQconnectPoll(r->lanes[i].conn);
		if (r->lanes[i].wants == PGRES_POLLING_OK)
			return i;
		if (r->lanes[i].wants == PGRES_POLLING_FAILED)
			lane_ends(r, i, PQerrorMessage(r->lanes[i].conn));
		else if (now - r->lanes[i].since > r->h->timeout_s * INT64_C(1000000))
			lane_ends(r, i, "no answer in time");
	}
	return -1;
}

static PGconn *won_by(struct race *r, int lane)
{
	PGconn *conn = r->lanes[lane].conn;

	r->lanes[lane].conn = NULL;
	for (int i = 0; i < r->started; i++)
		PQfinish(r->lanes[i].conn);
	return conn;
}

PGconn *db_hosts_connect(struct db_hosts *h, const char **keys, const char **values, size_t n, uint32_t without, int *host,
			 struct buf *why)
{
	struct race r = { .h = h, .without = without, .why = why };
	struct pollfd fds[HOSTS_MAX];
	int lane;

	for (;;) {
		if (r.started < h->n && tm_monotonic_usec() >= r.next_start) {
			start(&r, keys, values, n);
			continue;
		}
		if (!watch_lanes(&r, fds))
			return NULL;	/* all were asked, none is left */
		lane = advance(&r, fds);
		if (lane >= 0) {
			*host = r.lanes[lane].host;
			return won_by(&r, lane);
		}
	}
}
