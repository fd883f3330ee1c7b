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


def test_a_run_tells_what_changed_against_the_run_before_it(api):
    def run(machine="drift-01", **more):
        return run_of(api, machine={"name": machine}, **more)

    def previous(of, query="?previous=1"):
        return api.json(f"/api/v1/runs/{of}{query}")["previous"]

    one = run(started_at="2026-01-01T00:00:00Z")
    other = run(started_at="2026-01-02T00:00:00Z", config={"thp": "never", "base_page_kib": 4})
    run("drift-02", started_at="2026-01-03T00:00:00Z", environment={"governor": "of another machine"})
    # sent before the run that it follows: what counts is when they were started
    three = run(started_at="2026-01-05T00:00:00Z", kernel="6.17", environment={"governor": "powersave", "smt": "on"})
    two = run(started_at="2026-01-04T00:00:00Z")

    assert previous(one) is None
    assert "previous" not in api.json(f"/api/v1/runs/{one}") and "previous" not in api.json(f"/api/v1/runs/{one}?previous=0")
    got = previous(other)
    assert got["run_id"] == one and got["thp"] == "always", "none in its mode: the newest in any"
    assert [d["name"] for d in got["diff"]["differences"]] == ["thp"]
    got = previous(two)
    assert got["run_id"] == one and got["diff"]["differences"] == [] and got["diff"]["same"] >= 4, "in its mode, not the newest"
    got = previous(three)
    assert got["run_id"] == two and got["kernel"]["name"] == "6.16" and got["started_at"] == "2026-01-04T00:00:00Z"
    assert got["diff"] == api.json(f"/api/v1/runs/{three}/diff?against={two}")
    assert {d["name"]: (d["run"], d["against"]) for d in got["diff"]["differences"]} == {
        "kernel": ("6.17", "6.16"), "environment.governor": ("powersave", "performance"), "environment.caches.l2": (None, 512)}
    texts = [api.get(f"/api/v1/runs/{r}.txt?previous=1").text for r in (one, two, three)]
    assert "The first run of this machine." in texts[0] and "nothing differs" in texts[1]
    assert f"Against the run before it, {two} of" in texts[2] and 'environment.governor: "performance" -> "powersave"' in texts[2]
    assert "previous: 0 or 1" in error_of(api.get(f"/api/v1/runs/{one}?previous=yes"), 400, "bad_argument")["message"]


def test_a_run_is_set_beside_any_other_and_carries_its_verdict(api):
    one = run_of(api, machine={"name": "beside-01"})
    other = run_of(api, machine={"name": "beside-02"}, kernel="6.17", config={"thp": "never", "base_page_kib": 4},
                   environment={"governor": "powersave"})
    got = api.json(f"/api/v1/runs/{one}?against={other}&judged=1")
    assert (got["against"]["run_id"], got["against"]["machine"], got["against"]["kernel"]["name"]) == (other, "beside-02", "6.17")
    assert got["against"]["diff"] == api.json(f"/api/v1/runs/{one}/diff?against={other}")
    assert got["verdict"] == api.json(f"/api/v1/runs/{one}/verdict") and "previous" not in got
    assert {"against", "verdict"}.isdisjoint(api.json(f"/api/v1/runs/{one}?judged=0"))
    text = api.get(f"/api/v1/runs/{one}.txt?against={other[:13]}").text
    assert f"Against run, {other}" not in text and f"Against run {other} of" in text and 'thp: "always" -> ' not in text.split("Against")[0]
    assert "there is no run" in error_of(api.get(f"/api/v1/runs/{one}?against=00000000-0000-0000-0000-000000000000"), 404, "not_found")["message"]
    error_of(api.get(f"/api/v1/runs/{one}?against=no"), 404, "not_found")


def test_a_run_that_is_wrong_is_no_run_before(api):
    one, two, three = (run_of(api, machine={"name": "drift-03"}, started_at=f"2026-01-0{day}T00:00:00Z") for day in (1, 2, 3))
    answer = api.post(f"/api/v1/runs/{two}:invalidate", json={"reason": "somebody compiled on it"})
    assert answer.status_code == 200, answer.text
    assert api.json(f"/api/v1/runs/{three}?previous=1")["previous"]["run_id"] == one


def test_a_run_that_is_not_there_has_no_difference(api):
    one = run_of(api)
    assert api.get(f"/api/v1/runs/{one}/diff").status_code == 400
    answer = api.get(f"/api/v1/runs/{one}/diff", params={"against": "00000000-0000-0000-0000-000000000000"})
    assert "no run" in error_of(answer, 404, "not_found")["message"]
