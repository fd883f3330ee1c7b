# SPDX-License-Identifier: GPL-2.0-or-later
"""The list of alerts takes the selectors of all lists, and kind= and state=."""
import pytest

import harness
from harness import error_of, sql, submission, wait_until

MILAN = {"name": "milan-01", "isa": "x86_64", "uarch": "epyc-milan"}
ALTRA = {"name": "altra-01", "isa": "aarch64", "uarch": "neoverse-n1"}
# what is known, so that selectors may ask for it, and raises no alert
OTHERS = [submission(kernel="6.12.30", thp="never", results=[
    {"benchmark": "net/ping", "metric": "latency", "unit": "ns", "better": "lower", "values": [100.0]}])]


def result(benchmark, values, **params):
    return {"benchmark": benchmark, "params": params, "metric": "latency", "unit": "ns/call", "better": "lower", "values": values}


@pytest.fixture(scope="module")
def alerts(api, database, tmp_path_factory):
    api.store(*OTHERS)
    for machine, factor in ((MILAN, 2.0), (ALTRA, 0.4)):
        for kernel, f in (("v6.13", 1), ("v6.14", factor)):
            for boot in range(4):
                values = [1000 * f + boot, 1001 * f + boot, 1002 * f + boot]
                api.store(submission(kernel=kernel, machine=None, boot_id=f"{kernel}-{boot}", results=[
                    result("alert/one", values, size_kib=4), result("alert/two", values, size_kib=8)]) | {"machine": machine})
    watch = harness.Process("watch", "--db", database, log=tmp_path_factory.mktemp("watch") / "log").start()
    wait_until(lambda: sql(database, "SELECT count(*) FROM run_todo")[0][0] == 0, "all runs are checked")
    watch.stop()
    return api


@pytest.mark.parametrize("query,n", [
    ("", 4), ("kind=regression", 2), ("kind=improvement&benchmark=alert/one", 1), ("kind=regression&kind=improvement", 4),
    ("machine=milan-01", 2), ("isa=aarch64", 2), ("uarch=neoverse-*", 2), ("thp=always", 4), ("thp=never", 0), ("track=mainline", 4),
    ("track=stable-*", 0), ("param.size_kib=8", 2), ("metric=latency&benchmark=alert/two", 2), ("benchmark=alert/*&machine=altra-01", 2),
    ("benchmark=net/ping", 0), ("state=new", 4), ("state=fixed", 0), ("base_page_kib=4", 4)])
def test_alerts_by_what_their_rows_have(alerts, query, n):
    assert len(alerts.json(f"/api/v1/alerts?{query}")["alerts"]) == n


def test_alerts_of_no_kind_and_no_state(alerts):
    assert "silence is needed" in error_of(alerts.get("/api/v1/alerts?kind=bad"), 400, "unknown_value")["message"]
    error_of(alerts.get("/api/v1/alerts?state=open"), 400, "unknown_value")


def test_it_refuses_what_it_does_not_know(alerts):
    assert "no_such" in error_of(alerts.get("/api/v1/alerts?no_such=1"), 400, "bad_argument")["message"]
    for selector in ("benchmark", "metric", "machine", "uarch", "isa", "thp", "base_page_kib", "track", "param.size_kib", "param.nope"):
        error_of(alerts.get(f"/api/v1/alerts?{selector}=nothing-like-it"), 400, "unknown_value")
    assert alerts.json("/api/v1/alerts?benchmark=nothing*")["alerts"] == []
