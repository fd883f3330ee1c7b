# SPDX-License-Identifier: GPL-2.0-or-later
"""`nsecwatch bisect`: steps judged by files, by a server, and by `git bisect run` on a made-up repository."""
import html
import json
import random
import re
import stat
import subprocess
import xml.etree.ElementTree as ET

import pytest

from harness import BUILD, PATIENCE

CLIENT = BUILD / "nsecwatch"
NOTHING = {"PATH": "/usr/local/bin:/usr/bin:/bin", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}


def run(kernel, boot, level, seed, machine="milan-01", thp="always", better="lower", **environment):
    """One boot: two sizes, three repetitions each; boots differ by 1 %, repetitions by 0.2 %."""
    rng = random.Random(f"{kernel} {boot} {seed}")
    shift = level * (1 + rng.gauss(0, .01))
    return {"schema": "nsecwatch.submission/1", "machine": {"name": machine}, "kernel": kernel, "config": {"thp": thp},
            "environment": {"governor": "performance", "cmdline": f"BOOT_IMAGE=/vmlinuz-{kernel} ro", **environment},
            "boot_id": f"{kernel}/{boot}", "started_at": "2026-02-13T15:08:00Z",
            "results": [{"benchmark": "mm/one", "params": {"size_kib": size}, "metric": "latency", "unit": "ns/call",
                         "better": better, "values": [1000 * shift * (1 + rng.gauss(0, .002)) for _ in range(3)]}
                        for size in (4, 40)]}


def boots(kernel, level, n, **more):
    return [run(kernel, boot, level, 1, **more) for boot in range(n)]


class Lab:
    """A folder, and the client in it."""

    def __init__(self, folder, env=None):
        self.folder, self.env = folder, {**NOTHING, **(env or {})}

    def file(self, name, runs):
        (self.folder / name).write_text(json.dumps(runs))
        return name

    def bisect(self, *args):
        done = subprocess.run([CLIENT, "bisect", *args], capture_output=True, text=True, cwd=self.folder, env=self.env,
                              timeout=PATIENCE)
        return done.returncode, done.stdout, done.stderr

    def start(self, *args, good=1., bad=1.03, n=5):
        self.file("good.json", boots("6.16", good, n))
        self.file("bad.json", boots("6.17-rc1", bad, n))
        return self.bisect("start", "--good", "good.json", "--bad", "bad.json", *args)

    def judge(self, *runs, args=()):
        return self.bisect("judge", self.file("here.json", list(runs)), *args)

    def state(self):
        return json.loads(self.bisect("log", "--json")[1])


@pytest.fixture
def lab(tmp_path):
    return Lab(tmp_path)  # not conftest's, which has a server


def until_told(lab, kernel, level, most=30):
    """Boot after boot, as a script would."""
    for boot in range(most):
        code, out, err = lab.judge(run(kernel, boot, level, 7))
        if code != 125:
            return code, boot + 1, out
        assert "wanted" in out, out + err
    raise AssertionError(out)


def test_steps_are_judged_by_files_alone(lab):
    code, out, err = lab.start()
    assert code == 0 and "6.16 to 6.17-rc1: +" in out and "judged by 2 series" in out and not err
    code, n_good, out = until_told(lab, "6.16.0-rc3", 1.)
    assert code == 0 and re.search(r"good, (> )?99\.\d\d % sure", out)
    code, n_bad, out = until_told(lab, "6.16.0-rc5", 1.03)
    assert code == 1 and re.search(r"bad, (> )?99\.\d\d % sure", out)
    state = lab.state()
    assert [(s["kernel"], s["state"], len(s["boots"])) for s in state["steps"]] == [
        ("6.16.0-rc3", "good", n_good), ("6.16.0-rc5", "bad", n_bad)]
    assert state["log"][-1]["probability_bad"] > .99 and state["log"][-1]["boots"] == n_bad


def test_while_it_is_unsure_it_asks_for_boots_and_a_script_can_tell(lab):
    lab.start(bad=1.02)
    code, out, _ = lab.judge(run("6.16.0-rc3", 0, 1.01, 7))
    assert code == 125 and "unsure (" in out and "wanted; boot again" in out
    code, out, _ = lab.judge(run("6.16.0-rc3", 1, 1.01, 7), args=["--unsure", "75", "--json"])
    assert code == 75 and json.loads(out)["state"] == "more" and json.loads(out)["boots"] == 2


