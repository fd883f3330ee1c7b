# SPDX-License-Identifier: GPL-2.0-or-later
"""Where alerts arrive in tests: a webhook's receiver and a mail server, both on loopback."""
import http.server
import socketserver
import threading


class Hook(http.server.ThreadingHTTPServer):
    """Keeps every POST as (headers, body). `answers` are the next statuses; then 200. `hang` holds all back."""

    daemon_threads = True

    def __init__(self):
        self.calls, self.answers, self.hang = [], [], threading.Event()
        self.hang.set()  # set: nobody waits
        super().__init__(("127.0.0.1", 0), _HookHandler)
        self.url = f"http://127.0.0.1:{self.server_port}/alerts?secret=1"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.hang.set()
        self.shutdown()
        self.server_close()


class _HookHandler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.calls.append((dict(self.headers), body))
        self.server.hang.wait(60)
        self.send_response(self.server.answers.pop(0) if self.server.answers else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args):
        pass


class Mail(socketserver.ThreadingTCPServer):
    """
    A mail server as small as RFC 5321 lets it be. Keeps accepted messages as (from, to, bytes).
    `refuse`: how many DATA to answer with 451; `die`: how many connections to cut in the message.
    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self):
        self.messages, self.commands, self.refuse, self.die, self.attempts = [], [], 0, 0, 0
        super().__init__(("127.0.0.1", 0), _MailHandler)
        self.url = f"smtp://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


class _MailHandler(socketserver.StreamRequestHandler):
    def say(self, line):
        self.wfile.write(line.encode() + b"\r\n")

    def handle(self):
        sender, to = None, []
        self.say("220 sink ESMTP")
        while line := self.rfile.readline():
            word, _, rest = line.decode().strip().partition(" ")
            self.server.commands.append(word.upper())
            if word.upper() in ("EHLO", "HELO"):
                self.say("250-sink")
                self.say("250-AUTH PLAIN LOGIN")
                self.say("250 8BITMIME")
            elif word.upper() == "MAIL":
                sender, to = rest.split(":", 1)[1].split(" ")[0], []
                self.say("250 ok")
            elif word.upper() == "RCPT":
                to.append(rest.split(":", 1)[1])
                self.say("250 ok")
            elif word.upper() == "DATA":
                self.say("354 go on")
                if not self.message(sender, to):
                    return
            elif word.upper() == "QUIT":
                self.say("221 bye")
                return
            else:
                self.say("502 what?")

    def message(self, sender, to):
        server, data = self.server, b""
        server.attempts += 1
        if server.die:
            server.die -= 1
            self.rfile.readline()
            return False
        while (line := self.rfile.readline()) != b".\r\n":
            if not line:
                return False
            data += line[1:] if line.startswith(b"..") else line
        if server.refuse:
            server.refuse -= 1
            self.say("451 later")
        else:
            server.messages.append((sender, to, data))
            self.say("250 kept")
        return True
