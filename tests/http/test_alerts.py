# SPDX-License-Identifier: GPL-2.0-or-later
"""`nsecwatchd watch`: from runs to alerts, and out by webhook and mail, exactly once in effect."""
import email
import email.policy
import json
import random
import time

import pytest

import harness
from harness import sql, submission, wait_until
from lab import LATER, SIZES, to

def test_a_step_makes_one_alert_one_call_and_one_mail(lab, hook, mail):
    lab.watch(*to(hook, mail))
    lab.boots("v6.16", SIZES)
    lab.boots("v6.17-rc1", LATER)
    lab.checked()
    lab.delivered(2)

    (alert,) = lab.alerts()
    assert (alert["from"], alert["to"], alert["track"]) == ("6.16", "6.17-rc1", "mainline")
    assert (alert["kind"], alert["state"], alert["benchmark"]) == ("regression", "new", "mprotect/tw4m")
    assert alert["machines"] == ["milan-01"] and alert["thp"] == ["always"]
    assert alert["n_series"] == 3  # 4 KiB moved by less than 5 %
    assert alert["worst_percent"] == pytest.approx(134.6, abs=0.1)
    assert alert["url"] == f"/alerts/{alert['id']}"

    (call,) = hook.calls
    headers, body = call[0], json.loads(call[1])
    assert headers["Content-Type"] == "application/json"
    assert headers["Idempotency-Key"] == f"{alert['id']}-opened-webhook"
    assert body["id"] == alert["id"] and body["kind"] == "regression"
    assert body["url"] == f"https://perf.example/alerts/{alert['id']}"
    assert [row["params"]["size_kib"] for row in body["rows"]] == sorted(r["params"]["size_kib"] for r in body["rows"])

    (sender, recipients, message), = mail.messages
    assert (sender, recipients) == ("<watch@lab.example>", ["<mm@lists.example>"])
    parsed = email.message_from_bytes(message, policy=email.policy.default)
    assert not parsed.defects
    assert parsed["Message-ID"] == f"<{alert['id']}@lab.example>"
    assert parsed["To"] == "mm@lists.example" and parsed["Auto-Submitted"] == "auto-generated"
    assert parsed["Subject"].startswith("[REGRESSION] mprotect/tw4m: from 40 KiB, up to +13")
    assert parsed["Subject"].endswith("since v6.17-rc1")
    assert parsed.get_content_type() == "text/plain"
    text = parsed.get_content()
    assert "6.16" in text and "milan-01 (epyc-milan)" in text and "THP modes:  always" in text
    assert "https://perf.example/compare?base=6.16&head=6.17-rc1&benchmark=mprotect/tw4m" in text.splitlines()
    for line in text.splitlines():
        assert len(line) <= 72 or line.startswith("https://"), line


def test_a_later_boot_changes_the_numbers_but_sends_nothing(lab, hook):
    lab.watch(*to(hook))
    lab.boots("6.16", SIZES)
    lab.boots("6.17-rc1", LATER)
    lab.checked()
    lab.delivered(1)
    before = lab.alerts()[0]
    lab.boots("6.17-rc1", {size: value * 1.1 for size, value in LATER.items()}, run="later")
    lab.checked()
    (after,) = lab.alerts()
    assert after["id"] == before["id"] and after["worst_percent"] > before["worst_percent"]
    assert after["n_series"] == 4  # 4 KiB moved by more than 5 % now
    lab.delivered(1)
    assert len(hook.calls) == 1


def test_a_webhook_that_fails_twice_is_told_once_it_can_listen(lab, hook):
    hook.answers = [500] * 100
    lab.watch(*to(hook))
    lab.boots("6.16", SIZES)
    lab.boots("6.17-rc1", LATER)
    wait_until(lambda: len(hook.calls) >= 2, "two attempts have failed")
    lab.boots("6.17-rc1", LATER, run="later")  # what is learned meanwhile does not change the message
    lab.checked()
    before = len(hook.calls)
    wait_until(lambda: len(hook.calls) > before, "another attempt")
    hook.answers = []
    lab.delivered(1)
    assert len({headers["Idempotency-Key"] for headers, _ in hook.calls}) == 1
    assert len({body for _, body in hook.calls}) == 1
    (delivery,) = lab.api.json(f"/api/v1/alerts/{lab.alerts()[0]['id']}")["deliveries"]
    assert delivery["kind"] == "webhook" and delivery["attempts"] == len(hook.calls)
    assert delivery["last_error"] is None and delivery["next_try"] is None
    calls = len(hook.calls)
    lab.boots("6.17-rc2", LATER)  # no news
    lab.checked()
    assert len(hook.calls) == calls


