/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "../lib/buf.h"
#include "../lib/ident.h"
#include "../lib/num.h"
#include "../lib/tm.h"
#include "file.h"
#include "say.h"

/*
 * A file: the line MAGIC, lines "key: value", an empty line, the body. The head says the
 * body's length and digest, so that a damaged file is told from a whole one.
 */
#define MAGIC "nsecwatch-spool 1"
#define DIGITS 20 /* of the place in the order: microseconds, zeros in front */
#define END ".push"
#define UNFINISHED ".new"

struct spool {
	struct arena *a;
	const char *folder;
	int lock; /* fd */
	int64_t last; /* place in the order of the newest */
};

static const char *path_of(struct spool *s, struct arena *a, const char *name)
{
	return arena_printf(a, "%s/%s", s->folder, name);
}

static int failed(struct spool *s, struct err *err)
{
	return err_set(err, ERR_SETUP, "spool: %s: %s", s->folder, strerror(errno));
}

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && !strcmp(name + n - m, end);
}

static int is_entry(const struct dirent *e)
{
	return strlen(e->d_name) > DIGITS && strspn(e->d_name, "0123456789") == DIGITS &&
	       ends_in(e->d_name, END);
}

static int is_unfinished(const struct dirent *e)
{
	return ends_in(e->d_name, UNFINISHED);
}

