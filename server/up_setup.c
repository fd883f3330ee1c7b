/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "up_setup.h"

#include <stdio.h>
#include <string.h>

#include "../lib/tm.h"
#include "calc_token.h"
#include "db_cluster.h"
#include "db_migrate.h"
#include "up_demo.h"

#define WHO "nsecwatchd up"	/* in the audit trail */

static struct db *open_as(const struct up_cluster *c, const char *role)
{
	char conninfo[2 * PATH_MAX];

	up_cluster_conninfo(c, role, conninfo, sizeof(conninfo));
	return db_new(conninfo, "nsecwatchd up", 0);
}

static bool is_good_admin(const struct token *t)
{
	return t->scope == SCOPE_ADMIN && !strcmp(db_tokens_state(t, tm_now_usec()), "active");
}

/* Who has taken the first token may remove the file; it is not made again while an admin token is good. */
static int needs_token(struct db *db, bool *needs, struct err *err)
{
	struct arena *a = arena_new();
	struct token *list;
	size_t n;
	int ret = db_tokens_list(db, a, &list, &n, err);

	*needs = true;
	for (size_t i = 0; !ret && i < n; i++)
		if (is_good_admin(&list[i]))
			*needs = false;
	arena_free(a);
	return ret;
}

static int all(const struct up_cluster *c, const struct conf *conf, struct up_setup_answer *answer, struct err *err)
{
	struct db *super = open_as(c, "postgres"), *db = open_as(c, "nsecwatch");
	int ret = -1;

	if (db_cluster_prepare(super, err) || db_migrate_run(db, &answer->migrations, err))
		goto out;
	if (conf->demo && up_demo_load(db, &answer->demo_stored, err))
		goto out;
	ret = needs_token(db, &answer->needs_token, err);
out:
	db_free(db);
	db_free(super);
	return ret;
}

/* There was no good one when the interrupted try began, so these are its own: nobody has seen them. */
static int revoke_unseen(struct db *db, struct err *err)
{
	struct arena *a = arena_new();
	struct token *list, gone;
	size_t n;
	int ret = db_tokens_list(db, a, &list, &n, err);

	for (size_t i = 0; !ret && i < n; i++)
		if (is_good_admin(&list[i]))
			ret = calc_token_revoke(db, a, list[i].name, WHO, &gone, err);
	arena_free(a);
	return ret;
}

/* "admin", or the first of admin-2, admin-3, ... that no revoked token has. */
static int first_token(const struct up_cluster *c, bool again, char text[TOKEN_TEXT], struct err *err)
{
	struct db *db = open_as(c, "nsecwatch");
	struct token t = { .scope = SCOPE_ADMIN, .expires_at = TM_NONE };
	struct arena *a = arena_new();
	char name[32] = "admin";
	int ret = -1;

	t.name = name;

	if (again && revoke_unseen(db, err))
		goto out;
	for (int i = 2; i < 1000; i++) {
		ret = calc_token_add(db, a, &t, WHO, text, err);
		if (!ret || err->kind != ERR_CONFLICT)
			break;
		snprintf(name, sizeof(name), "admin-%d", i);
	}
out:
	arena_free(a);
	db_free(db);
	return ret;
}

void up_setup_do(enum up_setup_job job, const struct up_cluster *c, const struct conf *conf,
		 struct up_setup_answer *answer)
{
	struct err err = { .kind = ERR_NONE };
	int ret;

	memset(answer, 0, sizeof(*answer));
	if (job == UP_SETUP_ALL)
		ret = all(c, conf, answer, &err);
	else
		ret = first_token(c, job == UP_SETUP_TOKEN_AGAIN, answer->token, &err);
	answer->done = !ret;
	if (ret)
		snprintf(answer->message, sizeof(answer->message), "%s", err.message);
}
