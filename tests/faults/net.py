# SPDX-License-Identifier: GPL-2.0-or-later
"""Machines that are network namespaces on one switch, whose cables can be pulled. Needs root, ip and nsenter."""
import contextlib
import ctypes
import os
import pathlib
import shutil
import subprocess

import pytest

CLONE_NEWNET = 0x40000000
_libc = ctypes.CDLL(None, use_errno=True)


def _run(*args):
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise OSError(f"{' '.join(args)}: {done.stdout.strip()}")


class Network:
    """.machine(n) -> its namespace's name; its address is .address(n). .cut(n), .mend(n)."""

    def __init__(self):
        self.tag = f"nsw{os.getpid() % 100000}"
        self.made, self.names = [], {}
        if os.geteuid() or not shutil.which("ip") or not shutil.which("nsenter"):
            pytest.skip("network namespaces need root, ip (iproute2) and nsenter")
        try:
            self._add(f"{self.tag}sw")
            _run("ip", "-n", self.switch, "link", "add", "br0", "type", "bridge")
            _run("ip", "-n", self.switch, "link", "set", "br0", "up")
        except OSError as e:
            self.close()
            pytest.skip(f"no network namespaces here: {e}")

    @property
    def switch(self):
        return f"{self.tag}sw"

    def _add(self, name):
        _run("ip", "netns", "add", name)
        self.made.append(name)
        _run("ip", "-n", name, "link", "set", "lo", "up")

    def machine(self, n):
        if n in self.names:
            return self.names[n]
        name = f"{self.tag}m{n}"
        self._add(name)
        _run("ip", "-n", self.switch, "link", "add", f"v{n}", "type", "veth", "peer", "name", "eth0", "netns", name)
        _run("ip", "-n", self.switch, "link", "set", f"v{n}", "master", "br0", "up")
        _run("ip", "-n", name, "addr", "add", f"{self.address(n)}/24", "dev", "eth0")
        _run("ip", "-n", name, "link", "set", "eth0", "up")
        self.names[n] = name
        return name

    @staticmethod
    def address(n):
        return f"10.77.0.{n}"

    def cut(self, n):
        """The cable is pulled: packets vanish, nobody is told."""
        _run("ip", "-n", self.switch, "link", "set", f"v{n}", "down")

    def mend(self, n):
        _run("ip", "-n", self.switch, "link", "set", f"v{n}", "up")

    def close(self):
        for name in reversed(self.made):
            with contextlib.suppress(OSError):
                _run("ip", "netns", "del", name)


def enter(name):
    """This thread, and what it starts, is on that machine from now on."""
    with open(pathlib.Path("/run/netns") / name) as f:
        if _libc.setns(f.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), f"setns {name}")


@contextlib.contextmanager
def inside(name):
    """The same for a while; name None: here."""
    if not name:
        yield
        return
    with open("/proc/thread-self/ns/net") as home:
        enter(name)
        try:
            yield
        finally:
            _libc.setns(home.fileno(), CLONE_NEWNET)
