# SPDX-License-Identifier: GPL-2.0-or-later
"""Kept answers: never older than what was committed when the request came, however many wait for one word of PostgreSQL."""
import contextlib
import os
import signal
import threading

import pytest

from harness import Api, sql, submission, wait_until
from test_concurrency import in_threads


def trend(machine):
    return f"/api/v1/trend?machine={machine}"


def is_hit(answer):
    return answer.headers["Server-Timing"].startswith("hit, ")


def hit(api, path):
    """The kept answer, once there is one."""
    wait_until(lambda: is_hit(api.get(path)), "an answer from the cache")
    return api.get(path)


def backends(conninfo, name):
    return [pid for pid, in sql(conninfo, "SELECT pid FROM pg_stat_activity WHERE application_name = %s"
                                " AND datname = current_database()", name)]


def keeper(conninfo):
    return backends(conninfo, "nsecwatchd serve keeper")


@contextlib.contextmanager
def stopped(pids):
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


@contextlib.contextmanager
def asking_all_the_time(url, path, threads=8):
    """Others who want the same; their answers' statuses."""
    over, statuses = threading.Event(), set()

    def ask():
        api = Api(url)
        while not over.is_set():
            statuses.add(api.get(path).status_code)

    others = [threading.Thread(target=ask) for _ in range(threads)]
    for t in others:
        t.start()
    try:
        yield statuses
    finally:
        over.set()
        for t in others:
            t.join()


@pytest.fixture(scope="module")
def one_worker(new_server):
    """Whose hits, if they need a worker, are seen to."""
    return new_server("--workers", "1")


def test_a_hit_shows_what_another_server_stored_just_before_while_many_ask(server, new_server, tokens):
    writer, reader = Api(new_server().url, tokens("ingest")), Api(server.url)
    writer.store(submission(machine="hit-01", boot_id="first"))
    with asking_all_the_time(server.url, trend("hit-01")) as statuses:
        for n in range(40):
            wait_until(lambda: is_hit(reader.get(trend("hit-01"))), "an answer from the cache")
            writer.store(submission(machine="hit-01", boot_id=str(n)))
            assert reader.json(trend("hit-01"))["series"][0]["n"] == [2 * (n + 2)]
    assert statuses == {200}


def test_a_hit_shows_what_sql_committed_just_before(server, database, tokens):
    """A correction by hand: no process of ours knows of it."""
    api = Api(server.url, tokens("ingest"))
    run_id = api.store(submission(machine="hit-02", boot_id="boot 0"))[0]["run_id"]
    for n in range(1, 20):
        assert f'"boot {n - 1}"' in hit(api, "/api/v1/runs?machine=hit-02").text
        sql(database, "UPDATE run SET boot_id = %s WHERE run_id = %s", f"boot {n}", run_id)
        assert f'"boot {n}"' in api.get("/api/v1/runs?machine=hit-02").text


def test_a_hit_needs_no_worker(one_worker, database, tokens):
    api = Api(one_worker.url, tokens("ingest"))
    api.store(submission(machine="hit-03"))
    kept = hit(api, trend("hit-03"))
    mine = [p for p in backends(database, "nsecwatchd serve")]
    with stopped(mine):
        answers = in_threads(8, lambda i: Api(one_worker.url).get(trend("hit-03")))
        assert all(is_hit(a) and a.content == kept.content for a in answers)
        same = api.get(trend("hit-03"), headers={"If-None-Match": kept.headers["ETag"]})
        assert (same.status_code, same.content, is_hit(same)) == (304, b"", True)
        packed = api.get(trend("hit-03"), headers={"Accept-Encoding": "gzip"})
        assert packed.json() == kept.json()
        head = api.request("HEAD", trend("hit-03"))
        assert head.headers["Content-Length"] == str(len(kept.content)) and not head.content
    assert len({a.headers["X-Request-Id"] for a in answers}) == 8


def test_hits_go_on_while_the_keeper_s_link_hangs_and_after_it_was_cut(server, database, tokens):
    api = Api(server.url, tokens("ingest"))
    api.store(submission(machine="hit-04"))
    kept = hit(api, trend("hit-04"))
    with stopped(keeper(database)):
        for _ in range(3):
            answers = in_threads(8, lambda i: Api(server.url).get(trend("hit-04")))
            assert {a.content for a in answers} == {kept.content}
    with asking_all_the_time(server.url, trend("hit-04")) as statuses:
        for _ in range(5):
            before = keeper(database)
            sql(database, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'nsecwatchd serve keeper'"
                " AND datname = current_database()")
            assert api.get(trend("hit-04")).content == kept.content
            wait_until(lambda: keeper(database) and not set(before) & set(keeper(database)), "the keeper is linked again")
    assert statuses == {200}
    assert is_hit(hit(api, trend("hit-04")))


def test_who_may_not_read_gets_no_kept_answer(new_server, tokens):
    private = new_server("--private")
    reader = Api(private.url, tokens("read"))
    kept = hit(reader, "/api/v1/machines")
    assert "private" in kept.headers["Cache-Control"] and "Cookie" in kept.headers["Vary"]
    assert Api(private.url).get("/api/v1/machines").status_code == 401
    assert Api(private.url, "nsw_" + "x" * 43).get("/api/v1/machines").status_code == 401


def test_a_token_s_limit_counts_hits(new_server, tokens):
    limited = Api(new_server("--token-rate", "10").url, tokens("read"))
    statuses = [limited.get("/api/v1/machines").status_code for _ in range(14)]
    assert statuses == [200] * 10 + [429] * 4


def test_without_postgresql_no_kept_answer_is_given_and_with_it_they_are_again(server, postgres, tokens):
    api = Api(server.url)
    kept = hit(api, "/api/v1/machines")
    postgres.kill()
    try:
        answers = in_threads(8, lambda i: Api(server.url).get("/api/v1/machines"))
        assert {a.status_code for a in answers} == {503} and all(a.headers["Retry-After"] for a in answers)
    finally:
        postgres.start()
    wait_until(lambda: api.get("/api/v1/machines").status_code == 200, "the server answers again")
    assert hit(api, "/api/v1/machines").json() == kept.json()
