/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stress-ng's YAML (--yaml): system-info, which names machine and kernel, and metrics, a
 * map for each stressor. Only bogo operations a second of real time and the stressor's
 * own numbers are results; counts, times and memory are attributes of the run.
 */
#include "format_stress_ng.h"

#include <string.h>

#include "../lib/jsonw.h"
#include "../lib/num.h"
#include "format_text.h"
#include "yread.h"

static const char *get_text(struct format_stress_ng *s, const struct ynode *map, const char *key)
{
	const char *text = yread_text(map, key);

	return text && *text ? arena_strdup(s->f->a, text) : NULL;
}

static int64_t get_count(const struct ynode *map, const char *key)
{
	const char *text = yread_text(map, key);
	int64_t n;

	return text && !num_parse_i64(text, strlen(text), &n) && n > 0 ? n : 0;
}

/* What it says of the system: kept with the run, but for who and where it was. */
static void put_environment(struct format_stress_ng *s, const struct ynode *info)
{
	static const char *const left[] = { "hostname", "nodename", "run-by" };
	struct format_groups keys = { .a = s->f->a };
	struct draft *d = &s->d;
	struct jsonw j = jsonw_begin(&d->scratch);

	buf_clear(&d->scratch);
	jsonw_object(&j);
	for (size_t i = 0; i < info->n; i++) {
		bool first = info->items[i]->type == YREAD_TEXT && *info->keys[i];

		for (size_t k = 0; k < sizeof(left) / sizeof(*left); k++)
			first &= strcmp(info->keys[i], left[k]) != 0;
		if (first)
			format_group(&keys, info->keys[i], &first);
		if (first)
			jsonw_kstr(&j, info->keys[i], info->items[i]->text);
	}
	jsonw_object_end(&j);
	d->environment = arena_strndup(d->a, d->scratch.p, d->scratch.len);
}

#define USEC_PER_SEC INT64_C(1000000)
#define EPOCH_MAX INT64_C(253402300799)	/* the year 9999 */

static void take_info(struct format_stress_ng *s, const struct ynode *info)
{
	struct draft *d = &s->d;
	int64_t page = get_count(info, "pagesize"), epoch = get_count(info, "epoch-secs");

	format_source(s->f, d, "stress-ng", get_text(s, info, "stress-ng-version"), NULL);
	if (!info || info->type != YREAD_MAP)
		return;
	if (get_text(s, info, "release"))
		format_said_kernel(d, get_text(s, info, "release"), yread_get(info, "release")->line);
	if (!d->machine)
		d->machine = get_text(s, info, "hostname");
	if (!d->isa)
		d->isa = get_text(s, info, "machine");
	if (!d->base_page_kib && page % 1024 == 0 && page <= 1024 * 1024)
		d->base_page_kib = (int)(page / 1024);
	if (d->started_at == TM_NONE && epoch && epoch <= EPOCH_MAX)
		d->started_at = epoch * USEC_PER_SEC;
	put_environment(s, info);
}

/* Keys of a stressor that are no results of its own. */
static bool is_attribute(const char *key)
{
	static const char *const keys[] = {
		"stressor", "instances", "bogo-ops", "bogo-ops-per-second-usr-sys-time", "wall-clock-time", "user-time",
		"system-time", "cpu-usage-per-instance", "max-rss",
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strcmp(key, keys[i]))
			return true;
	return false;
}

static void take_stressor(struct format_stress_ng *s, const struct ynode *map)
{
	const char *stressor = get_text(s, map, "stressor");
	struct format_groups keys = { .a = s->f->a };
	double bogo_ops = (double)get_count(map, "bogo-ops");

	if (!stressor) {
		format_left_out_line(&s->d, map->line, "expected a map with the name of a stressor");
		return;
	}
	for (size_t i = 0; i < map->n; i++) {
		const struct ynode *node = map->items[i];
		const char *key = map->keys[i];
		bool first, rate = !strcmp(key, "bogo-ops-per-second-real-time");
		double v;

		if (is_attribute(key))
			continue;
		if (node->type != YREAD_TEXT || !format_text_number(node->text, &v)) {
			format_left_out_line(&s->d, node->line, "%s %.60s: expected a number, found \"%.60s\"", stressor, key,
					     node->type == YREAD_TEXT ? node->text : "a list or a map");
			continue;
		}
		format_group(&keys, key, &first);
		if (first)
			format_stress_ng_add(s, node->line, stressor, key, v, rate ? bogo_ops : 0);
		else
			format_left_out_line(&s->d, node->line, "%s %.60s: expected it once", stressor, key);
	}
}

static int take_document(struct format_stress_ng *s, const struct ynode *root, struct err *err)
{
	const struct ynode *metrics = yread_get(root, "metrics");

	if (!metrics || metrics->type != YREAD_LIST)
		return err_set(err, ERR_INVALID, "stress-ng's YAML: expected a list \"metrics\" (stress-ng --metrics --yaml FILE)");
	take_info(s, yread_get(root, "system-info"));
	for (size_t i = 0; i < metrics->n; i++)
		take_stressor(s, metrics->items[i]);
	for (size_t i = 0; i < root->n; i++) {
		const char *name = root->keys[i];

		if (strcmp(name, "system-info") && strcmp(name, "metrics") && strcmp(name, "times"))
			format_left_out_line(&s->d, root->items[i]->line, "%.60s: only metrics are imported", name);
	}
	format_stress_ng_end(s);
	return 0;
}

/*
 * The YAML alone, at its lines: what a terminal showed before and after it are blank
 * lines. It begins with "---" or its first key and ends with "...".
 */
static const char *document(const struct format_file *f, size_t *len)
{
	struct format_lines l = { f->text, f->text + f->len, 0 };
	char *out = arena_alloc(f->a, f->len + 1), line[64];
	bool in = false, end = false;
	const char *s;
	size_t n;

	*len = 0;
	while (!end && format_line(&l, &s, &n)) {
		format_text_plain(line, sizeof(line), s, n);
		in = in || !strcmp(line, "---") || !strcmp(line, "system-info:") || !strcmp(line, "metrics:");
		end = in && !strcmp(line, "...");
		if (in && !end) {
			memcpy(out + *len, s, n);
			*len += n;
		}
		if (l.next > s + n)
			out[(*len)++] = '\n';
	}
	return out;
}

int format_stress_ng_yaml_sniff(const char *text, size_t len)
{
	static const char metrics[] = "metrics:", stressor[] = "- stressor:";
	const char *at = memmem(text, len, metrics, strlen(metrics));

	return at && (at == text || at[-1] == '\n') && memmem(text, len, stressor, strlen(stressor)) ? 90 : 0;
}

int format_stress_ng_yaml_read(struct format_file *f, struct err *err)
{
	struct format_stress_ng s;
	const struct ynode *root;
	const char *text;
	size_t len;
	int ret;

	text = document(f, &len);
	root = yread(f->a, text, len, SUBMISSION_DEPTH_MAX, err);
	if (!root)
		return -1;
	format_stress_ng_begin(&s, f);
	ret = take_document(&s, root, err);
	submission_build_fini(&s.d);
	return ret;
}
