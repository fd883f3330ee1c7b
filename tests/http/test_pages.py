# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages as they leave the server: shells with their links filled in, files, headers. What scripts do is tests/browser's."""
import gzip
import html
import re

import pytest

from harness import Api, error_of, submission

PAGES = ["/", "/rules", "/bisect", "/deliveries", "/sweep", "/compare", "/trend", "/matrix", "/alerts", "/alerts/0198d8e2-0000-8000-8000-000000000000",
         "/runs/0198d8e2-0000-8000-8000-000000000000", "/machines/milan-01", "/kernels/6.16", "/benchmarks/mprotect%2Ftw4m"]


@pytest.fixture(scope="module", autouse=True)
def some_data(api):
    api.store(*(submission(kernel=k, size_kib=s) for k in ("v6.16", "v6.17-rc1") for s in (4, 40, 400)))


def links(text):
    return [html.unescape(x) for x in re.findall(r'(?:href|src)="([^"]*)"', text)]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_html_with_a_strict_policy(anonymous, path):
    answer = anonymous.get(path)
    assert answer.status_code == 200 and answer.headers["Content-Type"] == "text/html; charset=utf-8"
    policy = answer.headers["Content-Security-Policy"]
    for part in ("default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"):
        assert part in policy
    assert "unsafe" not in policy
    assert "{{" not in answer.text and answer.headers["X-Request-Id"] in answer.text
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son[a-z]+=|\sstyle=", answer.text), "nothing inline"


@pytest.mark.parametrize("path", PAGES)
def test_every_file_a_page_names_is_there(anonymous, path):
    found = [x for x in links(anonymous.get(path).text) if x.startswith("/static/")]
    assert found
    for link in found:
        answer = anonymous.get(link)
        assert answer.status_code == 200, link
        assert answer.headers["Content-Type"].split(";")[0] in ("text/javascript", "text/css", "image/svg+xml"), link


def test_the_links_of_a_view_work_without_javascript(anonymous):
    page = anonymous.get("/sweep?axis=size_kib&kernel=6.16&kernel=6.17-rc1&machine=milan-01&lines=kernel&y=log")
    found = [x for x in links(page.text) if x.startswith("/api/v1/sweep.")]
    assert {x.split("?")[0].rsplit(".", 1)[1] for x in found} == {"txt", "csv", "svg", "json"}
    for link in found:
        answer = anonymous.get(link)
        assert answer.status_code == 200, (link, answer.text)
        assert "6.17-rc1" in answer.text


EVIL = "\"><script>alert(1)</script><a href='x"


@pytest.mark.parametrize("path", ["/sweep", "/compare", "/trend", "/runs/" + EVIL.replace("/", "%2F").replace('"', "%22"), "/alerts/x%22%3E%3Cb%3E"])
def test_text_from_the_url_never_becomes_markup(anonymous, path):
    answer = anonymous.get(path, params={"machine": EVIL, EVIL: "x", "kernel": EVIL})
    assert answer.status_code == 200
    assert "<script>alert" not in answer.text and "<b>" not in answer.text and "alert(1)</script>" not in answer.text
    assert not any(x.startswith("x") for x in links(answer.text))


def test_the_foot_of_a_page_has_no_stamp_that_only_the_server_can_read(anonymous):
    assert re.findall(r"<span>(\w+) ", anonymous.get("/").text.partition("<footer")[2]) == ["nsecwatch", "request"]


def test_a_page_again_is_304(anonymous):
    first = anonymous.get("/sweep?kernel=6.16")
    assert first.headers["ETag"].startswith('W/"')
    again = anonymous.get("/sweep?kernel=6.16", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
    assert anonymous.get("/sweep?kernel=6.17-rc1", headers={"If-None-Match": first.headers["ETag"]}).status_code == 200


def test_files_have_etags_and_their_packed_form(anonymous):
    plain = anonymous.get("/static/base.css", headers={"Accept-Encoding": "identity"})
    packed = anonymous.get("/static/base.css", headers={"Accept-Encoding": "gzip"}, stream=True)
    assert gzip.decompress(packed.raw.read(decode_content=False)) == plain.content
    assert plain.headers["ETag"] != packed.headers["ETag"]
    assert anonymous.get("/static/base.css", headers={"If-None-Match": packed.headers["ETag"]}).status_code == 304


@pytest.mark.parametrize("path", ["/static/", "/static/none.js", "/static/../server/main.c", "/static/%2e%2e/Makefile", "/static/.hidden",
                                  "/static/sweep.html", "/static/vendor/../../x", "/static//etc/passwd", "/static/%2Fetc%2Fpasswd"])
def test_files_that_are_none(server, path):
    got = server.raw(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    assert got.startswith(b"HTTP/1.1 404 "), got[:200]


def test_pages_from_a_folder(new_server, tmp_path):
    (tmp_path / "sweep.html").write_text("<p>mine {{path}} {{unknown}} {{ {{query}}")
    (tmp_path / "run.html").write_text("{{path}} {{id}}")
    (tmp_path / "own.js").write_text("1")
    (tmp_path / "secret").symlink_to("/etc/passwd")
    server = new_server("--static", str(tmp_path))
    mine = Api(server.url)
    assert mine.get("/sweep?axis=a&x=1").text == "<p>mine /sweep {{unknown}} {{ axis=a"
    got = server.raw(b"GET /runs/<b>\"'&%3Ci%3E HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").decode()
    assert got.endswith("/runs/&lt;b&gt;&quot;&#39;&amp;%3Ci%3E %3Cb%3E%22%27%26%3Ci%3E"), got
    assert mine.get("/static/own.js").text == "1"
    (tmp_path / "own.js").write_text("2")
    assert mine.get("/static/own.js").text == "2", "read anew each time"
    assert mine.get("/trend").status_code == 200, "what is not there comes from the program"
    error_of(mine.get("/static/secret"), 404)
    server.stop()


def test_the_page_is_served_while_the_database_is_away(postgres, anonymous, api):
    postgres.stop()
    try:
        assert anonymous.get("/static/app.js").status_code == 200
        assert anonymous.get("/sweep").status_code in (200, 503)
    finally:
        postgres.start()


def test_a_link_to_a_view_is_shown_elsewhere_as_what_it_is(anonymous, new_server):
    def told(page):
        return {k: html.unescape(v) for k, v in re.findall(r'<meta property="og:(\w+)" content="([^"]*)">', page)}

    view = told(anonymous.get("/sweep?axis=size_kib&kernel=6.16&kernel=6.17-rc1&machine=milan-01&lines=thp").text)
    assert view["title"] == "sweep: size_kib, 6.16, 6.17-rc1, milan-01, thp" and view["image"].startswith("/api/v1/sweep.svg?axis=size_kib")
    assert anonymous.get(view["image"]).headers["Content-Type"] == "image/svg+xml"
    assert told(anonymous.get("/kernels/6.16").text)["title"] == "kernel: 6.16"
    assert told(anonymous.get("/?track=next").text)["image"] == "/static/icon.svg"
    evil = anonymous.get("/sweep?machine=%22%3E%3Cscript%3E").text
    assert "<script>" not in evil.replace('<script type="module"', "")
    public = Api(new_server("--public-url", "https://perf.example/").url)
    assert told(public.get("/sweep?axis=size_kib&kernel=6.16").text)["image"].startswith("https://perf.example/api/v1/sweep.svg?")
