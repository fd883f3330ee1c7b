/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is the process alive, can it serve, and what has it counted (OpenMetrics 1.0). */
#include <stdio.h>
#include <unistd.h>

#include "../lib/jsonw.h"
#include "../lib/num.h"
#include "../lib/tm.h"
#include "../lib/version.h"
#include "api_handlers.h"
#include "db_migrate.h"

int api_health_live(struct req *rq, struct err *err)
{
	struct jsonw j = jsonw_begin(&rq->out);

	(void)err;
	jsonw_object(&j);
	jsonw_kstr(&j, "status", "ok");
	jsonw_kstr(&j, "version", version_text);
	jsonw_object_end(&j);
	return 0;
}

int api_health_ready(struct req *rq, struct err *err)
{
	struct jsonw j = jsonw_begin(&rq->out);

	if (db_migrate_check(rq->db, err))
		return -1;
	jsonw_object(&j);
	jsonw_kstr(&j, "status", "ready");
	jsonw_object_end(&j);
	return 0;
}

static void family(struct buf *out, const char *name, const char *type, const char *help)
{
	buf_printf(out, "# TYPE nsecwatch_%s %s\n# HELP nsecwatch_%s %s\n", name, type, name, help);
}

static void gauge(struct buf *out, const char *name, const char *help, double value)
{
	char text[NUM_MAX];

	num_format(text, value);
	family(out, name, "gauge", help);
	buf_printf(out, "nsecwatch_%s %s\n", name, text);
}

static void counter(struct buf *out, const char *name, const char *help, uint64_t value)
{
	family(out, name, "counter", help);
	buf_printf(out, "nsecwatch_%s_total %llu\n", name, (unsigned long long)value);
}

static void of_routes(struct buf *out, const struct web_stats *st)
{
	size_t n = 0;

	while (routes[n].method)
		n++;
	family(out, "http_requests", "counter", "Answers by route and class of status; cut: ended without one.");
	for (size_t i = 0; i <= n; i++)
		for (int c = 0; c < 6; c++)
			if (st->routes[i].by_class[c])
				buf_printf(out, "nsecwatch_http_requests_total{method=\"%s\",route=\"%s\",status=\"%c%s\"} %llu\n",
					   i < n ? routes[i].method : "", i < n ? routes[i].pattern : "none",
					   c ? '0' + c : 'c', c ? "xx" : "ut",
					   (unsigned long long)st->routes[i].by_class[c]);
	family(out, "http_seconds", "counter", "Time from request line to end of answer, summed by route.");
	for (size_t i = 0; i <= n; i++)
		if (st->routes[i].usec)
			buf_printf(out, "nsecwatch_http_seconds_total{method=\"%s\",route=\"%s\"} %.6f\n",
				   i < n ? routes[i].method : "", i < n ? routes[i].pattern : "none",
				   (double)st->routes[i].usec / 1e6);
}

static double resident_bytes(void)
{
	long pages = 0, all = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f) {
		if (fscanf(f, "%ld %ld", &all, &pages) != 2)
			pages = 0;
		fclose(f);
	}
	return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void of_runs(struct buf *out, const struct web_stats *st)
{
	family(out, "runs", "counter", "Submissions by what became of them.");
	buf_printf(out, "nsecwatch_runs_total{outcome=\"stored\"} %llu\n", (unsigned long long)st->runs_stored);
	buf_printf(out, "nsecwatch_runs_total{outcome=\"duplicate\"} %llu\n", (unsigned long long)st->runs_duplicate);
	buf_printf(out, "nsecwatch_runs_total{outcome=\"conflict\"} %llu\n", (unsigned long long)st->runs_conflict);
	buf_printf(out, "nsecwatch_runs_total{outcome=\"invalid\"} %llu\n", (unsigned long long)st->runs_invalid);
}

int api_health_metrics(struct req *rq, struct err *err)
{
	struct buf *out = &rq->out;
	struct web_stats st;

	(void)err;
	web_stats(rq, &st);
	rq->type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
	family(out, "build", "info", "What runs here.");
	buf_printf(out, "nsecwatch_build_info{version=\"%s\"} 1\n", version_text);
	gauge(out, "start_time_seconds", "When the process started, in seconds since 1970.",
	      (double)st.started_at / 1e6);
	gauge(out, "resident_bytes", "Memory in use.", resident_bytes());
	of_routes(out, &st);
	of_runs(out, &st);
	counter(out, "received_bytes", "Bodies received.", st.bytes_in);
	counter(out, "sent_bytes", "Bodies sent.", st.bytes_out);
	gauge(out, "connections", "Open connections.", (double)st.connections);
	gauge(out, "queue_length", "Requests that wait for a worker, long polls too.", (double)st.queued);
	gauge(out, "workers_busy", "Workers at work.", (double)st.workers_busy);
	counter(out, "queue_refused", "Requests refused because the queue was full.", st.queue_refused);
	counter(out, "cache_hits", "Answers served from memory.", st.cache_hits);
	counter(out, "cache_misses", "Answers that had to be made.", st.cache_misses);
	gauge(out, "cache_bytes", "Memory that kept answers take.", (double)st.cache_bytes);
	buf_puts(out, "# EOF\n");
	return 0;
}
