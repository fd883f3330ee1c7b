# SPDX-License-Identifier: GPL-2.0-or-later
"""A real PostgreSQL and a real nsecwatchd for the HTTP tests; see conftest.py for the fixtures."""
import contextlib
import itertools
import json
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid

import psycopg2
import psycopg2.extensions
import pytest
import requests

import openapi

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("BUILD", "build")
PROGRAM = BUILD / "nsecwatchd"
SHARED = pathlib.Path(os.environ.get("NSECWATCH_SHARED", ROOT.parent / "shared"))
PATIENCE = 60  # seconds until a condition counts as never; a machine may be busy


def wait_until(condition, what="the condition", timeout=PATIENCE):
    """Returns condition()'s first true value; fails with `what` after the timeout."""
    end = time.monotonic() + timeout
    pause = 0.005
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"waited {timeout} s in vain: {what}")
        time.sleep(pause)  # between two looks at the condition, never instead of one
        pause = min(pause * 1.5, 0.1)


_next_port = itertools.count(os.getpid() * 97)


def free_port():
    """A port below those that connections going out are given, so that it is still free in a moment."""
    for n in _next_port:
        with contextlib.suppress(OSError), socket.socket() as s:
            s.bind(("127.0.0.1", 12000 + n % 20000))
            return s.getsockname()[1]


def pg_bin(tool):
    found = shutil.which(tool)
    if found:
        return found
    for path in sorted(pathlib.Path("/usr/lib/postgresql").glob(f"*/bin/{tool}"), reverse=True):
        return str(path)
    raise AssertionError(f"{tool} of PostgreSQL is missing: make deps-test")


class Postgres:
    """A private cluster on a unix socket, that can be stopped, killed and started again."""

    def __init__(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="nsw-pg-"))
        self.user = {}
        if os.geteuid() == 0:  # PostgreSQL refuses root
            who = pwd.getpwnam("postgres")
            self.user = {"user": who.pw_uid, "group": who.pw_gid, "extra_groups": []}
            os.chown(self.dir, who.pw_uid, who.pw_gid)
        self.data = self.dir / "data"
        self.log = self.dir / "log"
        self.process = None
        self._run("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        with open(self.data / "postgresql.conf", "a") as conf:
            conf.write(f"listen_addresses = ''\nunix_socket_directories = '{self.dir}'\n"
                       "max_connections = 200\nshared_buffers = 64MB\n"
                       "fsync = off\n")  # what is killed here is a process, never the machine
        self.start()

    def _run(self, tool, *args):
        done = subprocess.run([pg_bin(tool), *map(str, args)], cwd=self.dir, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, **self.user)
        assert done.returncode == 0, f"{tool}: {done.stdout}"

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([pg_bin("postgres"), "-D", str(self.data)], cwd=self.dir, stdout=log,
                                            stderr=log, stdin=subprocess.DEVNULL, **self.user)
        wait_until(self.is_up, "PostgreSQL accepts connections", timeout=3 * PATIENCE)  # recovery, on a busy disk

    def is_up(self):
        assert self.process.poll() is None, f"PostgreSQL ended by itself: {self.log.read_bytes()[-2000:].decode(errors='replace')}"
        try:
            psycopg2.connect(self.conninfo("postgres")).close()
            return True
        except psycopg2.OperationalError:
            return False

    def stop(self):
        """A fast shutdown: sessions are cut, data is written."""
        if self.process:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(3 * PATIENCE)  # its last checkpoint may find a busy disk
            self.process = None

    def kill(self):
        """kill -9 of the postmaster and every backend; stopped before, so that it makes no more that would outlive it."""
        self.process.send_signal(signal.SIGSTOP)
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.process.pid)], stdout=subprocess.PIPE,
                                  text=True).stdout.split()
        self.process.kill()
        for pid in children:
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        for pid in children:  # the next start needs them gone from shared memory
            wait_until(lambda p=pid: not os.path.exists(f"/proc/{p}") or _is_zombie(p), f"backend {pid} is gone")
        self.process = None

    def conninfo(self, dbname):
        return f"host={self.dir} user=postgres dbname={dbname}"

    def create_database(self):
        name = "t" + uuid.uuid4().hex[:12]
        self.execute("postgres", f"CREATE DATABASE {name}")
        return self.conninfo(name)

    def execute(self, dbname, sql):
        with_auto = psycopg2.connect(self.conninfo(dbname))
        with_auto.autocommit = True
        try:
            with with_auto.cursor() as cursor:
                cursor.execute(sql)
                return cursor.fetchall() if cursor.description else None
        finally:
            with_auto.close()

    def remove(self):
        if self.process:
            self.process.send_signal(signal.SIGQUIT)  # at once: nobody reads what it would write
            self.process.wait(3 * PATIENCE)
        shutil.rmtree(self.dir, ignore_errors=True)


