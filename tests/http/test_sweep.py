# SPDX-License-Identifier: GPL-2.0-or-later
"""GET /api/v1/sweep: lines, intervals, fit, ratios and onset."""
import csv
import io
import itertools
import math
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness import error_of, submission

SWEEP = "/api/v1/sweep"
SIZES = (4, 40, 400, 4000)
names = (f"sweep-{i:02}" for i in itertools.count())


@pytest.fixture()
def machine():
    return next(names)


def post(api, machine, kernel, cost, sizes=SIZES, repeat=1, params=None, axis="size_kib", **fields):
    """One run of a sweep: cost(size) is the value at each size, repeated with 1 % between repetitions."""
    results = [{"benchmark": fields.get("benchmark", "sweep/one"), "params": {axis: size, **(params or {})},
                "metric": "latency", "unit": "ns/call", "better": "lower",
                "values": [cost(size) * (1 + .01 * i) for i in range(repeat)]} for size in sizes]
    fields.pop("benchmark", None)
    api.store(submission(kernel, machine, results=results, **fields))


def sweep(api, machine, *kernels, **more):
    return api.json(SWEEP, params={"axis": "size_kib", "kernel": kernels, "machine": machine, **more})


def test_a_line_has_its_points_by_size_and_an_interval_where_there_is_noise(api, machine):
    post(api, machine, "6.16", lambda s: 100 + s, sizes=(400, 4, 40), repeat=3)
    post(api, machine, "6.17-rc1", lambda s: 100 + 2 * s)
    first, second = sweep(api, machine, "6.16", "6.17-rc1")["lines"]
    assert [p["x"] for p in first["points"]] == [4, 40, 400]
    for point in first["points"]:
        assert point["n"] == 3 and point["lo"] < point["y"] < point["hi"]
    assert all(p["lo"] is None and p["hi"] is None and p["n"] == 1 for p in second["points"])
    assert first["kernel"]["name"] == "6.16" and first["machine"] == machine and first["params"] == {}
    assert (first["benchmark"], first["metric"], first["unit"]) == ("sweep/one", "latency", "ns/call")
    assert (first["thp"], first["base_page_kib"], first["uarch"]) == ("always", 4, "epyc-milan")


def test_the_fit_finds_the_fixed_cost_and_the_cost_per_page(api, machine):
    post(api, machine, "6.16", lambda s: 1000 + 5 * s)
    post(api, machine, "6.17-rc1", lambda s: 1000 + 5 * s, config={"thp": "always", "base_page_kib": 64})
    post(api, machine, "6.18", lambda s: 1000 + 5 * s, sizes=(4, 40))
    fits = [line["fit"] for line in sweep(api, machine, "6.16", "6.17-rc1", "6.18")["lines"]]
    by_step = {fit["unit_step"]: fit for fit in fits if fit}
    assert set(by_step) == {4, 64} and None in fits
    for step, fit in by_step.items():
        assert fit["fixed"] == pytest.approx(1000) and fit["per_unit"] == pytest.approx(5 * step)
        assert fit["unit"] == "page" and fit["max_residual_percent"] == pytest.approx(0, abs=1e-6)


def test_the_residual_is_the_largest_relative_misfit(api, machine):
    post(api, machine, "6.16", lambda s: 100 if s == 40 else 100 + s)
    (line,) = sweep(api, machine, "6.16")["lines"]
    fit = line["fit"]
    misfit = [abs(fit["fixed"] + fit["per_unit"] * p["x"] / 4 - p["y"]) / p["y"] * 100 for p in line["points"]]
    assert fit["max_residual_percent"] == pytest.approx(max(misfit)) and max(misfit) > 1


