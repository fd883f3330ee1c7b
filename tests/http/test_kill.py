# SPDX-License-Identifier: GPL-2.0-or-later
"""
watch killed (kill -9) at random moments while runs come in: the same alerts and the same mails, by
Message-ID, as where nobody disturbed it. NSECWATCH_KILL_RUNS, NSECWATCH_KILLS and NSECWATCH_KILL_KERNELS say how much; `make
test-kill` is 500 runs of 28 kernels and 50 kills. NSECWATCH_KILL_SEED repeats one.
"""
import collections
import email
import os
import random
import time

import pytest

from harness import sql, wait_until
from lab import to
import sinks

RUNS = int(os.environ.get("NSECWATCH_KILL_RUNS", 108))
KILLS = int(os.environ.get("NSECWATCH_KILLS", 10))
SEED = int(os.environ.get("NSECWATCH_KILL_SEED", random.randrange(1 << 30)))
KERNELS = int(os.environ.get("NSECWATCH_KILL_KERNELS", 7))
BOOTS, BENCHMARKS = 3, ["mprotect/tw4m", "stress-ng/bigheap"]
MACHINES = [f"milan-{i:02d}" for i in range(-(-RUNS // (KERNELS * BOOTS * len(BENCHMARKS))))]
STEPS = {2: 1.3, 3: 0.75, 5: 1.5}  # kernels with another level than the one before, in one benchmark; in the other the next one


def uploads():
    """(kernel, machine, factor) in the order they come: RUNS runs, or a few more."""
    factor = {name: 1.0 for name in BENCHMARKS}
    for at in range(KERNELS):
        for shift, name in enumerate(BENCHMARKS):
            factor[name] *= STEPS.get(at - shift, 1)
        for machine in MACHINES:
            yield f"6.{at + 1}", machine, dict(factor)


def send(lab, kernel, machine, factor):
    for name in BENCHMARKS:
        lab.boots(kernel, {size: 1000 * size * factor[name] for size in (4, 40)}, machine, boots=BOOTS, benchmark=name, run=name)


def finish(lab, watch):
    """All is checked and sent; (rows, keys of calls, Message-IDs of mails), the last two as the outbox has them."""
    lab.checked()
    wait_until(lambda: not sql(lab.db, "SELECT 1 FROM outbox WHERE sent_at IS NULL"), "everything is delivered", timeout=180)
    watch.stop()
    return lab.rows(), {key for key, in sql(lab.db, "SELECT idempotency_key FROM outbox")}


@pytest.mark.fault("watch is killed (kill -9) at any moment, one or two of them", "the same alerts and mails as where nobody disturbed it")
@pytest.mark.parametrize("watches", [1, 2])
def test_killed_at_random_moments_it_makes_the_same_alerts_and_mails(new_lab, hook, mail, watches):
    print(f"NSECWATCH_KILL_SEED={SEED}")
    rng = random.Random(SEED)
    calm, stormy = new_lab(), new_lab()
    options = [*to(hook, mail), "--improvements", "now"]
    watch = calm.watch(*options)
    for one in uploads():
        send(calm, *one)
        calm.checked()
    expected, keys = finish(calm, watch)
    assert len(expected) > 4 and len(mail.messages) == len(set(mail.ids())) == len(keys) / 2
    mails, calls = set(mail.ids()), {headers["Idempotency-Key"] for headers, _ in hook.calls}
    assert calls | {key.replace("-webhook", "-mail") for key in calls} == keys

    other_hook, other_mail = sinks.Hook(), sinks.Mail()
    other_mail.slow = 0.003  # so that kills come in the middle of mails
    try:
        herd = [stormy.watch(*to(other_hook, other_mail), "--improvements", "now", start=False) for _ in range(watches)]
        rounds, work = list(uploads()), {"todo": 0, "delivery": 0}
        kills, most = 0, 0.3
        for i, one in enumerate(rounds):
            send(stormy, *one)
            while kills < KILLS * (i + 1) // len(rounds):
                for w in herd:
                    if not w.running():
                        w.start()
                time.sleep(rng.uniform(0.01, most))  # the moment of the kill: any will do
                for w in rng.sample(herd, rng.randint(1, watches)):
                    w.kill()
                    kills += 1
                busy = bool(sql(stormy.db, "SELECT 1 FROM run_todo LIMIT 1"))
                work["todo"] += busy
                work["delivery"] += bool(sql(stormy.db, "SELECT 1 FROM outbox WHERE busy_until > now() AND sent_at IS NULL LIMIT 1"))
                most = min(most * 1.3, 5) if busy else max(most * 0.8, 0.05)  # about when the work gets done
        for w in herd[1:]:
            if w.running():
                w.stop()
        if not herd[0].running():
            herd[0].start()
        rows, outbox = finish(stormy, herd[0])
        print(f"{sql(stormy.db, 'SELECT count(*) FROM run')[0][0]} runs, {kills} kills, {work['todo']} with runs to check, {work['delivery']} with a delivery under way")
        assert kills >= KILLS and work["todo"]
        assert rows == expected
        assert outbox == keys
        assert set(other_mail.ids()) == mails
        assert {headers["Idempotency-Key"] for headers, _ in other_hook.calls} == calls
        twice = {key: n for key, n in collections.Counter(other_mail.ids()).items() if n > 1}
        print(f"{len(mails)} mails, {len(twice)} of them twice: killed between the server's 250 and the note of it")
        assert len(twice) <= kills
        for key in twice:  # what comes twice is the same
            assert len({email.message_from_bytes(data).get_payload() for _, _, data in other_mail.messages
                        if f"Message-ID: {key}".encode() in data}) == 1
    finally:
        other_hook.close()
        other_mail.close()
