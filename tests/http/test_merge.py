# SPDX-License-Identifier: GPL-2.0-or-later
"""Machines and benchmarks that turn out to be one: two histories are read as one, alerts follow, and all of it can be undone."""
import threading

import harness
from harness import Api, error_of, sql, submission
from lab import LATER, SIZES


def merge(lab, what, into, name, status=200, verb="merge", **fields):
    answer = lab.api.post(f"/api/v1/{what}/{into.replace('/', '%2F')}:{verb}", json={"name": name, **fields})
    assert answer.status_code == status, answer.text
    return answer.json()


def unmerge(lab, what, into, name, status=200, **fields):
    return merge(lab, what, into, name, status, "unmerge", **fields)


def rebuilt(lab):
    return harness.command("rebuild", "--db", lab.db).stdout


def kernels(lab, query=""):
    return [k["name"] for k in lab.api.json(f"/api/v1/trend?param.size_kib=400&{query}")["kernels"]]


def answers(lab, *queries):
    """What the API says, without ids of what may be made anew."""
    return [lab.api.json(query) for query in queries]


def test_two_machines_are_read_as_one_and_as_two_again(lab):
    lab.watch()
    lab.boots("v6.15", SIZES, machine="old-name")
    lab.boots("v6.16", SIZES, machine="old-name")
    lab.boots("v6.17-rc1", LATER)
    lab.boots("v6.17", LATER)
    lab.checked()
    assert lab.alerts() == [], "no name has both sides of the step"
    before = answers(lab, "/api/v1/machines", "/api/v1/series")
    row = lab.api.json("/api/v1/compare?base=6.15&head=6.16")["rows"][0]
    done = merge(lab, "machines", "milan-01", "old-name", reason="the host was renamed")
    assert (done["name"], done["aliases"]) == ("milan-01", ["old-name"])
    assert done["event"]["action"] == "merge" and done["event"]["details"]["reason"] == "the host was renamed"
    assert [(m["name"], m["aliases"]) for m in lab.api.json("/api/v1/machines")["machines"]] == [("milan-01", ["old-name"])]
    assert len(lab.api.json("/api/v1/series")["series"]) == 4
    for asked in ("milan-01", "old-name", "old-*"):
        assert kernels(lab, f"machine={asked}") == ["6.15", "6.16", "6.17-rc1", "6.17"]
        rows = lab.api.json(f"/api/v1/compare?base=6.15&head=6.17&machine={asked}")["rows"]
        assert len(rows) == 4 and {row["machine"] for row in rows} == {"milan-01"}
        runs = lab.api.json(f"/api/v1/runs?machine={asked}")["runs"]
        assert len(runs) == 12 and {run["machine"] for run in runs} == {"milan-01"}
    assert len(lab.api.json("/api/v1/sweep?axis=size_kib&kernel=6.15&kernel=6.17")["ratios"][0]["points"]) == 4
    lab.checked()
    (alert,) = lab.alerts()
    assert (alert["from"], alert["to"], alert["machines"], alert["n_series"]) == ("6.16", "6.17-rc1", ["milan-01"], 3)
    assert "0 series differed" in rebuilt(lab)
    lab.boots("v6.18", SIZES, machine="old-name")  # the lab does not know of it yet
    lab.checked()
    assert kernels(lab)[-1] == "6.18" and len(lab.api.json("/api/v1/series")["series"]) == 4

    assert unmerge(lab, "machines", "milan-01", "old-name")["aliases"] == []
    lab.checked()
    assert answers(lab, "/api/v1/machines", "/api/v1/series") == before
    now = lab.api.json("/api/v1/compare?base=6.15&head=6.16")["rows"][0]
    assert [now[key] for key in ("series_id", "machine", "base", "head")] == [row[key] for key in ("series_id", "machine", "base", "head")]
    assert kernels(lab, "machine=old-name") == ["6.15", "6.16", "6.18"], "what came under the old name is the old name's"
    assert kernels(lab, "machine=milan-01") == ["6.17-rc1", "6.17"]
    assert [(a["state"], a["n_series"]) for a in lab.alerts() if a["id"] == alert["id"]] == [("invalid", 0)]
    last = lab.api.json(f"/api/v1/alerts/{alert['id']}")["events"][-1]
    assert last["who"] == "watch" and "old-name is none of milan-01 any more" in last["details"]["text"]
    assert "0 series differed" in rebuilt(lab)
    merge(lab, "machines", "old-name", "milan-01")  # and the other way round
    lab.checked()
    assert {m["name"] for m in lab.api.json("/api/v1/machines")["machines"]} == {"old-name"}
    assert lab.api.json(f"/api/v1/alerts/{alert['id']}")["state"] == "new", "the same step, the same alert"
    trail = lab.api.json("/api/v1/events?subject=machine")["events"]
    assert [(e["action"], e["object"], e["details"]["name"]) for e in trail] == [
        ("merge", "old-name", "milan-01"), ("unmerge", "milan-01", "old-name"), ("merge", "milan-01", "old-name")]


