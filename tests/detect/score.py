# SPDX-License-Identifier: GPL-2.0-or-later
"""Change detection against labelled series: what is found, what is false, how soon, how fast.

Runs `nsecwatch detect` on the series of SHARED/detect (made by its gen.py, real ones, and
TCPD) and prints its score.py's figures beside what is demanded. The scorer's own, whole output
is kept in BUILD/detect-score/. Exit code 1 where a demand is not met, 77 without the data.
"""
import argparse
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("BUILD", "build")
SHARED = Path(os.environ.get("NSECWATCH_SHARED", ROOT.parent / "shared")) / "detect"
WORK = BUILD / "detect-score"
missed = []


def load(name):
    spec = importlib.util.spec_from_file_location(name, SHARED / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def detect(path, *options):
    return json.loads(subprocess.run([BUILD / "nsecwatch", "detect", *options, path], check=True, capture_output=True).stdout)


def row(what, value, demand=None, least=True, digits=3):
    """One line of a table; a demand that is not met is remembered."""
    shown = "-" if value is None else f"{value:.{digits}f}"
    if demand is None:
        print(f"  {what:<44} {shown:>8}")
        return
    good = value is not None and (value >= demand if least else value <= demand)
    print(f"  {what:<44} {shown:>8}   {'>=' if least else '<='} {demand:g}{'' if good else '   MISSED'}")
    if not good:
        missed.append(what)


def scored(score, name, truth, pred, online=False):
    res, _ = (score.score_online if online else score.score_offline)(truth, pred)
    with open(WORK / f"{name}.json", "w") as f:
        json.dump(res, f, indent=1)
    return res


def suspects(score, truth, found):
    """Of the steps >= 5 % that were found: does the suspect range hold the first bad run, its width, the direction."""
    held, width, right, n = 0, [], 0, 0
    for name, s in truth["series"].items():
        steps = {t["index"]: t for t in s["steps"]}
        places = {f["index"]: f for f in found[name]}
        for true, said in score.true_positives(list(steps), list(places), 5):
            if abs(steps[true]["pct"]) < 5:
                continue
            f = places[said]
            n += 1
            held += f["lo"] <= true <= f["hi"]
            width.append(f["hi"] - f["lo"] + 1)
            right += (f["percent"] > 0) == (steps[true]["pct"] > 0)
    return held / n, score.quantile(width, 0.5), right / n


def rate(res, key):
    return res["recall"].get(key, {}).get("rate")


def offline(score, name, title, truth, path, demands):
    found = detect(path, "--json")
    res = scored(score, name, truth, {k: [f["index"] for f in v] for k, v in found.items()})
    d = demands or {}
    print(f"\n{title}: {res['series']} series")
    row("F1", res["f1_tcpd"], d.get("f1"))
    row("covering", res["covering"], d.get("covering"))
    row("micro F1", res["micro_f1"], d.get("micro"))
    row("false per 1000 runs, quiet series", res["fp_per_1000_quiet"], d.get("quiet"), least=False)
    row("false per 1000 runs, all", res["fp_per_1000"], d.get("all"), least=False)
    if any("steps" in s and s["steps"] for s in truth["series"].values()):
        row("recall: steps >= 5 %", rate(res, "ge5"), d.get("ge5"))
        row("recall: steps of 2-5 %", rate(res, "2to5"), d.get("2to5"))
        row("recall: detectable (z >= 5)", rate(res, "all_detectable"), d.get("detectable"))
        row("recall: in the last 5 runs", rate(res, "tail_le5"))
        held, width, right = suspects(score, truth, found)
        row(">= 5 %: suspects hold the first bad run", held, d.get("held"))
        row(">= 5 %: suspects, median", width, d.get("width"), least=False, digits=0)
        row(">= 5 %: direction right", right, d.get("right"), digits=4)
    return found


def online(score, name, title, truth, path, demands):
    res = scored(score, name + "_online", truth, detect(path, "--online"), online=True)
    d = demands or {}
    print(f"\n{title}, fed run by run")
    row("false per 1000 runs", res["false_per_1000"], d.get("false"), least=False)
    row("false per 1000 runs, quiet series", res["false_per_1000_quiet"])
    row(">= 5 %: found within 5 runs", res["det_at_k_ge5pct"][5]["rate"], d.get("within5"))
    row(">= 5 %: latency, median", res["latency_ge5_median"], d.get("median"), least=False, digits=1)
    row(">= 5 %: latency, 90 %", res["latency_ge5_p90"], d.get("p90"), least=False, digits=1)
    row("said again", res["duplicates"], digits=0)


def fresh(seeds, count):
    """Series of all seeds in one document: pooled is scored as one."""
    series = {}
    for seed in seeds:
        out = WORK / f"seed{seed}.json"
        subprocess.run([sys.executable, SHARED / "gen.py", "--seed", str(seed), "--count", str(count), "--prefix",
                        f"seed{seed}-", "--out", out], check=True, stdout=subprocess.DEVNULL)
        series.update(json.loads(out.read_text())["series"])
        out.unlink()
    pooled = WORK / "fresh-series.json"
    pooled.write_text(json.dumps({"series": series}))
    return {"series": series}, pooled


def times(demands):
    lines = subprocess.run([BUILD / "detect_time"], check=True, capture_output=True, text=True).stdout.split()
    print("\nms per series on one core (judged at twice the demand: machines are noisy)")
    for name, us in zip(lines[::2], lines[1::2]):
        row(name.replace("append-400", "one run appended, n = 400"), float(us) / 1000, 2 * demands[name], least=False)


def tcpd(score):
    truth = json.loads((SHARED / "tcpd" / "tcpd_univariate.json").read_text())
    published = json.loads((SHARED / "tcpd" / "published.json").read_text())["series"]
    path = WORK / "tcpd-series.json"
    path.write_text(json.dumps(truth))
    found = {k: [f["index"] for f in v] for k, v in detect(path, "--json").items()}
    for name, title, wanted, f1, covering in [
            ("tcpd25", "TCPD, those with published results", lambda k, s: k in published, 0.64, 0.575),
            ("qc", "TCPD, quality control", lambda k, s: s.get("group") == "qc", 0.94, None)]:
        part = {"series": {k: s for k, s in truth["series"].items() if wanted(k, s)}}
        res = scored(score, name, part, found)
        print(f"\n{title}: {res['series']} series")
        row("F1", res["f1_tcpd"], f1)
        row("covering", res["covering"], covering)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seeds", default="900-909", help="of the fresh series: FROM-TO")
    ap.add_argument("--count", type=int, default=300, help="series a seed")
    a = ap.parse_args()
    if not (SHARED / "score.py").exists():
        print(f"detect-score: SKIPPED, there is no {SHARED} with the labelled series")
        return 77
    WORK.mkdir(parents=True, exist_ok=True)
    score = load("score")
    first, last = map(int, a.seeds.split("-"))
    truth, path = fresh(range(first, last + 1), a.count)
    title = f"gen.py, seeds {a.seeds}, pooled"
    offline(score, "fresh", title, truth, path,
            {"f1": .895, "covering": .915, "micro": .76, "quiet": .4, "all": .6, "ge5": .9, "2to5": .5, "detectable": .9,
             "held": .95, "width": 1, "right": .995})
    online(score, "fresh", title, truth, path, {"false": 1.2, "within5": .9, "median": 2, "p90": 4})
    truth = json.loads((SHARED / "dev.json").read_text())
    offline(score, "dev", "dev.json", truth, SHARED / "dev.json", None)
    online(score, "dev", "dev.json", truth, SHARED / "dev.json", None)
    offline(score, "real_dev", "real_dev.json", json.loads((SHARED / "real_dev.json").read_text()), SHARED / "real_dev.json", None)
    tcpd(score)
    times({"100-200": .25, "200-400": .5, "1000": 2, "append-400": .1})
    print(f"\nThe scorer's whole output: {WORK}/*.json")
    print(f"MISSED: {', '.join(missed)}" if missed else "All demands are met.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
