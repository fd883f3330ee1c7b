# SPDX-License-Identifier: GPL-2.0-or-later
"""GET /api/v1/trend: columns over kernels in their order, and the steps between neighbours."""
import csv
import io
import itertools
import xml.etree.ElementTree as ET

import pytest

from harness import Process, error_of, sql, submission, wait_until

TREND = "/api/v1/trend"
names = (f"trend-{i:02}" for i in itertools.count())
minutes = itertools.count()
REVERT = "v6.17-rc1 with cac1db8c3aad reverted"


@pytest.fixture()
def machine():
    return next(names)


def post(api, machine, kernel, *values, benchmark="trend/one", params=None, **fields):
    minute = next(minutes)
    results = [{"benchmark": benchmark, "params": params or {}, "metric": "latency", "unit": "ns/call",
                "better": "lower", "values": list(values)}]
    (answer,) = api.store(submission(kernel, machine, results=results,
                                     started_at=f"2026-04-01T{minute // 60:02}:{minute % 60:02}:00Z", **fields))
    return answer


def trend(api, machine, **more):
    return api.json(TREND, params={"machine": machine, **more})


def test_kernels_stand_in_their_order_and_not_in_that_of_arrival(api, machine):
    for kernel, value in (("6.17-rc2", 3), ("6.16", 1), ("6.17-rc10", 4), ("6.17-rc1", 2)):
        post(api, machine, kernel, value)
    answer = trend(api, machine)
    assert [k["name"] for k in answer["kernels"]] == ["6.16", "6.17-rc1", "6.17-rc2", "6.17-rc10"]
    (series,) = answer["series"]
    assert series["y"] == [1, 2, 3, 4] and series["n"] == [1, 1, 1, 1]
    assert series["lo"] == series["hi"] == [None] * 4 and series["changes"] == []
    assert (series["track"], series["machine"], series["unit"], series["better"]) == (
        "mainline", machine, "ns/call", "lower")


def test_what_was_not_run_is_null_and_tracks_have_lines_of_their_own(api, machine):
    post(api, machine, "6.16", 1, params={"size": 1})
    post(api, machine, "6.17-rc1", 2, params={"size": 2})
    post(api, machine, "6.16.0-65.eln150.x86_64", 3, params={"size": 1})
    answer = trend(api, machine)
    assert [(k["name"], k["track"]) for k in answer["kernels"]] == [
        ("6.16.0-65.eln150.x86_64", "eln"), ("6.16", "mainline"), ("6.17-rc1", "mainline")]
    assert [(s["params"], s["track"], s["y"]) for s in answer["series"]] == [
        ({"size": 1}, "eln", [3, None, None]), ({"size": 1}, "mainline", [None, 1, None]),
        ({"size": 2}, "mainline", [None, None, 2])]
    only = trend(api, machine, track="main*")
    assert [k["track"] for k in only["kernels"]] == ["mainline"] * 2 and len(only["series"]) == 2


def test_points_pool_boots_and_have_intervals(api, machine):
    for value in (100, 102, 98):
        post(api, machine, "6.16", value)
    post(api, machine, "6.17-rc1", 100, 101, 102)
    (series,) = trend(api, machine)["series"]
    assert series["n"] == [3, 3]
    for lo, y, hi in zip(series["lo"], series["y"], series["hi"]):
        assert lo < y < hi
    assert series["y"][1] == 101


def test_variants_come_only_when_asked_for(api, machine):
    for kernel, value in (("6.16", 1), ("6.17-rc1", 2), (REVERT, 1.1)):
        post(api, machine, kernel, value)
    assert len(trend(api, machine)["kernels"]) == 2
    kernels = [k["name"] for k in trend(api, machine, variants=1)["kernels"]]
    assert kernels == ["6.16", "6.17-rc1", "6.17-rc1+revert-cac1db8c3aad"]
    error_of(api.get(TREND, params={"variants": "yes"}), 400, "bad_argument")


def hollow(svg):
    return [g.find("{*}title").text for g in svg.iterfind(".//{*}g[@class='variant']")]


