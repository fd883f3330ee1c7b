# SPDX-License-Identifier: GPL-2.0-or-later
"""
Upgrades from every schema there was, each with data in it; migrations that are cut off in the middle, wait for readers, or have a
gap. The schemas are taken as they stand in schema/, the data is written as the programs of their time did.
"""
import hashlib
import subprocess
import threading

import psycopg2
import pytest

import harness
from harness import PROGRAM, ROOT, command, sql, wait_until

FILES = sorted((ROOT / "schema").glob("0*.sql"))
NEWEST = len(FILES)
RUN = "00000000-0000-8000-8000-0000000000%02x"
ALERT = "00000000-0000-8000-8000-0000000000aa"

# What is written when the schema is of that number; later ones have to carry it along.
DATA = {
    1: """
        INSERT INTO machine (name, isa, uarch, facts, created_at, changed_in) VALUES ('m-01', 'x86_64', 'epyc-milan', '{"cpus": 128}', now(), 1);
        INSERT INTO kernel (identity, name, release, base, rc, track, sort_key, created_at, changed_in) VALUES
            ('6.16', '6.16', 'v6.16', '6.16', 0, 'mainline', '\\x0616', now(), 1),
            ('6.17-rc1', '6.17-rc1', 'v6.17-rc1', '6.17', 1, 'mainline', '\\x0617', now(), 1);
        INSERT INTO config (thp, base_page_kib, flavour, created_at, changed_in) VALUES ('always', 4, '', now(), 1);
        INSERT INTO benchmark (name, created_at, changed_in) VALUES ('mprotect/tw4m', now(), 1);
        INSERT INTO metric (name, unit, better, created_at, changed_in) VALUES ('latency', 'ns/call', 1, now(), 1);
        INSERT INTO series (machine_id, config_id, benchmark_id, metric_id, params, params_key, created_at, changed_in)
            VALUES (1, 1, 1, 1, '{"size_kib":400}', substr(encode(sha256('{"size_kib":400}'), 'hex'), 1, 32)::uuid, now(), 1);
        SELECT run_raw_month('2026-02-01');
        INSERT INTO run (run_id, content_sha256, machine_id, kernel_id, config_id, started_at, received_at, boot_id, format, series_id, n, mean, stddev)
            SELECT ('00000000-0000-8000-8000-0000000000' || lpad(to_hex(i), 2, '0'))::uuid, sha256(i::text::bytea), 1, 1 + i % 2, 1,
                   '2026-02-13T15:00:00Z', '2026-02-13T15:00:00Z'::timestamptz + i * interval '1 s', 'boot-' || i, 'nsecwatch.submission/1', '{1}', '{3}',
                   ARRAY[3450.5 + 1000 * (i % 2) + i]::float8[], ARRAY[1.25]::float8[] FROM generate_series(1, 6) i;
        INSERT INTO run_raw (run_id, month, body_type, body_bytes, body, vals)
            SELECT run_id, '2026-02-01', 'text/plain', 2, '\\x28b52ffd04581100006869fa3826ea', ARRAY[mean[1] - 1, mean[1], mean[1] + 1] FROM run;
        INSERT INTO run_todo (run_id, what) SELECT run_id, w FROM run, (VALUES ('pack'), ('check')) v (w);
        INSERT INTO token (name, scope, sha256, created_at) VALUES ('old', 'admin', sha256('nsw_old'), now())""",
    2: f"""
        INSERT INTO change VALUES (1, 1, 2, 3453.5, 4453.5, 28.95, 'regression', 'strong', 0.0001, 3, 3);
        INSERT INTO alert (id, track, from_kernel_id, to_kernel_id, benchmark_id, direction, rule_id, n_series, worst_percent, machine_ids,
            config_ids, created_at) VALUES ('{ALERT}', 'mainline', 1, 2, 1, 'regression', 1, 1, 28.95, '{{1}}', '{{1}}', now());
        INSERT INTO alert_member (series_id, alert_id, from_kernel_id, to_kernel_id, direction) VALUES (1, '{ALERT}', 1, 2, 'regression');
        INSERT INTO outbox (alert_id, kind, idempotency_key, created_at, next_try, sent_at) VALUES ('{ALERT}', 'mail', 'key-1', now(), now(), now())""",
    7: f"INSERT INTO event (at, who, kind, object, action) VALUES (now(), 'someone', 'alert', '{ALERT}', 'comment')",
    10: "INSERT INTO rule (name, percent, note) VALUES ('mm', 3, 'ours')",
    11: "INSERT INTO mute (selector, reason, author, created_at) VALUES ('{\"benchmark\": [\"x/*\"]}', 'known', 'someone', now())",
    12: f"INSERT INTO run_invalid VALUES ('{RUN % 6}', 'compiled on it', 'someone', now())",
    13: "UPDATE machine SET shown = 'shown-01'",
}


