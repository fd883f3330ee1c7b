# SPDX-License-Identifier: GPL-2.0-or-later
"""`nsecwatchd doctor`: what is well is said, and each thing that is wrong is found, with its cure."""
import json
import os
import re

import psycopg2
import pytest

from harness import Process, command, sql, submission, wait_until

pytestmark = pytest.mark.skipif(bool(os.environ.get("NSECWATCH_TEST_DSN")), reason="doctor judges the server, and this one is somebody else's")


def doctor(*args, status=None, **env):
    """{check: [finding]} of doctor --json."""
    clean = {name: "" for name in os.environ if name.startswith("NSECWATCH_") and name not in ("NSECWATCH_SHARED", "NSECWATCH_SEEN")}
    done = command("doctor", "--json", *args, check=False, **{**clean, **env})
    answer = json.loads(done.stdout)
    assert done.returncode == (1 if answer["bad"] else 0) == (status if status is not None else done.returncode), done.stdout
    assert answer["bad"] == sum(f["level"] == "bad" for f in answer["findings"])
    for f in answer["findings"]:
        assert f["level"] in ("ok", "info", "warn", "bad") and f["message"]
        assert f["cure"] or f["level"] in ("ok", "info"), f
    out = {}
    for f in answer["findings"]:
        out.setdefault(f["check"], []).append(f)
    return out


def found(findings, check, level, words):
    assert any(f["level"] == level and words in f["message"] for f in findings.get(check, [])), (check, level, words, findings)


def test_a_good_server_is_well_and_fsync_off_is_not(database):
    findings = doctor("--db", database, status=1)
    found(findings, "postgresql", "bad", "fsync is off")  # as the tests' PostgreSQL has it
    assert [f for list_ in findings.values() for f in list_ if f["level"] == "bad"] == \
        [f for f in findings["postgresql"] if "fsync" in f["message"]]
    found(findings, "schema", "ok", "which is this program's")
    found(findings, "version", "ok", "PostgreSQL ")
    found(findings, "collation", "ok", "UTF8")
    found(findings, "connections", "ok", "left of 200")
    found(findings, "serve", "ok", "good")
    text = command("doctor", "--db", database, check=False).stdout
    assert re.search(r"^BAD   postgresql   fsync is off.*\n +cure: fsync = on", text, re.M) and "1 bad" in text


def test_what_serve_and_watch_would_be_told_is_tried(database, tmp_path):
    findings = doctor("--db", database, NSECWATCH_WORKERS="0", NSECWATCH_TIME_ZONE="Europe/Nowhere", status=1)
    found(findings, "serve", "bad", "from 1 to 256")
    found(findings, "time zone", "bad", "Europe/Nowhere")
    found(doctor("--db", database, NSECWATCH_TIME_ZONE="Europe/Berlin"), "time zone", "ok", "Europe/Berlin")
    maintainers = tmp_path / "MAINTAINERS"
    maintainers.write_text("MM\nB:\tmprotect/*\nM:\tnobody\n")
    maintainers.chmod(0o600)
    found(doctor("--db", database, NSECWATCH_MAINTAINERS=str(maintainers)), "watch", "bad", "MAINTAINERS")


def test_secrets_that_others_may_read_are_found(database, tmp_path):
    secret = tmp_path / "key"
    secret.write_text("hunter2\n")
    secret.chmod(0o644)
    findings = doctor("--db", database, NSECWATCH_WEBHOOK_SECRET_FILE=str(secret))
    found(findings, "permissions", "bad", "mode 644")
    assert any(f["cure"] == f"chmod 600 {secret}" for f in findings["permissions"]) and "hunter2" not in str(findings)
    secret.chmod(0o600)
    found(doctor("--db", database, NSECWATCH_WEBHOOK_SECRET_FILE=str(secret)), "permissions", "ok", "its owner alone")
    found(doctor("--db", database, NSECWATCH_WEBHOOK_SECRET_FILE=str(tmp_path / "none")), "permissions", "bad", "No such file")
    found(doctor("--db", database + " password=x"), "permissions", "warn", "password")


