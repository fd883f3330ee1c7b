/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of formats: a row a format. A reader gets the whole file as text (valid
 * UTF-8, no NUL, no byte order mark) and adds one or more submissions to the file.
 */
#ifndef INGEST_FORMAT_H
#define INGEST_FORMAT_H

#include "jread.h"
#include "read.h"
#include "submission_build.h"

#define FORMAT_ITEMS_MAX 1000		/* submissions in one file */

struct format_file {
	struct arena *a;
	const struct format *format;
	const char *text;		/* followed by a NUL */
	size_t len;
	const struct read_context *ctx;
	struct read_item *items;	/* what the reader found, in order */
	size_t n_items, cap_items;
	const char *part;		/* the next item's own bytes of the text, or NULL: all of it */
	size_t part_len;
	bool by_part;			/* its part alone makes its identity, whatever else is in the file */
	size_t refused;			/* past FORMAT_ITEMS_MAX */
	uint8_t digest[32];		/* of arguments and text, from the first item on */
};

struct format {
	const char *name;
	const char *aliases;		/* other names for it, with a blank between; or "" */
	/* How sure the look at the first lines is: 0 = another format. */
	int (*sniff)(const char *text, size_t len);
	/* 0; or -1 where the file is not this format at all. */
	int (*read)(struct format_file *f, struct err *err);
};

/* Ends with name NULL. Our own JSON is the first row. */
extern const struct format format_table[];

/* By name or another name for it; NULL for none. */
const struct format *format_find(const char *name);

/* The format that is surest of the text, or NULL. */
const struct format *format_sniff(const char *text, size_t len);

/* The same with the help of the file's name (or NULL), where the text fits more than one. */
const struct format *format_guess(const char *text, size_t len, const char *filename);

/* A draft with all that the context says in it; `d` is the caller's to submission_build_fini(). */
void format_draft(struct format_file *f, struct draft *d);

/* Who made the file, in the draft's source, beside the file's name where that is known. NULL = not said. */
void format_source(struct format_file *f, struct draft *d, const char *tool, const char *version,
		   const char *command);

/* The file itself names its kernel: taken unless kernel= (or the file's name) says it, with a warning where they differ. */
void format_said_kernel(struct draft *d, const char *kernel, size_t line);

/* The file itself names a commit: taken where it looks like one (7 to 64 hex digits); NULL is none. */
void format_said_commit(struct draft *d, const char *commit);

/* Whether two spellings differ in nothing but a leading v. */
bool format_same_name(const char *x, const char *y);

/*
 * A file of n parts, measured on n kernels that it does not name ("before", "after"):
 * their names from kernel=A|B|..., in order. NULL with err where these are not n.
 */
const char **format_kernels(struct format_file *f, size_t n, const char *parts, struct err *err);

/* PREFIX/NAME where the context asks for a prefix, else NAME. */
const char *format_benchmark(const struct format_file *f, const char *name);

