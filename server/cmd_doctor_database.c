/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd_doctor.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/tm.h"
#include "db_doctor.h"
#include "db_gauges.h"
#include "db_migrate.h"

#define OLDEST 140000			/* README: 14 or later */
#define SKEW_MOST 2000000		/* usec */
#define OTHERS 6			/* connections of a serve and a watch beside the workers */
#define CHECK_LATE_S 900
#define PACK_LATE_S 3600
#define OUTBOX_LATE_S 900
#define XID_OLD 1000000000		/* half of what there is */

static bool is(const char *a, const char *b)
{
	return a && !strcmp(a, b);
}

/* What would lose data, or answers. */
static void look_at_safety(struct doctor *d, const struct db_doctor *s)
{
	size_t before = d->n;

	if (is(s->fsync, "off"))
		cmd_doctor_say(d, DOCTOR_BAD, "postgresql", "fsync = on in postgresql.conf",
			       "fsync is off: a crash of the machine may destroy the database");
	if (is(s->full_page_writes, "off"))
		cmd_doctor_say(d, DOCTOR_BAD, "postgresql", "full_page_writes = on in postgresql.conf",
			       "full_page_writes is off: a crash of the machine may leave torn pages");
	if (is(s->synchronous_commit, "off"))
		cmd_doctor_say(d, DOCTOR_INFO, "postgresql", NULL, "synchronous_commit is off by default; nsecwatchd turns it on for its sessions");
	if (is(s->autovacuum, "off"))
		cmd_doctor_say(d, DOCTOR_BAD, "postgresql", "autovacuum = on in postgresql.conf",
			       "autovacuum is off: queues get slower from day to day");
	if (is(s->data_checksums, "off"))
		cmd_doctor_say(d, DOCTOR_INFO, "postgresql", "pg_checksums --enable, with the server stopped",
			       "there are no data checksums: a disk that lies is not noticed (series packs have their own)");
	if (is(s->archive_mode, "off"))
		cmd_doctor_say(d, DOCTOR_INFO, "postgresql", "docs/operation.md: point-in-time recovery, or a nightly nsecwatchd backup",
			       "no write-ahead log is archived: what is newer than the last backup would be lost with the disk");
	if (s->sync_standby_missing)
		cmd_doctor_say(d, DOCTOR_BAD, "postgresql", "bring the standby back, or take it out of synchronous_standby_names and reload",
			       "a synchronous standby is wanted (%s) and none is connected: uploads wait for ever", s->synchronous_standby_names);
	if (s->xid_age > XID_OLD)
		cmd_doctor_say(d, DOCTOR_WARN, "postgresql", "look why autovacuum does not freeze: old transactions, replication slots",
			       "the oldest transaction number is %lld transactions old, of 2 billion", (long long)s->xid_age);
	if (d->n == before)
		cmd_doctor_say(d, DOCTOR_OK, "postgresql", NULL, "what is acknowledged survives a crash");
}

static void look_at_server(struct doctor *d, const struct db_doctor *s, int64_t skew)
{
	int64_t left = s->max_connections - s->reserved - s->used, wanted = s->serves ? 0 : d->workers + OTHERS;

	if (s->version < OLDEST)
		cmd_doctor_say(d, DOCTOR_BAD, "version", "upgrade it: README, Upgrade", "PostgreSQL is %s: 14 or later is needed", s->version_text);
	else
		cmd_doctor_say(d, DOCTOR_OK, "version", NULL, "PostgreSQL %s", s->version_text);
	if (s->in_recovery || s->read_only)
		cmd_doctor_say(d, DOCTOR_BAD, "database", "name all servers, host=a,b: libpq finds the one that takes writes",
			       s->in_recovery ? "it is a hot standby: nothing can be written" : "transactions are read-only by default");
	if (strcmp(s->encoding, "UTF8") != 0)
		cmd_doctor_say(d, DOCTOR_BAD, "encoding", "restore a backup into one made by CREATE DATABASE ... TEMPLATE template0 ENCODING 'UTF8'",
			       "the database is %s: names in other scripts cannot be stored", s->encoding);
	if (s->collation_changed)
		cmd_doctor_say(d, DOCTOR_BAD, "collation", "REINDEX DATABASE, then ALTER DATABASE ... REFRESH COLLATION VERSION",
			       "the system's rules of sorting (%s) have changed since the indexes were made", s->collation);
	else
		cmd_doctor_say(d, DOCTOR_OK, "collation", NULL, "%s, %s", s->encoding, s->collation);
	if (left < wanted)
		cmd_doctor_say(d, DOCTOR_BAD, "connections", "max_connections in postgresql.conf, or fewer --workers",
			       "%lld connections are left of %lld: a serve of %d workers and a watch take %lld", (long long)left,
			       (long long)s->max_connections, d->workers, (long long)wanted);
	else
		cmd_doctor_say(d, DOCTOR_OK, "connections", NULL, "%lld left of %lld", (long long)left, (long long)s->max_connections);
	if (llabs(skew) > SKEW_MOST)
		cmd_doctor_say(d, DOCTOR_WARN, "clock", "keep both clocks right: chrony, systemd-timesyncd",
			       "PostgreSQL's clock is %.1f s %s this machine's", (double)llabs(skew) / 1e6, skew > 0 ? "before" : "behind");
	if (!s->may_create || !s->may_temp)
		cmd_doctor_say(d, DOCTOR_WARN, "permissions", "let it own the database: ALTER DATABASE ... OWNER TO nsecwatch",
			       "the role may not %s in this database: %s", s->may_create ? "make temporary tables" : "make schemas",
			       s->may_create ? "restore needs them" : "the first migration needs that");
}

