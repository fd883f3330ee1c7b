# SPDX-License-Identifier: GPL-2.0-or-later
"""POST /api/v1/runs and reading runs back, as API.md says."""
import json
import uuid
import zlib
import gzip

import pytest

from harness import Api, error_of, sql, submission, wait_until


def count_runs(database):
    return sql(database, "SELECT count(*) FROM run")[0][0]


# ---- one submission

@pytest.mark.parametrize("text,value", [
    ("9223372036854775807", 9223372036854775807), ("9223372036854775808", 2.0**63), ("18446744073709551615", 2.0**64), ("1" + "0" * 25, 1e25),
    ("1" + "0" * 80, 1e80), ("123456789012345678901234567890.5", 123456789012345678901234567890.5)])
@pytest.mark.parametrize("name", ["plain", "n\u00fcrnberg"])  # a document in ASCII, and one that is not, are read by different parsers
def test_a_whole_number_of_any_size_is_the_nearest_double(api, text, value, name):
    body = json.dumps(submission(machine=name, values=[123456.5]), ensure_ascii=False).replace("123456.5", text)
    run = api.post("/api/v1/runs", data=body.encode(), headers={"Content-Type": "application/json"})
    assert run.status_code == 201, run.text
    result = api.json(f"/api/v1/runs/{run.json()['run_id']}")["results"][0]
    assert float(result["values"][0]) == float(value) == result["center"]


def test_a_submission_is_stored_and_says_where(api):
    answer = api.post("/api/v1/runs", json=submission(machine="one-01"))
    assert answer.status_code == 201, answer.text
    got = answer.json()
    assert got["status"] == "stored" and got["results"] == 1 and got["failed"] == 0 and got["series_new"] == 1
    assert got["url"] == f"/runs/{got['run_id']}" and got["verdict_url"] == f"/api/v1/runs/{got['run_id']}/verdict"
    assert answer.headers["Location"] == f"/api/v1/runs/{got['run_id']}"
    assert isinstance(got["warnings"], list) and "dry_run" not in got
    assert api.json(answer.headers["Location"])["run"]["run_id"] == got["run_id"]


def test_the_same_again_is_a_duplicate(api, database):
    first = api.store(submission(machine="same-01"))[0]
    before = count_runs(database)
    answer = api.post("/api/v1/runs", json=submission(machine="same-01"))
    assert answer.status_code == 200 and answer.json()["status"] == "duplicate"
    assert answer.json()["run_id"] == first["run_id"] and count_runs(database) == before


def test_spacing_key_order_and_compression_make_no_other_run(api):
    body = submission(machine="spelling-01")
    first = api.store(body)[0]["run_id"]
    turned = json.dumps(dict(reversed(body.items())), indent=7)
    for data, headers in ((turned.encode(), {}), (gzip.compress(turned.encode()), {"Content-Encoding": "gzip"})):
        answer = api.post("/api/v1/runs", data=data, headers={"Content-Type": "application/json", **headers})
        assert answer.status_code == 200, answer.text
        assert answer.json()["run_id"] == first


def test_a_given_run_id_is_kept(api):
    mine = str(uuid.uuid4())
    assert api.store(submission(run_id=mine))[0]["run_id"] == mine
    assert api.post("/api/v1/runs", json=submission(run_id=mine.upper())).status_code == 200


def test_the_same_run_id_with_other_content_is_409_and_changes_nothing(api, database):
    mine = str(uuid.uuid4())
    api.store(submission(run_id=mine))
    before = count_runs(database)
    error = error_of(api.post("/api/v1/runs", json=submission(run_id=mine, values=[1.0])), 409, "conflict")
    assert mine in error["message"] and count_runs(database) == before
    assert api.json(f"/api/v1/runs/{mine}")["results"][0]["values"] == [3453.1, 3449.8]


def test_failed_results_are_counted_and_kept(api):
    results = [{"benchmark": "b", "metric": "m", "unit": "ns", "better": "lower", "values": [5]},
               {"benchmark": "b", "params": {"size_kib": 40000000}, "metric": "m", "unit": "ns", "better": "lower",
                "status": "failed", "error": "mmap: Cannot allocate memory"}]
    got = api.store(submission(results=results, machine="failing-01"))[0]
    assert got["results"] == 2 and got["failed"] == 1
    back = api.json(f"/api/v1/runs/{got['run_id']}")["results"]
    assert back[1]["status"] == "failed" and back[1]["error"] == "mmap: Cannot allocate memory"
    assert back[1]["n"] == 0 and back[1]["center"] is None and back[1]["values"] == []


