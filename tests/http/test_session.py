# SPDX-License-Identifier: GPL-2.0-or-later
"""Browsers that sign in: cookies, what other sites cannot do with them, proxies that say who it is; and --private."""
import re

import pytest
import requests

from harness import Api, PATIENCE, error_of, sql, submission, wait_until

RULE = {"name": "from a browser"}


class Browser:
    """What a browser does: cookies, and Origin with what it changes. `page` is where the change comes from."""

    def __init__(self, server, page=None, **headers):
        self.url, self.page = server.url, page or server.url
        self.session = requests.Session()
        self.session.headers.update(headers)

    def request(self, method, path, page=None, csrf=None, headers=None, **kw):
        headers = dict(headers or {})
        page = page or self.page
        if method != "GET" and page != "none":
            headers["Origin"] = page
        if csrf:
            headers["X-CSRF-Token"] = csrf
        kw.setdefault("allow_redirects", False)
        return self.session.request(method, self.url + path, headers=headers, timeout=PATIENCE, **kw)

    def sign_in(self, token, **more):
        answer = self.request("POST", "/api/v1/session", json={"token": token, **more})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def who(self):
        answer = self.request("GET", "/api/v1/session")
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture
def browser(server):
    return Browser(server)


# ---- in and out

def test_signing_in_sets_a_cookie_that_no_script_reads_and_says_who_it_is(browser, tokens, database):
    assert browser.who()["name"] is None
    answer = browser.request("POST", "/api/v1/session", json={"token": tokens("triage")})
    me = answer.json()
    assert (me["name"], me["scope"], me["triage"], me["admin"], me["via"]) == ("test-triage", "triage", True, False, "session")
    cookie = answer.headers["Set-Cookie"]
    assert re.fullmatch(r"nsecwatch=[A-Za-z0-9_-]{43}; Path=/; HttpOnly; SameSite=Lax", cookie), cookie
    assert answer.headers["Cache-Control"] == "no-store"
    assert browser.who() == me
    secret = browser.session.cookies["nsecwatch"]
    assert secret not in str(sql(database, "SELECT s::text FROM session AS s")) and secret not in answer.text and me["csrf"] != secret


def test_what_is_decided_in_a_session_stands_under_the_persons_name(browser, tokens, api):
    me = browser.sign_in(tokens("triage"))
    answer = browser.request("POST", "/api/v1/rules", json=RULE, csrf=me["csrf"])
    assert answer.status_code == 201, answer.text
    rule = answer.json()["rule"]["id"]
    (event,) = [e for e in api.json("/api/v1/audit?subject=rule")["events"] if e["object"] == rule]
    assert (event["who"], event["via"], event["address"]) == ("test-triage", "session", "127.0.0.1")
    assert browser.request("DELETE", f"/api/v1/rules/{rule}", csrf=me["csrf"]).status_code == 200
    assert browser.request("GET", "/api/v1/deliveries").status_code == 200
    error_of(browser.request("POST", "/api/v1/tokens", json={}, csrf=me["csrf"]), 403, "forbidden")
    assert {e["action"] for e in api.json("/api/v1/audit?subject=session&who=test-triage")["events"]} >= {"sign-in"}


def test_signing_out_ends_it(browser, tokens, server):
    me = browser.sign_in(tokens("triage"))
    secret = browser.session.cookies["nsecwatch"]
    error_of(browser.request("DELETE", "/api/v1/session"), 403, "forbidden")
    assert browser.who()["name"] == "test-triage", "not without the proof"
    answer = browser.request("DELETE", "/api/v1/session", csrf=me["csrf"])
    assert answer.json()["name"] is None and "Max-Age=0" in answer.headers["Set-Cookie"]
    again = Browser(server)
    again.session.cookies.set("nsecwatch", secret)
    assert again.who()["name"] is None
    error_of(again.request("POST", "/api/v1/rules", json=RULE, csrf=me["csrf"]), 401, "unauthorized")


def test_each_signing_in_is_another_secret_and_the_one_before_is_over(browser, tokens, server):
    browser.sign_in(tokens("triage"))
    first = browser.session.cookies["nsecwatch"]
    browser.sign_in(tokens("triage"))
    assert browser.session.cookies["nsecwatch"] != first
    old = Browser(server)
    old.session.cookies.set("nsecwatch", first)
    assert old.who()["name"] is None


