# SPDX-License-Identifier: GPL-2.0-or-later
"""`nsecwatchd backup` and `restore`: what comes back answers as what was, byte for byte; what is damaged or newer is refused."""
import json
import re
import stat
import subprocess
import threading

import pytest

import harness
import lab as lab_module
from harness import PROGRAM, ROOT, command, sql, submission
from lab import LATER, SIZES

NEWEST = max(int(p.name[:4]) for p in (ROOT / "schema").glob("0*.sql"))
TABLES = """SELECT c.relname, c.relkind FROM pg_class c WHERE c.relnamespace = 'nsecwatch'::regnamespace
            AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1"""


def refused(*args):
    done = command(*args, check=False)
    assert done.returncode == 1 and done.stderr.count("\n") == 1, done
    return done.stderr


def contents(conninfo):
    """Every row of every table, but for what counts transactions of the cluster and when migrations ran."""
    all_rows = {}
    for name, _ in sql(conninfo, TABLES):
        if name == "schema_migration":
            all_rows[name] = sql(conninfo, "SELECT version, sha256 FROM schema_migration ORDER BY 1")
        else:
            rows = sql(conninfo, f"SELECT to_jsonb(t) - 'changed_in' FROM {name} t")
            all_rows[name] = sorted(json.dumps(row, sort_keys=True) for (row,) in rows)
    return all_rows


def sequences(conninfo):
    return sql(conninfo, "SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = 'nsecwatch' ORDER BY 1")


def fill(lab):
    """A lab with all kinds of things in it: the story, alerts, what people did to them, corrections, kept pages."""
    for run in json.loads((ROOT / "demo" / "story.json").read_text()):
        lab.api.store(run)
    lab.boots("6.16", SIZES, boots=2)
    lab.boots("6.17-rc1", LATER, boots=2)
    lab.boots("6.16", SIZES, machine="rome-01", boots=2, thp="never")
    lab.boots("6.17-rc1", LATER, machine="rome-01", boots=2, thp="never")
    one = lab.api.store(submission(machine="odd-01", kernel="v6.17-rc1 with cac1db8c3aad reverted", labels={"a": "\\.\n\tb\\N"},
                                   environment={"note": "line\nend, tab\t, back\\slash, \u00e9\u4e2d"}, results=[
        {"benchmark": "b", "metric": "m", "unit": "us/call", "better": "lower", "values": [1.5, 2.25, 1e-300, 1.7e100]},
        {"benchmark": "c", "metric": "m", "unit": "calls/s", "better": "higher", "status": "failed", "error": "mmap: \\. no memory"},
        {"benchmark": "d", "metric": "m", "unit": "calls/s", "better": "higher", "summary": {"n": 3, "mean": 7, "stddev": 0.5}}]))[0]
    lab.watch()
    lab.checked()
    alert = lab.alerts()[0]["id"]
    ok = [lab.api.post(f"/api/v1/alerts/{alert}/events", json={"action": "comment", "text": "seen"}),
          lab.api.post("/api/v1/rules", json={"name": "mm", "selector": {"benchmark": ["mm/*"]}, "percent": 3}),
          lab.api.post("/api/v1/mutes", json={"selector": {"benchmark": ["none/*"]}, "reason": "known", "until": None}),
          lab.api.post("/api/v1/machines/odd-01:rename", json={"name": "shown-01"}),
          lab.api.post(f"/api/v1/runs/{one['run_id']}:invalidate", json={"reason": "compiled on it"})]
    assert [a.status_code for a in ok if a.status_code not in (200, 201)] == [], [a.text for a in ok]
    lab.checked()
    for alert in lab.alerts():
        lab.api.get(f"/api/v1/alerts/{alert['id']}/mail.txt")  # the first time it is shown, it is kept
    return lab


