# SPDX-License-Identifier: GPL-2.0-or-later
"""What becomes of an alert: actions, states, who did what; fixed by the data, back again, dismissed for good."""
import uuid

import pytest

import harness
from harness import error_of, sql, wait_until
from lab import LATER, SIZES

REPORT = "https://lore.kernel.org/linux-mm/20260213150810.1@lab.example/"


def act(lab, alert, action, status=200, **fields):
    answer = lab.api.post(f"/api/v1/alerts/{alert['id']}/events", json={"action": action, **fields})
    assert answer.status_code == status, answer.text
    return answer.json()


def state(lab, alert):
    return lab.api.json(f"/api/v1/alerts/{alert['id']}")["state"]


@pytest.fixture
def alert(lab):
    """A regression of 6.17-rc1, and the lab it was found in, with its watch running."""
    lab.watch()
    lab.boots("v6.16", SIZES)
    lab.boots("v6.17-rc1", LATER)
    lab.checked()
    (found,) = lab.alerts()
    return found


def test_the_whole_way_with_who_and_when(lab, alert):
    assert alert["state"] == "new" and alert["assignee"] is None and alert["origin"] == "watch"
    done = act(lab, alert, "acknowledge", assignee="akpm", due_at="2026-03-01T00:00:00Z")
    assert done["status"] == "done" and done["alert"] == alert["id"]
    assert (done["event"]["from_state"], done["event"]["to_state"], done["event"]["who"]) == ("new", "acknowledged", "lab")
    act(lab, alert, "comment", text="two lines\nof text")
    act(lab, alert, "report", url=REPORT)
    act(lab, alert, "fix-posted", url=REPORT + "fix", commit="cac1db8c3aad")
    act(lab, alert, "report", url=REPORT + "again")
    act(lab, alert, "assign", assignee=None, due_at=None)
    whole = lab.api.json(f"/api/v1/alerts/{alert['id']}")
    assert whole["state"] == "fix-posted", "a second report takes no step back"
    assert (whole["report_url"], whole["fix_url"], whole["fix_commit"]) == (REPORT + "again", REPORT + "fix", "cac1db8c3aad")
    assert whole["assignee"] is None and whole["due_at"] is None and whole["changed_at"]
    trail = [(e["action"], e["from_state"], e["to_state"]) for e in whole["events"]]
    assert trail == [("acknowledge", "new", "acknowledged"), ("comment", "acknowledged", "acknowledged"),
                     ("report", "acknowledged", "reported"), ("fix-posted", "reported", "fix-posted"),
                     ("report", "fix-posted", "fix-posted"), ("assign", "fix-posted", "fix-posted")]
    assert whole["events"][0]["details"] == {"assignee": "akpm", "due_at": "2026-03-01T00:00:00Z"}
    assert whole["events"][1]["details"]["text"] == "two lines\nof text"
    assert lab.api.json(f"/api/v1/alerts/{alert['id']}/events")["events"] == whole["events"]
    assert [e["id"] for e in lab.api.json("/api/v1/events?subject=alert")["events"]] == [e["id"] for e in whole["events"]][::-1]
    assert (listed := lab.alerts()[0])["assignee"] is None and listed["report_url"] == REPORT + "again"