class Lent:
    """
    The server that NSECWATCH_TEST_DSN names, in the place of a cluster of our own: databases are made on it and dropped at
    the end. A test that stops, kills or starts it, or changes it for all, is skipped.
    """

    process = "somebody else's"

    def __init__(self, dsn):
        self.dsn, self.made = dsn, []
        self.execute(None, "SELECT 1")

    def conninfo(self, dbname):
        if not dbname:
            return self.dsn
        parts = psycopg2.extensions.parse_dsn(self.dsn)
        parts.pop("dbname", None)
        return f"{psycopg2.extensions.make_dsn(**parts)} dbname={dbname}"

    def create_database(self):
        name = "t" + uuid.uuid4().hex[:12]
        self.execute(None, f"CREATE DATABASE {name}")
        self.made.append(name)
        return self.conninfo(name)

    execute = Postgres.execute

    def not_ours(self):
        pytest.skip("the server of NSECWATCH_TEST_DSN is not stopped, killed or copied")

    stop = kill = start = not_ours

    def remove(self):
        for name in self.made:
            self.execute(None, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def cluster():
    """A cluster of our own, or the one we may use."""
    return Lent(os.environ["NSECWATCH_TEST_DSN"]) if os.environ.get("NSECWATCH_TEST_DSN") else Postgres()


def _is_zombie(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def sql(conninfo, statement, *args):
    """Rows of one statement on a fresh connection."""
    link = psycopg2.connect(conninfo)
    try:
        with link, link.cursor() as cursor:
            cursor.execute("SET search_path = nsecwatch, public")
            cursor.execute(statement, args or None)
            return cursor.fetchall() if cursor.description else None
    finally:
        link.close()


def command(*args, check=True, **env):
    """Runs `nsecwatchd ARGS`; its CompletedProcess (text)."""
    done = subprocess.run([str(PROGRAM), *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, **env}, timeout=PATIENCE * 3)
    if check:
        assert done.returncode == 0, f"nsecwatchd {' '.join(map(str, args))}: {done.stdout}{done.stderr}"
    return done


def default_signals():
    """In a child: the signals that end it do, also where the tests run under nohup."""
    for one in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(one, signal.SIG_DFL)


class Process:
    """One nsecwatchd subcommand in the background, its stderr kept."""

    def __init__(self, *args, log):
        self.args = [str(PROGRAM), *map(str, args)]
        self.log = pathlib.Path(log)
        self.process = None

    def start(self):
        assert self.process is None or self.process.poll() is not None
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.args, stdout=log, stderr=log, stdin=subprocess.DEVNULL, preexec_fn=default_signals)
        return self

    def stop(self, sig=signal.SIGTERM):
        """A clean end; its exit code must be 0 (a sanitizer's complaint is not)."""
        if self.process is None:
            return
        self.process.send_signal(sig)
        code = self.process.wait(PATIENCE)
        self.process = None
        assert code == 0, f"exit code {code}\n{self.log_tail()}"

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process = None

    def running(self):
        return self.process is not None and self.process.poll() is None

    def log_tail(self, size=20000):
        text = self.log.read_bytes() if self.log.exists() else b""
        return text[-size:].decode("utf-8", "replace")


class Server(Process):
    """`nsecwatchd serve` on a loopback port of its own; restarts keep the port."""

    def __init__(self, conninfo, log, *options):
        self.port = free_port()
        self.conninfo = conninfo
        self.url = f"http://127.0.0.1:{self.port}"
        super().__init__("serve", "--db", conninfo, "--listen", f"127.0.0.1:{self.port}", *options, log=log)

    def start(self):
        super().start()
        wait_until(self.is_ready, "the server answers /readyz with 200")
        return self

    def restart(self):
        self.stop()
        return self.start()

    def is_ready(self):
        if not self.running():
            raise AssertionError(f"nsecwatchd serve ended with {self.process.returncode}\n{self.log_tail()}")
        return self.status("/readyz") == 200

    def status(self, path):
        """The status code of a GET, or None while nobody listens."""
        try:
            return requests.get(self.url + path, timeout=PATIENCE).status_code
        except requests.RequestException:
            return None

    def raw(self, data, timeout=PATIENCE, close_write=False):
        """Sends bytes as they are; everything that comes back until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as s:
            s.sendall(data)
            if close_write:
                s.shutdown(socket.SHUT_WR)
            got = read_all(s)
        request, answers = openapi.of_raw(data), parse_answers(got)
        # what libmicrohttpd says by itself, before our first callback, is not ours to shape
        if request and answers and b"<html><head><title>" not in got:
            openapi.check_answer(self.url, *request, answers[0])
        return got

    def connect(self, timeout=PATIENCE):
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)


def read_all(s):
    got = b""
    try:
        while piece := s.recv(65536):
            got += piece
    except ConnectionResetError:
        pass
    return got


class Answer:
    """One answer out of raw bytes, with the part of requests' interface that tests use."""

    def __init__(self, head, body):
        lines = head.decode("latin-1").split("\r\n")
        self.status_code = int(lines[0].split(" ")[1])
        self.headers = requests.structures.CaseInsensitiveDict(line.split(": ", 1) for line in lines[1:])
        self.content = body
        self.text = body.decode("utf-8", "replace")

    def json(self):
        return json.loads(self.content)


def parse_answers(got):
    """The whole answers that raw bytes begin with (to requests that were no HEAD)."""
    answers = []
    while b"\r\n\r\n" in got and got.startswith(b"HTTP/1."):
        head, _, rest = got.partition(b"\r\n\r\n")
        answer = Answer(head, b"")
        length = int(answer.headers.get("Content-Length", 0))
        if len(rest) < length:
            break
        answers.append(Answer(head, rest[:length]))
        got = rest[length:]
    return answers


class Api:
    """A requests session that knows the address and the token: api.get('/api/v1/runs')."""

    def __init__(self, url, token=None):
        self.url, self.token = url, token
        self.session = requests.Session()
        if token:
            self.session.headers["Authorization"] = f"Bearer {token}"

    def request(self, method, path, **kw):
        kw.setdefault("timeout", PATIENCE)
        return self.session.request(method, self.url + path, **kw)

    def get(self, path, **kw):
        return self.request("GET", path, **kw)

    def post(self, path, **kw):
        return self.request("POST", path, **kw)

    def json(self, path, **kw):
        """The JSON of a GET that must succeed."""
        answer = self.get(path, **kw)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def store(self, *submissions):
        """Posts each; every one must be stored or there already. The answers' JSON."""
        answers = []
        for one in submissions:
            answer = self.post("/api/v1/runs", json=one)
            assert answer.status_code in (200, 201), answer.text
            answers.append(answer.json())
        return answers


def submission(kernel="v6.17-rc1", machine="milan-01", values=(3453.1, 3449.8), size_kib=400, results=None, thp="always",
               boot_id=None, **fields):
    """A small valid submission; any top-level field can be replaced, `field=None` leaves it out."""
    if results is None:
        results = [{"benchmark": "mprotect/tw4m", "params": {"size_kib": size_kib}, "metric": "latency",
                    "unit": "ns/call", "better": "lower", "values": list(values)}]
    out = {"schema": "nsecwatch.submission/1",
           "machine": {"name": machine, "isa": "x86_64", "uarch": "epyc-milan"},
           "kernel": kernel if isinstance(kernel, dict) else {"release": kernel},
           "config": {"thp": thp, "base_page_kib": 4},
           "boot_id": boot_id, "started_at": "2026-02-13T15:08:00Z", "results": results}
    out.update(fields)
    return {key: value for key, value in out.items() if value is not None}


def error_of(answer, status, code=None):
    """Checks the one shape errors have; returns the error object."""
    assert answer.status_code == status, f"{answer.status_code}: {answer.text}"
    assert answer.headers["Content-Type"].startswith("application/json"), answer.headers
    error = answer.json()["error"]
    assert isinstance(error["message"], str) and error["message"], error
    assert isinstance(error["problems"], list), error
    for problem in error["problems"]:
        assert isinstance(problem["at"], str) and isinstance(problem["message"], str), problem
    if code:
        assert error["code"] == code, error
    return error
