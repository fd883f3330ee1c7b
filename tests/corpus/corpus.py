#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The readers against a corpus of real files: corpus.py [-v] CORPUS [WORD...]

CORPUS/MANIFEST.tsv tells for each file what is to be made of it (accept, partial, reject, metadata), how many series and
points are in it, and up to three values ("spots") with unit and direction. Prints a row a file and then every deviation.
Exit 1 when one is not argued in tests/corpus_deviations.tsv (file, what, got, why), or when an argued one is gone.
What a sender says beside a file is in context.tsv; machine= always, kernel= where the file does not name one.
WORDs: only files with one of them in their name. -v: also what was not imported.
"""
import csv
import json
import os
import re
import subprocess
import sys

import other_spots
import table_spots

HERE = os.path.dirname(os.path.abspath(__file__))
DUMP = os.environ.get("CORPUS_DUMP", "build/corpus_dump")

# The corpus's families, and the reader whose each one is. Families not named here have no reader yet: none may claim them.
READERS = {
    "google-benchmark": "google-benchmark",
    "google-benchmark-console": "google-benchmark-console",
    "google-benchmark-csv": "google-benchmark-csv",
    "csv-series": "csv-series",
    "libmicro": "libmicro",
    "perf-bench": "perf-bench",
    "stress-ng-log": "stress-ng-log",
    "stress-ng-yaml": "stress-ng-yaml",
    "will-it-scale": "will-it-scale",
    "mprotect-table": "mprotect-reproducer",
    "mprotect-reproducer": "mprotect-reproducer",
    "mprotect-total": "mprotect-reproducer",
    "lkp-stats": "lkp-stats",
    "lkp-matrix": "lkp-matrix",
    "lkp-job": "lkp-job",
    "lkp-compare": "lkp-compare",
    "mmtests-compare": "mmtests-compare",
    "mmtests-log": "mmtests-compare",
    "lkp-changed-stats": "lkp-changed-stats",
    "bmf": "bmf",
    "perf-stat": "perf-stat",
    "fio": "fio",
    "fio-text": "fio-text",
    "sysbench": "sysbench",
    "hackbench": "hackbench",
    "lmbench": "lmbench",
    "unixbench": "unixbench",
    "kselftest-tap": "kselftest-tap",
    "kcidb": "kcidb",
    "hyperfine": "hyperfine hyperfine-csv",
    "pytest-benchmark": "pytest-benchmark",
    "jmh": "jmh",
    "criterion": "criterion",
    "asv": "asv",
    "go-benchfmt": "go-benchfmt",
    "lnt": "lnt",
    "conbench": "conbench",
    "github-action-custom": "github-action-benchmark",
    "openmetrics": "openmetrics",
    "prometheus-text": "prometheus-text",
    "treeherder-perfherder": "perfherder",
    "pts-log": "pts-log",
}

# What identifies a machine, and no results: told by corpus_dump's as=.
MACHINES = {"cpuinfo": "cpuinfo", "thp-sysfs": "thp"}

NUMBER = r"[-+]?\d[\d.]*(?:e[-+]?\d+)?"
NSEC = {"ns": 1, "us": 1e3, "usec": 1e3, "usecs": 1e3, "microseconds": 1e3, "ms": 1e6, "msec": 1e6, "s": 1e9, "sec": 1e9, "seconds": 1e9}


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))


def table_of(path):
    """A .tsv with # comments: its rows, split at tabs."""
    with open(path, encoding="utf-8") as f:
        return [line.rstrip("\n").split("\t") for line in f if line.strip() and not line.startswith("#")]


def dump(path, context):
    out = subprocess.run([DUMP] + [f"{k}={v}" for k, v in context.items()] + [path], stdout=subprocess.PIPE, check=True)
    return json.loads(out.stdout)


def wants(got, argument):
    """Is this argument of the query what stopped the reader?"""
    errors = [got.get("error")] + [i.get("error") for i in got["items"]]
    return any(p["at"] == argument for e in errors if e for p in e["problems"])


def read(corpus, name, said):
    context = {"format": "auto", "machine": "corpus-01", "filename": os.path.basename(name), **said}
    got = dump(os.path.join(corpus, name), context)
    if "kernel" not in said and wants(got, "kernel"):
        got = dump(os.path.join(corpus, name), {**context, "kernel": "6.16"})
    return got


