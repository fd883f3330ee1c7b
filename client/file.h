/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files: whole into memory, and onto the disk so that they survive a power cut. */
#ifndef CLIENT_FILE_H
#define CLIENT_FILE_H

#include <stddef.h>

#include "../lib/arena.h"
#include "../lib/buf.h"

/* Adds all of a file ("-": standard input) to out: 0, or -1 and errno. Meant for /proc and /sys, too. */
int file_read(const char *path, struct buf *out);

/* A new file with these bytes, synced, mode 0600; an old one is not replaced: 0, or -1 and errno. */
int file_write(const char *path, const char *p, size_t n);
int file_sync_folder(const char *path);			/* so that names in it last: 0, or -1 and errno */

/* Makes the folder and those above it, for nobody but us: 0, or -1 and errno. */
int file_make_folders(const char *path);

/* $XDG_CONFIG_HOME/REST or ~/.config/REST; $XDG_STATE_HOME/REST or ~/.local/state/REST. NULL: no home. */
const char *file_config_home(struct arena *a, const char *rest);
const char *file_state_home(struct arena *a, const char *rest);

/* The last part of a path. */
const char *file_name(const char *path);

#endif
