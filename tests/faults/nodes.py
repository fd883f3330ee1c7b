# SPDX-License-Identifier: GPL-2.0-or-later
"""PostgreSQL as a test wants it: on a machine of net.py, on a small disk, as somebody's standby."""
import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile

import psycopg2

from harness import PATIENCE, Postgres, pg_bin, wait_until
import net


class Node(Postgres):
    """
    conf: lines of postgresql.conf. folder: where its data is kept, else a new one. machine: a namespace's name, address: what to
    listen on there. copy_of: another Node, whose standby this one is, by the name `name`. wal: where its log is kept.
    """

    def __init__(self, conf=(), folder=None, machine=None, address=None, copy_of=None, name="standby", wal=None):
        self.dir = pathlib.Path(folder or tempfile.mkdtemp(prefix="nsw-node-"))
        self.own_folder = folder is None
        self.machine, self.address, self.name = machine, address, name
        self.user = {}
        if os.geteuid() == 0:
            who = pwd.getpwnam("postgres")
            self.user = {"user": who.pw_uid, "group": who.pw_gid, "extra_groups": []}
            os.chown(self.dir, who.pw_uid, who.pw_gid)
        self.data, self.log, self.process = self.dir / "data", self.dir / "log", None
        if copy_of:
            self._copy(copy_of)
        else:
            if wal:
                os.chown(wal, self.user.get("user", -1), self.user.get("group", -1))
            self._run("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N", "--wal-segsize=1",
                      *(["-X", wal / "pg_wal"] if wal else []))
            with open(self.data / "pg_hba.conf", "a") as hba:
                hba.write("host all all 10.77.0.0/24 trust\nhost replication all 10.77.0.0/24 trust\n")
        with open(self.data / "postgresql.conf", "a") as out:
            out.write(f"listen_addresses = '{address or ''}'\nunix_socket_directories = '{self.dir}'\n"
                      "max_connections = 200\nshared_buffers = 32MB\nmax_wal_size = 64MB\nmin_wal_size = 32MB\n"
                      "fsync = off\n" + "".join(f"{line}\n" for line in conf))
        self.start()

    def _copy(self, primary):
        with net.inside(self.machine):
            self._run("pg_basebackup", "-D", self.data, "-R", "-X", "stream", "-c", "fast",
                      "-d", f"host={primary.address or primary.dir} user=postgres application_name={self.name}")

    def start(self):
        with net.inside(self.machine):
            super().start()

    def sql(self, statement):
        return self.execute("postgres", statement)

    def promote(self):
        """Returns when it has been told to, as an operator's command does."""
        self._run("pg_ctl", "-D", self.data, "-W", "promote")

    def is_dead(self):
        """Ended by itself: a moment is given to one that is about to."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(3)
        return self.process.poll() is not None

    def freeze(self):
        """Every process of it stops, and says nothing."""
        self._signal_all(signal.SIGSTOP)

    def thaw(self):
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, sig):
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.process.pid)], stdout=subprocess.PIPE, text=True).stdout.split()
        for pid in [self.process.pid, *map(int, children)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, sig)

    def remove(self):
        if self.process:
            with contextlib.suppress(ProcessLookupError):
                self.thaw()
        super().remove()


@contextlib.contextmanager
def small_disk(mib):
    """A file system of so many MiB."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="nsw-disk-"))
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mib}m,mode=0755", "tmpfs", str(path)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        path.rmdir()
        import pytest
        pytest.skip(f"a small file system needs root and mount: {done.stdout.strip()}")
    try:
        yield path
    finally:
        subprocess.run(["umount", "-l", str(path)], check=True)
        path.rmdir()


def fill(folder):
    """Leaves no byte free on that disk; gives the file that does."""
    ballast = pathlib.Path(folder) / "ballast"
    with open(ballast, "ab", buffering=0) as f, contextlib.suppress(OSError):
        while True:
            f.write(b"\0" * 65536)
    with open(ballast, "ab", buffering=0) as f, contextlib.suppress(OSError):
        while True:
            f.write(b"\0" * 512)
    return ballast