def test_the_picture_draws_variants_off_the_line_at_the_kernel_they_are_made_from(api, machine):
    for kernel, value in (("6.16", 1000), ("6.17-rc1", 2000), (REVERT, 1100), ("6.17-rc2", 2000)):
        post(api, machine, kernel, value)
    plain = ET.fromstring(api.get(TREND + ".svg", params={"machine": machine}).content)
    svg = ET.fromstring(api.get(TREND + ".svg", params={"machine": machine, "variants": 1}).content)
    assert not hollow(plain) and hollow(svg) == ["6.17-rc1+revert-cac1db8c3aad: 1.1 us"]
    marks = {m.get("class"): float(m.get("cx")) for m in svg.iterfind(".//{*}circle") if "hollow" in m.get("class")}
    line = [float(m.get("cx")) for m in svg.iterfind(".//{*}circle") if m.get("class") == "mark f0"]
    assert len(line) == 3 and 0 < marks["mark c0 hollow"] - line[1] < 20
    assert [float(m.get("cx")) for m in plain.iterfind(".//{*}circle")] == line
    texts = [t.text for t in svg.iterfind(".//{*}text")]
    assert "+revert-cac1db8c3aad" in texts and texts.count("6.17-rc1") == 1
    assert "3 kernels" in svg.find("{*}title").text


def test_a_variant_of_a_kernel_without_a_value_is_not_drawn_and_the_picture_says_so(api, machine):
    for kernel, value in (("6.16", 1000), (REVERT, 1100)):
        post(api, machine, kernel, value)
    svg = ET.fromstring(api.get(TREND + ".svg", params={"machine": machine, "variants": 1}).content)
    assert not hollow(svg) and "not drawn: 1 variant of kernels without a value here" in " ".join("".join(svg.itertext()).split())


def test_a_step_beyond_noise_is_a_change(api, machine):
    for i in range(4):
        for kernel, value in (("6.14", 1000), ("6.15", 1001), ("6.17-rc1", 1200), ("6.17-rc2", 1201)):
            post(api, machine, kernel, value + i)
    (series,) = trend(api, machine)["series"]
    (change,) = series["changes"]
    assert (change["at"], change["after"], change["confidence"]) == (2, 1, "strong")
    assert change["percent"] == pytest.approx((change["after_center"] / change["before_center"] - 1) * 100)
    assert change["percent"] == pytest.approx(19.9, abs=.1) and change["alert_id"] is None


def test_run_narrows(api, machine):
    first = post(api, machine, "6.16", 100)
    post(api, machine, "6.16", 200)
    post(api, machine, "6.17-rc1", 300)
    (series,) = trend(api, machine, run=first["run_id"])["series"]
    assert series["y"] == [100, 300]


def test_failed_results_are_no_points(api, machine):
    post(api, machine, "6.16", 1)
    api.store(submission("6.18", machine, results=[{"benchmark": "trend/one", "metric": "latency", "unit": "ns/call",
                                                     "better": "lower", "status": "failed", "error": "x"}]))
    assert [k["name"] for k in trend(api, machine)["kernels"]] == ["6.16"]


@pytest.fixture()
def watch(database, tmp_path):
    process = Process("watch", "--db", database, log=tmp_path / "watch.log").start()
    yield process
    process.stop()


def test_packed_or_not_the_answer_is_the_same_and_steps_name_their_alert(api, machine, database, request):
    for i in range(4):
        for kernel, value in (("6.15", 1000), ("6.16", 1001), ("6.17-rc1", 1200)):
            post(api, machine, kernel, value + i, value + i + 2, params={"size": 1}, boot_id=f"{kernel}-{i // 2}")
    before = trend(api, machine)
    (series,) = before["series"]
    assert series["n"] == [8, 8, 8] and [c["alert_id"] for c in series["changes"]] == [None]
    request.getfixturevalue("watch")
    wait_until(lambda: sql(database, "SELECT count(*) FROM run_todo")[0][0] == 0, "watch has done all")
    assert sql(database, "SELECT count(*) FROM series_pack")[0][0] > 0
    after = trend(api, machine)
    alert = after["series"][0]["changes"][0].pop("alert_id")
    assert alert and api.json(f"/api/v1/alerts/{alert}")
    del series["changes"][0]["alert_id"]
    assert after == before


