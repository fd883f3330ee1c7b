# SPDX-License-Identifier: GPL-2.0-or-later
"""Measurements that are no load: bytes on disk, what starting takes, and detection of one more run."""
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

import psycopg2
import requests

import data
import harness
from place import BUILD, OUT, ROOT

PAUSE = 0.002  # between two looks: what is waited for takes tens of milliseconds and more


def until(condition, what, seconds=120):
    """Seconds until it is so."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() > began + seconds:
            raise SystemExit(f"bench: waited {seconds} s in vain until {what}")
        time.sleep(PAUSE)
    return time.monotonic() - began


def memory_mib(pid, field="VmRSS"):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(rf"{field}:\s+(\d+) kB", text).group(1)) / 1024


def disk(conninfo):
    """Bytes a sample: tables with their indexes and what is kept apart (TOAST)."""
    run, pack, seen, noise, samples = harness.sql(
        conninfo, "SELECT pg_total_relation_size('run'), pg_total_relation_size('series_pack'),"
        " pg_total_relation_size('run_seen'), pg_total_relation_size('series_noise'),"
        " (SELECT sum(cardinality(series_id)) FROM run)::float8")[0]
    return {"runs": run / samples, "packs": pack / samples, "rest": (seen + noise) / samples,
            "all": (run + pack + seen + noise) / samples}


def bodies(conninfo):
    """Bytes a result of the body as it came, compressed, of the last thousand uploads."""
    size, results = harness.sql(
        conninfo, "SELECT sum(octet_length(w.body))::float8, sum(cardinality(r.series_id)) FROM"
        " (SELECT run_id, series_id FROM run ORDER BY received_at DESC, run_id DESC LIMIT 1000) r"
        " JOIN run_raw w USING (run_id)")[0]
    return {"per_result": size / results}


def change():
    """CPU of finding the changes of a series of 400 points to which one more was appended."""
    done = subprocess.run([BUILD / "detect_time"], stdout=subprocess.PIPE, text=True, check=True)
    us = dict(line.split() for line in done.stdout.splitlines())
    return {"ms": float(us["append-400"]) / 1e3}


class Detect:
    """A database whose series have 400 points, and a `watch` on it that has nothing to do."""

    def __init__(self, stack, product):
        self.product = product
        self.kernel = data.DETECT.n_kernels
        self.watch = harness.Process("watch", "--db", product.conninfo, log=OUT / "watch.log").start()
        stack.callback(self.watch.stop)
        self.link = psycopg2.connect(product.conninfo)
        self.link.autocommit = True
        stack.callback(self.link.close)
        self.append()  # learns the noise of all series

    def checked(self):
        with self.link.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM nsecwatch.run_todo")
            return cursor.fetchone()[0] == 0

    def cpu_ms(self):
        fields = pathlib.Path(f"/proc/{self.watch.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")

    def append(self):
        until(self.checked, "watch has checked all runs")
        with self.link.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM nsecwatch.kernel WHERE track = 'mainline'")
            self.kernel = max(self.kernel, cursor.fetchone()[0])  # a kept database has those of the last time
        runs = list(data.history(data.DETECT, self.kernel))
        before = self.cpu_ms()
        self.product.api.store(*runs)
        took = until(self.checked, "watch has checked the run") * 1e3
        n = sum(len(run["results"]) for run in runs)
        return {"ms": took / n, "cpu_ms": (self.cpu_ms() - before) / n, "series": n}


def detect(one):
    return one.append()


def start(conninfo, running):
    """One more `serve`, from exec to the first 200 of /readyz; and the memory of that one and of the one that was asked."""
    server = harness.Server(conninfo, OUT / "start.log")
    harness.Process.start(server)
    took = until(lambda: server.status("/readyz") == 200, "serve is ready")
    out = {"s": took, "rss_mib": memory_mib(server.process.pid), "asked_rss_mib": memory_mib(running.process.pid)}
    server.stop()
    return out


def initdb(folder):
    """Seconds that PostgreSQL itself takes, called as `up` calls it."""
    user = subprocess.run([ROOT / "tests/pg.sh", "user"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    drop = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if os.geteuid() == 0 else []
    folder.mkdir()
    if drop:
        shutil.chown(folder, user)
    began = time.monotonic()
    subprocess.run([*drop, harness.pg_bin("initdb"), "-D", folder / "pg", "-U", "postgres", "-E", "UTF8", "--locale=C",
                    "--data-checksums", "--auth-local=peer", "--auth-host=reject", "--no-instructions"], cwd="/",
                   check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - began


def page(url):
    try:
        return requests.get(url, timeout=10).status_code == 200
    except requests.RequestException:
        return False


def up():
    """From nothing to the first page, beside what initdb takes."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="nsw-bench-up-"))
    folder.chmod(0o755)
    try:
        alone = initdb(folder / "alone")
        port = harness.free_port()
        one = harness.Process("up", "--data", folder / "var", "--listen", f"127.0.0.1:{port}", log=OUT / "up.log").start()
        took = until(lambda: page(f"http://127.0.0.1:{port}/") or not one.running(), "up shows a page")
        if not one.running():
            raise SystemExit(f"bench: up ended: {one.log_tail(2000)}")
        one.stop()
        return {"s": took, "initdb_s": alone, "beyond_s": took - alone}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