def test_the_last_failure_shows(lab, hook):
    hook.answers = [503] * 100
    lab.watch(*to(hook))
    lab.boots("6.16", SIZES)
    lab.boots("6.17-rc1", LATER)
    lab.checked()

    def delivery():
        return lab.api.json(f"/api/v1/alerts/{lab.alerts()[0]['id']}")["deliveries"][0]

    wait_until(lambda: delivery()["last_error"], "a failure is noted")
    assert delivery()["last_error"] == "the webhook answered HTTP 503"
    assert delivery()["sent_at"] is None and delivery()["next_try"]


def test_a_mail_server_that_refuses_and_dies_gets_it_in_the_end(lab, mail):
    mail.refuse, mail.die = 1, 1
    lab.watch(*to(mail=mail))
    lab.boots("6.16", SIZES)
    lab.boots("6.17-rc1", LATER)
    lab.checked()
    lab.delivered(1)
    assert mail.attempts == 3 and len(mail.messages) == 1


def test_a_password_does_not_go_over_a_line_in_the_clear(lab, mail, monkeypatch):
    monkeypatch.setenv("NSECWATCH_SMTP_PASSWORD", "secret")
    watch = lab.watch(*to(mail=mail), "--smtp-user", "watch")
    lab.boots("6.16", SIZES)
    lab.boots("6.17-rc1", LATER)
    wait_until(lambda: sql(lab.db, "SELECT last_error FROM outbox WHERE last_error IS NOT NULL"), "a failure is noted")
    assert "EHLO" in mail.commands and "AUTH" not in mail.commands and not mail.messages
    assert "secret" not in watch.log_tail()


def test_a_webhook_that_hangs_does_not_hold_up_the_mail_nor_the_checks(lab, hook, mail):
    hook.hang.clear()
    lab.watch(*to(hook, mail))
    lab.boots("6.16", SIZES)
    lab.boots("6.17-rc1", LATER)
    lab.checked()
    wait_until(lambda: hook.calls, "the webhook is under way")
    wait_until(lambda: mail.messages, "the mail is out")
    lab.boots("6.17-rc2", SIZES)
    lab.checked()
    assert len(lab.alerts()) == 2
    hook.hang.set()
    lab.delivered(4)


def test_single_values_are_no_reason_for_an_alert(lab, hook):
    lab.watch(*to(hook))
    lab.boots("6.16", SIZES, boots=1, reps=1)
    lab.boots("6.17-rc1", LATER, boots=1, reps=1)
    lab.checked()
    assert lab.alerts() == [] and not sql(lab.db, "SELECT 1 FROM change")


def test_small_changes_are_no_reason_for_an_alert(lab):
    lab.watch()
    lab.boots("6.16", SIZES)
    lab.boots("6.17-rc1", {size: value * 1.04 for size, value in SIZES.items()})
    lab.checked()
    assert lab.alerts() == []
    assert sql(lab.db, "SELECT count(*) FROM change")[0][0] == len(SIZES)  # seen, but not told


def test_the_threshold_is_an_option(lab):
    lab.watch("--alert-percent", "3")
    lab.boots("6.16", SIZES)
    lab.boots("6.17-rc1", {size: value * 1.04 for size, value in SIZES.items()})
    lab.checked()
    assert [a["n_series"] for a in lab.alerts()] == [len(SIZES)]


def test_a_rule_watches_what_its_selector_says(lab):
    sql(lab.db, "UPDATE rule SET selector = '{\"param.size_kib\": [\"400\"], \"machine\": [\"milan-*\", \"not-yet-01\"],"
                " \"track\": [\"main*\", \"not-yet\"]}'")
    lab.watch()
    for machine in "milan-01", "rome-01":
        lab.boots("6.16", SIZES, machine=machine)
        lab.boots("6.17-rc1", LATER, machine=machine)
    lab.checked()
    (alert,) = lab.alerts()
    assert alert["n_series"] == 1 and alert["machines"] == ["milan-01"]


