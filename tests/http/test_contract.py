# SPDX-License-Identifier: GPL-2.0-or-later
"""HTTP itself: methods, paths, representations, ETags, headers, framing that is refused, ends of connections."""
import gzip
import json
import re
import time
import xml.etree.ElementTree

import pytest

from harness import Api, error_of, read_all, submission, wait_until


@pytest.fixture(scope="module", autouse=True)
def some_data(api):
    api.store(submission(kernel="v6.16", values=[1988.0, 1990.0]), submission(kernel="v6.17-rc1"))


# ---- paths and methods

def test_an_unknown_path_is_404_as_json(anonymous):
    error_of(anonymous.get("/nothing/here"), 404, "not_found")


def test_an_unknown_method_is_405_with_allow(anonymous):
    answer = anonymous.request("BREW", "/api/v1/runs")
    error_of(answer, 405, "method_not_allowed")
    assert set(re.split(", *", answer.headers["Allow"])) == {"GET", "HEAD", "POST"}


def test_a_method_that_the_resource_lacks_is_405(anonymous):
    answer = anonymous.request("DELETE", "/api/v1/machines")
    error_of(answer, 405, "method_not_allowed")
    assert "POST" not in answer.headers["Allow"]


def test_head_is_get_without_a_body(anonymous):
    get, head = anonymous.get("/api/v1/machines"), anonymous.request("HEAD", "/api/v1/machines")
    assert head.status_code == 200 and head.content == b""
    assert head.headers["ETag"] == get.headers["ETag"]
    assert head.headers["Content-Length"] == get.headers["Content-Length"]


def test_a_slash_in_an_id_is_no_way_to_another_page(anonymous):
    error_of(anonymous.get("/api/v1/runs%2Fx"), 404)
    error_of(anonymous.get("/static/../../etc/passwd"), 404)
    error_of(anonymous.get("/static/%2e%2e/%2e%2e/etc/passwd"), 404)


def test_a_nul_byte_in_a_url_is_refused(anonymous):
    error_of(anonymous.get("/api/v1/machines%00.csv"), 400, "bad_argument")
    error_of(anonymous.get("/api/v1/machines?machine=a%00b"), 400, "bad_argument")


