/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The place of a kernel: a sort key for memcmp() within a track, and the comparison
 * which also knows where two tracks share a line, and says "unordered" elsewhere.
 *
 * A key is the upstream point (version, rc, commits after it; of linux-next its date
 * first) and behind it the tail: what the family counts by.
 */
#include "kernel_impl.h"

enum { /* bytes of a tail; their order is the order of names */
       TAIL_TILDE = 0x05, /* Debian: 6.12~rc6 is before 6.12 */
       TAIL_END = 0x10,
       TAIL_SEPARATOR = 0x11,
       TAIL_NUMBER = 0x20, /* plus the count of bytes that follow; letters stand above */
};

static void tail_byte(struct kernel_tail *t, unsigned byte)
{
	if (t->n < sizeof(t->b))
		t->b[t->n++] = (uint8_t)byte;
}

void kernel_order_number(struct kernel_tail *t, uint64_t n)
{
	int bytes = 0;

	for (uint64_t left = n; left; left >>= 8)
		bytes++;
	tail_byte(t, TAIL_NUMBER + (unsigned)bytes);
	while (bytes--)
		tail_byte(t, (uint8_t)(n >> (8 * bytes)));
}

void kernel_order_text(struct kernel_tail *t, struct span s)
{
	while (s.n) {
		size_t digits = span_digits(s);

		if (digits) {
			kernel_order_number(t, span_number(s));
			s = span_from(s, digits);
			continue;
		}
		if (*s.p == '~')
			tail_byte(t, TAIL_TILDE);
		else if (strchr(".-_+", *s.p))
			tail_byte(t, TAIL_SEPARATOR);
		else
			tail_byte(t, (uint8_t)*s.p);
		s = span_from(s, 1);
	}
}

void kernel_order_end(struct kernel_tail *t)
{
	tail_byte(t, TAIL_END);
}

static uint8_t *put(uint8_t *p, uint64_t v, int bytes)
{
	while (bytes--)
		*p++ = (uint8_t)(v >> (8 * bytes));
	return p;
}

/* -rc1 is 1, a release stands behind all its candidates. */
static unsigned rc_place(const struct kernel *k)
{
	if (k->before_rc1)
		return 0;
	return k->rc ? (unsigned)k->rc : UINT16_MAX;
}

#define POINT_SIZE 18

static void point_write(const struct kernel *k, uint8_t p[POINT_SIZE])
{
	p = put(p, (unsigned)k->version[0], 1);
	p = put(p, (unsigned)k->version[1], 2);
	p = put(p, (unsigned)k->version[2], 2);
	p = put(p, (unsigned)k->sub, 2);
	p = put(p, rc_place(k), 2);
	p = put(p, (uint64_t)k->distance, 8);
	put(p, k->uncounted, 1);
}

void kernel_order_key(struct kernel *k, const struct kernel_tail *tail)
{
	uint8_t *p = k->key;
	size_t room;

	if (k->next_date && !strcmp(k->track, "next"))
		p = put(p, (unsigned)k->next_date, 4);
	point_write(k, p);
	p += POINT_SIZE;
	room = (size_t)(k->key + sizeof(k->key) - p);
	if (room > tail->n)
		room = tail->n;
	memcpy(p, tail->b, room);
	k->key_len = (size_t)(p - k->key) + room;
}

static int sign(long long d)
{
	return d < 0 ? -1 : d > 0;
}

int kernel_compare_keys(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
	int d = memcmp(a, b, a_len < b_len ? a_len : b_len);

	return d ? sign(d) : (a_len > b_len) - (a_len < b_len);
}

static int key_compare(const struct kernel *a, const struct kernel *b)
{
	return kernel_compare_keys(a->key, a->key_len, b->key, b->key_len);
}

static int point_compare(const struct kernel *a, const struct kernel *b)
{
	uint8_t p[POINT_SIZE], q[POINT_SIZE];

	point_write(a, p);
	point_write(b, q);
	return sign(memcmp(p, q, POINT_SIZE));
}

/* Names of these tracks say where on the upstream history they stand, on many branches. */
static bool is_upstream(const struct kernel *k)
{
	return !strcmp(k->track, "mainline") || !strcmp(k->track, "next") || !strncmp(k->track, "stable-", 7);
}

static bool has_branches(const struct kernel *k)
{
	return !strcmp(k->track, "local") || !strcmp(k->track, "rt") || !strcmp(k->track, "mm");
}

/* Two tracks of one family that count alike: SLES service packs, Fedora and its remix for Apple machines. */
static bool one_family(const struct kernel *a, const struct kernel *b)
{
	static const char *const families[] = { "sles", "fedora" };

	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
		size_t n = strlen(families[i]);

		if (!strncmp(a->track, families[i], n) && !strncmp(b->track, families[i], n))
			return true;
	}
	return false;
}

