/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the process counted and how its database stands, as OpenMetrics 1.0. Labels have few values, and for good: routes,
 * classes of routes, classes of status, never a name that somebody sent. What is not known is left out.
 * docs/operation.md says what each is for; docs/alerts.yml and docs/dashboard.json use them.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../lib/num.h"
#include "../lib/tm.h"
#include "../lib/version.h"
#include "api_handlers.h"

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

/* class NULL: it has no labels. */
static void histogram(struct buf *out, const char *name, const char *class, const struct histogram_sums *h)
{
	const char *key = class ? "class=\"" : "", *end = class ? "\"" : "", *comma = class ? "," : "";

	class = class ? class : "";
	for (int i = 0; i < HISTOGRAM_BUCKETS; i++)
		buf_printf(out, "nsecwatch_%s_bucket{%s%s%s%sle=\"%s\"} %llu\n", name, key, class, end, comma, histogram_bound(i),
			   (unsigned long long)h->bucket[i]);
	if (*class)
		buf_printf(out, "nsecwatch_%s_count{class=\"%s\"} %llu\nnsecwatch_%s_sum{class=\"%s\"} %.6f\n", name, class,
			   (unsigned long long)h->bucket[HISTOGRAM_BUCKETS - 1], name, class, (double)h->usec / 1e6);
	else
		buf_printf(out, "nsecwatch_%s_count %llu\nnsecwatch_%s_sum %.6f\n", name,
			   (unsigned long long)h->bucket[HISTOGRAM_BUCKETS - 1], name, (double)h->usec / 1e6);
}

/* ---- requests ---- */

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

static void of_classes(struct buf *out, const struct web_stats *st)
{
	family(out, "request_seconds", "histogram", "Time from request line to end of answer, by class of routes.");
	for (int i = 0; i < WEB_CLASSES; i++)
		histogram(out, "request_seconds", web_class_word((enum web_class)i), &st->classes[i].whole);
	family(out, "request_database_seconds", "histogram",
	       "What of a request was waiting for PostgreSQL, of those that did, by class of routes.");
	for (int i = 0; i < WEB_CLASSES; i++)
		histogram(out, "request_database_seconds", web_class_word((enum web_class)i), &st->classes[i].db);
}

static void of_uploads(struct buf *out, const struct web_stats *st)
{
	family(out, "runs", "counter", "Submissions by what became of them.");
	buf_printf(out, "nsecwatch_runs_total{outcome=\"stored\"} %llu\n", (unsigned long long)st->runs_stored);
	buf_printf(out, "nsecwatch_runs_total{outcome=\"duplicate\"} %llu\n", (unsigned long long)st->runs_duplicate);
	buf_printf(out, "nsecwatch_runs_total{outcome=\"conflict\"} %llu\n", (unsigned long long)st->runs_conflict);
	buf_printf(out, "nsecwatch_runs_total{outcome=\"invalid\"} %llu\n", (unsigned long long)st->runs_invalid);
	counter(out, "samples", "Results that were stored, failed ones too.", st->samples);
	counter(out, "received_bytes", "Bodies received.", st->bytes_in);
	counter(out, "sent_bytes", "Bodies sent.", st->bytes_out);
}

static void of_queue(struct buf *out, const struct web_stats *st)
{
	gauge(out, "connections", "Open connections.", (double)st->connections);
	gauge(out, "queue_length", "Requests that wait for a worker, long polls too.", (double)st->queued);
	gauge(out, "queue_limit", "Requests that may wait for a worker.", (double)st->queue_most);
	counter(out, "queue_refused", "Requests refused because the queue was full.", st->queue_refused);
	gauge(out, "workers", "Workers, each with a database connection of its own.", (double)st->workers);
	gauge(out, "workers_busy", "Workers at work.", (double)st->workers_busy);
	counter(out, "cache_hits", "Answers served from memory.", st->cache_hits);
	counter(out, "cache_misses", "Answers that had to be made.", st->cache_misses);
	gauge(out, "cache_bytes", "Memory that kept answers take.", (double)st->cache_bytes);
}

/* ---- the database ---- */

