# SPDX-License-Identifier: GPL-2.0-or-later
"""What was wrong is put right: runs are invalidated and restored, and every answer, pack and alert follows."""
import uuid

import pytest

import harness
from harness import error_of, sql, submission, wait_until
from lab import LATER, SIZES


def invalidate(lab, run, status=200, **fields):
    answer = lab.api.post(f"/api/v1/runs/{run}:invalidate", json={"reason": "somebody compiled on it", **fields})
    assert answer.status_code == status, answer.text
    return answer.json()


def restore(lab, run, status=200, **fields):
    answer = lab.api.post(f"/api/v1/runs/{run}:restore", json=fields)
    assert answer.status_code == status, answer.text
    return answer.json()


def runs_of(lab, kernel, **query):
    return [run["run_id"] for run in lab.api.json("/api/v1/runs", params={"kernel": kernel, **query})["runs"]]


@pytest.mark.parametrize("packed", [False, True], ids=["waiting", "packed"])
def test_no_question_is_answered_from_a_run_that_is_wrong(lab, packed):
    lab.boots("v6.16", SIZES, boots=1)
    bad = lab.api.store(submission(kernel="v6.17-rc1", boot_id="bad", size_kib=400, values=[9000.0, 9001.0]))[0]["run_id"]
    lab.boots("v6.17-rc1", SIZES, boots=1)
    if packed:
        lab.watch()
        lab.checked()
    compare = "/api/v1/compare?base=6.16&head=6.17-rc1&param.size_kib=400"
    before = lab.api.json(compare)["rows"][0]
    assert before["head"]["runs"] == 2
    done = invalidate(lab, bad)
    assert done["status"] == "invalid" and done["event"]["who"] == "lab" and done["event"]["details"]["reason"] == "somebody compiled on it"
    row = lab.api.json(compare)["rows"][0]
    assert row["head"]["runs"] == 1 and abs(row["change_percent"]) < 0.1
    trend = lab.api.json("/api/v1/trend?param.size_kib=400")
    assert trend["series"][0]["n"] == [3, 3] and trend["series"][0]["y"][1] < 4000
    sweep = lab.api.json("/api/v1/sweep?axis=size_kib&kernel=6.17-rc1")
    assert max(point["n"] for point in sweep["lines"][0]["points"]) == 3
    run = lab.api.json(f"/api/v1/runs/{bad}")
    assert run["run"]["invalid"]["reason"] == "somebody compiled on it" and run["results"][0]["values"] == [9000, 9001]
    assert "Invalid, says lab" in lab.api.get(f"/api/v1/runs/{bad}.txt").text and lab.api.get(f"/api/v1/runs/{bad}/raw").status_code == 200
    assert bad in runs_of(lab, "6.17-rc1", benchmark="mprotect/tw4m"), "it is listed, and marked"
    assert {r["run_id"]: bool(r["invalid"]) for r in lab.api.json("/api/v1/runs")["runs"]}[bad]
    assert "invalid already" in invalidate(lab, bad, 409)["error"]["message"]
    if packed:
        lab.checked()
        assert "0 series differed" in harness.command("rebuild", "--db", lab.db).stdout
    assert restore(lab, bad)["status"] == "restored"
    restore(lab, bad, 409)
    assert lab.api.json(compare)["rows"][0] == before
    if packed:
        lab.checked()
        assert "0 series differed" in harness.command("rebuild", "--db", lab.db).stdout
        assert lab.api.json("/api/v1/trend?param.size_kib=400")["series"][0]["n"] == [3, 5]
    trail = lab.api.json(f"/api/v1/events?object={bad}")["events"]
    assert [(e["action"], e["subject"], e["to_state"]) for e in trail] == [("restore", "run", "valid"), ("invalidate", "run", "invalid")]


def test_a_kernel_of_wrong_runs_only_is_no_kernel_of_the_benchmark(lab):
    lab.boots("v6.16", SIZES, boots=1)
    lab.boots("v6.17-rc1", SIZES, boots=1)
    for run in runs_of(lab, "6.17-rc1"):
        invalidate(lab, run)
    assert [k["name"] for k in lab.api.json("/api/v1/kernels?benchmark=mprotect/tw4m")["kernels"]] == ["6.16"]
    assert lab.api.json("/api/v1/compare?base=6.16&head=6.17-rc1")["rows"] == []
    assert lab.api.json("/api/v1/compare?base=6.16&head=latest")["head"]["name"] == "6.16"


def test_the_same_upload_again_stays_invalid(lab):
    one = submission()
    run = lab.api.store(one)[0]["run_id"]
    invalidate(lab, run)
    assert lab.api.store(one)[0]["status"] == "duplicate"
    assert lab.api.json(f"/api/v1/runs/{run}")["run"]["invalid"]


