# SPDX-License-Identifier: GPL-2.0-or-later
"""Servers of the bytes of one kept chart: bare libmicrohttpd, and nginx with a file."""
import shutil
import subprocess

import requests

import harness
from place import OUT, say

FORMS = ("", ".csv", ".txt", ".svg")  # of a chart: the one nearest to 20 KB is asked for

NGINX = """daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
	access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000; default_type application/json; open_file_cache max=10;
	client_body_temp_path {folder}/t; proxy_temp_path {folder}/t; fastcgi_temp_path {folder}/t; uwsgi_temp_path {folder}/t;
	scgi_temp_path {folder}/t;
	server {{ listen 127.0.0.1:{port}; root {folder}/www; }}
}}
"""


class Hits:
    """hit.paths and static.paths, and the ports to ask at; nginx_port None: it is not there."""

    def __init__(self, stack, api):
        self.stack = stack
        path, _, query = (OUT / "cached.paths").read_text().split("\n", 1)[0].partition("?")
        size, form = min((abs(len(api.get(f"{path}{form}?{query}").content) - 20480), form) for form in FORMS)
        (OUT / "hit.paths").write_text(f"{path}{form}?{query}\n")
        (OUT / "static.paths").write_text("/chart\n")
        self.folder = OUT / "static"
        (self.folder / "www").mkdir(parents=True, exist_ok=True)
        body = self.folder / "www/chart"
        body.write_bytes(api.get(f"{path}{form}?{query}").content)
        self.bare_port = harness.free_port()
        self.start(self.bare_port, OUT / "probe_http", str(self.bare_port), str(body))
        self.nginx_port = self.start_nginx()

    def start_nginx(self):
        program = shutil.which("nginx", path="/usr/sbin:/usr/bin:/sbin:/bin")
        if not program:
            say("bench: without nginx: it is not installed (nginx-light)")
            return None
        port = harness.free_port()
        (self.folder / "nginx.conf").write_text(NGINX.format(folder=self.folder, port=port))
        self.folder.chmod(0o755)
        self.start(port, program, "-p", str(self.folder), "-c", str(self.folder / "nginx.conf"), "-g", "user root;")
        return port

    def start(self, port, *command):
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        self.stack.callback(process.wait, 20)
        self.stack.callback(process.terminate)
        harness.wait_until(lambda: self.answers(port), f"{command[0]} answers")

    def answers(self, port):
        try:
            return requests.get(f"http://127.0.0.1:{port}/chart", timeout=5).status_code == 200
        except requests.RequestException:
            return False
