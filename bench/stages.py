#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
make bench-profile: where the time of an upload and of a trend goes, by perf over the whole machine: microseconds of CPU a
request, by program and stage. A stage of ours is a set of source files, told by the symbols of our objects. Without perf,
or where it may not look, it says so and measures nothing (exit 77).

  BENCH_SCALE, BENCH_DATA, BUILD   as in run.py; the database is small unless told otherwise
"""
import collections
import contextlib
import os
import re
import shutil
import statistics
import subprocess
import sys

os.environ.setdefault("BENCH_SCALE", "small")
os.environ["BENCH_ONLY"] = "^(post-500-16|post-64-1|trend)$"

import place  # first: it finds the harness of the tests
import data
import rounds
import run
from place import BUILD, OUT, say

STAGES = (  # of our source files, the first that fits
    ("HTTP: libmicrohttpd's and ours", r"^(web|routes|auth|reply|cache|embed)"),
    ("reading the body", r"^(jread|submission|read|format|kernel|thp|uarch|unit|num_decimal)"),
    ("SQL: what is sent and what comes", r"^db_"),
    ("calculating", r"^(calc|ab|noise|change|student|stats|fdr|parallel)"),
    ("writing the answer", r"^(jsonw|num|api|chart|svg|table|tm|utf8)"),
    ("memory", r"^(arena|buf)"),
)
LIBRARIES = (("libmicrohttpd", "HTTP: libmicrohttpd's and ours"), ("libpq", "SQL: libpq"), ("libzstd", "zstd of the body"),
             ("libnettle", "SHA-256"), ("libdeflate", "gzip"), ("libz.", "gzip"), ("libgnutls", "TLS"),
             ("libc", "libc: memory, copies, locks"), ("ld-linux", "libc: memory, copies, locks"))
KERNEL = (("the network", r"tcp|sock|inet|ip_|skb|net_|loopback|epoll|_poll|unix_|release_sock"),
          ("files and the disk", r"ext4|jbd2|blk|bio|xfs|virtio|nvme|fsync|iomap|filemap|pagecache|folio|write_"),
          ("threads waiting and waking", r"futex|sched|switch|wake|idle|timer|rcu|spin_unlock_irq"))
LEAST_US = 0.5
TIMES, SECONDS = 8, 0.4  # so short that a small database has no trend twice in it: the cache would answer


def symbols():
    """The source file of each function of ours."""
    out = {}
    for archive in ("libcore.a", "libserver.a"):
        listing = subprocess.run(["nm", "-A", BUILD / archive], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for file, symbol in re.findall(r":(\w+)\.o:\S* [tT] (\S+)", listing.stdout):
            out.setdefault(symbol, file)
    return out


def stage(dso, symbol, files):
    if dso.startswith("[kernel") or dso.startswith("[guest"):
        return "kernel: " + next((name for name, fits in KERNEL if re.search(fits, symbol)), "the rest")
    for name, what in LIBRARIES:
        if dso.startswith(name):
            return what
    if dso == "nsecwatchd":
        file = files.get(re.sub(r"\.(part|isra|constprop|cold).*", "", symbol), "")
        return next((name for name, fits in STAGES if re.search(fits, file)), "the rest of ours")
    return "its own"


def program(comm):
    if comm.startswith("postgres"):
        return "PostgreSQL"
    if comm.startswith(("nsecwatchd", "MHD")):
        return "nsecwatchd"
    return "load (the client)" if comm == "load" else "others on this machine"


def busy_us():
    with open("/proc/stat", encoding="ascii") as f:
        fields = list(map(int, f.readline().split()[1:]))
    return (sum(fields[:3]) + sum(fields[5:8])) * 1e6 / os.sysconf("SC_CLK_TCK")


def profile(name, work, files):
    """Table of one measurement; perf looks at all CPUs meanwhile."""
    recorded = OUT / f"{name}.perf"
    perf = subprocess.Popen(["perf", "record", "-q", "-a", "-F", "4000", "-o", recorded, "--", "sleep", "3600"],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        before = busy_us()
        done = [work() for _ in range(TIMES)]
        used = busy_us() - before
    finally:
        perf.terminate()
        said = perf.communicate()[1]
    report = subprocess.run(["perf", "report", "-i", recorded, "--stdio", "--no-children", "-g", "none", "-t", "\t", "-F",
                           "overhead,comm,dso,sym"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    recorded.unlink()
    lines = [line.split("\t") for line in report.stdout.splitlines() if line.strip() and not line.startswith("#")]
    shares = collections.Counter()
    for overhead, comm, dso, symbol in (line for line in lines if len(line) == 4):
        comm, dso, symbol = comm.strip(), dso.strip(), re.sub(r"^\[.\] ", "", symbol.strip())
        if comm not in ("swapper", "perf"):
            shares[program(comm), stage(dso, symbol, files)] += float(overhead.strip().rstrip("%"))
    if not shares:
        return f"bench-profile: skipped: perf saw nothing: {said.strip()[-200:]}"
    return table(name, done, used / sum(m["n"] for m in done), shares)


def table(name, done, us, shares):
    whole = sum(shares.values())
    per_s, p50 = (statistics.median(m[field] for m in done) for field in ("per_s", "p50_ms"))
    lines = [f"\n{name}: {per_s:.0f} a second, p50 {p50:.3f} ms, {us:.0f} us of CPU a request"]
    programs = collections.Counter()
    for (who, _), share in shares.items():
        programs[who] += share
    for who, of in programs.most_common():
        lines.append(f"  {who:<42}{of / whole * us:>9.1f} us {of / whole:>6.1%}")
        for (whose, what), share in shares.most_common():
            if whose == who and share / whole * us >= LEAST_US:
                lines.append(f"    {what:<40}{share / whole * us:>9.1f} us {share / whole:>6.1%}")
    return "\n".join(lines)


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    may = shutil.which("perf") and subprocess.run(["perf", "record", "-q", "-a", "-o", OUT / "try.perf", "--", "true"],
                                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if not may or may.returncode:
        say("bench-profile: skipped: " + ("perf may not look at this machine (kernel.perf_event_paranoid)" if may else
                                          "perf is not installed (linux-perf in Debian)"))
        return 77
    scale = {"full": data.FULL, "middle": data.MIDDLE, "small": data.SMALL}[os.environ["BENCH_SCALE"]]
    scale.seconds = SECONDS
    with contextlib.ExitStack() as stack:
        cluster = place.Cluster(stack.enter_context(run.folder_for_data()))
        stack.callback(cluster.pg, "stop")
        bench = rounds.Bench(scale, run.Places(stack, cluster, scale))
        tables = [profile(name, work, symbols()) for name, work in bench.work.items()]
    text = "\n".join(tables)
    (OUT / "profile.txt").write_text(text + "\n")
    say(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