def test_ratios_are_against_the_first_kernel_and_agree_with_compare(api, machine):
    post(api, machine, "6.16", lambda s: 100 + s, repeat=4)
    post(api, machine, "6.17-rc1", lambda s: 100 + 2 * s, repeat=4)
    answer = sweep(api, machine, "6.16", "6.17-rc1")
    (ratio,) = answer["ratios"]
    rows = api.json("/api/v1/compare", params={"base": "6.16", "head": "6.17-rc1", "machine": machine})["rows"]
    assert [(p["x"], p["percent"], p["verdict"]) for p in ratio["points"]] == [
        (r["params"]["size_kib"], r["change_percent"], r["verdict"]) for r in rows]
    assert ratio["kernel"]["name"] == "6.17-rc1" and ratio["machine"] == machine and ratio["thp"] == "always"
    assert ratio["points"][-1]["verdict"] == "regression" and ratio["onset"] == 40


@pytest.mark.parametrize("changes, percent, onset", [
    ((1, 6, 7, 8), None, 40), ((6, 7, 8, 9), None, 4), ((9, 9, 9, 4), None, None), ((9, 9, 9, 4), 3, 4),
    ((9, -9, 9, 9), None, 400), ((9, 9, -9, -9), None, 400), ((0, 0, 0, -30), None, 4000), ((0, 0, 0, 0), 0, None),
    ((6, 7, 8, 9), 7.5, 400)])
def test_the_onset_is_where_all_that_follow_move_one_way(api, machine, changes, percent, onset):
    moved = dict(zip(SIZES, changes))
    post(api, machine, "6.16", lambda s: 1000)
    post(api, machine, "6.17-rc1", lambda s: 1000 * (1 + moved[s] / 100))
    more = {} if percent is None else {"onset_percent": percent}
    assert sweep(api, machine, "6.16", "6.17-rc1", **more)["ratios"][0]["onset"] == onset


def test_the_comparison_of_its_first_kernels_comes_with_it_where_asked_for(api, machine):
    for k, kernel in enumerate(("6.16", "6.17-rc1", "6.17-rc2", "6.17-rc3")):
        post(api, machine, kernel, lambda s, k=k: 100 + s * (1 + k), repeat=3)
    for kernels in (("6.16", "6.17-rc1"), ("6.16", "6.17-rc2", "6.17-rc1", "6.17-rc3")):
        roles = dict(zip(("base", "head", "fix"), kernels))
        expected = api.json("/api/v1/compare", params={"machine": machine, **roles})
        assert len(expected["rows"]) == len(SIZES)
        assert sweep(api, machine, *kernels, compare="1")["compare"] == expected
        assert "compare" not in sweep(api, machine, *kernels)
    assert "compare" not in sweep(api, machine, "6.16", compare="1"), "of one kernel there is none"


def test_one_line_for_each_kernel_machine_benchmark_thp_and_other_parameter(api, machine):
    other = next(names)
    for kernel in ("6.16", "6.17-rc1"):
        post(api, machine, kernel, lambda s: s)
        post(api, machine, kernel, lambda s: s, thp="never")
        post(api, machine, kernel, lambda s: s, params={"threads": 2, "mode": "a,\"b}"})
        post(api, machine, kernel, lambda s: s, benchmark="sweep/two")
        post(api, other, kernel, lambda s: s)
    answer = api.json(SWEEP, params={"axis": "size_kib", "kernel": ["6.16", "6.17-rc1"], "machine": [machine, other]})
    keys = [(x["kernel"]["name"], x["machine"], x["benchmark"], x["thp"], str(x["params"])) for x in answer["lines"]]
    assert len(keys) == len(set(keys)) == 10 and len(answer["ratios"]) == 5
    assert {"threads": 2, "mode": "a,\"b}"} in [x["params"] for x in answer["lines"]]
    assert answer["sentence"] is None and all(r["sentence"] for r in answer["ratios"])
    assert all(len(x["points"]) == len(SIZES) for x in answer["lines"])


