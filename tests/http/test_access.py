# SPDX-License-Identifier: GPL-2.0-or-later
"""Tokens: their scopes, limits and ends, who makes them, and that nothing tells their text."""
import concurrent.futures
import json
import os
import pathlib
import re

import pytest
import requests

from harness import Api, Process, command, error_of, sql, submission, wait_until


def make(api, **fields):
    """A new token by the API: its text."""
    answer = api.post("/api/v1/tokens", json=fields)
    assert answer.status_code == 201, answer.text
    return answer.json()["text"]


def mixed(*pairs):
    """Submissions of (machine, benchmark)."""
    return [submission(machine=machine, results=[{"benchmark": benchmark, "metric": "latency", "unit": "ns/call", "better": "lower", "values": [1.5]}])
            for machine, benchmark in pairs]


# ---- scopes

WRITES = [("POST", "/api/v1/runs", "ingest", submission(machine="scope-01")), ("POST", "/api/v1/kernels", "triage", [{"release": "v6.1"}]),
          ("POST", "/api/v1/rules", "triage", {"name": "x"}), ("POST", "/api/v1/mutes", "triage", {}), ("POST", "/api/v1/pages", "triage", {"path": "/"}),
          ("POST", "/api/v1/tokens", "admin", {}), ("GET", "/api/v1/tokens", "admin", None), ("GET", "/api/v1/audit", "admin", None),
          ("GET", "/api/v1/deliveries", "triage", None)]


@pytest.mark.parametrize("scope", ["read", "ingest", "triage", "admin"])
def test_a_scope_allows_what_it_says_and_nothing_else(server, tokens, scope):
    api = Api(server.url, tokens(scope))
    for method, path, needs, body in WRITES:
        answer = api.request(method, path, json=body)
        if scope in (needs, "admin"):
            assert answer.status_code not in (401, 403), (scope, path, answer.text)
        else:
            assert f"this needs {needs}" in error_of(answer, 403, "forbidden")["message"], (scope, path)
        error_of(Api(server.url).request(method, path, json=body), 401, "unauthorized")


# ---- limits

@pytest.fixture(scope="module")
def limited(api, server):
    return Api(server.url, make(api, name="limited", scope="ingest", machines=["milan-*", "rome-1"], benchmarks=["mprotect/*"]))


@pytest.mark.parametrize("pair", [("milan-01", "mprotect/tw4m"), ("rome-1", "mprotect/x")])
def test_a_limited_token_sends_what_it_may(limited, pair):
    limited.store(*mixed(pair))


@pytest.mark.parametrize("machine, benchmark, at", [
    ("rome-10", "mprotect/tw4m", "/machine/name"), ("Milan-01", "mprotect/tw4m", "/machine/name"), ("x-milan-01", "mprotect/x", "/machine/name"),
    ("milan-01", "stress-ng/bigheap", "/results/0/benchmark"), ("milan-01", "xmprotect/x", "/results/0/benchmark")])
def test_it_sends_nothing_else(limited, database, machine, benchmark, at):
    before = sql(database, "SELECT count(*) FROM run")
    for path in ("/api/v1/runs", "/api/v1/runs?dry_run=1"):
        error = error_of(limited.post(path, json=mixed((machine, benchmark))[0]), 403, "forbidden")
        assert [p["at"] for p in error["problems"]] == [at], error
    assert sql(database, "SELECT count(*) FROM run") == before
    assert sql(database, "SELECT count(*) FROM machine WHERE name = %s", "rome-10") == [(0,)]


def test_one_of_many_that_it_may_not_send_and_none_is_stored(limited, database):
    before = sql(database, "SELECT count(*) FROM run")
    many = mixed(*[(f"milan-{n}", "mprotect/tw4m") for n in range(50, 58)], ("rome-2", "mprotect/tw4m"), ("milan-59", "stress-ng/x"))
    bodies = {"application/json": json.dumps(many), "application/x-ndjson": "\n".join(map(json.dumps, many))}
    for kind, body in bodies.items():
        error = error_of(limited.post("/api/v1/runs", data=body, headers={"Content-Type": kind}), 403, "forbidden")
        assert [p["at"] for p in error["problems"]] == ["/8/machine/name", "/9/results/0/benchmark"], error
    assert sql(database, "SELECT count(*) FROM run") == before
    assert sql(database, "SELECT count(*) FROM machine WHERE name LIKE 'milan-5_'") == [(0,)]


def test_limits_hold_for_foreign_formats_and_forms(limited):
    csv = "benchmark,metric,unit,better,value\nstress-ng/x,latency,ns/call,lower,1713\n"
    query = "kernel=6.16&thp=always"
    error_of(limited.post(f"/api/v1/runs?format=csv&machine=milan-01&{query}", data=csv), 403, "forbidden")
    error_of(limited.post(f"/api/v1/runs?format=csv&machine=rome-9&{query}", data=csv.replace("stress-ng", "mprotect")), 403, "forbidden")
    context = json.dumps({**submission(machine="rome-9"), "results": []})
    form = {"context": (None, context, "application/json"), "result": ("results.csv", csv, "text/csv")}
    error = error_of(limited.post("/api/v1/runs", files=form), 403, "forbidden")
    assert len(error["problems"]) == 2, error


