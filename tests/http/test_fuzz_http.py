# SPDX-License-Identifier: GPL-2.0-or-later
"""Seeds and findings of make fuzz-http again, and some hundred inputs of it that are always the same."""
import pathlib
import random
import sys

import pytest

FUZZ = pathlib.Path(__file__).resolve().parents[1] / "fuzz"
sys.path.insert(0, str(FUZZ))

import fuzz_http  # noqa: E402
import http_inputs  # noqa: E402

KEPT = [path.relative_to(FUZZ) for folder in ("seeds", "saved") for path in sorted((FUZZ / folder / "http").glob("*"))]


@pytest.fixture(scope="module")
def fuzzed(new_server, tokens, tmp_path_factory):
    from harness import Api
    server = new_server("--idle-timeout", "1")
    api = Api(server.url, tokens("admin"))
    fuzz_http.fill(api)
    return fuzz_http.Fuzz(server, api, tmp_path_factory.mktemp("fuzz"))


@pytest.mark.parametrize("name", KEPT, ids=str)
def test_what_is_kept_is_answered(fuzzed, name):
    (data,) = [data for kept, data in http_inputs.seeds((FUZZ / name).parent, fuzzed.api.token) if kept == name.name]
    got = fuzz_http.send(fuzzed.server, data, random.Random(0))
    if got is not None:
        fuzz_http.check_raw(got, data)
    assert name.parts[0] == "saved" or got is None or got.startswith(b"HTTP/1.1 ")


def test_some_hundred_inputs(fuzzed):
    fuzzed.all("the same", 0, most=20)
    assert fuzzed.found == {} and fuzzed.server.running()
    assert fuzzed.sent == 160 and fuzzed.codes.get("200", 0) > 10
    assert fuzz_http.complaints(fuzzed.server) == []
    assert fuzzed.api.get("/api/v1/machines").status_code == 200
