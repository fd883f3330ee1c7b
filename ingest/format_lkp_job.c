/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LKP's job.yaml: what was to be run where, no measurement. It makes a run without
 * results: valid, and empty. Machine, kernel, commit and THP state are taken where the
 * job names them; all of it is the run's environment.
 */
#include "format.h"

#include <string.h>

#include "../lib/jsonw.h"
#include "../lib/num.h"
#include "yread.h"

#define ENVIRONMENT_MAX ((size_t)256 * 1024)

static void put_node(struct jsonw *j, const struct ynode *node)
{
	if (node->type == YREAD_TEXT) {
		jsonw_str(j, node->text);
	} else if (node->type == YREAD_LIST) {
		jsonw_array(j);
		for (size_t i = 0; i < node->n; i++)
			put_node(j, node->items[i]);
		jsonw_array_end(j);
	} else {
		jsonw_object(j);
		for (size_t i = 0; i < node->n; i++) {
			jsonw_key(j, node->keys[i]);
			put_node(j, node->items[i]);
		}
		jsonw_object_end(j);
	}
}

static const char *twice(const struct ynode *node)
{
	for (size_t i = 0; node->type == YREAD_MAP && i < node->n; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(node->keys[i], node->keys[k]))
				return node->keys[i];
	return NULL;
}

static const char *text_of(struct draft *d, const struct ynode *job, const char *key)
{
	const char *text = yread_text(job, key);

	return text && *text ? arena_strdup(d->a, text) : NULL;
}

/* "/pkg/linux/CONFIG/COMPILER/COMMIT/vmlinuz-6.9.0-rc6-00123-g59142d87ab03": the release is in the name. */
static const char *kernel_of(struct draft *d, const struct ynode *job)
{
	static const char image[] = "vmlinuz-";
	const char *path = text_of(d, job, "kernel"), *name = path ? strrchr(path, '/') : NULL;

	name = name ? name + 1 : path;
	return name && !strncmp(name, image, sizeof(image) - 1) ? name + sizeof(image) - 1 : NULL;
}

/* Seconds since 1970. */
static int64_t start_of(const struct ynode *job)
{
	const char *text = yread_text(job, "start_time");
	int64_t sec;

	if (!text || num_parse_i64(text, strlen(text), &sec) || sec < 0 || sec > INT64_C(100000000000))
		return TM_NONE;
	return sec * 1000000;
}

static const char *place_of(struct draft *d, const struct ynode *job, const char *key)
{
	return arena_printf(d->a, "line %zu", yread_get(job, key)->line);
}

static bool is_hash(const char *s)
{
	size_t n = strspn(s, "0123456789abcdefABCDEF");

	return n >= 7 && n <= 64 && !s[n];
}

/* The kernel's image has its release in its name; else a job may be for a tag. */
static void take_kernel(struct draft *d, const struct ynode *job)
{
	const char *commit = text_of(d, job, "commit"), *image = kernel_of(d, job);

	if (commit && is_hash(commit))
		d->commit = commit;
	else if (!image && commit)
		image = commit;
	if (d->kernel || !image)
		return;
	d->kernel = image;
	d->kernel_at = place_of(d, job, image == commit ? "commit" : "kernel");
}

static void take_thp(struct draft *d, const struct ynode *job)
{
	const char *word = text_of(d, job, "thp_enabled");

	if (d->thp || !word)
		return;
	d->thp_files = arena_array(d->a, struct thp_file, 1);
	d->thp_at = arena_array(d->a, const char *, 1);
	d->thp_files[0] = (struct thp_file){ "enabled", word };
	d->thp_at[0] = place_of(d, job, "thp_enabled");
	d->n_thp_files = 1;
}

/* What the job says, where the sender did not. */
static void take_head(struct draft *d, const struct ynode *job)
{
	if (!d->machine)
		d->machine = text_of(d, job, "testbox");
	if (!d->machine)
		d->machine = text_of(d, job, "tbox_group");
	take_kernel(d, job);
	take_thp(d, job);
	if (d->started_at == TM_NONE)
		d->started_at = start_of(job);
}

static void read_job(struct format_file *f, const struct ynode *job)
{
	struct draft d;
	struct jsonw j;

	format_draft(f, &d);
	format_source(f, &d, "lkp-tests", NULL, yread_text(job, "job_origin"));
	d.empty = true;
	take_head(&d, job);
	buf_clear(&d.scratch);
	j = jsonw_begin(&d.scratch);
	put_node(&j, job);
	if (d.scratch.len > ENVIRONMENT_MAX)
		problems_add(d.problems, "line 1", "a job of more than %zu KiB", ENVIRONMENT_MAX / 1024);
	d.environment = arena_strndup(d.a, d.scratch.p, d.scratch.len);
	format_add(f, &d);
	submission_build_fini(&d);
}

int format_lkp_job_read(struct format_file *f, struct err *err)
{
	const struct ynode *job = yread(f->a, f->text, f->len, SUBMISSION_DEPTH_MAX, err);

	if (!job)
		return -1;
	if (!yread_text(job, "testcase") && !yread_text(job, "suite"))
		return err_set(err, ERR_INVALID, "no job of LKP: expected \"suite: NAME\" or \"testcase: NAME\"");
	if (job->n <= 1000 && twice(job))
		return err_set(err, ERR_INVALID, "the key %.100s stands there twice", twice(job));
	if (job->n > 1000)
		return err_set(err, ERR_INVALID, "a job of more than 1000 keys");
	read_job(f, job);
	return 0;
}

/* Keys at the left margin that all jobs have. */
int format_lkp_job_sniff(const char *text, size_t len)
{
	static const char *const keys[] = { "suite:", "testcase:", "category:", "job_origin:", "testbox:", "tbox_group:" };
	struct format_lines l = { text, text + (len < 16384 ? len : 16384), 0 };
	const char *line;
	size_t n, seen = 0;

	while (format_line(&l, &line, &n))
		for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
			if (n > strlen(keys[i]) && !memcmp(line, keys[i], strlen(keys[i])))
				seen |= (size_t)1 << i;
	return (seen & 3) && (seen & 0x3c) ? 75 : 0;
}
