/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names in the manner of distributions that have no dist tag: Debian, Ubuntu, SUSE,
 * Arch, Android, WSL and others. A reader says true and fills track, flavour, isa and
 * what the family counts by; or false, having touched nothing.
 */
#include "kernel_impl.h"

/* All words of "rt-64k", but for those that only say that it is the usual one. */
static void flavours_add(struct kernel_name *nm, struct span words)
{
	struct span word;

	while (span_next(&words, "-", &word)) {
		if (!word.n || span_is(word, "generic") || span_is(word, "default") ||
		    span_is(word, "unsigned"))
			continue;
		if (kernel_words_isa(word) && !nm->k->isa)
			nm->k->isa = kernel_words_isa(word);
		else
			kernel_words_flavour(nm, word);
	}
}

/* "-android15-8-gHASH-ab12368803-4k": 8 is the generation of its module interface, no count of commits. */
static bool android_read(struct kernel_name *nm)
{
	struct span s = span_of(nm->rest), word;
	struct kernel *k = nm->k;
	uint64_t generation, build = 0;
	bool other_builder = false;
	size_t digits;

	if (!span_starts(s, "-android"))
		return false;
	s = span_from(s, 1);
	span_next(&s, "-", &word);
	digits = span_digits(span_from(word, 7));
	if (!digits || digits + 7 != word.n || !span_next(&s, "-", &word) || !span_is_number(word))
		return false;
	k->track = arena_strndup(nm->a, nm->rest + 1, 7 + digits);
	generation = span_number(word);
	while (span_next(&s, "-", &word)) {
		if (word.n > 7 && word.p[0] == 'g' && span_hex(span_from(word, 1)) == word.n - 1)
			k->hash = arena_strndup(nm->a, word.p + 1, word.n - 1);
		else if (span_starts(word, "abogki") ||
			 (span_starts(word, "ab") && span_is_number(span_from(word, 2)))) {
			other_builder = span_starts(word, "abogki");
			build = span_number(span_from(word, other_builder ? 6 : 2));
		} else if (kernel_words_page_kib(word)) {
			k->base_page_kib =
				kernel_words_page_kib(word); /* a dimension of its own, no flavour */
		} else if (kernel_words_tuned(word)) {
			kernel_words_flavour(nm, word);
		}
	}
	kernel_order_number(&nm->tail, generation);
	kernel_order_number(&nm->tail, other_builder);
	kernel_order_number(&nm->tail, build);
	return true;
}

/* "-microsoft-standard-WSL2+": the version's fourth number is the build. */
static bool wsl_read(struct kernel_name *nm)
{
	struct span s = span_of(nm->rest);

	if (!span_starts(s, "-microsoft-standard"))
		return false;
	nm->k->track = "wsl";
	nm->k->dirty = s.p[s.n - 1] == '+';
	kernel_order_text(&nm->tail, span_from(s, strlen("-microsoft-standard")));
	return true;
}

/* "+rpt-rpi-v8", "-rpi7-rpi-v8", and the firmware's own "-v8+" */
static bool raspberrypi_read(struct kernel_name *nm)
{
	struct span s = span_of(nm->rest);
	const char *rpi = strstr(nm->rest, "-rpi-");

	if (rpi && (span_starts(s, "+rpt") || span_starts(s, "-rpi"))) {
		nm->k->flavour = arena_strdup(nm->a, rpi + 1);
		kernel_order_text(&nm->tail, (struct span){ s.p, (size_t)(rpi - s.p) });
	} else if (span_is(s, "-v8+") || span_is(s, "-v8-16k+") || span_is(s, "-v7+") ||
		   span_is(s, "-v7l+")) {
		nm->k->flavour = arena_printf(nm->a, "rpi-%.*s", (int)s.n - 2, s.p + 1);
		if (span_is(s, "-v8-16k+"))
			nm->k->base_page_kib = 16;
		nm->k->dirty = true;
	} else {
		return false;
	}
	nm->k->track = "raspberrypi";
	return true;
}

/* Numbers joined by dots at the start of s ("150600.23.22"), into the tail; how long they are. */
static size_t counts_read(struct kernel_name *nm, struct span s)
{
	size_t n = 0, digits;

	while ((digits = span_digits(span_from(s, n))) > 0) {
		if (nm)
			kernel_order_number(&nm->tail, span_number(span_from(s, n)));
		n += digits;
		if (n + 1 < s.n && s.p[n] == '.' && char_is_digit(s.p[n + 1]))
			n++;
		else
			break;
	}
	return n;
}