def test_a_kernel_that_was_not_run_has_no_line(api, machine):
    post(api, machine, "6.16", lambda s: s)
    post(api, machine, "6.17-rc1", lambda s: s, sizes=(4000, 40000))
    post(api, next(names), "6.19", lambda s: s)
    answer = sweep(api, machine, "6.19", "6.16", "6.17-rc1", "6.16")
    assert [x["kernel"]["name"] for x in answer["lines"]] == ["6.16", "6.17-rc1"]
    assert answer["ratios"] == [], "the first kernel has nothing to be compared with"
    (ratio,) = sweep(api, machine, "6.16", "6.17-rc1")["ratios"]
    assert [p["x"] for p in ratio["points"]] == [4000]


def test_any_numeric_parameter_is_an_axis(api, machine):
    post(api, machine, "6.16", lambda s: 10 * s, sizes=(1, 2, 8), axis="threads", params={"kind": "x"})
    answer = api.json(SWEEP, params={"kernel": "6.16", "machine": machine})
    assert answer["axis"] == {"name": "threads", "unit": "", "log": True}
    fit = answer["lines"][0]["fit"]
    assert (fit["unit"], fit["unit_step"]) == ("threads", 1) and fit["per_unit"] == pytest.approx(10)
    error = error_of(api.get(SWEEP, params={"axis": "kind", "kernel": "6.16", "machine": machine}), 400, "unknown_value")
    assert "threads" in error["message"]
    post(api, machine, "6.16", lambda s: 10 + s, sizes=(0, 1, 2), axis="delay_us")
    answer = api.json(SWEEP, params={"axis": "delay_us", "kernel": "6.16", "machine": machine})
    assert answer["axis"] == {"name": "delay_us", "unit": "us", "log": False}
    error_of(api.get(SWEEP, params={"kernel": "6.16", "machine": machine}), 400, "bad_argument")


def test_bad_questions(api, machine):
    post(api, machine, "6.16", lambda s: s)
    for query, code in (({"axis": "size_kib"}, "bad_argument"), ({"kernel": "6.1"}, "unknown_value"),
                        ({"kernel": "previous"}, "bad_argument"), ({"kernel": "6.16", "onset_percent": "x"}, "bad_argument"),
                        ({"kernel": "6.16", "onset_percent": "-1"}, "bad_argument"),
                        ({"kernel": "6.16", "axis": "size"}, "unknown_value"),
                        ({"kernel": ["6.16"] * 51}, "bad_argument")):
        error_of(api.get(SWEEP, params={"axis": "size_kib", "machine": machine, **query}), 400, code)
    assert api.json(SWEEP, params={"axis": "size_kib", "kernel": "6.16", "machine": "nix*"})["lines"] == []


def test_a_sweep_of_more_than_anybody_reads_is_refused(api, machine):
    kernels = [f"5.{i}" for i in range(1, 51)]
    for kernel in kernels:
        post(api, machine, kernel, lambda s: s, sizes=range(1, 10002) if kernel == "5.1" else (1, 2, 3))
    query = {"axis": "size_kib", "machine": machine, "kernel": kernels}
    assert "10001 series over 50 kernels" in error_of(api.get(SWEEP, params=query), 400, "bad_argument")["message"]
    assert len(api.json(SWEEP, params={**query, "kernel": kernels[:9]})["lines"]) == 9


def test_of_thousands_of_parameters_a_few_are_named(api, machine):
    results = [{"benchmark": "sweep/names", "params": {f"p{i}": 1}, "metric": "m", "unit": "x", "better": "lower", "values": [1]}
               for i in range(5000)]
    api.store(submission("6.16", machine, results=results))
    told = error_of(api.get(SWEEP, params={"machine": machine, "kernel": "6.16"}), 400, "bad_argument")["message"]
    assert told.endswith(", ...") and len(told) < 300


def test_latest_and_previous_as_kernels(api, machine):
    for kernel in ("6.16", "6.17-rc1", "6.17-rc2"):
        post(api, machine, kernel, lambda s: s)
    answer = sweep(api, machine, "previous", "latest")
    assert [x["kernel"]["name"] for x in answer["lines"]] == ["6.17-rc1", "6.17-rc2"]


