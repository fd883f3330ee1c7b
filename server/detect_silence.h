/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Labs that fell silent: an alert for each, until they send again. */
#ifndef SERVER_DETECT_SILENCE_H
#define SERVER_DETECT_SILENCE_H

#include "detect.h"

/* A transaction of its own. *n: alerts made or ended. */
int detect_silence_look(const struct detect *d, struct db *db, size_t *n, struct err *err);

#endif