def test_unknown_fields_are_a_warning(api):
    got = api.store(submission(machine="odd-01", colour="red"))[0]
    assert any(w["at"] == "/colour" for w in got["warnings"]), got


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8", "application/vnd.lab+json",
                                  "application/x-www-form-urlencoded", "text/plain", None])
def test_json_under_the_types_that_clients_give_it(api, kind):
    headers = {"Content-Type": kind} if kind else {}
    assert api.post("/api/v1/runs", data=json.dumps(submission(machine="typed-01")), headers=headers).status_code in (200, 201)


@pytest.mark.parametrize("kind", ["text/html", "image/png", "application/xml"])
def test_another_type_is_415(api, kind):
    answer = api.post("/api/v1/runs", data=json.dumps(submission()), headers={"Content-Type": kind})
    error_of(answer, 415, "unsupported_type")


def test_chunked_bodies_are_taken(api):
    body = json.dumps(submission(machine="chunked-01")).encode()
    pieces = (body[i:i + 50] for i in range(0, len(body), 50))  # none of them empty: that would be the end
    assert api.post("/api/v1/runs", data=pieces).status_code == 201


# ---- dry run

def test_a_dry_run_answers_the_same_and_stores_nothing(api, database):
    tables = ("run", "run_raw", "run_todo", "machine", "kernel", "series", "benchmark")
    counts = lambda: [sql(database, f"SELECT count(*) FROM {t}")[0][0] for t in tables]
    before = counts()
    body = submission(machine="dry-01", kernel="v6.99")
    dry = api.post("/api/v1/runs?dry_run=1", json=body)
    assert dry.status_code == 201, dry.text
    assert dry.json()["dry_run"] is True and dry.json()["status"] == "stored" and dry.json()["series_new"] == 1
    assert counts() == before
    wet = api.post("/api/v1/runs", json=body)
    assert wet.status_code == 201 and {**dry.json(), "dry_run": None} == {**wet.json(), "dry_run": None}
    again = api.post("/api/v1/runs?dry_run=1", json=body)
    assert again.status_code == 200 and again.json()["status"] == "duplicate" and again.json()["dry_run"] is True


def test_a_dry_run_finds_errors_and_conflicts(api):
    error_of(api.post("/api/v1/runs?dry_run=1", json=submission(values=[-1])), 422, "invalid")
    mine = str(uuid.uuid4())
    api.store(submission(run_id=mine))
    error_of(api.post("/api/v1/runs?dry_run=1", json=submission(run_id=mine, values=[7])), 409, "conflict")
    error_of(api.post("/api/v1/runs?dry_run=yes", json=submission()), 400, "bad_argument")


# ---- many

def test_an_array_of_good_ones_is_200_with_items_in_order(api):
    bodies = [submission(machine=f"many-{i}") for i in range(5)]
    answer = api.post("/api/v1/runs", json=bodies)
    assert answer.status_code == 200
    items = answer.json()["items"]
    assert [i["index"] for i in items] == list(range(5)) and all(i["status"] == "stored" for i in items)
    again = api.post("/api/v1/runs", json=bodies)
    assert again.status_code == 200 and all(i["status"] == "duplicate" for i in again.json()["items"])
    assert [i["run_id"] for i in again.json()["items"]] == [i["run_id"] for i in items]


def test_items_of_an_array_are_independent(api, database):
    mine = str(uuid.uuid4())
    api.store(submission(run_id=mine))
    before = count_runs(database)
    answer = api.post("/api/v1/runs", json=[
        submission(machine="mixed-01"), submission(values=["fast"]), 17, submission(run_id=mine, values=[3]),
        submission(run_id=mine), submission(machine="mixed-02")])
    assert answer.status_code == 207, answer.text
    items = answer.json()["items"]
    assert [i["status"] for i in items] == ["stored", "invalid", "invalid", "conflict", "duplicate", "stored"]
    assert [i["index"] for i in items] == list(range(6))
    assert items[1]["error"]["problems"][0]["at"].endswith("/results/0/values/0")
    assert items[3]["error"]["code"] == "conflict"
    assert count_runs(database) == before + 2