def test_improvements_and_other_benchmarks_are_alerts_of_their_own(lab):
    lab.watch()
    lab.boots("6.16", {4: 1000, 8: 1000})
    lab.boots("6.17-rc1", {4: 1300, 8: 700})
    lab.boots("6.16", {1: 143857}, benchmark="stress-ng/bigheap", better="higher", run="b")
    lab.boots("6.17-rc1", {1: 81503}, benchmark="stress-ng/bigheap", better="higher", run="b")
    lab.checked()
    assert sorted((a["benchmark"], a["kind"], round(a["worst_percent"])) for a in lab.alerts()) == [
        ("mprotect/tw4m", "improvement", -30), ("mprotect/tw4m", "regression", 30),
        ("stress-ng/bigheap", "regression", -43)]


def test_a_second_machine_joins_the_alert(lab, hook):
    lab.watch(*to(hook))
    lab.boots("6.16", SIZES)
    lab.boots("6.17-rc1", LATER)
    lab.delivered(1)
    lab.boots("6.16", SIZES, machine="rome-01", thp="never")
    lab.boots("6.17-rc1", LATER, machine="rome-01", thp="never")
    lab.checked()
    (alert,) = lab.alerts()
    assert alert["machines"] == ["milan-01", "rome-01"] and alert["thp"] == ["always", "never"]
    assert alert["n_series"] == 6
    lab.delivered(1)


def test_a_variant_is_compared_with_nothing(lab):
    lab.watch()
    for kernel in "6.17-rc1", "6.17-rc2", "6.17-rc3":
        lab.boots(kernel, LATER)
    lab.boots("v6.17-rc2 with cac1db8c3aad reverted", SIZES)
    lab.checked()
    assert lab.alerts() == []
    lab.boots("6.17-rc2", LATER, run="again")
    lab.boots("6.17-rc3", LATER, run="again")
    lab.checked()
    assert lab.alerts() == []


def test_tracks_are_not_mixed(lab):
    lab.watch()
    lab.boots("6.16.0-65.eln150.x86_64", SIZES)
    lab.boots("6.17-rc1", LATER)
    lab.checked()
    assert lab.alerts() == []
    lab.boots("6.17.0-0.rc1.17.eln150.x86_64", LATER)
    lab.checked()
    assert lab.ranges() == [("6.16.0-65.eln150.x86_64", "6.17.0-0.rc1.17.eln150.x86_64", "regression")]


def test_a_kernel_that_arrives_in_between_narrows_the_range(lab, hook):
    lab.watch(*to(hook))
    lab.boots("6.15", SIZES)
    lab.boots("6.17", LATER)
    lab.checked()
    first = lab.alerts()[0]["id"]
    lab.boots("6.16", SIZES)
    lab.checked()
    assert lab.ranges() == [("6.16", "6.17", "regression")]
    lab.boots("6.17-rc1", LATER)
    lab.checked()
    assert lab.ranges() == [("6.16", "6.17-rc1", "regression")]
    assert lab.alerts()[0]["id"] == first and len(hook.calls) == 1
    assert {(r["from"], r["to"]) for r in lab.api.json(f"/api/v1/alerts/{first}")["rows"]} == {("6.16", "6.17-rc1")}


def test_a_backfilled_kernel_between_two_that_differ_little_shows_its_own_step(lab):
    lab.watch()
    lab.boots("6.15", SIZES)
    lab.boots("6.17", SIZES)
    lab.checked()
    assert lab.alerts() == []
    lab.boots("6.16", LATER)
    lab.checked()
    assert lab.ranges() == [("6.15", "6.16", "regression"), ("6.16", "6.17", "improvement")]


def test_two_steps_in_a_row_are_two_alerts_once_the_middle_is_measured(lab):
    lab.watch()
    lab.boots("6.15", {4: 1000})
    lab.boots("6.17", {4: 1500})
    lab.checked()
    lab.boots("6.16", {4: 1200})
    lab.checked()
    assert lab.ranges() == [("6.15", "6.16", "regression"), ("6.16", "6.17", "regression")]
    assert [a["n_series"] for a in lab.alerts()] == [1, 1]