def apply(conninfo, number):
    text = FILES[number - 1].read_bytes()
    link = psycopg2.connect(conninfo)
    with link, link.cursor() as cursor:
        cursor.execute("SET search_path = nsecwatch")
        cursor.execute(text.decode())
        cursor.execute("INSERT INTO schema_migration VALUES (%s, %s, %s, now())",
                       (number, FILES[number - 1].name, hashlib.sha256(text).digest()))
        if number in DATA:
            cursor.execute(DATA[number])
    link.close()


def shape(conninfo):
    """All that a schema is: columns, constraints, indexes, functions, labels."""
    return {
        "columns": sql(conninfo, """SELECT table_name, column_name, data_type, is_nullable, column_default, is_identity FROM information_schema.columns
                                    WHERE table_schema = 'nsecwatch' AND table_name !~ '^run_raw_\\d' ORDER BY 1, 2"""),
        "constraints": sorted(sql(conninfo, """SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint
                                               WHERE connamespace = 'nsecwatch'::regnamespace AND conrelid::regclass::text !~ 'run_raw_\\d'""")),
        "indexes": sorted(sql(conninfo, "SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'nsecwatch' AND tablename !~ '^run_raw_\\d'")),
        "functions": sql(conninfo, "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'nsecwatch'::regnamespace ORDER BY 1"),
        "labels": sorted(sql(conninfo, """SELECT c.relname, obj_description(c.oid) FROM pg_class c
                                          WHERE c.relnamespace = 'nsecwatch'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition""")),
    }


BOOTSTRAP = """DROP SCHEMA IF EXISTS nsecwatch CASCADE; CREATE SCHEMA nsecwatch; CREATE TABLE nsecwatch.schema_migration
               (version bigint PRIMARY KEY, name text NOT NULL, sha256 bytea NOT NULL, applied_at timestamptz NOT NULL);
               COMMENT ON TABLE nsecwatch.schema_migration IS 'dist:local'"""


@pytest.fixture(scope="module")
def empty(postgres):
    if postgres.process is None:
        postgres.start()
    return postgres.create_database()


@pytest.fixture(scope="module")
def at(empty):
    """at(number): a database of that schema with its data; the same one each time, which is much quicker than another."""
    def make(number):
        sql(empty, BOOTSTRAP)
        for n in range(1, number + 1):
            apply(empty, n)
        return empty

    return make


@pytest.fixture(scope="module")
def fresh(postgres, empty):
    conninfo = postgres.create_database()
    command("migrate", "--db", conninfo)
    return conninfo


def test_the_files_are_numbered_without_a_gap():
    assert [int(f.name[:4]) for f in FILES] == list(range(1, NEWEST + 1))


@pytest.mark.parametrize("number", range(1, NEWEST + 1))
def test_from_each_schema_to_the_newest_with_its_data(number, at, fresh):
    conninfo = at(number)
    before = sql(conninfo, "SELECT run_id, mean, n, stddev, boot_id FROM run ORDER BY 1")
    done = command("migrate", "--db", conninfo)
    assert (f"{NEWEST - number} migration" in done.stdout) == (number < NEWEST)
    now, wanted = shape(conninfo), shape(fresh)
    for what in wanted:
        assert now[what] == wanted[what], what
    assert sql(conninfo, "SELECT run_id, mean, n, stddev, boot_id FROM run ORDER BY 1") == before and len(before) == 6
    for table, least, rows in (("token", 1, 1), ("alert", 2, 1), ("change", 2, 1), ("outbox", 2, 1), ("event", 7, 1), ("rule", 10, 2), ("mute", 11, 1)):
        assert sql(conninfo, f"SELECT count(*) FROM {table}")[0][0] == (rows if number >= least else 1 if table == "rule" else 0), table


