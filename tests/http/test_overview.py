# SPDX-License-Identifier: GPL-2.0-or-later
"""The first page's data: where each track stands, the last changes, what is silent; and that none of it costs a scan."""
import pytest

from harness import error_of, sql, submission, wait_until
from lab import LATER, SIZES

FACTS = ("run", "run_seen", "alert", "alert_member", "change", "run_todo")
FASTER = {size: y * 0.6 for size, y in LATER.items()}


@pytest.fixture(scope="module")
def seen(postgres, tmp_path_factory):
    """A step for the worse with 6.17-rc1 on two machines, on one of them better where THP is always, then 6.17-rc2 as it was."""
    import lab as lab_module

    one = lab_module.Lab(postgres, tmp_path_factory.mktemp("overview"))
    one.watch()
    for kernel, machine, thp, centers in (
            ("v6.16", "milan-01", "never", SIZES), ("v6.16", "rome-01", "never", SIZES), ("v6.16", "rome-01", "always", LATER),
            ("v6.17-rc1", "milan-01", "never", LATER), ("v6.17-rc1", "rome-01", "never", LATER),
            ("v6.17-rc1", "rome-01", "always", FASTER), ("v6.17-rc2", "milan-01", "never", LATER),
            ("v6.12.10", "milan-01", "never", SIZES)):
        one.boots(kernel, centers, machine=machine, thp=thp)
    one.boots("v6.16", {4: 70}, benchmark="fs/read", thp="never")
    one.checked()
    wait_until(lambda: len(one.alerts()) == 2, "both changes have their alert")
    yield one
    one.close()


def test_each_track_has_its_newest_measured_kernel_and_what_it_brought(seen):
    seen.api.post("/api/v1/kernels", json=[{"release": "v6.18-rc1", "released_at": "2026-03-01T00:00:00Z"}])
    tracks = seen.api.json("/api/v1/overview")["tracks"]
    assert [(t["track"], t["kernel"]["name"], t["against"] and t["against"]["name"]) for t in tracks] == [
        ("mainline", "6.17-rc2", "6.17-rc1"), ("stable-6.12", "6.12.10", None)], "6.18-rc1 has no runs"
    assert (tracks[0]["machines"], tracks[0]["runs"], tracks[0]["unchecked"]) == (1, 3, False)
    assert (tracks[0]["regressions"], tracks[0]["alerts"], tracks[0]["open_regressions"]) == (0, [], 1)


def test_the_heat_map_has_the_last_change_of_each_benchmark_and_both_of_its_sides(seen):
    heat = seen.api.json("/api/v1/overview")["heat"]
    assert (heat["track"], heat["benchmarks"], heat["unchanged"]) == ("mainline", ["mprotect/tw4m"], 1)
    (row,) = heat["cells"]
    cells = dict(zip(heat["uarchs"], row))
    assert len(cells) == len(heat["uarchs"]) and all(c["worse"]["to"] == "6.17-rc1" for c in row)
    worse = [c["worse"]["percent"] for c in row]
    assert max(worse) == pytest.approx(134.6, abs=1)
    better = [c["better"]["percent"] for c in row if c["better"]]
    assert better and min(better) == pytest.approx(-40, abs=1)
    assert all(c["open_before"] is None for c in row)
    lines = seen.api.get("/api/v1/overview.csv").text.splitlines()
    assert lines[0].startswith("track,benchmark,uarch,from,to,kind,percent") and len(lines) == 1 + len(worse) + len(better)
    other = seen.api.json("/api/v1/overview?track=stable-6.12")["heat"]
    assert (other["track"], other["benchmarks"], other["cells"]) == ("stable-6.12", [], [])
    error_of(seen.api.get("/api/v1/overview?track=stable-6.1"), 400, "unknown_value")


def test_what_arrived_is_told_together_where_it_came_together(seen):
    o = seen.api.json("/api/v1/overview")
    assert [(u["kernel"]["name"], u["machine"], u["runs"], u["results"]) for u in o["uploads"]][:2] == [
        ("6.16", "milan-01", 3, 3), ("6.12.10", "milan-01", 3, 12)]
    text = seen.api.get("/api/v1/overview.txt").text
    assert max(map(len, text.splitlines())) <= 72 and "2 open alerts" in text and "mprotect/tw4m" in text
    assert [a["kind"] for a in o["alerts"]].count("regression") == 1 and o["open"] == 2


