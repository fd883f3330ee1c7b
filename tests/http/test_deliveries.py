# SPDX-License-Identifier: GPL-2.0-or-later
"""Who is told, when, and what becomes of what cannot be delivered."""
import email
import email.policy
import hashlib
import hmac
import json
import time

import pytest

import harness
from harness import sql, wait_until
from lab import LATER, SIZES, to


def steps(lab, benchmark="mprotect/tw4m", better=False):
    """One alert: a regression, or an improvement."""
    one, two = (LATER, SIZES) if better else (SIZES, LATER)
    lab.boots("6.16", one, benchmark=benchmark)
    lab.boots("6.17-rc1", two, benchmark=benchmark)
    lab.checked()


def state(lab):
    return [tuple(row) for row in sql(lab.db, """SELECT kind, target, event, CASE WHEN sent_at IS NOT NULL THEN 'sent'
        WHEN dead_at IS NOT NULL THEN 'dead' ELSE 'waiting' END FROM outbox ORDER BY kind, target, event""")]


def sent(lab, n):
    wait_until(lambda: sum(row[3] == "sent" for row in state(lab)) == n, f"{n} deliveries are sent: {state(lab)}")


def deliveries(lab, **query):
    return lab.api.json("/api/v1/deliveries", params=query)["deliveries"]


def maintainers(lab, text):
    path = lab.folder / "maintainers"
    path.write_text(text)
    return ["--maintainers", str(path)]


def mail_options(server, *more):
    return ["--smtp-url", server.url, "--mail-from", "watch@lab.example", *more]


def test_what_cannot_be_delivered_dies_and_is_sent_again_when_asked_for(lab, hook):
    hook.answers = [500] * 1000
    watch = lab.watch(*to(hook), "--delivery-tries", "2")
    steps(lab)
    wait_until(lambda: deliveries(lab, state="dead"), "it is given up")
    (dead,) = deliveries(lab, state="dead")
    assert dead["attempts"] == 2 and dead["kind"] == "webhook" and dead["target"] == "default"
    assert dead["last_error"] == "the webhook answered HTTP 500" and dead["next_try"] is None and dead["dead_at"]
    assert dead["alert_id"] == lab.alerts()[0]["id"] and dead["event"] == "opened"
    assert lab.api.json(f"/api/v1/alerts/{dead['alert_id']}")["deliveries"][0]["state"] == "dead"
    assert lab.api.json("/api/v1/deliveries")["dead"] == 1
    assert "given up" in watch.log_tail()
    calls = len(hook.calls)
    hook.answers = []
    again = lab.api.post(f"/api/v1/deliveries/{dead['id']}:send-again")
    assert again.status_code == 200, again.text
    assert again.json()["again_by"] == "lab" and again.json()["again_at"]
    (event,) = lab.api.json("/api/v1/events", params={"subject": "delivery"})["events"]
    assert (event["who"], event["action"]) == ("lab", "send-again") and dead["id"] in event.values()
    sent(lab, 1)
    assert len(hook.calls) == calls + 1
    assert {headers["Idempotency-Key"] for headers, _ in hook.calls} == {dead["idempotency_key"]}
    harness.error_of(lab.api.post(f"/api/v1/deliveries/{dead['id']}:send-again"), 409, "conflict")
    assert lab.api.json("/api/v1/deliveries")["dead"] == 0


