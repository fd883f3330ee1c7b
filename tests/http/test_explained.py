# SPDX-License-Identifier: GPL-2.0-or-later
"""Why is there an alert, or why not: the answer for any series and kernel, by the rules and the evidence that watch goes by."""
from harness import error_of, submission
from lab import LATER, SIZES

WHERE = "benchmark=mprotect/tw4m&param.size_kib="


def explain(lab, kernel, size, query=""):
    answer = lab.api.json(f"/api/v1/rules:explain?kernel={kernel}&{WHERE}{size}{query}")
    (item,) = answer["items"]
    assert answer["kernel"]["name"] == kernel
    return item


def rule(item, name="default"):
    (one,) = [r for r in item["rules"] if r["name"] == name]
    return one


def put_rule(lab, **fields):
    answer = lab.api.post("/api/v1/rules", json=fields)
    assert answer.status_code == 201, answer.text
    return answer.json()["rule"]["id"]


def test_each_outcome_says_why_and_what_is_missing(lab):
    lab.boots("v6.15", SIZES)
    assert explain(lab, "6.15", 400)["outcome"] == "pending", "no watch has looked yet"
    lab.watch()
    lab.boots("v6.16", SIZES)
    lab.boots("v6.17-rc1", LATER)
    lab.checked()
    (alert,) = lab.alerts()

    item = explain(lab, "6.17-rc1", 400)
    assert item["outcome"] == "alert" and item["alert"]["id"] == alert["id"] and item["alert"]["state"] == "new"
    assert item["step"]["from"] == "6.16" and round(item["step"]["change_percent"], 1) == 73.6 and item["step"]["after_boots"] == 3
    assert rule(item)["fires"] and rule(item)["percent"] == 5 and "+73.6 % against 6.16, strong" in rule(item)["text"]
    assert item["evidence"] == {"worth": "proven", "text": "two boots or more of 6.17-rc1 show it"}
    assert item["why"]["thresholds"] and item["why"]["family"]["size"] == 4 and item["next"] is None

    item = explain(lab, "6.17-rc1", 4)
    assert item["outcome"] == "not_fired" and item["alert"] is None
    assert rule(item)["matches"] and not rule(item)["fires"] and "+3.62 % is less than its 5 %" in rule(item)["text"]
    assert "+3.62 % is less than its 5 %" in item["sentence"] and item["sentence"].startswith("No alert: ")

    assert explain(lab, "6.16", 400)["outcome"] == "not_fired" and "unchanged" in rule(explain(lab, "6.16", 400))["text"]
    first = explain(lab, "6.15", 400)
    assert first["outcome"] == "first" and first["step"] is None and first["why"] is None
    lab.boots("v6.17-rc2", {8: 900})
    lab.checked()
    assert explain(lab, "6.17-rc2", 400)["outcome"] == "not_measured"


def test_one_boot_is_told_to_need_another(lab):
    lab.watch()
    lab.boots("v6.16", SIZES)
    lab.boots("v6.17-rc1", LATER, boots=1)
    lab.checked()
    item = explain(lab, "6.17-rc1", 400)
    assert item["outcome"] == "alert" and item["alert"]["state"] == "suspect" and item["evidence"]["worth"] == "suspect"
    assert item["next"] == "6.17-rc1 has one boot: one more makes it an alert, if it shows the same"
    lab.boots("v6.17-rc1", LATER, boots=1, run="again")
    lab.checked()
    item = explain(lab, "6.17-rc1", 400)
    assert item["alert"]["state"] == "new" and item["next"] is None, "and it did"


def test_one_boot_against_one_is_no_alert_yet(lab):
    lab.watch()
    for kernel in ("v6.13", "v6.14", "v6.15"):
        lab.boots(kernel, {400: 3453})
    lab.boots("v6.16", {400: 3453}, boots=1)
    lab.boots("v6.17-rc1", {400: 5993}, boots=1)
    lab.checked()
    item = explain(lab, "6.17-rc1", 400)
    assert item["outcome"] == "no_evidence" and item["alert"] is None and rule(item)["fires"] and lab.alerts() == []
    assert "one more boot makes it an alert" in item["next"] and item["next"] in item["sentence"]


