/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of rpm distributions, which carry a dist tag:
 *   VERSION-BUILD[.BUILD...].TAG[.words].ARCH[+flavour]
 *   6.17.0-0.rc1.250814g0cc53520e68b.20.eln151.x86_64, 5.14.0-503.23.1.el9_5.x86_64+rt-debug
 * A build that begins with 0. is a pre-release; what follows rcN counts builds, not commits.
 */
#include "kernel_impl.h"

static const struct dist {
	const char *tag; /* followed by a digit */
	const char *track;
	bool numbered; /* the track carries the tag's number: rhel9 */
	bool base_only;
} dists[] = {
	{ "eln", "eln", false, false },
	{ "fc", "fedora", false, false },
	{ "el", "rhel", true, true }, /* also CentOS, Rocky, Alma: one source, one count */
	{ "oe", "openeuler", false, true },
	{ "amzn", "amzn", true, false },
	{ "azl", "azurelinux", true, false },
	{ "cm", "azurelinux", true, false }, /* its former name, CBL-Mariner */
	{ "ph", "photon", true, false },
	{ "an", "anolis", true, true },
	{ "al", "alinux", true, true },
	{ "tl", "tlinux", true, true },
	{ "oc", "opencloudos", true, true },
	{ "ky", "kylin", true, true },
	{ "uel", "uos", true, true },
	{ "vz", "virtuozzo", true, true },
	{ "mga", "mageia", true, false },
};

static const struct dist *dist_of(struct span word)
{
	for (size_t i = 0; i < sizeof(dists) / sizeof(*dists); i++) {
		size_t n = strlen(dists[i].tag);

		if (span_starts(word, dists[i].tag) && n < word.n && char_is_digit(word.p[n]))
			return &dists[i];
	}
	return NULL;
}

/* Takes ".x86_64" off the end of *s. */
static void isa_take(struct kernel *k, struct span *s)
{
	size_t n = 0;

	while (n < s->n && s->p[s->n - n - 1] != '.')
		n++;
	if (n == s->n || !kernel_words_isa((struct span){ s->p + s->n - n, n }))
		return;
	k->isa = kernel_words_isa((struct span){ s->p + s->n - n, n });
	s->n -= n + 1;
}

/* What "+rt-64k" or ".debug" says. */
static void flavours_read(struct kernel_name *nm, struct span words)
{
	struct span word;

	while (span_next(&words, "+-.", &word))
		kernel_words_flavour(nm, word);
}

/* "250814g0cc53520e68b", "20250731gitabcdef0", "git4": a snapshot of a tree. Its date or count, 0 when it is none. */
static uint64_t snapshot_read(struct kernel_name *nm, struct span word)
{
	size_t digits = span_digits(word);
	struct span hash = span_from(word, digits);
	uint64_t date = span_number(word);

	if (!digits && span_starts(word, "git") && span_is_number(span_from(word, 3)))
		return span_number(span_from(word, 3));
	if (digits != 6 && digits != 8)
		return 0;
	if (digits == 6)
		date += 20000000;
	if (span_starts(hash, "git"))
		hash = span_from(hash, 3);
	else if (span_starts(hash, "g"))
		hash = span_from(hash, 1);
	else
		return 0;
	if (!hash.n || span_hex(hash) != hash.n || !kernel_dates_valid((int)date))
		return 0;
	nm->k->next_date = (int)date;
	nm->k->hash = arena_strndup(nm->a, hash.p, hash.n);
	return date;
}

struct build {
	uint64_t snapshot;
	struct kernel_tail counts; /* the numbers, in order */
	struct kernel_tail words; /* the rest, so that the order is total */
};

