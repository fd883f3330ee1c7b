/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the network side counted, as a handler may see it. */
#include "web_call.h"

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
	};
	cache_stats(web->cache, &out->cache_hits, &out->cache_misses, &out->cache_bytes);
	web_queue_stats(web->queue, &out->queued, &out->workers_busy);
}
