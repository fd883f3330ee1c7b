/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The route table: every address this server answers, what may be asked of it, who may
 * ask, and the function that answers. Start reading here.
 *
 * The columns are preconditions, checked before a handler runs: an unknown path is 404, a
 * known one with another method 405, an argument that is not listed 400, a representation
 * that is not listed 406, a token that does not suffice 401 or 403. /api/openapi.json is
 * written from it.
 */
#include "api_compare.h"
#include "api_handlers.h"
#include "api_matrix.h"
#include "api_sweep.h"
#include "api_trend.h"

#define SELECTORS "benchmark metric machine uarch isa thp base_page_kib track param.*"
#define PAGING " limit cursor"
#define CONTEXT "machine kernel thp isa uarch base_page_kib started_at boot_id benchmark filename label.*"
#define TABLES (REP_JSON | REP_CSV | REP_TEXT)

/* clang-format off */
const struct route routes[] = {
	/* writing */
	{ .method = "POST", .pattern = "/api/v1/runs", .handler = api_upload, .scope = SCOPE_INGEST,
	  .reps = REP_JSON, .args = "format dry_run " CONTEXT, .body = true,
	  .about = "Stores results: a submission, an array of them, or a file of another format. The same again is no second run.", .shape = "Uploaded", .takes = "Upload" },
	{ .method = "POST", .pattern = "/api/v1/kernels", .handler = api_kernels_post, .scope = SCOPE_TRIAGE,
	  .reps = REP_JSON, .body = true,
	  .about = "Tells dates, commits and logs of kernels.", .shape = "KernelItems", .takes = "KernelDates" },
	{ .method = "POST", .pattern = "/api/v1/kernels:parse", .handler = api_kernels_parse, .scope = SCOPE_NONE,
	  .reps = REP_JSON, .body = true,
	  .about = "Reads and orders kernel names; at most 10,000.", .shape = "ParsedKernels", .takes = "KernelNames" },

	/* the questions */
	{ .method = "GET", .pattern = "/api/v1/compare", .handler = api_compare, .scope = SCOPE_READ,
	  .reps = TABLES | REP_SVG, .args = "base head fix only explain sweeps run " SELECTORS, .cached = true,
	  .about = "Two kernels, and what a third restores: a row a series.", .shape = "Compare" },
	{ .method = "GET", .pattern = "/api/v1/sweep", .handler = api_sweep, .scope = SCOPE_READ,
	  .reps = TABLES | REP_SVG, .args = "axis kernel onset_percent explain run " SELECTORS, .cached = true,
	  .about = "One parameter as axis, a line a kernel, and the change against the first.", .shape = "Sweep" },
	{ .method = "GET", .pattern = "/api/v1/trend", .handler = api_trend, .scope = SCOPE_READ,
	  .reps = TABLES | REP_SVG, .args = "variants explain run " SELECTORS, .cached = true,
	  .about = "Series over the kernels of their tracks, with the steps found.", .shape = "Trend" },
	{ .method = "GET", .pattern = "/api/v1/matrix", .handler = api_matrix, .scope = SCOPE_READ,
	  .reps = TABLES | REP_SVG, .args = "base head rows cols explain run " SELECTORS, .cached = true,
	  .about = "A comparison by two of its dimensions.", .shape = "Matrix" },

	/* the catalogue */
	{ .method = "GET", .pattern = "/api/v1/benchmarks", .handler = api_catalog_benchmarks, .scope = SCOPE_READ,
	  .reps = TABLES, .args = SELECTORS PAGING, .cached = true,
	  .about = "The benchmarks there are.", .shape = "Benchmarks" },
	{ .method = "GET", .pattern = "/api/v1/kernels", .handler = api_kernels_list, .scope = SCOPE_READ,
	  .reps = TABLES, .args = "order " SELECTORS PAGING, .cached = true,
	  .about = "The kernels there are; order=1: within their tracks, order=released_at: by date.", .shape = "Kernels" },
	{ .method = "GET", .pattern = "/api/v1/machines", .handler = api_catalog_machines, .scope = SCOPE_READ,
	  .reps = TABLES, .args = SELECTORS PAGING, .cached = true,
	  .about = "The machines there are.", .shape = "Machines" },
	{ .method = "GET", .pattern = "/api/v1/configs", .handler = api_catalog_configs, .scope = SCOPE_READ,
	  .reps = TABLES, .args = SELECTORS PAGING, .cached = true,
	  .about = "The configurations there are: THP mode, base page, flavour.", .shape = "Configs" },
	{ .method = "GET", .pattern = "/api/v1/series", .handler = api_catalog_series, .scope = SCOPE_READ,
	  .reps = TABLES, .args = SELECTORS PAGING, .cached = true,
	  .about = "The series there are.", .shape = "Series" },
	{ .method = "GET", .pattern = "/api/v1/runs", .handler = api_runs_list, .scope = SCOPE_READ,
	  .reps = TABLES, .args = "kernel " SELECTORS PAGING, .cached = true,
	  .about = "Runs, newest first.", .shape = "Runs" },
	{ .method = "GET", .pattern = "/api/v1/runs/{id}", .handler = api_runs_get, .scope = SCOPE_READ,
	  .reps = TABLES, .cached = true,
	  .about = "One run with its results.", .shape = "Run" },
	{ .method = "GET", .pattern = "/api/v1/runs/{id}/raw", .handler = api_runs_raw, .scope = SCOPE_READ,
	  .reps = REP_OTHER,
	  .about = "The body as it came." },
	{ .method = "GET", .pattern = "/api/v1/runs/{id}/verdict", .handler = api_runs_verdict, .scope = SCOPE_READ,
	  .reps = REP_JSON, .args = "explain wait",
	  .about = "What came of a run; wait=SECONDS waits for it.", .shape = "Verdict" },

	/* alerts */
	{ .method = "GET", .pattern = "/api/v1/alerts", .handler = api_alerts_list, .scope = SCOPE_READ,
	  .reps = TABLES | REP_ATOM, .args = "state kind " SELECTORS PAGING, .cached = true,
	  .about = "Alerts, newest first; as a feed (.atom), too.", .shape = "Alerts" },
	{ .method = "POST", .pattern = "/api/v1/alerts", .handler = api_manual_post, .scope = SCOPE_TRIAGE,
	  .reps = REP_JSON, .body = true, .creates = true,
	  .about = "Opens an alert by hand: a benchmark between two kernels, with the rows that both have measured.",
	  .shape = "EventDone", .takes = "NewAlert" },
	{ .method = "GET", .pattern = "/api/v1/alerts/{id}", .handler = api_alerts_get, .scope = SCOPE_READ,
	  .reps = TABLES, .cached = true,
	  .about = "One alert with its rows.", .shape = "Alert" },
	{ .method = "GET", .pattern = "/api/v1/alerts/{id}/mail", .handler = api_alerts_mail, .scope = SCOPE_READ,
	  .reps = REP_TEXT | REP_EML | REP_JSON, .cached = true,
	  .about = "Its mail as a draft: for reading, as a message that a person completes and sends, and in parts.", .shape = "Mail" },

	{ .method = "GET", .pattern = "/api/v1/alerts/{id}/events", .handler = api_events_of_alert, .scope = SCOPE_READ,
	  .reps = TABLES, .args = "limit cursor", .cached = true,
	  .about = "What was done to an alert, by whom and when, in order.", .shape = "Events" },
	{ .method = "POST", .pattern = "/api/v1/alerts/{id}/events", .handler = api_events_post, .scope = SCOPE_TRIAGE,
	  .reps = REP_JSON, .body = true,
	  .about = "Acknowledges, assigns, comments, reports, fixes, dismisses, reopens, nudges, merges or splits an alert.",
	  .shape = "EventDone", .takes = "Event" },
	{ .method = "GET", .pattern = "/api/v1/rules", .handler = api_rules_list, .scope = SCOPE_READ,
	  .reps = TABLES, .args = "limit cursor", .cached = true,
	  .about = "The rules by which alerts are raised.", .shape = "Rules" },
	{ .method = "POST", .pattern = "/api/v1/rules", .handler = api_rules_post, .scope = SCOPE_TRIAGE,
	  .reps = REP_JSON, .body = true, .creates = true,
	  .about = "Makes a rule.", .shape = "RuleDone", .takes = "Rule" },
	{ .method = "POST", .pattern = "/api/v1/rules:dry-run", .handler = api_rules_dry_run, .scope = SCOPE_TRIAGE,
	  .reps = REP_JSON, .body = true,
	  .about = "What a rule would have done over all that was measured; nothing is kept.", .shape = "DryRun", .takes = "Rule" },
	{ .method = "GET", .pattern = "/api/v1/rules/{id}", .handler = api_rules_get, .scope = SCOPE_READ,
	  .reps = REP_JSON, .cached = true,
	  .about = "One rule.", .shape = "RuleItem" },
	{ .method = "PUT", .pattern = "/api/v1/rules/{id}", .handler = api_rules_put, .scope = SCOPE_TRIAGE,
	  .reps = REP_JSON, .body = true,
	  .about = "Replaces what a rule says.", .shape = "RuleDone", .takes = "Rule" },
	{ .method = "DELETE", .pattern = "/api/v1/rules/{id}", .handler = api_rules_delete, .scope = SCOPE_TRIAGE,
	  .reps = REP_JSON,
	  .about = "Takes a rule away; its alerts stay.", .shape = "RuleDone" },
	{ .method = "GET", .pattern = "/api/v1/mutes", .handler = api_mutes_list, .scope = SCOPE_READ,
	  .reps = TABLES, .args = "limit cursor",
	  .about = "What is kept silent, why, by whom and until when; newest first.", .shape = "Mutes" },
	{ .method = "POST", .pattern = "/api/v1/mutes", .handler = api_mutes_post, .scope = SCOPE_TRIAGE,
	  .reps = REP_JSON, .body = true, .creates = true,
	  .about = "Silences one alert, or all that a selector picks.", .shape = "MuteDone", .takes = "Mute" },
	{ .method = "GET", .pattern = "/api/v1/mutes/{id}", .handler = api_mutes_get, .scope = SCOPE_READ,
	  .reps = REP_JSON,
	  .about = "One mute.", .shape = "MuteItem" },
	{ .method = "DELETE", .pattern = "/api/v1/mutes/{id}", .handler = api_mutes_delete, .scope = SCOPE_TRIAGE,
	  .reps = REP_JSON,
	  .about = "Ends a mute: its alerts are new again.", .shape = "MuteDone" },
	{ .method = "POST", .pattern = "/api/v1/runs/{id}:invalidate", .handler = api_corrections_invalidate, .scope = SCOPE_TRIAGE,
	  .reps = REP_JSON, .body = true,
	  .about = "A run is wrong: it stays, and no question is answered from it any more.", .shape = "Corrected", .takes = "Reason" },
	{ .method = "POST", .pattern = "/api/v1/runs/{id}:restore", .handler = api_corrections_restore, .scope = SCOPE_TRIAGE,
	  .reps = REP_JSON, .body = true,
	  .about = "A run is good after all.", .shape = "Corrected", .takes = "Reason" },
	{ .method = "POST", .pattern = "/api/v1/machines/{id}:rename", .handler = api_names_machine_rename, .scope = SCOPE_TRIAGE,
	  .reps = REP_JSON, .body = true,
	  .about = "A machine is shown under another name; what it was called goes on to mean it.", .shape = "Named", .takes = "Name" },
	{ .method = "POST", .pattern = "/api/v1/machines/{id}:alias", .handler = api_names_machine_alias, .scope = SCOPE_TRIAGE,
	  .reps = REP_JSON, .body = true,
	  .about = "Another name that means this machine, in questions and in uploads.", .shape = "Named", .takes = "Name" },
	{ .method = "POST", .pattern = "/api/v1/machines/{id}:unalias", .handler = api_names_machine_unalias, .scope = SCOPE_TRIAGE,
	  .reps = REP_JSON, .body = true,
	  .about = "Takes such a name away.", .shape = "Named", .takes = "Name" },
	{ .method = "POST", .pattern = "/api/v1/benchmarks/{id}:rename", .handler = api_names_benchmark_rename, .scope = SCOPE_TRIAGE,
	  .reps = REP_JSON, .body = true,
	  .about = "A benchmark is shown under another name; what it was called goes on to mean it.", .shape = "Named", .takes = "Name" },
	{ .method = "POST", .pattern = "/api/v1/benchmarks/{id}:alias", .handler = api_names_benchmark_alias, .scope = SCOPE_TRIAGE,
	  .reps = REP_JSON, .body = true,
	  .about = "Another name that means this benchmark, in questions and in uploads.", .shape = "Named", .takes = "Name" },
	{ .method = "POST", .pattern = "/api/v1/benchmarks/{id}:unalias", .handler = api_names_benchmark_unalias, .scope = SCOPE_TRIAGE,
	  .reps = REP_JSON, .body = true,
	  .about = "Takes such a name away.", .shape = "Named", .takes = "Name" },
	{ .method = "GET", .pattern = "/api/v1/events", .handler = api_events_list, .scope = SCOPE_READ,
	  .reps = TABLES, .args = "subject object who limit cursor", .cached = true,
	  .about = "The audit trail: what people decided, newest first.", .shape = "Events" },

	/* who was told, and who could not be */
	{ .method = "GET", .pattern = "/api/v1/deliveries", .handler = api_deliveries_list, .scope = SCOPE_TRIAGE,
	  .reps = TABLES, .args = "state kind alert" PAGING,
	  .about = "Mails and calls of webhooks, newest first; state=dead: those that were given up.", .shape = "Deliveries" },
	{ .method = "GET", .pattern = "/api/v1/deliveries/{id}", .handler = api_deliveries_get, .scope = SCOPE_TRIAGE,
	  .reps = REP_JSON,
	  .about = "One delivery.", .shape = "Delivery" },
	{ .method = "POST", .pattern = "/api/v1/deliveries/{id}:send-again", .handler = api_deliveries_again, .scope = SCOPE_TRIAGE,
	  .reps = REP_JSON,
	  .about = "Tries it now; one that was given up with all its tries before it. What was sent stays so: 409.", .shape = "Delivery" },

	{ .method = "GET", .pattern = "/api/v1/snapshots/{id}", .handler = api_snapshots_get, .scope = SCOPE_READ,
	  .reps = TABLES, .about = "What a mail about an alert said when it was written: for links that stay.", .shape = "Snapshot" },

	/* pages: shells of HTML; what they show comes from the addresses above */
	{ .method = "GET", .pattern = "/", .handler = pages_page, .scope = SCOPE_READ, .reps = REP_HTML, .args = "*" },
	{ .method = "GET", .pattern = "/sweep", .handler = pages_page, .scope = SCOPE_READ, .reps = REP_HTML, .args = "*" },
	{ .method = "GET", .pattern = "/compare", .handler = pages_page, .scope = SCOPE_READ, .reps = REP_HTML, .args = "*" },
	{ .method = "GET", .pattern = "/trend", .handler = pages_page, .scope = SCOPE_READ, .reps = REP_HTML, .args = "*" },
	{ .method = "GET", .pattern = "/matrix", .handler = pages_page, .scope = SCOPE_READ, .reps = REP_HTML, .args = "*" },
	{ .method = "GET", .pattern = "/alerts", .handler = pages_page, .scope = SCOPE_READ, .reps = REP_HTML, .args = "*" },
	{ .method = "GET", .pattern = "/alerts/{id}", .handler = pages_page, .scope = SCOPE_READ, .reps = REP_HTML, .args = "*" },
	{ .method = "GET", .pattern = "/deliveries", .handler = pages_page, .scope = SCOPE_READ, .reps = REP_HTML, .args = "*" },
	{ .method = "GET", .pattern = "/runs/{id}", .handler = pages_page, .scope = SCOPE_READ, .reps = REP_HTML, .args = "*" },
	{ .method = "GET", .pattern = "/static/{path}", .handler = pages_static, .scope = SCOPE_NONE,
	  .reps = REP_OTHER, .args = "*", .light = true },

	/* for those who run it */
	{ .method = "GET", .pattern = "/healthz", .handler = api_health_live, .scope = SCOPE_NONE,
	  .reps = REP_JSON, .light = true,
	  .about = "Whether the process lives.", .shape = "Health" },
	{ .method = "GET", .pattern = "/readyz", .handler = api_health_ready, .scope = SCOPE_NONE, .reps = REP_JSON,
	  .about = "Whether it can serve: database reachable, schema current.", .shape = "Health" },
	{ .method = "GET", .pattern = "/api/v1/token", .handler = api_token, .scope = SCOPE_READ, .reps = REP_JSON,
	  .about = "Whose token the request bears, and whether it may decide of alerts.", .shape = "Token" },
	{ .method = "GET", .pattern = "/api/openapi.json", .handler = api_openapi, .scope = SCOPE_NONE,
	  .reps = REP_JSON, .light = true, .about = "This document." },
	{ .method = "GET", .pattern = "/metrics", .handler = api_health_metrics, .scope = SCOPE_NONE,
	  .reps = REP_OTHER, .light = true,
	  .about = "What it counted, as OpenMetrics." },
	{ .method = NULL },
};
/* clang-format on */
