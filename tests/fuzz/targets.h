/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is fuzzed: a reader by its format's name, or one of the table below. A target
 * gives NULL, or what is wrong with what came out; crashes speak for themselves.
 */
#ifndef TESTS_TARGETS_H
#define TESTS_TARGETS_H

#include "../unit/read_holds.h"
#include "../unit/same_json.h"
#include "../unit/same_submission.h"

#include "../../ingest/cpuinfo.h"
#include "../../ingest/format.h"
#include "../../ingest/kernel.h"
#include "../../ingest/thp.h"

static const char *target_submission(struct arena *a, const char *text, size_t len)
{
	struct read_context ctx = { .now = NOW };
	struct read_result res;
	struct err err;
	bool taken;

	if (!read_holds(a, text, len, NULL, &taken))
		return complaint;
	if (read_ndjson(a, text, len, &ctx, &res, &err))
		return err.kind && *err.message ? NULL : "a stream refused without a reason";
	return NULL;
}

/* Our parser against jansson, and a submission read from its text against the same by way of a tree. */
static const char *target_json(struct arena *a, const char *text, size_t len)
{
	bool quick;

	return json_both_ways(text, len) == JSON_OTHER ? "read otherwise than jansson does" : read_both_ways(a, text, len, &quick);
}

/* The first line is the Content-Type, which names the boundary; behind it the form. */
static const char *target_form(struct arena *a, const char *text, size_t len)
{
	const char *nl = memchr(text, '\n', len), *body = nl ? nl + 1 : text + len;
	const char *type = arena_strndup(a, text, nl ? (size_t)(nl - text) : len);
	struct read_context ctx = { .now = NOW };
	struct read_result res;
	struct err err = { 0 };
	size_t n = len - (size_t)(body - text);
	char *exact = malloc(n ? n : 1);
	int ret;

	memcpy(exact, body, n);
	ret = read_multipart(a, exact, n, type, &ctx, &res, &err);
	for (size_t i = 0; !ret && i < res.n; i++)
		if (!item_holds(&res.items[i]))
			ret = 1;
	free(exact);
	if (ret < 0)
		return err.kind && *err.message ? NULL : "a form refused without a reason";
	return ret ? complaint : NULL;
}

static int key_order(const struct kernel *x, const struct kernel *y)
{
	int d = memcmp(x->key, y->key, x->key_len < y->key_len ? x->key_len : y->key_len);

	return d ? d : (int)x->key_len - (int)y->key_len;
}

/* A name that is accepted means itself again; two on one line are in one order. */
static const char *target_kernel(struct arena *a, const char *text, size_t len)
{
	struct kernel k, again, fixed;
	struct err err;
	char *name = arena_strndup(a, text, len);

	if (kernel_parse(a, name, &k, &err))
		return err.kind && *err.message ? NULL : "refused without a reason";
	if (!k.name || !k.identity || !k.track || !*k.track || !k.base || !k.flavour || !k.key_len || k.key_len > KERNEL_KEY_MAX)
		return "a kernel with something missing";
	if (kernel_compare(&k, &k) != KERNEL_SAME)
		return "a kernel that is not itself";
	if (kernel_parse(a, k.name, &again, &err))
		return "its name is no name";
	if (strcmp(again.identity, k.identity) || strcmp(again.track, k.track) || key_order(&again, &k) ||
	    strcmp(again.name, k.name))
		return "its name means another kernel";
	if (kernel_parse(a, "6.17-rc1", &fixed, &err))
		return "6.17-rc1 is no kernel";
	if (kernel_compare(&k, &fixed) != KERNEL_UNORDERED && kernel_compare(&k, &fixed) != -kernel_compare(&fixed, &k))
		return "an order that does not hold from the other side";
	return NULL;
}

/* Lines "NAME:TEXT" as files; the first line alone as a slug and as a command line, too. */
static const char *target_thp(struct arena *a, const char *text, size_t len)
{
	char *copy = arena_strndup(a, text, len), *line = copy, *next, *first = arena_strndup(a, copy, strcspn(copy, "\n"));
	struct thp_file files[64];
	struct thp thp, again;
	struct err err;
	size_t n = 0, bad;

	for (; line && n < 64; line = next) {
		char *colon;

		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		colon = strchr(line, ':');
		if (!colon)
			continue;
		*colon = 0;
		files[n++] = (struct thp_file){ line, colon + 1 };
	}
	if (!thp_from_files(a, files, n, 0, &thp, &bad, &err)) {
		if (thp_from_slug(a, thp.slug, &again, &err) || strcmp(thp.slug, again.slug))
			return "the slug of files is none";
	} else if (bad >= n && n) {
		return "a file is to blame that was not given";
	}
	if (!thp_from_slug(a, first, &thp, &err) && (thp_from_slug(a, thp.slug, &again, &err) || strcmp(thp.slug, again.slug)))
		return "a slug that is none";
	if (!thp_from_cmdline(a, first, "madvise", 2048, &thp, &err) && thp_from_slug(a, thp.slug, &again, &err))
		return "the slug of a command line is none";
	return NULL;
}

static const char *target_cpu(struct arena *a, const char *text, size_t len)
{
	struct cpu_id cpu = CPU_ID_NONE;
	const char *slug;

	cpuinfo_read(a, arena_strndup(a, text, len), &cpu);
	slug = uarch_slug(&cpu);
	return !slug || *slug ? NULL : "an empty slug";
}

/* Who takes it for his own, with and without a name; and it reads it, or says why not. */
static const char *target_sniff(struct arena *a, const char *text, size_t len)
{
	const char *copy = arena_strndup(a, text, len);
	const struct format *f = format_sniff(copy, strlen(copy)), *named = format_guess(copy, strlen(copy), "results/stats.json");
	bool taken;

	if ((f && !format_find(f->name)) || (named && !format_find(named->name)))
		return "a format that is none";
	return read_holds(a, text, len, "auto", &taken) ? NULL : complaint;
}

static const struct {
	const char *name;
	const char *(*run)(struct arena *a, const char *text, size_t len);
} targets[] = {
	{ "submission", target_submission }, { "form", target_form }, { "kernel", target_kernel },
	{ "thp", target_thp },		     { "cpu", target_cpu },   { "sniff", target_sniff },
	{ "json", target_json },
};

/* NULL, or what is wrong. A name that is no target is wrong, too. */
static const char *target_run(const char *name, const char *text, size_t len)
{
	const char *bad = NULL;
	struct arena *a;
	bool taken;
	size_t i = 0;

	while (i < sizeof(targets) / sizeof(*targets) && strcmp(targets[i].name, name))
		i++;
	if (i == sizeof(targets) / sizeof(*targets) && !format_find(name))
		return "no such target";
	a = arena_new();
	if (i < sizeof(targets) / sizeof(*targets))
		bad = targets[i].run(a, text, len);
	else if (!read_holds(a, text, len, name, &taken))
		bad = complaint;
	arena_free(a);
	return bad;
}

#endif
