# SPDX-License-Identifier: GPL-2.0-or-later
"""HTTP that means harm, or has bad luck: request smuggling, slow and idle clients, limits, the end under load."""
import re
import resource
import statistics
import threading
import time

import pytest

from harness import Api, error_of, parse_answers, read_all, sql, submission, wait_until

# ---- smuggling: what two parsers could read differently is one 400 and the end of the connection

BEHIND = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST /api/v1/kernels:parse HTTP/1.1\r\n"
GET = b"GET /healthz HTTP/1.1\r\n"


@pytest.mark.parametrize("request_", [
    POST + b"Host: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    POST + b"Host: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    POST + b"Host: x\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    POST + b"Host: x\r\nContent-Length: 5\r\ncontent-length: 40\r\n\r\n0\r\n\r\n",
    POST + b"Host: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    POST + b"Host: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    POST + b"Host: x\r\nTransfer-Encoding: chunked \r\n\r\n0\r\n\r\n",
    POST.replace(b"1.1", b"1.0") + b"Host: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    GET + b"Host: x\r\nHost: y\r\n\r\n",
    GET + b"Host: x\r\nHost: x\r\n\r\n",
    GET + b"Accept: */*\r\n\r\n",
], ids=["CL, TE", "TE, CL", "CL twice", "two lengths", "TE twice", "TE list", "TE with a blank", "TE in 1.0", "two hosts",
        "one host twice", "no host"])
def test_framing_with_two_readings(server, request_):
    refused(server.raw(request_ + BEHIND))


@pytest.mark.parametrize("request_", [
    POST + b"Host: x\r\nContent-Length: 1\r\n 0\r\n\r\n[]        ",
    POST + b"Host: x\r\nContent-Length: 2\r\nTransfer-Encoding:\r\n\tchunked\r\n\r\n[]",
    GET + b"Host: x\r\nX-A: a\r\n b\r\n\r\n",
    GET + b"Host:\r\n x\r\n\r\n",
    GET + b" Host: x\r\n\r\n",
], ids=["length", "coding", "another", "host", "the first line"])
def test_folded_header_lines(server, request_):
    refused(server.raw(request_ + BEHIND))


@pytest.mark.parametrize("request_", [
    b"GET /healthz HTTP/1.1\nHost: x\n\n", b"GET /healthz HTTP/1.1\nHost: x\r\n\r\n", GET + b"Host: x\nX-A: b\r\n\r\n",
    GET + b"Host: x\n\r\n", GET + b"Host: x\r\n\n", GET + b"X-A: b\nHost: x\r\n\r\n"],
    ids=["all", "request line", "a field", "the last field", "the empty line", "the first field"])
def test_lines_that_end_in_a_bare_lf(server, request_):
    refused(server.raw(request_ + BEHIND))


@pytest.mark.parametrize("field", [b"X-A : b", b"X A: b", b"X-\x01: b", b": b", b"X-A: a\rX-B: b", b"X-A: a\0b", b"X-A: \x7f", b"X(: b"])
def test_header_fields_with_characters_that_are_not_allowed(server, field):
    refused(server.raw(GET + b"Host: x\r\n" + field + b"\r\n\r\n" + BEHIND))


def test_a_blank_in_the_address(server):
    got = server.raw(b"GET /healthz x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert parse_answers(got)[0].status_code == 400


def test_what_is_good_http_still_passes(server):
    for fields in (b"X-Empty:\r\n", b"X-Tab:\t a\tb \r\n", b"X-!#$%&'*+-.^_`|~09: \xc3\xa4\r\n", b""):
        got = server.raw(GET + b"Host: x\r\n" + fields + b"Connection: close\r\n\r\n")
        assert parse_answers(got)[0].status_code == 200, fields
    got = server.raw(b"GET /healthz HTTP/1.0\r\n\r\n")
    assert parse_answers(got)[0].status_code == 200


def refused(got):
    """One answer, 400 as JSON, then the end: what stood behind is not served."""
    answers = parse_answers(got)
    assert len(answers) == 1, got
    error_of(answers[0], 400, "bad_argument")
    assert answers[0].headers["Connection"] == "close"


# ---- limits

def say(connection, path="/healthz"):
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())


def first_answer(connection):
    got = b""
    while not (answers := parse_answers(got)):
        piece = connection.recv(65536)
        assert piece, f"the connection ended after {got!r}"
        got += piece
    return answers[0]


def served(server):
    """A connection within the limit: a place may still be that of a client that has just gone."""
    def one():
        connection = server.connect()
        say(connection)
        if first_answer(connection).status_code == 200:
            return connection
        connection.close()
        return None

    return wait_until(one, "a place within the limit")