def test_an_alert_of_wrong_runs_is_over_and_comes_back_with_them(lab, hook):
    lab.watch("--webhook-url", hook.url, "--webhook-allow", "127.0.0.1")
    lab.boots("v6.16", SIZES)
    lab.boots("v6.17-rc1", LATER)
    lab.checked()
    (alert,) = lab.alerts()
    bad = runs_of(lab, "6.17-rc1")
    for run in bad:
        invalidate(lab, run)
    lab.checked()
    whole = lab.api.json(f"/api/v1/alerts/{alert['id']}")
    assert whole["state"] == "invalid" and whole["n_series"] == 0 and whole["rows"] == []
    last = whole["events"][-1]
    assert last["who"] == "watch" and "somebody compiled on it" in last["details"]["text"]
    for run in bad:
        restore(lab, run, reason="it was another machine")
    lab.checked()
    whole = lab.api.json(f"/api/v1/alerts/{alert['id']}")
    assert whole["state"] == "new" and whole["n_series"] == 3 and whole["worst_percent"] == pytest.approx(134.6, abs=0.1)
    assert len(lab.alerts()) == 1


def test_a_dismissed_alert_stays_so_when_its_runs_come_and_go(lab):
    lab.watch()
    lab.boots("v6.16", SIZES)
    lab.boots("v6.17-rc1", LATER)
    lab.checked()
    (alert,) = lab.alerts()
    assert lab.api.post(f"/api/v1/alerts/{alert['id']}/events", json={"action": "accept", "reason": "a trade"}).status_code == 200
    bad = runs_of(lab, "6.17-rc1")
    for run in bad:
        invalidate(lab, run)
    lab.checked()
    for run in bad:
        restore(lab, run)
    lab.checked()
    assert lab.api.json(f"/api/v1/alerts/{alert['id']}")["state"] == "accepted"


def test_kernels_around_a_wrong_one_are_neighbours_again(lab):
    lab.watch()
    lab.boots("v6.16", SIZES)
    lab.boots("v6.17-rc1", SIZES)
    lab.boots("v6.17", LATER)
    lab.checked()
    assert lab.ranges() == [("6.17-rc1", "6.17", "regression")]
    for run in runs_of(lab, "6.17-rc1"):
        invalidate(lab, run)
    lab.checked()
    open_ = [(a["from"], a["to"], a["n_series"]) for a in lab.alerts(state="new")]
    assert open_ == [("6.16", "6.17", 3)], "the step is there, told of good kernels"
    whole = lab.api.json(f"/api/v1/alerts/{lab.alerts(state='new')[0]['id']}")
    assert {(row["from"], row["to"]) for row in whole["rows"]} == {("6.16", "6.17")}


def test_some_boots_wrong_leave_what_the_others_say(lab):
    lab.watch()
    lab.boots("v6.16", SIZES)
    lab.boots("v6.17-rc1", LATER, boots=4)
    lab.checked()
    (alert,) = lab.alerts()
    invalidate(lab, runs_of(lab, "6.17-rc1")[0])
    lab.checked()
    whole = lab.api.json(f"/api/v1/alerts/{alert['id']}")
    assert whole["state"] == "new" and {row["after_boots"] for row in whole["rows"]} == {3}


@pytest.mark.parametrize("body,places", [({}, ["/reason"]), ({"reason": ""}, ["/reason"]), ({"reason": 5}, ["/reason"])])
def test_a_reason_is_needed(lab, body, places):
    run = lab.api.store(submission())[0]["run_id"]
    error = error_of(lab.api.post(f"/api/v1/runs/{run}:invalidate", json=body), 422, "invalid")
    assert [p["at"] for p in error["problems"]] == places


def test_who_may_and_what_there_is(lab):
    run = lab.api.store(submission())[0]["run_id"]
    error_of(lab.api.post(f"/api/v1/runs/{uuid.uuid4()}:invalidate", json={"reason": "x"}), 404, "not_found")
    error_of(lab.api.post("/api/v1/runs/nothing:restore", json={}), 404, "not_found")
    error_of(lab.api.get(f"/api/v1/runs/{run}:invalidate"), 404)
    done = harness.command("token", "add", "--name", "uploads", "--scope", "ingest", "--db", lab.db)
    uploader = harness.Api(lab.server.url, next(word for word in done.stdout.split() if word.startswith("nsw_")))
    for verb in ("invalidate", "restore"):
        error_of(uploader.post(f"/api/v1/runs/{run}:{verb}", json={"reason": "x"}), 403, "forbidden")
        error_of(harness.Api(lab.server.url).post(f"/api/v1/runs/{run}:{verb}", json={"reason": "x"}), 401, "unauthorized")
    assert invalidate(lab, run[:13])["status"] == "invalid", "the beginning of an id will do"


