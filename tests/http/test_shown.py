# SPDX-License-Identifier: GPL-2.0-or-later
"""Which rows of GET /api/v1/compare are shown: chosen after all are judged, in every form alike."""
import csv
import io
import itertools
import math
import statistics
import xml.etree.ElementTree as ET

import pytest

from harness import error_of, submission

COMPARE = "/api/v1/compare"
BASE = {"base": "6.16", "head": "6.17-rc1", "machine": "shown-*"}
SIZES = (4, 400, 4096, 400000)
RESULT = [{"benchmark": "shown/map", "metric": "latency", "unit": "ns/call", "better": "lower", "params": {"size_kib": 4}, "values": [100.5]}]


@pytest.fixture(scope="module")
def lab(api):
    """Two machines: on one 400 KiB and more doubles on a kernel of three boots, on the other all is one value a side."""
    minute = itertools.count()
    for machine, boots in (("shown-alpha", 3), ("shown-beta", 1)):
        for kernel, boot in itertools.product(("6.16", "6.17-rc1"), range(boots)):
            slow = kernel == "6.17-rc1"
            results = [{"benchmark": "shown/map", "metric": "latency", "unit": "ns/call", "better": "lower", "params": {"size_kib": size},
                        "values": [(100 + boot * .2) * (2 if slow and size >= 400 else 1) * (.5 if slow and size == 400000 else 1)
                                   * (.4 if slow and size == 400000 else 1)]}
                       for size in SIZES]
            api.store(submission(kernel, machine, results=results, thp="always" if boots == 3 else "never",
                                 boot_id=f"{machine}-{kernel}-{boot}", started_at=f"2026-04-01T00:{next(minute):02}:00Z"))
    return api


def rows(api, **shown):
    """The rows as (machine, size); and the whole answer. Every form must show them, and say of how many."""
    answer = api.json(COMPARE, params={**BASE, **shown})
    got = [(r["machine"], r["params"]["size_kib"]) for r in answer["rows"]]
    assert answer["summary"].get("shown") == (len(got) if shown else None)
    table = list(csv.DictReader(io.StringIO(api.get(COMPARE + ".csv", params={**BASE, **shown}).text, newline="")))
    assert [(r["machine"], r["series_id"]) for r in table] == [(r["machine"], r["series_id"]) for r in answer["rows"]]
    text = api.get(COMPARE + ".txt", params={**BASE, **shown}).text
    assert max(map(len, text.split("\n"))) <= 72
    svg = ET.fromstring(api.get(COMPARE + ".svg", params={**BASE, **shown}).content)
    drawn = "".join(svg.itertext())
    said = f"{len(got)} of 8 rows shown"
    assert (said in text, said in drawn) == (bool(shown),) * 2
    if got:
        assert len([c for c in svg.iterfind(".//{*}circle")]) == len(got)
    else:
        assert "No row is like that." in drawn
    assert "3 of 8 rows slower or worse" in drawn or "2 of 8 rows slower or worse" in drawn
    assert "8 rows: " in text
    return got, answer


def test_a_choice_changes_nothing_of_what_is_judged(lab):
    _, whole = rows(lab)
    _, some = rows(lab, verdict="regression")
    assert 0 < len(some["rows"]) < len(whole["rows"])
    assert all(r in whole["rows"] for r in some["rows"])        # with its q
    assert {k: v for k, v in some["summary"].items() if k != "shown"} == whole["summary"]
    told = [lab.json(COMPARE, params={**BASE, "sweeps": 1, **more}) for more in ({}, {"text": "beta", "verdict": "better"})]
    assert told[0]["sentence"] == told[1]["sentence"] and told[0]["sweeps"] == told[1]["sweeps"]


