/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../ingest/cpuinfo.h"
#include "collect_impl.h"
#include "file.h"
#include "say.h"

/* ---- files below the root ---- */

/* Firmware and boot loaders write what they like: it must be text. A NUL ends it (device trees have them). */
static char *ascii(struct arena *a, const struct buf *b)
{
	char *text = arena_strndup(a, b->p, strnlen(b->p, b->len));

	for (char *p = text; *p; p++)
		if ((unsigned char)*p >= 0x7f || ((unsigned char)*p < ' ' && *p != '\n' && *p != '\t'))
			*p = '?';
	return text;
}

const char *collect_text(struct collect *c, const char *fmt, ...)
{
	const char *path, *text = NULL;
	struct buf b;
	va_list ap;

	va_start(ap, fmt);
	path = arena_printf(c->a, "%s%s", c->root, arena_vprintf(c->a, fmt, ap));
	va_end(ap);
	buf_init(&b);
	if (!file_read(path, &b)) {
		while (b.len && strchr(" \t\n", b.p[b.len - 1]))
			b.len--;
		text = b.len ? ascii(c->a, &b) : NULL;
		errno = ENODATA;
	}
	buf_fini(&b);
	return text;
}

bool collect_exists(struct collect *c, const char *path)
{
	return !access(arena_printf(c->a, "%s%s", c->root, path), F_OK);
}

static int by_version(const void *a, const void *b)
{
	return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

const char **collect_names(struct collect *c, const char *glob, size_t *n, const char *fmt, ...)
{
	const char **names = NULL, *path;
	size_t cap = 0;
	struct dirent *e;
	va_list ap;
	DIR *d;

	va_start(ap, fmt);
	path = arena_printf(c->a, "%s%s", c->root, arena_vprintf(c->a, fmt, ap));
	va_end(ap);
	*n = 0;
	d = opendir(path);
	if (!d)
		return NULL;
	while ((e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.' || fnmatch(glob, e->d_name, 0))
			continue;
		if (*n == cap) {
			names = arena_grow(c->a, names, cap * sizeof(*names),
					   (cap * 2 + 16) * sizeof(*names));
			cap = cap * 2 + 16;
		}
		names[(*n)++] = arena_strdup(c->a, e->d_name);
	}
	closedir(d);
	if (*n)
		qsort(names, *n, sizeof(*names), by_version);
	return *n ? names : arena_array(c->a, const char *, 1);
}

void collect_leave_out(struct collect *c, const char *what, const char *fmt, ...)
{
	va_list ap;

	buf_printf(&c->left_out, "%s%s", c->left_out.len ? ", " : "", what);
	if (!c->tell)
		return;
	va_start(ap, fmt);
	say("left out: %s: %s", what, arena_vprintf(c->a, fmt, ap));
	va_end(ap);
}

void collect_put(struct collect *c, const char *key, const char *value, const char *path)
{
	if (value)
		jsonw_kstr(c->j, key, value);
	else
		collect_leave_out(c, key, "%s: %s", path, errno == ENODATA ? "empty" : strerror(errno));
}

const char *collect_line(struct collect *c, const char *text, const char *key)
{
	size_t n = strlen(key);

	for (const char *line = text; line && *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *s = line + n;

		if (strncmp(line, key, n))
			continue;
		s += strspn(s, " \t");
		if (*s != ':')
			continue;
		s++;
		s += strspn(s, " \t");
		return arena_strndup(c->a, s, strcspn(s, "\n"));
	}
	return NULL;
}

/* ---- the whole ---- */

/* What is needed first, and by more than one part. */
static void begin(struct collect *c)
{
	const char *cpuinfo = collect_text(c, "/proc/cpuinfo");
	struct utsname u;

	c->cpuinfo = cpuinfo ? cpuinfo : "";
	cpuinfo_read(c->a, c->cpuinfo, &c->cpu);
	c->release = collect_text(c, "/proc/sys/kernel/osrelease");
	c->isa = collect_text(c, "/proc/sys/kernel/arch"); /* since 6.1 */
	if (!*c->root && !uname(&u)) { /* also tells what a personality makes of it: what programs see */
		c->release = arena_strdup(c->a, u.release);
		c->isa = arena_strdup(c->a, u.machine);
	}
	if (!c->isa)
		c->isa = c->cpu.isa;
}

static const char *host_name(struct collect *c)
{
	const char *name = collect_text(c, "/proc/sys/kernel/hostname");
	char text[256];

	if (!name && !*c->root && !gethostname(text, sizeof(text) - 1)) {
		text[sizeof(text) - 1] = 0;
		name = arena_strdup(c->a, text);
	}
	return name && strcmp(name, "(none)") ? name : NULL;
}

static void put_all(struct collect *c, const char *name, const char *bench)
{
	struct jsonw *j = c->j;

	jsonw_object(j);
	jsonw_kstr(j, "schema", "nsecwatch.submission/1");
	jsonw_key(j, "machine");
	jsonw_object(j);
	collect_machine(c, name ? name : host_name(c));
	jsonw_object_end(j);
	if (c->release) {
		jsonw_key(j, "kernel");
		jsonw_object(j);
		jsonw_kstr(j, "release", c->release);
		jsonw_object_end(j);
	} else {
		collect_leave_out(c, "kernel", "/proc/sys/kernel/osrelease: %s", strerror(errno));
	}
	jsonw_key(j, "config");
	jsonw_object(j);
	collect_config(c);
	jsonw_object_end(j);
	jsonw_key(j, "environment");
	jsonw_object(j);
	collect_environment(c);
	if (bench)
		jsonw_kraw(j, "bench", bench);
	jsonw_object_end(j);
	collect_put(c, "boot_id", collect_text(c, "/proc/sys/kernel/random/boot_id"),
		    "/proc/sys/kernel/random/boot_id");
	jsonw_object_end(j);
}

const char *collect_context(struct arena *a, const struct options *o, const char *bench, bool tell, const char **left_out)
{
	struct collect c = { .a = a, .tell = tell };
	size_t root = strlen(o->root);
	struct buf out;
	struct jsonw j;
	const char *text;

	while (root && o->root[root - 1] == '/')
		root--;
	c.root = arena_strndup(a, o->root, root);
	buf_init(&out);
	buf_init(&c.left_out);
	j = jsonw_begin(&out);
	c.j = &j;
	begin(&c);
	put_all(&c, o->machine, bench);
	text = arena_strndup(a, out.p, out.len);
	if (left_out)
		*left_out = arena_strdup(a, c.left_out.p);
	buf_fini(&c.left_out);
	buf_fini(&out);
	return text;
}

/* Compact JSON of objects, arrays and short values, for people. */
static void print_indented(const char *json)
{
	bool quoted = false;
	int depth = 0;

	for (const char *p = json; *p; p++) {
		putchar(*p);
		if (quoted && *p == '\\')
			putchar(*++p);
		else if (*p == '"')
			quoted = !quoted;
		if (quoted)
			continue;
		if (*p == ':')
			putchar(' ');
		else if ((*p == '{' || *p == '[') && p[1] != '}' && p[1] != ']')
			printf("\n%*s", 2 * ++depth, "");
		else if (*p == ',')
			printf("\n%*s", 2 * depth, "");
		if ((p[1] == '}' || p[1] == ']') && *p != '{' && *p != '[')
			printf("\n%*s", 2 * --depth, "");
	}
	putchar('\n');
}

int collect(struct arena *a, const struct options *o)
{
	print_indented(collect_context(a, o, NULL, true, NULL));
	return 0;
}
