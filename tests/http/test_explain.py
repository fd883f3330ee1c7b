# SPDX-License-Identifier: GPL-2.0-or-later
"""?explain=1: each verdict says why, from numbers that add up, and nothing else changes."""
import itertools
import math

import pytest

from harness import ROOT, error_of, submission
from lab import LATER, SIZES

COMPARE = "/api/v1/compare"
MATRIX = "/api/v1/matrix"
names = (f"explain-{i:02}" for i in itertools.count())


@pytest.fixture()
def machine():
    return next(names)


def boots(api, machine, kernel, centres, thp="always", repeat=3):
    """A run a boot: for each size its values lie 0.1 % around the centre of that boot."""
    for boot, factor in enumerate(centres):
        results = [{"benchmark": "explain/one", "params": {"size_kib": size}, "metric": "latency", "unit": "ns/call",
                    "better": "lower", "values": [size * factor * (1 + .001 * i) for i in range(repeat)]}
                   for size in (400, 4000)]
        api.store(submission(kernel, machine, results=results, thp=thp, boot_id=f"{machine}-{kernel}-{thp}-{boot}"))


def rows_of(api, machine, **more):
    return api.json(COMPARE, params={"base": "6.16", "head": "6.17", "machine": machine, **more})["rows"]


def check(why, percent):
    """The parts make the whole."""
    assert why["se"] == pytest.approx(math.sqrt(sum(v["variance"] for v in why["variances"])))
    assert math.expm1(why["estimate"]) * 100 == pytest.approx(percent)
    assert why["text"].endswith(".") and "nan" not in why["text"] and "inf" not in why["text"]


def test_a_row_tells_its_boots_their_noise_and_the_thresholds(api, machine):
    boots(api, machine, "6.16", (1, 1.004, .997))
    boots(api, machine, "6.17", (1.05, 1.052, 1.047))
    for row in rows_of(api, machine, explain=1):
        why = row["why"]
        assert row["verdict"] == "regression" and why["source"] == "boots"
        check(why, row["change_percent"])
        assert why["inputs"]["base_boots"] == 3 and why["inputs"]["head_n"] == 9
        assert why["inputs"]["base_center"] == row["base"]["center"]
        assert why["inputs"]["noise_percent"] == row["noise_percent"]
        assert why["thresholds"] == {"q_weak": .05, "q_strong": .001, "claim_percent": .5, "unchanged_percent": 2}
        assert why["family"] == {"about": "rows of this comparison", "size": 2}
        assert {v["name"] for v in why["variances"]} == {"base", "head", "rounding"}
        assert "3 boots a side" in why["text"] and row["confidence"] in why["text"]


def test_the_page_on_statistics_tells_the_thresholds_in_use(api, machine):
    boots(api, machine, "6.16", (1, 1.004, .997))
    boots(api, machine, "6.17", (1.05, 1.052, 1.047))
    told = rows_of(api, machine, explain=1)[0]["why"]["thresholds"]
    page = " ".join((ROOT / "docs/statistics.md").read_text().split())
    assert f"the change is at least {told['claim_percent']} %" in page
    assert f"it lies within {told['unchanged_percent']} %" in page
    assert told["q_weak"] == .05 and "of a hundred weak claims up to five may be wrong" in page
    assert told["q_strong"] == .001 and "of a thousand strong ones up to one" in page


def test_a_row_without_noise_says_what_is_missing(api, machine):
    boots(api, machine, "6.16", (1,), repeat=1)
    boots(api, machine, "6.17", (1.05,), repeat=1)
    for row in rows_of(api, machine, explain=1):
        why = row["why"]
        assert row["verdict"] == "inconclusive" and why["source"] is None
        assert why["variances"] == [] and why["se"] is why["estimate"] is None
        assert "no history" in why["text"] and "more boots" in why["text"]


def test_one_noisy_row_is_explained_as_noise(api, machine):
    boots(api, machine, "6.16", (1, 1.04, .97))
    boots(api, machine, "6.17", (1.01, 1.03, .98))
    for row in rows_of(api, machine, explain=1):
        assert row["verdict"] == "inconclusive" and "it may be noise" in row["why"]["text"]


def test_only_answers_with_one_row_of_the_same_family(api, machine):
    boots(api, machine, "6.16", (1, 1.004, .997))
    boots(api, machine, "6.17", (1.05, 1.052, 1.047))
    first, second = rows_of(api, machine, explain=1)
    assert rows_of(api, machine, explain=1, only=second["series_id"]) == [second]
    assert rows_of(api, machine, explain=1, only="999999999") == []
    query = {"base": "6.16", "head": "6.17", "machine": machine}
    for bad in ("x", "0", "-1", "1.5"):
        error_of(api.get(COMPARE, params={**query, "only": bad}), 400, "bad_argument")
    error_of(api.get(COMPARE, params={**query, "only": ["1", "2"]}), 400, "bad_argument")


def test_a_cell_tells_how_its_mean_was_judged(api, machine):
    for thp in ("always", "never"):
        boots(api, machine, "6.16", (1, 1.004, .997), thp=thp)
        boots(api, machine, "6.17", (1.05, 1.052, 1.047), thp=thp)
    answer = api.json(MATRIX, params={"base": "6.16", "head": "6.17", "machine": machine, "explain": 1})
    for cell in answer["cells"][0]:
        why = cell["why"]
        check(why, cell["percent"])
        assert why["inputs"]["rows"] == 2 and why["family"] == {"about": "cells of this matrix", "size": 2}
        assert "mean over 2 rows" in why["text"]


def sizes(api, machine, kernel, cost, **params):
    results = [{"benchmark": "explain/sweep", "params": {"size_kib": s, **params}, "metric": "latency", "unit": "ns/call",
                "better": "lower", "values": [cost(s)]} for s in (4, 40, 400, 4000)]
    api.store(submission(kernel, machine, results=results))


