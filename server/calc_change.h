/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A row of a comparison as the table of changes holds it. */
#ifndef SERVER_CALC_CHANGE_H
#define SERVER_CALC_CHANGE_H

#include "calc_compare.h"
#include "db_alerts.h"

struct db_change calc_change_of(const struct compare *cmp, const struct compare_row *row);

#endif
