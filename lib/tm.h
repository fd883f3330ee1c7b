/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Points in time as microseconds since 1970 UTC, and RFC 3339. */
#ifndef LIB_TM_H
#define LIB_TM_H

#include <pthread.h>
#include <stdint.h>

#define TM_TEXT 40		/* with the NUL */
#define TM_NONE INT64_MIN	/* no time given */

int64_t tm_now_usec(void);
int64_t tm_monotonic_usec(void);		/* for durations and deadlines */
void tm_cond_init(pthread_cond_t *cond);	/* whose timed waits are until a moment of that clock */

/* What to say of a text that tm_parse() refused: what stands there, then what should. For printf, with the text. */
#define TM_REFUSED "\"%.60s\" is no time with a date and an offset; RFC 3339 is needed, for example 2026-02-13T15:08:00Z"

/* RFC 3339 with its offset ("Z" or +hh:mm), years 1970..9999: 0, or -1. */
int tm_parse(const char *s, int64_t *usec);
/* "2026-02-13T15:08:00Z", with .ffffff only where it is not zero. Returns out. */
const char *tm_format(int64_t usec, char out[TM_TEXT]);

#endif
