# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line of nsecwatchd: help, the environment, errors that say what is wrong and the cure."""
import re
import shutil
import subprocess

import pytest

from harness import PROGRAM, ROOT, command, sql

COMMANDS = ["up", "serve", "watch", "migrate", "rebuild", "token", "backup", "restore", "export", "import", "retain", "doctor", "ready", "version"]


def refused(*args, status=2, **env):
    done = command(*args, check=False, **env)
    assert done.returncode == status, f"{done.returncode}: {done.stdout}{done.stderr}"
    assert done.stdout == ""
    assert done.stderr.startswith("nsecwatchd: ") and done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def test_help_names_every_command():
    text = command("--help").stdout
    for name in COMMANDS:
        assert re.search(rf"^  {name} ", text, re.M), name
    assert command("help").stdout == command("-h").stdout == text


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_fits_a_terminal_and_names_the_environment(name):
    text = command(name, "--help").stdout
    assert text.startswith(f"usage: nsecwatchd {name}")
    assert "--help" in text and "NSECWATCH_MAX_BODY" in text
    assert max(map(len, text.splitlines())) <= 100


def test_help_that_cannot_be_written_is_an_error():
    with open("/dev/full", "w") as full:
        done = subprocess.run([PROGRAM, "--help"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "No space left" in done.stderr


def test_version_is_what_git_describes():
    text = command("version").stdout
    assert re.fullmatch(r"nsecwatchd \S+\n", text)
    described = subprocess.run(["git", "describe", "--always"], cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout.strip()
    if described:  # a tarball has none
        assert command("--version").stdout == text


def test_no_command_and_unknown_ones_point_to_help():
    assert "--help" in refused()
    assert "\"srve\"" in refused("srve") and "--help" in refused("srve")


@pytest.mark.parametrize("args, words", [
    (["serve", "--lisen", "1"], ["--lisen", "serve --help"]),
    (["serve", "--demo"], ["--demo", "not an option of serve"]),
    (["serve", "--workers"], ["--workers needs a value", "--workers N"]),
    (["serve", "--workers", "0"], ["--workers", "\"0\"", "from 1 to 256"]),
    (["serve", "--workers=4x"], ["\"4x\""]),
    (["serve", "--workers", ""], ["\"\""]),
    (["watch", "--alert-percent", "nan"], ["--alert-percent", "nan"]),
    (["serve", "extra"], ["extra", "serve --help"]),
    (["serve", "--log-level", "loud"], ["loud", "debug"]),
    (["serve", "--listen", "localhost"], ["--listen", "localhost", "ADDR:PORT"]),
    (["serve", "--listen", "1.2.3.4:70000"], ["70000"]),
    (["serve", "--listen", "::1:80"], ["[::1]:8080"]),
    (["watch", "--mail-to", "a@example.org"], ["--smtp-url", "--mail-from"]),
    (["token"], ["add, list or revoke", "--scope"]),
    (["token", "make"], ["\"make\""]),
    (["token", "add", "list"], ["\"list\""]),
    (["token", "add", "--name", "x"], ["--scope"]),
    (["token", "add", "--scope", "read"], ["--name"]),
    (["token", "revoke"], ["--name"]),
])
def test_a_wrong_command_line_is_told_in_one_line(args, words):
    message = refused(*args)
    for word in words:
        assert word in message, message


def test_options_come_from_the_environment_and_the_command_line_wins():
    assert "NSECWATCH_WORKERS is \"0\"" in refused("serve", NSECWATCH_WORKERS="0")
    assert "--workers is \"0\"" in refused("serve", "--workers", "0", NSECWATCH_WORKERS="3")
    assert "NSECWATCH_PRIVATE is \"maybe\"" in refused("serve", NSECWATCH_PRIVATE="maybe")
    # an empty variable, as compose files leave them, counts as not set; what it lacks then is a database
    assert "--db" in refused("serve", "--data", "/nonexistent", status=1, NSECWATCH_WORKERS="")


def test_a_secret_is_refused_where_ps_would_show_it():
    message = refused("watch", "--smtp-password", "hunter2")
    assert "NSECWATCH_SMTP_PASSWORD" in message and "--smtp-password-file" in message and "hunter2" not in message
    assert "/nonexistent/pw: No such file" in refused("watch", "--db", "x=", "--smtp-user", "u", "--smtp-password-file",
                                               "/nonexistent/pw", status=1)
    both = refused("watch", "--smtp-password-file", "f", "--smtp-user", "u", NSECWATCH_SMTP_PASSWORD="p")
    assert "both" in both


def test_without_a_database_the_two_ways_to_one_are_named(tmp_path):
    message = refused("migrate", "--data", tmp_path, status=1)
    assert "--db" in message and "--data" in message and "nsecwatchd up" in message


def test_a_database_that_is_not_there_is_told_at_once(tmp_path):
    message = refused("migrate", "--db", f"host={tmp_path} dbname=x connect_timeout=2", status=1)
    assert str(tmp_path) in message


def test_migrate_says_what_it_did(postgres):
    database = postgres.create_database()
    assert "schema" in refused("migrate", "--check", "--db", database, status=1)
    assert re.fullmatch(r"\d+ migrations? applied: the schema is current\n", command("migrate", "--db", database).stdout)
    assert command("migrate", NSECWATCH_DB=database).stdout == "nothing to do: the schema is current\n"
    assert command("migrate", "--check", "--db", database).stdout == "the schema is current\n"


def test_two_migrations_at_once_do_not_race(postgres):
    database = postgres.create_database()
    both = [subprocess.Popen([PROGRAM, "migrate", "--db", database], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(4)]
    outputs = [p.communicate(timeout=60) for p in both]
    assert [p.returncode for p in both] == [0] * 4, outputs
    applied = sum(int(out.split()[0]) for out, _ in outputs if "applied" in out)
    assert applied == len(list((ROOT / "schema").glob("0*.sql"))), outputs


def test_a_token_is_shown_once_listed_and_revoked(database):
    added = command("token", "add", "--name", "lab 7", "--scope", "ingest", "--db", database)
    text = added.stdout.strip()
    assert re.fullmatch(r"nsw_[A-Za-z0-9_-]{43}", text), added.stdout  # alone, so that $(...) takes it
    listed = command("token", "list", "--db", database).stdout
    assert "lab 7" in listed and "ingest" in listed and text not in listed
    for (column,) in sql(database, "SELECT t::text FROM nsecwatch.token t"):
        assert text not in column and text[4:] not in column
    assert "revoked" in command("token", "revoke", "--name", "lab 7", "--db", database).stdout
    assert "revoked" in command("token", "list", "--db", database).stdout
    command("token", "revoke", "--name", "lab 7", "--db", database)  # again: harmless
    assert "no token \"lab 8\"" in refused("token", "revoke", "--name", "lab 8", "--db", database, status=1)
    assert "already" in refused("token", "add", "--name", "lab 7", "--scope", "read", "--db", database, status=1)


def test_a_wrong_scope_names_the_right_ones(database):
    message = refused("token", "add", "--name", "x", "--scope", "root", "--db", database)
    for scope in ("ingest", "read", "triage", "admin"):
        assert scope in message


def test_rebuild_of_an_empty_database_finds_nothing_to_do(database):
    assert command("rebuild", "--db", database).stdout.startswith("0 runs, 0 series, 0 samples: 0 series differed")


def test_ready_is_a_health_check(server):
    assert "is ready" in command("ready", "--listen", f"127.0.0.1:{server.port}").stdout
    assert "is ready" in command("ready", NSECWATCH_LISTEN=f":{server.port}").stdout  # as serve listens in a container
    server.stop()
    assert f":{server.port}/readyz" in refused("ready", "--listen", f"127.0.0.1:{server.port}", status=1)
    server.start()


def test_the_man_page_names_every_command_and_is_good_roff():
    text = (ROOT / "man" / "nsecwatchd.8").read_text().replace("\\-", "-")
    listed = re.findall(r"^  (\w+) ", command("--help").stdout, re.M)
    assert len(listed) > 12
    for name in listed:
        assert re.search(rf"\b{name}\b", text), name
    for name in ("backup", "restore", "export", "import", "retain", "doctor"):
        own = set(re.findall(r"^  (--[a-z-]+)", command(name, "--help").stdout, re.M)) - {"--db", "--data", "--log-level", "--help"}
        assert own <= set(re.findall(r"--[a-z-]+", text)), (name, own)
    if shutil.which("groff"):
        for page in (ROOT / "man").glob("*.[0-9]"):
            done = subprocess.run(["groff", "-man", "-ww", "-z", page], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            assert done.stdout == "", done.stdout


def test_links_between_documents_lead_somewhere():
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), (page.name, target)