/* One piece before the dist tag. */
static void build_word(struct kernel_name *nm, struct span word, bool first, struct build *b)
{
	struct kernel *k = nm->k;
	struct span number;

	if (span_starts(word, "rc") && span_is_number(span_from(word, 2))) {
		k->rc = (int)(span_number(span_from(word, 2)) & 0xff);
		k->before_rc1 = !k->rc;
		return;
	}
	if (first && span_is(word, "0"))
		return; /* a pre-release; its rc follows */
	if (snapshot_read(nm, word)) {
		b->snapshot = snapshot_read(nm, word);
		return;
	}
	if (span_digits(word) && (span_is_number(word) || word.p[span_digits(word)] == '_')) {
		while (span_next(&word, "_", &number))
			kernel_order_number(&b->counts, span_number(number));
		return;
	}
	if (span_starts(word, "rt") && span_is_number(span_from(word, 2)))
		kernel_words_flavour(nm, (struct span){ word.p, 2 }); /* RHEL 7: 1160.rt56.1131.el7 */
	kernel_order_text(&b->words, word);
}

static void tail_join(struct kernel_tail *t, const struct kernel_tail *more)
{
	size_t n = sizeof(t->b) - t->n < more->n ? sizeof(t->b) - t->n : more->n;

	memcpy(t->b + t->n, more->b, n);
	t->n += n;
}

/* Words behind the dist tag: which offspring it is. */
static void offspring_read(struct kernel_name *nm, struct span words)
{
	struct kernel *k = nm->k;
	struct span word;

	while (span_next(&words, ".-", &word)) {
		if (span_is(word, "elrepo")) {
			k->track = "elrepo"; /* mainline kernels built for RHEL */
			k->base_only = false;
		} else if (span_is(word, "plus") || kernel_words_tuned(word)) {
			flavours_read(nm, word);
		}
	}
}

static void track_read(struct kernel_name *nm, const struct dist *dist, struct span tag)
{
	struct span number = span_from(tag, strlen(dist->tag));
	size_t digits = span_digits(number);
	struct kernel *k = nm->k;

	k->track = dist->numbered ? arena_printf(nm->a, "%s%.*s", dist->track, (int)digits, number.p)
				  : dist->track;
	k->base_only = dist->base_only;
	if (span_starts(span_from(number, digits), "uek"))
		k->track = "uek"; /* Oracle's own kernel, one count over its releases */
	if (!strcmp(k->track, "fedora") && strstr(nm->rest, ".asahi."))
		k->track = "fedora-asahi";
	if (!strcmp(k->track, "fedora") && strstr(nm->rest, ".vanilla."))
		k->track = "fedora-vanilla";
}

bool kernel_rpm_read(struct kernel_name *nm)
{
	struct span all = span_of(nm->rest), flavours = { 0 }, word, left;
	const char *plus = strchr(nm->rest, '+'), *debug;
	const struct dist *dist = NULL;
	struct build b = { 0 };
	struct kernel before = *nm->k;
	bool first = true;

	if (all.n < 2 || all.p[0] != '-' || !char_is_digit(all.p[1]))
		return false;
	if (plus) {
		flavours = span_from(all, (size_t)(plus - nm->rest) + 1);
		all.n = (size_t)(plus - nm->rest);
	}
	debug = all.n > 6 && !memcmp(all.p + all.n - 6, ".debug", 6) ? all.p + all.n - 5 : NULL;
	if (debug)
		all.n -= 6;
	isa_take(nm->k, &all);
	left = span_from(all, 1);
	while (!dist && span_next(&left, ".-", &word)) {
		dist = dist_of(word);
		if (!dist)
			build_word(nm, word, first, &b);
		first = false;
	}
	if (!dist) {
		*nm->k = before;
		return false;
	}
	track_read(nm, dist, word);
	if (left.p)
		offspring_read(nm, left);
	flavours_read(nm, flavours);
	if (debug)
		kernel_words_flavour(nm, (struct span){ debug, 5 });
	nm->k->uncounted = b.snapshot != 0;
	kernel_order_number(&nm->tail, b.snapshot);
	tail_join(&nm->tail, &b.counts);
	kernel_order_end(&nm->tail);
	kernel_order_text(&nm->tail, word); /* the tag: fc43 before fc44 */
	tail_join(&nm->tail, &b.words);
	return true;
}
