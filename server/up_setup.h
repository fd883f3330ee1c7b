/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `up` does with the database once its cluster runs: role, schema, demo data, the first
 * token. In a child that has dropped root, so that the parent needs no libpq.
 */
#ifndef SERVER_UP_SETUP_H
#define SERVER_UP_SETUP_H

#include "db_tokens.h"
#include "up_cluster.h"

enum up_setup_job {
	UP_SETUP_ALL,		/* role, database, migrations, demo; is a first token needed? */
	UP_SETUP_TOKEN,		/* makes the first token */
	UP_SETUP_TOKEN_AGAIN,	/* the same after an interrupted try, whose token nobody got to see */
};

/* What the child tells the parent: written in one piece. */
struct up_setup_answer {
	bool done;		/* else: message */
	bool needs_token;
	int migrations, demo_stored;
	char token[TOKEN_TEXT];
	char message[800];
};

/* In the child. */
void up_setup_do(enum up_setup_job job, const struct up_cluster *c, const struct conf *conf,
		 struct up_setup_answer *answer);

#endif