def test_every_rule_answers_for_itself(lab):
    lab.watch()
    elsewhere = put_rule(lab, name="elsewhere", selector={"machine": "rome-*"}, percent=1)
    put_rule(lab, name="rates", kind="limit", above=9, unit="calls/s")
    put_rule(lab, name="slow", kind="limit", above=4, unit="us", selector={"param.size_kib": "400"})
    put_rule(lab, name="gains", percent=1, direction="better")
    put_rule(lab, name="never worse", kind="baseline", baseline="6.15", percent=5)
    put_rule(lab, name="nobody's", kind="baseline", baseline="6.1", percent=5)
    off = put_rule(lab, name="off", percent=1, enabled=False)
    for kernel, centers in (("v6.15", SIZES), ("v6.16", SIZES), ("v6.17-rc1", LATER), ("v6.18", LATER)):
        lab.boots(kernel, centers)
    lab.checked()
    item = explain(lab, "6.17-rc1", 400)
    assert {r["name"]: (r["matches"], r["fires"]) for r in item["rules"]} == {
        "default": (True, True), "elsewhere": (False, False), "rates": (False, False), "slow": (True, True),
        "gains": (True, False), "never worse": (True, True), "nobody's": (True, False), "off": (True, False)}
    texts = {r["name"]: r["text"] for r in item["rules"]}
    assert texts["elsewhere"] == "its selector leaves this series out."
    assert texts["rates"] == "it looks at values in calls/s, and this series has ns/call."
    assert texts["slow"] == "5993 ns/call is above its limit of 4000, and 6.16 was not."
    assert texts["gains"] == "it got worse, and the rule looks for what gets better."
    assert texts["never worse"].startswith("+73.6 % against 6.15, strong")
    assert texts["nobody's"] == "nobody has measured its baseline 6.1 yet."
    assert texts["off"].endswith("But it is off.") and {elsewhere, off} <= {r["id"] for r in item["rules"]}
    later = {r["name"]: r["text"] for r in explain(lab, "6.18", 400)["rules"]}
    assert "told once, when it crosses" in later["slow"] and "6.17-rc1" in later["slow"]
    assert later["never worse"].startswith("+73.6 % against 6.15")


def test_mutes_and_expectations_are_named(lab):
    lab.watch()
    assert lab.api.post("/api/v1/mutes", json={"selector": {"benchmark": "mprotect/*"}, "reason": "a known one", "until": None}).status_code == 201
    lab.boots("v6.16", SIZES)
    assert lab.api.post("/api/v1/expectations", json={"machine": "milan-01", "benchmark": "mprotect/*", "interval": "7d"}).status_code == 201
    lab.boots("v6.17-rc1", LATER)
    lab.checked()
    item = explain(lab, "6.17-rc1", 400)
    assert item["alert"]["state"] == "muted" and [m["reason"] for m in item["mutes"]] == ["a known one"]
    assert [(e["benchmark"], e["interval"], e["late"]) for e in item["expectations"]] == [("mprotect/*", "1w", False)]
    text = lab.api.get(f"/api/v1/rules:explain.txt?kernel=6.17-rc1&{WHERE}400").text
    assert "muted by lab: a known one" in text and max(map(len, text.splitlines())) <= 72


def test_a_long_series_is_explained_by_its_levels(lab):
    lab.watch()
    for i in range(14):
        lab.boots(f"v6.{i}", {400: 3453 if i < 8 else 4200}, boots=1, noise=0.004)
    lab.checked()
    item = explain(lab, "6.8", 400)
    assert item["outcome"] == "alert" and item["step"]["level"] and item["step"]["from"] == "6.7", item
    quiet = explain(lab, "6.4", 400)
    assert quiet["outcome"] == "not_fired" and quiet["alert"] is None


def test_what_may_be_asked(lab):
    lab.boots("v6.16", SIZES, boots=1)
    ids = [s["series_id"] for s in lab.api.json("/api/v1/series")["series"]]
    (item,) = lab.api.json(f"/api/v1/rules:explain?kernel=6.16&series_id={ids[0]}")["items"]
    assert item["series_id"] == ids[0]
    assert len(lab.api.json("/api/v1/rules:explain?kernel=6.16")["items"]) == 4
    for query, code in (("", "bad_argument"), ("kernel=6.99", "unknown_value"), ("kernel=6.16&series_id=99", "unknown_value"),
                        ("kernel=6.16&series_id=x", "bad_argument"), ("kernel=6.16&machine=nobody", "unknown_value"),
                        ("kernel=6.16&nothing=1", "bad_argument")):
        error_of(lab.api.get(f"/api/v1/rules:explain?{query}"), 400, code)
    lab.api.store(submission("v6.16 with cac1db8c3aad reverted", boot_id="v"))
    assert "variant" in error_of(lab.api.get("/api/v1/rules:explain?kernel=v6.16 with cac1db8c3aad reverted"), 400)["message"]