def test_an_empty_array_stores_nothing(api, database):
    before = count_runs(database)
    answer = api.post("/api/v1/runs", json=[])
    assert answer.status_code in (200, 400, 422) and count_runs(database) == before
    if answer.status_code == 200:
        assert answer.json() == {"items": []}


def test_a_single_object_in_an_array_answers_as_an_array(api):
    assert api.post("/api/v1/runs", json=[submission(machine="lonely-01")]).json()["items"][0]["status"] == "stored"


# ---- reading back

def test_a_run_comes_back_as_it_was_sent(api):
    body = submission(machine="back-01", boot_id="boot-7", kernel="6.17.0-0.rc1.17.eln150.x86_64", labels={"campaign": "nightly"},
                      environment={"governor": "performance", "nested": {"a": [1, 2]}},
                      source={"tool": "mprot", "url": "https://ci.example/job/1"},
                      results=[{"benchmark": "mprotect/tw4m", "params": {"size_kib": 400, "mode": "rw", "warm": True},
                                "metric": "latency", "unit": "us/call", "better": "lower", "values": [3.5, 3.25]}])
    run_id = api.store(body)[0]["run_id"]
    got = api.json(f"/api/v1/runs/{run_id}")
    run = got["run"]
    assert run["machine"] == "back-01" and run["boot_id"] == "boot-7" and run["thp"] == "always"
    assert run["started_at"] == "2026-02-13T15:08:00Z" and run["format"] == "nsecwatch.submission/1"
    assert run["labels"] == body["labels"] and run["environment"] == body["environment"] and run["source"] == body["source"]
    assert run["kernel"]["name"] == "6.17.0-0.rc1.17.eln150.x86_64" and run["kernel"]["base"] == "6.17"
    assert run["kernel"]["rc"] == 1 and run["kernel"]["track"] == "eln" and run["kernel"]["variant"] is None
    result = got["results"][0]
    assert result["params"] == body["results"][0]["params"] and result["benchmark"] == "mprotect/tw4m"
    assert result["unit"] == "ns/call" and result["original_unit"] == "us/call" and result["better"] == "lower"
    assert result["values"] == [3500, 3250] and result["n"] == 2 and result["center"] == 3375
    assert result["stddev"] == pytest.approx(176.7766952966369) and result["status"] == "ok" and result["error"] is None
    assert isinstance(result["series_id"], str) and got["not_imported"] == []


def test_numbers_come_back_bit_for_bit(api):
    values = [0.1, 1 / 3, 1e-300, 123456789.123456789, 5e-324, 1.7976931348623157e308 / 1e10, 3]
    run_id = api.store(submission(machine="bits-01", values=values))[0]["run_id"]
    assert api.json(f"/api/v1/runs/{run_id}")["results"][0]["values"] == values


def test_a_summary_comes_back_without_values(api):
    results = [{"benchmark": "stress-ng/bigheap", "metric": "realloc_calls_per_sec", "unit": "calls/s", "better": "higher",
                "summary": {"n": 10, "mean": 143857, "stddev": 4531}}]
    run_id = api.store(submission(machine="summary-01", results=results))[0]["run_id"]
    got = api.json(f"/api/v1/runs/{run_id}")["results"][0]
    assert (got["n"], got["center"], got["stddev"], got["values"]) == (10, 143857, 4531, [])


def test_the_raw_body_comes_back_byte_for_byte(api):
    body = json.dumps(submission(machine="raw-01"), indent=3).encode() + b"\n\n"
    run_id = api.post("/api/v1/runs", data=body, headers={"Content-Type": "application/json"}).json()["run_id"]
    answer = api.get(f"/api/v1/runs/{run_id}/raw")
    assert answer.status_code == 200 and answer.content == body
    assert answer.headers["Content-Type"].startswith("application/json")


