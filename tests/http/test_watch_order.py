# SPDX-License-Identifier: GPL-2.0-or-later
"""
What watch says follows from the uploads, in the order they came, and not from when it looked: checked one by one, or in one
go after it was away, or by two at once. In series of noise, where what is said depends on every single run.
"""
import os
import random

import pytest

from harness import sql, submission, wait_until

SEEDS = [int(seed) for seed in os.environ.get("NSECWATCH_ORDER_SEEDS", "5").split(",")]
KERNELS, MACHINES = 24, ("milan-01", "milan-02")
BENCHMARKS = {"mprotect/tw4m": (4, 40, 400), "mremap/move": (4,), "fork/pages": (4,)}
STEPS = {"mprotect/tw4m": {6: 1.12, 17: .8}, "mremap/move": {14: 1.3, 20: .75}, "fork/pages": {}}


def uploads(seed):
    """Some boots of each kernel, one kernel in ten late; noise between boots, a spike now and then."""
    rng, level, late = random.Random(seed), dict.fromkeys(BENCHMARKS, 1000.), []
    for at in range(KERNELS):
        jobs = [(machine, boot) for machine in MACHINES for boot in range(rng.choice((1, 1, 1, 2, 3)))]
        rng.shuffle(jobs)
        for name in BENCHMARKS:
            level[name] *= STEPS[name].get(at, 1)
        runs = []
        for machine, boot in jobs:
            results = []
            for name, sizes in BENCHMARKS.items():
                shift = rng.gauss(1, .02) * (1.4 if rng.random() < .04 else 1)
                results += [{"benchmark": name, "params": {"size_kib": size}, "metric": "latency", "unit": "ns/call", "better": "lower",
                             "values": [level[name] * size * shift * rng.gauss(1, .004) for _ in range(3)]} for size in sizes]
            runs.append(submission(f"6.{at}", machine, boot_id=f"{machine}-{at}-{boot}", results=results))
        if rng.random() < .1:
            late += runs
            continue
        yield from runs
        if late and rng.random() < .5:
            yield from late
            late = []
    yield from late


def written(lab):
    """All that checks write, by name."""
    kernels = " JOIN kernel f ON f.id = {0}.from_kernel_id JOIN kernel t ON t.id = {0}.to_kernel_id"
    series = "m.name, b.name, s.params FROM {0} x JOIN series s ON s.id = x.series_id JOIN machine m ON m.id = s.machine_id JOIN benchmark b ON b.id = s.benchmark_id"
    return {
        "alerts": sql(lab.db, "SELECT a.id, f.name, t.name, a.state, a.n_series, a.worst_percent FROM alert a" + kernels.format("a") + " ORDER BY a.id"),
        "members": sql(lab.db, "SELECT x.alert_id, f.name, t.name, x.direction, " + series.format("alert_member") + kernels.format("x") + " ORDER BY 1, 5, 6, 7"),
        "changes": sql(lab.db, "SELECT f.name, t.name, x.percent, x.verdict, x.confidence, x.q, x.from_boots, x.to_boots, " + series.format("change")
                       + kernels.format("x") + " ORDER BY 9, 10, 11, 1, 2"),
        "noise": sql(lab.db, "SELECT x.variance, x.df, x.within, x.reps, x.kernels, " + series.format("series_noise") + " ORDER BY 6, 7, 8"),
        "messages": sql(lab.db, "SELECT idempotency_key FROM outbox ORDER BY 1"),
        "history": sql(lab.db, "SELECT object, action, from_state, to_state, who FROM event ORDER BY object, id"),
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_whenever_it_looks_it_says_the_same(new_lab, seed):
    options = ["--webhook-url", "http://127.0.0.1:9/", "--webhook-allow", "127.0.0.1", "--improvements", "now"]
    one_by_one, at_once, two = new_lab(), new_lab(), new_lab()
    one_by_one.watch(*options)
    for upload in uploads(seed):
        one_by_one.api.store(upload)
        wait_until(lambda: not sql(one_by_one.db, "SELECT 1 FROM run_todo WHERE what = 'check'"), "it is checked")
    expected = written(one_by_one)
    assert len(expected["alerts"]) > 2 and len(expected["messages"]) > 2 and len(expected["changes"]) > 10

    at_once.api.store(*uploads(seed))
    at_once.watch(*options)
    runs = list(uploads(seed))
    two.watch(*options)
    two.api.store(*runs[:len(runs) // 3])
    two.watch(*options)
    two.api.store(*runs[len(runs) // 3:])
    for other in at_once, two:
        other.checked()
        found = written(other)
        for what, rows in expected.items():
            assert found[what] == rows, what
