# SPDX-License-Identifier: GPL-2.0-or-later
"""The recipes of docs/recipes.md, run as they stand; of what only a lab has there are stand-ins."""
import json
import re
import shutil
import stat
import subprocess

import pytest
import yaml

from harness import BUILD, PATIENCE, ROOT, Process
from test_bisect import boots, git

TEXT = (ROOT / "docs" / "recipes.md").read_text()
SMALL = {"SIZES": "4K"}


def recipe(name):
    found = re.findall(rf"^```[a-z]+ {re.escape(name)}\n(.*?)^```$", TEXT, re.M | re.S)
    assert len(found) == 1, name
    return found[0]


def test_every_recipe_is_tried():
    tried = set(re.findall(r'recipe\("([^"]*)"\)', (ROOT / "tests" / "http" / "test_recipes.py").read_text()))
    assert set(re.findall(r"^```[a-z]+ (.+)$", TEXT, re.M)) == tried


class Job:
    """A machine of the lab: a home, a folder, the server's address, and stand-ins on the PATH."""

    def __init__(self, folder, server, token):
        self.folder = folder
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.env = {"PATH": f"{self.bin}:{BUILD}:/usr/bin:/bin", "HOME": str(folder), "NSECWATCH_URL": server.url,
                    "NSECWATCH_TOKEN": token, "no_proxy": "*", "NSECWATCH_MACHINE": "lab-7",
                    "GIT_CONFIG_GLOBAL": "/dev/null", **SMALL}

    def tool(self, name, text):
        path = self.bin / name
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def sh(self, script, status=0, cwd=None, **env):
        done = subprocess.run(["sh", "-c", script], cwd=cwd or self.folder, capture_output=True, text=True,
                              env={**self.env, **env}, timeout=PATIENCE)
        assert done.returncode == status, f"{script}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr


@pytest.fixture
def job(server, tokens, tmp_path):
    return Job(tmp_path, server, tokens("ingest"))


@pytest.fixture(scope="module")
def base(server, api, tmp_path_factory):
    """A history of the machine, slower than it is by more than a busy one would be; v6.15 was twice as fast."""
    done = subprocess.run([BUILD / "nsecwatch", "bench", "mprotect", "fault", "--sizes", "4K", "--reps", "5",
                           "--machine", "lab-7"], capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"}, timeout=PATIENCE)
    run = json.loads(done.stdout)
    results = run["results"]
    for n in range(7, 17):
        factor = .5 if n == 15 else 1.5 * (1 + .01 * (-1) ** n)
        run["results"] = [{**r, "values": [v * factor for v in r["values"]]} for r in results]
        api.store({**run, "kernel": f"v6.{n}", "boot_id": str(n)})
    return api


def steps_of_github(text):
    one = yaml.safe_load(text)
    return [step["run"] for step in one["jobs"]["perf"]["steps"]], {"BASE": one["env"]["BASE"], "GITHUB_RUN_ID": "11"}


def test_github(job, base):
    steps, env = steps_of_github(recipe("github"))
    for step in steps:
        said = job.sh(step, **env)
    assert said.startswith("PASS"), said
    assert "FAIL" in job.sh(steps[-1], status=3, **{**env, "BASE": "v6.15"})


def test_gitlab(job, base, database, tmp_path):
    one = yaml.safe_load(recipe("gitlab"))["perf"]
    watch = Process("watch", "--db", database, log=tmp_path / "watch.log").start()
    try:
        said = job.sh("set -e\n" + "\n".join(one["script"]), **one["variables"], CI_JOB_ID="12")
    finally:
        watch.stop()
    assert "verdict: " in said and "PASS" in said
    assert (job.folder / one["artifacts"]["paths"][0]).exists()


def test_jenkins(job, base):
    text = recipe("jenkins")
    assert text.count("{") == text.count("}")
    env = {"BASE": re.search(r"BASE = '(.*)'", text).group(1), "BUILD_TAG": "jenkins-13"}
    measure, judge = re.findall(r"'''\n(.*?)'''", text, re.S)
    job.sh("set -e\n" + measure, **env)
    assert "PASS" in job.sh(judge, **env)
    assert "FAIL" in job.sh(judge, status=3, **{**env, "BASE": "v6.15"})


def unit(text):
    """The settings of a unit file."""
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line and not line.startswith("#"))


def test_systemd(job, base, tmp_path):
    service, timer = recipe("nsecwatch.service"), recipe("nsecwatch.timer")
    if shutil.which("systemd-analyze"):
        for name, text in ("nsecwatch.service", service), ("nsecwatch.timer", timer):
            (tmp_path / name).write_text(text)
        done = subprocess.run(["systemd-analyze", "verify", "--recursive-errors=no", tmp_path / "nsecwatch.service",
                               tmp_path / "nsecwatch.timer"], capture_output=True, text=True, timeout=PATIENCE)
        said = [line for line in (done.stdout + done.stderr).splitlines() if "nsecwatch." in line]
        assert not said, said
    settings = unit(service)
    environment = dict(word.split("=", 1) for word in settings["Environment"].split())
    assert environment["THP"] == "never,always"  # of the whole machine, which is not ours here
    environment |= {"THP": "as-is,off", "STATE_DIRECTORY": str(tmp_path), "NSECWATCH_SPOOL": str(tmp_path / "spool"), **SMALL}
    command = re.fullmatch(r"/bin/sh -ec '(.*)'", settings["ExecStart"]).group(1).replace("$$", "$")
    assert job.sh("set -e\n" + command, **environment).count("stored ") == 2
    assert unit(timer)["OnCalendar"] == "*-*-* 03:00"


