# SPDX-License-Identifier: GPL-2.0-or-later
"""Every list takes the selectors: benchmark metric machine uarch isa thp base_page_kib track param.NAME, OR within one, AND between."""

import pytest

import harness
from harness import error_of, sql, submission, wait_until


def result(benchmark, metric="latency", values=(100.0,), **params):
    return {"benchmark": benchmark, "params": params, "metric": metric, "unit": "ns/call", "better": "lower", "values": list(values)}


MILAN = {"name": "milan-01", "isa": "x86_64", "uarch": "epyc-milan"}
ALTRA = {"name": "altra-01", "isa": "aarch64", "uarch": "neoverse-n1"}
RUNS = [
    submission(kernel="v6.16", machine=None, results=[result("mm/map", size_kib=4), result("mm/map", size_kib=400)]) | {"machine": MILAN},
    submission(kernel="v6.17-rc1", machine=None, results=[result("mm/map", size_kib=4), result("fs/read", metric="bandwidth")]) | {"machine": MILAN},
    submission(kernel="v6.17-rc1", machine=None, thp="never", results=[result("fs/read", size_kib=4)]) | {"machine": ALTRA, "config": {"thp": "never", "base_page_kib": 64}},
    submission(kernel="6.12.30", machine=None, thp="never", results=[result("net/ping")]) | {"machine": ALTRA, "config": {"thp": "never", "base_page_kib": 64}},
    submission(kernel="v6.18-rc1", machine=None, results=[result("mm/map", size_kib=40) | {"status": "failed", "error": "out of memory", "values": []}]) | {"machine": MILAN},
]
for one in RUNS:
    for r in one["results"]:
        if r.get("status") == "failed":
            del r["values"]


def waiting(database):
    return sql(database, "SELECT count(*) FROM run_todo WHERE what = 'pack'")[0][0]


@pytest.fixture(scope="module", params=["waiting", "packed"])
def lists(api, database, request, tmp_path_factory):
    """The same answers before the runs are packed and after."""
    api.store(*RUNS)
    api.post("/api/v1/kernels", json=[{"release": "v6.1"}])  # a kernel that nobody measured
    if request.param == "packed":
        watch = harness.Process("watch", "--db", database, log=tmp_path_factory.mktemp("watch") / "log").start()
        wait_until(lambda: waiting(database) == 0, "all runs are packed")
        watch.stop()
    else:
        assert waiting(database) == len(RUNS)
    return api


def names(api, what, query):
    items = api.json(f"/api/v1/{what}?{query}")[what]
    key = {"configs": "thp", "series": "benchmark"}.get(what, "name")
    if what == "runs":
        return {(run["machine"], run["kernel"]["name"]) for run in items}
    return {item[key] for item in items}


@pytest.mark.parametrize("query,expected", [
    ("benchmark=mm/map", {"6.16", "6.17-rc1", "6.18-rc1"}), ("benchmark=net/*", {"6.12.30"}), ("machine=altra-01", {"6.17-rc1", "6.12.30"}),
    ("uarch=epyc-milan", {"6.16", "6.17-rc1", "6.18-rc1"}), ("isa=aarch64", {"6.17-rc1", "6.12.30"}), ("thp=always", {"6.16", "6.17-rc1", "6.18-rc1"}),
    ("base_page_kib=64", {"6.17-rc1", "6.12.30"}), ("param.size_kib=400", {"6.16"}), ("param.size_kib=4", {"6.16", "6.17-rc1"}),
    ("metric=bandwidth", {"6.17-rc1"}), ("track=stable-6.12", {"6.12.30"}), ("machine=altra-01&track=mainline", {"6.17-rc1"}),
    ("benchmark=mm/map&benchmark=net/ping", {"6.16", "6.17-rc1", "6.18-rc1", "6.12.30"}), ("benchmark=fs/read&param.size_kib=4", {"6.17-rc1"}),
    ("benchmark=net/*&machine=milan-01", set()), ("benchmark=none*", set()),
])
def test_kernels_of_what_was_measured(lists, query, expected):
    assert names(lists, "kernels", query) == expected
    assert names(lists, "runs", query) == {run for run in names(lists, "runs", "") if run[1] in expected and
                                           run in names(lists, "runs", query)}
    assert {kernel for _, kernel in names(lists, "runs", query)} == expected