def test_the_trail_comes_in_pages_and_as_tables(lab, alert):
    for i in range(5):
        act(lab, alert, "comment", text=f"no {i}")
    for path, oldest_first in ((f"/api/v1/alerts/{alert['id']}/events", True), ("/api/v1/events", False)):
        texts, cursor = [], ""
        while cursor is not None:
            page = lab.api.json(f"{path}?limit=2{cursor and '&cursor=' + cursor}")
            texts += [e["details"]["text"] for e in page["events"]]
            cursor = page["next"]
        assert texts == [f"no {i}" for i in (range(5) if oldest_first else reversed(range(5)))]
        assert lab.api.get(path + ".csv").text.splitlines()[0] == "id,at,who,subject,object,action,from_state,to_state,details"
        assert max(map(len, lab.api.get(path + ".txt").text.splitlines())) <= 72
        error_of(lab.api.get(path + "?cursor=x"), 400, "bad_argument")
    assert len(lab.api.json(f"/api/v1/events?object={alert['id']}&who=lab")["events"]) == 5
    assert lab.api.json("/api/v1/events?who=nobody")["events"] == []
    error_of(lab.api.get("/api/v1/events?subject=cat"), 400, "unknown_value")
    error_of(lab.api.get(f"/api/v1/alerts/{uuid.uuid4()}/events"), 404, "not_found")
    error_of(lab.api.get("/api/v1/alerts/x/events"), 404, "not_found")


def test_only_triage_may_and_reading_may_not(lab, alert):
    path = f"/api/v1/alerts/{alert['id']}/events"
    error_of(harness.Api(lab.server.url).post(path, json={"action": "acknowledge"}), 401, "unauthorized")
    for scope, status in (("read", 403), ("ingest", 403), ("triage", 200)):
        done = harness.command("token", "add", "--name", f"a-{scope}", "--scope", scope, "--db", lab.db)
        token = next(word for word in done.stdout.split() if word.startswith("nsw_"))
        answer = harness.Api(lab.server.url, token).post(path, json={"action": "acknowledge"})
        assert answer.status_code == status, answer.text
    assert lab.api.json(path)["events"][0]["who"] == "a-triage"


@pytest.mark.parametrize("body,places", [
    ({}, ["/action"]), ({"action": "explode"}, ["/action"]), ({"action": 5}, ["/action"]), ({"action": "comment"}, ["/text"]),
    ({"action": "comment", "text": " \n"}, ["/text", "/text"]), ({"action": "report"}, ["/url"]), ({"action": "report", "url": "javascript:alert(1)"}, ["/url"]),
    ({"action": "report", "url": "https://"}, ["/url"]), ({"action": "report", "url": "https://a b"}, ["/url"]), ({"action": "accept"}, ["/reason"]),
    ({"action": "invalid", "reason": ""}, ["/reason", "/reason"]), ({"action": "assign"}, ["/assignee"]), ({"action": "assign", "assignee": "a\nb"}, ["/assignee"]),
    ({"action": "assign", "due_at": "tomorrow"}, ["/due_at"]), ({"action": "fix-posted"}, ["/url"]), ({"action": "fix-posted", "commit": "xyz"}, ["/commit"]),
    ({"action": "merge"}, ["/into"]), ({"action": "merge", "into": "x"}, ["/into"]), ({"action": "split"}, ["/series_ids"]),
    ({"action": "split", "series_ids": ["x"]}, ["/series_ids/0"]), ({"action": "nudge"}, ["/to"]), ({"action": "acknowledge", "event_id": "1"}, ["/event_id"]),
    ({"action": "mute"}, ["/reason"]), ({"action": "acknowledge", "assignee": "x" * 300}, ["/assignee"])])
def test_what_is_wrong_is_told_with_its_place(lab, alert, body, places):
    error = error_of(lab.api.post(f"/api/v1/alerts/{alert['id']}/events", json=body), 422, "invalid")
    assert [p["at"] for p in error["problems"]] == places, error
    assert state(lab, alert) == "new" and lab.api.json("/api/v1/events")["events"] == []


def test_other_bad_bodies(lab, alert):
    path = f"/api/v1/alerts/{alert['id']}/events"
    for body, status, code in ((b"{", 400, "bad_json"), (b"[]", 422, "invalid"), (b"5", 422, "invalid"), (b"[" * 100, 400, "bad_json")):
        error_of(lab.api.post(path, data=body), status, code)
    error_of(lab.api.post(f"/api/v1/alerts/{uuid.uuid4()}/events", json={"action": "acknowledge"}), 404, "not_found")
    error_of(lab.api.post("/api/v1/alerts/none/events", json={"action": "acknowledge"}), 404, "not_found")
    error_of(lab.api.post(path + "?x=1", json={"action": "acknowledge"}), 400, "bad_argument")
    done = act(lab, alert, "acknowledge", colour="red")
    assert done["warnings"] == [{"at": "/colour", "message": "unknown field, ignored"}]


