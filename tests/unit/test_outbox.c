/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The outbox and digests at fixed times: leases, quiet hours, the moment of a digest. */
#include "pg.h"
#include "tap.h"

#include "../../lib/tm.h"
#include "../../server/db_digest.h"

static struct db *db;
static struct arena *a;
static struct err err;

static int64_t at(const char *text)
{
	int64_t usec = 0;

	if (tm_parse(text, &usec))
		printf("Bail out! %s is no time\n", text);
	return usec;
}

/* The end of the quiet hours, or "-"; "!" where it cannot be said. */
static const char *quiet(const char *when, const char *zone, int from, int to)
{
	static char text[TM_TEXT];
	int64_t until;

	if (db_outbox_quiet(db, at(when), zone, from * 60, to * 60, &until, &err))
		return "!";
	return until == TM_NONE ? "-" : tm_format(until, text);
}

static void test_quiet(void)
{
	is_str(quiet("2026-02-13T12:00:00Z", "UTC", 20, 8), "-", "noon is not at night");
	is_str(quiet("2026-02-13T20:00:00Z", "UTC", 20, 8), "2026-02-14T08:00:00Z", "the first minute is");
	is_str(quiet("2026-02-13T19:59:59Z", "UTC", 20, 8), "-", "the second before is not");
	is_str(quiet("2026-02-14T07:59:59Z", "UTC", 20, 8), "2026-02-14T08:00:00Z", "the last second is");
	is_str(quiet("2026-02-14T08:00:00Z", "UTC", 20, 8), "-", "the end is not");
	is_str(quiet("2026-02-13T13:30:00Z", "UTC", 12, 14), "2026-02-13T14:00:00Z", "hours of one day");
	is_str(quiet("2026-02-13T03:00:00Z", "Asia/Tokyo", 9, 17), "2026-02-13T08:00:00Z", "on the clock of another place");
	is_str(quiet("2026-02-13T23:00:00Z", "UTC", 22, 0), "2026-02-14T00:00:00Z", "until midnight");
	is_str(quiet("2026-02-13T03:00:00Z", "UTC", 5, 5), "-", "none");
	/* Berlin goes from +01:00 to +02:00 on 29 March 2026 at 02:00, and back on 25 October at 03:00 */
	is_str(quiet("2026-03-28T22:00:00Z", "Europe/Berlin", 20, 8), "2026-03-29T06:00:00Z", "a short night");
	is_str(quiet("2026-10-24T22:00:00Z", "Europe/Berlin", 20, 8), "2026-10-25T07:00:00Z", "a long one");
	is_str(quiet("2026-02-13T12:00:00Z", "Mars/Olympus", 20, 8), "!", "a zone nobody knows");
	ok(err.kind != ERR_UNAVAILABLE, "is no reason to wait");
}

static int64_t number(const char *sql)
{
	const struct stmt st = { sql, sql };
	struct db_rows *rows;
	int64_t n = -1;

	if (!db_query(db, &st, DB_NO_ARGS, &rows, &err)) {
		n = db_rows_count(rows) ? db_i64(rows, 0, 0) : 0;
		db_rows_free(rows);
	} else {
		printf("# %s\n", err.message);
	}
	return n;
}

/* An item for a@x that came up then. */
static void item(int n, const char *period, const char *when)
{
	char sql[600];

	snprintf(sql, sizeof(sql),
		 "SET session_replication_role = replica;"	/* without the alert: what it is does not matter here */
		 "INSERT INTO nsecwatch.digest_item (kind, target, alert_id, event, period, created_at) VALUES "
		 "('mail', 'a@x', '00000000-0000-4000-8000-%012d', 'opened', '%s', '%s');"
		 "SET session_replication_role = origin", n, period, when);
	ok(!db_script(db, sql, &err), "an item of %s", when);
}

static bool make(const char *when, const char *zone, bool weekly)
{
	const struct db_digest d = { .kind = OUTBOX_MAIL, .target = "a@x", .weekly = weekly };
	bool made = false;

	if (db_digest_make(db, &d, at(when), zone, 8 * 60, &made, &err))
		printf("# %s\n", err.message);
	return made;
}

