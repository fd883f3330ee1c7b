# SPDX-License-Identifier: GPL-2.0-or-later
"""What PostgreSQL can do to us, one fault at a time."""
import threading
import time

import psycopg2
import pytest

from harness import Api, Server, command, error_of, sql, submission, wait_until
from flood import Flood, check
import nodes

N = iter(range(10 ** 9))


def new_run(**kw):
    return submission(boot_id=f"fault-{next(N)}", **kw)


def unavailable(answer):
    """503 that tells why, and when to come again."""
    error = error_of(answer, 503, "unavailable")
    assert int(answer.headers["Retry-After"]) > 0
    assert error["message"].startswith("database: "), error
    return error["message"]


def backends(database, state="%"):
    return [row[0] for row in sql(database, "SELECT pid FROM pg_stat_activity WHERE application_name = 'nsecwatchd serve' AND state LIKE %s"
                                  " AND datname = current_database()", state)]


@pytest.mark.fault("57P01: an administrator ends idle sessions", "nobody notices")
def test_idle_sessions_are_terminated(api, database):
    api.store(new_run())
    pids = backends(database)
    assert pids
    sql(database, "SELECT pg_terminate_backend(pid) FROM unnest(%s) pid", pids)
    wait_until(lambda: not set(backends(database)) & set(pids), "they are gone")
    assert api.get("/api/v1/machines").status_code == 200
    assert api.store(new_run())[0]["status"] == "stored"


@pytest.mark.fault("57P01: a session is ended in the middle of an upload", "it is stored once, and said to be stored")
def test_a_session_is_terminated_in_an_upload(api, database):
    blocker = psycopg2.connect(database)
    told = []
    with blocker.cursor() as cursor:
        cursor.execute("LOCK TABLE nsecwatch.run IN ACCESS EXCLUSIVE MODE")
        one = new_run()
        thread = threading.Thread(target=lambda: told.append(api.post("/api/v1/runs", json=one)))
        thread.start()
        stuck = wait_until(lambda: sql(database, "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND"
                                       " application_name = 'nsecwatchd serve' AND datname = current_database()"), "the upload waits")
        sql(database, "SELECT pg_terminate_backend(%s)", stuck[0][0])
    blocker.rollback()
    blocker.close()
    thread.join()
    assert told[0].status_code == 201 and told[0].json()["status"] == "stored", told[0].text
    assert sql(database, "SELECT count(*) FROM run WHERE run_id = %s", told[0].json()["run_id"]) == [(1,)]


@pytest.mark.fault("ambiguous COMMIT: done, but its answer lost with the line", "stored once, told as stored, never as a duplicate or an error")
@pytest.mark.parametrize("cuts", [1, 3])
def test_the_answer_to_commit_is_lost(through, tokens, database, cuts, tmp_path):
    proxy = through()
    server = Server(proxy.conninfo, tmp_path / "log").start()
    try:
        api = Api(server.url, tokens("admin"))
        api.store(new_run())
        before = sql(database, "SELECT count(*) FROM run")[0][0]
        proxy.cut_commits = cuts
        answer = api.post("/api/v1/runs", json=new_run())
        assert proxy.commits_cut >= 1, "the line was cut behind a commit"
        proxy.cut_commits = 0
        assert answer.status_code == 201 and answer.json()["status"] == "stored", answer.text
        assert sql(database, "SELECT count(*) FROM run")[0][0] == before + 1
        assert sql(database, "SELECT count(*) FROM run_todo WHERE run_id = %s", answer.json()["run_id"])[0][0] <= 2
    finally:
        server.stop()


