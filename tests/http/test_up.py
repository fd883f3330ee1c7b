# SPDX-License-Identifier: GPL-2.0-or-later
"""`nsecwatchd up`: one command, one directory; what starts, what is left after crashes, who runs as whom."""
import contextlib
import os
import pathlib
import pty
import re
import shutil
import signal
import socket
import stat
import subprocess
import tempfile

import pytest
import requests

from harness import PATIENCE, Process, command, default_signals, free_port, submission, wait_until

AS_ROOT = os.geteuid() == 0
needs_root = pytest.mark.skipif(not AS_ROOT, reason="only root can start the parts as another user")


class Up(Process):
    """`up` on a data directory and any free port."""

    def __init__(self, data, log, *options):
        self.data = pathlib.Path(data)
        self.mark = 0
        super().__init__("up", "--data", data, "--listen", "127.0.0.1:0", *options, log=log)

    def start(self):
        self.mark = self.log.stat().st_size if self.log.exists() else 0
        super().start()
        wait_until(self.address, "up says that it is ready", timeout=PATIENCE * 3)
        return self

    def output(self):
        return self.log.read_bytes()[self.mark:].decode() if self.log.exists() else ""

    def address(self):
        assert self.running(), f"up ended with {self.process.returncode}:\n{self.output()}"
        found = re.search(r"nsecwatch is ready +(http://\S+)/\n", self.output())
        self.url = found and found.group(1)
        return self.url

    def token(self):
        return (self.data / "admin.token").read_text().strip()

    def get(self, path, **kw):
        return requests.get(self.url + path, timeout=PATIENCE, **kw)

    def store(self, **kw):
        return requests.post(self.url + "/api/v1/runs", json=submission(**kw), timeout=PATIENCE,
                             headers={"Authorization": f"Bearer {self.token()}"})

    def runs(self):
        return {run["run_id"] for run in self.get("/api/v1/runs").json()["runs"]}

    def serves(self):
        try:
            return self.get("/readyz").status_code == 200
        except requests.RequestException:
            return False

    def family(self):
        """Pids of its descendants."""
        return descendants(self.process.pid)

    def child(self, name):
        """The pid of the direct child whose command line says so."""
        for pid in self.family():
            if parent_of(pid) == self.process.pid and name in command_line(pid):
                return pid
        return None


def proc(pid, name):
    try:
        return pathlib.Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def command_line(pid):
    return proc(pid, "cmdline").replace(b"\0", b" ").decode("utf-8", "replace")


def parent_of(pid):
    fields = proc(pid, "stat").rpartition(b")")[2].split()
    return int(fields[1]) if fields and fields[0] != b"Z" else None


def descendants(pid):
    everyone = [(int(p), parent_of(p)) for p in os.listdir("/proc") if p.isdigit()]
    found = {pid}
    for _ in range(4):
        found |= {p for p, parent in everyone if parent in found}
    return found - {pid}


def gone(pids):
    return not [pid for pid in pids if parent_of(pid) is not None]


