# SPDX-License-Identifier: GPL-2.0-or-later
"""/api/openapi.json describes this server: every API route is in it, and real answers have the shapes it tells."""
import json
import os
import re
import subprocess

import pytest

import openapi
from harness import ROOT, submission


@pytest.fixture(scope="module")
def document(anonymous):
    return anonymous.json("/api/openapi.json")


@pytest.fixture(scope="module")
def run(api):
    values = {4: 1713.5, 40: 1988.25, 400: 3453.1}
    for kernel, factor in (("v6.16", 1), ("v6.17-rc1", 1.5), ("v6.17-rc1 with cac1db8c3aad reverted", 1.1)):
        for boot in range(3):
            results = [{"benchmark": "mprotect/tw4m", "params": {"size_kib": k}, "metric": "latency", "unit": "ns/call",
                        "better": "lower", "values": [v * factor + boot, v * factor + boot + 0.5]} for k, v in values.items()]
            last = api.store(submission(kernel=kernel, boot_id=f"{kernel[:9]}-{boot}", results=results))[0]
    api.store(submission(kernel="v6.17-rc1", machine="other-01"))
    return last


def test_it_is_openapi_3_1_and_every_reference_is_there(document):
    assert document["openapi"].startswith("3.1.")
    names = set(re.findall(r'#/components/schemas/(\w+)', str(document)))
    assert names and names <= set(document["components"]["schemas"])


def test_every_api_route_of_the_table_is_described(document):
    table = (ROOT / "server" / "routes.c").read_text()
    rows = re.findall(r'\.method = "(\w+)", \.pattern = "([^"]+)"', table)
    assert len(rows) > 20
    described = {(method.upper(), path) for path, item in document["paths"].items() for method in item}
    assert described == {(m, p) for m, p in rows if p.startswith("/api/") or p in ("/healthz", "/readyz", "/metrics")}


def test_arguments_are_those_that_are_taken(document, anonymous):
    for path, item in document["paths"].items():
        resolved = (openapi.resolve(document, p) for p in item.get("get", {}).get("parameters", ()))
        for name in (p["name"] for p in resolved if p["in"] == "query"):
            answer = anonymous.get(path.replace("{id}", "x") + f"?{name}=")
            assert "unknown query argument" not in answer.text, (path, name)


QUERIES = {
    "/api/v1/compare": ["base=6.16&head=6.17-rc1&fix=6.17-rc1%2Brevert-cac1db8c3aad", "base=6.16&head=6.17-rc1&machine=other-*"],
    "/api/v1/sweep": ["axis=size_kib&kernel=6.16&kernel=6.17-rc1&machine=milan-01"],
    "/api/v1/runs/{id}": ["", "previous=1&judged=1"],
    "/api/v1/rules:explain": ["kernel=6.17-rc1", "kernel=6.17-rc1&machine=other-*"],
    "/api/v1/trend": ["benchmark=mprotect/tw4m", "machine=milan-01&variants=1"],
    "/api/v1/matrix": ["base=6.16&head=6.17-rc1&rows=uarch&cols=thp", "base=6.16&head=6.17-rc1&rows=param.size_kib&cols=thp"],
}


def test_every_representation_of_every_resource(document, anonymous, api, run):
    """Whether the answers are as described is seen by the hook; here all are asked for, by extension and by Accept."""
    asked = 0
    for path, item in document["paths"].items():
        if "get" not in item or ("{id}" in path and "/runs/{id}" not in path):     # read elsewhere, where there are some
            continue
        who = anonymous if {} in item["get"]["security"] + [{}] * (not item["get"]["security"]) else api
        queries = [f"against={run['run_id']}"] if path.endswith("/diff") else QUERIES.get(path, [""])
        for query in queries:
            for kind in item["get"]["responses"]["200"]["content"]:
                url = path.replace("{id}", run["run_id"]) + "?" + query
                answer = who.get(url, headers={"Accept": kind})
                assert answer.status_code == 200, (url, kind, answer.text)
                assert kind in (answer.headers["Content-Type"].split(";")[0], "*/*")
                extension = next((e for e, k in openapi.EXTENSIONS.items() if k == kind), None)
                if extension and not path.endswith(".json"):
                    assert who.get(url.replace("?", extension + "?", 1)).content == answer.content, url
                asked += 1
    assert asked > 40


