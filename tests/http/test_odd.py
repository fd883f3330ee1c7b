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
