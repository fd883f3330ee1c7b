# SPDX-License-Identifier: GPL-2.0-or-later
"""
Requests that nobody should send: seeds (tests/fuzz/seeds/http, whole requests with @TOKEN@ for a token) changed in
small ways, and questions made of what /api/openapi.json says may be asked. All of it from a random.Random, so that a
seed gives the same again.
"""
import pathlib
import re
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
MOST = 1 << 16  # bytes of one input

METHODS = (b"GET", b"HEAD", b"POST", b"PUT", b"DELETE", b"OPTIONS", b"TRACE", b"CONNECT", b"PRI", b"get", b"",
           b"G" * 9000)
TARGETS = (b"/", b"*", b"//", b"/%2e%2e/%2e%2e/etc/passwd", b"/static/../server", b"/%00", b"/%", b"/%ff", b"/a?%00=1",
           b"/api/v1/runs?" + b"a&" * 700, b"/" + b"x" * 9000, b"/" + b"a/" * 40, b"http://h/", b"http://", b"/?",
           b"/#x", b"?", b"/api/v1/kernels:parse", b"/api/v1/trend.svg?benchmark=*", b"/api/v1/alerts/1:triage",
           b"/\xc3\xa4", b"/ x", b"/\t")
VERSIONS = (b"HTTP/1.1", b"HTTP/1.0", b"HTTP/0.9", b"HTTP/2.0", b"HTTP/1.", b"http/1.1", b"HTTP/1.1 ", b"HTTP/11", b"",
            b"RTSP/1.0")
FIELDS = (b"Content-Length: 0", b"Content-Length: 5", b"Content-Length: -1", b"Content-Length: 0x10",
          b"Content-Length: +5", b"Content-Length: 18446744073709551616", b"Content-Length: 5, 5", b"Content-Length:",
          b"Transfer-Encoding: chunked", b"Transfer-Encoding: identity", b"Transfer-Encoding: chunked, chunked",
          b"Transfer-Encoding: gzip, chunked", b"Transfer-Encoding : chunked", b"Content-Encoding: gzip",
          b"Content-Encoding: deflate", b"Content-Encoding: x", b"Expect: 100-continue", b"Expect: 200-ok",
          b"Connection: close", b"Connection: keep-alive", b"Connection: upgrade", b"Upgrade: h2c",
          b"HTTP2-Settings: AAMAAABkAAQAAP__", b"Host: a", b"Host:", b"Host: [::1", b"Range: bytes=0-0",
          b"If-None-Match: *", b"If-None-Match: \"", b"If-Modified-Since: x", b"Accept: */*;q=0", b"Accept: text/html",
          b"Accept: text/csv;q=1.0000000000000000000001", b"Accept-Encoding: gzip;q=0, *", b"Authorization: Bearer",
          b"Authorization: Bearer nsw_" + b"a" * 64, b"Authorization: Basic OjpA", b"Authorization: Bearer \xff",
          b"Cookie: a=b; a=b; =; ;", b"Content-Type: multipart/form-data; boundary=x",
          b"Content-Type: multipart/form-data", b"Content-Type: application/x-ndjson",
          b"Content-Type: text/plain; charset=utf-16", b"X-Forwarded-For: 1.2.3.4", b"X-A: " + b"b" * 9000, b": x",
          b"X A: b", b"X-A: b\0c", b" folded: x", b"Origin: http://evil.example", b"Last-Event-ID: 1",
          b"Idempotency-Key: \x7f")
BITS = (b"\r\n", b"\n", b"\r", b"\r\n\r\n", b"\0", b"\xff", b"%00", b"%", b"0\r\n\r\n", b"ffffffffffffffff\r\n",
        b"5;a=b\r\nhello\r\n", b"-1", b"1e309", b"9" * 40, b"{", b"}", b"[" * 600, b"\"", b"\\u0000", b"\\ud800",
        b"null", b"nan", b"--x\r\n", b"--x--\r\n", b"'; DROP TABLE run; --", b"\xef\xbb\xbf",
        b"\x1f\x8b\x08\0\0\0\0\0\0\x03")
TIMES = ("2026-02-13T15:08:00Z", "2099-01-01T00:00:00Z", "1969-12-31T23:59:59.999999Z", "2026-02-30T00:00:00Z",
         "9999-12-31T23:59:59Z")
