# SPDX-License-Identifier: GPL-2.0-or-later
"""Uploads that are more than one JSON document: forms of a context and files, streams of lines, files of many kernels."""
import gzip
import json

import pytest

from harness import error_of, submission

SUMMARY = "size_kib,runtime_sec,nsec_per_call\n4,1,2674.5\n400,1,8560\n"
CSV = "benchmark,metric,unit,better,value\nb,t,us,lower,2\nc,t,us,lower,0\n"
TABLES = "v6.16\nsize_kib | nsec_per_call\n4 | 1713\n\nv6.17-rc1\nsize_kib | nsec_per_call\n4 | 1750\n"
JOB = "suite: pmbench\ntestcase: pmbench\ntestbox: box-a\npmbench:\n  mapsize: 75%\n"
LKP = """tbox_group/testcase:
  box-a/stress-ng

commit:
  59142d87ab ("memcg: reduce")
  70a64b7919 ("memcg: dynamically allocate")

59142d87ab03b8ff 70a64b7919cbd6c12306051ff28
---------------- ---------------------------
         %stddev     %change         %stddev
             \\          |                \\
    963931 ±  2%     -11.3%     854675        stress-ng.bigheap.ops_per_sec
"""


def context(**more):
    made = submission(**more)
    made.pop("results")
    return json.dumps(made)


def form(api, *files, context=None, url="/api/v1/runs", **query):
    parts = [("context", (None, context, "application/json"))] if context is not None else []
    parts += [("result", (name, text)) for name, text in files]
    return api.post(url, files=parts, params=query)


def raw_form(api, body, kind="multipart/form-data; boundary=XX", **headers):
    return api.post("/api/v1/runs", data=body, headers={"Content-Type": kind, **headers})


def part(name, body, more=""):
    return f'--XX\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n{body}\r\n'


# ---- forms

def test_a_context_and_files_are_one_run(api):
    answer = form(api, ("summary.csv", SUMMARY), ("mine.csv", CSV), context=context(machine="form-01"))
    assert answer.status_code == 201, answer.text
    got = answer.json()
    assert (got["status"], got["results"]) == ("stored", 3)
    assert answer.headers["Location"] == f"/api/v1/runs/{got['run_id']}"
    run = api.json(f"/api/v1/runs/{got['run_id']}")
    assert run["run"]["machine"] == "form-01" and run["run"]["format"] == "multipart"
    assert {r["benchmark"] for r in run["results"]} == {"mprotect/tw4m", "b"}
    assert [n["at"] for n in run["not_imported"]] == ["mine.csv: line 3"]


def test_the_same_files_again_are_the_same_run_whatever_the_boundary(api):
    first = form(api, ("summary.csv", SUMMARY), context=context(machine="form-02"))
    again = form(api, ("summary.csv", SUMMARY), context=context(machine="form-02"))
    assert first.request.headers["Content-Type"] != again.request.headers["Content-Type"]
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json()["status"] == "duplicate" and again.json()["run_id"] == first.json()["run_id"]
    other = form(api, ("summary.csv", SUMMARY.replace("8560", "8561")), context=context(machine="form-02"))
    assert other.status_code == 201


def test_a_run_id_of_the_context_with_other_files_is_a_conflict(api):
    said = context(machine="form-03", run_id="3d5a4c36-6f0c-4c53-9c3b-0c2d3f6f1a01")
    assert form(api, ("summary.csv", SUMMARY), context=said).status_code == 201
    error_of(form(api, ("mine.csv", CSV), context=said), 409, "conflict")


def test_the_raw_form_can_be_sent_again(api):
    answer = form(api, ("summary.csv", SUMMARY), context=context(machine="form-04"))
    raw = api.get(f"/api/v1/runs/{answer.json()['run_id']}/raw")
    assert raw.content == answer.request.body
    assert raw.headers["Content-Type"] == answer.request.headers["Content-Type"]
    assert raw_form(api, raw.content, raw.headers["Content-Type"]).json()["status"] == "duplicate"