class Result:
    """A result and what a spot may call it by."""

    def __init__(self, item, result, of):
        self.__dict__.update(result)
        self.part = of      # "first", "last" or "": which of the file's submissions it is in
        self.kernel = item["kernel"]
        self.points = self.values or ([self.mean] if self.mean is not None else [])
        self.key = (self.benchmark, json.dumps(self.params, sort_keys=True), self.metric, self.unit)
        text = " ".join([self.benchmark, self.metric, self.unit, self.original_unit or "", self.kernel] +
                        [f"{k} {v}" for k, v in self.params.items()])
        self.words = set(words(text)) | {self.kernel, self.benchmark}


def words(text):
    """The words of a name, in one spelling: nanosecs-per-call, nanosecs_per_call and NANOSECS/CALL are the same three."""
    same = {"sec": "s", "secs": "s", "second": "s", "seconds": "s", "nanosecs": "ns", "nanoseconds": "ns", "usecs": "us",
            "usec": "us"}
    found = re.findall(r"[A-Za-z]+|\d+(?:\.\d+)?", re.sub(r"\bper\b|_per_|-per-", "/", text))
    return [same.get(w.lower(), w.lower()) for w in found]


class Spot:
    """NAME = VALUE UNIT [-> VALUE UNIT] (lower): a value that must be there."""

    def __init__(self, text):
        m = re.match(rf"(?P<name>.*?) = (?P<value>{NUMBER}) ?(?P<unit>[^(\[>]*?) ?(?:-> (?P<canon>{NUMBER}) ?(?P<cunit>[^(\[]*?) ?)?"
                     r"(?P<note>\((?!lower|higher|neutral).*?\) ?)?\((?P<better>lower|higher|neutral)\b", text)
        self.ok = bool(m)
        if not m:
            return
        self.better = m["better"]
        value = m["canon"] or m["value"]
        self.values = [float(value)]
        self.half_digit = 0.501 * 10.0 ** -len(value.partition(".")[2])
        self.unit = (m["cunit"] if m["canon"] else m["unit"]).strip()
        time = self.unit.split("/")[0].split(" ")[0].lower()
        if time in NSEC and not m["canon"]:
            self.values.append(self.values[0] * NSEC[time])
        self.name = re.sub(r"\(.*?\)", "", m["name"])
        for theirs, ours in SAME_NAMES:
            self.name = self.name.replace(theirs, ours)
        part = re.match(r"(before|after): ", self.name)
        if part:
            self.name = self.name[part.end():]
        self.part = PARTS.get(part[1] if part else re.sub(r".*\[(.*)\]$", r"\1", text))
        self.index = re.search(r"\[(\d+)\]$", self.name)
        if self.index:
            self.name = self.name[:self.index.start()]
            self.index = int(self.index[1])

    def unit_fits(self, result):
        """Time to time, rates to rates; a spot without a unit (or "?") fits any."""
        head = words(self.unit)[:1]
        if not head or self.unit == "?":
            return True
        if head[0] in NSEC:
            return result.unit.split("/")[0] == "ns" or "s" in result.words
        return head[0] in set(words(result.unit)) | set(words(result.original_unit or "")) or self.unit == result.unit

    def found_in(self, results):
        """True; or, where only the direction differs, the one that was found; or "missing"."""
        found = "missing"
        names = [w for w in words(self.name) if w not in ALIASES.get(self.name.split(" ")[-1], ())]
        for r in results:
            if self.part and r.part != self.part:
                continue
            if not set(names) <= r.words or not self.unit_fits(r):
                continue
            points = r.points
            if self.index is not None:
                points = [p for k in results if k.key == r.key for p in k.points][self.index:self.index + 1]
            if any(abs(p - v) <= 1e-8 * abs(v) for p in points for v in self.values):
                if r.better == self.better:
                    return True
                found = r.better
            # a mean or median that somebody else worked out is rounded to the digits it is printed with
            if self.index is None and any(p is not None and abs(p - v) <= self.half_digit * v / self.values[0]
                                          for p in (r.mean, r.median) for v in self.values if len(r.points) > 1):
                if r.better == self.better:
                    return True
                found = r.better
        return found


# What the corpus calls otherwise than the readers do.
SAME_NAMES = [("bogo-ops-per-second-real-time", "ops_per_sec"), ("wokeup_time_ms", "futex/wake latency"),
              (".bw_bytes", " bandwidth"), (".lat_ns.mean", " latency"), ("stats.mean", "mean"),
              ("MMAP.read.latency.us", "mappings latency"), ("MMAP.read_open2close.bandwidth.MB/sec", "Mmap read open2close bandwidth"),
              ("MMAP.read.bandwidth.MB/sec", "Mmap read bandwidth")]