def addresses(api):
    """A hundred questions and more, of all kinds, with all representations."""
    paths = []
    for what in ("benchmarks", "kernels", "machines", "configs", "series", "runs", "alerts", "rules", "mutes", "events", "overview"):
        paths += [f"/api/v1/{what}"]
    paths += [f"/api/v1/{what}.{ext}" for what in ("benchmarks", "kernels", "machines", "series", "runs", "alerts")
              for ext in ("csv", "txt")]
    for run in api.json("/api/v1/runs", params={"limit": 1000})["runs"]:
        paths += [f"/api/v1/runs/{run['run_id']}{rest}" for rest in ("", "/raw", "/verdict?explain=1")]
    for alert in api.json("/api/v1/alerts")["alerts"]:
        paths += [f"/api/v1/alerts/{alert['id']}{rest}" for rest in ("", "/mail.txt")]
    for ext in ("json", "csv", "txt", "svg"):
        for machine in ("milan-01", "rome-01"):
            paths += [f"/api/v1/compare.{ext}?base=6.16&head=6.17-rc1&machine={machine}&explain=1",
                      f"/api/v1/sweep.{ext}?axis=size_kib&kernel=6.16&kernel=6.17-rc1&machine={machine}",
                      f"/api/v1/trend.{ext}?machine={machine}&variants=1"]
        paths.append(f"/api/v1/matrix.{ext}?base=6.16&head=6.17-rc1&rows=uarch&cols=thp")
    return paths


def answers(api, paths):
    out = {}
    for path in paths:
        answer = api.get(path)
        assert answer.status_code == 200, (path, answer.text)
        out[path] = (answer.content, answer.headers.get("ETag"), answer.headers["Content-Type"])
    return out


@pytest.fixture(scope="module")
def full(postgres, tmp_path_factory):
    if postgres.process is None:
        postgres.start()
    one = fill(lab_module.Lab(postgres, tmp_path_factory.mktemp("full")))
    for watch in one.watches:
        watch.stop()
    yield one
    one.close()


@pytest.fixture(scope="module")
def backup(full, tmp_path_factory):
    file = tmp_path_factory.mktemp("backup") / "lab.backup"
    done = command("backup", file, "--db", full.db)
    assert re.fullmatch(rf"{file}: \d+ rows of \d+ tables in {file.stat().st_size} bytes\n", done.stderr), done.stderr
    return file


def test_a_restored_server_answers_a_hundred_questions_byte_for_byte(full, backup, postgres, tmp_path):
    paths = addresses(full.api)
    assert len(paths) >= 100
    before = answers(full.api, paths)
    database = postgres.create_database()
    done = command("restore", backup, "--db", database)
    assert f"schema {NEWEST}" in done.stdout and "restored" in done.stdout, done.stdout
    server = harness.Server(database, tmp_path / "log", "--public-url", "https://perf.example").start()
    try:
        after = answers(harness.Api(server.url, full.api.token), paths)  # the token came with it
        for path in paths:
            assert after[path] == before[path], path
    finally:
        server.stop()
    assert contents(database) == contents(full.db)
    assert sequences(database) == sequences(full.db)
    assert command("rebuild", "--db", database).stdout.split(": ")[1].startswith("0 series differed")


def test_after_a_restore_references_hold_and_writing_goes_on(backup, postgres, tmp_path):
    database = postgres.create_database()
    command("restore", backup, "--db", database)
    references = "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND connamespace = 'nsecwatch'::regnamespace AND convalidated"
    fresh = postgres.create_database()
    command("migrate", "--db", fresh)
    assert sql(database, references) == sql(fresh, references)
    defaults = "SELECT count(*) FROM information_schema.columns WHERE table_schema = 'nsecwatch' AND column_default IS NOT NULL"
    assert sql(database, defaults) == sql(fresh, defaults)
    command("token", "add", "--name", "new", "--scope", "ingest", "--db", database)
    token = command("token", "add", "--name", "newer", "--scope", "ingest", "--db", database).stdout.strip()
    server = harness.Server(database, tmp_path / "log").start()
    try:
        harness.Api(server.url, token).store(submission("6.18-rc1", "brand-new-01"))
    finally:
        server.stop()


