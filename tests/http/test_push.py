# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab client against a server: push, check, compare; the server away, and coming back."""
import http.server
import json
import os
import pty
import random
import signal
import socket
import ssl
import subprocess
import threading
import time

import pytest

from harness import BUILD, PATIENCE, Process, free_port, submission, wait_until

CLIENT = BUILD / "nsecwatch"


class Lab:
    """A lab machine: a home of its own, and made-up /proc and /sys so that tests do not depend on where they run."""

    def __init__(self, home, url, token):
        self.home, self.url, self.token = home, url, token
        self.spool = home / ".local/state/nsecwatch/spool"
        self.root = home / "root"
        for path, text in {
            "proc/cpuinfo": "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\nstepping\t: 1\n"
                            "model name\t: AMD EPYC 7763\nmicrocode\t: 0xa0011d3\nflags\t\t: fpu lm\n",
            "proc/sys/kernel/osrelease": "6.17.0-rc1\n", "proc/sys/kernel/arch": "x86_64\n",
            "proc/sys/kernel/hostname": "lab-01\n", "proc/sys/kernel/random/boot_id": "boot-a\n",
            "proc/meminfo": "MemTotal:       16384000 kB\n",
            "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
        }.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text)

    def environment(self, **more):
        return {"PATH": "/usr/bin:/bin", "HOME": str(self.home), "NSECWATCH_URL": self.url, "NSECWATCH_TOKEN": self.token,
                "NSECWATCH_RETRY_FOR": "0", "no_proxy": "*", **more}

    def start(self, *args, **env):
        return subprocess.Popen([CLIENT, *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, cwd=self.home, env=self.environment(**env))

    def run(self, *args, stdin="", **env):
        """Exit code, standard output, standard error."""
        done = subprocess.run([CLIENT, *map(str, args)], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              cwd=self.home, env=self.environment(**env), timeout=PATIENCE * 3)
        return done.returncode, done.stdout, done.stderr

    def push(self, *args, **more):
        return self.run("push", "--root", self.root, *args, **more)

    def file(self, name, content):
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def waiting(self):
        return sorted(path.name for path in self.spool.glob("*.push")) if self.spool.exists() else []


@pytest.fixture
def lab(server, tokens, tmp_path):
    return Lab(tmp_path, server.url, tokens("admin"))


@pytest.fixture
def labels(api):
    """How many runs have a label `test` of this value, oldest first: their `nr` labels."""
    def of(test):
        runs = api.json("/api/v1/runs?limit=1000")["runs"]
        return [run["labels"].get("nr") for run in reversed(runs) if run["labels"].get("test") == test]
    return of


def bare(nr, test, **more):
    """A submission that says nothing of where it was measured."""
    return {"schema": "nsecwatch.submission/1", "labels": {"nr": str(nr), "test": test},
            "results": [{"benchmark": "mprotect/tw4m", "params": {"size_kib": 400}, "metric": "latency", "unit": "ns/call",
                         "better": "lower", "values": [3450 + nr]}], **more}


def test_a_file_gets_the_context_of_the_machine_it_is_pushed_on(lab, api):
    code, out, err = lab.push(lab.file("a.json", bare(1, "context")), "--label", "more=yes")
    assert code == 0, err
    status, run_id = out.split()[:2]
    run = api.json(f"/api/v1/runs/{run_id.rstrip(':')}")["run"]
    assert status == "stored" and run["machine"] == "lab-01" and run["kernel"]["name"] == "6.17.0-rc1"
    assert run["uarch"] == "epyc-milan" and run["thp"] == "madvise" and run["boot_id"] == "boot-a"
    assert run["environment"]["microcode"] == "0xa0011d3" and run["labels"]["more"] == "yes"


def test_the_same_file_again_is_stored_once(lab, labels):
    path = lab.file("a.json", bare(1, "again"))
    assert lab.push(path)[1].startswith("stored")
    assert lab.push(path)[1].startswith("duplicate")
    (lab.root / "proc/cmdline").write_text("quiet\n")  # the context has changed, the measurement has not
    code, out, _ = lab.push(path)
    assert code == 0 and out.startswith("duplicate")
    assert labels("again") == ["1"]


CONSTANT = "benchmark,metric,unit,better,value\nq/c4,faults,faults,lower,7\n"
WHERE = ("--kernel", "6.17", "--machine", "equal-01", "--uarch", "epyc-milan", "--thp", "always", "--boot-id", "b1", "--label", "job=1",
         "--started-at", "2026-01-01T00:00:00Z")


@pytest.mark.parametrize("content", [CONSTANT, json.dumps({"schema": "nsecwatch.submission/1", "results": [
    {"benchmark": "q/c5", "metric": "faults", "unit": "faults", "better": "lower", "values": [7]}]})], ids=["foreign", "own"])
def test_equal_numbers_measured_elsewhere_or_later_are_another_run(lab, content):
    def push(path, where=WHERE, **more):
        code, out, err = lab.push(path, *where, **more)
        assert code == 0, err
        return out.split()[0]
    path = lab.file("y.csv", content)
    os.utime(path, (1760000000, 1760000000))
    assert push(path) == "stored" and push(path) == "duplicate"
    for option, value in (("--kernel", "6.18"), ("--machine", "equal-02"), ("--uarch", "epyc-rome"), ("--thp", "never"), ("--boot-id", "b2"),
                          ("--label", "job=2"), ("--started-at", "2026-01-02T00:00:00Z"), ("--base-page-kib", "64")):
        other = list(WHERE)
        if option in other:
            other[other.index(option) + 1] = value
        else:
            other += [option, value]
        assert push(path, other) == "stored", option
        assert push(path, other) == "duplicate", option
    copy = lab.file("same/y.csv", content)
    os.utime(copy, (1760000000, 1760000000))
    assert push(copy) == "duplicate"  # wherever it lies
    os.utime(path, (1760000001, 1760000001))
    assert push(path) == "stored" and push(path) == "duplicate"  # a job that ran again
    assert push("-", stdin=content) == "stored" and push("-", stdin=content) == "duplicate"
    without = WHERE[:-2]  # nobody says when: no two pushes have the same time, but the bytes are the same
    assert push("-", without, stdin=content) == "stored" and push("-", without, stdin=content) == "duplicate"


def test_of_a_collected_context_the_boot_and_the_mode_tell_runs_apart(lab):
    path = lab.file("y.csv", CONSTANT)
    where = ("--kernel", "6.17.0-rc1", "--machine", "equal-03")
    assert lab.push(path, *where)[1].startswith("stored")
    (lab.root / "proc/sys/kernel/random/boot_id").write_text("boot-b\n")
    assert lab.push(path, *where)[1].startswith("stored")
    (lab.root / "sys/kernel/mm/transparent_hugepage/enabled").write_text("always madvise [never]\n")
    assert lab.push(path, *where)[1].startswith("stored")
    assert lab.push(path, *where)[1].startswith("duplicate")


def test_what_a_file_says_by_itself_wins(lab, api):
    ours = bare(1, "own", machine={"name": "lab-01", "uarch": "epyc-rome"}, config={"thp": "never"})
    code, out, err = lab.push(lab.file("a.json", ours))
    run = api.json(f"/api/v1/runs/{out.split()[1].rstrip(':')}")["run"]
    assert code == 0 and run["uarch"] == "epyc-rome" and run["thp"] == "never" and run["boot_id"] == "boot-a", err
    code, _, err = lab.push(lab.home / "a.json", "--thp", "always")
    assert code == 1 and "leave --thp out" in err


def test_the_context_of_another_machine_kernel_or_boot_is_not_put_on_a_file(lab, api):
    other = bare(1, "other", machine={"name": "far-away"}, kernel="6.16")
    code, out, err = lab.push(lab.file("a.json", other))
    run = api.json(f"/api/v1/runs/{out.split()[1].rstrip(':')}")["run"]
    assert code == 0 and "far-away" in err and run["boot_id"] is None and run["thp"] == "unknown" and not run["environment"]
    code, out, err = lab.push(lab.file("b.json", bare(2, "other", kernel="6.16")))
    run = api.json(f"/api/v1/runs/{out.split()[1].rstrip(':')}")["run"]
    assert code == 0 and "only what is known of the machine" in err
    assert run["machine"] == "lab-01" and run["kernel"]["name"] == "6.16" and run["boot_id"] is None
    (lab.root / "proc/stat").write_text(f"cpu  1 2\nbtime {int(time.time()) + 1000}\n")  # the files are older than this boot
    code, _, err = lab.push(lab.file("c.json", bare(3, "other")))
    assert code == 1 and "older than this boot" in err and "/kernel" in err


def test_the_time_is_the_files_or_else_when_it_was_written(lab, api):
    def started(*args):
        code, out, err = lab.push(*args)
        assert code == 0, err
        return api.json(f"/api/v1/runs/{out.split()[1].rstrip(':')}")["run"]["started_at"]

    written = 1770995280  # 2026-02-13T15:08:00Z
    for name, content in (("a.json", bare(1, "time")), ("a.csv", "benchmark,metric,unit,better,value\nx/y,latency,ns,lower,7\n")):
        path = lab.file(name, content)
        os.utime(path, (written, written))
        assert started(path) == "2026-02-13T15:08:00Z"
    path = lab.file("b.json", bare(2, "time", started_at="2026-02-01T00:00:00Z"))
    assert started(path) == "2026-02-01T00:00:00Z"
    google = {"context": {"date": "2026-01-02T03:04:05+00:00", "num_cpus": 1, "library_build_type": "release"},
              "benchmarks": [{"name": "b", "run_type": "iteration", "iterations": 10, "real_time": 5.0, "cpu_time": 5.0, "time_unit": "ns"}]}
    assert started(lab.file("g.json", google)) == "2026-01-02T03:04:05Z"


def test_arrays_and_streams_are_sent_item_by_item(lab, labels):
    both = [bare(1, "many"), {"kernel": "6.x"}]
    code, out, err = lab.push(lab.file("a.json", both))
    assert code == 1 and out.count("stored") == 1 and "error" in err and labels("many") == ["1"]


def test_a_file_of_another_format_goes_as_it_is(lab, api):
    csv = "benchmark,metric,unit,better,param.size_kib,value\nmprotect/tw4m,latency,us/call,lower,4,1.713\n"
    code, out, err = lab.push("-", "--label", "test=csv", stdin=csv)
    assert code == 0, err
    run_id = out.split()[1].rstrip(":")
    run = api.json(f"/api/v1/runs/{run_id}")["run"]
    assert run["machine"] == "lab-01" and run["format"] == "csv" and run["labels"] == {"test": "csv"}
    assert run["kernel"]["name"] == "6.17.0-rc1" and run["thp"] == "madvise" and run["boot_id"] == "boot-a"
    assert run["environment"]["microcode"] == "0xa0011d3" and csv in api.get(f"/api/v1/runs/{run_id}/raw").text
    (lab.root / "proc/cmdline").write_text("quiet\n")  # the context has changed, the measurement has not
    assert lab.push("-", "--label", "test=csv", stdin=csv)[1].startswith("duplicate")


def test_what_the_command_line_says_of_a_file_counts(lab, api):
    csv = "benchmark,metric,unit,better,value\nx/y,latency,ns,lower,4\n"
    code, out, err = lab.push(lab.file("a.csv", csv), "--machine", "other-01", "--uarch", "epyc-rome", "--thp", "never", "--kernel",
                              "v6.17-rc1 with cac1db8c3aad reverted", "--base-page-kib", "4", "--boot-id", "b", "--started-at",
                              "2026-02-13T15:08:00Z", "--benchmark", "suite", "--format", "csv")
    assert code == 0, err
    answer = api.json(f"/api/v1/runs/{out.split()[1].rstrip(':')}")
    run = answer["run"]
    assert (run["machine"], run["uarch"], run["thp"], run["boot_id"]) == ("other-01", "epyc-rome", "never", "b")
    assert run["kernel"]["name"] == "6.17-rc1+revert-cac1db8c3aad" and run["started_at"] == "2026-02-13T15:08:00Z"
    assert run["environment"] == {} and run["base_page_kib"] == 4 and answer["results"][0]["benchmark"] == "suite/x/y"


def test_a_table_of_several_kernels_gives_each_its_run_and_none_this_boot(lab, api):
    table = ("kernel                 n  iteration_mean  iteration_cv_pct  values\n"
             "6.17-rc1              3          25.000             0.000  25 25 25\n"
             "6.16                  3          37.000             0.000  37 37 37\n")
    code, out, err = lab.push(lab.file("table.txt", table), "--label", "test=table")
    assert code == 0 and out.count("stored") == 2 and "only what is known of the machine" in err, out + err
    runs = [run for run in api.json("/api/v1/runs?limit=1000")["runs"] if run["labels"].get("test") == "table"]
    assert {run["kernel"]["name"].replace(".0-", "-") for run in runs} == {"6.16", "6.17-rc1"}
    assert {(run["machine"], run["boot_id"], run["thp"]) for run in runs} == {("lab-01", None, "unknown")}


def test_a_folder_is_pushed_file_by_file_and_a_folders_name_tells_the_kernel(lab, api):
    folder = "2026-Feb-13_15h08m10s_6.16.0-65.eln150.x86_64"
    lab.file(f"results/{folder}/summary.csv", "size_kib,runtime_sec,nsec_per_call\n4,1.2,1713.5\n400,1.1,3453.1\n")
    lab.file(f"results/{folder}/regsize_4k.log", "Runtime: 1.2 seconds.  Avg: 1713.5 nsec/call\n")
    lab.file("results/README", "Nothing but words.\n")
    code, out, err = lab.push("results")
    assert code == 0 and out.count("stored") == 1 and "README: passed over" in err, err
    run = api.json(f"/api/v1/runs/{out.split()[1].rstrip(':')}")["run"]
    assert run["kernel"]["name"] == "6.16.0-65.eln150.x86_64" and run["machine"] == "lab-01" and run["thp"] == "unknown"


def test_what_is_wrong_is_told_with_its_place_and_leaves_nothing_behind(lab):
    wrong = bare(1, "wrong")
    wrong["results"][0]["values"] = [-1]
    code, out, err = lab.push(lab.file("a.json", wrong))
    assert code == 1 and "a.json" in err and "/results/0/values/0" in err and not out and not lab.waiting()
    code, _, err = lab.push(lab.file("b.json", "{"))
    assert code == 1 and "b.json" in err
    code, _, err = lab.push("missing", lab.file("empty", "\n"))
    assert code == 1 and "missing: No such file" in err and "empty: is empty" in err


def test_a_dry_run_stores_nothing(lab, labels):
    code, out, _ = lab.push(lab.file("a.json", bare(1, "dry")), "--dry-run")
    assert code == 0 and out.startswith("checked") and labels("dry") == [] and not lab.spool.exists()


def test_while_the_server_is_down_files_wait_and_then_go_in_order(server, lab, labels):
    server.stop()
    try:
        for nr in range(5):
            code, _, err = lab.push(lab.file(f"{nr}.json", bare(nr, "down")))
            assert code == 1 and f"{nr + 1} wait" in err, err
        os.unlink(lab.home / "0.json")  # what was pushed is in the spool, whatever becomes of the file
        assert len(lab.waiting()) == 5 and oct(lab.spool.stat().st_mode)[-3:] == "700"
    finally:
        server.start()
    code, out, err = lab.push(lab.file("5.json", bare(5, "down")))
    assert code == 0 and out.count("stored") == 6, err
    assert labels("down") == ["0", "1", "2", "3", "4", "5"] and not lab.waiting()
    assert lab.run("push", "--spooled") == (0, "", "")


def test_a_push_killed_at_any_moment_loses_and_doubles_nothing(server, lab, labels):
    files = [lab.file(f"{nr:03}.json", bare(nr, "killed")) for nr in range(60)]
    server.stop()
    assert lab.push(*files[:30])[0] == 1
    server.start()
    for stored in (3, 12, 21):  # killed while it sends what waits
        running = lab.start("push", "--root", lab.root, "--spooled")
        try:
            wait_until(lambda n=stored: len(labels("killed")) >= n or running.poll() is not None, f"{stored} are stored")
        finally:
            running.kill()
            running.communicate()
    (lab.spool / "00000000000000000001-00000000.push.new").write_text("half of an ent")  # as killed while it writes
    code, _, err = lab.push(*files)  # all of them again, those that got through too
    assert code == 0, err
    got = labels("killed")
    assert len(got) == 60 and set(got) == {str(nr) for nr in range(60)}
    assert got == sorted(got, key=int) and not list(lab.spool.glob("*push*"))


def test_an_entry_for_another_server_stays(server, lab):
    port = free_port()
    assert lab.push(lab.file("a.json", bare(1, "elsewhere")), NSECWATCH_URL=f"http://127.0.0.1:{port}")[0] == 1
    code, out, err = lab.run("push", "--spooled")
    assert code == 0 and not out and "another server" in err and len(lab.waiting()) == 1


def test_a_damaged_or_refused_entry_is_put_aside_and_the_rest_goes_on(server, lab, labels):
    server.stop()
    wrong = bare(0, "aside")
    wrong["results"] = []
    lab.push(lab.file("0.json", wrong), lab.file("1.json", bare(1, "aside")), lab.file("2.json", bare(2, "aside")))
    server.start()
    damaged = lab.spool / lab.waiting()[1]
    damaged.write_bytes(damaged.read_bytes()[:-3])
    code, out, err = lab.run("push", "--spooled")
    assert code == 1 and "damaged" in err and err.count("put aside") == 2 and labels("aside") == ["2"]
    assert not lab.waiting() and len(list((lab.spool / "refused").iterdir())) == 2


def test_two_pushes_at_once_do_not_double(lab, labels):
    files = [lab.file(f"{nr}.json", bare(nr, "both")) for nr in range(10)]
    running = [lab.start("push", "--root", lab.root, *files) for _ in range(3)]
    assert [one.wait(PATIENCE) for one in running] == [0, 0, 0]
    for one in running:
        one.communicate()
    assert sorted(labels("both")) == [str(nr) for nr in range(10)]


class Scripted(http.server.BaseHTTPRequestHandler):
    """Answers as a list says; keeps what came."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen.append((time.monotonic(), self.path, dict(self.headers), body))
        status, headers = self.server.answers.pop(0) if self.server.answers else (201, {})
        answer = b'{"run_id":"0","status":"stored","results":1,"failed":0}' if status == 201 else b'{"error":{"message":"no"}}'
        self.send_response(status)
        for name, value in {"Content-Length": len(answer), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer)

    def do_GET(self):
        answer = b"<html>hello</html>"
        self.send_response(200)
        for name, value in {"Content-Length": len(answer), "Content-Type": "text/html"}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *args):
        pass


@pytest.fixture
def scripted():
    made = []

    def make(*answers, tls=None):
        one = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Scripted)
        one.answers, one.seen = list(answers), []
        if tls:
            one.socket = tls.wrap_socket(one.socket, server_side=True)
        one.url = f"http://127.0.0.1:{one.server_address[1]}"
        threading.Thread(target=one.serve_forever, daemon=True).start()
        made.append(one)
        return one

    yield make
    for one in made:
        one.shutdown()
        one.server_close()


@pytest.fixture
def alone(tmp_path):
    return Lab(tmp_path, "http://127.0.0.1:1", "nsw_secret_token")


def test_it_tries_again_as_the_server_asks(alone, scripted):
    server = scripted((503, {"Retry-After": "1"}), (429, {"Retry-After": "0"}), (500, {}))
    code, out, err = alone.push(alone.file("a.json", bare(1, "x")), NSECWATCH_URL=server.url, NSECWATCH_RETRY_FOR="20")
    assert code == 0 and out.startswith("stored") and len(server.seen) == 4, err
    assert server.seen[1][0] - server.seen[0][0] >= 1
    assert len({body for _, _, _, body in server.seen}) == 1


def test_progress_shows_on_a_terminal_only(alone, scripted):
    files = [alone.file(f"{nr}.json", bare(nr, "x")) for nr in range(3)]
    try:
        ours, theirs = pty.openpty()
    except OSError as e:
        pytest.skip(f"no pseudo-terminal can be opened here (is /dev/pts mounted?): {e}")
    done = subprocess.run([CLIENT, "push", "--root", alone.root, *files], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs,
                          cwd=alone.home, env=alone.environment(NSECWATCH_URL=scripted().url), timeout=PATIENCE)
    os.close(theirs)
    seen = os.read(ours, 65536).decode()
    os.close(ours)
    assert done.returncode == 0 and "3 of 3: " in seen and seen.endswith("\r\x1b[K") and b"\r" not in done.stdout
    _, out, err = alone.push(*files, NSECWATCH_URL=scripted().url)
    assert "\r" not in out + err and "of 3" not in out + err


def test_a_wait_longer_than_wanted_is_not_begun(alone, scripted):
    server = scripted((503, {"Retry-After": "3600"}))
    began = time.monotonic()
    code, _, err = alone.push(alone.file("a.json", bare(1, "x")), NSECWATCH_URL=server.url, NSECWATCH_RETRY_FOR="5")
    assert code == 1 and time.monotonic() - began < 5 and len(server.seen) == 1 and len(alone.waiting()) == 1
    assert "HTTP 503" in err and "1 waits" in err


def test_the_token_goes_to_no_other_host_and_shows_nowhere(alone, scripted):
    other = scripted()
    server = scripted((307, {"Location": f"{other.url}/api/v1/runs"}))
    code, out, err = alone.push(alone.file("a.json", bare(1, "x")), NSECWATCH_URL=server.url)
    assert code == 1 and other.url in err and not other.seen and len(alone.waiting()) == 1
    assert server.seen[0][2]["Authorization"] == "Bearer nsw_secret_token"
    assert "nsw_secret" not in out + err
    for kept in alone.home.rglob("*"):
        assert not kept.is_file() or b"nsw_secret" not in kept.read_bytes(), kept


def test_a_wrong_token_is_told_and_nothing_is_lost(lab):
    code, _, err = lab.push(lab.file("a.json", bare(1, "token")), NSECWATCH_TOKEN="nsw_wrong_one")
    assert code == 1 and "token" in err and "nsw_wrong" not in err and len(lab.waiting()) == 1
    assert lab.run("push", "--spooled")[0] == 0


def test_the_token_is_on_no_command_line(alone):
    with socket.socket() as silent:  # a server that accepts and says nothing
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        (alone.home / "token").write_text("nsw_secret_token\n")
        running = alone.start("push", "--root", alone.root, "--token-file", alone.home / "token", alone.file("a.json", bare(1, "x")),
                              NSECWATCH_URL=f"http://127.0.0.1:{silent.getsockname()[1]}", NSECWATCH_TOKEN="")
        try:
            link, _ = silent.accept()
            with link:
                link.settimeout(PATIENCE)
                assert b"Bearer nsw_secret_token" in link.recv(65536)
                with open(f"/proc/{running.pid}/cmdline", "rb") as words:
                    assert b"nsw_secret" not in words.read()
        finally:
            running.send_signal(signal.SIGKILL)
            running.communicate()
    assert len(alone.waiting()) == 1
    code, _, err = alone.run("push", "--token=nsw_secret_token", "x")
    assert code == 2 and "nsw_secret" not in err and "NSECWATCH_TOKEN" in err


def test_settings_come_from_a_file_the_environment_and_flags_in_that_order(alone, scripted):
    first, second, third = scripted(), scripted(), scripted()
    folder = alone.home / ".config/nsecwatch"
    folder.mkdir(parents=True)
    (folder / "config").write_text(f"# the lab's\nurl = {first.url}\ntoken = from-the-file\nmachine = lab-77\n")
    path = alone.file("a.json", bare(1, "x"))
    environment = {"NSECWATCH_TOKEN": "", "NSECWATCH_URL": ""}
    assert alone.push(path, **environment)[0] == 0
    assert first.seen[0][2]["Authorization"] == "Bearer from-the-file"
    assert json.loads(first.seen[0][3])["machine"]["name"] == "lab-77"
    assert alone.push(path, NSECWATCH_URL=second.url)[0] == 0
    assert second.seen[0][2]["Authorization"] == "Bearer nsw_secret_token"
    assert alone.push(path, "--url", third.url, NSECWATCH_URL=second.url)[0] == 0
    assert len(first.seen) == len(second.seen) == len(third.seen) == 1
    (folder / "config").write_text("url = http://x\nfrobnicate = 1\n")
    code, _, err = alone.push(path)
    assert code == 2 and "line 2" in err and "frobnicate" in err


def test_a_certificate_that_nobody_vouches_for_gets_no_token(alone, scripted):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "2",
                    "-subj", "/CN=lab", "-addext", "subjectAltName=IP:127.0.0.1"], cwd=alone.home, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(alone.home / "cert.pem", alone.home / "key.pem")
    server = scripted(tls=context)
    url = server.url.replace("http:", "https:")
    code, _, err = alone.push(alone.file("a.json", bare(1, "x")), NSECWATCH_URL=url, NSECWATCH_RETRY_FOR="60")
    assert code == 1 and "certificate" in err and not server.seen and len(alone.waiting()) == 1
    code, out, err = alone.run("push", "--spooled", "--ca-file", "cert.pem", NSECWATCH_URL=url + "/")
    assert code == 0 and out.startswith("stored") and len(server.seen) == 1, err
    assert alone.run("push", "--spooled", "--ca-file", "none.pem", NSECWATCH_URL=url) == (0, "", "")


def test_a_settings_file_with_a_token_that_others_may_read_is_told(alone, scripted):
    path = alone.file(".config/nsecwatch/config", "token = nsw_in_a_file\n")
    environment = {"NSECWATCH_URL": scripted().url, "NSECWATCH_TOKEN": ""}
    path.chmod(0o644)
    _, _, err = alone.push(alone.file("a.json", bare(1, "x")), **environment)
    assert "chmod 600" in err and "nsw_in" not in err
    path.chmod(0o600)
    assert "chmod" not in alone.push(alone.home / "a.json", **environment)[2]


def test_a_body_above_the_servers_cap_is_refused_and_blocks_nothing(lab, labels):
    big = bare(0, "big")
    big["results"] = [{"benchmark": "a/b", "params": {"n": n}, "metric": "m", "unit": "ns", "better": "lower",
                       "values": [random.random() for _ in range(200)]} for n in range(3000)]
    code, out, err = lab.push(lab.file("big.json", big), lab.file("small.json", bare(1, "big")))
    assert code == 1 and "HTTP 413" in err and out.count("stored") == 1 and labels("big") == ["1"] and not lab.waiting()
    big["results"] = big["results"][:1500]  # more than 4 MiB, and less when compressed
    assert len(json.dumps(big)) > 1 << 22
    code, _, err = lab.push(lab.file("big.json", big))
    assert code == 0, err


def test_without_a_home_it_pushes_all_the_same(lab, labels):
    code, _, err = lab.push(lab.file("a.json", bare(1, "homeless")), HOME="")
    assert code == 0 and "without a spool" in err and labels("homeless") == ["1"]


# ---- verdicts ----

def judged(kernel, value, machine="gate-01", **more):
    return submission(kernel=kernel, machine=machine, values=[value * f for f in (0.999, 1.0, 1.001, 1.0005, 0.9995)], boot_id=f"b-{kernel}",
                      **more)


@pytest.fixture(scope="module")
def watch(database, tmp_path_factory):
    process = Process("watch", "--db", database, log=tmp_path_factory.mktemp("watch") / "log").start()
    yield process
    process.stop()


def test_a_verdict_that_does_not_come_is_no_good_verdict(lab):  # nobody watches yet
    code, out, err = lab.push(lab.file("a.json", judged("v6.12", 1000, "nobody-01")), "--wait", "--wait-for", "1")
    assert code == 1 and out.startswith("stored") and "no verdict" in err and "watch" in err


def test_wait_tells_the_verdict(lab, watch):
    for kernel, value in (("v6.14", 1000), ("v6.15", 1001), ("v6.16", 2000)):  # a boot each
        code, out, err = lab.push(lab.file("a.json", judged(kernel, value, "wait-01")), "--wait")
        assert code == (3 if value == 2000 else 0), out + err
    assert "mprotect/tw4m" in out and "400 KiB" in out and "%" in out and "6.15" in out
    assert all(len(line) <= 72 for line in out.splitlines()[1:])


def test_a_verdict_says_when_there_was_nothing_to_judge_by(lab, api, watch):
    def verdict(kernel, **more):
        code, out, err = lab.push(lab.file("a.json", judged(kernel, 1000, "ground-01") | more), "--wait")
        assert code == 0, err
        run = out.split()[1].rstrip(":")
        return run, out.splitlines()[1], api.json(f"/api/v1/runs/{run}/verdict")
    _, text, answer = verdict("v6.14")
    assert "nothing to compare with" in text and "no regression" not in text
    assert answer == {"state": "done", "regressions": [], "judged": 0, "compared_with": None, "invalidated": False}
    run, text, answer = verdict("v6.15")
    assert text == "verdict: no regression"
    assert answer["judged"] == 1 and answer["compared_with"] == "6.14"
    path = lab.home / "a.json"
    assert api.post(f"/api/v1/runs/{run}:invalidate", json={"reason": "a fan was broken"}).status_code == 200
    code, out, err = lab.push(path, "--wait")
    assert code == 0 and out.startswith("duplicate") and "this run is invalid" in out and "no regression" not in out, out + err
    answer = api.json(f"/api/v1/runs/{run}/verdict?wait=30")
    assert answer == {"state": "done", "regressions": [], "judged": 0, "compared_with": None, "invalidated": True}


def test_check_is_a_gate(lab):
    for kernel, value in (("v6.14", 1000), ("v6.15", 1001), ("v6.16", 1100)):
        assert lab.push(lab.file("a.json", judged(kernel, value)))[0] == 0
    gate = lambda *args: lab.run("check", "--machine", "gate-01", *args)
    code, out, err = gate("--base", "6.14", "--head", "6.15")
    assert code == 0 and out.startswith("PASS"), out + err
    code, out, err = gate("--base", "6.14", "--head", "6.16")
    assert code == 3 and "FAIL" in out and "mprotect/tw4m" in out and "+10" in out, out + err
    assert "400 KiB" in out and "{" not in out
    assert all(len(line) <= 72 for line in out.splitlines())
    assert gate("--base", "previous")[0] == 3  # --head: the latest
    code, out, _ = gate("--base", "6.14", "--head", "6.16", "--max-regression", "15%")
    assert code == 0 and "1 by less" in out
    code, out, _ = gate("--base", "6.14", "--head", "6.16", "--benchmark", "nothing/*")
    assert code == 1 and "nothing could be judged" in out
    code, _, err = gate("--base", "6.13")
    assert code == 1 and "6.13" in err
    assert lab.run("check")[0] == 2 and lab.run("check", "--base", "6.14", "--max-regression", "much")[0] == 2


def test_what_cannot_be_told_passes_unless_strict(lab):
    for kernel, value in (("v6.14", 1000), ("v6.15", 2000)):
        results = [{"benchmark": "one/value", "metric": "latency", "unit": "ns/call", "better": "lower", "values": [value]},
                   {"benchmark": "more/values", "metric": "latency", "unit": "ns/call", "better": "lower",
                    "values": [5, 5.01, 5.02, 4.99]}]
        assert lab.push(lab.file("a.json", submission(kernel, "strict-01", results=results, boot_id=kernel)))[0] == 0
    gate = ("check", "--base", "6.14", "--head", "6.15", "--machine", "strict-01")
    code, out, _ = lab.run(*gate)
    assert code == 0 and "1 can't be told" in out and "1 may be" in out
    code, out, _ = lab.run(*gate, "--strict")
    assert code == 1 and "--strict" in out


def test_compare_prints_the_servers_table(lab, api):
    for kernel, value in (("v6.14", 1000), ("v6.15", 1500)):
        assert lab.push(lab.file("a.json", judged(kernel, value, "compare-01")))[0] == 0
    code, out, err = lab.run("compare", "6.14", "v6.15", "--machine", "compare-01", "--param", "size_kib=400")
    want = api.get("/api/v1/compare.txt?base=6.14&head=v6.15&machine=compare-01&param.size_kib=400").text
    assert code == 0 and out == want and "+50" in out, err
    assert lab.run("compare", "6.14")[0] == 2


def test_a_page_of_something_else_is_no_comparison(alone, scripted):
    server = scripted()
    for command in (("compare", "6.14", "6.15"), ("check", "--base", "6.14")):
        code, out, err = alone.run(*command, NSECWATCH_URL=server.url)
        assert code == 1 and not out and "no comparison" in err and "text/html" in err
