/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a request line and its headers ask for, as plain text work: the raw URI into path
 * and arguments, the route that answers it, the representation and the coding. Knows
 * nothing of sockets, so it is tested (and fuzzed) alone.
 */
#ifndef SERVER_WEB_ARGS_H
#define SERVER_WEB_ARGS_H

#include "web.h"

#define WEB_SEGMENTS_MAX 16	/* of a path */
#define WEB_ARGS_MAX 500	/* of a query */

struct web_path {
	const char *segment[WEB_SEGMENTS_MAX];	/* decoded, without the slashes */
	size_t n;
	const char *raw;		/* as it came, without query */
};

/*
 * Takes a raw URI apart (origin or absolute form): path, and in rq the raw query, args and
 * path. -1 ERR_BAD_ARGUMENT: bad percent-encoding, NUL, not UTF-8, too many of something.
 */
int web_args_split(struct arena *a, const char *uri, struct web_path *path, struct req *rq, struct err *err);

/*
 * The route of `table` for method and path; sets rq->id, and *ext to the representation the
 * path's extension names (0: none). NULL with err: ERR_NOT_FOUND, or ERR_METHOD and *allow
 * the methods there are, or ERR_NOT_ACCEPTABLE for an extension the resource lacks.
 */
const struct route *web_args_route(struct arena *a, const struct route *table, const char *method,
				   const struct web_path *path, struct req *rq, enum rep *ext,
				   const char **allow, struct err *err);

/*
 * Every argument must be one of the route's; -1 ERR_BAD_ARGUMENT names it and the nearest
 * known. What can be only one (base, axis, limit, all of a POST) must not come twice.
 */
int web_args_check(const struct route *route, const struct req *rq, struct err *err);

/* The representation: by extension, else by Accept (may be NULL). -1: ERR_NOT_ACCEPTABLE lists what there is. */
int web_args_rep(const struct route *route, enum rep ext, const char *accept, enum rep *rep, struct err *err);
const char *web_args_rep_type(enum rep rep);		/* its media type with charset */

bool web_args_takes_gzip(const char *accept_encoding);	/* NULL: no */
bool web_args_etag_matches(const char *if_none_match, const char *etag);	/* etag with its quotes */

/* All arguments, names sorted, each text with its NUL; the order of one name's values stays, it can matter. */
void web_args_canonical(const struct req *rq, struct buf *out);

#endif