def test_a_server_that_runs_already_sees_what_is_restored_under_it(full, backup, postgres, tmp_path):
    database = postgres.create_database()
    command("migrate", "--db", database)
    command("token", "add", "--name", "first start", "--scope", "admin", "--db", database)  # as `up` does
    server = harness.Server(database, tmp_path / "log").start()
    try:
        assert harness.Api(server.url).json("/api/v1/machines")["machines"] == []
        command("restore", backup, "--db", database)
        api = harness.Api(server.url, full.api.token)
        question = "/api/v1/trend?machine=milan-01"
        assert api.get(question).content == full.api.get(question).content
        assert api.json("/api/v1/token")["name"] == "lab"
        assert sql(database, "SELECT name FROM token") == [("lab",)]
    finally:
        server.stop()


def test_a_database_that_is_not_empty_is_left_alone(full, backup):
    before = contents(full.db)
    message = refused("restore", backup, "--db", full.db)
    assert "not empty" in message and "machine" in message and "createdb" in message
    assert contents(full.db) == before


def test_a_schema_of_another_version_is_left_alone(backup, postgres):
    database = postgres.create_database()
    command("migrate", "--db", database)
    sql(database, "DELETE FROM schema_migration WHERE version = %s", NEWEST)
    message = refused("restore", backup, "--db", database)
    assert f"version {NEWEST - 1} of {NEWEST}" in message and "createdb" in message
    sql(database, "INSERT INTO schema_migration VALUES (%s, '9999_future.sql', '', now())", 9999)
    assert "newer than this program" in refused("restore", backup, "--db", database)


def unpacked(backup):
    return subprocess.run(["zstdcat", backup], stdout=subprocess.PIPE, check=True).stdout


