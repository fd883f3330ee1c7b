# SPDX-License-Identifier: GPL-2.0-or-later
"""What comes with the client: completion in bash, and its manual page."""
import re
import shutil
import subprocess

import pytest

from harness import BUILD, PATIENCE, ROOT

CLIENT = BUILD / "nsecwatch"
COMPLETE = """
. "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
$(complete -p nsecwatch | sed 's/.*-F \\([^ ]*\\).*/\\1/') nsecwatch "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def run(*args, **kw):
    done = subprocess.run([*map(str, args)], capture_output=True, text=True, timeout=PATIENCE, **kw)
    assert done.returncode == 0, done.stderr
    return done.stdout


def completed(*words, cwd=None):
    return run("bash", "-c", COMPLETE, "bash", ROOT / "client" / "nsecwatch.bash", "nsecwatch", *words, cwd=cwd,
               env={"PATH": f"{BUILD}:/usr/bin:/bin"}).split()


def commands():
    return re.findall(r"^  ([a-z]+(?: [a-z]+)?)(?: .*)?  \S", run(CLIENT, "--help").partition("NSECWATCH_URL")[0], re.M)


def test_commands_and_their_options_are_completed():
    words = {command.split()[0] for command in commands()}
    assert {"push", "bench", "bisect", "kernel"} <= words and set(completed("")) >= words
    assert completed("bisect", "") == ["start", "judge", "log"]
    for command in commands():
        offered = re.findall(r"^  (--[a-z-]+)", run(CLIENT, *command.split(), "--help"), re.M)
        assert sorted(set(offered)) == sorted(set(completed(*command.split(), "--"))), command


def test_what_options_take_is_completed(tmp_path):
    (tmp_path / "results.json").touch()
    assert set(completed("push", "--format", "perf")) == {"perf-bench", "perf-stat", "perfherder"}
    assert "mremap" in completed("bench", "m") and completed("bench", "mprotect", "--mapping", "p") == ["pte", "pmd"]
    assert {"never", "always", "off"} <= set(completed("bench", "mprotect", "--thp", ""))
    assert completed("push", "res", cwd=tmp_path) == ["results.json"]


@pytest.mark.skipif(not shutil.which("groff"), reason="no groff: the manual page is not looked at")
def test_the_manual_page_is_clean_and_has_all_commands():
    page = ROOT / "man" / "nsecwatch.1"
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", page], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0 and done.stderr == ""
    text = re.sub(r"\\f.|\\|\n", " ", page.read_text())
    for command in commands():
        assert command.split()[0] in text, command
