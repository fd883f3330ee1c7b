/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stress-ng's YAML (--yaml): system-info, which names machine and kernel, and metrics, a
 * map for each stressor. Only bogo operations a second of real time and the stressor's
 * own numbers are results; counts, times and memory are attributes of the run.
 */
#include "format_stress_ng.h"

#include <string.h>
#include <yaml.h>

#include "../lib/json.h"
#include "../lib/num.h"
#include "format_text.h"

struct reading {
	struct format_stress_ng s;
	yaml_document_t doc;
	size_t first_line;		/* of the document in the file, from 1 */
};

static const char *text_of(const yaml_node_t *node)
{
	return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

static size_t line_of(const struct reading *rd, const yaml_node_t *node)
{
	return rd->first_line + node->start_mark.line;
}

static yaml_node_t *node_at(struct reading *rd, int index)
{
	return yaml_document_get_node(&rd->doc, index);
}

/* The value of a key of a map, or NULL. */
static yaml_node_t *get(struct reading *rd, const yaml_node_t *map, const char *key)
{
	if (!map || map->type != YAML_MAPPING_NODE)
		return NULL;
	for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
		const char *k = text_of(node_at(rd, p->key));

		if (k && !strcmp(k, key))
			return node_at(rd, p->value);
	}
	return NULL;
}

static const char *get_text(struct reading *rd, const yaml_node_t *map, const char *key)
{
	const char *s = text_of(get(rd, map, key));

	return s && *s ? arena_strdup(rd->s.f->a, s) : NULL;
}

static int64_t get_count(struct reading *rd, const yaml_node_t *map, const char *key)
{
	const char *s = text_of(get(rd, map, key));
	int64_t n;

	return s && !num_parse_i64(s, strlen(s), &n) && n > 0 ? n : 0;
}

/* What it says of the system: kept with the run, but for who and where it was. */
static void put_environment(struct reading *rd, const yaml_node_t *info)
{
	static const char *const left[] = { "hostname", "nodename", "run-by" };
	struct format_groups keys = { .a = rd->s.f->a };
	struct draft *d = &rd->s.d;
	struct json j = json_begin(&d->scratch);

	buf_clear(&d->scratch);
	json_object(&j);
	for (const yaml_node_pair_t *p = info->data.mapping.pairs.start; p < info->data.mapping.pairs.top; p++) {
		const char *key = text_of(node_at(rd, p->key)), *value = text_of(node_at(rd, p->value));
		bool first = true;

		for (size_t i = 0; key && i < sizeof(left) / sizeof(*left); i++)
			if (!strcmp(key, left[i]))
				key = NULL;
		if (key && value)
			format_group(&keys, key, &first);
		if (key && value && *key && first)
			json_kstr(&j, key, value);
	}
	json_object_end(&j);
	d->environment = arena_strndup(d->a, d->scratch.p, d->scratch.len);
}

#define USEC_PER_SEC INT64_C(1000000)
#define EPOCH_MAX INT64_C(253402300799)	/* the year 9999 */

static void take_info(struct reading *rd, const yaml_node_t *info)
{
	struct draft *d = &rd->s.d;
	yaml_node_t *release = get(rd, info, "release");
	int64_t page = get_count(rd, info, "pagesize"), epoch = get_count(rd, info, "epoch-secs");

	format_source(rd->s.f, d, "stress-ng", get_text(rd, info, "stress-ng-version"), NULL);
	if (!info || info->type != YAML_MAPPING_NODE)
		return;
	if (!d->kernel && release) {
		d->kernel = get_text(rd, info, "release");
		d->kernel_at = arena_printf(d->a, "line %zu", line_of(rd, release));
	}
	if (!d->machine)
		d->machine = get_text(rd, info, "hostname");
	if (!d->isa)
		d->isa = get_text(rd, info, "machine");
	if (!d->base_page_kib && page % 1024 == 0 && page <= 1024 * 1024)
		d->base_page_kib = (int)(page / 1024);
	if (d->started_at == TM_NONE && epoch && epoch <= EPOCH_MAX)
		d->started_at = epoch * USEC_PER_SEC;
	put_environment(rd, info);
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

static void take_stressor(struct reading *rd, const yaml_node_t *map)
{
	const char *stressor = get_text(rd, map, "stressor");
	struct format_groups keys = { .a = rd->s.f->a };
	double bogo_ops = (double)get_count(rd, map, "bogo-ops");

	if (!stressor) {
		format_left_out_line(&rd->s.d, line_of(rd, map), "expected a map with the name of a stressor");
		return;
	}
	for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
		const yaml_node_t *node = node_at(rd, p->value);
		const char *key = text_of(node_at(rd, p->key)), *value = text_of(node);
		size_t line = line_of(rd, node_at(rd, p->key));
		bool first, rate;
		double v;

		if (key && is_attribute(key))
			continue;
		rate = key && !strcmp(key, "bogo-ops-per-second-real-time");
		if (!key || !*key || !value || !format_text_number(value, &v)) {
			format_left_out_line(&rd->s.d, line, "%s %.60s: expected a number, found \"%.60s\"", stressor,
					     key ? key : "?", value ? value : "no scalar");
			continue;
		}
		format_group(&keys, key, &first);
		if (first)
			format_stress_ng_add(&rd->s, line, stressor, key, v, rate ? bogo_ops : 0);
		else
			format_left_out_line(&rd->s.d, line, "%s %.60s: expected it once", stressor, key);
	}
}

