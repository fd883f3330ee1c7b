# SPDX-License-Identifier: GPL-2.0-or-later
"""Spots that quote the file itself: a sample of an exposition, a line of fio's output, a row of graph data, its extremes."""
import json
import re

NUMBER = r"[-+]?\d[\d.]*(?:e[-+]?\d+)?"
KIB = {"KiB/s": 1024, "MiB/s": 1024 ** 2, "GiB/s": 1024 ** 3}
NSEC = {"nsec": 1, "usec": 1e3, "msec": 1e6}


def near(points, value):
    return any(abs(p - value) <= 1e-9 * abs(value) for p in points)


def exposition(text, results):
    """NAME{LABEL="VALUE",...} VALUE ... (neutral: gauge/counter): by name, labels and value."""
    m = re.match(rf"([a-zA-Z_:][\w:]*)(?:{{(.*?)}})? ({NUMBER}|[+-]Inf)\b.*\(neutral: gauge/counter\)$", text)
    if not m:
        return None
    labels = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', m[2] or ""))
    for r in results:
        name = r.benchmark if r.metric == "value" else f"{r.benchmark}_{r.metric}"
        if name == m[1] and {k: str(v) for k, v in r.params.items()} == labels and \
                r.better == "neutral" and near(r.points, float(m[3]) * (1e9 if r.unit == "ns" else 1)):
            return True
    return False


def fio_line(text, results):
    iops = re.match(r"(\w+): IOPS=(\d+), \(higher\)$", text)
    if iops:
        return any(r.metric == "iops" and r.params.get("direction") == iops[1] and near(r.points, float(iops[2])) and
                   r.better == "higher" for r in results)
    bw = re.match(r"BW=([\d.]+)(\w+/s) \(higher\)$", text)
    if bw:
        return any(r.metric == "bandwidth" and near(r.points, float(bw[1]) * KIB[bw[2]]) and r.better == "higher" for r in results)
    lat = re.match(r"lat \((\w+)\): .*avg=([\d.]+),.*\(lower\)$", text)
    if lat:
        return any(r.metric == "latency" and near(r.points, float(lat[2]) * NSEC[lat[1]]) and r.better == "lower" for r in results)
    return None


def graph_row(text, results):
    """row 0 = [id, [...], seconds, value, ...], row last = ...; min/max = A/B"""
    row = re.match(r"row (0|last) = (\[.*\])$", text)
    if row:
        return bool(results) and near(results[0 if row[1] == "0" else -1].points, json.loads(row[2])[3])
    ends = re.match(rf"min/max = ({NUMBER})/({NUMBER})$", text)
    if ends:
        points = [p for r in results for p in r.points]
        return bool(points) and near([min(points)], float(ends[1])) and near([max(points)], float(ends[2]))
    return None


def fits(text, results):
    """True or False; None where the spot is of another kind."""
    for kind in (exposition, fio_line, graph_row):
        found = kind(text, results)
        if found is not None:
            return found
    return None
