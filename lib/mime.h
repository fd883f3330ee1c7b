/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of a mail as they go over the wire (RFC 5322, RFC 2047): header texts that nothing can
 * leave, dates, bodies with CRLF. Whoever writes a message writes it with these.
 */
#ifndef LIB_MIME_H
#define LIB_MIME_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"

/* local@domain in ASCII, nothing that could end a header or an SMTP command. */
bool mime_is_address(const char *s);

/* No byte above 0x7e and no control character but LF. */
bool mime_is_ascii(const char *s);

/*
 * "NAME: TEXT" with its CRLF, unstructured. ASCII is folded at blanks; anything else, and words
 * too long for a line, go out as encoded words, so that no byte of it can end the header.
 */
void mime_text_header(struct buf *out, const char *name, const char *text);

/* "Date: Fri, 13 Feb 2026 15:08:00 +0000" with its CRLF. */
void mime_date_header(struct buf *out, int64_t usec);

/* The headers of a plain text body, the empty line, and the body; lines end in CRLF, other CRs are dropped. */
void mime_text_body(struct buf *out, const char *text);

#endif
