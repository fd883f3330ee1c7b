# SPDX-License-Identifier: GPL-2.0-or-later
"""Alerts as an Atom feed (RFC 4287)."""
import re
import urllib.parse
import xml.etree.ElementTree as ET

import harness

NS = "{http://www.w3.org/2005/Atom}"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
URN = re.compile(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def feed(lab, query=""):
    answer = lab.api.get(f"/api/v1/alerts.atom{query}")
    assert answer.status_code == 200 and answer.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    root = ET.fromstring(answer.content)
    assert root.tag == NS + "feed"
    well_formed(root)
    for entry in root.findall(NS + "entry"):
        well_formed(entry, "published")
    return root


def well_formed(element, *more):
    """What the standard wants of a feed and of an entry, each once."""
    for name in ("id", "title", "updated", *more):
        assert len(element.findall(NS + name)) == 1, name
    assert URN.fullmatch(element.findtext(NS + "id")) and element.findtext(NS + "title")
    assert TIME.fullmatch(element.findtext(NS + "updated"))
    links = [(link.get("rel"), link.get("type")) for link in element.findall(NS + "link")]
    assert len(links) == len(set(links))


def link(element, rel):
    return next((one.get("href") for one in element.findall(NS + "link") if one.get("rel") == rel), None)


def steps(lab, n, benchmark="suite/b{}", machine="milan-01"):
    for i in range(n):
        name = benchmark.format(i)
        lab.boots("6.16", {4: 1000}, benchmark=name, run=i, machine=machine)
        lab.boots("6.17-rc1", {4: 2000}, benchmark=name, run=i, machine=machine)


def test_a_feed_of_alerts(lab):
    assert not feed(lab).findall(NS + "entry") and feed(lab).findtext(NS + "updated") == "1970-01-01T00:00:00Z"
    lab.watch()
    steps(lab, 3)
    lab.checked()
    root, listed = feed(lab), lab.alerts()
    entries = root.findall(NS + "entry")
    assert [e.findtext(NS + "id") for e in entries] == [f"urn:uuid:{a['id']}" for a in listed]
    assert entries[0].findtext(NS + "title") == f"[REGRESSION] {listed[0]['benchmark']}: up to +100 % since v6.17-rc1"
    assert link(entries[0], "alternate") == f"https://perf.example/alerts/{listed[0]['id']}"
    assert entries[0].findtext(NS + "published") == listed[0]["created_at"]
    assert root.findtext(NS + "updated") == max(e.findtext(NS + "updated") for e in entries)
    assert {c.get("term") for c in entries[0].findall(NS + "category")} == {"regression", "new"}
    assert "milan-01" in entries[0].findtext(NS + "summary")
    assert link(root, "self") == "https://perf.example/api/v1/alerts.atom"
    assert link(root, "alternate") == "https://perf.example/alerts" and not link(root, "next")
    lab.server.restart()
    again = feed(lab)
    assert again.findtext(NS + "id") == root.findtext(NS + "id") and ET.tostring(again) == ET.tostring(root)


def test_a_feed_is_narrowed_by_selectors_and_paged(lab):
    lab.watch()
    steps(lab, 3)
    steps(lab, 1, benchmark="other/one", machine="rome-01")
    lab.checked()
    narrow = feed(lab, "?benchmark=suite/*&state=new")
    assert len(narrow.findall(NS + "entry")) == 3
    assert len(feed(lab, "?machine=rome-01").findall(NS + "entry")) == 1
    assert len(feed(lab, "?kind=improvement").findall(NS + "entry")) == 0
    assert narrow.findtext(NS + "id") != feed(lab).findtext(NS + "id")
    assert narrow.findtext(NS + "id") == feed(lab, "?state=new&benchmark=suite/*&limit=2").findtext(NS + "id")
    seen, query = [], "?limit=2"
    while query:
        page = feed(lab, query)
        seen += [e.findtext(NS + "id") for e in page.findall(NS + "entry")]
        following = link(page, "next")
        query = following and "?" + urllib.parse.urlsplit(following).query
    assert seen == [f"urn:uuid:{a['id']}" for a in lab.alerts()] and len(seen) == 4
    harness.error_of(lab.api.get("/api/v1/alerts.atom?nonsense=1"), 400, "bad_argument")


def test_names_stay_text(lab):
    lab.watch()
    evil = "a/]]><img src=x onerror=alert(1)>&amp;\u202e\u2028\ufffe\"' " + "\u00e4" * 60
    steps(lab, 1, benchmark=evil.replace("{", ""), machine="<script>\u202e")
    lab.checked()
    (entry,) = feed(lab).findall(NS + "entry")
    assert "<img src=x onerror=alert(1)>&amp;" in entry.findtext(NS + "title")
    assert "\u202e" not in entry.findtext(NS + "title") and "\u2028" not in entry.findtext(NS + "title")
    raw = lab.api.get("/api/v1/alerts.atom").text
    assert "<img" not in raw and "<script" not in raw


def test_the_page_of_alerts_names_its_feed(lab):
    page = lab.api.get("/alerts?state=new&benchmark=x*").text
    assert ('<link rel="alternate" type="application/atom+xml" href="/api/v1/alerts.atom?state=new&amp;benchmark=x*" '
            'title="These alerts">') in page
