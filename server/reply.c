/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bodies, headers, errors; see reply.h. */
#include "reply.h"

#include <libdeflate.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "../lib/err_json.h"
#include "../lib/ident.h"
#include "../lib/jsonw.h"
#include "../lib/mask.h"
#include "../lib/must.h"
#include "../lib/parallel.h"
#include "web_args.h"

#define GZIP_LEAST 1000		/* bytes: below, the answer fits one packet anyway */
#define GZIP_BIG (64 * 1024)	/* from here on speed counts: level 1 takes half of level 6's time or less, for a tenth more */
#define GZIP_LEVEL(len) ((len) < GZIP_BIG ? 6 : 1)
/* libmicrohttpd sends headers and one piece together, but several pieces apart: up to here to copy them costs less than to send twice */
#define JOIN_MOST (128 * 1024)
#define ETAG_TEXT 48
#define HASH_PIECE ((size_t)256 * 1024)
#define HASH_PIECES_LEAST 16	/* in a part: a fifth of a millisecond's work */

struct reply_body {
	atomic_uint refs;
	char *own;			/* bytes to free, or NULL */
	const char *plain;
	size_t len;			/* of the whole, with `shared` */
	struct web_shared *shared;	/* stands behind the first `at` bytes of plain; or NULL */
	size_t at;
	pthread_mutex_t lock;
	bool compress;			/* under lock: asked for a gzip form, it has yet to be made */
	char *own_gzip;			/* under lock, as the next two; once there, they stay */
	const char *gzip;		/* NULL: none, or no gain */
	size_t gzip_len;
	char *type;
	char etag[ETAG_TEXT], etag_gzip[ETAG_TEXT];
};

static size_t shared_len(const struct reply_body *b)
{
	return b->shared ? b->shared->len : 0;
}

/* libdeflate: the answer is in memory whole, and zlib takes twice as long for more bytes. Its level goes by the answer. */
static struct libdeflate_compressor *compressor(const struct reply_body *b)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(GZIP_LEVEL(b->len));

	must(c != NULL);
	return c;
}

static void gzip_whole(struct reply_body *b, char *out, size_t room)
{
	struct libdeflate_compressor *c = compressor(b);

	b->gzip_len = libdeflate_gzip_compress(c, b->plain, b->len, out, room);
	libdeflate_free_compressor(c);
}

static void put_little_endian(char *p, uint32_t v, int n)
{
	for (int i = 0; i < n; i++)
		p[i] = (char)(v >> 8 * i);
}

/*
 * Of an answer with a text in it: a stored block of what stands before it (a few bytes, RFC 1951, 3.2.4), the text,
 * which was deflated once, and the rest. Head and tail as RFC 1952 has them, with no time and no name.
 */
static void gzip_around(struct reply_body *b, char *out, size_t room)
{
	static const char head[] = "\x1f\x8b\x08\0\0\0\0\0\0\xff";
	struct libdeflate_compressor *c = compressor(b);
	size_t rest = b->len - shared_len(b) - b->at, n_text, n = 10;
	const void *text = web_shared_deflated(b->shared, &n_text);
	uint32_t crc = libdeflate_crc32(0, b->plain, b->at);

	if (b->at <= UINT16_MAX && n + 5 + b->at + n_text + 8 < room) {
		memcpy(out, head, n);
		out[n] = 0;
		put_little_endian(out + n + 1, (uint32_t)b->at, 2);
		put_little_endian(out + n + 3, ~(uint32_t)b->at, 2);
		memcpy(out + n + 5, b->plain, b->at);
		n += 5 + b->at;
		memcpy(out + n, text, n_text);
		n += n_text;
		b->gzip_len = libdeflate_deflate_compress(c, b->plain + b->at, rest, out + n, room - n - 8);
	}
	libdeflate_free_compressor(c);
	if (!b->gzip_len)
		return;
	b->gzip_len += n;
	crc = libdeflate_crc32(libdeflate_crc32(crc, b->shared->text, shared_len(b)), b->plain + b->at, rest);
	put_little_endian(out + b->gzip_len, crc, 4);
	put_little_endian(out + b->gzip_len + 4, (uint32_t)b->len, 4);
	b->gzip_len += 8;
}