def test_over_the_connection_limit_is_503_at_once(new_server, tokens):
    server = new_server("--max-connections", "4")
    within = [served(server) for _ in range(4)]
    for _ in range(3):
        with server.connect() as over:
            say(over)
            answer = first_answer(over)
            assert int(error_of(answer, 503, "unavailable") and answer.headers["Retry-After"]) > 0
            assert read_all(over) == b""
    answer = Api(server.url, tokens("ingest")).post("/api/v1/runs", json=submission(machine="over-01"))
    error_of(answer, 503, "unavailable")
    say(within[0])
    assert first_answer(within[0]).status_code == 200, "those within the limit go on"
    within.pop().close()
    wait_until(lambda: server.status("/healthz") == 200, "a place is free again")
    for connection in within:
        connection.close()
    server.stop()


def test_a_connection_over_the_limit_that_says_nothing_ends(new_server):
    server = new_server("--max-connections", "1")
    with served(server):
        with server.connect() as silent, server.connect() as half:
            half.sendall(b"GET /healthz HTTP/1.1\r\nHost:")
            assert read_all(silent) == b""
            assert parse_answers(read_all(half))[0].status_code == 503
    server.stop()


def test_a_token_that_sends_too_much_is_429(new_server, tokens):
    server = new_server("--uploads-per-minute", "3")
    api, other = Api(server.url, tokens("ingest")), Api(server.url, tokens("admin"))
    answers = [api.post("/api/v1/runs?dry_run=1", json=submission()) for _ in range(4)]
    assert [a.status_code for a in answers[:3]] == [201] * 3
    assert "3 uploads" in error_of(answers[3], 429, "rate_limited")["message"]
    assert 1 <= int(answers[3].headers["Retry-After"]) <= 20
    assert other.post("/api/v1/runs?dry_run=1", json=submission()).status_code == 201, "another token has its own"
    assert api.get("/api/v1/machines").status_code == 200, "reading is not limited"
    server.stop()


def test_all_bodies_that_are_on_their_way_have_one_cap(new_server, tokens):
    """64 times the largest body is held; who comes with more is told 503, and is served later."""
    server = new_server("--max-body", "64", "--idle-timeout", "60")
    head = (f"POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {tokens('ingest')}\r\nContent-Type: application/json\r\n"
            "Content-Length: 60000\r\n\r\n").encode()
    clients = [server.connect() for _ in range(80)]
    for client in clients:
        client.sendall(head + b" " * 59999)
    arrived = lambda: float(re.search(r"nsecwatch_received_bytes_total (\d+)", server_metrics(server))[1])
    wait_until(lambda: arrived() >= 80 * 59999, "all but a byte of each is there")
    codes = []
    for client in clients:
        client.sendall(b" ")
        codes.append(first_answer(client).status_code)
        client.close()
    assert set(codes) == {400, 503}, set(codes)
    assert codes.count(503) >= 8, codes
    assert Api(server.url, tokens("ingest")).post("/api/v1/runs", json=submission()).status_code in (200, 201)
    server.stop()


def server_metrics(server):
    return Api(server.url).get("/metrics").text


# ---- those who take their time, and all the others

def latencies(api, n):
    out = []
    for _ in range(n):
        begun = time.monotonic()
        assert api.get("/api/v1/machines").status_code == 200
        out.append(time.monotonic() - begun)
    return statistics.median(out)


def fair(before, during):
    """Ten times as long, or a quarter of a second on a busy machine: a client that is starved waits for seconds."""
    return during < max(10 * before, 0.25)


def allow_files(n):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < n:
        assert hard == resource.RLIM_INFINITY or hard >= n, f"{n} open files are needed, the hard limit is {hard}"
        resource.setrlimit(resource.RLIMIT_NOFILE, (n, hard))


def test_2000_idle_connections_and_200_half_sent_posts_disturb_nobody(new_server, tokens):
    allow_files(3000)
    server = new_server("--idle-timeout", "300", "--request-timeout", "300")
    api = Api(server.url, tokens("admin"))
    api.store(submission(machine="calm-01"))
    before = latencies(api, 50)
    body = b'{"schema":"nsecwatch.submission/1",'
    head = (f"POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {tokens('ingest')}\r\n"
            "Content-Length: 1000\r\n\r\n").encode()
    idle, half = [], []
    try:
        for i in range(2000):
            idle.append(server.connect())
            if i % 2:       # half of them said something once
                say(idle[-1])
                assert first_answer(idle[-1]).status_code == 200
        for _ in range(200):
            half.append(server.connect())
            half[-1].sendall(head + body)
        wait_until(lambda: re.search(r"nsecwatch_connections (2[2-9]\d\d)\n", server_metrics(server)), "all are connected")
        during = latencies(api, 50)
        assert fair(before, during), (before, during)
        begun = time.monotonic()
        api.store(submission(machine="calm-02"))
        assert fair(before, time.monotonic() - begun)
        say(idle[0])
        assert first_answer(idle[0]).status_code == 200, "an idle one is still good"
        half[0].sendall(b" " * (1000 - len(body)))
        assert first_answer(half[0]).status_code == 400, "a half-sent one can go on"
    finally:
        for connection in idle + half:
            connection.close()
    server.stop()


