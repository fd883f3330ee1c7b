# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernel names over HTTP: parsing, ordering, dates; on the corpus where it is there."""
import json

import pytest

from harness import SHARED, Api, error_of, submission


def parse(client, names):
    answer = client.post("/api/v1/kernels:parse", json=names)
    assert answer.status_code == 200, answer.text
    return answer.json()


def lists_of_the_corpus():
    """[(head, [names], [dates])] of corpus/order.txt."""
    path = SHARED / "corpus" / "order.txt"
    lists, head = [], None
    for line in path.read_text().splitlines() if path.exists() else []:
        text, _, comment = line.partition("#")
        if text.strip().startswith("["):
            head = (text.strip().strip("[]"), [], [])
            lists.append(head)
        elif text.strip() and head:
            head[1].append(text.strip())
            head[2].append(comment.strip())
    return lists


corpus = pytest.mark.skipif(not (SHARED / "corpus" / "order.txt").exists(),
                            reason=f"no corpus at {SHARED} (NSECWATCH_SHARED)")


# ---- kernels:parse

def test_names_are_parsed_without_a_token(anonymous):
    got = parse(anonymous, ["6.17.0-0.rc1.17.eln150.x86_64", "v6.16"])
    first, second = got["kernels"]
    assert set(first) == {"name", "release", "base", "rc", "distance", "track", "variant", "commit", "released_at"}
    assert (first["base"], first["rc"], first["track"], first["name"]) == ("6.17", 1, "eln", "6.17.0-0.rc1.17.eln150.x86_64")
    assert (second["name"], second["base"], second["rc"], second["track"]) == ("6.16", "6.16", None, "mainline")
    assert got["problems"] == []


def test_a_phrase_becomes_a_variant(anonymous):
    kernel = parse(anonymous, ["v6.17-rc1 with cac1db8c3aad reverted"])["kernels"][0]
    assert kernel["name"] == "6.17-rc1+revert-cac1db8c3aad"
    assert kernel["variant"]["base"] == "6.17-rc1" and kernel["variant"]["reverts"] == ["cac1db8c3aad"]


def test_names_are_sorted_within_their_tracks(anonymous):
    names = ["v6.17", "6.16.3", "v6.17-rc2", "6.16", "v6.17-rc10", "6.16.12", "6.17.0-0.rc1.17.eln150.x86_64"]
    got = parse(anonymous, names)["sorted"]
    assert got["mainline"] == ["6.16", "v6.17-rc2", "v6.17-rc10", "v6.17"]
    assert got["stable-6.16"] == ["6.16.3", "6.16.12"]
    assert got["eln"] == ["6.17.0-0.rc1.17.eln150.x86_64"]


def test_what_is_no_kernel_is_null_with_its_place(anonymous):
    got = parse(anonymous, ["v6.16", "18.7.0", "", "v6.17-rc01", "6.17"])
    assert [k is None for k in got["kernels"]] == [False, True, True, True, False]
    assert [p["at"] for p in got["problems"]] == ["/1", "/2", "/3"] and all(p["message"] for p in got["problems"])


def test_all_of_many_bad_names_are_told(anonymous):
    got = parse(anonymous, ["nonsense"] * 500)
    assert len(got["problems"]) == 500 and got["kernels"] == [None] * 500 and got["sorted"] == {}


def test_ten_thousand_names_and_no_more(anonymous):
    names = [f"v6.{i % 20}.{i}" for i in range(10000)]
    assert len(parse(anonymous, names)["kernels"]) == 10000
    error_of(anonymous.post("/api/v1/kernels:parse", json=names + ["v6.1"]), 422, "invalid")


@pytest.mark.parametrize("body", ["{}", "null", '"v6.16"', "[1]", '["v6.16", null]', '[["v6.16"]]'])
def test_anything_but_an_array_of_texts_is_422(anonymous, body):
    error_of(anonymous.post("/api/v1/kernels:parse", data=body), 422, "invalid")


@pytest.mark.parametrize("body", ["", "[", '["a" "b"]', "[" * 5000])
def test_what_is_no_json_is_400(anonymous, body):
    error_of(anonymous.post("/api/v1/kernels:parse", data=body), 400, "bad_json")


def test_an_empty_array_is_fine(anonymous):
    assert parse(anonymous, []) == {"kernels": [], "sorted": {}, "problems": []}


def named(kind):
    found = [pytest.param(names, id=head.split(" ", 1)[1]) for head, names, _ in lists_of_the_corpus()
             if head.split()[0] == kind and "by-release-date" not in head]
    return pytest.mark.parametrize("names", found or [pytest.param([], id="no corpus")])


@corpus
@named("list")
def test_the_lists_of_the_corpus_come_out_in_their_order(anonymous, names):
    got = parse(anonymous, names[::-1])
    assert got["problems"] == [] and sum(map(len, got["sorted"].values())) == len(names)
    for track in got["sorted"].values():
        assert track == [n for n in names if n in track]


@corpus
@named("equal")
def test_names_of_one_upstream_point_say_so(anonymous, names):
    kernels = parse(anonymous, names)["kernels"]
    assert len({(k["base"], k["rc"], k["distance"]) for k in kernels}) == 1