static void test_digests(void)
{
	struct db_digest *list;
	struct uuid *ids;
	size_t n;

	item(1, "daily", "2026-02-13T06:00:00Z");
	item(2, "daily", "2026-02-13T06:30:00Z");
	item(3, "daily", "2026-02-13T07:30:00Z");
	item(4, "weekly", "2026-02-08T12:00:00Z");
	ok(!db_digest_waiting(db, a, &list, &n, &err) && n == 2, "two digests have something in them");
	ok(!make("2026-02-13T06:59:59Z", "Europe/Berlin", false), "before its moment there is no daily one");
	ok(make("2026-02-13T07:00:00Z", "Europe/Berlin", false), "at eight in Berlin it is made");
	ok(!make("2026-02-13T07:00:00Z", "Europe/Berlin", false), "once");
	ok(!make("2026-02-14T06:59:00Z", "Europe/Berlin", false), "until the next day");
	ok(!db_digest_alerts(db, a, number("SELECT min(id) FROM outbox"), &ids, &n, &err) && n == 2, "what came later is not in it");
	ok(make("2026-02-16T03:00:00Z", "Europe/Berlin", false), "a late watch makes up for it");
	ok(number("SELECT count(*) FROM outbox WHERE event = 'daily-2026-02-15'") == 1, "named by the day of its moment");
	ok(!make("2026-02-09T07:59:00Z", "UTC", true), "before Monday at eight there is no weekly one");
	ok(make("2026-02-12T00:00:00Z", "UTC", true), "after that there is");
	ok(number("SELECT count(*) FROM outbox WHERE event = 'weekly-2026-02-09'") == 1, "named by its Monday");
	ok(!db_digest_waiting(db, a, &list, &n, &err) && n == 0, "nothing is left");
}

static struct outbox_item *claim(bool mail, const char *webhook, int lease_s)
{
	const struct outbox_able able = { .mail = mail, .targets = &webhook, .n = webhook ? 1 : 0 };
	struct outbox_item *it = NULL;

	if (db_outbox_claim(db, a, &able, lease_s, &it, &err))
		printf("# %s\n", err.message);
	return it;
}

static void test_leases(void)
{
	struct outbox_item *it, *other;
	bool found;

	ok(!db_script(db, "DELETE FROM nsecwatch.digest_item; DELETE FROM nsecwatch.outbox;"
			  "INSERT INTO nsecwatch.outbox (kind, target, event, idempotency_key, created_at, next_try) VALUES "
			  "('mail', 'a@x', 'opened', 'm', now(), now() - interval '1 second'),"
			  "('slack', 's', 'opened', 's', now(), now()), ('mail', 'a@x', 'opened', 'l', now(), now() + interval '1 day')",
		      &err), "three rows");
	ok(!claim(false, NULL, 60) && !claim(false, "other", 60), "who can deliver none of them gets none");
	it = claim(true, "s", 60);
	ok(it && !strcmp(it->idempotency_key, "m") && it->attempts == 1, "the one that is due longest is first");
	other = claim(true, "s", 60);
	ok(other && other->kind == OUTBOX_SLACK, "then the next");
	ok(!claim(true, "s", 60), "what is not due yet is not");
	ok(!db_outbox_again(db, it->id, "me", &found, &err) && found && !claim(true, "s", 60),
	   "one that is under way is not sent again at once");
	ok(!db_outbox_failed(db, it, 0, "no", &err) && (it = claim(true, NULL, 0)) && it->attempts == 2, "after its failure it is");
	ok(!db_outbox_failed(db, &(struct outbox_item){ .id = it->id, .attempts = 1 }, 0, "late", &err) &&
	   number("SELECT count(*) FROM outbox WHERE last_error = 'late'") == 0, "an attempt that lost its lease says nothing");
	ok(!db_outbox_put_off(db, it, at("2100-01-01T00:00:00Z"), &err) && !claim(true, NULL, 60) &&
	   number("SELECT attempts FROM outbox WHERE idempotency_key = 'm'") == 1, "put off: no attempt, and not now");
	ok(!db_outbox_failed(db, other, -1, "gone", &err) && number("SELECT count(*) FROM outbox WHERE dead_at IS NOT NULL") == 1,
	   "given up: dead");
	ok(!claim(true, "s", 60), "nobody gets a dead one");
	ok(!db_outbox_again(db, other->id, "me", &found, &err) && found && (other = claim(true, "s", 60)) && other->attempts == 1,
	   "asked for again, it has all its tries");
	ok(!db_outbox_sent(db, other, &err) && !db_outbox_again(db, other->id, "me", &found, &err) && !found,
	   "sent, it is not sent again");
}

static void test_keys(void)
{
	char key[OUTBOX_KEY], two[OUTBOX_KEY];

	is_str(db_outbox_key(key, "A-opened", OUTBOX_WEBHOOK, OUTBOX_DEFAULT), "A-opened-webhook", "the option's target");
	db_outbox_key(key, "A-opened", OUTBOX_MAIL, "a@x");
	db_outbox_key(two, "A-opened", OUTBOX_MAIL, "b@x");
	ok(strcmp(key, two) && !strstr(key, "@"), "others are told apart, and not named");
}

int main(void)
{
	pg_start();
	db = pg_migrated();
	a = arena_new();
	test_keys();
	test_quiet();
	test_digests();
	test_leases();
	arena_free(a);
	db_free(db);
	return done();
}
