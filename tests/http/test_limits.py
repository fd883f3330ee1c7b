# SPDX-License-Identifier: GPL-2.0-or-later
"""How often and how many at once: by token and by address, behind proxies, too. Who is over it is told 429 and when to come again."""
import concurrent.futures
import os
import threading

import pytest
import requests

from harness import Api, error_of, submission, wait_until


def told_to_wait(answer, most, words):
    assert words in error_of(answer, 429, "rate_limited")["message"], answer.text
    assert 1 <= int(answer.headers["Retry-After"]) <= most, answer.headers


def test_an_address_that_asks_too_often_is_told_when_to_come_again(new_server, tokens):
    server = new_server("--address-rate", "20")
    anonymous = Api(server.url)
    used = 20 - 1                                 # one went for /readyz, when the server came up
    codes = [anonymous.get("/api/v1/machines").status_code for _ in range(used + 1)]
    assert codes[:used - 1] == [200] * (used - 1) and codes[-1] == 429, codes
    told_to_wait(anonymous.get("/api/v1/machines"), 4, "127.0.0.1 has sent its 20 requests")
    told_to_wait(anonymous.get("/nothing/there"), 4, "127.0.0.1")
    told_to_wait(Api(server.url, tokens("ingest")).post("/api/v1/runs", json=submission()), 4, "127.0.0.1")
    assert [anonymous.get(path).status_code for path in ("/healthz", "/static/base.css")] == [200, 200], "those that watch over it are not counted"
    server.stop()


def test_a_token_that_asks_too_often_hinders_no_other(new_server, tokens):
    server = new_server("--token-rate", "5")
    api = Api(server.url, tokens("read"))
    assert [api.get("/api/v1/machines").status_code for _ in range(6)] == [200] * 5 + [429]
    told_to_wait(api.get("/api/v1/machines"), 13, "'test-read' has sent the 5 requests")
    for other in (Api(server.url, tokens("triage")), Api(server.url)):
        assert [other.get("/api/v1/machines").status_code for _ in range(5)] == [200] * 5
    server.stop()


@pytest.fixture(scope="module")
def run_id(server, tokens):
    return Api(server.url, tokens("ingest")).store(submission(machine="waits-01"))[0]["run_id"]


def waiting(server, run_id, n, **kw):
    """n long polls that are under way, on connections of their own; .close() ends them."""
    head = "".join(f"{k}: {v}\r\n" for k, v in kw.get("headers", {}).items())
    held = []
    for _ in range(n):
        s = server.connect()
        s.sendall(f"GET /api/v1/runs/{run_id}/verdict?wait=60 HTTP/1.1\r\nHost: x\r\n{head}\r\n".encode())
        held.append(s)
    return held


def metric(server, name):
    """Not counted by the limits, so that looking changes nothing."""
    text = requests.get(server.url + "/metrics").text
    return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith(name + " "))


def test_an_address_has_so_many_under_way_and_no_more(new_server, run_id, tokens):
    server = new_server("--address-at-once", "3")
    held = waiting(server, run_id, 3)
    anonymous = Api(server.url)
    try:
        wait_until(lambda: metric(server, "nsecwatch_queue_length") == 3, "three are under way")
        told_to_wait(anonymous.get("/api/v1/machines"), 1, "3 requests under way")
        assert anonymous.get("/healthz").status_code == 200
    finally:
        for s in held:
            s.close()
    wait_until(lambda: server.status("/healthz") == 200, "it lives")
    server.stop()


def test_half_sent_uploads_count_and_what_is_cut_is_given_back(new_server, tokens):
    server = new_server("--address-at-once", "5", "--idle-timeout", "60")
    head = f"POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {tokens('ingest')}\r\nContent-Length: 1000\r\n\r\n{{".encode()
    anonymous = Api(server.url)
    for n in range(3):
        held = [server.connect() for _ in range(5)]
        for s in held:
            s.sendall(head)
        wait_until(lambda: metric(server, "nsecwatch_received_bytes_total") == 5 * (n + 1), "five have begun")
        told_to_wait(anonymous.get("/api/v1/machines"), 1, "5 requests under way")
        for s in held:
            s.close()
        wait_until(lambda: anonymous.get("/api/v1/machines").status_code == 200, "they are gone")
    server.stop()


