/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who a request is from: what a page asks before it offers to change anything. */
#include "../lib/jsonw.h"
#include "api_handlers.h"

int api_token(struct req *rq, struct err *err)
{
	struct jsonw j = jsonw_begin(&rq->out);

	(void)err;
	jsonw_object(&j);
	jsonw_kstr(&j, "name", rq->token.id ? rq->token.name : NULL);
	jsonw_kstr(&j, "scope", rq->token.id ? db_tokens_scope_word(rq->token.scope) : NULL);
	jsonw_kbool(&j, "triage", rq->token.id && db_tokens_allows(rq->token.scope, SCOPE_TRIAGE));
	jsonw_object_end(&j);
	return 0;
}