def test_nothing_selected_is_an_empty_answer_in_every_form(api):
    assert trend(api, "nix*") == {"kernels": [], "series": []}
    assert api.get(TREND + ".csv", params={"machine": "nix*"}).text.count("\r\n") == 1
    assert api.get(TREND + ".txt", params={"machine": "nix*"}).text == "Nothing of this was measured.\n"
    ET.fromstring(api.get(TREND + ".svg", params={"machine": "nix*"}).content)
    error_of(api.get(TREND, params={"machine": "nix"}), 400, "unknown_value")


def test_text_csv_and_svg(api, machine):
    for i in range(4):
        for kernel, value in (("6.16", 1000), ("6.17-rc1", 1200), ("6.17.0-0.rc1.17.eln150.x86_64", 5)):
            post(api, machine, kernel, value + i, benchmark="trend/" + "long-" * 14)
    text = api.get(TREND + ".txt", params={"machine": machine}).text
    assert max(map(len, text.split("\n"))) <= 72
    assert "+20.0 %" in text and "regression (strong)" in text
    lines = list(csv.DictReader(io.StringIO(api.get(TREND + ".csv", params={"machine": machine}).text, newline="")))
    assert [x["kernel"] for x in lines] == ["6.17.0-0.rc1.17.eln150.x86_64", "6.16", "6.17-rc1"]
    assert float(lines[2]["change_percent"]) == pytest.approx(19.97, abs=.01)
    root = ET.fromstring(api.get(TREND + ".svg", params={"machine": machine}).content)
    assert "+20.0 % between 6.16 and 6.17-rc1" in "".join(root.itertext())


# ---- long series: changes of level ----

LEVEL = [1000, 1008, 995, 1003, 990, 1005, 998, 1010, 1001, 994]


def long_series(api, machine, values):
    for i, value in enumerate(values):
        post(api, machine, f"6.{i}", value)


def test_a_long_series_of_single_runs_shows_where_its_level_changed(api, machine):
    long_series(api, machine, LEVEL + [v * 1.2 for v in LEVEL[:6]])
    (series,) = trend(api, machine)["series"]
    (change,) = series["changes"]
    assert (change["at"], change["after"], change["level"], change["suspects"]) == (10, 9, True, [10, 10])
    assert (change["verdict"], change["confidence"], series["suspect"]) == ("regression", "strong", None)
    assert change["ci"][0] < change["percent"] < change["ci"][1] and change["percent"] == pytest.approx(20, abs=1)
    assert change["before_center"] == pytest.approx(1000, abs=5)
    text = api.get(f"{TREND}.txt", params={"machine": machine}).text
    assert "From 6.10 on +20.0 %" in text and "regression (strong)" in text and "no noise estimate" not in text


def test_the_newest_kernel_alone_is_a_suspect(api, machine):
    long_series(api, machine, LEVEL + [1400])
    (series,) = trend(api, machine)["series"]
    assert series["changes"] == [] and series["suspect"]["at"] == 10 and series["suspect"]["percent"] > 35
    text = api.get(f"{TREND}.txt", params={"machine": machine}).text
    assert "6.10 alone deviates by +39.9 %" in text


def test_the_order_of_upload_does_not_matter(api, machine):
    values = list(enumerate(LEVEL + [v * 1.2 for v in LEVEL[:6]]))
    for i, value in values[::2] + values[1::2]:
        post(api, machine, f"6.{i}", value)
    (series,) = trend(api, machine)["series"]
    assert [c["at"] for c in series["changes"]] == [10]


# ---- for pictures ----

def test_every_run_behind_the_points_is_told_when_asked_for(api, machine):
    for value in (10, 12):
        post(api, machine, "6.16", value, value)
    post(api, machine, "6.17-rc1", 20)
    assert "runs" not in trend(api, machine)["series"][0] and "machines" not in trend(api, machine)
    answer = trend(api, machine, runs="1")
    (series,) = answer["series"]
    assert series["boots"] == [2, 1] and series["n"] == [4, 1]
    runs = series["runs"]
    assert runs["at"] == [0, 0, 1] and sorted(runs["y"]) == [10, 12, 20] and sorted(runs["n"]) == [1, 2, 2]
    (when,) = answer["machines"]
    assert when["machine"] == machine
    assert when["started_at"] == [min(runs["started_at"][:2]), runs["started_at"][2]]
    error_of(api.get(TREND, params={"machine": machine, "runs": "yes"}), 400, "bad_argument")