def test_the_list_of_deliveries(lab, hook, mail):
    lab.watch(*to(hook, mail))
    for i in range(3):
        steps(lab, f"suite/b{i}")
    sent(lab, 6)
    whole = lab.api.json("/api/v1/deliveries")
    assert len(whole["deliveries"]) == 6 and whole["waiting"] == 0 and whole["next"] is None
    seen, cursor = [], None
    for _ in range(3):
        page = lab.api.json("/api/v1/deliveries", params={"limit": 2, **({"cursor": cursor} if cursor else {})})
        seen += [d["id"] for d in page["deliveries"]]
        cursor = page["next"]
    assert cursor is None and seen == [d["id"] for d in whole["deliveries"]]
    assert len(deliveries(lab, state="sent")) == 6 and deliveries(lab, state=["waiting", "dead"]) == []
    assert {d["kind"] for d in deliveries(lab, kind="mail")} == {"mail"}
    alert = lab.alerts()[0]["id"]
    assert [d["alert_id"] for d in deliveries(lab, alert=alert)] == [alert] * 2
    assert all(d["subject"].startswith("[REGRESSION]") for d in deliveries(lab, kind="mail"))
    assert {d["subject"].partition(" ")[0] for d in deliveries(lab, kind="webhook")} == {f"suite/b{i}" for i in range(3)}
    one = whole["deliveries"][0]
    assert lab.api.json(f"/api/v1/deliveries/{one['id']}") == one
    assert len(lab.api.get("/api/v1/deliveries.csv").text.splitlines()) == 7
    assert all(len(line) <= 72 for line in lab.api.get("/api/v1/deliveries.txt").text.splitlines())
    for bad, code in ("state=new", "unknown_value"), ("kind=fax", "unknown_value"), ("alert=1", "bad_argument"), ("cursor=x", "bad_argument"):
        harness.error_of(lab.api.get(f"/api/v1/deliveries?{bad}"), 400, code)
    for id in "0", "x", "999999", "9" * 30:
        harness.error_of(lab.api.post(f"/api/v1/deliveries/{id}:send-again"), 404, "not_found")
        harness.error_of(lab.api.get(f"/api/v1/deliveries/{id}"), 404, "not_found")


def test_who_may_see_deliveries(lab):
    anonymous = harness.Api(lab.server.url)
    harness.error_of(anonymous.get("/api/v1/deliveries"), 401, "unauthorized")
    harness.error_of(anonymous.post("/api/v1/deliveries/1:send-again"), 401, "unauthorized")
    for scope, status in ("ingest", 403), ("read", 403), ("triage", 200):
        done = harness.command("token", "add", "--name", scope, "--scope", scope, "--db", lab.db)
        api = harness.Api(lab.server.url, done.stdout.strip())
        assert api.get("/api/v1/deliveries").status_code == status


def test_maintainers_are_told_what_they_maintain(lab, hook, mail):
    lab.watch("--webhook-allow", "127.0.0.1", "--improvements", "now", *mail_options(mail), *maintainers(lab, f"""
MEMORY MANAGEMENT
B:	mprotect/*
X:	mprotect/thp-total
M:	Memory Management <mm@lab.example>
H:	{hook.url} slack

SCHEDULER
B: sched/*
M: sched@lab.example
M: mm@lab.example
"""))
    steps(lab, "mprotect/tw4m")
    steps(lab, "mprotect/thp-total")
    steps(lab, "sched/pipe")
    sent(lab, 4)
    assert sorted((to_[0], "mprotect" in str(data)) for _, to_, data in mail.messages) == [
        ("<mm@lab.example>", False), ("<mm@lab.example>", True), ("<sched@lab.example>", False)]
    assert len(set(mail.ids())) == 2  # the same event has the same Message-ID, whoever gets it
    (call,) = hook.calls
    text = json.loads(call[1])
    assert set(text) == {"text"} and text["text"].startswith("```\n[REGRESSION] mprotect/tw4m")
    assert text["text"].endswith(f"https://perf.example/alerts/{[a['id'] for a in lab.alerts() if a['benchmark'] == 'mprotect/tw4m'][0]}")
    assert "X-Nsecwatch-Signature-256" not in call[0]
    (target,) = {d["target"] for d in deliveries(lab, kind="slack")}
    assert target.startswith("127.0.0.1") and "secret" not in target


@pytest.mark.parametrize("text, says", [
    ("M: a@x\n", "line 1: a heading is needed first"),
    ("S\nB: *\nM: not an address\n", "line 3"),
    ("S\nB: *\nH: http://127.0.0.1:1/\n", "127.0.0.1 is a loopback address: --webhook-allow would allow it"),
    ("S\nB: *\nM: a@x\n", "--smtp-url"),
])
def test_a_wrong_file_is_told_at_start(tmp_path, text, says):
    path = tmp_path / "maintainers"
    path.write_text(text)
    for where in ["watch", "--db", "host=/nowhere"], ["up", "--data", tmp_path / "data"]:
        done = harness.command(*where, "--maintainers", path, check=False)
        assert done.returncode == 1 and says in done.stderr
    assert not (tmp_path / "data").exists()


