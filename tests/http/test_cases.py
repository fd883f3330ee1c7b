# SPDX-License-Identifier: GPL-2.0-or-later
"""The cases of the story: posted as submissions, read back through compare and sweep."""
import csv
import json

import pytest

from harness import SHARED

SEED = SHARED / "seed"
pytestmark = pytest.mark.skipif(not SEED.is_dir(), reason=f"the story's figures are not in {SEED}")

FIX = "https://lore.kernel.org/r/fix"


def load_cases():
    if not SEED.is_dir():
        return {}
    return {case["id"]: case for case in json.loads((SEED / "cases.json").read_text())["cases"]}


CASES = load_cases()


def submission(machine, uarch, kernel, results, thp=None):
    out = {"schema": "nsecwatch.submission/1", "machine": {"name": machine, "isa": "x86_64", "uarch": uarch},
           "kernel": kernel, "started_at": "2026-02-13T15:08:00Z", "results": results}
    if thp:
        out["config"] = {"thp": thp}
    return out


def variant():
    return {"release": "6.17-rc1", "variant": {"base": "6.17-rc1", "applies": [{"title": "the fix", "url": FIX}]}}


@pytest.fixture(scope="module")
def milan(api):
    case = CASES["milan-sweep"]
    by_kernel = {}
    with open(SEED / case["file"]) as f:
        for row in csv.DictReader(f):
            by_kernel.setdefault(row["kernel"], []).append(
                {"benchmark": "mprotect/tw4m", "params": {"size_kib": int(row["size_kib"])}, "metric": "latency",
                 "unit": case["unit"], "better": case["better"], "values": [float(row["nsec_per_call"])]})
    kernels = list(by_kernel)
    for name in kernels:
        api.store(submission("milan-01", case["arch"], {"release": name}, by_kernel[name]))
    return case, kernels


def compare(api, base, head, fix=None, **selectors):
    return api.json("/api/v1/compare.json",
                    params={"base": base, "head": head, **({"fix": fix} if fix else {}), **selectors})


def test_each_size_of_the_milan_sweep_has_its_percent_and_its_restored_percent(api, milan):
    case, (base, head, fix) = milan
    answer = compare(api, base, head, fix, machine="milan-01")
    assert len(answer["rows"]) == 8 and answer["missing"] == []
    assert [row["params"]["size_kib"] for row in answer["rows"]] == [4 * 10 ** i for i in range(8)]
    for row in answer["rows"]:
        size = str(row["params"]["size_kib"])
        assert row["change_percent"] == pytest.approx(case["expect_percent_6.17-rc1_vs_6.16"][size], abs=.01)
        assert row["remaining_percent"] == pytest.approx(case["expect_percent_revert_vs_6.16"][size], abs=.01)
        assert row["restored_percent"] == pytest.approx(case["expect_restored_percent"][size], abs=.1)
        assert row["direction"] == "worse"
        assert (row["verdict"], row["confidence"]) == ("inconclusive", "none")
        for key in ("p", "q", "change_ci", "noise_percent", "detectable_percent"):
            assert row[key] is None
    assert answer["summary"]["rows"] == answer["summary"]["inconclusive"] == 8
    assert answer["head"]["name"] == "6.17-rc1" and answer["fix"]["variant"]["reverts"] == ["cac1db8c3aad"]


def test_the_kernel_is_found_by_name_v_form_phrase_and_unescaped_plus(api, milan):
    _, (base, head, fix) = milan
    want = compare(api, base, head, fix, machine="milan-01")
    for spelling in ("v6.17-rc1 with cac1db8c3aad reverted", "v" + fix, fix.replace("+", " ")):
        assert compare(api, "v6.16", "6.17.0-rc1", spelling, machine="milan-01") == want


def test_the_sweep_fits_to_the_costs_of_the_story(api, milan):
    _, kernels = milan
    answer = api.json("/api/v1/sweep", params={"axis": "size_kib", "kernel": kernels, "machine": "milan-01"})
    assert answer["axis"] == {"name": "size_kib", "unit": "KiB", "log": True}
    lines = answer["lines"]
    assert [line["kernel"]["name"] for line in lines] == kernels
    for line, fixed, per_page in zip(lines, (1776, 1803, 1806), (17.02, 42.51, 20.22)):
        assert line["fit"]["fixed"] == pytest.approx(fixed, rel=.005)
        assert line["fit"]["per_unit"] == pytest.approx(per_page, rel=.005)
        assert line["fit"]["max_residual_percent"] <= 6.15
        assert (line["fit"]["unit"], line["fit"]["unit_step"]) == ("page", 4)
        assert len(line["points"]) == 8
        assert all(p["lo"] is None and p["hi"] is None and p["n"] == 1 for p in line["points"])
    rc1, revert = answer["ratios"]
    assert (rc1["onset"], revert["onset"]) == (40, 400)
    assert rc1["sentence"] == ("v6.17-rc1 is slower than v6.16 from 40 KiB up, by +14 % .. +150 %. Per page: "
                               "17.02 -> 42.51 ns (+150 %, strong); fixed cost: no change shown (+1.5 %).")
    assert revert["sentence"] == ("With cac1db8c3aad reverted +18.8 % per page remains (17.02 -> 20.22 ns, strong), "
                                  "87 % of the change is brought back; fixed cost: no change shown (+1.7 %).")
    assert answer["sentence"] == f"{rc1['sentence']} {revert['sentence']}"


