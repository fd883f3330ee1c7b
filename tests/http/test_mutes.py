# SPDX-License-Identifier: GPL-2.0-or-later
"""Silence on purpose: of an alert or of all that a selector picks, with a reason, an author and an end."""
import datetime
import uuid

import pytest

from harness import error_of, sql, wait_until
from lab import LATER, SIZES


def mute(lab, status=201, **fields):
    answer = lab.api.post("/api/v1/mutes", json={"reason": "moving house", "until": None, **fields})
    assert answer.status_code == status, answer.text
    return answer.json()["mute"] if status == 201 else answer.json()["error"]


def regress(lab, machine="milan-01"):
    lab.boots("v6.16", SIZES, machine=machine)
    lab.boots("v6.17-rc1", LATER, machine=machine)
    lab.checked()


def whole(lab, alert):
    return lab.api.json(f"/api/v1/alerts/{alert['id']}")


def far():
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)).isoformat()


def over(lab):
    """As if the mutes' time were up."""
    sql(lab.db, "UPDATE mute SET until = now() - interval '1 second'")


def test_an_alert_born_muted_is_told_to_nobody_until_the_mute_is_over(lab, hook):
    lab.watch("--webhook-url", hook.url, "--webhook-allow", "127.0.0.1")
    made = mute(lab, selector={"machine": "milan-*", "benchmark": "mprotect/*"}, until=far())
    assert made["active"] and made["author"] == "lab" and made["alerts"] == 0
    regress(lab)
    (alert,) = lab.alerts()
    assert alert["state"] == "muted" and lab.api.json("/api/v1/alerts")["open"] == 0
    event = whole(lab, alert)["events"][0]
    assert (event["who"], event["action"], event["details"]["mute"]) == ("watch", "mute", int(made["id"]))
    assert event["details"]["text"] == "moving house" and sql(lab.db, "SELECT count(*) FROM outbox") == [(0,)]
    assert lab.api.json(f"/api/v1/mutes/{made['id']}")["alerts"] == 1
    over(lab)
    wait_until(lambda: whole(lab, alert)["state"] == "new", "the mute is over")
    lab.delivered(1)
    assert whole(lab, alert)["events"][-1]["who"] == "watch"
    assert lab.api.json(f"/api/v1/mutes/{made['id']}")["active"] is False


def test_what_is_not_muted_wakes_a_muted_alert(lab):
    lab.watch()
    mute(lab, selector={"machine": "milan-*"})
    regress(lab)
    (alert,) = lab.alerts()
    assert alert["state"] == "muted"
    regress(lab, "rome-01")
    (alert,) = lab.alerts()
    assert alert["state"] == "new" and alert["machines"] == ["milan-01", "rome-01"]


def test_open_alerts_are_muted_too_and_open_again_when_it_ends(lab):
    lab.watch()
    regress(lab)
    (alert,) = lab.alerts()
    mute(lab, selector={"machine": "rome-01"})
    assert whole(lab, alert)["state"] == "new"
    made = mute(lab, selector={"benchmark": "mprotect/*"})
    assert made["alerts"] == 1 and whole(lab, alert)["state"] == "muted"
    done = lab.api.request("DELETE", f"/api/v1/mutes/{made['id']}")
    assert done.status_code == 200 and done.json()["mute"]["active"] is False, done.text
    assert whole(lab, alert)["state"] == "new"
    assert [(e["action"], e["who"]) for e in whole(lab, alert)["events"]] == [("mute", "lab"), ("reopen", "lab")]
    assert [e["action"] for e in lab.api.json("/api/v1/events?subject=mute")["events"]] == ["end", "make", "make"]
    error_of(lab.api.request("DELETE", f"/api/v1/mutes/{made['id']}"), 409, "conflict")


def test_one_alert_is_muted_by_its_event(lab):
    lab.watch()
    regress(lab)
    (alert,) = lab.alerts()
    path = f"/api/v1/alerts/{alert['id']}/events"
    error_of(lab.api.post(path, json={"action": "mute", "reason": "x", "until": "2020-01-01T00:00:00Z"}), 422, "invalid")
    assert lab.api.post(path, json={"action": "mute", "reason": "known", "until": far()}).status_code == 200
    (made,) = lab.api.json("/api/v1/mutes")["mutes"]
    assert made["alert"] == alert["id"] and made["reason"] == "known" and made["alerts"] == 1
    regress(lab, "rome-01")
    assert whole(lab, alert)["state"] == "muted", "this alert is muted, whatever joins it"
    assert lab.api.post(path, json={"action": "reopen"}).status_code == 200
    assert lab.api.json(f"/api/v1/mutes/{made['id']}")["active"] is False
    mute(lab, alert=alert["id"])
    assert whole(lab, alert)["state"] == "muted"
    over(lab)
    wait_until(lambda: whole(lab, alert)["state"] == "new", "the mute is over")


@pytest.mark.parametrize("body,places", [
    ({"reason": None}, ["/reason"]), ({}, ["/selector"]), ({"selector": {}}, ["/selector"]), ({"selector": {"machine": []}}, ["/selector/machine"]),
    ({"selector": {"machine": "x"}, "until": "2020-01-01T00:00:00Z"}, ["/until"]), ({"selector": {"machine": "x"}, "until": "soon"}, ["/until"]),
    ({"alert": "x"}, ["/alert"]), ({"alert": str(uuid.uuid4()), "selector": {"machine": "x"}}, ["/alert"]), ({"alert": str(uuid.uuid4())}, [])])
def test_a_bad_mute_is_told_with_its_place(lab, body, places):
    error = mute(lab, 422, **body)
    assert error["code"] == "invalid" and [p["at"] for p in error["problems"]][:len(places)] == places, error
    assert lab.api.json("/api/v1/mutes")["mutes"] == [] and lab.api.json("/api/v1/events")["events"] == []


def test_a_mute_without_an_end_is_asked_for_in_so_many_words(lab):
    body = {"reason": "moving house", "selector": {"machine": "x"}}
    for mistyped in ({}, {"ends_at": far()}):
        error = error_of(lab.api.post("/api/v1/mutes", json={**body, **mistyped}), 422, "invalid")
        assert [p["at"] for p in error["problems"]] == ["/until"]
    assert lab.api.json("/api/v1/mutes")["mutes"] == []
    assert mute(lab, **body, until=None)["until"] is None and mute(lab, **body, until=far())["until"]


def test_lists_of_mutes(lab):
    for i in range(3):
        mute(lab, selector={"machine": f"m{i}"})
    page = lab.api.json("/api/v1/mutes?limit=2")
    assert [m["selector"] for m in page["mutes"]] == [{"machine": "m2"}, {"machine": "m1"}]
    assert [m["selector"] for m in lab.api.json(f"/api/v1/mutes?cursor={page['next']}")["mutes"]] == [{"machine": "m0"}]
    assert lab.api.get("/api/v1/mutes.csv").text.startswith("id,selector,alert,reason,author,")
    assert max(map(len, lab.api.get("/api/v1/mutes.txt").text.splitlines())) <= 72
    error_of(lab.api.get("/api/v1/mutes/99"), 404, "not_found")
    error_of(lab.api.get("/api/v1/mutes/x"), 404, "not_found")
    error_of(lab.api.request("DELETE", "/api/v1/mutes/99"), 404, "not_found")