def test_a_kernel_measured_in_part_hides_nothing(lab):
    lab.watch()
    lab.boots("6.15", {4: 1000, 8: 1000})
    lab.boots("6.16", {4: 1000})
    lab.boots("6.17", {4: 1000, 8: 2000})
    lab.checked()
    assert lab.ranges() == [("6.15", "6.17", "regression")]


def story(lab, between=lambda: None):
    for machine in "milan-01", "rome-01", "altra-01":
        for i, kernel in enumerate(["6.15", "6.16", "6.17-rc1", "6.17-rc2", "6.17"]):
            factor = [1, 1.2, 2, 1.8, 1.79][i]
            lab.boots(kernel, {size: value * factor for size, value in SIZES.items()}, machine=machine)
            between()


def test_killed_at_any_moment_it_makes_the_same_rows(new_lab, hook):
    calm, stormy = new_lab(), new_lab()
    calm.watch(*to(hook))
    story(calm, calm.checked)
    calm.delivered(3)
    expected = calm.rows()
    assert len(expected) == 3 * 3 * len(SIZES)
    keys = {headers["Idempotency-Key"] for headers, _ in hook.calls}
    hook.calls.clear()

    rng, in_work, most = random.Random(1), [], 0.06
    watch = stormy.watch(*to(hook), start=False)

    def storm():
        nonlocal most
        for _ in range(3):
            watch.start()
            time.sleep(rng.uniform(0.005, most))  # the moment of the kill: any will do
            watch.kill()
            in_work.append(bool(sql(stormy.db, "SELECT 1 FROM run_todo")))
            most = min(most * 1.3, 3) if in_work[-1] else max(most * 0.7, 0.01)  # about when the work gets done

    story(stormy, storm)
    assert any(in_work) and not all(in_work)  # some came in the middle, some work was done
    sql(stormy.db, "UPDATE outbox SET next_try = now() WHERE sent_at IS NULL")  # leases of the dead
    watch.start()
    stormy.checked()
    stormy.delivered(3)
    assert stormy.rows() == expected
    assert {headers["Idempotency-Key"] for headers, _ in hook.calls} == keys


def test_a_run_that_cannot_be_checked_holds_up_nobody(lab):
    lab.boots("6.16", SIZES)
    lab.boots("6.17-rc1", LATER)
    for kernel in "6.17", "6.18":
        lab.boots(kernel, SIZES, machine="broken-01", boots=1)
    sql(lab.db, "UPDATE run SET series_id[1] = 999999 WHERE machine_id = (SELECT id FROM machine WHERE name = 'broken-01')")
    watch = lab.watch()
    wait_until(lambda: watch.log_tail().count("is left out") == 2, "watch says which runs it leaves out")
    wait_until(lambda: sql(lab.db, "SELECT count(*) FROM run_todo") == [(2,)], "the others are checked, all are packed")
    assert lab.ranges() == [("6.16", "6.17-rc1", "regression")]


def test_two_watches_side_by_side_make_one_alert(lab, hook, mail):
    for _ in range(2):
        lab.watch(*to(hook, mail))
    story(lab)
    lab.checked()
    assert sorted(lab.ranges()) == [("6.15", "6.16", "regression"), ("6.16", "6.17-rc1", "regression"),
                                    ("6.17-rc1", "6.17-rc2", "improvement")]
    lab.delivered(6)
    assert len(hook.calls) == 3 and len(mail.messages) == 3
    assert all(a["n_series"] == 3 * len(SIZES) for a in lab.alerts())


def test_a_database_that_goes_away_is_waited_for(lab, hook, postgres):
    watch = lab.watch(*to(hook))
    lab.boots("6.16", SIZES)
    lab.checked()
    postgres.stop()
    wait_until(lambda: "has to wait" in watch.log_tail() or "waits for the database" in watch.log_tail(),
               "watch notices")
    assert watch.running()
    postgres.start()
    wait_until(lambda: lab.server.status("/readyz") == 200, "the server is back")
    lab.boots("6.17-rc1", LATER)
    lab.checked()
    lab.delivered(1)
    assert len(hook.calls) == 1


