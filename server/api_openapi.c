/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /api/openapi.json: static/openapi_base.json (what it is, arguments, bodies, the shapes) with the
 * paths of the route table, so that the description cannot say other than what the server does.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "../lib/jsonw.h"
#include "../lib/must.h"
#include "api_handlers.h"
#include "web_args.h"

static bool described(const struct route *r)
{
	return r->method && r->about && strncmp(r->pattern, "/static/", 8);
}

static void ref(struct jsonw *j, struct arena *a, const char *kind, const char *name)
{
	jsonw_object(j);
	jsonw_kstr(j, "$ref", arena_printf(a, "#/components/%s/%s", kind, name));
	jsonw_object_end(j);
}

/*
 * An argument by its name in components/parameters. "param.*" of the table stands there as
 * param.NAME: OpenAPI has no families of arguments. One that tells about a body (its context)
 * means something else than the selector of that name.
 */
static void parameter(struct jsonw *j, struct arena *a, const struct route *r, const char *arg)
{
	bool context = r->takes && strcmp(arg, "format") && strcmp(arg, "dry_run");
	size_t n = strlen(arg);

	if (arg[n - 1] == '*')
		arg = arena_printf(a, "%.*s%s", (int)n - 1, arg, context ? "KEY" : "NAME");
	ref(j, a, "parameters", context ? arena_printf(a, "context.%s", arg) : arg);
}

static void parameters(struct jsonw *j, struct arena *a, const struct route *r)
{
	jsonw_key(j, "parameters");
	jsonw_array(j);
	if (strstr(r->pattern, "{id}"))
		ref(j, a, "parameters", "id");
	for (const char *p = r->args ? r->args : ""; *p;) {
		size_t n = strcspn(p, " ");

		if (n)
			parameter(j, a, r, arena_strndup(a, p, n));
		p += n + (p[n] == ' ');
	}
	jsonw_array_end(j);
}

static void content(struct jsonw *j, struct arena *a, const struct route *r, const char *shape)
{
	static const enum rep all[] = { REP_JSON, REP_CSV,  REP_TEXT, REP_SVG,
					REP_HTML, REP_OTHER, REP_EML,  REP_ATOM };

	jsonw_key(j, "content");
	jsonw_object(j);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char type[64];

		if (!(r->reps & all[i]))
			continue;
		snprintf(type, sizeof(type), "%s", web_args_rep_type(all[i]));
		type[strcspn(type, ";")] = 0;
		jsonw_key(j, all[i] == REP_OTHER ? "*/*" : type);
		jsonw_object(j);
		jsonw_key(j, "schema");
		if (all[i] == REP_JSON && shape)
			ref(j, a, "schemas", shape);
		else
			jsonw_raw(j, all[i] == REP_JSON ? "{\"type\":\"object\",\"additionalProperties\":true}" : "{\"type\":\"string\"}");
		jsonw_object_end(j);
	}
	jsonw_object_end(j);
}

static void header(struct jsonw *j, struct arena *a, const char *name)
{
	jsonw_key(j, name);
	ref(j, a, "headers", name);
}

static void success(struct jsonw *j, struct arena *a, const struct route *r, const char *status, const char *text,
		    const char *shape)
{
	jsonw_key(j, status);
	jsonw_object(j);
	jsonw_kstr(j, "description", text);
	jsonw_key(j, "headers");
	jsonw_object(j);
	header(j, a, "X-Request-Id");
	header(j, a, "Server-Timing");
	if (!strcmp(r->method, "GET"))
		header(j, a, "ETag");
	if (!strcmp(status, "201"))
		header(j, a, "Location");
	jsonw_object_end(j);
	content(j, a, r, shape);
	jsonw_object_end(j);
}