def test_a_lab_s_shell_job(job, base):
    (job.folder / "nsecwatch.sh").write_text(recipe("job"))
    steps = yaml.safe_load(recipe("lava"))["run"]["steps"]
    said = job.sh("\n".join(steps), BASE="v6.16")
    assert "measure: pass" in said and "send: pass" in said and "regression: pass" in said
    job.tool("lava-test-case", '#!/bin/sh\necho "LAVA $*"\n')
    said = job.sh("\n".join(steps), BASE="v6.15", LAVA_JOB_ID="14")
    assert "LAVA measure --result pass" in said and "LAVA regression --result fail" in said
    (job.bin / "lava-test-case").unlink()
    job.tool("rstrnt-report-result", '#!/bin/sh\necho "BEAKER $*"\n')
    away = {"NSECWATCH_URL": "http://127.0.0.1:9", "NSECWATCH_RETRY_FOR": "0"}
    assert "BEAKER regression SKIP" in job.sh("\n".join(steps), BASE="v6.15", **away)


MACHINE = r"""#!/bin/sh
# the lab's machine: boots what was copied to it, and measures its level
shift
case $* in
"systemctl reboot") echo $(($(cat "$HOME/boots" 2> /dev/null || echo 0) + 1)) > "$HOME/boots" ;;
"cat /proc/sys/kernel/random/boot_id") echo "boot-$(cat "$HOME/boots" 2> /dev/null || echo 0)" ;;
"nsecwatch bench mprotect --sizes 400K --reps 5 --machine lab-7")
	exec /usr/bin/python3 - "$(cat "$HOME/vmlinuz")" "$(cat "$HOME/boots")" << 'END'
import json, random, sys
(sha, level), boot = sys.argv[1].split(), sys.argv[2]
rng = random.Random(boot)
shift = 1000 * float(level) * (1 + rng.gauss(0, .01))
print(json.dumps({"schema": "nsecwatch.submission/1", "machine": {"name": "lab-7"}, "kernel": "6.4.0-rc1-00001-g" + sha,
    "config": {"thp": "always"}, "boot_id": "boot-" + boot, "started_at": "2026-02-13T15:08:00Z",
    "environment": {"governor": "performance"},
    "results": [{"benchmark": "nsecwatch/mprotect", "params": {"size_kib": 400}, "metric": "latency", "unit": "ns/call",
                 "better": "lower", "values": [shift * (1 + rng.gauss(0, .002)) for _ in range(5)]}]}))
END
	;;
*) echo "ssh: $*: not understood" >&2; exit 1 ;;
esac
"""


FASTPATH = """#!/bin/sh
if [ "$2" = list ]; then
	printf '+--+\\n| ID | %s |\\n+--+\\n| Kernel Name | %s |\\n+--+\\n\\n' plain 6.18.1 patched 6.19.0-rc1-lab+
elif [ "$5" = plain ]; then
	printf '| Benchmark | Result Class | min | mean | max | stddev | count |\\n| fp/fork | fork (usec) | 219 | 221 | 223 | 2 | 4 |\\n'
else
	printf '| Benchmark | Result Class | min | mean | max | stddev | count |\\n| fp/fork | fork (usec) | 118 | 121 | 124 | 3 | 4 |\\n'
fi
"""


def test_fastpath(job, api):
    job.tool("fastpath", FASTPATH)
    job.sh(recipe("fastpath"), PROFILES="plain patched", RESULTS="results", SUT="altra-07")
    table = api.json("/api/v1/compare", params={"base": "6.18.1", "head": "6.19.0-rc1-lab+", "benchmark": "fp/fork"})
    (row,) = table["rows"]
    assert row["machine"] == "altra-07" and row["base"]["center"] == 221000 and row["head"]["center"] == 121000, row
    run = api.json("/api/v1/runs", params={"machine": "altra-07"})["runs"][0]
    assert run["thp"] == "unknown"  # nothing of the machine that sent it


def test_git_bisect(job, api, tmp_path):
    for one in boots("6.3", 1, 5, machine="lab-7") + boots("6.4-rc1", 1.04, 5, machine="lab-7"):
        for result in one["results"]:
            result["benchmark"], result["params"] = "nsecwatch/mprotect", {"size_kib": result["params"]["size_kib"] * 10}
        api.store(one)
    tree = tmp_path / "linux"
    (tree / "arch" / "x86" / "boot").mkdir(parents=True)
    git(tree, "init", "-q", "-b", "main")
    (tree / "Makefile").write_text("all:\n\techo $$(git rev-parse --short=12 HEAD) $$(cat level) > arch/x86/boot/bzImage\n")
    (tree / ".gitignore").write_text("bzImage\n.nsecwatch-bisect\nbisect.html\n")
    for n in range(9):
        (tree / "level").write_text("1.04\n" if n >= 6 else "1\n")
        (tree / "count").write_text(f"{n}\n")
        git(tree, "add", ".")
        git(tree, "commit", "-q", "-m", f"commit {n}")
        git(tree, "tag", {0: "v6.3", 8: "v6.4-rc1"}.get(n, f"c{n}"))
    job.tool("ssh", MACHINE)
    job.tool("rsync", '#!/bin/sh\ncp "$2" "$HOME/vmlinuz"\n')
    job.tool("boot-and-measure", recipe("boot-and-measure"))
    env = {"GOOD": "v6.3", "BAD": "v6.4-rc1", "MACHINE": "lab-7", "JOBS": "-j1", "PAUSE": "0"}
    said = job.sh("set -e\n" + recipe("bisect-start"), cwd=tree, **env)
    assert "judged by 1 series" in said and '"size_kib":400' in said
    said = job.sh("set -e\n" + recipe("bisect-run"), cwd=tree, **env)
    assert git(tree, "rev-parse", "c6").stdout.strip() + " is the first bad commit" in said, said
    assert "<svg" in (tree / "bisect.html").read_text()