WORDS = ("", "*", "**", "x", "0", "1", "-1", "1e9", "1e309", "nan", "9" * 30, "\0", "\x7f", "é", "\U0001f427", "%",
         "'", "\"", "<script>", "a" * 3000, "latest", "latest:mainline", "latest:", "previous", "v6.16", "6.17-rc1",
         "6.17-rc1 with cac1db8c3aad reverted", "v6.16..v6.17", "size_kib", "machine", "uarch", "thp",
         "param.size_kib", "kernel", "json", "true", "no", "mprotect/*", "mprotect/tw4m", "milan-*", "epyc-milan",
         "always", "never", "4", "400", "mainline", "stable-*", "lower", "regression", "sure", "2026-01-01T00:00:00Z",
         "1970-01-01", "0191f0e8-7b2c-7abc-8def-0123456789ab", "../..", "a,b,c", "=", "&", "?", "#", ";")


def seeds(folder, token):
    """The requests of a folder, in the order of their names: a list of (name, bytes)."""
    return [(path.name, path.read_bytes().replace(b"@TOKEN@", token.encode())) for path in sorted(folder.glob("*"))]


def _first_line(rng, data):
    line, _, rest = data.partition(b"\r\n")
    parts = (line.split(b" ", 2) + [b"", b""])[:3]
    at = rng.randrange(3)
    parts[at] = rng.choice((METHODS, TARGETS, VERSIONS)[at])
    return b" ".join(parts) + b"\r\n" + rest


def _field(rng, data):
    head, gap, body = data.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    at = rng.randrange(1, len(lines) + 1)
    what = rng.randrange(4)
    if what == 0 and len(lines) > 1:
        del lines[min(at, len(lines) - 1)]
    elif what == 1:
        lines.insert(at, rng.choice(lines[1:] or lines))
    elif what == 2 and at < len(lines):
        lines[at] = rng.choice(FIELDS)
    else:
        lines.insert(at, rng.choice(FIELDS))
    return b"\r\n".join(lines) + gap + body


def _chunk(rng, data):
    """The body in chunks, with a mistake now and then."""
    head, gap, body = data.partition(b"\r\n\r\n")
    head = re.sub(rb"(?i)\r\ncontent-length:[^\r]*", b"", head) + b"\r\nTransfer-Encoding: chunked"
    out, at = b"", 0
    while at < len(body):
        n = rng.randrange(1, 1 + min(len(body) - at, 500))
        said = n if rng.random() < .97 else rng.choice((0, n + 1, n - 1, 1 << 31, (1 << 64) - 1))
        out += b"%x\r\n" % said + body[at:at + n] + b"\r\n"
        at += n
    return head + gap + out + b"0\r\n" + rng.choice((b"\r\n", b"\r\n", b"X-T: a\r\n\r\n", b"", b"Content-Length: 5\r\n\r\n"))


def _bytes(rng, data):
    at = rng.randrange(len(data) + 1)
    n = rng.randrange(1, 9)
    return rng.choice((
        lambda: data[:at] + rng.choice(BITS) + data[at:], lambda: data[:at] + data[at + n:], lambda: data[:at],
        lambda: data[:at] + bytes(rng.randrange(256) for _ in range(n)) + data[at + n:],
        lambda: data[:at] + data[at:at + 200] * rng.choice((2, 3, 40)) + data[at + 200:]))()


def _number(rng, data):
    found = list(re.finditer(rb"\d+", data))
    if not found:
        return data
    one = rng.choice(found)
    other = rng.choice((b"0", b"-0", b"1e400", b"9" * 25, b"4294967296", b"2147483648", b"1e-400", b"007", b"0.0", b""))
    return data[:one.start()] + other + data[one.end():]


def _fit(data):
    """The length set right, so that a changed body arrives whole."""
    head, gap, body = data.partition(b"\r\n\r\n")
    length = str(len(body)).encode()
    return re.sub(rb"(?i)(\r\ncontent-length: *)\d+(?=\r|$)", lambda m: m[1] + length, head, count=1) + gap + body


def mutated(rng, requests):
    """One input: a seed with one to six changes; sometimes two behind each other."""
    data = rng.choice(requests)
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        data = rng.choices((_first_line, _field, _chunk, _bytes, _number), (1, 3, 1, 4, 2))[0](rng, data)
    if rng.random() < .6:
        data = _fit(data)
    if rng.random() < .2:
        data += rng.choice(requests)
    return data[:MOST]


def _value(rng, known):
    word = rng.choice(known) if known and rng.random() < .8 else rng.choice(WORDS)
    while rng.random() < .08:
        at = rng.randrange(len(word) + 1)
        word = word[:at] + rng.choice(WORDS)[:20] + word[at + rng.randrange(3):]
    return word