def test_watch_waits_for_its_schema(postgres, tmp_path):
    conninfo = postgres.create_database()
    watch = harness.Process("watch", "--db", conninfo, log=tmp_path / "log").start()
    wait_until(lambda: "waiting for the database" in watch.log_tail(), "watch says what it waits for")
    harness.command("migrate", "--db", conninfo)
    wait_until(lambda: "work goes on" in watch.log_tail(), "watch begins")
    watch.stop()


@pytest.mark.parametrize("signal", ["SIGTERM", "SIGINT"])
def test_it_stops_cleanly(lab, hook, signal):
    import signal as signals
    hook.hang.clear()
    watch = lab.watch(*to(hook))
    lab.boots("6.16", SIZES)
    lab.boots("6.17-rc1", LATER)
    wait_until(lambda: hook.calls, "a delivery is under way")
    begun = time.monotonic()
    watch.stop(getattr(signals, signal))
    assert time.monotonic() - begun < 10
    hook.hang.set()
    watch.start()
    lab.delivered(1)


@pytest.mark.parametrize("options", [
    ["--webhook-url", "file:///etc/passwd"], ["--webhook-url", "not a url"],
    ["--smtp-url", "smtp://x", "--mail-from", "a@x\r\nBcc: b@y", "--mail-to", "a@x"],
    ["--smtp-url", "http://x", "--mail-from", "a@x", "--mail-to", "a@x"]])
def test_wrong_addresses_are_told_at_start(options):
    done = harness.command("watch", "--db", "host=/nowhere", *options, check=False)
    assert done.returncode in (1, 2) and options[0] in done.stderr or "--mail-from" in done.stderr


def test_the_list_and_its_pages(lab):
    for i in range(5):
        lab.boots("6.16", {4: 1000}, benchmark=f"suite/b{i}", run=i)
        lab.boots("6.17-rc1", {4: 2000}, benchmark=f"suite/b{i}", run=i)
    lab.watch()
    lab.checked()
    whole = lab.api.json("/api/v1/alerts")
    assert len(whole["alerts"]) == 5 and whole["next"] is None and whole["open"] == 5
    seen, cursor = [], None
    for _ in range(3):
        page = lab.api.json("/api/v1/alerts", params={"limit": 2, **({"cursor": cursor} if cursor else {})})
        seen += [a["id"] for a in page["alerts"]]
        cursor = page["next"]
    assert cursor is None and seen == [a["id"] for a in whole["alerts"]]
    assert {a["benchmark"] for a in lab.alerts(benchmark="suite/b1")} == {"suite/b1"}
    assert len(lab.alerts(benchmark="suite/*")) == 5 and lab.alerts(benchmark="no/*") == []
    assert len(lab.alerts(state="new")) == 5 and lab.alerts(state="fixed") == []
    assert len(lab.alerts(state=["new", "fixed"])) == 5
    harness.error_of(lab.api.get("/api/v1/alerts?state=nonsense"), 400, "unknown_value")
    harness.error_of(lab.api.get("/api/v1/alerts?benchmark=suite/b9"), 400, "unknown_value")
    for bad in "x", "9223372036854775807-" + whole["alerts"][0]["id"]:
        harness.error_of(lab.api.get(f"/api/v1/alerts?cursor={bad}"), 400, "bad_argument")
    harness.error_of(lab.api.get("/api/v1/alerts?nonsense=1"), 400, "bad_argument")
    csv = lab.api.get("/api/v1/alerts.csv")
    assert csv.headers["Content-Type"].startswith("text/csv") and len(csv.text.splitlines()) == 6
    text = lab.api.get("/api/v1/alerts.txt").text
    assert "suite/b0" in text and all(len(line) <= 72 for line in text.splitlines())


