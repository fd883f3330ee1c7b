# SPDX-License-Identifier: GPL-2.0-or-later
"""GET /api/v1/compare: pairing, sides, tests and verdicts, what is missing, names and selectors."""
import csv
import io
import itertools
import math
import statistics

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from harness import error_of, submission

COMPARE = "/api/v1/compare"
names = (f"box-{i:02}" for i in itertools.count())


def result(values=None, benchmark="suite/one", metric="latency", unit="ns/call", better="lower", params=None, **more):
    out = {"benchmark": benchmark, "metric": metric, "unit": unit, "better": better, "params": params or {}}
    if values is not None:
        out["values"] = list(values)
    return {**out, **more}


@pytest.fixture()
def machine():
    return next(names)


def post(api, machine, kernel, results, **fields):
    """One run; its answer. Each gets a time of its own: equal runs would be one."""
    minute = next(post.count)
    stamp = f"2026-03-{1 + minute // 1440:02}T{minute // 60 % 24:02}:{minute % 60:02}:00Z"
    (answer,) = api.store(submission(kernel, machine, results=results, started_at=stamp, **fields))
    return answer


post.count = itertools.count()


def compare(api, machine, base="6.16", head="6.17-rc1", **more):
    return api.json(COMPARE, params={"base": base, "head": head, "machine": machine, **more})


def only_row(answer):
    (row,) = answer["rows"]
    return row


def no_nan(text):
    assert "NaN" not in text and "Infinity" not in text and "nan" not in text.lower().replace("nanosecond", "")


# ---- sides ----

def test_a_boot_s_value_is_the_mean_of_its_runs_weighted_by_n_and_the_center_is_over_boots(api, machine):
    post(api, machine, "6.16", [result([8])], boot_id="a")
    post(api, machine, "6.16", [result([11, 12, 13])], boot_id="a")
    post(api, machine, "6.16", [result([40])], boot_id="b")
    post(api, machine, "6.17-rc1", [result([20, 22])], boot_id="c")
    row = only_row(compare(api, machine))
    base, head = row["base"], row["head"]
    assert (base["runs"], base["boots"], base["n"]) == (3, 2, 5)
    assert base["center"] == pytest.approx(math.sqrt(11 * 40))
    assert base["stddev"] == pytest.approx(statistics.stdev([11, 40]))
    assert (base["min"], base["max"]) == (8, 40)
    assert (head["runs"], head["boots"], head["n"], head["center"]) == (1, 1, 2, 21)
    assert head["stddev"] == pytest.approx(statistics.stdev([20, 22]))
    assert row["change_percent"] == pytest.approx((21 / math.sqrt(440) - 1) * 100)


def test_runs_without_a_boot_id_are_boots_of_their_own(api, machine):
    for value in (100, 102, 98):
        post(api, machine, "6.16", [result([value])])
    post(api, machine, "6.17-rc1", [result([150])])
    assert only_row(compare(api, machine))["base"]["boots"] == 3


def test_run_narrows_to_the_runs_that_are_named(api, machine):
    first = post(api, machine, "6.16", [result([100])])
    post(api, machine, "6.16", [result([200])])
    head = post(api, machine, "6.17-rc1", [result([300])])
    row = only_row(compare(api, machine, run=[first["run_id"], head["run_id"]]))
    assert (row["base"]["runs"], row["base"]["center"], row["head"]["center"]) == (1, 100, 300)
    assert only_row(compare(api, machine, run=first["run_id"]))["head"]["center"] == 300
    error_of(api.get(COMPARE, params={"base": "6.16", "head": "6.17-rc1", "run": "x"}), 400, "bad_argument")
    error_of(api.get(COMPARE, params={"base": "6.16", "head": "6.17-rc1",
                                      "run": "00000000-0000-4000-8000-000000000000"}), 400, "unknown_value")


# ---- verdicts ----