def test_a_file_of_several_kernels_makes_items(api):
    answer = form(api, ("mine.csv", CSV), ("tables.txt", TABLES), context=context(machine="form-05", kernel="6.16"))
    assert answer.status_code == 200, answer.text
    items = answer.json()["items"]
    assert [(i["index"], i["status"], i["results"]) for i in items] == [(0, "stored", 2), (1, "stored", 1)]
    second = api.json(f"/api/v1/runs/{items[1]['run_id']}")["run"]
    assert second["kernel"]["name"] == "6.17-rc1" and second["machine"] == "form-05"
    assert api.get(f"/api/v1/runs/{items[1]['run_id']}/raw").text == TABLES


def test_gzip_and_dry_run_of_a_form(api):
    body = part("context", context(machine="form-06")) + part("result", SUMMARY, '; filename="summary.csv"') + "--XX--\r\n"
    answer = raw_form(api, gzip.compress(body.encode()), **{"Content-Encoding": "gzip"})
    assert answer.status_code == 201, answer.text
    dry = form(api, ("summary.csv", SUMMARY), context=context(machine="form-07"), dry_run="1")
    assert dry.status_code == 201 and dry.json()["dry_run"] is True
    assert api.get("/api/v1/runs", params={"machine": "form-07"}).status_code == 400  # nothing was stored: no such machine


def test_nothing_of_a_form_with_a_bad_file_is_stored(api):
    error = error_of(form(api, ("summary.csv", SUMMARY), ("broken.json", '{"benchmarks": ['), context=context(machine="form-08")),
                     422, "invalid")
    assert [p["at"] for p in error["problems"]] == ["broken.json"]
    error = error_of(form(api, ("summary.csv", SUMMARY), context=context(machine="form-08", kernel="18.7.0")), 422, "invalid")
    assert [p["at"] for p in error["problems"]] == ["/kernel/release"]
    assert api.get("/api/v1/runs", params={"machine": "form-08"}).status_code == 400


@pytest.mark.parametrize("kind, word", [("multipart/form-data", "boundary"), ("multipart/form-data; boundary=", "boundary"),
                                        ('multipart/form-data; boundary="a', "boundary"), ("multipart/form-data; boundary=YY", "YY")])
def test_a_form_without_its_boundary_names_it(api, kind, word):
    body = part("context", context()) + part("result", CSV) + "--XX--\r\n"
    assert word in error_of(raw_form(api, body, kind), 400, "bad_argument")["message"]


def test_other_multiparts_are_415(api):
    error_of(raw_form(api, "", "multipart/mixed; boundary=XX"), 415, "unsupported_type")


@pytest.mark.parametrize("body, status", [
    ("", 400), ("--XX--\r\n", 400), (part("context", "{}"), 400), (part("result", CSV) + "--XX--", 400),
    (part("context", "{}") + "--XX--", 422), (part("context", "{}") + part("result", CSV) + "--XX--", 422),
    (part("context", "nonsense") + part("result", CSV) + "--XX--", 400),
    ((part("context", "{}") + part("result", CSV) + "--XX--").replace("\r\n", "\n"), 400)])
def test_what_is_no_form_of_a_context_and_files(api, body, status):
    error_of(raw_form(api, body), status)


def test_arguments_of_the_query_and_a_context_do_not_mix(api):
    error = error_of(form(api, ("mine.csv", CSV), context=context(), machine="other"), 400, "bad_argument")
    assert error["message"].startswith("machine=")
    answer = form(api, ("mine.txt", CSV), context=context(machine="form-09"), format="csv", benchmark="lab")
    assert answer.status_code == 201
    assert api.json(f"/api/v1/runs/{answer.json()['run_id']}")["results"][0]["benchmark"] == "lab/b"


# ---- streams

def stream(api, text, **query):
    return api.post("/api/v1/runs", data=text.encode(), params=query, headers={"Content-Type": "application/x-ndjson"})


def line(**more):
    return json.dumps(submission(**more))


def test_each_line_of_a_stream_stands_for_itself(api):
    answer = stream(api, "\n".join([line(machine="nd-01"), "", "{nonsense", line(machine="nd-02"), line(machine="nd-03", kernel="18.7.0"), ""]))
    assert answer.status_code == 207, answer.text
    items = answer.json()["items"]
    assert [(i["index"], i["status"]) for i in items] == [(0, "stored"), (2, "invalid"), (3, "stored"), (4, "invalid")]
    assert "line 3" in items[1]["error"]["message"] and items[3]["error"]["problems"][0]["at"] == "/kernel/release"
    assert api.get(f"/api/v1/runs/{items[2]['run_id']}/raw").text == line(machine="nd-02")