def test_what_a_variant_brings_back_is_said(api, machine):
    post(api, machine, "6.16", lambda s: 1000 + 10 * s)
    post(api, machine, "6.17-rc1", lambda s: 1000 + 20 * s)
    post(api, machine, "v6.17-rc1 with cac1db8c3aad reverted", lambda s: 1000 + 12 * s)
    query = {"axis": "size_kib", "kernel": ["6.16", "6.17-rc1", "6.17-rc1+revert-cac1db8c3aad"], "machine": machine}
    answer = api.json(SWEEP, params=query)
    assert answer["sentence"] == ("v6.17-rc1 is slower than v6.16 from 40 KiB up, by +29 % .. +98 %. Per page: 40 -> 80 ns "
                                  "(+100 %, strong); fixed cost: no change shown (0 %). With cac1db8c3aad reverted "
                                  "+20.0 % per page remains (40 -> 48 ns, strong), 80 % of the change is brought back; "
                                  "fixed cost: no change shown (0 %).")
    text = api.get(SWEEP + ".txt", params=query).text
    assert max(map(len, text.split("\n"))) <= 72
    assert "restored" in text and "80.0 %" in text and "n = 1: no noise estimate" in text


def test_where_there_is_noise_the_text_has_it_and_a_verdict(api, machine):
    post(api, machine, "6.16", lambda s: 1000 + 10 * s, repeat=4)
    post(api, machine, "6.17-rc1", lambda s: 1000 + 20 * s, repeat=4)
    query = {"axis": "size_kib", "kernel": ["6.16", "6.17-rc1"], "machine": machine}
    text = api.get(SWEEP + ".txt", params=query).text
    assert max(map(len, text.split("\n"))) <= 72
    assert "regression (weak)" in text and "noise" in text and "n = 4" in text
    assert "by +29 % .. +98 % (3 of 3 beyond noise). Per page" in api.json(SWEEP, params=query)["sentence"]


def part(ratio, name):
    return ratio[name]["verdict"], ratio[name]["confidence"]


def test_each_cost_has_its_own_verdict_and_direction(api, machine):
    wobble = {4: 1.004, 40: .995, 400: 1.006, 4000: .997}
    post(api, machine, "6.16", lambda s: 1000 + 10 * s)
    post(api, machine, "6.17", lambda s: (1300 + 10 * s) * wobble[s])
    post(api, machine, "6.18", lambda s: (1000 + 8 * s) * wobble[s])
    post(api, machine, "6.19", lambda s: (1000 + 10 * s) * wobble[s])
    fixed, per_page, neither = sweep(api, machine, "6.16", "6.17", "6.18", "6.19")["ratios"]
    assert part(fixed, "fixed") == ("regression", "strong") and part(fixed, "per_unit") == ("inconclusive", "none")
    assert part(per_page, "per_unit") == ("improvement", "strong") and part(per_page, "fixed") == ("inconclusive", "none")
    assert part(neither, "fixed") == part(neither, "per_unit") == part(neither, "overall") == ("inconclusive", "none")
    assert fixed["fixed"]["percent"] == pytest.approx(30, abs=1.5)
    assert per_page["per_unit"]["percent"] == pytest.approx(-20, abs=1.5)
    assert "fixed cost: 1 -> 1.30" in fixed["cost"] and "us (+30." in fixed["cost"]


def test_when_more_is_better_the_same_numbers_are_an_improvement(api, machine):
    for kernel, per_page in (("6.16", 10), ("6.17", 12)):
        results = [{"benchmark": "sweep/rate", "params": {"size_kib": s}, "metric": "rate", "unit": "calls/s",
                    "better": "higher", "values": [1000 + per_page * s]} for s in SIZES]
        api.store(submission(kernel, machine, results=results))
    (ratio,) = sweep(api, machine, "6.16", "6.17")["ratios"]
    assert part(ratio, "per_unit") == ("improvement", "strong")
    assert ratio["statement"].startswith("v6.17 is better than v6.16")


