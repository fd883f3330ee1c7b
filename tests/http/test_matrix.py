# SPDX-License-Identifier: GPL-2.0-or-later
"""GET /api/v1/matrix: a comparison folded over two dimensions."""
import csv
import io
import itertools
import json

import pytest

from harness import SHARED, error_of, submission

MATRIX = "/api/v1/matrix"
names = (f"matrix-{i:02}" for i in itertools.count())
minutes = itertools.count()


@pytest.fixture()
def suite():
    """A benchmark of its own: what isolates a matrix over machines from other tests."""
    return "matrix/" + next(names)


def post(api, suite, machine, kernel, values, thp="always", uarch="epyc-milan", params=None, **fields):
    minute = next(minutes)
    results = [{"benchmark": suite, "params": params or {}, "metric": fields.pop("metric", "latency"),
                "unit": fields.pop("unit", "ns/call"), "better": fields.pop("better", "lower"), "values": list(values)}]
    one = submission(kernel, results=results, thp=thp, **fields,
                     started_at=f"2026-05-01T{minute // 60:02}:{minute % 60:02}:00Z")
    one["machine"] = {"name": machine, "isa": "x86_64", "uarch": uarch}
    api.store(one)


def matrix(api, suite, **more):
    return api.json(MATRIX, params={"base": "6.16", "head": "6.17-rc1", "benchmark": suite, **more})


def test_uarch_by_thp_with_an_empty_cell(api, suite):
    for kernel, a, b, c in (("6.16", 100, 100, 100), ("6.17-rc1", 250, 40, 100)):
        post(api, suite, "milan", kernel, [a], thp="never")
        post(api, suite, "milan", kernel, [b], thp="always")
        post(api, suite, "rome", kernel, [c], thp="always", uarch="epyc-rome")
    answer = matrix(api, suite, rows="uarch", cols="thp")
    assert (answer["rows"], answer["cols"]) == (["epyc-milan", "epyc-rome"], ["always", "never"])
    (always, never), (rome, empty) = answer["cells"]
    assert always["percent"] == pytest.approx(-60) and never["percent"] == pytest.approx(150)
    assert rome["percent"] == 0 and empty is None
    assert (always["direction"], never["direction"], rome["direction"]) == ("better", "worse", "same")
    for cell in (always, never, rome):
        assert (cell["verdict"], cell["ci"], cell["n_series"]) == ("inconclusive", None, 1)
    assert matrix(api, suite) == answer, "that is what it shows when nothing is said"


def test_a_cell_is_the_geomean_of_its_rows_and_names_the_worst(api, suite):
    for kernel, factors in (("6.16", (1, 1, 1)), ("6.17-rc1", (2, .5, 1.5))):
        for size, factor in zip((4, 40, 400), factors):
            post(api, suite, "milan", kernel, [100 * factor], params={"size_kib": size})
    ((cell,),) = matrix(api, suite)["cells"]
    assert cell["n_series"] == 3 and cell["percent"] == pytest.approx((1.5 ** (1 / 3) - 1) * 100)
    rows = api.json("/api/v1/compare", params={"base": "6.16", "head": "6.17-rc1", "benchmark": suite})["rows"]
    assert cell["worst"] == {"series_id": rows[0]["series_id"], "change_percent": 100}


def test_the_worst_row_of_what_should_be_high_is_the_one_that_fell(api, suite):
    for kernel, factors in (("6.16", (1, 1)), ("6.17-rc1", (2, .9))):
        for size, factor in enumerate(factors):
            post(api, suite, "milan", kernel, [100 * factor], params={"n": size}, metric="rate", unit="calls/s",
                 better="higher")
    ((cell,),) = matrix(api, suite)["cells"]
    assert cell["worst"]["change_percent"] == pytest.approx(-10)


def test_a_cell_with_noise_has_a_verdict(api, suite):
    for i in range(4):
        for kernel, value in (("6.16", 1000), ("6.17-rc1", 1100)):
            post(api, suite, "milan", kernel, [value + i], params={"n": 1})
            post(api, suite, "milan", kernel, [value + 2 * i], params={"n": 2})
    ((cell,),) = matrix(api, suite)["cells"]
    assert cell["verdict"] == "regression" and cell["ci"][0] < cell["percent"] < cell["ci"][1]
    ((low, ), (high, )) = matrix(api, suite, rows="param.n")["cells"]
    assert low["verdict"] == high["verdict"] == "regression"


def test_signs_that_disagree_within_a_cell_of_mixed_directions_are_no_verdict(api, suite):
    for i in range(4):
        for kernel, value in (("6.16", 1000), ("6.17-rc1", 1100)):
            post(api, suite, "milan", kernel, [value + i])
            post(api, suite, "milan", kernel, [value + i], metric="rate", unit="calls/s", better="higher")
    ((cell,),) = matrix(api, suite)["cells"]
    assert (cell["verdict"], cell["direction"], cell["n_series"]) == ("inconclusive", None, 2)


@pytest.mark.parametrize("dimension, labels", [
    ("machine", ["milan"]), ("uarch", ["epyc-milan"]), ("isa", ["x86_64"]), ("thp", ["always"]), ("track", ["mainline"]),
    ("param.size_kib", [4, 40, 400]), ("param.mode", ["a"])])
def test_dimensions(api, suite, dimension, labels):
    for kernel in ("6.16", "6.17-rc1"):
        for size in (400, 4, 40):
            post(api, suite, "milan", kernel, [1], params={"size_kib": size, "mode": "a"})
    answer = matrix(api, suite, rows=dimension, cols="benchmark")
    assert answer["rows"] == labels
    assert len(answer["cells"]) == len(labels)