def test_repetitions_of_a_boot_are_no_more_boots_and_nothing_counts_twice(lab):
    lab.start(bad=1.02)
    first = run("6.16.0-rc3", 0, 1.01, 7)
    again = {**run("6.16.0-rc3", 0, 1.01, 7), "started_at": "2026-02-13T16:00:00Z"}
    lab.judge(first)
    _, out, err = lab.judge(first)
    assert "1 boot," in out and "judged before" in err
    _, out, err = lab.judge(again)
    (step,) = lab.state()["steps"]
    assert "1 boot," in out and not err and len(step["boots"]) == 1 and step["boots"][0]["n"] == [6, 6]


def test_what_cannot_be_told_ends_after_so_many_boots(lab):
    lab.start("--max-boots", "3", bad=1.004)
    for boot in range(3):
        code, out, _ = lab.judge(run("6.16.0-rc3", boot, 1.002, 7))
        assert code == 125
    assert "can't tell after 3 boots" in out and lab.state()["steps"][0]["state"] == "skip"


@pytest.mark.parametrize("change, said", [
    ({"governor": "powersave"}, 'environment.governor was "performance", is "powersave"'),
    ({"thp": "never"}, 'thp was "always", is "never"'),
    ({"machine": "rome-01"}, 'machine was "milan-01", is "rome-01"'),
    ({"cmdline": "BOOT_IMAGE=/vmlinuz-x ro mitigations=off"}, "mitigations=off"),
])
def test_it_refuses_when_more_than_the_kernel_changed(lab, change, said):
    lab.start()
    code, out, err = lab.judge(run("6.16.0-rc3", 0, 1.03, 7, **change))
    assert code == 125 and "refused: not only the kernel changed" in err and said in err and not out
    assert lab.state()["steps"] == [] and lab.state()["log"][-1]["state"] == "refused"
    key = said.split()[0] if " was" in said else "cmdline"
    assert "refused" not in lab.judge(run("6.16.0-rc3", 0, 1.03, 7, **change), args=["--ignore", key])[2]


def test_what_a_kernel_changes_by_itself_is_no_other_machine(lab):
    lab.start()
    _, _, err = lab.judge(run("6.16.0-rc3", 0, 1.03, 7, kernel_version="Linux version 6.16", config_sha256="00",
                              tainted="512", mitigations={"its": "Mitigation: x"}))
    assert not err


def test_more_boots_of_a_baseline_join_it(lab):
    lab.start(n=2)
    code, out, _ = lab.judge(*boots("6.17-rc1", 1.03, 6))
    assert code == 1 and "its baseline has 6 boots now" in out and len(lab.state()["bad"]["boots"]) == 6


def test_higher_is_better_is_understood(lab):
    lab.file("good.json", boots("6.16", 1, 5, better="higher"))
    lab.file("bad.json", boots("6.17-rc1", .97, 5, better="higher"))
    assert lab.bisect("start", "--local", "--good", "good.json", "--bad", "bad.json")[0] == 0
    for boot in range(9):
        code, out, _ = lab.judge(run("6.16.0-rc3", boot, .97, 7, better="higher"))
        if code != 125:
            break
    assert code == 1 and "+3" in out or "+2" in out


@pytest.mark.parametrize("args, said", [
    ({"bad": .9}, "is not worse than"),
    ({"n": 1}, "at least 2 each are needed"),
])
def test_start_refuses_what_cannot_be_bisected(lab, args, said):
    code, _, err = lab.start(**args)
    assert code == 1 and said in err


