#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
make bench: the product, the least that libpq alone can do, and a rival, one after the other in
each round, on one machine and one database. Only ratios within a round mean something. Prints
a table, writes BUILD/bench/results.json, and fails where a floor is missed.

  BUILD         where the programs are, and where results go (build)
  BENCH_SCALE   full: 10 million samples; middle: trends as long, fewer of them; small: a quarter of a million
  BENCH_ROUNDS  5
  BENCH_DATA    a folder for the database, kept for the next run; without it one that goes away
  BENCH_ONLY    only measurements whose name matches this regular expression
  BENCH_RIVAL   the folder of the Node rival's app.js
"""
import contextlib
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/http"))

import psycopg2
import requests

import data
import harness
import report

HERE = ROOT / "bench"
BUILD = harness.BUILD
OUT = BUILD / "bench"
RIVAL = pathlib.Path(os.environ.get("BENCH_RIVAL", harness.SHARED / "tools/limits/node"))
ONLY = re.compile(os.environ.get("BENCH_ONLY", ""))

TREND_BARE = "SELECT kernel_id, mean, stddev FROM bare.sample WHERE series_id = $1::integer ORDER BY kernel_id"
PACKS_BARE = "SELECT series_id, samples, body, crc32 FROM nsecwatch.series_pack WHERE series_id = ANY($1::bigint[])"
RUNS_BARE = ("SELECT kernel_id, series_id, n, mean, stddev FROM nsecwatch.run WHERE kernel_id = ANY($1::bigint[])"
             " ORDER BY started_at, run_id")


def say(text):
    print(text, flush=True)


class Cluster:
    """PostgreSQL with fsync on and memory enough that reading is from memory."""

    SETTINGS = {"shared_buffers": "1GB", "max_wal_size": "8GB", "maintenance_work_mem": "256MB"}

    def __init__(self, folder):
        self.folder = folder
        self.conninfo = self.pg("start", "--fsync")
        link = psycopg2.connect(self.conninfo)
        link.autocommit = True
        with link.cursor() as c:
            for name, value in self.SETTINGS.items():
                c.execute(f"ALTER SYSTEM SET {name} = %s", (value,))
        link.close()
        self.pg("stop")
        self.pg("start", "--fsync")

    def pg(self, what, *more):
        return subprocess.run([ROOT / "tests/pg.sh", what, self.folder, *more], check=True, stdout=subprocess.PIPE,
                              text=True).stdout.strip()

    def database(self, name):
        """Its conninfo, and whether it is new."""
        link = psycopg2.connect(self.conninfo)
        link.autocommit = True
        with link.cursor() as c:
            c.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,))
            new = not c.fetchall()
            if new:
                c.execute(f"CREATE DATABASE {name}")
        link.close()
        return self.conninfo.replace("dbname=postgres", f"dbname={name}"), new

    def psql(self, conninfo, *args):
        subprocess.run([harness.pg_bin("psql"), "-qX", "-v", "ON_ERROR_STOP=1", "-o", os.devnull, *args, conninfo], check=True)


class Product:
    """`nsecwatchd serve` on a database of its own, and a client with a token."""

    def __init__(self, stack, cluster, name):
        self.conninfo, self.new = cluster.database(name)
        harness.command("migrate", "--db", self.conninfo)
        words = harness.command("token", "add", "--name", f"bench-{time.time_ns()}", "--scope", "admin", "--db",
                                self.conninfo).stdout.split()
        self.token = next(w for w in words if w.startswith("nsw_"))
        self.server = harness.Server(self.conninfo, OUT / f"{name}.log").start()
        stack.callback(self.server.stop)
        self.api = harness.Api(self.server.url, self.token)


def timed(what):
    @contextlib.contextmanager
    def timing():
        began = time.monotonic()
        yield
        say(f"  {what}: {time.monotonic() - began:.1f} s")
    return timing()


def make_history(cluster, reader, scale):
    with timed("runs of the first kernel, by POST"):
        reader.api.store(*data.history(scale))
    answer = reader.api.post("/api/v1/kernels", json=[{"release": k} for k in scale.kernels])
    assert answer.status_code == 200, answer.text
    with timed(f"all runs of {scale.n_kernels} kernels, in the database"):
        cluster.psql(reader.conninfo, "-f", HERE / "history.sql")
    with timed("nsecwatchd rebuild"):
        done = subprocess.run([harness.PROGRAM, "rebuild", "--db", reader.conninfo], check=True, stdout=subprocess.PIPE,
                              text=True)
    say("  " + done.stdout.strip().replace("\n", "\n  "))
    cluster.psql(reader.conninfo, "-c", "VACUUM ANALYZE nsecwatch.series_pack")


def make_uploads(cluster, writer, scale):
    if writer.new:
        cluster.psql(writer.conninfo, "-f", HERE / "bare.sql")
        cluster.psql(writer.conninfo, "-f", HERE / "rival.sql")
    for n in (64, 500):
        bodies = data.uploads(scale, n)
        data.write_bodies(OUT / f"post-{n}.bodies", bodies)
        data.write_bodies(OUT / f"rival-{n}.bodies", map(data.as_rival, bodies))
        for body in bodies:  # makes the dimensions
            writer.api.store({k: v for k, v in body.items() if k != "run_id"})


class Rival:
    """The Node rival with two processes, on one database; None where it can't be."""

    def __init__(self, stack, folder, cluster, database):
        self.port = harness.free_port()
        env = {**os.environ, "PORT": str(self.port), "W": "2", "PGHOST": f"{cluster.folder}/run", "PGDATABASE": database,
               "NODE_ENV": "production"}
        log = stack.enter_context(open(OUT / f"rival-{database}.log", "wb"))
        self.process = subprocess.Popen(["node", "app.js"], cwd=folder, env=env, stdout=log, stderr=log)
        stack.callback(self.stop)
        harness.wait_until(self.answers, "the rival answers")

    def answers(self):
        try:
            return requests.get(f"http://127.0.0.1:{self.port}/series/1", timeout=5).status_code in (200, 500)
        except requests.RequestException:
            return False

    def stop(self):
        self.process.terminate()
        self.process.wait(20)