@pytest.mark.parametrize("query", ["machine=%zz", "machine=%4", "machine=%ff%fe", "%c0%80=1"])
def test_bad_percent_encoding_and_utf8_are_refused(server, query):
    got = server.raw(f"GET /api/v1/machines?{query} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    assert got.startswith(b"HTTP/1.1 400 "), got


# ---- arguments

def test_an_unknown_argument_is_named_with_the_nearest_known(anonymous):
    error = error_of(anonymous.get("/api/v1/machines?machin=x"), 400, "bad_argument")
    assert "machin:" in error["message"] and "machine?" in error["message"]


def test_an_argument_where_none_is_taken(anonymous):
    error_of(anonymous.get("/api/v1/runs/0198d8e2-0000-7000-8000-000000000000?x=1"), 400, "bad_argument")


@pytest.mark.parametrize("limit", ["0", "1001", "-1", "ten", "1e2", ""])
def test_a_bad_limit_is_refused(anonymous, limit):
    assert "limit" in error_of(anonymous.get(f"/api/v1/machines?limit={limit}"), 400, "bad_argument")["message"]


# ---- representations

@pytest.mark.parametrize("extension,kind", [("", "application/json"), (".json", "application/json"), (".csv", "text/csv"),
                                            (".txt", "text/plain")])
def test_the_extension_chooses_the_representation(anonymous, extension, kind):
    answer = anonymous.get(f"/api/v1/machines{extension}")
    assert answer.status_code == 200 and answer.headers["Content-Type"].split(";")[0] == kind


@pytest.mark.parametrize("accept,kind", [
    ("text/csv", "text/csv"), ("text/plain, text/csv;q=0.9", "text/plain"), ("text/csv;q=0.2, application/json;q=0.1", "text/csv"),
    ("*/*", "application/json"), ("text/*", "text/plain"), ("application/json;q=0, */*", "text/plain"),
    ("text/html,application/xhtml+xml,*/*;q=0.8", "application/json")])
def test_accept_chooses_the_representation(anonymous, accept, kind):
    answer = anonymous.get("/api/v1/machines", headers={"Accept": accept})
    assert answer.status_code == 200 and answer.headers["Content-Type"].split(";")[0] == kind


def test_the_extension_wins_over_accept(anonymous):
    assert anonymous.get("/api/v1/machines.csv", headers={"Accept": "image/png"}).status_code == 200


def test_nothing_acceptable_is_406(anonymous):
    error = error_of(anonymous.get("/api/v1/machines", headers={"Accept": "image/png"}), 406, "not_acceptable")
    assert "text/csv" in error["message"]
    error_of(anonymous.get("/api/v1/machines.svg"), 406, "not_acceptable")


def test_comparisons_are_pictures_too(api):
    for path in ("compare.svg?base=6.16&head=6.17-rc1", "matrix.svg?base=6.16&head=6.17-rc1"):
        answer = api.get(f"/api/v1/{path}")
        assert answer.status_code == 200 and answer.headers["Content-Type"] == "image/svg+xml"
        root = xml.etree.ElementTree.fromstring(answer.content)
        assert "6.17-rc1 against 6.16" in root.find("{http://www.w3.org/2000/svg}title").text
        assert "+73." in answer.text, "the change stands in it"
        page = api.get("/" + path.replace(".svg", "")).text
        assert f"/api/v1/{path}".replace("&", "&amp;") in page, "the page has it, for those without JavaScript"


def test_lists_of_runs_are_narrow_and_their_ids_are_addresses(api):
    text = api.get("/api/v1/runs.txt").text
    assert max(len(line) for line in text.splitlines()) <= 72
    shown = [line.split()[0] for line in text.splitlines()[1:] if line[0] != " "]
    ids = [run["run_id"] for run in api.json("/api/v1/runs")["runs"]]
    assert len(shown) == len(ids) == len(set(shown))
    for short, whole in zip(shown, ids):
        assert whole.startswith(short)
        assert api.json(f"/api/v1/runs/{short}")["run"]["run_id"] == whole
        assert api.json(f"/api/v1/runs/{short}/verdict")["state"] == "pending"
        assert api.get(f"/api/v1/runs/{short}/raw").status_code == 200
    for bad in ("0198", "zzzzzzzz", ids[0] + "0", "00000000"):
        error_of(api.get(f"/api/v1/runs/{bad}"), 404, "not_found")


def test_the_beginning_of_several_ids_is_none(api):
    for last in "12":
        api.store(submission(run_id=f"0198d8e2-0000-7000-8000-00000000000{last}", boot_id=last))
    assert "several" in error_of(api.get("/api/v1/runs/0198d8e2"), 404, "not_found")["message"]
    assert "0198d8e2-0000-7000-8000-000000000001" in api.get("/api/v1/runs.txt").text, "as long as it needs to be"


# ---- caching

def test_the_same_etag_again_is_304_without_a_body(anonymous):
    first = anonymous.get("/api/v1/machines")
    assert re.fullmatch(r'"[0-9a-f]{32}(-gz)?"', first.headers["ETag"])
    for tag in (first.headers["ETag"], f'"other", {first.headers["ETag"]}', "*", f'W/{first.headers["ETag"]}'):
        again = anonymous.get("/api/v1/machines", headers={"If-None-Match": tag})
        assert again.status_code == 304 and again.content == b"", tag
        assert again.headers["ETag"] == first.headers["ETag"]
        assert again.headers.get("Content-Length") in (None, first.headers["Content-Length"])


def test_another_etag_is_200(anonymous):
    assert anonymous.get("/api/v1/machines", headers={"If-None-Match": '"0"'}).status_code == 200


def test_new_data_changes_the_etag(api):
    before = api.get("/api/v1/machines").headers["ETag"]
    api.store(submission(machine="rome-07"))
    after = api.get("/api/v1/machines", headers={"If-None-Match": before})
    assert after.status_code == 200 and "rome-07" in after.text


def test_a_second_question_is_answered_from_memory(anonymous):
    anonymous.get("/api/v1/series?machine=milan-01")
    assert anonymous.get("/api/v1/series?machine=milan-01").headers["Server-Timing"].startswith("hit")


def test_the_order_of_arguments_does_not_matter_to_the_cache(anonymous):
    anonymous.get("/api/v1/series?machine=milan-01&thp=always")
    assert anonymous.get("/api/v1/series?thp=always&machine=milan-01").headers["Server-Timing"].startswith("hit")


def test_arguments_that_run_together_are_other_questions(anonymous):
    """machine=a plus limit=1 must not be taken for a machine whose name holds the rest."""
    anonymous.get("/api/v1/series?machine=milan-01&thp=always")
    error_of(anonymous.get("/api/v1/series?machine=milan-01%02thp%01always"), 400)


# ---- compression

def test_gzip_when_asked_for_and_another_etag(api):
    api.store(*(submission(machine=f"box-{i:03d}") for i in range(40)))
    plain = api.get("/api/v1/machines", headers={"Accept-Encoding": "identity"})
    packed = api.get("/api/v1/machines", headers={"Accept-Encoding": "gzip"}, stream=True)
    assert packed.headers["Content-Encoding"] == "gzip" and "Content-Encoding" not in plain.headers
    assert gzip.decompress(packed.raw.read(decode_content=False)) == plain.content
    assert packed.headers["ETag"] != plain.headers["ETag"]
    assert "Accept-Encoding" in plain.headers["Vary"] and "Accept-Encoding" in packed.headers["Vary"]


@pytest.mark.parametrize("accept", ["gzip;q=0", "gzip;q=0.0, *", "deflate, br", "identity", "xgzip"])
def test_no_gzip_when_not_wanted(api, accept):
    assert "Content-Encoding" not in api.get("/api/v1/machines", headers={"Accept-Encoding": accept}).headers


@pytest.mark.parametrize("accept", ["gzip;q=0.5", "br, gzip", "*", "GZIP"])
def test_gzip_when_wanted_somehow(api, accept):
    assert api.get("/api/v1/machines", headers={"Accept-Encoding": accept}).headers["Content-Encoding"] == "gzip"


# ---- headers everybody gets

@pytest.mark.parametrize("path", ["/api/v1/machines", "/nothing", "/healthz", "/api/v1/machines?x=1"])
def test_every_answer_has_an_id_and_the_security_headers(anonymous, path):
    headers = anonymous.get(path).headers
    assert re.fullmatch("[0-9a-f]{16}", headers["X-Request-Id"])
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


def test_the_request_id_is_in_the_log(server, anonymous):
    rid = anonymous.get("/api/v1/machines").headers["X-Request-Id"]
    line = wait_until(lambda: [l for l in server.log_tail().splitlines() if rid in l], "the access log line")[0]
    for field in ("method=", "uri=", "status=200", "ms=", "remote="):
        assert field in line


# ---- connections

def test_many_requests_go_over_one_connection(server):
    with server.connect() as s:
        for _ in range(3):
            s.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            head = b""
            while b"\r\n\r\n" not in head:
                head += s.recv(4096)
            head, _, body = head.partition(b"\r\n\r\n")
            length = int(re.search(rb"Content-Length: (\d+)", head)[1])
            while len(body) < length:
                body += s.recv(4096)
            assert head.startswith(b"HTTP/1.1 200 ")


def test_a_post_keeps_the_connection_too(api):
    first = api.post("/api/v1/runs?dry_run=1", json=submission())
    assert first.status_code in (200, 201) and first.headers.get("Connection", "").lower() != "close"


def test_absolute_form_is_understood(server):
    got = server.raw(b"GET http://x/healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert got.startswith(b"HTTP/1.1 200 "), got


# ---- health

def test_health_and_readiness(anonymous):
    assert anonymous.json("/healthz")["status"] == "ok"
    assert anonymous.json("/readyz")["status"] == "ready"


def test_metrics_are_openmetrics(anonymous):
    answer = anonymous.get("/metrics")
    assert answer.headers["Content-Type"].startswith("application/openmetrics-text")
    lines = answer.text.splitlines()
    assert lines[-1] == "# EOF"
    names = {m[1] for line in lines if (m := re.match(r"# TYPE (\S+) ", line))}
    for line in lines:
        if not line.startswith("#"):
            name = re.match(r"[a-z_]+", line)[0]
            assert any(name in (n + end for end in ("", "_total", "_info", "_bucket", "_count", "_sum")) for n in names), line
            float(line.rsplit(" ", 1)[1])
    assert any(line.startswith('nsecwatch_runs_total{outcome="stored"}') for line in lines)


# ---- tokens for reading

def test_private_means_reading_needs_a_token(new_server, tokens):
    private = new_server("--private")
    nobody, reader = Api(private.url), Api(private.url, tokens("read"))
    answer = nobody.get("/api/v1/machines")
    error_of(answer, 401, "unauthorized")
    # no Basic, though it is taken: a browser would ask for a password in the middle of a page
    assert answer.raw.headers.getlist("WWW-Authenticate") == ['Bearer realm="nsecwatch"']
    assert reader.get("/api/v1/machines").status_code == 200
    assert nobody.get("/healthz").status_code == 200
    assert nobody.get("/api/v1/machines", auth=("any", tokens("read"))).status_code == 200  # curl -u
    private.stop()


def test_an_answer_from_memory_is_not_for_everybody(new_server, tokens):
    private = new_server("--private")
    assert Api(private.url, tokens("read")).get("/api/v1/machines").status_code == 200
    error_of(Api(private.url).get("/api/v1/machines"), 401)
    private.stop()


# ---- clients that take their time

def test_a_client_that_stalls_in_its_body_is_told_and_cut(new_server, tokens):
    server = new_server("--idle-timeout", "1")
    head = (f"POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {tokens('ingest')}\r\n"
            "Content-Length: 1000\r\n\r\n{").encode()
    got = server.raw(head)
    assert got.startswith(b"HTTP/1.1 408 "), got
    assert b'"error"' in got and b"Connection: close" in got
    assert server.status("/healthz") == 200
    server.stop()


def test_a_client_that_sends_in_drops_has_a_deadline(new_server, tokens):
    server = new_server("--idle-timeout", "5", "--request-timeout", "1")
    begun = time.monotonic()
    with server.connect() as s:
        s.sendall(f"POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {tokens('ingest')}\r\n"
                  "Content-Length: 100000\r\n\r\n".encode())
        s.settimeout(0.1)
        got = b""
        while not got and time.monotonic() < begun + 20:
            try:
                s.sendall(b" ")
                got = s.recv(4096)
            except TimeoutError:
                pass
            except OSError:
                break
    assert got.startswith(b"HTTP/1.1 408 "), got
    assert time.monotonic() < begun + 5
    server.stop()


def test_header_lines_in_drops_have_a_deadline_too(new_server):
    server = new_server("--idle-timeout", "5", "--request-timeout", "1")
    begun = time.monotonic()
    with server.connect() as s:
        s.sendall(b"GET /healthz HTTP/1.1\r\n")
        s.settimeout(0.1)
        ended = False
        while not ended and time.monotonic() < begun + 20:
            try:
                s.sendall(b"X-A: b\r\n")
                ended = s.recv(4096) is not None
            except TimeoutError:
                pass
            except OSError:
                ended = True
    assert ended and time.monotonic() < begun + 5
    server.stop()


def test_a_client_that_never_reads_its_answer_is_cut(new_server, tokens):
    import socket
    server = new_server("--idle-timeout", "1", "--request-timeout", "1")
    body = json.dumps(submission(machine="slow-01")).encode() + b" " * 4000000
    answer = Api(server.url, tokens("ingest")).post("/api/v1/runs", data=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 201, answer.text
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.connect(("127.0.0.1", server.port))
        s.sendall(f"GET {answer.headers['Location']}/raw HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        wait_until(lambda: "request cut" in server.log_tail(), "the server gives up")
    server.stop()


# ---- the end of the server

def test_sigterm_ends_it_cleanly_with_open_connections(new_server, tokens):
    server = new_server()
    with server.connect() as idle, server.connect() as half:
        half.sendall(f"POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {tokens('ingest')}\r\n"
                     "Content-Length: 1000\r\n\r\n{".encode())
        idle.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert idle.recv(10)
        server.stop()  # checks the exit code
        read_all(half)


def test_a_long_poll_is_answered_when_the_server_ends(new_server, tokens):
    server = new_server()
    api = Api(server.url, tokens("admin"))
    run = api.store(submission(machine="waits-01"))[0]
    with server.connect() as s:
        s.sendall(f"GET {run['verdict_url']}?wait=30 HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        wait_until(lambda: "nsecwatch_queue_length 1" in api.get("/metrics").text, "the long poll waits")
        server.stop()
        got = read_all(s)
    assert got.startswith(b"HTTP/1.1 200 ") and b'"pending"' in got, got