@pytest.mark.parametrize("number", (1, 7, NEWEST))
def test_what_was_upgraded_answers_and_takes_more(number, at, tmp_path):
    conninfo = at(number)
    command("migrate", "--db", conninfo)
    token = command("token", "add", "--name", "new", "--scope", "admin", "--db", conninfo).stdout.strip()
    server = harness.Server(conninfo, tmp_path / "log").start()
    try:
        api = harness.Api(server.url, token)
        runs = api.json("/api/v1/runs")["runs"]
        assert [r["kernel"]["name"] for r in runs] == ["6.16", "6.17-rc1"] * 3
        assert api.json(f"/api/v1/runs/{RUN % 3}")["results"][0]["values"] == [4452.5, 4453.5, 4454.5]
        assert api.get(f"/api/v1/runs/{RUN % 3}/raw").text == "hi"
        api.store(harness.submission("6.16", "m-01", boot_id="new", size_kib=400))
        rows = api.json("/api/v1/compare", params={"base": "6.16", "head": "6.17-rc1"})["rows"]
        assert len(rows) == 1 and 20 < rows[0]["change_percent"] < 35, rows
        assert len(sql(conninfo, "SELECT 1 FROM series")) == 1  # the new run went into the old series
        assert api.json("/api/v1/trend")["series"][0]["n"]
    finally:
        server.stop()


def test_a_backup_of_an_old_schema_is_restored_as_the_newest(at, postgres, fresh, tmp_path):
    target = postgres.create_database()
    for number in (1, 5, 15):
        file = tmp_path / f"{number}.backup"
        command("backup", file, "--db", at(number))
        sql(target, "DROP SCHEMA IF EXISTS nsecwatch CASCADE")
        done = command("restore", file, "--db", target)
        assert f"schema {number}:" in done.stdout
        assert shape(target) == shape(fresh)
        assert sql(target, "SELECT count(*) FROM run") == [(6,)]
        command("migrate", "--check", "--db", target)


def waiting(conninfo):
    """Pids of migrations that wait for a table."""
    return [pid for (pid,) in sql(conninfo, """SELECT a.pid FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid AND NOT l.granted
                                               WHERE a.datname = current_database() AND l.locktype = 'relation'""")]


def test_a_migration_that_is_killed_in_the_middle_leaves_nothing_half_made(at, fresh):
    conninfo = at(6)
    reader = psycopg2.connect(conninfo)
    with reader.cursor() as cursor:
        cursor.execute("SELECT * FROM nsecwatch.alert_member")  # the last statement of 0007 wants it, behind ten others
    for end in ("program", "session"):
        migration = subprocess.Popen([PROGRAM, "migrate", "--db", conninfo], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        pid = wait_until(lambda: waiting(conninfo), "0007 waits in its middle")[0]
        migration.kill()
        migration.communicate()
        if end == "session":
            sql(conninfo, "SELECT pg_terminate_backend(%s)", pid)
        wait_until(lambda: not waiting(conninfo), "its session ends")
        assert sql(conninfo, "SELECT max(version) FROM schema_migration") == [(6,)]
        assert sql(conninfo, "SELECT to_regclass('nsecwatch.event')") == [(None,)]
        assert "version 6 of" in command("migrate", "--check", "--db", conninfo, check=False).stderr
    reader.close()
    command("migrate", "--db", conninfo)
    assert shape(conninfo) == shape(fresh)


def test_a_migration_waits_for_readers_a_little_at_a_time_and_lets_others_by(at):
    conninfo = at(6)
    reader = psycopg2.connect(conninfo)
    with reader.cursor() as cursor:
        cursor.execute("SELECT * FROM nsecwatch.alert_member")
    migration = subprocess.Popen([PROGRAM, "migrate", "--db", conninfo], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: waiting(conninfo), "0007 waits")
    other = threading.Thread(target=sql, args=(conninfo, "SELECT count(*) FROM alert_member"))  # stands in line behind it
    other.start()
    other.join(20)
    assert not other.is_alive() and migration.poll() is None, "who reads gets by, though the first reader is still there"
    reader.close()
    assert migration.wait(60) == 0, migration.stderr.read()


def test_a_schema_with_a_gap_is_refused(at):
    conninfo = at(8)
    sql(conninfo, "DELETE FROM schema_migration WHERE version = 5")
    for args in (("migrate",), ("migrate", "--check"), ("backup", "/dev/null.none")):
        done = command(*args, "--db", conninfo, check=False)
        assert done.returncode == 1, args
    assert "half made: 0006_noise.sql was applied and 0005_packs_inline.sql was not" in \
        command("migrate", "--db", conninfo, check=False).stderr


def test_a_file_that_is_not_what_was_applied_is_refused(at):
    conninfo = at(3)
    sql(conninfo, "UPDATE schema_migration SET sha256 = sha256('x') WHERE version = 2")
    assert "0002_alerts.sql is not what was applied" in command("migrate", "--db", conninfo, check=False).stderr
