/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text that many answers have in common, made once: the kernels of a trend are three quarters of its bytes and the
 * same in thousands of trends. Counted references; constant once made, but for its deflated form, which is
 * made when first wanted. A few of the latest are kept by what they were made of, so that
 * the next answer finds them.
 */
#ifndef SERVER_WEB_SHARED_H
#define SERVER_WEB_SHARED_H

#include <stddef.h>
#include <stdint.h>

#include "../lib/buf.h"

#define WEB_SHARED_MOST 32	/* texts that are kept */
#define WEB_SHARED_BYTES (8u * 1024 * 1024)	/* of all of them; they live on in answers that have them */

struct web_shared {
	const char *text;
	size_t len;
	uint64_t hash[2];
	size_t cached;			/* under the answer cache's lock: entries that have it */
};

/* inputs: whatever the text follows from and from nothing else. The caller's reference, or NULL. */
struct web_shared *web_shared_find(const void *inputs, size_t n);
/* Takes the bytes out of `text`; the caller's reference. Kept for web_shared_find(), unless it alone is over the bound. */
struct web_shared *web_shared_new(const void *inputs, size_t n, struct buf *text);
struct web_shared *web_shared_ref(struct web_shared *s);
void web_shared_unref(struct web_shared *s);		/* accepts NULL */

/* Raw deflate of the text that ends at a byte and is not the last block, so that more may follow: *n bytes that live as long as s. */
const void *web_shared_deflated(struct web_shared *s, size_t *n);

/* Bytes and texts that are kept. */
void web_shared_stats(size_t *bytes, size_t *texts);

#endif
