-- SPDX-License-Identifier: GPL-2.0-or-later
-- The first schema: dimensions, runs, packs, tokens.
--
-- COMMENT ON TABLE says where a table would live on a sharding engine: 'dist:hash(column)',
-- 'dist:reference' or 'dist:local'. What that asks of keys and of references: keys begin
-- with the hash column, no triggers, ids of facts come from the program, and facts do not
-- reference anything (a foreign key from `run` would lock the same few rows of the
-- dimensions in every upload).
--
-- changed_in: the transaction that made the row or changed it last. A reader that
-- remembers the xmin of its last snapshot asks for the rows from there on and misses
-- none, in whatever order transactions commit (see db_catalog_load.c).

-- Dimensions: few rows, each with a natural key.

CREATE TABLE nsecwatch.machine (
	id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name        text NOT NULL UNIQUE CHECK (name <> ''),
	isa         text NOT NULL DEFAULT 'unknown',
	uarch       text NOT NULL DEFAULT 'unknown',
	fact_id     bigint,			-- the newest machine_fact, NULL before the first
	facts       jsonb NOT NULL DEFAULT '{}',
	facts_at    timestamptz,		-- started_at of the run that said so
	created_at  timestamptz NOT NULL,
	changed_in  bigint NOT NULL
);
COMMENT ON TABLE nsecwatch.machine IS 'dist:reference';
CREATE INDEX machine_changed_in ON nsecwatch.machine (changed_in);

-- Versions of what a machine said of itself. Runs name theirs.
CREATE TABLE nsecwatch.machine_fact (
	id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	machine_id  bigint NOT NULL REFERENCES nsecwatch.machine,
	sha256      bytea NOT NULL CHECK (octet_length(sha256) = 32),
	isa         text NOT NULL,
	uarch       text NOT NULL,
	facts       jsonb NOT NULL,
	created_at  timestamptz NOT NULL,
	changed_in  bigint NOT NULL,
	UNIQUE (machine_id, sha256)
);
COMMENT ON TABLE nsecwatch.machine_fact IS 'dist:reference';
CREATE INDEX machine_fact_changed_in ON nsecwatch.machine_fact (changed_in);

CREATE TABLE nsecwatch.kernel (
	id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	identity        text NOT NULL UNIQUE CHECK (identity <> ''),
	name            text NOT NULL,
	release         text NOT NULL,
	base            text NOT NULL,
	rc              integer NOT NULL DEFAULT 0 CHECK (rc >= 0),	-- 0: none
	distance        bigint NOT NULL DEFAULT 0 CHECK (distance >= 0),
	track           text NOT NULL,
	sort_key        bytea NOT NULL,		-- bytewise order within the track
	is_variant      boolean NOT NULL DEFAULT false,
	variant         jsonb,
	variant_base_id bigint REFERENCES nsecwatch.kernel,
	"commit"        text,
	released_at     timestamptz,
	log             jsonb,
	created_at      timestamptz NOT NULL,
	changed_in      bigint NOT NULL,
	CHECK (is_variant OR variant_base_id IS NULL)
);
COMMENT ON TABLE nsecwatch.kernel IS 'dist:reference';
CREATE INDEX kernel_changed_in ON nsecwatch.kernel (changed_in);

CREATE TABLE nsecwatch.config (
	id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	thp           text NOT NULL CHECK (thp <> ''),
	base_page_kib integer NOT NULL CHECK (base_page_kib >= 0),	-- 0: unknown
	flavour       text NOT NULL,
	created_at    timestamptz NOT NULL,
	changed_in    bigint NOT NULL,
	UNIQUE (thp, base_page_kib, flavour)
);
COMMENT ON TABLE nsecwatch.config IS 'dist:reference';
CREATE INDEX config_changed_in ON nsecwatch.config (changed_in);

CREATE TABLE nsecwatch.benchmark (
	id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name       text NOT NULL UNIQUE CHECK (name <> ''),
	created_at timestamptz NOT NULL,
	changed_in bigint NOT NULL
);
COMMENT ON TABLE nsecwatch.benchmark IS 'dist:reference';
CREATE INDEX benchmark_changed_in ON nsecwatch.benchmark (changed_in);

CREATE TABLE nsecwatch.metric (
	id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name       text NOT NULL CHECK (name <> ''),
	unit       text NOT NULL,
	better     smallint NOT NULL CHECK (better BETWEEN 0 AND 2),	-- 0 neutral, 1 lower, 2 higher
	created_at timestamptz NOT NULL,
	changed_in bigint NOT NULL,
	UNIQUE (name, unit, better)
);
COMMENT ON TABLE nsecwatch.metric IS 'dist:reference';
CREATE INDEX metric_changed_in ON nsecwatch.metric (changed_in);

-- params may be longer than an index entry can be: params_key, the first 16 bytes of
-- its SHA-256, stands for it in the natural key.
CREATE TABLE nsecwatch.series (
	id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	machine_id   bigint NOT NULL REFERENCES nsecwatch.machine,
	config_id    bigint NOT NULL REFERENCES nsecwatch.config,
	benchmark_id bigint NOT NULL REFERENCES nsecwatch.benchmark,
	metric_id    bigint NOT NULL REFERENCES nsecwatch.metric,
	params       text NOT NULL,		-- JSON object, sorted and compact
	params_key   uuid NOT NULL,
	created_at   timestamptz NOT NULL,
	changed_in   bigint NOT NULL,
	UNIQUE (machine_id, config_id, benchmark_id, metric_id, params_key)
);
COMMENT ON TABLE nsecwatch.series IS 'dist:reference';
CREATE INDEX series_changed_in ON nsecwatch.series (changed_in);