def test_secrets_have_no_place_on_a_command_line():
    done = harness.command("watch", "--db", "host=/nowhere", "--webhook-secret", "x", check=False)
    assert done.returncode == 2 and "NSECWATCH_WEBHOOK_SECRET" in done.stderr and "--webhook-secret-file" in done.stderr


def test_json_is_signed(lab, hook, monkeypatch):
    monkeypatch.setenv("NSECWATCH_WEBHOOK_SECRET", "It's a Secret to Everybody")
    watch = lab.watch(*to(hook))
    steps(lab)
    sent(lab, 1)
    headers, body = hook.calls[0]
    at = headers["X-Nsecwatch-Timestamp"]
    assert abs(int(at) - time.time()) < 300 and headers["X-Nsecwatch-Event"] == "alert.opened"
    want = hmac.new(b"It's a Secret to Everybody", at.encode() + b"." + body, hashlib.sha256).hexdigest()
    assert headers["X-Nsecwatch-Signature-256"] == f"sha256={want}"
    assert "Everybody" not in watch.log_tail() and "Everybody" not in str(sql(lab.db, "SELECT * FROM outbox"))


def test_matrix_gets_an_event_that_cannot_be_there_twice(lab, hook, tmp_path):
    token = tmp_path / "token"
    token.write_text("syt_abc\n")
    lab.watch(*to(hook), "--webhook-format", "matrix", "--webhook-secret-file", str(token),
              "--webhook-url", hook.url.split("/alerts")[0] + "/_matrix/client/v3/rooms/!r:x/send/m.room.message")
    hook.answers = [502]
    steps(lab)
    sent(lab, 1)
    assert len(hook.calls) == 2 and len(set(hook.paths)) == 1
    alert = lab.alerts()[0]["id"]
    assert hook.paths[0] == f"PUT /_matrix/client/v3/rooms/!r:x/send/m.room.message/{alert}-opened-matrix"
    headers, body = hook.calls[0]
    assert headers["Authorization"] == "Bearer syt_abc"
    assert json.loads(body)["msgtype"] == "m.notice" and "[REGRESSION]" in json.loads(body)["body"]


def test_a_name_that_leads_to_this_machine_is_refused_where_it_is_connected_to(lab, hook):
    lab.watch("--webhook-url", hook.url.replace("127.0.0.1", "localhost"))
    steps(lab)
    wait_until(lambda: deliveries(lab)[0]["last_error"], "an attempt failed")
    assert deliveries(lab)[0]["last_error"] == "the webhook's host is a loopback address, which --webhook-allow does not name"
    assert not hook.calls


def test_a_redirect_is_not_followed(lab, hook):
    hook.answers = [307] * 1000
    hook.extra = {"Location": hook.url + "&there"}
    lab.watch(*to(hook), "--delivery-tries", "1")
    steps(lab)
    wait_until(lambda: deliveries(lab, state="dead"), "it is given up")
    assert deliveries(lab)[0]["last_error"] == "the webhook answered HTTP 307: redirects are not followed"
    assert not [path for path in hook.paths if path.endswith("there")]


def test_a_proxy_of_the_environment_is_not_used(lab, hook, monkeypatch):
    for name in "http_proxy", "ALL_PROXY":
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    lab.watch(*to(hook))
    monkeypatch.undo()
    steps(lab)
    sent(lab, 1)


def test_who_says_when_is_asked_again_then(lab, hook):
    hook.answers, hook.extra = [503], {"Retry-After": "3600"}
    lab.watch(*to(hook))
    steps(lab)
    wait_until(lambda: deliveries(lab)[0]["last_error"], "an attempt failed")
    (waits,), = sql(lab.db, "SELECT extract(epoch FROM next_try - now()) FROM outbox")
    assert 3000 < waits <= 3600


