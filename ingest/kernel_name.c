/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Upstream names: v6.17-rc1, 6.17.0-rc1-00123-gcac1db8c3aad, v5.15-4077-g5acb9c2a7bc8,
 * 6.17.0-rc1-next-20250812, 7.1.0-rc3-mm-unstable-444fc9435e57, 6.6.30-rt30,
 * perf's 7.2.rc3.g94515f3a7d42, and local versions. Distributions come first, their
 * names being narrower.
 */
#include "kernel_impl.h"

#define MAJOR_MIN 2
/* Darwin and FreeBSD name themselves alike, from 12 on; Linux 10 is ten years off at 20 minors a major. */
#define MAJOR_MAX 9
#define NUMBER_MAX UINT16_MAX /* of a version: what a key has room for */
#define RC_MAX 99

#define EXPECTED                                                                                             \
	"expected a release like 6.17.0-rc1-00123-gcac1db8c3aad or 6.16.0-65.eln150.x86_64, a tag like "     \
	"v6.17-rc1"

static int refuse(struct kernel_name *nm, struct err *err, const char *why)
{
	return err_set(err, ERR_INVALID, "\"%s\" is no Linux kernel: %s; " EXPECTED,
		       kernel_words_cut(nm->a, nm->text), why);
}

/* A decimal number without leading zeros at *s, moving it past: 0, or -1. */
static int number_at(const char **s, uint64_t max, int *out)
{
	struct span digits = { *s, 0 };

	digits.n = strspn(*s, "0123456789");
	if (!digits.n || (digits.n > 1 && **s == '0') || span_number(digits) > max)
		return -1;
	*out = (int)span_number(digits);
	*s += digits.n;
	return 0;
}

/* "6.17", "6.17.0", "5.10.16.3"; the rest follows. */
static int version_read(struct kernel_name *nm, struct err *err)
{
	struct kernel *k = nm->k;
	const char *s = nm->text;
	int v[4] = { 0 };

	if (number_at(&s, NUMBER_MAX, &v[0]))
		return refuse(nm, err, "it does not begin with a version");
	for (nm->numbers = 1; nm->numbers < 4 && s[0] == '.' && char_is_digit(s[1]); nm->numbers++) {
		s++;
		if (number_at(&s, NUMBER_MAX, &v[nm->numbers]))
			return refuse(nm, err, "a number of its version has leading zeros or is too great");
	}
	if (nm->numbers == 1)
		return refuse(nm, err, "a version has two numbers or more");
	if (v[0] < MAJOR_MIN || v[0] > MAJOR_MAX)
		return refuse(nm, err, "there is no such version");
	memcpy(k->version, v, sizeof(k->version));
	k->sub = v[3];
	nm->rest = s;
	return 0;
}

/* -rc1, perf's .rc1, Debian's ~rc1 */
static int rc_read(struct kernel_name *nm, struct err *err)
{
	const char *s = nm->rest;

	if (!*s || !strchr("-.~", *s) || strncasecmp(s + 1, "rc", 2))
		return 0;
	s += 3;
	if (number_at(&s, RC_MAX, &nm->k->rc) || !nm->k->rc || memcmp(nm->rest + 1, "rc", 2))
		return refuse(nm, err, "a candidate is -rc1, -rc2, ... in lower case, without leading zeros");
	if (*s && !strchr("-+._~", *s))
		return refuse(nm, err, "something sticks to its -rc number");
	nm->rest = s;
	return 0;
}

/* What may follow a version; perf writes .gHASH where uname has -gHASH. */
static int rest_check(struct kernel_name *nm, struct err *err)
{
	const char *s = nm->rest;

	if (*s && strchr("-~_.", s[strlen(s) - 1]))
		return refuse(nm, err, "it ends in a sign");
	if (!*s || strchr("-+~_", *s))
		return 0;
	if (*s == '.' && s[1] == 'g' && span_hex(span_of(s + 2)) >= 7)
		return 0;
	return refuse(nm, err, "its version is followed by something that belongs to no name");
}

