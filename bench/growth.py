#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
make bench-growth: the same questions and uploads where there are 1, 10 and 50 million samples (more series, each with 500
points), side by side in each round. Prints a table, writes BUILD/bench/growth.json, fails where a bound is missed.

  GROWTH        which of the databases, as "1 10" (1 10 50)
  BENCH_SCALE   small: 25 times fewer kernels, so a quick look
  BENCH_ROUNDS, BENCH_DATA, BUILD   as in run.py. All three take about 6 GB.
"""
import contextlib
import math
import os
import shutil
import sys

import place  # first: it finds the harness of the tests
import data
import fill
import harness
import report
import rounds
from place import OUT, ROOT, say
from run import folder_for_data, measure

BENCHMARKS = {1: 21, 10: 208, 50: 1042}  # x 96 series x 500 kernels
PER_DECADE = 1.3
SHARE = "&benchmark=bench/b00*"  # of a comparison: 960 series, whatever else there is
BYTES = 130  # a sample, its index, what is written ahead, and room to sort
CLIENTS = 4


class Grown:
    def __init__(self, stack, cluster, millions, kernels, seconds):
        self.name = f"grow{millions}k{kernels}"
        self.scale = data.Scale(self.name, BENCHMARKS[millions], kernels, seconds)
        self.product = place.Product(stack, cluster, self.name)
        if self.product.new:
            need, free = self.scale.samples * BYTES, shutil.disk_usage(cluster.folder).free
            if need > free * 0.8:
                raise SystemExit(f"bench: {self.scale.samples} samples take {need >> 20} MiB, and {free >> 20} MiB are free")
            say(f"{self.scale.samples} samples:")
            fill.history(cluster, self.product, self.scale)
        self.folder = OUT / self.name
        self.folder.mkdir(exist_ok=True)
        data.write_queries(self.folder, self.scale, lambda statement: harness.sql(self.product.conninfo, statement))
        paths = self.folder / "compare.paths"
        data.write_lines(paths, (line + SHARE for line in paths.read_text().splitlines()))
        self.few = data.Scale("few", BENCHMARKS[1], kernels, seconds)


class Work(rounds.Bench):
    """Reads in one round, or uploads: what is uploaded is no part of what the others read."""

    def __init__(self, grown, uploads):
        self.asked, self.work = {}, {}
        for one in grown:
            self.scale, self.reader = one.scale, one.product
            if uploads:
                bodies = one.folder / "post-64.bodies"
                data.write_bodies(bodies, data.uploads(one.few, 64))
                self.work[f"post-{one.name}"] = self.asking(one, "post", "/api/v1/runs", bodies,
                                                            f"Authorization: Bearer {one.product.token}")
            else:
                for what in ("trend", "compare"):
                    self.work[f"{what}-{one.name}"] = self.asking(one, "get", one.folder / f"{what}.paths", fresh=True)

    def asking(self, one, *args, **more):
        def ask():
            self.reader = one.product
            clients = 1 if "compare" in str(args[1]) else CLIENTS
            return self.load(one.product.server.port, clients, *args, **more)
        return ask


def rows(grown, all_rounds):
    out = []
    for less, more in zip(grown, grown[1:]):
        decades = math.log10(more.scale.samples / less.scale.samples)
        for what in ("trend", "compare", "post"):
            label = f"{what}, p50: {more.scale.samples / 1e6:.3g} M samples / {less.scale.samples / 1e6:.3g} M"
            out.append(report.Ratio(15, label, f"{what}-{more.name}", f"{what}-{less.name}", "p50_ms",
                                    ceiling=round(PER_DECADE ** decades, 2)).of(all_rounds))
    return [row for row in out if row]


def main():
    small = os.environ.get("BENCH_SCALE") == "small"
    n_rounds = int(os.environ.get("BENCH_ROUNDS") or 5)
    OUT.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        cluster = place.Cluster(stack.enter_context(folder_for_data()))
        stack.callback(cluster.pg, "stop")
        grown = [Grown(stack, cluster, int(m), 20 if small else 500, 0.5 if small else 2.0)
                 for m in (os.environ.get("GROWTH") or "1 10 50").split()]
        reads, loads = measure(Work(grown, uploads=False), n_rounds)
        posts, more_loads = measure(Work(grown, uploads=True), n_rounds)
    all_rounds = [{**r, **p} for r, p in zip(reads, posts)]
    measured, found = report.summary(all_rounds), rows(grown, all_rounds)
    report.write(OUT / "growth.json", {"scale": "growth", "loads": loads + more_loads, "measured": measured, "rows": found,
                                       "rounds": all_rounds})
    say("\n" + report.text(measured, found))
    missed = sum(r["passed"] is False for r in found)
    say(f"\n{OUT.relative_to(ROOT)}/growth.json has all rounds; {missed} of {len(found)} bounds missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
