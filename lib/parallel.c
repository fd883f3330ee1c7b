/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

#include "must.h"

struct job {
	void (*fn)(void *arg, unsigned part);
	void *arg;
	unsigned part;
};

/* CPUs this process may use; more than a cpu_set_t knows are as good as many. */
static unsigned cpus(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) ? PARALLEL_MOST : CPU_COUNT(&set);

	return n > PARALLEL_MOST ? PARALLEL_MOST : (unsigned)n;
}

unsigned parallel_parts(size_t n, size_t least)
{
	size_t parts = n / least, most = parts > 1 ? cpus() : 1;

	return parts < 1 ? 1 : (unsigned)(parts < most ? parts : most);
}

static void *work(void *arg)
{
	const struct job *job = arg;

	job->fn(job->arg, job->part);
	return NULL;
}

void parallel_run(unsigned parts, void (*fn)(void *arg, unsigned part), void *arg)
{
	struct job jobs[PARALLEL_MOST];
	pthread_t threads[PARALLEL_MOST];
	bool runs[PARALLEL_MOST] = { false };

	must(parts <= PARALLEL_MOST);
	for (unsigned i = 1; i < parts; i++) {
		jobs[i] = (struct job){ fn, arg, i };
		runs[i] = !pthread_create(&threads[i], NULL, work, &jobs[i]);
	}
	fn(arg, 0);
	for (unsigned i = 1; i < parts; i++) {
		if (runs[i])
			must(!pthread_join(threads[i], NULL));
		else
			fn(arg, i);	/* no thread to be had: then one after the other */
	}
}
