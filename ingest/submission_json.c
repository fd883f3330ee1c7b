/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nsecwatch.submission/1: walks the document with typed getters that say what is
 * wrong and where, and fills the draft. Absent = not said; null is an error: a client
 * that sends null meant to say something.
 */
#include "submission_json.h"

#include <stdlib.h>
#include <string.h>

#include "submission_json_impl.h"

#define HEAD_MOST 4096				/* of all but results, mostly: reserved at once */
#define OBJECT_TEXT_MAX (256 * 1024)	/* environment, source, labels, facts, as compact JSON */

/* An object and its place; getters take `key` out of it. */
struct in {
	struct draft *d;
	const struct jnode *v;
	const char *at;
};

static const char *at_key(const struct in *in, const char *key)
{
	return jread_pointer(in->d->a, in->at, key);
}

/* The member when it has the type; NULL when it is absent, or (*bad set, said) another type. */
static const struct jnode *want(const struct in *in, const char *key, enum jread_type type, bool *bad)
{
	const struct jnode *v = jread_get(in->v, key);

	*bad = false;
	if (!v || jread_type(v) == type)
		return v;
	problems_add(in->d->problems, at_key(in, key), "%s is needed, this is %s", jread_word(type),
		     jread_word(jread_type(v)));
	*bad = true;
	return NULL;
}

static const char *get_text(const struct in *in, const char *key)
{
	bool bad;
	const struct jnode *v = want(in, key, JREAD_STRING, &bad);

	if (bad)
		return submission_build_said;
	return v ? arena_strdup(in->d->a, jread_str(v)) : NULL;
}

/* The text of a member at hand: looked up by its name, each of many would be searched for among all. */
static const char *member_text(const struct in *in, const struct jmember *m)
{
	const struct jnode *v = jread_value(m);

	if (jread_str(v))
		return arena_strdup(in->d->a, jread_str(v));
	problems_add(in->d->problems, at_key(in, jread_key(m)), "%s is needed, this is %s", jread_word(JREAD_STRING),
		     jread_word(jread_type(v)));
	return submission_build_said;
}

static bool get_object(const struct in *in, const char *key, struct in *out)
{
	bool bad;

	*out = (struct in){ in->d, want(in, key, JREAD_OBJECT, &bad), NULL };
	if (out->v)
		out->at = at_key(in, key);
	return out->v != NULL;
}

/* An integer within [least, most]; `none` when absent or wrong. */
static int64_t get_int(const struct in *in, const char *key, int64_t least, int64_t most, int64_t none)
{
	bool bad;
	const struct jnode *v = want(in, key, JREAD_NUMBER, &bad);
	int64_t i;

	if (!v)
		return none;
	if (jread_int(v, &i) && i >= least && i <= most)
		return i;
	problems_add(in->d->problems, at_key(in, key), "an integer from %lld to %lld is needed", (long long)least,
		     (long long)most);
	return none;
}

static int64_t get_time(const struct in *in, const char *key)
{
	const char *text = get_text(in, key);
	int64_t usec;

	if (!text || text == submission_build_said)
		return TM_NONE;
	if (!tm_parse(text, &usec))
		return usec;
	problems_add(in->d->problems, at_key(in, key), TM_REFUSED, text);
	return TM_NONE;
}

static bool is_known(const char *const *known, const char *key)
{
	for (; *known; known++)
		if (!strcmp(*known, key))
			return true;
	return false;
}

void submission_json_unknown(struct draft *d, const struct jnode *object, const char *at, const char *const *known,
			     const char *what)
{
	for (const struct jmember *m = jread_first(object); m; m = jread_next(object, m)) {
		if (d->warnings->n == PROBLEMS_MAX)
			return;
		if (!is_known(known, jread_key(m)))
			problems_add(d->warnings, jread_pointer(d->a, at, jread_key(m)), "%s", what);
	}
}

static void warn_unknown(const struct in *in, const char *const *known, const char *what)
{
	submission_json_unknown(in->d, in->v, in->at, known, what);
}

#define IGNORED SUBMISSION_JSON_IGNORED
#define KEPT "unknown field, kept as it is"

/* An object as the text that is stored, without the members in leave_out. */
static const char *object_text(const struct in *in, const char *const *leave_out)
{
	struct buf *b = &in->d->scratch;

	buf_clear(b);
	jread_canonical(in->v, leave_out, b);
	if (b->len > OBJECT_TEXT_MAX) {
		problems_add(in->d->problems, in->at, "more than %d KiB", OBJECT_TEXT_MAX / 1024);
		return NULL;
	}
	return arena_strndup(in->d->a, b->p, b->len);
}

