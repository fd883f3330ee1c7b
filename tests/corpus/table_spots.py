# SPDX-License-Identifier: GPL-2.0-or-later
"""Spots of tables with a kernel a column: "NAME: V -> V (lower)", "NAME: V (1%) | V (2%) (lower)", "NAME COMMIT = V UNIT (lower)"."""
import re

NUMBER = r"[-+]?\d[\d.]*(?:e[-+]?\d+)?"
COMMIT = r"(?P<commit>[0-9a-f]{10}) = "


def direction(text):
    m = re.search(r"\((lower|higher|neutral)\b", text)
    return m[1] if m else None


def named(results, name, better, words):
    want = set(words(name))
    return [r for r in results if want <= r.words and r.better == better]


def rows_fit(text, results, words):
    """All columns of the row, in their order, are the values of one series over the file's submissions."""
    name, cells = text.split(": ", 1)
    want = [float(re.match(NUMBER, c)[0]) for c in re.split(r" -> | \| ", cells)]
    by_key = {}
    for r in named(results, name, direction(text), words):
        by_key.setdefault(r.key, []).extend(r.points)
    return any(have[i:i + len(want)] == want for have in by_key.values() for i in range(len(have)))


def fits(text, first, results, words):
    """True or False; None where the spot is of another kind. `first` is the row's first spot: "..." stands for its name."""
    if re.match(rf"[^=]*?: {NUMBER}.*( -> | \| )", text):
        return rows_fit(text, results, words)
    m = re.match(rf"(?P<name>.*?) {COMMIT}(?P<value>{NUMBER})", text)
    if not m:
        return None
    name = m["name"]
    if name == "...":
        name = re.sub(rf" {COMMIT.replace('?P<commit>', '?:')}.*", "", first)
    return any(float(m["value"]) in r.points and f"-g{m['commit']}" in r.kernel
               for r in named(results, name, direction(text) or direction(first), words))
