# SPDX-License-Identifier: GPL-2.0-or-later
"""
What is measured with: series = benchmarks x 4 machines x 3 THP modes x 8 sizes, and kernels of
mainline. Bodies for POST, paths for GET, parameters for the bare queries: files, a line each.
"""
import itertools
import json
import random

MACHINES = [("bench-01", "epyc-rome"), ("bench-02", "epyc-milan"), ("bench-03", "neoverse-n1"),
            ("bench-04", "skylake-server")]
THP = ["always", "madvise", "never"]
SIZES = [4 * 10 ** i for i in range(8)]
ID = "00000000-0000-4000-8000-000000000000"  # load.c puts an id of each request's own in its place
RUN_BENCHMARKS = 52  # of one run of the history: 416 results


class Scale:
    def __init__(self, name, benchmarks, kernels, seconds, alerts=20000, machines=MACHINES, thp=THP, per_run=RUN_BENCHMARKS):
        self.name, self.n_benchmarks, self.n_kernels, self.seconds = name, benchmarks, kernels, seconds
        self.alerts, self.machines, self.thp, self.per_run = alerts, machines, thp, per_run
        self.benchmarks = [f"bench/b{i:03d}" for i in range(benchmarks)]
        self.kernels = list(itertools.islice(mainline(), kernels))
        self.series = benchmarks * len(machines) * len(thp) * len(SIZES)
        self.samples = self.series * kernels


def mainline():
    """v4.0-rc1, ..., v4.0, v4.1-rc1, ...: nine a release."""
    for major, minors in ((4, 21), (5, 20), (6, 20)):
        for minor in range(minors):
            yield from (f"v{major}.{minor}-rc{rc}" for rc in range(1, 9))
            yield f"v{major}.{minor}"


FULL = Scale("full", 208, 500, 2.0, alerts=200000)     # 19,968 series, 9,984,000 samples
MIDDLE = Scale("middle", 26, 500, 1.0)   # 2,496 series, 1,248,000 samples: trends as long as in full
SMALL = Scale("small", 26, 100, 0.5)    # 2,496 series, 249,600 samples
# One machine in one state: a run is of 504 series, and each has 400 points.
DETECT = Scale("detect", 63, 400, 0, machines=MACHINES[:1], thp=THP[:1], per_run=63)


def result(rng, benchmark, size):
    mean = round(1700 * (1 + rng.random()) * (size / 4) ** 0.5, 3)
    return {"benchmark": benchmark, "params": {"size_kib": size}, "metric": "latency", "unit": "ns/call", "better": "lower",
            "summary": {"n": 10, "mean": mean, "stddev": round(mean * 0.005 * (0.5 + rng.random()), 4)}}


def with_values(rng, result):
    """The same with its ten repetitions instead of what they sum up to."""
    mean = result["summary"]["mean"]
    return {**{k: v for k, v in result.items() if k != "summary"},
            "values": [round(mean * (1 + 0.01 * rng.random()), 3) for _ in range(10)]}


def submission(machine, thp, kernel, results, **more):
    name, uarch = machine
    return {"schema": "nsecwatch.submission/1", "machine": {"name": name, "uarch": uarch, "cpus": 128},
            "kernel": {"release": kernel}, "config": {"thp": thp, "base_page_kib": 4},
            "environment": {"governor": "performance", "smt": "on"}, "started_at": "2015-01-01T00:00:00Z",
            "boot_id": "boot", "source": {"tool": "bench"}, **more, "results": results}


def history(scale, kernel=0):
    """All runs of one kernel, mostly the first: the rest of the history is made from them."""
    rng = random.Random(1 + kernel)
    release = next(itertools.islice(mainline(), kernel, None))
    for machine, thp in itertools.product(scale.machines, scale.thp):
        for at in range(0, scale.n_benchmarks, scale.per_run):
            yield submission(machine, thp, release, [
                result(rng, b, size) for b in scale.benchmarks[at:at + scale.per_run] for size in SIZES],
                labels={"part": str(at)})


def uploads(scale, n_results, most=36):
    """Bodies of n_results each, together of many series."""
    rng = random.Random(2)
    out = []
    for machine, thp in itertools.product(MACHINES, THP):
        pairs = list(itertools.product(scale.benchmarks, SIZES))
        for at in range(0, len(pairs) - n_results + 1, n_results):
            results = [result(rng, b, size) for b, size in pairs[at:at + n_results]]
            out.append(submission(machine, thp, rng.choice(scale.kernels), results, run_id=ID))
        if not len(pairs) >= n_results:
            many = [result(rng, f"{b}x{i}", size) for i in range(n_results) for b, size in pairs][:n_results]
            out.append(submission(machine, thp, rng.choice(scale.kernels), many, run_id=ID))
    return rng.sample(out, min(most, len(out)))


def as_rival(body):
    """The same upload in the words of the Node rival."""
    return {"run_id": body["run_id"], "ts": body["started_at"], "machine": body["machine"], "results": [
        {"bench": r["benchmark"], "params": r["params"], "thp": body["config"]["thp"], "value": r["summary"]["mean"],
         "stddev": r["summary"]["stddev"], "n": r["summary"]["n"]} for r in body["results"]]}


def write_lines(path, lines):
    path.write_text("".join(line + "\n" for line in lines))
    return path


def write_bodies(path, bodies):
    return write_lines(path, (json.dumps(body, separators=(",", ":")) for body in bodies))


def trend_path(benchmark, machine, thp, size):
    return f"/api/v1/trend?benchmark={benchmark}&machine={machine}&thp={thp}&param.size_kib={size}"


def write_queries(folder, scale, rows):
    """
    Paths and parameters for the same questions, in the same shuffled order. rows(SQL) asks the
    database. Lists are so long that within a measurement no question comes twice.
    """
    rng = random.Random(3)
    series = rows("SELECT s.id, b.name, m.name, c.thp, s.params::jsonb->>'size_kib' FROM series s"
                  " JOIN benchmark b ON b.id = s.benchmark_id JOIN machine m ON m.id = s.machine_id"
                  " JOIN config c ON c.id = s.config_id ORDER BY s.id")
    kernels = rows("SELECT id, name FROM kernel WHERE track = 'mainline' ORDER BY id")
    assert len(series) == scale.series and len(kernels) == scale.n_kernels, (len(series), len(kernels))
    rng.shuffle(series)
    write_lines(folder / "trend.paths", (trend_path(*row[1:]) for row in series))
    write_lines(folder / "trend.params", (str(row[0]) for row in series))
    write_lines(folder / "cached.paths", (trend_path(*row[1:]) for row in series[:20]))
    write_lines(folder / "rival.paths", (f"/series/{row[0]}" for row in series))
    ids = {}
    for row in series:
        ids.setdefault(row[1], []).append(str(row[0]))
    charts = list(ids.items())
    write_lines(folder / "chart.paths", (f"/api/v1/trend?benchmark={name}" for name, _ in charts))
    write_lines(folder / "chart.params", ("{" + ",".join(of) + "}" for _, of in charts))
    pairs = [rng.sample(kernels, 2) for _ in range(2000)]
    write_lines(folder / "compare.paths", (f"/api/v1/compare?base={a[1]}&head={b[1]}" for a, b in pairs))
    write_lines(folder / "compare.params", (f"{{{a[0]},{b[0]}}}" for a, b in pairs))
