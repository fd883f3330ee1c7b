# SPDX-License-Identifier: GPL-2.0-or-later
"""`nsecwatch compare --local`: two files judged without a server; and published reports, judged as people did."""
import csv
import itertools
import json
import random
from pathlib import Path

import pytest

from harness import SHARED
from test_client import client, narrow

REPORTS = SHARED / "corpus" / "reports" / "reports_files.json"
DEVIATIONS = Path(__file__).parent.parent / "reports_deviations.tsv"


def run(kernel, results, boot="one", machine="milan-01"):
    return {"schema": "nsecwatch.submission/1", "machine": {"name": machine}, "kernel": kernel, "boot_id": boot,
            "started_at": "2026-02-13T15:08:00Z", "results": results}


def result(values=None, benchmark="mm/one", unit="ns/call", better="lower", params=None, **more):
    out = {"benchmark": benchmark, "metric": "latency", "unit": unit, "better": better, "params": params or {}}
    return {**out, **({"values": values} if values else {}), **more}


def write(path, *runs):
    path.write_text(json.dumps(list(runs) if len(runs) > 1 else runs[0]))
    return path


def local(*args):
    code, out, err = client("compare", "--local", *map(str, args))
    assert code == 0, err
    return out


def rows(*args):
    return json.loads(local(*args, "--json"))["rows"]


def boots(path, kernel, center, n, spread=.01):
    rng = random.Random(f"{kernel}{center}")
    return write(path, *(run(kernel, [result([center * (1 + rng.gauss(0, spread)) for _ in range(3)])], boot=str(b))
                         for b in range(n)))


def test_two_files_of_boots_have_the_server_s_verdict(tmp_path):
    base, head = boots(tmp_path / "a.json", "6.16", 1000, 4), boots(tmp_path / "b.json", "6.17-rc1", 1200, 4)
    text = local(base, head)
    assert narrow(text.replace(str(tmp_path), "")) and "kernel 6.17-rc1, 4 runs" in text
    assert "regression (strong)" in text and "1 rows: 1 regressions" in text
    (row,) = rows(base, head)
    assert row["base"]["boots"] == 4 and row["noise_source"] == "boots" and row["direction"] == "worse"
    assert row["change_ci"][0] < row["change_percent"] < row["change_ci"][1] and row["advice"] is None
    (same,) = rows(base, base)
    assert same["change_percent"] == 0 and same["direction"] == "same" and same["verdict"] != "regression"


def test_a_fix_and_what_it_brings_back(tmp_path):
    files = [boots(tmp_path / f"{k}.json", k, v, 3, .001) for k, v in (("6.16", 1000), ("6.17", 1500), ("6.18", 1100))]
    (row,) = rows(*files[:2], "--fix", files[2])
    assert row["restored_percent"] == pytest.approx(80, abs=1)
    assert row["restored_ci"][0] < row["restored_percent"] < row["restored_ci"][1]
    assert row["remaining_percent"] == pytest.approx(10, abs=1)
    assert "restored" in local(*files[:2], "--fix", files[2])


def test_a_folder_is_all_that_lies_in_it_and_boots_are_told_apart_by_name(tmp_path):
    for kernel, folder, center in (("6.16", "a", 100), ("6.17", "b", 130)):
        (tmp_path / folder).mkdir()
        for n, boot in enumerate(("x", "x", "y", "z")):
            write(tmp_path / folder / f"{n}.json", run(kernel, [result([center + n / 10, center])], boot=boot))
    (row,) = rows(tmp_path / "a", tmp_path / "b")
    assert (row["base"]["runs"], row["base"]["boots"], row["base"]["n"]) == (4, 3, 8)
    assert row["verdict"] == "regression"


