# SPDX-License-Identifier: GPL-2.0-or-later
"""Two servers that take writes, one of them wrongly: it was the primary, another was promoted, and it was started again as it was."""
import pytest

from harness import Api, Server, command, submission, wait_until


def conninfo(*hosts):
    return f"host={','.join(map(str, hosts))} user=postgres dbname=lab"


def runs_of(node):
    return node.execute("lab", "SELECT count(*) FROM nsecwatch.run")[0][0]


def up_to(node, standby):
    place = node.sql("SELECT pg_current_wal_lsn()")[0][0]
    wait_until(lambda: standby.sql(f"SELECT pg_last_wal_replay_lsn() >= '{place}'") == [(True,)], "the standby has it all")


def promote(standby):
    standby.promote()
    wait_until(lambda: standby.sql("SELECT NOT pg_is_in_recovery()") == [(True,)], "it is promoted")


def metric(server, name):
    return float(Api(server.url).get("/metrics").text.split(f"\nnsecwatch_{name} ")[1].split("\n")[0])


@pytest.fixture
def lab(new_node, tmp_path):
    """A primary with a standby, a token, and serve(name, hosts...); all ends with the test."""
    class Lab:
        def __init__(self):
            self.old, self.servers = new_node(), []
            self.old.sql("CREATE DATABASE lab")
            self.db = conninfo(self.old.dir)
            command("migrate", "--db", self.db)
            self.token = next(w for w in command("token", "add", "--name", "t", "--scope", "admin", "--db", self.db).stdout.split()
                              if w.startswith("nsw_"))
            self.new = new_node(copy_of=self.old)

        def serve(self, name, *hosts):
            self.servers.append(Server(conninfo(*hosts), tmp_path / name, "--statement-timeout", "5000").start())
            return self.servers[-1]

        def post(self, server, boot):
            return Api(server.url, self.token).post("/api/v1/runs", json=submission(boot_id=boot)).status_code

    made = Lab()
    yield made
    for server in made.servers:
        server.stop()


@pytest.mark.fault("split brain: the former primary is started again as it was, and stands first in the list of hosts",
                   "no write goes there, from those who saw the new one and from those who begin now; 503 while only the old one is up; doctor, log and metrics say so")
def test_a_former_primary_is_not_written_to(lab, tmp_path):
    old, new = lab.old, lab.new
    link = tmp_path / "primary"
    link.symlink_to(old.dir)  # one address for whichever is the primary, as a proxy has it
    saw, one = lab.serve("saw", old.dir, new.dir), lab.serve("one", link)
    assert lab.post(saw, "before") == 201
    up_to(old, new)
    old.stop()
    promote(new)
    link.unlink()
    link.symlink_to(new.dir)
    wait_until(lambda: lab.post(saw, "after") in (200, 201), "the new one is found")
    wait_until(lambda: lab.post(one, "after") == 200, "by its one address, too")
    assert metric(saw, "database_refused_total") == 0
    old.start()
    lost = runs_of(old)
    assert lost == 1 and old.sql("SELECT NOT pg_is_in_recovery()") == [(True,)], "it would take writes"

    new.stop()
    link.unlink()
    link.symlink_to(old.dir)
    for server in (saw, one):
        assert lab.post(server, "nowhere to") == 503
    new.start()
    link.unlink()
    link.symlink_to(new.dir)
    for server in (saw, one):
        wait_until(lambda s=server: lab.post(s, "back") in (200, 201), "and back")
        assert metric(server, "database_refused_total") > 0
        assert server.log_tail(10 ** 6).count("split brain: a former primary takes writes") == 1, "said once"

    late = lab.serve("late", old.dir, new.dir)
    assert lab.post(late, "late") == 201
    both = conninfo(old.dir, new.dir)
    done = command("doctor", "--db", both, check=False)
    assert f"split brain: {old.dir} takes writes on an older timeline" in done.stdout and done.returncode == 1
    assert "split brain" not in command("doctor", "--db", conninfo(new.dir, new.dir), check=False).stdout
    command("token", "add", "--name", "late", "--scope", "read", "--db", both)
    assert runs_of(old) == lost and runs_of(new) == 4
    assert new.execute("lab", "SELECT count(*) FROM nsecwatch.token WHERE name = 'late'") == [(1,)]


@pytest.mark.slow
@pytest.mark.fault("split brain: a standby is promoted while the primary still answers",
                   "within half a minute, without a connection being lost, all is written to the one that was promoted")
def test_who_was_promoted_is_found_while_the_old_one_answers(lab):
    server = lab.serve("serve", lab.old.dir, lab.new.dir)
    assert lab.post(server, "before") == 201
    up_to(lab.old, lab.new)
    promote(lab.new)
    n = iter(range(100000))
    wait_until(lambda: lab.post(server, f"try-{next(n)}") in (200, 201) and runs_of(lab.new) > 1, "it is found")
    lost = runs_of(lab.old)
    for i in range(20):
        assert lab.post(server, f"then-{i}") == 201
    assert runs_of(lab.old) == lost
