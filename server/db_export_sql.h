/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The SQL of db_export.c: of each kind of record how it is read, and how it is put back. */
#ifndef SERVER_DB_EXPORT_SQL_H
#define SERVER_DB_EXPORT_SQL_H

#include "db.h"

#define NOW_CHANGED "pg_current_xact_id()::text::bigint"
#define KERNEL_OF(id) "(SELECT x.identity FROM kernel x WHERE x.id = " id ")"
#define KERNEL_ID(identity) "(SELECT x.id FROM kernel x WHERE x.identity = " identity ")"
#define MACHINE_ID(name) "(SELECT x.id FROM machine x WHERE x.name = " name ")"
#define BENCHMARK_ID(name) "(SELECT x.id FROM benchmark x WHERE x.name = " name ")"

/* A series by what it is, and back. */
#define SERIES_OF(id)										\
	"(SELECT jsonb_build_object('machine', xm.name, 'thp', xc.thp, 'base_page_kib', xc.base_page_kib,"	\
	" 'flavour', xc.flavour, 'benchmark', xb.name, 'metric', xt.name, 'unit', xt.unit, 'better', xt.better,"	\
	" 'params', x.params) FROM series x JOIN machine xm ON xm.id = x.machine_id JOIN config xc ON xc.id = x.config_id"	\
	" JOIN benchmark xb ON xb.id = x.benchmark_id JOIN metric xt ON xt.id = x.metric_id WHERE x.id = " id ")"
#define SERIES_IDS(objects)									\
	"SELECT o.value AS o, x.id FROM jsonb_array_elements(" objects ") o (value)"				\
	" JOIN machine xm ON xm.name = o.value -> 'series' ->> 'machine'"				\
	" JOIN config xc ON xc.thp = o.value -> 'series' ->> 'thp' AND xc.flavour = o.value -> 'series' ->> 'flavour'"	\
	" AND xc.base_page_kib = (o.value -> 'series' ->> 'base_page_kib')::integer"			\
	" JOIN benchmark xb ON xb.name = o.value -> 'series' ->> 'benchmark'"				\
	" JOIN metric xt ON xt.name = o.value -> 'series' ->> 'metric' AND xt.unit = o.value -> 'series' ->> 'unit'"	\
	" AND xt.better = (o.value -> 'series' ->> 'better')::smallint"					\
	" JOIN series x ON x.machine_id = xm.id AND x.config_id = xc.id AND x.benchmark_id = xb.id AND x.metric_id = xt.id"	\
	" AND x.params = o.value -> 'series' ->> 'params'"

/*
 * put: $1 the record; a row comes back where something was done. has: whether the database had any of the kind before, which keep
 * their ids otherwise; NULL: they are put beside those that are there. r.*: where nothing is numbered otherwise, all columns
 * that there are, those of later migrations too: records only go back into the schema that they are of.
 */
struct export_kind {
	const char *kind;
	bool first;			/* before the runs */
	struct stmt read, put, has;
};