/* A number, or what /proc/cpuinfo prints: "0xd0c". -1 = not said. */
static long get_id(const struct in *in, const char *key)
{
	const struct jnode *v = jread_get(in->v, key);
	const char *s = jread_str(v);
	char *end;
	long id;

	if (!s)
		return (long)get_int(in, key, 0, 0xffffff, -1);
	id = strtol(s, &end, 0);
	if (*s && !*end && id >= 0)
		return id;
	problems_add(in->d->problems, at_key(in, key), "an id is needed: a number, or text as \"0xd0c\"");
	return -1;
}

static const char *unsaid(const char *text)
{
	return text == submission_build_said ? NULL : text;
}

static void read_cpu(const struct in *machine)
{
	static const char *const known[] = { "vendor", "implementer", "family", "model", "stepping", "model_name",
					     "part", "variant", "revision", "other", NULL };
	struct cpu_id *cpu = &machine->d->cpu;
	struct in in;

	if (!get_object(machine, "cpu", &in))
		return;
	warn_unknown(&in, known, KEPT);
	cpu->vendor = unsaid(get_text(&in, "vendor"));
	if (!cpu->vendor)
		cpu->vendor = unsaid(get_text(&in, "implementer"));
	cpu->family = (long)get_int(&in, "family", 0, 0xffffff, -1);
	cpu->model = (long)get_int(&in, "model", 0, 0xffffff, -1);
	cpu->stepping = (long)get_int(&in, "stepping", 0, 0xffffff, -1);
	cpu->model_name = unsaid(get_text(&in, "model_name"));
	cpu->part = get_id(&in, "part");
	cpu->variant = get_id(&in, "variant");
	cpu->other = unsaid(get_text(&in, "other"));
}

static void read_machine(const struct in *root)
{
	static const char *const known[] = { "name", "isa", "uarch", "cpu", "virtualized", "cpus", "sockets",
					     "memory_kib", NULL };
	static const char *const no_facts[] = { "name", "isa", "uarch", NULL };
	struct draft *d = root->d;
	struct in in;
	bool bad;

	if (!get_object(root, "machine", &in)) {
		if (jread_get(root->v, "machine"))
			d->machine = submission_build_said;
		return;
	}
	warn_unknown(&in, known, KEPT);
	d->machine = get_text(&in, "name");
	d->isa = get_text(&in, "isa");
	d->uarch = get_text(&in, "uarch");
	read_cpu(&in);
	want(&in, "virtualized", JREAD_BOOL, &bad);
	get_int(&in, "cpus", 1, 1 << 20, 0);
	get_int(&in, "sockets", 1, 1 << 16, 0);
	get_int(&in, "memory_kib", 1, INT64_MAX, 0);
	d->machine_facts = object_text(&in, no_facts);
}

static void read_reverts(const struct in *variant)
{
	struct draft *d = variant->d;
	bool bad;
	const struct jnode *list = want(variant, "reverts", JREAD_ARRAY, &bad);
	const char *at = at_key(variant, "reverts");
	size_t n = list ? jread_len(list) : 0;

	d->reverts = arena_array(d->a, const char *, n);
	for (size_t i = 0; i < n; i++) {
		const char *sha = jread_str(jread_at(list, i));
		size_t hex = sha ? strspn(sha, "0123456789abcdefABCDEF") : 0;

		if (!sha || hex < 7 || hex > 64 || sha[hex])
			problems_add(d->problems, arena_printf(d->a, "%s/%zu", at, i),
				     "a commit as 7 to 64 hex digits is needed");
		else
			d->reverts[d->n_reverts++] = arena_strdup(d->a, sha);
	}
}

static void read_applies(const struct in *variant)
{
	static const char *const known[] = { "title", "url", NULL };
	struct draft *d = variant->d;
	bool bad;
	const struct jnode *list = want(variant, "applies", JREAD_ARRAY, &bad);
	const char *at = at_key(variant, "applies");
	size_t n = list ? jread_len(list) : 0;

	d->applies = arena_array(d->a, struct kernel_patch, n);
	for (size_t i = 0; i < n; i++) {
		struct in in = { d, jread_at(list, i), arena_printf(d->a, "%s/%zu", at, i) };
		struct kernel_patch *p = &d->applies[d->n_applies];

		if (jread_type(in.v) != JREAD_OBJECT) {
			problems_add(d->problems, in.at, "an object with a title or a url is needed");
			continue;
		}
		warn_unknown(&in, known, IGNORED);
		p->title = unsaid(get_text(&in, "title"));
		p->url = unsaid(get_text(&in, "url"));
		if (p->title || p->url)
			d->n_applies++;
		else
			problems_add(d->problems, in.at, "a title or a url is needed");
	}
}