@pytest.mark.parametrize("shown,want", [
    ({"verdict": "regression"}, lambda r: r["verdict"] == "regression"),
    ({"verdict": "improvement"}, lambda r: r["verdict"] == "improvement"),
    ({"verdict": "inconclusive"}, lambda r: r["verdict"] == "inconclusive"),
    ({"verdict": "unchanged"}, lambda r: r["verdict"] == "unchanged"),
    ({"verdict": "worse"}, lambda r: r["direction"] == "worse"),
    ({"verdict": "better"}, lambda r: r["direction"] == "better"),
    ({"confidence": "weak"}, lambda r: r["confidence"] != "none"),
    ({"confidence": "strong"}, lambda r: r["confidence"] == "strong"),
    ({"confidence": "any"}, lambda r: True),
    ({"size": "400.."}, lambda r: r["params"]["size_kib"] >= 400),
    ({"size": "..400"}, lambda r: r["params"]["size_kib"] <= 400),
    ({"size": "5..5000"}, lambda r: 5 <= r["params"]["size_kib"] <= 5000),
    ({"on": "shown-beta"}, lambda r: r["machine"] == "shown-beta"),
    ({"mode": "always"}, lambda r: r["thp"] == "always"),
    ({"text": "ALPHA latency"}, lambda r: r["machine"] == "shown-alpha"),
    ({"text": "4 MiB"}, lambda r: r["params"]["size_kib"] == 4096),
    ({"text": "400 000 KiB"}, lambda r: r["params"]["size_kib"] == 400000),
    ({"text": "size_kib=4096 thp never"}, lambda r: r["params"]["size_kib"] == 4096 and r["thp"] == "never"),
    ({"text": "no such thing"}, lambda r: False),
    ({"verdict": "worse", "size": "400..", "on": "shown-beta"}, lambda r: r["direction"] == "worse" and r["machine"] == "shown-beta"),
])
def test_what_is_shown(lab, shown, want):
    got, _ = rows(lab, **shown)
    whole = lab.json(COMPARE, params=BASE)["rows"]
    assert got == [(r["machine"], r["params"]["size_kib"]) for r in whole if want(r)]


@pytest.mark.parametrize("shown", [{"verdict": "bad"}, {"confidence": "sure"}, {"size": "400"}, {"size": ".."}, {"size": "a..b"},
                                   {"size": "1..x"}, {"verdict": ["worse", "better"]}])
def test_what_cannot_be_meant_is_refused(lab, shown):
    answer = error_of(lab.get(COMPARE, params={**BASE, **shown}), 400, "bad_argument")
    assert next(iter(shown)) in str(answer)


def test_text_is_found_in_either_case_of_any_script(lab):
    lab.store(submission("6.16", "\u017bubr-\u03a3\u03a3", results=RESULT), submission("6.17-rc1", "\u017bubr-\u03a3\u03a3", results=RESULT))
    for text in ("\u017cUBR", "\u017bubr\u202fsize_kib=4", "\u03c3\u03c3", "\u00a0\u03c3\u03a3 LATENCY"):
        answer = lab.json(COMPARE, params={"base": "6.16", "head": "6.17-rc1", "benchmark": "shown/map", "text": text})
        assert {r["machine"] for r in answer["rows"]} == {"\u017bubr-\u03a3\u03a3"}, text


def effect(r):
    if not r["change_ci"]:
        return -1 / (1 + abs(r["change_percent"]))
    lo, hi = (math.log1p(v / 100) for v in r["change_ci"])
    return abs(math.log1p(r["change_percent"] / 100)) / ((hi - lo) / 2)


def least(name):
    return lambda r: -math.inf if r[name] is None else r[name]


KEYS = {"effect": effect, "change": least("change_percent"), "noise": least("noise_percent"), "detectable": least("detectable_percent"),
        "remains": least("remaining_percent"), "restored": least("restored_percent")}


def in_forms(api, **asked):
    """The rows as every form has them; checked to be the same in JSON and CSV."""
    answer = api.json(COMPARE, params={**BASE, **asked})
    table = list(csv.DictReader(io.StringIO(api.get(COMPARE + ".csv", params={**BASE, **asked}).text, newline="")))
    assert [r["series_id"] for r in table] == [r["series_id"] for r in answer["rows"]]
    text = api.get(COMPARE + ".txt", params={**BASE, **asked}).text
    assert max(map(len, text.split("\n"))) <= 72
    drawn = list(ET.fromstring(api.get(COMPARE + ".svg", params={**BASE, **asked}).content).itertext())
    return answer, " ".join(text.split()), drawn


