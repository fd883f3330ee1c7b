# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab client, `nsecwatch`: needs no server."""
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLIENT = ROOT / os.environ.get("BUILD", "build") / "nsecwatch"


def client(*args, stdin=""):
    """Runs the client in the repository's root: exit code, standard output, standard error."""
    done = subprocess.run([CLIENT, *args], input=stdin, capture_output=True, text=True, cwd=ROOT, timeout=60)
    return done.returncode, done.stdout, done.stderr


def narrow(text):
    return all(len(line) <= 72 for line in text.splitlines())


def submission(**changes):
    sub = {
        "schema": "nsecwatch.submission/1", "machine": {"name": "milan-01", "isa": "x86_64", "uarch": "epyc-milan"},
        "kernel": "v6.17-rc1 with cac1db8c3aad reverted", "config": {"thp": "always"}, "boot_id": "b",
        "started_at": "2026-02-13T15:08:00Z",
        "results": [{"benchmark": "mprotect/tw4m", "params": {"size_kib": 400}, "metric": "latency", "unit": "us/call",
                     "better": "lower", "values": [3.5, 3.25]}],
    }
    sub.update(changes)
    return json.dumps(sub)


def test_it_says_its_version_and_helps():
    code, out, _ = client("version")
    assert code == 0 and out.startswith("nsecwatch ")
    code, out, err = client("--help")
    assert code == 0 and "NSECWATCH_TOKEN_FILE" in out and not err and narrow(out)
    for command in ["collect", "push", "check", "compare", "parse", "detect", "kernel", "bench"]:
        code, out, err = client(command, "--help")
        assert code == 0 and f"usage: nsecwatch {command}" in out and not err and narrow(out), command
    for command in ["start", "judge", "log"]:
        code, out, err = client("bisect", command, "--help")
        assert code == 0 and f"usage: nsecwatch bisect {command}" in out and not err and narrow(out), command
    assert "google-benchmark" in client("push", "--help")[1] and "--kernel" in client("parse", "--help")[1]


def test_a_wrong_command_line_is_2():
    for args in [(), ("frobnicate",), ("parse",), ("parse", "--bogus", "x"), ("kernel",), ("parse", "--label", "x", "-")]:
        code, out, err = client(*args)
        assert code == 2 and err and not out, args


def test_kernels_come_by_track_in_order_and_narrow():
    names = ["v6.17", "6.17.0-rc10", "6.17-rc2", "6.17.0-0.rc1.17.eln150.x86_64", "6.16.0-65.eln150.x86_64",
             "6.17.0-rc1-next-20250815-syzkaller-g1357b2649c02-dirty" + "x" * 90]
    code, out, err = client("kernel", *names)
    lines = [line.strip() for line in out.splitlines()]
    place = {name: next(i for i, line in enumerate(lines) if line.endswith(" " + name)) for name in
             ["6.17", "6.17.0-rc10", "6.17-rc2", "6.17.0-0.rc1.17.eln150.x86_64", "6.16.0-65.eln150.x86_64"]}
    assert code == 0 and not err and narrow(out)
    assert lines.index("mainline") < place["6.17-rc2"] < place["6.17.0-rc10"] < place["6.17"]
    assert lines.index("eln") < place["6.16.0-65.eln150.x86_64"] < place["6.17.0-0.rc1.17.eln150.x86_64"]


def test_names_come_from_standard_input_and_bad_ones_are_told():
    code, out, err = client("kernel", "-", stdin="6.17-rc1\n6.x\n\n6.16\n")
    assert code == 1 and "6.17-rc1" in out and "6.16" in out and '"6.x"' in err and "expected" in err


def test_what_has_no_order_is_said_to_have_none():
    _, out, _ = client("kernel", "6.12.77-mine", "6.16.1-mine")
    assert "-- which of these is later" in out


def test_parse_prints_what_would_be_stored(tmp_path):
    (tmp_path / "run.json").write_text(submission())
    code, out, err = client("parse", str(tmp_path / "run.json"))
    assert code == 0 and not err and "6.17-rc1+revert-cac1db8c3aad (mainline)" in out
    assert "3375 ns/call (n 2, lower is better)" in out and "milan-01 (x86_64, epyc-milan)" in out