def test_boots_that_differ_clearly_are_a_strong_regression(api, machine):
    for i in range(5):
        post(api, machine, "6.16", [result([1000 + 3 * i])])
        post(api, machine, "6.17-rc1", [result([1100 + 3 * i])])
    answer = compare(api, machine)
    row = only_row(answer)
    assert (row["verdict"], row["confidence"], row["direction"]) == ("regression", "strong", "worse")
    lo, hi = row["change_ci"]
    assert lo < row["change_percent"] < hi and row["q"] <= .001
    assert 0 < row["noise_percent"] < 1 and 0 < row["detectable_percent"] < 3
    assert answer["summary"]["regressions"] == 1
    assert answer["summary"]["geomean_percent"] == pytest.approx(row["change_percent"])


@pytest.mark.parametrize("better, verdict, direction", [
    ("lower", "improvement", "better"), ("higher", "regression", "worse"), ("neutral", "inconclusive", None)])
def test_the_verdict_knows_which_direction_is_better(api, machine, better, verdict, direction):
    for i in range(4):
        post(api, machine, "6.16", [result([1000 + i], metric="m", unit="x", better=better)])
        post(api, machine, "6.17-rc1", [result([800 + i], metric="m", unit="x", better=better)])
    row = only_row(compare(api, machine))
    assert (row["verdict"], row["direction"]) == (verdict, direction)
    assert row["change_percent"] == pytest.approx(-20, abs=.1)


def test_repetitions_of_one_boot_a_side_are_never_above_weak(api, machine):
    post(api, machine, "6.16", [result([100, 101, 102, 100, 101, 99, 100])])
    post(api, machine, "6.17-rc1", [result([200, 201, 202, 200, 201, 199, 200])])
    row = only_row(compare(api, machine))
    assert (row["verdict"], row["confidence"]) == ("regression", "weak") and row["q"] < .001


def test_without_a_noise_estimate_there_is_never_a_verdict(api, machine):
    post(api, machine, "6.16", [result([100])])
    post(api, machine, "6.17-rc1", [result([300, 301, 302])])
    post(api, machine, "6.18", [result(summary={"n": 5, "mean": 400})])
    for base, head in (("6.16", "6.17-rc1"), ("6.17-rc1", "6.16"), ("6.17-rc1", "6.18"), ("6.16", "6.16")):
        row = only_row(compare(api, machine, base, head))
        assert (row["verdict"], row["confidence"]) == ("inconclusive", "none")
        for key in ("p", "q", "change_ci", "noise_percent", "detectable_percent"):
            assert row[key] is None, key
    assert only_row(compare(api, machine, "6.16", "6.16"))["direction"] == "same"


def test_equal_values_are_no_certainty(api, machine):
    post(api, machine, "6.16", [result([25, 25, 25])])
    post(api, machine, "6.17-rc1", [result([25, 25, 25])])
    post(api, machine, "6.18", [result([26, 26, 26])])
    same, moved = (only_row(compare(api, machine, head=head)) for head in ("6.17-rc1", "6.18"))
    assert (same["verdict"], same["direction"]) == ("inconclusive", "same")
    assert moved["verdict"] == "inconclusive" and moved["p"] > .05
    assert moved["change_ci"][0] < 0 < moved["change_ci"][1]


def test_quiet_equal_boots_are_unchanged(api, machine):
    for value in (1000.1, 1000.4, 999.8, 1000.2):
        post(api, machine, "6.16", [result([value])])
        post(api, machine, "6.17-rc1", [result([value + .3])])
    row = only_row(compare(api, machine))
    assert row["verdict"] == "unchanged" and -.5 < row["change_ci"][0] < row["change_ci"][1] < .5


def test_q_is_over_the_rows_of_the_comparison(api, machine):
    base = [result([100, 101, 102, 99], params={"size": i}) for i in range(20)]
    head = [result([v + (4 if i == 0 else 0) for v in (100, 101, 102, 99)], params={"size": i}) for i in range(20)]
    post(api, machine, "6.16", base)
    post(api, machine, "6.17-rc1", head)
    row = compare(api, machine)["rows"][0]
    assert row["q"] == pytest.approx(min(1, row["p"] * 20)) and row["q"] > row["p"]
    assert compare(api, machine, **{"param.size": "0"})["rows"][0]["q"] == pytest.approx(row["p"])