@pytest.mark.parametrize("fields, at", [
    ({"scope": "triage", "machines": ["a"]}, "/scope"), ({"scope": "ingest", "machines": ["a,b"]}, "/machines"), ({"scope": "ingest", "machines": [" "]}, "/machines"),
    ({"scope": "root"}, "/scope"), ({"scope": "read", "expires_at": "2001-01-01T00:00:00Z"}, "/expires_at"), ({"scope": "read", "name": "a\nb"}, "/name"), ({}, "/scope")])
def test_a_token_that_makes_no_sense_is_not_made(api, fields, at):
    error = error_of(api.post("/api/v1/tokens", json={"name": "senseless", **fields}), 422, "invalid")
    assert at in [p["at"] for p in error["problems"]], error


# ---- life

def test_a_token_is_listed_without_its_text_and_its_name_is_taken(api, server):
    text = make(api, name="listed", scope="ingest", machines=["a-*"], expires_at="30d")
    Api(server.url, text).store(submission(machine="a-1"))
    listed = api.get("/api/v1/tokens?limit=1000")
    (mine,) = [t for t in listed.json()["tokens"] if t["name"] == "listed"]
    assert mine["machines"] == ["a-*"] and mine["benchmarks"] is None and mine["state"] == "active"
    assert mine["last_used_at"] and mine["expires_at"] > mine["created_at"]
    error_of(api.post("/api/v1/tokens", json={"name": "listed", "scope": "read"}), 409, "conflict")
    for form in ("", ".csv", ".txt"):
        assert text[4:] not in api.get(f"/api/v1/tokens{form}").text
    assert "a-*" in api.get("/api/v1/tokens.csv").text


def test_a_revoked_token_is_none_at_once_here_and_soon_elsewhere(api, server, new_server):
    text = make(api, name="gone", scope="read")
    here, other = Api(server.url, text), new_server()
    elsewhere = Api(other.url, text)
    assert here.get("/api/v1/token").status_code == elsewhere.get("/api/v1/token").status_code == 200
    assert api.request("DELETE", "/api/v1/tokens/gone").json()["token"]["state"] == "revoked"
    error_of(here.get("/api/v1/token"), 401, "unauthorized")
    wait_until(lambda: elsewhere.get("/api/v1/token").status_code == 401, "the other server has forgotten it", timeout=20)
    assert api.request("DELETE", "/api/v1/tokens/gone").status_code == 200, "again is harmless"
    error_of(api.request("DELETE", "/api/v1/tokens/never"), 404, "not_found")
    other.stop()


def test_an_expired_token_is_none_even_where_it_is_remembered(api, server, database):
    text = make(api, name="short", scope="read", expires_at="1h")
    assert Api(server.url, text).get("/api/v1/token").status_code == 200
    sql(database, "UPDATE token SET expires_at = now() - interval '1 second' WHERE name = 'short'")
    wait_until(lambda: Api(server.url, text).get("/api/v1/token").status_code == 401, "it has ended", timeout=20)
    assert [t["state"] for t in api.json("/api/v1/tokens?limit=1000")["tokens"] if t["name"] == "short"] == ["expired"]


def test_use_is_noted_and_not_with_each_request(api, server, database):
    text = make(api, name="busy", scope="read")
    busy = Api(server.url, text)
    busy.get("/api/v1/token")
    first = sql(database, "SELECT last_used_at, xmin::text FROM token WHERE name = 'busy'")
    for _ in range(50):
        busy.get("/api/v1/token")
    assert first[0][0] and sql(database, "SELECT last_used_at, xmin::text FROM token WHERE name = 'busy'") == first


def test_commands_make_list_and_revoke_limited_tokens(database, server):
    added = command("token", "add", "--name", "by hand", "--scope", "ingest", "--machines", "m-*, n-1", "--benchmarks", "x/*", "--expires", "90d", "--db", database)
    text = added.stdout.strip()
    assert re.fullmatch(r"nsw_[A-Za-z0-9_-]{43}", text) and "m-*,n-1" in added.stderr
    error_of(Api(server.url, text).post("/api/v1/runs", json=submission(machine="o-1")), 403, "forbidden")
    (line,) = [one for one in command("token", "list", "--db", database).stdout.splitlines() if one.startswith("by hand")]
    assert "machines m-*,n-1" in line and "benchmarks x/*" in line and "until 2" in line and "used 2" in line
    for option, value in (("--expires", "never"), ("--machines", ",")):
        assert option in command("token", "add", "--name", "y", "--scope", "ingest", option, value, "--db", database, check=False).stderr
    assert "scope ingest" in command("token", "add", "--name", "y", "--scope", "read", "--machines", "x", "--db", database, check=False).stderr
    command("token", "revoke", "--name", "by hand", "--db", database)


# ---- the trail