def test_a_token_has_so_many_under_way_and_no_more(new_server, run_id, tokens):
    server = new_server("--token-at-once", "2", "--workers", "1")
    held = waiting(server, run_id, 2, headers={"Authorization": f"Bearer {tokens('read')}"})
    mine = Api(server.url, tokens("read"))
    try:
        wait_until(lambda: metric(server, "nsecwatch_queue_length") == 2, "two are under way")
        # the one worker knew whose they are before it took this one
        assert Api(server.url, tokens("triage")).get("/api/v1/machines").status_code == 200
        told_to_wait(mine.get("/api/v1/machines"), 1, "'test-read' has 2 requests under way")
        assert Api(server.url).get("/api/v1/machines").status_code == 200
    finally:
        for s in held:
            s.close()
    server.stop()


def test_load_within_the_limit_is_served_whole_and_gives_all_back(new_server, tokens):
    server = new_server("--address-at-once", "8", "--token-at-once", "8")
    api = threading.local()

    def one(_):
        api.own = getattr(api, "own", None) or Api(server.url, tokens("read"))
        return api.own.get("/api/v1/machines").status_code

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        assert set(pool.map(one, range(600))) == {200}
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        assert set(pool.map(one, range(600))) <= {200, 429}
    assert one(0) == 200
    server.stop()


# ---- behind a proxy

def rates(server, *forwarded):
    """The status of one request for each X-Forwarded-For."""
    return [requests.get(server.url + "/api/v1/machines", headers={"X-Forwarded-For": f}).status_code for f in forwarded]


def test_behind_a_proxy_of_ours_each_client_has_its_own(new_server):
    server = new_server("--address-rate", "2", "--proxy", "127.0.0.1,10.0.0.0/8")
    assert rates(server, "203.0.113.1", "203.0.113.1", "203.0.113.1", "203.0.113.2") == [200, 200, 429, 200]
    assert rates(server, "9.9.9.9, 203.0.113.1", "203.0.113.1, 10.1.1.1") == [429, 429], "what a client writes before it is no way out"
    assert rates(server, "2001:db8:0:1::1", "[2001:db8:0:1::2]:443", "2001:db8:0:1:ffff::3", "2001:db8:0:2::1") == [200, 200, 429, 200]
    assert "client=\"203.0.113.1\"" in server.log_tail()
    server.stop()


def test_the_word_of_anybody_else_is_no_way_out(new_server):
    server = new_server("--address-rate", "3", "--proxy", "10.0.0.1")
    codes = rates(server, *[f"203.0.113.{i}" for i in range(5)])
    assert 429 in codes[2:] and codes[-1] == 429, codes
    assert "client=" not in server.log_tail()
    server.stop()


@pytest.mark.skipif(bool(os.environ.get("SAN")), reason="a sanitizer keeps memory that was freed")
def test_many_addresses_take_no_more_memory(new_server):
    server = new_server("--address-rate", "1000", "--proxy", "127.0.0.1")
    size = lambda: int(next(line.split()[1] for line in open(f"/proc/{server.process.pid}/status") if line.startswith("VmRSS")))
    session = requests.Session()

    def ask(n, m):
        for i in range(n, m):
            assert session.get(server.url + "/nothing", headers={"X-Forwarded-For": f"2001:db8:{i >> 8:x}:{i & 255:x}::1"}).status_code == 404

    ask(0, 300)
    before = size()
    ask(300, 3300)
    assert size() - before < 2048, "KiB"
    server.stop()
