/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One alert with names instead of ids, as everybody shows it: JSON (API, webhook), and words
 * for texts. Pure over what db_alerts and the catalogue say. Its mail: calc_mail.h.
 */
#ifndef SERVER_CALC_ALERT_H
#define SERVER_CALC_ALERT_H

#include "../lib/buf.h"
#include "../lib/jsonw.h"
#include "db_alerts.h"
#include "db_events.h"
#include "db_outbox.h"

#define CALC_ALERT_EVENTS 1000	/* shown with an alert; the rest is at its /events */

struct calc_alert_row {
	const struct cat_series *series;
	const struct cat_kernel *from, *to;
	const struct db_change *change;
};

struct calc_group;	/* calc_group.h */

struct calc_alert {
	const struct db_alert *alert;
	const struct cat_kernel *from, *to;
	const struct cat_benchmark *benchmark;
	const char **machines;		/* names, sorted */
	const char **thp;		/* slugs, sorted, each once */
	size_t n_machines, n_thp;
	struct calc_alert_row *rows;	/* of calc_alert_load() only; by machine, thp, metric, params */
	size_t n_rows;
	struct calc_group *group;	/* likewise */
	const struct outbox_state *deliveries;	/* likewise */
	size_t n_deliveries;
	const struct db_event *events;	/* likewise: what was done to it, in order */
	size_t n_events;
	const struct cat_kernel *fixed_in;	/* or NULL */
	const struct still *still;	/* what later kernels say, where somebody asked; or NULL */
};

/* Names for a row of a list. The catalogue must be at least as new as the alert; -1: it is not. */
int calc_alert_name(struct catalog *c, struct arena *a, const struct db_alert *alert, struct calc_alert *out,
		    struct err *err);
/* The whole alert with its rows; *out NULL: there is none. Refreshes the catalogue. */
int calc_alert_load(struct catalog *c, struct db *db, struct arena *a, const struct uuid *id,
		    struct calc_alert **out, struct err *err);

/* Without the slashes at its end, for "%.*s"; NULL: 0. */
int calc_alert_url_length(const char *public_url);
/* Members' percents as they are, least and greatest. NaN without rows. */
void calc_alert_range(const struct calc_alert *al, double *least, double *greatest);
/* public_url: how its "url" starts; NULL: relative. details: rows and deliveries, too. */
void calc_alert_json(struct jsonw *j, const struct calc_alert *al, const char *public_url, bool details);
/* Its rows. */
void calc_alert_csv(struct buf *out, struct arena *a, const struct calc_alert *al);
/* "+14 % .. +150 %", the smaller change first. */
const char *calc_alert_range_text(struct arena *a, const struct calc_alert *al);
/* "a, b and 3 more". */
const char *calc_alert_list_text(struct arena *a, const char *const *list, size_t n, size_t most);
/* As the value of a query argument. */
const char *calc_alert_encoded(struct arena *a, const char *s);

#endif
