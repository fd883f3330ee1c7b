/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `nsecwatchd rules load FILE`: the rules of those who keep them in git. What the file says is
 * made or changed, what came from a file before and is no longer in it goes, all or nothing; rules
 * made by hand stay.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../ingest/submission.h"
#include "../lib/tm.h"
#include "api_rules.h"
#include "calc_audit.h"
#include "cmd.h"

#define FILE_MOST (4u << 20)
#define DEADLINE_MS 10000
#define WHO "rules load"

struct load {
	struct arena *a;
	struct db_rule *given;
	size_t n;
	size_t made, changed, gone;
};

static char *read_file(struct arena *a, const char *path, size_t *len, struct err *err)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;

	if (f) {
		text = arena_alloc(a, FILE_MOST + 2);
		*len = fread(text, 1, FILE_MOST + 1, f);
		text[*len] = 0;
	}
	if (!f || ferror(f)) {
		err_set(err, ERR_SETUP, "%s: %s", path, strerror(errno));
		text = NULL;
	} else if (*len > FILE_MOST) {
		err_set(err, ERR_SETUP, "%s: more than %u bytes", path, FILE_MOST);
		text = NULL;
	}
	if (f)
		fclose(f);
	return text;
}

static int read_rule(struct load *l, const struct jnode *v, size_t i, struct err *err)
{
	struct db_rule *r = &l->given[l->n];
	struct api_body b;

	if (api_body_of(&b, l->a, v, err))
		return err_prefix(err, "/%zu", i);
	api_rules_read(&b, r);
	r->origin = "file";
	if (api_body_end(&b, err))
		return err_set(err, ERR_INVALID, "/%zu%s: %s", i, b.problems->list[0].at, b.problems->list[0].message);
	for (size_t k = 0; k < b.warnings->n; k++)
		printf("/%zu%s: %s\n", i, b.warnings->list[k].at, b.warnings->list[k].message);
	for (size_t k = 0; k < l->n; k++)
		if (!strcmp(l->given[k].name, r->name))
			return err_set(err, ERR_INVALID, "/%zu/name: \"%s\" stands there twice", i, r->name);
	l->n++;
	return 0;
}

/* [RULE, ...] or {"rules": [RULE, ...]}, a rule as the API takes it. */
static int read_rules(struct load *l, const char *text, size_t len, struct err *err)
{
	struct jread_slice whole = { text, len, 1 };
	const struct jnode *list;
	struct jnode *root;
	bool syntax;
	int ret = 0;

	if (jread_check_depth(&whole, SUBMISSION_DEPTH_MAX, err))
		return -1;
	root = jread_parse(&whole, &syntax, err);
	if (!root)
		return -1;
	list = jread_type(root) == JREAD_OBJECT ? jread_get(root, "rules") : root;
	if (jread_type(list) != JREAD_ARRAY) {
		jread_free(root);
		return err_set(err, ERR_INVALID, "a list of rules is needed, or an object with the list \"rules\"");
	}
	l->given = arena_array(l->a, struct db_rule, jread_len(list) + 1);
	for (size_t i = 0; i < jread_len(list) && !ret; i++)
		ret = read_rule(l, jread_at(list, i), i, err);
	jread_free(root);
	return ret;
}

/* What a rule says, as text: without its id and what happened to it. */
static const char *says(struct arena *a, const struct db_rule *rule)
{
	struct db_rule r = *rule;
	struct jsonw j;
	struct buf b;
	const char *text;

	r.id = 0;
	r.origin = "file";
	r.created_at = r.changed_at = r.last_matched_at = r.last_fired_at = TM_NONE;
	buf_init(&b);
	j = jsonw_begin(&b);
	api_rules_json(&j, &r);
	text = arena_strdup(a, b.p);
	buf_fini(&b);
	return text;
}

static int tell(struct db *db, struct arena *a, const char *action, const struct db_rule *before,
		const struct db_rule *after, struct err *err)
{
	struct audit au;

	calc_audit_begin(&au, WHO, "rule", action, calc_audit_number(a, (after ? after : before)->id));
	jsonw_object(&au.json);
	if (before)
		jsonw_kraw(&au.json, "before", says(a, before));
	if (after)
		jsonw_kraw(&au.json, "after", says(a, after));
	jsonw_object_end(&au.json);
	return calc_audit_end(&au, db, a, NULL, err);
}

static int put(struct load *l, struct db *db, struct db_rule r, const struct db_rule *before, struct err *err)
{
	if (before && !strcmp(before->origin, "api"))
		return err_set(err, ERR_CONFLICT, "there is a rule \"%s\" that was made by hand: name this one otherwise", r.name);
	if (before && !strcmp(says(l->a, before), says(l->a, &r)))
		return 0;
	if (before) {
		r.id = before->id;
		r.origin = before->origin;	/* the default stays the default */
	}
	l->made += !before;
	l->changed += before != NULL;
	return db_rules_put(db, &r, err) || tell(db, l->a, before ? "change" : "make", before, &r, err) ? -1 : 0;
}

static int load_tx(struct db *db, void *arg, struct err *err)
{
	struct load *l = arg;
	struct db_rule *now;
	size_t n;

	l->made = l->changed = l->gone = 0;
	if (db_rules_list(db, l->a, false, &now, &n, err))
		return -1;
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < l->n && strcmp(l->given[k].name, now[i].name))
			k++;
		if (k < l->n || strcmp(now[i].origin, "file"))
			continue;
		if (db_rules_delete(db, now[i].id, err) || tell(db, l->a, "delete", &now[i], NULL, err))
			return -1;
		l->gone++;
	}
	for (size_t k = 0; k < l->n; k++) {
		const struct db_rule *before = NULL;

		for (size_t i = 0; i < n && !before; i++)
			if (!strcmp(now[i].name, l->given[k].name))
				before = &now[i];
		if (put(l, db, l->given[k], before, err))
			return -1;
	}
	return 0;
}

int cmd_rules(const struct conf *conf, struct err *err)
{
	struct load l = { .a = arena_new() };
	struct db *db = NULL;
	size_t len;
	char *text = read_file(l.a, conf->rules_file, &len, err);
	int ret = -1;

	if (text && !read_rules(&l, text, len, err)) {
		db = db_new(conf->db, "nsecwatchd command", 0);
		ret = db_connect(db, err) || db_tx(db, load_tx, &l, DEADLINE_MS, err) ? -1 : 0;
	} else if (text) {
		err_prefix(err, "%s", conf->rules_file);
	}
	if (!ret)
		printf("%zu rules: %zu made, %zu changed, %zu taken away\n", l.n, l.made, l.changed, l.gone);
	db_free(db);
	arena_free(l.a);
	return ret;
}
