/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a cluster of our own needs before migrations: the role that owns nothing but its database. */
#ifndef SERVER_DB_CLUSTER_H
#define SERVER_DB_CLUSTER_H

#include "db.h"

/* As the cluster's superuser: makes role and database `nsecwatch` where they are missing. */
int db_cluster_prepare(struct db *db, struct err *err);

#endif