static const struct export_kind export_kinds[] = {
	{ "invalid", true,
	  { "export_invalid", "SELECT to_jsonb(v)::text FROM run_invalid v ORDER BY v.run_id" },
	  { "import_invalid",
	    "INSERT INTO run_invalid (run_id, reason, who, at) SELECT r.run_id, r.reason, r.who, r.at"
	    " FROM jsonb_to_record($1::jsonb) r (run_id uuid, reason text, who text, at timestamptz)"
	    /* a run that is there may be packed already: it is for people to take it out */
	    " WHERE NOT EXISTS (SELECT FROM run WHERE run.run_id = r.run_id)"
	    " ON CONFLICT (run_id) DO UPDATE SET reason = EXCLUDED.reason RETURNING 1" },
	  { NULL, NULL } },
	{ "kernel", false,
	  { "export_kernel",
	    "SELECT jsonb_build_object('identity', k.identity, 'name', k.name, 'release', k.release, 'base', k.base,"
	    " 'rc', k.rc, 'distance', k.distance, 'track', k.track, 'sort_key', encode(k.sort_key, 'hex'), 'is_variant', k.is_variant,"
	    " 'variant', k.variant, 'variant_base', " KERNEL_OF("k.variant_base_id") ", 'commit', k.\"commit\","
	    " 'released_at', k.released_at, 'log', k.log)::text FROM kernel k ORDER BY k.is_variant, k.identity COLLATE \"C\"" },
	  { "import_kernel",
	    "INSERT INTO kernel AS k (identity, name, release, base, rc, distance, track, sort_key, is_variant, variant, variant_base_id,"
	    " \"commit\", released_at, log, created_at, changed_in) SELECT r.identity, r.name, r.release, r.base, r.rc, r.distance, r.track,"
	    " decode(r.sort_key, 'hex'), r.is_variant, nullif(r.variant, 'null'), " KERNEL_ID("r.variant_base") ","
	    " r.\"commit\", r.released_at, nullif(r.log, 'null'), now(), " NOW_CHANGED
	    " FROM jsonb_to_record($1::jsonb) r (identity text, name text, release text, base text, rc integer, distance bigint, track text,"
	    " sort_key text, is_variant boolean, variant jsonb, variant_base text, \"commit\" text, released_at timestamptz, log jsonb)"
	    " ON CONFLICT (identity) DO UPDATE SET release = EXCLUDED.release, \"commit\" = coalesce(EXCLUDED.\"commit\", k.\"commit\"),"
	    " released_at = coalesce(EXCLUDED.released_at, k.released_at), log = coalesce(EXCLUDED.log, k.log),"
	    " changed_in = EXCLUDED.changed_in RETURNING 1" },
	  { NULL, NULL } },
	{ "machine", false,
	  { "export_machine",
	    "SELECT jsonb_build_object('name', m.name, 'shown', m.shown, 'aliases', m.aliases, 'merged_into',"
	    " (SELECT i.name FROM machine i WHERE i.id = m.merged_into), 'merged_at', (SELECT max(g.made_at) FROM merged g"
	    " WHERE g.kind = 'machine' AND g.from_id = m.id AND g.ended_at IS NULL))::text FROM machine m"
	    " WHERE m.shown IS NOT NULL OR m.aliases <> '{}' OR m.merged_into IS NOT NULL ORDER BY m.name COLLATE \"C\"" },
	  { "import_machine",
	    "WITH r AS (SELECT * FROM jsonb_to_record($1::jsonb) r (name text, shown text, aliases text[], merged_into text,"
	    " merged_at timestamptz)), u AS (UPDATE machine m SET shown = r.shown, aliases = r.aliases,"
	    " merged_into = " MACHINE_ID("r.merged_into") ", changed_in = " NOW_CHANGED " FROM r WHERE m.name = r.name"
	    " RETURNING m.id, m.merged_into, r.merged_at), g AS (INSERT INTO merged (kind, from_id, into_id, made_at, saved)"
	    " SELECT 'machine', u.id, u.merged_into, u.merged_at, '{\"changes\": [], \"members\": [], \"alerts\": []}' FROM u"
	    " WHERE u.merged_into IS NOT NULL ON CONFLICT DO NOTHING) SELECT 1 FROM u" },
	  { NULL, NULL } },
	{ "benchmark", false,
	  { "export_benchmark",
	    "SELECT jsonb_build_object('name', m.name, 'shown', m.shown, 'aliases', m.aliases, 'merged_into',"
	    " (SELECT i.name FROM benchmark i WHERE i.id = m.merged_into), 'merged_at', (SELECT max(g.made_at) FROM merged g"
	    " WHERE g.kind = 'benchmark' AND g.from_id = m.id AND g.ended_at IS NULL))::text FROM benchmark m"
	    " WHERE m.shown IS NOT NULL OR m.aliases <> '{}' OR m.merged_into IS NOT NULL ORDER BY m.name COLLATE \"C\"" },
	  { "import_benchmark",
	    "WITH r AS (SELECT * FROM jsonb_to_record($1::jsonb) r (name text, shown text, aliases text[], merged_into text,"
	    " merged_at timestamptz)), u AS (UPDATE benchmark m SET shown = r.shown, aliases = r.aliases,"
	    " merged_into = " BENCHMARK_ID("r.merged_into") ", changed_in = " NOW_CHANGED " FROM r WHERE m.name = r.name"
	    " RETURNING m.id, m.merged_into, r.merged_at), g AS (INSERT INTO merged (kind, from_id, into_id, made_at, saved)"
	    " SELECT 'benchmark', u.id, u.merged_into, u.merged_at, '{\"changes\": [], \"members\": [], \"alerts\": []}' FROM u"
	    " WHERE u.merged_into IS NOT NULL ON CONFLICT DO NOTHING) SELECT 1 FROM u" },
	  { NULL, NULL } },
	{ "rule", false,
	  { "export_rule", "SELECT to_jsonb(r)::text FROM rule r ORDER BY r.id" },
	  { "import_rule",
	    "INSERT INTO rule AS t (id, name, selector, percent, direction, created_at, kind, confidence, above, below, unit, baseline, tell,"
	    " note, enabled, origin, changed_at, last_matched_at, last_fired_at, deleted_at) OVERRIDING SYSTEM VALUE"
	    " SELECT r.id, r.name, r.selector, r.percent, r.direction, r.created_at, r.kind, r.confidence, r.above, r.below, r.unit,"
	    " r.baseline, r.tell, r.note, r.enabled, r.origin, r.changed_at, r.last_matched_at, r.last_fired_at, r.deleted_at"
	    " FROM jsonb_populate_record(NULL::rule, $1::jsonb) r ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name,"
	    " selector = EXCLUDED.selector, percent = EXCLUDED.percent, direction = EXCLUDED.direction, created_at = EXCLUDED.created_at,"
	    " kind = EXCLUDED.kind, confidence = EXCLUDED.confidence, above = EXCLUDED.above, below = EXCLUDED.below, unit = EXCLUDED.unit,"
	    " baseline = EXCLUDED.baseline, tell = EXCLUDED.tell, note = EXCLUDED.note, enabled = EXCLUDED.enabled, origin = EXCLUDED.origin,"
	    " changed_at = EXCLUDED.changed_at, last_matched_at = EXCLUDED.last_matched_at, last_fired_at = EXCLUDED.last_fired_at,"
	    " deleted_at = EXCLUDED.deleted_at RETURNING 1" },
	  { "has_rule", "SELECT EXISTS (SELECT FROM rule WHERE origin <> 'default')" } },
	{ "alert", false,
	  { "export_alert",
	    "SELECT ((to_jsonb(a) - 'from_kernel_id' - 'to_kernel_id' - 'benchmark_id' - 'machine_ids'"
	    " - 'config_ids' - 'fixed_in_kernel_id' - 'merged_into' - 'mute_id') || jsonb_build_object("
	    " 'from', " KERNEL_OF("a.from_kernel_id") ", 'to', " KERNEL_OF("a.to_kernel_id") ","
	    " 'benchmark', (SELECT b.name FROM benchmark b WHERE b.id = a.benchmark_id), 'fixed_in', " KERNEL_OF("a.fixed_in_kernel_id") ","
	    " 'ranges', coalesce((SELECT jsonb_agg(jsonb_build_object('from', kf.identity, 'to', kt.identity, 'why', g.why)"
	    " ORDER BY kf.identity COLLATE \"C\", kt.identity COLLATE \"C\") FROM alert_range g JOIN kernel kf ON kf.id = g.from_kernel_id"
	    " JOIN kernel kt ON kt.id = g.to_kernel_id WHERE g.alert_id = a.id), '[]'),"
	    " 'members', coalesce((SELECT jsonb_agg(o.value ORDER BY o.value) FROM (SELECT jsonb_build_object('series', " SERIES_OF("g.series_id") ","
	    " 'from', " KERNEL_OF("g.from_kernel_id") ", 'to', " KERNEL_OF("g.to_kernel_id") ", 'direction', g.direction,"
	    " 'moved_from', g.moved_from, 'change', (SELECT to_jsonb(c) - 'series_id' - 'from_kernel_id' - 'to_kernel_id' FROM change c"
	    " WHERE c.series_id = g.series_id AND c.from_kernel_id = g.from_kernel_id AND c.to_kernel_id = g.to_kernel_id))"
	    " FROM alert_member g WHERE g.alert_id = a.id) o (value)), '[]')))::text FROM alert a ORDER BY a.id" },
	  { "import_alert",
	    "WITH r AS (SELECT * FROM jsonb_to_record($1::jsonb) r (id uuid, track text, \"from\" text, \"to\" text, benchmark text,"
	    " direction text, rule_id bigint, state text, n_series bigint, worst_percent float8, created_at timestamptz, part smallint,"
	    " origin text, assignee text, due_at timestamptz, report_url text, fix_url text, fix_commit text, fixed_in text,"
	    " restored_percent float8, changed_at timestamptz, about text, untold boolean, ranges jsonb, members jsonb)),"
	    " s AS (" SERIES_IDS("(SELECT members FROM r)") "),"
	    " a AS (INSERT INTO alert AS t (id, track, from_kernel_id, to_kernel_id, benchmark_id, direction, rule_id, state, n_series, worst_percent,"
	    " machine_ids, config_ids, created_at, part, origin, assignee, due_at, report_url, fix_url, fix_commit, fixed_in_kernel_id,"
	    " restored_percent, changed_at, about, untold)"
	    " SELECT r.id, r.track, " KERNEL_ID("r.\"from\"") ", " KERNEL_ID("r.\"to\"") ", " BENCHMARK_ID("r.benchmark") ", r.direction,"
	    " (SELECT q.id FROM rule q WHERE q.id = r.rule_id), r.state, r.n_series, r.worst_percent,"
	    " ARRAY(SELECT DISTINCT y.machine_id FROM s JOIN series y ON y.id = s.id ORDER BY 1),"
	    " ARRAY(SELECT DISTINCT y.config_id FROM s JOIN series y ON y.id = s.id ORDER BY 1), r.created_at, r.part, r.origin, r.assignee,"
	    " r.due_at, r.report_url, r.fix_url, r.fix_commit, " KERNEL_ID("r.fixed_in") ", r.restored_percent, r.changed_at, r.about, r.untold"
	    " FROM r ON CONFLICT (id) DO UPDATE SET state = EXCLUDED.state, assignee = EXCLUDED.assignee, due_at = EXCLUDED.due_at,"
	    " report_url = EXCLUDED.report_url, fix_url = EXCLUDED.fix_url, fix_commit = EXCLUDED.fix_commit,"
	    " fixed_in_kernel_id = EXCLUDED.fixed_in_kernel_id, changed_at = EXCLUDED.changed_at, created_at = EXCLUDED.created_at RETURNING id),"
	    " g AS (INSERT INTO alert_range (alert_id, from_kernel_id, to_kernel_id, why) SELECT r.id, " KERNEL_ID("o.\"from\"") ", "
	    KERNEL_ID("o.\"to\"") ", o.why FROM r, jsonb_to_recordset(r.ranges) o (\"from\" text, \"to\" text, why text) ON CONFLICT DO NOTHING),"
	    " m AS (INSERT INTO alert_member (series_id, alert_id, from_kernel_id, to_kernel_id, direction, moved_from)"
	    " SELECT s.id, r.id, " KERNEL_ID("s.o ->> 'from'") ", " KERNEL_ID("s.o ->> 'to'") ", s.o ->> 'direction',"
	    " (s.o ->> 'moved_from')::uuid FROM r, s ON CONFLICT DO NOTHING),"
	    " c AS (INSERT INTO change (series_id, from_kernel_id, to_kernel_id, from_center, to_center, percent, verdict, confidence, q, from_boots,"
	    " to_boots) SELECT s.id, " KERNEL_ID("s.o ->> 'from'") ", " KERNEL_ID("s.o ->> 'to'") ", v.from_center, v.to_center, v.percent, v.verdict,"
	    " v.confidence, v.q, v.from_boots, v.to_boots FROM s, jsonb_populate_record(NULL::change, s.o -> 'change') v"
	    " WHERE jsonb_typeof(s.o -> 'change') = 'object' ON CONFLICT DO NOTHING)"
	    " SELECT 1 FROM a" },
	  { "has_alert", "SELECT EXISTS (SELECT FROM alert)" } },
	{ "mute", false,
	  { "export_mute", "SELECT to_jsonb(m)::text FROM mute m ORDER BY m.id" },
	  { "import_mute",
	    "INSERT INTO mute OVERRIDING SYSTEM VALUE SELECT r.*"
	    " FROM jsonb_populate_record(NULL::mute, $1::jsonb) r WHERE r.alert_id IS NULL OR EXISTS (SELECT FROM alert a WHERE a.id = r.alert_id)"
	    " ON CONFLICT DO NOTHING RETURNING 1" },
	  { "has_mute", "SELECT EXISTS (SELECT FROM mute)" } },
	{ "alert-link", false,
	  { "export_alert_link",
	    "SELECT jsonb_build_object('id', a.id, 'merged_into', a.merged_into, 'mute_id', a.mute_id)::text FROM alert a"
	    " WHERE a.merged_into IS NOT NULL OR a.mute_id IS NOT NULL ORDER BY a.id" },
	  { "import_alert_link",
	    "UPDATE alert a SET merged_into = r.merged_into, mute_id = r.mute_id FROM jsonb_populate_record(NULL::alert, $1::jsonb) r"
	    " WHERE a.id = r.id RETURNING 1" },
	  { "has_alert_too", "SELECT EXISTS (SELECT FROM alert) OR EXISTS (SELECT FROM mute)" } },
	{ "expectation", false,
	  { "export_expectation",
	    "SELECT ((to_jsonb(e) - 'machine_id') || jsonb_build_object('machine', m.name))::text"
	    " FROM expectation e JOIN machine m ON m.id = e.machine_id ORDER BY e.id" },
	  { "import_expectation",
	    "INSERT INTO expectation (id, machine_id, benchmark, interval_s, note, author, created_at, alert_id, deleted_at) OVERRIDING SYSTEM VALUE"
	    " SELECT r.id, " MACHINE_ID("$1::jsonb ->> 'machine'") ", r.benchmark, r.interval_s, r.note, r.author, r.created_at,"
	    " (SELECT a.id FROM alert a WHERE a.id = r.alert_id), r.deleted_at FROM jsonb_populate_record(NULL::expectation, $1::jsonb) r"
	    " WHERE EXISTS (SELECT FROM machine m WHERE m.name = $1::jsonb ->> 'machine') ON CONFLICT DO NOTHING RETURNING 1" },
	  { "has_expectation", "SELECT EXISTS (SELECT FROM expectation)" } },
	{ "event", false,
	  { "export_event", "SELECT to_jsonb(e)::text FROM event e ORDER BY e.id" },
	  { "import_event",
	    "INSERT INTO event OVERRIDING SYSTEM VALUE SELECT r.*"
	    " FROM jsonb_populate_record(NULL::event, $1::jsonb) r ON CONFLICT DO NOTHING RETURNING 1" },
	  { "has_event", "SELECT EXISTS (SELECT FROM event)" } },
	{ "page", false,
	  { "export_page", "SELECT to_jsonb(p)::text FROM page p ORDER BY p.id" },
	  { "import_page",
	    "INSERT INTO page SELECT r.*"
	    " FROM jsonb_populate_record(NULL::page, $1::jsonb) r ON CONFLICT (id) DO NOTHING RETURNING 1" },
	  { NULL, NULL } },
	{ "snapshot", false,
	  { "export_snapshot", "SELECT to_jsonb(s)::text FROM snapshot s ORDER BY s.id" },
	  { "import_snapshot",
	    "INSERT INTO snapshot SELECT r.*"
	    " FROM jsonb_populate_record(NULL::snapshot, $1::jsonb) r ON CONFLICT (id) DO NOTHING RETURNING 1" },
	  { NULL, NULL } },
};

#define EXPORT_KINDS (sizeof(export_kinds) / sizeof(export_kinds[0]))

#endif
