# SPDX-License-Identifier: GPL-2.0-or-later
"""Mail servers that refuse, hang and die, and one that wants TLS and a password: nothing is lost, nothing comes twice after its 250."""
import email
import email.policy
import os
import pathlib
import re
import shutil
import smtplib
import ssl
import subprocess
import sys
import tempfile
import time

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

from harness import SHARED, free_port, sql, wait_until
from test_deliveries import deliveries, mail_options, sent, steps

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "replay"))
import story  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Requiring AUTH")  # without STARTTLS: the whole connection is TLS

SUBJECT = "Größe: 40 KiB\r\nBcc: everybody@lab.example\r\n\r\n" + "much " * 40
BODY = ".\n..two\n.leading dots\nplain\n\n" + "Zeile mit µs und ∞\n" * 3 + "x" * 900 + "\nno newline at the end"


def put(lab, body=BODY, subject=SUBJECT, key="k1"):
    """A row of the outbox with a text of our own."""
    sql(lab.db, "INSERT INTO outbox (kind, target, event, idempotency_key, created_at, next_try, subject, body) VALUES "
                "('mail', 'a@lab.example', 'daily-2026-02-09', %s, '2026-02-13T15:08:00Z', now(), %s, %s)", key, subject, body)


@pytest.mark.parametrize("wrong, attempts", [
    ("refuse-greeting", 2), ("refuse-rcpt", 2), ("die-greeting", 2), ("die-mail", 2), ("die-dot", 2),
    ("early-data", 2), ("half-250", 2), ("flood-ehlo", 2), ("die-250", 1), ("hang-quit", 1)])
def test_a_server_with_a_fault_gets_it_once(lab, mail, wrong, attempts):
    mail.plan = [wrong]
    put(lab)
    lab.watch(*mail_options(mail))
    begun = time.monotonic()
    sent(lab, 1)
    assert time.monotonic() - begun < 30  # nobody waits for the answer to QUIT
    assert mail.ids() == ["<k1@lab.example>"]
    assert mail.connections == deliveries(lab)[0]["attempts"] == attempts
    put(lab, key="k2")  # and the next one goes through, too
    sent(lab, 2)
    assert mail.ids() == ["<k1@lab.example>", "<k2@lab.example>"]


def test_what_a_server_says_is_told(lab, mail):
    mail.plan = ["refuse-rcpt"] * 100
    put(lab)
    lab.watch(*mail_options(mail))
    wait_until(lambda: deliveries(lab)[0]["last_error"], "an attempt failed")
    assert deliveries(lab)[0]["last_error"] == "RCPT failed: 550"


def test_a_server_that_hangs_at_the_start_is_left_after_half_a_minute(lab, mail):
    mail.plan = ["hang-greeting"]
    put(lab)
    lab.watch(*mail_options(mail))
    wait_until(lambda: mail.connections == 2, "the second attempt", timeout=120)
    sent(lab, 1)
    assert mail.ids() == ["<k1@lab.example>"] and deliveries(lab)[0]["attempts"] == 2


def test_a_server_that_hangs_after_the_message_is_waited_for(lab, mail):
    mail.plan = ["hang-dot"]
    put(lab)
    watches = [lab.watch(*mail_options(mail)) for _ in range(2)]
    wait_until(lambda: mail.attempts == 1, "the message is there")
    end = time.monotonic() + 25  # longer than a lease that nobody renews
    wait_until(lambda: time.monotonic() > end or mail.connections > 1, "some time goes by")
    assert mail.connections == 1, "it may have been taken over: nobody may send it again"
    mail.go.set()  # the connection is cut
    sent(lab, 1)
    assert mail.ids() == ["<k1@lab.example>"] and all(watch.running() for watch in watches)


class Keeper:
    """Keeps what aiosmtpd takes, as it came."""

    def __init__(self):
        self.messages = []

    async def handle_DATA(self, server, session, envelope):
        encrypted = bool(session.ssl or server.transport.get_extra_info("ssl_object"))
        self.messages.append((session.authenticated, encrypted, envelope))
        return "250 kept"


@pytest.fixture
def certificate(tmp_path):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=mail", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", tmp_path / "key.pem",
                    "-out", tmp_path / "cert.pem"], check=True, capture_output=True)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    return tmp_path / "cert.pem", context


