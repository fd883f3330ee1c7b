# SPDX-License-Identifier: GPL-2.0-or-later
"""What `nsecwatchd watch` makes of evidence: suspects and proof, one alert for what belongs together, fresh runs first."""
import pathlib
import sys

import pytest

from harness import sql, submission, wait_until
from lab import LATER, SIZES, to

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "replay"))
import story  # noqa: E402


def only(lab):
    (alert,) = lab.alerts()
    return lab.api.json(f"/api/v1/alerts/{alert['id']}")


def test_one_boot_is_a_suspect_that_nobody_is_told_of(lab, hook):
    lab.watch(*to(hook))
    lab.boots("6.16", SIZES)
    lab.boots("6.17-rc1", LATER, boots=1)
    lab.checked()
    alert = only(lab)
    assert alert["state"] == "suspect" and alert["n_series"] == 3
    assert alert["rerun"] == [{"machine": "milan-01", "kernel": "6.17-rc1"}]
    assert not sql(lab.db, "SELECT 1 FROM outbox") and not hook.calls
    assert [a["id"] for a in lab.alerts(state="suspect")] == [alert["id"]] and lab.alerts(state="new") == []
    assert "This is a suspicion" in lab.api.get(f"/api/v1/alerts/{alert['id']}.txt").text

    lab.boots("6.17-rc1", LATER, boots=1, run="again")
    lab.checked()
    told = only(lab)
    assert (told["id"], told["state"], told["rerun"]) == (alert["id"], "new", [])
    lab.delivered(1)
    assert len(hook.calls) == 1


def test_a_suspicion_that_another_boot_does_not_bear_out_is_gone(lab, hook):
    lab.watch(*to(hook))
    lab.boots("6.16", SIZES)
    lab.boots("6.17-rc1", LATER, boots=1)
    lab.checked()
    assert only(lab)["state"] == "suspect"
    lab.boots("6.17-rc1", SIZES, boots=3, run="again")
    lab.checked()
    assert lab.alerts() == [] and not sql(lab.db, "SELECT 1 FROM outbox")


def test_a_suspect_that_somebody_looked_at_stays(lab):
    lab.watch()
    lab.boots("6.16", SIZES)
    lab.boots("6.17-rc1", LATER, boots=1)
    lab.checked()
    alert = only(lab)
    answer = lab.api.post(f"/api/v1/alerts/{alert['id']}/events", json={"action": "comment", "text": "odd"})
    assert answer.status_code == 200, answer.text
    lab.boots("6.17-rc1", SIZES, boots=3, run="again")
    lab.checked()
    assert only(lab)["n_series"] == 0


def test_a_kernel_of_one_boot_between_two_that_are_alike_is_an_outlier(lab):
    lab.watch()
    lab.boots("6.15", SIZES)
    lab.boots("6.16", LATER, boots=1)
    lab.checked()
    assert only(lab)["state"] == "suspect"
    lab.boots("6.17", SIZES, boots=1)
    lab.checked()
    assert lab.alerts() == []


def test_the_next_kernel_bears_it_out_too(lab):
    lab.watch()
    lab.boots("6.15", SIZES)
    lab.boots("6.16", LATER, boots=1)
    lab.checked()
    assert only(lab)["state"] == "suspect"
    lab.boots("6.17", LATER, boots=1)
    lab.checked()
    assert only(lab)["state"] == "new" and lab.ranges() == [("6.15", "6.16", "regression")]


def test_a_second_machine_bears_it_out_too(lab, hook):
    lab.watch(*to(hook))
    for machine in "milan-01", "rome-01":
        lab.boots("6.16", SIZES, machine=machine)
    lab.boots("6.17-rc1", LATER, boots=1)
    lab.checked()
    assert only(lab)["state"] == "suspect"
    lab.boots("6.17-rc1", LATER, machine="rome-01", boots=1)
    lab.checked()
    assert only(lab)["state"] == "new"
    lab.delivered(1)


def test_why_they_are_one_alert_and_which_kernels_and_commits_are_suspect(lab):
    log = ["cac1db8c3aad mm: optimize mprotect() by PTE batching", "0123456789ab mm: something else"]
    answer = lab.api.post("/api/v1/kernels", json=[{"release": "6.17-rc1", "log": log, "commit": "ffffffffffff"},
                                                   {"release": "6.16.1", "log": ["aaaaaaaaaaaa stable only"]}])
    assert answer.status_code == 200, answer.text
    lab.watch()
    for machine in "milan-01", "rome-01":
        lab.boots("6.16", SIZES, machine=machine)
        lab.boots("6.17-rc2", LATER, machine=machine)
    lab.boots("6.16-rc7", SIZES)
    lab.checked()
    alert = only(lab)
    assert [(s["kernel"], s["commit"], s["log"]) for s in alert["suspects"]] == [
        ("6.17-rc1", "ffffffffffff", log), ("6.17-rc2", None, [])]
    assert alert["suspects_left"] == 0 and alert["rerun"] == []
    assert alert["why_grouped"] == ("One alert, because all are mprotect/tw4m, all became worse, and all between 6.16 and "
                                    "6.17-rc2 of mainline: 6 series on 2 machines with 1 configuration.")
    text = " ".join(lab.api.get(f"/api/v1/alerts/{alert['id']}.txt").text.split())
    assert "grouped: One alert, because" in text
    assert "suspects: 6.17-rc1, 6.17-rc2; 2 commits: cac1db8c3aad mm: optimize mprotect() by PTE batching; 0123456789ab" in text