def test_a_repeated_event_is_done_once(lab, alert):
    key = str(uuid.uuid4())
    first = act(lab, alert, "acknowledge", event_id=key)
    again = act(lab, alert, "acknowledge", event_id=key)
    assert again["status"] == "duplicate" and again["event"] == first["event"]
    act(lab, alert, "comment", 409, text="other", event_id=key)
    assert len(lab.api.json("/api/v1/events")["events"]) == 1


def test_steps_that_lead_nowhere_are_refused(lab, alert):
    act(lab, alert, "reopen", 409)
    act(lab, alert, "invalid", reason="a cold machine")
    for action, fields in (("acknowledge", {}), ("report", {"url": REPORT}), ("fix-posted", {"url": REPORT}), ("accept", {"reason": "x"}),
                           ("invalid", {"reason": "x"}), ("fixed", {"unverified": True})):
        assert "invalid" in act(lab, alert, action, 409, **fields)["error"]["message"]
    act(lab, alert, "comment", text="after all")
    act(lab, alert, "reopen", reason="it was warm")
    assert state(lab, alert) == "new"


def test_a_dismissal_sticks(lab, alert):
    act(lab, alert, "accept", reason="the price of batching")
    lab.boots("v6.17-rc1", LATER, run="more")
    lab.boots("v6.16", SIZES, machine="rome-01")
    lab.boots("v6.17-rc1", LATER, machine="rome-01")
    lab.checked()
    (only,) = lab.alerts()
    assert only["id"] == alert["id"] and only["state"] == "accepted", "evidence joins, and wakes nobody"
    assert only["machines"] == ["milan-01", "rome-01"]
    assert lab.api.json("/api/v1/alerts")["open"] == 0


def test_an_alert_of_more_series_than_a_trend_may_have_is_still_read_mailed_and_checked(lab):
    sizes = range(1, 5002)
    lab.boots("6.16", dict.fromkeys(sizes, 100), boots=2, reps=1)
    lab.boots("6.17-rc1", dict.fromkeys(sizes, 150), boots=2, reps=1)
    lab.watch()
    lab.checked()
    lab.boots("6.17-rc2", dict.fromkeys(sizes, 150), boots=1, reps=1)
    lab.checked()
    (alert,) = lab.alerts()
    run = lab.api.json("/api/v1/runs", params={"kernel": "6.17-rc1"})["runs"][0]["run_id"]
    told = lab.api.json(f"/api/v1/runs/{run}/verdict", params={"explain": 1})["regressions"]
    assert len(told) == 5001 and all(t["why"]["text"] for t in told)
    (first, second) = lab.api.json(f"/api/v1/alerts/{alert['id']}")["still"]["kernels"]
    assert first["present"] and first["n_series"] == second["n_series"] == 5001
    assert "+50" in lab.api.get(f"/api/v1/alerts/{alert['id']}/mail.txt").text


def test_still_there_is_computed(lab, alert):
    for kernel in ("v6.17-rc2", "v6.17", "v6.18"):
        lab.boots(kernel, LATER)
    lab.checked()
    still = lab.api.json(f"/api/v1/alerts/{alert['id']}")["still"]
    assert (still["measured"], still["present"], still["newest"], still["first_fixed"]) == (4, 4, "6.18", None)
    assert "6.17-rc1 .. 6.18 (4 of 4 kernels)" in still["sentence"] and "first fixed: none" in still["sentence"]
    assert [k["kernel"] for k in still["kernels"]] == ["6.17-rc1", "6.17-rc2", "6.17", "6.18"]
    assert all(k["present"] and k["n_series"] == 3 for k in still["kernels"])
    assert "not show it" in act(lab, alert, "fixed", 409)["error"]["message"]
    act(lab, alert, "fixed", 409, kernel="6.18")
    assert error_of(lab.api.post(f"/api/v1/alerts/{alert['id']}/events", json={"action": "fixed", "kernel": "nope"}), 422)
    done = act(lab, alert, "fixed", kernel="6.18", unverified=True)
    assert done["event"]["details"]["verified"] is False and abs(done["event"]["details"]["restored_percent"]) < 5