def test_a_stream_of_good_lines_is_200_and_again_duplicates(api):
    text = "".join(line(machine=f"nd-1{i}") + "\r\n" for i in range(3))
    assert [i["status"] for i in stream(api, text).json()["items"]] == ["stored"] * 3
    again = stream(api, text)
    assert again.status_code == 200 and [i["status"] for i in again.json()["items"]] == ["duplicate"] * 3


def test_a_stream_of_one_line_still_answers_with_items(api):
    assert [i["index"] for i in stream(api, line(machine="nd-20")).json()["items"]] == [0]


def test_a_dry_run_of_a_stream(api):
    answer = stream(api, line(machine="nd-30"), dry_run="1")
    assert answer.status_code == 200 and answer.json()["dry_run"] is True


def test_a_stream_takes_no_context_and_is_not_empty(api):
    error_of(stream(api, line(), machine="m"), 400, "bad_argument")
    error_of(stream(api, "\n\n"), 400, "bad_json")
    error_of(stream(api, "1\n" * 10001), 413, "too_large")


# ---- the kernel test robot's files

def test_a_table_of_commits_is_a_run_each(api):
    answer = api.post("/api/v1/runs", data=LKP.encode(), params={"format": "auto", "kernel": "6.9-rc6"}, headers={"Content-Type": "text/plain"})
    assert answer.status_code == 200, answer.text
    runs = [api.json(f"/api/v1/runs/{i['run_id']}") for i in answer.json()["items"]]
    assert [r["run"]["kernel"]["name"] for r in runs] == ["6.9-rc6-g59142d87ab03", "6.9-rc6-g70a64b7919cb"]
    assert [r["results"][0]["center"] for r in runs] == [963931, 854675]
    assert all(r["run"]["machine"] == "box-a" and r["results"][0]["better"] == "higher" for r in runs)
    rows = api.json("/api/v1/compare", params={"base": "6.9-rc6-g59142d87ab03", "head": "6.9-rc6-g70a64b7919cb"})["rows"]
    assert [(r["metric"], round(r["change_percent"], 1), r["direction"]) for r in rows] == [("ops_per_sec", -11.3, "worse")]


def test_a_job_is_a_run_without_results(api):
    answer = api.post("/api/v1/runs", data=JOB, params={"format": "auto", "kernel": "6.9-rc6"}, headers={"Content-Type": "text/plain"})
    assert answer.status_code == 201, answer.text
    assert answer.json()["results"] == 0
    run = api.json(f"/api/v1/runs/{answer.json()['run_id']}")
    assert run["results"] == [] and run["run"]["environment"]["pmbench"] == {"mapsize": "75%"}


A_JOB = "suite: will-it-scale\ntestcase: will-it-scale\ntestbox: lkp-box\ncommit: v6.17-rc1\n"


def send_form(api, *results):
    context = json.dumps({key: value for key, value in submission(machine="form-01").items() if key != "results"})
    return api.post("/api/v1/runs", files=[("context", ("context.json", context, "application/json")),
                                           *(("result", (name, text, "text/plain")) for name, text in results)])


def test_a_job_beside_its_results_is_their_environment(api):
    answer = send_form(api, ("job.yaml", A_JOB), ("a.csv", "benchmark,metric,unit,better,value\njob/a,latency,ns,lower,5\n"))
    assert answer.status_code == 201 and answer.json()["results"] == 1, answer.text
    run = api.json(f"/api/v1/runs/{answer.json()['run_id']}")
    assert run["run"]["environment"]["suite"] == "will-it-scale" and run["results"][0]["benchmark"] == "job/a"


def test_a_job_alone_in_a_form_is_a_run_without_results(api):
    answer = send_form(api, ("job.yaml", A_JOB))
    assert answer.status_code == 201 and answer.json()["results"] == 0, answer.text
    assert api.json(f"/api/v1/runs/{answer.json()['run_id']}")["run"]["environment"]["testbox"] == "lkp-box"
