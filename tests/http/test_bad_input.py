# SPDX-License-Identifier: GPL-2.0-or-later
"""Bad input gets a clear error, and nothing is stored: after every test the database is as it was before."""
import gzip
import json
import zlib

import pytest
import requests

from harness import Api, Process, command, error_of, free_port, sql, submission, wait_until

TABLES = ("run", "run_raw", "run_todo", "series_pack", "machine", "kernel", "config", "benchmark", "metric", "series")


@pytest.fixture(scope="module", autouse=True)
def something_stored(api):
    api.store(submission())


@pytest.fixture(autouse=True)
def nothing_is_stored(server, database):
    counts = lambda: sql(database, "SELECT " + ", ".join(f"(SELECT count(*) FROM {table})" for table in TABLES))
    before = counts()
    yield
    assert counts() == before
    assert server.status("/healthz") == 200, "the server lives"


def post(api, data, **headers):
    return api.post("/api/v1/runs", data=data, headers={"Content-Type": "application/json", **headers})


def with_value(text):
    """A submission whose first value is this JSON text."""
    return json.dumps(submission(values=[123456.5])).replace("123456.5", text)


# ---- not JSON: 400

@pytest.mark.parametrize("text", [
    "", " ", "\n", "nope", "{", "{]", '{"a":1,}', '{"a" 1}', '{"schema":', '"text', "[1,", "{} {}", "{}x", "[{}] ]",
    "\ufeff{}", "{'a':1}", "<xml/>"])
def test_what_is_no_json_is_400(api, text):
    error_of(post(api, text.encode()), 400, "bad_json")