WOBBLE = {4: 1.004, 40: .995, 400: 1.006, 4000: .997}


def parts_of(api, machine, better="lower", unit="ns/call", scale=1, sizes=SIZES):
    for kernel, per_page in (("6.16", 10), ("6.17", 12)):
        results = [{"benchmark": "sweep/same", "params": {"size_kib": s}, "metric": f"latency-{better}", "unit": unit,
                    "better": better, "values": [(1000 + per_page * s) * WOBBLE[s] ** (per_page - 10) * scale]} for s in sizes]
        api.store(submission(kernel, machine, results=results))
    (ratio,) = sweep(api, machine, "6.16", "6.17")["ratios"]
    return [ratio[c] for c in ("fixed", "per_unit", "overall")]


def without_words(parts):
    return [{k: v if v is None else pytest.approx(v, rel=1e-6) for k, v in p.items() if k not in ("verdict", "confidence")}
            for p in parts]


def test_verdicts_on_costs_do_not_depend_on_units_or_the_order_of_an_upload(api, machine):
    want = parts_of(api, machine)
    assert want[1]["verdict"] == "regression"
    for more in ({"unit": "us/call", "scale": 1e-3}, {"sizes": SIZES[::-1]}):
        got = parts_of(api, next(names), **more)
        assert got == [{**w, **numbers} for w, numbers in zip(want, without_words(want))], more


def test_what_is_better_turns_the_verdicts_on_costs_and_nothing_else(api, machine):
    lower, higher, neutral = (parts_of(api, next(names), better=b, unit="points") for b in ("lower", "higher", "neutral"))
    turned = {"regression": "improvement", "inconclusive": "inconclusive"}
    assert [p["verdict"] for p in lower] == ["inconclusive", "regression", "regression"]
    assert [p["verdict"] for p in higher] == [turned[p["verdict"]] for p in lower]
    assert [p["verdict"] for p in neutral] == ["inconclusive"] * 3
    assert [p["confidence"] for p in neutral] == [p["confidence"] for p in higher] == [p["confidence"] for p in lower]
    for other in (higher, neutral):
        assert [{k: v for k, v in p.items() if k != "verdict"} for p in other] == [
            {k: v for k, v in p.items() if k != "verdict"} for p in lower]


def test_boots_replace_what_is_assumed_of_a_reboot(api, machine):
    """Three boots that agree within 0.3 % show +2 % per page, which single values can't."""
    def boots(kernel, cost):
        for boot, factor in enumerate((.998, 1, 1.002)):
            post(api, machine, kernel, lambda s: cost(s) * factor, repeat=2, boot_id=f"{machine}-{kernel}-{boot}")
    post(api, machine, "6.16", lambda s: 1000 + 10 * s)
    post(api, machine, "6.17", lambda s: 1000 + 10.2 * s)
    (single,) = sweep(api, machine, "6.16", "6.17")["ratios"]
    assert part(single, "per_unit") == ("inconclusive", "none")
    machine = next(names)
    boots("6.16", lambda s: 1000 + 10 * s)
    boots("6.17", lambda s: 1000 + 10.2 * s)
    (ratio,) = sweep(api, machine, "6.16", "6.17")["ratios"]
    assert part(ratio, "per_unit")[0] == "regression"
    assert ratio["per_unit"]["ci"][1] - ratio["per_unit"]["ci"][0] < single["per_unit"]["ci"][1] - single["per_unit"]["ci"][0]