def install_rival():
    """The folder it runs in, or why not."""
    folder = OUT / "node"
    if not (RIVAL / "app.js").exists():
        return None, f"no app.js in {RIVAL}"
    if not shutil.which("npm"):
        return None, "npm is missing"
    folder.mkdir(exist_ok=True)
    source = (RIVAL / "app.js").read_text()
    there = "new Pool({ host: process.env.PGHOST, user: 'postgres', database: process.env.PGDATABASE, max: 8 })"
    source, found = re.subn(r"new Pool\(\{.*?\}\)", there, source)
    if found != 1:
        return None, "app.js makes its pool in a way this does not know"
    (folder / "app.js").write_text(source)
    (folder / "package.json").write_text((RIVAL / "package.json").read_text())
    if not (folder / "node_modules/pg").exists():
        done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"], cwd=folder,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            return None, f"npm install: {done.stdout.strip()[-200:]}"
    return folder, None


class Bench:
    """The measurements, in the order in which a round makes them: those of one ratio side by side."""

    def __init__(self, scale, reader, writer, reads_rival, writes_rival):
        self.scale, self.reader, self.writer = scale, reader, writer
        self.reads_rival, self.writes_rival = reads_rival, writes_rival
        self.asked = {}
        self.work = {}
        for n in (500, 64):
            for clients in (1, 16, 64):
                self.add_posts(n, clients)
        self.add_reads()

    def add(self, name, call, *args, **more):
        if ONLY.search(name):
            self.work[name] = lambda: call(*args, **more)

    def add_posts(self, n, clients):
        self.add(f"packed-{n}-{clients}", self.probe, "probe_ingest", self.writer, clients, "packed", n)
        self.add(f"post-{n}-{clients}", self.load, self.writer.server.port, clients, "post", "/api/v1/runs",
                 OUT / f"post-{n}.bodies", f"Authorization: Bearer {self.writer.token}")
        self.add(f"rows-{n}-{clients}", self.probe, "probe_ingest", self.writer, clients, "rows", n)
        if clients == 16 and self.writes_rival:
            self.add(f"rival-{n}-{clients}", self.load, self.writes_rival.port, clients, "post", "/runs",
                     OUT / f"rival-{n}.bodies")

    def add_reads(self):
        port = self.reader.server.port
        self.add("trend-bare", self.probe, "probe_query", self.reader, 4, OUT / "trend.params", TREND_BARE)
        self.add("trend", self.load, port, 4, "get", OUT / "trend.paths", fresh=True)
        self.add("trend-gzip", self.load, port, 4, "get", OUT / "trend.paths", "Accept-Encoding: gzip", fresh=True)
        if self.reads_rival:
            self.add("trend-rival", self.load, self.reads_rival.port, 4, "get", OUT / "rival.paths")
        self.add("trend-cached", self.load, port, 4, "get", OUT / "cached.paths")
        self.add("chart-bare", self.probe, "probe_query", self.reader, 1, OUT / "chart.params", PACKS_BARE)
        self.add("chart", self.load, port, 1, "get", OUT / "chart.paths", fresh=True)
        self.add("compare-bare", self.probe, "probe_query", self.reader, 1, OUT / "compare.params", RUNS_BARE)
        self.add("compare", self.load, port, 1, "get", OUT / "compare.paths", fresh=True)
        self.add("compare-gzip", self.load, port, 1, "get", OUT / "compare.paths", "Accept-Encoding: gzip", fresh=True)

    def program(self, name, *args, begin=0):
        done = subprocess.run([OUT / name, *map(str, args)], stdout=subprocess.PIPE, text=True, check=True,
                              env={**os.environ, "BENCH_FROM": str(begin)})
        return json.loads(done.stdout)

    def begin(self, path):
        """Where to go on in a list, so that rounds ask different questions."""
        return self.asked.get(path, 0)

    def probe(self, name, product, clients, *args):
        path = args[0]
        m = self.program(name, product.conninfo, clients, self.scale.seconds, *args, begin=self.begin(path))
        self.asked[path] = self.begin(path) + m["n"] + clients
        return m

    def load(self, port, clients, *args, fresh=False):
        """fresh: nothing of it may be in the cache; a transaction makes all that is there old."""
        path = args[1]
        if fresh:
            harness.sql(self.reader.conninfo, "SELECT pg_current_xact_id()")
        m = self.program("load", port, clients, self.scale.seconds, *args, begin=self.begin(path))
        self.asked[path] = self.begin(path) + m["n"] + clients
        if m["bad"]:
            raise SystemExit(f"bench: {m['bad']} of {m['n']} answers were not 2xx")
        if fresh and m["hits"]:
            say(f"  note: {m['hits']} of {m['n']} answers came from the cache")
        return m

    def round(self, backwards):
        names = list(self.work)
        out = {}
        for name in reversed(names) if backwards else names:
            out[name] = self.work[name]()
        return {name: out[name] for name in names}