def test_half_a_submission_is_400_and_names_the_line(api):
    text = json.dumps(submission(), indent=1)
    error = error_of(post(api, text[:len(text) // 2].encode()), 400, "bad_json")
    assert "line" in error["message"]


@pytest.mark.parametrize("body,kind,query,line", [
    ("{\n\"a\": nope}", "application/json", "", 2), ("{\n\n\"a\": 1, \"a\": 2}", "application/json", "", 3),
    ("benchmark,value\nx,1\n", "text/csv", "?format=csv&machine=a&kernel=v6.1", 1),
    ("benchmark,metric,unit,better,value,unit\n", "text/csv", "?format=csv&machine=a&kernel=v6.1", 1),
    ("suite: a\ntestcase: [b\nc: d", "text/plain", "?format=lkp-job&machine=a&kernel=v6.1", 3),
    ("suite: a\n---\nsuite: b\n", "text/plain", "?format=lkp-job&machine=a&kernel=v6.1", 2),
    ("{\"benchmarks\": [\n{\"name\": \"x\",\n}]}", "text/plain", "?format=google-benchmark&machine=a&kernel=v6.1", 3)])
def test_a_line_that_is_wrong_is_a_problem_with_its_place(api, body, kind, query, line):
    answer = api.post("/api/v1/runs" + query, data=body, headers={"Content-Type": kind})
    error = error_of(answer, answer.status_code)
    assert answer.status_code in (400, 422)
    assert [p["at"] for p in error["problems"]] == [f"line {line}"], error
    assert error["message"] == f"line {line}: {error['problems'][0]['message']}"


def test_a_line_of_a_stream_or_of_a_file_is_told_in_its_item(api):
    body = json.dumps(submission()) + "\n{\n"
    items = api.post("/api/v1/runs?dry_run=1", data=body, headers={"Content-Type": "application/x-ndjson"}).json()["items"]
    assert [p["at"] for p in items[1]["error"]["problems"]] == ["line 2"]
    context = json.dumps({key: value for key, value in submission().items() if key != "results"})
    error = error_of(api.post("/api/v1/runs", files=[("context", ("c", context, "application/json")), (
        "result", ("mine.csv", "benchmark,metric,unit,better,value,unit\n", "text/csv"))]), 422, "invalid")
    assert [p["at"] for p in error["problems"]] == ["mine.csv: line 1"], error


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", "-1e999", "0x10", "01", "1.", ".5", "+1", "1e"])
def test_numbers_that_json_or_a_double_cannot_hold(api, number):
    error_of(post(api, with_value(number).encode()), 400, "bad_json")


def test_duplicate_keys_are_refused(api):
    text = json.dumps(submission())[:-1] + ', "kernel": "v6.16"}'
    error_of(post(api, text.encode()), 400, "bad_json")
    error_of(post(api, json.dumps(submission()).replace('"latency"', '"latency", "metric": "x"').encode()), 400, "bad_json")


def test_nul_in_a_text_is_refused(api):
    text = json.dumps(submission(machine="a"))
    error_of(post(api, text.replace('"a"', '"a\\u0000b"').encode()), 400)
    error_of(post(api, text.replace('"a"', '"a\0b"').encode()), 400)
    error_of(post(api, text.encode() + b"\0"), 400)


@pytest.mark.parametrize("bytes_", [b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xe2\x82"])
def test_invalid_utf8_is_refused(api, bytes_):
    body = json.dumps(submission(machine="MARK")).encode().replace(b"MARK", b"m" + bytes_)
    error_of(post(api, body), 400, "bad_json")


@pytest.mark.parametrize("bomb", [
    "[" * 100000, "[" * 100000 + "]" * 100000, '{"a":' * 50000 + "1" + "}" * 50000,
    json.dumps(submission())[:-1] + ',"x":' + "[" * 40 + "]" * 40 + "}"], ids=["open", "arrays", "objects", "inside"])
def test_depth_bombs_are_refused(api, bomb):
    error_of(post(api, bomb.encode()), 400, "bad_json")


# ---- JSON that is no submission: 422, with the places

@pytest.mark.parametrize("text", ["1", '"text"', "null", "true"])
def test_json_that_is_no_object_is_invalid(api, text):
    error_of(post(api, text.encode()), 422, "invalid")


def places(answer):
    error = error_of(answer, 422, "invalid")
    assert error["problems"], error
    return {p["at"] for p in error["problems"]}


R = {"benchmark": "b/x", "metric": "m", "unit": "ns", "better": "lower", "values": [1.5]}


@pytest.mark.parametrize("fields,at", [
    ({"machine": 5}, "/machine"), ({"machine": {}}, "/machine/name"), ({"machine": {"name": ""}}, "/machine/name"),
    ({"machine": {"name": ["x"]}}, "/machine/name"), ({"machine": {"name": "x\ny"}}, "/machine/name"),
    ({"kernel": 6.17}, "/kernel"), ({"kernel": {}}, "/kernel"), ({"kernel": {"release": 6}}, "/kernel/release"),
    ({"kernel": {"release": "not a kernel"}}, "/kernel/release"), ({"kernel": "v6.17-rc01"}, "/kernel"),
    ({"kernel": "v6.17-rc1 with magic applied to it somehow"}, "/kernel"),
    ({"config": {"thp": "sometimes"}}, "/config/thp"), ({"config": {"thp": {"enabled": "perhaps"}}}, "/config/thp/enabled"),
    ({"config": {"thp": "always", "base_page_kib": 3}}, "/config/base_page_kib"),
    ({"started_at": "yesterday"}, "/started_at"), ({"started_at": "2026-02-13T15:08:00"}, "/started_at"),
    ({"started_at": "2026-02-30T15:08:00Z"}, "/started_at"), ({"started_at": 1771000000}, "/started_at"),
    ({"results": None}, "/results"), ({"results": []}, "/results"), ({"results": {}}, "/results"), ({"results": [3]}, "/results/0"),
    ({"run_id": "12"}, "/run_id"), ({"run_id": 12}, "/run_id"), ({"schema": "nsecwatch.submission/9"}, "/schema"),
    ({"labels": {"a": 5}}, "/labels/a"), ({"environment": []}, "/environment"), ({"boot_id": 5}, "/boot_id"),
])
def test_a_field_that_is_wrong_is_named(api, fields, at):
    body = submission()
    body.update(fields)
    if fields.get("results", 0) is None:
        del body["results"]
    found = places(post(api, json.dumps(body).encode()))
    assert at in found, found


def test_a_bad_time_is_told_with_what_stands_there(api):
    told = [p["message"] for p in error_of(api.post("/api/v1/runs", json=submission(started_at="13.2.2026")), 422)["problems"]]
    assert any('"13.2.2026"' in text and "RFC 3339" in text for text in told), told
    answer = api.post("/api/v1/runs?format=csv&machine=m&kernel=6.16&thp=always&started_at=yesterday", data="benchmark,metric,unit,better,value\nb,m,ns,lower,5\n")
    assert '\\"yesterday\\" is no time' in answer.text, answer.text


@pytest.mark.parametrize("change,at", [
    ({"values": [0]}, "/values/0"), ({"values": [1, -5]}, "/values/1"), ({"values": ["5"]}, "/values/0"),
    ({"values": [None]}, "/values/0"), ({"values": []}, "/values"), ({"values": 5}, "/values"), ({"values": [True]}, "/values/0"),
    ({"values": [[1]]}, "/values/0"), ({"benchmark": None}, "/benchmark"), ({"benchmark": ""}, "/benchmark"),
    ({"metric": 7}, "/metric"), ({"unit": []}, "/unit"), ({"better": "faster"}, "/better"), ({"better": 1}, "/better"),
    ({"params": []}, "/params"), ({"params": {"a": None}}, "/params/a"), ({"params": {"a": [1]}}, "/params/a"),
    ({"params": {"a": {}}}, "/params/a"), ({"status": "odd"}, "/status"),
    ({"summary": {"n": 0, "mean": 5}, "values": None}, "/summary/n"),
    ({"summary": {"n": 10, "mean": -5}, "values": None}, "/summary/mean"),
    ({"summary": {"n": 10, "mean": 5, "stddev": -1}, "values": None}, "/summary/stddev"),
    ({"summary": {"n": 1.5, "mean": 5}, "values": None}, "/summary/n"),
    ({"iterations": -1}, "/iterations"), ({"iterations": "many"}, "/iterations"),
])
def test_a_result_that_is_wrong_is_named(api, change, at):
    result = {key: value for key, value in {**R, **change}.items() if not (key == "values" and value is None)}
    found = places(post(api, json.dumps(submission(results=[R, result])).encode()))
    assert "/results/1" + at in found, found


def test_a_result_needs_values_or_a_summary(api):
    assert any(at.startswith("/results/0") for at in
               places(api.post("/api/v1/runs", json=submission(results=[{k: R[k] for k in R if k != "values"}]))))


def test_all_problems_are_told_at_once(api):
    found = places(api.post("/api/v1/runs", json=submission(kernel="nonsense", machine="", results=[
        {**R, "values": [-1]}, {**R, "better": "up"}, {**R, "benchmark": "b/y", "values": ["x"]}])))
    assert {"/machine/name", "/kernel/release", "/results/0/values/0", "/results/1/better", "/results/2/values/0"} <= found


def test_at_most_a_hundred_problems_are_listed(api):
    results = [{**R, "params": {"i": i}, "values": [-1]} for i in range(300)]
    error = error_of(api.post("/api/v1/runs", json=submission(results=results)), 422, "invalid")
    assert len(error["problems"]) == 100 and error["problems_total"] == 300


def test_the_same_series_twice_in_one_submission(api):
    found = places(api.post("/api/v1/runs", json=submission(results=[R, {**R, "values": [2.5]}])))
    assert any(at.startswith("/results/1") for at in found), found


def test_too_many_results(new_server, tokens):
    result = {"benchmark": "b", "metric": "m", "unit": "s", "better": "lower", "values": [1]}
    body = json.dumps(submission(results=[{**result, "params": {"i": i}} for i in range(100001)]), separators=(",", ":"))
    server = new_server("--max-body", "16384")
    assert "/results" in places(post(Api(server.url, tokens("ingest")), body.encode()))
    server.stop()


@pytest.mark.parametrize("where", ["labels", "thp", "environment"])
def test_a_document_of_many_names_takes_no_more_than_its_length(api, where):
    many = {f"k{i}": "v" for i in range(200000)}
    body = submission(config={"thp": many}) if where == "thp" else submission(**{where: many})
    answer = api.post("/api/v1/runs?dry_run=1", data=json.dumps(body, separators=(",", ":")))  # patience is the test
    assert answer.status_code == (201 if where == "thp" else 422), answer.text


# ---- the caps

BIG = b" " * (4 * 1024 * 1024 + 1)


def test_a_body_over_the_cap_is_413(api):
    error = error_of(post(api, BIG), 413, "too_large")
    assert "4096 KiB" in error["message"]


def test_a_chunked_body_over_the_cap_is_413(api):
    error_of(post(api, (b" " * 65536 for _ in range(80))), 413, "too_large")


def test_refused_bodies_leave_room_for_good_ones(new_server, tokens):
    server = new_server("--max-body", "64")
    chunked = (f"POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {tokens('ingest')}\r\n"
               "Transfer-Encoding: chunked\r\n\r\n11170\r\n" + " " * 0x11170 + "\r\n0\r\n\r\n").encode()
    for _ in range(80):  # more than all bodies on their way may hold at once
        assert server.raw(chunked).startswith(b"HTTP/1.1 413 ")
    error_of(post(Api(server.url, tokens("ingest")), b"nope"), 400, "bad_json")
    server.stop()


def test_a_body_of_just_the_cap_is_read(api):
    error_of(post(api, b" " * (4 * 1024 * 1024)), 400, "bad_json")


def test_a_length_that_is_too_large_is_refused_without_the_body(server, tokens):
    got = server.raw(f"POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {tokens('ingest')}\r\n"
                     "Content-Length: 99999999999\r\n\r\n".encode())
    assert got.startswith(b"HTTP/1.1 413 ") and b'"too_large"' in got, got


def test_a_client_that_waits_for_100_continue_is_told_at_once(server, tokens):
    got = server.raw(f"POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {tokens('ingest')}\r\n"
                     "Content-Length: 99999999\r\nExpect: 100-continue\r\n\r\n".encode())
    assert got.startswith(b"HTTP/1.1 413 "), got


@pytest.mark.parametrize("length", ["-1", "abc", "1e3", "99999999999999999999999", "0x10", "5, 5"])
def test_lengths_that_are_none(server, length):
    got = server.raw(f"POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n{{}}".encode(), close_write=True)
    assert got.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 413 ")), got


def test_a_post_without_any_length_is_411(server, tokens):
    got = server.raw(f"POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {tokens('ingest')}\r\n"
                     "Connection: close\r\n\r\n".encode())
    assert got.startswith(b"HTTP/1.1 411 "), got


def test_a_gzip_bomb_is_413(api):
    bomb = gzip.compress(b" " * (64 * 1024 * 1024))
    assert len(bomb) < 4 * 1024 * 1024
    error_of(post(api, bomb, **{"Content-Encoding": "gzip"}), 413, "too_large")


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
@pytest.mark.parametrize("data", [b"", b"{}", gzip.compress(b"{}" * 1000)[:-6], b"\x28\xb5\x2f\xfd\x04"],
                         ids=["empty", "plain", "cut gzip", "cut zstd"])
def test_a_body_that_is_not_what_its_coding_says(api, coding, data):
    error_of(post(api, data, **{"Content-Encoding": coding}), 400)


@pytest.mark.parametrize("coding", ["br", "deflate", "compress", "gzip, gzip"])
def test_codings_that_are_not_taken(api, coding):
    error_of(post(api, zlib.compress(b"{}"), **{"Content-Encoding": coding}), 415, "unsupported_type")


# ---- context, formats, tokens

@pytest.mark.parametrize("query", ["format=unheard-of", "format=", "colour=red", "machine=x"])
def test_bad_query_arguments(api, query):
    error_of(api.post(f"/api/v1/runs?{query}", json=submission()), 400, "bad_argument")


@pytest.mark.parametrize("name", ["google-benchmark", "csv", "auto"])
@pytest.mark.parametrize("data", [b"", b"\n \n", b"\0\0\0", b"\xff\xfe{", b"no format at all"])
def test_foreign_files_that_are_none(api, name, data):
    answer = api.post(f"/api/v1/runs?format={name}&machine=m-1&kernel=6.16&thp=always", data=data)
    assert answer.status_code in (400, 422), answer.text
    error_of(answer, answer.status_code)


@pytest.mark.parametrize("token", ["", "x", "nsw_", "nsw_" + "A" * 43, "nsw_" + "A" * 500, "nsw_%00", "' OR 1=1 --"])
def test_a_wrong_token_is_401(server, token):
    error_of(Api(server.url).post("/api/v1/runs", json=submission(), headers={"Authorization": f"Bearer {token}"}), 401,
             "unauthorized")


@pytest.mark.parametrize("header", ["Basic", "Basic !!!", "Basic Zm9v", "Digest x", "Bearer", "bearer  "])
def test_a_header_that_is_no_token_is_401(server, header):
    error_of(Api(server.url).post("/api/v1/runs", json=submission(), headers={"Authorization": header}), 401, "unauthorized")


def test_a_password_reads_and_never_writes(new_server, tokens):
    """A browser that remembers one sends it with the form of any other site, too."""
    private = new_server("--private")
    assert requests.get(f"{private.url}/api/v1/machines", auth=("lab", tokens("admin"))).status_code == 200
    for path, body in (("/api/v1/runs", submission()), ("/api/v1/kernels", [{"release": "v6.17"}])):
        error = error_of(requests.post(private.url + path, json=body, auth=("lab", tokens("admin"))), 401, "unauthorized")
        assert "Bearer" in error["message"]
    private.stop()


def test_an_upload_cut_in_the_middle_is_not_stored(server, tokens, api):
    body = json.dumps(submission(machine="cut-01")).encode()
    head = (f"POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {tokens('ingest')}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode()
    with server.connect() as s:
        s.sendall(head + body[:-1])
    wait_until(lambda: "request cut" in server.log_tail(), "the server notices")


# ---- PostgreSQL away

def test_postgresql_away_is_503_and_it_comes_back_by_itself(postgres, server, api, database):
    postgres.stop()
    try:
        for answer in (api.post("/api/v1/runs", json=submission()), api.get("/api/v1/machines"), api.get("/readyz")):
            error_of(answer, 503, "unavailable")
            assert int(answer.headers["Retry-After"]) > 0
        assert api.get("/healthz").status_code == 200
    finally:
        postgres.start()
    wait_until(lambda: api.get("/readyz").status_code == 200, "ready again, without a restart")
    assert api.post("/api/v1/runs", json=submission()).status_code == 200  # the one stored in the beginning


def test_a_database_without_a_schema_is_503_until_it_is_migrated(postgres, tmp_path):
    database = postgres.create_database()
    server = Process("serve", "--db", database, "--listen", f"127.0.0.1:{(port := free_port())}", log=tmp_path / "log")
    server.start()
    try:
        api = Api(f"http://127.0.0.1:{port}")
        wait_until(lambda: "listening" in server.log_tail(), "the server listens")
        assert "migrate" in error_of(api.get("/readyz"), 503, "unavailable")["message"]
        for path in ("/api/v1/machines", "/api/v1/kernels", "/api/v1/runs"):
            error_of(api.get(path), 503, "unavailable")
        command("migrate", "--db", database)
        for path in ("/readyz", "/api/v1/machines", "/api/v1/kernels", "/api/v1/runs"):
            assert api.get(path).status_code == 200, path
    finally:
        server.stop()


def test_a_killed_postgresql_is_503_too(postgres, server, api):
    assert api.get("/api/v1/machines").status_code == 200
    postgres.kill()
    try:
        error_of(api.post("/api/v1/runs", json=submission()), 503, "unavailable")
    finally:
        postgres.start()
    wait_until(lambda: api.get("/readyz").status_code == 200, "ready again")
    assert api.post("/api/v1/runs", json=submission()).status_code == 200