def test_a_line_of_too_many_points_keeps_what_stands_out(api, machine):
    values = [100 + i % 7 for i in range(600)]
    values[333] = 50        # nothing that a picture of 100 points may lose
    values[400:] = [v * 2 for v in values[400:]]
    many = [submission(f"6.{i // 10 + 1}.{i % 10 + 1}", machine, values=[v]) for i, v in enumerate(values)]
    assert api.post("/api/v1/runs", json=many).status_code == 200
    whole = trend(api, machine, track="stable-*")
    most = {"most": "100", "track": "stable-*"}
    assert trend(api, machine, most="5000", track="stable-*") == whole, "what is short enough stays as it is"
    error_of(api.get(TREND, params={"machine": machine, "most": "99"}), 400, "bad_argument")
    # 60 tracks of 10 kernels: none of them is long
    assert trend(api, machine, **most) == whole


def test_a_long_line_keeps_its_ends_its_extremes_and_its_changes(api, machine):
    values = [100 + i % 7 for i in range(600)]
    values[333] = 50
    values[400:] = [v * 2 for v in values[400:]]
    many = [submission(f"6.16.{i + 1}", machine, values=[v]) for i, v in enumerate(values)]
    assert api.post("/api/v1/runs", json=many).status_code == 200
    (all_,) = trend(api, machine)["series"]
    answer = trend(api, machine, most="100", runs="1")
    (thin,) = answer["series"]
    assert len(answer["kernels"]) == len(thin["y"]) <= 120 and thin["left_out"] == 600 - len(thin["y"])
    assert None not in thin["y"] and min(thin["y"]) == 50 and max(thin["y"]) == max(all_["y"])
    assert [answer["kernels"][i]["name"] for i in (0, -1)] == ["6.16.1", "6.16.600"]
    names = {k["name"]: k for k in trend(api, machine)["kernels"]}
    before, after = all_["changes"][0], thin["changes"][0]
    assert list(names)[before["at"]] == answer["kernels"][after["at"]]["name"] == "6.16.401"
    assert answer["kernels"][after["after"]]["name"] == "6.16.400"
    # a run stands at its kernel still
    assert all(thin["y"][at] == y for at, y in zip(thin["runs"]["at"], thin["runs"]["y"]))
    assert answer["machines"][0]["started_at"][0] is not None


KERNELS = [f"6.{minor}" if not rc else f"6.{minor}-rc{rc}" for minor in range(1, 11) for rc in (1, 2, 3, 4, 5, 6, 7, 0)]


def names_of(answer):
    return [k["name"] for k in answer["kernels"]]