def test_values_that_have_no_logarithm_are_compared_and_not_tested(api, machine):
    post(api, machine, "6.16", [result([-5, 5], unit="delta", params={"k": 1}), result([0, 4], unit="delta", params={"k": 2})])
    post(api, machine, "6.17-rc1", [result([1, 2], unit="delta", params={"k": 1}), result([3, 5], unit="delta", params={"k": 2})])
    answer = api.get(COMPARE, params={"base": "6.16", "head": "6.17-rc1", "machine": machine})
    no_nan(answer.text)
    zero, two = answer.json()["rows"]
    assert (zero["base"]["center"], zero["change_percent"], zero["direction"]) == (0, None, None)
    assert (two["base"]["center"], two["change_percent"]) == (2, 100)
    assert two["direction"] == "worse" and zero["verdict"] == "inconclusive"


# ---- fix ----

def test_what_a_fix_restores_and_leaves(api, machine):
    revert = "v6.17-rc1 with cac1db8c3aad reverted"
    for kernel, factor in (("6.16", 1), ("6.17-rc1", 2), (revert, 1.2)):
        post(api, machine, kernel, [result([v * factor for v in (100, 101, 99)], params={"size": 1}),
                                    result([v for v in (100, 103, 97)], params={"size": 2})])
    answer = compare(api, machine, fix=revert)
    broken, same = answer["rows"]
    assert answer["fix"]["name"] == "6.17-rc1+revert-cac1db8c3aad"
    assert broken["restored_percent"] == pytest.approx(80) and broken["remaining_percent"] == pytest.approx(20)
    assert same["restored_percent"] is None, "head equals base: nothing to restore"
    h, f = math.sqrt(2), math.sqrt(1.2)
    assert answer["summary"]["restored_percent"] == pytest.approx((h - f) / (h - 1) * 100)


def test_nothing_is_restored_where_nothing_is_known_to_be_lost(api, machine):
    for kernel, shift in (("6.16", 0), ("6.17-rc1", 1), ("6.18", .5)):
        post(api, machine, kernel, [result([100 + shift, 103 + shift, 97 + shift])])
    row = only_row(compare(api, machine, fix="6.18"))
    assert row["change_ci"][0] < 0 < row["change_ci"][1] and row["restored_percent"] is None
    assert row["remaining_percent"] == pytest.approx(.5)


# ---- pairs and order ----

def test_rows_come_by_benchmark_then_numbers_and_the_rest_is_missing_with_its_reason(api, machine):
    def failed(n, **more):
        return result(params={"n": n}, status="failed", error="mmap: Cannot allocate memory", **more)

    def skipped(n):
        return result(params={"n": n}, status="skipped", error="needs 64 GiB")

    post(api, machine, "6.16", [result([1], params={"n": n}) for n in (100, 9, 1000)] +
         [result([1], benchmark="a/first"), failed(1), skipped(2), result([1], params={"n": 3})])
    post(api, machine, "6.17-rc1", [result([2], params={"n": n}) for n in (1000, 9, 100)] +
         [result([2], benchmark="a/first"), result([2], params={"n": 1}), result([2], params={"n": 2}),
          result([2], params={"n": 4})])
    answer = compare(api, machine)
    assert [(r["benchmark"], r["params"].get("n")) for r in answer["rows"]] == [
        ("a/first", None), ("suite/one", 9), ("suite/one", 100), ("suite/one", 1000)]
    assert [(m["params"]["n"], m["side"], m["reason"], m["error"]) for m in answer["missing"]] == [
        (1, "base", "failed", "mmap: Cannot allocate memory"), (2, "base", "skipped", "needs 64 GiB"),
        (3, "head", "not_run", None), (4, "base", "not_run", None)]
    assert answer["summary"]["rows"] == 4
    ids = [x["series_id"] for x in answer["rows"] + answer["missing"]]
    assert all(isinstance(i, str) for i in ids) and len(set(ids)) == 8


