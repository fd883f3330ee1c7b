# SPDX-License-Identifier: GPL-2.0-or-later
"""Many clients at once, and the lights going out in the middle: nothing acknowledged is lost, nothing is doubled."""
import queue
import re
import threading
import time
import uuid

import psycopg2
import pytest
import requests

from harness import PATIENCE, Api, command, sql, submission, wait_until


def in_threads(n, work):
    """Runs work(i) for i < n at once; its results, or the first exception."""
    results, failures = [None] * n, []

    def body(i):
        try:
            results[i] = work(i)
        except BaseException as e:
            failures.append(e)

    threads = [threading.Thread(target=body, args=(i,)) for i in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if failures:
        raise failures[0]
    return results


def rebuild(database):
    """`nsecwatchd rebuild`: how many series it found to differ."""
    done = command("rebuild", "--db", database)
    text = done.stdout + done.stderr
    found = re.search(r"(\d+) (?:series )?(?:differed|changed|were other)|changed=(\d+)|series_changed=(\d+)", text)
    assert found, f"rebuild tells how many series differed: {text}"
    return int(next(g for g in found.groups() if g is not None))


def test_the_same_post_a_hundred_times_by_ten_clients_is_stored_once(server, tokens, database):
    body = submission(machine="hundred-01", boot_id="one")

    def client(_):
        api = Api(server.url, tokens("ingest"))
        return [api.post("/api/v1/runs", json=body) for _ in range(10)]

    answers = [a for some in in_threads(10, client) for a in some]
    assert {a.status_code for a in answers} == {200, 201}
    assert [a.status_code for a in answers].count(201) == 1
    run_id, = {a.json()["run_id"] for a in answers}
    assert sql(database, "SELECT count(*) FROM run WHERE run_id = %s", run_id) == [(1,)]
    assert sql(database, "SELECT count(*) FROM run_raw WHERE run_id = %s", run_id) == [(1,)]
    assert sql(database, "SELECT count(*) FROM machine WHERE name = 'hundred-01'") == [(1,)]


def test_one_run_id_with_different_contents_at_once_is_stored_once(server, tokens, database):
    mine = str(uuid.uuid4())

    def client(i):
        return Api(server.url, tokens("ingest")).post("/api/v1/runs", json=submission(run_id=mine, values=[100.0 + i])).status_code

    codes = in_threads(10, client)
    assert sorted(codes) == [201] + [409] * 9
    assert sql(database, "SELECT count(*) FROM run WHERE run_id = %s", mine) == [(1,)]


def test_many_new_names_at_once_make_each_once(server, tokens, database):
    """Ten clients meet ten new machines, kernels and benchmarks in different orders."""
    def client(i):
        api = Api(server.url, tokens("ingest"))
        for k in range(10):
            at = (i + k) % 10
            results = [{"benchmark": f"new/b{(at + r) % 10}", "params": {"i": r}, "metric": "m", "unit": "ns", "better": "lower",
                        "values": [1.0 + i]} for r in range(10)]
            api.store(submission(machine=f"new-{at}", kernel=f"v5.{at}", boot_id=f"{i}-{k}", results=results))

    in_threads(10, client)
    assert sql(database, "SELECT count(*), count(DISTINCT name) FROM machine WHERE name LIKE 'new-%%'") == [(10, 10)]
    assert sql(database, "SELECT count(*) FROM benchmark WHERE name LIKE 'new/%%'") == [(10,)]
    assert sql(database, "SELECT count(*) FROM kernel WHERE name LIKE '5.%%'") == [(10,)]
    assert sql(database, "SELECT count(*) FROM run r JOIN machine m ON m.id = r.machine_id WHERE m.name LIKE 'new-%%'") == [(100,)]


def test_a_reader_sees_what_was_acknowledged_before_it_asked(server, tokens):
    def client(i):
        writer, reader = Api(server.url, tokens("ingest")), Api(server.url)
        for k in range(15):
            run = writer.store(submission(machine=f"seen-{i}", boot_id=f"b{k}"))[0]["run_id"]
            newest = reader.json(f"/api/v1/runs?machine=seen-{i}&limit=1")["runs"][0]["run_id"]
            assert newest == run

    in_threads(6, client)


def test_a_full_queue_is_503_with_retry_after_and_nothing_hangs(new_server, tokens):
    server = new_server("--workers", "1", "--queue-length", "1")
    results = [{"benchmark": "b", "params": {"i": i}, "metric": "m", "unit": "ns", "better": "lower", "values": [i + 1]}
               for i in range(3000)]

    def client(i):
        answer = Api(server.url, tokens("ingest")).post("/api/v1/runs", json=submission(machine=f"full-{i}", results=results))
        assert answer.status_code in (201, 503), answer.text
        if answer.status_code == 503:
            assert int(answer.headers["Retry-After"]) > 0
        return answer.status_code

    codes = in_threads(16, client)
    assert 201 in codes and 503 in codes
    server.stop()


def test_a_request_that_waited_too_long_in_the_queue_is_503(new_server, tokens, database):
    server = new_server("--workers", "1", "--request-timeout", "1")
    body = submission(machine="blocked-01")
    blocker = psycopg2.connect(database)
    with blocker.cursor() as cursor:
        cursor.execute("LOCK TABLE nsecwatch.run IN ACCESS EXCLUSIVE MODE")
        answers = queue.SimpleQueue()
        threads = [threading.Thread(target=lambda: answers.put(Api(server.url, tokens("ingest")).post("/api/v1/runs", json=body)))
                   for _ in range(2)]
        for t in threads:
            t.start()
        begun = time.monotonic()
        metrics = lambda: Api(server.url).get("/metrics").text
        wait_until(lambda: "nsecwatch_workers_busy 1\n" in metrics() and "nsecwatch_queue_length 1\n" in metrics(), "one works, one waits")
        wait_until(lambda: time.monotonic() > begun + 2, "the second waits longer than it may")
    blocker.rollback()
    blocker.close()
    for t in threads:
        t.join()
    assert sorted(answers.get().status_code for _ in threads) == [201, 503]
    server.stop()


# ---- the lights go out

N_POSTS, N_CLIENTS = 1000, 8


class Flood:
    """N_CLIENTS post N_POSTS different runs, each until it is acknowledged, as a lab's client does."""

    def __init__(self, server, token, name):
        self.server, self.token, self.name = server, token, name
        self.todo = queue.SimpleQueue()
        self.acknowledged, self.failures, self.refusals = [], [], 0
        for i in range(N_POSTS):
            self.todo.put(i)
        self.threads = [threading.Thread(target=self.client) for _ in range(N_CLIENTS)]

    def body(self, i):
        return submission(machine=f"{self.name}-{i % 5}", kernel=f"v6.{i % 7 + 1}", boot_id=f"boot-{i}", values=[1000.0 + i, 1001.0 + i])

    def client(self):
        api = Api(self.server.url, self.token)
        while True:
            try:
                i = self.todo.get_nowait()
            except queue.Empty:
                return
            try:
                run = wait_until(lambda: self.one(api, i), f"run {i} is acknowledged", timeout=PATIENCE * 3)
                self.acknowledged.append(run)
            except AssertionError as e:
                self.failures.append(e)
                return

    def one(self, api, i):
        try:
            answer = api.post("/api/v1/runs", json=self.body(i))
        except requests.RequestException:
            self.refusals += 1
            return None
        if answer.status_code == 503:
            self.refusals += 1
            return None
        assert answer.status_code in (200, 201), answer.text
        return answer.json()["run_id"]

    def run(self, disaster):
        for t in self.threads:
            t.start()
        for part in (0.25, 0.6):
            wait_until(lambda: len(self.acknowledged) >= N_POSTS * part or self.failures, "some are acknowledged")
            disaster()
        for t in self.threads:
            t.join()
        assert not self.failures, self.failures[0]


def check_all_there_once(database, flood):
    assert len(flood.acknowledged) == N_POSTS and len(set(flood.acknowledged)) == N_POSTS
    stored = sql(database, "SELECT r.run_id::text FROM run r JOIN machine m ON m.id = r.machine_id WHERE m.name LIKE %s",
                 f"{flood.name}-%")
    assert sorted(r[0] for r in stored) == sorted(flood.acknowledged)
    assert sql(database, "SELECT count(*) FROM run r WHERE NOT EXISTS (SELECT 1 FROM run_raw w WHERE w.run_id = r.run_id)") == [(0,)]
    pack_everything(database)
    assert rebuild(database) == 0


def pack_everything(database):
    """What `watch` does all the time, done to the end."""
    from harness import Process
    import tempfile
    with tempfile.NamedTemporaryFile() as log:
        watch = Process("watch", "--db", database, log=log.name).start()
        try:
            wait_until(lambda: sql(database, "SELECT count(*) FROM run_todo WHERE what = 'pack'") == [(0,)], "all runs are packed")
        finally:
            watch.stop()


@pytest.mark.fault("serve is killed (kill -9) amid uploads", "nothing acknowledged is lost, nothing is doubled, the packs agree")
def test_kill_9_of_the_server_amid_a_thousand_posts(server, tokens, database):
    def disaster():
        server.kill()
        server.start()

    flood = Flood(server, tokens("ingest"), "killed")
    flood.run(disaster)
    assert flood.refusals > 0, "the kill was noticed"
    check_all_there_once(database, flood)


@pytest.mark.fault("PostgreSQL is killed (kill -9 of all its processes)", "nothing acknowledged is lost, nothing is doubled, the packs agree; back by itself")
def test_kill_9_of_postgresql_amid_a_thousand_posts(server, tokens, database, postgres):
    def disaster():
        postgres.kill()
        postgres.start()

    flood = Flood(server, tokens("ingest"), "pulled")
    flood.run(disaster)
    check_all_there_once(database, flood)


@pytest.mark.fault("PostgreSQL is restarted", "nothing acknowledged is lost, nothing is doubled, the packs agree; back by itself")
def test_a_restart_of_postgresql_amid_a_thousand_posts(server, tokens, database, postgres):
    def disaster():
        postgres.stop()
        postgres.start()

    flood = Flood(server, tokens("ingest"), "restarted")
    flood.run(disaster)
    check_all_there_once(database, flood)


def test_runs_are_packed_without_watch_when_many_wait(server, tokens, database):
    api = Api(server.url, tokens("ingest"))
    many = [submission(machine="unwatched-01", boot_id=f"boot-{i}") for i in range(1200)]
    assert api.post("/api/v1/runs", json=many).status_code == 200
    wait_until(lambda: sql(database, "SELECT count(*) FROM run_todo WHERE what = 'pack'")[0][0] <= 1000, "serve lends a hand")
    series, = api.json("/api/v1/trend?machine=unwatched-01")["series"]
    assert series["n"] == [2 * 1200]