def test_improvements_wait_for_the_weekly_digest(lab, hook, mail):
    options = [o for o in to(hook, mail) if o not in ("--improvements", "now")]
    lab.watch(*options)
    steps(lab, "suite/worse")
    for i in range(3):
        steps(lab, f"suite/better{i}", better=True)
    sent(lab, 2)
    assert len(lab.alerts()) == 4
    assert sql(lab.db, "SELECT count(*), count(outbox_id) FROM digest_item") == [(6, 0)]
    sql(lab.db, "UPDATE digest_item SET created_at = created_at - interval '7 days'")
    sent(lab, 4)
    assert {row[2] for row in state(lab)} == {"opened", "weekly-" + monday(lab)}
    digest = email.message_from_bytes(mail.messages[1][2], policy=email.policy.default)
    assert digest["Subject"] == f"[nsecwatch] weekly digest of {monday(lab)}: 0 regressions, 3 improvements"
    assert digest["Message-ID"] == f"<digest-weekly-{monday(lab)}-mail@lab.example>"
    text = digest.get_content()
    assert "suite/worse" not in text and all(f"suite/better{i} " in text for i in range(3))
    assert all(len(line) <= 72 for line in text.splitlines() if "://" not in line)
    body = json.loads(hook.calls[1][1])
    assert body["digest"] == "weekly-" + monday(lab) and {a["kind"] for a in body["alerts"]} == {"improvement"}
    assert hook.calls[1][0]["X-Nsecwatch-Event"] == body["digest"].join(["digest.", ""])
    better = next(a for a in lab.alerts() if a["kind"] == "improvement")
    assert [d["state"] for d in lab.api.json(f"/api/v1/alerts/{better['id']}")["deliveries"]] == ["sent", "sent"]
    steps(lab, "suite/better9", better=True)  # for the next week
    lab.checked()
    assert len(state(lab)) == 4


def monday(lab):
    return sql(lab.db, "SELECT to_char(date_trunc('week', (now() AT TIME ZONE 'UTC') - interval '8 hours'), 'YYYY-MM-DD')")[0][0]


def test_a_daily_digest_comes_once_though_two_watches_make_it(lab, mail):
    for _ in range(2):
        lab.watch(*mail_options(mail), *maintainers(lab, "ALL\nB: *\nM: a@lab.example daily improvements=daily tz=Asia/Tokyo\n"))
    steps(lab)
    assert state(lab) == []
    sql(lab.db, "UPDATE digest_item SET created_at = created_at - interval '1 day'")
    sent(lab, 1)
    assert len(mail.messages) == 1 and mail.messages[0][1] == ["<a@lab.example>"]


def test_a_rule_tells_whom_it_names(lab, hook, mail):
    rule = lab.api.post("/api/v1/rules", json={"name": "sched", "selector": {"benchmark": ["sched/*"]}, "percent": 5,
                                               "tell": ["boss@lab.example", "chat", "nobody"]})
    assert rule.status_code in (200, 201), rule.text
    sql(lab.db, "UPDATE rule SET selector = '{\"benchmark\": [\"mprotect/*\"]}' WHERE name = 'default'")
    watch = lab.watch("--webhook-allow", "127.0.0.1", *mail_options(mail), *maintainers(lab, f"""
ALL
B: *
M: all@lab.example

CHAT
B: nothing/at-all
H: {hook.url} name=chat mattermost
"""))
    steps(lab, "sched/pipe")
    steps(lab, "mprotect/tw4m")
    sent(lab, 4)
    assert sorted(row[:2] for row in state(lab)) == [("mail", "all@lab.example"), ("mail", "all@lab.example"),
                                                     ("mail", "boss@lab.example"), ("mattermost", "chat")]
    assert "sched/pipe" in hook.calls[0][1].decode() and 'name="nobody"' in watch.log_tail()


def test_who_does_not_want_improvements_hears_of_none(lab, mail):
    lab.watch(*mail_options(mail), *maintainers(lab, "ALL\nB: *\nM: a@lab.example improvements=never\n"))
    steps(lab, better=True)
    assert state(lab) == [] and not sql(lab.db, "SELECT 1 FROM digest_item")


