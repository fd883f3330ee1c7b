# SPDX-License-Identifier: GPL-2.0-or-later
"""`nsecwatchd export` and `import`: everything leaves as NDJSON and comes back the same; runs also by plain POST, to anybody."""
import json
import re

import pytest

import harness
import lab as lab_module
from harness import command, sql, submission
from test_backup import addresses, answers, fill


@pytest.fixture(scope="module")
def full(postgres, tmp_path_factory):
    if postgres.process is None:
        postgres.start()
    one = fill(lab_module.Lab(postgres, tmp_path_factory.mktemp("full")))
    csv = "benchmark,metric,unit,better,value\nb/one,m,us/call,lower,1.5\nb/one,m,us/call,lower,1.7\nb/two,m,us/call,lower,oops\n"
    answer = one.api.post("/api/v1/runs?format=csv&machine=csv-01&kernel=v6.16", data=csv, headers={"Content-Type": "text/csv"})
    assert answer.status_code in (201, 422), answer.text
    made = one.api.post("/api/v1/kernels", json=[{"release": "v6.16", "released_at": "2025-07-27T00:00:00Z", "commit": "0" * 40,
                                                  "log": ["cac1db8c3aad mm: optimize"]}])
    assert made.status_code == 200, made.text
    mute = one.api.post("/api/v1/mutes", json={"alert": one.alerts()[1]["id"], "reason": "later", "until": None})
    expect = one.api.post("/api/v1/expectations", json={"machine": "rome-01", "benchmark": "mprotect/*", "days": 36500})
    print(mute.text, expect.text)
    one.checked()
    for watch in one.watches:
        watch.stop()
    yield one
    one.close()


@pytest.fixture(scope="module")
def exported(full, tmp_path_factory):
    file = tmp_path_factory.mktemp("export") / "lab.ndjson"
    command("export", file, "--bodies", "--db", full.db)
    return file


def records(file):
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    return [line for line in lines if "record" in line], [line for line in lines if "record" not in line]


def test_export_import_export_are_the_same_bytes(full, exported, postgres, tmp_path):
    kinds = {r["record"] for r in records(exported)[0]}
    assert {"begin", "invalid", "kernel", "machine", "rule", "alert", "mute", "event", "snapshot", "end"} <= kinds, kinds
    for options in (["--bodies"], []):
        one, two = tmp_path / f"one{len(options)}", tmp_path / f"two{len(options)}"
        command("export", one, *options, "--db", full.db)
        database = postgres.create_database()
        command("migrate", "--db", database)
        done = command("import", one, "--db", database)
        assert "0 refused" in done.stdout and "left out" not in done.stdout, done.stdout
        command("export", two, *options, "--db", database)
        a, b = one.read_text().splitlines(), two.read_text().splitlines()
        for x, y in zip(a, b):
            assert x == y
        assert len(a) == len(b)


def test_an_imported_server_answers_the_same(full, exported, postgres, tmp_path):
    database = postgres.create_database()
    command("migrate", "--db", database)
    command("import", exported, "--db", database)
    token = command("token", "add", "--name", "lab", "--scope", "admin", "--db", database).stdout.strip()
    watch = harness.Process("watch", "--db", database, "--settle", "0", "--public-url", "https://perf.example", log=tmp_path / "w")
    watch.start()
    server = harness.Server(database, tmp_path / "log", "--public-url", "https://perf.example").start()
    try:
        harness.wait_until(lambda: not sql(database, "SELECT 1 FROM run_todo"), "all is checked")
        paths = [p for p in addresses(full.api) if not p.startswith(("/api/v1/series", "/api/v1/overview", "/api/v1/rules"))]  # when one matched
        before, after = answers(full.api, paths), answers(harness.Api(server.url, token), paths)
        for path in paths:
            assert _content(after[path][0]) == _content(before[path][0]), path
    finally:
        watch.stop()
        server.stop()


def _content(body):
    """
    What an answer says. Numbers of series are each database's own, and so is what is ordered by them: lists, the last digit
    of a sum, the id of a snapshot, which is made of its text.
    """
    text = re.sub(r"\d+\.\d{6,}(e-?\d+)?", lambda m: f"{float(m[0]):.9g}", body.decode())
    text = re.sub(r"snapshots/[0-9a-f-]{36}", "snapshots/ID", text)
    if not text.startswith("{"):
        return sorted(re.sub(r"(?<![^,])\d+(?![^,])", "", line) for line in text.splitlines())
    return _without_ids(json.loads(text))


