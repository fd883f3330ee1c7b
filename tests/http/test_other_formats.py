# SPDX-License-Identifier: GPL-2.0-or-later
"""Files of other tools over HTTP, and what two runs ran on, side by side."""
import pathlib

from harness import error_of

SEEDS = pathlib.Path(__file__).resolve().parents[1] / "data" / "formats"
TWO_KERNELS = ("lkp_changed.yaml", "will_it_scale_two.txt")
BENCHMARK = {"benchmark": "b"}
NEED_A_BENCHMARK = ("horreum.json", "perfherder_runs.json", "history.csv", "will_it_scale_two.txt")


def send(api, name, text, **query):
    return api.post("/api/v1/runs", params={"format": "auto", "machine": "formats", "kernel": "6.16", **query}, data=text,
                    headers={"Content-Type": "text/plain"})


def test_each_format_is_told_by_its_content_and_stored(api):
    seen = set()
    for path in sorted(SEEDS.iterdir()):
        query = {"filename": path.name, **(BENCHMARK if path.name in NEED_A_BENCHMARK else {})}
        if path.name in TWO_KERNELS:
            query["kernel"] = "6.16|6.17"
        answer = send(api, path.name, path.read_bytes(), **query)
        assert answer.status_code in (200, 201, 207), (path.name, answer.text)
        stored = [i for i in answer.json().get("items", [answer.json()]) if i["status"] == "stored"]
        assert stored, path.name
        run = api.json(f"/api/v1/runs/{stored[0]['run_id']}")
        seen.add(run["run"]["format"])
        assert run["results"] or path.name == "lkp_job.yaml", path.name
    assert {"perf-stat", "fio", "fio-text", "kcidb", "asv", "openmetrics", "perfherder", "lnt", "horreum"} <= seen


def test_what_is_no_result_says_where_and_why(api):
    answer = send(api, "bad.om", "# TYPE a counter\na_total NaN\n# EOF\n")
    assert "0 or more" in error_of(answer, 422, "invalid")["message"]
    assert "line 2" in answer.text and "0 or more" in answer.text
    answer = send(api, "x.json", '{"fio version": "fio-3.36", "jobs": [{"jobname": "a", "error": 0, "read": {"total_ios": 0}}]}')
    assert answer.status_code == 422 and "/jobs/0" in answer.text and "no I/O" in answer.text
    answer = send(api, "x.json", '[{"name": "a", "unit": "s", "value": 1}]', format="jmh")
    assert answer.status_code == 422 and "/0" in answer.text and "primaryMetric" in answer.text


def run_of(api, **more):
    body = {"machine": {"name": "diff-01"}, "kernel": "6.16", "config": {"thp": "always", "base_page_kib": 4},
            "environment": {"governor": "performance", "smt": "on", "caches": {"l2": 512}},
            "results": [{"benchmark": "diff", "metric": "m", "unit": "ns", "better": "lower", "values": [1]}], **more}
    answer = api.post("/api/v1/runs", json=body)
    assert answer.status_code in (200, 201), answer.text
    return answer.json()["run_id"]


def test_two_runs_are_told_apart_by_what_differs(api):
    one = run_of(api)
    two = run_of(api, kernel="6.17", config={"thp": "never", "base_page_kib": 4},
                 environment={"governor": "powersave", "smt": "on", "caches": {"l2": 1024}, "turbo": False})
    got = api.json(f"/api/v1/runs/{two}/diff", params={"against": one})
    assert got["run"] == two and got["against"] == one
    assert {d["name"]: (d["run"], d["against"]) for d in got["differences"]} == {
        "kernel": ("6.17", "6.16"), "thp": ("never", "always"), "environment.governor": ("powersave", "performance"),
        "environment.caches.l2": (1024, 512), "environment.turbo": (False, None)}
    assert got["same"] >= 4
    assert api.json(f"/api/v1/runs/{two}/diff", params={"against": two})["differences"] == []
    table = api.get(f"/api/v1/runs/{two}/diff.txt", params={"against": one}).text
    assert "environment.governor" in table and "powersave" in table


def test_a_run_that_is_not_there_has_no_difference(api):
    one = run_of(api)
    assert api.get(f"/api/v1/runs/{one}/diff").status_code == 400
    answer = api.get(f"/api/v1/runs/{one}/diff", params={"against": "00000000-0000-0000-0000-000000000000"})
    assert "no run" in error_of(answer, 404, "not_found")["message"]