def test_rows_of_both_become_one_and_are_as_they_were_after(lab):
    lab.watch()
    for machine, worse in (("milan-01", 1.0), ("milan-02", 1.1)):
        lab.boots("v6.16", SIZES, machine=machine)
        lab.boots("v6.17-rc1", {size: ns * worse for size, ns in LATER.items()}, machine=machine)
    lab.checked()
    (alert,) = lab.alerts()
    whole = f"/api/v1/alerts/{alert['id']}"
    lab.api.post(whole + "/events", json={"action": "acknowledge"})
    rows, noise = lab.rows(), sql(lab.db, "SELECT * FROM series_noise ORDER BY series_id")
    trend = lab.api.json("/api/v1/trend")
    assert alert["n_series"] == 6 + 1 and alert["machines"] == ["milan-01", "milan-02"]
    done = merge(lab, "machines", "milan-02", "milan-01")
    assert done["event"]["details"]["series"] == 8 and done["event"]["details"]["alerts"] == 1
    lab.checked()
    now = lab.api.json(whole)
    assert now["state"] == "acknowledged" and now["machines"] == ["milan-02"] and len(now["rows"]) == 4
    assert {row["after_boots"] for row in now["rows"]} == {6} and {row["machine"] for row in now["rows"]} == {"milan-02"}
    assert len(lab.alerts()) == 1 and lab.api.json("/api/v1/compare?base=6.16&head=6.17-rc1")["rows"][0]["head"]["boots"] == 6
    unmerge(lab, "machines", "milan-02", "milan-01")
    lab.checked()
    assert lab.rows() == rows
    assert sql(lab.db, "SELECT * FROM series_noise ORDER BY series_id") == noise
    assert lab.api.json("/api/v1/trend") == trend and lab.api.json(whole)["n_series"] == 7


def test_alerts_of_two_benchmarks_become_one(lab, hook):
    lab.watch("--webhook-url", hook.url, "--webhook-allow", "127.0.0.1")
    for benchmark, machine in (("mprotect/tw4m", "milan-01"), ("mm/mprotect", "milan-02")):
        lab.boots("v6.16", SIZES, machine=machine, benchmark=benchmark)
        lab.boots("v6.17-rc1", LATER, machine=machine, benchmark=benchmark)
    lab.checked()
    lab.delivered(2)
    one, two = sorted(lab.alerts(), key=lambda a: a["benchmark"])
    assert (one["benchmark"], two["benchmark"]) == ("mm/mprotect", "mprotect/tw4m")
    lab.api.post(f"/api/v1/alerts/{one['id']}/events", json={"action": "acknowledge"})
    rows = lab.rows()
    merge(lab, "benchmarks", "mprotect/tw4m", "mm/mprotect")
    lab.checked()
    for asked in ("mprotect/tw4m", "mm/mprotect", "mm/*"):
        assert {a["benchmark"] for a in lab.alerts(benchmark=asked)} == {"mprotect/tw4m"}
    gone, now = lab.api.json(f"/api/v1/alerts/{one['id']}"), lab.api.json(f"/api/v1/alerts/{two['id']}")
    assert gone["merged_into"] == two["id"] and gone["n_series"] == 0 and now["n_series"] == 6
    assert now["machines"] == ["milan-01", "milan-02"] and now["state"] == "new"
    assert len(lab.api.json("/api/v1/compare?base=6.16&head=6.17-rc1&benchmark=mm/mprotect")["rows"]) == 8
    lab.boots("v6.17-rc1", LATER, machine="milan-02", benchmark="mm/mprotect", run="more")
    lab.checked()
    assert len(lab.alerts(state="new")) == 1 and len(hook.calls) == 2, "nobody is told again"
    unmerge(lab, "benchmarks", "mprotect/tw4m", "mm/mprotect")
    lab.checked()
    again = lab.api.json(f"/api/v1/alerts/{one['id']}")
    assert again["merged_into"] is None and again["state"] == "acknowledged" and again["benchmark"] == "mm/mprotect"
    assert {(r[0], r[8], r[9]) for r in lab.rows()} == {(r[0], r[8], r[9]) for r in rows}
    assert {row["machine"] for row in again["rows"]} == {"milan-02"} and len(hook.calls) == 2