def test_a_machine_that_is_far_behind_the_others_is_silent(new_lab):
    lab = new_lab()
    for machine, started in (("old-01", "2026-01-01T00:00:00Z"), ("new-01", "2026-02-13T15:08:00Z"), ("late-01", "2026-01-20T00:00:00Z")):
        lab.api.store(submission("v6.16", machine, started_at=started))
    silent = lab.api.json("/api/v1/overview")["silent"]
    assert [(s["machine"], s["last_started_at"], s["expected"]) for s in silent] == [("old-01", "2026-01-01T00:00:00Z", None)]
    assert lab.api.json("/api/v1/overview")["newest_started_at"] == "2026-02-13T15:08:00Z"


def test_an_empty_database_has_an_overview(new_lab):
    o = new_lab().api.json("/api/v1/overview")
    assert (o["tracks"], o["alerts"], o["silent"], o["uploads"], o["heat"]["track"]) == ([], [], [], [], None)


MANY = 3000
OLD = """
    INSERT INTO run (run_id, content_sha256, machine_id, kernel_id, config_id, started_at, received_at, format, series_id, mean)
    SELECT gen_random_uuid(), content_sha256, machine_id, k.id, config_id, '2020-01-01', '2020-01-01', format, series_id, mean
    FROM (SELECT * FROM run LIMIT 1) r, (SELECT id FROM kernel WHERE name = '6.1') k, generate_series(1, 5 * {many});
    INSERT INTO run_seen SELECT run_id, (SELECT set_id FROM run_seen LIMIT 1), kernel_id, machine_id, config_id, received_at FROM run WHERE received_at < '2021-01-01';
    INSERT INTO alert SELECT (jsonb_populate_record(NULL::alert, to_jsonb(a) || jsonb_build_object('id', gen_random_uuid(), 'track', 'stable-6.1', 'state', 'fixed',
        'to_kernel_id', (SELECT id FROM kernel WHERE name = '6.1'), 'part', n, 'created_at', '2020-01-01T00:00:00Z'))).*
    FROM (SELECT * FROM alert LIMIT 1) a, generate_series(1, {many}) n;
    INSERT INTO alert_member (series_id, alert_id, from_kernel_id, to_kernel_id, direction)
    SELECT 1, id, from_kernel_id, to_kernel_id, 'regression' FROM alert WHERE track = 'stable-6.1';
    INSERT INTO change SELECT (jsonb_populate_record(NULL::change, to_jsonb(c) || jsonb_build_object('from_kernel_id', 1000 + n))).*
    FROM (SELECT * FROM change LIMIT 1) c, generate_series(1, {many}) n;
    ANALYZE"""


def test_nothing_on_it_costs_a_scan(new_lab):
    """Thousands of rows that it does not show are beside the few that it does: of none of these tables many are read."""
    lab = new_lab()
    lab.watch()
    lab.boots("v6.1", SIZES)
    lab.boots("v6.16", SIZES)
    lab.boots("v6.17-rc1", LATER)
    lab.checked()
    wait_until(lab.alerts, "an alert")
    lab.watches[0].stop()
    sql(lab.db, OLD.format(many=MANY))

    def rows_read():
        """What a connection read is told when it ends."""
        lab.server.stop()
        wait_until(lambda: sql(lab.db, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")[0][0] == 1,
                   "the server's connections are closed")
        return dict(sql(lab.db, "SELECT relname, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables"
                                " WHERE relname = ANY(%s)", list(FACTS)))

    def blocks():
        """Of the indexes of alerts: one that is gone through whole, for a column that is not its first, gives few rows nevertheless."""
        return sql(lab.db, "SELECT sum(idx_blks_read + idx_blks_hit) FROM pg_statio_user_tables WHERE relname = 'alert'")[0][0]

    before, blocks_before = rows_read(), blocks()
    assert set(before) == set(FACTS) and before["run"] >= MANY
    lab.server.start()
    o = lab.api.json("/api/v1/overview")
    assert o["heat"]["cells"] and o["tracks"][0]["kernel"]["name"] == "6.17-rc1"
    assert lab.api.get("/api/v1/overview.txt").status_code == 200
    after, blocks_after = rows_read(), blocks()
    read = {table: after[table] - before[table] for table in FACTS}
    # the newest runs, for what arrived, are most of it: 200 headers, twice
    assert read["run"] <= 500 and all(n <= 200 for table, n in read.items() if table != "run"), read
    assert blocks_after - blocks_before <= 60, "37 by alert_to, which leads to the alerts of a kernel; 88 without it"