def test_every_argument_is_described_and_no_other(document):
    used = set(re.findall(r"#/components/parameters/([\w.]+)", str(document["paths"])))
    assert used == set(document["components"]["parameters"])
    for kind in ("schemas", "responses", "headers", "requestBodies"):
        used = set(re.findall(rf"#/components/{kind}/([\w.-]+)", str(document)))
        assert used == set(document["components"][kind]), kind


def test_what_is_sent_is_described(document, api):
    schema = document["components"]["requestBodies"]["Upload"]["content"]["application/json"]["schema"]
    for body in (submission(machine="shape-01"), [submission(machine="shape-01")]):
        openapi.check(document, schema, body, closed=False)
        assert api.post("/api/v1/runs", json=body).status_code in (200, 201)
    with pytest.raises(openapi.Deviation):
        openapi.check(document, schema, {"machine": 5}, closed=False)
    assert api.post("/api/v1/runs", json=[submission(machine="shape-01"), 5]).status_code == 207
    assert api.post("/api/v1/kernels:parse", json=["v6.16", "x", "v6.17-rc1 with cac1db8c3aad reverted"]).status_code == 200
    assert api.post("/api/v1/kernels", json=[{"release": "v6.1"}, {}]).status_code == 200


def test_the_check_can_fail(document, anonymous):
    kernel = anonymous.json("/api/v1/kernels")["kernels"][0]
    schema = {"$ref": "#/components/schemas/Kernel"}
    openapi.check(document, schema, kernel)
    for wrong in ({"name": "6.16"}, {**kernel, "more": 1}, {**kernel, "distance": "0"}, {**kernel, "released_at": "today"}):
        with pytest.raises(openapi.Deviation):
            openapi.check(document, schema, wrong)
    with pytest.raises(openapi.Deviation):
        openapi.check(document, {"type": "array", "items": {"type": ["number", "null"]}}, [1, None, "x"])
    with pytest.raises(openapi.Deviation):
        openapi.check(document, {"maxLength": 5}, "a keyword that the check does not know")


def node_runs_the_linter():
    version = subprocess.run(["node", "--version"], stdout=subprocess.PIPE, text=True).stdout.strip()
    major, minor = (int(part) for part in version.lstrip("v").split(".")[:2])
    return (major == 20 and minor >= 19) or major >= 22


LINTER = ROOT / "node_modules" / ".bin" / "redocly"


@pytest.mark.skipif(os.environ.get("WITH_NPM") == "no", reason="WITH_NPM=no, so there is no @redocly/cli to lint with")
@pytest.mark.skipif(not node_runs_the_linter(), reason="@redocly/cli needs Node.js 20.19 or 22.12")
def test_the_linter_finds_nothing(anonymous, tmp_path):
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(anonymous.json("/api/openapi.json"), indent=1))
    done = subprocess.run([LINTER, "lint", "--extends=recommended", "--format=json", path], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=120, cwd=tmp_path,
                          env={**os.environ, "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["totals"] == {"errors": 0, "warnings": 0, "ignored": 0}, done.stdout


@pytest.mark.after_all
def test_every_operation_was_exercised(document):
    for path, item in document["paths"].items():
        for method in item:
            assert any((method.upper(), path, status) in openapi.seen for status in (200, 201)), f"{method} {path}"
    for status in ("200", "201", "207", "400", "401", "403", "409", "411", "413", "415", "422", "429", "503"):
        assert ("POST", "/api/v1/runs", int(status)) in openapi.seen, status


@pytest.mark.after_all
def test_every_code_of_errors_was_seen(document):
    told = set(document["components"]["schemas"]["Refusal"]["properties"]["code"]["enum"])
    assert openapi.codes == told - {"internal"}, "but for a fault of ours, every code can be had"
