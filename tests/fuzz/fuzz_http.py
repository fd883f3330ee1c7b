#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Fuzzes a server of its own through its socket: raw requests, and questions, of http_inputs.py. After each one the
server lives and has answered or closed; what it answers is whole, no 5xx but 503, and what /api/openapi.json
says (questions: also JSON without NaN, SVG that is XML). At its end the log has no complaint of a sanitizer.

usage: fuzz_http.py [--seconds 120] [--seed N] [--out build/fuzz/run]; BUILD tells whose nsecwatchd (make fuzz-http: with
ASan and UBSan). What it finds is kept in OUT/crashes/http: put that into tests/fuzz/saved/http, which make test replays.
"""
import argparse
import collections
import hashlib
import json
import pathlib
import random
import re
import socket
import struct
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "http"))
sys.path.insert(0, str(HERE))

import harness  # noqa: E402
import http_inputs  # noqa: E402
import openapi  # noqa: E402

THREADS = 8
SLOWEST = 30  # seconds until an answer counts as none
# libmicrohttpd 0.9.75 by itself, to a length that it does not take: its own head twice, its page, the end of the connection
DOUBLED = re.compile(rb"(HTTP/1\.1 4\d\d [^\0]*?\r\n\r\n)\1(?=<html><head><title>Request )")
COMPLAINT = re.compile(r"Sanitizer|runtime error|must: |assert", re.I)


class Finding(AssertionError):
    """What the server did wrong."""


def send(server, data, rng):
    """
    The bytes in some pieces; all that comes back until the server closes. None: who half-closes or goes away in the
    middle, as one in five does here, may get nothing.
    """
    end = rng.choices(("stay", "half", "go"), (8, 1, 1))[0]
    cuts = sorted(rng.randrange(len(data) + 1) for _ in range(rng.choice((0, 0, 1, 3)))) + [len(data)]
    got, at = b"", 0
    with socket.create_connection(("127.0.0.1", server.port), timeout=SLOWEST) as s:
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            for cut in cuts:
                s.sendall(data[at:cut])
                at = cut
            if end == "go":
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return None
            if end == "half":
                s.shutdown(socket.SHUT_WR)
            while piece := s.recv(1 << 16):
                got += piece
        except TimeoutError:
            raise Finding(f"{SLOWEST} s without an answer or an end") from None
        except OSError:
            return None  # a reset: what we had sent was more than it took
    return got if end == "stay" else None


def check_raw(got, data):
    """What came back to raw bytes: whole answers of HTTP, none of them a 5xx but 503."""
    if not got:
        return
    heads = re.findall(rb"HTTP/1\.[01] (\d+) ", got)
    if not got.startswith(b"HTTP/1."):
        raise Finding("an answer that is no HTTP")
    if any(code >= b"500" and code not in (b"503", b"505") for code in heads):
        raise Finding(f"status {heads}")
    if b"HEAD" in data or b"100-continue" in data.lower():
        return  # where a body ends is not told by the answer alone
    rest = re.sub(DOUBLED, rb"\1", got)
    while rest:
        head, gap, rest = rest.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
        status = int(head.split(b" ", 2)[1]) if gap and head.startswith(b"HTTP/1.") else 0
        if not status:
            raise Finding("what is behind an answer is none")
        n = int(length[1]) if length and status not in (204, 304) else 0
        if len(rest) < n:
            raise Finding("an answer that ends too early")
        rest = rest[n:]


def check_question(server, method, target, got):
    answers = [harness.Answer(*got.split(b"\r\n\r\n", 1))] if method == "HEAD" and got else harness.parse_answers(got or b"")
    if not answers:
        raise Finding("a question without an answer")
    answer = answers[0]
    if answer.status_code >= 500 and answer.status_code != 503:
        raise Finding(f"status {answer.status_code}: {answer.text[:200]}")
    try:
        openapi.check_answer(server.url, method, target, answer)
    except (openapi.Deviation, ValueError, KeyError) as e:
        raise Finding(f"{type(e).__name__}: {e}") from None
    if method == "HEAD" or answer.status_code != 200:
        return
    kind = answer.headers.get("Content-Type", "")
    try:
        if "json" in kind:
            json.loads(answer.content, parse_constant=lambda word: 1 / 0)
        elif "xml" in kind:
            xml.etree.ElementTree.fromstring(answer.content)
        elif "charset=utf-8" in kind:
            answer.content.decode()
    except (ValueError, ZeroDivisionError, xml.etree.ElementTree.ParseError) as e:
        raise Finding(f"{kind} that is none: {e}") from None


def known_of(api):
    """Values that name something: what a question is made of."""
    known = {"id": ["1", "2", "17", "0191f0e8-7b2c-7abc-8def-0123456789ab"], "param.size_kib": ["4", "400", "4*"],
             "rows": ["machine", "benchmark", "param.size_kib"], "axis": ["size_kib"]}
    for argument in ("machine", "benchmark", "kernel"):
        known[argument] = [one["name"] for one in api.json(f"/api/v1/{argument}s")[f"{argument}s"]]
    known["base"] = known["head"] = known["fix"] = known["name"] = known["kernel"]
    known["cols"] = known["rows"]
    known["run"] = known["id"] = known["id"] + [run["run_id"] for run in api.json("/api/v1/runs")["runs"]][:8]
    return known


class Fuzz:
    def __init__(self, server, api, out):
        self.server, self.api, self.out = server, api, out
        self.document = api.json("/api/openapi.json")
        self.known = known_of(api)
        self.requests = [data for folder in ("seeds", "saved") for _, data in
                         http_inputs.seeds(http_inputs.HERE / folder / "http", api.token)]
        self.lock, self.sent, self.found, self.codes = threading.Lock(), 0, {}, {}
        self.last = collections.deque(maxlen=8 * THREADS)  # what may have ended the server

    def input(self, rng):
        """(bytes, how to check what comes back)."""
        kind = rng.random()
        if kind < .45:
            data = http_inputs.mutated(rng, self.requests)
            return data, lambda got: check_raw(got, data)
        body = b""
        if kind < .85:
            method, target = http_inputs.question(rng, self.document, self.known)
        else:
            method, target, value = http_inputs.writing(rng, self.document, self.known)
            body = json.dumps(value).encode("utf-8", "surrogatepass")
        head = f"{method} {target} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {self.api.token}\r\nConnection: close\r\n"
        if body:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        return head.encode() + b"\r\n" + body, lambda got: check_question(self.server, method, target, got)

    def count(self, got):
        code = got[9:12].decode("latin-1") if got else "none"
        with self.lock:
            self.sent += 1
            self.codes[code] = self.codes.get(code, 0) + 1

    def work(self, seed, until, most=None):
        """Inputs of a seed until a time, or so many."""
        rng = random.Random(seed)
        while (time.monotonic() < until if most is None else most > 0) and self.server.running() and len(self.found) < 20:
            most = None if most is None else most - 1
            data, check = self.input(rng)
            self.last.append(data)
            try:
                got = send(self.server, data, rng)
                self.count(got)
                if got is not None:
                    check(got)
            except ConnectionRefusedError:
                return
            except Finding as e:
                self.keep(e, data)

    def all(self, seed, until, most=None):
        """work() by some threads, each with a seed of its own."""
        threads = [threading.Thread(target=self.work, args=(f"{seed}/{n}", until, most)) for n in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def keep(self, finding, data):
        what = re.sub(r"\?.*|\d+", "", str(finding))[:100]
        with self.lock:
            if what in self.found:
                return
            self.found[what] = str(finding)
            print(f"found, kept as {self.write(data)}: {str(finding)[:600]}", flush=True)

    def write(self, data):
        folder = self.out / "crashes" / "http"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / hashlib.sha256(data).hexdigest()[:16]
        path.write_bytes(data.replace(self.api.token.encode(), b"@TOKEN@"))
        return path


def fill(api):
    """The story of the demo: kernels, machines, THP modes; what can be asked has answers."""
    answer = api.post("/api/v1/runs", data=(harness.ROOT / "demo" / "story.json").read_bytes(),
                      headers={"Content-Type": "application/json"})
    assert answer.status_code in (200, 201, 207), answer.text


def complaints(server):
    return [line for line in server.log.read_text(errors="replace").splitlines() if COMPLAINT.search(line)]


def run(args, server, token):
    api = harness.Api(server.url, token)
    fill(api)
    fuzz = Fuzz(server, api, args.out)
    fuzz.all(args.seed, time.monotonic() + args.seconds)
    if not server.running():
        kept = [str(fuzz.write(data)) for data in fuzz.last]
        fuzz.found["died"] = f"the server ended with {server.process.returncode}; what came last: {' '.join(kept)}"
    elif api.get("/api/v1/machines").status_code != 200:
        fuzz.found["service"] = "an ordinary question is not answered any more"
    else:
        server.stop()
    if bad := complaints(server):
        fuzz.found["log"] = "\n".join(bad[:5])
    if fuzz.found:
        (args.out / "logs").mkdir(parents=True, exist_ok=True)
        (args.out / "logs" / "http").write_text(server.log_tail(1 << 20))
    return fuzz


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1000000)
    parser.add_argument("--out", type=pathlib.Path, default=harness.ROOT / "build/fuzz/run")
    args = parser.parse_args()
    postgres = harness.Postgres()
    try:
        database = postgres.create_database()
        harness.command("migrate", "--db", database)
        told = harness.command("token", "add", "--name", "fuzz", "--scope", "admin", "--db", database).stdout
        with tempfile.TemporaryDirectory() as folder:
            server = harness.Server(database, pathlib.Path(folder) / "log", "--idle-timeout", "1").start()
            try:
                fuzz = run(args, server, next(word for word in told.split() if word.startswith("nsw_")))
            finally:
                if server.running():
                    server.kill()
    finally:
        postgres.remove()
    codes = ", ".join(f"{n} x {code}" for code, n in sorted(fuzz.codes.items()))
    print(f"http (seed {args.seed}) {args.seconds:.0f}s {fuzz.sent} requests, {len(fuzz.found)} findings; answers: {codes}")
    (args.out / "totals").mkdir(parents=True, exist_ok=True)
    with open(args.out / "totals" / "http", "a") as totals:
        totals.write(f"{fuzz.sent} {args.seconds:.0f}\n")
    for what in fuzz.found.values():
        print(what[:1000])
    return bool(fuzz.found)


if __name__ == "__main__":
    sys.exit(main())
