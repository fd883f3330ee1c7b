# SPDX-License-Identifier: GPL-2.0-or-later
"""What labs are expected to send: silence raises an alert of its own, and the next run ends it."""
import pytest

import harness
from harness import error_of, sql, wait_until
from lab import SIZES


def expect(lab, status=201, **fields):
    answer = lab.api.post("/api/v1/expectations", json={"machine": "milan-01", "interval": "24h", **fields})
    assert answer.status_code == status, answer.text
    return answer.json()["expectation"] if status == 201 else answer.json()["error"]


def listed(lab):
    return lab.api.json("/api/v1/expectations")["expectations"]


def days_pass(lab):
    """As if all that came so far, expectations and runs, were two days older."""
    for table, column in (("expectation", "created_at"), ("run_seen", "received_at"), ("run", "received_at")):
        sql(lab.db, f"UPDATE {table} SET {column} = {column} - interval '2 days'")


def test_silence_is_an_alert_until_a_run_comes(lab, hook):
    lab.watch("--webhook-url", hook.url, "--webhook-allow", "127.0.0.1")
    lab.boots("v6.16", SIZES)
    lab.checked()
    made = expect(lab, benchmark="mprotect/*", note="the nightly run")
    assert made["late"] is False and made["alert"] is None and made["last_seen_at"] and made["interval"] == "1d"
    days_pass(lab)
    wait_until(lambda: listed(lab)[0]["alert"], "watch misses the lab")
    (alert,) = lab.alerts(kind="silence")
    assert (alert["kind"], alert["state"], alert["machines"], alert["benchmark"]) == ("silence", "new", ["milan-01"], "mprotect/tw4m")
    assert alert["about"].startswith("no run of mprotect/* from milan-01 since ") and alert["about"].endswith("expected every 1d")
    lab.delivered(1)
    text = lab.api.get(f"/api/v1/alerts/{alert['id']}/mail.txt").text
    assert "[SILENCE]" in text and max(len(line) for line in text.splitlines() if not line.startswith("http")) <= 72, text
    for path in ("", ".txt", ".csv", "/mail.eml", "/events"):
        assert lab.api.get(f"/api/v1/alerts/{alert['id']}{path}").status_code == 200
    assert "[SILENCE]" in lab.api.get("/api/v1/alerts.atom").text
    days_pass(lab)
    assert len(lab.alerts()) == 1, "once, however long it goes on"
    lab.boots("v6.17-rc1", SIZES, boots=1)
    wait_until(lambda: lab.alerts()[0]["state"] == "fixed", "it sends again")
    assert listed(lab)[0]["alert"] is None and listed(lab)[0]["late"] is False
    days_pass(lab)
    wait_until(lambda: len(lab.alerts()) == 2, "the next silence is another alert")


def test_another_benchmark_is_no_sign_of_this_one(lab):
    lab.watch()
    lab.boots("v6.16", SIZES)
    lab.boots("v6.16", SIZES, benchmark="fs/read")
    lab.checked()
    expect(lab, benchmark="mprotect/tw4m")
    expect(lab, interval="4d")
    days_pass(lab)
    lab.boots("v6.17-rc1", SIZES, benchmark="fs/read", boots=1)
    wait_until(lambda: listed(lab)[0]["alert"], "watch misses the benchmark")
    assert listed(lab)[1]["alert"] is None and listed(lab)[1]["benchmark"] == "*"


def test_what_is_no_longer_expected_is_missed_by_nobody(lab):
    lab.watch()
    lab.boots("v6.16", SIZES)
    lab.checked()
    made = expect(lab)
    days_pass(lab)
    wait_until(lambda: lab.alerts(), "watch misses the lab")
    done = lab.api.request("DELETE", f"/api/v1/expectations/{made['id']}")
    assert done.status_code == 200, done.text
    assert lab.alerts()[0]["state"] == "accepted" and listed(lab) == []
    error_of(lab.api.request("DELETE", f"/api/v1/expectations/{made['id']}"), 404, "not_found")
    error_of(lab.api.request("DELETE", "/api/v1/expectations/x"), 404, "not_found")
    assert [e["action"] for e in lab.api.json("/api/v1/events?subject=expectation")["events"]] == ["delete", "make"]


@pytest.mark.parametrize("body,places", [
    ({"machine": None}, ["/machine"]), ({"interval": None}, ["/interval"]), ({"interval": "daily"}, ["/interval"]), ({"interval": "0h"}, ["/interval"]),
    ({"interval": "999999w"}, ["/interval"]), ({"interval": 5}, ["/interval"]), ({"benchmark": ""}, ["/benchmark"]), ({"machine": "nobody"}, [])])
def test_a_bad_expectation_is_told_with_its_place(lab, body, places):
    lab.boots("v6.16", SIZES, boots=1)
    error = expect(lab, 422, **body)
    assert error["code"] == "invalid" and [p["at"] for p in error["problems"]] == places, error
    assert listed(lab) == []


def test_lists_and_who_may(lab):
    lab.boots("v6.16", SIZES, boots=1)
    for interval in ("90m", "36h", "2w"):
        expect(lab, interval=interval)
    assert [e["interval"] for e in listed(lab)] == ["90m", "36h", "2w"]
    page = lab.api.json("/api/v1/expectations?limit=2")
    assert len(page["expectations"]) == 2 and len(lab.api.json(f"/api/v1/expectations?cursor={page['next']}")["expectations"]) == 1
    assert lab.api.get("/api/v1/expectations.csv").text.startswith("id,machine,benchmark,interval,")
    assert max(map(len, lab.api.get("/api/v1/expectations.txt").text.splitlines())) <= 72
    done = harness.command("token", "add", "--name", "uploads", "--scope", "ingest", "--db", lab.db)
    uploader = harness.Api(lab.server.url, next(word for word in done.stdout.split() if word.startswith("nsw_")))
    error_of(uploader.post("/api/v1/expectations", json={}), 403, "forbidden")
    error_of(uploader.request("DELETE", "/api/v1/expectations/1"), 403, "forbidden")
