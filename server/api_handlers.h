/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Handlers that routes.c names and nobody else calls. Each takes a request and leaves its answer in it; see web.h. */
#ifndef SERVER_API_HANDLERS_H
#define SERVER_API_HANDLERS_H

#include "web.h"

/* api_overview.c */
int api_overview(struct req *rq, struct err *err);

/* api_machine.c, api_kernel.c, api_benchmark.c */
int api_machine(struct req *rq, struct err *err);
int api_kernel(struct req *rq, struct err *err);
int api_benchmark(struct req *rq, struct err *err);

/* api_search.c */
int api_search(struct req *rq, struct err *err);

/* api_upload.c */
int api_upload(struct req *rq, struct err *err);

/* api_runs.c */
int api_runs_list(struct req *rq, struct err *err);
int api_runs_get(struct req *rq, struct err *err);
int api_runs_diff(struct req *rq, struct err *err);
int api_runs_raw(struct req *rq, struct err *err);
int api_runs_verdict(struct req *rq, struct err *err);

/* api_catalog.c */
int api_catalog_benchmarks(struct req *rq, struct err *err);
int api_catalog_machines(struct req *rq, struct err *err);
int api_catalog_configs(struct req *rq, struct err *err);
int api_catalog_series(struct req *rq, struct err *err);

/* api_kernels.c */
int api_kernels_list(struct req *rq, struct err *err);
int api_kernels_parse(struct req *rq, struct err *err);
int api_kernels_post(struct req *rq, struct err *err);

/* api_alerts.c */
int api_alerts_list(struct req *rq, struct err *err);
int api_alerts_get(struct req *rq, struct err *err);
int api_alerts_mail(struct req *rq, struct err *err);

/* api_deliveries.c */
int api_deliveries_list(struct req *rq, struct err *err);
int api_deliveries_get(struct req *rq, struct err *err);
int api_deliveries_again(struct req *rq, struct err *err);

/* api_manual.c */
int api_manual_post(struct req *rq, struct err *err);

/* api_rules.c */
int api_rules_list(struct req *rq, struct err *err);
int api_rules_get(struct req *rq, struct err *err);
int api_rules_post(struct req *rq, struct err *err);
int api_rules_put(struct req *rq, struct err *err);
int api_rules_delete(struct req *rq, struct err *err);
int api_rules_dry_run(struct req *rq, struct err *err);

/* api_mutes.c */
int api_mutes_list(struct req *rq, struct err *err);
int api_mutes_get(struct req *rq, struct err *err);
int api_mutes_post(struct req *rq, struct err *err);
int api_mutes_delete(struct req *rq, struct err *err);

/* api_corrections.c */
int api_corrections_invalidate(struct req *rq, struct err *err);
int api_corrections_restore(struct req *rq, struct err *err);

/* api_names.c */
int api_names_machine_rename(struct req *rq, struct err *err);
int api_names_machine_alias(struct req *rq, struct err *err);
int api_names_machine_unalias(struct req *rq, struct err *err);
int api_names_benchmark_rename(struct req *rq, struct err *err);
int api_names_benchmark_alias(struct req *rq, struct err *err);
int api_names_benchmark_unalias(struct req *rq, struct err *err);

/* api_explain.c */
int api_explain(struct req *rq, struct err *err);

/* api_merges.c */
int api_merges_machine(struct req *rq, struct err *err);
int api_merges_machine_undo(struct req *rq, struct err *err);
int api_merges_benchmark(struct req *rq, struct err *err);
int api_merges_benchmark_undo(struct req *rq, struct err *err);

/* api_expectations.c */
int api_expectations_list(struct req *rq, struct err *err);
int api_expectations_post(struct req *rq, struct err *err);
int api_expectations_delete(struct req *rq, struct err *err);

/* api_events.c */
int api_events_post(struct req *rq, struct err *err);
int api_events_of_alert(struct req *rq, struct err *err);
int api_events_list(struct req *rq, struct err *err);
int api_events_audit(struct req *rq, struct err *err);

/* api_snapshots.c */
int api_snapshots_get(struct req *rq, struct err *err);

/* api_health.c */
int api_health_live(struct req *rq, struct err *err);
int api_health_ready(struct req *rq, struct err *err);
int api_metrics_get(struct req *rq, struct err *err);

/* api_token.c */
int api_token(struct req *rq, struct err *err);

/* api_session.c */
int api_session_get(struct req *rq, struct err *err);
int api_session_post(struct req *rq, struct err *err);
int api_session_delete(struct req *rq, struct err *err);
int api_session_page(struct req *rq, struct err *err);
int api_session_form(struct req *rq, struct err *err);
int api_session_form_out(struct req *rq, struct err *err);

/* api_tokens.c */
int api_tokens_list(struct req *rq, struct err *err);
int api_tokens_post(struct req *rq, struct err *err);
int api_tokens_delete(struct req *rq, struct err *err);

/* api_openapi.c */
int api_openapi(struct req *rq, struct err *err);

/* pages.c */
int pages_page(struct req *rq, struct err *err);
/* api_pages.c */
int api_pages_frozen(struct req *rq, struct err *err);
int api_pages_post(struct req *rq, struct err *err);
int api_pages_get(struct req *rq, struct err *err);
int pages_static(struct req *rq, struct err *err);

#endif
