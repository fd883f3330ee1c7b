#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
make bench-soak: uploads and reads together at 80 % of what this machine can do, for SOAK_MINUTES (30), and the memory of
serve, watch and PostgreSQL meanwhile. Fails where one of them grows.

The rule: of anonymous memory (shared buffers are not anybody's own), sampled every few seconds, the median of the last
third is at most 5 % or 8 MiB, whichever is more, above the median of the third before it. The first third is for filling
caches. Writes BUILD/bench/soak.json.
"""
import contextlib
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

import place  # first: it finds the harness of the tests
import data
import fill
import harness
from place import OUT, ROOT, say
from run import folder_for_data

SHARE = 0.8
RESULTS = 8  # of an upload: half an hour of them still fits on a disk
GROWS_PERCENT, GROWS_MIB = 5, 8
LIMIT_SECONDS = 10
READERS, WRITERS = 4, 16


def anonymous_mib(pids):
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError):  # one that has ended
            found = re.search(r"RssAnon:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text())
            total += int(found.group(1)) if found else 0
    return total / 1024


def children(pid):
    """Of PostgreSQL: one process a connection, and its own."""
    return [pid, *map(int, pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]


class Soak:
    def __init__(self, stack, cluster):
        self.product = place.Product(stack, cluster, "soak")
        if self.product.new:
            fill.history(cluster, self.product, data.SMALL)
        data.write_queries(OUT, data.SMALL, lambda statement: harness.sql(self.product.conninfo, statement))
        data.write_bodies(OUT / "soak.bodies", data.uploads(data.SMALL, RESULTS))
        watch = harness.Process("watch", "--db", self.product.conninfo, log=OUT / "soak-watch.log").start()
        stack.callback(watch.stop)
        postmaster = int((cluster.folder / "data/postmaster.pid").read_text().split()[0])
        self.parts = {"serve": lambda: [self.product.server.process.pid], "watch": lambda: [watch.process.pid],
                      "PostgreSQL": lambda: children(postmaster)}

    def start(self, clients, seconds, rate, *args):
        env = {**os.environ, **({"BENCH_RATE": f"{rate:.2f}"} if rate else {})}
        port = self.product.server.port
        return subprocess.Popen([OUT / "load", str(port), str(clients), f"{seconds:.1f}", *map(str, args)], stdout=subprocess.PIPE,
                                text=True, env=env)

    def both(self, seconds, post_rate=None, read_rate=None):
        """Uploads and reads at once."""
        return (self.start(WRITERS, seconds, post_rate, "post", "/api/v1/runs", OUT / "soak.bodies",
                           f"Authorization: Bearer {self.product.token}"),
                self.start(READERS, seconds, read_rate, "get", OUT / "trend.paths"))

    def sample(self):
        return {name: round(anonymous_mib(pids()), 2) for name, pids in self.parts.items()}


def numbers(process):
    text, _ = process.communicate()
    if process.returncode:
        raise SystemExit("bench: a load ended early")
    return json.loads(text)


def size(conninfo):
    return harness.sql(conninfo, "SELECT pg_database_size(current_database())")[0][0]


def limit(soak, seconds):
    """Uploads and reads a second together; refuses what the disk can't hold."""
    before = size(soak.product.conninfo)
    found = [numbers(p) for p in soak.both(LIMIT_SECONDS)]
    grows = (size(soak.product.conninfo) - before) * seconds / LIMIT_SECONDS * SHARE
    free = shutil.disk_usage(OUT).free
    if grows > free * 0.8:
        raise SystemExit(f"bench: so many uploads take {grows / 2**30:.1f} GiB in that time, and {free / 2**30:.1f} GiB are"
                         " free: SOAK_MINUTES=... less")
    return [one["per_s"] for one in found]


def verdict(samples):
    """Of each part: the two medians, and whether it is flat."""
    out = {}
    third = len(samples) // 3
    for name in samples[0]:
        middle = statistics.median(s[name] for s in samples[third:2 * third])
        last = statistics.median(s[name] for s in samples[2 * third:])
        most = middle + max(middle * GROWS_PERCENT / 100, GROWS_MIB)
        out[name] = {"first": samples[0][name], "middle": middle, "last": last, "most": most, "flat": last <= most}
    return out


def run(soak, minutes):
    seconds = minutes * 60
    posts, reads = limit(soak, seconds)
    say(f"limit, both at once: {posts:.0f} uploads of {RESULTS} results and {reads:.0f} trends a second; "
        f"now {minutes:g} minutes at {SHARE:.0%} of it")
    loads = soak.both(seconds, posts * SHARE, reads * SHARE)
    pause, samples = max(1, seconds / 300), []
    while all(p.poll() is None for p in loads):
        samples.append(soak.sample())
        time.sleep(pause)
    done = [numbers(p) for p in loads]
    for name, m, rate in (("uploads", done[0], posts), ("trends", done[1], reads)):
        say(f"{name}: {m['per_s']:.0f} a second ({m['per_s'] / rate:.0%} of the limit), p50 {m['p50_ms']:.1f} ms, "
            f"p99 {m['p99_ms']:.1f} ms, {m['bad']} failed")
    return samples, done


def main():
    minutes = float(os.environ.get("SOAK_MINUTES") or 30)
    OUT.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        cluster = place.Cluster(stack.enter_context(folder_for_data()))
        stack.callback(cluster.pg, "stop")
        samples, done = run(Soak(stack, cluster), minutes)
    if len(samples) < 9:
        raise SystemExit("bench: too short to tell: SOAK_MINUTES=1 at least")
    parts = verdict(samples)
    failed = sum(m["bad"] for m in done)
    results = {"minutes": minutes, "samples": samples, "loads": done, "parts": parts}
    (OUT / "soak.json").write_text(json.dumps(results) + "\n")
    say(f"\n{'anonymous memory, MiB':<24}{'first':>8}{'middle third':>14}{'last third':>12}{'may be':>10}")
    for name, p in parts.items():
        say(f"{name:<24}{p['first']:>8.1f}{p['middle']:>14.1f}{p['last']:>12.1f}{p['most']:>10.1f}"
            f"  {'flat' if p['flat'] else 'GROWS'}")
    say(f"{OUT.relative_to(ROOT)}/soak.json has all {len(samples)} samples")
    return 1 if failed or not all(p["flat"] for p in parts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
