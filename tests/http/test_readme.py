# SPDX-License-Identifier: GPL-2.0-or-later
"""The shell blocks of README.md work as they stand, pasted one after the other."""
import re
import subprocess

from harness import ROOT, wait_until


def blocks():
    return re.findall(r"^```sh\n(.*?)^```$", (ROOT / "README.md").read_text(), re.M | re.S)


def run(script, folder, server, token):
    done = subprocess.run(["sh", "-eu", "-c", script], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={"PATH": "/usr/bin:/bin", "NSECWATCH": server.url, "TOKEN": token, "no_proxy": "*"}, timeout=60)
    assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
    return done.stdout


def test_what_readme_tells_to_paste_works(server, tokens, api, tmp_path):
    token = tokens("ingest")
    found = blocks()
    setting = [block for block in found if "curl" not in block]
    assert len(setting) == 1 and "var/admin.token" in setting[0]
    run(setting[0], tmp_path, server, token)
    as_json, as_csv, dry, reading = [block for block in found if "curl" in block]

    stored = run(as_json, tmp_path, server, token)
    assert '"status":"stored"' in stored and '"results":1' in stored
    stored = run(as_csv, tmp_path, server, token)
    assert '"status":"stored"' in stored and '"results":2' in stored
    assert "problems" in run(dry, tmp_path, server, token)
    assert len(api.json("/api/v1/runs")["runs"]) == 2

    api.store({"machine": {"name": "milan-03", "uarch": "epyc-milan"}, "kernel": "v6.16", "config": {"thp": "always"},
               "results": [{"benchmark": "mprotect/tw4m", "params": {"size_kib": size}, "metric": "latency",
                            "unit": "ns/call", "better": "lower", "values": [1700 + size]} for size in (4, 400)]})
    wait_until(lambda: api.get("/readyz").status_code == 200)
    text = run(reading, tmp_path, server, token)
    assert "6.16" in text and "6.17-rc1" in text and "%" in text
    assert (tmp_path / "sweep.svg").read_text().startswith(("<svg", "<?xml"))


def test_readme_names_no_option_that_help_does_not():
    text = (ROOT / "README.md").read_text()
    known = set(re.findall(r'^\t\{ "([a-z-]+)",', (ROOT / "server" / "conf.c").read_text(), re.M))
    known |= {"retry", "clean", "if-exists", "data-binary"}  # of curl and pg_restore
    for option in re.findall(r"--([a-z][a-z-]+)", text):
        assert option in known, f"--{option}"