def test_bad_questions(api, suite):
    post(api, suite, "milan", "6.16", [1])
    for query, code in (({"rows": "kernel"}, "bad_argument"), ({"cols": "param."}, "bad_argument"),
                        ({"rows": "param.none"}, "unknown_value"),
                        ({"head": "6.99"}, "unknown_value"), ({"fix": "6.16"}, "bad_argument")):
        error_of(api.get(MATRIX, params={"base": "6.16", "head": "6.16", "benchmark": suite, **query}), 400, code)
    answer = api.json(MATRIX, params={"base": "6.16", "head": "6.16", "benchmark": "nix*"})
    assert (answer["rows"], answer["cols"], answer["cells"]) == ([], [], [])


def test_a_matrix_of_too_many_cells_is_refused_before_it_is_made(api, suite):
    results = [{"benchmark": suite, "params": {"a": i, "b": i}, "metric": "m", "unit": "x", "better": "lower", "values": [1]}
               for i in range(501)]
    for kernel in ("6.16", "6.17-rc1"):
        api.store(submission(kernel, suite.replace("/", "-"), results=results))
    query = {"base": "6.16", "head": "6.17-rc1", "benchmark": suite, "rows": "param.a", "cols": "param.b"}
    assert "501 rows times 501 columns" in error_of(api.get(MATRIX, params=query), 400, "bad_argument")["message"]
    assert len(api.json(MATRIX, params={**query, "cols": "machine"})["rows"]) == 501
    told = error_of(api.get(MATRIX, params={**query, "cols": "param.aa"}), 400, "unknown_value")["message"]
    assert told.endswith("nearest: a, b")


def test_text_and_csv(api, suite):
    for kernel, factor in (("6.16", 1), ("6.17-rc1", 2)):
        for i, thp in enumerate(("always", "never", "madvise", "never+16k-always+32k-always+64k-always")):
            post(api, suite, f"machine-with-a-long-name-{i}", kernel, [100 * factor], thp=thp)
    query = {"base": "6.16", "head": "6.17-rc1", "benchmark": suite, "rows": "machine"}
    text = api.get(MATRIX + ".txt", params=query).text
    assert max(map(len, text.split("\n"))) <= 72 and text.count("+100 %?") == 4
    lines = list(csv.DictReader(io.StringIO(api.get(MATRIX + ".csv", params=query).text, newline="")))
    assert len(lines) == 4 and {x["percent"] for x in lines} == {"100"}
    assert lines[0]["row:machine"] == "machine-with-a-long-name-0" and lines[0]["col:thp"] == "always"


@pytest.mark.skipif(not (SHARED / "seed").is_dir(), reason="the story's figures are not there")
def test_the_trade_off_of_the_apple_m3_shows_at_once(api, suite):
    cases = {c["id"]: c for c in json.loads((SHARED / "seed" / "cases.json").read_text())["cases"]}
    cells = cases["apple-m3-tradeoff"]["cells"]
    thp = {"4k": "never", "64k": "never+64k-always", "2m-pte-mapped": "always"}
    for mode, gain in cells.items():
        post(api, suite, "m3", "6.16", [100], thp=thp[mode], uarch="apple-m3", metric="rate", unit="ops/s", better="higher")
        post(api, suite, "m3", "6.17-rc1", [100 + gain], thp=thp[mode], uarch="apple-m3", metric="rate", unit="ops/s",
             better="higher")
    answer = matrix(api, suite)
    got = dict(zip(answer["cols"], answer["cells"][0]))
    for mode, gain in cells.items():
        assert got[thp[mode]]["percent"] == pytest.approx(gain, abs=.01)


def test_a_sentence_says_where_it_helps_and_where_it_hurts_and_the_net_is_counted(api):
    """Machines of two kinds, two THP modes: one helps, one hurts, and within one cell signs disagree."""
    for uarch in ("words-a", "words-b"):
        for thp, change in (("always", .5), ("never", 1.5)):
            for kernel, by in (("6.16", 1), ("6.17-rc1", change)):
                for boot in range(3):
                    results = [{"benchmark": "words/one", "params": {"size_kib": size}, "metric": "latency", "unit": "ns/call",
                                "better": "lower", "values": [v * (1 + boot / 1000)]}
                               for size in (4, 40) for v in [size * (2 if size == 4 and uarch == "words-b" and by == .5 else by)]]
                    one = submission(kernel, f"{uarch}-01", thp=thp, results=results, boot_id=f"{kernel} {boot}",
                                     started_at=f"2026-05-0{boot + 1}T{'01' if by == 1 else '02'}:00:00Z")
                    one["machine"]["uarch"] = uarch
                    api.store(one)
    asked = {"base": "6.16", "head": "6.17-rc1", "benchmark": "words/one"}
    answer = api.json("/api/v1/matrix", params=asked)
    assert answer["sentence"] == "helps THP always on words-a; hurts THP never on all 2."
    assert answer["net"] == {"verdict": "trade-off", "better": 1, "worse": 2, "unchanged": 1, "inconclusive": 0}
    assert [[c["signs_disagree"] for c in row] for row in answer["cells"]] == [[False, False], [True, False]]
    assert [[(c["regressions"], c["improvements"]) for c in row] for row in answer["cells"]] == [[(0, 2), (2, 0)], [(1, 1), (2, 0)]]
    text = api.get("/api/v1/matrix.txt", params=asked).text
    assert "v6.17-rc1 against v6.16: helps THP always on words-a; hurts THP never on" in text and "!: signs" in text
    answer = api.json("/api/v1/matrix", params={**asked, "thp": "never", "rows": "thp", "cols": "param.size_kib"})
    assert answer["sentence"] == "hurts size_kib 4 on never, size_kib 40 on never."
    assert answer["net"]["verdict"] == "worse"