def test_a_session_ends_with_its_token_unused_and_after_its_time(browser, tokens, api, database, server):
    made = api.post("/api/v1/tokens", json={"name": "leaver", "scope": "triage"}).json()["text"]
    me = browser.sign_in(made)
    api.request("DELETE", "/api/v1/tokens/leaver")
    assert browser.who()["name"] is None
    error_of(browser.request("POST", "/api/v1/rules", json=RULE, csrf=me["csrf"]), 401, "unauthorized")
    for what in ("revoked_at = now()", "expires_at = now() - interval '1 second'"):   # by another process, or by itself
        name = what.split("_")[0]
        other = Browser(server)
        other.sign_in(api.post("/api/v1/tokens", json={"name": name, "scope": "triage"}).json()["text"])
        sql(database, f"UPDATE token SET {what} WHERE name = '{name}'")
        wait_until(lambda: other.who()["name"] is None, what, timeout=20)
    for change in ("expires_at = now() - interval '1 second'", "used_at = now() - interval '13 hours'"):
        other = Browser(server)
        other.sign_in(tokens("triage"))
        assert sql(database, "SELECT count(*) > 0 FROM session WHERE expires_at > now() + interval '6 days'") == [(True,)]
        sql(database, f"UPDATE session SET {change}")
        wait_until(lambda: other.who()["name"] is None, change, timeout=20)
    other.sign_in(tokens("triage"))
    assert sql(database, "SELECT count(*) FROM session") == [(1,)], "those that are over are forgotten"


def test_a_wrong_token_signs_nobody_in_and_one_that_does_not_suffice_neither(browser, tokens):
    for body, status in (({"token": "nsw_" + "A" * 43}, 401), ({"token": "x"}, 401), ({}, 401), ({"token": tokens("read"), "needs": "triage"}, 403)):
        answer = browser.request("POST", "/api/v1/session", json=body)
        error_of(answer, status)
        assert "Set-Cookie" not in answer.headers
    assert browser.who()["name"] is None


def test_a_stale_cookie_hinders_nobody_from_reading(browser):
    for value in ("x", "A" * 43, "A" * 5000):
        browser.session.cookies.set("nsecwatch", value)
        assert browser.request("GET", "/api/v1/machines").status_code == 200
        assert browser.request("GET", "/").status_code == 200


def test_who_guesses_is_slowed_down(new_server, tokens):
    server = new_server()
    for _ in range(40):
        assert requests.post(server.url + "/api/v1/session", json={"token": tokens("read")}).status_code == 200, "what works does not count"
    answers = [requests.post(server.url + "/api/v1/session", json={"token": "nsw_" + "A" * 43}) for _ in range(31)]
    assert [a.status_code for a in answers] == [401] * 30 + [429]
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 2
    assert Api(server.url, tokens("triage")).get("/api/v1/token").status_code == 200, "who has a token goes on"
    server.stop()


# ---- what another site cannot do

@pytest.mark.parametrize("page, headers, csrf", [
    ("https://evil.example", {}, True), ("null", {}, True), ("http://127.0.0.1:1", {}, True), ("none", {}, True),  # the proof alone will not do
    (None, {"Sec-Fetch-Site": "cross-site"}, True), (None, {"Sec-Fetch-Site": "same-site"}, True),
    (None, {}, False), (None, {"X-CSRF-Token": "0" * 64}, False), (None, {"X-CSRF-Token": ""}, False)])          # nor does the right place alone
def test_a_change_that_comes_from_elsewhere_is_refused(browser, tokens, api, page, headers, csrf):
    me = browser.sign_in(tokens("admin"))
    before = api.json("/api/v1/rules")
    for method, path, body in (("POST", "/api/v1/rules", RULE), ("DELETE", "/api/v1/rules/1", None), ("PUT", "/api/v1/rules/1", RULE),
                               ("POST", "/api/v1/runs", submission()), ("POST", "/api/v1/tokens", {"name": "csrf", "scope": "admin"})):
        answer = browser.request(method, path, page=page, csrf=me["csrf"] if csrf else None, headers=headers, json=body)
        error_of(answer, 403, "forbidden")
    assert api.json("/api/v1/rules") == before
    assert browser.who()["name"] == "test-admin"


