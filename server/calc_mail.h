/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mail that an alert is worth: everything a maintainer asks for, read anew from what was
 * measured, in plain text that a kernel list takes (at most 72 columns, links alone on their
 * lines and never broken). The same facts give the same bytes, whoever writes them down: watch
 * sends them to configured people, serve shows them as a draft. Nothing here sends anything.
 *
 *	calc_mail_load(c, db, a, &id, &look, &mail, err)
 *	calc_mail_subject(&subject, mail), calc_mail_text(&text, mail), calc_mail_eml(&message, mail)
 */
#ifndef SERVER_CALC_MAIL_H
#define SERVER_CALC_MAIL_H

#include "calc_alert.h"
#include "calc_extent.h"
#include "calc_matrix.h"
#include "calc_still.h"
#include "calc_sweep.h"
#include "db_rules.h"

#define CALC_MAIL_FIXES 3	/* variant kernels told of */
#define CALC_MAIL_COMMANDS 3

/* How this server looks from outside; any may be NULL. */
struct calc_mail_look {
	const char *public_url;		/* how links start; NULL: none */
	const char *from;		/* sender's address; NULL: nsecwatch@ the host of public_url */
	const char *broad;		/* globs of broad benchmarks, with commas */
};

/* What a variant kernel (a commit reverted, a patch applied) makes of the change. */
struct mail_fix {
	const struct cat_kernel *kernel, *broken;
	size_t n_rows;			/* series that changed and that it has measured */
	const char **machines;		/* on which, sorted */
	size_t n_machines;
	double restored, least, most;	/* percent: over geometric means; of the single rows */
	double lo, hi;			/* 95 % interval of the only row; else NaN */
	double remaining;		/* percent against what was before */
};

struct calc_mail {
	struct calc_mail_look look;
	const struct calc_alert *alert;
	const struct compare *pair;	/* of all series of the benchmark, changed or not */
	const struct compare_row **rows;	/* the alert's among them, in the order of the pair */
	size_t n_rows;
	struct still still;
	struct mail_fix fixes[CALC_MAIL_FIXES];
	size_t n_fixes;
	const char *axis;		/* a parameter that the change can be drawn over; NULL: none */
	const struct sweep *sweep;	/* over it; NULL: none */
	size_t groups_left;		/* machines and modes that the sweep leaves out */
	struct calc_extent extent;	/* of the change along it, over all its lines */
	const struct matrix *places;	/* uarch x thp */
	const struct matrix *modes;	/* benchmark x thp: one row */
	const struct matrix *broad;	/* benchmark x track of the broad ones: one column; NULL: this one is broad itself */
	const char *commands[CALC_MAIL_COMMANDS];	/* that measured it, as the lab told them */
	size_t n_commands;
	const struct db_rule *rule;	/* that raised it; NULL: a person did, or the rule is gone */
	const char *dup_of;		/* where the alert was reported that this one is merged into; NULL */
	bool kept;
	struct uuid snapshot;		/* where all of it stays as it is now, if kept */
};

/*
 * *out NULL: there is no such alert. Refreshes the catalogue. With a public_url what the mail says is
 * kept as a snapshot, by its content, for the link in it.
 */
int calc_mail_load(struct catalog *c, struct db *db, struct arena *a, const struct uuid *id,
		   const struct calc_mail_look *look, struct calc_mail **out, struct err *err);
/* The same of an alert that is loaded. */
int calc_mail_of(struct catalog *c, struct db *db, struct arena *a, const struct calc_alert *al,
		 const struct calc_mail_look *look, struct calc_mail **out, struct err *err);

/* "[REGRESSION] mprotect/tw4m: from 40 KiB, up to +150 % since v6.17-rc1": one line, no control characters. */
void calc_mail_subject(struct buf *out, const struct calc_mail *m);
/* The body; without what is not for a snapshot: links and commands. */
void calc_mail_words(struct buf *out, struct arena *a, const struct calc_mail *m);
/* The body. */
void calc_mail_text(struct buf *out, const struct calc_mail *m);
/* {"subject", "statement", "facts": [{"name", "text"}], "axis", "fixes": [kernel], "rule", "text"}. */
void calc_mail_json(struct jsonw *j, const struct calc_mail *m);
/* The whole message as a draft: headers with To and Cc suggested, CRLF. */
void calc_mail_eml(struct buf *out, const struct calc_mail *m);

/* calc_mail_tables.c: the numbers of the body. */
void calc_mail_tables(struct buf *out, struct arena *a, const struct calc_mail *m);

#endif