static void of_links(struct buf *out, const struct web_stats *st)
{
	const struct db_stats *d = &st->database;

	family(out, "database_query_seconds", "histogram", "Waits for PostgreSQL: one a statement, or a batch of them.");
	histogram(out, "database_query_seconds", NULL, &d->round_trips);
	if (st->has_standby) {
		family(out, "standby_answers", "counter", "Questions by what became of them at the standby; of the others the primary answered.");
		buf_printf(out, "nsecwatch_standby_answers_total{outcome=\"answered\"} %llu\n", (unsigned long long)st->standby_reads);
		buf_printf(out, "nsecwatch_standby_answers_total{outcome=\"behind\"} %llu\n", (unsigned long long)st->standby_behind);
		buf_printf(out, "nsecwatch_standby_answers_total{outcome=\"failed\"} %llu\n", (unsigned long long)st->standby_failed);
	}
	gauge(out, "database_connections", "Open connections to PostgreSQL.", (double)d->open);
	counter(out, "database_connects", "Connections to PostgreSQL that were made.", d->connects);
	counter(out, "database_connect_failures", "Connections to PostgreSQL that could not be made.", d->failures);
	counter(out, "database_refused", "Connections not made because the server is a former primary that takes writes.", d->refused);
	counter(out, "database_losses", "Connections to PostgreSQL that were lost.", d->lost);
}

static void of_queues(struct buf *out, const struct db_gauges *g)
{
	family(out, "todo_runs", "gauge", "Runs that wait to be packed, and to be checked for changes.");
	buf_printf(out, "nsecwatch_todo_runs{what=\"pack\"} %lld\nnsecwatch_todo_runs{what=\"check\"} %lld\n",
		   (long long)g->pack_waiting, (long long)g->check_waiting);
	family(out, "todo_age_seconds", "gauge", "How long the oldest of them waits; check: how far detection is behind.");
	buf_printf(out, "nsecwatch_todo_age_seconds{what=\"pack\"} %.3f\nnsecwatch_todo_age_seconds{what=\"check\"} %.3f\n",
		   g->pack_age, g->check_age);
	family(out, "outbox_deliveries", "gauge", "Deliveries of alerts that wait, or were given up.");
	buf_printf(out, "nsecwatch_outbox_deliveries{state=\"waiting\"} %lld\nnsecwatch_outbox_deliveries{state=\"dead\"} %lld\n",
		   (long long)g->outbox_waiting, (long long)g->outbox_dead);
	gauge(out, "outbox_overdue_seconds", "How long the delivery that is due longest is due.", g->outbox_age);
	gauge(out, "digest_waiting", "What the next digests will tell.", (double)g->digest_waiting);
	gauge(out, "alerts_open", "Alerts that nobody has ended.", (double)g->alerts_open);
	if (g->newest_run != TM_NONE)
		gauge(out, "newest_run_timestamp_seconds", "When the newest run came, in seconds since 1970.",
		      (double)(g->newest_run / 1000) / 1e3);
	if (g->runs_about >= 0)
		gauge(out, "stored_runs", "Runs in the database, as PostgreSQL's statistics have it.", (double)g->runs_about);
	gauge(out, "database_bytes", "The database on its disk.", (double)g->bytes);
}

/* ---- the process ---- */

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

static void of_process(struct buf *out, const struct web_stats *st)
{
	struct rusage used;

	family(out, "build", "info", "What runs here.");
	buf_printf(out, "nsecwatch_build_info{version=\"%s\"} 1\n", version_text);
	gauge(out, "start_time_seconds", "When the process started, in seconds since 1970.", (double)st->started_at / 1e6);
	gauge(out, "resident_bytes", "Memory in use.", resident_bytes());
	if (!getrusage(RUSAGE_SELF, &used)) {
		family(out, "cpu_seconds", "counter", "Time that processors worked for it.");
		buf_printf(out, "nsecwatch_cpu_seconds_total %.3f\n",
			   (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec +
			   (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6);
	}
}

int api_metrics_get(struct req *rq, struct err *err)
{
	struct buf *out = &rq->out;
	struct web_stats st;

	(void)err;
	web_stats(rq, &st);
	rq->type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
	of_process(out, &st);
	of_routes(out, &st);
	of_classes(out, &st);
	of_uploads(out, &st);
	of_queue(out, &st);
	of_links(out, &st);
	gauge(out, "database_up", "Whether the last look into the database, some seconds ago, went well.", st.has_gauges);
	if (st.has_gauges)
		of_queues(out, &st.gauges);
	buf_puts(out, "# EOF\n");
	return 0;
}