static bool on_mainline(const struct kernel *k)
{
	return (k->version[0] == 2 || !k->version[2]) && !k->sub;
}

/* The mainline release a stable kernel branched from. */
static void branch_root(const struct kernel *k, struct kernel *root)
{
	*root = (struct kernel){ .version = { k->version[0], k->version[1],
					      k->version[0] == 2 ? k->version[2] : 0 } };
}

static bool same_branch(const struct kernel *a, const struct kernel *b)
{
	struct kernel p, q;

	branch_root(a, &p);
	branch_root(b, &q);
	return !point_compare(&p, &q);
}

/* Is the mainline point a an ancestor of the branch that b is on? */
static bool is_before_branch(const struct kernel *a, const struct kernel *b)
{
	struct kernel root;

	branch_root(b, &root);
	return on_mainline(a) && point_compare(a, &root) <= 0;
}

/* Neither count of commits after one tag can be held against the other. */
static bool counts_clash(const struct kernel *a, const struct kernel *b)
{
	bool a_at_tag = !a->distance && !a->uncounted, b_at_tag = !b->distance && !b->uncounted;

	if (memcmp(a->version, b->version, sizeof(a->version)) || a->sub != b->sub ||
	    rc_place(a) != rc_place(b))
		return false;
	return !a_at_tag && !b_at_tag && (a->uncounted || b->uncounted);
}

/* Where both say a point of the upstream history: its order there. */
static enum kernel_order upstream_compare(const struct kernel *a, const struct kernel *b)
{
	if (!a->version[0] || !b->version[0] || counts_clash(a, b))
		return KERNEL_UNORDERED;
	if (on_mainline(a) && on_mainline(b))
		return (enum kernel_order)point_compare(a, b);
	if (same_branch(a, b))
		return (enum kernel_order)point_compare(a, b);
	if (is_before_branch(a, b))
		return KERNEL_BEFORE;
	if (is_before_branch(b, a))
		return KERNEL_AFTER;
	return KERNEL_UNORDERED;
}

/* Two different commits may still have equal keys: then nobody knows which is first. */
static bool hashes_differ(const struct kernel *a, const struct kernel *b)
{
	size_t n, m;

	if (!a->hash || !b->hash)
		return false;
	n = strlen(a->hash);
	m = strlen(b->hash);
	return strncmp(a->hash, b->hash, n < m ? n : m) != 0;
}

static enum kernel_order in_track_compare(const struct kernel *a, const struct kernel *b)
{
	enum kernel_order order;

	if (has_branches(a)) {
		order = upstream_compare(a, b);
		if (order != KERNEL_SAME)
			return order;
		if (hashes_differ(a, b))
			return KERNEL_UNORDERED;
		/* words of a local version are no place: patched and unpatched, not before and after */
		return strcmp(a->track, "rt") ? KERNEL_SAME : (enum kernel_order)key_compare(a, b);
	}
	order = (enum kernel_order)key_compare(a, b);
	if (order == KERNEL_SAME && hashes_differ(a, b))
		return KERNEL_UNORDERED;
	/* Debian: 6.1.0-57 hides a patch level that 6.1.170-3 shows */
	if (a->base_only != b->base_only && same_branch(a, b))
		return KERNEL_UNORDERED;
	return order;
}

enum kernel_order kernel_compare(const struct kernel *a, const struct kernel *b)
{
	if (!strcmp(a->identity, b->identity))
		return KERNEL_SAME;
	if (!strcmp(a->track, b->track))
		return in_track_compare(a, b);
	if (one_family(a, b))
		return (enum kernel_order)key_compare(a, b);
	if (a->base_only || b->base_only)
		return KERNEL_UNORDERED;
	if (is_upstream(a) && is_upstream(b))
		return upstream_compare(a, b);
	return kernel_same_point(a, b) ? KERNEL_SAME : KERNEL_UNORDERED;
}

enum kernel_order kernel_compare_names(const char *a, const char *b)
{
	enum kernel_order order = KERNEL_UNORDERED;
	struct arena *arena = arena_new();
	struct kernel x, y;
	struct err ignored;

	if (!kernel_parse(arena, a, &x, &ignored) && !kernel_parse(arena, b, &y, &ignored))
		order = kernel_compare(&x, &y);
	arena_free(arena);
	return order;
}

bool kernel_same_point(const struct kernel *a, const struct kernel *b)
{
	if (!strcmp(a->track, b->track) && (a->base_only || b->base_only || a->next_date || b->next_date))
		return !key_compare(a, b);
	if (a->base_only || b->base_only || !a->version[0] || !b->version[0])
		return false;
	if (a->uncounted || b->uncounted) { /* known to be one only where the same commit is named */
		if (!a->hash || !b->hash || hashes_differ(a, b))
			return false;
	}
	return !point_compare(a, b);
}
