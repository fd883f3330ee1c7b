#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes demo/generated.json: invented runs, so that Trend and Matrix have something to show.

Two machines (named generated-*) run the mprotect sweep on each mainline kernel from 6.12
to 6.17-rc7, three boots of five repetitions, with the step of the story at 6.17-rc1.
The same output every time. usage: tools/demo.py > demo/generated.json
"""
import hashlib
import json
import math
import sys
import uuid

KERNELS = [  # name, the day after its release
    ("6.12", "2024-11-18"), ("6.13", "2025-01-20"), ("6.14", "2025-03-25"), ("6.15", "2025-05-26"),
    ("6.16-rc1", "2025-06-09"), ("6.16-rc4", "2025-06-30"), ("6.16-rc7", "2025-07-21"), ("6.16", "2025-07-28"),
    ("6.17-rc1", "2025-08-11"), ("6.17-rc2", "2025-08-18"), ("6.17-rc3", "2025-08-25"), ("6.17-rc4", "2025-09-01"),
    ("6.17-rc5", "2025-09-08"), ("6.17-rc6", "2025-09-15"), ("6.17-rc7", "2025-09-22"),
]
STEP = "6.17-rc1"
BOOTS, REPETITIONS = 3, 5
SIZES = [4, 400, 4000, 400000]

# ns/call before the step by size, and what the step does to it, by THP mode
MACHINES = [
    {"machine": {"name": "generated-milan", "isa": "x86_64", "uarch": "epyc-milan", "virtualized": False},
     "before": [1713, 3453, 18804, 1699301],
     "step": {"never": [1.04, 1.74, 2.35, 2.50], "always": [1.01, 0.92, 0.45, 0.38]}},
    {"machine": {"name": "generated-altra", "isa": "aarch64", "uarch": "neoverse-n1", "virtualized": True},
     "before": [1320, 4110, 31250, 2968000],
     "step": {"never": [1.02, 1.35, 1.71, 1.83], "always": [1.00, 0.97, 0.74, 0.69]}},
]
ALWAYS_FASTER = 0.55  # large sizes, THP always against never, before the step


def normal(*key):
    """A standard normal number that belongs to the key."""
    digest = hashlib.sha256("/".join(map(str, key)).encode()).digest()
    u = (int.from_bytes(digest[:8], "big") + 0.5) / 2**64
    v = int.from_bytes(digest[8:16], "big") / 2**64
    return math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * v)


def level(machine, thp, after, i):
    y = machine["before"][i]
    if thp == "always" and SIZES[i] >= 4000:
        y *= ALWAYS_FASTER
    return y * machine["step"][thp][i] if after else y


def run(machine, thp, kernel, day, boot):
    name = machine["machine"]["name"]
    after = [k for k, _ in KERNELS].index(kernel) >= [k for k, _ in KERNELS].index(STEP)
    key = f"{name}/{kernel}/{thp}/{boot}"
    results = []
    for i, size in enumerate(SIZES):
        center = level(machine, thp, after, i) * math.exp(0.006 * normal(key, size))
        values = [round(center * math.exp(0.008 * normal(key, size, n)), 1) for n in range(REPETITIONS)]
        results.append({"benchmark": "mprotect/tw4m", "params": {"size_kib": size}, "metric": "latency",
                        "unit": "ns/call", "better": "lower", "values": values})
    return {
        "schema": "nsecwatch.submission/1",
        "run_id": str(uuid.uuid5(uuid.NAMESPACE_URL, f"nsecwatch-demo/{key}")),
        "machine": machine["machine"],
        "kernel": f"v{kernel}",
        "config": {"thp": {"enabled": thp}, "base_page_kib": 4},
        "boot_id": str(uuid.uuid5(uuid.NAMESPACE_URL, f"nsecwatch-demo/boot/{key}")),
        "started_at": f"{day}T{8 + 2 * boot:02d}:{30 if thp == 'always' else 0:02d}:00Z",
        "source": {"tool": "tools/demo.py"},
        "labels": {"generated": "true"},
        "results": results,
    }


def runs():
    for machine in MACHINES:
        for kernel, day in KERNELS:
            for boot in range(BOOTS):
                yield run(machine, "never", kernel, day, boot)
                if kernel in ("6.16", "6.17-rc1", "6.17-rc7"):
                    yield run(machine, "always", kernel, day, boot)


def main():
    out = (json.dumps(r, separators=(",", ":")) for r in runs())
    sys.stdout.write("[" + ",\n".join(out) + "]\n")


main()