/* -gHASH (or .gHASH) at the end of s: how many bytes of it, or 0. */
static size_t hash_suffix(struct span s, struct span *hash)
{
	size_t n = 0;

	while (n < s.n && s.p[s.n - n - 1] != '-' && s.p[s.n - n - 1] != '.')
		n++;
	if (n == s.n || n < 8 || n > 65 || s.p[s.n - n] != 'g')
		return 0;
	*hash = (struct span){ s.p + s.n - n + 1, n - 1 };
	return span_hex(*hash) == hash->n ? n + 1 : 0;
}

/* A bare hash of 12 digits or more at the end ("-mm-unstable-444fc9435e57"), unless the name says it is out. */
static bool bare_hash(struct span s, struct span *hash)
{
	static const char *const without[] = { "minus", "without", "revert", "reverted", "no", "sans" };
	size_t n = 0, w = 0;
	struct span word;

	while (n < s.n && s.p[s.n - n - 1] != '-')
		n++;
	*hash = (struct span){ s.p + s.n - n, n };
	if (n == s.n || n < 12 || n > 40 || span_hex(*hash) != n || span_is_number(*hash))
		return false;
	s.n -= n + 1;
	while (w < s.n && s.p[s.n - w - 1] != '-')
		w++;
	word = (struct span){ s.p + s.n - w, w };
	for (size_t i = 0; i < sizeof(without) / sizeof(*without); i++)
		if (span_is(word, without[i]))
			return false;
	return true;
}

static char *hash_copy(struct arena *a, struct span hash)
{
	return arena_strndup(a, hash.p, hash.n);
}

/* The marks that scripts/setlocalversion and git describe put at the end, taken off. */
static struct span scm_take(struct kernel_name *nm, struct span s)
{
	struct kernel *k = nm->k;
	struct span hash;
	size_t n;

	for (;;) {
		if (s.n >= 6 && !memcmp(s.p + s.n - 6, "-dirty", 6))
			s.n -= 6;
		else if (s.n && s.p[s.n - 1] == '+')
			s.n--;
		else
			break;
		k->dirty = true;
	}
	n = hash_suffix(s, &hash);
	if (!n) {
		if (bare_hash(s, &hash)) {
			k->hash = hash_copy(nm->a, hash);
			k->uncounted = true;
		}
		return s;
	}
	k->hash = hash_copy(nm->a, hash);
	s.n -= n;
	for (n = 0; n < s.n && char_is_digit(s.p[s.n - n - 1]);)
		n++;
	if (n && n <= 9 && n < s.n && s.p[s.n - n - 1] == '-') {
		k->distance = (int64_t)span_number((struct span){ s.p + s.n - n, n });
		s.n -= n + 1;
	} else {
		k->uncounted = true;
	}
	return s;
}

/* A yyyymmdd at the start of s, or 0. */
static int date_at(struct span s)
{
	int date;

	if (span_digits(s) != 8)
		return 0;
	date = (int)span_number(s);
	return kernel_dates_valid(date) ? date : 0;
}

static int next_read(struct kernel_name *nm, struct span s, struct err *err)
{
	struct kernel *k = nm->k;

	k->next_date = date_at(s);
	if (!k->next_date || (s.n > 8 && !strchr("-+", s.p[8])))
		return refuse(nm, err, "linux-next is followed by a day like 20250814");
	k->track = "next";
	scm_take(nm, span_from(s, 8));
	kernel_order_number(&nm->tail, (uint64_t)k->distance);
	k->distance = 0; /* counted from the day's tree, not from the base */
	k->uncounted = true;
	return 0;
}

/* "next-20250814": the base follows from the day, where the day is known. */
static int next_tag_read(struct kernel_name *nm, struct err *err)
{
	struct kernel *k = nm->k;

	if (next_read(nm, span_of(nm->text + strlen("next-")), err))
		return -1;
	kernel_dates_base(k->next_date, k->version, &k->rc);
	return 0;
}

/* A local version is opaque but for the words that name a configuration everywhere. */
static void local_read(struct kernel_name *nm, struct span s)
{
	struct kernel *k = nm->k;
	struct span all = s, word;

	k->track = "local";
	kernel_order_text(&nm->tail, s);
	while (span_next(&all, "-+", &word)) {
		if (!k->isa && kernel_words_isa(word))
			k->isa = kernel_words_isa(word);
		if (!k->base_page_kib)
			k->base_page_kib = kernel_words_page_kib(word);
		if (kernel_words_tuned(word))
			kernel_words_flavour(nm, word);
	}
}

