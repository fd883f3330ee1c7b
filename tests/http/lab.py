# SPDX-License-Identifier: GPL-2.0-or-later
"""A lab of its own for what `nsecwatchd watch` does: database, server, and watches as a test wants. Fixtures: lab, new_lab,
and where alerts go, hook and mail (sinks.py)."""
import harness
from harness import sql, submission, wait_until

SIZES = {4: 1713, 40: 2071, 400: 3453, 4000: 18804}
LATER = {4: 1775, 40: 2362, 400: 5993, 4000: 44116}  # +3.6, +14, +74 and +135 %


class Lab:
    """A fresh database with a server, and as many watches as a test wants."""

    def __init__(self, postgres, folder):
        self.folder, self.watches = folder, []
        self.db = postgres.create_database()
        harness.command("migrate", "--db", self.db)
        done = harness.command("token", "add", "--name", "lab", "--scope", "admin", "--db", self.db)
        self.server = harness.Server(self.db, folder / "serve.log", "--public-url", "https://perf.example")
        self.server.start()
        token = next(word for word in done.stdout.split() if word.startswith("nsw_"))
        self.api = harness.Api(self.server.url, token)

    def watch(self, *options, start=True):
        watch = harness.Process("watch", "--db", self.db, "--public-url", "https://perf.example", "--settle", "0", *options,
                                log=self.folder / f"watch{len(self.watches)}.log")
        self.watches.append(watch)
        return watch.start() if start else watch

    def boots(self, kernel, centers, machine="milan-01", boots=3, reps=3, better="lower", benchmark="mprotect/tw4m",
              thp="always", noise=0.002, **fields):
        """Some boots of one kernel, each with its own small shift, all sizes in each."""
        metric = {"lower": ("latency", "ns/call"), "higher": ("rate", "calls/s")}[better]
        for boot in range(boots):
            shift = 1 + noise * (boot - (boots - 1) / 2)
            self.api.store(submission(
                kernel, machine, thp=thp, boot_id=f"{machine}-{kernel}-{boot}-{fields.get('run', '')}", results=[
                    {"benchmark": benchmark, "params": {"size_kib": size}, "metric": metric[0], "unit": metric[1],
                     "better": better,
                     "values": [center * shift * (1 + noise / 4 * (rep - (reps - 1) / 2)) for rep in range(reps)]}
                    for size, center in centers.items()]))

    def multiply(self, boots):
        """Each run so many times more, as other boots that wait to be packed and checked: much faster than to upload them."""
        sql(self.db, """
            WITH new AS (
                INSERT INTO run (run_id, content_sha256, machine_id, machine_fact_id, kernel_id, config_id, started_at, received_at,
                                 boot_id, format, token, series_id, status, n, mean, median, stddev, vmin, vmax)
                SELECT gen_random_uuid(), content_sha256, machine_id, machine_fact_id, kernel_id, config_id, started_at, received_at,
                       concat(boot_id, '-', g), format, token, series_id, status, n, mean, median, stddev, vmin, vmax
                FROM run, generate_series(1, %s) g RETURNING run_id)
            INSERT INTO run_todo (run_id, what) SELECT run_id, what FROM new, (VALUES ('pack'), ('check')) w (what)""", boots)

    def checked(self):
        wait_until(lambda: not sql(self.db, "SELECT 1 FROM run_todo"), "all runs are checked and packed")

    def delivered(self, n):
        wait_until(lambda: sql(self.db, "SELECT count(*) FROM outbox WHERE sent_at IS NOT NULL")[0][0] == n,
                   f"{n} deliveries are marked")
        assert not sql(self.db, "SELECT 1 FROM outbox WHERE sent_at IS NULL")

    def alerts(self, **query):
        return self.api.json("/api/v1/alerts", params=query)["alerts"]

    def ranges(self):
        return sorted((a["from"], a["to"], a["kind"]) for a in self.alerts())

    def rows(self):
        """Everything that checks write, by name."""
        return sql(self.db, """
            SELECT a.id, f.name, t.name, b.name, a.direction, a.state, a.n_series, a.worst_percent, m.name, s.params,
                   mf.name, mt.name, c.percent, c.verdict, c.confidence, c.from_boots, c.to_boots
            FROM alert a JOIN kernel f ON f.id = a.from_kernel_id JOIN kernel t ON t.id = a.to_kernel_id
            JOIN benchmark b ON b.id = a.benchmark_id JOIN alert_member am ON am.alert_id = a.id
            JOIN series s ON s.id = am.series_id JOIN machine m ON m.id = s.machine_id
            JOIN kernel mf ON mf.id = am.from_kernel_id JOIN kernel mt ON mt.id = am.to_kernel_id
            JOIN change c ON (c.series_id, c.from_kernel_id, c.to_kernel_id) =
                             (am.series_id, am.from_kernel_id, am.to_kernel_id)
            ORDER BY a.id, m.name, s.params, mf.name""")

    def close(self):
        for watch in self.watches:
            if watch.running():
                watch.stop()
        self.server.stop()


def to(hook=None, mail=None):
    """Options that send alerts there."""
    options = ["--webhook-url", hook.url, "--webhook-allow", "127.0.0.1", "--improvements", "now"] if hook else []
    if mail:
        options += ["--smtp-url", mail.url, "--mail-from", "watch@lab.example", "--mail-to", "mm@lists.example"]
    return options
