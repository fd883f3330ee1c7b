/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distributions that put their name (or a word of theirs) into the kernel's: Arch,
 * Alpine, Proxmox, Gentoo and so on. One table; all count by the numbers in the rest.
 */
#include "kernel_impl.h"

static const struct brand {
	const char *word; /* followed by digits only, or by nothing */
	const char *track;
	bool base_only;
} brands[] = {
	{ "arch", "arch", false },
	{ "ARCH", "arch", false },
	{ "zen", "zen", false },
	{ "pve", "proxmox", true },
	{ "cachyos", "cachyos", false },
	{ "MANJARO", "manjaro", false },
	{ "liquorix", "liquorix", false },
	{ "xanmod", "xanmod", false },
	{ "gentoo", "gentoo", false },
	{ "flatcar", "flatcar", false },
	{ "talos", "talos", false },
	{ "tegra", "tegra", true },
	{ "kali", "kali", false },
	{ "neptune", "steamos", true },
	{ "valve", "steamos", true },
	{ "native", "clear", false },
	{ "asahi", "asahi", false },
	{ "qcom", "qcom", true },
	{ "cos", "cos", false },
	{ "nixos", "nixos", false },
	{ "void", "void", false },
	{ "hardened", "hardened", false },
	{ "cloudflare", "cloudflare", false },
	{ "parrot", "parrot", false },
	{ "surface", "surface", false },
	{ "lqx", "liquorix", false },
	{ "Unraid", "unraid", false },
	{ "truenas", "truenas", false },
	{ "linuxkit", "linuxkit", false },
	{ "cip", "cip", false },
	{ "mga", "mageia", false },
	{ "yocto", "yocto", false },
};

/* A word without the digits at its end: "arch1" -> "arch". */
static struct span stem(struct span word)
{
	while (word.n && char_is_digit(word.p[word.n - 1]))
		word.n--;
	return word;
}

static const struct brand *brand_of(struct span word)
{
	for (size_t i = 0; i < sizeof(brands) / sizeof(*brands); i++)
		if (span_is(stem(word), brands[i].word))
			return &brands[i];
	return NULL;
}

/* What a word beside the brand says: a configuration, unless it only counts or is the usual. */
static void beside(struct kernel_name *nm, struct span word)
{
	struct kernel *k = nm->k;

	if (!word.n || span_is_number(word) || span_is(word, "dist") || span_is(word, "lts") || span_is(word, "production") ||
	    span_is(word, "standard") ||
	    (word.p[0] == 'r' && span_is_number(span_from(word, 1))))
		return;
	if (kernel_words_isa(word)) {
		k->isa = kernel_words_isa(word);
		return;
	}
	if (word.p[0] == 'g' && word.n > 7 && span_hex(span_from(word, 1)) == word.n - 1) {
		k->hash = arena_strndup(nm->a, word.p + 1, word.n - 1);
		return;
	}
	if (span_is(stem(word), "rt"))
		word = stem(word);
	kernel_words_flavour(nm, word);
}

/* "-0-lts" and kin: Alpine counts from 0; Arch's long-term kernel from 1. "_1" is Void's. */
static bool unbranded_read(struct kernel_name *nm)
{
	static const char *const alpine[] = { "virt", "edge", "stable", "rpi", "vanilla" };
	struct span s = span_of(nm->rest), count, word;

	if (s.p[0] == '_' && span_is_number(span_from(s, 1))) {
		nm->k->track = "void";
		return true;
	}
	s = span_from(s, 1);
	if (nm->rest[0] != '-' || !span_next(&s, "-", &count) || !span_is_number(count) || !s.p)
		return false;
	word = s;
	if (span_is(word, "lts")) {
		nm->k->track = span_is(count, "0") ? "alpine" : "arch-lts";
		return true;
	}
	for (size_t i = 0; i < sizeof(alpine) / sizeof(*alpine); i++) {
		if (!span_is(word, alpine[i]))
			continue;
		nm->k->track = "alpine";
		if (i == 0 || i == 3) /* the others are configured alike */
			kernel_words_flavour(nm, word);
		return true;
	}
	return false;
}

bool kernel_brand_read(struct kernel_name *nm)
{
	struct span s = span_of(nm->rest), words = s, word;
	const struct brand *brand = NULL;

	while (!brand && span_next(&words, "-+.", &word))
		brand = brand_of(word);
	if (!brand && !unbranded_read(nm))
		return false;
	if (brand) {
		nm->k->track = brand->track;
		nm->k->base_only = brand->base_only;
		for (words = s; span_next(&words, "-+.", &word);)
			if (!brand_of(word))
				beside(nm, word);
		if (!strcmp(brand->track, "hardened"))
			nm->k->flavour = "hardened";
	}
	kernel_order_text(&nm->tail, s);
	return true;
}
