/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd.h"

#include <stdio.h>

#include "calc_noise_learn.h"
#include "db_migrate.h"
#include "db_packs.h"
#include "up_listen.h"

struct db *cmd_open_db(const struct conf *conf, struct err *err)
{
	struct db *db = db_new(conf->db, "nsecwatchd command", 0);

	if (db_connect(db, err)) {
		db_free(db);
		return NULL;
	}
	return db;
}

int cmd_migrate(const struct conf *conf, struct err *err)
{
	struct db *db = cmd_open_db(conf, err);
	int applied, ret;

	if (!db)
		return -1;
	if (conf->check_only) {
		ret = db_migrate_check(db, err);
		if (!ret)
			puts("the schema is current");
		db_free(db);
		return ret;
	}
	ret = db_migrate_run(db, &applied, err);
	if (!ret && applied)
		printf("%d migration%s applied: the schema is current\n", applied, applied == 1 ? "" : "s");
	else if (!ret)
		puts("nothing to do: the schema is current");
	db_free(db);
	return ret;
}

int cmd_rebuild(const struct conf *conf, struct err *err)
{
	struct db *db = cmd_open_db(conf, err);
	struct rebuild_report report = { 0 };
	size_t noise;
	int ret;

	if (!db)
		return -1;
	ret = db_packs_rebuild(db, &report, err);
	if (!ret)
		printf("%zu runs, %zu series, %zu samples: %zu series differed from their runs%s\n", report.runs,
		       report.series, report.samples, report.series_changed,
		       report.series_changed ? " and were made anew" : "");
	if (!ret)
		ret = calc_noise_learn_all(db, &noise, err);
	if (!ret && noise)
		printf("the noise of %zu series was learned anew\n", noise);
	db_free(db);
	return ret;
}

int cmd_ready(const struct conf *conf, struct err *err)
{
	char url[512];

	up_listen_url(conf->listen_host, conf->listen_port, conf->tls_cert, url, sizeof(url));
	if (!up_listen_ready(conf->listen_host, conf->listen_port, conf->tls_cert))
		return err_set(err, ERR_UNAVAILABLE, "%sreadyz does not say that it is ready", url);
	printf("%s is ready\n", url);
	return 0;
}
