/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an alert's row says of its members, so that a list need not read them: how many, the worst, where. */
#ifndef SERVER_CALC_ALERT_SUM_H
#define SERVER_CALC_ALERT_SUM_H

#include "db_alerts.h"

/* In the transaction that changed the members. */
int calc_alert_sum_up(struct catalog *c, struct db *db, struct arena *a, const struct uuid *id, struct err *err);

#endif
