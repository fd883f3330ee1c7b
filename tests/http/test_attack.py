# SPDX-License-Identifier: GPL-2.0-or-later
"""
All that the internet does to a server, at once, while labs and readers go on: `make test-attack` (slow: not part of make test).

2,000 connections that send a byte of a header now and then, 1,000 POSTs that stop in their middle, 10 GB of chunked bodies
(NSECWATCH_ATTACK_GB), requests that two parsers could read differently, and 50 names that mean harm through every page. Each alone is also in
test_hardening.py, test_bad_input.py and tests/browser.
"""
import contextlib
import os
import re
import socket
import statistics
import sys
import threading
import time

import pytest

from harness import ROOT, Api, read_all, submission, wait_until
from test_hardening import BEHIND, GET, POST, allow_files

sys.path.append(str(ROOT / "tests" / "faults"))
from flood import Flood, check  # noqa: E402

pytestmark = pytest.mark.slow
GB = float(os.environ.get("NSECWATCH_ATTACK_GB", "10"))

SMUGGLED = [
    POST + b"Host: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    POST + b"Host: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    POST + b"Host: x\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    POST + b"Host: x\r\nContent-Length: 5\r\ncontent-length: 40\r\n\r\n0\r\n\r\n",
    POST + b"Host: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    POST + b"Host: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    POST + b"Host: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    POST + b"Host: x\r\nTransfer-Encoding: chunked \r\n\r\n0\r\n\r\n",
    POST + b"Host: x\r\nTransfer-Encoding:\tchunked\r\nX: y\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
    POST + b"Host: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    POST + b"Host: x\r\nContent-Length: +5\r\n\r\n12345", POST + b"Host: x\r\nContent-Length: 5, 5\r\n\r\n12345",
    POST + b"Host: x\r\nContent-Length: 0x5\r\n\r\n12345", POST + b"Host: x\r\nContent-Length: -1\r\n\r\n",
    POST + b"Host: x\r\nContent-Length: 18446744073709551621\r\n\r\n12345",
    POST + b"Host: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n0\r\n\r\n",
    POST + b"Host: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff1\r\nx\r\n0\r\n\r\n",
    POST + b"Host: x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nx\r\n0\r\n\r\n",
    POST.replace(b"1.1", b"1.0") + b"Host: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    POST + b"Host: x\r\nContent-Length: 1\r\n 0\r\n\r\n[]        ", GET + b"Host: x\r\nHost: y\r\n\r\n", GET + b"\r\n",
    GET + b"Host: x\nX-A: b\r\n\r\n", GET + b" Host: x\r\n\r\n", GET + b"Host: x\r\nX-A: a\0b\r\n\r\n", GET + b"Host: x\r\nX-A: a\rX-B: b\r\n\r\n",
]

NAMES = [
    "<script>alert(1)</script>", "\"><script>alert(1)</script>", "'><img src=x onerror=alert(1)>", "<svg/onload=alert(1)>", "</title><script>alert(1)</script>",
    "</pre></script><script>alert(1)</script>", "<!--<script>", "]]><script>alert(1)</script>", "javascript:alert(1)", "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<iframe src=//evil.example>", "<base href=//evil.example/>", "<meta http-equiv=refresh content=0>", "<a href=javascript:alert(1)>x</a>", "<style>*{display:none}</style>",
    "<math><mtext><img src=x onerror=alert(1)>", "<details open ontoggle=alert(1)>", "<link rel=stylesheet href=//evil.example>", "\"onmouseover=\"alert(1)", "' onfocus='alert(1)' autofocus='",
    "`onerror=alert(1)`", "{{7*7}}", "${7*7}", "<%= 7*7 %>", "#{7*7}",
    "'; DROP TABLE run; --", "' OR '1'='1", "1; SELECT pg_sleep(10)", "\\'; --", "$$; DROP SCHEMA nsecwatch CASCADE; $$", "%00", "%0d%0aSet-Cookie: a=b", "a%0aB", "../../../../etc/passwd",
    "..\\..\\windows", "/etc/passwd", "file:///etc/passwd", "con", "=cmd|'/c calc'!A0", "+SUM(1)", "@SUM(1)", "-2+3", "\u202eevil", "\u2028\u2029", "\ufeffbom", "a\u0301\u0301\u0301" * 20,
    "\U0001f4a9" * 20, "x" * 200, "%s%s%s%n", "*?[a-z]{1,9}",
]