def test_thp_modes_and_base_pages_are_never_paired(api, machine):
    post(api, machine, "6.16", [result([1])], thp="always")
    post(api, machine, "6.17-rc1", [result([2])], thp="never")
    post(api, machine, "6.17-rc1", [result([3])], config={"thp": "always", "base_page_kib": 64})
    answer = compare(api, machine)
    assert answer["rows"] == [] and len(answer["missing"]) == 3
    assert answer["summary"] == {"rows": 0, "regressions": 0, "improvements": 0, "unchanged": 0, "inconclusive": 0,
                                 "geomean_percent": None, "restored_percent": None}


# ---- names and selectors ----

def test_latest_and_previous(api, machine):
    for kernel in ("6.16", "6.17-rc1", "6.17-rc2", "6.16.0-65.eln150.x86_64", "v6.17-rc2 with cac1db8c3aad reverted"):
        post(api, machine, kernel, [result([100])])
    post(api, machine, "6.17-rc3", [result(status="failed", error="x")])
    answer = compare(api, machine, "previous", "latest")
    assert (answer["base"]["name"], answer["head"]["name"]) == ("6.17-rc1", "6.17-rc2")
    assert compare(api, machine, "previous", "6.17-rc1")["base"]["name"] == "6.16"
    assert compare(api, machine, "6.16", "latest:eln")["head"]["track"] == "eln"
    assert compare(api, machine, "previous", "v6.17-rc2 with cac1db8c3aad reverted")["base"]["name"] == "6.17-rc1"
    error = error_of(api.get(COMPARE, params={"base": "previous", "head": "6.16", "machine": machine}), 400)
    assert "base" in error["message"] and "6.16" in error["message"]


def test_latest_without_mainline_names_the_tracks_to_choose_from(api, machine):
    post(api, machine, "6.16.0-65.eln150.x86_64", [result([100])])
    assert compare(api, machine, "latest", "latest")["head"]["track"] == "eln"
    post(api, machine, "6.12.57", [result([100])])
    error = error_of(api.get(COMPARE, params={"base": "latest", "head": "latest", "machine": machine}), 400,
                     "bad_argument")
    assert "latest:eln" in error["message"] and "latest:stable-6.12" in error["message"]
    assert compare(api, machine, "latest", "latest", track="eln")["head"]["track"] == "eln"


def test_unknown_names_are_told_with_the_nearest_ones(api, machine):
    post(api, machine, "6.16", [result([1], benchmark="suite/nearest", params={"size_kib": 4})])
    post(api, machine, "6.17-rc1", [result([1], benchmark="suite/nearest")])
    for argument, value, near in (("base", "6.17-rc", "6.17-rc1"), ("machine", machine + "x", machine),
                                  ("benchmark", "suite/neerest", "suite/nearest"), ("metric", "latensy", "latency"),
                                  ("thp", "alway", "always"), ("uarch", "epyc-milano", "epyc-milan"),
                                  ("isa", "x86", "x86_64"), ("track", "mainlin", "mainline"),
                                  ("base_page_kib", "5", "4"), ("param.size_kb", "4", "size_kib"),
                                  ("param.size_kib", "5", "4")):
        query = {"base": "6.16", "head": "6.17-rc1", argument: value}
        error = error_of(api.get(COMPARE, params=query), 400, "unknown_value")
        assert argument in error["message"] and near in error["message"], error["message"]


def test_a_glob_that_matches_nothing_is_an_empty_answer(api, machine):
    post(api, machine, "6.16", [result([1])])
    post(api, machine, "6.17-rc1", [result([1])])
    for argument in ("machine", "benchmark", "metric", "thp", "uarch", "isa", "track", "param.size", "base_page_kib"):
        answer = api.json(COMPARE, params={"base": "6.16", "head": "6.17-rc1", argument: "nix*"})
        assert answer["rows"] == [] and answer["missing"] == [], argument
    # the brackets of a shell's glob are letters here
    error_of(api.get(COMPARE, params={"base": "6.16", "head": "6.17-rc1", "machine": "box-[0-9]"}), 400)


