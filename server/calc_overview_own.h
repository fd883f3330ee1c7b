/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of the overview. */
#ifndef SERVER_CALC_OVERVIEW_OWN_H
#define SERVER_CALC_OVERVIEW_OWN_H

#include "calc_overview.h"

/* o->heat, of this track or (NULL) the first one. */
int calc_overview_heat(struct catalog *c, struct db *db, struct arena *a, const char *track, struct overview *o,
		       struct err *err);

#endif
