/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands that do one thing with the database, or with a running serve, and end. Each prints what it did on stdout. */
#ifndef SERVER_CMD_H
#define SERVER_CMD_H

#include "conf.h"
#include "db.h"

int cmd_migrate(const struct conf *conf, struct err *err);
int cmd_rebuild(const struct conf *conf, struct err *err);
int cmd_token(const struct conf *conf, struct err *err);	/* cmd_token.c */
int cmd_rules(const struct conf *conf, struct err *err);	/* cmd_rules.c */
int cmd_backup(const struct conf *conf, struct err *err);	/* cmd_backup.c */
int cmd_restore(const struct conf *conf, struct err *err);	/* cmd_restore.c */
int cmd_export(const struct conf *conf, struct err *err);	/* cmd_export.c */
int cmd_import(const struct conf *conf, struct err *err);	/* cmd_import.c */
int cmd_retain(const struct conf *conf, struct err *err);	/* cmd_retain.c */
int cmd_doctor(const struct conf *conf, struct err *err);	/* cmd_doctor.c */
int cmd_ready(const struct conf *conf, struct err *err);

/* Somebody waits at a terminal: no statement timeout, a first error is the answer. NULL with err; owner: the caller. */
struct db *cmd_open_db(const struct conf *conf, struct err *err);

#endif