def test_uploads_during_merges_lose_nothing(lab):
    lab.watch()
    lab.boots("v6.16", SIZES, boots=1)
    lab.boots("v6.16", SIZES, boots=1, machine="old-name")
    stop, stored, failures = threading.Event(), [], []

    def upload(machine):
        api = Api(lab.server.url, lab.api.token)
        for i in range(1000):
            if stop.is_set():
                return
            answer = api.post("/api/v1/runs", json=submission("v6.17-rc1", machine, boot_id=f"{machine}-{i}", size_kib=[4, 40, 1000 + i][i % 3]))
            (stored if answer.status_code == 201 else failures).append((machine, answer.text))

    threads = [threading.Thread(target=upload, args=(machine,)) for machine in ("milan-01", "old-name")]
    for thread in threads:
        thread.start()
    for _ in range(4):
        merge(lab, "machines", "milan-01", "old-name")
        unmerge(lab, "machines", "milan-01", "old-name")
    merge(lab, "machines", "milan-01", "old-name")
    stop.set()
    for thread in threads:
        thread.join()
    assert not failures and stored
    lab.checked()
    total = len(stored) + 2
    assert sql(lab.db, "SELECT count(*) FROM run") == [(total,)]
    trend = lab.api.json("/api/v1/trend")
    assert {s["machine"] for s in trend["series"]} == {"milan-01"}
    keys = [str(s["params"]) for s in trend["series"]]
    assert len(keys) == len(set(keys)), "no series stands there twice"
    assert sum(n or 0 for s in trend["series"] for n in s["n"]) == 2 * len(stored) + 2 * 4 * 3
    assert "0 series differed" in rebuilt(lab)
    unmerge(lab, "machines", "milan-01", "old-name")
    lab.checked()
    seen = {machine: sum(n or 0 for s in lab.api.json(f"/api/v1/trend?machine={machine}")["series"] for n in s["n"])
            for machine in ("milan-01", "old-name")}
    assert seen == {machine: 2 * sum(m == machine for m, _ in stored) + 4 * 3 for machine in seen}


def test_the_page_of_a_machine_is_that_of_all_it_is(lab):
    lab.watch()
    lab.boots("v6.16", SIZES)
    for kernel, centers in (("v6.15", SIZES), ("v6.16", LATER)):
        lab.boots(kernel, centers, machine="old-name", benchmark="mm/alone", boots=2)
    lab.checked()
    (alert,) = lab.alerts()
    merge(lab, "machines", "milan-01", "old-name")
    for asked in ("milan-01", "old-name"):
        page = lab.api.json(f"/api/v1/machines/{asked}")
        assert page["name"] == "milan-01" and page["aliases"] == ["old-name"] and len(page["facts"]) == 2
        assert {run["kernel"]["name"] for run in page["runs"]} == {"6.15", "6.16"}
    assert lab.api.json(f"/api/v1/alerts/{alert['id']}")["machines"] == ["milan-01"]
    assert [a["id"] for a in lab.alerts(machine="milan-01")] == [alert["id"]]
    assert lab.api.get("/api/v1/overview").status_code == 200 and lab.api.get("/api/v1/kernels/6.16").status_code == 200
    unmerge(lab, "machines", "milan-01", "old-name")
    lab.checked()
    whole = lab.api.json(f"/api/v1/alerts/{alert['id']}")
    assert whole["machines"] == ["old-name"] and whole["state"] == "new" and len(lab.api.json("/api/v1/machines/milan-01")["runs"]) == 3


def test_a_run_of_both_can_be_invalidated_and_restored(lab):
    lab.watch()
    lab.boots("v6.16", SIZES)
    lab.boots("v6.17-rc1", LATER, machine="old-name")
    merge(lab, "machines", "milan-01", "old-name")
    lab.checked()
    (alert,) = lab.alerts()
    bad = [run["run_id"] for run in lab.api.json("/api/v1/runs?kernel=6.17-rc1")["runs"]]
    for run in bad:
        assert lab.api.post(f"/api/v1/runs/{run}:invalidate", json={"reason": "wrong host"}).status_code == 200
    lab.checked()
    assert lab.api.json(f"/api/v1/alerts/{alert['id']}")["state"] == "invalid" and kernels(lab) == ["6.16"]
    for run in bad:
        assert lab.api.post(f"/api/v1/runs/{run}:restore", json={}).status_code == 200
    lab.checked()
    assert lab.api.json(f"/api/v1/alerts/{alert['id']}")["state"] == "new" and kernels(lab) == ["6.16", "6.17-rc1"]
    assert lab.api.json(f"/api/v1/runs/{bad[0]}/verdict")["regressions"], "a run tells of the alert by the series it is read as"


