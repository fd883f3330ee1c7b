/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /api/openapi.json: static/openapi_base.json (what it is, the shapes) with the paths of the
 * route table, so that the description cannot say other than what the server does.
 */
#include <stdio.h>
#include <string.h>

#include "../lib/json.h"
#include "../lib/must.h"
#include "api_handlers.h"
#include "web_args.h"

static bool described(const struct route *r)
{
	return r->method && r->about && strncmp(r->pattern, "/static/", 8);
}

static void parameter(struct json *j, const char *in, const char *name, bool needed)
{
	json_object(j);
	json_kstr(j, "name", name);
	json_kstr(j, "in", in);
	if (needed)
		json_kbool(j, "required", true);
	json_key(j, "schema");
	json_raw(j, needed ? "{\"type\":\"string\"}" : "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}");
	if (!needed)
		json_kbool(j, "explode", true);
	json_object_end(j);
}

/* "param.*" of the table is written param.NAME: OpenAPI has no families of arguments. */
static void parameters(struct json *j, struct arena *a, const struct route *r)
{
	json_key(j, "parameters");
	json_array(j);
	if (strstr(r->pattern, "{id}"))
		parameter(j, "path", "id", true);
	for (const char *p = r->args ? r->args : ""; *p;) {
		size_t n = strcspn(p, " ");

		if (n > 2 && p[n - 1] == '*')
			parameter(j, "query", arena_printf(a, "%.*sNAME", (int)n - 1, p), false);
		else if (n && *p != '*')
			parameter(j, "query", arena_strndup(a, p, n), false);
		p += n + (p[n] == ' ');
	}
	json_array_end(j);
}

static void schema(struct json *j, struct arena *a, const char *name)
{
	json_key(j, "schema");
	json_object(j);
	json_kstr(j, "$ref", arena_printf(a, "#/components/schemas/%s", name));
	json_object_end(j);
}

static void content(struct json *j, struct arena *a, const struct route *r)
{
	static const enum rep all[] = { REP_JSON, REP_CSV, REP_TEXT, REP_SVG, REP_HTML, REP_OTHER };

	json_key(j, "content");
	json_object(j);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char type[64];

		if (!(r->reps & all[i]))
			continue;
		snprintf(type, sizeof(type), "%s", web_args_rep_type(all[i]));
		type[strcspn(type, ";")] = 0;
		json_key(j, all[i] == REP_OTHER ? "*/*" : type);
		json_object(j);
		if (all[i] == REP_JSON && r->shape)
			schema(j, a, r->shape);
		json_object_end(j);
	}
	json_object_end(j);
}

static void answers(struct json *j, struct arena *a, const struct route *r)
{
	json_key(j, "responses");
	json_object(j);
	json_key(j, "2XX");
	json_object(j);
	json_kstr(j, "description", r->about);
	content(j, a, r);
	json_object_end(j);
	json_kraw(j, "4XX", "{\"$ref\":\"#/components/responses/Error\"}");
	json_kraw(j, "5XX", "{\"$ref\":\"#/components/responses/Error\"}");
	json_object_end(j);
}

static void body(struct json *j, struct arena *a, const struct route *r)
{
	json_key(j, "requestBody");
	json_object(j);
	json_kbool(j, "required", true);
	json_key(j, "content");
	json_object(j);
	json_key(j, "application/json");
	json_object(j);
	if (r->takes)
		schema(j, a, r->takes);
	json_object_end(j);
	if (r->media) {
		buf_putc(j->out, ',');
		buf_puts(j->out, r->media);
	}
	json_object_end(j);
	json_object_end(j);
}

static void operation(struct json *j, struct arena *a, const struct route *r)
{
	json_key(j, !strcmp(r->method, "GET") ? "get" : "post");
	json_object(j);
	json_kstr(j, "summary", r->about);
	if (r->scope > SCOPE_READ)
		json_kstr(j, "description", arena_printf(a, "Needs a token of scope %s.", db_tokens_scope_word(r->scope)));
	json_kraw(j, "security", r->scope > SCOPE_READ ? "[{\"token\":[]}]" :
		  r->scope == SCOPE_READ ? "[{},{\"token\":[]}]" : "[]");
	parameters(j, a, r);
	if (r->body)
		body(j, a, r);
	answers(j, a, r);
	json_object_end(j);
}

/* One path with all its methods, where the table has it first. */
static void path(struct json *j, struct arena *a, const struct route *first)
{
	for (const struct route *r = routes; r < first; r++)
		if (described(r) && !strcmp(r->pattern, first->pattern))
			return;
	json_key(j, first->pattern);
	json_object(j);
	for (const struct route *r = first; r->method; r++)
		if (described(r) && !strcmp(r->pattern, first->pattern))
			operation(j, a, r);
	json_object_end(j);
}

int api_openapi(struct req *rq, struct err *err)
{
	const struct embed_file *base = embed_find(embed_static, "openapi_base.json");
	struct json j = json_begin(&rq->out);
	size_t n;

	(void)err;
	must(base != NULL);
	for (n = base->len; n && base->data[n - 1] != '}'; n--)
		;
	buf_add(&rq->out, base->data, n - 1);	/* open at its end: the paths go in */
	buf_puts(&rq->out, ",\"paths\":");
	json_object(&j);
	for (const struct route *r = routes; r->method; r++)
		if (described(r))
			path(&j, rq->arena, r);
	json_object_end(&j);
	buf_puts(&rq->out, "}\n");
	return 0;
}