@pytest.fixture
def debian_mail(certificate):
    """start(tls, password) -> (url, keeper); tls: none, starttls, smtps."""
    controllers = []

    def start(tls, password=None):
        keeper = Keeper()

        def check(server, session, envelope, mechanism, auth_data):
            good = auth_data.login == b"watch" and auth_data.password == (password or "").encode()
            return AuthResult(success=good, handled=good)

        options = {"authenticator": check, "auth_required": True, "auth_require_tls": tls == "starttls"} if password else {}
        if tls == "starttls":
            options |= {"tls_context": certificate[1], "require_starttls": True}
        if tls == "smtps":
            options |= {"ssl_context": certificate[1]}
        controller = Controller(keeper, hostname="127.0.0.1", port=free_port(), **options)
        controller.start()
        controllers.append(controller)
        return f"{'smtps' if tls == 'smtps' else 'smtp'}://127.0.0.1:{controller.port}", keeper

    yield start
    for controller in controllers:
        controller.stop()


@pytest.mark.parametrize("tls, password", [("none", None), ("starttls", None), ("starttls", "hunter2"), ("smtps", None), ("smtps", "hunter2")])
def test_a_mail_server_of_debian_gets_the_mail_unchanged(lab, debian_mail, certificate, tmp_path, tls, password):
    url, keeper = debian_mail(tls, password)
    options = ["--smtp-url", url, "--mail-from", "watch@lab.example", "--ca-file", str(certificate[0])]
    if password:
        (tmp_path / "password").write_text(password + "\n")
        options += ["--smtp-user", "watch", "--smtp-password-file", str(tmp_path / "password")]
    put(lab)
    lab.watch(*options)
    sent(lab, 1)
    (authenticated, encrypted, envelope), = keeper.messages
    assert bool(authenticated) == bool(password) and encrypted == (tls != "none")
    assert (envelope.mail_from, envelope.rcpt_tos) == ("watch@lab.example", ["a@lab.example"])
    message = email.message_from_bytes(envelope.content, policy=email.policy.default)
    assert not message.defects
    assert message.keys() == ["Date", "From", "To", "Subject", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type",
                              "Content-Transfer-Encoding"]
    assert message["To"] == "a@lab.example" and message["Message-ID"] == "<k1@lab.example>" and "Bcc" not in message
    assert "everybody@lab.example" in message["Subject"] and not set("\r\n") & set(message["Subject"])
    assert message["Content-Transfer-Encoding"] == "8bit" and "format" not in message["Content-Type"].params
    assert envelope.content.split(b"\r\n\r\n", 1)[1].decode().rstrip("\r\n") == BODY.replace("\n", "\r\n")


@pytest.mark.parametrize("tls", ["starttls", "smtps"])
def test_a_password_does_not_go_to_a_server_nobody_vouches_for(lab, debian_mail, tmp_path, tls):
    url, keeper = debian_mail(tls, "hunter2")
    (tmp_path / "password").write_text("hunter2")
    put(lab)
    watch = lab.watch("--smtp-url", url, "--mail-from", "watch@lab.example", "--smtp-user", "watch", "--smtp-password-file",
                      str(tmp_path / "password"))
    wait_until(lambda: deliveries(lab)[0]["last_error"], "an attempt failed")
    assert "certificate" in deliveries(lab)[0]["last_error"] and not keeper.messages
    assert "hunter2" not in watch.log_tail()


def test_a_wrong_password_is_told_but_not_shown(lab, debian_mail, certificate, tmp_path):
    url, keeper = debian_mail("starttls", "hunter2")
    (tmp_path / "password").write_text("wrong1234")
    put(lab)
    watch = lab.watch("--smtp-url", url, "--mail-from", "watch@lab.example", "--smtp-user", "watch", "--smtp-password-file",
                      str(tmp_path / "password"), "--ca-file", str(certificate[0]))
    wait_until(lambda: deliveries(lab)[0]["last_error"], "an attempt failed")
    assert not keeper.messages and "wrong1234" not in watch.log_tail() + deliveries(lab)[0]["last_error"]