def test_parse_prints_every_problem_and_is_1():
    bad = json.loads(submission(kernel="6.x"))
    bad["results"][0]["values"] = [-1]
    code, out, err = client("parse", "-", stdin=json.dumps(bad))
    assert code == 1 and "/kernel" in err and "/results/0/values/0" in err and "run " not in out


def test_parse_takes_what_a_foreign_file_does_not_say():
    csv = "benchmark,metric,unit,better,value\nx/y,latency,ms,lower,2\n"
    code, _, err = client("parse", "-", "--format", "csv", stdin=csv)
    assert code == 1 and "kernel" in err
    code, out, _ = client("parse", "-", "--format", "csv", "--machine", "m1", "--kernel", "6.17-rc1", "--thp", "never",
                          "--label", "campaign=x", stdin=csv)
    assert code == 0 and "2000000 ns (n 1" in out and "m1 (unknown, unknown)" in out and "thp never" in out


def test_parse_of_many_files_goes_on_after_a_bad_one(tmp_path):
    (tmp_path / "good.json").write_text(submission())
    (tmp_path / "bad.json").write_text("{")
    code, out, err = client("parse", str(tmp_path / "bad.json"), str(tmp_path / "missing"), str(tmp_path / "good.json"))
    assert code == 1 and "bad.json" in err and "missing" in err and "milan-01" in out


def test_the_manual_is_well_formed_and_knows_every_command_and_setting():
    text = (ROOT / "man" / "nsecwatch.1").read_text()
    plain = text.replace("\\-", "-").replace("\\~", " ")
    table = (ROOT / "client" / "options_table.c").read_text()
    settings = re.findall(r'^\t\{ "([a-z-]+)",[^}]*?, true,', table, re.M)
    commands = re.findall(r'^\t\{ "([a-z]+)", [A-Z]+, ', table, re.M)
    assert {"url", "token", "spool"} <= set(settings) and {"push", "check"} <= set(commands)
    for word in settings + commands:
        assert re.search(rf"\b{word}\b", plain), word
    known = set(re.findall(r'^\t\{ "([a-z-]+)",', table, re.M))
    for option in re.findall(r"--([a-z][a-z-]+)", plain):
        assert option in known, option
    if shutil.which("groff"):
        done = subprocess.run(["groff", "-man", "-ww", "-z", ROOT / "man" / "nsecwatch.1"], capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, done.stderr


@pytest.mark.skipif(not shutil.which("bash"), reason="no bash")
@pytest.mark.parametrize("words, wanted, not_wanted", [
    ("", {"push", "bench", "bisect"}, {"start"}),
    ("b", {"bench", "bisect"}, {"push"}),
    ("bisect ", {"start", "judge", "log"}, {"push"}),
    ("bisect judge --", {"--run", "--state"}, {"--good"}),
    ("push --", {"--context", "--wait"}, {"--reps"}),
    ("push --format google-b", {"google-benchmark", "google-benchmark-csv"}, {"csv"}),
    ("bench m", {"mprotect", "munmap"}, {"fork"}),
    ("bench --thp n", {"never"}, {"always"}),
])
def test_bash_completes_what_help_has(words, wanted, not_wanted):
    script = """. client/nsecwatch.bash; read -ra COMP_WORDS <<< "nsecwatch $1"; [[ $1 == *" " || -z $1 ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _nsecwatch; printf '%s\\n' "${COMPREPLY[@]}" """
    done = subprocess.run(["bash", "-c", script, "bash", words], capture_output=True, text=True, cwd=ROOT, timeout=60,
                          env={**os.environ, "PATH": f"{CLIENT.parent}:{os.environ['PATH']}"})
    got = set(done.stdout.split())
    assert not done.stderr and wanted <= got and not not_wanted & got, (got, done.stderr)


# ---- detect ----

STEP = {"series": {
    "step": {"values": [100, 101, 99, 100.5, 99.5, 100, 101, 99, 100, 100.5, 120, 121, 119, 120, 120.5, 119.5, 120],
             "labels": [f"6.{i}" for i in range(17)]},
    "quiet": {"values": [100, 101, 99, None, 99.5, 100, 101, 99, 100, 100.5]},
    "samples": [[99, 101], [100, 102], [98, 100], [99.5, 100.5], [99, 101], [100, 101], [99, 100], [100, 100], [101, 99],
                [150, 151], [149, 150], [150, 150], [151, 149], [150, 152]]}}


def test_detect_says_where_a_series_changed(tmp_path):
    file = tmp_path / "step.json"
    file.write_text(json.dumps(STEP))
    code, out, err = client("detect", str(file))
    assert code == 0 and not err and json.loads(out) == {"step": [10], "quiet": [], "samples": [9]}
    found = json.loads(client("detect", "--json", str(file))[1])["step"][0]
    assert (found["index"], found["lo"], found["hi"], found["confidence"], found["state"]) == (10, 10, 10, "strong", "certain")
    assert found["ci"][0] < 20 < found["ci"][1] and abs(found["percent"] - 20) < .5
    assert [found["runs_before"], found["runs_after"]] == [10, 7]
    assert json.loads(client("detect", "--online", "--json", str(file))[1]) == {"step": [[12, 10]], "quiet": [], "samples": [[11, 9]]}
    code, out, err = client("detect", "--text", str(file))
    lines = out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("--- +"))
    assert code == 0 and not err and narrow(out) and " 6.9 " in lines[at - 1] and " 6.10 " in lines[at + 1]
    assert "quiet\n9 runs, 0 changes" in out


