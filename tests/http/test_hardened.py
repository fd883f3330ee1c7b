# SPDX-License-Identifier: GPL-2.0-or-later
"""What an attacker who found a hole would meet: how programs are built, what running ones may do, the units."""
import os
import pathlib
import platform
import pwd
import re
import shutil
import subprocess

import pytest

from harness import BUILD, ROOT, Process, wait_until

SAN = os.environ.get("SAN", "")


def readelf(program, *options):
    return subprocess.run(["readelf", "-W", *options, BUILD / program], stdout=subprocess.PIPE, text=True, check=True).stdout


@pytest.mark.parametrize("program", ["nsecwatchd", "nsecwatch"])
class TestProgram:
    def test_lies_anywhere_in_memory(self, program):
        assert re.search(r"Type:\s+DYN", readelf(program, "-h"))
        assert re.search(r"FLAGS_1.*\bPIE\b", readelf(program, "-d"))
        assert "TEXTREL" not in readelf(program, "-d")

    def test_has_no_stack_or_data_that_can_be_run_and_no_code_that_can_be_written(self, program):
        segments = re.findall(r"^\s+(LOAD|GNU_STACK)\s+(?:0x[0-9a-f]+\s+){5}([R ][W ][E ])\s", readelf(program, "-l"), re.M)
        assert {kind for kind, _ in segments} == {"LOAD", "GNU_STACK"}
        assert not [flags for _, flags in segments if "W" in flags and "E" in flags]
        assert [flags for kind, flags in segments if kind == "GNU_STACK"] == ["RW "]

    def test_has_its_tables_read_only_once_it_runs(self, program):
        assert "GNU_RELRO" in readelf(program, "-l")
        assert re.search(r"\bBIND_NOW\b|FLAGS_1.*\bNOW\b", readelf(program, "-d"))

    def test_takes_no_library_from_odd_places(self, program):
        assert not re.search(r"R(UN)?PATH", readelf(program, "-d"))

    def test_looks_after_its_stack_and_copies(self, program):
        symbols = readelf(program, "--dyn-syms")
        assert "__stack_chk_fail" in symbols
        if not SAN:  # sanitizers look closer, and do not go with it
            checked = set(re.findall(r"\b(__\w+_chk)\b", symbols))
            assert len(checked - {"__stack_chk_fail"}) >= 3, checked

    def test_jumps_only_to_where_one_may_jump(self, program):
        code = (BUILD / program).read_bytes()
        mark = {"x86_64": b"\xf3\x0f\x1e\xfa", "aarch64": b"\x5f\x24\x03\xd5"}.get(platform.machine())
        if not mark:
            pytest.skip(f"{platform.machine()} has no such marks")
        assert code.count(mark) > 500


def status(process, field):
    return re.search(rf"^{field}:\s*(.*)$", pathlib.Path(f"/proc/{process.process.pid}/status").read_text(), re.M)[1]


@pytest.mark.parametrize("command", ["serve", "watch"])
def test_serve_and_watch_have_given_up_what_they_do_not_need(command, server, database, tmp_path, monkeypatch):
    monkeypatch.setenv("NSECWATCH_WEBHOOK_SECRET", "a secret of watch's")
    process = server
    if command == "watch":
        process = Process("watch", "--db", database, "--webhook-url", "https://example.invalid/", log=tmp_path / "log").start()
        wait_until(lambda: "watching" in process.log_tail(), "it runs")
    try:
        assert status(process, "NoNewPrivs") == "1"
        assert status(process, "Seccomp") == "2"
        if not SAN and os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            for name in ("environ", "maps", "mem"):
                assert os.stat(f"/proc/{process.process.pid}/{name}").st_uid == 0
            read = subprocess.run(["cat", f"/proc/{process.process.pid}/environ"], user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[], capture_output=True)
            assert read.returncode != 0 and not read.stdout
    finally:
        if command == "watch":
            process.stop()


def test_watch_has_no_socket_that_listens(database, tmp_path):
    watch = Process("watch", "--db", database, log=tmp_path / "log").start()
    wait_until(lambda: "watching" in watch.log_tail(), "it runs")
    inodes = {os.readlink(f).partition("[")[2].rstrip("]") for f in pathlib.Path(f"/proc/{watch.process.pid}/fd").iterdir()
              if os.path.islink(f) and os.readlink(f).startswith("socket:")}
    for table in ("tcp", "tcp6"):
        for line in pathlib.Path(f"/proc/{watch.process.pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            assert not (fields[3] == "0A" and fields[9] in inodes), line
    watch.stop()


# ---- what make install puts where

@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """`make install` with a PREFIX of its own, so that the units name programs that are there."""
    prefix = tmp_path_factory.mktemp("installed")
    done = subprocess.run(["make", "-s", "-C", ROOT, "install", f"PREFIX={prefix}", f"SAN={SAN}", f"BUILD={os.environ.get('BUILD', 'build')}",
                           f"WITH_NPM={os.environ.get('WITH_NPM', 'yes')}", "-o", "all"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS")})
    assert done.returncode == 0, done.stdout
    return prefix


def test_what_is_installed(installed):
    there = {str(f.relative_to(installed)) for f in installed.rglob("*") if f.is_file()}
    assert {"bin/nsecwatchd", "bin/nsecwatch", "share/man/man1/nsecwatch.1", "share/bash-completion/completions/nsecwatch",
            "share/doc/nsecwatch/LICENSE", "share/doc/nsecwatch/nginx.conf"} <= there
    assert {f"lib/systemd/system/nsecwatch{part}.service" for part in ("", "-serve", "-watch", "-migrate")} <= there
    for name in there:
        mode = (installed / name).stat().st_mode & 0o777
        assert mode == (0o755 if name.startswith("bin/") else 0o644), (name, oct(mode))
    assert subprocess.run([installed / "bin" / "nsecwatchd", "version"], capture_output=True).returncode == 0


def systemd_analyze():
    return shutil.which("systemd-analyze") or pytest.skip("systemd-analyze is missing")


def units(installed):
    return sorted((installed / "lib/systemd/system").glob("*.service"))


def test_systemd_understands_the_units(installed):
    done = subprocess.run([systemd_analyze(), "verify", "--man=no", *units(installed)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    ours = [line for line in done.stdout.splitlines() if "nsecwatch" in line]  # units of the machine may have faults of their own
    assert not ours, "\n".join(ours)
    for unit in units(installed):
        text = unit.read_text()
        assert f"ExecStart={installed}/bin/nsecwatchd " in text and "@" not in re.sub(r"SystemCallFilter=\S.*|~?@\w+", "", re.sub(r"(?m)^#.*", "", text))


def test_systemd_finds_little_that_is_open(installed):
    for unit in units(installed):
        done = subprocess.run([systemd_analyze(), "security", "--no-pager", "--offline=true", unit], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        found = re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
        if not found:
            pytest.skip(f"this systemd-analyze looks at no files: {done.stdout[:200]}")
        assert float(found[1]) <= 1.5, done.stdout


def test_uninstall_takes_all_of_it_away(installed):
    subprocess.run(["make", "-s", "-C", ROOT, "uninstall", f"PREFIX={installed}", f"BUILD={os.environ.get('BUILD', 'build')}"], check=True, capture_output=True)
    assert not [f for f in installed.rglob("*") if f.is_file()]