def test_one_alert(lab):
    lab.boots("6.16", SIZES)
    lab.boots("6.17-rc1", LATER)
    lab.watch()
    lab.checked()
    listed = lab.alerts()[0]
    alert = lab.api.json(f"/api/v1/alerts/{listed['id']}")
    assert {key: alert[key] for key in listed} == listed
    assert [row["params"] for row in alert["rows"]] == [{"size_kib": 40}, {"size_kib": 400}, {"size_kib": 4000}]
    row = alert["rows"][1]
    assert row["change_percent"] == pytest.approx(73.56, abs=0.01)
    assert row["verdict"] == "regression" and row["confidence"] in ("weak", "strong")
    assert (row["before_boots"], row["after_boots"]) == (3, 3)
    assert len(lab.api.get(f"/api/v1/alerts/{listed['id']}.csv").text.splitlines()) == 4
    text = lab.api.get(f"/api/v1/alerts/{listed['id']}.txt").text
    draft = lab.api.get(f"/api/v1/alerts/{listed['id']}/mail.txt").text
    assert draft.startswith("Subject: [REGRESSION] mprotect/tw4m") and draft.endswith(text)
    harness.error_of(lab.api.get("/api/v1/alerts/00000000-0000-4000-8000-000000000000"), 404, "not_found")
    harness.error_of(lab.api.get("/api/v1/alerts/nonsense"), 404, "not_found")


def test_local_trees_of_two_branches_are_no_before_and_after(lab):
    lab.watch("--alert-percent", "5")
    lab.boots("6.12.77-mine", SIZES)
    lab.boots("6.16.1-mine", LATER)
    lab.boots("6.16", SIZES)
    lab.boots("6.17-rc1", LATER)
    lab.checked()
    assert [(a["from"], a["to"]) for a in lab.alerts()] == [("6.16", "6.17-rc1")]
    answer = lab.api.get("/api/v1/compare", params={"base": "previous", "head": "6.16.1-mine"})
    assert answer.status_code == 400 and "local" in answer.json()["error"]["message"]


# ---- long histories: changes of level ----

LEVEL = [1000, 1008, 995, 1003, 990, 1005, 998, 1010, 1001, 994]


def test_in_a_long_history_one_run_is_no_alert_and_two_are_one(lab, hook):
    lab.watch(*to(hook))
    for i, value in enumerate(LEVEL + [1201]):
        lab.boots(f"6.{i}", {4: value}, boots=1, reps=1)
        lab.checked()
    assert lab.alerts() == []
    for i, value in enumerate((1195, 1203, 1190, 1205, 1198, 1210, 1193)):
        lab.boots(f"6.{11 + i}", {4: value}, boots=1, reps=1)
        lab.checked()
    assert lab.ranges() == [("6.9", "6.10", "regression")]
    (alert,) = lab.alerts()
    (row,) = lab.api.json(f"/api/v1/alerts/{alert['id']}")["rows"]
    assert row["change_percent"] == pytest.approx(20, abs=1) and row["confidence"] == "strong"
    lab.delivered(1)
    assert len(hook.calls) == 1
    (change,) = lab.api.json("/api/v1/trend", params={"machine": "milan-01"})["series"][0]["changes"]
    assert change["alert_id"] == alert["id"]


def test_in_a_long_history_a_spike_is_no_alert(lab):
    lab.watch()
    for i, value in enumerate(LEVEL + [1400] + LEVEL):
        lab.boots(f"6.{i}", {4: value}, boots=1, reps=1)
        lab.checked()
    assert lab.alerts() == []


def test_in_a_long_history_the_boots_of_the_newest_kernel_are_enough(lab):
    lab.watch()
    for i, value in enumerate(LEVEL + [1200]):
        lab.boots(f"6.{i}", {4: value}, boots=3)
        lab.checked()
    assert lab.ranges() == [("6.9", "6.10", "regression")]


def test_a_backfilled_kernel_narrows_an_alert_of_a_long_history(lab, hook):
    lab.watch(*to(hook))
    for i, value in list(enumerate(LEVEL)) + [(12, 1201), (13, 1195), (14, 1203)]:
        lab.boots(f"6.{i}", {4: value}, boots=1, reps=1)
    lab.checked()
    assert lab.ranges() == [("6.9", "6.12", "regression")]
    lab.boots("6.10", {4: 1001}, boots=1, reps=1)
    lab.checked()
    assert lab.ranges() == [("6.10", "6.12", "regression")]
    lab.boots("6.11", {4: 1198}, boots=1, reps=1)
    lab.checked()
    assert lab.ranges() == [("6.10", "6.11", "regression")]
    lab.delivered(1)