def test_names_go_on_after_a_merge(lab):
    for machine in ("a", "b", "c"):
        lab.boots("v6.16", SIZES, machine=machine, boots=1)
    merge(lab, "machines", "b", "a")
    merge(lab, "machines", "c", "b")
    assert [(m["name"], m["aliases"]) for m in lab.api.json("/api/v1/machines")["machines"]] == [("c", ["a", "b"])]
    renamed = lab.api.post("/api/v1/machines/a:rename", json={"name": "lab-7"}).json()
    assert renamed["name"] == "lab-7" and renamed["first_name"] == "c", "an old name is good for that, too"
    for asked in ("a", "b", "c", "lab-7"):
        assert lab.api.json(f"/api/v1/compare?base=6.16&head=6.16&machine={asked}")["rows"][0]["head"]["boots"] == 3
        expected = lab.api.post("/api/v1/expectations", json={"machine": asked, "interval": "7d"}).json()
        assert expected["expectation"]["machine"] == "lab-7" and expected["expectation"]["last_seen_at"]
    assert "merged into" in lab.api.post("/api/v1/machines/c:alias", json={"name": "a"}).json()["error"]["message"]
    unmerge(lab, "machines", "c", "b")
    assert sorted((m["name"], m["aliases"]) for m in lab.api.json("/api/v1/machines")["machines"]) == [("b", ["a"]), ("lab-7", ["c"])]
    assert lab.api.json("/api/v1/compare?base=6.16&head=6.16&machine=a")["rows"][0]["head"]["boots"] == 2
    merge(lab, "machines", "c", "b")
    unmerge(lab, "machines", "b", "a")  # the first of a chain by itself
    assert sorted(m["name"] for m in lab.api.json("/api/v1/machines")["machines"]) == ["a", "lab-7"]
    assert lab.api.json("/api/v1/compare?base=6.16&head=6.16&machine=b")["rows"][0]["head"]["boots"] == 2


def test_what_cannot_be_merged(lab):
    lab.boots("v6.16", SIZES, boots=1)
    lab.api.store({**submission("v6.16", boot_id="r"), "machine": {"name": "rome-01", "isa": "x86_64", "uarch": "epyc-rome"}})
    assert "epyc-rome" in merge(lab, "machines", "milan-01", "rome-01", 409)["error"]["message"]
    assert merge(lab, "machines", "milan-01", "rome-01", anyway=True)["name"] == "milan-01"
    merge(lab, "machines", "milan-01", "rome-01", 409)
    merge(lab, "machines", "rome-01", "milan-01", 409)
    unmerge(lab, "machines", "milan-01", "rome-01")
    unmerge(lab, "machines", "milan-01", "rome-01", 409)
    merge(lab, "machines", "nobody", "rome-01", 404)
    assert "no machine" in merge(lab, "machines", "milan-01", "nobody", 422)["error"]["message"]
    merge(lab, "machines", "milan-01", "milan-01", 409)
    for bad in ("", None, 5):
        assert [p["at"] for p in merge(lab, "machines", "milan-01", bad, 422)["error"]["problems"]] == ["/name"]
    done = harness.command("token", "add", "--name", "uploads", "--scope", "ingest", "--db", lab.db)
    uploader = Api(lab.server.url, next(word for word in done.stdout.split() if word.startswith("nsw_")))
    error_of(uploader.post("/api/v1/machines/milan-01:merge", json={"name": "rome-01"}), 403, "forbidden")


def test_the_run_before_is_the_newest_of_all_names(lab):
    def stored(machine, day):
        return lab.api.store(submission(machine=machine, boot_id=f"{machine}-{day}", started_at=f"2026-02-{day}T12:00:00Z"))[0]["run_id"]

    def before(run):
        return lab.api.json(f"/api/v1/runs/{run}?previous=1")["previous"]["run_id"]

    stored("milan-01", 10)
    middle, newest = stored("old-name", 11), stored("milan-01", 12)
    last = stored("old-name", 13)
    assert before(last) == middle
    merge(lab, "machines", "milan-01", "old-name")
    assert (before(last), before(newest)) == (newest, middle)