static void gzip(struct reply_body *b)
{
	char *out = malloc(b->len);

	must(out != NULL);
	if (b->shared)
		gzip_around(b, out, b->len);
	else
		gzip_whole(b, out, b->len);
	if (!b->gzip_len) {		/* does not fit: no gain */
		free(out);
		return;
	}
	b->gzip = b->own_gzip = realloc(out, b->gzip_len);
	must(b->gzip != NULL);
}

/* Whether there is a gzip form. Made when the first client takes it: most programs never do, and it costs more than the rest. */
static bool has_gzip(struct reply_body *b)
{
	must(!pthread_mutex_lock(&b->lock));
	if (b->compress)
		gzip(b);
	b->compress = false;
	must(!pthread_mutex_unlock(&b->lock));
	return b->gzip != NULL;
}

static struct reply_body *body_alloc(const char *type)
{
	struct reply_body *b = calloc(1, sizeof(*b));

	must(b != NULL);
	atomic_init(&b->refs, 1);
	must(!pthread_mutex_init(&b->lock, NULL));
	b->type = strdup(type);
	must(b->type != NULL);
	return b;
}

/* A big content is hashed a piece at a time, as many of them at once as there are CPUs. */
struct hashing {
	const char *p;
	size_t len, n;			/* bytes; pieces */
	unsigned parts;
	XXH128_hash_t *of;		/* each piece */
};

static void hash_part(void *arg, unsigned part)
{
	const struct hashing *h = arg;
	size_t end = parallel_from(h->n, part + 1, h->parts);

	for (size_t i = parallel_from(h->n, part, h->parts); i < end; i++) {
		size_t from = i * HASH_PIECE, left = h->len - from;

		h->of[i] = XXH3_128bits(h->p + from, left < HASH_PIECE ? left : HASH_PIECE);
	}
}

/* The same for the same bytes, however many CPUs there are. */
static XXH128_hash_t hash_of(const char *p, size_t len)
{
	struct hashing h = { .p = p, .len = len, .n = (len + HASH_PIECE - 1) / HASH_PIECE };
	XXH128_hash_t all;

	if (h.n < 2 * HASH_PIECES_LEAST)
		return XXH3_128bits(p, len);
	h.parts = parallel_parts(h.n, HASH_PIECES_LEAST);
	h.of = malloc(h.n * sizeof(*h.of));
	must(h.of != NULL);
	parallel_run(h.parts, hash_part, &h);
	all = XXH3_128bits(h.of, h.n * sizeof(*h.of));
	free(h.of);
	return all;
}

/*
 * 128 bits of the content, in hex. Nobody gains by a collision that took an effort: it would show
 * somebody an older answer of this server. SHA-256 took a sixth of the time of a big answer. The text in it
 * counts by its hash, which is there already.
 */
static void content_hash(const struct reply_body *b, char hex[33])
{
	XXH128_hash_t hash = hash_of(b->plain, b->len - shared_len(b));
	XXH128_canonical_t digest;

	if (b->shared) {
		const uint64_t all[] = { hash.low64, hash.high64, b->shared->hash[0], b->shared->hash[1], b->at };

		hash = XXH3_128bits(all, sizeof(all));
	}
	XXH128_canonicalFromHash(&digest, hash);
	hex_format(digest.digest, sizeof(digest.digest), hex);
}

struct reply_body *reply_body_around(struct buf *out, struct web_shared *shared, size_t at, const char *type, bool compress,
				     const char *weak_etag)
{
	struct reply_body *b = body_alloc(type);
	char hex[33];

	b->plain = b->own = buf_steal(out, &b->len);
	must(at <= b->len);
	b->shared = shared;
	b->at = at;
	b->len += shared_len(b);
	b->compress = compress && b->len >= GZIP_LEAST && b->len < UINT32_MAX / 2;
	if (weak_etag) {
		snprintf(b->etag, ETAG_TEXT, "W/\"%s\"", weak_etag);
		snprintf(b->etag_gzip, ETAG_TEXT, "W/\"%s\"", weak_etag);
		return b;
	}
	content_hash(b, hex);
	snprintf(b->etag, ETAG_TEXT, "\"%s\"", hex);
	snprintf(b->etag_gzip, ETAG_TEXT, "\"%s-gz\"", hex);
	return b;
}