def test_what_people_change_is_in_the_trail_with_how_and_from_where(api, server, tokens, anonymous):
    triage = Api(server.url, tokens("triage"))
    made = triage.post("/api/v1/mutes", json={"reason": "moved", "until": None, "selector": {"machine": "gone-*"}})
    assert made.status_code == 201, made.text
    triage.post("/api/v1/kernels", json=[{"release": "v6.2"}])
    triage.post("/api/v1/pages", json={"path": "/alerts"})
    make(api, name="in the trail", scope="read")
    trail = api.json("/api/v1/audit?limit=1000")["events"]
    found = {(e["who"], e["subject"], e["action"]): e for e in reversed(trail)}
    mute = found["test-triage", "mute", "make"]
    assert mute["via"] == "token" and mute["address"] == "127.0.0.1" and mute["request_id"] == made.headers["X-Request-Id"]
    assert mute["details"]["reason"] == "moved"
    assert found["test-triage", "kernel", "update"]["object"] == "v6.2" and ("test-triage", "page", "keep") in found
    assert found["test-admin", "token", "add"]["object"] == "in the trail"
    assert found["nsecwatchd token", "token", "add"]["via"] == "command"
    assert all(e["subject"] == "token" for e in api.json("/api/v1/audit?subject=token")["events"])
    assert "in the trail" in api.get("/api/v1/audit.csv?subject=token").text

    # who may read sees what was decided, and neither access nor addresses
    public = anonymous.get("/api/v1/events?limit=1000")
    assert {e["subject"] for e in public.json()["events"]} >= {"mute", "kernel", "page"}
    assert not {e["subject"] for e in public.json()["events"]} & {"token", "session"}
    assert "address" not in public.json()["events"][0] and "127.0.0.1" not in public.text
    error_of(anonymous.get("/api/v1/events?subject=token"), 400, "unknown_value")


# ---- secrets

def test_no_secret_is_told(api, server, database, tmp_path):
    """Not in logs, not in errors, not in the process list, not in the database."""
    text = make(api, name="secret", scope="ingest", machines=["m-1"])
    mine = Api(server.url, text)
    told = []
    for answer in (mine.post("/api/v1/runs", json=submission(machine="other")), mine.post("/api/v1/rules", json={}), mine.get(f"/api/v1/runs?token={text}"),
                   mine.get(f"/api/v1/runs?{text}=1"), mine.get(f"/{text}"), mine.get(f"/api/v1/runs/{text}"),
                   requests.get(server.url + "/api/v1/token", headers={"Authorization": f"Digest {text}"}),
                   requests.get(server.url + "/api/v1/token", headers={"Authorization": f"Bearer {text}x"}),
                   requests.post(server.url + "/api/v1/session", json={"token": text + "x"}),
                   requests.post(server.url + "/signin", data={"token": text[:-1], "next": "/"})):
        assert answer.status_code >= 400, answer.request.url
        told.append(answer.text + str(answer.headers))
    log = server.log_tail(10_000_000)
    assert "rules" in log
    for place, content in [("an answer", "".join(told)), ("the log", log)]:
        assert text[4:30] not in content, place
    for table in ("token", "session", "event", "run"):
        assert text[4:] not in str(sql(database, f"SELECT t::text FROM {table} AS t"))
    for pid in [server.process.pid]:
        assert text[4:] not in pathlib.Path(f"/proc/{pid}/cmdline").read_text()


@pytest.mark.parametrize("conninfo", ["host=/nonexistent user=x password=hunter2", "postgresql://x:hunter2@127.0.0.1:1/db"])
@pytest.mark.parametrize("command, options", [
    ("watch", ["--webhook-url", "https://hooks.example/T0/hunter2", "--smtp-url", "smtp://lab:hunter2@mail.example", "--mail-from", "a@example.org", "--mail-to", "b@example.org"]),
    ("serve", ["--listen", "127.0.0.1:0", "--db-read", "host=/nonexistent user=y password=hunter2"]),
])
def test_a_password_on_the_command_line_is_taken_off_it(command, options, conninfo, tmp_path):
    process = Process(command, "--db", conninfo, *options, log=tmp_path / "log").start()
    try:
        line = lambda: pathlib.Path(f"/proc/{process.process.pid}/cmdline").read_bytes()
        wait_until(lambda: b"*****" in line(), "the command line is written over")
        wait_until(lambda: process.log.stat().st_size, "it says that there is no database, or that it listens")
        assert b"hunter2" not in line() and options[-2].encode() in line()
        assert "hunter2" not in process.log_tail()
    finally:
        process.kill()


def test_a_wrong_token_takes_as_long_as_another(server, api):
    """No clock is asked here: that both go one way, through a digest, is all that can be shown. What differs in one bit is unknown."""
    text = make(api, name="bits", scope="read")
    for at in (4, 20, 46):
        other = text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1:]
        error_of(Api(server.url, other).get("/api/v1/token"), 401, "unauthorized")
    assert Api(server.url, text).get("/api/v1/token").status_code == 200
