# SPDX-License-Identifier: GPL-2.0-or-later
"""
A database of many samples is backed up, restored into an empty server, and asked a hundred questions: the answers are the same bytes.
Prints what took how long. usage: tests/scale/restore.py [SAMPLES] (10000000); needs some 200 bytes of disk a sample, given back after.
"""
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "http"))
import harness  # noqa: E402
from harness import sql, submission  # noqa: E402

RESULTS, MACHINES, KERNELS = 500, 4, [f"6.{n}" for n in range(1, 19)]


def step(what, begun):
    print(f"{what}: {time.monotonic() - begun:.1f} s", flush=True)
    return time.monotonic()


def fill(conninfo, api, samples):
    """One real upload of each machine and kernel; the rest are more boots of them, as uploads would have stored them."""
    rng = random.Random(1)
    for machine in range(MACHINES):
        for kernel in KERNELS:
            api.store(submission(kernel, f"machine-{machine}", boot_id=f"{machine}-{kernel}", results=[
                {"benchmark": f"suite/bench-{i % 50}", "params": {"size_kib": 4 << i // 50}, "metric": "latency", "unit": "ns/call",
                 "better": "lower", "values": [round(rng.gauss(1000 + i, 5), 3) for _ in range(3)]} for i in range(RESULTS)]))
    boots = samples // RESULTS // (MACHINES * len(KERNELS)) - 1
    sql(conninfo, """
        WITH new AS (
            INSERT INTO run (run_id, content_sha256, machine_id, machine_fact_id, kernel_id, config_id, started_at, received_at,
                             boot_id, format, token, series_id, status, n, mean, median, stddev, vmin, vmax)
            SELECT gen_random_uuid(), content_sha256, machine_id, machine_fact_id, kernel_id, config_id, started_at + g * interval '1 h',
                   received_at - g * interval '1 s', concat(boot_id, '-', g), format, token, series_id, status, n,
                   ARRAY(SELECT m * (1 + 0.001 * sin(g + o)) FROM unnest(mean) WITH ORDINALITY u (m, o) ORDER BY o), median, stddev, vmin, vmax
            FROM run, generate_series(1, %s) g RETURNING run_id)
        INSERT INTO run_todo (run_id, what) SELECT run_id, 'pack' FROM new""", boots)


def questions(api):
    runs = api.json("/api/v1/runs", params={"limit": 20})["runs"]
    out = [f"/api/v1/runs/{r['run_id']}" for r in runs] + ["/api/v1/runs.csv?limit=1000", "/api/v1/kernels.json", "/api/v1/machines.json"]
    for machine in range(MACHINES):
        for size in (4, 64, 2048):
            out += [f"/api/v1/trend.json?machine=machine-{machine}&param.size_kib={size}&benchmark=suite/bench-{n}" for n in (0, 17, 49)]
            out.append(f"/api/v1/sweep.json?axis=size_kib&kernel=6.3&kernel=6.18&machine=machine-{machine}&benchmark=suite/bench-{size % 50}")
        for base, head in zip(KERNELS[::4], KERNELS[1::4]):
            out += [f"/api/v1/compare.{ext}?base={base}&head={head}&machine=machine-{machine}&benchmark=suite/bench-7" for ext in ("json", "txt")]
    return out


def ask(api, paths):
    answers = []
    for path in paths:
        answer = api.get(path)
        assert answer.status_code == 200, (path, answer.text[:300])
        answers.append(answer.content)
    return answers


def main(samples):
    postgres = harness.Postgres()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="nsw-scale-"))
    server = None
    try:
        now = time.monotonic()
        old, new = postgres.create_database(), postgres.create_database()
        harness.command("migrate", "--db", old)
        token = harness.command("token", "add", "--name", "scale", "--scope", "admin", "--db", old).stdout.strip()
        server = harness.Server(old, folder / "old.log", "--statement-timeout", "600000").start()
        api = harness.Api(server.url, token)
        fill(old, api, samples)
        now = step("filled", now)
        harness.wait_until(lambda: sql(old, "SELECT count(*) FROM run_todo WHERE what = 'pack'")[0][0] <= 1000, "packed", timeout=3600)
        server.stop()
        (runs, total), = sql(old, "SELECT count(*), sum(cardinality(series_id)) FROM run")
        print(f"{runs} runs, {total} samples, {sql(old, 'SELECT pg_database_size(current_database())')[0][0] / 1e9:.2f} GB")
        now = step("packed", now)
        timed("backup", folder / "all.backup", old)
        print(f"backup: {(folder / 'all.backup').stat().st_size / 1e9:.2f} GB")
        now = step("backed up", now)
        timed("restore", folder / "all.backup", new)
        now = step("restored", now)
        server.start()
        paths = questions(api)
        before = ask(api, paths)
        server.stop()
        server = harness.Server(new, folder / "new.log").start()
        after = ask(harness.Api(server.url, token), paths)
        differ = [p for p, a, b in zip(paths, before, after) if a != b]
        step(f"{len(paths)} questions of {sum(map(len, before)) / 1e6:.1f} MB asked twice", now)
        print(f"{len(paths) - len(differ)} of {len(paths)} answers are the same bytes", *differ[:5])
        return 1 if differ or len(paths) < 100 else 0
    finally:
        if server and server.running():
            server.stop()
        postgres.remove()
        shutil.rmtree(folder, ignore_errors=True)


def timed(what, file, conninfo):
    child = subprocess.Popen([str(harness.PROGRAM), what, str(file), "--db", conninfo])
    _, status, used = os.wait4(child.pid, 0)
    assert status == 0, f"{what} ended with {status}"
    print(f"{what}: {used.ru_maxrss / 1e3:.0f} MB of memory at most", flush=True)


sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000))