struct reply_body *reply_body_new(struct buf *out, const char *type, bool compress, const char *weak_etag)
{
	return reply_body_around(out, NULL, 0, type, compress, weak_etag);
}

struct reply_body *reply_body_of_file(const struct embed_file *file, const char *type)
{
	struct reply_body *b = body_alloc(type);

	b->plain = (const char *)file->data;
	b->len = file->len;
	b->gzip = (const char *)file->gzip;
	b->gzip_len = file->gzip_len;
	snprintf(b->etag, ETAG_TEXT, "\"%s\"", file->etag);
	snprintf(b->etag_gzip, ETAG_TEXT, "\"%s-gz\"", file->etag);
	return b;
}

struct reply_body *reply_body_ref(struct reply_body *b)
{
	atomic_fetch_add(&b->refs, 1);
	return b;
}

void reply_body_unref(struct reply_body *b)
{
	if (!b || atomic_fetch_sub(&b->refs, 1) != 1)
		return;
	pthread_mutex_destroy(&b->lock);
	web_shared_unref(b->shared);
	free(b->own);
	free(b->own_gzip);
	free(b->type);
	free(b);
}

size_t reply_body_size(struct reply_body *b)
{
	size_t gzip_len;

	must(!pthread_mutex_lock(&b->lock));
	/* of what is still to be made, a guess: numbers and repeated words shrink to a quarter or less */
	gzip_len = b->compress ? b->len / 4 : b->own_gzip ? b->gzip_len : 0;
	must(!pthread_mutex_unlock(&b->lock));
	return sizeof(*b) + (b->own ? b->len - shared_len(b) : 0) + gzip_len;
}

struct web_shared *reply_body_shared(struct reply_body *b)
{
	return b->shared;
}

static void body_done(void *cls)
{
	reply_body_unref(cls);
}

/* A header, into a response or as a line of text. */
struct sink {
	struct MHD_Response *response;
	struct buf *text;
};

static void header(struct sink *s, const char *name, const char *value)
{
	if (!value)
		return;
	if (s->response)	/* fails only on CR and LF, which no value of ours has */
		must(MHD_add_response_header(s->response, name, value) == MHD_YES);
	else
		buf_printf(s->text, "%s: %s\r\n", name, value);
}

/*
 * Nothing runs or loads but our own files. An SVG opened by itself brings its own style
 * element, so that may stand there; scripts may not, and it is boxed in.
 */
static void security_headers(struct sink *s, const char *type)
{
	bool svg = !strncmp(type, "image/svg", 9), html = !strncmp(type, "text/html", 9);

	header(s, "X-Content-Type-Options", "nosniff");
	header(s, "Referrer-Policy", "no-referrer");
	header(s, "X-Frame-Options", "DENY");
	header(s, "Content-Security-Policy",
	       !strcmp(type, WEB_TYPE_FROZEN) ?
		      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
		      "sandbox allow-popups; frame-ancestors 'none'" :
	       html ? "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
		      "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'" :
	       svg  ? "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'" :
		      "default-src 'none'; frame-ancestors 'none'");
}

static void all_headers(struct sink *s, const struct reply_body *b, const struct reply *r, bool gzipped)
{
	char seconds[16];

	header(s, "Content-Type", b->type);
	header(s, "X-Request-Id", r->request_id);
	security_headers(s, b->type);
	if (r->tls)
		header(s, "Strict-Transport-Security", "max-age=31536000");
	if (r->etag) {
		header(s, "ETag", gzipped ? b->etag_gzip : b->etag);
		header(s, "Cache-Control", r->personal ? "private, no-cache" : "no-cache");
	} else {
		header(s, "Cache-Control", "no-store");
	}
	header(s, "Vary", r->personal ? "Accept, Accept-Encoding, Authorization, Cookie" : "Accept, Accept-Encoding, Authorization");
	if (gzipped)
		header(s, "Content-Encoding", "gzip");
	header(s, "Location", r->location);
	header(s, "Content-Disposition", r->disposition);
	header(s, "Allow", r->allow);
	if (r->challenge)	/* not Basic, though it is taken: a browser would ask for a password in the middle of a page */
		header(s, "WWW-Authenticate", "Bearer realm=\"nsecwatch\"");
	header(s, "Set-Cookie", r->set_cookie);
	header(s, "Server-Timing", r->timing);
	if (r->retry_after_s) {
		snprintf(seconds, sizeof(seconds), "%d", r->retry_after_s);
		header(s, "Retry-After", seconds);
	}
	if (r->close)
		header(s, "Connection", "close");
}

