/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The vocabulary that names of all families share: architectures, page sizes, configurations. */
#include "kernel_impl.h"

static const struct {
	const char *word, *isa;
} isas[] = {
	{ "x86_64", "x86_64" },	      { "amd64", "x86_64" },	{ "aarch64", "aarch64" },
	{ "arm64", "aarch64" },	      { "ppc64le", "ppc64le" }, { "powerpc64le", "ppc64le" },
	{ "ppc64el", "ppc64le" },     { "ppc64", "ppc64" },	{ "powerpc64", "ppc64" },
	{ "s390x", "s390x" },	      { "riscv64", "riscv64" }, { "loongarch64", "loongarch64" },
	{ "loong64", "loongarch64" }, { "i686", "i686" },	{ "686", "i686" },
	{ "i386", "i686" },	      { "armv7hl", "armv7l" },	{ "armv7l", "armv7l" },
	{ "armv7", "armv7l" },	      { "armmp", "armv7l" },	{ "armhf", "armv7l" },
	{ "mips64el", "mips64el" },   { "sparc64", "sparc64" },
};

const char *kernel_words_isa(struct span word)
{
	for (size_t i = 0; i < sizeof(isas) / sizeof(*isas); i++)
		if (span_is(word, isas[i].word))
			return isas[i].isa;
	return NULL;
}

int kernel_words_page_kib(struct span word)
{
	size_t digits = span_digits(word);
	struct span unit = span_from(word, digits);
	uint64_t kib = span_number(word);

	if (!digits || !(span_is(unit, "k") || span_is(unit, "kb")) || (kib != 4 && kib != 16 && kib != 64))
		return 0;
	return (int)kib;
}

bool kernel_words_tuned(struct span word)
{
	static const char *const words[] = { "rt",    "debug", "lowlatency", "realtime",
					     "kasan", "kcsan", "lockdep",    "hardened" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (span_is(word, words[i]))
			return true;
	return span_is(word, "64k") || span_is(word, "16k");
}

void kernel_words_flavour(struct kernel_name *nm, struct span word)
{
	struct kernel *k = nm->k;

	if (!word.n)
		return;
	k->flavour = *k->flavour ? arena_printf(nm->a, "%s-%.*s", k->flavour, (int)word.n, word.p)
				 : arena_strndup(nm->a, word.p, word.n);
	if (kernel_words_page_kib(word))
		k->base_page_kib = kernel_words_page_kib(word);
}

const char *kernel_words_cut(struct arena *a, const char *s)
{
	size_t n = strlen(s);

	if (n <= 80)
		return s;
	n = 80;
	while (n && (s[n] & 0xc0) == 0x80) /* not inside a character: the text goes into JSON */
		n--;
	return arena_printf(a, "%.*s...", (int)n, s);
}