static int take_document(struct reading *rd, struct err *err)
{
	yaml_node_t *root = yaml_document_get_root_node(&rd->doc), *metrics = get(rd, root, "metrics");

	if (!metrics || metrics->type != YAML_SEQUENCE_NODE)
		return err_set(err, ERR_INVALID, "stress-ng's YAML: expected a list \"metrics\" (stress-ng --metrics --yaml FILE)");
	take_info(rd, get(rd, root, "system-info"));
	for (const yaml_node_item_t *i = metrics->data.sequence.items.start; i < metrics->data.sequence.items.top; i++)
		take_stressor(rd, node_at(rd, *i));
	for (const yaml_node_pair_t *p = root->data.mapping.pairs.start; p < root->data.mapping.pairs.top; p++) {
		const yaml_node_t *key = node_at(rd, p->key);
		const char *name = text_of(key);

		if (name && strcmp(name, "system-info") && strcmp(name, "metrics") && strcmp(name, "times"))
			format_left_out_line(&rd->s.d, line_of(rd, key), "%.60s: only metrics are imported", name);
	}
	format_stress_ng_end(&rd->s);
	return 0;
}

static bool is_start(const char *line)
{
	return !strcmp(line, "---") || !strcmp(line, "system-info:") || !strcmp(line, "metrics:");
}

/* Where the YAML begins: what stands before it is of another program. */
static const char *start_of(const char *text, size_t len, size_t *number)
{
	struct format_lines l = { text, text + len, 0 };
	const char *s;
	char line[64];
	size_t n;

	while (format_line(&l, &s, &n)) {
		format_text_plain(line, sizeof(line), s, n);
		*number = l.number;
		if (is_start(line))
			return s;
	}
	*number = 1;
	return text;
}

/*
 * What stress-ng never writes is refused before the document is built: anchors and
 * aliases (a few bytes could stand for very much, and the library looks for a name
 * among all others), and deep nesting.
 */
static int check_events(yaml_parser_t *parser, const char **problem, size_t *line)
{
	yaml_event_t e;
	int depth = 0;
	bool last = false;

	*problem = NULL;
	while (!last && !*problem) {
		if (!yaml_parser_parse(parser, &e)) {
			*problem = parser->problem ? parser->problem : "it cannot be read";
			*line = parser->problem_mark.line;
			return -1;
		}
		depth += e.type == YAML_SEQUENCE_START_EVENT || e.type == YAML_MAPPING_START_EVENT;
		depth -= e.type == YAML_SEQUENCE_END_EVENT || e.type == YAML_MAPPING_END_EVENT;
		if (e.type == YAML_ALIAS_EVENT || (e.type == YAML_SCALAR_EVENT && e.data.scalar.anchor) ||
		    (e.type == YAML_SEQUENCE_START_EVENT && e.data.sequence_start.anchor) ||
		    (e.type == YAML_MAPPING_START_EVENT && e.data.mapping_start.anchor))
			*problem = "anchors and aliases are none of stress-ng's";
		else if (depth > SUBMISSION_DEPTH_MAX)
			*problem = "this nests too deep";
		*line = e.start_mark.line;
		last = e.type == YAML_DOCUMENT_END_EVENT || e.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&e);
	}
	return *problem ? -1 : 0;
}

static int begin(yaml_parser_t *parser, const char *text, size_t len, struct err *err)
{
	if (!yaml_parser_initialize(parser))
		return err_set(err, ERR_UNAVAILABLE, "out of memory");
	yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(parser, (const unsigned char *)text, len);
	return 0;
}

static int load(struct reading *rd, const char *text, size_t len, struct err *err)
{
	yaml_parser_t parser;
	const char *problem;
	size_t line;
	int ret;

	if (begin(&parser, text, len, err))
		return -1;
	ret = check_events(&parser, &problem, &line);
	if (ret)
		err_set(err, ERR_INVALID, "line %zu: expected YAML: %s", rd->first_line + line, problem);
	yaml_parser_delete(&parser);
	if (ret || begin(&parser, text, len, err))
		return -1;
	ret = yaml_parser_load(&parser, &rd->doc) ? 0 : err_set(err, ERR_UNAVAILABLE, "out of memory");
	yaml_parser_delete(&parser);
	return ret;
}

int format_stress_ng_yaml_sniff(const char *text, size_t len)
{
	return (format_text_starts(text, "metrics:") || memmem(text, len, "\nmetrics:", strlen("\nmetrics:"))) &&
		memmem(text, len, "- stressor:", strlen("- stressor:")) ? 90 : 0;
}

int format_stress_ng_yaml_read(struct format_file *f, struct err *err)
{
	struct reading rd = { .s = { .f = f, .set.groups.a = f->a } };
	const char *start = start_of(f->text, f->len, &rd.first_line);
	int ret;

	if (load(&rd, start, f->len - (size_t)(start - f->text), err))
		return -1;
	format_draft(f, &rd.s.d);
	ret = take_document(&rd, err);
	submission_build_fini(&rd.s.d);
	yaml_document_delete(&rd.doc);
	return ret;
}