@corpus
@named("apart")
def test_kernels_that_must_stay_apart_do(api, anonymous, names, request):
    machine = "apart-" + request.node.callspec.id
    runs = api.store(*(submission(kernel=n, machine=machine) for n in names))
    told = [api.json(f"/api/v1/runs/{r['run_id']}") for r in runs]
    sides = {(t["run"]["kernel"]["name"], t["results"][0]["series_id"]) for t in told}
    assert len(sides) == len(names)


# ---- POST /api/v1/kernels and the list

def test_kernels_get_dates_commits_and_logs(api):
    items = [{"release": "v6.14", "released_at": "2025-03-24T14:02:41Z", "commit": "38fec10eb60d687e30c8c6b5420d86e8149f7557",
              "log": ["38fec10eb60d Linux 6.14"]}, {"release": "v6.15"}]
    got = api.post("/api/v1/kernels", json=items)
    assert got.status_code == 200 and [i["status"] for i in got.json()["items"]] == ["created", "created"]
    assert [i["index"] for i in got.json()["items"]] == [0, 1]
    again = api.post("/api/v1/kernels", json=items).json()["items"]
    assert [i["status"] for i in again] == ["updated", "updated"]
    kernel = next(k for k in api.json("/api/v1/kernels?limit=1000")["kernels"] if k["name"] == "6.14")
    assert kernel["released_at"] == "2025-03-24T14:02:41Z" and kernel["commit"].startswith("38fec10eb60d")


def test_bad_items_are_told_and_the_others_are_stored(api):
    got = api.post("/api/v1/kernels", json=[{"release": "nope"}, 5, {"release": "v6.13", "released_at": "soon"}, {"release": "v6.12"},
                                            {"release": "v6.11", "commit": "xyz"}, {"release": "v6.10", "log": "text"}])
    assert got.status_code == 200
    items = got.json()["items"]
    assert [i["status"] for i in items] == ["invalid", "invalid", "invalid", "created", "invalid", "invalid"]
    assert all(i["message"] for i in items if i["status"] == "invalid")
    names = [k["name"] for k in api.json("/api/v1/kernels?limit=1000")["kernels"]]
    assert "6.12" in names and "6.13" not in names and "6.11" not in names


def test_telling_dates_needs_the_scope(server, tokens):
    item = [{"release": "v6.9"}]
    error_of(Api(server.url).post("/api/v1/kernels", json=item), 401)
    error_of(Api(server.url, tokens("ingest")).post("/api/v1/kernels", json=item), 403)
    assert Api(server.url, tokens("triage")).post("/api/v1/kernels", json=item).status_code == 200
    error_of(Api(server.url, tokens("triage")).post("/api/v1/kernels", json={}), 422, "invalid")


def test_kernels_in_their_order_whatever_came_first(api):
    shuffled = ["v6.17", "v6.17-rc2", "v6.16.7", "v6.17-rc10", "v6.16.12", "6.16", "v6.17-rc1 with cac1db8c3aad reverted", "v6.17-rc1"]
    api.store(*(submission(kernel=k, machine="order-01") for k in shuffled))
    got = api.json("/api/v1/kernels?order=1&track=mainline&limit=1000")["kernels"]
    names = [k["name"] for k in got if k["base"] in ("6.16", "6.17")]
    assert names == ["6.16", "6.17-rc1", "6.17-rc1+revert-cac1db8c3aad", "6.17-rc2", "6.17-rc10", "6.17"]
    stable = [k["name"] for k in api.json("/api/v1/kernels?order=1&track=stable-6.16")["kernels"]]
    assert stable == ["6.16.7", "6.16.12"]
    assert api.json("/api/v1/kernels?track=stable-9.*")["kernels"] == []
    error_of(api.get("/api/v1/kernels?track=stable-9.9"), 400, "unknown_value")


def test_two_spellings_are_one_kernel(api):
    api.store(submission(kernel="v6.18-rc1", machine="spell-01"), submission(kernel="6.18.0-rc1", machine="spell-01"))
    names = [k["name"] for k in api.json("/api/v1/kernels?track=mainline&limit=1000")["kernels"] if k["base"] == "6.18"]
    assert names == ["6.18-rc1"]


@corpus
def test_by_release_date_is_chronology_across_series(postgres, tmp_path):
    """On a database of its own: dates of the corpus, sent in reverse."""
    from harness import Server, command
    names, dates = next((n, d) for head, n, d in lists_of_the_corpus() if head == "list by-release-date")
    conninfo = postgres.create_database()
    command("migrate", "--db", conninfo)
    made = command("token", "add", "--name", "t", "--scope", "triage", "--db", conninfo).stdout
    server = Server(conninfo, tmp_path / "log").start()
    try:
        api = Api(server.url, next(w for w in made.split() if w.startswith("nsw_")))
        items = [{"release": n, "released_at": f"{d[:10]}T00:00:00Z"} for n, d in zip(names, dates)]
        assert all(i["status"] == "created" for i in api.post("/api/v1/kernels", json=items[::-1]).json()["items"])
        assert [k["name"] for k in api.json("/api/v1/kernels?order=released_at&limit=1000")["kernels"]] == names
    finally:
        server.stop()
