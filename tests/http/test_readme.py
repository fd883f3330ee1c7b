# SPDX-License-Identifier: GPL-2.0-or-later
"""The shell blocks of README.md and its CI recipes work as they stand, pasted one after the other."""
import json
import re
import subprocess

import yaml

from harness import BUILD, ROOT, Process, wait_until


def blocks(language="sh"):
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / "README.md").read_text(), re.M | re.S)


def run(script, folder, server, token, status=0, **more):
    done = subprocess.run(["sh", "-eu", "-c", script], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={"PATH": f"{BUILD}:/usr/bin:/bin", "HOME": str(folder), "NSECWATCH": server.url, "TOKEN": token, "no_proxy": "*",
                               **more}, timeout=60)
    assert done.returncode == status, f"{script}\n{done.stdout}{done.stderr}"
    return done.stdout


def test_what_readme_tells_to_paste_works(server, tokens, api, tmp_path):
    token = tokens("ingest")
    found = blocks()
    setting = [block for block in found if "curl" not in block and "nsecwatch push" not in block]
    assert len(setting) == 1 and "var/admin.token" in setting[0]
    run(setting[0], tmp_path, server, token)
    as_json, as_csv, form, dry, reading = [block for block in found if "curl" in block]

    stored = run(as_json, tmp_path, server, token)
    assert '"status":"stored"' in stored and '"results":1' in stored
    stored = run(as_csv, tmp_path, server, token)
    assert '"status":"stored"' in stored and '"results":2' in stored
    stored = run(form, tmp_path, server, token)
    assert '"status":"stored"' in stored and '"results":2' in stored
    assert "problems" in run(dry, tmp_path, server, token)
    assert len(api.json("/api/v1/runs")["runs"]) == 3

    api.store({"machine": {"name": "milan-03", "uarch": "epyc-milan"}, "kernel": "v6.16", "config": {"thp": "always"},
               "results": [{"benchmark": "mprotect/tw4m", "params": {"size_kib": size}, "metric": "latency",
                            "unit": "ns/call", "better": "lower", "values": [1700 + size]} for size in (4, 400)]})
    wait_until(lambda: api.get("/readyz").status_code == 200)
    text = run(reading, tmp_path, server, token)
    assert "6.16" in text and "6.17-rc1" in text and "%" in text
    assert (tmp_path / "sweep.svg").read_text().startswith(("<svg", "<?xml"))


def test_the_client_is_used_as_readme_says(server, tokens, api, tmp_path):
    as_csv = next(block for block in blocks() if "cat > results.csv" in block)
    client, = [block for block in blocks() if "nsecwatch push" in block]
    run(as_csv, tmp_path, server, tokens("ingest"))
    stored = run(client, tmp_path, server, tokens("ingest"))
    assert stored.startswith("stored ") and "2 results" in stored
    assert json.loads((tmp_path / "context.json").read_text())["machine"]["cpus"] > 0


def store_of_this_machine(api, folder, kernel, factor):
    """What this machine would have measured under another kernel."""
    context = json.loads(run("nsecwatch collect", folder, api, ""))
    context.update(kernel=kernel, boot_id=kernel, results=[
        {"benchmark": "mprotect/tw4m", "params": {"size_kib": 400}, "metric": "latency", "unit": "ns/call", "better": "lower",
         "values": [factor * value for value in (3451.5, 3449.0, 3452.0, 3450.0, 3453.0)]}])
    api.store(context)


def github(recipe):
    steps = yaml.safe_load(recipe)["jobs"]["mprotect"]["steps"]
    return [step["run"] for step in steps]


def gitlab(recipe):
    job = yaml.safe_load(recipe)["mprotect"]
    return ["\n".join([f"{name}={value}" for name, value in job["variables"].items()] + job["script"])]


def test_the_ci_recipes_pass_and_fail_when_it_became_slower(server, database, tokens, api, tmp_path):
    recipes = blocks("yaml")
    assert len(recipes) == 2
    scripts = {"GITHUB_RUN_ID": github(recipes[0]), "CI_JOB_ID": gitlab(recipes[1])}
    ci = {"NSECWATCH_URL": server.url, "NSECWATCH_TOKEN": tokens("ingest")}
    watch = Process("watch", "--db", database, log=tmp_path / "watch.log").start()
    try:
        store_of_this_machine(api, tmp_path, "v6.16", 1.0)
        for number, (name, steps) in enumerate(scripts.items()):
            for step in steps:
                said = run(step, tmp_path, server, "", **ci, **{name: str(number)})
            assert said.splitlines()[-1].startswith("PASS"), said
    finally:
        watch.stop()
    recorded = [one["labels"].get("job") for one in api.json("/api/v1/runs")["runs"] if one["kernel"]["name"] != "6.16"]
    assert {"0"} <= set(recorded)
    store_of_this_machine(api, tmp_path, "v6.15", 0.5)  # this one was faster
    said = run(scripts["GITHUB_RUN_ID"][-1].replace("v6.16", "v6.15"), tmp_path, server, "", status=3, **ci)
    assert "FAIL" in said and "mprotect/tw4m" in said


def test_readme_names_no_option_that_help_does_not():
    text = (ROOT / "README.md").read_text()
    known = set()
    for table in ("server/conf.c", "client/options_table.c"):
        known |= set(re.findall(r'^\t\{ "([a-z-]+)",', (ROOT / table).read_text(), re.M))
    known |= {"retry", "clean", "if-exists", "data-binary", "status-interval"}  # of curl, pg_restore and fio
    for option in re.findall(r"--([a-z][a-z-]+)", text):
        assert option in known, f"--{option}"