static void read_kernel(const struct in *root)
{
	static const char *const known[] = { "release", "commit", "variant", NULL };
	static const char *const known_variant[] = { "base", "reverts", "applies", NULL };
	struct draft *d = root->d;
	const struct jnode *v = jread_get(root->v, "kernel");
	struct in in, variant;
	size_t before;

	if (jread_type(v) == JREAD_STRING) {
		d->kernel = arena_strdup(d->a, jread_str(v));
		return;
	}
	if (v && jread_type(v) != JREAD_OBJECT) {
		d->kernel = submission_build_said;
		problems_add(d->problems, "/kernel", "a release as text, or an object with \"release\", is needed, this is %s",
			     jread_word(jread_type(v)));
		return;
	}
	if (!get_object(root, "kernel", &in))
		return;
	warn_unknown(&in, known, IGNORED);
	d->kernel_at = "/kernel/release";
	d->kernel = get_text(&in, "release");
	d->commit = get_text(&in, "commit");
	if (!get_object(&in, "variant", &variant))
		return;
	warn_unknown(&variant, known_variant, IGNORED);
	before = d->problems->total;
	d->variant_base = get_text(&variant, "base");
	read_reverts(&variant);
	read_applies(&variant);
	d->has_variant = d->problems->total == before;	/* else it is said what is wrong */
}

static void read_thp(const struct in *config)
{
	struct draft *d = config->d;
	const struct jnode *v = jread_get(config->v, "thp");
	struct in in;
	size_t n = 0;

	if (jread_type(v) == JREAD_STRING) {
		d->thp = arena_strdup(d->a, jread_str(v));
		return;
	}
	if (v && jread_type(v) != JREAD_OBJECT) {
		d->thp = submission_build_said;
		problems_add(d->problems, "/config/thp", "a slug (\"always\") or an object of sysfs names and texts "
			     "is needed, this is %s", jread_word(jread_type(v)));
		return;
	}
	if (!get_object(config, "thp", &in))
		return;
	d->thp_files = arena_array(d->a, struct thp_file, jread_len(v));
	d->thp_at = arena_array(d->a, const char *, jread_len(v));
	for (const struct jmember *m = jread_first(v); m; m = jread_next(v, m)) {
		const char *text = member_text(&in, m);

		if (text == submission_build_said)
			d->thp = submission_build_said;
		if (!thp_is_file(jread_key(m)))
			problems_add(d->warnings, at_key(&in, jread_key(m)), "no file of transparent huge pages, ignored");
		d->thp_files[n] = (struct thp_file){ arena_strdup(d->a, jread_key(m)), text };
		d->thp_at[n++] = at_key(&in, jread_key(m));
	}
	d->n_thp_files = n;
}

static void read_config(const struct in *root)
{
	static const char *const known[] = { "thp", "base_page_kib", NULL };
	struct in in;

	if (!get_object(root, "config", &in))
		return;
	warn_unknown(&in, known, IGNORED);
	read_thp(&in);
	root->d->base_page_kib = (int)get_int(&in, "base_page_kib", 1, 1024, 0);
}

static const char *read_labels(const struct in *root)
{
	struct draft *d = root->d;
	struct in in;

	if (!get_object(root, "labels", &in))
		return NULL;
	for (const struct jmember *m = jread_first(in.v); m; m = jread_next(in.v, m)) {
		const char *text = member_text(&in, m);
		const char *bad = submission_build_bad_name(jread_key(m), SUBMISSION_NAME_MAX);

		if (bad)
			problems_add(d->problems, at_key(&in, jread_key(m)), "the label's name %s", bad);
		if (text && strlen(text) > SUBMISSION_TEXT_MAX)
			problems_add(d->problems, at_key(&in, jread_key(m)), "more than %d bytes",
				     SUBMISSION_TEXT_MAX);
	}
	return object_text(&in, NULL);
}

static const char *read_source(const struct in *root)
{
	static const char *const known[] = { "tool", "version", "command", "url", NULL };
	struct in in;

	if (!get_object(root, "source", &in))
		return NULL;
	warn_unknown(&in, known, KEPT);
	for (size_t i = 0; known[i]; i++)
		get_text(&in, known[i]);
	return object_text(&in, NULL);
}