def quiet_now(lab):
    """quiet= of some hours around now in Tokyo, and how many seconds are left of it."""
    (hour, minute, second), = sql(lab.db, "SELECT extract(hour FROM t)::int, extract(minute FROM t)::int, extract(second FROM t)::int "
                                          "FROM (SELECT now() AT TIME ZONE 'Asia/Tokyo' AS t) AS x")
    return f"quiet={(hour - 2) % 24:02d}:00-{(hour + 2) % 24:02d}:00 tz=Asia/Tokyo", 7200 - 60 * minute - second


def test_in_quiet_hours_nothing_is_sent(lab, mail):
    quiet, left = quiet_now(lab)
    watch = lab.watch(*mail_options(mail), *maintainers(lab, f"ALL\nB: *\nM: a@lab.example {quiet}\nM: b@lab.example\n"))
    steps(lab)
    sent(lab, 1)
    assert [message[1] for message in mail.messages] == [["<b@lab.example>"]]

    def waits():
        return sql(lab.db, "SELECT extract(epoch FROM next_try - now()) FROM outbox "
                           "WHERE target = 'a@lab.example' AND attempts = 0 AND busy_until IS NULL AND next_try > now()")

    wait_until(waits, "it is put off")
    assert abs(float(waits()[0][0]) - left) < 130
    watch.stop()
    lab.watch(*mail_options(mail), *maintainers(lab, "ALL\nB: *\nM: a@lab.example\n"))
    (waiting,) = deliveries(lab, state="waiting")
    assert lab.api.post(f"/api/v1/deliveries/{waiting['id']}:send-again").status_code == 200
    sent(lab, 2)


def test_what_nobody_can_deliver_does_not_wait_for_ever(lab, hook):
    lab.watch(*to(hook))
    steps(lab)
    sent(lab, 1)
    sql(lab.db, """INSERT INTO outbox (kind, target, event, idempotency_key, created_at, next_try) VALUES
        ('mail', 'a@x', 'opened', 'k1', now(), now() - interval '4 days'), ('slack', 'gone', 'opened', 'k2', now(), now() - interval '4 days'),
        ('slack', 'gone', 'opened', 'k3', now(), now() - interval '1 day')""")
    wait_until(lambda: len(deliveries(lab, state="dead")) == 2, "those are given up")
    assert {(d["kind"], d["last_error"]) for d in deliveries(lab, state="dead")} == {
        ("mail", "no watch has a mail server"), ("slack", "no watch has this webhook in its configuration")}
    assert [d["idempotency_key"] for d in deliveries(lab, state="waiting")] == ["k3"]


def test_a_receiver_that_hangs_holds_up_no_other(lab, hook, mail):
    hook.hang.clear()
    lab.watch("--webhook-allow", "127.0.0.1", *mail_options(mail), *maintainers(lab, "ALL\nB: *\nM: a@lab.example\n" + "".join(
        f"H: {hook.url}{i}\n" for i in range(3))))
    steps(lab, "suite/one")
    steps(lab, "suite/two")
    wait_until(lambda: len(mail.messages) == 2, "both mails are out")
    wait_until(lambda: len(hook.calls) == 3, "each webhook has one call")
    hook.hang.set()
    sent(lab, 8)
    assert len(hook.calls) == 6


def test_secrets_show_nowhere(lab, hook, mail, monkeypatch, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("hunter2hunter2\n")
    monkeypatch.setenv("NSECWATCH_SMTP_PASSWORD", "hunter3hunter3")
    watch = lab.watch(*to(hook, mail), "--smtp-user", "watch", "--webhook-secret-file", str(secret), "--log-level", "debug")
    hook.answers = [500]
    steps(lab)
    sent(lab, 1)
    wait_until(lambda: any(d["last_error"] for d in deliveries(lab, kind="mail")), "the mail is refused: no TLS")
    with open(f"/proc/{watch.process.pid}/cmdline", "rb") as f:
        everything = [f.read().decode(), watch.log_tail(), str(sql(lab.db, "SELECT * FROM outbox")), str(deliveries(lab)),
                      str(hook.calls), str(mail.commands)]
    assert not [text for text in everything if "hunter" in text]
