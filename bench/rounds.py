# SPDX-License-Identifier: GPL-2.0-or-later
"""The measurements of a round: most by a program that prints its numbers as JSON, others by singles.py."""
import json
import os
import re
import subprocess

import harness
import singles
from place import OUT, say

ONLY = re.compile(os.environ.get("BENCH_ONLY", ""))

TREND_BARE = "SELECT kernel_id, mean, stddev FROM bare.sample WHERE series_id = $1::integer ORDER BY kernel_id"
PACKS_BARE = "SELECT series_id, samples, body, crc32 FROM nsecwatch.series_pack WHERE series_id = ANY($1::bigint[])"
RUNS_BARE = ("SELECT kernel_id, series_id, n, mean, stddev FROM nsecwatch.run WHERE kernel_id = ANY($1::bigint[])"
             " ORDER BY started_at, run_id")
ALERTS = ("SELECT * FROM nsecwatch.alert WHERE ($1::text[] IS NULL OR state = ANY($1))"
          " ORDER BY created_at DESC, id DESC LIMIT 50")  # as db_alerts_list() asks, of the filters one
NO_INDEX = " options='-c enable_indexscan=off -c enable_bitmapscan=off'"


def wanted(name):
    return ONLY.search(name)


class Bench:
    """The measurements, in the order in which a round makes them: those of one ratio side by side."""

    def __init__(self, scale, places):
        self.scale, self.places = scale, places
        self.reader, self.writer = places.reader, places.writer
        self.asked = {}
        self.work = {}
        for n in (500, 64):
            for clients in (1, 16, 64):
                self.add_posts(n, clients)
            self.add(f"wal-{n}", self.wal, n)
        self.add_reads()
        self.add_hits()
        self.add_json()
        self.add_alerts()
        self.add_singles()

    def add(self, name, call, *args, **more):
        if wanted(name):
            self.work[name] = lambda: call(*args, **more)

    def add_posts(self, n, clients):
        self.add(f"packed-{n}-{clients}", self.probe, "probe_ingest", self.writer, clients, "packed", n)
        self.add(f"post-{n}-{clients}", self.post, clients, n)
        self.add(f"rows-{n}-{clients}", self.probe, "probe_ingest", self.writer, clients, "rows", n)
        if clients < 64 and self.places.writes_rival:
            self.add(f"rival-{n}-{clients}", self.load, self.places.writes_rival.port, clients, "post", "/runs",
                     OUT / f"rival-{n}.bodies")

    def add_reads(self):
        port = self.reader.server.port
        self.add("trend-bare", self.probe, "probe_query", self.reader, 4, OUT / "trend.params", TREND_BARE)
        self.add("trend", self.load, port, 4, "get", OUT / "trend.paths", fresh=True)
        self.add("trend-gzip", self.load, port, 4, "get", OUT / "trend.paths", "Accept-Encoding: gzip", fresh=True)
        if self.places.reads_rival:
            self.add("trend-rival", self.load, self.places.reads_rival.port, 4, "get", OUT / "rival.paths")
        self.add("trend-cached", self.load, port, 4, "get", OUT / "cached.paths")
        self.add("chart-bare", self.probe, "probe_query", self.reader, 1, OUT / "chart.params", PACKS_BARE)
        self.add("chart", self.load, port, 1, "get", OUT / "chart.paths", fresh=True)
        self.add("compare-bare", self.probe, "probe_query", self.reader, 1, OUT / "compare.params", RUNS_BARE)
        self.add("compare", self.load, port, 1, "get", OUT / "compare.paths", fresh=True)
        self.add("compare-gzip", self.load, port, 1, "get", OUT / "compare.paths", "Accept-Encoding: gzip", fresh=True)

    def add_hits(self):
        if not wanted("hit"):
            return
        hits = self.places.hits
        for clients in (1, 4, 64):
            self.add(f"hit-{clients}", self.load, self.reader.server.port, clients, "get", OUT / "hit.paths")
            self.add(f"hit-bare-{clients}", self.load, hits.bare_port, clients, "get", OUT / "static.paths")
            if hits.nginx_port:
                self.add(f"hit-nginx-{clients}", self.load, hits.nginx_port, clients, "get", OUT / "static.paths")

    def add_json(self):
        for n in (500, 64):
            self.add(f"read-{n}", self.program, "read", self.scale.seconds, OUT / f"post-{n}.bodies")
        for form in ("columns", "points"):
            self.add(f"write-{form}", self.program, "write", self.scale.seconds, form)

    def add_alerts(self):
        if not wanted("alerts"):
            return
        of = self.places.others.conninfo
        path = OUT / "alerts.params"
        path.write_text("{new}\n")
        self.add("alerts", self.program, "probe_query", of, 1, self.scale.seconds, path, ALERTS)
        self.add("alerts-scan", self.program, "probe_query", of + NO_INDEX, 1, self.scale.seconds, path, ALERTS)

    def add_singles(self):
        self.add("disk", singles.disk, self.reader.conninfo)
        self.add("body", singles.bodies, self.writer.conninfo)
        if wanted("repetitions"):
            kept = self.places.repetitions
            self.add("repetitions", lambda: kept)
        if wanted("detect"):
            self.add("detect", singles.detect, self.places.detect)
        self.add("change", singles.change)
        self.add("start", singles.start, self.reader.conninfo, self.reader.server)
        self.add("up", singles.up)

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

    def post(self, clients, n):
        return self.load(self.writer.server.port, clients, "post", "/api/v1/runs", OUT / f"post-{n}.bodies",
                         f"Authorization: Bearer {self.writer.token}")

    def wal(self, n):
        """What is written ahead for a result, pages after a checkpoint included."""
        def position():
            return harness.sql(self.writer.conninfo, "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")[0][0]
        self.places.checkpoint(self.writer.conninfo)
        before = position()
        clients = 16
        m = self.post(clients, n)
        return {"per_result": float(position() - before) / (m["n"] + clients) / n}

    def round(self, backwards):
        names = list(self.work)
        out = {}
        for name in reversed(names) if backwards else names:
            out[name] = self.work[name]()
        return {name: out[name] for name in names}