def test_fixed_is_what_the_data_show(lab, alert):
    act(lab, alert, "fix-posted", commit="0123456789ab")
    lab.boots("v6.18", LATER)
    lab.boots("v6.19-rc1", {size: SIZES[size] + 0.1 * (LATER[size] - SIZES[size]) for size in SIZES})
    lab.boots("v6.19", {size: SIZES[size] + 0.1 * (LATER[size] - SIZES[size]) for size in SIZES})
    lab.checked()
    whole = lab.api.json(f"/api/v1/alerts/{alert['id']}")
    assert whole["state"] == "fixed" and whole["fixed_in"] == "6.19-rc1", "watch saw it, in the first kernel that has it"
    assert 85 < whole["restored_percent"] < 95
    last = whole["events"][-1]
    assert (last["who"], last["action"], last["details"]["verified"]) == ("watch", "fixed", True)
    assert whole["still"]["first_fixed"] == "6.19-rc1"


def test_what_comes_back_reopens_with_its_history(lab, alert):
    act(lab, alert, "acknowledge", assignee="akpm")
    lab.boots("v6.18", SIZES)
    lab.checked()
    done = act(lab, alert, "fixed")
    assert done["event"]["details"]["kernel"] == "6.18" and done["event"]["details"]["verified"] is True
    lab.boots("v6.19", SIZES)
    lab.boots("v7.0", LATER)
    lab.checked()
    regressions = lab.alerts(kind="regression")
    assert [a["id"] for a in regressions] == [alert["id"]]
    whole = lab.api.json(f"/api/v1/alerts/{alert['id']}")
    assert (whole["state"], whole["from"], whole["to"], whole["assignee"]) == ("new", "6.19", "7.0", "akpm")
    assert [e["action"] for e in whole["events"]] == ["acknowledge", "fixed", "reopen"]
    back = whole["events"][-1]
    assert back["who"] == "watch" and (back["details"]["old_from"], back["details"]["old_to"]) == ("6.16", "6.17-rc1")
    assert {(row["from"], row["to"]) for row in whole["rows"]} == {("6.19", "7.0")} and whole["n_series"] == 3
    lab.boots("v6.17-rc1", LATER, run="late")  # the old story again: nobody is told twice
    lab.checked()
    assert [a["id"] for a in lab.alerts(kind="regression")] == [alert["id"]]
    assert lab.api.json(f"/api/v1/alerts/{alert['id']}")["from"] == "6.19"


def test_what_was_fixed_and_dips_elsewhere_is_another_story(lab, alert):
    lab.boots("v6.18", SIZES)
    lab.checked()
    act(lab, alert, "fixed")
    lab.boots("v6.18", {4: 100, 40: 200}, benchmark="other/thing")
    lab.boots("v6.19", {4: 200, 40: 400}, benchmark="other/thing")
    lab.checked()
    assert {a["benchmark"] for a in lab.alerts(kind="regression")} == {"mprotect/tw4m", "other/thing"}
    assert state(lab, alert) == "fixed"