-- Facts.

-- One upload, immutable: its primary key and content hash decide a replay. One element
-- a result, in the order of the submission. What follows from the mean is left out:
--   status NULL: all ok;  n NULL: 1 where ok, else 0;  stddev NULL: none known;
--   median, vmin, vmax NULL: the same as mean.
-- NULL elements: not known. The rest of what must hold is the writer's to see to: each
-- insert reads its constraints anew, and ten of them were a third of its time.
-- ('Infinity' > ALL (x) refuses NaN too, which sorts above it.)
CREATE TABLE nsecwatch.run (
	run_id          uuid PRIMARY KEY,
	content_sha256  bytea NOT NULL CHECK (octet_length(content_sha256) = 32),
	machine_id      bigint NOT NULL,
	machine_fact_id bigint,
	kernel_id       bigint NOT NULL,
	config_id       bigint NOT NULL,
	started_at      timestamptz NOT NULL,
	finished_at     timestamptz,
	received_at     timestamptz NOT NULL,
	boot_id         text,
	format          text NOT NULL,
	token           text,			-- name of the token it came with
	source          jsonb,
	labels          jsonb,
	environment     jsonb,
	series_id       bigint[] COMPRESSION lz4 NOT NULL,
	status          smallint[] COMPRESSION lz4,
	n               bigint[] COMPRESSION lz4,
	mean            double precision[] COMPRESSION lz4 NOT NULL,
	median          double precision[] COMPRESSION lz4,
	stddev          double precision[] COMPRESSION lz4,
	vmin            double precision[] COMPRESSION lz4,
	vmax            double precision[] COMPRESSION lz4,
	errors          text[] COMPRESSION lz4,
	original_units  text[] COMPRESSION lz4,
	not_imported    jsonb,
	CHECK (cardinality(mean) = cardinality(series_id) AND 'Infinity' > ALL (mean))
);
COMMENT ON TABLE nsecwatch.run IS 'dist:hash(run_id)';
CREATE INDEX run_kernel_machine ON nsecwatch.run (kernel_id, machine_id);
CREATE INDEX run_received ON nsecwatch.run (received_at DESC, run_id DESC);
CREATE INDEX run_machine_started ON nsecwatch.run (machine_id, started_at);

-- The body as it came and the raw repetitions, apart from the run so that it stays
-- small and old months can be dropped. month is the month (UTC) of received_at.
--   counts: repetitions of each result, NULL: as many as the run's n;
--   vals: all of them, one result after the other, NULL: one each, the run's mean.
CREATE TABLE nsecwatch.run_raw (
	run_id     uuid NOT NULL,
	month      date NOT NULL,
	body_type  text NOT NULL,
	body_bytes bigint NOT NULL,		-- before compression
	body       bytea NOT NULL,		-- zstd
	counts     bigint[] COMPRESSION lz4,
	vals       double precision[] COMPRESSION lz4,
	PRIMARY KEY (run_id, month)
) PARTITION BY RANGE (month);
COMMENT ON TABLE nsecwatch.run_raw IS 'dist:hash(run_id)';
ALTER TABLE nsecwatch.run_raw ALTER COLUMN body SET STORAGE EXTERNAL;

-- Makes the partition of a month unless it is there; the program calls it, no trigger does.
CREATE FUNCTION nsecwatch.run_raw_month(month date) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
	name text := 'run_raw_' || to_char(month, 'YYYYMM');
BEGIN
	IF to_regclass('nsecwatch.' || name) IS NOT NULL THEN
		RETURN;
	END IF;
	-- two that find it missing at once: the second waits and looks again
	PERFORM pg_advisory_xact_lock(hashtextextended('nsecwatch.run_raw_month', 0));
	EXECUTE format('CREATE TABLE IF NOT EXISTS nsecwatch.%I PARTITION OF nsecwatch.run_raw FOR VALUES FROM (%L) TO (%L)',
		name, month, (month + interval '1 month')::date);
END $$;

-- Samples again, by series, in the order they were packed: up to 128 to a chunk, in
-- the encoding of db_packs_code.c. Derived from run, never the truth.
CREATE TABLE nsecwatch.series_pack (
	series_id bigint NOT NULL,
	chunk     integer NOT NULL CHECK (chunk >= 0),
	samples   smallint NOT NULL CHECK (samples BETWEEN 1 AND 128),
	body      bytea COMPRESSION lz4 NOT NULL,
	crc32     bigint NOT NULL,		-- of body
	PRIMARY KEY (series_id, chunk)
) WITH (fillfactor = 80);
COMMENT ON TABLE nsecwatch.series_pack IS 'dist:hash(series_id)';

-- Local: what the one coordinator keeps.

-- What is still to be done for a run: inserted in the upload's transaction, deleted in
-- the one that did the work.
CREATE TABLE nsecwatch.run_todo (
	run_id uuid NOT NULL,
	what   text NOT NULL CHECK (what IN ('pack', 'check')),
	PRIMARY KEY (what, run_id)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
COMMENT ON TABLE nsecwatch.run_todo IS 'dist:local';

CREATE TABLE nsecwatch.token (
	id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name       text NOT NULL UNIQUE CHECK (name <> ''),
	scope      text NOT NULL CHECK (scope IN ('read', 'ingest', 'triage', 'admin')),
	sha256     bytea NOT NULL UNIQUE CHECK (octet_length(sha256) = 32),
	created_at timestamptz NOT NULL,
	revoked_at timestamptz
);
COMMENT ON TABLE nsecwatch.token IS 'dist:local';