def test_selectors_are_or_within_one_argument_and_and_between_them(api, machine):
    other = next(names)
    for name in (machine, other):
        for kernel in ("6.16", "6.17-rc1"):
            post(api, name, kernel, [result([1], benchmark=b, params={"n": n}) for b in ("x/a", "x/b") for n in (4, 40)])
    query = {"base": "6.16", "head": "6.17-rc1", "machine": [machine, other], "benchmark": "x/*", "param.n": "4e1"}
    rows = api.json(COMPARE, params=query)["rows"]
    assert [(r["benchmark"], r["machine"], r["params"]["n"]) for r in rows] == [
        (b, m, 40) for b in ("x/a", "x/b") for m in sorted((machine, other))]


def test_base_and_head_are_needed_and_other_arguments_are_refused(api):
    for query in ({}, {"base": "6.16"}, {"head": "6.16"}, {"base": "6.16", "head": "6.16", "colour": "red"}):
        error_of(api.get(COMPARE, params=query), 400, "bad_argument")


# ---- representations ----

def test_csv_has_one_line_a_row_at_full_precision(api, machine):
    post(api, machine, "6.16", [result([1 / 3, .4], benchmark="=cmd|' /C calc'!A0")])
    post(api, machine, "6.17-rc1", [result([2 / 3, .5], benchmark="=cmd|' /C calc'!A0")])
    row = only_row(compare(api, machine))
    answer = api.get(COMPARE + ".csv", params={"base": "6.16", "head": "6.17-rc1", "machine": machine})
    assert answer.headers["Content-Type"].startswith("text/csv") and "\r\n" in answer.text
    (line,) = csv.DictReader(io.StringIO(answer.text, newline=""))
    assert float(line["change_percent"]) == row["change_percent"]
    assert float(line["base_center"]) == row["base"]["center"] and line["fix_center"] == ""
    assert line["benchmark"] == "'" + row["benchmark"], "no spreadsheet runs a name as a formula"
    no_nan(answer.text)


def test_text_is_at_most_72_columns_whatever_the_names(api, machine):
    long = "suite/" + "x" * 90
    post(api, machine, "6.16", [result([100, 101, 99], benchmark=long, params={"a": "\u202e" + "y" * 80, "b": i}) for i in (1, 2)]
         + [result(params={"size_kib": 4}, status="failed", error="a\u001b[31m very long error " * 9)])
    post(api, machine, "6.17-rc1", [result([200, 201, 199], benchmark=long, params={"a": "\u202e" + "y" * 80, "b": i})
                                    for i in (1, 2)])
    text = api.get(COMPARE + ".txt", params={"base": "6.16", "head": "6.17-rc1", "machine": machine}).text
    assert max(map(len, text.split("\n"))) <= 72
    assert "\x1b" not in text and "\u202e" not in text
    assert "2 rows: 2 regressions" in text and "regression (weak)" in text and "failed" in text


