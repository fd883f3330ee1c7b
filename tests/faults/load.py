# SPDX-License-Identifier: GPL-2.0-or-later
"""
Many writers and readers for minutes, PostgreSQL killed again and again in their middle, watch beside: `make test-load`.

  load.py [--minutes 2] [--writers 64] [--readers 64] [--kill-every 120] [--sum FILE]

What must hold: what was acknowledged is there, once; no 5xx but 503; the memory of serve does not grow; nothing ends by itself. Told beside:
the 99th percentile of what answers took outside of outages, as the client saw it and as the server says in Server-Timing. An
outage lasts from the kill until a second after the first upload is acknowledged again.

--sum FILE: adds to what that file has of earlier parts, and tells the sum, too: eight of 150 s are 20 minutes.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "http")]

from harness import PATIENCE, Process, Server, command, sql, wait_until  # noqa: E402
from flood import Flood, check  # noqa: E402
import nodes  # noqa: E402


def rss_mib(process):
    for line in pathlib.Path(f"/proc/{process.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def percentile(values, p):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * p))] * 1000 if values else float("nan")


class Killer(threading.Thread):
    """Kills PostgreSQL, all of its processes, and starts it again; notes the outages."""

    def __init__(self, node, flood, every_s):
        super().__init__()
        self.node, self.flood, self.every_s, self.outages, self.failure = node, flood, every_s, [], None
        self.over = threading.Event()

    def run(self):
        pause = self.every_s / 2
        try:
            while not self.over.wait(pause):
                killed = time.monotonic()
                self.node.kill()
                self.node.start()
                started = time.monotonic()
                back = wait_until(lambda: self.flood.first_success_after(started), "uploads go on again", timeout=3 * PATIENCE)
                self.outages.append((killed, back + 1))
                print(f"  killed; {back - killed:.2f} s later an upload is acknowledged again", flush=True)
                pause = self.every_s
        except Exception as e:
            self.failure = e


def outside(when, seconds, outages):
    return all(when < begin or when - seconds > end for begin, end in outages)


def run(args, folder):
    node = nodes.Node(conf=["max_wal_size = 512MB", "checkpoint_timeout = 60s"])
    db = node.create_database()
    command("migrate", "--db", db)
    done = command("token", "add", "--name", "load", "--scope", "admin", "--db", db)
    token = next(word for word in done.stdout.split() if word.startswith("nsw_"))
    server = Server(db, folder / "serve.log", "--log-level", "warn").start()
    watch = Process("watch", "--db", db, "--log-level", "error", log=folder / "watch.log").start()
    memory = []
    try:
        with Flood("127.0.0.1", server.port, token, "load", args.writers, args.readers, pause_s=args.pause, timeout=60) as flood:
            killer = Killer(node, flood, args.kill_every)
            killer.start()
            end = time.monotonic() + args.minutes * 60
            while time.monotonic() < end and not flood.wrong and not killer.failure:
                killer.over.wait(2)
                assert server.running() and watch.running(), server.log_tail() + watch.log_tail()
                memory.append(rss_mib(server))
            killer.over.set()
            killer.join()
        assert not killer.failure, killer.failure
        wait_until(lambda: not sql(db, "SELECT 1 FROM run_todo WHERE what = 'pack'"), "all runs are packed", timeout=3 * PATIENCE)
        acknowledged, stored = check(db, flood)
        watch.stop()
        server.stop()  # a sanitizer's complaint is an exit code
    except BaseException:
        print(server.log_tail(4000), watch.log_tail(4000), sep="\n")
        raise
    finally:
        for process in (watch, server):
            if process.running():
                process.kill()
        node.remove()
    calm = [(seconds, server_s, method) for when, seconds, status, method, server_s in flood.times
            if status and status < 400 and outside(when, seconds, killer.outages)]
    return {"seconds": args.minutes * 60, "kills": len(killer.outages), "acknowledged": acknowledged, "stored": stored, "lost": 0, "doubled": 0,
            "answers": {str(k): v for k, v in flood.answers.items()}, "outage_s": [end - begin - 1 for begin, end in killer.outages],
            "post_p99_ms": percentile([s for s, _, m in calm if m == "POST"], 0.99), "get_p99_ms": percentile([s for s, _, m in calm if m == "GET"], 0.99),
            "server_post_p99_ms": percentile([s for _, s, m in calm if m == "POST" and s is not None], 0.99),
            "server_get_p99_ms": percentile([s for _, s, m in calm if m == "GET" and s is not None], 0.99), "rss_mib": memory}


def tell(parts, args):
    answers = {}
    for part in parts:
        for status, n in part["answers"].items():
            answers[status] = answers.get(status, 0) + n
    total = lambda key: sum(part[key] for part in parts)
    print(f"{total('seconds') / 60:.1f} minutes, {args.writers} writers, {args.readers} readers, PostgreSQL killed {total('kills')} times")
    print(f"  acknowledged {total('acknowledged')}, lost {total('lost')}, doubled {total('doubled')}")
    print("  answers " + ", ".join(f"{'none' if status == 'None' else status}: {n}" for status, n in sorted(answers.items())))
    outages = [s for part in parts for s in part["outage_s"]]
    if outages:
        print(f"  outages {min(outages):.2f} to {max(outages):.2f} s, PostgreSQL's recovery and all")
    for part in parts:
        third = max(1, len(part["rss_mib"]) // 3)
        print(f"  99 % outside outages, ms: POST {part['post_p99_ms']:.0f} (of which the server {part['server_post_p99_ms']:.0f}), GET {part['get_p99_ms']:.0f}"
              f" (the server {part['server_get_p99_ms']:.0f}); memory of serve, MiB: {max(part['rss_mib'][:third]):.0f} in the first third,"
              f" {max(part['rss_mib'][-third:]):.0f} in the last")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--writers", type=int, default=64)
    parser.add_argument("--readers", type=int, default=64)
    parser.add_argument("--kill-every", type=float, default=120, help="seconds")
    parser.add_argument("--pause", type=float, default=0.1, help="seconds between two requests of a client")
    parser.add_argument("--sum")
    args = parser.parse_args()
    random.seed(os.environ.get("NSECWATCH_FAULT_SEED"))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="nsw-load-"))
    try:
        part = run(args, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    tell([part], args)
    third = max(1, len(part["rss_mib"]) // 3)
    # what a minute fills: the cache of answers (64 MiB) and the pool's memory; after that it stays. A sanitizer keeps what was freed.
    assert os.environ.get("SAN") or max(part["rss_mib"][-third:]) < 1.1 * max(part["rss_mib"][third:2 * third] or [0]) + 16, part["rss_mib"]
    if args.sum:
        before = json.loads(pathlib.Path(args.sum).read_text()) if os.path.exists(args.sum) else []
        pathlib.Path(args.sum).write_text(json.dumps(before + [part]))
        print("in all:")
        tell(before + [part], args)


if __name__ == "__main__":
    main()