def test_the_alert_itself_through_that_server(lab, debian_mail):
    url, keeper = debian_mail("none")
    lab.watch("--smtp-url", url, "--mail-from", "watch@lab.example", "--mail-to", "mm@lab.example")
    steps(lab)
    sent(lab, 1)
    alert = lab.alerts()[0]
    message = email.message_from_bytes(keeper.messages[0][2].content, policy=email.policy.default)
    assert message["Message-ID"] == f"<{alert['id']}@lab.example>"
    (subject, body), = sql(lab.db, "SELECT subject, body FROM outbox")
    assert message["Subject"] == subject and message.get_content().replace("\r\n", "\n") == body


@pytest.fixture
def exim():
    """(port, folder of its spool) of Debian's mail server, as a daemon that keeps what it takes over."""
    if not shutil.which("exim4") or os.geteuid() != 0:
        pytest.skip("a mail server of Debian as a daemon: needs exim4 (exim4-daemon-light) and root")
    folder, port = pathlib.Path(tempfile.mkdtemp(prefix="nsw-exim-")), free_port()
    folder.chmod(0o777)  # exim gives up being root
    (folder / "conf").write_text(
        f"primary_hostname = sink.example\nspool_directory = {folder}/spool\nlog_file_path = {folder}/%slog\n"
        f"daemon_smtp_ports = {port}\nlocal_interfaces = 127.0.0.1\npid_file_path = {folder}/pid\nqueue_only\ntls_advertise_hosts =\n"
        "acl_smtp_rcpt = accept\nacl_smtp_data = check\naccept_8bitmime\nbegin acl\ncheck:\n"
        "  deny !verify = header_syntax\n  accept\n")
    daemon = subprocess.Popen(["exim4", "-C", folder / "conf", "-bdf"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    try:
        wait_until((folder / "pid").exists, "exim runs")
        yield port, folder / "spool"
    finally:
        daemon.terminate()
        daemon.wait()
        shutil.rmtree(folder)


def taken_over(spool):
    """The bodies in exim's spool."""
    return [path.read_bytes().split(b"\n", 1)[1] for path in spool.rglob("*-D")]


def test_exim_takes_over_what_watch_sends(lab, exim):
    port, spool = exim
    put(lab)
    lab.watch("--smtp-url", f"smtp://127.0.0.1:{port}", "--mail-from", "watch@lab.example", "--mail-to", "mm@lab.example")
    steps(lab)
    sent(lab, 2)
    bodies = [body for body, in sql(lab.db, "SELECT body FROM outbox")]
    assert sorted(text.decode().rstrip("\n") for text in taken_over(spool)) == sorted(body.rstrip("\n") for body in bodies)
    heads = "".join(path.read_text() for path in spool.rglob("*-H"))
    assert "<k1@lab.example>" in heads and f"<{lab.alerts()[0]['id']}@lab.example>" in heads


@pytest.mark.skipif(not (SHARED / "seed").exists(), reason=f"there is no {SHARED} with the story's figures")
def test_the_draft_of_the_story_passes_exim_and_python_unchanged(lab, exim):
    port, spool = exim
    tale = story.Story(1, quiet=0)
    lab.watch()
    lab.api.store(*tale.kernels(), *tale.revert())
    lab.checked()
    (alert,) = lab.alerts(kind="regression")
    draft = lab.api.get(f"/api/v1/alerts/{alert['id']}/mail.eml").content
    head, body = draft.replace(b"\r\n", b"\n").split(b"\n\n", 1)
    text = body.decode()
    assert all(len(line) <= 72 or line.startswith("https://") and " " not in line for line in text.splitlines())
    facts = " ".join(text.split())
    assert re.search(r"per page: restores 8[678] % \(±[12]\), \+(18|19|20) % \(±[123]\) remains", facts) and "up to +150 %" in facts
    assert "taskset -c 2 mprot_tw4m_regsize" in text and "\n\n#regzbot introduced: cac1db8c3aad\n" in text
    assert "is above the 5 % that Documentation/admin-guide/reporting-regressions.rst asks" in facts

    with smtplib.SMTP("127.0.0.1", port) as link:
        link.sendmail("lab@lab.example", ["linux-mm@lists.example"], draft, mail_options=["BODY=8BITMIME"])
    wait_until(lambda: list(spool.rglob("*-D")), "exim has it")
    assert taken_over(spool) == [body]
    message = email.message_from_bytes(draft, policy=email.policy.SMTP)
    assert message.get_content().replace("\r\n", "\n") == text and not message.defects
    assert message.as_bytes().replace(b"\r\n", b"\n").split(b"\n\n", 1)[1] == body
