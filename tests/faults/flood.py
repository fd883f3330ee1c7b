# SPDX-License-Identifier: GPL-2.0-or-later
"""Labs that post without a pause, and readers: what each was told is held against what is stored."""
import collections
import http.client
import itertools
import json
import random
import re
import threading
import time

from harness import command, submission, sql
import net

READS = ["/api/v1/machines", "/api/v1/kernels", "/api/v1/runs?limit=20", "/api/v1/trend?machine={machine}&benchmark=mprotect/*",
         "/api/v1/sweep?axis=size_kib&machine={machine}&kernel=v6.2", "/api/v1/compare?base=v6.1&head=v6.2&machine={machine}", "/", "/readyz",
         "/api/v1/runs/{run}", "/api/v1/series?limit=50"]


UPLOADS_OF_FIVE = 5000


class Flood:
    """
    with Flood(url, token, name) as f: ... posts different runs, each again and again until it is acknowledged, as a lab's client does.
    .stop() ends it in order; .acknowledged is a dict run_id -> how often it was told to be stored (201), .answers counts status codes,
    .wrong what nobody should be told, .times (when, seconds, status, method, seconds in the server) of each request.
    """

    def __init__(self, host, port, token, name, writers=8, readers=0, machine=None, pause_s=0.0, timeout=30):
        self.host, self.port, self.token, self.name, self.machine = host, port, token, name, machine
        self.pause_s, self.timeout = pause_s, timeout
        self.lock, self.over = threading.Lock(), threading.Event()
        self.acknowledged, self.answers, self.wrong, self.times = {}, collections.Counter(), [], []
        self.reasons = collections.Counter()  # of 503
        self.retried, self.next, self.newest = 0, itertools.count(), 0
        self.threads = [threading.Thread(target=self._run, args=(self._write,)) for _ in range(writers)]
        self.threads += [threading.Thread(target=self._run, args=(self._read,)) for _ in range(readers)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.over.set()
        for thread in self.threads:
            thread.join()

    def _run(self, work):
        if self.machine:
            net.enter(self.machine)  # of this thread alone
        me = {"link": None}
        try:
            while not self.over.is_set():
                work(me)
                if self.pause_s:
                    self.over.wait(self.pause_s)
        except Exception as e:  # told by the test, not by the thread
            self.wrong.append(repr(e))
        if me["link"]:
            me["link"].close()

    def _ask(self, me, method, path, body=None):
        """One request: (status, body), or (None, why) where there was no answer."""
        begun = time.monotonic()
        try:
            if not me["link"]:
                me["link"] = http.client.HTTPConnection(self.host, self.port, timeout=self.timeout)
            headers = {"Authorization": f"Bearer {self.token}"}
            if body:
                headers["Content-Type"] = "application/json"
            me["link"].request(method, path, body, headers)
            answer = me["link"].getresponse()
            status, text = answer.status, answer.read()
            retry = answer.headers.get("Retry-After")
            timing = answer.headers.get("Server-Timing")
        except (OSError, http.client.HTTPException) as e:
            if me["link"]:
                me["link"].close()
            me["link"], status, text, retry, timing = None, None, repr(e), None, None
        now = time.monotonic()
        with self.lock:
            self.answers[status] += 1
            self.times.append((now, now - begun, status, method, sum(map(float, re.findall(r"dur=([\d.]+)", timing))) / 1000 if timing else None))
            if status == 503 and method != "HEAD" and text.startswith(b"{"):
                self.reasons[json.loads(text)["error"]["message"]] += 1
            if status == 503 and not retry:
                self.wrong.append(f"{method} {path}: 503 without Retry-After")
            elif status and status >= 500 and status != 503:
                self.wrong.append(f"{method} {path}: {status} {text[:300]}")
        return status, text

    def _machine(self, i):
        """Five at a time, for so long that each has some hundred boots of a kernel: nobody's lab has thousands."""
        return f"{self.name}-{i % 5 + 5 * (i // UPLOADS_OF_FIVE)}"

    def _write(self, me):
        i = self.newest = next(self.next)
        body = json.dumps(submission(machine=self._machine(i), kernel=f"v6.{i % 7 + 1}", boot_id=f"boot-{i}", size_kib=4 << i % 4,
                                     values=[1000.0 + i % 97, 1001.0 + i % 89])).encode()
        tries = 0
        while True:
            status, text = self._ask(me, "POST", "/api/v1/runs", body)
            if status in (200, 201):
                break
            if status not in (None, 503):
                self.wrong.append(f"POST: {status} {text[:300]}")
                return
            if self.over.is_set() and tries > 3:
                return  # never acknowledged: it may be there, or not
            tries += 1
            self.over.wait(random.uniform(0.02, 0.1))
        told = json.loads(text)
        with self.lock:
            self.retried += tries > 0
            if told["run_id"] in self.acknowledged:
                self.wrong.append(f"run {told['run_id']} twice")
            self.acknowledged[told["run_id"]] = told["status"]
            me["run"] = told["run_id"]
            if told["status"] == "duplicate" and not tries:
                self.wrong.append(f"run {told['run_id']} was there before it was sent")

    def _read(self, me):
        with self.lock:
            run = next(reversed(self.acknowledged), None)
        path = random.choice(READS).replace("{machine}", self._machine(self.newest // 5 * 5 + random.randrange(5)))
        if "{run}" in path and not run:
            return
        status, text = self._ask(me, "GET", path.replace("{run}", run or ""))
        if status is None or status == 503:
            self.over.wait(random.uniform(0.02, 0.1))
        elif status not in (200, 400):  # 400: no such kernel yet
            self.wrong.append(f"GET {path}: {status} {text[:300]}")

    def since(self, moment):
        """Statuses of the requests that ended after that moment."""
        with self.lock:
            return collections.Counter(status for when, _, status, *_ in self.times if when > moment)

    def first_success_after(self, moment, method="POST"):
        with self.lock:
            return next((when for when, _, status, what, _ in self.times if when > moment and status in (200, 201) and what == method), None)


def check(conninfo, flood, machine=None):
    """What was acknowledged is there, once; nothing is doubled, and what was not acknowledged is whole or not there."""
    assert not flood.wrong, flood.wrong[:5]
    assert flood.acknowledged
    with net.inside(machine):
        stored = [row[0] for row in sql(conninfo, "SELECT r.run_id::text FROM run r JOIN machine m ON m.id = r.machine_id WHERE m.name LIKE %s",
                                        f"{flood.name}-%")]
        lost = set(flood.acknowledged) - set(stored)
        assert not lost, f"{len(lost)} acknowledged runs are lost: {sorted(lost)[:3]}"
        assert len(stored) == len(set(stored))
        twice = sql(conninfo, "SELECT r.boot_id, r.machine_id FROM run r JOIN machine m ON m.id = r.machine_id WHERE m.name LIKE %s"
                    " GROUP BY r.boot_id, r.machine_id HAVING count(*) > 1", f"{flood.name}-%")
        assert not twice, f"doubled: {twice[:3]}"
        assert sql(conninfo, "SELECT count(*) FROM run r WHERE NOT EXISTS (SELECT 1 FROM run_raw w WHERE w.run_id = r.run_id)") == [(0,)]
        done = command("rebuild", "--db", conninfo)
        assert " 0 series differed" in done.stdout, done.stdout + done.stderr
    return len(flood.acknowledged), len(stored)
