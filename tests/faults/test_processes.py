# SPDX-License-Identifier: GPL-2.0-or-later
"""Our own processes killed, the clock wrong, the disk of `up` full."""
import datetime
import os
import pathlib
import random
import re
import shutil
import tempfile

import pytest

from harness import PATIENCE, Process, Server, sql, wait_until
from flood import Flood, check
from lab import to
import nodes

SAN = os.environ.get("SAN", "")


@pytest.mark.fault("serve is killed at any moment under load (20 times)", "nothing acknowledged is lost, nothing is doubled; the next start serves")
@pytest.mark.slow
def test_serve_killed_at_random_moments(server, tokens, database):
    rng = random.Random(os.environ.get("NSECWATCH_FAULT_SEED", "9"))
    with Flood("127.0.0.1", server.port, tokens("admin"), "shot", writers=8, readers=4) as flood:
        for _ in range(20):
            some = len(flood.acknowledged) + rng.randint(1, 60)
            wait_until(lambda: len(flood.acknowledged) >= some or flood.wrong, "some more are acknowledged")
            server.kill()
            server.start()
    print(check(database, flood), dict(flood.answers))


def faked(process, clock, dont_fake_monotonic=True):
    """The process sees another wall clock: what stands in the file `clock`, read anew all the time."""
    library = next(iter(sorted(pathlib.Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))), None)
    if not library:
        pytest.skip("libfaketime is missing (libfaketime)")
    if SAN:
        pytest.skip("libfaketime and a sanitizer's runtime both want to be loaded first")
    environment = {"LD_PRELOAD": str(library), "FAKETIME_TIMESTAMP_FILE": str(clock), "FAKETIME_NO_CACHE": "1",
                   "FAKETIME_DONT_FAKE_MONOTONIC": "1" if dont_fake_monotonic else "0"}
    process.args = ["env", *(f"{k}={v}" for k, v in environment.items()), *process.args]
    return process


@pytest.mark.fault("the clock of serve jumps: a year ahead, back, and a day behind", "uploads go on, in the order in which they came; no errors")
@pytest.mark.slow
def test_the_clock_of_serve_jumps(database, tokens, tmp_path):
    clock = tmp_path / "clock"
    clock.write_text("+0")
    server = faked(Server(database, tmp_path / "log"), clock)
    server.start()
    try:
        with Flood("127.0.0.1", server.port, tokens("admin"), "jump", writers=4, readers=4) as flood:
            for jump in ("+0", "+366d", "+0", "-1d", "+45d", "-400d", "+0"):
                clock.write_text(jump)
                some = len(flood.acknowledged) + 40
                wait_until(lambda: len(flood.acknowledged) >= some or flood.wrong, f"uploads go on at {jump}")
        assert not flood.answers[503], flood.reasons
        assert not flood.answers[None]
        print(check(database, flood), dict(flood.answers))
        times = [row[0] for row in sql(database, "SELECT received_at FROM run")]
        assert len(times) == len(set(times)), "no two came at one moment"
        assert max(times) > datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=300), "the jump was real"
    finally:
        server.stop()


@pytest.mark.fault("the clock of watch jumps an hour ahead and back, again and again", "every alert is found and told once")
@pytest.mark.slow
def test_the_clock_of_watch_jumps(lab, hook, tmp_path):
    clock = tmp_path / "clock"
    clock.write_text("+0")
    watch = faked(lab.watch(*to(hook), start=False), clock).start()
    for i, jump in enumerate(("+3600", "-3600", "+0", "+86400", "+0")):
        clock.write_text(jump)
        lab.boots(f"v6.{i + 1}", {size: (1000 + 400 * i) * size for size in (4, 40)})
        lab.checked()
    clock.write_text("+0")
    alerts = lab.alerts()
    assert len(alerts) == 4, [(a["from"], a["to"]) for a in alerts]
    wait_until(lambda: not sql(lab.db, "SELECT 1 FROM outbox WHERE sent_at IS NULL"), "all are told", timeout=180)
    keys = [headers["Idempotency-Key"] for headers, _ in hook.calls]
    assert len(keys) == len(set(keys)) == 4
    watch.stop()


class Up(Process):
    def __init__(self, data, log):
        self.url = None
        super().__init__("up", "--data", data, "--listen", "127.0.0.1:0", log=log)

    def address(self):
        assert self.running(), self.log_tail()
        found = re.search(r"nsecwatch is ready +(http://\S+)/\n", self.log_tail())
        return found and found.group(1)

    def start(self):
        super().start()
        self.url = wait_until(self.address, "up is ready", timeout=3 * PATIENCE)
        return self


@pytest.mark.fault("the disk of `up` is full", "503 that tells why; `up` stays, starts what died, and serves when there is room; nothing acknowledged is lost")
@pytest.mark.slow
def test_the_disk_of_up_is_full(tmp_path):
    with nodes.small_disk(260) as disk:
        place = pathlib.Path(tempfile.mkdtemp(prefix="nsw-up-"))
        up = Up(disk / "var", place / "log").start()
        try:
            token = (disk / "var" / "admin.token").read_text().strip()
            host, port = up.url.removeprefix("http://").split(":")
            with Flood(host, int(port), token, "up", writers=6, readers=2) as flood:
                wait_until(lambda: len(flood.acknowledged) > 50, "uploads go on")
                ballast = nodes.fill(disk)
                wait_until(lambda: flood.answers[503] >= 30, "it is full, and all are told so", timeout=120)
                assert up.running()
                ballast.unlink()
                some = len(flood.acknowledged) + 50
                wait_until(lambda: len(flood.acknowledged) > some, "uploads go on again", timeout=120)
            print(dict(flood.answers), flood.reasons.most_common(4))
            conninfo = (disk / "var" / "conninfo").read_text().strip()
            print(check(conninfo, flood))
        finally:
            if up.running():
                up.stop()
            shutil.rmtree(place, ignore_errors=True)


@pytest.mark.fault("up, with all its parts, is killed at any moment under load (3 times)", "the next start has all that was acknowledged, once")
@pytest.mark.slow
def test_up_killed_at_random_moments():
    rng = random.Random(os.environ.get("NSECWATCH_FAULT_SEED", "9"))
    place = pathlib.Path(tempfile.mkdtemp(prefix="nsw-up-"))
    place.chmod(0o755)
    up = Up(place / "var", place / "log").start()
    try:
        for i in range(3):
            token = (place / "var" / "admin.token").read_text().strip()
            host, port = up.url.removeprefix("http://").split(":")
            with Flood(host, int(port), token, f"round{i}", writers=6) as flood:
                some = rng.randint(50, 200)
                wait_until(lambda: len(flood.acknowledged) > some, "uploads go on")
                up.kill()
            up.log.write_bytes(b"")
            up.start()
            conninfo = (place / "var" / "conninfo").read_text().strip()
            print(check(conninfo, flood))
    finally:
        if up.running():
            up.stop()
        shutil.rmtree(place, ignore_errors=True)