def test_explain_tells_why_and_without_it_nothing_changes(api, machine):
    wobble = {4: 1.004, 40: .995, 400: 1.006, 4000: .997}
    post(api, machine, "6.16", lambda s: 1000 + 10 * s)
    post(api, machine, "6.17", lambda s: (1000 + 12 * s) * wobble[s])
    query = {"axis": "size_kib", "kernel": ["6.16", "6.17"], "machine": machine}
    plain, off, on = (api.get(SWEEP, params={**query, **more}) for more in ({}, {"explain": 0}, {"explain": 1}))
    assert plain.content == off.content and b'"why"' not in plain.content
    explained = on.json()
    (ratio,) = explained["ratios"]
    for name in ("fixed", "per_unit", "overall"):
        why = ratio[name].pop("why")
        total = sum(v["variance"] for v in why["variances"])
        assert why["se"] == pytest.approx(math.sqrt(total)) and math.expm1(why["estimate"]) * 100 == pytest.approx(
            ratio[name]["percent"])
        assert why["family"] == {"about": "tests of this sweep", "size": 3} and why["source"] == "residuals"
        assert {v["name"]: v["assumed"] for v in why["variances"]} == {
            "paired_residuals": False, "common_misfit": False, "whole_run": True}
        assert why["inputs"]["sizes"] == 4 and why["text"].endswith(".")
    for point in ratio["points"]:
        point.pop("why", None)
    assert explained == plain.json(), "and all else stays as it is"
    error_of(api.get(SWEEP, params={**query, "explain": "yes"}), 400, "bad_argument")


def test_without_a_fit_there_is_no_verdict_on_costs(api, machine):
    for kernel in ("6.16", "6.17"):
        post(api, machine, kernel, lambda s: 1000 + s, sizes=(4, 40))
    (ratio,) = sweep(api, machine, "6.16", "6.17")["ratios"]
    assert ratio["fixed"] is ratio["per_unit"] is ratio["overall"] is None and ratio["cost"] == ""
    assert ratio["sentence"] == ratio["statement"]


def test_a_cost_that_does_not_stand_out_is_not_compared(api, machine):
    post(api, machine, "6.16", lambda s: 1000)
    post(api, machine, "6.17", lambda s: 1000)
    (ratio,) = sweep(api, machine, "6.16", "6.17")["ratios"]
    assert ratio["per_unit"] == {"percent": None, "ci": None, "verdict": "inconclusive", "confidence": "none", "p": None,
                                 "q": None, "restored_percent": None}
    assert ratio["cost"].startswith("Per page: too small here to be told; fixed cost: no change shown (0 %)")


any_cost = st.one_of(st.floats(min_value=1e-3, max_value=1e18), st.sampled_from([0, -5, 25, 1e-300, 1e300, 5e-324]))


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(base=st.lists(any_cost, min_size=1, max_size=8), head=st.lists(any_cost, min_size=1, max_size=8))
def test_any_numbers_give_an_answer_that_explains_itself(api, base, head):
    name = next(names)
    for kernel, values in (("6.16", base), ("6.17", head)):
        results = [{"benchmark": "sweep/odd", "params": {"size_kib": 4 * 10 ** i}, "metric": "delta", "unit": "points",
                    "better": "lower", "values": [v]} for i, v in enumerate(values)]
        api.store(submission(kernel, name, results=results))
    for form in ("", ".txt", ".csv", ".svg"):
        answer = api.get(SWEEP + form, params={"axis": "size_kib", "kernel": ["6.16", "6.17"], "machine": name, "explain": 1})
        assert answer.status_code == 200 and not re.search(r"\b-?(nan|inf)\b", answer.text), answer.text
    for ratio in sweep(api, name, "6.16", "6.17")["ratios"]:
        for told in filter(None, (ratio["fixed"], ratio["per_unit"], ratio["overall"])):
            if told["ci"]:
                assert told["ci"][0] <= told["percent"] <= told["ci"][1] and 0 <= told["p"] <= told["q"] <= 1
            else:
                assert told["percent"] is told["p"] is told["q"] is None and told["verdict"] == "inconclusive"