/* "-rt30": the real-time patches over a release. */
static bool rt_read(struct kernel_name *nm, struct span s)
{
	size_t digits;

	if (!span_starts(s, "-rt"))
		return false;
	s = span_from(s, 3);
	digits = span_digits(s);
	if (!digits || (digits < s.n && s.p[digits] != '-'))
		return false;
	nm->k->track = "rt";
	nm->k->flavour = "rt";
	kernel_order_number(&nm->tail, span_number(s));
	kernel_order_text(&nm->tail, span_from(s, digits));
	return true;
}

static bool mm_read(struct kernel_name *nm, struct span s)
{
	if (!span_starts(s, "-mm") || (s.n > 3 && s.p[3] != '-' && !char_is_digit(s.p[3])))
		return false;
	nm->k->track = "mm";
	kernel_order_text(&nm->tail, span_from(s, 3));
	return true;
}

static void stable_or_mainline(struct kernel_name *nm)
{
	struct kernel *k = nm->k;
	bool old = k->version[0] == 2; /* 2.6.39 is a mainline release, 2.6.32.71 a stable one */

	if (old && k->sub)
		k->track =
			arena_printf(nm->a, "stable-%d.%d.%d", k->version[0], k->version[1], k->version[2]);
	else if (!old && k->version[2])
		k->track = arena_printf(nm->a, "stable-%d.%d", k->version[0], k->version[1]);
	else
		k->track = "mainline";
}

static void upstream_read(struct kernel_name *nm)
{
	struct kernel *k = nm->k;
	struct span s = scm_take(nm, span_of(nm->rest));

	/* a mark of a changed tree: at least one commit, or a change, behind what is counted */
	if (k->dirty)
		k->uncounted = true;
	if (rt_read(nm, s) || mm_read(nm, s))
		return;
	if (s.n || (k->sub && k->version[0] != 2))
		local_read(nm, s);
	else
		stable_or_mainline(nm);
}

static const char *base_of(struct kernel_name *nm)
{
	const struct kernel *k = nm->k;

	if (!k->version[0])
		return "next"; /* linux-next of a day whose base is not known */
	if (k->sub && k->version[0] == 2)
		return arena_printf(nm->a, "%d.%d.%d.%d", k->version[0], k->version[1], k->version[2],
				    k->sub);
	if (k->version[2])
		return arena_printf(nm->a, "%d.%d.%d", k->version[0], k->version[1], k->version[2]);
	return arena_printf(nm->a, "%d.%d", k->version[0], k->version[1]);
}

/* X.Y.0[-rcN] and X.Y[-rcN] are one kernel; all other names are what they are. */
static const char *identity_of(struct kernel_name *nm)
{
	const struct kernel *k = nm->k;

	if (*nm->rest || nm->numbers != 3 || k->version[2] || (k->rc && !strstr(nm->text, "-rc")))
		return nm->text;
	if (k->rc)
		return arena_printf(nm->a, "%d.%d-rc%d", k->version[0], k->version[1], k->rc);
	return arena_printf(nm->a, "%d.%d", k->version[0], k->version[1]);
}

int kernel_name_read(struct kernel_name *nm, struct err *err)
{
	struct kernel *k = nm->k;

	k->flavour = "";
	k->name = k->identity = nm->text;
	if (!strncmp(nm->text, "next-", 5)) {
		if (next_tag_read(nm, err))
			return -1;
		nm->rest = "";
	} else {
		if (version_read(nm, err) || rc_read(nm, err) || rest_check(nm, err))
			return -1;
		if (!strncmp(nm->rest, "-next-", 6)) {
			if (next_read(nm, span_of(nm->rest + 6), err))
				return -1;
		} else if (!kernel_distro_read(nm)) {
			upstream_read(nm);
		}
		k->identity = identity_of(nm);
	}
	k->base = base_of(nm);
	kernel_order_end(&nm->tail);
	kernel_order_key(k, &nm->tail);
	return 0;
}