/* A copy in one piece. */
static char *joined(const struct reply_body *b)
{
	char *all = malloc(b->len), *p = all;

	must(all != NULL);
	p = mempcpy(p, b->plain, b->at);
	p = mempcpy(p, b->shared->text, b->shared->len);
	memcpy(p, b->plain + b->at, b->len - b->at - b->shared->len);
	return all;
}

/* Of bytes in one piece, or of what stands before, in and behind the text. */
static struct MHD_Response *response_of(struct reply_body *b, bool gzipped)
{
	const char *bytes = gzipped ? b->gzip : b->plain;
	struct MHD_Response *response;

	if (b->shared && !gzipped && b->len <= JOIN_MOST) {
		response = MHD_create_response_from_buffer(b->len, joined(b), MHD_RESPMEM_MUST_FREE);
	} else if (b->shared && !gzipped) {
		const struct MHD_IoVec v[] = { { b->plain, b->at }, { b->shared->text, b->shared->len },
					       { b->plain + b->at, b->len - b->shared->len - b->at } };

		response = MHD_create_response_from_iovec(v, 3, body_done, reply_body_ref(b));
	} else {
		response = MHD_create_response_from_buffer_with_free_callback_cls(
			gzipped ? b->gzip_len : b->len, (void *)(uintptr_t)bytes, body_done, reply_body_ref(b));
	}
	must(response != NULL);
	return response;
}

struct MHD_Response *reply_make(struct reply_body *b, struct reply *r, size_t *sent)
{
	bool gzipped = r->gzip && has_gzip(b);
	struct sink s = { .response = response_of(b, gzipped) };

	*sent = gzipped ? b->gzip_len : b->len;
	all_headers(&s, b, r, gzipped);
	if (r->etag && r->status == 200 && r->if_none_match &&
	    web_args_etag_matches(r->if_none_match, gzipped ? b->etag_gzip : b->etag)) {
		r->status = 304;	/* the same response: libmicrohttpd sends its headers and no body */
		*sent = 0;
	}
	return s.response;
}

void reply_raw(struct buf *out, struct reply_body *b, const struct reply *r)
{
	struct sink s = { .text = out };
	struct reply last = *r;

	last.close = true;
	buf_printf(out, "HTTP/1.1 %u %s\r\n", r->status, r->status == 413 ? "Content Too Large" :
		   r->status == 408 ? "Request Timeout" : r->status == 503 ? "Service Unavailable" : "Error");
	must(!b->shared);		/* what is refused says no more than why */
	all_headers(&s, b, &last, false);
	buf_printf(out, "Content-Length: %zu\r\n\r\n", b->len);
	buf_add(out, b->plain, b->len);
}

unsigned reply_status(enum err_kind kind)
{
	switch (kind) {
	case ERR_BAD_JSON:
	case ERR_BAD_ARGUMENT:
	case ERR_UNKNOWN_VALUE:
		return 400;
	case ERR_UNAUTHORIZED:
		return 401;
	case ERR_FORBIDDEN:
		return 403;
	case ERR_NOT_FOUND:
		return 404;
	case ERR_METHOD:
		return 405;
	case ERR_NOT_ACCEPTABLE:
		return 406;
	case ERR_CONFLICT:
		return 409;
	case ERR_TOO_LARGE:
		return 413;
	case ERR_TYPE:
		return 415;
	case ERR_INVALID:
		return 422;
	case ERR_RATE:
		return 429;
	case ERR_UNAVAILABLE:
		return 503;
	default:
		return 500;
	}
}

void reply_error(struct buf *out, const char *code, const struct err *err)
{
	struct jsonw j = jsonw_begin(out);

	jsonw_object(&j);
	jsonw_key(&j, "error");
	jsonw_object(&j);
	jsonw_kstr(&j, "code", code ? code : err_code(err->kind));
	jsonw_kstr(&j, "message", err->message);
	err_json_problems(&j, err);
	jsonw_object_end(&j);
	jsonw_object_end(&j);
	mask_tokens(out->p, out->len);	/* somebody put theirs where it does not belong, and the error says so */
	buf_putc(out, '\n');
}
