# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers that no ratio, logarithm or axis is made for: every answer in every form is whole, and holds numbers only."""
import itertools
import json
import math
import re

import pytest

from harness import submission

names = (f"odd-{i:02}" for i in itertools.count())
CASES = {
    "zeros": ([0, 0, 0], [0, 0, 0]), "from zero": ([0], [1]), "negative": ([-5, -4], [-3, -2]), "over zero": ([-5, -4], [3, 4]),
    "largest": ([1e308, 1.1e308], [1.5e308, 1e308]), "all there is": ([5e-324], [1.7e308]),
    "and back": ([1.7e308, 1.6e308, 1.7e308], [5e-324, 1e-323, 5e-324]), "denormal": ([5e-324] * 3, [1e-323] * 3),
    "constant": ([25] * 3, [25] * 3), "by one": ([25] * 3, [26] * 3), "one": ([1], [2]), "mixed": ([0, 1, 2], [1, 0, 3]),
    "many digits": ([1e18, 1e18 + 4096], [1.2e18, 1.21e18]),
}
QUESTIONS = (
    ("compare", {"base": "6.16", "head": "6.17", "fix": "6.18"}), ("compare", {"base": "6.17", "head": "6.16"}), ("trend", {}),
    ("matrix", {"base": "6.16", "head": "6.17", "rows": "machine", "cols": "param.size_kib"}),
    ("sweep", {"axis": "size_kib", "kernel": ["6.16", "6.17", "6.18"]}))


def numbers(text):
    def refused(word):
        raise AssertionError(f"{word} in JSON")

    def walk(value):
        if isinstance(value, float):
            assert math.isfinite(value)
        for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            walk(part)

    walk(json.loads(text, parse_constant=refused))


@pytest.mark.parametrize("boots", [1, 3])
@pytest.mark.parametrize("case", CASES)
def test_an_answer_holds_numbers_only(api, case, boots):
    machine, (base, head) = next(names), CASES[case]
    for boot in range(boots):
        for kernel, values in (("6.16", base), ("6.17", head), ("6.18", base), ("6.19", head[::-1])):
            api.store(submission(kernel, machine, boot_id=f"{machine}{kernel}{boot}", results=[
                {"benchmark": "odd/one", "params": {"size_kib": size}, "metric": "m", "unit": "x", "better": "lower",
                 "values": [v * (1 + .01 * boot) if abs(v) < 1e307 else v for v in values]} for size in (4, 40, 400, 4000)]))
    for path, query in QUESTIONS:
        for form in ("json", "txt", "csv", "svg"):
            answer = api.get(f"/api/v1/{path}.{form}", params={**query, "machine": machine, **({"explain": 1} if form == "json" else {})})
            assert answer.status_code == 200, (path, form, answer.text)
            assert not re.search(r"(?i)(?<![a-z])(nan|inf)(?![a-z])", answer.text), (path, form)
            if form == "json":
                numbers(answer.text)


def store_sizes(api, machine, base, head, boots=1):
    for boot in range(boots):
        for kernel, of in (("6.16", base), ("6.17", head)):
            api.store(submission(kernel, machine, boot_id=f"{machine}{kernel}{boot}", results=[
                {"benchmark": "odd/sign", "params": {"size_kib": size}, "metric": "m", "unit": "x", "better": "lower",
                 "values": [v, v]} for size, v in of.items()]))
    return {"base": "6.16", "head": "6.17", "machine": machine}


def test_more_below_0_is_lower(api):
    query = store_sizes(api, next(names), {4: -2.11, 40: -5, 400: 10}, {4: -3.11, 40: -4, 400: 12}, 3)
    answer = api.get("/api/v1/compare", params={**query, "explain": 1}).json()
    rows = {r["params"]["size_kib"]: r for r in answer["rows"]}
    assert [rows[k]["direction"] for k in (4, 40, 400)] == ["better", "worse", "worse"]
    assert abs(rows[4]["change_percent"] - 47.393) < .001 and abs(rows[40]["change_percent"] + 20) < 1e-9, "as computed"
    assert abs(answer["summary"]["geomean_percent"] - 20) < 1e-9, "what is below 0 is in no mean of ratios"
    assert "no logarithm" in rows[4]["why"]["text"] and "no logarithm" not in rows[400]["why"]["text"]
    cell = api.get("/api/v1/matrix", params={**query, "rows": "machine", "cols": "benchmark"}).json()["cells"][0][0]
    assert abs(cell["percent"] - 20) < 1e-9


def test_a_sweep_over_0_counts_what_has_a_ratio(api):
    query = store_sizes(api, next(names), {4: -2, 8: -3, 16: 0, 40: 10, 400: 20, 4000: 30}, {4: -3, 8: -4, 16: 1, 40: 20, 400: 40, 4000: 60})
    text = api.get("/api/v1/sweep.txt", params={"axis": "size_kib", "kernel": ["6.16", "6.17"], "machine": query["machine"]}).text
    assert "at the 3 of 6 sizes that have a ratio" in " ".join(text.split()) and "at all" not in text
    query = store_sizes(api, next(names), {4: -2, 40: -10}, {4: -3, 40: -20})
    text = api.get("/api/v1/sweep.txt", params={"axis": "size_kib", "kernel": ["6.16", "6.17"], "machine": query["machine"]}).text
    assert "no ratio to values of 0 or less" in " ".join(text.split())


@pytest.mark.parametrize("boots, stddev", [([[0, 0, 0, 1e308, -1e308]], None), ([[0], [0], [0], [1e308], [-1e308]], None),
                                           ([[0, 0, 0, 1e308, -1e308]] * 3, 0)])
def test_a_spread_beyond_a_double_is_not_known(api, boots, stddev):
    """Of one boot it is its repetitions'; of several that of their means, here 0 each."""
    machine = next(names)
    for kernel in ("6.16", "6.17"):
        for i, values in enumerate(boots):
            api.store(submission(kernel, machine, boot_id=f"{machine}{kernel}{i}", results=[
                {"benchmark": "odd/spread", "params": {}, "metric": "m", "unit": "x", "better": "lower", "values": values}]))
    row = api.get("/api/v1/compare", params={"base": "6.16", "head": "6.17", "machine": machine}).json()["rows"][0]
    assert row["base"]["stddev"] == row["head"]["stddev"] == stddev, row