def test_a_form_of_another_site_changes_nothing(browser, tokens):
    """The kinds of body that a page may send anywhere without asking first."""
    browser.sign_in(tokens("admin"))
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        answer = browser.request("POST", "/api/v1/rules", page="https://evil.example", data='{"name": "x"}', headers={"Content-Type": kind})
        error_of(answer, 403, "forbidden")


def test_another_site_signs_nobody_in_or_out(browser, tokens, server):
    for path, body in (("/api/v1/session", {"json": {"token": tokens("triage")}}), ("/signin", {"data": {"token": tokens("triage")}})):
        answer = browser.request("POST", path, page="https://evil.example", **body)
        error_of(answer, 403, "forbidden")
        assert "Set-Cookie" not in answer.headers
    browser.sign_in(tokens("triage"))
    error_of(browser.request("POST", "/signout", page="https://evil.example", data={"csrf": "x"}), 403, "forbidden")
    error_of(browser.request("POST", "/signout", data={"csrf": "x"}), 403, "forbidden")
    assert browser.who()["name"] == "test-triage"


def test_the_proof_of_another_session_is_none(browser, tokens, server):
    browser.sign_in(tokens("triage"))
    other = Browser(server).sign_in(tokens("triage"))
    error_of(browser.request("POST", "/api/v1/rules", json=RULE, csrf=other["csrf"]), 403, "forbidden")


def test_a_program_with_a_token_needs_no_proof(server, tokens):
    answer = Api(server.url, tokens("triage")).post("/api/v1/rules", json={"name": "by a program"})
    assert answer.status_code == 201, answer.text


def test_no_answer_lets_another_site_read(browser, tokens):
    browser.sign_in(tokens("admin"))
    answer = browser.request("GET", "/api/v1/session", headers={"Origin": "https://evil.example"})
    assert "Access-Control-Allow-Origin" not in answer.headers
    assert browser.request("OPTIONS", "/api/v1/rules", page="https://evil.example").status_code in (405, 501)


# ---- by a form

def test_a_browser_without_scripts_signs_in_and_out(browser, tokens):
    page = browser.request("GET", "/signin?next=/alerts?state=new")
    assert page.status_code == 200 and 'action="/signin"' in page.text and 'value="/alerts?state=new"' in page.text
    wrong = browser.request("POST", "/signin", data={"token": "nsw_wrong", "next": "/alerts?state=new"})
    assert wrong.status_code == 401 and "not known" in wrong.text and 'value="/alerts?state=new"' in wrong.text and "nsw_wrong" not in wrong.text
    done = browser.request("POST", "/signin", data={"token": tokens("triage"), "next": "/alerts?state=new", "remember": "1"})
    assert done.status_code == 303 and done.headers["Location"] == "/alerts?state=new"
    assert int(re.search(r"Max-Age=(\d+)", done.headers["Set-Cookie"])[1]) in range(7 * 86400 - 60, 7 * 86400 + 1)
    page = browser.request("GET", "/signin").text
    assert "test-triage" in page
    out = browser.request("POST", "/signout", data={"csrf": re.search(r'name="csrf" value="(\w+)"', page)[1]})
    assert out.status_code == 303 and browser.who()["name"] is None


@pytest.mark.parametrize("next", ["//evil.example/", "/\\evil.example", "https://evil.example", "", "alerts", "/a\r\nSet-Cookie: x=1", "/ x"])
def test_nobody_is_led_away_by_signing_in(browser, tokens, next):
    assert browser.request("POST", "/signin", data={"token": tokens("read"), "next": next}).headers["Location"] == "/"


def test_a_name_is_no_markup(api, server):
    text = api.post("/api/v1/tokens", json={"name": "<b onclick=x>&amp;", "scope": "triage"}).json()["text"]
    browser = Browser(server)
    browser.sign_in(text)
    page = browser.request("GET", "/signin").text
    assert "<b onclick" not in page and "&lt;b onclick=x&gt;&amp;amp;" in page
    assert '"><script' not in browser.request("GET", '/signin?next=/%22%3E%3Cscript>').text


# ---- HTTPS

