# SPDX-License-Identifier: GPL-2.0-or-later
"""HTTPS without a proxy: --tls-cert and --tls-key. The browser's and the client's side, and what is wrong with files."""
import os
import re
import signal
import ssl
import subprocess
import time

import pytest
import requests

from harness import BUILD, PATIENCE, Api, Server, command, error_of, free_port, parse_answers, read_all, submission, wait_until

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root reads what is closed")


def certificate(folder, name, days=30):
    """A self-signed one for 127.0.0.1 and localhost: (its file, its key)."""
    cert, key = folder / f"{name}.pem", folder / f"{name}.key"
    made = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
                           "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-days", str(days), "-keyout", key, "-out", cert],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert made.returncode == 0, made.stdout
    return cert, key


class TlsServer(Server):
    def __init__(self, conninfo, log, cert, key, *options):
        super().__init__(conninfo, log, "--tls-cert", cert, "--tls-key", key, *options)
        self.url = f"https://127.0.0.1:{self.port}"
        self.cert = cert

    def status(self, path):
        try:
            return requests.get(self.url + path, verify=str(self.cert), timeout=PATIENCE).status_code
        except requests.RequestException:
            return None

    def tls(self, **how):
        """A TLS connection, and what it was shown."""
        context = ssl.create_default_context(cafile=self.cert)
        for name, value in how.items():
            setattr(context, name, value)
        return context.wrap_socket(self.connect(), server_hostname="localhost")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tls")


@pytest.fixture(scope="module")
def pair(folder):
    return certificate(folder, "first")


@pytest.fixture(scope="module")
def https(database, pair, folder):
    server = TlsServer(database, folder / "log", *pair, "--idle-timeout", "2").start()
    yield server
    server.stop()


@pytest.fixture
def secure(https, tokens):
    api = Api(https.url, tokens("admin"))
    api.session.verify, api.session.trust_env = str(https.cert), False
    return api


def test_pages_uploads_and_the_api_over_https(secure, https):
    run = secure.store(submission(machine="tls-01"))[0]
    assert secure.json(f"/api/v1/runs/{run['run_id']}")["run"]["machine"] == "tls-01"
    page = secure.get("/")
    assert page.status_code == 200 and page.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert secure.get("/nothing").headers["Strict-Transport-Security"]
    big = [{"benchmark": "b", "params": {"i": i}, "metric": "m", "unit": "ns", "better": "lower", "values": [i + 1.5]} for i in range(20000)]
    run = secure.store(submission(machine="tls-02", results=big))[0]
    assert len(secure.json(f"/api/v1/runs/{run['run_id']}")["results"]) == 20000
    kept = secure.get("/api/v1/machines")
    assert secure.get("/api/v1/machines", headers={"If-None-Match": kept.headers["ETag"]}).status_code == 304


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")
def test_nothing_older_than_tls_1_2(https):
    for version, good in ((ssl.TLSVersion.TLSv1, False), (ssl.TLSVersion.TLSv1_1, False), (ssl.TLSVersion.TLSv1_2, True), (ssl.TLSVersion.TLSv1_3, True)):
        context = ssl.create_default_context(cafile=https.cert)
        context.set_ciphers("DEFAULT:@SECLEVEL=0")
        context.minimum_version = context.maximum_version = version
        try:
            with context.wrap_socket(https.connect(), server_hostname="localhost") as link:
                assert good and link.version() == version.name.replace("_", "."), version
        except (ssl.SSLError, ConnectionResetError):
            assert not good, version


@pytest.mark.parametrize("request_", [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{\"a\": 123"])
def test_plain_http_is_told_what_to_write(https, request_):
    with https.connect() as plain:
        plain.sendall(request_)
        answer, = parse_answers(read_all(plain))
    assert "https://" in error_of(answer, 400, "bad_argument")["message"]


def test_rubbish_and_silence_end_and_disturb_nobody(https, secure):
    with https.connect() as rubbish, https.connect() as half, https.connect() as silent:
        rubbish.sendall(b"\x16\x03\x01\xff\xff" + bytes(range(256)) * 4)
        half.sendall(b"\x16\x03")
        assert secure.get("/readyz").status_code == 200
        for one in (rubbish, half, silent):
            assert not parse_answers(read_all(one)), "it is closed, without a word in plain"


def test_a_body_that_is_too_large_is_told_over_https(https, tokens):
    with https.tls() as link:
        link.sendall((f"POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {tokens('ingest')}\r\n"
                      "Content-Length: 99999999\r\n\r\n").encode() + b"x" * 5000)
        answer, = parse_answers(read_all(link))
        error_of(answer, 413, "too_large")


def test_a_request_in_drops_ends_over_https(https):
    with https.tls() as link:
        link.sendall(b"GET /healthz HTTP/1.1\r\nHo")
        assert b"200" not in read_all(link)


def fingerprint(server):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with context.wrap_socket(server.connect()) as link:
        return link.getpeercert(binary_form=True)


def test_a_new_certificate_at_sighup(database, folder):
    cert, key = certificate(folder, "old")
    server = TlsServer(database, folder / "log-hup", cert, key).start()
    try:
        before = fingerprint(server)
        kept = server.tls()
        new_cert, new_key = certificate(folder, "new")
        cert.write_bytes(new_cert.read_bytes())  # half of a renewal: the key is still the old one
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "the one before stays" in server.log_tail(), "it is told that the pair does not fit")
        assert "is not the key of the certificate" in server.log_tail()
        assert fingerprint(server) == before
        key.write_bytes(new_key.read_bytes())
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "was read anew" in server.log_tail(), "the new one is read")
        assert fingerprint(server) != before
        kept.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert parse_answers(read_all(kept))[0].status_code == 200, "connections of before go on"
    finally:
        server.stop()