@pytest.fixture(scope="module")
def place():
    """A directory everybody may walk through, as /srv would be; pytest's own is closed to other users."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="nsw-up-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="module")
def up(place, request):
    one = Up(place / "var", place / "log", "--demo")
    request.node.nsecwatch_logs = [one]
    one.start()
    yield one
    if one.running():
        one.stop()


@pytest.fixture
def started(place, request):
    """started(data, options...) -> an Up that ends with the test."""
    all_of_them = []

    def start(data, *options):
        one = Up(data, place / f"log-{len(os.listdir(place))}", *options)
        all_of_them.append(one)
        return one.start()

    yield start
    for one in all_of_them:
        if one.running():
            one.stop()


def ends(*args, status=1):
    """An `up` that must not come up: its message."""
    done = command("up", *args, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stderr.strip().splitlines()[-1]


def test_the_demo_is_served_when_the_address_is_printed(up):
    assert up.serves()
    assert len(up.runs()) > 2
    assert up.get("/").status_code == 200


def test_files_given_by_relative_paths_are_found_by_watch_which_works_elsewhere(place, started):
    file = place / "rel.maint"
    file.write_text("# nobody yet\n")
    file.chmod(0o644)
    one = started(place / "relative", "--maintainers", os.path.relpath(file))
    wait_until(lambda: 'msg="watching"' in one.output(), "watch has read it")
    assert "child=watch" not in one.output()


@needs_root
def test_a_file_that_watch_could_not_read_is_told_at_once(place):
    file = place / "closed.maint"
    file.write_text("# nobody\n")
    file.chmod(0o600)
    assert re.search(r"--maintainers \S+/closed\.maint: user \w+, as whom watch runs, cannot read it",
                     ends("--data", place / "closed", "--listen", "127.0.0.1:0", "--maintainers", file))


def test_the_first_token_is_in_a_file_for_its_owner_only(up):
    file = up.data / "admin.token"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert str(file) in up.output()
    assert up.token() not in up.output()
    assert up.store(machine="first-token").status_code == 201


def test_the_commands_find_the_database_of_a_running_up(up):
    assert "admin" in command("token", "list", "--data", up.data).stdout
    assert "current" in command("migrate", "--data", up.data).stdout
    assert ": 0 series differed" in command("rebuild", "--data", up.data).stdout


def test_a_second_up_on_the_same_directory_says_so_and_exits(up):
    message = ends("--data", up.data, "--listen", "127.0.0.1:0")
    assert str(up.data) in message and str(up.process.pid) in message
    assert up.serves()


def test_a_port_in_use_is_told_before_anything_is_made(up, place):
    port = up.url.rpartition(":")[2]
    message = ends("--data", place / "other", "--listen", f"127.0.0.1:{port}")
    assert f"127.0.0.1:{port} is in use" in message and "--listen" in message
    assert not (place / "other" / "pg").exists()


def test_nothing_but_the_parent_runs_as_root(up):
    family = up.family()
    assert len(family) >= 3
    for pid in family:
        uids = re.search(rb"^Uid:\s+(\d+)\s+(\d+)\s+(\d+)", proc(pid, "status"), re.M)
        assert uids and b"0" not in uids.groups(), command_line(pid)
        assert re.search(rb"^CapEff:\s+0+$", proc(pid, "status"), re.M), command_line(pid)


def test_only_serve_listens_and_postgres_not_on_the_network(up):
    assert "listen_addresses=" in command_line(up.child("postgres")).split()
    assert not any(b" 0A " in line for name in ("net/tcp", "net/tcp6") for line in proc("self", name).splitlines()
                   if f":{5432:04X} 00000000:0000" in line.decode())


@pytest.mark.fault("under up: serve and watch are killed", "they are started again")
def test_a_server_that_is_killed_is_started_again(up):
    before = up.child("nsecwatchd serve")
    os.kill(before, signal.SIGKILL)
    wait_until(lambda: up.child("nsecwatchd serve") not in (None, before), "another serve runs")
    wait_until(up.serves, "it serves")
    watch = up.child("nsecwatchd watch")
    os.kill(watch, signal.SIGKILL)
    wait_until(lambda: up.child("nsecwatchd watch") not in (None, watch), "another watch runs")


@pytest.mark.fault("under up: PostgreSQL is killed", "it is started again, serve finds it, no run is lost")
def test_a_postgres_that_is_killed_is_started_again_and_no_run_is_lost(up):
    run = up.store(machine="before-the-kill").json()["run_id"]
    server = up.child("nsecwatchd serve")
    postmaster = up.child("postgres")
    os.kill(postmaster, signal.SIGKILL)
    wait_until(lambda: up.child("postgres") not in (None, postmaster), "another postgres runs")
    wait_until(up.serves, "serve has found it again")
    assert up.child("nsecwatchd serve") == server
    assert up.get(f"/api/v1/runs/{run}").status_code == 200


def test_sighup_is_for_serve_and_ends_nothing(up):
    family = up.family()
    up.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "there is no certificate to be read anew" in up.log_tail(), "serve was told")
    assert up.family() >= family and up.running() and up.serves()


def test_the_terminal_goes_away_and_it_stops(place, request):
    up = Up(place / "terminal", place / "log-terminal")
    request.node.nsecwatch_logs = [up]
    here, there = pty.openpty()
    up.args = ["setsid", "--ctty", "--wait", *up.args]
    with open(up.log, "ab") as log:
        up.process = subprocess.Popen(up.args, stdin=there, stdout=log, stderr=log, preexec_fn=default_signals)
    os.close(there)
    wait_until(lambda: "is ready" in up.log.read_text(), "up is ready", timeout=PATIENCE * 3)
    family = up.family()
    os.close(here)
    up.process.wait(PATIENCE)
    up.process = None
    wait_until(lambda: gone(family), "all has ended")
    assert not (up.data / "conninfo").exists(), "in order"


@pytest.mark.parametrize("sig", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_all_of_it_and_the_next_start_has_everything(up, sig):
    token, runs, family = up.token(), up.runs(), up.family()
    up.stop(sig)
    assert gone(family)
    assert not (up.data / "conninfo").exists()
    assert not list((up.data / "run").glob(".s.PGSQL*"))
    up.start()
    assert up.token() == token
    assert up.runs() == runs  # the demo is not loaded twice


@pytest.mark.fault("up itself is killed", "its parts end, the next start has everything")
def test_after_kill_9_of_the_parent_nothing_is_left_and_the_next_start_works(up):
    run = up.store(machine="before-the-end").json()["run_id"]
    family = up.family()
    up.kill()
    wait_until(lambda: gone(family), "the orphans have ended")
    up.start()
    assert up.get(f"/api/v1/runs/{run}").status_code == 200


def test_a_serve_that_outlives_a_killed_parent_is_waited_for(place, request):
    port, data = free_port(), place / "outlived"
    up, again = (Process("up", "--data", data, "--listen", f"127.0.0.1:{port}", log=place / log)
                 for log in ("log-outlived", "log-again"))
    request.node.nsecwatch_logs = [up, again]
    try:
        up.start()
        wait_until(lambda: "is ready" in up.log.read_text(), "up is ready", timeout=PATIENCE * 3)
        family = descendants(up.process.pid)
        serve = next(pid for pid in family if "nsecwatchd serve" in command_line(pid))
        # a request on its way keeps it from ending at once; stopped before, it would get a
        # SIGHUP with the parent's death, as the stopped member of an orphaned process group
        with socket.create_connection(("127.0.0.1", port)) as half:
            half.sendall(b"POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{")
            up.kill()
            os.kill(serve, signal.SIGSTOP)  # as if it were busy for long
        again.start()
        wait_until(lambda: "waiting for the serve" in again.log.read_text(), "the second up waits")
        os.kill(serve, signal.SIGCONT)
        wait_until(lambda: "is ready" in again.log.read_text(), "the second up is ready", timeout=PATIENCE * 3)
    finally:
        for one in (up, again):
            if one.running():
                one.stop()


def test_as_a_background_job_under_nohup(place, request):
    up = Process("up", "--data", place / "nohup", "--listen", f"127.0.0.1:{free_port()}", log=place / "log-nohup")
    up.args = ["sh", "-c", 'trap "" HUP INT QUIT; exec "$@"', "sh", *up.args]
    request.node.nsecwatch_logs = [up]
    try:
        up.start()
        wait_until(lambda: "is ready" in up.log.read_text(), "up is ready", timeout=PATIENCE * 3)
        serve = next(pid for pid in descendants(up.process.pid) if "nsecwatchd serve" in command_line(pid))
        ignored = int(re.search(rb"SigIgn:\s*(\w+)", proc(serve, "status")).group(1), 16)
        assert not ignored & 1 << signal.SIGQUIT - 1, "the parts begin with the default"
        up.process.send_signal(signal.SIGHUP)
        with pytest.raises(subprocess.TimeoutExpired):  # the terminal went away, it stays
            up.process.wait(1)
    finally:
        if up.running():
            up.stop()


@pytest.mark.fault("up and all its parts are killed", "the next start works")
def test_after_kill_9_of_everything_the_next_start_works(up):
    run = up.store(machine="power-cut").json()["run_id"]
    for pid in [up.process.pid, *up.family()]:
        with contextlib.suppress(ProcessLookupError):  # a backend may notice the others' end first
            os.kill(pid, signal.SIGKILL)
    up.process.wait()
    assert (up.data / "pg" / "postmaster.pid").exists()
    up.start()
    assert up.get(f"/api/v1/runs/{run}").status_code == 200


def test_a_stale_pid_file_that_names_a_stranger_does_no_harm(up):
    up.stop()
    user = (up.data / "pg").stat()
    stranger = subprocess.Popen(["sleep", "1000"], user=user.st_uid if AS_ROOT else None)
    try:
        stale = up.data / "pg" / "postmaster.pid"
        stale.write_text(f"{stranger.pid}\n{up.data}/pg\n0\n5432\n{up.data}/run\n\n  5432 0\nready   \n")
        os.chown(stale, user.st_uid, user.st_gid)
        up.start()
        assert up.serves() and stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_an_orphaned_postgres_is_stopped_first(up):
    """The parent and the death signal gone: a postgres that runs on without any of us."""
    arguments = proc(up.child("postgres"), "cmdline").split(b"\0")[:-1]
    program = os.readlink(f"/proc/{up.child('postgres')}/exe")
    user = (up.data / "pg").stat()
    up.stop()
    orphan = subprocess.Popen(arguments, executable=program, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              **({"user": user.st_uid, "group": user.st_gid, "extra_groups": []} if AS_ROOT else {}))
    wait_until(lambda: "ready" in (up.data / "pg" / "postmaster.pid").read_text()
               if (up.data / "pg" / "postmaster.pid").exists() else False, "the orphan runs")
    up.start()
    assert orphan.wait(PATIENCE) == 0
    assert "earlier start" in up.output()


@pytest.mark.fault("up is killed while it makes the cluster", "the next start begins anew")
def test_an_interrupted_initdb_is_begun_anew(started, place):
    data = place / "interrupted"
    half = data / "pg.new" / "base"
    half.mkdir(parents=True)
    (data / "pg.new" / "PG_VERSION").write_text("15\n")
    (half / "1").write_text("half a cluster")
    if AS_ROOT:  # it belongs to whoever ran initdb
        import pwd
        who = pwd.getpwnam("postgres")
        for path in (data / "pg.new", half, data / "pg.new" / "PG_VERSION", half / "1"):
            os.chown(path, who.pw_uid, who.pw_gid)
    up = started(data)
    assert up.serves() and not (data / "pg.new").exists()


def test_a_token_that_was_made_but_not_written_is_made_again(started, place):
    up = started(place / "token")
    before = up.token()
    up.stop()
    (up.data / "admin.token").rename(up.data / "admin.token.making")  # as if killed before the rename
    (up.data / "admin.token.making").write_text("")
    up.start()
    assert up.token() != before and up.store().status_code == 201
    assert not (up.data / "admin.token.making").exists()
    headers = {"Authorization": f"Bearer {before}"}
    assert requests.post(up.url + "/api/v1/runs", json=submission(), headers=headers, timeout=PATIENCE).status_code == 401


def test_a_token_file_that_was_taken_away_is_not_written_again(started, place):
    up = started(place / "taken")
    token = up.token()
    up.stop()
    (up.data / "admin.token").unlink()
    up.start()
    assert not (up.data / "admin.token").exists()
    assert requests.post(up.url + "/api/v1/runs", json=submission(), timeout=PATIENCE,
                         headers={"Authorization": f"Bearer {token}"}).status_code == 201


@pytest.mark.parametrize("name", ["a path with blanks, a comma and 'quotes\" \\ in it", "ä" * 60])
def test_any_path_will_do(started, place, name):
    up = started(place / name)
    assert up.serves()
    assert "current" in command("migrate", "--data", up.data).stdout
    elsewhere = os.path.realpath(up.data / "run")
    up.stop()
    assert not os.path.exists(elsewhere) or os.listdir(elsewhere) == []
    shutil.rmtree(up.data)


@needs_root
def test_a_directory_below_a_closed_one_works(started, place, monkeypatch):
    """A checkout in /root: PostgreSQL runs as a user who cannot walk there."""
    closed = place / "closed-above"
    closed.mkdir(mode=0o700)
    monkeypatch.chdir(closed)  # nor may it stand where the user cannot
    up = started(closed / "var")
    assert up.serves() and up.store().status_code == 201
    family = up.family()
    up.kill()
    wait_until(lambda: gone(family), "the orphans have ended")
    up.start()
    assert len(up.runs()) == 1
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700


@needs_root
def test_started_by_an_ordinary_user_it_all_runs_as_that_user(place, request):
    import pwd
    who = pwd.getpwnam("nobody")
    data = place / "ordinary"
    data.mkdir()
    os.chown(data, who.pw_uid, who.pw_gid)
    up = Up(data, place / "log-ordinary")
    up.args = ["setpriv", f"--reuid={who.pw_uid}", f"--regid={who.pw_gid}", "--clear-groups", *up.args]
    up.start()
    try:
        assert up.serves()
        assert {os.stat(f"/proc/{pid}").st_uid for pid in up.family()} == {who.pw_uid}
    finally:
        up.stop()
    # and root may take it over: its parts stay with the user to whom the files belong
    again = Up(data, place / "log-again").start()
    try:
        assert again.serves()
        assert {os.stat(f"/proc/{pid}").st_uid for pid in again.family()} == {who.pw_uid}
    finally:
        again.stop()


@needs_root
def test_a_low_port_is_served_without_root(place):
    port = next((p for p in range(600, 1000) if is_free(p)), None)
    if port is None:
        pytest.skip("no port below 1024 is free here")
    up = Up(place / "low", place / "log-low")
    up.args[up.args.index("127.0.0.1:0")] = f"127.0.0.1:{port}"
    up.start()
    try:
        assert up.url.endswith(f":{port}") and up.serves()
        assert b"Uid:\t0" not in proc(up.child("nsecwatchd serve"), "status")
    finally:
        up.stop()


def is_free(port):
    with socket.socket() as s:
        try:
            s.bind(("127.0.0.1", port))
            return True
        except OSError:
            return False


def test_private_reads_need_a_token(started, place):
    up = started(place / "private", "--private")
    assert up.get("/api/v1/runs").status_code == 401
    assert up.get("/api/v1/runs", headers={"Authorization": f"Bearer {up.token()}"}).status_code == 200


def test_mail_credentials_reach_watch_and_nobody_else(started, place, monkeypatch):
    monkeypatch.setenv("NSECWATCH_SMTP_PASSWORD", "correct horse")
    monkeypatch.setenv("NSECWATCH_SMTP_URL", "smtp://127.0.0.1:9")
    assert "--smtp-user" in ends("--data", place / "mail", status=2)
    monkeypatch.setenv("NSECWATCH_SMTP_USER", "lab")
    up = started(place / "mail")
    for pid in [up.process.pid, *up.family()]:
        assert "correct horse" not in command_line(pid)
    wait_until(lambda: up.child("nsecwatchd watch"), "watch runs")
    assert b"correct horse" in proc(up.child("nsecwatchd watch"), "environ")
    assert b"correct horse" not in proc(up.child("nsecwatchd serve"), "environ")


def test_it_needs_nothing_of_postgres_in_the_path(started, place, monkeypatch):
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    if shutil.which("initdb"):
        pytest.skip("initdb is in /usr/bin here")
    assert started(place / "path").serves()


def test_variables_of_libpq_do_not_lead_it_astray(started, place, monkeypatch):
    monkeypatch.setenv("PGHOST", "192.0.2.1")
    monkeypatch.setenv("PGOPTIONS", "-c nonsense=1")
    monkeypatch.setenv("PGDATA", "/nonexistent")
    assert started(place / "libpq").serves()


def test_data_of_another_version_is_told_with_the_package_to_install(place, started):
    up = started(place / "version")
    up.stop()
    file = up.data / "pg" / "PG_VERSION"
    text = file.read_text()
    file.write_text("14\n" if text.strip() != "14" else "16\n")
    wanted = file.read_text().strip()
    if shutil.which(f"/usr/lib/postgresql/{wanted}/bin/postgres"):
        pytest.skip(f"PostgreSQL {wanted} is installed here")
    message = ends("--data", up.data, "--listen", "127.0.0.1:0")
    assert f"postgresql-{wanted}" in message
    file.write_text(text)
    assert up.start().serves()


def test_a_place_it_cannot_write_to_is_told(place):
    (place / "file").write_text("")
    assert "file" in ends("--data", place / "file", "--listen", "127.0.0.1:0")
    assert "--pg-bin" in ends("--data", place / "none", "--pg-bin", "/nonexistent", "--listen", "127.0.0.1:0")