static void read_head(const struct in *root)
{
	struct draft *d = root->d;
	const char *schema = get_text(root, "schema"), *id = get_text(root, "run_id");
	struct in environment;

	if (schema && schema != submission_build_said && strcmp(schema, SUBMISSION_JSON_SCHEMA))
		problems_add(d->problems, "/schema", "this server reads \"%s\"", SUBMISSION_JSON_SCHEMA);
	if (!schema)
		problems_add(d->warnings, "/schema", "no schema: read as \"%s\"", SUBMISSION_JSON_SCHEMA);
	if (id && id != submission_build_said) {
		d->run_id_given = !uuid_parse(id, &d->run_id);
		if (!d->run_id_given)
			problems_add(d->problems, "/run_id", "a UUID is needed (or leave it out)");
	}
	read_machine(root);
	read_kernel(root);
	read_config(root);
	if (get_object(root, "environment", &environment))
		d->environment = object_text(&environment, NULL);
	d->boot_id = get_text(root, "boot_id");
	d->started_at = get_time(root, "started_at");
	d->finished_at = get_time(root, "finished_at");
	d->source = read_source(root);
	d->labels = read_labels(root);
}

static const char *const known_members[] = { "schema", "run_id", "machine", "kernel", "config", "environment",
					     "boot_id", "started_at", "finished_at", "source", "labels", "results",
					     NULL };

static int need_object(struct problems *problems, const struct jnode *v)
{
	if (jread_type(v) == JREAD_OBJECT)
		return 0;
	return problems_add(problems, "", "a submission is an object, this is %s", jread_word(jread_type(v)));
}

static void begin(struct arena *a, int64_t now, struct draft *d)
{
	submission_build_init(d, a, &submission_build_at_json, SUBMISSION_JSON_SCHEMA);
	d->now = now;
}

void submission_json_context(struct arena *a, const struct jnode *v, int64_t now, struct draft *d)
{
	struct in root = { d, v, "" };
	const struct jnode *results;

	begin(a, now, d);
	if (need_object(d->problems, v))
		return;
	read_head(&root);
	submission_build_head(d);
	results = jread_get(v, "results");
	if (results && (jread_type(results) != JREAD_ARRAY || jread_len(results)))
		problems_add(d->problems, "/results", "the results are those of the files: leave this out");
	warn_unknown(&root, known_members, IGNORED);
}

/* What "the same again" means: all but the id. */
static const char *const no_id[] = { "run_id", NULL };

struct submission *submission_json_read(struct arena *a, const struct jnode *v, int64_t now, struct err *err)
{
	struct submission *sub;
	struct draft d;
	struct in root = { &d, v, "" };
	struct buf content;

	begin(a, now, &d);
	if (need_object(d.problems, v)) {
		err_set(err, ERR_INVALID, "%s", d.problems->list[0].message);
		err->problems = d.problems;
		submission_build_fini(&d);
		return NULL;
	}
	read_head(&root);
	submission_build_head(&d);
	submission_json_results(&d, v);
	warn_unknown(&root, known_members, IGNORED);
	buf_init(&content);
	jread_canonical(v, no_id, &content);
	sub = submission_build_finish(&d, content.p, content.len, err);
	buf_fini(&content);
	submission_build_fini(&d);
	return sub;
}

struct streamed {
	struct draft d;
	struct buf results;	/* canonical; empty: there were none */
};

static bool take_results(void *cls, struct jscan *in)
{
	struct streamed *s = cls;

	return submission_json_stream(&s->d, in, &s->results);
}

struct submission *submission_json_quick(struct arena *a, const struct jread_slice *slice, int64_t now)
{
	struct streamed s;
	struct jread_stream stream = { "results", SUBMISSION_DEPTH_MAX, take_results, &s };
	struct submission *sub = NULL;
	struct jnode *doc;
	struct err err = { 0 };
	struct buf content;

	begin(a, now, &s.d);
	buf_init(&s.results);
	doc = jread_stream(slice, &stream);
	if (jread_type(doc) == JREAD_OBJECT && s.results.len) {
		struct in root = { &s.d, doc, "" };

		read_head(&root);
		submission_build_head(&s.d);
		warn_unknown(&root, known_members, IGNORED);
		buf_init(&content);
		buf_reserve(&content, s.results.len + HEAD_MOST);
		jread_canonical_with(doc, no_id, stream.key, &s.results, &content);
		sub = submission_build_finish(&s.d, content.p, content.len, &err);
		buf_fini(&content);
	}
	jread_free(doc);
	buf_fini(&s.results);
	submission_build_fini(&s.d);
	return sub;
}
