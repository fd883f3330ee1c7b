# SPDX-License-Identifier: GPL-2.0-or-later
"""
The story as uploads: 6.16, then 6.17-rc1, boots and repetitions with noise; the sweep on Milan and, times 1.18, on
Rome; the THP totals on Rome and Milan-X; series that are quiet. The figures are those of the threads (cases.json and
milan_mprotect.csv of the shared seed data).
"""
import csv
import math
import random

from harness import SHARED, submission

SEED = SHARED / "seed"
BEFORE, AFTER, REVERT = "6.16", "6.17-rc1", "v6.17-rc1 with cac1db8c3aad reverted"
THP_2M = {"enabled": "always", "hugepages-2048kB": "always"}
TOTALS = {"rome-01": (6895988972, 2303697782), "milanx-01": (4006750392, 1497733191)}
COMMAND = "taskset -c 2 mprot_tw4m_regsize --prot none,rw --size-kib 4,40,400,4000,40000,400000,4000000,40000000 --reps 5"
UARCH = {"milan-01": "epyc-milan", "rome-01": "epyc-rome", "milanx-01": "epyc-milanx"}


def table():
    """size_kib -> nsec/call of the three kernels."""
    rows = {}
    with open(SEED / "milan_mprotect.csv") as f:
        for row in csv.DictReader(f):  # kernel by kernel
            rows.setdefault(int(row["size_kib"]), []).append(float(row["nsec_per_call"]))
    return rows


class Story:
    """Noise of a boot: the same for all its results with odd seeds, each result's own with even ones."""

    def __init__(self, seed, quiet=400, boots=3, reps=5, noise=.01):
        self.random = random.Random(seed)
        self.shared, self.boots, self.reps, self.noise = seed % 2, boots, reps, noise
        self.sweep = table()
        self.quiet = [(f"quiet/q{i:03d}", ("milan-01", "rome-01")[i % 2], math.exp(self.random.uniform(0, 12)))
                      for i in range(quiet)]

    def result(self, benchmark, value, shift, size=None):
        if not self.shared:
            shift = self.random.gauss(0, self.noise)
        values = [value * math.exp(shift + self.random.gauss(0, self.noise / 4)) for _ in range(self.reps)]
        total = benchmark == "mprotect/thp-total"
        return {"benchmark": benchmark, "params": {"size_kib": size} if size else {}, "values": values, "better": "lower",
                "metric": "total" if total else "latency", "unit": "unstated" if total else "ns/call"}

    def upload(self, kernel, at, machine, boot, thp="never"):
        """at: column of the table."""
        shift, results = self.random.gauss(0, self.noise), []
        if thp == "never":
            factor = {"milan-01": 1, "rome-01": 1.18}[machine]
            results = [self.result("mprotect/tw4m", row[at] * factor, shift, size) for size, row in self.sweep.items()]
            results += [self.result(name, value, shift) for name, where, value in self.quiet
                        if where == machine and at < 2]
        else:
            results = [self.result("mprotect/thp-total", TOTALS[machine][at], shift)]
        source = {"tool": "mprot_tw4m_regsize", "command": COMMAND} if thp == "never" else None
        return {**submission(kernel, thp=thp, boot_id=f"{machine}-{kernel}-{thp != 'never'}-{boot}", results=results, source=source),
                "machine": {"name": machine, "isa": "x86_64", "uarch": UARCH[machine]}}

    def kernels(self):
        """All of 6.16, then all of 6.17-rc1; machines in any order."""
        for at, kernel in enumerate((BEFORE, AFTER)):
            jobs = [(machine, boot, thp) for boot in range(self.boots) for machine, thp in
                    (("milan-01", "never"), ("rome-01", "never"), ("rome-01", THP_2M), ("milanx-01", THP_2M))]
            self.random.shuffle(jobs)
            for machine, boot, thp in jobs:
                yield self.upload(kernel, at, machine, boot, thp)

    def revert(self):
        for boot in range(self.boots):
            for machine in ("milan-01", "rome-01"):
                yield self.upload(REVERT, 2, machine, boot)
