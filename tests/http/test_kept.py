# SPDX-License-Identifier: GPL-2.0-or-later
"""Snapshots: a page as one HTML file with its data, to take away, or kept under an address that stays."""
import html
import json
import re

import pytest

from harness import error_of, submission

EVIL = "kept/</pre></script><script>alert(1)</script>"


@pytest.fixture(scope="module")
def measured(api):
    for kernel, value in (("6.16", 100), ("6.17-rc1", 150)):
        for boot in range(2):
            results = [{"benchmark": EVIL, "params": {"size_kib": size}, "metric": "latency", "unit": "ns/call",
                        "better": "lower", "values": [value * size + boot]} for size in (4, 40, 400)]
            (run,) = api.store(submission(kernel, "kept-01", results=results, started_at=f"2026-06-0{boot + 1}T00:00:00Z",
                                          boot_id=f"{kernel}-{boot}"))
    return run["run_id"]


def pages(run):
    return ["compare?base=6.16&head=6.17-rc1&machine=kept-01&sort=-noise&text=kept", "trend?machine=kept-01&y=percent",
            "sweep?axis=size_kib&kernel=6.16&kernel=6.17-rc1&machine=kept-01", "matrix?base=6.16&head=6.17-rc1&machine=kept-01",
            f"runs/{run}", "alerts", "overview"]


def data_of(text):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])


def test_a_page_is_one_file_with_its_data(api, measured):
    for page in pages(measured):
        answer = api.get(f"/frozen/{page}")
        assert answer.status_code == 200, f"{page}: {answer.text}"
        text = answer.text
        assert not re.search(r'(src|href)="(https?:|/static|/api)', text), f"{page} needs nothing else"
        assert text.count("<script") == 1 and "alert(1)</script>" not in text, f"{page} has data and no program"
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "script-src" not in policy and "sandbox" in policy
        args = dict(a.split("=", 1) for a in page.partition("?")[2].split("&") if a)
        known = [a for a in page.partition("?")[2].split("&") if a.partition("=")[0] not in ("sort", "y")]
        assert data_of(text) == api.json(f"/api/v1/{page.partition('?')[0]}?{'&'.join(known)}"), page
        assert f"What /{page if page != 'overview' else ''} showed on" in html.unescape(text), args


def test_a_picture_is_in_it_where_the_view_has_one(api, measured):
    for page in pages(measured)[:4]:
        assert "src=\"data:image/svg+xml,%3C" in api.get(f"/frozen/{page}").text, page


def test_what_is_no_page_is_not_found(api):
    for path in ("nothing", "deliveries", "api/v1/runs", "healthz", "static/base.css", "runs/x.json"):
        assert api.get(f"/frozen/{path}").status_code in (403, 404), path
    error_of(api.get("/frozen/compare?base=6.16"), 400, "bad_argument")


def test_a_kept_page_stays_as_it_is(api, measured):
    path = "/compare?base=6.16&head=6.17-rc1&machine=kept-01"
    first = api.post("/api/v1/pages", json={"path": path})
    assert first.status_code == 201 and first.headers["Location"] == first.json()["url"]
    again = api.post("/api/v1/pages", json={"path": path})
    assert (again.status_code, again.json()["status"], again.json()["id"]) == (200, "duplicate", first.json()["id"])
    kept = api.get(first.json()["url"])
    before = data_of(kept.text)
    assert before == api.json("/api/v1" + path)
    api.store(submission("6.17-rc1", "kept-01", boot_id="later", started_at="2026-07-01T00:00:00Z", results=[
        {"benchmark": EVIL, "params": {"size_kib": 4}, "metric": "latency", "unit": "ns/call", "better": "lower", "values": [9]}]))
    assert api.json("/api/v1" + path) != before
    assert api.get(first.json()["url"]).text == kept.text
    other = api.post("/api/v1/pages", json={"path": path})
    assert other.status_code == 201 and other.json()["id"] != first.json()["id"]


def test_keeping_needs_a_token_and_a_page(api, anonymous):
    error_of(anonymous.post("/api/v1/pages", json={"path": "/alerts"}), 401, "unauthorized")
    error_of(api.post("/api/v1/pages", json={"path": "https://elsewhere.example/"}), 400)
    error_of(api.post("/api/v1/pages", json={"path": "/nothing"}), 422, "invalid")
    error_of(api.post("/api/v1/pages", json={}), 422, "invalid")
    error_of(api.get("/pages/0198f3a2-0000-7000-8000-000000000000"), 404, "not_found")
    error_of(api.get("/pages/x"), 404, "not_found")