/* Which errors there can be follows from the columns of the table. */
static void failures(struct jsonw *j, struct arena *a, const struct route *r)
{
	bool known = r->scope != SCOPE_NONE || r->asks;
	const struct {
		const char *status;
		bool can_be;
	} all[] = {
		{ "304", !strcmp(r->method, "GET") },
		{ "400", true },
		{ "401", known },
		{ "403", known },
		{ "404", strstr(r->pattern, "{id}") != NULL },
		{ "406", true },
		{ "408", true },
		{ "409", r->scope == SCOPE_INGEST || (r->scope >= SCOPE_TRIAGE && strcmp(r->method, "GET") != 0) },
		{ "411", r->body },
		{ "413", true },
		{ "415", r->body },
		{ "422", r->body },
		{ "429", !r->light || known },
		{ "500", true },
		{ "503", true },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (!all[i].can_be)
			continue;
		jsonw_key(j, all[i].status);
		ref(j, a, "responses", all[i].status);
	}
}

static void answers(struct jsonw *j, struct arena *a, const struct route *r)
{
	jsonw_key(j, "responses");
	jsonw_object(j);
	if (r->scope == SCOPE_INGEST) {		/* one submission, or many */
		success(j, a, r, "200", "One that was stored before; or many, all of them stored or there before.", r->shape);
		success(j, a, r, "201", "Stored.", "Stored");
		success(j, a, r, "207", "Many, and some were not stored: each item says.", "Items");
	} else {
		success(j, a, r, "200", r->creates ? "It was there already." : r->about, r->shape);
		if (r->creates)
			success(j, a, r, "201", "Made.", r->shape);
	}
	failures(j, a, r);
	jsonw_object_end(j);
}

/* "get_runs_id_verdict" of GET /api/v1/runs/{id}/verdict. */
static const char *operation_id(struct arena *a, const struct route *r)
{
	const char *from = !strncmp(r->pattern, "/api/v1/", 8) ? r->pattern + 8 : r->pattern + 1;
	char *text = arena_printf(a, "%s_%s", r->method, from), *to = text;

	for (const char *p = text; *p; p++) {
		if (isalnum((unsigned char)*p))
			*to++ = (char)tolower((unsigned char)*p);
		else if (to[-1] != '_' && p[1] && *p != '}')
			*to++ = '_';
	}
	*to = 0;
	return text;
}

static const char *lower(struct arena *a, const char *word)
{
	char *text = arena_strdup(a, word);

	for (char *p = text; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return text;
}

static void operation(struct jsonw *j, struct arena *a, const struct route *r)
{
	jsonw_key(j, lower(a, r->method));
	jsonw_object(j);
	jsonw_kstr(j, "operationId", operation_id(a, r));
	jsonw_kstr(j, "summary", r->about);
	if (r->scope > SCOPE_READ)
		jsonw_kstr(j, "description", arena_printf(a, "Needs a token of scope %s.", db_tokens_scope_word(r->scope)));
	jsonw_kraw(j, "security", r->scope > SCOPE_READ ? "[{\"token\":[]},{\"session\":[]}]" :
		  r->scope == SCOPE_READ || r->asks ? "[{},{\"token\":[]},{\"session\":[]}]" : "[]");
	parameters(j, a, r);
	if (r->takes) {
		jsonw_key(j, "requestBody");
		ref(j, a, "requestBodies", r->takes);
	}
	answers(j, a, r);
	jsonw_object_end(j);
}

/* One path with all its methods, where the table has it first. */
static void path(struct jsonw *j, struct arena *a, const struct route *first)
{
	for (const struct route *r = routes; r < first; r++)
		if (described(r) && !strcmp(r->pattern, first->pattern))
			return;
	jsonw_key(j, first->pattern);
	jsonw_object(j);
	for (const struct route *r = first; r->method; r++)
		if (described(r) && !strcmp(r->pattern, first->pattern))
			operation(j, a, r);
	jsonw_object_end(j);
}

int api_openapi(struct req *rq, struct err *err)
{
	const struct embed_file *base = embed_find(embed_static, "openapi_base.json");
	struct jsonw j = jsonw_begin(&rq->out);
	size_t n;

	(void)err;
	must(base != NULL);
	for (n = base->len; n && base->data[n - 1] != '}'; n--)
		;
	buf_add(&rq->out, base->data, n - 1);	/* open at its end: the paths go in */
	buf_puts(&rq->out, ",\"paths\":");
	jsonw_object(&j);
	for (const struct route *r = routes; r->method; r++)
		if (described(r))
			path(&j, rq->arena, r);
	jsonw_object_end(&j);
	buf_puts(&rq->out, "}\n");
	return 0;
}