def packed(folder, data, name="made.backup"):
    file = folder / name
    file.write_bytes(subprocess.run(["zstd", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout)
    return file


def test_a_backup_of_a_newer_schema_is_refused(backup, postgres, tmp_path):
    text = unpacked(backup).replace(b'"schema":%d' % NEWEST, b'"schema":9999', 1)
    database = postgres.create_database()
    message = refused("restore", packed(tmp_path, text), "--db", database)
    assert "9999" in message and f"up to {NEWEST}" in message and "newer" in message
    assert sql(database, "SELECT to_regnamespace('nsecwatch')") == [(None,)]


def damage(data, text, folder):
    """Name, file, words that its refusal must have."""
    middle = len(data) // 2
    run = text.index(b'{"table":"run",')
    number = text.index(b"\n", run) + 60  # within the first run's hash
    lines = text.splitlines(keepends=True)
    first_row = lines.index(next(line for line in lines if line.startswith(b'{"table":"run",'))) + 1
    cases = [
        ("a byte of the file", data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1:], "damaged"),
        ("the file's end", data[:-100], ("cut short", "damaged")),
        ("half of the file", data[:middle], ("cut short", "damaged")),
        ("nothing at all", b"", "cut short"),
        ("another file", b"PGDMP" + b"\0" * 100, "no backup"),
    ]
    made = [
        ("a digit", text[:number] + (b"0" if text[number:number + 1] != b"0" else b"1") + text[number + 1:], "checksum"),
        ("a row", b"".join(lines[:first_row] + lines[first_row + 1:]), "rows of a table are missing"),
        ("the last line", b"".join(lines[:-1]), "no JSON"),
        ("a table within", text[:text.index(b"\\.\n", run)], "ends within a table"),
        ("another beginning", b"nsecwatch-backup 2\n" + text.split(b"\n", 1)[1], "does not begin"),
        ("a table's name", text.replace(b'{"table":"run",', b'{"table":"pg_authid",', 1), "pg_authid"),
        ("a column's name", text.replace(b'"columns":["run_id",', b'"columns":["1; DROP",', 1), "not in the schema"),
    ]
    for i, (name, bytes_, words) in enumerate(cases):
        file = folder / f"damaged{i}"
        file.write_bytes(bytes_)
        yield name, file, words
    for i, (name, bytes_, words) in enumerate(made):
        yield name, packed(folder, bytes_, f"made{i}"), words


def test_what_is_damaged_is_refused_and_leaves_nothing_behind(backup, postgres, tmp_path):
    database = postgres.create_database()
    for name, file, words in damage(backup.read_bytes(), unpacked(backup), tmp_path):
        message = refused("restore", file, "--db", database)
        assert any(word in message for word in ([words] if isinstance(words, str) else words)), (name, message)
        assert sql(database, "SELECT to_regnamespace('nsecwatch')") == [(None,)], name
        if "name" not in name:  # what only the database can know
            assert str(file) in refused("restore", file, "--check"), name
    command("restore", backup, "--db", database)  # and a good one goes in after all of them


def test_check_reads_a_backup_through_without_a_database(backup):
    text = command("restore", backup, "--check").stdout
    assert "are whole" in text and f"schema {NEWEST}" in text


def test_a_folder_gets_a_file_for_its_owner_alone_and_nothing_half_made(full, postgres, tmp_path):
    command("backup", tmp_path, "--db", full.db)
    file, = tmp_path.iterdir()
    assert re.fullmatch(r"nsecwatch-\d{8}T\d{6}Z\.backup", file.name)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.unlink()
    assert "No such file" in refused("backup", tmp_path / "none" / "x", "--db", full.db)
    assert "is it the right one" in refused("backup", tmp_path / "x", "--db", postgres.conninfo("postgres"))
    assert list(tmp_path.iterdir()) == []
    with open("/dev/full", "wb") as out:
        done = subprocess.run([PROGRAM, "backup", "-", "--db", full.db], stdout=out, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "No space left" in done.stderr


def test_through_pipes_it_goes_from_one_database_into_another(full, postgres):
    database = postgres.create_database()
    one = subprocess.Popen([PROGRAM, "backup", "-", "--db", full.db], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    two = subprocess.run([PROGRAM, "restore", "-", "--db", database], stdin=one.stdout, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
    assert one.wait() == 0 and two.returncode == 0, two.stderr
    assert contents(database) == contents(full.db)


def test_a_backup_is_of_one_moment_whatever_is_uploaded_meanwhile(new_lab, postgres, tmp_path):
    lab = new_lab()
    stop, stored = threading.Event(), []

    def upload():
        while not stop.is_set():
            stored.append(lab.api.store(submission(machine=f"m{len(stored) % 3}", boot_id=str(len(stored))))[0]["run_id"])

    thread = threading.Thread(target=upload)
    thread.start()
    harness.wait_until(lambda: len(stored) > 10, "runs come in")
    acknowledged = set(stored)
    command("backup", tmp_path / "one", "--db", lab.db)
    stop.set()
    thread.join()
    database = postgres.create_database()
    command("restore", tmp_path / "one", "--db", database)
    runs = {str(r) for (r,) in sql(database, "SELECT run_id FROM run")}
    assert acknowledged <= runs <= set(stored)
    assert {str(r) for (r,) in sql(database, "SELECT run_id FROM run_raw")} == runs
    assert sql(database, "SELECT 1 FROM run r WHERE EXISTS (SELECT FROM unnest(r.series_id) s WHERE s NOT IN (SELECT id FROM series))") == []


def test_wrong_words_are_told():
    for args, words in ((["backup"], "which file"), (["restore"], "restore FILE"), (["backup", "a", "b"], "second"),
                        (["restore", "--check"], "which file")):
        done = command(*args, check=False)
        assert done.returncode == 2 and words in done.stderr, done.stderr
