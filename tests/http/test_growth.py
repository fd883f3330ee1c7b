# SPDX-License-Identifier: GPL-2.0-or-later
"""Several `serve` on one database, and reading from a real hot standby: everybody sees what was acknowledged, caches are right."""
import os
import pathlib
import shutil
import subprocess
import tempfile

import psycopg2
import pytest

import harness
from harness import Api, pg_bin, sql, submission, wait_until
from test_concurrency import in_threads


def trend(machine):
    return f"/api/v1/trend?machine={machine}"


# ---- several serves

def test_what_one_server_stores_the_other_shows_at_once_whatever_it_has_in_its_cache(server, new_server, tokens):
    one, two = Api(server.url, tokens("ingest")), Api(new_server().url, tokens("ingest"))
    for n in range(20):
        writer, reader = (one, two) if n % 2 else (two, one)
        writer.store(submission(machine="both-01", boot_id=str(n)))
        for api in (reader, writer, reader):
            answer = api.get(trend("both-01"))
            assert answer.json()["series"][0]["n"] == [2 * (n + 1)], n
    first, second = one.get(trend("both-01")), two.get(trend("both-01"))
    assert first.content == second.content and first.headers["ETag"] == second.headers["ETag"]
    assert two.get(trend("both-01"), headers={"If-None-Match": first.headers["ETag"]}).status_code == 304


def test_one_run_sent_to_both_at_once_is_stored_once(server, new_server, tokens, database):
    urls = [server.url, new_server().url]
    body = submission(machine="twice-01", boot_id="x")
    answers = in_threads(8, lambda i: Api(urls[i % 2], tokens("ingest")).post("/api/v1/runs", json=body))
    assert sorted(a.status_code for a in answers) == [200] * 7 + [201]
    assert sql(database, "SELECT count(*) FROM run r JOIN machine m ON m.id = r.machine_id WHERE m.name = 'twice-01'") == [(1,)]


def test_names_that_one_gave_the_other_knows(server, new_server, tokens):
    one, two = Api(server.url, tokens("admin")), Api(new_server().url, tokens("admin"))
    one.store(submission(machine="before-01"))
    assert two.get(trend("before-01")).status_code == 200
    assert one.post("/api/v1/machines/before-01:rename", json={"name": "after-01"}).status_code == 200
    assert two.json(trend("after-01"))["series"][0]["machine"] == "after-01"


# ---- a hot standby

class Standby:
    """A streaming copy of the tests' PostgreSQL, whose replay can be held up."""

    def __init__(self, primary):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="nsw-standby-"))
        self.user = primary.user
        if self.user:
            os.chown(self.dir, self.user["user"], self.user["group"])
        self.data, self.log = self.dir / "data", self.dir / "log"
        done = subprocess.run([pg_bin("pg_basebackup"), "-D", str(self.data), "-h", str(primary.dir), "-U", "postgres", "-R", "-X", "stream",
                               "-c", "fast", "--no-sync"], cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **self.user)
        assert done.returncode == 0, done.stdout
        with open(self.data / "postgresql.conf", "a") as conf:
            conf.write(f"unix_socket_directories = '{self.dir}'\nhot_standby = on\nmax_standby_streaming_delay = 1s\n")
        self.process = None
        self.start()

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([pg_bin("postgres"), "-D", str(self.data)], cwd=self.dir, stdout=log, stderr=log, **self.user)
        wait_until(self.is_up, "the standby answers", timeout=180)

    def is_up(self):
        assert self.process.poll() is None, self.log.read_text()
        try:
            return self.ask("SELECT pg_is_in_recovery()")
        except psycopg2.OperationalError:
            return False

    def ask(self, statement, dbname="postgres"):
        link = psycopg2.connect(f"host={self.dir} user=postgres dbname={dbname}")
        try:
            with link.cursor() as cursor:
                cursor.execute(statement)
                return cursor.fetchone()[0]
        finally:
            link.close()

    def hold(self):
        self.ask("SELECT pg_wal_replay_pause()::text")
        wait_until(lambda: self.ask("SELECT pg_get_wal_replay_pause_state()") == "paused", "replay is held")

    def go_on(self):
        self.ask("SELECT pg_wal_replay_resume()::text")

    def stop(self):
        if self.process:
            self.process.send_signal(3)
            self.process.wait(180)
            self.process = None


@pytest.fixture(scope="module")
def standby(postgres, database):
    if not hasattr(postgres, "dir"):
        postgres.not_ours()
    copy = Standby(postgres)
    yield copy
    copy.stop()
    shutil.rmtree(copy.dir, ignore_errors=True)


@pytest.fixture(scope="module")
def reading(standby, database, new_server):
    return new_server("--db-read", f"host={standby.dir} user=postgres dbname={database.rsplit('=', 1)[1]}")


def outcomes(server):
    text = Api(server.url).get("/metrics").text
    return {what: int(text.split(f'nsecwatch_standby_answers_total{{outcome="{what}"}} ')[1].split("\n")[0]) for what in ("answered", "behind", "failed")}


def caught_up(standby, postgres):
    place = postgres.execute("postgres", "SELECT pg_current_wal_lsn()")[0][0]
    wait_until(lambda: standby.ask(f"SELECT pg_last_wal_replay_lsn() >= '{place}'"), "the standby has caught up")


