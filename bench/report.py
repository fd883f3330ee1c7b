# SPDX-License-Identifier: GPL-2.0-or-later
"""From measurements to a table: ratios of each round and figures, their medians, and what must hold."""
import json
import os
import platform
import statistics
import subprocess
import time

import harness

TAKEN = ("per_s", "p50_ms", "p99_ms", "bytes")  # what `load` and the probes print


class Row:
    """One line: `values` of a round, its bound, and how much of a bound in absolute time a busy machine is forgiven."""

    def __init__(self, number, label, floor=None, ceiling=None, unit="", slack=1):
        self.number, self.label, self.unit = number, label, unit
        self.floor, self.ceiling, self.slack = floor, ceiling, slack

    def of(self, rounds):
        """None where it was not measured."""
        values = [v for v in map(self.value, rounds) if v is not None]
        if not values:
            return None
        median = statistics.median(values)
        passed = None
        if self.floor is not None:
            passed = median >= self.floor / self.slack
        elif self.ceiling is not None:
            passed = median <= self.ceiling * self.slack
        return {"row": self.number, "label": self.label, "unit": self.unit, "median": median, "min": min(values),
                "max": max(values), "rounds": values, "floor": self.floor, "ceiling": self.ceiling, "slack": self.slack,
                "passed": passed, **self.origin()}


class Ratio(Row):
    """One measurement over another of the same round, by a field of both."""

    def __init__(self, number, label, over, under, field="per_s", **bound):
        super().__init__(number, label, unit="x", **bound)
        self.over, self.under, self.field = over, under, field

    def value(self, round_):
        over, under = pick(round_, self.over), pick(round_, self.under)
        return over[self.field] / under[self.field] if over and under else None

    def origin(self):
        return {"over": self.over, "under": self.under, "field": self.field}


class Figure(Row):
    """One measurement as it is."""

    def __init__(self, number, label, name, field, unit, **bound):
        super().__init__(number, label, unit=unit, **bound)
        self.name, self.field = name, field

    def value(self, round_):
        found = pick(round_, self.name)
        return found[self.field] if found else None

    def origin(self):
        return {"name": self.name, "field": self.field}


def pick(round_, name):
    """A measurement, or with "NAME.PART" one of those that one program made side by side."""
    name, _, part = name.partition(".")
    found = round_.get(name)
    return found[part] if found and part else found


def posts():
    out = []
    bare, rows = {500: 0.65, 64: 0.55}, {500: 4, 64: 1.7}
    rival = {(500, 16): 8, (64, 16): 4, (500, 1): 4, (64, 1): 2}
    for n in (500, 64):
        for clients in (1, 16, 64):
            what = f"POST {n} results, {clients} client{'s' * (clients > 1)}"
            name = f"post-{n}-{clients}"
            must = clients == 16
            out.append(Ratio(1, f"{what} / bare run-packed", name, f"packed-{n}-{clients}", floor=bare[n] if must else None))
            out.append(Ratio(2, f"{what} / bare rows by UNNEST", name, f"rows-{n}-{clients}",
                             floor=rows[n] if must else None))
            if clients < 64:
                out.append(Ratio(3, f"{what} / Node rival", name, f"rival-{n}-{clients}", floor=rival[n, clients]))
    out.append(Ratio(4, "POST 64 results, 1 client / bare commit (p50)", "post-64-1", "packed-64-1", "p50_ms", ceiling=1.7))
    out.append(Ratio(4, "POST 64 results, 1 client / bare commit (p99)", "post-64-1", "packed-64-1", "p99_ms", ceiling=3))
    for n in (500, 64):
        out.append(Ratio(5, f"POST {n} results, 64 clients / 16 clients", f"post-{n}-64", f"post-{n}-16", floor=0.95))
        out.append(Ratio(5, f"POST {n} results, 64 clients / 16 clients (p99)", f"post-{n}-64", f"post-{n}-16", "p99_ms",
                         ceiling=6))
    return out


def json_rows():
    out = []
    for n in (500, 64):
        out.append(Ratio(6, f"reading {n} results / jansson (speed)", f"read-{n}.read", f"read-{n}.jansson", floor=8))
        out.append(Figure(6, f"reading {n} results: memory / body", f"read-{n}", "memory", "x", ceiling=2))
    for form in ("columns", "points"):
        out.append(Ratio(7, f"writing 10,000 points, as {form} / jansson", f"write-{form}.write", f"write-{form}.jansson",
                         floor=15))
    return out


def hits():
    out = []
    for clients in (64, 4, 1):
        for other, name in (("bare libmicrohttpd", "hit-bare"), ("nginx", "hit-nginx")):
            must = clients == 64
            what = f"kept chart, {clients} client{'s' * (clients > 1)} / {other}"
            out.append(Ratio(8, what, f"hit-{clients}", f"{name}-{clients}", floor=0.85 if must else None))
            out.append(Ratio(8, f"{what} (p99)", f"hit-{clients}", f"{name}-{clients}", "p99_ms", ceiling=1.5 if must else None))
    return out