def test_without_selectors_all_kernels_are_there(lists):
    assert names(lists, "kernels", "") == {"6.16", "6.17-rc1", "6.18-rc1", "6.12.30", "6.1"}
    assert names(lists, "kernels", "track=mainline") == {"6.16", "6.17-rc1", "6.18-rc1", "6.1"}


@pytest.mark.parametrize("query,expected", [
    ("benchmark=mm/map", {("milan-01", "6.16"), ("milan-01", "6.17-rc1"), ("milan-01", "6.18-rc1")}),
    ("benchmark=fs/read", {("milan-01", "6.17-rc1"), ("altra-01", "6.17-rc1")}), ("benchmark=fs/read&thp=never", {("altra-01", "6.17-rc1")}),
    ("benchmark=mm/map&param.size_kib=40", {("milan-01", "6.18-rc1")}), ("benchmark=*&kernel=6.16", {("milan-01", "6.16")}),
    ("metric=latency&track=stable-6.12", {("altra-01", "6.12.30")})])
def test_runs_of_what_was_measured(lists, query, expected):
    assert names(lists, "runs", query) == expected


def test_runs_of_a_benchmark_come_in_pages(lists):
    whole = [run["run_id"] for run in lists.json("/api/v1/runs?benchmark=mm/*&benchmark=fs/*")["runs"]]
    paged, cursor = [], ""
    while cursor is not None:
        page = lists.json(f"/api/v1/runs?benchmark=mm/*&benchmark=fs/*&limit=1{cursor and '&cursor=' + cursor}")
        paged += [run["run_id"] for run in page["runs"]]
        cursor = page["next"]
    assert paged == whole and len(whole) == 4


@pytest.mark.parametrize("what,query,expected", [
    ("benchmarks", "track=mainline", {"mm/map", "fs/read"}), ("benchmarks", "track=stable-*", {"net/ping"}),
    ("benchmarks", "track=mainline&machine=altra-01", {"fs/read"}), ("benchmarks", "param.size_kib=400", {"mm/map"}),
    ("machines", "track=stable-6.12", {"altra-01"}), ("machines", "track=mainline&benchmark=mm/*", {"milan-01"}),
    ("machines", "track=mainline&metric=bandwidth", {"milan-01"}), ("configs", "track=stable-6.12", {"never"}),
    ("configs", "machine=milan-01", {"always"}), ("series", "track=stable-6.12", {"net/ping"}),
    ("series", "track=mainline", {"mm/map", "fs/read"}), ("series", "track=mainline&benchmark=net/ping", set())])
def test_tracks_and_the_rest_of_the_catalogue(lists, what, query, expected):
    assert names(lists, what, query) == expected


@pytest.mark.parametrize("what", ["benchmarks", "kernels", "machines", "configs", "series", "runs"])
def test_every_list_refuses_what_it_does_not_know(lists, what):
    assert "no_such" in error_of(lists.get(f"/api/v1/{what}?no_such=1"), 400, "bad_argument")["message"]
    for selector in ("benchmark", "metric", "machine", "uarch", "isa", "thp", "base_page_kib", "track", "param.size_kib", "param.nope"):
        error_of(lists.get(f"/api/v1/{what}?{selector}=nothing-like-it"), 400, "unknown_value")
    assert lists.json(f"/api/v1/{what}?benchmark=nothing*")[what] == []


@pytest.mark.parametrize("lists", ["packed"], indirect=True)
def test_a_rebuild_brings_back_which_run_has_which_benchmark(lists, database):
    sql(database, "DELETE FROM run_seen")
    assert names(lists, "kernels", "benchmark=net/*") == set()
    harness.command("rebuild", "--db", database)
    assert names(lists, "kernels", "benchmark=net/*") == {"6.12.30"}
