/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SERVER_API_ALERTS_ATOM_H
#define SERVER_API_ALERTS_ATOM_H

#include "calc_alert.h"
#include "web.h"

/*
 * A page of alerts as an Atom feed (RFC 4287). Ids are made of what was asked for and of the
 * alerts', never of an address or a time: a reader sees an alert once, wherever the server moves.
 * next: the cursor behind it, or NULL.
 */
void api_alerts_atom(struct req *rq, const struct calc_alert *list, size_t n, const char *next);

#endif
