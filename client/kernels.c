/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernels.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../ingest/kernel.h"
#include "../lib/buf.h"
#include "file.h"
#include "say.h"

static int by_place(const void *a, const void *b)
{
	const struct kernel *x = a, *y = b;
	int d = strcmp(x->track, y->track);

	if (!d)
		d = memcmp(x->key, y->key, x->key_len < y->key_len ? x->key_len : y->key_len);
	if (!d)
		d = (int)x->key_len - (int)y->key_len;
	return d ? d : strcmp(x->name, y->name);
}

#define KERNEL_COLUMNS "  %-8s %-4s %-5s "
#define KERNEL_NAME_AT 22

static void kernel_row(struct arena *a, const struct kernel *k)
{
	char rc[16] = "", after[32] = "";
	const char *name = k->name;

	if (k->rc)
		snprintf(rc, sizeof(rc), "rc%d", k->rc);
	if (k->distance)
		snprintf(after, sizeof(after), "%lld", (long long)k->distance);
	if (k->uncounted)
		strcat(after, "+");
	if (*k->flavour)
		name = arena_printf(a, "%s  [%s]", name, k->flavour);
	if (printf(KERNEL_COLUMNS, k->base, rc, after) > KERNEL_NAME_AT)
		printf("\n%*s", KERNEL_NAME_AT, "");
	say_folded(name, KERNEL_NAME_AT);
}

static void kernels_print(struct arena *a, struct kernel *list, size_t n)
{
	if (n)
		qsort(list, n, sizeof(*list), by_place);
	for (size_t i = 0; i < n; i++) {
		if (!i || strcmp(list[i].track, list[i - 1].track)) {
			printf("%s%s\n" KERNEL_COLUMNS "name  [flavour]\n", i ? "\n" : "", list[i].track,
			       "base", "rc", "after");
		} else if (kernel_compare(&list[i - 1], &list[i]) == KERNEL_UNORDERED) {
			puts("  -- which of these is later, their names do not say --");
		}
		kernel_row(a, &list[i]);
	}
}

struct names {
	struct arena *a;
	struct kernel *list;
	size_t n, cap;
	int status;
};

static void name_add(struct names *names, const char *text)
{
	struct err err = { 0 };

	if (names->n == names->cap) {
		size_t cap = names->cap ? names->cap * 2 : 64;

		names->list = arena_grow(names->a, names->list, names->cap * sizeof(*names->list),
					 cap * sizeof(*names->list));
		names->cap = cap;
	}
	if (kernel_parse(names->a, text, &names->list[names->n], &err))
		names->status = say("kernel: %s", err.message);
	else
		names->n++;
}

static void names_read(struct names *names)
{
	struct buf in;
	char *rest, *line;

	buf_init(&in);
	if (file_read("-", &in))
		names->status = say("kernel: standard input: %s", strerror(errno));
	else if (strlen(in.p) != in.len)
		names->status = say("kernel: standard input has NUL bytes");
	for (rest = in.p; (line = strsep(&rest, "\n")) != NULL;) {
		line[strcspn(line, "\r")] = 0;
		if (*line)
			name_add(names, line);
	}
	buf_fini(&in);
}

int kernels(struct arena *a, const struct options *o)
{
	struct names names = { .a = a };

	for (size_t i = 0; i < o->n_words; i++) {
		if (strcmp(o->words[i], "-"))
			name_add(&names, o->words[i]);
		else
			names_read(&names);
	}
	kernels_print(names.a, names.list, names.n);
	return names.status;
}
