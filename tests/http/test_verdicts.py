# SPDX-License-Identifier: GPL-2.0-or-later
"""Where a verdict's noise comes from: boots, the history of the series, its siblings, or nothing; few rows and many."""
import itertools
import random

import pytest

from harness import Process, command, sql, submission, wait_until

COMPARE = "/api/v1/compare"
names = (f"verdict-{i:02}" for i in itertools.count())
KERNELS = [f"5.{minor}" for minor in range(1, 15)]


@pytest.fixture()
def machine():
    return next(names)


def post(api, machine, kernel, centers, seed, reps=5, boot=0, tau=.01, sigma=.01, benchmark="verdict/one", better="lower"):
    """One boot: for each size values around its centre, `tau` from boot to boot and `sigma` within."""
    rng = random.Random(f"{machine} {kernel} {seed} {boot}")
    results = []
    for size, center in centers.items():
        here = center * (1 + rng.gauss(0, tau))
        results.append({"benchmark": benchmark, "params": {"size_kib": size}, "metric": "latency", "unit": "ns/call",
                        "better": better, "values": [here * (1 + rng.gauss(0, sigma)) for _ in range(reps)]})
    return api.store(submission(kernel, machine, results=results, boot_id=f"{machine}-{kernel}-{boot}"))


def rows(api, machine, base, head, **more):
    answer = api.json(COMPARE, params={"base": base, "head": head, "machine": machine, "explain": 1, **more})
    return {row["params"]["size_kib"]: row for row in answer["rows"]}


def test_one_boot_a_side_is_judged_by_the_history_of_its_series_at_once(api, machine):
    for kernel in KERNELS:
        post(api, machine, kernel, {4: 1000, 8: 1000}, 1)
    post(api, machine, "6.16", {4: 1000, 8: 1000}, 1)
    post(api, machine, "6.17", {4: 1150, 8: 1000}, 1)
    found = rows(api, machine, "6.16", "6.17")
    assert found[4]["why"]["source"] == "history" and str(len(KERNELS)) in found[4]["why"]["text"]
    assert (found[4]["verdict"], found[4]["confidence"]) == ("regression", "weak"), "one boot may be a spike"
    assert .4 < found[4]["noise_percent"] < 3 and found[4]["detectable_percent"] < 15
    assert found[8]["verdict"] in ("unchanged", "inconclusive")
    # a single value is noisier than a boot of five, and history says by how much
    post(api, machine, "6.18", {4: 1150}, 1, reps=1)
    assert rows(api, machine, "6.16", "6.18")[4]["noise_percent"] > found[4]["noise_percent"]


def test_a_step_in_the_history_is_no_noise(api, machine):
    for i, kernel in enumerate(KERNELS):
        post(api, machine, kernel, {4: 1000 if i < 7 else 1600}, 2)
    post(api, machine, "6.16", {4: 1600}, 2)
    post(api, machine, "6.17", {4: 1760}, 2)
    row = rows(api, machine, "6.16", "6.17")[4]
    assert row["noise_percent"] < 5 and row["verdict"] == "regression"


def test_a_new_size_is_as_noisy_as_its_siblings_even_when_only_it_is_asked_for(api, machine):
    for kernel in KERNELS:
        post(api, machine, kernel, {4: 1000, 8: 1000, 16: 1000}, 3)
    post(api, machine, "6.16", {4: 1000, 32: 1000}, 3)
    post(api, machine, "6.17", {4: 1000, 32: 1300}, 3)
    for more in ({}, {"param.size_kib": "32"}):
        row = rows(api, machine, "6.16", "6.17", **more)[32]
        assert row["why"]["source"] == "siblings" and row["verdict"] == "regression"


def test_without_boots_history_or_siblings_the_row_says_what_is_missing(api, machine):
    post(api, machine, "6.16", {4: 1000}, 4, reps=1)
    post(api, machine, "6.17", {4: 1050}, 4, reps=1)
    row = rows(api, machine, "6.16", "6.17")[4]
    assert row["verdict"] == "inconclusive" and row["p"] is None and row["change_percent"] is not None
    assert "1 boot each, no history: 2 more boots would show >= 3 %" in row["why"]["text"]
    # repetitions of that boot do not stand for other boots
    post(api, machine, "6.18", {4: 1000}, 4)
    post(api, machine, "6.19", {4: 1060}, 4)
    row = rows(api, machine, "6.18", "6.19")[4]
    assert row["verdict"] == "inconclusive" and row["why"]["source"] == "repetitions" and row["p"] > .05


def test_boots_that_history_contradicts_stand_alone(api, machine):
    for kernel in KERNELS:
        post(api, machine, kernel, {4: 1000}, 5, tau=.001, sigma=.001)
    for boot, factor in enumerate((.9, 1, 1.12, 1.05)):
        post(api, machine, "6.16", {4: 1000 * factor}, 5, boot=boot, tau=0, sigma=.001)
        post(api, machine, "6.17", {4: 1030 * factor}, 5, boot=boot, tau=0, sigma=.001)
    row = rows(api, machine, "6.16", "6.17")[4]
    assert row["why"]["source"] == "boots" and "does not count" in row["why"]["text"] and row["verdict"] == "inconclusive"