@pytest.mark.slow
@pytest.mark.fault("out of connections (53300)", "503 that tells why, with Retry-After; back when there are some again")
def test_out_of_connections(api, database, tokens, new_node, tmp_path):
    node = new_node(conf=["max_connections = 12", "superuser_reserved_connections = 1", "autovacuum = off"])
    db = node.create_database()
    node.sql("CREATE ROLE lab LOGIN")
    node.sql(f"GRANT ALL ON DATABASE {db.split('dbname=')[1]} TO lab")
    db = db.replace("user=postgres", "user=lab")
    command("migrate", "--db", db)
    token = next(w for w in command("token", "add", "--name", "t", "--scope", "admin", "--db", db).stdout.split() if w.startswith("nsw_"))
    greedy = []
    server = Server(db, tmp_path / "log", "--workers", "2").start()
    try:
        mine = Api(server.url, token)
        mine.store(new_run())
        sql(db.replace("user=lab", "user=postgres"), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'nsecwatchd%%'")
        with pytest.raises(psycopg2.OperationalError):
            for _ in range(20):
                greedy.append(psycopg2.connect(db))
        one = new_run()
        assert "connection" in unavailable(mine.post("/api/v1/runs", json=one))
        unavailable(mine.get("/readyz"))
        assert mine.get("/healthz").status_code == 200, "the process itself is well"
        for link in greedy:
            link.close()
        wait_until(lambda: mine.get("/readyz").status_code == 200, "ready again")
        assert mine.store(one)[0]["status"] == "stored"
    finally:
        for link in greedy:
            link.close()
        server.stop()


@pytest.mark.fault("read-only (default_transaction_read_only, a primary that became a standby)",
                   "uploads: 503 that tells why; what was acknowledged stays; back by itself")
def test_read_only(api, database, postgres):
    name = database.split("dbname=")[1]
    api.store(new_run())
    postgres.execute("postgres", f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    try:
        sql(database.replace(name, "postgres"), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", name)
        one = new_run()
        assert "read-only" in unavailable(api.post("/api/v1/runs", json=one))
    finally:
        postgres.execute("postgres", f"ALTER DATABASE {name} RESET default_transaction_read_only")
    wait_until(lambda: api.get("/readyz").status_code == 200, "ready again")
    assert api.store(one)[0]["status"] == "stored"


@pytest.mark.slow
@pytest.mark.fault("slow: every packet takes 40 ms more, each way", "all works, only later; no errors")
def test_a_slow_line(through, tokens, tmp_path):
    proxy = through(delay_s=0.04)
    server = Server(proxy.conninfo, tmp_path / "log").start()
    try:
        api = Api(server.url, tokens("admin"))
        assert [answer["status"] for answer in api.store(*[new_run(machine="slow-01") for _ in range(4)])] == ["stored"] * 4
        assert len(api.json("/api/v1/runs?machine=slow-01")["runs"]) == 4
        assert api.json("/api/v1/trend?machine=slow-01")["series"][0]["n"] == [8]
    finally:
        server.stop()


@pytest.mark.fault("a corrupt pack (a flipped bit, a wrong checksum, rubbish)", "found by its checksum, made anew from the runs; the same answers")
@pytest.mark.parametrize("damage", ["crc32 = crc32 # 1", "body = set_byte(body, 0, get_byte(body, 0) # 4)", "body = 'x'",
                                    "samples = samples % 128 + 1"])
def test_a_corrupt_pack(lab, damage):
    watch = lab.watch()
    lab.boots("v6.1", {4: 1713, 40: 2071})
    lab.boots("v6.2", {4: 1775, 40: 2362})
    lab.checked()
    watch.stop()
    before = lab.api.json("/api/v1/trend?machine=milan-01")
    sql(lab.db, f"UPDATE series_pack SET {damage}")
    lab.server.restart()  # nothing of it is in a cache
    assert lab.api.json("/api/v1/trend?machine=milan-01") == before
    assert "damaged packs were made anew" in lab.server.log_tail()
    assert " 0 series differed" in command("rebuild", "--db", lab.db).stdout


@pytest.mark.fault("a half-applied migration (its session is killed in the middle)", "nothing of it stays; the next try does all of it")
def test_a_half_applied_migration(postgres):
    db = postgres.create_database()
    watcher = psycopg2.connect(db)
    watcher.autocommit = True
    sql(db, "CREATE SCHEMA nsecwatch")
    blocker = psycopg2.connect(db)  # holds the name of a table that a later statement of the first file makes
    blocker.cursor().execute("CREATE TABLE nsecwatch.run (x int)")
    told = []
    thread = threading.Thread(target=lambda: told.append(command("migrate", "--db", db, check=False)))
    thread.start()
    pid = wait_until(lambda: sql(db, "SELECT pid FROM pg_stat_activity WHERE application_name = 'nsecwatchd command' AND"
                                 " wait_event_type = 'Lock' AND datname = current_database()"), "the migration is in its middle")[0][0]
    sql(db, "SELECT pg_terminate_backend(%s)", pid)
    blocker.rollback()
    blocker.close()
    thread.join()
    if told[0].returncode:  # else it began again by itself, and did all of it
        assert sql(db, "SELECT count(*) FROM pg_class WHERE relnamespace = 'nsecwatch'::regnamespace AND relname = 'machine'") == [(0,)]
        command("migrate", "--db", db)
    assert command("migrate", "--check", "--db", db).stdout == "the schema is current\n"
    watcher.close()


@pytest.mark.fault("a server of version N-1 on the schema of version N", "not ready, and says so; migrate refuses; what runs goes on")
def test_an_older_program_on_a_newer_schema(api, server, database):
    sql(database, "INSERT INTO schema_migration VALUES (9999, '9999_later.sql', sha256('x'), now())")
    try:
        assert "newer than this program" in error_of(api.get("/readyz"), 503)["message"]
        done = command("migrate", "--db", database, check=False)
        assert done.returncode == 1 and "newer than this program" in done.stderr
        assert api.store(new_run())[0]["status"] == "stored"
    finally:
        sql(database, "DELETE FROM schema_migration WHERE version = 9999")
    assert api.get("/readyz").status_code == 200


@pytest.mark.slow
@pytest.mark.fault("hung: every process of PostgreSQL is stopped (SIGSTOP)",
                   "each request is answered in bounded time, 503; the process is well; back when it goes on")
def test_a_hung_server(new_node, tmp_path):
    node = new_node()
    db = node.create_database()
    command("migrate", "--db", db)
    token = next(w for w in command("token", "add", "--name", "t", "--scope", "admin", "--db", db).stdout.split() if w.startswith("nsw_"))
    server = Server(db, tmp_path / "log", "--statement-timeout", "1000", "--request-timeout", "5", "--workers", "4").start()
    try:
        api = Api(server.url, token)
        with Flood("127.0.0.1", server.port, token, "hung", writers=12, readers=4, timeout=60) as flood:
            wait_until(lambda: len(flood.acknowledged) > 50, "uploads go on")
            node.freeze()
            frozen = time.monotonic()
            wait_until(lambda: flood.since(frozen)[503] >= 40 and [r for r in flood.reasons if "no answer in 6 s" in r], "all are told so")
            assert api.get("/healthz").status_code == 200
            node.thaw()
            thawed = time.monotonic()
            wait_until(lambda: flood.first_success_after(thawed), "uploads go on again")
        longest = max(seconds for when, seconds, *_ in flood.times if when < thawed)
        print(f"the longest answer took {longest:.1f} s")
        assert longest < 25, longest
        assert flood.answers[None] == 0, "everybody got an answer"
        check(db, flood)
        assert "no answer in 6 s" in server.log_tail(1 << 20), "so does the log"
    finally:
        server.stop()


@pytest.mark.slow
@pytest.mark.fault("out of disk: where PostgreSQL keeps its data, or its log (then it stops itself)",
                   "503 that tells why; nothing acknowledged is lost; back when there is room")
@pytest.mark.parametrize("what", ["data", "log"])
def test_a_full_disk(new_node, tmp_path, what):
    with nodes.small_disk(260 if what == "data" else 40) as disk:
        small = {"max_wal_size = 64MB"} if what == "data" else {"max_wal_size = 16MB", "min_wal_size = 2MB"}
        node = new_node(folder=disk, conf=small) if what == "data" else new_node(wal=disk, conf=small)
        db = node.create_database()
        command("migrate", "--db", db)
        token = next(w for w in command("token", "add", "--name", "t", "--scope", "admin", "--db", db).stdout.split() if w.startswith("nsw_"))
        server = Server(db, tmp_path / "log").start()
        try:
            with Flood("127.0.0.1", server.port, token, "full", writers=6, readers=2) as flood:
                wait_until(lambda: len(flood.acknowledged) > 50, "uploads go on")
                ballast = nodes.fill(disk)
                filled = time.monotonic()
                wait_until(lambda: flood.since(filled)[503] >= 30, "the disk is full, and all are told so", timeout=120)
                assert what == "log" or any("No space left" in reason for reason in flood.reasons), flood.reasons
                ballast.unlink()
                freed = time.monotonic()
                if node.is_dead():  # whoever runs it starts it again
                    node.start()
                wait_until(lambda: flood.first_success_after(freed), "uploads go on again", timeout=120)
                wait_until(lambda: flood.since(freed)[201] > 50, "for all")
            print(check(db, flood), dict(flood.answers), flood.reasons.most_common(3))
            assert what == "data" or "PANIC" in node.log.read_text(errors="replace")
        finally:
            server.stop()
            node.remove()


@pytest.mark.slow
@pytest.mark.fault("a former primary comes back as it was, read-write, its place first in the list (split brain)",
                   "nothing is written to it, by what runs and by what starts anew; the log tells which it is")
def test_a_former_primary_comes_back(new_node, tmp_path):
    former = new_node()
    name = former.create_database().rsplit("=", 1)[1]
    present = new_node(copy_of=former)
    db = f"host={former.dir},{present.dir} user=postgres dbname={name}"
    command("migrate", "--db", db)
    token = next(w for w in command("token", "add", "--name", "t", "--scope", "admin", "--db", db).stdout.split() if w.startswith("nsw_"))
    server = Server(db, tmp_path / "log").start()
    other = Server(db, tmp_path / "other")
    try:
        api = Api(server.url, token)
        api.store(submission(machine="split-01", boot_id="0"))
        at = former.sql("SELECT pg_current_wal_lsn()")[0][0]
        wait_until(lambda: present.sql(f"SELECT pg_last_wal_replay_lsn() >= '{at}'")[0][0], "the standby has it")
        former.kill()
        present.promote()
        wait_until(lambda: api.post("/api/v1/runs", json=submission(machine="split-01", boot_id="1")).status_code == 201, "the promoted one is written to")
        former.start()
        assert former.sql("SHOW transaction_read_only") == [("off",)], "it would take what is written"
        other.start()  # it has seen no promotion
        assert Api(other.url, token).post("/api/v1/runs", json=submission(machine="split-01", boot_id="2")).status_code == 201
        present.kill()
        for url in (server.url, other.url):
            answer = Api(url, token).post("/api/v1/runs", json=submission(machine="split-01", boot_id="3"))
            assert answer.status_code == 503 and "was the primary once" in answer.text, answer.text
        present.start()
        for url, boot in ((server.url, "3"), (other.url, "4")):
            wait_until(lambda u=url, b=boot: Api(u, token).post("/api/v1/runs", json=submission(machine="split-01", boot_id=b)).status_code == 201, "back")
        count = "SELECT count(*) FROM nsecwatch.run"
        assert former.execute(name, count) == [(1,)] and present.execute(name, count) == [(5,)]
        assert "a former primary takes writes" in server.log_tail()
    finally:
        for one in (server, other):
            if one.running():
                one.stop()
