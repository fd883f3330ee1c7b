# SPDX-License-Identifier: GPL-2.0-or-later
"""From measurements to ratios: of each round, then their median; and what must hold."""
import statistics


class Ratio:
    """One measurement over another of the same round, by a field that `load` and the probes print."""

    def __init__(self, label, over, under, field, floor=None, ceiling=None):
        self.label, self.over, self.under, self.field = label, over, under, field
        self.floor, self.ceiling = floor, ceiling

    def of(self, rounds):
        """None where one of the two was not measured."""
        values = [r[self.over][self.field] / r[self.under][self.field] for r in rounds
                  if r.get(self.over) and r.get(self.under)]
        if not values:
            return None
        median = statistics.median(values)
        passed = None
        if self.floor is not None:
            passed = median >= self.floor
        elif self.ceiling is not None:
            passed = median <= self.ceiling
        return {"label": self.label, "over": self.over, "under": self.under, "field": self.field, "median": median,
                "min": min(values), "max": max(values), "rounds": values, "floor": self.floor, "ceiling": self.ceiling,
                "passed": passed}


def wanted():
    out = []
    for n in (500, 64):
        for clients in (1, 16, 64):
            what = f"POST {n} results, {clients} client{'s' * (clients > 1)}"
            name = f"post-{n}-{clients}"
            out.append(Ratio(f"{what} / bare run-packed", name, f"packed-{n}-{clients}", "per_s"))
            out.append(Ratio(f"{what} / bare rows by UNNEST", name, f"rows-{n}-{clients}", "per_s",
                             floor=0.8 if (n, clients) == (500, 16) else None))
            if clients == 16:
                out.append(Ratio(f"{what} / Node rival", name, f"rival-{n}-{clients}", "per_s"))
        out.append(Ratio(f"POST {n} results, 64 clients / 16 clients", f"post-{n}-64", f"post-{n}-16", "per_s", floor=0.9))
    return out + [
        Ratio("trend of one series, uncached / bare query", "trend", "trend-bare", "per_s", floor=0.6),
        Ratio("trend of one series, uncached / Node rival", "trend", "trend-rival", "per_s"),
        Ratio("trend of one series, uncached, gzip / bare query", "trend-gzip", "trend-bare", "per_s"),
        Ratio("trend of one series, cached / uncached", "trend-cached", "trend", "per_s"),
        Ratio("chart of 96 series, uncached / bare packs (time)", "chart", "chart-bare", "p50_ms"),
        Ratio("compare of all series / bare run-packed fetch (time)", "compare", "compare-bare", "p50_ms", ceiling=4),
        Ratio("compare of all series, gzip / bare run-packed fetch (time)", "compare-gzip", "compare-bare", "p50_ms"),
    ]


def summary(rounds):
    """Medians of each measurement over the rounds."""
    names = list(dict.fromkeys(name for r in rounds for name in r if r[name]))
    return {name: {field: statistics.median(r[name][field] for r in rounds if r.get(name))
                   for field in ("per_s", "p50_ms", "p99_ms", "bytes")} for name in names}


def text(measured, ratios):
    lines = [f"{'measured (median)':<18}{'per s':>10}{'p50 ms':>10}{'p99 ms':>10}{'bytes':>12}"]
    for name, m in measured.items():
        lines.append(f"{name:<18}{m['per_s']:>10.1f}{m['p50_ms']:>10.3f}{m['p99_ms']:>10.3f}{m['bytes']:>12.0f}")
    lines += ["", f"{'ratio (of each round: median, spread)':<62}{'median':>8}  {'min .. max':<16}{'must be':>8}"]
    for r in ratios:
        bound = f">= {r['floor']}" if r["floor"] is not None else f"<= {r['ceiling']}" if r["ceiling"] is not None else ""
        verdict = "" if r["passed"] is None else "  ok" if r["passed"] else "  MISSED"
        lines.append(f"{r['label']:<62}{r['median']:>8.2f}  {r['min']:>6.2f} .. {r['max']:<6.2f}{bound:>8}{verdict}")
    return "\n".join(lines)
