/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Submissions made by hand, for tests of what stores and reads them. */
#ifndef TESTS_SUB_H
#define TESTS_SUB_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../ingest/submission.h"
#include "../../lib/ident.h"

#define SUB_T0 INT64_C(1770995280000000)	/* 2026-02-13T15:08:00Z */

static void sub_set_digest(struct submission *s, const char *content)
{
	sha256(content, strlen(content), s->content_sha256);
	uuid_v8_of(&s->run_id, s->content_sha256);
}

/* What a result's values make of mean, median and so on. */
__attribute__((unused)) static void sub_set_values(struct arena *a, struct result *r, const double *v, size_t n)
{
	double *copy = arena_alloc(a, n * sizeof(*v)), sum = 0, squares = 0;

	memcpy(copy, v, n * sizeof(*v));
	r->values = copy;
	r->n_values = n;
	r->n = (int64_t)n;
	r->min = r->max = v[0];
	for (size_t i = 0; i < n; i++) {
		sum += v[i];
		r->min = fmin(r->min, v[i]);
		r->max = fmax(r->max, v[i]);
	}
	r->mean = n == 1 ? v[0] : sum / (double)n;
	r->median = v[n / 2];
	for (size_t i = 0; i < n; i++)
		squares += (v[i] - r->mean) * (v[i] - r->mean);
	r->stddev = n > 1 ? sqrt(squares / (double)(n - 1)) : NAN;
}

/* n_results sizes of one benchmark, one value each; `content` makes its identity. */
__attribute__((unused)) static struct submission *sub_new(struct arena *a, const char *machine, const char *kernel,
							  size_t n_results, const char *content)
{
	struct submission *s = arena_zalloc(a, sizeof(*s));
	struct err err;

	if (kernel_parse(a, kernel, &s->kernel, &err)) {
		printf("Bail out! %s\n", err.message);
		exit(1);
	}
	sub_set_digest(s, content);
	s->machine = machine;
	s->isa = "x86_64";
	s->uarch = "epyc-milan";
	s->machine_facts = "{\"cpus\":128}";
	s->thp = "always";
	s->base_page_kib = 4;
	s->flavour = "";
	s->environment = "{\"governor\":\"performance\"}";
	s->boot_id = "boot-1";
	s->started_at = SUB_T0;
	s->finished_at = TM_NONE;
	s->source = "{}";
	s->labels = "{}";
	s->format = "nsecwatch.submission/1";
	s->warnings = problems_new(a);
	s->n_results = n_results;
	s->results = arena_array(a, struct result, n_results);
	for (size_t i = 0; i < n_results; i++) {
		struct result *r = &s->results[i];
		double v = 1700 + (double)i;

		r->benchmark = "mprotect/tw4m";
		r->params = arena_printf(a, "{\"size_kib\":%zu}", 4 * (i + 1));
		r->metric = "latency";
		r->unit = "ns/call";
		r->better = BETTER_LOWER;
		sub_set_values(a, r, &v, 1);
	}
	return s;
}

#endif