def test_a_file_without_machine_and_kernel_is_read_all_the_same(tmp_path):
    for name, value in (("a", 100), ("b", 150)):
        (tmp_path / f"{name}.csv").write_text("size_kib,nsec_per_call\n" + "".join(f"4,{value + d}\n" for d in (0, 1, -1)))
    (row,) = rows(tmp_path / "a.csv", tmp_path / "b.csv")
    assert (row["change_percent"], row["verdict"], row["confidence"]) == (50, "regression", "weak")
    assert "kernel" not in local(tmp_path / "a.csv", tmp_path / "b.csv").split("\n\n")[0]


def test_a_file_of_several_kernels_asks_which(tmp_path):
    both = write(tmp_path / "both.json", run("6.16", [result([100])]), run("6.17", [result([200])]))
    code, _, err = client("compare", "--local", str(both), str(both))
    assert code == 1 and "say which with --base" in err
    (row,) = rows(both, both, "--base", "v6.16", "--head", "6.17.0")
    assert row["change_percent"] == 100 and row["verdict"] == "inconclusive"
    assert row["advice"].startswith("1 boot each, no history: 2 more boots would show >= 3 %")


def test_what_only_one_file_has_is_listed(tmp_path):
    base = write(tmp_path / "a.json", run("6.16", [result([1.0]), result([1.0], benchmark="mm/two")]))
    head = write(tmp_path / "b.json", run("6.17", [result([2.0]), {**result(benchmark="mm/three"), "status": "failed",
                                                                  "error": "no memory"}]))
    text = local(base, head)
    assert "not in head: mm/two latency" in text and "not in base: mm/three latency" in text
    other = write(tmp_path / "c.json", run("6.17", [result([2.0], benchmark="mm/other")]))
    code, _, err = client("compare", "--local", str(base), str(other))
    assert code == 1 and "nothing in common" in err


def test_series_are_told_apart_by_thp_and_machine_where_a_file_has_several(tmp_path):
    def four(kernel, factor):
        return [{**run(kernel, [result([value * factor])], boot=f"{machine}{thp}", machine=machine), "config": {"thp": thp}}
                for value, (machine, thp) in zip((100, 200, 400, 800), itertools.product("ab", ("always", "never")))]
    base, head = write(tmp_path / "a.json", *four("6.16", 1)), write(tmp_path / "b.json", *four("6.17", 2))
    found = rows(base, head)
    assert [r["base"]["center"] for r in found] == [100, 200, 400, 800]
    assert all(r["change_percent"] == 100 for r in found)
    assert len(rows(base, head, "--machine", "a", "--thp", "alw*")) == 1
    code, _, err = client("compare", "--local", str(base), str(head), "--param", "x=1")
    assert code == 2 and "--benchmark, --metric, --machine and --thp only" in err
    for option in ("--json", "--base=6.16"):
        assert client("compare", "6.16", "6.17", option)[0] == 2


@pytest.mark.parametrize("values", [[0], [0, 0, 0], [-1, 2], [25, 25, 25], [5e-324, 1e-300], [1.7e308, 1.7e308], [1] * 5000])
def test_odd_numbers_get_a_defined_answer(tmp_path, values):
    base = write(tmp_path / "a.json", run("6.16", [result(values)]))
    head = write(tmp_path / "b.json", run("6.17", [result(values[::-1])]))
    code, out, err = client("compare", "--local", str(base), str(head), "--json")
    if code == 0:
        assert "NaN" not in out and "Infinity" not in out and json.loads(out)["rows"][0]["verdict"] in ("inconclusive", "unchanged")
    else:
        assert code == 1 and err, "or says what is wrong with them"


@pytest.mark.parametrize("results, told", [
    ([], "results"), ([result([1], benchmark="b/" + "x" * 3000)], "benchmark"), ([result([1], better="up")], "better")])
def test_a_submission_that_is_wrong_is_told_what_is(tmp_path, results, told):
    base = write(tmp_path / "a.json", run("6.16", results))
    code, out, err = client("compare", "--local", str(base), str(base))
    assert code == 1 and told in err and "foreign" not in err


