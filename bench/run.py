#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
make bench: the product, the least that libpq alone can do, and a rival, one after the other in
each round, on one machine and one database. Only ratios within a round mean something. Prints
a table, writes BUILD/bench/results.json, and fails where a bound is missed.

  BUILD         where the programs are, and where results go (build)
  BENCH_SCALE   full: 10 million samples; middle: trends as long, fewer of them; small: a quarter of a million
  BENCH_ROUNDS  5
  BENCH_SECONDS of each measurement, in place of the scale's
  BENCH_DATA    a folder for the database, kept for the next run; without it one that goes away
  BENCH_ONLY    only measurements whose name matches this regular expression
  BENCH_RIVAL   the folder of the Node rival's app.js
"""
import contextlib
import os
import pathlib
import shutil
import sys
import tempfile
import time

import place  # first: it finds the harness of the tests
import data
import fill
import harness
import hits
import report
import rounds
import singles
from place import OUT, ROOT, say


class Places:
    """The databases and servers; those that only one row needs are made when it is measured."""

    def __init__(self, stack, cluster, scale):
        self.stack, self.cluster, self.scale = stack, cluster, scale
        self.reader = place.Product(stack, cluster, "reads")
        self.writer = place.Product(stack, cluster, "writes")
        if self.reader.new:
            fill.history(cluster, self.reader, scale, bare=True)
        data.write_queries(OUT, scale, lambda statement: harness.sql(self.reader.conninfo, statement))
        with place.timed("tables of the probes and first uploads"):
            fill.uploads(cluster, self.writer, scale)
        self.reads_rival = self.writes_rival = self._others = None
        folder, why_not = place.install_rival() if rounds.wanted("rival") else (None, "not wanted")
        if why_not:
            say(f"bench: without the Node rival: {why_not}")
        else:
            self.reads_rival = place.Rival(stack, folder, cluster, "reads")
            self.writes_rival = place.Rival(stack, folder, cluster, "writes")

    def checkpoint(self, conninfo):
        self.cluster.psql(conninfo, "-c", "CHECKPOINT")

    @property
    def others(self):
        """Alerts and repetitions."""
        if not self._others:
            self._others = place.Product(self.stack, self.cluster, "others")
            if self._others.new:
                with place.timed(f"{self.scale.alerts} alerts"):
                    fill.alerts(self.cluster, self._others, self.scale)
        return self._others

    @property
    def hits(self):
        return hits.Hits(self.stack, self.reader.api)

    @property
    def repetitions(self):
        return fill.repetitions(self.others)

    @property
    def detect(self):
        product = place.Product(self.stack, self.cluster, "detect")
        if product.new:
            fill.history(self.cluster, product, data.DETECT)
        return singles.Detect(self.stack, product)


def measure(bench, n):
    out, loads = [], []
    loads.append(os.getloadavg()[0])  # before the first: what others do here meanwhile
    if loads[0] > os.cpu_count() / 4:
        say(f"  note: others keep this machine busy (load {loads[0]:.1f}); ratios will spread")
    for i in range(n):
        began = time.monotonic()
        out.append(bench.round(backwards=i % 2 == 1))  # a machine that slows down does so for both
        loads.append(os.getloadavg()[0])
        say(f"round {i + 1} of {n}: {time.monotonic() - began:.0f} s, load {loads[-1]:.1f}")
    return out, loads


@contextlib.contextmanager
def folder_for_data():
    """The one that is kept, or one that goes away."""
    kept = os.environ.get("BENCH_DATA")
    folder = pathlib.Path(kept or tempfile.mkdtemp(prefix="nsw-bench-")).resolve()
    yield folder
    if not kept:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    scale = {"full": data.FULL, "middle": data.MIDDLE, "small": data.SMALL}[os.environ.get("BENCH_SCALE") or "full"]
    n_rounds = int(os.environ.get("BENCH_ROUNDS") or 5)
    scale.seconds = float(os.environ.get("BENCH_SECONDS") or scale.seconds)
    OUT.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(folder_for_data())
        say(f"bench: {scale.name} scale: {scale.series} series, {scale.samples} samples; "
            f"{n_rounds} rounds of {scale.seconds} s a measurement")
        cluster = place.Cluster(folder)
        stack.callback(cluster.pg, "stop")
        bench = rounds.Bench(scale, Places(stack, cluster, scale))
        all_rounds, loads = measure(bench, n_rounds)
    measured = report.summary(all_rounds)
    rows = [r for r in (want.of(all_rounds) for want in report.wanted()) if r]
    report.write(OUT / "results.json", {
        "scale": scale.name, "series": scale.series, "samples": scale.samples, "seconds": scale.seconds, "loads": loads,
        "measured": measured, "rows": rows, "rounds": all_rounds})
    say("\n" + report.text(measured, rows))
    missed = [r["label"] for r in rows if r["passed"] is False]
    say(f"\n{OUT.relative_to(ROOT)}/results.json has all rounds; "
        f"{len(missed)} of {sum(r['passed'] is not None for r in rows)} bounds missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
