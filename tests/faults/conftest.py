# SPDX-License-Identifier: GPL-2.0-or-later
"""
Faults: each test breaks something on purpose and says, by its marker, what is expected then:

  @pytest.mark.fault("PostgreSQL is killed", "nothing acknowledged is lost, nothing is doubled")

`make test-faults` prints the table: fault, expectation, test, result. Those marked slow are not part of `make test`.
The fixtures are those of tests/http.
"""
import importlib.util
import pathlib
import sys

import pytest

HTTP = pathlib.Path(__file__).resolve().parents[1] / "http"
sys.path.insert(0, str(HTTP))

_spec = importlib.util.spec_from_file_location("http_conftest", HTTP / "conftest.py")
_http = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_http)
for _name in ("postgres", "database", "tokens", "new_server", "server", "api", "anonymous", "new_lab", "lab", "hook", "mail",
              "pytest_runtest_makereport"):
    globals()[_name] = getattr(_http, _name)

import net  # noqa: E402
import nodes  # noqa: E402
import proxy  # noqa: E402

_faults = {}


def pytest_configure(config):
    config.addinivalue_line("markers", "fault(what, expectation): a row of the fault table")
    config.addinivalue_line("markers", "slow: not part of make test")


def pytest_collection_modifyitems(items):
    for item in items:
        mark = item.get_closest_marker("fault")
        if mark:
            _faults[item.nodeid] = mark.args


def pytest_terminal_summary(terminalreporter):
    """The fault table; one row a test that ran."""
    results = {}
    for outcome in ("passed", "failed", "error", "skipped"):
        for report in terminalreporter.stats.get(outcome, []):
            results[report.nodeid] = outcome
    rows = [(what, expectation, node.split("/")[-1].replace("test_", "", 1), results[node])
            for node, (what, expectation) in _faults.items() if node in results]
    if not rows:
        return
    terminalreporter.section("faults")
    for what, expectation, test, result in rows:
        terminalreporter.write_line(f"| {what} | {expectation} | {test} | {result} |")


@pytest.fixture
def through(database):
    """through(...) -> a proxy before this module's database, and a conninfo that leads through it."""
    made = []

    def make(**how):
        made.append(proxy.Proxy(database, **how))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def network():
    """Some network namespaces with a switch between them: net.py. Skips where they cannot be made."""
    made = net.Network()
    yield made
    made.close()


@pytest.fixture
def new_node(tmp_path_factory):
    """new_node(...) -> a PostgreSQL of this test's own: nodes.py."""
    made = []

    def make(*args, **kw):
        made.append(nodes.Node(*args, **kw))
        return made[-1]

    yield make
    for one in made:
        one.remove()
