# SPDX-License-Identifier: GPL-2.0-or-later
"""
Checks every answer that the HTTP tests see against /api/openapi.json: conftest.py hooks it into
requests, harness.py into raw sockets. An address of the document must answer with a status
and a media type that stand there, and with the JSON of that shape. Stricter than JSON
Schema: a field that the document does not tell is an error, and so is a keyword that this file
does not know. Every other answer must be an error of the one shape, or a page.
"""
import json
import re
import urllib.parse
import warnings

import requests
import urllib3

EXTENSIONS = {".json": "application/json", ".csv": "text/csv", ".txt": "text/plain", ".svg": "image/svg+xml", ".eml": "message/rfc822", ".atom": "application/atom+xml"}
TYPES = {"object": lambda v: isinstance(v, dict), "array": lambda v: isinstance(v, list), "string": lambda v: isinstance(v, str),
         "boolean": lambda v: isinstance(v, bool), "null": lambda v: v is None,
         "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
         "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool)}
FORMATS = {"date-time": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", "uuid": r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"}
KNOWN = {"$ref", "anyOf", "enum", "const", "type", "format", "required", "properties", "additionalProperties", "items", "description",
         "minimum", "maximum", "default"}
SECURITY = ("X-Content-Type-Options", "Referrer-Policy", "X-Frame-Options", "Content-Security-Policy", "X-Request-Id")

seen = set()            # (METHOD, path of the document, status): what was exercised
codes = set()           # the codes of errors that were seen
_documents = {}


class Deviation(AssertionError):
    """An answer that is not what /api/openapi.json says."""


def record(path):
    """Leaves what was seen in a file, for what asks it in another process."""
    path.write_text(json.dumps({"seen": sorted(seen), "codes": sorted(codes)}))


def recall(folder):
    """Takes what processes before this one saw for seen here."""
    for path in folder.glob("*.json"):
        told = json.loads(path.read_text())
        seen.update(map(tuple, told["seen"]))
        codes.update(told["codes"])


def document_of(base):
    """The document of the server at this address; all servers of a session are one program."""
    if "one" not in _documents:
        with requests.Session() as session:
            session.checked = True  # not itself checked against itself
            warnings.simplefilter("ignore", urllib3.exceptions.InsecureRequestWarning)
            _documents["one"] = session.get(base + "/api/openapi.json", timeout=60, verify=False).json()  # certificates are a test's own
    return _documents["one"]


def resolve(document, node):
    while "$ref" in node:
        at = document
        for part in node["$ref"].removeprefix("#/").split("/"):
            at = at[part]
        node = at
    return node


def check(document, schema, value, at="$", closed=True):
    """Raises Deviation unless value is of the schema. closed: fields that it does not name are none."""
    unknown = set(schema) - KNOWN
    if unknown:
        raise Deviation(f"{at}: the schema has {unknown}, which tests/http/openapi.py does not know")
    schema = resolve(document, schema)
    if "anyOf" in schema:
        tried = []
        for one in schema["anyOf"]:
            try:
                return check(document, one, value, at, closed)
            except Deviation as e:
                tried.append(str(e))
        raise Deviation(f"{at}: none fits: {tried}")
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(TYPES[t](value) for t in types):
        raise Deviation(f"{at}: {value!r} is no {types}")
    if "enum" in schema and value not in schema["enum"]:
        raise Deviation(f"{at}: {value!r} is none of {schema['enum']}")
    if "const" in schema and value != schema["const"]:
        raise Deviation(f"{at}: {value!r} is not {schema['const']!r}")
    if "format" in schema and isinstance(value, str) and not re.fullmatch(FORMATS[schema["format"]], value):
        raise Deviation(f"{at}: {value!r} is no {schema['format']}")
    if isinstance(value, dict):
        _check_object(document, schema, value, at, closed)
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            check(document, schema["items"], item, f"{at}[{i}]", closed)


def _check_object(document, schema, value, at, closed):
    missing = set(schema.get("required", ())) - set(value)
    if missing:
        raise Deviation(f"{at}: lacks {sorted(missing)}")
    rest = schema.get("additionalProperties", not closed)
    for key, member in value.items():
        inner = schema.get("properties", {}).get(key, rest)
        if inner is False:
            raise Deviation(f"{at}: {key!r} is not described")
        if isinstance(inner, dict):
            check(document, inner, member, f"{at}.{key}", closed)


def operation_of(document, method, path):
    """(path of the document, operation, extension or "") of a request, or None."""
    method = "get" if method == "HEAD" else method.lower()
    for extension in ["", *EXTENSIONS]:
        if not path.endswith(extension):
            continue
        bare = path.removesuffix(extension)
        for known, item in document["paths"].items():
            pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(known))
            if method in item and re.fullmatch(pattern, bare):
                return known, item[method], extension
    return None


def check_answer(base, method, target, answer, body=True):
    """One answer to METHOD target. body: whether its content was read."""
    document = document_of(base)
    path = urllib.parse.unquote(re.sub("%2[Ff]", "%252F", urllib.parse.urlsplit(target).path))  # a slash in an id ends no part
    what = f"{method} {target}: {answer.status_code}"
    for name in SECURITY:
        if not answer.headers.get(name):
            raise Deviation(f"{what}: the header {name} is missing")
    if answer.status_code in (429, 503) and not answer.headers.get("Retry-After", "").isdigit():
        raise Deviation(f"{what}: Retry-After is missing")
    kind = answer.headers.get("Content-Type", "").split(";")[0]
    form = (method, path, answer.status_code) == ("POST", "/signin", 401)  # the page again, with what was wrong
    if answer.status_code >= 400 and body and method != "HEAD" and not form:
        _check_error(document, what, kind, answer)
    found = operation_of(document, method, path)
    if not found or answer.status_code == 405:
        if answer.status_code < 400 and path.startswith("/api/"):
            raise Deviation(f"{what}: the document has no such address")
        return
    known, operation, extension = found
    response = operation["responses"].get(str(answer.status_code))
    if response is None:
        raise Deviation(f"{what}: {known} does not tell of this status")
    seen.add((method, known, answer.status_code))
    response = resolve(document, response)
    if not body or method == "HEAD" or answer.status_code == 304:
        return
    content = response["content"]
    if kind not in content and "*/*" not in content:
        raise Deviation(f"{what}: {known} does not tell of {kind}")
    if extension and answer.status_code == 200 and EXTENSIONS[extension] != kind and "*/*" not in content:
        raise Deviation(f"{what}: {kind}")
    if kind == "application/json" and kind in content:
        check(document, content[kind]["schema"], answer.json(), what)


def _check_error(document, what, kind, answer):
    if kind != "application/json":
        raise Deviation(f"{what}: an error that is {kind}")
    check(document, {"$ref": "#/components/schemas/Error"}, answer.json(), what)
    codes.add(answer.json()["error"]["code"])


def hook_requests():
    """From now on each answer that requests gets from a server on this machine is checked."""
    send = requests.Session.send

    def checked_send(session, request, **kw):
        answer = send(session, request, **kw)
        url = urllib.parse.urlsplit(request.url)
        if url.hostname == "127.0.0.1" and not getattr(session, "checked", False):
            check_answer(f"{url.scheme}://{url.netloc}", request.method, request.url, answer, not kw.get("stream"))
        return answer

    requests.Session.send = checked_send


def of_raw(data):
    """(method, target) of the first request in raw bytes, or None where it has no good first line."""
    first = re.match(rb"([A-Z]+) (\S+) HTTP/1\.1\r\n", data)
    return (first[1].decode(), first[2].decode("latin-1")) if first else None