@pytest.mark.parametrize("values", [[0] * 5 + [5] * 5, [.1, -.1, .1, -.1, 0] + [5] * 5, [1e-300] * 5 + [2e300] * 5])
def test_detect_says_in_words_what_is_no_percentage(values):
    text = "value\n" + "".join(f"{v}\n" for v in values)
    code, out, err = client("detect", "--json", "-", stdin=text)
    found = next(iter(json.loads(out).values()))[0]
    assert code == 0 and not err and found["index"] == 5 and found["percent"] is None
    assert "e+308" not in out and (values[0] == 1e-300 or found["before"] == 0 and found["noise_percent"] is None)
    out = client("detect", "--text", "-", stdin=text)[1]
    assert " in no percentage, from 5 on" in out and "[-" not in out and narrow(out), out


def test_detect_reads_csv(tmp_path):
    rows = [f"step,{label},{value}" for label, value in zip(STEP["series"]["step"]["labels"], STEP["series"]["step"]["values"])]
    for head, text in (("name,kernel,y\n", "\n".join(rows)), ("", "\n".join(row.split(",")[2] for row in rows))):
        code, out, err = client("detect", "-", stdin=head + text + "\n")
        assert code == 0 and not err and list(json.loads(out).values()) == [[10]], (head, out)
    assert "line 2" in client("detect", "-", stdin="value\nfast\n")[2]
    rows = ["NaN"] + [row.split(",")[2] for row in rows]
    assert list(json.loads(client("detect", "-", stdin="\n".join(rows))[1]).values()) == [[11]], "no value is no heading"


def test_detect_reads_200_000_series_of_a_row_each():
    code, out, err = client("detect", "-", stdin="name,value\n" + "".join(f"n{i},1\n" for i in range(200000)))
    assert code == 0 and not err and len(json.loads(out)) == 200000


def test_detect_gives_an_answer_to_odd_input():
    text = '{"a": [1, NaN, Infinity, -Infinity, 0, -1], "none": [], "one": [25], "same": [25, 25, 25], "huge": [5e-324, 1e308]}'
    for how in ([], ["--json"], ["--online"]):
        code, out, err = client("detect", *how, "-", stdin=text)
        assert code == 0 and not err and json.loads(out) == {"a": [], "none": [], "one": [], "same": [], "huge": []}
    for text, told in (("{", "line"), ("[1]", "object of series"), ('{"a": 3}', "no array of values"), ("", "no series"),
                       ('{"a": {"values": [1], "sd": []}}', "one element a value"), ('{"a": ["x"]}', "number")):
        code, out, err = client("detect", "-", stdin=text)
        assert code == 1 and told in err and not out, (text, err)
    assert client("detect", "--json", "--text", "-")[0] == 2 and client("detect")[0] == 2