/* Lists a part of the file that is no result, as not imported. */
void format_left_out(struct draft *d, const char *at, const char *what);
void format_left_out_line(struct draft *d, size_t line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Finishes the draft and adds it, good or bad, to the file's items. */
void format_add(struct format_file *f, struct draft *d);

/* Lines, numbered from 1, without their line ends ("\n" or "\r\n"). False at the end. */
struct format_lines {
	const char *next, *end;
	size_t number;			/* of the line given last */
};
bool format_line(struct format_lines *l, const char **line, size_t *len);

/*
 * Rows that belong together: a key gives the index it got when it came first. Hashed,
 * so that a file of many rows is no quadratic work.
 */
struct format_groups {
	struct arena *a;
	const char **keys;
	uint32_t *slots;		/* index + 1 */
	size_t n, cap, cap_keys;
	uint64_t seed;
};
size_t format_group(struct format_groups *g, const char *key, bool *first);
bool format_group_find(const struct format_groups *g, const char *key, size_t *index);

/* One series of a file, its repetitions collected over rows. */
struct format_series {
	struct draft_result r;
	double *values;
	size_t n_values, cap_values;
};
void format_series_add(struct arena *a, struct format_series *s, double value);

/* All series of a file, each by a key that tells it from the others. */
struct format_set {
	struct format_groups groups;	/* .a is the caller's to set */
	struct format_series *series;	/* groups.n of them */
	size_t cap;
};
/* The key's series, cleared at its first time. Good until the next call. */
struct format_series *format_set_get(struct format_set *set, const char *key, bool *first);

/* Gives all series to the draft; those without a value must have a status or a summary. */
void format_series_end(struct draft *d, struct format_series *series, size_t n);

/* The readers. */
int format_gbench_sniff(const char *text, size_t len);
int format_gbench_read(struct format_file *f, struct err *err);
int format_gbench_console_sniff(const char *text, size_t len);
int format_gbench_console_read(struct format_file *f, struct err *err);
int format_gbench_csv_sniff(const char *text, size_t len);
int format_gbench_csv_read(struct format_file *f, struct err *err);
int format_wis_sniff(const char *text, size_t len);
int format_wis_read(struct format_file *f, struct err *err);
int format_libmicro_sniff(const char *text, size_t len);
int format_libmicro_read(struct format_file *f, struct err *err);
int format_stress_ng_log_sniff(const char *text, size_t len);
int format_stress_ng_log_read(struct format_file *f, struct err *err);
int format_stress_ng_yaml_sniff(const char *text, size_t len);
int format_stress_ng_yaml_read(struct format_file *f, struct err *err);
int format_perf_bench_sniff(const char *text, size_t len);
int format_perf_bench_read(struct format_file *f, struct err *err);
int format_csv_series_sniff(const char *text, size_t len);
int format_csv_series_read(struct format_file *f, struct err *err);
int format_csv_sniff(const char *text, size_t len);
int format_csv_read(struct format_file *f, struct err *err);
int format_reproducer_sniff(const char *text, size_t len);
int format_reproducer_read(struct format_file *f, struct err *err);
int format_lkp_stats_sniff(const char *text, size_t len);
int format_lkp_matrix_sniff(const char *text, size_t len);
int format_lkp_read(struct format_file *f, struct err *err);
int format_lkp_job_sniff(const char *text, size_t len);
int format_lkp_job_read(struct format_file *f, struct err *err);
int format_lkp_table_sniff(const char *text, size_t len);
int format_lkp_table_read(struct format_file *f, struct err *err);
int format_lkp_changed_sniff(const char *text, size_t len);
int format_lkp_changed_read(struct format_file *f, struct err *err);
int format_mmtests_sniff(const char *text, size_t len);
int format_mmtests_read(struct format_file *f, struct err *err);
int format_bmf_sniff(const char *text, size_t len);
int format_bmf_read(struct format_file *f, struct err *err);
int format_perf_stat_sniff(const char *text, size_t len);
int format_perf_stat_read(struct format_file *f, struct err *err);
int format_fio_sniff(const char *text, size_t len);
int format_fio_read(struct format_file *f, struct err *err);
int format_fio_text_sniff(const char *text, size_t len);
int format_fio_text_read(struct format_file *f, struct err *err);
int format_sysbench_sniff(const char *text, size_t len);
int format_sysbench_read(struct format_file *f, struct err *err);
int format_hackbench_sniff(const char *text, size_t len);
int format_hackbench_read(struct format_file *f, struct err *err);
int format_lmbench_sniff(const char *text, size_t len);
int format_lmbench_read(struct format_file *f, struct err *err);
int format_unixbench_sniff(const char *text, size_t len);
int format_unixbench_read(struct format_file *f, struct err *err);
int format_netperf_sniff(const char *text, size_t len);
int format_netperf_read(struct format_file *f, struct err *err);
int format_tap_sniff(const char *text, size_t len);
int format_tap_read(struct format_file *f, struct err *err);
int format_kcidb_sniff(const char *text, size_t len);
int format_kcidb_read(struct format_file *f, struct err *err);
int format_hyperfine_sniff(const char *text, size_t len);
int format_hyperfine_read(struct format_file *f, struct err *err);
int format_hyperfine_csv_sniff(const char *text, size_t len);
int format_hyperfine_csv_read(struct format_file *f, struct err *err);
int format_pytest_sniff(const char *text, size_t len);
int format_pytest_read(struct format_file *f, struct err *err);
int format_jmh_sniff(const char *text, size_t len);
int format_jmh_read(struct format_file *f, struct err *err);
int format_criterion_sniff(const char *text, size_t len);
int format_criterion_read(struct format_file *f, struct err *err);
int format_asv_sniff(const char *text, size_t len);
int format_asv_read(struct format_file *f, struct err *err);
int format_go_sniff(const char *text, size_t len);
int format_go_read(struct format_file *f, struct err *err);
int format_lnt_sniff(const char *text, size_t len);
int format_lnt_read(struct format_file *f, struct err *err);
int format_conbench_sniff(const char *text, size_t len);
int format_conbench_read(struct format_file *f, struct err *err);
int format_github_sniff(const char *text, size_t len);
int format_github_read(struct format_file *f, struct err *err);
int format_openmetrics_sniff(const char *text, size_t len);
int format_openmetrics_read(struct format_file *f, struct err *err);
int format_prometheus_sniff(const char *text, size_t len);
int format_prometheus_read(struct format_file *f, struct err *err);
int format_perfherder_sniff(const char *text, size_t len);
int format_perfherder_read(struct format_file *f, struct err *err);
int format_pts_sniff(const char *text, size_t len);
int format_pts_read(struct format_file *f, struct err *err);
int format_horreum_sniff(const char *text, size_t len);
int format_horreum_read(struct format_file *f, struct err *err);
int format_fastpath_sniff(const char *text, size_t len);
int format_fastpath_read(struct format_file *f, struct err *err);

#endif