def test_the_sweep_tells_which_cost_changed_though_no_size_alone_can(api, milan):
    _, kernels = milan
    answer = api.json("/api/v1/sweep", params={"axis": "size_kib", "kernel": kernels, "machine": "milan-01"})
    rc1, revert = answer["ratios"]
    for ratio, per_page, fixed in ((rc1, 149.78, 1.52), (revert, 18.79, 1.68)):
        part = ratio["per_unit"]
        assert (part["verdict"], part["confidence"]) == ("regression", "strong")
        assert part["percent"] == pytest.approx(per_page, abs=.01)
        assert 0 < part["ci"][0] < per_page < part["ci"][1] and part["q"] <= .001
        part = ratio["fixed"]
        assert (part["verdict"], part["confidence"]) == ("inconclusive", "none")
        assert part["percent"] == pytest.approx(fixed, abs=.01) and part["ci"][0] < 0 < part["ci"][1]
        assert ratio["overall"]["verdict"] == "regression"
        assert all(p["verdict"] == "inconclusive" for p in ratio["points"])
    assert rc1["per_unit"]["restored_percent"] is None
    assert revert["per_unit"]["restored_percent"] == pytest.approx(87.5, abs=.1)
    assert revert["fixed"]["restored_percent"] is None, "of a change that does not show nothing can be restored"


@pytest.mark.parametrize("name", ["rome-thp2m", "milanx-thp2m"])
def test_totals_with_2_mib_pages_are_improvements_in_direction(api, name):
    case = CASES[name]
    for side in ("before", "after"):
        result = {"benchmark": "mprotect/thp-total", "metric": case["metric"], "unit": "unstated",
                  "better": case["better"], "values": [case[side]["value"]]}
        api.store(submission(name, case["arch"], {"release": case[side]["kernel"]}, [result], case["thp"]))
    answer = compare(api, case["before"]["kernel"], case["after"]["kernel"], machine=name)
    (row,) = answer["rows"]
    assert row["change_percent"] == pytest.approx(case["expect_percent"], abs=.01)
    assert row["direction"] == {"improvement": "better", "regression": "worse"}[case["expect"]]
    assert row["verdict"] == "inconclusive" and row["thp"] == "always"


def test_raptorlake_is_a_regression_from_summaries_that_the_fix_restores(api):
    case = CASES["raptorlake-mremap"]
    for side, kernel in (("before", "6.16"), ("after", "6.17-rc1"), ("fixed", variant())):
        result = {"benchmark": case["benchmark"], "metric": case["metric"], "unit": "calls/s", "better": case["better"],
                  "summary": {"n": 10, "mean": case[side]["value"], "stddev": case[side]["stddev"]}}
        api.store(submission("raptorlake", case["arch"], kernel, [result]))
    fix = next(k["name"] for k in api.json("/api/v1/kernels", params={"limit": 1000})["kernels"]
               if k["variant"] and k["variant"]["applies"])
    answer = compare(api, "6.16", "6.17-rc1", fix, machine="raptorlake")
    (row,) = answer["rows"]
    assert row["change_percent"] == pytest.approx(case["expect_percent"], abs=.01)
    assert row["remaining_percent"] == pytest.approx(case["expect_fixed_percent"], abs=.01)
    assert row["restored_percent"] == pytest.approx(case["expect_restored_percent"], abs=.1)
    assert (row["direction"], row["verdict"], row["confidence"]) == ("worse", case["expect"], "weak")
    assert row["base"]["n"] == 10 and row["base"]["boots"] == 1 and row["base"]["min"] is None
    assert row["change_ci"][0] < case["expect_percent"] < row["change_ci"][1]
    assert 0 < row["p"] <= row["q"] <= .05
    assert answer["summary"]["restored_percent"] == pytest.approx(row["restored_percent"], abs=.1)


def test_google_benchmark_single_values_have_a_direction_and_no_verdict(api):
    case = CASES["gbench-mprotect"]
    for side, kernel in (("before", "6.16"), ("after", "6.17-rc1")):
        result = {"benchmark": case["benchmark"], "metric": "real_time", "unit": case["unit"], "better": case["better"],
                  "values": [case[side]["value"]], "iterations": case[side]["iterations"]}
        api.store(submission("gbench", "unknown", kernel, [result]))
    (row,) = compare(api, "6.16", "6.17-rc1", machine="gbench")["rows"]
    assert row["change_percent"] == pytest.approx(case["expect_percent"], abs=.01)
    assert (row["direction"], row["verdict"]) == ("better", "inconclusive")
