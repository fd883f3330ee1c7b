/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libyaml behind yread.h: the only file that includes its header. */
#include "yread.h"

#include <string.h>
#include <yaml.h>

#define DEPTH_MAX 64

struct level {
	struct ynode *node;
	const char *key;		/* of a map: the one whose value comes next, or NULL */
};

struct building {
	struct arena *a;
	struct level levels[DEPTH_MAX];
	size_t depth, depth_max, nodes;
	struct ynode *root;
	size_t documents;
};

static struct ynode *new_node(struct building *b, enum yread_type type, const yaml_event_t *event)
{
	struct ynode *node = arena_zalloc(b->a, sizeof(*node));

	node->type = type;
	node->line = event->start_mark.line + 1;
	b->nodes++;
	return node;
}

static void append(struct arena *a, struct ynode *to, const char *key, struct ynode *item)
{
	if (to->n == to->cap) {
		size_t more = to->cap ? to->cap * 2 : 4;

		to->items = arena_grow(a, to->items, to->cap * sizeof(*to->items), more * sizeof(*to->items));
		if (to->type == YREAD_MAP)
			to->keys = arena_grow(a, to->keys, to->cap * sizeof(*to->keys), more * sizeof(*to->keys));
		to->cap = more;
	}
	if (to->type == YREAD_MAP)
		to->keys[to->n] = key;
	to->items[to->n++] = item;
}

static int wrong(const struct ynode *node, const char *what, struct err *err)
{
	return err_line(err, ERR_INVALID, node->line, "%s", what);
}

/* Puts a node where it belongs: below the innermost level, or as the root. */
static int place(struct building *b, struct ynode *node, struct err *err)
{
	struct level *top = b->depth ? &b->levels[b->depth - 1] : NULL;

	if (b->nodes > YREAD_NODES_MAX)
		return wrong(node, "too many values", err);
	if (!top || !top->node) {
		b->root = node;
	} else if (top->node->type == YREAD_LIST) {
		append(b->a, top->node, NULL, node);
	} else if (top->key) {
		append(b->a, top->node, top->key, node);
		top->key = NULL;
	} else if (node->type == YREAD_TEXT) {
		top->key = node->text;
	} else {
		return wrong(node, "a key must be a text", err);
	}
	return 0;
}

static int open_level(struct building *b, struct ynode *node, struct err *err)
{
	if (place(b, node, err))
		return -1;
	if (b->depth == b->depth_max || b->depth == DEPTH_MAX)
		return wrong(node, "nested too deep", err);
	b->levels[b->depth++] = (struct level){ .node = node };
	return 0;
}

static int take_scalar(struct building *b, const yaml_event_t *event, struct err *err)
{
	struct ynode *node = new_node(b, YREAD_TEXT, event);
	const char *text = (const char *)event->data.scalar.value;

	if (strlen(text) != event->data.scalar.length)
		return wrong(node, "a NUL in a text", err);
	node->text = arena_strndup(b->a, text, event->data.scalar.length);
	node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	return place(b, node, err);
}

static int take_event(struct building *b, const yaml_event_t *event, struct err *err)
{
	size_t line = event->start_mark.line + 1;

	switch (event->type) {
	case YAML_DOCUMENT_START_EVENT:
		if (b->documents++)
			return err_line(err, ERR_INVALID, line, "a second YAML document");
		return 0;
	case YAML_ALIAS_EVENT:
		return err_line(err, ERR_INVALID, line, "YAML aliases (*name) are not taken");
	case YAML_SCALAR_EVENT:
		return take_scalar(b, event, err);
	case YAML_SEQUENCE_START_EVENT:
		return open_level(b, new_node(b, YREAD_LIST, event), err);
	case YAML_MAPPING_START_EVENT:
		return open_level(b, new_node(b, YREAD_MAP, event), err);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		b->depth--;
		return 0;
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_STREAM_END_EVENT:
	case YAML_DOCUMENT_END_EVENT:
		break;
	}
	return 0;
}

struct ynode *yread(struct arena *a, const char *text, size_t len, size_t depth_max, struct err *err)
{
	struct building b = { .a = a, .depth_max = depth_max };
	yaml_parser_t parser;
	yaml_event_t event;
	bool end = false, bad = false;

	if (!yaml_parser_initialize(&parser)) {
		err_set(err, ERR_BUG, "no memory for a YAML parser");
		return NULL;
	}
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
	while (!end && !bad) {
		if (!yaml_parser_parse(&parser, &event)) {
			err_line(err, ERR_INVALID, parser.problem_mark.line + 1, "this is no YAML: %s",
				parser.problem ? parser.problem : "?");
			bad = true;
			break;
		}
		end = event.type == YAML_STREAM_END_EVENT;
		bad = take_event(&b, &event, err) != 0;
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	if (!bad && !b.root)
		err_set(err, ERR_INVALID, "no YAML document in it");
	return bad ? NULL : b.root;
}

const struct ynode *yread_get(const struct ynode *map, const char *key)
{
	for (size_t i = 0; map && map->type == YREAD_MAP && i < map->n; i++)
		if (!strcmp(map->keys[i], key))
			return map->items[i];
	return NULL;
}

const char *yread_text(const struct ynode *map, const char *key)
{
	const struct ynode *v = yread_get(map, key);

	return v && v->type == YREAD_TEXT ? v->text : NULL;
}