def test_a_comparison_says_what_its_sizes_say_together_as_the_sweep_does(api, machine):
    fix = "6.17-rc1+revert-cac1db8c3aad"
    sizes(api, machine, "6.16", lambda s: 1000 + 10 * s)
    sizes(api, machine, "6.17-rc1", lambda s: (1000 + 20 * s) * (1.004 if s == 40 else 1))
    sizes(api, machine, fix, lambda s: 1000 + 12 * s)
    query = {"base": "6.16", "head": "6.17-rc1", "fix": fix, "machine": machine}
    ratios = api.json("/api/v1/sweep", params={"axis": "size_kib", "kernel": ["6.16", "6.17-rc1", fix], "machine": machine})[
        "ratios"]
    assert api.json(COMPARE, params={**query, "sweeps": 1})["sweeps"] == ratios
    assert "sweeps" not in api.json(COMPARE, params=query)
    explained = api.json(COMPARE, params={**query, "sweeps": 1, "explain": 1})["sweeps"]
    assert all(r[c]["why"]["text"] for r in explained for c in ("fixed", "per_unit", "overall"))
    text = api.get(COMPARE + ".txt", params=query).text
    assert max(map(len, text.split("\n"))) <= 72
    said = " ".join(text.split())
    assert all(r["sentence"] in said for r in ratios), said


def test_a_comparison_of_one_size_or_of_two_things_makes_no_sweep(api, machine):
    boots(api, machine, "6.16", (1,))
    boots(api, machine, "6.17", (1.05,))
    query = {"base": "6.16", "head": "6.17", "machine": machine, "sweeps": 1}
    assert api.json(COMPARE, params=query)["sweeps"] == [], "two sizes are no line"
    for mode in "ab":
        sizes(api, machine, "6.16", lambda s: 1000 + 10 * s, mode=mode)
        sizes(api, machine, "6.17", lambda s: 1000 + 20 * s, mode=mode)
    assert [s["params"] for s in api.json(COMPARE, params=query)["sweeps"]] == [{"mode": "a"}, {"mode": "b"}]
    assert "Per page" not in api.get(COMPARE + ".txt", params={k: v for k, v in query.items() if k != "sweeps"}).text


TREND = "/api/v1/trend"


def changes_of(api, machine, **more):
    return api.json(TREND, params={"machine": machine, "param.size_kib": 400, **more})["series"][0]["changes"]


def test_a_step_between_neighbours_is_explained_as_a_row_is(api, machine):
    boots(api, machine, "6.16", (1, 1.004, .997))
    boots(api, machine, "6.17", (1.05, 1.052, 1.047))
    (change,) = changes_of(api, machine, explain=1)
    check(change["why"], change["percent"])
    assert change["why"]["source"] == "boots"
    assert change["why"]["family"] == {"about": "steps of this trend", "size": 1}
    assert change["why"]["text"].startswith("Against 6.16, the kernel before. The change is +")


def test_a_change_of_level_tells_how_long_and_how_noisy_it_is(api, machine):
    for minor in range(1, 15):
        level = (1 if minor < 8 else 1.1) * (1 + .002 * (-1) ** minor)
        boots(api, machine, f"6.{minor}", (level,), repeat=1)
    (change,) = changes_of(api, machine, explain=1)
    why = change["why"]
    assert change["percent"] == pytest.approx(10, abs=.5)
    assert why["source"] == "series" and why["family"] is None
    assert (why["inputs"]["kernels_before"], why["inputs"]["kernels_after"]) == (7, 7)
    assert why["inputs"]["before"] == change["before_center"] and why["inputs"]["score"] > 1
    assert math.expm1(why["estimate"]) * 100 == pytest.approx(change["percent"])
    assert "From 6.8 on the level is +1" in why["text"] and "7 kernels before and 7 after" in why["text"]


def test_the_verdict_on_a_run_is_explained(lab):
    lab.watch()
    lab.boots("6.16", SIZES)
    lab.boots("6.17-rc1", LATER)
    lab.checked()
    run = next(r for r in lab.api.json("/api/v1/runs")["runs"] if r["kernel"]["name"] == "6.17-rc1")["run_id"]
    plain = lab.api.json(f"/api/v1/runs/{run}/verdict")
    told = lab.api.json(f"/api/v1/runs/{run}/verdict", params={"explain": 1})
    assert told["regressions"]
    for regression in told["regressions"]:
        why = regression.pop("why")
        check(why, regression["change_percent"])
        assert why["source"] == "boots" and "Against 6.16, the kernel before." in why["text"]
    assert told == plain
    error_of(lab.api.get(f"/api/v1/runs/{run}/verdict", params={"explain": "x"}), 400, "bad_argument")


@pytest.mark.parametrize("path", [COMPARE, MATRIX, TREND])
def test_without_explain_the_answer_is_what_it_was(api, machine, path):
    boots(api, machine, "6.16", (1, 1.004, .997))
    boots(api, machine, "6.17", (1.05, 1.052, 1.047))
    query = {"machine": machine} if path == TREND else {"base": "6.16", "head": "6.17", "machine": machine}
    plain, off, on = (api.get(path, params={**query, **more}) for more in ({}, {"explain": 0}, {"explain": 1}))
    assert plain.content == off.content and b"why" not in plain.content

    def without_why(value):
        if isinstance(value, dict):
            return {k: without_why(v) for k, v in value.items() if k != "why"}
        return [without_why(v) for v in value] if isinstance(value, list) else value

    assert on.content.count(b'"why"') > 0 and without_why(on.json()) == plain.json()
    error_of(api.get(path, params={**query, "explain": "2"}), 400, "bad_argument")