def test_a_database_that_is_away_or_unnamed_is_found(tmp_path):
    found(doctor("--db", f"host={tmp_path} dbname=x", status=1), "database", "bad", str(tmp_path))
    found(doctor("--data", tmp_path, status=1), "database", "bad", "--db")


def test_schemas_that_do_not_fit_are_found(postgres):
    database = postgres.create_database()
    found(doctor("--db", database), "schema", "bad", "no schema yet")
    command("migrate", "--db", database)
    newest, = sql(database, "SELECT max(version) FROM schema_migration")[0]
    sql(database, "DELETE FROM schema_migration WHERE version = %s", newest)
    found(doctor("--db", database), "schema", "bad", f"version {newest - 1} of {newest}")
    sql(database, "INSERT INTO schema_migration VALUES (9999, '9999_x.sql', '', now())")
    found(doctor("--db", database), "schema", "bad", "newer than this program")


def test_an_index_that_was_not_finished_is_found(postgres):
    database = postgres.create_database()
    command("migrate", "--db", database)
    sql(database, "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'nsecwatch.run_received'::regclass")
    found(doctor("--db", database), "schema", "bad", "run_received")


def test_what_hangs_in_the_queues_is_found(new_lab):
    lab = new_lab()
    lab.api.store(submission())
    findings = doctor("--db", lab.db)
    found(findings, "watch", "warn", "no watch is connected")
    sql(lab.db, "UPDATE run_todo SET queued_at = now() - interval '2 hours'")
    findings = doctor("--db", lab.db)
    found(findings, "queues", "warn", "wait to be checked, the oldest for 120 minutes")
    found(findings, "queues", "warn", "wait to be packed")
    lab.watch()
    lab.checked()
    wait_until(lambda: "watch" not in {c for c, fs in doctor("--db", lab.db).items() if fs[0]["level"] == "warn"}, "it is seen")
    found(doctor("--db", lab.db), "queues", "ok", "nothing waits")


def test_deliveries_that_were_given_up_are_found(new_lab, hook):
    lab = new_lab()
    lab.boots("6.16", {4: 1000}, boots=2)
    lab.boots("6.17-rc1", {4: 2000}, boots=2)
    hook.status = 500
    lab.watch("--webhook-url", "http://127.0.0.1:9/", "--webhook-allow", "127.0.0.1", "--delivery-tries", "1")
    wait_until(lambda: sql(lab.db, "SELECT 1 FROM outbox WHERE dead_at IS NOT NULL"), "it is given up")
    found(doctor("--db", lab.db), "outbox", "warn", "1 deliveries were given up")


def test_too_few_connections_are_found(database):
    links = []
    try:
        while True:
            links.append(psycopg2.connect(database))
            if len(links) == 185:
                break
        found(doctor("--db", database, NSECWATCH_WORKERS="64"), "connections", "bad", "a serve of 64 workers")
    finally:
        for link in links:
            link.close()


def test_settings_that_lose_data_are_found(postgres):
    """Each for this one database, as far as PostgreSQL lets one; the others only by their words in the manual."""
    database = postgres.create_database()
    name = database.rsplit("=", 1)[1]
    postgres.execute("postgres", f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    found(doctor("--db", database + " target_session_attrs=any"), "database", "bad", "read-only")
    postgres.execute("postgres", f"ALTER DATABASE {name} RESET default_transaction_read_only")
    postgres.execute("postgres", f"ALTER DATABASE {name} SET synchronous_commit = off")
    found(doctor("--db", database), "postgresql", "info", "synchronous_commit is off")
    sql(database, "UPDATE pg_database SET datcollversion = '1' WHERE datname = current_database()")
    found(doctor("--db", database), "collation", "bad", "have changed")


def test_another_encoding_is_found(postgres):
    postgres.execute("postgres", "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'")
    found(doctor("--db", postgres.conninfo("latin")), "encoding", "bad", "LATIN1")
