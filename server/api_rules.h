/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules as JSON: read (API, and files for those who keep them in git) and told. */
#ifndef SERVER_API_RULES_H
#define SERVER_API_RULES_H

#include "api_body.h"
#include "db_rules.h"

/* What is wrong is a problem of the body. Strings live in its arena. */
void api_rules_read(struct api_body *b, struct db_rule *rule);
void api_rules_json(struct jsonw *j, const struct db_rule *rule);

#endif
