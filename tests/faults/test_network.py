# SPDX-License-Identifier: GPL-2.0-or-later
"""Machines that are cut off, and a standby that takes over: network namespaces (net.py). All slow: make test-faults."""
import time

import pytest

from harness import Server, command, wait_until
from flood import Flood, check
import net

pytestmark = pytest.mark.slow

# what docs/operation says for two servers and a switch between them: a cut line is noticed in two seconds
WATCHFUL = "connect_timeout=2 tcp_user_timeout=2000 keepalives_idle=1 keepalives_interval=1 keepalives_count=2"
LAB = 9  # the machine of serve and of those who post


def conninfo(*machines, db):
    hosts = ",".join(net.Network.address(n) for n in machines)
    ports = ",".join("5432" for _ in machines)
    return f"host={hosts} port={ports} user=postgres dbname={db} {WATCHFUL}"


class Lab:
    """serve and clients on a machine of their own, PostgreSQL on others."""

    def __init__(self, network, tmp_path, db):
        self.machine, self.db = network.machine(LAB), db
        with net.inside(self.machine):
            command("migrate", "--db", db)
            done = command("token", "add", "--name", "t", "--scope", "admin", "--db", db)
            self.token = next(w for w in done.stdout.split() if w.startswith("nsw_"))
            self.server = Server(db, tmp_path / "log", "--statement-timeout", "5000").start()

    def flood(self, name, **kw):
        return Flood("127.0.0.1", self.server.port, self.token, name, machine=self.machine, **kw)

    def ready(self):
        with net.inside(self.machine):
            return self.server.status("/readyz") == 200

    def stop(self):
        self.server.stop()


def node_on(network, new_node, n, **kw):
    return new_node(machine=network.machine(n), address=network.address(n), **kw)


@pytest.mark.fault("cut off by the network for some seconds (the cable, both ways)",
                   "503 in bounded time; nothing acknowledged is lost or doubled; back by itself when the cable is in again")
def test_the_line_to_postgresql_is_cut(network, new_node, tmp_path):
    node = node_on(network, new_node, 1)
    node.sql("CREATE DATABASE lab")
    lab = Lab(network, tmp_path, conninfo(1, db="lab"))
    try:
        with lab.flood("cut", writers=8, readers=4, timeout=60) as flood:
            wait_until(lambda: len(flood.acknowledged) > 100, "uploads go on")
            for _ in range(2):
                network.cut(1)
                cut = time.monotonic()
                wait_until(lambda: flood.since(cut)[503] >= 20, "all are told so")
                network.mend(1)
                mended = time.monotonic()
                back = wait_until(lambda: flood.first_success_after(mended), "uploads go on again")
                print(f"cut for {mended - cut:.1f} s, back {back - mended:.2f} s after it was mended")
                wait_until(lambda: flood.since(mended)[201] > 50, "for all")
        longest = max(seconds for _, seconds, *_ in flood.times)
        print(f"the longest answer took {longest:.1f} s; {dict(flood.answers)}")
        assert longest < 30 and not flood.answers[None]
        print(check("host=10.77.0.1 user=postgres dbname=lab", flood, machine=lab.machine))
    finally:
        lab.stop()


@pytest.mark.fault("failed over: the primary is cut off by the network under load, its synchronous standby is promoted by hand",
                   "all that was acknowledged is there; the service is back within a second of the promotion; links to the old primary are given up")
def test_the_primary_is_cut_off_and_the_standby_promoted(network, new_node, tmp_path):
    primary = node_on(network, new_node, 1)
    standby = node_on(network, new_node, 2, copy_of=primary)
    primary.sql("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
    primary.sql("SELECT pg_reload_conf()")
    wait_until(lambda: primary.sql("SELECT sync_state FROM pg_stat_replication") == [("sync",)], "the standby is synchronous")
    primary.sql("CREATE DATABASE lab")
    lab = Lab(network, tmp_path, conninfo(1, 2, db="lab"))
    try:
        with lab.flood("over", writers=16, readers=16, timeout=60) as flood:
            wait_until(lambda: len(flood.acknowledged) > 300, "uploads go on")
            network.cut(1)
            cut = time.monotonic()
            wait_until(lambda: flood.since(cut + 2)[503] >= 20, "the outage is noticed")
            before = len(flood.acknowledged)
            promoted = time.monotonic()
            standby.promote()
            wait_until(lambda: standby.sql("SELECT NOT pg_is_in_recovery()") == [(True,)], "it is promoted")
            done = time.monotonic()
            back = wait_until(lambda: flood.first_success_after(promoted), "uploads go on again")
            wait_until(lambda: len(flood.acknowledged) > before + 300, "for all")
            read = flood.first_success_after(promoted, "GET")
        print(f"cut {promoted - cut:.1f} s before the promotion, which took {done - promoted:.2f} s; the first upload was acknowledged"
              f" {back - promoted:.2f} s after it was ordered, the first page {read - promoted:.2f} s; {dict(flood.answers)}")
        assert back - promoted < 1 and not flood.answers[None]
        print("acknowledged, stored:", check("host=10.77.0.2 user=postgres dbname=lab", flood, machine=lab.machine))
        assert not flood.answers[None]
    finally:
        lab.stop()


@pytest.mark.fault("the synchronous standby is lost: COMMIT hangs for ever, statement_timeout does not end it",
                   "503 in bounded time; no retry makes an acknowledgement of what the standby has not; back when it is")
def test_the_synchronous_standby_is_lost(network, new_node, tmp_path):
    primary = node_on(network, new_node, 1)
    standby = node_on(network, new_node, 2, copy_of=primary)
    primary.sql("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
    primary.sql("ALTER SYSTEM SET wal_sender_timeout = '2s'")
    primary.sql("SELECT pg_reload_conf()")
    wait_until(lambda: primary.sql("SELECT sync_state FROM pg_stat_replication") == [("sync",)], "the standby is synchronous")
    primary.sql("CREATE DATABASE lab")
    lab = Lab(network, tmp_path, conninfo(1, db="lab"))
    try:
        with lab.flood("sync", writers=4, readers=2, timeout=60) as flood:
            wait_until(lambda: len(flood.acknowledged) > 50, "uploads go on")
            network.cut(2)
            cut = time.monotonic()
            wait_until(lambda: flood.since(cut)[503] >= 4, "they are told so")
            known = set(flood.acknowledged)
            # whose wait is broken off is committed here, and not there
            primary.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
            again = time.monotonic()
            wait_until(lambda: flood.since(again)[503] >= 4, "and again")
            assert set(flood.acknowledged) == known, "nothing was acknowledged that the standby has not"
            network.mend(2)
            mended = time.monotonic()
            wait_until(lambda: flood.first_success_after(mended), "uploads go on again")
        print(dict(flood.answers), check("host=10.77.0.1 user=postgres dbname=lab", flood, machine=lab.machine))
        primary.stop()
        standby.promote()
        wait_until(lambda: standby.sql("SELECT NOT pg_is_in_recovery()") == [(True,)], "it is promoted")
        check("host=10.77.0.2 user=postgres dbname=lab", flood, machine=lab.machine)
    finally:
        lab.stop()