def prepare(stack, cluster, scale):
    reader = Product(stack, cluster, "reads")
    writer = Product(stack, cluster, "writes")
    if reader.new:
        make_history(cluster, reader, scale)
    data.write_queries(OUT, scale, lambda statement: harness.sql(reader.conninfo, statement))
    with timed("tables of the probes and first uploads"):
        make_uploads(cluster, writer, scale)
    folder, why_not = install_rival()
    if why_not:
        say(f"bench: without the Node rival: {why_not}")
        return Bench(scale, reader, writer, None, None)
    return Bench(scale, reader, writer, Rival(stack, folder, cluster, "reads"), Rival(stack, folder, cluster, "writes"))


def measure(bench, n):
    rounds, loads = [], []
    loads.append(os.getloadavg()[0])  # before the first: what others do here meanwhile
    if loads[0] > os.cpu_count() / 4:
        say(f"  note: others keep this machine busy (load {loads[0]:.1f}); ratios will spread")
    for i in range(n):
        began = time.monotonic()
        rounds.append(bench.round(backwards=i % 2 == 1))  # a machine that slows down does so for both
        loads.append(os.getloadavg()[0])
        say(f"round {i + 1} of {n}: {time.monotonic() - began:.0f} s, load {loads[-1]:.1f}")
    return rounds, loads


def write_results(scale, rounds, loads, measured, ratios):
    version = subprocess.run([harness.PROGRAM, "version"], stdout=subprocess.PIPE, text=True).stdout.strip()
    results = {"version": version, "scale": scale.name, "series": scale.series, "samples": scale.series * scale.n_kernels,
               "seconds": scale.seconds, "cpus": os.cpu_count(), "machine": platform.machine(),
               "system": platform.release(), "loads": loads, "measured": measured, "ratios": ratios, "rounds": rounds}
    (OUT / "results.json").write_text(json.dumps(results, indent=1) + "\n")


def main():
    scale = {"full": data.FULL, "middle": data.MIDDLE, "small": data.SMALL}[os.environ.get("BENCH_SCALE") or "full"]
    n_rounds = int(os.environ.get("BENCH_ROUNDS") or 5)
    kept = os.environ.get("BENCH_DATA")
    OUT.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(kept or tempfile.mkdtemp(prefix="nsw-bench-")).resolve()
        if not kept:
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
        say(f"bench: {scale.name} scale: {scale.series} series, {scale.series * scale.n_kernels} samples; "
            f"{n_rounds} rounds of {scale.seconds} s a measurement")
        cluster = Cluster(folder)
        stack.callback(cluster.pg, "stop")
        bench = prepare(stack, cluster, scale)
        rounds, loads = measure(bench, n_rounds)
    measured = report.summary(rounds)
    ratios = [r for r in (want.of(rounds) for want in report.wanted()) if r]
    write_results(scale, rounds, loads, measured, ratios)
    say("\n" + report.text(measured, ratios))
    missed = [r["label"] for r in ratios if r["passed"] is False]
    say(f"\n{OUT.relative_to(ROOT)}/results.json has all rounds; "
        f"{len(missed)} of {sum(r['passed'] is not None for r in ratios)} bounds missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
