# SPDX-License-Identifier: GPL-2.0-or-later
"""One machine, one kernel, one benchmark: what their pages are made from."""
import pytest

import lab as lab_module
from harness import error_of, submission, wait_until
from lab import LATER, SIZES


@pytest.fixture(scope="module")
def seen(postgres, tmp_path_factory):
    one = lab_module.Lab(postgres, tmp_path_factory.mktemp("about"))
    one.watch()
    for kernel, centers in (("v6.15", SIZES), ("v6.16", SIZES), ("v6.17-rc1", LATER)):
        one.boots(kernel, centers, thp="never")
    one.boots("v6.17-rc1 with cac1db8c3aad reverted", SIZES, thp="never", boots=1)
    one.checked()
    wait_until(one.alerts, "the step has its alert")
    for day, cpu, governor in ((1, 64, "performance"), (2, 128, "powersave")):
        one.api.store(dict(submission("v6.16", thp="always"), **dict(
            environment={"governor": governor, "smt": "on"}, started_at=f"2026-01-0{day}T00:00:00Z",
            machine={"name": "rome-01", "isa": "x86_64", "uarch": "epyc-rome", "cpus": cpu},
            source={"tool": "mprot", "command": "./mprot --size 400", "url": "https://example.org/mprot"})))
    one.checked()
    yield one
    one.close()


def test_a_machine_tells_its_facts_over_time_and_its_runs_with_their_environment(seen):
    m = seen.api.json("/api/v1/machines/rome-01")
    assert (m["name"], m["uarch"], m["series"], m["benchmarks"], m["alerts"]) == ("rome-01", "epyc-rome", 1, 1, [])
    assert [f["facts"]["cpus"] for f in m["facts"]] == [64, 128], "the oldest first"
    assert [(r["kernel"]["name"], r["thp"], r["environment"]["governor"]) for r in m["runs"]] == [
        ("6.16", "always", "powersave"), ("6.16", "always", "performance")], "the newest start first"
    made = seen.api.post("/api/v1/expectations", json={"machine": "rome-01", "interval": "24h", "note": "nightly"})
    assert made.status_code == 201
    (expected,) = seen.api.json("/api/v1/machines/rome-01")["expectations"]
    assert (expected["benchmark"], expected["every"], expected["note"]) == ("*", "1d", "nightly")
    assert len(seen.api.json("/api/v1/machines/milan-01")["alerts"]) == 1
    text = seen.api.get("/api/v1/machines/rome-01.txt").text
    assert text.startswith("rome-01: epyc-rome, x86_64; 1 series of 1 benchmarks\n") and max(map(len, text.splitlines())) <= 72


def test_a_wrong_run_is_none_of_its_machine(seen):
    seen.boots("v6.16", {4: 1}, machine="wrong-01", boots=1)
    (run,) = seen.api.json("/api/v1/machines/wrong-01")["runs"]
    assert seen.api.post(f"/api/v1/runs/{run['run_id']}:invalidate", json={"reason": "wrong disk"}).status_code == 200
    assert seen.api.json("/api/v1/machines/wrong-01")["runs"] == []


def test_a_kernel_tells_its_neighbours_variants_and_what_it_brought(seen):
    seen.api.post("/api/v1/kernels", json=[{"release": "v6.17-rc1", "released_at": "2026-01-01T00:00:00Z",
                                            "log": ["cac1db8c3aad mm: optimize mprotect() by PTE batching"]}])
    k = seen.api.json("/api/v1/kernels/v6.17-rc1")
    assert (k["kernel"]["name"], k["previous"]["name"], k["next"], k["benchmarks"]) == ("6.17-rc1", "6.16", None, ["mprotect/tw4m"])
    assert [v["name"] for v in k["variants"]] == ["6.17-rc1+revert-cac1db8c3aad"]
    assert k["log"] == ["cac1db8c3aad mm: optimize mprotect() by PTE batching"]
    assert [(t["machine"], t["thp"], t["runs"]) for t in k["tested"]] == [("milan-01", "never", 3)]
    (alert,) = k["alerts"]
    assert (alert["kind"], alert["from"], alert["to"]) == ("regression", "6.16", "6.17-rc1")
    middle = seen.api.json("/api/v1/kernels/6.16")
    assert (middle["previous"]["name"], middle["next"]["name"], middle["alerts"]) == ("6.15", "6.17-rc1", [])
    variant = seen.api.json("/api/v1/kernels/6.17-rc1%2Brevert-cac1db8c3aad")
    assert (variant["previous"]["name"], variant["variants"]) == ("6.17-rc1", [])
    assert seen.api.get("/api/v1/kernels/6.16.csv").text.startswith("machine,uarch,thp,runs,last_started_at\r\n")


def test_a_benchmark_tells_what_it_measures_and_its_noise_by_machine(seen):
    b = seen.api.json("/api/v1/benchmarks/mprotect%2Ftw4m")
    assert b["metrics"] == [{"name": "latency", "unit": "ns/call", "better": "lower"}]
    assert b["params"] == [{"name": "size_kib", "values": ["4", "40", "400", "4000"]}], "numbers in their order"
    noise = {m["machine"]: m["noise_percent"] for m in b["machines"]}
    assert noise["milan-01"] == pytest.approx(0.2, abs=0.15) and noise["rome-01"] is None, "one boot of one kernel teaches nothing"
    assert b["newest_run"]["source"]["command"] == "./mprot --size 400" or b["newest_run"]["kernel"]["name"] == "6.16"
    assert len(b["alerts"]) == 1
    text = seen.api.get("/api/v1/benchmarks/mprotect%2Ftw4m.txt").text
    assert "milan-01" in text and max(map(len, text.splitlines())) <= 72


@pytest.mark.parametrize("path,nearest", [("machines/milan-02", "milan-01"), ("kernels/6.17-rc2", "6.17-rc1"), ("benchmarks/mprotect%2Ftw4", "mprotect/tw4m")])
def test_what_nobody_sent_is_not_there_and_the_nearest_is_named(seen, path, nearest):
    assert nearest in error_of(seen.api.get(f"/api/v1/{path}"), 404, "not_found")["message"]


def test_a_search_finds_by_any_part_of_a_name_and_the_best_comes_first(seen):
    def found(q):
        return [(i["kind"], i["name"]) for i in seen.api.json("/api/v1/search", params={"q": q})["items"]]

    assert found("6.17")[0] == ("kernel", "6.17-rc1") and ("kernel", "6.17-rc1+revert-cac1db8c3aad") in found("6.17")
    assert found("tw4m")[0] in [("benchmark", "mprotect/tw4m"), ("alert", "mprotect/tw4m")]
    assert ("alert", "mprotect/tw4m") in found("alert mprotect milan") and all(k == "alert" for k, _ in found("regression 6.17-rc1 mpro"))
    assert ("machine", "milan-01") in found("EPYC-MILAN") and found("milan-01")[0] == ("machine", "milan-01")
    assert found("6.16 rome") == [] and found("<img>") == []
    assert ("benchmark", "mprotect/tw4m") in found("")
    for item in seen.api.json("/api/v1/search?q=mprotect")["items"]:
        assert seen.api.get("/api/v1" + item["url"]).status_code == 200, item
    error_of(seen.api.get("/api/v1/search?q=" + 201 * "x"), 400, "bad_argument")
    assert seen.api.get("/api/v1/search.txt?q=milan").text.splitlines()[0].split() == ["kind", "name", "note"]
