# SPDX-License-Identifier: GPL-2.0-or-later
"""`nsecwatchd retain`: old months lose bodies and repetitions, at once and for good; runs, their summaries and all charts stay."""
import datetime
import subprocess

import psycopg2
import pytest

from harness import PROGRAM, command, error_of, sql, submission

QUESTIONS = ["/api/v1/trend.json?machine=old-01", "/api/v1/trend.svg?machine=old-01", "/api/v1/compare.json?base=6.16&head=6.17-rc1&machine=old-01",
             "/api/v1/compare.txt?base=6.16&head=6.17-rc1&machine=old-01", "/api/v1/matrix.csv?base=6.16&head=6.17-rc1&rows=uarch&cols=thp",
             "/api/v1/runs.csv", "/api/v1/kernels.json"]


def month(back):
    """The first day of the month so many months ago."""
    today = datetime.datetime.now(datetime.timezone.utc).date().replace(day=1)
    number = today.year * 12 + today.month - 1 - back
    return datetime.date(number // 12, number % 12 + 1, 1)


@pytest.fixture(scope="module")
def runs(api, database):
    """{months ago: run id}; all of them were received then."""
    made = {}
    for back, kernel in ((26, "6.16"), (25, "6.17-rc1"), (13, "6.16"), (7, "6.17-rc1"), (6, "6.16"), (0, "6.17-rc1")):
        answer, = api.store(submission(kernel, "old-01", boot_id=f"{back}", values=[3450 + back, 3460 + back, 3455]))
        made[back] = answer["run_id"]
        when = month(back) + datetime.timedelta(days=14)
        sql(database, "SELECT run_raw_month(%s)", month(back))
        sql(database, "UPDATE run SET received_at = %s WHERE run_id = %s", when, answer["run_id"])
        sql(database, """WITH w AS (DELETE FROM run_raw WHERE run_id = %s RETURNING *)
            INSERT INTO run_raw SELECT run_id, %s, body_type, body_bytes, body, counts, vals FROM w""", answer["run_id"], month(back))
    return made


def partitions(database):
    return [name for (name,) in sql(database, """SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                                                 WHERE i.inhparent = 'nsecwatch.run_raw'::regclass ORDER BY 1""")]


def test_what_would_go_is_told_without_doing_it(runs, database):
    before = partitions(database)
    told = command("retain", "--raw", "2y", "--check", "--db", database).stdout
    assert f"{month(25):%Y-%m}: bodies and repetitions of 1 runs would go" in told and f"{month(26):%Y-%m}" in told
    assert f"{month(13):%Y-%m}" not in told and partitions(database) == before


def test_charts_and_summaries_stay_and_what_is_gone_is_said(runs, api, anonymous, database):
    before = {q: anonymous.get(q).content for q in QUESTIONS}
    heads = {back: anonymous.json(f"/api/v1/runs/{run}") for back, run in runs.items()}
    told = command("retain", "--raw", "6m", "--db", database).stdout
    assert "4 months, 4 runs" in told and "their summaries stay" in told, told
    assert not {f"run_raw_{month(b):%Y%m}" for b in (26, 25, 13, 7)} & set(partitions(database))
    for q in QUESTIONS:
        assert anonymous.get(q).content == before[q], q
    for back, run in runs.items():
        now = anonymous.json(f"/api/v1/runs/{run}")
        if back <= 6:
            assert now == heads[back] and now["results"][0]["values"]
            assert anonymous.get(f"/api/v1/runs/{run}/raw").status_code == 200
            continue
        assert now.pop("raw_dropped_at").startswith(f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m}")
        assert heads[back]["results"][0]["values"] and now["results"][0]["values"] == []
        for one in (now, heads[back]):
            del one["results"][0]["values"]
        assert now == heads[back]
        assert "dropped on" in error_of(anonymous.get(f"/api/v1/runs/{run}/raw"), 404)["message"]
        assert "were dropped on" in anonymous.get(f"/api/v1/runs/{run}.txt").text
    assert "nothing is older than 6 months" in command("retain", "--raw", "6", "--db", database).stdout


def test_a_run_that_was_uploaded_again_is_still_known(runs, api):
    answer, = api.store(submission("6.16", "old-01", boot_id="26", values=[3476, 3486, 3455]))
    assert answer == {**answer, "run_id": runs[26], "status": "duplicate"}


def test_an_export_has_summaries_of_what_is_gone(runs, database, tmp_path):
    command("export", tmp_path / "all", "--bodies", "--db", database)
    lines = [line for line in (tmp_path / "all").read_text().splitlines() if runs[26] in line]
    assert len(lines) == 1 and '"summary":{"n":3,"mean":' in lines[0] and '"values"' not in lines[0] and '"body"' not in lines[0]


def test_it_waits_for_who_reads_and_others_go_on(runs, api, database):
    sql(database, "SELECT run_raw_month(%s)", month(30))
    reader = psycopg2.connect(database)
    with reader.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM nsecwatch.run_raw")
    waiting = subprocess.Popen([PROGRAM, "retain", "--raw", "6m", "--db", database], stdout=subprocess.PIPE, text=True)
    api.store(submission(machine="meanwhile-01"))  # behind it in the queue for two seconds at most
    reader.close()
    assert waiting.wait(60) == 0 and f"{month(30):%Y-%m}" in waiting.stdout.read()


@pytest.mark.parametrize("args, status, words", [([], 2, "how long"), (["--raw", "soon"], 2, "\"soon\""), (["--raw", "0m"], 2, "0m"),
                                                 (["--raw", "9999y"], 2, "9999y"), (["--raw", "m"], 2, "6m")])
def test_wrong_words_are_told(args, status, words, database):
    done = command("retain", *args, "--db", database, check=False)
    assert done.returncode == status and words in done.stderr, done.stderr
