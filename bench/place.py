# SPDX-License-Identifier: GPL-2.0-or-later
"""Where it is measured: the database cluster, the product on one of its databases, and the rival."""
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/http"))

import psycopg2
import requests

import harness

HERE = ROOT / "bench"
BUILD = harness.BUILD
OUT = BUILD / "bench"
RIVAL = pathlib.Path(os.environ.get("BENCH_RIVAL", harness.SHARED / "tools/limits/node"))


def say(text):
    print(text, flush=True)


def timed(what):
    @contextlib.contextmanager
    def timing():
        began = time.monotonic()
        yield
        say(f"  {what}: {time.monotonic() - began:.1f} s")
    return timing()


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
        subprocess.run([harness.pg_bin("psql"), "-qX", "-v", "ON_ERROR_STOP=1", "-o", os.devnull, *args, conninfo],
                       check=True)


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
