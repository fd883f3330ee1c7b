# SPDX-License-Identifier: GPL-2.0-or-later
"""
What watch makes of whole stories, through the HTTP API of a real server on a real PostgreSQL:

  story   6.16 and 6.17-rc1 on three machines: exactly two alerts, and what the revert restores
  quiet   series in which nothing happens, fed run by run: how many alerts there are all the same
  found   series with steps, fed run by run with the same configuration: how many of the steps are found

make replay SEEDS=20 runs the first two. Exit code 1 where less is shown than is demanded.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "http"))
import harness  # noqa: E402
import lab as labs  # noqa: E402
import quiet  # noqa: E402
import story  # noqa: E402
from harness import sql  # noqa: E402

SUSPECTS, ALERTS, WITHIN, LOST = 30, 12, 5, .02


def wait_checked(lab):
    harness.wait_until(lambda: not sql(lab.db, "SELECT 1 FROM run_todo WHERE what = 'check' LIMIT 1"), "all is checked", timeout=600)


def look(lab):
    """id -> (state, kind, benchmark) of all alerts."""
    return {str(i): rest for i, *rest in sql(lab.db, "SELECT a.id, a.state, a.direction, b.name FROM alert a"
                                                     " JOIN benchmark b ON b.id = a.benchmark_id")}


def one_story(lab, seed):
    """What is wrong with the alerts of this seed; and a line of what they say."""
    tale, wrong = story.Story(seed), []
    lab.watch()
    for upload in tale.kernels():
        lab.api.store(upload)
        wait_checked(lab)
    alerts = lab.alerts()
    told = [a for a in alerts if a["state"] == "new"]
    if len(alerts) != len(told):
        wrong.append(f"{len(alerts) - len(told)} suspects left")
    kinds = sorted((a["kind"], a["benchmark"], *a["machines"]) for a in told)
    if kinds != [("improvement", "mprotect/thp-total", "milanx-01", "rome-01"),
                 ("regression", "mprotect/tw4m", "milan-01", "rome-01")]:
        return wrong + [f"alerts: {kinds}"], ""
    worse = next(a for a in told if a["kind"] == "regression")
    if lab.api.json("/api/v1/alerts", params={"kind": "improvement"})["alerts"] != [a for a in told if a != worse]:
        wrong.append("the improvement is not in the list of its own")
    for upload in tale.revert():
        lab.api.store(upload)
    wait_checked(lab)
    mail = lab.api.json(f"/api/v1/alerts/{worse['id']}/mail.json")
    extent = re.search(r": (.*) since", mail["subject"]).group(1)
    if extent != "from 40 KiB, up to +150 %":
        wrong.append("extent")
    revert = " ".join(fact["text"] for fact in mail["facts"] if fact["name"] == "revert")
    said = re.search(r"per page: restores (\d+) % \(±\d+\), \+(\d+) % \(±\d+\) remains", revert)
    if not said or abs(int(said.group(1)) - 87) > 2 or abs(int(said.group(2)) - 19) > 2:
        wrong.append("restores")
    if len(lab.alerts()) != 2:
        wrong.append("the revert made alerts")
    return wrong, f"{extent}; {said.group(0) if said else revert}"


def stories(new_lab, seeds):
    good, begun = 0, time.monotonic()
    print("seed  alerts of the story")
    for seed in seeds:
        lab = new_lab()
        wrong, line = one_story(lab, seed)
        lab.close()
        good += not wrong
        print(f"{seed:4}  {'ok   ' if not wrong else 'WRONG'} {line}{' <- ' + ', '.join(wrong) if wrong else ''}", flush=True)
    print(f"{good} of {len(seeds)} seeds as demanded (95 %), {time.monotonic() - begun:.0f} s")
    return good >= .95 * len(seeds)


def feed(lab, series, alone):
    """Run by run. (alerts that were ever suspects, ever told, by index when the series was first named in which alert)"""
    suspects, told, found = set(), set(), {}
    lab.watch()
    for i in range(max(s["n"] for s in series.values())):
        lab.api.store(*quiet.uploads(series, i, alone))
        wait_checked(lab)
        for id, (state, *_) in look(lab).items():
            (suspects if state == "suspect" else told).add(id)
        for name, to, state in sql(lab.db, "SELECT b.name, k.name, a.state FROM alert_member m JOIN alert a ON a.id = m.alert_id"
                                           " JOIN series s ON s.id = m.series_id JOIN benchmark b ON b.id = s.benchmark_id"
                                           " JOIN kernel k ON k.id = m.to_kernel_id"):
            key = name.split("/")[1], int(to.split(".")[1]), state != "suspect"
            found.setdefault(key, i + 1)
    return suspects, told, found


def quiets(new_lab, seeds, count, most, folder, alone):
    ok = True
    print(f"seed  runs  suspects (<= {SUSPECTS})  alerts (<= {ALERTS})")
    for seed in seeds:
        begun, lab = time.monotonic(), new_lab()
        series = quiet.generate(seed, count, 1, most, folder)
        suspects, told, _ = feed(lab, series, alone)
        lab.close()
        good = len(suspects) <= SUSPECTS * count / 1000 and len(told) <= ALERTS * count / 1000
        ok &= good
        print(f"{seed:4}  {sum(s['n'] for s in series.values())}  {len(suspects):8}  {len(told):8}  {'ok' if good else 'MISSED'}"
              f"  {time.monotonic() - begun:.0f} s", flush=True)
    return ok


def detector(series, folder):
    """What `nsecwatch detect --online` says: {(name, index, told): runs seen}."""
    path = folder / "detect.json"
    path.write_text(json.dumps({"series": {name: {key: s[key][:s["n"]] for key in ("values", "sd", "reps")}
                                           for name, s in series.items()}}))
    done = subprocess.run([harness.BUILD / "nsecwatch", "detect", "--online", path], check=True, capture_output=True, text=True)
    return {(name, index, True): seen for name, list_ in json.loads(done.stdout).items() for seen, index in list_}


def recall(series, found, only_told):
    """Of the steps of 5 % and up with at least WITHIN runs behind them: how many, and the share named within WITHIN runs."""
    of = hit = 0
    for name, s in series.items():
        mine = [(index, seen) for (who, index, told), seen in found.items() if who == name and (told or not only_told)]
        ends = [step["index"] for step in s["steps"]][1:] + [s["n"]]
        for step, end in zip(s["steps"], ends):
            if abs(step["pct"]) >= 5 and end - step["index"] >= WITHIN:
                of += 1
                hit += any(abs(index - step["index"]) <= 5 and 0 < seen - step["index"] <= WITHIN for index, seen in mine)
    return of, hit / of


def founds(new_lab, seeds, count, most, folder, alone):
    ok = True
    print(f"seed  steps  found within {WITHIN} runs: by change detection  by alerts and suspects (at most {LOST} less)  told")
    for seed in seeds:
        begun, lab = time.monotonic(), new_lab()
        series = quiet.generate(seed, count, .3, most, folder)
        _, _, found = feed(lab, series, alone)
        lab.close()
        of, known = recall(series, detector(series, folder), False)
        shown, told = recall(series, found, False)[1], recall(series, found, True)[1]
        ok &= shown >= known - LOST
        print(f"{seed:4}  {of:5}  {known:.3f}  {shown:.3f}  {told:.3f}  {'ok' if shown >= known - LOST else 'MISSED'}"
              f"  {time.monotonic() - begun:.0f} s", flush=True)
    return ok


def seeds_of(text):
    """"20": 1 to 20; "900-909"."""
    first, _, last = text.partition("-")
    return range(int(first), int(last) + 1) if last else range(1, int(first) + 1)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("what", nargs="+", choices=["story", "quiet", "found"])
    ap.add_argument("--seeds", default="20", help="of the stories: N (1 to N) or FROM-TO")
    ap.add_argument("--quiet-seeds", default="901-903")
    ap.add_argument("--count", type=int, default=1000, help="quiet series a seed")
    ap.add_argument("--most", type=int, default=60, help="their first runs")
    ap.add_argument("--alone", action="store_true", help="each series on a machine of its own")
    a = ap.parse_args()
    if not (harness.SHARED / "detect/gen.py").exists():
        print(f"replay: SKIPPED, there is no {harness.SHARED} with the story's figures and the generator")
        return 77
    postgres, made = harness.Postgres(), []
    ok = True
    with tempfile.TemporaryDirectory(prefix="nsw-replay-") as name:
        folder = pathlib.Path(name)

        def new_lab():
            made.append(folder / str(len(made)))
            made[-1].mkdir()
            return labs.Lab(postgres, made[-1])

        try:
            for what in a.what:
                ok &= (stories(new_lab, seeds_of(a.seeds)) if what == "story" else (quiets if what == "quiet" else founds)(
                    new_lab, seeds_of(a.quiet_seeds), a.count, a.most, folder, a.alone))
        finally:
            postgres.remove()
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
