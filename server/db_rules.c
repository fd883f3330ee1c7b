/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db_rules.h"

#include <math.h>
#include <string.h>

#include "../lib/must.h"
#include "../lib/tm.h"

const char *const db_rules_kinds[] = { [RULE_STEP] = "step", [RULE_LIMIT] = "limit", [RULE_BASELINE] = "baseline", NULL };

#define COLUMNS											\
	"id, name, kind, selector, percent, direction <> 'better', direction <> 'worse', confidence, above, below, unit,"	\
	" baseline, tell, note, enabled, origin, created_at, changed_at, last_matched_at, last_fired_at"

static enum rule_kind kind_of(const char *word)
{
	for (int i = 0; db_rules_kinds[i]; i++)
		if (!strcmp(db_rules_kinds[i], word))
			return (enum rule_kind)i;
	must(!"a kind of rule that the schema lets in and this program does not know");
	return RULE_STEP;
}

static void take(struct arena *a, struct db_rows *rows, struct db_rule **list, size_t *n)
{
	*n = (size_t)db_rows_count(rows);
	*list = arena_array(a, struct db_rule, *n + 1);
	for (int i = 0; i < (int)*n; i++) {
		struct db_rule *r = &(*list)[i];

		r->id = db_i64(rows, i, 0);
		r->name = arena_strdup(a, db_text(rows, i, 1));
		r->kind = kind_of(db_text(rows, i, 2));
		r->selector = arena_strdup(a, db_text(rows, i, 3));
		r->percent = db_f64(rows, i, 4);
		r->worse = db_bool(rows, i, 5);
		r->better = db_bool(rows, i, 6);
		r->confidence = arena_strdup(a, db_text(rows, i, 7));
		r->above = db_f64(rows, i, 8);
		r->below = db_f64(rows, i, 9);
		r->unit = arena_strdup(a, db_text(rows, i, 10));
		r->baseline = arena_strdup(a, db_text(rows, i, 11));
		r->tell = (const char *const *)db_texts(a, rows, i, 12, &r->n_tell);
		r->note = arena_strdup(a, db_text(rows, i, 13));
		r->enabled = db_bool(rows, i, 14);
		r->origin = arena_strdup(a, db_text(rows, i, 15));
		r->created_at = db_time(rows, i, 16);
		r->changed_at = db_time(rows, i, 17);
		r->last_matched_at = db_time(rows, i, 18);
		r->last_fired_at = db_time(rows, i, 19);
	}
	db_rows_free(rows);
}

int db_rules_list(struct db *db, struct arena *a, bool only_enabled, struct db_rule **rules, size_t *n, struct err *err)
{
	static const struct stmt all = {
		"rules_list", "SELECT " COLUMNS " FROM rule WHERE deleted_at IS NULL AND (enabled OR NOT $1) ORDER BY id"
	};
	struct db_rows *rows;

	if (db_query(db, &all, DB_ARGS(db_arg_bool(only_enabled)), &rows, err))
		return -1;
	take(a, rows, rules, n);
	return 0;
}

int db_rules_get(struct db *db, struct arena *a, int64_t id, struct db_rule **rule, struct err *err)
{
	static const struct stmt one = { "rules_get", "SELECT " COLUMNS " FROM rule WHERE id = $1 AND deleted_at IS NULL" };
	struct db_rows *rows;
	size_t n;

	if (db_query(db, &one, DB_ARGS(db_arg_i64(id)), &rows, err))
		return -1;
	take(a, rows, rule, &n);
	if (!n)
		*rule = NULL;
	return 0;
}

static struct db_arg number(double d)
{
	return isnan(d) ? db_arg_null() : db_arg_f64(d);
}

int db_rules_put(struct db *db, struct db_rule *r, struct err *err)
{
	static const struct stmt insert = {
		"rules_insert",
		"INSERT INTO rule (name, kind, selector, percent, direction, confidence, above, below, unit, baseline, tell, note,"
		" enabled, origin, created_at) VALUES ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)"
		" ON CONFLICT (name) WHERE deleted_at IS NULL DO NOTHING RETURNING id, $1::bigint"
	};
	static const struct stmt update = {
		"rules_update",
		"UPDATE rule SET name = $2, kind = $3, selector = $4, percent = $5, direction = $6, confidence = $7, above = $8,"
		" below = $9, unit = $10, baseline = $11, tell = $12, note = $13, enabled = $14, origin = $15, changed_at = $16"
		" WHERE id = $1 AND deleted_at IS NULL"
		" AND NOT EXISTS (SELECT FROM rule o WHERE o.name = $2 AND o.id <> $1 AND o.deleted_at IS NULL) RETURNING id"
	};
	static const char *const none[1];
	struct db_rows *rows;

	if (db_query(db, r->id ? &update : &insert,
		     DB_ARGS(db_arg_i64(r->id), db_arg_text(r->name), db_arg_text(db_rules_kinds[r->kind]), db_arg_json(r->selector),
			     db_arg_f64(r->percent),
			     db_arg_text(r->worse && r->better ? "both" : r->worse ? "worse" : "better"),
			     db_arg_text(r->confidence), number(r->above), number(r->below), db_arg_text(r->unit),
			     db_arg_text(r->baseline), db_arg_texts(r->n_tell ? r->tell : none, r->n_tell), db_arg_text(r->note),
			     db_arg_bool(r->enabled), db_arg_text(r->origin), db_arg_time(tm_now_usec())),
		     &rows, err))
		return -1;
	if (db_rows_count(rows))
		r->id = db_i64(rows, 0, 0);
	else
		err_set(err, ERR_CONFLICT, "name: there is a rule \"%s\" already", r->name);
	db_rows_free(rows);
	return err->kind == ERR_CONFLICT ? -1 : 0;
}

int db_rules_delete(struct db *db, int64_t id, struct err *err)
{
	static const struct stmt gone = { "rules_delete", "UPDATE rule SET deleted_at = $2 WHERE id = $1" };

	return db_query(db, &gone, DB_ARGS(db_arg_i64(id), db_arg_time(tm_now_usec())), NULL, err);
}

int db_rules_touch(struct db *db, const int64_t *matched, size_t n_matched, const int64_t *fired, size_t n_fired,
		   struct err *err)
{
	static const struct stmt saw = {	/* a check each second need not write each second */
		"rules_matched", "UPDATE rule SET last_matched_at = $2 WHERE id = ANY($1)"
				 " AND (last_matched_at IS NULL OR last_matched_at < $2 - interval '10 seconds')"
	};
	static const struct stmt raised = { "rules_fired", "UPDATE rule SET last_fired_at = $2 WHERE id = ANY($1)" };
	struct db_arg now = db_arg_time(tm_now_usec());

	if (n_matched && db_query(db, &saw, DB_ARGS(db_arg_i64s(matched, n_matched), now), NULL, err))
		return -1;
	return n_fired ? db_query(db, &raised, DB_ARGS(db_arg_i64s(fired, n_fired), now), NULL, err) : 0;
}