def _percent(rng, text):
    if rng.random() < .02:
        return rng.choice(("%", "%zz", "%ff", "%00", "%c0%af", "%ed%a0%80"))
    return urllib.parse.quote(text, safe=rng.choice(("", "/", "/*:,")))


def _filled(rng, path, values):
    """The path of the document with something for each {part} of it."""
    return re.sub(r"\{\w+\}", lambda m: _percent(rng, _value(rng, values)).replace("/", "%2F"), path)


def question(rng, document, known):
    """(METHOD, target) of a GET of the document. known: {argument: [values that name something]}."""
    path = rng.choice([p for p in sorted(document["paths"]) if "get" in document["paths"][p]])
    operation = document["paths"][path]["get"]
    target = _filled(rng, path, known["id"]) + rng.choices(("", ".csv", ".txt", ".svg", ".atom", ".eml"), (8, 3, 3, 2, .2, .2))[0]
    names = [p["name"] for p in operation.get("parameters", ()) if p.get("in") == "query"]
    asked = []
    for name in names:
        often = .8 if name in ("base", "head", "axis", "benchmark") else .15
        while rng.random() < often:
            name = name.replace("*", "size_kib").replace("{name}", "size_kib")
            asked.append(_percent(rng, name) + "=" + _percent(rng, _value(rng, known.get(name, ()))))
            often /= 8
    rng.shuffle(asked)
    return rng.choice(("GET", "GET", "GET", "HEAD")), target + ("?" + "&".join(asked) if asked else "")


def _resolved(document, node):
    while "$ref" in node:
        at = document
        for part in node["$ref"].removeprefix("#/").split("/"):
            at = at[part]
        node = at
    return node


def _json(rng, document, schema, known, name="", depth=0):
    """A value of a schema; now and then one of another."""
    schema = _resolved(document, schema) if isinstance(schema, dict) else {}
    if rng.random() < .04 or depth > 8:
        return rng.choice((None, True, 0, -1, 1.5, 1e308, "", "x", [], {}, [None], {"x": [1]}))
    if "anyOf" in schema:
        return _json(rng, document, rng.choice(schema["anyOf"]), known, name, depth + 1)
    if "enum" in schema and rng.random() < .9:
        return rng.choice(schema["enum"])
    kind = schema.get("type", "string")
    kind = rng.choice(kind) if isinstance(kind, list) else kind
    if kind == "object":
        asked = schema.get("properties", {})
        more = schema.get("additionalProperties")
        out = {key: _json(rng, document, asked[key], known, key, depth + 1) for key in asked
               if rng.random() < (.97 if key in schema.get("required", ()) else .35)}
        for _ in range(rng.choice((0, 1, 2)) if isinstance(more, dict) else rng.random() < .02):
            key = rng.choice(("benchmark", "machine", "param.size_kib", "thp", "metric", "track", *WORDS[:12]))
            out[key] = _json(rng, document, more or {}, known, key, depth + 1)
        return out
    if kind == "array":
        items = schema.get("items", {})
        return [_json(rng, document, items, known, name, depth + 1) for _ in range(rng.choice((0, 1, 1, 2, 5)))]
    if kind in ("number", "integer"):
        return rng.choice((0, 1, 2, 5, 50, -1, 10 ** 9, 2 ** 53, 1 if kind == "integer" else .5, 1e-300))
    if kind in ("boolean", "null"):
        return rng.random() < .5 if kind == "boolean" else None
    if schema.get("format") == "date-time":
        return rng.choice(TIMES)
    return _value(rng, known.get(name, known["kernel"] if name in ("from", "to", "release", "baseline") else ()))


def writing(rng, document, known):
    """(METHOD, target, body) of what changes something."""
    paths = document["paths"]
    path, method = rng.choice([(p, m) for p in sorted(paths) for m in ("delete", "post", "put") if m in paths[p] and
                               (p, m) != ("/api/v1/tokens/{id}", "delete")])  # it would be the one that is asked with
    operation = document["paths"][path][method]
    name = "benchmark" if "benchmarks" in path else "machine" if "machines" in path else "id"
    target = _filled(rng, path, known[name])
    content = _resolved(document, operation.get("requestBody", {})).get("content", {}).get("application/json")
    known = {**known, "name": known["benchmark"] + known["machine"]}
    return method.upper(), target, _json(rng, document, content["schema"], known) if content else None
