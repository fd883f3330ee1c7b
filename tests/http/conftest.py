# SPDX-License-Identifier: GPL-2.0-or-later
"""
Fixtures of the HTTP tests. One PostgreSQL cluster a session, one database and one server a
module:

  postgres    the cluster: .stop() .kill() .start(); where NSECWATCH_TEST_DSN names a server, that one, which stays up
  database    conninfo of this module's fresh, migrated database
  tokens      tokens("ingest") -> the text of a token of that scope
  server      `nsecwatchd serve`: .url .restart() .kill() .start() .raw(bytes)
  api         requests with an admin token: api.get(path), api.post(path, json=...)
  anonymous   the same without a token
  new_server  new_server("--private", ...) -> another server on this module's database
  lab         a database and server for one test, and watches as it wants (lab.py); new_lab() -> another one

The server's log is kept and shown when a test fails. Every answer that requests or
.raw() get is checked against /api/openapi.json (openapi.py).
"""
import os
import pathlib
import threading

import pytest

import harness
import lab as lab_module
import openapi
import sinks

openapi.hook_requests()

SEEN = os.environ.get("NSECWATCH_SEEN") and pathlib.Path(os.environ["NSECWATCH_SEEN"])


@pytest.fixture(scope="session")
def postgres():
    cluster = harness.cluster()
    yield cluster
    cluster.remove()


@pytest.fixture(scope="module")
def database(postgres):
    if postgres.process is None:  # a test before us left it down
        postgres.start()
    conninfo = postgres.create_database()
    harness.command("migrate", "--db", conninfo)
    return conninfo


@pytest.fixture(scope="module")
def tokens(database):
    made, lock = {}, threading.Lock()

    def token(scope):
        with lock:  # clients in threads ask for theirs
            if scope not in made:
                done = harness.command("token", "add", "--name", f"test-{scope}", "--scope", scope, "--db", database)
                made[scope] = next(word for word in done.stdout.split() if word.startswith("nsw_"))
        return made[scope]

    return token


@pytest.fixture(scope="module")
def new_server(database, request, tmp_path_factory):
    servers = []

    def start(*options):
        log = tmp_path_factory.mktemp("serve") / "log"
        server = harness.Server(database, log, *options)
        servers.append(server)
        _logs(request.node).append(server)
        return server.start()

    yield start
    for server in servers:
        if server.running():
            server.stop()


@pytest.fixture(scope="module")
def server(new_server):
    return new_server()


@pytest.fixture(scope="module")
def api(server, tokens):
    return harness.Api(server.url, tokens("admin"))


@pytest.fixture(scope="module")
def anonymous(server):
    return harness.Api(server.url)


@pytest.fixture
def new_lab(postgres, tmp_path_factory):
    labs = []

    def make():
        if postgres.process is None:
            postgres.start()
        labs.append(lab_module.Lab(postgres, tmp_path_factory.mktemp("lab")))
        return labs[-1]

    yield make
    for one in labs:
        one.close()


@pytest.fixture
def lab(new_lab):
    return new_lab()


@pytest.fixture
def hook():
    sink = sinks.Hook()
    yield sink
    sink.close()


@pytest.fixture
def mail():
    sink = sinks.Mail()
    yield sink
    sink.close()


def pytest_collection_modifyitems(config, items):
    """What asks what all tests have seen comes last, and only behind all of them: here, or recorded by others."""
    last = [item for item in items if item.get_closest_marker("after_all")]
    here = pathlib.Path(__file__).parent
    whole = {item.path for item in items} >= set(here.glob("test_*.py")) and not config.option.keyword
    asked = whole and not hasattr(config, "workerinput") or config.option.markexpr == "after_all"
    items[:] = [item for item in items if item not in last] + (last if asked else [])
    if not asked and last:
        config.hook.pytest_deselected(items=last)


def pytest_configure(config):
    config.addinivalue_line("markers", "after_all: runs behind all others, and only with all of them")
    config.addinivalue_line("markers", "fault(what, expectation): a row of the fault table, see tests/faults/conftest.py")
    config.addinivalue_line("markers", "slow: not part of make test")
    if SEEN and config.option.markexpr == "after_all":
        openapi.recall(SEEN)


def pytest_sessionfinish(session):
    """What one of several processes has seen (pytest -n) is for the one that asks all of it (pytest -m after_all)."""
    if SEEN and hasattr(session.config, "workerinput"):
        openapi.record(SEEN / f"{session.config.workerinput['workerid']}.json")


def _logs(module):
    if not hasattr(module, "nsecwatch_logs"):
        module.nsecwatch_logs = []
    return module.nsecwatch_logs


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.failed:
        for process in _logs(item.getparent(pytest.Module)):
            report.sections.append((f"log of {' '.join(process.args[1:])}", process.log_tail()))