def test_merged_alerts_are_one_and_can_be_two_again(lab, alert):
    lab.boots("v6.16", {1: 500}, benchmark="mm/other")
    lab.boots("v6.17-rc1", {1: 900}, benchmark="mm/other")
    lab.checked()
    other = next(a for a in lab.alerts() if a["id"] != alert["id"])
    act(lab, other, "merge", into=alert["id"], text="one commit did both")
    whole = lab.api.json(f"/api/v1/alerts/{alert['id']}")
    assert whole["n_series"] == 4 and {row["benchmark"] for row in whole["rows"]} == {"mprotect/tw4m", "mm/other"}
    gone = lab.api.json(f"/api/v1/alerts/{other['id']}")
    assert gone["merged_into"] == alert["id"] and gone["state"] == "invalid" and gone["n_series"] == 0
    assert [(e["action"], e["who"], e["details"]) for e in whole["events"]] == [
        ("merge", "lab", {"text": "one commit did both", "from": other["id"], "rows": 1})], "both histories tell of it"
    assert gone["events"][-1]["details"] == {"text": "one commit did both", "into": alert["id"]}
    act(lab, other, "acknowledge", 409)
    act(lab, alert, "merge", 409, into=other["id"])
    act(lab, alert, "merge", 422, into=alert["id"])
    act(lab, alert, "merge", 422, into=str(uuid.uuid4()))
    lab.boots("v6.16", {1: 500}, benchmark="mm/other", machine="rome-01")  # more of it goes where it went
    lab.boots("v6.17-rc1", {1: 900}, benchmark="mm/other", machine="rome-01")
    lab.checked()
    whole = lab.api.json(f"/api/v1/alerts/{alert['id']}")
    assert whole["n_series"] == 5 and whole["machines"] == ["milan-01", "rome-01"] and len(lab.alerts()) == 2
    act(lab, other, "reopen")
    assert lab.api.json(f"/api/v1/alerts/{other['id']}")["n_series"] == 1, "what was moved with it comes back"
    whole = lab.api.json(f"/api/v1/alerts/{alert['id']}")
    assert whole["n_series"] == 4 and whole["events"][-1]["action"] == "unmerge"
    assert whole["events"][-1]["details"] == {"alert": other["id"], "rows": 1}


def test_rows_split_off_stay_apart(lab, alert):
    rows = lab.api.json(f"/api/v1/alerts/{alert['id']}")["rows"]
    ids = [row["series_id"] for row in rows]
    act(lab, alert, "split", 409, series_ids=ids)
    act(lab, alert, "split", 422, series_ids=[ids[0], "99999"])
    made = act(lab, alert, "split", series_ids=ids[:1], text="the small size is something else")["alert"]
    part = lab.api.json(f"/api/v1/alerts/{made}")
    assert [row["series_id"] for row in part["rows"]] == ids[:1] and part["origin"] == "split"
    assert (part["from"], part["to"], part["benchmark"]) == ("6.16", "6.17-rc1", "mprotect/tw4m")
    assert [(e["action"], e["details"]) for e in part["events"]] == [
        ("split", {"text": "the small size is something else", "from": alert["id"], "rows": 1})]
    assert lab.api.json(f"/api/v1/alerts/{alert['id']}")["events"][-1]["details"]["alert"] == made
    lab.boots("v6.17-rc1", LATER, run="more")
    lab.checked()
    assert [row["series_id"] for row in lab.api.json(f"/api/v1/alerts/{made}")["rows"]] == ids[:1]
    assert [row["series_id"] for row in lab.api.json(f"/api/v1/alerts/{alert['id']}")["rows"]] == ids[1:]
    assert lab.api.json(f"/api/v1/alerts/{made}")["rows"][0]["after_boots"] == 6, "its numbers follow the evidence"
    act(lab, {"id": made}, "merge", into=alert["id"])
    assert lab.api.json(f"/api/v1/alerts/{alert['id']}")["n_series"] == 3


