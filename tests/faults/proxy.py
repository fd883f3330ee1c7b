# SPDX-License-Identifier: GPL-2.0-or-later
"""A proxy before PostgreSQL that delays, swallows, or cuts the line at the worst moment."""
import contextlib
import re
import socket
import threading
import time


class Proxy:
    """
    .conninfo leads through it. delay_s: of each piece, each way. .hole = True: nothing passes any more, and nobody is told.
    .cut_commits = N: the next N commits are done, and their answers lost with the connection.
    """

    def __init__(self, conninfo, delay_s=0.0):
        words = dict(re.findall(r"(\w+)=(\S+)", conninfo))
        self.target = f"{words.pop('host')}/.s.PGSQL.{words.pop('port', '5432')}"
        self.delay_s, self.hole, self.cut_commits, self.commits_cut = delay_s, False, 0, 0
        self.lock, self.open = threading.Lock(), True
        self.listener = socket.create_server(("127.0.0.1", 0))
        port = self.listener.getsockname()[1]
        self.conninfo = f"host=127.0.0.1 port={port} " + " ".join(f"{k}={v}" for k, v in words.items())
        self.sockets = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while self.open:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(self.target)
            except OSError:
                client.close()
                continue
            link = {"lose": False}
            self.sockets += [client, server]
            threading.Thread(target=self._pump, args=(client, server, link, True), daemon=True).start()
            threading.Thread(target=self._pump, args=(server, client, link, False), daemon=True).start()

    def _pump(self, source, target, link, forth):
        with contextlib.suppress(OSError):
            while piece := source.recv(1 << 18):
                if self.delay_s:
                    time.sleep(self.delay_s)  # this is the fault itself, no waiting for a condition
                while self.hole and self.open:
                    time.sleep(0.05)
                if forth and b"COMMIT\0" in piece:
                    with self.lock:
                        if self.cut_commits:
                            self.cut_commits -= 1
                            self.commits_cut += 1
                            link["lose"] = True
                if not forth and link["lose"]:
                    break  # the server has answered: it is committed, and nobody learns of it
                target.sendall(piece)
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.open = False
        for one in [self.listener, *self.sockets]:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