def test_rows_that_are_not_read_are_told(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text('size_kib,runtime_sec,nsec_per_call\n"four",0.1,1830\n40,0.2,2000.5\n')
    code, out, err = client("compare", "--local", str(file), str(file))
    assert code == 0 and "size_kib=40" in out and "not imported at line 2" in err


# ---- what people concluded from published numbers ----

def load_reports():
    return json.loads(REPORTS.read_text())["cases"] if REPORTS.is_file() else []


def point_result(case, point):
    if "samples" in point:
        more = {"values": point["samples"]}
    elif "stddev" in point:
        more = {"summary": {"n": point.get("n", 10), "mean": point["value"], "stddev": point["stddev"]}}
    else:
        more = {"values": [point["value"]]}
    return {"benchmark": "report/" + case["id"], "metric": "value", "unit": case["unit"] or "x", "better": case["direction"],
            "params": case.get("param") or {}, **more}


def said(verdict):
    """The conclusion of the thread in our words: what the verdict may be."""
    if verdict.startswith(("regression", "improvement")):
        return {verdict.split(",")[0].split(" ")[0]}
    return {"unchanged", "inconclusive"}	# no-change, not claimed, another configuration


def deviations():
    with open(DEVIATIONS) as f:
        return {(r["case"], r["point"]): r for r in csv.DictReader((x for x in f if not x.startswith("#")), delimiter="\t")}


PAIRS = [(case, i) for case in load_reports() for i in range(1, len(case["points"])) if "value" in case["points"][0]]


@pytest.mark.skipif(not PAIRS, reason=f"no published reports in {REPORTS}")
def test_each_deviation_from_the_reports_is_one():
    known = {(case["id"], case["points"][i]["label"]) for case, i in PAIRS}
    assert set(deviations()) <= known, "a deviation that is argued must exist"


@pytest.mark.parametrize("case, i", PAIRS, ids=[f"{case['id']}-{i}" for case, i in PAIRS])
def test_published_reports_have_their_percent_direction_and_verdict(tmp_path, case, i):
    base, head = case["points"][0], case["points"][i]
    files = [write(tmp_path / f"{k}.json", run(f"6.{k}", [point_result(case, p)])) for k, p in ((16, base), (17, head))]
    (row,) = rows(*files)
    assert row["change_percent"] == pytest.approx(head["change_pct_vs_base"], abs=.011)
    assert row["direction"] == {"regression": "worse", "improvement": "better"}[head["sign_verdict"]]
    # a later point is the fix, or a second look at the base: nobody claims that it is worse than the base still
    expected = said(case["verdict"]) if i == 1 else {"unchanged", "inconclusive"}
    argued = deviations().get((case["id"], head["label"]))
    if argued:
        assert row["verdict"] == argued["verdict"] and row["verdict"] not in expected, "the deviation is as it is argued"
    else:
        assert row["verdict"] in expected


@pytest.mark.skipif(not PAIRS, reason=f"no published reports in {REPORTS}")
def test_repetitions_that_are_boots_are_believed(tmp_path):
    case = next(c for c in load_reports() if c["id"] == "mseal-pagemove-600s")
    sides = [write(tmp_path / f"{k}.json", *(run(f"6.{k}", [point_result(case, {"value": v})], boot=str(b))
                                             for b, v in enumerate(point["samples"])))
             for k, point in enumerate(case["points"])]
    (row,) = rows(sides[0], sides[1], "--fix", sides[2])
    assert (row["verdict"], row["confidence"]) == ("regression", "strong")
    assert row["restored_percent"] == pytest.approx(31.3, abs=.1), "half repaired, the thread says; it is a third"


@pytest.mark.skipif(not REPORTS.is_file(), reason=f"no published reports in {REPORTS}")
def test_percents_without_values_are_no_measurement():
    (case,) = (c for c in load_reports() if "value" not in c["points"][0])
    assert case["id"] == "apple-m3-percent-only" and not any("value" in p for p in case["points"])