def test_long_polls_hold_no_worker(new_server, tokens):
    server = new_server("--workers", "2")
    api = Api(server.url, tokens("admin"))
    url = api.store(submission(machine="polled-01"))[0]["verdict_url"]
    before = latencies(api, 30)
    polls = [server.connect() for _ in range(100)]
    for poll in polls:
        say(poll, f"{url}?wait=60")
    wait_until(lambda: "nsecwatch_queue_length 100\n" in server_metrics(server), "all long polls wait")
    during = latencies(api, 30)
    for poll in polls:
        poll.close()
    assert fair(before, during), (before, during)
    server.stop()


def test_clients_that_drip_or_do_not_read_starve_nobody(new_server, tokens):
    server = new_server("--workers", "2", "--idle-timeout", "60", "--request-timeout", "60")
    api = Api(server.url, tokens("admin"))
    results = [{"benchmark": "b", "params": {"i": i}, "metric": "m", "unit": "ns", "better": "lower", "values": [i + 1]} for i in range(4000)]
    run = api.store(submission(machine="big-01", results=results))[0]
    before = latencies(api, 30)
    stuck = []
    for i in range(40):
        stuck.append(server.connect())
        if i % 2:           # asks for a megabyte again and again, and takes nothing of it
            stuck[-1].sendall(f"GET /api/v1/runs/{run['run_id']} HTTP/1.1\r\nHost: x\r\n\r\n".encode() * 3)
        else:
            stuck[-1].sendall(b"GET /healthz HTTP/1.1\r\nHo")
    wait_until(lambda: "nsecwatch_workers_busy 0\n" in server_metrics(server), "what they asked for is made")
    during = latencies(api, 30)
    for connection in stuck:
        connection.close()
    assert fair(before, during), (before, during)
    server.stop()


# ---- ids and logs

def test_every_log_line_is_logfmt(server, anonymous):
    anonymous.get('/api/v1/machines?machine="a b"\\&x=%0a%22')
    anonymous.get("/nothing", headers={"User-Agent": 'x" level=error msg="'})
    field = r'[a-z_]+=(?:"(?:[^"\\]|\\.)*"|[^\s"=]*)'
    lines = [line for line in server.log_tail().splitlines()[1:] if line]
    assert len(lines) > 3
    for line in lines:
        assert re.fullmatch(f"{field}(?: {field})*", line), line
        assert re.match(r"ts=\S+Z level=(error|warn|info|debug) ", line), line


@pytest.mark.parametrize("path", ["/api/v1/machines", "/nothing", "/api/v1/machines?x=1", "/api/v1/machines.svg"])
def test_the_id_of_every_answer_is_in_the_log(server, anonymous, path):
    answer = anonymous.get(path)
    rid = answer.headers["X-Request-Id"]
    line = wait_until(lambda: [l for l in server.log_tail().splitlines() if f"request_id={rid}" in l], "its log line")[0]
    assert f"status={answer.status_code}" in line


def test_where_the_time_went_is_told(anonymous):
    for path in ("/api/v1/machines?limit=7", "/healthz", "/api/v1/machines?x=1"):
        timing = anonymous.get(path).headers.get("Server-Timing", "")
        if path == "/api/v1/machines?x=1":
            continue        # refused before anything was run
        told = dict(re.findall(r"(\w+);dur=(-?[\d.]+)", timing))
        assert set(told) == {"queue", "db", "app"}, timing
        assert all(float(ms) >= 0 for ms in told.values()), timing
    # PostgreSQL may have answered by the time the question is sent: now and then nothing is left to wait for
    waited = [float(re.search(r"db;dur=([\d.]+)", anonymous.get(f"/api/v1/machines?limit={n}").headers["Server-Timing"])[1])
              for n in range(8, 28)]
    assert sum(waited) > 0, "the catalogue's version was asked of PostgreSQL"


# ---- the end under load

@pytest.mark.fault("serve is told to end (SIGTERM) under load", "each run that was stored was acknowledged, and each that was acknowledged is stored")
def test_a_stop_under_load_loses_no_answer(new_server, tokens, database):
    """Each run that was stored was acknowledged, each that was acknowledged is stored."""
    server = new_server()
    acknowledged, failures, enough = [], [], threading.Event()

    def client(i):
        api = Api(server.url, tokens("ingest"))
        for k in range(10000):
            try:
                answer = api.post("/api/v1/runs", json=submission(machine=f"ending-{i}", boot_id=f"{k}"))
            except OSError:     # requests' errors are: no answer at all, since it ends
                return
            if answer.status_code == 503:
                return
            if answer.status_code != 201:
                failures.append(answer.text)
                return
            acknowledged.append(answer.json()["run_id"])
            if len(acknowledged) > 100:
                enough.set()

    tokens("ingest")
    threads = [threading.Thread(target=client, args=(i,)) for i in range(12)]
    for thread in threads:
        thread.start()
    assert enough.wait(60), "uploads go on"
    server.stop()           # checks the exit code, too
    for thread in threads:
        thread.join()
    assert not failures, failures
    stored = sql(database, "SELECT r.run_id::text FROM run r JOIN machine m ON m.id = r.machine_id WHERE m.name LIKE 'ending-%%'")
    assert sorted(acknowledged) == sorted(row[0] for row in stored)