def test_the_direction_that_is_better_turns_the_verdict_and_nothing_else(api):
    answers = []
    for better in ("lower", "higher"):
        machine = next(names)
        rng = random.Random(7)
        for kernel, center in (("6.16", 100), ("6.17", 110)):
            for boot in range(3):
                api.store(submission(kernel, machine, boot_id=f"{machine}{kernel}{boot}", results=[
                    {"benchmark": "verdict/turn", "params": {"size_kib": 4}, "metric": f"m-{better}", "unit": "x",
                     "better": better, "values": [center * (1 + rng.gauss(0, .003)) for _ in range(3)]}]))
        answers.append(rows(api, machine, "6.16", "6.17")[4])
    lower, higher = answers
    assert (lower["verdict"], higher["verdict"]) == ("regression", "improvement")
    for key in ("change_percent", "change_ci", "p", "noise_percent", "detectable_percent"):
        assert lower[key] == pytest.approx(higher[key], rel=1e-9)


def test_many_rows_are_judged_by_what_was_learned(api, machine, database):
    centers = {size: 1000 for size in range(1, 1201)}
    for kernel in KERNELS[:12] + ["6.16"]:
        post(api, machine, kernel, centers, 6)
    post(api, machine, "6.17", {**centers, 7: 1600}, 6)
    before = api.json(COMPARE, params={"base": "6.16", "head": "6.17", "machine": machine})
    assert len(before["rows"]) == 1200
    done = command("rebuild", "--db", database)
    assert "the noise of" in done.stdout
    after = rows(api, machine, "6.16", "6.17")
    assert after[7]["why"]["source"] == "history" and after[7]["verdict"] == "regression"
    assert sum(row["verdict"] == "regression" for row in after.values()) <= 3
    few = rows(api, machine, "6.16", "6.17", **{"param.size_kib": ["7"]})
    assert few[7]["noise_percent"] == pytest.approx(after[7]["noise_percent"], rel=.6), "samples and table tell the same"
    assert "the noise of" not in command("rebuild", "--db", database).stdout, "twice is once"


def test_watch_learns_what_it_checks(api, machine, database, tmp_path):
    for kernel in KERNELS:
        post(api, machine, kernel, {4: 1000}, 8)
    watch = Process("watch", "--db", database, log=tmp_path / "watch.log").start()
    try:
        wait_until(lambda: not sql(database, "SELECT 1 FROM run_todo LIMIT 1"), "all runs are checked and packed")
    finally:
        watch.stop()
    ((kernels, variance),) = sql(database, """
        SELECT n.kernels, n.variance FROM series_noise n JOIN series s ON s.id = n.series_id
        JOIN machine m ON m.id = s.machine_id WHERE m.name = %s""", machine)
    assert kernels >= 12 and .003 < variance ** .5 < .03


def test_the_summary_explains_its_mean_and_its_family(api, machine):
    for boot in range(3):
        post(api, machine, "6.16", {4: 1000, 8: 1000, 16: 1000}, 9, boot=boot, tau=.002, sigma=.002)
        post(api, machine, "6.17", {4: 1200, 8: 800, 16: 1000}, 9, boot=boot, tau=.002, sigma=.002)
    query = {"base": "6.16", "head": "6.17", "machine": machine}
    why = api.json(COMPARE, params={**query, "explain": 1})["summary"]["why"]
    assert why["family"] == 3 and why["signs_disagree"] is True and why["expected_false"] == pytest.approx(.1)
    assert why["geomean_ci"][0] < api.json(COMPARE, params=query)["summary"]["geomean_percent"] < why["geomean_ci"][1]
    text = " ".join(api.get(COMPARE + ".txt", params=query).text.split())
    assert "Signs disagree" in text and "Of 2 claims over 3 tests at most 0.1 are false, on average." in text


def test_a_trend_s_points_have_intervals_from_its_own_history(api, machine):
    for i, kernel in enumerate(KERNELS):
        post(api, machine, kernel, {4: 1000 if i < 7 else 1500}, 10, reps=1)
    (series,) = api.json("/api/v1/trend", params={"machine": machine})["series"]
    for y, lo, hi in zip(series["y"], series["lo"], series["hi"]):
        assert lo < y < hi and 1.01 < hi / lo < 1.2, "noise of some 1 %, of which the step is no part"
    for kernel in KERNELS[:4]:
        post(api, machine, kernel, {8: 1000}, 10, reps=1)
    (series,) = api.json("/api/v1/trend", params={"machine": machine, "param.size_kib": "8"})["series"]
    assert set(series["lo"]) == {None}, "of four kernels nobody can know"