def test_each_run_of_an_array_has_its_own_raw_body(api):
    parts = [json.dumps(submission(machine=f"part-{i}", labels={"odd": "]},\\\"["}), indent=i + 1) for i in range(3)]
    answer = api.post("/api/v1/runs", data="[ " + " ,\n".join(parts) + " ]")
    assert answer.status_code == 200, answer.text
    for item, part in zip(answer.json()["items"], parts):
        assert api.get(f"/api/v1/runs/{item['run_id']}/raw").text == part


def test_a_raw_body_is_never_served_as_a_page(api):
    csv = "benchmark,metric,unit,better,value\n<script>alert(1)</script>,m,ns,lower,5\n"
    answer = api.post("/api/v1/runs?format=csv&machine=html-01&kernel=6.16&thp=always", data=csv,
                      headers={"Content-Type": "text/html"})
    if answer.status_code == 400 and "format" in answer.text:
        pytest.skip("this build has no csv reader")
    assert answer.status_code in (201, 422), answer.text
    if answer.status_code == 201:
        raw = api.get(f"/api/v1/runs/{answer.json()['run_id']}/raw")
        assert not raw.headers["Content-Type"].startswith("text/html")


def test_no_such_run(anonymous):
    for path in ("", "/raw", "/verdict"):
        error_of(anonymous.get(f"/api/v1/runs/{uuid.uuid4()}{path}"), 404, "not_found")
        error_of(anonymous.get(f"/api/v1/runs/not-a-uuid{path}"), 404, "not_found")


@pytest.mark.parametrize("extension", ["csv", "txt"])
def test_a_run_as_table(api, extension):
    run_id = api.store(submission(machine="table-01"))[0]["run_id"]
    answer = api.get(f"/api/v1/runs/{run_id}.{extension}")
    assert answer.status_code == 200 and "mprotect/tw4m" in answer.text
    if extension == "txt":
        assert max(map(len, answer.text.splitlines())) <= 72


def test_the_verdict_is_pending_until_watch_looked(api, database):
    run = api.store(submission(machine="verdict-01"))[0]
    assert api.json(run["verdict_url"]) == {"state": "pending", "regressions": []}
    sql(database, "DELETE FROM run_todo WHERE what = 'check'")
    done = api.json(run["verdict_url"])
    assert done["state"] == "done" and done["regressions"] == [] and done["judged"] == 0