def _without_ids(value):
    if isinstance(value, dict):
        return {k: _without_ids(v) for k, v in value.items() if k not in ("series_id", "series_ids")}
    if not isinstance(value, list):
        return value
    return sorted((_without_ids(v) for v in value), key=lambda v: json.dumps(v, sort_keys=True))


def test_importing_again_changes_nothing(full, exported, postgres):
    database = postgres.create_database()
    command("migrate", "--db", database)
    command("import", exported, "--db", database)
    runs = len(records(exported)[1])
    counts = "SELECT (SELECT count(*) FROM run), (SELECT count(*) FROM run_todo), (SELECT count(*) FROM event), (SELECT count(*) FROM alert)"
    before = sql(database, counts)
    done = command("import", exported, "--db", database)
    assert f"0 runs stored, {runs} were here already" in done.stdout and "left out" in done.stdout, done.stdout
    assert sql(database, counts) == before


def test_an_upload_that_labs_send_once_more_is_still_the_same_run(full, exported, postgres, tmp_path):
    body = submission(machine="again-01", boot_id="x")
    full.api.store(body)
    one = tmp_path / "one"
    command("export", one, "--db", full.db)
    database = postgres.create_database()
    command("migrate", "--db", database)
    command("import", one, "--db", database)
    token = command("token", "add", "--name", "lab", "--scope", "ingest", "--db", database).stdout.strip()
    server = harness.Server(database, tmp_path / "log").start()
    try:
        assert harness.Api(server.url, token).store(body)[0]["status"] == "duplicate"
    finally:
        server.stop()


def test_its_runs_go_into_any_server_by_post(full, exported, new_lab):
    lines = [line for line in exported.read_text().splitlines() if not line.startswith('{"record":')]
    answer = new_lab().api.post("/api/v1/runs", data="\n".join(lines).encode(), headers={"Content-Type": "application/x-ndjson"})
    assert answer.status_code == 200, answer.text
    assert [i["status"] for i in answer.json()["items"]] == ["stored"] * len(lines)


def test_lines_that_are_no_runs_are_told_and_the_rest_is_stored(postgres, tmp_path):
    database = postgres.create_database()
    command("migrate", "--db", database)
    file = tmp_path / "mixed"
    good = json.dumps(submission(machine="good-01"))
    file.write_text(f"{good}\n\nnot json\n{json.dumps(submission(machine='good-01', kernel=None))}\n{json.dumps([1])}\n")
    done = command("import", file, "--db", database, check=False)
    assert done.returncode == 1 and "1 runs stored" in done.stdout and "3 refused" in done.stdout
    for words in ("line 3: ", "line 4: ", "line 5: ", "3 lines were not stored"):
        assert words in done.stderr, done.stderr
    assert sql(database, "SELECT count(*) FROM run") == [(1,)]


def test_a_file_that_is_cut_short_says_so_and_can_be_completed(exported, postgres, tmp_path):
    database = postgres.create_database()
    command("migrate", "--db", database)
    lines = exported.read_bytes().splitlines(keepends=True)
    file = tmp_path / "cut"
    file.write_bytes(b"".join(lines[:5]))
    done = command("import", file, "--db", database, check=False)
    assert done.returncode == 1 and "cut short" in done.stderr, done
    file.write_bytes(b"".join(lines[:4] + lines[5:]))
    done = command("import", file, "--db", database, check=False)
    assert done.returncode == 1 and "lines are missing" in done.stderr, done
    command("import", exported, "--db", database)
    again = tmp_path / "again"
    command("export", again, "--bodies", "--db", database)
    assert again.read_bytes() == exported.read_bytes()


def test_decisions_of_another_schema_are_left_out_and_the_runs_are_not(exported, postgres, tmp_path):
    database = postgres.create_database()
    command("migrate", "--db", database)
    file = tmp_path / "old"
    text = exported.read_text()
    at = text.index('"database_schema":')
    file.write_text(text[:at] + '"database_schema":7' + text[text.index("}", at):])
    done = command("import", file, "--db", database)
    assert "of schema 7" in done.stdout and "0 runs stored" not in done.stdout
    assert sql(database, "SELECT count(*) FROM alert") == [(0,)]


def test_an_export_does_not_overwrite_and_leaves_nothing_half_made(full, tmp_path):
    file = tmp_path / "there"
    file.write_text("precious")
    done = command("export", file, "--db", full.db, check=False)
    assert done.returncode == 1 and "exists" in done.stderr and file.read_text() == "precious"
