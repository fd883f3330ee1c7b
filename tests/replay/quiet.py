# SPDX-License-Identifier: GPL-2.0-or-later
"""Labelled series of the shared generator as uploads: run i of each is kernel i, those of a machine and THP mode together."""
import collections
import json
import subprocess
import sys

from harness import SHARED, submission

UARCH = {"rome": "epyc-rome", "milan": "epyc-milan", "bergamo": "epyc-bergamo", "altra": "neoverse-n1", "skylake": "skylake-client"}


def generate(seed, count, quiet_share, most, folder):
    """name -> series of gen.py, with samples, cut to its first `most` runs."""
    out, samples = folder / "series.json", folder / "samples.json"
    subprocess.run([sys.executable, SHARED / "detect/gen.py", "--seed", str(seed), "--count", str(count), "--quiet-share",
                    str(quiet_share), "--out", out, "--samples", samples], check=True, stdout=subprocess.DEVNULL)
    series, values = json.loads(out.read_text())["series"], json.loads(samples.read_text())
    for name, s in series.items():
        s["samples"] = values[name][:most]
        s["n"] = len(s["samples"])
        s["steps"] = [step for step in s.get("steps", []) if step["index"] < s["n"]]
    return series


def kernel(i):
    return f"6.{i}"


def uploads(series, i, alone=False):
    """The runs of kernel i; alone: each series on a machine of its own."""
    groups = collections.defaultdict(list)
    for name, s in series.items():
        if i < s["n"]:
            groups[f"{s['machine']}-{name}" if alone else f"{s['machine']}-01", s["machine"], s["thp"]].append(
                {"benchmark": f"series/{name}", "params": {"size_kib": s["size_kib"]}, "metric": "latency", "unit": "ns/call",
                 "better": "lower", "values": s["samples"][i]})
    for (machine, uarch, thp), results in groups.items():
        yield {**submission(kernel(i), thp=thp, results=results, boot_id=f"{machine}-{thp}-{i}"),
               "machine": {"name": machine, "isa": "x86_64", "uarch": UARCH[uarch]}}