def test_a_long_poll_ends_when_the_state_changes(api, server, database):
    run = api.store(submission(machine="poll-01"))[0]
    with server.connect() as s:
        s.sendall(f"GET {run['verdict_url']}?wait=30 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        wait_until(lambda: "nsecwatch_queue_length 1" in api.get("/metrics").text, "the poll waits")
        sql(database, "DELETE FROM run_todo WHERE what = 'check'")
        got = b""
        while piece := s.recv(4096):
            got += piece
    assert b'"done"' in got


def test_long_polls_hold_no_worker(new_server, tokens):
    server = new_server("--workers", "1")
    api = Api(server.url, tokens("admin"))
    run = api.store(submission(machine="poll-02"))[0]
    polls = [server.connect() for _ in range(20)]
    for s in polls:
        s.sendall(f"GET {run['verdict_url']}?wait=30 HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    wait_until(lambda: "nsecwatch_queue_length 20" in api.get("/metrics").text, "all polls wait")
    assert api.json("/api/v1/machines")["machines"]
    for s in polls:
        s.close()
    server.stop()


# ---- lists

def test_runs_are_listed_newest_first_in_pages(api):
    sent = [api.store(submission(machine="pages-01", boot_id=f"b{i}"))[0]["run_id"] for i in range(7)]
    seen, cursor = [], ""
    while True:
        page = api.json(f"/api/v1/runs?machine=pages-01&limit=3{cursor}")
        assert len(page["runs"]) <= 3
        seen += [r["run_id"] for r in page["runs"]]
        if page["next"] is None:
            break
        cursor = f"&cursor={page['next']}"
    assert seen == sent[::-1]


def test_lists_page_through_everything_once(api):
    whole = [m["name"] for m in api.json("/api/v1/machines?limit=1000")["machines"]]
    seen, cursor = [], ""
    while True:
        page = api.json(f"/api/v1/machines?limit=2{cursor}")
        seen += [m["name"] for m in page["machines"]]
        if page["next"] is None:
            break
        cursor = f"&cursor={page['next']}"
    assert seen == whole and len(set(seen)) == len(seen) > 10


def test_runs_by_kernel_machine_and_track(api):
    api.store(submission(machine="filter-01", kernel="v6.16"), submission(machine="filter-01", kernel="6.16.0-65.eln150.x86_64"))
    names = lambda query: [r["kernel"]["name"] for r in api.json(f"/api/v1/runs?machine=filter-01&{query}")["runs"]]
    assert names("kernel=v6.16") == ["6.16"]
    assert names("track=eln") == ["6.16.0-65.eln150.x86_64"]
    assert sorted(names("uarch=epyc-*")) == ["6.16", "6.16.0-65.eln150.x86_64"]
    api.store(submission(machine="filter-01", size_kib=7777, kernel="v6.15-rc3"))
    assert names("param.size_kib=7777") == ["6.15-rc3"] and names("benchmark=mprotect/*&track=eln") == ["6.16.0-65.eln150.x86_64"]
    assert names("metric=none-*") == []
    error_of(api.get("/api/v1/runs?machine=filter-02x"), 400, "unknown_value")
    error_of(api.get("/api/v1/runs?kernel=6.15"), 400, "unknown_value")
    assert names("kernel=v6.15-rc3&track=eln") == [] and names("kernel=v6.15-rc3&track=mainline") == ["6.15-rc3"]
    for bad in ("x", "-1-" + str(uuid.uuid4()), "9223372036854775807-" + str(uuid.uuid4())):
        error_of(api.get(f"/api/v1/runs?cursor={bad}"), 400, "bad_argument")


@pytest.mark.parametrize("name", ["benchmarks", "kernels", "machines", "configs", "series", "runs"])
def test_every_list_as_json_csv_and_text(api, name):
    assert set(api.json(f"/api/v1/{name}")) == {name, "next"}
    head = api.get(f"/api/v1/{name}.csv").text.splitlines()[0]
    assert "," in head or name == "benchmarks"
    text = api.get(f"/api/v1/{name}.txt").text
    assert text and max(map(len, text.splitlines())) <= 72


def test_the_catalogue_of_a_selection(api):
    api.store(submission(machine="cat-01", thp="madvise"))
    assert [m["name"] for m in api.json("/api/v1/machines?thp=madvise")["machines"]] == ["cat-01"]
    assert [s["thp"] for s in api.json("/api/v1/series?machine=cat-01")["series"]] == ["madvise"]
    assert [c["thp"] for c in api.json("/api/v1/configs?machine=cat-01")["configs"]] == ["madvise"]
    assert api.json("/api/v1/machines?machine=nothing-*")["machines"] == []


# ---- tokens

def test_who_may_write(server, anonymous, tokens):
    answer = anonymous.post("/api/v1/runs", json=submission())
    error_of(answer, 401, "unauthorized")
    assert "Bearer" in answer.headers["WWW-Authenticate"]
    error_of(Api(server.url, "nsw_" + "A" * 43).post("/api/v1/runs", json=submission()), 401, "unauthorized")
    error_of(Api(server.url, "x").post("/api/v1/runs", json=submission()), 401, "unauthorized")
    error_of(Api(server.url, tokens("read")).post("/api/v1/runs", json=submission()), 403, "forbidden")
    error_of(Api(server.url, tokens("triage")).post("/api/v1/runs", json=submission()), 403, "forbidden")
    assert Api(server.url, tokens("ingest")).post("/api/v1/runs", json=submission(machine="mine-01")).status_code == 201


def test_a_wrong_token_is_told_even_where_none_is_needed(server):
    error_of(Api(server.url, "nsw_" + "B" * 43).get("/api/v1/machines"), 401, "unauthorized")


def test_a_revoked_token_stops_working(server, database):
    from harness import command
    text = next(w for w in command("token", "add", "--name", "gone", "--scope", "ingest", "--db", database).stdout.split()
                if w.startswith("nsw_"))
    lab = Api(server.url, text)
    assert lab.post("/api/v1/runs?dry_run=1", json=submission()).status_code in (200, 201)
    command("token", "revoke", "--name", "gone", "--db", database)
    wait_until(lambda: lab.post("/api/v1/runs?dry_run=1", json=submission()).status_code == 401, "the token is refused")
