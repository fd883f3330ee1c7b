/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the network side counted, as a handler may see it. */
#include "web_call.h"

#include <string.h>

#include "../lib/tm.h"

static const char *const class_words[WEB_CLASSES] = {
	"upload", "compare", "sweep", "trend", "matrix", "verdict", "alerts", "api", "pages", "static", "health",
};

const char *web_class_word(enum web_class class)
{
	return class_words[class];
}

/* By how the pattern begins: the first line that fits. */
static enum web_class class_of(const struct route *route)
{
	static const struct {
		const char *method, *start;
		enum web_class class;
	} classes[] = {
		{ "GET", "/api/v1/runs/{id}/verdict", WEB_VERDICT },	/* ?wait= makes it as long as the caller wants */
		{ "POST", "/api/v1/runs", WEB_UPLOAD },
		{ NULL, "/api/v1/compare", WEB_COMPARE }, { NULL, "/api/v1/sweep", WEB_SWEEP },
		{ NULL, "/api/v1/trend", WEB_TREND }, { NULL, "/api/v1/matrix", WEB_MATRIX },
		{ NULL, "/api/v1/alerts", WEB_ALERTS }, { NULL, "/api/", WEB_API },
		{ NULL, "/static/", WEB_STATIC }, { NULL, "/healthz", WEB_HEALTH }, { NULL, "/readyz", WEB_HEALTH },
		{ NULL, "/metrics", WEB_HEALTH },
	};

	for (size_t i = 0; route && i < sizeof(classes) / sizeof(classes[0]); i++)
		if (!strncmp(route->pattern, classes[i].start, strlen(classes[i].start)) &&
		    (!classes[i].method || !strcmp(classes[i].method, route->method)))
			return classes[i].class;
	return WEB_PAGES;
}

void web_stats_answered(struct call *call, bool whole)
{
	struct web *web = call->web;
	size_t at = call->route ? (size_t)(call->route - routes) : web->n_routes;
	struct class_count *class = &web->classes[class_of(call->route)];
	unsigned status = whole ? call->reply.status / 100 : 0;
	int64_t usec = tm_monotonic_usec() - call->started;

	atomic_fetch_add(&web->counts[at].by_class[status < 6 ? status : 5], 1);
	atomic_fetch_add(&web->counts[at].usec, (uint64_t)usec);
	atomic_fetch_add(&web->bytes_out, call->sent);
	histogram_add(&class->whole, usec);
	if (call->db_usec)
		histogram_add(&class->db, call->db_usec);
}

void web_count_samples(struct req *rq, size_t n)
{
	atomic_fetch_add(&rq->server->web->samples, n);
}

void web_count(struct req *rq, enum web_count what)
{
	atomic_fetch_add(&rq->server->web->outcome[what], 1);
}

void web_stats(struct req *rq, struct web_stats *out)
{
	struct web *web = rq->server->web;
	struct web_route_stats *list = arena_array(rq->arena, struct web_route_stats, web->n_routes + 1);

	for (size_t i = 0; i <= web->n_routes; i++) {
		for (int c = 0; c < 6; c++)
			list[i].by_class[c] = atomic_load(&web->counts[i].by_class[c]);
		list[i].usec = atomic_load(&web->counts[i].usec);
	}
	*out = (struct web_stats){
		.routes = list,
		.runs_stored = atomic_load(&web->outcome[WEB_STORED]),
		.runs_duplicate = atomic_load(&web->outcome[WEB_DUPLICATE]),
		.runs_conflict = atomic_load(&web->outcome[WEB_CONFLICT]),
		.runs_invalid = atomic_load(&web->outcome[WEB_INVALID]),
		.connections = atomic_load(&web->connections),
		.bytes_in = atomic_load(&web->bytes_in),
		.bytes_out = atomic_load(&web->bytes_out),
		.queue_refused = atomic_load(&web->refused),
		.started_at = web->started_at,
		.samples = atomic_load(&web->samples),
		.workers = (uint64_t)web->conf->workers,
		.has_standby = web->conf->db_read != NULL,
		.standby_reads = atomic_load(&web->standby.reads),
		.standby_behind = atomic_load(&web->standby.behind),
		.standby_failed = atomic_load(&web->standby.failed),
		.queue_most = (uint64_t)web->conf->queue_length,
	};
	for (int i = 0; i < WEB_CLASSES; i++) {
		histogram_read(&web->classes[i].whole, &out->classes[i].whole);
		histogram_read(&web->classes[i].db, &out->classes[i].db);
	}
	db_stats(&out->database);
	out->has_gauges = web_pack_gauges(web->pack, &out->gauges);
	cache_stats(web->cache, &out->cache_hits, &out->cache_misses, &out->cache_bytes);
	web_queue_stats(web->queue, &out->queued, &out->workers_busy);
}
