# SPDX-License-Identifier: GPL-2.0-or-later
"""Foreign files over HTTP: the real ones of the corpus, what is not imported, and files of several kernels."""
import csv
import os
import pathlib

import pytest

from harness import error_of

SHARED = pathlib.Path(os.environ.get("NSECWATCH_SHARED", pathlib.Path(__file__).resolve().parents[3] / "shared"))
CORPUS = SHARED / "corpus"
HERE = pathlib.Path(__file__).resolve().parent
FORMATS = ("google-benchmark", "mprotect-table", "mprotect-reproducer", "mprotect-total")
TOOLS = ("google-benchmark-console", "google-benchmark-csv", "libmicro", "perf-bench", "stress-ng-log", "stress-ng-yaml",
         "will-it-scale")
V616 = "v6.16\nsize_kib | nsec_per_call\n4 | 1713\n40 | 2071\n"
REVERTED = "\nv6.17-rc1 with cac1db8c3aad reverted\nsize_kib | nsec_per_call\n4 | 1750\n"


def rows(formats=FORMATS):
    if not CORPUS.is_dir():
        return []
    with open(CORPUS / "MANIFEST.tsv", newline="") as f:
        return [r for r in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE) if r["format"] in formats]


def table(path):
    """A .tsv of tests/corpus.py: its rows, without comments."""
    with open(path, newline="") as f:
        return [line.rstrip("\n").split("\t") for line in f if not line.startswith("#")]


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


@pytest.mark.parametrize("row", rows(TOOLS), ids=[r["file"] for r in rows(TOOLS)])
def test_a_tool_s_real_output_is_stored_as_the_corpus_counts_it(api, row):
    query = {"format": "auto", "machine": row["file"].replace("/", "-"), "thp": "always", "kernel": "6.16",
             "filename": row["file"].split("/")[1]}
    for name, arguments, _ in table(HERE.parent / "corpus" / "context.tsv"):
        if name == row["file"]:
            query.update(a.split("=", 1) for a in arguments.split("&"))
    argued = {what: got for name, what, got, _ in table(HERE.parent / "corpus_deviations.tsv") if name == row["file"]}
    answer = post(api, (CORPUS / row["file"]).read_bytes(), **query)
    assert answer.status_code in (200, 201), answer.text
    series, points = set(), 0
    for item in items(answer):
        assert item["status"] == "stored"
        for r in api.json(f"/api/v1/runs/{item['run_id']}")["results"]:
            if r["status"] == "ok":
                series.add(r["series_id"])
                points += r["n"]
    assert len(series) == int(argued.get("series", row["n_series"]))
    assert points == int(argued.get("points", row["n_points"]))


def test_a_history_that_has_grown_stores_its_new_rows(api):
    text = "time,kernel,ops_per_sec\n2024-01-01T00:00:00Z,6.16,10\n2024-01-02T00:00:00Z,6.17-rc1,NaN\n2024-01-03T00:00:00Z,6.17-rc2,12\n"
    query = {"format": "auto", "machine": "history-01", "benchmark": "nightly"}
    assert [i["status"] for i in items(post(api, text, **query))] == ["stored", "stored"]
    answer = post(api, text + "2024-01-04T00:00:00Z,6.17-rc3,13\n", **query)
    assert [i["status"] for i in items(answer)] == ["duplicate", "duplicate", "stored"]
    run = api.json(f"/api/v1/runs/{items(answer)[2]['run_id']}")
    assert run["run"]["started_at"] == "2024-01-04T00:00:00Z" and run["results"][0]["unit"] == "ops/s"
    assert "NaN" in api.json(f"/api/v1/runs/{items(answer)[0]['run_id']}")["not_imported"][0]["message"]
    trend = api.json("/api/v1/trend?benchmark=nightly&machine=history-01")
    assert [k["name"] for k in trend["kernels"]] == ["6.16", "6.17-rc2", "6.17-rc3"] and trend["series"][0]["y"] == [10, 12, 13]


def test_a_file_of_two_kernels_that_names_none_asks_for_both(api):
    text = "Benchmark Time CPU Iterations\nb 85967 ns 85967 ns 6935\nb 73374 ns 73373 ns 9602\n"
    error = error_of(post(api, text, format="auto", machine="parts-01", kernel="6.19"), 400, "bad_argument")
    assert error["problems"][0]["at"] == "kernel" and "FIRST|SECOND" in error["problems"][0]["message"]
    answer = post(api, text, format="auto", machine="parts-01", kernel="6.19|6.19+apply-loop")
    assert [i["status"] for i in items(answer)] == ["stored"] * 2
    compared = api.json("/api/v1/compare?base=6.19&head=6.19%2Bapply-loop&machine=parts-01")
    assert round(compared["rows"][0]["change_percent"], 2) == -14.65 and compared["rows"][0]["direction"] == "better"


def test_a_log_of_an_old_locale_is_stored_with_a_warning(api):
    text = b"Gr\xfc\xdfe\nBenchmark Time CPU Iterations\nb 5 ns 5 ns 10\n"
    answer = post(api, text, format="auto", machine="latin-01", kernel="6.19")
    assert answer.status_code == 201 and any("Latin-1" in w["message"] for w in answer.json()["warnings"])
    assert api.get(f"/api/v1/runs/{answer.json()['run_id']}/raw").content == text


@pytest.mark.parametrize("blanks", [77, 78, 79, 80])
def test_a_message_cut_in_a_character_is_stored(api, blanks):
    text = "Benchmark Time CPU Iterations\nb 5 ns 5 ns 10\n" + "x" * blanks + "ÿ€" * 9 + "\n"
    answer = post(api, text.encode(), format="auto", machine=f"cut-{blanks}", kernel="6.19")
    assert answer.status_code == 201, answer.text
    assert "xxx" in api.json(f"/api/v1/runs/{answer.json()['run_id']}")["not_imported"][0]["message"]


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


def test_json_that_is_cut_short_is_called_that(api):
    cut = '{\n "a.ops": [1, 2],\n "a.rate": [3'
    error = error_of(post(api, cut, format="auto", machine="m", kernel="6.16"), 400, "bad_json")
    assert error["message"].startswith("the file is cut short") and "line 3" in error["message"]
    for whole in ("[always] madvise never", '{"a": 1}'):
        error_of(post(api, whole, format="auto", machine="m", kernel="6.16"), 400, "bad_argument")


def test_the_same_file_with_another_argument_is_another_run(api):
    first = post(api, V616, format="auto", machine="args-01").json()
    second = post(api, V616, format="auto", machine="args-01", boot_id="b").json()
    assert first["status"] == second["status"] == "stored"
    assert first["run_id"] != second["run_id"]