def name(lab, what, which, verb, to, status=200, **fields):
    answer = lab.api.post(f"/api/v1/{what}/{which.replace('/', '%2F')}:{verb}", json={"name": to, **fields})
    assert answer.status_code == status, answer.text
    return answer.json()


def names(lab, what, query=""):
    return [item["name"] for item in lab.api.json(f"/api/v1/{what}?{query}")[what]]


def test_a_machine_under_another_name_keeps_its_history(lab):
    lab.boots("v6.16", SIZES)
    done = name(lab, "machines", "milan-01", "rename", "vendor-lab-7", reason="moved")
    assert (done["name"], done["first_name"], done["aliases"]) == ("vendor-lab-7", "milan-01", [])
    lab.boots("v6.17-rc1", LATER)  # the lab goes on as it did
    lab.boots("v6.18", LATER, machine="vendor-lab-7")  # and another program does not
    assert names(lab, "machines") == ["vendor-lab-7"]
    for asked in ("vendor-lab-7", "milan-01", "vendor-*"):
        rows = lab.api.json(f"/api/v1/compare?base=6.16&head=6.18&machine={asked}")["rows"]
        assert len(rows) == 4 and {row["machine"] for row in rows} == {"vendor-lab-7"}
        assert len(lab.api.json(f"/api/v1/runs?machine={asked}")["runs"]) == 9
    name(lab, "machines", "vendor-lab-7", "rename", "lab-7")
    assert name(lab, "machines", "milan-01", "rename", "milan-01")["aliases"] == ["vendor-lab-7", "lab-7"], "by any name, and back"
    assert names(lab, "machines", "machine=lab-7") == ["milan-01"]
    trail = lab.api.json("/api/v1/events?subject=machine")["events"]
    assert [(e["object"], e["details"]["old_name"], e["details"]["name"]) for e in trail] == [
        ("milan-01", "lab-7", "milan-01"), ("milan-01", "vendor-lab-7", "lab-7"), ("milan-01", "milan-01", "vendor-lab-7")]


def test_a_benchmark_has_other_names(lab):
    lab.watch()
    lab.boots("v6.16", SIZES)
    name(lab, "benchmarks", "mprotect/tw4m", "alias", "mm/mprotect")
    lab.boots("v6.17-rc1", LATER, benchmark="mm/mprotect")
    lab.boots("v6.17-rc1", {8: 900}, benchmark="mm/mprotect", run="new")  # a series that nobody had, under the other name
    lab.checked()
    assert names(lab, "benchmarks") == ["mprotect/tw4m"]
    assert len(lab.api.json("/api/v1/compare?base=6.16&head=6.17-rc1&benchmark=mm/mprotect")["rows"]) == 4
    (alert,) = lab.alerts(benchmark="mm/mprotect")
    name(lab, "benchmarks", "mm/mprotect", "rename", "mm/protect")
    assert lab.api.json(f"/api/v1/alerts/{alert['id']}")["benchmark"] == "mm/protect"
    lab.boots("v6.17-rc1", LATER, run="more")
    lab.checked()
    assert len(lab.alerts()) == 1, "the same alert, whatever its benchmark is called"
    name(lab, "benchmarks", "mm/protect", "unalias", "mm/mprotect")
    name(lab, "benchmarks", "mm/protect", "unalias", "mm/mprotect", 409)
    error_of(lab.api.get("/api/v1/series?benchmark=mm/mprotect"), 400, "unknown_value")


def test_names_that_cannot_be(lab):
    lab.boots("v6.16", SIZES)
    lab.boots("v6.16", SIZES, machine="rome-01")
    name(lab, "machines", "milan-01", "alias", "m1")
    for verb in ("rename", "alias"):
        assert "another machine" in name(lab, "machines", "milan-01", verb, "rome-01", 409)["error"]["message"]
        assert "another machine" in name(lab, "machines", "rome-01", verb, "m1", 409)["error"]["message"]
        name(lab, "machines", "milan-01", verb, "milan-01", 409)
        name(lab, "machines", "nobody", verb, "x", 404)
        for bad in ("", "a\nb", "a*", 5, None, "x" * 300):
            assert [p["at"] for p in name(lab, "machines", "milan-01", verb, bad, 422)["error"]["problems"]] == ["/name"]
    assert len(lab.api.json("/api/v1/events")["events"]) == 1
    assert name(lab, "machines", "milan-01", "unalias", "m1")["aliases"] == []
    name(lab, "machines", "rome-01", "alias", "m1")  # free again
