# SPDX-License-Identifier: GPL-2.0-or-later
"""What is in the databases before anything is measured, and the lists of what is asked and sent."""
import itertools
import random
import subprocess

import data
import harness
from place import HERE, OUT, say, timed


def history(cluster, product, scale, bare=False):
    """bare: the same samples as rows, too."""
    with timed("runs of the first kernel, by POST"):
        product.api.store(*data.history(scale))
    answer = product.api.post("/api/v1/kernels", json=[{"release": k} for k in scale.kernels])
    assert answer.status_code == 200, answer.text
    with timed(f"all runs of {scale.n_kernels} kernels, in the database"):
        cluster.psql(product.conninfo, "-f", HERE / "history.sql")
        if bare:
            cluster.psql(product.conninfo, "-f", HERE / "bare_reads.sql")
    with timed("nsecwatchd rebuild"):
        done = subprocess.run([harness.PROGRAM, "rebuild", "--db", product.conninfo], check=True, stdout=subprocess.PIPE,
                              text=True)
    say("  " + done.stdout.strip().replace("\n", "\n  "))
    cluster.psql(product.conninfo, "-c", "VACUUM ANALYZE nsecwatch.series_pack")


def uploads(cluster, product, scale):
    if product.new:
        cluster.psql(product.conninfo, "-f", HERE / "bare.sql")
        cluster.psql(product.conninfo, "-f", HERE / "rival.sql")
    for n in (64, 500):
        bodies = data.uploads(scale, n)
        data.write_bodies(OUT / f"post-{n}.bodies", bodies)
        data.write_bodies(OUT / f"rival-{n}.bodies", map(data.as_rival, bodies))
        for body in bodies:  # makes the dimensions
            product.api.store({k: v for k, v in body.items() if k != "run_id"})


def alerts(cluster, product, scale):
    """Many alerts, one of each pair of kernels that follow one another, benchmark and part."""
    product.api.store(data.submission(data.MACHINES[0], "always", scale.kernels[0], [
        data.result(random.Random(4), b, 4) for b in scale.benchmarks[:26]]))
    answer = product.api.post("/api/v1/kernels", json=[{"release": k} for k in scale.kernels[:100]])
    assert answer.status_code == 200, answer.text
    cluster.psql(product.conninfo, "-v", f"alerts={scale.alerts}", "-f", HERE / "alerts.sql")


def repetitions(product):
    """Bytes a repetition and bytes of the body a result, as they are kept, of uploads with ten repetitions."""
    rng = random.Random(5)
    runs = []
    for machine, thp in itertools.product(data.MACHINES, data.THP):
        results = [data.with_values(rng, data.result(rng, b, size))
                   for b in data.FULL.benchmarks[:62] for size in data.SIZES]
        runs.append(data.submission(machine, thp, data.FULL.kernels[1], results, labels={"part": "repetitions"}))
    product.api.store(*runs)
    row = harness.sql(product.conninfo, "SELECT sum(pg_column_size(w.vals) + coalesce(pg_column_size(w.counts), 0))::float8,"
                      " sum(cardinality(w.vals)), sum(octet_length(w.body))::float8, sum(cardinality(r.series_id))"
                      " FROM run_raw w JOIN run r USING (run_id) WHERE r.labels->>'part' = 'repetitions'")[0]
    return {"per_value": row[0] / row[1], "body_per_result": row[2] / row[3]}
