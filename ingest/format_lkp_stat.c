/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LKP's stat names carry everything it says of a number: who measured it, what, and by
 * its last word often the unit. A test's own results have a direction where the name
 * tells; what a monitor saw meanwhile (mpstat, perf-stat, ...) is neutral: more page
 * faults are neither good nor bad.
 */
#include "format_lkp.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#define UNSTATED "unstated"

/* The first row that fits the whole name counts. */
static const struct rule {
	const char *glob, *unit;
	enum better better;
} rules[] = {
	/* monitors, and GNU time around a test */
	{ "perf-profile.*", "%", BETTER_NEUTRAL },
	{ "*%", "%", BETTER_NEUTRAL },
	{ "perf-stat.*.ipc", "insn/cycle", BETTER_NEUTRAL },
	{ "perf-stat.*.cpi", "cycle/insn", BETTER_NEUTRAL },
	{ "perf-stat.*", "count", BETTER_NEUTRAL },
	{ "proc-vmstat.*", "count", BETTER_NEUTRAL },
	{ "numa-vmstat.*", "count", BETTER_NEUTRAL },
	{ "numa-numastat.*", "count", BETTER_NEUTRAL },
	{ "interrupts.*", "count", BETTER_NEUTRAL },
	{ "softirqs.*", "count", BETTER_NEUTRAL },
	{ "cpuidle.*.usage", "count", BETTER_NEUTRAL },
	{ "meminfo.*", "KiB", BETTER_NEUTRAL },
	{ "numa-meminfo.*", "KiB", BETTER_NEUTRAL },
	{ "vmstat.system.*", "count/s", BETTER_NEUTRAL },
	{ "vmstat.*", UNSTATED, BETTER_NEUTRAL },
	{ "turbostat.*", UNSTATED, BETTER_NEUTRAL },
	{ "sched_debug.*", UNSTATED, BETTER_NEUTRAL },
	{ "iostat.*", UNSTATED, BETTER_NEUTRAL },
	{ "mpstat.*", UNSTATED, BETTER_NEUTRAL },
	{ "*time.percent_of_cpu_this_job_got", "%", BETTER_NEUTRAL },
	{ "*time.elapsed_time.max", "s", BETTER_NEUTRAL },
	{ "time.*_time", "s", BETTER_NEUTRAL },
	{ "*.time.*_time", "s", BETTER_NEUTRAL },
	{ "time.*", "count", BETTER_NEUTRAL },
	{ "*.time.*", "count", BETTER_NEUTRAL },
	/* tests */
	{ "will-it-scale.*_idle", "%", BETTER_NEUTRAL },
	{ "will-it-scale.*linear", "ops/s", BETTER_NEUTRAL },
	{ "will-it-scale.*_ops", "ops/s", BETTER_HIGHER },
	{ "will-it-scale.*.processes", "ops/s", BETTER_HIGHER },
	{ "will-it-scale.*.threads", "ops/s", BETTER_HIGHER },
	{ "will-it-scale.workload", "ops/s", BETTER_HIGHER },
	{ "fio.*iops", "IO/s", BETTER_HIGHER },
	{ "fio.*_MBps", "MB/s", BETTER_HIGHER },
	{ "*_Mbps", "Mbit/s", BETTER_HIGHER },
	{ "*_MBps", "MB/s", BETTER_HIGHER },
	{ "*jobs?per?min", "jobs/min", BETTER_HIGHER },
	{ "*.throughput", UNSTATED, BETTER_HIGHER },
	{ "unixbench.score", "index", BETTER_HIGHER },
	{ "stress-ng.*.ops", "ops", BETTER_NEUTRAL },	/* as many as fit into a time that somebody chose */
	{ "*.nanosec*_per_*", "ns", BETTER_LOWER },
	{ "*.microsec*_per_*", "us", BETTER_LOWER },
	{ "*lat*_ns", "ns", BETTER_LOWER },
	{ "*lat*_us", "us", BETTER_LOWER },
	{ "*lat*_ms", "ms", BETTER_LOWER },
};

/* A rate's last words: "realloc_calls_per_sec" counts calls/s, "read8_MB/sec" MB/s. NULL = no rate. */
static const char *rate_unit(struct arena *a, const char *metric)
{
	static const char *const ends[] = { "_per_second", "_per_sec", "/second", "/sec" };
	size_t n = strlen(metric);

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		size_t len = strlen(ends[i]), from;

		if (n <= len || strcmp(metric + n - len, ends[i]))
			continue;
		for (from = n - len; from && (isalnum((unsigned char)metric[from - 1]) || metric[from - 1] == '-'); from--)
			;
		return from < n - len ? arena_printf(a, "%.*s/s", (int)(n - len - from), metric + from) : NULL;
	}
	return NULL;
}

static void set_unit(struct arena *a, const char *name, struct format_lkp_stat *stat)
{
	const char *rate;

	stat->unit = UNSTATED;
	stat->better = BETTER_NEUTRAL;
	if (strlen(name) > (size_t)2 * SUBMISSION_NAME_MAX)	/* will be refused: no globbing over it */
		return;
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		if (fnmatch(rules[i].glob, name, 0))
			continue;
		stat->unit = rules[i].unit;
		stat->better = rules[i].better;
		return;
	}
	rate = rate_unit(a, stat->metric);
	if (!rate)
		return;
	stat->unit = rate;
	stat->better = BETTER_HIGHER;
}

void format_lkp_stat(struct arena *a, const char *name, struct format_lkp_stat *stat)
{
	static const char stress[] = "stress-ng.";
	const char *dot = strchr(name, '.'), *second = NULL;

	if (!dot || dot == name || !dot[1]) {
		stat->benchmark = name;
		stat->metric = "value";
	} else {
		stat->benchmark = arena_strndup(a, name, (size_t)(dot - name));
		stat->metric = dot + 1;
	}
	/* stress-ng is a suite: its second word is the benchmark, but for the time around it */
	if (dot && !strncmp(name, stress, sizeof(stress) - 1))
		second = strchr(dot + 1, '.');
	if (second && second > dot + 1 && second[1] && strncmp(dot, ".time.", 6)) {
		stat->benchmark = arena_printf(a, "stress-ng/%.*s", (int)(second - dot - 1), dot + 1);
		stat->metric = second + 1;
	}
	set_unit(a, name, stat);
}