def test_text_stays_narrow_with_many_kernels_and_long_names(api, machine):
    kernels = ["6.16", "6.17-rc1", "6.17-rc2", "6.16.0-65.eln150.x86_64", "6.17.0-0.rc1.17.eln150.x86_64"]
    for kernel in kernels:
        post(api, machine, kernel, lambda s: 7.7 ** 9 * s, sizes=(4, 12345678901), params={"what": "w" * 90})
    text = api.get(SWEEP + ".txt", params={"axis": "size_kib", "kernel": kernels, "machine": machine}).text
    assert max(map(len, text.split("\n"))) <= 72
    for kernel in kernels:
        assert kernel in text


def test_csv_has_a_line_a_point(api, machine):
    post(api, machine, "6.16", lambda s: 100 + s)
    post(api, machine, "6.17-rc1", lambda s: 100 + 2 * s)
    text = api.get(SWEEP + ".csv", params={"axis": "size_kib", "kernel": ["6.16", "6.17-rc1"], "machine": machine}).text
    lines = list(csv.DictReader(io.StringIO(text, newline="")))
    assert len(lines) == 8
    assert [(x["kernel"], float(x["x"])) for x in lines[:5]] == [("6.16", s) for s in SIZES] + [("6.17-rc1", 4)]
    assert lines[0]["percent"] == "" and float(lines[7]["percent"]) == pytest.approx((8100 / 4100 - 1) * 100)
    assert float(lines[4]["onset"]) == 40 and float(lines[0]["fit_fixed"]) == pytest.approx(100)
    assert lines[0]["per_unit_verdict"] == "" and lines[4]["fixed_verdict"] == "inconclusive"
    assert float(lines[4]["per_unit_percent"]) == pytest.approx(100)
    assert (lines[4]["per_unit_verdict"], lines[4]["per_unit_confidence"]) == ("regression", "strong")


def test_svg_is_a_picture_that_stands_alone(api, machine):
    post(api, machine, "6.16", lambda s: 100 + s, benchmark="<script>alert(1)</script>&\"'")
    post(api, machine, "6.17-rc1", lambda s: 100 + 2 * s, benchmark="<script>alert(1)</script>&\"'")
    answer = api.get(SWEEP + ".svg", params={"axis": "size_kib", "kernel": ["6.16", "6.17-rc1"], "machine": machine})
    assert answer.headers["Content-Type"].startswith("image/svg+xml")
    root = ET.fromstring(answer.content)
    tags = {element.tag.split("}")[1] for element in root.iter()}
    assert "script" not in tags and "foreignObject" not in tags
    assert not [a for element in root.iter() for a in element.attrib if a.lower().startswith("on") or "href" in a]
    assert "v6.17-rc1 is slower than v6.16 from 40 KiB up" in "".join(root.itertext())
    empty = api.get(SWEEP + ".svg", params={"axis": "size_kib", "kernel": "6.16", "machine": "nix*"})
    ET.fromstring(empty.content)


def test_numbers_agree_with_a_fit_by_hand(api, machine):
    values = {4: 1713, 40: 2071, 400: 3453}
    post(api, machine, "6.16", values.__getitem__, sizes=tuple(values))
    fit = sweep(api, machine, "6.16")["lines"][0]["fit"]
    # normal equations of sum(((a + b u - y) / y)^2)
    w = {s: 1 / y ** 2 for s, y in values.items()}
    sw, su = sum(w.values()), sum(w[s] * s / 4 for s in values)
    sy, suu = sum(w[s] * values[s] for s in values), sum(w[s] * (s / 4) ** 2 for s in values)
    suy = sum(w[s] * values[s] * s / 4 for s in values)
    b = (sw * suy - su * sy) / (sw * suu - su ** 2)
    assert math.isclose(fit["per_unit"], b, rel_tol=1e-9)
    assert math.isclose(fit["fixed"], (sy - b * su) / sw, rel_tol=1e-9)