/* What a process that was killed left half written was never acknowledged. */
static int remove_unfinished(struct spool *s)
{
	struct dirent **list;
	int n = scandir(s->folder, &list, is_unfinished, alphasort), ret = n < 0 ? -1 : 0;

	for (int i = 0; i < n; i++) {
		if (unlink(path_of(s, s->a, list[i]->d_name)))
			ret = -1;
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return ret;
}

static int find_last(struct spool *s, struct err *err)
{
	const char **ids;
	size_t n;

	if (spool_list(s, s->a, &ids, &n, err))
		return -1;
	s->last = n ? strtoll(ids[n - 1], NULL, 10) : 0;
	return 0;
}

static int take_lock(struct spool *s)
{
	if (!flock(s->lock, LOCK_EX | LOCK_NB))
		return 0;
	if (errno != EWOULDBLOCK)
		return -1;
	say("%s: another push is at work, waiting for it", s->folder);
	return flock(s->lock, LOCK_EX);
}

struct spool *spool_open(struct arena *a, const char *folder, struct err *err)
{
	struct spool *s = arena_zalloc(a, sizeof(*s));

	s->a = a;
	s->folder = arena_strdup(a, folder);
	s->lock = -1;
	if (file_make_folders(folder)) {
		failed(s, err);
		return NULL;
	}
	s->lock = open(path_of(s, a, "lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (s->lock < 0 || take_lock(s) || remove_unfinished(s)) {
		failed(s, err);
		spool_close(s);
		return NULL;
	}
	if (find_last(s, err)) {
		spool_close(s);
		return NULL;
	}
	return s;
}

void spool_close(struct spool *s)
{
	if (s && s->lock >= 0)
		close(s->lock);
}

/* A clock that was set back must not change the order. */
static const char *next_id(struct spool *s)
{
	int64_t now = tm_now_usec();
	uint32_t r;

	random_bytes(&r, sizeof(r));
	s->last = now > s->last ? now : s->last + 1;
	return arena_printf(s->a, "%0*lld-%08x" END, DIGITS, (long long)s->last, r);
}

static void put_line(struct buf *b, const char *key, const char *value)
{
	buf_printf(b, "%s: ", key);
	for (const char *p = value; *p; p++)
		buf_putc(b, (unsigned char)*p < ' ' ? ' ' : *p);
	buf_putc(b, '\n');
}

static void put_entry(struct buf *b, const struct spool_entry *e)
{
	uint8_t digest[32];
	char hex[65];

	sha256(e->body, e->len, digest);
	hex_format(digest, sizeof(digest), hex);
	buf_puts(b, MAGIC "\n");
	put_line(b, "server", e->server);
	put_line(b, "target", e->target);
	put_line(b, "type", e->type);
	put_line(b, "coding", e->coding);
	put_line(b, "about", e->about);
	put_line(b, "derived_id", e->derived_id ? "yes" : "no");
	buf_printf(b, "length: %zu\nsha256: %s\n\n", e->len, hex);
	buf_add(b, e->body, e->len);
}

int spool_add(struct spool *s, struct spool_entry *e, struct err *err)
{
	const char *id = next_id(s), *path = path_of(s, s->a, id);
	const char *unfinished = arena_printf(s->a, "%s" UNFINISHED, path);
	struct buf b;
	int ret = 0;

	buf_init(&b);
	put_entry(&b, e);
	if (file_write(unfinished, b.p, b.len) || rename(unfinished, path) || file_sync_folder(s->folder)) {
		failed(s, err);
		unlink(unfinished);
		ret = -1;
	}
	buf_fini(&b);
	e->id = id;
	return ret;
}

int spool_list(struct spool *s, struct arena *a, const char ***ids, size_t *n, struct err *err)
{
	struct dirent **list;
	int found = scandir(s->folder, &list, is_entry, alphasort);

	*n = 0;
	if (found < 0)
		return failed(s, err);
	*ids = arena_array(a, const char *, (size_t)found + 1);
	for (int i = 0; i < found; i++) {
		(*ids)[(*n)++] = arena_strdup(a, list[i]->d_name);
		free(list[i]);
	}
	free(list);
	return 0;
}

/* The value of a line of the head, NULL where it is not there. */
static const char *head_line(struct arena *a, const char *head, const char *end, const char *key)
{
	size_t n = strlen(key);

	for (const char *p = head; p < end; p += strcspn(p, "\n") + 1)
		if (!strncmp(p, key, n) && p[n] == ':' && p[n + 1] == ' ')
			return arena_strndup(a, p + n + 2, strcspn(p + n + 2, "\n"));
	return NULL;
}

static bool parse_entry(struct arena *a, const struct buf *b, struct spool_entry *e)
{
	const char *end = memmem(b->p, b->len, "\n\n", 2), *length, *sum, *derived;
	uint8_t digest[32];
	char hex[65];
	int64_t len;

	if (!end || strncmp(b->p, MAGIC "\n", sizeof(MAGIC)))
		return false;
	length = head_line(a, b->p, end, "length");
	sum = head_line(a, b->p, end, "sha256");
	e->server = head_line(a, b->p, end, "server");
	e->target = head_line(a, b->p, end, "target");
	e->type = head_line(a, b->p, end, "type");
	e->coding = head_line(a, b->p, end, "coding");
	e->about = head_line(a, b->p, end, "about");
	derived = head_line(a, b->p, end, "derived_id");
	if (!length || !sum || !e->server || !e->target || !e->type || !e->coding || !e->about || !derived ||
	    num_parse_i64(length, strlen(length), &len) ||
	    len != (int64_t)(b->len - (size_t)(end + 2 - b->p)))
		return false;
	e->derived_id = !strcmp(derived, "yes");
	e->len = (size_t)len;
	e->body = arena_strndup(a, end + 2, e->len);
	sha256(end + 2, e->len, digest);
	hex_format(digest, sizeof(digest), hex);
	return !strcmp(hex, sum);
}

int spool_read(struct spool *s, struct arena *a, const char *id, struct spool_entry *e, struct err *err)
{
	const char *path = path_of(s, a, id);
	struct buf b;
	int ret = 0;

	*e = (struct spool_entry){ .id = id };
	buf_init(&b);
	if (file_read(path, &b))
		ret = err_set(err, ERR_SETUP, "spool: %s: %s", path, strerror(errno));
	else if (!parse_entry(a, &b, e))
		ret = err_set(err, ERR_INVALID, "spool: %s is damaged", path);
	buf_fini(&b);
	return ret;
}

int spool_remove(struct spool *s, const char *id, struct err *err)
{
	/* not synced: when the name comes back after a power cut, the server knows the request again */
	return unlink(path_of(s, s->a, id)) ? failed(s, err) : 0;
}

const char *spool_refuse(struct spool *s, struct arena *a, const char *id, struct err *err)
{
	const char *folder = path_of(s, a, "refused"), *to = arena_printf(a, "%s/%s", folder, id);

	if (file_make_folders(folder) || rename(path_of(s, a, id), to)) {
		failed(s, err);
		return NULL;
	}
	return to;
}