static bool suse_flavour(struct span word)
{
	static const char *const words[] = { "default", "rt",	    "azure",   "64kb", "preempt",
					     "debug",	"kvmsmall", "vanilla", "pae",  "lpae",
					     "desktop", "rt_debug", "longterm" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (span_is(word, words[i]))
			return true;
	return false;
}

/* Which SUSE counts like this: 150600.x is SLES 15 SP6 (and Leap 15.6), lp152.x Leap 15.2, a small number Tumbleweed. */
static const char *suse_track(struct kernel_name *nm, struct span build, size_t counts)
{
	unsigned first = (unsigned)span_number(build);

	if (span_starts(build, "lp") && span_digits(span_from(build, 2)) == 3)
		return arena_printf(nm->a, "leap%.2s.%c", build.p + 2, build.p[4]);
	if (span_digits(build) == 6 && first / 10000 == 15)
		return arena_printf(nm->a, "sles15sp%u", first / 100 % 100);
	if (span_digits(build) == 6)
		return arena_printf(nm->a, "sles%u.%u", first / 10000, first / 100 % 100);
	return counts && (nm->k->version[0] < 5 || (nm->k->version[0] == 5 && nm->k->version[1] == 3))
		       ? "sles"
	       : counts ? "opensuse"
			: NULL;
}

/* "-150600.23.22-default", "-150600.23.38.1", "-lp152.19.2-default", "-1.g5d2a4b5-default" */
static bool suse_read(struct kernel_name *nm)
{
	struct span s = span_of(nm->rest), build, flavour = { 0 };
	const char *track;
	size_t counts;
	bool leap;

	if (!span_starts(s, "-"))
		return false;
	s = span_from(s, 1);
	span_next(&s, "-", &build);
	if (s.p)
		flavour = s;
	leap = span_starts(build, "lp1");
	counts = counts_read(NULL, leap ? span_from(build, 2) : build);
	if (flavour.p ? !suse_flavour(flavour) : span_digits(build) != 6 || counts == 6)
		return false;
	if (span_is(flavour, "azure") && span_is_number(build))
		return false; /* Ubuntu's 6.8.0-1015-azure */
	track = suse_track(nm, build, counts);
	if (!track || (span_digits(build) == 6 && (build.p[0] != '1' || build.p[1] < '5')))
		return false;
	nm->k->track = track;
	nm->k->base_only = strcmp(track, "opensuse") != 0;
	counts_read(nm, leap ? span_from(build, 2) : build);
	kernel_order_end(&nm->tail);
	kernel_order_text(&nm->tail, span_from(build, counts + (leap ? 2 : 0)));
	if (span_is(flavour, "64kb"))
		flavours_add(nm, span_of("64k"));
	else if (flavour.p)
		flavours_add(nm, flavour);
	return true;
}

/* Kernels of one source count alike; those of a cloud or a board have a source, and a count, of their own. */
static bool ubuntu_own_source(struct span word)
{
	static const char *const words[] = { "azure",	   "aws",	"gcp",	    "oracle",	     "kvm",
					     "raspi",	   "oem",	"nvidia",   "ibm",	     "gke",
					     "gkeop",	   "intel",	"realtime", "qcom",	     "xilinx",
					     "laptop",	   "starfive",	"iot",	    "bluefield",     "fips",
					     "snapdragon", "allwinner", "riscv",    "lowlatency-hwe" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (span_is(word, words[i]))
			return true;
	return false;
}

/* "-061700rc1-generic": Ubuntu's build of an unchanged mainline tag. */
static bool ubuntu_mainline_read(struct kernel_name *nm, struct span abi, struct span flavour)
{
	struct span s = span_from(abi, span_digits(abi) < 6 ? 0 : 6);

	if (span_digits(abi) < 6 || abi.p[0] != '0' ||
	    !(span_is(flavour, "generic") || span_starts(flavour, "generic-") ||
	      span_is(flavour, "lowlatency")))
		return false;
	if (span_starts(s, "rc"))
		nm->k->rc = (int)(span_number(span_from(s, 2)) & 0xff);
	nm->k->uncounted = memmem(s.p, s.n, "daily", 5) != NULL;
	nm->k->track = "ubuntu-mainline";
	kernel_order_text(&nm->tail, s);
	flavours_add(nm, flavour);
	return true;
}

/* "-45-generic", "-1015-azure", "-45-generic-64k"; the third number of the version is always 0 and means nothing. */
static bool ubuntu_read(struct kernel_name *nm)
{
	struct span s = span_of(nm->rest), abi, word, flavour;

	if (!span_starts(s, "-"))
		return false;
	s = span_from(s, 1);
	span_next(&s, "-", &abi);
	flavour = s;
	if (!flavour.p)
		return false;
	if (ubuntu_mainline_read(nm, abi, flavour))
		return true;
	span_next(&s, "-", &word);
	if (!span_is_number(abi))
		return false;
	if (span_is(word, "generic") && span_number(abi) > 70000000) {
		nm->k->track = "pop-os"; /* 6.9.3-76060903-generic: its patch level is real */
	} else if (span_is(word, "generic") || span_is(word, "lowlatency")) {
		nm->k->track = "ubuntu";
		nm->k->base_only = true;
	} else if (ubuntu_own_source(word)) {
		nm->k->track = arena_printf(nm->a, "ubuntu-%.*s", (int)word.n, word.p);
		nm->k->base_only = true;
	} else {
		return false;
	}
	kernel_order_number(&nm->tail, span_number(abi));
	flavours_add(nm, flavour);
	return true;
}

/* Takes "-rt-amd64" or "-arm64-16k" off the end of *s: an architecture word of Debian, flavours before and behind it. */
static bool debian_arch_take(struct kernel_name *nm, struct span *s)
{
	static const char *const archs[] = { "amd64",	"arm64",   "686",  "armmp",   "powerpc64le", "s390x",
					     "riscv64", "loong64", "i386", "ppc64el", "armhf" };
	static const char *const flavours[] = {
		"rt", "cloud", "16k", "64k", "pae", "lpae", "unsigned", "up"
	};
	struct span words = *s, word, front;
	size_t end = s->n;
	bool arch = false;

	while (span_next(&words, "-", &word)) {
		bool known = false;

		for (size_t i = 0; i < sizeof(flavours) / sizeof(*flavours); i++)
			known |= span_is(word, flavours[i]);
		for (size_t i = 0; i < sizeof(archs) / sizeof(*archs); i++)
			if (span_is(word, archs[i]))
				known = arch = true;
		if (!known)
			end = s->n;
		else if (end == s->n)
			end = (size_t)(word.p - s->p) - 1;
	}
	if (!arch || end == s->n)
		return false;
	front = (struct span){ s->p, end };
	flavours_add(nm, span_from(*s, end + 1));
	*s = front;
	return true;
}

/* What stands before the architecture: "-47", "+deb12", "+deb13+1", "-0.deb11.21", "+bpo", "-kali9", or nothing. */
static bool debian_read(struct kernel_name *nm)
{
	struct span s = span_of(nm->rest);
	struct kernel before = *nm->k;

	if (!s.n || s.p[0] == '~' || !debian_arch_take(nm, &s))
		return false;
	if (span_starts(s, "-kali")) {
		nm->k->track = "kali";
	} else if (!s.n || (s.p[0] == '-' && char_is_digit(s.p[1]) && !memchr(s.p + 1, '-', s.n - 1)) ||
		   span_starts(s, "+deb") || span_starts(s, "+bpo")) {
		nm->k->track = "debian";
	} else {
		*nm->k = before;
		return false;
	}
	/* -47: the number of an interface, which outlives many patch levels; the version's third number is 0 then */
	nm->k->base_only = s.n && s.p[0] == '-' && !nm->k->version[2];
	kernel_order_text(&nm->tail, s);
	return true;
}

/* A package's version: "-3", "~rc6-1~exp1", "-1~bpo12+1"; Ubuntu's "-45.45" beside a third number 0. */
static bool deb_version_read(struct kernel_name *nm)
{
	struct span s = span_of(nm->rest);
	size_t n;

	if (!span_starts(s, "-") || s.n < 2 || !char_is_digit(s.p[1]))
		return false;
	s = span_from(s, 1);
	n = counts_read(NULL, s);
	if (n < s.n && !memchr("~+", s.p[n], 2))
		return false;
	for (size_t i = n; i < s.n; i++)
		if (strchr("-_:", s.p[i]))
			return false;
	if (span_is(span_from(s, s.n - 1), "+"))
		return false;
	nm->k->track = "debian";
	if (nm->numbers == 3 && !nm->k->version[2] && memchr(s.p, '.', n)) {
		nm->k->track = "ubuntu";
		nm->k->base_only = true;
		counts_read(nm, s);
		kernel_order_text(&nm->tail, span_from(s, n));
		return true;
	}
	kernel_order_text(&nm->tail, span_of(nm->rest));
	return true;
}

bool kernel_distro_read(struct kernel_name *nm)
{
	if (!*nm->rest)
		return false;
	return android_read(nm) || wsl_read(nm) || kernel_rpm_read(nm) || raspberrypi_read(nm) ||
	       suse_read(nm) || ubuntu_read(nm) || debian_read(nm) || deb_version_read(nm) ||
	       kernel_brand_read(nm);
}
