/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "push_files.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEPTH_MAX 32 /* of folders */

struct list {
	struct arena *a;
	struct push_name *names;
	size_t n, cap;
	struct err *err;
};

static void add(struct list *l, const char *path, bool found)
{
	if (l->n == l->cap) {
		size_t cap = l->cap * 2 + 16;

		l->names = arena_grow(l->a, l->names, l->cap * sizeof(*l->names), cap * sizeof(*l->names));
		l->cap = cap;
	}
	l->names[l->n++] = (struct push_name){ path, found };
}

static int visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static int add_folder(struct list *l, const char *path, int depth);

/* A file or folder in a folder. Links to folders are not followed: they may lead around in circles. */
static int add_found(struct list *l, const char *folder, const char *name, bool summary, int depth)
{
	const char *path = arena_printf(l->a, "%s/%s", folder, name);
	struct stat st;

	if (summary && !fnmatch("regsize_*.log", name, 0))
		return 0; /* the same measurements */
	if (lstat(path, &st))
		return err_set(l->err, ERR_SETUP, "%s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return add_folder(l, path, depth + 1);
	if (S_ISLNK(st.st_mode) && (stat(path, &st) || !S_ISREG(st.st_mode)))
		return 0;
	if (S_ISREG(st.st_mode))
		add(l, path, true);
	return 0;
}

static int add_folder(struct list *l, const char *path, int depth)
{
	struct dirent **list;
	bool summary = false;
	int n, ret = 0;

	if (depth > DEPTH_MAX)
		return err_set(l->err, ERR_SETUP, "%s: more than %d folders deep", path, DEPTH_MAX);
	n = scandir(path, &list, visible, alphasort);
	if (n < 0)
		return err_set(l->err, ERR_SETUP, "%s: %s", path, strerror(errno));
	for (int i = 0; i < n; i++)
		summary |= !strcmp(list[i]->d_name, "summary.csv");
	for (int i = 0; i < n; i++) {
		ret = ret ? ret : add_found(l, path, list[i]->d_name, summary, depth);
		free(list[i]);
	}
	free(list);
	return ret;
}

int push_files(struct arena *a, const char *const *words, size_t n_words, struct push_name **names, size_t *n,
	       struct err *err)
{
	struct list l = { .a = a, .err = err };
	struct stat st;

	for (size_t i = 0; i < n_words; i++) {
		if (!strcmp(words[i], "-") || stat(words[i], &st) || !S_ISDIR(st.st_mode)) {
			add(&l, words[i], false); /* one that is not there is told when it is read */
		} else {
			size_t before = l.n, len = strlen(words[i]);

			while (len > 1 && words[i][len - 1] == '/')
				len--;
			if (add_folder(&l, arena_strndup(a, words[i], len), 0))
				return -1;
			if (l.n == before)
				return err_set(err, ERR_SETUP, "%s: there is no file in it", words[i]);
		}
	}
	*names = l.names;
	*n = l.n;
	return 0;
}