def loris(server, over, n, told):
    """n connections that each add a byte of a header every few seconds; those that were closed are opened again."""
    links, opened = [], 0
    while not over.is_set():
        while len(links) < n and not over.is_set():
            with contextlib.suppress(OSError):
                links.append(server.connect(timeout=5))
                links[-1].setblocking(False)
                links[-1].send(b"GET /healthz HTTP/1.1\r\nX-")
                opened += 1
        alive = []
        for link in links:
            try:
                link.send(b"a")
                alive.append(link)
            except BlockingIOError:
                alive.append(link)
            except OSError:
                link.close()
        links = alive
        told["loris"] = max(told.get("loris", 0), len(links))
        over.wait(1)
    told["loris opened"] = opened
    for link in links:
        link.close()


def half_posts(server, over, n, token, told):
    head = (f"POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n").encode()
    links = []
    for _ in range(n):
        with contextlib.suppress(OSError):
            links.append(server.connect(timeout=5))
            links[-1].sendall(head + b"{" + b" " * 20000)
    told["half"] = len(links)
    over.wait()
    for link in links:
        link.close()


def chunked(server, share, token, told, key):
    """Chunks without an end, on one connection after another, until so many bytes were sent."""
    piece = b"%x\r\n" % 65536 + b"x" * 65536 + b"\r\n"
    piece *= 16
    sent = links = 0
    while sent < share:
        try:
            with server.connect(timeout=30) as link:
                links += 1
                link.sendall((f"POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
                              "Transfer-Encoding: chunked\r\n\r\n").encode())
                while sent < share:
                    link.sendall(piece)
                    sent += len(piece)
        except OSError:
            pass
    told[key] = sent, links


def smuggler(server, over, failures, told):
    rounds = 0
    while not over.is_set() or not rounds:
        for request in SMUGGLED:
            with contextlib.suppress(ConnectionError, TimeoutError):
                with server.connect() as link:
                    link.sendall(request + BEHIND)
                    link.shutdown(socket.SHUT_WR)
                    got = read_all(link)
                # libmicrohttpd sends the head of its own refusals twice: all of them refuse
                if set(re.findall(rb"HTTP/1\.[01] (\d\d\d)", got)) - {b"400", b"413"} or b'"status":"ok"' in got:
                    failures.append((request, got[:300]))
        rounds += 1
    told["smuggled"] = rounds * len(SMUGGLED)


PAGES = ["/", "/sweep", "/compare", "/trend", "/matrix", "/machines", "/benchmarks", "/kernels", "/runs", "/alerts", "/rules", "/search", "/deliveries"]


def names(server, token, failures, told):
    """Stored, and then asked of every page and every form of the API: their markup is nobody's."""
    api = Api(server.url, token)
    api.session.trust_env = False
    asked = 0
    for i, name in enumerate(NAMES):
        results = [{"benchmark": name[:180] or "b", "params": {"size_kib": 4, "p": name[:60]}, "metric": "latency", "unit": "ns/call", "better": "lower", "values": [1.0 + i]}]
        answer = api.post("/api/v1/runs", json=submission(machine=name[:120], results=results, boot_id=f"evil-{i}", labels={"x": name}))
        if answer.status_code not in (201, 200, 422):
            failures.append((name, answer.status_code, answer.text[:200]))
        paths = [(page, {"machine": name, "benchmark": name, "kernel": name}) for page in PAGES]
        paths += [(f"/api/v1/{what}", {"machine": name}) for what in ("machines", "runs.csv", "series.txt", "benchmarks")]
        paths += [("/api/v1/sweep.svg", {"axis": "size_kib", "benchmark": name, "machine": name, "kernel": "v6.17-rc1"}),
                  ("/api/v1/compare.txt", {"base": "v6.17-rc1", "head": name}), ("/machines/" + re.sub(r"[^\w]", lambda m: "".join(f"%{b:02X}" for b in m[0].encode()), name), {}),
                  ("/search", {"q": name})]
        for path, args in paths:
            answer = api.get(path, params=args)
            asked += 1
            if answer.status_code >= 500 and answer.status_code != 503:
                failures.append((name, path, answer.status_code))
            kind = answer.headers.get("Content-Type", "")
            if "html" in kind or "svg" in kind:
                inside = answer.text.replace('<script type="module"', "")
                for mark in ("<script>alert", "<img src=x", "onload=alert(1)>", "<iframe", "<base href=//", "<math>", "onerror=alert(1)>"):
                    if mark in inside:
                        failures.append((name, path, mark))
                if "script-src 'self'" not in answer.headers["Content-Security-Policy"] and "default-src 'none'" not in answer.headers["Content-Security-Policy"]:
                    failures.append((name, path, "no policy"))
            if "Set-Cookie" in answer.headers and "a=b" in answer.headers["Set-Cookie"]:
                failures.append((name, path, "a header of its own"))
    told["names"] = len(NAMES), asked


