/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What push was told to send: files, folders with all that is in them, standard input. */
#ifndef CLIENT_PUSH_FILES_H
#define CLIENT_PUSH_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "../lib/arena.h"
#include "../lib/err.h"

struct push_name {
	const char *path;
	bool found;		/* in a folder: passed over where it holds no results */
};

/*
 * Folders become the files below them, in the order of their names; hidden ones and the
 * reproducer's log files beside the summary made from them are passed over.
 */
int push_files(struct arena *a, const char *const *words, size_t n_words, struct push_name **names, size_t *n,
	       struct err *err);

#endif