def test_over_https_the_cookie_is_secure_and_for_this_host_alone(new_server, tokens):
    for options in (["--secure-cookies"], ["--public-url", "https://perf.example"]):
        server = new_server(*options)
        answer = requests.post(server.url + "/api/v1/session", json={"token": tokens("triage")})
        assert re.fullmatch(r"__Host-nsecwatch=[A-Za-z0-9_-]{43}; Path=/; HttpOnly; SameSite=Lax; Secure", answer.headers["Set-Cookie"])
        secret = answer.headers["Set-Cookie"].split("=")[1].split(";")[0]
        who = lambda name: requests.get(server.url + "/api/v1/session", headers={"Cookie": f"{name}={secret}"}).json()["name"]
        assert who("__Host-nsecwatch") == "test-triage" and who("nsecwatch") is None, "a plain one may be another host's"
        server.stop()


# ---- a proxy says who it is

PROXY = ["--proxy", "127.0.0.1", "--proxy-user-header", "X-Forwarded-User", "--proxy-scope", "triage", "--proxy-admins", "root@example.org, boss@example.org"]


@pytest.fixture(scope="module")
def proxied(new_server):
    return new_server(*PROXY)


def test_whom_the_proxy_names_may_decide_once_a_session_is_begun(proxied, api):
    alice = Browser(proxied, **{"X-Forwarded-User": "alice@example.org", "X-Forwarded-For": "203.0.113.7"})
    me = alice.who()
    assert (me["name"], me["scope"], me["via"], me["csrf"]) == ("alice@example.org", "triage", "proxy", None)
    error_of(alice.request("POST", "/api/v1/rules", json=RULE), 403, "forbidden")
    me = alice.request("POST", "/api/v1/session", json={}).json()
    assert (me["name"], me["via"]) == ("alice@example.org", "session")
    error_of(alice.request("POST", "/api/v1/rules", json=RULE, page="https://evil.example", csrf=me["csrf"]), 403, "forbidden")
    rule = alice.request("POST", "/api/v1/rules", json={"name": "alice's"}, csrf=me["csrf"])
    assert rule.status_code == 201, rule.text
    (event,) = api.json("/api/v1/audit?subject=rule&who=alice@example.org")["events"]
    assert (event["via"], event["address"]) == ("session", "203.0.113.7")
    error_of(alice.request("GET", "/api/v1/tokens"), 403, "forbidden")


def test_her_session_is_worth_nothing_without_the_proxys_word(proxied, tokens):
    alice = Browser(proxied, **{"X-Forwarded-User": "alice@example.org"})
    alice.request("POST", "/api/v1/session", json={})
    secret = alice.session.cookies["nsecwatch"]
    for headers, name in (({}, None), ({"X-Forwarded-User": "mallory@example.org"}, "mallory@example.org")):
        other = Browser(proxied, **headers)
        other.session.cookies.set("nsecwatch", secret)
        me = other.who()
        assert me["name"] == name and me["via"] != "session" and me["csrf"] is None
    assert alice.who()["via"] == "session"


def test_admins_are_those_that_are_named(proxied):
    for name, scope in (("root@example.org", "admin"), ("boss@example.org", "admin"), ("oss@example.org", "triage"), ("root@example.org2", "triage")):
        assert Browser(proxied, **{"X-Forwarded-User": name}).who()["scope"] == scope


def test_a_token_wins_over_the_proxys_word(proxied, tokens):
    answer = requests.get(proxied.url + "/api/v1/session", headers={"X-Forwarded-User": "root@example.org", "Authorization": f"Bearer {tokens('read')}"})
    assert (answer.json()["name"], answer.json()["scope"]) == ("test-read", "read")


