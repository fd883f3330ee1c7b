/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Alerts that people opened: told to those who would have been told had they been found. */
#ifndef SERVER_DETECT_MANUAL_H
#define SERVER_DETECT_MANUAL_H

#include "detect.h"

/*
 * Those nobody was told of yet: to whom the map names for the benchmark, and the rules in force that look at one of the
 * rows. What a mute has is muted instead. *n: how many. A transaction of its own, where there are any.
 */
int detect_manual_tell(const struct detect *d, struct db *db, size_t *n, struct err *err);

#endif
