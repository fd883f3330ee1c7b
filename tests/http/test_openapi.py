# SPDX-License-Identifier: GPL-2.0-or-later
"""/api/openapi.json describes this server: every API route is in it, and real answers have the shapes it tells."""
import re

import pytest

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


def check(document, schema, value, at="$"):
    """The part of JSON Schema that the document uses."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return check(document, document["components"]["schemas"][name], value, at)
    if "anyOf" in schema:
        tried = []
        for one in schema["anyOf"]:
            try:
                return check(document, one, value, at)
            except AssertionError as e:
                tried.append(str(e))
        raise AssertionError(f"{at}: none fits: {tried}")
    if "enum" in schema:
        assert value in schema["enum"], f"{at}: {value!r} is none of {schema['enum']}"
    if "const" in schema:
        assert value == schema["const"], f"{at}: {value!r}"
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    fits = {"object": lambda v: isinstance(v, dict), "array": lambda v: isinstance(v, list), "string": lambda v: isinstance(v, str),
            "boolean": lambda v: isinstance(v, bool), "null": lambda v: v is None,
            "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
            "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool)}
    assert not types or any(fits[t](value) for t in types), f"{at}: {value!r} is no {types}"
    if isinstance(value, dict):
        missing = set(schema.get("required", ())) - set(value)
        assert not missing, f"{at}: lacks {missing}"
        for key, member in value.items():
            inner = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
            if isinstance(inner, dict):
                check(document, inner, member, f"{at}.{key}")
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            check(document, schema["items"], item, f"{at}[{i}]")


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
        for name in (p["name"] for p in item.get("get", {}).get("parameters", ()) if p["in"] == "query"):
            answer = anonymous.get(path.replace("{id}", "x") + f"?{name}=")
            assert "unknown query argument" not in answer.text, (path, name)


QUERIES = {
    "/api/v1/compare": ["base=6.16&head=6.17-rc1&fix=6.17-rc1%2Brevert-cac1db8c3aad", "base=6.16&head=6.17-rc1&machine=other-*"],
    "/api/v1/sweep": ["axis=size_kib&kernel=6.16&kernel=6.17-rc1&machine=milan-01"],
    "/api/v1/trend": ["benchmark=mprotect/tw4m", "machine=milan-01&variants=1"],
    "/api/v1/matrix": ["base=6.16&head=6.17-rc1&rows=uarch&cols=thp"],
}


def test_answers_have_the_shapes_it_tells(document, anonymous, run):
    seen = 0
    for path, item in document["paths"].items():
        schema = item.get("get", {}).get("responses", {}).get("2XX", {}).get("content", {}).get("application/json", {}).get("schema")
        if not schema:
            continue
        for query in QUERIES.get(path, [""]):
            check(document, schema, anonymous.json(path.replace("{id}", run["run_id"]) + "?" + query), path)
            seen += 1
    assert seen >= 15


def test_uploads_and_errors_too(document, api):
    schemas = document["components"]["schemas"]
    body = submission(machine="shape-01")
    check(document, schemas["Submission"], body)
    check(document, schemas["Stored"], api.post("/api/v1/runs", json=body).json())
    check(document, schemas["Items"], api.post("/api/v1/runs", json=[body, 5]).json())
    check(document, schemas["Error"], api.post("/api/v1/runs", json=submission(values=[-1])).json())
    check(document, schemas["Error"], api.get("/nothing").json())
    check(document, schemas["ParsedKernels"], api.post("/api/v1/kernels:parse", json=["v6.16", "x"]).json())
    check(document, schemas["KernelItems"], api.post("/api/v1/kernels", json=[{"release": "v6.1"}, {}]).json())


def test_the_checker_can_fail(document):
    with pytest.raises(AssertionError):
        check(document, {"$ref": "#/components/schemas/Kernel"}, {"name": "6.16"})
    with pytest.raises(AssertionError):
        check(document, {"type": "array", "items": {"type": ["number", "null"]}}, [1, None, "x"])