# How spots call the first and the last kernel of a file.
PARTS = {"before": "first", "after": "last", "baseline": "first", "patched": "last"}
# Words of a spot's last part that say what kind of number it is, in the corpus's words and not the reader's.
ALIASES = {"Time": ("time",), "mean": ("mean",), "data": ("data",), "Average": ("average",), "mean_a": ("mean", "a"), "mean_b": ("mean", "b")}


def change_fits(text, results):
    """change = -14.65 % (improvement): of a series' first kernel to its last, by means."""
    m = re.match(rf"change(?: of means)? = ({NUMBER}) % \((improvement|regression)\)", text)
    if not m:
        return None
    series = {}
    for r in results:
        series.setdefault(r.key, []).append(r)
    for of_kernel in series.values():
        if len(of_kernel) < 2 or not of_kernel[0].mean or of_kernel[-1].mean is None:
            continue
        percent = (of_kernel[-1].mean / of_kernel[0].mean - 1) * 100
        good = (percent > 0) == (of_kernel[0].better == "higher")
        if abs(percent - float(m[1])) <= 0.06 + 0.0005 * abs(percent) and good == (m[2] == "improvement"):
            return True
    return False


def spot_fits(text, results, first):
    in_table = table_spots.fits(text, first, results, words)
    if in_table is not None:
        return in_table or "missing"
    other = other_spots.fits(text, results)
    if other is not None:
        return other or "missing"
    by_change = change_fits(text, results)
    if by_change is not None:
        return by_change or "missing"
    spot = Spot(text)
    return spot.found_in(results) if spot.ok else "missing"


def outcome(got, results, failed, not_imported):
    if got.get("error") or not any("results" in i for i in got["items"]):
        return "reject"
    if not results and not failed:
        return "metadata"
    return "partial" if any("error" in i for i in got["items"]) or failed or not_imported else "accept"


# What is not imported of a good file (counters, say) does not make it half good.
FITTING = (("accept", "partial"), ("judge", "accept"), ("judge", "partial"))


class Row:
    """A row of the manifest, and how its file came out."""

    def __init__(self, corpus, row, said):
        self.row, self.name, self.deviations = row, row["file"], []
        self.got = got = read(corpus, self.name, said)
        subs = [i for i in got["items"] if "results" in i]
        everything = [Result(i, r, "first" if i is subs[0] else "last" if i is subs[-1] else "")
                      for i in subs for r in i["results"]]
        self.results = [r for r in everything if r.status == "ok"]
        self.not_imported = [n for i in subs for n in i["not_imported"]]
        self.outcome = outcome(got, self.results, len(everything) - len(self.results), self.not_imported)
        self.formats = {i["format"] for i in subs}
        self.series = len({r.key for r in self.results})
        self.points = sum(len(r.points) for r in self.results)

    def deviates(self, what, got, expected):
        self.deviations.append((what, str(got), expected))

    def check(self):
        row, expect = self.row, self.row["expect"]
        reader = READERS[row["format"]]
        if self.formats - set(reader.split()):
            self.deviates("format", "+".join(sorted(self.formats)), reader)
        if self.outcome != expect and (expect, self.outcome) not in FITTING and not (
                (expect, self.outcome, self.row["n_series"]) == ("accept", "metadata", "0")):
            self.deviates("expect", self.outcome, expect)
        for what in ("series", "points"):
            if str(getattr(self, what)) != row["n_" + what]:
                self.deviates(what, getattr(self, what), row["n_" + what])
        spots = [(f"spot{i}", row[f"spot{i}"]) for i in (1, 2, 3) if row[f"spot{i}"] not in ("-", "")]
        good = 0
        for what, text in spots:
            fits = spot_fits(text, self.results, spots[0][1])
            if fits is True:
                good += 1
            else:
                self.deviates(what, fits, text)
        self.spots = f"{good}/{len(spots)}"

    def reason(self):
        errors = [self.got.get("error")] + [i.get("error") for i in self.got["items"]]
        return next((e["message"] for e in errors if e), "")