def reads():
    return [
        Ratio(9, "trend of one series, uncached / bare query", "trend", "trend-bare", floor=0.8),
        Ratio(9, "trend of one series, uncached, gzip / bare query", "trend-gzip", "trend-bare"),
        Ratio(None, "trend of one series, uncached / Node rival", "trend", "trend-rival"),
        Ratio(None, "trend of one series, cached / uncached", "trend-cached", "trend"),
        Ratio(10, "chart of 96 series, uncached / bare packs (time)", "chart", "chart-bare", "p50_ms", ceiling=1.5),
        Ratio(11, "compare of all series / bare run-packed fetch (time)", "compare", "compare-bare", "p50_ms", ceiling=2),
        Ratio(11, "compare of all series, gzip / the same (time)", "compare-gzip", "compare-bare", "p50_ms"),
        Ratio(12, "newest 50 alerts / a scan (time)", "alerts", "alerts-scan", "p50_ms", ceiling=0.01),
    ]


def figures():
    return [
        Figure(13, "disk a sample: runs, packs, indexes", "disk", "all", "B", ceiling=60),
        Figure(13, "  of it runs", "disk", "runs", "B"),
        Figure(13, "  of it packs", "disk", "packs", "B"),
        Figure(13, "  beside it: the body of a POST, a result", "body", "per_result", "B"),
        Figure(13, "  beside it: each repetition", "repetitions", "per_value", "B"),
        Figure(13, "WAL of POST 500, a result", "wal-500", "per_result", "B", ceiling=40),
        Figure(13, "WAL of POST 64, a result", "wal-64", "per_result", "B", ceiling=60),
        Figure(14, "an appended run checked by watch, a series of 400 points", "detect", "ms", "ms", ceiling=0.1, slack=2),
        Figure(14, "  of it CPU of watch", "detect", "cpu_ms", "ms"),
        Figure(14, "  finding its changes alone", "change", "ms", "ms"),
        Figure(16, "start until /readyz", "start", "s", "s", ceiling=3, slack=2),
        Figure(16, "RSS then", "start", "rss_mib", "MiB", ceiling=400),
        Figure(16, "RSS of the one that answered all of the above", "start", "asked_rss_mib", "MiB", ceiling=400),
        Figure(17, "up on an empty directory until the first page, beyond initdb", "up", "beyond_s", "s", ceiling=3,
               slack=2),
    ]


def wanted():
    return posts() + json_rows() + hits() + reads() + figures()


def spread_out(round_):
    """A program that measured two things side by side gave both."""
    out = {}
    for name, m in round_.items():
        parts = {f"{name}.{part}": of for part, of in m.items() if isinstance(of, dict)}
        out.update(parts or {name: m})
    return out


def summary(rounds):
    """Medians of each measurement over the rounds."""
    rounds = [spread_out(r) for r in rounds]
    names = list(dict.fromkeys(name for r in rounds for name in r))
    return {name: {field: statistics.median(r[name][field] for r in rounds if name in r)
                   for field in next(r[name] for r in rounds if name in r)} for name in names}


def bound(row):
    if row["floor"] is None and row["ceiling"] is None:
        return ""
    text = f">= {row['floor']}" if row["floor"] is not None else f"<= {row['ceiling']}"
    return text + (f" x{row['slack']}" if row["slack"] != 1 else "")


def text(measured, rows):
    lines = [f"{'measured (median)':<20}{'per s':>10}{'p50 ms':>10}{'p99 ms':>10}{'bytes':>12}"]
    for name, m in measured.items():
        if all(field in m for field in TAKEN):
            lines.append(f"{name:<20}{m['per_s']:>10.1f}{m['p50_ms']:>10.3f}{m['p99_ms']:>10.3f}{m['bytes']:>12.0f}")
    lines += ["", f"{'':>3} {'of each round: median, spread':<62}{'median':>9} {'':<4}{'min .. max':<20}{'must be':>10}"]
    for r in rows:
        verdict = "" if r["passed"] is None else "  ok" if r["passed"] else "  MISSED"
        lines.append(f"{r['row'] or '':>3} {r['label']:<62}{r['median']:>9.3g} {r['unit']:<4}"
                     f"{r['min']:>8.3g} .. {r['max']:<8.3g}{bound(r):>10}{verdict}")
    return "\n".join(lines)


def git(*args):
    """What git says of the sources, or None outside of a repository."""
    try:
        done = subprocess.run(["git", *args], cwd=harness.ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def write(path, results):
    """With what was measured: the program, its place in its history, and the machine."""
    version = subprocess.run([harness.PROGRAM, "version"], stdout=subprocess.PIPE, text=True).stdout.split()[-1]
    dirty = version.endswith("-dirty")
    commit = git("rev-parse", version.removesuffix("-dirty") + "^{commit}")
    count = commit and git("rev-list", "--count", commit)
    path.write_text(json.dumps({
        "version": version, "commit": commit, "commits": int(count) if count else None, "dirty": dirty,
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "cpus": os.cpu_count(), "machine": platform.machine(),
        "system": platform.release(), **results}, indent=1) + "\n")