def test_start_picks_and_refuses_baselines_that_differ(lab):
    lab.file("both.json", boots("6.16", 1, 5) + boots("6.17-rc1", 1.03, 5))
    code, out, _ = lab.bisect("start", "--good", "v6.16", "--bad", "6.17-rc1", "--param", "size_kib=40", "both.json")
    assert code == 0 and "judged by 1 series:" in out and '"size_kib":40' in out
    assert "is under way" in lab.bisect("start", "--good", "v6.16", "--bad", "6.17-rc1", "both.json")[2]
    code, _, err = lab.bisect("start", "--again", "--good", "6.16", "--bad", "6.18", "both.json")
    assert code == 1 and "no results of 6.18" in err
    lab.file("mixed.json", boots("6.16", 1, 5) + boots("6.17-rc1", 1.03, 5, governor="powersave"))
    code, _, err = lab.bisect("start", "--again", "--good", "6.16", "--bad", "6.17-rc1", "mixed.json")
    assert code == 1 and "the baselines differ in more than the kernel: environment.governor" in err
    again = ["start", "--again", "--ignore", "governor"]
    assert lab.bisect(*again, "--good", "6.16", "--bad", "6.17-rc1", "mixed.json")[0] == 0


def test_what_a_person_has_to_see_to_stops_git_bisect(lab):
    """1 to 124 would call the commit bad."""
    assert lab.bisect("judge", "x.json")[0] == 128
    lab.start()
    assert lab.bisect("judge", "--bogus")[0] == 128
    assert lab.bisect("judge", "not-there.json")[0] == 125  # this kernel could not be measured
    (lab.folder / "empty.json").write_text("")
    assert lab.bisect("judge", "empty.json")[0] == 125
    whole = (lab.folder / ".nsecwatch-bisect" / "bisect.json").read_text()
    for text in ["", "{}", whole[: len(whole) // 2], whole.replace('"sum":[', '"sum":["x",'),
                 whole.replace('"error":0.01', '"error":7'), whole.replace('"n":[3', '"n":[0')]:
        (lab.folder / ".nsecwatch-bisect" / "bisect.json").write_text(text)
        code, _, err = lab.judge(run("6.16.0-rc3", 0, 1, 7))
        assert code == 128 and "bisect.json" in err, text[:100]


def test_the_log_is_text_a_picture_and_a_page(lab):
    lab.start()
    until_told(lab, "6.16.0-rc3", 1.)
    _, text, _ = lab.bisect("log")
    assert all(len(line) <= 72 for line in text.splitlines()) and "good" in text and "6.16.0-rc3" in text
    _, svg, _ = lab.bisect("log", "--svg")
    root = ET.fromstring(svg)
    n = sum(len(s["boots"]) for s in [lab.state()["good"], lab.state()["bad"], *lab.state()["steps"]])
    assert len(root.findall("{*}circle")) == n == 10 + len(lab.state()["steps"][0]["boots"])
    assert "6.16.0-rc3" in svg and "% sure" in svg
    _, page, _ = lab.bisect("log", "--html")
    assert page.startswith("<!DOCTYPE html>") and "<svg" in page and "<script" not in page and "6.16.0-rc3" in page
    assert html.unescape(page.split("<pre>")[1].split("</pre>")[0]) == text


# ---- git bisect run ----

MEASURE = """#!/bin/sh
# a boot of the kernel that is checked out: its level stands in a file
n=$(cat "$LAB/boots" 2>/dev/null || echo 0); echo $((n + 1)) > "$LAB/boots"
exec /usr/bin/python3 - "$(git rev-parse --short=12 HEAD)" "$n" "$(cat level)" <<'END'
import json, random, sys
sha, boot, level = sys.argv[1], sys.argv[2], float(sys.argv[3])
rng = random.Random(boot)
shift = level * (1 + rng.gauss(0, .01))
print(json.dumps({"schema": "nsecwatch.submission/1", "machine": {"name": "milan-01"}, "kernel": "6.16.0-rc1-00007-g" + sha,
    "config": {"thp": "always"}, "environment": {"governor": "performance"}, "boot_id": sha + boot,
    "started_at": "2026-02-13T15:08:00Z", "results": [{"benchmark": "mm/one", "params": {"size_kib": s}, "metric": "latency", "unit": "ns/call", "better": "lower",
                 "values": [1000 * shift * (1 + rng.gauss(0, .002)) for _ in range(3)]} for s in (4, 40)]}))
END
"""


def git(folder, *args, env=NOTHING):
    done = subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", folder, *args], capture_output=True,
                          text=True, env=env, timeout=PATIENCE)
    return done


