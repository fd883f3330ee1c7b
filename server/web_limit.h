/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often and how many at once: a table of those who ask (addresses, or tokens), each with a bucket that fills
 * again and a count of what it has under way. The table's size is fixed: whoever was not seen for longest
 * makes room, and starts full when it comes again. Locks itself.
 */
#ifndef SERVER_WEB_LIMIT_H
#define SERVER_WEB_LIMIT_H

#include <stdint.h>

struct web_limit;

struct web_limit_key {
	uint64_t part[2];
};

/* Of an address (lib/net.h); of an IPv6 one the network of 64 bits, since that is what one customer gets. */
struct web_limit_key web_limit_address(const uint8_t b[16]);
/* Of somebody known: by the token, or, where the id is none (< 1), by the name. */
struct web_limit_key web_limit_person(int64_t token_id, const char *name);

/* 0: no limit. The bucket holds a minute's worth, all of it at once if one likes. */
struct web_limit *web_limit_new(int per_minute, int at_once);
void web_limit_free(struct web_limit *l);	/* accepts NULL */

/* Something under way, to be given back; 0: nothing. */
typedef uint32_t web_limit_seat;

enum web_limit_answer { WEB_LIMIT_GOOD, WEB_LIMIT_TOO_OFTEN, WEB_LIMIT_TOO_MANY };

/* One more of it. Else in *retry_after_s when to come again. seat NULL: it is over at once (for limits without at_once). */
enum web_limit_answer web_limit_take(struct web_limit *l, const struct web_limit_key *key, web_limit_seat *seat,
				     int *retry_after_s);
/* It does not count after all. */
void web_limit_pardon(struct web_limit *l, const struct web_limit_key *key);
void web_limit_give(struct web_limit *l, web_limit_seat *seat);	/* sets it to 0 */

#endif