def test_the_same_question_has_the_same_etag(api, machine):
    post(api, machine, "6.16", [result([1])])
    post(api, machine, "6.17-rc1", [result([2])])
    query = {"base": "6.16", "head": "6.17-rc1", "machine": machine}
    first = api.get(COMPARE, params=query)
    again = api.get(COMPARE, params=query, headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304 and not again.content
    post(api, machine, "6.17-rc1", [result([3])])
    after = api.get(COMPARE, params=query, headers={"If-None-Match": first.headers["ETag"]})
    assert after.status_code == 200 and only_row(after.json())["head"]["runs"] == 2


finite = st.floats(min_value=1e-9, max_value=1e12, allow_nan=False)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(base=st.lists(finite, min_size=1, max_size=6), head=st.lists(finite, min_size=1, max_size=6))
def test_any_numbers_give_an_answer_without_nan(api, base, head):
    name = next(names)
    post(api, name, "6.16", [result(base)])
    post(api, name, "6.17-rc1", [result(head)])
    answer = api.get(COMPARE, params={"base": "6.16", "head": "6.17-rc1", "machine": name})
    assert answer.status_code == 200
    no_nan(answer.text)
    row = only_row(answer.json())
    assert row["base"]["center"] == pytest.approx(statistics.fmean(base))
    assert row["change_percent"] == pytest.approx((row["head"]["center"] / row["base"]["center"] - 1) * 100)
    if len(base) == 1 or len(head) == 1:
        assert row["verdict"] == "inconclusive" and row["p"] is None
    assert row["confidence"] != "strong"


def test_values_of_0_or_less_are_told_as_such(api):
    for kernel, factor in (("v6.16", 1), ("v6.17-rc1", 1.5)):
        for boot in range(2):
            results = [{"benchmark": "odd/delta", "params": {"k": i}, "metric": "delta", "unit": "%", "better": "neutral",
                        "values": [value * factor * (1 + boot / 100), value * factor]} for i, value in enumerate((-5, 1e306, 5))]
            api.store(submission(kernel=kernel, machine="odd-01", boot_id=f"{kernel}-{boot}", results=results))
    text = api.get("/api/v1/compare.txt?base=6.16&head=6.17-rc1&benchmark=odd/delta").text
    assert "1 of 3 rows have a value of 0 or less" in " ".join(text.split()), text
    assert "e+306 " in text and max(map(len, text.splitlines())) <= 72, text


# ---- what is said of all rows, and what stands behind one ----

def test_the_raw_repetitions_behind_a_row(api, machine):
    post(api, machine, "6.16", [result([8, 9]), result([1], params={"size_kib": 4})], boot_id="a")
    post(api, machine, "6.16", [result([10])], boot_id="b")
    head = post(api, machine, "6.17-rc1", [result([12, 13, 14])])
    row = compare(api, machine)["rows"][0]
    assert "repetitions" not in row
    (row,) = compare(api, machine, only=row["series_id"], values="1")["rows"]
    behind = row["repetitions"]
    assert [(r["boot_id"], r["values"]) for r in behind["base"]] == [("a", [8, 9]), ("b", [10])]
    assert [(r["run_id"], r["values"]) for r in behind["head"]] == [(head["run_id"], [12, 13, 14])]
    assert behind["fix"] == []
    narrowed = compare(api, machine, only=row["series_id"], values="1", run=behind["base"][1]["run_id"])
    assert [r["values"] for r in narrowed["rows"][0]["repetitions"]["base"]] == [[10]]
    assert compare(api, machine, only="999999", values="1")["rows"] == []
    error_of(api.get(COMPARE, params={"base": "6.16", "head": "6.17-rc1", "machine": machine, "values": "1"}), 400,
             "bad_argument")


def test_a_sentence_says_which_cells_changed_and_what_they_share(api, machine):
    for thp in ("always", "never"):
        for kernel, slower in (("6.16", 1), ("6.17-rc1", 1.5)):
            for boot in range(3):
                results = [result([v * (1 + boot / 1000)], params={"size_kib": size})
                           for size in (4, 40, 400, 4000)
                           for v in [size * (slower if size >= 400 and thp == "never" else 1)]]
                post(api, machine, kernel, results, thp=thp)
    assert compare(api, machine, sweeps="1")["sentence"] == \
        "2 of 8 cells regress, all at size >= 400 KiB and with THP never."
    text = api.get(COMPARE + ".txt", params={"base": "6.16", "head": "6.17-rc1", "machine": machine}).text
    assert "all at size >= 400 KiB and with THP never." in " ".join(text.split())
    assert compare(api, machine, sweeps="1", thp="always")["sentence"] == "all 4 cells are unchanged."
