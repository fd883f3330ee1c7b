/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A posted fix that arrives: alerts whose change is gone in what was just measured are fixed, by the data. */
#ifndef SERVER_DETECT_FIXES_H
#define SERVER_DETECT_FIXES_H

#include "detect_rules.h"

/* In the transaction, under db_alerts_lock(): after this kernel's runs with these series were checked. */
int detect_fixes_look(const struct detect_rules *rules, struct db *db, struct arena *a, const struct cat_kernel *kernel,
		      const int64_t *series_ids, size_t n_series, struct err *err);

#endif
