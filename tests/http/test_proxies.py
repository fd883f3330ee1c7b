# SPDX-License-Identifier: GPL-2.0-or-later
"""The examples of docs/proxies before a real server: pages, uploads, errors and long polls come through unchanged."""
import os
import shutil
import socket
import subprocess

import pytest

from harness import ROOT, PATIENCE, Api, error_of, free_port, submission, wait_until
from test_tls import certificate

EXAMPLES = ROOT / "docs" / "proxies"


def program(name):
    found = shutil.which(name) or next((p for p in (f"/usr/sbin/{name}",) if os.path.exists(p)), None)
    return found or pytest.skip(f"{name} is not installed: apt-get install {name}")


def nginx(folder, upstream, cert, key):
    """The example with our names and ports in it, inside the least of a main configuration."""
    port, plain = free_port(), free_port()
    site = (EXAMPLES / "nginx.conf").read_text()
    for old, new in (("127.0.0.1:8080;", f"127.0.0.1:{upstream};"), ("listen 80;", f"listen 127.0.0.1:{plain};"),
                     ("listen 443 ssl http2;", f"listen 127.0.0.1:{port} ssl http2;"), ("server_name nsecwatch.example;", "server_name localhost 127.0.0.1;"),
                     ("/etc/ssl/nsecwatch.pem", str(cert)), ("/etc/ssl/private/nsecwatch.key", str(key))):
        assert old in site, old
        site = site.replace(old, new)
    temporary = "".join(f"{kind}_temp_path {folder};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(f"daemon off;\nmaster_process off;\npid {folder}/pid;\nerror_log {folder}/error.log;\nevents {{}}\n"
                                       f"http {{\naccess_log off;\n{temporary}\n{site}\n}}\n")
    return [program("nginx"), "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "error.log"], port, {}


def caddy(folder, upstream, cert, key):
    """The example as it is but for the certificate, which it would ask a public authority for."""
    port = free_port()
    text = (EXAMPLES / "Caddyfile").read_text()
    site = "{$NSECWATCH_NAME:nsecwatch.example} {\n"
    assert site in text
    text = "{\n\tadmin off\n\tauto_https disable_redirects\n}\n" + text.replace(site, f"{site}\ttls {cert} {key}\n")
    (folder / "Caddyfile").write_text(text)
    return ([program("caddy"), "run", "--adapter", "caddyfile", "--config", folder / "Caddyfile"], port,
            {"NSECWATCH_NAME": f"https://127.0.0.1:{port}", "NSECWATCH_UPSTREAM": f"127.0.0.1:{upstream}", "HOME": str(folder),
             "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)})


@pytest.fixture(scope="module", params=[nginx, caddy], ids=["nginx", "caddy"])
def proxied(request, server, tokens, tmp_path_factory):
    folder = tmp_path_factory.mktemp("proxy")
    cert, key = certificate(folder, "proxy")
    args, port, env = request.param(folder, server.port, cert, key)
    log = open(folder / "log", "wb")
    process = subprocess.Popen(list(map(str, args)), stdout=log, stderr=log, env={**os.environ, **env}, stdin=subprocess.DEVNULL)

    def listens():
        assert process.poll() is None, (folder / "log").read_text() + ((folder / "error.log").read_text() if (folder / "error.log").exists() else "")
        with socket.socket() as s:
            return not s.connect_ex(("127.0.0.1", port))

    wait_until(listens, "the proxy listens")
    api = Api(f"https://127.0.0.1:{port}", tokens("admin"))
    api.session.verify, api.session.trust_env = str(cert), False
    yield api
    process.terminate()
    process.wait(PATIENCE)
    log.close()


def test_pages_and_answers_come_through(proxied, api):
    assert proxied.get("/").status_code == 200
    assert proxied.get("/").headers["Strict-Transport-Security"]
    answer = proxied.get("/api/v1/machines", headers={"Accept-Encoding": "gzip"})
    direct = api.get("/api/v1/machines", headers={"Accept-Encoding": "gzip"})
    assert answer.content == direct.content
    assert proxied.get("/api/v1/machines", headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304


def test_uploads_come_through_and_errors_with_their_reason(proxied):
    stored, = proxied.store(submission(machine="proxied-01"))
    assert proxied.store(submission(machine="proxied-01"))[0]["run_id"] == stored["run_id"]
    error_of(proxied.post("/api/v1/runs", data=b"{"), 400, "bad_json")
    error_of(proxied.post("/api/v1/runs", json=submission(kernel=None)), 422, "invalid")
    error_of(proxied.post("/api/v1/runs", data=b" " * (4096 * 1024 + 1)), 413, "too_large")
    assert proxied.get(f"/api/v1/runs/{stored['run_id']}/verdict?wait=1").status_code == 200