@pytest.mark.parametrize("sort", KEYS)
def test_rows_stand_in_the_order_asked_for(lab, sort):
    whole = lab.json(COMPARE, params=BASE)["rows"]
    down, text, drawn = in_forms(lab, sort="-" + sort)
    assert down["rows"] == sorted(whole, key=KEYS[sort], reverse=True)     # equals as they stood: both are stable
    up, _, _ = in_forms(lab, sort=sort)
    assert up["rows"] == sorted(whole, key=KEYS[sort])
    assert "The rows are sorted by" in text and "sorted by" in "".join(drawn)
    names = [d for d in drawn if d.startswith("shown/map ")]
    assert names == [f"shown/map {size(r)}, {r['machine']}, THP {r['thp']}" for r in down["rows"]]


def size(r):
    return f"{r['params']['size_kib']} KiB"


def test_sorted_by_row_is_what_stands_without(lab):
    whole = lab.json(COMPARE, params=BASE)
    assert lab.json(COMPARE, params={**BASE, "sort": "row", "group": "none"}) == whole


@pytest.mark.parametrize("group,value", [
    ("machine", lambda r: r["machine"]), ("thp", lambda r: r["thp"]), ("benchmark", lambda r: r["benchmark"]),
    ("isa", lambda r: r["isa"]), ("uarch", lambda r: r["uarch"]), ("metric", lambda r: r["metric"]),
    ("page", lambda r: f"{r['base_page_kib']} KiB pages" if r["base_page_kib"] else "unknown page size"),
    ("param.size_kib", size), ("param.none", lambda r: "no none"),
    ("sweep", lambda r: f"shown/map latency on {r['machine']}, THP {r['thp']}, pages of KiB {r['base_page_kib']}"),
])
def test_rows_of_a_group_stand_together_under_their_mean(lab, group, value):
    order = lab.json(COMPARE, params={**BASE, "sort": "-change"})["rows"]
    first = list(dict.fromkeys(map(value, order)))
    answer, text, drawn = in_forms(lab, sort="-change", group=group)
    assert answer["rows"] == sorted(order, key=lambda r: first.index(value(r)))
    assert [g["value"] for g in answer["groups"]] == first
    for g in answer["groups"]:
        mine = [r for r in order if value(r) == g["value"]]
        mean = math.expm1(statistics.fmean(math.log1p(r["change_percent"] / 100) for r in mine)) * 100
        assert g["geomean_percent"] == pytest.approx(mean) and g["rows"] == len(mine)
        assert (g["regressions"], g["improvements"], g["unchanged"]) == tuple(
            sum(r["verdict"] == v for r in mine) for v in ("regression", "improvement", "unchanged"))
        assert f"== {g['value']}: {len(mine)} row" in text
        assert any(d.startswith(f"{g['value']}: {len(mine)} row") for d in drawn)
    assert "grouped by" in text


def test_what_is_chosen_can_be_sorted_and_grouped(lab):
    answer, text, _ = in_forms(lab, text="alpha", sort="-change", group="machine")
    assert [g["value"] for g in answer["groups"]] == ["shown-alpha"] and answer["summary"]["shown"] == 4
    assert "4 of 8 rows shown: text alpha." in text and "The rows are sorted by change, the largest first; grouped by machine." in text


@pytest.mark.parametrize("how", [{"sort": "size"}, {"sort": "-"}, {"sort": "--change"}, {"group": "kernel"}, {"group": "param."}])
def test_an_order_that_is_none_is_refused(lab, how):
    assert next(iter(how)) in str(error_of(lab.get(COMPARE, params={**BASE, **how}), 400, "bad_argument"))


def test_the_page_links_to_what_it_shows_without_javascript_too(lab):
    page = lab.get("/compare", params={**BASE, "verdict": "worse", "size": "400..", "sort": "-change", "group": "thp", "open": "1"}).text
    for form in ("txt", "csv", "svg", "json"):
        assert f"/api/v1/compare.{form}?" in page
    link = page.split('href="/api/v1/compare.csv?')[1].split('"')[0].replace("&amp;", "&")
    assert "verdict=worse" in link and "size=400.." in link and "sort=-change" in link and "group=thp" in link and "open" not in link
    assert lab.get(f"/api/v1/compare.csv?{link}").text.count("\r\n") == 1 + len(rows(lab, verdict="worse", size="400..")[0])