def check_readers(corpus, rows, contexts, argued, verbose):
    """Prints the table; returns the number of deviations that nobody argued, and the argued ones that were used."""
    bad, used = 0, set()
    print(f"{'file':<58} {'format':<24} {'expect':<8} {'got':<8} {'series':>6} {'points':>6} spots")
    for row in rows:
        r = Row(corpus, row, contexts.get(row["file"], {}))
        r.check()
        print(f"{r.name:<58} {row['format']:<24} {row['expect']:<8} {r.outcome:<8} {r.series:>6} {r.points:>6} {r.spots}")
        for what, got, expected in r.deviations:
            why = argued.get((r.name, what))
            used.add((r.name, what))
            if why and why[0] == got:
                print(f"    {what}: {got}, expected {expected}: {why[1]}")
            else:
                bad += 1
                print(f"    NOT ARGUED {what}: {got}, expected {expected}" + (f"; argued is {why[0]}" if why else ""))
        if r.reason() and (verbose or row["expect"] != "reject" or r.deviations):
            print(f"    refused: {r.reason()}")
        for n in r.not_imported if verbose else ():
            print(f"    not imported, {n['at']}: {n['message']}")
    return bad, used


def check_others(corpus, rows):
    """Files that hold no results, or are of families without a reader: nobody may take them for his own."""
    claimed = 0
    for row in rows:
        got = read(corpus, row["file"], {})
        if got["sniffed"]:
            claimed += 1
            print(f"NOT ARGUED {row['file']} ({row['format']}): taken for {got['sniffed']}")
    print(f"{len(rows)} files of {len({r['format'] for r in rows})} families that hold no results: {len(rows) - claimed} refused as such")
    return claimed


def check_machines(corpus, rows):
    """Copies of /proc/cpuinfo, and listings of THP's files: the slug, and what else their rows say of them."""
    bad = 0
    for row in rows:
        got = json.loads(subprocess.run([DUMP, "as=" + MACHINES[row["format"]], os.path.join(corpus, row["file"])],
                                        stdout=subprocess.PIPE, check=True).stdout)
        wrong = []
        for text in (row["spot1"], row["spot2"], row["spot3"]):
            name, _, value = text.partition(" = ")
            if name == "slug" and got["slug"] != value:
                wrong.append(f"slug {got['slug']}, expected {value}")
            elif name == "complete" and got["complete"] != value.startswith("yes"):
                wrong.append(f"complete: {got['complete']}, expected {value}")
            elif re.match(r"(family|model|stepping) \d+", text) and not all(
                    f"{k} {v}" in got["ids"] for k, v in re.findall(r"(family|model|stepping) (\d+)", text)):
                wrong.append(f"{got['ids']}, expected {text}")
            elif re.match(r"(part|implementer|pvr|mvendorid) ", text) and not re.search(
                    re.escape(text.partition(" ")[2]).replace("0x0", "0x0?"), got["ids"]):
                wrong.append(f"{got['ids']}, expected {text}")
        print(f"{row['file']:<58} {row['format']:<24} machine  {got['slug']}")
        bad += len(wrong)
        for w in wrong:
            print(f"    NOT ARGUED {w}")
    return bad


def context_of(args):
    return dict(a.split("=", 1) for a in args.split("&"))


def main(argv):
    verbose = "-v" in argv
    argv = [a for a in argv if a != "-v"]
    if not argv:
        sys.exit(__doc__)
    corpus, chosen = argv[0], argv[1:]
    rows = [r for r in rows_of(os.path.join(corpus, "MANIFEST.tsv"))
            if not chosen or any(w in r["file"] for w in chosen)]
    contexts = {r[0]: context_of(r[1]) for r in table_of(os.path.join(HERE, "context.tsv"))}
    argued = {(r[0], r[1]): (r[2], r[3]) for r in table_of(os.path.join(HERE, "..", "corpus_deviations.tsv"))}
    known = [r for r in rows if r["format"] in READERS]
    bad, used = check_readers(corpus, known, contexts, argued, verbose)
    files = {r["file"] for r in known}
    for name, what in sorted(set(argued) - used):
        if name in files:
            bad += 1
            print(f"NOT ARGUED {name}: {what} is argued in corpus_deviations.tsv and deviates no more")
    bad += check_machines(corpus, [r for r in rows if r["format"] in MACHINES])
    bad += check_others(corpus, [r for r in rows if r["format"] not in READERS])
    print(f"{len(known)} files of {len({r['format'] for r in known})} families read, {len(used)} deviations, {bad} not argued")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
