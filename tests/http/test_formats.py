# SPDX-License-Identifier: GPL-2.0-or-later
"""Foreign files over HTTP: the real ones of the corpus, what is not imported, and files of several kernels."""
import csv
import os
import pathlib

import pytest

from harness import error_of

SHARED = pathlib.Path(os.environ.get("NSECWATCH_SHARED", pathlib.Path(__file__).resolve().parents[3] / "shared"))
CORPUS = SHARED / "corpus"
FORMATS = ("google-benchmark", "mprotect-table", "mprotect-reproducer", "mprotect-total")
V616 = "v6.16\nsize_kib | nsec_per_call\n4 | 1713\n40 | 2071\n"
REVERTED = "\nv6.17-rc1 with cac1db8c3aad reverted\nsize_kib | nsec_per_call\n4 | 1750\n"


def rows():
    if not CORPUS.is_dir():
        return []
    with open(CORPUS / "MANIFEST.tsv", newline="") as f:
        return [r for r in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE) if r["format"] in FORMATS]


def post(api, text, **query):
    return api.post("/api/v1/runs", params=query, data=text, headers={"Content-Type": "text/plain"})


def items(answer):
    return answer.json().get("items", [answer.json()])


@pytest.mark.skipif(not CORPUS.is_dir(), reason="../shared is not here")
def test_the_corpus_has_files_of_these_formats():
    assert len(rows()) >= 18


@pytest.mark.parametrize("row", rows(), ids=[r["file"] for r in rows()])
def test_a_real_file_is_stored_with_all_its_series(api, row):
    query = {"format": "auto", "machine": row["file"].replace("/", "-"), "thp": "always"}
    if row["format"] in ("google-benchmark", "mprotect-reproducer"):
        query["kernel"] = "6.16"  # the others say it by themselves
    answer = post(api, (CORPUS / row["file"]).read_bytes(), **query)
    assert answer.status_code in (200, 201), answer.text
    series, points = set(), 0
    for item in items(answer):
        assert item["status"] == "stored"
        for r in api.json(f"/api/v1/runs/{item['run_id']}")["results"]:
            assert r["status"] == "ok" and r["better"] == "lower"
            series.add(r["series_id"])
            points += r["n"]
    assert len(series) == int(row["n_series"])
    assert points == int(row["n_points"])


def test_what_is_not_imported_is_told_and_kept(api):
    text = "benchmark,metric,unit,better,value\nb,t,us,lower,2\nb,t,us,lower,0\nc,t,us,up,1\n"
    answer = post(api, text, format="csv", machine="half-good", kernel="6.16")
    assert answer.status_code == 201
    run = api.json(f"/api/v1/runs/{answer.json()['run_id']}")
    assert [(r["benchmark"], r["center"], r["unit"], r["original_unit"]) for r in run["results"]] == [("b", 2000, "ns", "us")]
    assert [n["at"] for n in run["not_imported"]] == ["line 3", "line 4"]
    assert "above 0" in run["not_imported"][0]["message"]


def test_tables_of_two_kernels_are_two_runs(api):
    answer = post(api, V616 + REVERTED, format="auto", machine="two-tables")
    assert answer.status_code == 200
    runs = [api.json(f"/api/v1/runs/{i['run_id']}")["run"] for i in items(answer)]
    assert [r["kernel"]["name"] for r in runs] == ["6.16", "6.17-rc1+revert-cac1db8c3aad"]
    again = post(api, V616 + REVERTED, format="auto", machine="two-tables")
    assert [i["status"] for i in items(again)] == ["duplicate"] * 2
    # the raw file of each is the whole file: that is what came
    assert api.get(f"/api/v1/runs/{runs[1]['run_id']}/raw").text == V616 + REVERTED


@pytest.mark.parametrize("query, argument", [({}, "machine"), ({"machine": "m", "kernel": "nonsense!"}, "kernel"),
                                             ({"machine": "m", "thp": "sometimes"}, "thp"),
                                             ({"machine": "m", "started_at": "yesterday"}, "started_at"),
                                             ({"machine": "m", "base_page_kib": "5"}, "base_page_kib")])
def test_an_argument_that_is_missing_or_wrong_is_named(api, query, argument):
    error = error_of(post(api, V616, format="auto", **query), 400, "bad_argument")
    assert [p["at"] for p in error["problems"]] == [argument]


def test_an_unknown_format_names_those_there_are(api):
    error = error_of(post(api, V616, format="tabel", machine="m"), 400, "bad_argument")
    for name in ("nsecwatch", "mprotect-reproducer", "google-benchmark", "csv"):
        assert f" {name}" in error["message"]


def test_the_same_file_with_another_argument_is_another_run(api):
    first = post(api, V616, format="auto", machine="args-01").json()
    second = post(api, V616, format="auto", machine="args-01", boot_id="b").json()
    assert first["status"] == second["status"] == "stored"
    assert first["run_id"] != second["run_id"]