def medians(flood, begin, end):
    return {method: statistics.median([s for when, s, status, m, _ in flood.times if begin < when < end and m == method and status and status < 400] or [99])
            for method in ("GET", "POST")}


def test_everything_at_once_and_the_service_for_others_goes_on(new_server, tokens, database):
    allow_files(8000)
    server = new_server("--max-connections", "8192", "--log-level", "warn", "--idle-timeout", "10", "--request-timeout", "20")
    token = tokens("admin")
    over, told, failures = threading.Event(), {}, []
    rss = lambda: int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{server.process.pid}/status").read())[1]) // 1024
    with Flood("127.0.0.1", server.port, token, "calm", writers=4, readers=4, pause_s=0.05, timeout=60) as flood:
        begun = time.monotonic()
        wait_until(lambda: len(flood.times) > 400, "labs and readers are at work")
        attacked, before = time.monotonic(), rss()
        attackers = [threading.Thread(target=loris, args=(server, over, 2000, told)),
                     threading.Thread(target=half_posts, args=(server, over, 1000, tokens("ingest"), told)),
                     threading.Thread(target=smuggler, args=(server, over, failures, told)),
                     threading.Thread(target=names, args=(server, token, failures, told))]
        floods = [threading.Thread(target=chunked, args=(server, GB * 1e9 / 4, tokens("ingest"), told, f"chunked {i}")) for i in range(4)]
        for thread in attackers + floods:
            thread.start()
        most = before
        while any(thread.is_alive() for thread in floods + attackers[-1:]):
            most = max(most, rss())
            assert server.running() and not failures, failures[:3]
            over.wait(0.5)
        wait_until(lambda: told.get("loris", 0) >= 2000 and told.get("half", 0) >= 900, "all attackers are there")
        ended = time.monotonic()
        over.set()
        for thread in attackers:
            thread.join()
    assert not failures, failures[:3]
    calm, stormy = medians(flood, begun, attacked), medians(flood, attacked, ended)
    sent = sum(told[f"chunked {i}"][0] for i in range(4))
    print(f"\n{told['loris']} connections in drops ({told['loris opened']} opened), {told['half']} POSTs that stop, {sent / 1e9:.1f} GB of chunks over"
          f" {sum(told[f'chunked {i}'][1] for i in range(4))} connections, {told['smuggled']} smuggled requests, {told['names'][0]} names through {told['names'][1]} pages,"
          f" in {ended - attacked:.0f} s;\nothers, median: uploads {calm['POST'] * 1000:.0f} ms before, {stormy['POST'] * 1000:.0f} ms during; reads {calm['GET'] * 1000:.0f} and"
          f" {stormy['GET'] * 1000:.0f} ms; answers {dict(flood.answers)}; memory {before} MiB before, at most {most} MiB")
    assert not flood.answers[None] and not flood.wrong, flood.wrong[:3]
    assert flood.answers[503] < sum(flood.answers.values()) * 0.01
    for method in calm:
        assert stormy[method] < max(20 * calm[method], 1.0), (method, calm, stormy)
    assert most < before + 400, "what attackers send is not kept"
    check(database, flood)
    server.stop()