def test_the_word_of_others_counts_for_nothing(new_server, server):
    other = new_server(*["10.9.9.9" if o == "127.0.0.1" else o for o in PROXY])
    headers = {"X-Forwarded-User": "root@example.org", "X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "https"}
    for one in (other, server):        # one with another proxy, one with none
        assert Browser(one, **headers).who()["name"] is None
        error_of(requests.get(one.url + "/api/v1/tokens", headers=headers), 401, "unauthorized")
    other.stop()


def test_two_names_are_none(proxied):
    """The client's own header, which a careless proxy lets through, and its."""
    head = b"GET /api/v1/session HTTP/1.1\r\nHost: x\r\nX-Forwarded-User: root@example.org\r\nX-Forwarded-User: mallory\r\nConnection: close\r\n\r\n"
    got = proxied.raw(head)
    assert got.startswith(b"HTTP/1.1 400 ") and b"more than one X-Forwarded-User" in got
    for name in ("root@example.org,mallory", "x" * 101, "\xff"):
        assert requests.get(proxied.url + "/api/v1/session", headers={"X-Forwarded-User": name.encode("latin-1")}).status_code == 400


@pytest.mark.parametrize("args, word", [
    (["--proxy-user-header", "X-Forwarded-User"], "--proxy"), (["--proxy", "here"], "here"), (["--proxy", "127.0.0.1", "--proxy-user-header", "a b"], "a b"),
    (["--proxy-scope", "ingest"], "ingest"), (["--proxy-admins", "x"], "--proxy-user-header")])
def test_options_that_make_no_sense_are_told(args, word, database):
    from harness import command
    done = command("serve", "--db", database, "--listen", "127.0.0.1:0", *args, check=False)
    assert done.returncode in (1, 2) and word in done.stderr.splitlines()[-1], done.stderr


# ---- --private

@pytest.fixture(scope="module")
def private(new_server, tokens, server):
    Api(server.url, tokens("ingest")).store(submission(machine="secret-01"))
    kept = Api(server.url, tokens("triage")).post("/api/v1/pages", json={"path": "/machines/secret-01"}).json()["url"]
    one = new_server("--private")
    one.kept = kept
    return one


def test_private_hides_all_that_is_read(private, tokens):
    """Every GET of the route table, in each of its forms: nothing but what describes the program and tells that it lives."""
    from harness import ROOT
    open_to_all = {"/healthz", "/readyz", "/api/openapi.json", "/static/{path}", "/signin", "/api/v1/session"}
    rows = re.findall(r'\.method = "GET", \.pattern = "([^"]+)"', (ROOT / "server" / "routes.c").read_text())
    run = Api(private.url, tokens("read")).json("/api/v1/runs")["runs"][0]["run_id"]
    assert len(rows) > 50
    for pattern in rows:
        path = pattern.replace("{path}", "compare").replace("{id}", run if "runs" in pattern else "secret-01")
        for extension in ("", ".json", ".csv", ".txt", ".svg", ".atom", ".eml"):
            for method in ("GET", "HEAD"):
                answer = requests.request(method, private.url + path + extension, headers={"If-None-Match": "*"})
                if pattern in open_to_all:
                    assert answer.status_code not in (401, 403), path
                else:
                    assert answer.status_code in (401, 404, 406), (path + extension, answer.status_code)
                    assert "secret-01\"" not in answer.text.replace("no machine", ""), path
    for path in (private.kept, "/frozen/machines/secret-01", "/frozen/overview", "/api/v1/alerts.atom", "/api/v1/trend.svg", "/metrics"):
        error_of(requests.get(private.url + path), 401, "unauthorized")
        assert Api(private.url, tokens("read")).get(path).status_code in (200, 400), path
    assert requests.get(private.url + "/static/base.css").status_code == 200


def test_a_person_is_led_to_sign_in_and_back(private, tokens):
    browser = Browser(private, Accept="text/html,application/xhtml+xml")
    answer = browser.request("GET", "/machines/secret-01?x=1&y=%2F")
    assert answer.status_code == 303 and answer.headers["Location"] == "/signin?next=/machines/secret-01%3Fx%3D1%26y%3D%252F"
    page = browser.request("GET", answer.headers["Location"])
    assert page.status_code == 200 and 'value="/machines/secret-01?x=1&amp;y=%2F"' in page.text
    done = browser.request("POST", "/signin", data={"token": tokens("read"), "next": "/machines/secret-01?x=1&y=%2F"})
    shown = browser.request("GET", done.headers["Location"])
    assert shown.status_code == 200 and shown.headers["Cache-Control"] == "private, no-cache" and "Cookie" in shown.headers["Vary"]
    assert browser.request("GET", "/api/v1/machines", headers={"Accept": "*/*"}).json()["machines"]
    csrf = browser.request("GET", "/api/v1/session", headers={"Accept": "*/*"}).json()["csrf"]
    error_of(browser.request("POST", "/api/v1/rules", json=RULE, csrf=csrf, headers={"Accept": "*/*"}), 403, "forbidden")


def test_an_upload_needs_no_more_than_before(private, tokens):
    assert Api(private.url, tokens("ingest")).post("/api/v1/runs", json=submission(machine="secret-02")).status_code == 201
