/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is the process alive, and can it serve. */
#include "../lib/jsonw.h"
#include "../lib/version.h"
#include "api_handlers.h"
#include "db_migrate.h"

int api_health_live(struct req *rq, struct err *err)
{
	struct jsonw j = jsonw_begin(&rq->out);

	(void)err;
	jsonw_object(&j);
	jsonw_kstr(&j, "status", "ok");
	jsonw_kstr(&j, "version", version_text);
	jsonw_object_end(&j);
	return 0;
}

int api_health_ready(struct req *rq, struct err *err)
{
	struct jsonw j = jsonw_begin(&rq->out);

	if (db_migrate_check(rq->db, err))
		return -1;
	jsonw_object(&j);
	jsonw_kstr(&j, "status", "ready");
	jsonw_object_end(&j);
	return 0;
}