def wrong(database, cert, key):
    done = command("serve", "--db", database, "--listen", f"127.0.0.1:{free_port()}", "--tls-cert", cert, "--tls-key", key, check=False)
    assert done.returncode == 1, done.stderr
    return done.stderr.strip().splitlines()[-1]


def test_files_that_are_no_good_are_told_with_the_reason(database, folder, pair):
    cert, key = pair
    other = certificate(folder, "other")
    assert re.search(r"--tls-cert \S+/none\.pem: No such file", wrong(database, folder / "none.pem", key))
    assert re.search(r"--tls-key \S+/none\.key: No such file", wrong(database, cert, folder / "none.key"))
    assert "it is not the key of the certificate" in wrong(database, cert, other[1])
    assert "no private key in PEM form" in wrong(database, cert, cert)
    assert "no certificates in PEM form" in wrong(database, key, key)
    empty = folder / "empty"
    empty.write_text("")
    assert "no certificates in PEM form" in wrong(database, empty, key)
    locked = folder / "locked.key"
    subprocess.run(["openssl", "ec", "-in", key, "-aes256", "-passout", "pass:x", "-out", locked], check=True, stderr=subprocess.DEVNULL)
    assert "it is encrypted" in wrong(database, cert, locked)
    done = command("serve", "--db", database, "--tls-cert", cert, check=False)
    assert done.returncode == 2 and "go together" in done.stderr


def template(folder, name, *lines):
    """One whose dates openssl 3.0 does not let one choose: by GnuTLS' certtool, or None."""
    key, cert, text = folder / f"{name}.key", folder / f"{name}.pem", folder / f"{name}.txt"
    text.write_text("\n".join(["cn = x", "dns_name = localhost", *lines]) + "\n")
    try:
        subprocess.run(["certtool", "--generate-privkey", "--key-type=ecdsa", "--outfile", key], check=True, capture_output=True)
        subprocess.run(["certtool", "--generate-self-signed", "--load-privkey", key, "--template", text, "--outfile", cert], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("certtool is missing (gnutls-bin)")
    return cert, key


def test_one_that_is_over_or_not_yet_valid_is_told(database, folder):
    past = template(folder, "past", 'activation_date = "2020-01-01 00:00:00"', 'expiration_date = "2021-01-01 00:00:00"')
    assert re.search(r"expired at 2021-01-01T00:00:00\S*: renew it", wrong(database, *past))
    future = template(folder, "future", 'activation_date = "2190-01-01 00:00:00"', 'expiration_date = "2191-01-01 00:00:00"')
    assert "valid from 2190-01-01" in wrong(database, *future)


@needs_root
def test_up_tells_of_a_key_that_its_user_cannot_read(folder, pair):
    cert, _ = pair
    closed = folder / "closed.key"
    closed.write_text("x")
    closed.chmod(0o600)
    done = command("up", "--data", folder / "var", "--listen", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", closed, check=False)
    assert done.returncode == 1 and re.search(r"--tls-(cert|key) \S+: user \w+, as whom serve runs, cannot read it", done.stderr), done.stderr


def test_ready_asks_over_https(https):
    done = command("ready", "--listen", f"127.0.0.1:{https.port}", "--tls-cert", https.cert)
    assert done.stdout == f"https://127.0.0.1:{https.port}/ is ready\n"
    assert command("ready", "--listen", f"127.0.0.1:{https.port}", check=False).returncode == 1


def test_the_client_takes_a_ca_file(https, tokens, tmp_path):
    body = tmp_path / "results.json"
    import json
    body.write_text(json.dumps(submission(machine="tls-client")))
    env = {**os.environ, "NSECWATCH_URL": https.url, "NSECWATCH_TOKEN": tokens("ingest"), "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
    client = BUILD / "nsecwatch"
    for options, good in ((["--ca-file", https.cert], True), ([], False)):
        done = subprocess.run([client, "push", body, *options], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert (done.returncode == 0) == good, done.stdout
    assert "certificate" in done.stdout.lower(), done.stdout


def test_handshakes_that_stop_in_the_middle_starve_nobody(https, secure):
    stuck = [https.connect() for _ in range(100)]
    for one in stuck:
        one.sendall(b"\x16\x03\x01\x02\x00\x01")
    begun = time.monotonic()
    for _ in range(20):
        assert secure.get("/readyz").status_code == 200
    assert time.monotonic() - begun < 20
    for one in stuck:
        one.close()
