# SPDX-License-Identifier: GPL-2.0-or-later
"""`nsecwatch bench`: what it measures, which pages it had, and that a THP state it set is put back however it ends."""
import json
import os
import re
import signal
import subprocess

import pytest

from harness import BUILD, PATIENCE, wait_until

CLIENT = BUILD / "nsecwatch"
NOTHING = {"PATH": "/usr/bin:/bin"}  # no HOME: no settings file
NAMES = ["mprotect", "mremap", "munmap", "fork", "fault", "madvise"]
THP = "sys/kernel/mm/transparent_hugepage"


def bench(*args, status=0):
    """The submissions printed, and what standard error says."""
    done = subprocess.run([CLIENT, "bench", *map(str, args)], capture_output=True, text=True, env=NOTHING, timeout=PATIENCE)
    assert done.returncode == status, done.stderr
    runs = json.loads(done.stdout or "[]")
    return runs if isinstance(runs, list) else [runs], done.stderr


def parse(text):
    done = subprocess.run([CLIENT, "parse", "-"], input=text, capture_output=True, text=True, env=NOTHING, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_all_benchmarks_are_listed_and_run():
    done = subprocess.run([CLIENT, "bench", "--list"], capture_output=True, text=True, env=NOTHING, timeout=PATIENCE)
    assert [line.split()[0] for line in done.stdout.splitlines()] == NAMES
    (run,), _ = bench("all", "--sizes", "4K,64K", "--reps", 2, "--thp", "off")
    assert [(r["benchmark"], r["params"]["size_kib"]) for r in run["results"]] == [
        (f"nsecwatch/{name}", size) for name in NAMES for size in (4, 64)]
    for r in run["results"]:
        assert len(r["values"]) == 2 and min(r["values"]) > 0 and r["unit"] == "ns/call" and r["iterations"] > 2
    by = {(r["benchmark"], r["params"]["size_kib"]): min(r["values"]) for r in run["results"]}
    assert by["nsecwatch/fault", 64] > 2 * by["nsecwatch/fault", 4]  # sixteen faults, and one
    assert run["boot_id"] and run["kernel"]["release"] == os.uname().release
    assert run["config"]["thp"].get("prctl", "1") == "1"
    assert run["source"]["command"].startswith("nsecwatch bench all --sizes '4K,64K' --thp off --reps 2 --cpu ")


def test_what_is_printed_are_submissions():
    done = subprocess.run([CLIENT, "bench", "mprotect", "--sizes", "4K", "--reps", "1", "--thp", "as-is,off",
                           "--machine", "lab-1", "--label", "job=7"], capture_output=True, text=True, env=NOTHING, timeout=PATIENCE)
    runs = json.loads(done.stdout)
    assert len(runs) == 2
    said = parse(done.stdout)
    assert said.count("lab-1 (") == 2 and said.count("nsecwatch/mprotect") == 2
    assert all(run["labels"] == {"job": "7"} for run in runs)


def test_it_repeats_until_it_is_precise():
    (rough,), _ = bench("mprotect", "--sizes", "4K", "--precision", "50%", "--thp", "off")
    assert len(rough["results"][0]["values"]) == 5
    (fine,), said = bench("mprotect", "--sizes", "4K", "--precision", "0.0001%", "--thp", "off")
    assert len(fine["results"][0]["values"]) == 60 and "1 of 1 did not come to +-0.0001 %" in said


def thp_word():
    try:
        return re.search(r"\[(.*)\]", open(f"/{THP}/enabled").read()).group(1)
    except OSError:
        return "none"


@pytest.mark.skipif(thp_word() in ("never", "none"), reason="no huge pages are to be had here without changing the machine")
def test_the_pages_it_had_are_looked_up():
    """Huge pages that are asked for are found in smaps; the same page can be mapped by small entries."""
    (huge,), _ = bench("mprotect", "--sizes", "64K,4M", "--reps", 1, "--thp", "advised")
    assert huge["results"][1]["params"] == {"size_kib": 4096, "advice": "hugepage"}
    if huge["environment"]["bench"]["pages"]["mprotect 4 MiB"] != "pmd":
        pytest.skip("this machine has no free huge page now")
    (small,), _ = bench("mprotect", "--sizes", "4M", "--reps", 1, "--thp", "off")
    assert small["environment"]["bench"]["pages"] == {"mprotect 4 MiB": "base"}
    (ptes,), _ = bench("mprotect", "--sizes", "4M", "--reps", 1, "--thp", "advised", "--mapping", "pte")
    assert ptes["environment"]["bench"]["pages"]["mprotect 4 MiB"] in ("pte of 2048 KiB", "base")  # kpageflags is root's
    assert ptes["results"][0]["params"]["mapping"] == "pte"
    assert ptes["results"][0]["values"][0] > 2 * huge["results"][1]["values"][0]
    (failed,), said = bench("mprotect", "--sizes", "4M", "--reps", 1, "--thp", "off", "--mapping", "pmd")
    assert failed["results"][0]["status"] == "failed" and "of 4096 KiB are mapped by huge entries" in said


def test_a_size_that_does_not_fit_is_skipped_and_said():
    (run,), said = bench("fault", "--sizes", "4K,4T", "--reps", 1)
    good, bad = run["results"]
    assert good["values"] and bad["status"] == "skipped" and "are needed" in bad["error"] and bad["error"] in said
    assert "skipped: " in parse(json.dumps(run))


@pytest.mark.parametrize("args, said", [
    (["mprotect", "--sizes", "5K"], '"5K" is no multiple of the'),
    (["mprotect", "--sizes", "1M..4K"], "goes down"),
    (["mprotect", "--sizes", "4Q"], "a size up to 4T is needed"),
    (["nothing"], 'no benchmark "nothing"'),
    (["mprotect", "--thp", "sometimes"], '--thp is "sometimes"'),
    (["mprotect", "--mapping", "odd"], '--mapping is "odd"'),
    (["fault", "--mapping", "pte"], "fault makes new pages"),
    (["mprotect", "--cpu", "99999"], "number of a CPU"),
    (["mprotect", "--precision", "0%"], "more than 0 %"),
    (["mprotect", "--sizes", "4K", "--reps", 86400, "--thp", "as-is,sometimes"], '--thp is "sometimes"'),  # at once
])
def test_what_is_wrong_is_said(args, said):
    out, err = bench(*args, status=2)
    assert not out and said in err


def test_names_or_the_list():
    assert "names of benchmarks" in bench(status=2)[1] and "names of benchmarks" in bench("mprotect", "--list", status=2)[1]


# ---- a state of the machine; here one made of files ----

@pytest.fixture
def machine(tmp_path):
    (tmp_path / "proc").symlink_to("/proc")
    for name, text in {"enabled": "always [madvise] never", "hpage_pmd_size": "2097152",
                       "hugepages-64kB/enabled": "always inherit [madvise] never",
                       "hugepages-2048kB/enabled": "[always] inherit madvise never"}.items():
        path = tmp_path / THP / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    return tmp_path


def words(machine):
    """What stands in the files, the word in brackets where there are brackets."""
    return [re.sub(r".*\[|\].*|\n", "", (machine / THP / name).read_text())
            for name in ("enabled", "hugepages-64kB/enabled", "hugepages-2048kB/enabled")]


BEFORE = ["madvise", "madvise", "always"]


def test_a_state_is_set_recorded_and_put_back(machine):
    (never, mixed), _ = bench("mprotect", "--sizes", "4K", "--reps", 1, "--thp", "never,always+64k-always",
                               "--root", machine)
    assert words(machine) == BEFORE
    assert never["config"]["thp"]["enabled"] == "never" and never["config"]["thp"]["hugepages-2048kB/enabled"] == "inherit"
    assert never["config"]["thp"]["hugepages-64kB/enabled"] == "never"
    assert mixed["config"]["thp"]["enabled"] == "always" and mixed["config"]["thp"]["hugepages-64kB/enabled"] == "always"
    said = bench("mprotect", "--reps", 86400, "--thp", "as-is,never+32k-always", "--root", machine, status=1)[1]
    assert "no huge pages of 32 KiB" in said and words(machine) == BEFORE


def test_the_advice_of_mode_madvise_is_a_parameter(machine):
    (run,), _ = bench("mprotect", "--sizes", "4K", "--reps", 1, "--thp", "madvise", "--root", machine)
    assert run["results"][0]["params"] == {"size_kib": 4, "advice": "hugepage"}


@pytest.mark.parametrize("sig, status", [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -9)])
def test_a_state_is_put_back_when_it_is_stopped(machine, sig, status):
    process = subprocess.Popen([CLIENT, "bench", "mprotect", "--sizes", "4K", "--reps", "80000", "--thp", "never",
                                "--root", machine], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=NOTHING)
    wait_until(lambda: words(machine) == ["never", "never", "inherit"], "the state is set")
    process.send_signal(sig)
    assert process.wait(PATIENCE) == status
    assert process.stdout.read() == ""
    process.stderr.read()
    wait_until(lambda: words(machine) == BEFORE, "the state is as before")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_without_rights_there_is_another_way_or_a_clear_word(machine):
    def as_nobody(*args):
        return subprocess.run(["setpriv", "--reuid", "65534", "--clear-groups", CLIENT, "bench", "mprotect", "--sizes", "4K",
                               "--reps", "1", "--root", machine, *args], capture_output=True, text=True, env=NOTHING, timeout=PATIENCE)

    for folder in [machine, *machine.parents]:  # nobody has to come so far
        if folder.stat().st_uid == os.geteuid() and not folder.stat().st_mode & 1:
            folder.chmod(folder.stat().st_mode | 0o711)
    done = as_nobody("--thp", "never")
    if "Permission denied" in done.stderr and done.returncode == 126:
        pytest.skip("the program is where nobody else may go")
    assert done.returncode == 0 and "switched off for this process alone" in done.stderr
    assert json.loads(done.stdout)["environment"]["bench"]["thp_mode"] == "never"
    done = as_nobody("--thp", "always")
    assert done.returncode == 0 and json.loads(done.stdout)["results"][0]["params"]["advice"] == "hugepage"
    done = as_nobody("--thp", "never+64k-always")
    assert done.returncode == 1 and "needs root" in done.stderr and "as-is, off, advised" in done.stderr
    assert words(machine) == BEFORE