def test_a_nudged_alert_stays_where_it_was_put(lab, alert):
    lab.boots("v6.17-rc2", LATER)
    lab.checked()
    act(lab, alert, "nudge", 422, to="6.16+revert-cac1db8c3aad")
    act(lab, alert, "nudge", 422, to="nope")
    act(lab, alert, "nudge", 409, to="6.17-rc1")
    act(lab, alert, "nudge", 422, **{"from": "6.17-rc2"})
    done = act(lab, alert, "nudge", to="6.17-rc2", **{"from": "6.17-rc1"}, text="rc1 was a bad build")
    assert done["event"]["details"] == {"text": "rc1 was a bad build", "old_from": "6.16", "old_to": "6.17-rc1",
                                        "from": "6.17-rc1", "to": "6.17-rc2"}
    lab.boots("v6.17-rc1", LATER, run="more")
    lab.boots("v6.16", SIZES, machine="rome-01")
    lab.boots("v6.17-rc1", LATER, machine="rome-01")
    lab.checked()
    (only,) = lab.alerts()
    assert (only["id"], only["from"], only["to"]) == (alert["id"], "6.17-rc1", "6.17-rc2")
    assert only["machines"] == ["milan-01", "rome-01"], "evidence of its old range is its own"
    act(lab, alert, "nudge", to="6.17-rc1", **{"from": "6.16"})
    assert lab.ranges() == [("6.16", "6.17-rc1", "regression")]


def opened(lab, status=201, **body):
    answer = lab.api.post("/api/v1/alerts", json={"benchmark": "mprotect/tw4m", "from": "6.17-rc1", "to": "6.17", **body})
    assert answer.status_code == status, answer.text
    return answer.json()


def test_an_alert_by_hand(lab, alert):
    lab.boots("v6.17", {size: value * 1.01 for size, value in LATER.items()})
    lab.boots("v6.17", {size: value * 1.01 for size, value in LATER.items()}, machine="rome-01")
    lab.checked()
    key = str(uuid.uuid4())
    made = opened(lab, text="one per cent, everywhere", event_id=key)
    assert made["event"]["action"] == "open" and made["event"]["who"] == "lab"
    assert opened(lab, 200, text="one per cent, everywhere", event_id=key)["alert"] == made["alert"]
    whole = lab.api.json(f"/api/v1/alerts/{made['alert']}")
    assert (whole["origin"], whole["state"], whole["kind"], whole["from"], whole["to"]) == ("manual", "new", "regression", "6.17-rc1", "6.17")
    assert whole["machines"] == ["milan-01"] and whole["n_series"] == 4, "rome-01 has one kernel of the two"
    assert all(abs(row["change_percent"] - 1) < 0.5 for row in whole["rows"])
    assert whole["events"][0]["details"]["text"] == "one per cent, everywhere"
    assert "is there for this" in opened(lab, 409)["error"]["message"]
    act(lab, {"id": made["alert"]}, "acknowledge")
    narrow = opened(lab, direction="improvement", selector={"param.size_kib": ["4", "40"], "machine": "milan-*"})
    assert lab.api.json(f"/api/v1/alerts/{narrow['alert']}")["n_series"] == 2
    lab.boots("v6.17", LATER, run="more")  # its range is known now: what is found there joins it
    lab.checked()
    assert len(lab.alerts(kind="regression")) == 2