def test_questions_go_to_the_standby_and_answers_are_the_primary_s(reading, server, standby, postgres, tokens):
    api, other = Api(reading.url, tokens("ingest")), Api(server.url)
    api.store(submission(machine="far-01", boot_id="1"))
    caught_up(standby, postgres)
    before = outcomes(reading)
    answer = api.get(trend("far-01"))
    after = outcomes(reading)
    assert after["answered"] == before["answered"] + 1 and after["failed"] == before["failed"]
    assert answer.content == other.get(trend("far-01")).content
    assert answer.headers["ETag"] == other.get(trend("far-01")).headers["ETag"]


def test_a_standby_that_is_behind_does_not_hide_what_was_acknowledged(reading, standby, postgres, tokens):
    api = Api(reading.url, tokens("ingest"))
    api.store(submission(machine="late-01", boot_id="0"))
    caught_up(standby, postgres)
    assert api.json(trend("late-01"))["series"][0]["n"] == [2]
    standby.hold()
    try:
        for n in (1, 2):
            before = outcomes(reading)
            api.store(submission(machine="late-01", boot_id=str(n)))
            assert api.json(trend("late-01"))["series"][0]["n"] == [2 + 2 * n]
            assert outcomes(reading)["behind"] > before["behind"]
    finally:
        standby.go_on()
    caught_up(standby, postgres)
    before = outcomes(reading)
    assert api.json(trend("late-01"))["series"][0]["n"] == [6]
    assert outcomes(reading)["answered"] == before["answered"] + 1


def test_what_another_server_stored_is_seen_by_who_was_told_so(reading, server, new_server, standby, postgres, tokens, database):
    writer = new_server("--db-read", f"host={standby.dir} user=postgres dbname={database.rsplit('=', 1)[1]}")
    api, other = Api(reading.url), Api(writer.url, tokens("ingest"))
    other.store(submission(machine="told-01", boot_id="0"))
    caught_up(standby, postgres)
    assert api.json(trend("told-01"))["series"][0]["n"] == [2]
    standby.hold()
    try:
        answer = other.post("/api/v1/runs", json=submission(machine="told-01", boot_id="1"))
        place = answer.headers["Nsecwatch-Lsn"]
        assert api.json(trend("told-01"), headers={"Nsecwatch-Lsn": place})["series"][0]["n"] == [4]
        assert api.json(trend("told-01"))["series"][0]["n"] == [2]  # who was told nothing may see the state of a moment ago
        for nonsense in ("x", "0/", "FFFFFFFFF/0", "0/3000148; DROP"):
            assert api.get(trend("told-01"), headers={"Nsecwatch-Lsn": nonsense}).status_code == 200
    finally:
        standby.go_on()
    caught_up(standby, postgres)
    assert api.json(trend("told-01"))["series"][0]["n"] == [4]


def test_cached_answers_follow_the_standby_through_transactions_that_end_out_of_order(reading, standby, postgres, tokens, database):
    api = Api(reading.url, tokens("ingest"))
    api.store(submission(machine="order-01", boot_id="0"))
    oldest = psycopg2.connect(database)  # stays open: of a set of transactions a standby only tells where it begins and ends
    with oldest.cursor() as cursor:
        cursor.execute("SELECT pg_current_xact_id()")
    early = psycopg2.connect(database)
    with early.cursor() as cursor:  # within that set, older than what follows, and commits behind it
        cursor.execute("INSERT INTO nsecwatch.run_invalid SELECT run_id, 'x', 'x', now() FROM nsecwatch.run WHERE boot_id = '0' "
                       "AND machine_id = (SELECT id FROM nsecwatch.machine WHERE name = 'order-01')")
        api.store(submission(machine="order-01", boot_id="1"))
        caught_up(standby, postgres)
        assert api.json(trend("order-01"))["series"][0]["n"] == [4]
        early.commit()
    early.close()
    caught_up(standby, postgres)
    assert api.json(trend("order-01"))["series"][0]["n"] == [2]
    oldest.close()


def test_without_the_standby_the_primary_answers_and_with_it_back_it_does_again(reading, standby, postgres, tokens):
    api = Api(reading.url, tokens("ingest"))
    api.store(submission(machine="gone-01", boot_id="0"))
    standby.stop()
    try:
        for n in (1, 2, 3):
            api.store(submission(machine="gone-01", boot_id=str(n)))
            assert api.json(trend("gone-01"))["series"][0]["n"] == [2 + 2 * n]
    finally:
        standby.start()
    caught_up(standby, postgres)
    before = outcomes(reading)
    assert api.json(trend("gone-01"))["series"][0]["n"] == [8]
    assert outcomes(reading)["answered"] == before["answered"] + 1


def test_while_the_primary_is_away_the_standby_goes_on_answering(reading, standby, postgres, tokens):
    api = Api(reading.url, tokens("ingest"))
    api.store(submission(machine="away-01", boot_id="0"))
    caught_up(standby, postgres)
    assert api.json(trend("away-01"))["series"][0]["n"] == [2]
    postgres.stop()
    try:
        anonymous = Api(reading.url)
        assert anonymous.json(trend("away-01"))["series"][0]["n"] == [2]
        assert anonymous.json("/api/v1/compare?base=6.17-rc1&head=6.17-rc1&machine=away-01")["rows"]
        assert api.post("/api/v1/runs", json=submission(machine="away-01", boot_id="1")).status_code == 503
    finally:
        postgres.start()
    wait_until(lambda: api.post("/api/v1/runs", json=submission(machine="away-01", boot_id="1")).status_code in (200, 201), "it is back")
    assert api.json(trend("away-01"))["series"][0]["n"] == [4]
