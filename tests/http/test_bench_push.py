# SPDX-License-Identifier: GPL-2.0-or-later
"""`make bench-push`: what `make bench` measured becomes series of nsecwatch itself, in the order of its commits."""
import json
import os
import subprocess
import sys

import pytest

from harness import PATIENCE, ROOT

ROWS = [
    {"row": 1, "label": "POST", "unit": "x", "over": "post-500-16", "under": "packed-500-16", "field": "per_s",
     "floor": 0.65, "ceiling": None},
    {"row": 3, "label": "POST", "unit": "x", "over": "post-500-1", "under": "rival-500-1", "field": "per_s",
     "floor": 4, "ceiling": None},
    {"row": 5, "label": "POST", "unit": "x", "over": "post-500-64", "under": "post-500-16", "field": "p99_ms",
     "floor": None, "ceiling": 6},
    {"row": 6, "label": "reading", "unit": "x", "over": "read-500.read", "under": "read-500.jansson", "field": "per_s",
     "floor": 8, "ceiling": None},
    {"row": 13, "label": "WAL", "unit": "B", "name": "wal-500", "field": "per_result", "floor": None, "ceiling": 40},
    {"row": 17, "label": "up", "unit": "s", "name": "up", "field": "beyond_s", "floor": None, "ceiling": 3},
]


@pytest.fixture
def push(server, api, tmp_path):
    def push(number, factor=1.0, **more):
        results = {"version": f"{number:07x}", "commit": f"{number:040x}", "commits": number, "dirty": False,
                   "at": f"2026-01-01T00:{number % 60:02d}:00Z", "system": "6.12.57+deb13-amd64", "loads": [0.5],
                   "scale": "full", **more,
                   "rows": [{**row, "rounds": [factor * (0.7 + 0.01 * i) for i in range(5)]} for row in ROWS]}
        (tmp_path / "results.json").write_text(json.dumps(results))
        env = {**os.environ, "HOME": str(tmp_path), "NSECWATCH_URL": server.url, "NSECWATCH_TOKEN": api.token}
        return subprocess.run([sys.executable, ROOT / "bench/push.py", tmp_path, "--machine", "bench-host"], env=env,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
    return push


def test_commits_are_kernels_in_their_order_and_rows_are_series(push, api):
    for commits in (98, 100, 99):  # 100 behind 99, not before it
        done = push(commits, factor=1 + commits / 1000)
        assert done.returncode == 0, done.stdout
    trend = api.json("/api/v1/trend?benchmark=bench/post&metric=against-packed")
    assert [k["name"] for k in trend["kernels"]] == [f"6.12.57-{n:05d}-g{n:040x}"[:27] for n in (98, 99, 100)]
    one, = trend["series"]
    assert (one["params"], one["better"], one["unit"]) == ({"clients": 16, "results": 500}, "higher", "ratio")
    assert one["n"] == [5, 5, 5] and one["y"] == sorted(one["y"])
    assert one["machine"] == "bench-host" and one["track"] == "stable-6.12"
    series = {(s["benchmark"], s["metric"], s["better"]) for s in api.json("/api/v1/series?limit=100")["series"]}
    assert series >= {("bench/post", "against-rival", "higher"), ("bench/post", "against-16-clients-p99", "lower"),
                      ("bench/read", "against-jansson", "higher"), ("bench/wal", "per_result", "lower"),
                      ("bench/up", "beyond", "lower")}


def test_a_run_says_the_program_and_the_machine_s_kernel(push, api):
    assert push(101, dirty=True).returncode == 0
    run = api.json("/api/v1/runs?limit=1")["runs"][0]
    whole = api.json(f"/api/v1/runs/{run['run_id']}")["run"]
    assert whole["labels"] == {"scale": "full", "commit": f"{101:040x}"}
    assert whole["environment"]["kernel"] == "6.12.57+deb13-amd64"
    assert whole["source"] == {"tool": "make bench", "version": "0000065"}


def test_what_has_no_place_among_the_commits_is_refused(push):
    done = push(102, commit=None, commits=None)
    assert done.returncode == 1 and "is no commit of this repository" in done.stdout


def test_without_results_it_says_what_to_do(tmp_path):
    done = subprocess.run([sys.executable, ROOT / "bench/push.py", tmp_path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
    assert done.returncode == 1 and "run make bench first" in done.stdout
