# SPDX-License-Identifier: GPL-2.0-or-later
"""
schema/distribute.sql against the labels of the schema, and run on a plain PostgreSQL with functions of Citus' names that refuse
what Citus refuses: a key without the column, a reference to what is not a reference table, a trigger. That Citus itself takes it is not shown here.
"""
import re

import pytest

from harness import ROOT, command, sql

TEXT = (ROOT / "schema" / "distribute.sql").read_text()

STANDINS = """
    CREATE TABLE public.done (tab regclass PRIMARY KEY, kind text, col text, with_t regclass);
    CREATE FUNCTION public.refuse_refs(t regclass, what text) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE k record;
    BEGIN
        IF EXISTS (SELECT FROM pg_trigger g WHERE g.tgrelid = t AND NOT g.tgisinternal) THEN RAISE '% has a trigger', t; END IF;
        FOR k IN SELECT c.conname, d.kind FROM pg_constraint c LEFT JOIN public.done d ON d.tab = c.confrelid
                 WHERE c.contype = 'f' AND c.conrelid = t AND c.confrelid <> t LOOP
            IF k.kind IS DISTINCT FROM 'reference' THEN RAISE '%: % refers to a table that is no reference table yet', t, k.conname; END IF;
        END LOOP;
        IF what = 'hash' AND EXISTS (SELECT FROM pg_constraint c WHERE c.contype = 'f' AND c.confrelid = t) THEN
            RAISE '% is referred to', t; END IF;
    END $$;
    CREATE FUNCTION public.create_reference_table(t regclass) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM public.refuse_refs(t, 'reference');
        INSERT INTO public.done VALUES (t, 'reference', NULL, NULL);
    END $$;
    CREATE FUNCTION public.create_distributed_table(t regclass, col text, colocate_with text DEFAULT 'none') RETURNS void LANGUAGE plpgsql AS $$
    DECLARE i record;
    BEGIN
        PERFORM public.refuse_refs(t, 'hash');
        FOR i IN SELECT x.indexrelid::regclass AS name, x.indkey::int2[] AS keys FROM pg_index x WHERE x.indrelid = t AND x.indisunique LOOP
            IF NOT (SELECT a.attnum FROM pg_attribute a WHERE a.attrelid = t AND a.attname = col) = ANY (i.keys) THEN
                RAISE '%: % has not the column in it', t, i.name; END IF;
        END LOOP;
        IF colocate_with <> 'none' AND (SELECT format_type(a.atttypid, NULL) FROM pg_attribute a WHERE a.attrelid = t AND a.attname = col) <>
           (SELECT format_type(a.atttypid, NULL) FROM pg_attribute a JOIN public.done d ON d.tab = a.attrelid AND d.col = a.attname
            WHERE d.tab = colocate_with::regclass) THEN RAISE '% cannot live beside %', t, colocate_with; END IF;
        INSERT INTO public.done VALUES (t, 'hash', col, nullif(colocate_with, 'none')::regclass);
    END $$"""


@pytest.fixture(scope="module")
def spread(postgres):
    if postgres.process is None:
        postgres.start()
    conninfo = postgres.create_database()
    command("migrate", "--db", conninfo)
    sql(conninfo, STANDINS)
    sql(conninfo, re.sub(r"--.*", "", TEXT))
    return conninfo


def test_it_spreads_each_table_as_its_label_says(spread):
    labels = dict(sql(spread, """SELECT c.oid::regclass::text, obj_description(c.oid) FROM pg_class c
                                 WHERE c.relnamespace = 'nsecwatch'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition"""))
    wanted = {t: label.removeprefix("dist:") for t, label in labels.items() if label != "dist:local"}
    done = {t: f"hash({col})" if kind == "hash" else kind for t, kind, col in sql(spread, "SELECT tab::text, kind, col FROM public.done")}
    assert done == wanted


def test_one_call_a_statement():
    for statement in re.sub(r"--.*", "", TEXT).split(";"):
        assert len(re.findall(r"create_\w+_table", statement)) == (1 if statement.strip() else 0), statement


def test_the_standins_do_refuse(spread):
    for bad, words in (("CREATE TABLE nsecwatch.t (a bigint PRIMARY KEY, b bigint); SELECT create_distributed_table('nsecwatch.t', 'b')", "not the column"),
                       ("CREATE TABLE nsecwatch.t (a bigint PRIMARY KEY REFERENCES nsecwatch.rule); SELECT create_reference_table('nsecwatch.t')", "no reference table")):
        with pytest.raises(Exception, match=words):
            sql(spread, bad)
