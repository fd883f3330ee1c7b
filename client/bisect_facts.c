/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a machine told of itself, and whether anything but the kernel changed between two runs. */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bisect_impl.h"

/*
 * A kernel says these of itself, so they change with it, or they count something; memory is what a kernel leaves
 * of it. `bench.pages` is what a kernel made of the request.
 */
static const char *const of_the_kernel[] = {
	"environment.kernel_version", "environment.config_sha256",  "environment.mitigations.*",
	"environment.tainted",	      "environment.bench.batches*", "environment.bench.pages.*",
	"environment.boot_id",	      "environment.uptime*",
};

#define MEMORY "machine.memory_kib"
#define MEMORY_SHARE .02

static bool is_of_the_kernel(const char *key)
{
	for (size_t i = 0; i < sizeof(of_the_kernel) / sizeof(*of_the_kernel); i++)
		if (!fnmatch(of_the_kernel[i], key, 0))
			return true;
	return false;
}

void bisect_facts_add(struct arena *a, struct bisect_facts *f, const char *key, const char *value)
{
	f->list = arena_grow(a, f->list, f->n * sizeof(*f->list), (f->n + 1) * sizeof(*f->list));
	f->list[f->n][0] = arena_strdup(a, key);
	f->list[f->n++][1] = arena_strdup(a, value);
}

const char *bisect_facts_get(const struct bisect_facts *f, const char *key)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->list[i][0], key))
			return f->list[i][1];
	return NULL;
}

/* A command line without what names the kernel that is booted. */
static const char *command_line(struct arena *a, const char *text)
{
	static const char *const names[] = { "BOOT_IMAGE=", "initrd=", "crashkernel=",
					     "systemd.machine_id=" };
	const char *out = "";

	for (const char *p = text + strspn(text, " "); *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " "), i = 0;

		while (i < sizeof(names) / sizeof(*names) && strncmp(p, names[i], strlen(names[i])))
			i++;
		if (i == sizeof(names) / sizeof(*names))
			out = arena_printf(a, "%s%s%.*s", out, *out ? " " : "", (int)n, p);
		p += n;
	}
	return out;
}

void bisect_facts_add_object(struct arena *a, struct bisect_facts *f, const char *prefix,
			     const struct jnode *object)
{
	for (const struct jmember *m = jread_type(object) == JREAD_OBJECT ? jread_first(object) : NULL; m;
	     m = jread_next(object, m)) {
		const struct jnode *v = jread_value(m);
		const char *key = arena_printf(a, "%s.%s", prefix, jread_key(m));
		struct buf text;

		if (jread_type(v) == JREAD_OBJECT) {
			bisect_facts_add_object(a, f, key, v);
			continue;
		}
		if (jread_type(v) == JREAD_NULL || is_of_the_kernel(key))
			continue;
		buf_init(&text);
		if (jread_str(v))
			buf_puts(&text, jread_str(v));
		else
			jread_canonical(v, NULL, &text);
		bisect_facts_add(a, f, key,
				 !strcmp(key, "environment.cmdline") ? command_line(a, text.p) : text.p);
		buf_fini(&text);
	}
}

static bool same(const char *key, const char *x, const char *y)
{
	if (!strcmp(key, MEMORY)) {
		double a = strtod(x, NULL), b = strtod(y, NULL);

		return fabs(a - b) <= MEMORY_SHARE * fmax(a, b);
	}
	return !strcmp(x, y);
}

/* By its name as it stands in a run, or by its last part. */
static bool is_ignored(const struct options_pairs *ignores, const char *key)
{
	const char *dot = strrchr(key, '.');

	for (size_t i = 0; i < ignores->n; i++)
		if (!fnmatch(ignores->list[i][1], key, 0) ||
		    (dot && !fnmatch(ignores->list[i][1], dot + 1, 0)))
			return true;
	return false;
}

const char *bisect_facts_differ(struct arena *a, const struct bisect_facts *was,
				const struct bisect_facts *now, const struct options_pairs *ignores)
{
	const char *out = NULL;

	for (size_t i = 0; i < was->n; i++) {
		const char *key = was->list[i][0], *then = was->list[i][1],
			   *here = bisect_facts_get(now, key);

		if (!here || same(key, then, here) || is_ignored(ignores, key))
			continue; /* what one of them does not tell cannot be compared */
		out = arena_printf(a, "%s%s%s was \"%s\", is \"%s\"", out ? out : "", out ? "; " : "", key,
				   then, here);
	}
	return out;
}
