#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A generated lab: 12 machines x 5 THP modes x 40 kernels x 30 benchmarks, posted as a lab would post it.

Machines are named generated-*, steps are planted (STEPS) and everything else is noise, the same each time. With
--server it starts one (a folder of its own, kept), fills it unless it is full, says where it is and stays until
interrupted; with --url and --token it fills one that runs.
usage: tools/demo_large.py --server build/nsecwatchd [--data DIR] [--listen ADDR] | --url URL --token TOKEN  [--boots N] [--fill-only]
"""
import argparse
import datetime
import fnmatch
import gzip
import hashlib
import json
import math
import random
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
import uuid

MACHINES = [  # name, isa, uarch, virtualized, how slow against the first, CPU
    ("rome", "x86_64", "epyc-rome", False, 1.15, "AMD EPYC 7742 64-Core Processor"),
    ("milan", "x86_64", "epyc-milan", False, 1.0, "AMD EPYC 7763 64-Core Processor"),
    ("milanx", "x86_64", "epyc-milanx", False, 0.98, "AMD EPYC 7773X 64-Core Processor"),
    ("genoa", "x86_64", "epyc-genoa", False, 0.84, "AMD EPYC 9654 96-Core Processor"),
    ("bergamo", "x86_64", "epyc-bergamo", False, 0.97, "AMD EPYC 9754 128-Core Processor"),
    ("icelake", "x86_64", "icelake-server", False, 1.1, "Intel(R) Xeon(R) Platinum 8380 CPU @ 2.30GHz"),
    ("sapphire", "x86_64", "sapphire-rapids", False, 0.95, "Intel(R) Xeon(R) Platinum 8480+"),
    ("skylake-laptop", "x86_64", "skylake-client", False, 1.3, "Intel(R) Core(TM) i7-6820HQ CPU @ 2.70GHz"),
    ("altra", "aarch64", "neoverse-n1", True, 1.25, "Neoverse-N1"),
    ("graviton3", "aarch64", "neoverse-v1", True, 1.05, "Neoverse-V1"),
    ("power10", "ppc64le", "power10", True, 1.2, "POWER10 (architected), altivec supported"),
    ("vf2", "riscv64", "sifive-u74", False, 6.5, "sifive,u74-mc"),
]
THP = [
    {"enabled": "never"},
    {"enabled": "madvise"},
    {"enabled": "always"},
    {"enabled": "always", "hugepages-64kB": "always"},
    {"enabled": "never", "hugepages-64kB": "always"},
]
MAINLINE = ["6.12", "6.13-rc1", "6.13-rc4", "6.13", "6.14-rc1", "6.14-rc4", "6.14", "6.15-rc1", "6.15-rc4", "6.15",
            "6.16-rc1", "6.16-rc4", "6.16-rc7", "6.16", "6.17-rc1", "6.17-rc2", "6.17-rc3", "6.17-rc4", "6.17-rc5",
            "6.17-rc6", "6.17-rc7", "6.17", "6.18-rc1", "6.18-rc2", "6.18-rc3", "6.18-rc4"]
OTHERS = ["6.12.10", "6.12.20", "6.12.30", "6.12.40", "6.12.50", "6.16.1", "6.16.3", "6.16.5", "6.16.7",
          "next-20250905", "next-20250912", "next-20250919", "next-20251003", "next-20251017"]
KERNELS = [(k, datetime.date(2024, 11, 18) + datetime.timedelta(days=13 * i)) for i, k in enumerate(MAINLINE)]
KERNELS += [(k, datetime.date(2025, 9, 1) + datetime.timedelta(days=5 * i)) for i, k in enumerate(OTHERS)]

SIZES = [4, 64, 512, 2048, 16384, 131072, 1048576, 4194304]  # KiB
SWEEPS = {  # fixed ns a call, ns a page
    "mprotect/tw4m": (1700, 17), "mremap/grow": (2300, 9.5), "munmap/range": (1500, 6.1), "fork/rss": (52000, 4.2),
    "fault/anon": (260, 118), "madvise/dontneed": (900, 11),
}
SINGLES = [  # name, metric, unit, better, on the first machine
    ("stress-ng/bigheap", "realloc_calls_per_sec", "calls/s", "higher", 143857),
    ("stress-ng/mmapfork", "ops_per_sec", "ops/s", "higher", 812),
    ("stress-ng/vm", "ops_per_sec", "ops/s", "higher", 92110),
    ("stress-ng/pagemove", "ops_per_sec", "ops/s", "higher", 3391),
    ("will-it-scale/page_fault1", "per_process_ops", "ops/s", "higher", 512344),
    ("will-it-scale/page_fault2", "per_process_ops", "ops/s", "higher", 447181),
    ("will-it-scale/brk1", "per_process_ops", "ops/s", "higher", 2210043),
    ("will-it-scale/mmap1", "per_process_ops", "ops/s", "higher", 1310221),
    ("lmbench/lat_pagefault", "latency", "ns", "lower", 251),
    ("lmbench/lat_mmap", "latency", "ns", "lower", 11240),
    ("lmbench/lat_ctx", "latency", "ns", "lower", 3310),
    ("lmbench/lat_proc_fork", "latency", "ns", "lower", 123400),
    ("lmbench/lat_proc_exec", "latency", "ns", "lower", 402100),
    ("lmbench/lat_syscall_null", "latency", "ns", "lower", 71.2),
    ("libmicro/mprot_tw4m", "latency", "ns/call", "lower", 2140),
    ("libmicro/mmap_rw8m", "latency", "ns/call", "lower", 5120),
    ("libmicro/munmap_wz8m", "latency", "ns/call", "lower", 88300),
    ("libmicro/fork_1000", "latency", "ns/call", "lower", 240100),
    ("hackbench/pipe-process", "time", "ns", "lower", 4.31e9),
    ("hackbench/socket-thread", "time", "ns", "lower", 5.02e9),
    ("perf-bench/mem_memcpy", "throughput", "bytes/s", "higher", 14.2e9),
    ("perf-bench/sched_messaging", "time", "ns", "lower", 221e6),
    ("perf-bench/futex_hash", "throughput", "ops/s", "higher", 5310000),
    ("google-benchmark/mprotect_bench", "real_time", "ns", "lower", 85967),
]


def big(thp):
    return thp["enabled"] == "always"


# Planted: benchmark, uarch, whether this THP mode, from which mainline kernel on, factor of the cost of a page (of
# all of it, where there are no sizes), and whether the fixed cost moves, too.
STEPS = [
    ("mprotect/tw4m", "epyc-*", lambda t: not big(t), "6.17-rc1", 2.5, False),
    ("mprotect/tw4m", "epyc-*", big, "6.17-rc1", 0.36, False),
    ("mprotect/tw4m", "neoverse-*", lambda t: True, "6.17-rc1", 1.8, False),
    ("mprotect/tw4m", "*", lambda t: not big(t), "6.18-rc2", 0.86, False),
    ("mremap/grow", "*", lambda t: True, "6.16-rc4", 1.43, True),
    ("mremap/grow", "*", lambda t: True, "6.17-rc3", 0.71, True),
    ("fault/anon", "*", lambda t: t["enabled"] == "always", "6.18-rc3", 1.12, False),
    ("fork/rss", "neoverse-*", lambda t: True, "6.15-rc1", 0.8, True),
    ("madvise/dontneed", "icelake-server", lambda t: True, "6.18-rc4", 1.31, True),
    ("stress-ng/bigheap", "*", lambda t: True, "6.17-rc1", 0.567, True),
    ("stress-ng/bigheap", "*", lambda t: True, "6.17-rc5", 1.70, True),
    ("will-it-scale/page_fault1", "*-rapids", lambda t: True, "6.18-rc1", 0.93, True),
    ("lmbench/lat_syscall_null", "skylake-client", lambda t: True, "6.18-rc1", 1.22, True),
    ("libmicro/munmap_wz8m", "power10", lambda t: True, "6.14-rc1", 0.64, True),
    ("hackbench/pipe-process", "*", lambda t: True, "6.15-rc1", 1.06, True),
    ("perf-bench/futex_hash", "epyc-bergamo", lambda t: True, "6.18-rc4", 0.81, True),
]
REPETITIONS = 3
BATCH = 24  # submissions a POST


def base_of(kernel):
    """The mainline kernel whose code a kernel has: a stable release has its release's, a day of next the newest rc's."""
    if kernel in MAINLINE:
        return kernel
    if kernel.startswith("next-"):
        return "6.17-rc7" if kernel < "next-202510" else "6.18-rc1"
    return re.match(r"\d+\.\d+", kernel)[0]


def factor(benchmark, uarch, thp, kernel, fixed):
    at = MAINLINE.index(base_of(kernel))
    f = 1.0
    for name, who, mode, since, by, too in STEPS:
        if name == benchmark and fnmatch.fnmatch(uarch, who) and mode(thp) and at >= MAINLINE.index(since):
            f *= by if too or not fixed else 1.0
    return f


def values(center, noise, rng):
    boot = center * math.exp(noise * rng.gauss(0, 1))
    return [float(f"{boot * math.exp(noise * rng.gauss(0, 1)):.6g}") for _ in range(REPETITIONS)]


def noise_of(benchmark, uarch):
    """Standard deviation of ln: 0.3 % to 1.5 %, by benchmark and machine."""
    digest = hashlib.sha256(f"{benchmark}/{uarch}".encode()).digest()
    return 0.003 + 0.012 * digest[0] / 255


def results(uarch, slow, thp, kernel, rng):
    for name, (fixed, page) in SWEEPS.items():
        for size in SIZES:
            cost = page * (0.55 if big(thp) and size >= 2048 else 1) * factor(name, uarch, thp, kernel, False)
            center = slow * (fixed * factor(name, uarch, thp, kernel, True) + cost * size / 4)
            yield {"benchmark": name, "params": {"size_kib": size}, "metric": "latency", "unit": "ns/call", "better": "lower",
                   "values": values(center, noise_of(name, uarch), rng)}
    for name, metric, unit, better, first in SINGLES:
        center = first * (slow if better == "lower" else 1 / slow) * factor(name, uarch, thp, kernel, False)
        yield {"benchmark": name, "metric": metric, "unit": unit, "better": better,
               "values": values(center, noise_of(name, uarch), rng)}


def environment(kernel, thp):
    at = [k for k, _ in KERNELS].index(kernel)
    return {"governor": "performance", "smt": "on", "microcode": "0xa0011d3" if at < 14 else "0xa0011d7",
            "compiler": "gcc 14.2" if at < 20 else "gcc 15.1", "cmdline": f"ro quiet transparent_hugepage={thp['enabled']}"}


def run(machine, thp, kernel, day, boot):
    name, isa, uarch, virtual, slow, model = machine
    key = f"generated-{name}/{json.dumps(thp)}/{kernel}/{boot}"
    rng = random.Random(key)
    start = datetime.datetime.combine(day, datetime.time(6)) + datetime.timedelta(hours=2 * boot, minutes=7 * THP.index(thp))
    return {
        "schema": "nsecwatch.submission/1",
        "run_id": str(uuid.uuid5(uuid.NAMESPACE_URL, "nsecwatch-demo-large/" + key)),
        "machine": {"name": f"generated-{name}", "isa": isa, "uarch": uarch, "virtualized": virtual, "cpu": {"model_name": model}},
        "kernel": f"v{kernel}" if kernel[0].isdigit() else kernel,
        "config": {"thp": thp, "base_page_kib": 4},
        "environment": environment(kernel, thp),
        "boot_id": str(uuid.uuid5(uuid.NAMESPACE_URL, "nsecwatch-demo-large/boot/" + key)),
        "started_at": start.isoformat() + "Z",
        "source": {"tool": "tools/demo_large.py"},
        "labels": {"generated": "true"},
        "results": list(results(uarch, slow, thp, kernel, rng)),
    }


def runs(boots):
    for kernel, day in sorted(KERNELS, key=lambda k: k[1]):
        for machine in MACHINES:
            for thp in THP:
                for boot in range(boots):
                    yield run(machine, thp, kernel, day, boot)


def post(url, token, body):
    ask = urllib.request.Request(url + "/api/v1/runs", data=gzip.compress(json.dumps(body).encode(), 1), method="POST",
                                 headers={"authorization": f"Bearer {token}", "content-type": "application/json",
                                          "content-encoding": "gzip"})
    try:
        with urllib.request.urlopen(ask) as answer:
            items = json.load(answer)["items"]
    except urllib.error.HTTPError as e:
        sys.exit(f"demo_large: {url} answered {e.code}: {e.read().decode()[:500]}")
    bad = [i for i in items if i["status"] not in ("stored", "duplicate")]
    if bad:
        sys.exit(f"demo_large: not stored: {json.dumps(bad[0])[:500]}")
    return sum(i["status"] == "stored" for i in items)


def fill(url, token, boots):
    total = len(KERNELS) * len(MACHINES) * len(THP) * boots
    done = stored = 0
    batch = []
    for one in runs(boots):
        batch.append(one)
        if len(batch) == BATCH or done + len(batch) == total:
            stored += post(url, token, batch)
            done += len(batch)
            batch = []
            print(f"\rdemo_large: {done} of {total} runs", end="", file=sys.stderr, flush=True)
    print(f"\rdemo_large: {total} runs are in {url}, {stored} of them new", file=sys.stderr)


def serve(args):
    server = subprocess.Popen([args.server, "up", "--data", args.data, "--listen", args.listen], stdout=subprocess.PIPE, text=True)
    for line in server.stdout:
        print(line, end="", flush=True)
        found = re.search(r"is ready\s+(http://\S+?)/?\s*$", line)
        if found:
            break
    else:
        sys.exit("demo_large: the server did not start")
    try:
        with open(f"{args.data}/admin.token", encoding="ascii") as f:
            fill(found[1], f.read().strip(), args.boots)
        if not args.fill_only:
            print("Ctrl-C stops it.", flush=True)
            server.wait()
    except KeyboardInterrupt:
        pass
    finally:
        if server.poll() is None:
            server.send_signal(signal.SIGTERM)
        server.wait()


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("--server")
    p.add_argument("--data", default="var/large")
    p.add_argument("--listen", default="127.0.0.1:8081")
    p.add_argument("--url")
    p.add_argument("--token")
    p.add_argument("--boots", type=int, default=2)
    p.add_argument("--fill-only", action="store_true", help="with --server: stop it when it is full")
    args = p.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if args.server:
        serve(args)
    elif args.url and args.token:
        fill(args.url.rstrip("/"), args.token, args.boots)
    else:
        p.error("--server, or --url and --token")


main()
