/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `up --demo`: the submissions of demo/ through the same door as any lab's. */
#ifndef SERVER_UP_DEMO_H
#define SERVER_UP_DEMO_H

#include "db.h"

/* Stores what is not there yet; *stored counts those. -1: err names the file. */
int up_demo_load(struct db *db, int *stored, struct err *err);

#endif