def test_an_alert_by_hand_is_told_as_one_that_was_found(lab, hook):
    lab.watch("--webhook-url", hook.url, "--webhook-allow", "127.0.0.1", "--smtp-url", "smtp://127.0.0.1:1", "--mail-from", "w@lab.example")
    rule = {"name": "mm", "selector": {"benchmark": "mprotect/*"}, "percent": 50, "tell": ["mm@lab.example"]}
    assert lab.api.post("/api/v1/rules", json=rule).status_code == 201
    for kernel in ("v6.16", "v6.17-rc1", "v6.17"):
        lab.boots(kernel, SIZES)
    lab.checked()
    made = opened(lab, text="I saw it elsewhere")["alert"]
    wait_until(lambda: hook.calls, "the webhook is told")
    headers, body = hook.calls[0]
    assert headers["X-Nsecwatch-Event"] == "alert.opened" and made in body.decode()
    rows = sql(lab.db, "SELECT kind, target, event FROM outbox WHERE alert_id = %s ORDER BY kind, target", made)
    assert rows == [("mail", "mm@lab.example", "opened"), ("webhook", "default", "opened")], rows
    assert lab.api.post("/api/v1/mutes", json={"selector": {"benchmark": "mprotect/*"}, "reason": "known", "until": None}).status_code == 201
    muted = opened(lab, **{"from": "6.16", "to": "6.17-rc1"})["alert"]
    wait_until(lambda: lab.api.json(f"/api/v1/alerts/{muted}")["state"] == "muted", "what is muted is muted, whoever opens it")
    assert not sql(lab.db, "SELECT 1 FROM outbox WHERE alert_id = %s", muted) and len(hook.calls) == 1


@pytest.mark.parametrize("body,places", [
    ({"benchmark": None}, ["/benchmark"]), ({"from": None, "to": ""}, ["/from", "/to"]), ({"direction": "up"}, ["/direction"]),
    ({"selector": 5}, ["/selector"]), ({"selector": {"machine": []}}, ["/selector/machine"]), ({"selector": {"colour": "red"}}, ["/selector/colour"]),
    ({"selector": {"machine": [5]}}, ["/selector/machine"]), ({"event_id": "x"}, ["/event_id"]),
    ({"benchmark": "no/such"}, None), ({"from": "9.9"}, None), ({"to": "6.16"}, None), ({"from": "6.17-rc1", "to": "6.17-rc1"}, None),
    ({"selector": {"machine": "nobody"}}, None), ({"selector": {"machine": "nobody*"}}, None), ({"to": "6.17-rc1+revert-cac1db8c3aad"}, None)])
def test_an_alert_by_hand_that_cannot_be(lab, alert, body, places):
    lab.api.post("/api/v1/kernels", json=[{"release": "v6.17"}, {"release": "v6.17-rc1 with cac1db8c3aad reverted"}])
    error = opened(lab, 422, **body)["error"]
    assert error["code"] == "invalid" and (places is None or [p["at"] for p in error["problems"]] == places), error
    assert len(lab.alerts()) == 1


def test_the_list_is_filtered_by_who_and_by_what_is_late(lab, new_lab):
    lab.watch()
    for i, benchmark in enumerate(("a/one", "b/two", "c/three", "d/four")):
        lab.boots("v6.16", SIZES, benchmark=benchmark, run=benchmark)
        lab.boots("v6.17-rc1", LATER, benchmark=benchmark, run=benchmark)
    lab.checked()
    by = {a["benchmark"]: a for a in lab.alerts()}
    act(lab, by["a/one"], "assign", assignee="akpm", due_at="2026-03-01T00:00:00Z")
    act(lab, by["b/two"], "assign", assignee="vbabka", due_at="2199-03-01T00:00:00Z")
    act(lab, by["c/three"], "assign", assignee="akpm", due_at="2026-03-01T00:00:00Z")
    act(lab, by["c/three"], "accept", reason="a trade")

    def names(query):
        return sorted(a["benchmark"] for a in lab.api.json(f"/api/v1/alerts?{query}")["alerts"])

    assert names("assignee=akpm") == ["a/one", "c/three"] and names("assignee=none") == ["d/four"]
    assert names("assignee=vbabka&assignee=none") == ["b/two", "d/four"] and names("assignee=nobody-here") == []
    assert names("overdue=1") == ["a/one"], "what has ended is late no more"
    assert names("overdue=1&assignee=vbabka") == [] and len(names("overdue=0")) == 4
    assert "akpm,2026-03-01T00:00:00Z" in lab.api.get("/api/v1/alerts.csv?overdue=1").text
    error_of(lab.api.get("/api/v1/alerts?overdue=yes"), 400, "bad_argument")
