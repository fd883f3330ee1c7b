# SPDX-License-Identifier: GPL-2.0-or-later
"""Where alerts arrive in tests: a webhook's receiver and a mail server, both on loopback."""
import email
import http.server
import socketserver
import threading
import time


class Hook(http.server.ThreadingHTTPServer):
    """Keeps every POST as (headers, body). `answers` are the next statuses; then 200. `hang` holds all back.
    `extra`: headers of the answers."""

    daemon_threads = True

    def __init__(self):
        self.calls, self.answers, self.hang, self.extra = [], [], threading.Event(), {}
        self.paths = []
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
        self.server.paths.append(f"{self.command} {self.path}")
        self.server.hang.wait(60)
        self.send_response(self.server.answers.pop(0) if self.server.answers else 200)
        for name, value in self.server.extra.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_PUT = do_POST

    def log_message(self, *args):
        pass


class Mail(socketserver.ThreadingTCPServer):
    """
    A mail server as small as RFC 5321 lets it be. Keeps accepted messages as (from, to, bytes).
    `refuse`: how many DATA to answer with 451; `die`: how many connections to cut in the message.
    `plan`: what goes wrong with the next connections, a word each ("" nothing): refuse-greeting,
    refuse-rcpt; hang-greeting, hang-dot (until `go` is set, then the connection is cut); die-greeting,
    die-mail, die-dot (before the 250), die-250 (right after it), hang-quit; early-data (552 before the message, and the
    end), half-250 (its first digits, and the end), flood-ehlo (an answer without an end). `slow`: seconds before each answer.
    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self):
        self.messages, self.commands, self.refuse, self.die, self.attempts = [], [], 0, 0, 0
        self.plan, self.connections, self.go, self.slow = [], 0, threading.Event(), 0
        super().__init__(("127.0.0.1", 0), _MailHandler)
        self.url = f"smtp://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.go.set()
        self.shutdown()
        self.server_close()

    def ids(self):
        """Message-IDs of what was kept, in order, repeated where it came twice."""
        return [email.message_from_bytes(data)["Message-ID"] for _, _, data in self.messages]


class _Over(Exception):
    """The connection ends here."""


class _MailHandler(socketserver.StreamRequestHandler):
    def say(self, line):
        time.sleep(self.server.slow)
        self.wfile.write(line.encode() + b"\r\n")

    def at(self, place):
        """What the plan has for this place of the connection."""
        if self.wrong == f"die-{place}":
            raise _Over
        if self.wrong == f"hang-{place}":
            self.server.go.wait(120)
            raise _Over
        return self.wrong == f"refuse-{place}"

    def handle(self):
        self.server.connections += 1
        self.wrong = self.server.plan.pop(0) if self.server.plan else ""
        try:
            self.talk()
        except (_Over, ConnectionError):
            pass

    def talk(self):
        sender, to = None, []
        self.say("554 go away" if self.at("greeting") else "220 sink ESMTP")
        while line := self.rfile.readline():
            word, _, rest = line.decode().strip().partition(" ")
            self.server.commands.append(word.upper())
            if word.upper() in ("EHLO", "HELO"):
                while self.wrong == "flood-ehlo":
                    self.wfile.write(b"250-more\r\n" * 1000)
                self.say("250-sink")
                self.say("250-AUTH PLAIN LOGIN")
                self.say("250 8BITMIME")
            elif word.upper() == "MAIL":
                self.at("mail")
                sender, to = rest.split(":", 1)[1].split(" ")[0], []
                self.say("250 ok")
            elif word.upper() == "RCPT":
                if self.at("rcpt"):
                    self.say("550 nobody here")
                    continue
                to.append(rest.split(":", 1)[1])
                self.say("250 ok")
            elif word.upper() == "DATA":
                self.say("354 go on")
                if not self.message(sender, to):
                    return
            elif word.upper() == "QUIT":
                self.at("quit")
                self.say("221 bye")
                return
            else:
                self.say("502 what?")

    def message(self, sender, to):
        server, data = self.server, b""
        server.attempts += 1
        if self.wrong == "early-data":
            self.say("552 too big")
            return False
        if server.die:
            server.die -= 1
            self.rfile.readline()
            return False
        while (line := self.rfile.readline()) != b".\r\n":
            if not line:
                return False
            data += line[1:] if line.startswith(b"..") else line
        self.at("dot")
        if self.wrong == "half-250":
            self.wfile.write(b"25")
            return False
        if server.refuse:
            server.refuse -= 1
            self.say("451 later")
        else:
            server.messages.append((sender, to, data))
            self.say("250 kept")
            self.at("250")
        return True