/* Of several servers, all are asked by the first connection that a process makes. */
static void look_at_hosts(struct doctor *d, struct db *db)
{
	struct buf names;

	buf_init(&names);
	if (db_former_primaries(db, &names))
		cmd_doctor_say(d, DOCTOR_BAD, "servers", "stop it, then pg_rewind or pg_basebackup: make it a standby of the one that was promoted",
			       "split brain: %.*s takes writes on an older timeline than another server: a former primary", (int)names.len, names.p);
	buf_fini(&names);
}

static void look_at_schema(struct doctor *d, struct db *db, const struct db_doctor *s)
{
	struct err why = { 0 };

	if (db_migrate_check(db, &why))
		cmd_doctor_say(d, DOCTOR_BAD, "schema", "older: a backup, then nsecwatchd migrate; newer: the nsecwatchd that migrated it, or a newer one",
			       "%s", why.message);
	else
		cmd_doctor_say(d, DOCTOR_OK, "schema", NULL, "version %lld, which is this program's", (long long)db_migrate_newest());
	if (*s->invalid_indexes)
		cmd_doctor_say(d, DOCTOR_BAD, "schema", "REINDEX INDEX CONCURRENTLY nsecwatch.NAME of each",
			       "indexes that were not finished: %s", s->invalid_indexes);
}

static void look_at_tokens(struct doctor *d, const struct db_doctor *s)
{
	if (s->admins == 0)
		cmd_doctor_say(d, DOCTOR_WARN, "tokens", "nsecwatchd token add --name NAME --scope admin", "no token may do everything");
	if (*s->expired)
		cmd_doctor_say(d, DOCTOR_WARN, "tokens", "nsecwatchd token add for those who still need one", "ended in the last month: %s",
			       s->expired);
	if (*s->expiring)
		cmd_doctor_say(d, DOCTOR_WARN, "tokens", "nsecwatchd token add, and give it to the lab in time", "end within two weeks: %s",
			       s->expiring);
	if (s->admins > 0 && !*s->expired && !*s->expiring)
		cmd_doctor_say(d, DOCTOR_OK, "tokens", NULL, "none ends soon");
}

static void look_at_queues(struct doctor *d, struct db *db, const struct db_doctor *s)
{
	struct err why = { 0 };
	struct db_gauges g;
	size_t before = d->n;

	if (db_gauges_read(db, &g, &why))
		return;			/* an older schema: said already */
	if (!s->watches)
		cmd_doctor_say(d, DOCTOR_WARN, "watch", "start `nsecwatchd watch`", "no watch is connected: changes are not found, nobody is told");
	if (g.check_age > CHECK_LATE_S)
		cmd_doctor_say(d, DOCTOR_WARN, "queues", "look into watch's log; after a bulk import it catches up by itself",
			       "%lld runs wait to be checked, the oldest for %.0f minutes", (long long)g.check_waiting, g.check_age / 60);
	if (g.pack_age > PACK_LATE_S)
		cmd_doctor_say(d, DOCTOR_WARN, "queues", "watch packs; serve does where more than 1000 wait",
			       "%lld runs wait to be packed, the oldest for %.0f minutes: trends get slower", (long long)g.pack_waiting,
			       g.pack_age / 60);
	if (g.outbox_age > OUTBOX_LATE_S)
		cmd_doctor_say(d, DOCTOR_WARN, "outbox", "is a watch running that has --smtp-url and the webhooks? /deliveries has the last failure",
			       "%lld deliveries wait, one is overdue by %.0f minutes", (long long)g.outbox_waiting, g.outbox_age / 60);
	if (g.outbox_dead)
		cmd_doctor_say(d, DOCTOR_WARN, "outbox", "/deliveries has why, and a button to send them again", "%lld deliveries were given up",
			       (long long)g.outbox_dead);
	if (d->n == before)
		cmd_doctor_say(d, DOCTOR_OK, "queues", NULL, "nothing waits for long");
}

static void look_at_zone(struct doctor *d, struct db *db)
{
	struct err why = { 0 };
	bool known;

	if (!d->time_zone || db_doctor_zone_known(db, d->time_zone, &known, &why))
		return;
	if (known)
		cmd_doctor_say(d, DOCTOR_OK, "time zone", NULL, "%s", d->time_zone);
	else
		cmd_doctor_say(d, DOCTOR_BAD, "time zone", "--time-zone of watch, as Europe/Berlin: SELECT name FROM pg_timezone_names",
			       "PostgreSQL knows no time zone \"%s\"", d->time_zone);
}

void cmd_doctor_database(struct doctor *d, const char *conninfo)
{
	struct db *db = db_new(conninfo, "nsecwatchd doctor", 30000);
	struct err why = { 0 };
	struct db_doctor s;
	int64_t begun;

	begun = tm_now_usec();
	if (db_connect(db, &why) || (begun = tm_now_usec(), db_doctor_read(db, d->a, &s, &why))) {
		cmd_doctor_say(d, DOCTOR_BAD, "database", "is it running, does it listen there, may this user in (pg_hba.conf, ~/.pgpass)?", "%s",
			       why.message);
	} else {
		look_at_hosts(d, db);
		look_at_server(d, &s, s.now - (begun + tm_now_usec()) / 2);
		look_at_safety(d, &s);
		look_at_schema(d, db, &s);
		look_at_tokens(d, &s);
		look_at_queues(d, db, &s);
		look_at_zone(d, db);
	}
	db_free(db);
}