@pytest.fixture
def repository(tmp_path):
    """13 commits; the eighth brings the step."""
    folder = tmp_path / "linux"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    shas = []
    for n in range(13):
        (folder / "level").write_text("1.03" if n >= 7 else "1.0")
        (folder / "count").write_text(str(n))
        git(folder, "add", ".")
        assert git(folder, "commit", "-q", "-m", f"commit {n}").returncode == 0
        shas.append(git(folder, "rev-parse", "HEAD").stdout.strip())
    measure = tmp_path / "measure"
    measure.write_text(MEASURE)
    measure.chmod(measure.stat().st_mode | stat.S_IXUSR)
    return folder, shas, measure


def test_git_bisect_run_finds_the_commit(repository, tmp_path):
    folder, shas, measure = repository
    lab = Lab(folder, {"LAB": str(tmp_path), "NSECWATCH_STATE": str(tmp_path / "state")})
    code, out, err = lab.start()
    assert code == 0, err
    git(folder, "bisect", "start", shas[-1], shas[0])
    done = git(folder, "bisect", "run", CLIENT, "bisect", "judge", "--run", measure, env=lab.env)
    assert f"{shas[7]} is the first bad commit" in done.stdout, done.stdout + done.stderr
    state = lab.state()
    assert {s["commit"] for s in state["steps"]} < set(shas) and all(s["state"] in ("good", "bad") for s in state["steps"])
    assert all(("bad" if shas.index(s["commit"]) >= 7 else "good") == s["state"] for s in state["steps"])
    assert shas[7][:12] in lab.bisect("log")[1]


def test_a_kernel_of_another_commit_is_refused(repository, tmp_path):
    """The new one was not booted: then the old one would be judged in its place."""
    folder, shas, measure = repository
    lab = Lab(folder, {"NSECWATCH_STATE": str(tmp_path / "state")})
    lab.start()
    git(folder, "bisect", "start", shas[-1], shas[0])
    code, _, err = lab.judge(run("6.16.0-rc1-00003-g0123456789ab", 0, 1, 7))
    assert code == 125 and "was the new one booted?" in err
    here = git(folder, "rev-parse", "--short=12", "HEAD").stdout.strip()
    code, _, err = lab.judge(run("6.16.0-rc1-00003-g" + here, 0, 1, 7))
    assert not err


def test_a_command_that_never_boots_is_told(lab):
    lab.start(bad=1.02)
    lab.file("fixed.json", run("6.16.0-rc3", 0, 1.01, 7))
    code, _, err = lab.bisect("judge", "--run", "cat fixed.json")
    assert code == 125 and "in the same boot again and again" in err
    code, _, err = lab.bisect("judge", "--run", "exit 3")
    assert code == 125 and "ended with 3" in err


# ---- a server ----

def test_a_server_has_the_baselines_and_the_steps(server, api, tokens, tmp_path):
    for one in boots("6.3", 1, 5) + boots("6.4-rc1", 1.03, 5) + boots("6.4-rc1", 2, 5, machine="rome-01"):
        api.store(one)
    lab = Lab(tmp_path, {"NSECWATCH_URL": server.url, "NSECWATCH_TOKEN": tokens("read")})
    pick = ["--benchmark", "mm/one", "--machine", "milan-01"]
    code, out, err = lab.bisect("start", "--good", "v6.3", "--bad", "v6.4-rc1", *pick)
    assert code == 0 and "6.3 to 6.4-rc1: +" in out and "(5 and 5 boots)" in out, err
    for boot in range(20):
        api.store(run("6.3.0-00007-gabcdef012345", boot, 1.03, 7))
        code, out, err = lab.bisect("judge", "--kernel", "6.3.0-00007-gabcdef012345")
        if code != 125:
            break
        assert "wanted" in out
    assert code == 1 and f"{boot + 1} boot" in out
    away = Lab(tmp_path, {"NSECWATCH_URL": "http://127.0.0.1:9", "NSECWATCH_RETRY_FOR": "0"})
    assert away.bisect("judge", "--kernel", "6.3.0-00007-gabcdef012345")[0] == 128  # of the server, not of the commit
    assert lab.bisect("judge", "--kernel", "6.3.0-00008-gabcdef012345")[0] == 125  # of which nothing was pushed
    code, _, err = lab.bisect("start", "--again", "--good", "v6.99", "--bad", "v6.4-rc1", *pick)
    assert code == 1 and "6.99" in err
