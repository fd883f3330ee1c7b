# SPDX-License-Identifier: GPL-2.0-or-later
"""/metrics: read by the parser of prometheus_client; what it counts; and that docs/ only names metrics that there are."""
import json
import re
import shutil
import subprocess

import pytest
import yaml
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from harness import PATIENCE, ROOT, Api, sql, submission, wait_until
from test_concurrency import in_threads

CLASSES = {"upload", "compare", "sweep", "trend", "matrix", "verdict", "alerts", "api", "pages", "static", "health"}


def samples(api):
    """{(name, labels): value} of one reading, through the parser of others."""
    answer = api.get("/metrics")
    assert answer.headers["Content-Type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8"
    assert answer.text.endswith("# EOF\n")
    out = {}
    for family in text_string_to_metric_families(answer.text):
        assert family.name.startswith("nsecwatch_") and family.documentation, family
        for s in family.samples:
            key = s.name, tuple(sorted(s.labels.items()))
            assert key not in out, key
            out[key] = s.value
    return out


def value(api, name, **labels):
    return samples(api).get((f"nsecwatch_{name}", tuple(sorted(labels.items()))))


@pytest.fixture(scope="module")
def settled(api):
    wait_until(lambda: value(api, "database_up") == 1, "the database was looked at")
    return api


def test_every_class_of_routes_has_its_histograms_and_labels_stay_few(settled):
    for path in ("/", "/api/v1/runs", "/api/v1/compare?base=1&head=2", "/static/app.js", "/no/such/page", "/api/v1/alerts"):
        settled.get(path)
    all_samples = samples(settled)
    for family in ("request_seconds", "request_database_seconds"):
        assert {dict(labels)["class"] for name, labels in all_samples if name == f"nsecwatch_{family}_count"} == CLASSES
    names = {n for _, labels in all_samples for n, _ in labels}
    assert names <= {"class", "le", "method", "route", "status", "outcome", "what", "state", "version"}
    routes = {dict(labels)["route"] for name, labels in all_samples if "route" in dict(labels)}
    patterns = set(re.findall(r'\.pattern = "([^"]*)"', (ROOT / "server" / "routes.c").read_text()))
    assert routes <= patterns | {"none"} and "/no/such/page" not in str(all_samples)


def test_histograms_are_cumulative_and_agree_with_their_counts(settled):
    all_samples = samples(settled)
    buckets = {}
    for (name, labels), n in all_samples.items():
        if name.endswith("_bucket"):
            labels = dict(labels)
            bound = float(labels.pop("le"))
            buckets.setdefault((name[:-7], tuple(labels.items())), []).append((bound, n))
    assert len(buckets) == 2 * len(CLASSES) + 1
    for (name, labels), list_ in buckets.items():
        counts = [n for _, n in sorted(list_)]
        assert counts == sorted(counts) and sorted(list_)[-1][0] == float("inf")
        assert counts[-1] == all_samples[f"{name}_count", labels]


def test_what_is_done_is_counted_where_it_belongs(settled):
    def counts():
        s = samples(settled)
        return {what: s["nsecwatch_request_seconds_count", (("class", what),)] for what in CLASSES}, s

    before, all_before = counts()
    settled.store(submission(machine="counted-01", boot_id="1"))
    settled.store(submission(machine="counted-01", boot_id="1"))
    question = "/api/v1/trend?machine=counted-01"
    wait_until(lambda: settled.get(question).status_code == 200 and value(settled, "cache_hits_total") >
               all_before["nsecwatch_cache_hits_total", ()], "the second time it comes from the cache")
    after, all_after = counts()
    assert after["upload"] == before["upload"] + 2 and after["trend"] >= before["trend"] + 2
    assert after["sweep"] == before["sweep"] and after["matrix"] == before["matrix"]
    grown = {key: all_after[key] - all_before.get(key, 0) for key in all_after}
    assert grown["nsecwatch_samples_total", ()] == 1
    assert grown["nsecwatch_runs_total", (("outcome", "stored"),)] == 1
    assert grown["nsecwatch_runs_total", (("outcome", "duplicate"),)] == 1
    assert grown["nsecwatch_request_database_seconds_count", (("class", "upload"),)] == 2
    assert grown["nsecwatch_database_query_seconds_count", ()] >= 4
    assert grown["nsecwatch_request_seconds_sum", (("class", "upload"),)] >= \
        grown["nsecwatch_request_database_seconds_sum", (("class", "upload"),)] > 0


def test_what_waits_in_the_database_is_told(settled):
    settled.store(submission(machine="waiting-01", boot_id="1"))
    wait_until(lambda: (value(settled, "todo_runs", what="check") or 0) >= 1 and value(settled, "todo_age_seconds", what="check") > 0,
               "the run waits, and there is no watch")
    assert value(settled, "newest_run_timestamp_seconds") > 1.7e9
    assert value(settled, "database_bytes") > 1e6 and value(settled, "alerts_open") == 0
    assert value(settled, "outbox_deliveries", state="dead") == 0
    assert 1 <= value(settled, "database_connections") <= value(settled, "workers") + 5


def test_many_readers_at_once_see_counters_that_only_grow(settled):
    def client(_):
        api = Api(settled.url)
        seen = [value(api, "request_seconds_count", **{"class": "health"}) for _ in range(10)]
        return seen == sorted(seen)

    assert all(in_threads(8, client))


def test_without_its_database_it_says_so_and_invents_nothing(new_server, postgres, tokens):
    server = new_server()
    api = Api(server.url)
    wait_until(lambda: value(api, "database_up") == 1, "the database was looked at")
    postgres.stop()
    try:
        wait_until(lambda: value(api, "database_up") == 0, "it is seen to be away")
        now = samples(api)
        assert not [name for name, _ in now if "todo" in name or "outbox" in name or "newest" in name or "bytes" in name and "database" in name]
        assert now["nsecwatch_database_losses_total", ()] + now["nsecwatch_database_connect_failures_total", ()] >= 1
    finally:
        postgres.start()
    wait_until(lambda: value(api, "database_up") == 1, "it is seen to be back")


def expressions():
    for group in yaml.safe_load((ROOT / "docs" / "alerts.yml").read_text())["groups"]:
        for rule in group["rules"]:
            assert rule["annotations"]["summary"] and rule["annotations"]["cure"], rule
            yield rule["alert"], rule["expr"]
    for panel in json.loads((ROOT / "docs" / "dashboard.json").read_text())["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]


def test_rules_and_dashboard_name_only_what_there_is(settled, database):
    settled.store(submission(machine="named-01", boot_id="1"))
    settled.get("/api/v1/runs")
    sql(database, "ANALYZE run")
    wait_until(lambda: value(settled, "stored_runs"), "all of it is there")
    there = samples(settled)
    names, used = {name for name, _ in there}, set()
    for where, text in expressions():
        found = re.findall(r"\bnsecwatch_\w+", text)
        assert found or text.startswith("up{"), (where, text)
        assert not set(found) - names, (where, set(found) - names)
        used |= set(found)
        assert text.count("(") == text.count(")") and text.count("{") == text.count("}"), (where, text)
        for name, selector in re.findall(r"\b(nsecwatch_\w+)\{([^}]*)\}", text):
            for key, wanted in re.findall(r'(\w+)="([^"]*)"', selector):
                if key == "status":  # there have been no 5xx, it is hoped
                    continue
                assert any(n == name and dict(labels).get(key) == wanted for n, labels in there), (where, name, key, wanted)
    assert {"nsecwatch_request_seconds_bucket", "nsecwatch_todo_age_seconds", "nsecwatch_outbox_overdue_seconds"} <= used


def test_every_metric_is_explained_in_the_manual(settled):
    text = (ROOT / "docs" / "operation.md").read_text()
    families = {f.name for f in text_string_to_metric_families(settled.get("/metrics").text)}
    missing = {name for name in families if f"`{name[len('nsecwatch_'):]}`" not in text}
    assert not missing, missing


def promtool(*arguments):
    found = shutil.which("promtool") or pytest.skip("promtool is missing (Debian: prometheus)")
    return subprocess.run([found, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)


def test_prometheus_takes_the_rules():
    done = promtool("check", "rules", ROOT / "docs" / "alerts.yml")
    assert done.returncode == 0 and "SUCCESS" in done.stdout, done.stdout