def test_single_spikes_of_a_quiet_series_are_no_alerts(lab):
    lab.watch()
    for i, factor in enumerate([1, 1.01, .99, 1.5, 1, .99, 1.01, 1.7, 1.7, 1, 1.01, 2, 1, .99, 1, 1.02]):
        lab.boots(f"6.{i}", {4: 1000 * factor}, boots=1, reps=1)
        lab.checked()
        assert not [a for a in lab.alerts() if a["state"] != "suspect"], i
    assert lab.alerts() == []


def test_the_story(new_lab):
    """A seed of tests/replay, with fewer quiet series."""
    if not (story.SEED / "milan_mprotect.csv").exists():
        pytest.skip(f"the figures of the story are not in {story.SEED} (NSECWATCH_SHARED)")
    lab = new_lab()
    lab.watch()
    tale = story.Story(1, quiet=40)
    lab.api.store(*tale.kernels())
    lab.checked()
    told = {a["kind"]: a for a in lab.alerts()}
    assert len(lab.alerts()) == 2 and {a["state"] for a in told.values()} == {"new"}
    assert told["regression"]["benchmark"] == "mprotect/tw4m"
    assert told["regression"]["machines"] == ["milan-01", "rome-01"]
    assert told["improvement"]["benchmark"] == "mprotect/thp-total"
    assert told["improvement"]["machines"] == ["milanx-01", "rome-01"]
    lab.api.store(*tale.revert())
    lab.checked()
    mail = lab.api.json(f"/api/v1/alerts/{told['regression']['id']}/mail.json")
    assert mail["subject"] == "[REGRESSION] mprotect/tw4m: from 40 KiB, up to +150 % since v6.17-rc1 (2 machines)"
    (revert,) = [fact["text"] for fact in mail["facts"] if fact["name"] == "revert"]
    assert revert.startswith("v6.17-rc1 with cac1db8c3aad reverted: milan-01, rome-01, THP never, per page: restores 8")


def test_a_fresh_run_does_not_wait_for_a_catch_up(lab):
    """Of many waiting places the newest is done in the first transaction, and that one ends."""
    for i in range(120):
        lab.api.store(submission(f"6.{i}", f"old-{i % 10}", boot_id=f"{i}", results=[
            {"benchmark": f"b/{k}", "params": {"size_kib": s}, "metric": "latency", "unit": "ns/call", "better": "lower",
             "values": [100 + s, 101 + s]} for k in range(10) for s in range(10)]))
    lab.multiply(9)
    lab.boots("6.500", SIZES, machine="fresh-01")
    watch = lab.watch()
    fresh = "SELECT 1 FROM run_todo t JOIN run r USING (run_id) JOIN machine m ON m.id = r.machine_id " \
            "WHERE t.what = 'check' AND m.name = 'fresh-01'"
    wait_until(lambda: not sql(lab.db, fresh), "the fresh runs are checked")
    left = sql(lab.db, "SELECT count(*) FROM run_todo WHERE what = 'check'")[0][0]
    assert left > 0, "the first transaction did not take all"
    lab.boots("6.501", SIZES, machine="fresh-01", run="later")
    wait_until(lambda: not sql(lab.db, fresh), "the fresh runs are checked")
    lab.checked()
    assert watch.running()


def test_very_many_boots_of_one_kernel_are_checked_together(lab):
    lab.api.store(submission("6.16", "many-01", values=[100, 101], boot_id="one"))
    lab.multiply(1999)
    watch = lab.watch("--log-level", "debug")
    lab.checked()
    checked = [line for line in watch.log_tail().splitlines() if "checked" in line and "runs=" in line]
    assert len(checked) == 1 and "runs=2000" in checked[0]


def test_the_first_message_has_all_machines_of_a_burst(lab, hook):
    lab.watch(*to(hook), "--settle", "3600")
    for machine in "milan-01", "milan-02":
        lab.boots("6.16", SIZES, machine)
    lab.boots("6.17", LATER, "milan-01")
    lab.checked()
    assert only(lab)["machines"] == ["milan-01"]
    lab.boots("6.17", LATER, "milan-02")
    lab.checked()
    assert not hook.calls and [d["state"] for d in only(lab)["deliveries"]] == ["waiting"]
    sql(lab.db, "UPDATE run SET received_at = received_at - interval '2 hours'")  # none has come in for an hour
    lab.delivered(1)
    assert b"milan-01" in hook.calls[0][1] and b"milan-02" in hook.calls[0][1]


def test_runs_that_never_end_do_not_keep_a_message_for_ever(lab, hook):
    lab.watch(*to(hook), "--settle", "3600")
    lab.boots("6.16", SIZES)
    lab.boots("6.17", LATER)
    lab.checked()
    assert not hook.calls
    sql(lab.db, "UPDATE outbox SET created_at = created_at - interval '11 hours'")
    lab.delivered(1)
    assert len(hook.calls) == 1