def test_what_many_answers_have_in_common_is_never_old(api, machine):
    """Of many kernels the text is kept and shared; what changes in one of them, or among them, shows at once."""
    for at, kernel in enumerate(KERNELS):
        (run,) = api.store(submission(kernel, machine, results=[
            {"benchmark": f"shared/{name}", "metric": "latency", "unit": "ns/call", "better": "lower", "values": [100 + at % 3]}
            for name in ("one", "two")]))
    first, second = (trend(api, machine, benchmark=f"shared/{name}") for name in ("one", "two"))
    assert first["kernels"] == second["kernels"] and names_of(first) == KERNELS
    assert first["series"][0]["benchmark"] == "shared/one" and second["series"][0]["benchmark"] == "shared/two"
    assert len(first["series"][0]["y"]) == len(KERNELS)

    url = f"{TREND}?machine={machine}&benchmark=shared/one"
    plain, packed = (api.get(url, headers={"Accept-Encoding": how}) for how in ("identity", "gzip"))
    assert packed.headers["Content-Encoding"] == "gzip" and packed.content == plain.content
    assert int(packed.headers["Content-Length"]) < len(plain.content) / 4
    assert int(plain.headers["Content-Length"]) == len(plain.content)
    assert api.get(url, headers={"Accept-Encoding": "identity", "If-None-Match": plain.headers["ETag"]}).status_code == 304
    head = api.request("HEAD", url, headers={"Accept-Encoding": "identity"})
    assert head.headers["Content-Length"] == plain.headers["Content-Length"] and not head.content

    # a date and a commit of a kernel in the middle
    answer = api.post("/api/v1/kernels", json=[{"release": KERNELS[40], "released_at": "2025-01-02T03:04:05Z", "commit": "12345678abcd"}])
    assert answer.status_code == 200, answer.text
    dated = trend(api, machine, benchmark="shared/one")
    assert dated["kernels"][40]["released_at"] == "2025-01-02T03:04:05Z" and dated["kernels"][40]["commit"] == "12345678abcd"
    assert [k for i, k in enumerate(dated["kernels"]) if i != 40] == [k for i, k in enumerate(first["kernels"]) if i != 40]
    changed = api.get(url, headers={"Accept-Encoding": "gzip", "If-None-Match": packed.headers["ETag"]})
    assert changed.status_code == 200 and changed.json() == dated and changed.headers["ETag"] != packed.headers["ETag"]

    # a kernel more, in the middle, for one of the two
    post(api, machine, "6.5-rc8", 500, benchmark="shared/one")
    more = trend(api, machine, benchmark="shared/one")
    at = names_of(more).index("6.5-rc8")
    assert names_of(more)[at - 1:at + 2] == ["6.5-rc7", "6.5-rc8", "6.5"] and more["series"][0]["y"][at] == 500
    assert len(more["kernels"]) == len(KERNELS) + 1
    assert names_of(trend(api, machine, benchmark="shared/two")) == KERNELS

    # and the last one is taken back
    assert api.post(f"/api/v1/runs/{run['run_id']}:invalidate", json={"reason": "wrong"}).status_code == 200
    assert names_of(trend(api, machine, benchmark="shared/two")) == KERNELS[:-1]
    assert names_of(trend(api, machine, benchmark="shared/one"))[-1] == KERNELS[-2]


def test_a_chart_made_on_several_processors_is_that_of_its_lines(api, machine):
    """10,000 points are made and written in parts; each line is what it is alone, whatever part it came into."""
    for at, kernel in enumerate(KERNELS):
        level = 1.3 if at > 40 else 1
        results = [{"benchmark": "parts/many", "params": {"size": size}, "metric": "latency", "unit": "ns/call", "better": "lower",
                    "values": [(100 + size) * (level if size % 9 == 0 else 1) * (1 + ((at * 7 + size * 3) % 5 - 2) / 500)]}
                   for size in range(120)]
        # lines too short for levels: steps between neighbours are tested, all of the answer as one family
        for boot in range(3 if at < 6 else 0):
            short = [{**results[0], "params": {"size": 1000 + size}, "values": [100 + boot / 10 + 50 * (at > 2)]} for size in range(8)]
            api.store(submission(kernel, machine, results=short, boot_id=f"boot-{at}-{boot}"))
        api.store(submission(kernel, machine, results=results, boot_id=f"boot-{at}"))
    chart = trend(api, machine, benchmark="parts/many")
    assert len(chart["series"]) == 128 and len(chart["kernels"]) == len(KERNELS)
    sizes = [s["params"]["size"] for s in chart["series"]]
    assert sizes == sorted(sizes) and sizes[:3] == [0, 1, 2]
    for at in (0, 1, 9, 36, 59, 60, 61, 63, 64, 65, 108, 119):
        (alone,) = trend(api, machine, benchmark="parts/many", **{"param.size": at})["series"]
        assert chart["series"][at] == alone
        assert [c["at"] for c in alone["changes"]] == ([41] if at % 9 == 0 else [])
    for series in chart["series"][120:]:
        assert series["n"][:6] == [3] * 6 and series["y"][6:] == [None] * (len(KERNELS) - 6)
        assert [(c["at"], c["verdict"], c["level"]) for c in series["changes"]] == [(3, "regression", False)]
    explained = trend(api, machine, benchmark="parts/many", explain=1)
    assert explained["series"][9]["changes"][0].pop("why")["text"]
    assert explained["series"][9]["changes"][0] == chart["series"][9]["changes"][0]
