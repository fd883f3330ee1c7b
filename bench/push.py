#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
make bench-push: the results of the last `make bench` (and `make bench-growth`) to a nsecwatch, so that it charts and
watches itself.

  push.py FOLDER [OPTION]...    FOLDER has results.json or growth.json; the options are those of `nsecwatch push`

A kernel of nsecwatch is what was booted; here that is the kernel and, on it, this program at some commit. It is named as
git describe and scripts/setlocalversion name N commits upon a release: 6.12.57-00525-ge0439153c0de. So commits have their
order, a track is a kernel's, and a change of either is a step on the axis. A row is a series: what is measured is its
benchmark, results and clients are its params, the rounds its repetitions, and one `make bench` is one boot.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
CLIENT = ROOT / os.environ.get("BUILD", "build") / "nsecwatch"
FILES = ("results.json", "growth.json")


def release(results):
    """The name of the kernel with the program on it."""
    base = re.match(r"\d+\.\d+(\.\d+)?", results["system"])
    if not base:
        raise SystemExit(f"bench-push: {results['system']} is no kernel's release")
    if not results["commits"]:
        raise SystemExit(f"bench-push: version {results['version']} is no commit of this repository, so it has no place"
                         " among the others: build and measure in a clone")
    return f"{base[0]}-{results['commits']:05d}-g{results['commit'][:12]}" + ("-dirty" if results["dirty"] else "")


def named(name):
    """post-500-16 is `post` with two params."""
    words = name.split(".")[0].split("-")
    numbers = [int(w) for w in words if w.isdigit()]
    params = dict(zip(("results", "clients"), numbers))
    return "bench/" + "-".join(w for w in words if not w.isdigit()), params


def metric(row):
    """A ratio is named by what is below the line; the field is told where it is not the speed."""
    if "name" in row:
        return row["field"].removesuffix(f"_{row['unit'].lower()}")
    under, over = named(row["under"])[0].removeprefix("bench/"), named(row["over"])[0].removeprefix("bench/")
    clients = re.search(r"-(\d+)$", row["under"]) if under == over else None
    if clients:
        under = f"{clients[1]}-clients"
    elif "." in row["under"]:
        under = row["under"].split(".")[1]
    return f"against-{under}" + ("" if row["field"] == "per_s" else f"-{row['field'].split('_')[0]}")


def better(row):
    if row["floor"] is not None or row["ceiling"] is not None:
        return "higher" if row["floor"] is not None else "lower"
    return "higher" if row.get("field") == "per_s" else "lower"


def result(row):
    benchmark, params = named(row.get("over") or row["name"])
    return {"benchmark": benchmark, "params": {**params, **row.get("params", {})}, "metric": metric(row),
            "unit": "ratio" if row["unit"] == "x" else row["unit"], "better": better(row), "values": row["rounds"]}


def submission(results):
    return {"schema": "nsecwatch.submission/1", "kernel": {"release": release(results)},
            "started_at": results["at"], "boot_id": f"bench {results['at']}",
            "environment": {"kernel": results["system"], "load": max(results["loads"])},
            "source": {"tool": "make bench", "version": results["version"]},
            "labels": {"scale": results["scale"], "commit": results["commit"]},
            "results": [result(row) for row in results["rows"]]}


def main(folder, *options):
    found = [path for path in (pathlib.Path(folder) / name for name in FILES) if path.exists()]
    if not found:
        raise SystemExit(f"bench-push: no {' or '.join(FILES)} in {folder}: run make bench first")
    runs = [submission(json.loads(path.read_text())) for path in found]
    done = subprocess.run([CLIENT, "push", "-", *options], input=json.dumps(runs), text=True)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 1 else __doc__)
