/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of transparent huge pages, from what people and files say of it.
 *
 * Slug: the effective word of the PMD size, then every other size that is not
 * `never`, ascending: never+64k-always+1m-madvise, then +prctl-off or +prctl-advised.
 */
#include "thp.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum word { UNSAID, NEVER, ALWAYS, MADVISE, INHERIT, UNKNOWN, NONE };

static const char *const word_text[] = {
	[UNSAID] = "",	       [NEVER] = "never",     [ALWAYS] = "always", [MADVISE] = "madvise",
	[INHERIT] = "inherit", [UNKNOWN] = "unknown", [NONE] = "none",
};

#define SIZES 21 /* log2 of KiB: up to 1 GiB */
#define SMALLEST 4 /* 16 KiB is order 2 on 4 KiB pages, the smallest there is */

struct state {
	enum word global;
	enum word size[SIZES]; /* by log2 of its KiB */
	bool shmem[SIZES]; /* has a shmem_enabled file */
	int pmd; /* log2 of the PMD size in KiB */
	int prctl; /* 0, 1 = off, 3 = only advised */
};

static int log2_kib(uint64_t kib)
{
	return kib && !(kib & (kib - 1)) && kib < (1u << SIZES) ? 63 - __builtin_clzll(kib) : -1;
}

int thp_pmd_kib(const char *isa, int base_page_kib)
{
	static const struct {
		const char *isa;
		int page_kib, pmd_kib; /* the first of an isa is its usual one */
	} sizes[] = {
		{ "x86_64", 4, 2048 },	    { "aarch64", 4, 2048 },	   { "aarch64", 16, 32768 },
		{ "aarch64", 64, 524288 },  { "riscv64", 4, 2048 },	   { "ppc64le", 64, 2048 },
		{ "ppc64", 64, 2048 },	    { "s390x", 4, 1024 },	   { "loongarch64", 16, 32768 },
		{ "loongarch64", 4, 2048 }, { "loongarch64", 64, 524288 },
	};

	for (size_t i = 0; isa && i < sizeof(sizes) / sizeof(*sizes); i++)
		if (!strcasecmp(isa, sizes[i].isa) && (!base_page_kib || base_page_kib == sizes[i].page_kib))
			return sizes[i].pmd_kib;
	return 0;
}

/* The smallest anonymous size beside a PMD size: four base pages, the PMD size telling those. */
static int smallest_of(const struct state *st)
{
	/* order 1 has a file for shmem only: so we see the base page (ppc64le: 64 KiB pages, 2 MiB PMD) */
	for (int i = 0; i < st->pmd; i++)
		if (st->shmem[i] && st->size[i] == UNSAID)
			return i + 1;
	return st->pmd == 19 ? 8 : st->pmd == 15 ? 6 : SMALLEST;
}

static const char *size_text(struct arena *a, int size)
{
	return size < 10 ? arena_printf(a, "%dk", 1 << size) : arena_printf(a, "%dm", 1 << (size - 10));
}

static enum word effective(const struct state *st, enum word w)
{
	if (w != INHERIT)
		return w;
	return st->global == UNSAID ? UNKNOWN : st->global;
}

static void slug_make(struct arena *a, const struct state *st, struct thp *thp)
{
	enum word pmd = st->size[st->pmd] == UNSAID ? INHERIT : st->size[st->pmd];

	*thp = (struct thp){ .slug = word_text[effective(st, pmd)], .complete = st->size[st->pmd] != UNSAID };
	if (st->global == NONE) {
		*thp = (struct thp){ .slug = word_text[NONE], .complete = true };
		return;
	}
	thp->complete &= effective(st, pmd) != UNKNOWN;
	for (int i = 0; i < SIZES; i++) {
		enum word w = effective(st, st->size[i]);

		if (i == st->pmd)
			continue;
		if (w == UNSAID) {
			thp->complete &= i < smallest_of(st) || i > st->pmd;
			continue;
		}
		thp->complete &= w != UNKNOWN;
		if (w != NEVER)
			thp->slug = arena_printf(a, "%s+%s-%s", thp->slug, size_text(a, i), word_text[w]);
	}
	if (st->prctl)
		thp->slug = arena_printf(a, "%s+prctl-%s", thp->slug, st->prctl == 1 ? "off" : "advised");
}

static enum word word_read(const char *s, size_t n)
{
	for (enum word w = NEVER; w <= NONE; w++)
		if (n == strlen(word_text[w]) && !strncasecmp(s, word_text[w], n))
			return w;
	return UNSAID;
}

/* The active word of a file's text, which may be that word alone. -1: several words and not one bracketed. */
static int active_word(const char *text, const char **word, size_t *n)
{
	const char *open = strchr(text, '['), *close;

	text += strspn(text, " \t\n");
	if (!open) {
		*word = text;
		*n = strcspn(text, " \t\n");
		return *n && !text[*n + strspn(text + *n, " \t\n")] ? 0 : -1;
	}
	close = strchr(open, ']');
	if (!close || strchr(open + 1, '['))
		return -1;
	*word = open + 1;
	*n = (size_t)(close - open) - 1;
	return 0;
}

/* Text from outside for a message: one line, printable, short. */
static const char *shown(struct arena *a, const char *s)
{
	char *copy = arena_strndup(a, s, strnlen(s, 60));

	for (char *c = copy; *c; c++)
		if ((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7e)
			*c = '?';
	return copy;
}

/* Sets a word that is there once, or says the same twice. */
static int word_set(struct arena *a, enum word *slot, const struct thp_file *f, bool global, struct err *err)
{
	const char *text;
	size_t n;
	enum word w;

	if (active_word(f->text, &text, &n))
		return err_set(err, ERR_INVALID,
			       "%s: \"%s\" has not one active word (\"[always] madvise never\")",
			       shown(a, f->name), shown(a, f->text));
	w = word_read(text, n);
	if (w == UNSAID || (global ? w == INHERIT : w == NONE))
		return err_set(err, ERR_INVALID, "%s: \"%s\" is none of always, %smadvise, never",
			       shown(a, f->name), shown(a, arena_strndup(a, text, n)),
			       global ? "" : "inherit, ");
	if (*slot != UNSAID && *slot != w)
		return err_set(err, ERR_INVALID, "%s is said twice, %s and %s", shown(a, f->name),
			       word_text[*slot], word_text[w]);
	*slot = w;
	return 0;
}

/* The last part of a path that names a size, "hugepages-64kB" or "hugepages-64kB/enabled"; NULL where none does. */
static const char *size_dir(const char *name)
{
	for (const char *s = name + strlen(name); s-- > name;)
		if ((s == name || s[-1] == '/') && !strncasecmp(s, "hugepages-", 10) && s[10] >= '0' &&
		    s[10] <= '9')
			return s;
	return NULL;
}

static int size_file(struct arena *a, struct state *st, const struct thp_file *f, const char *dir,
		     struct err *err)
{
	char *end;
	unsigned long long kib = strtoull(dir + 10, &end, 10);
	const char *file;
	int size;

	if (strncasecmp(end, "kb", 2))
		return err_set(err, ERR_INVALID, "%s: a size is named hugepages-<N>kB", shown(a, f->name));
	file = end + 2 + (end[2] == '/');
	size = log2_kib(kib);
	if (!strcasecmp(file, "shmem_enabled")) {
		if (size >= 0)
			st->shmem[size] = true;
		return 0;
	}
	if (*file && strcasecmp(file, "enabled"))
		return 0; /* stats, nr_hugepages of hugetlb, what comes */
	if (size < SMALLEST)
		return err_set(err, ERR_INVALID, "%s: there is no such size for anonymous memory",
			       shown(a, f->name));
	return word_set(a, &st->size[size], f, false, err);
}

static int prctl_file(struct arena *a, struct state *st, const struct thp_file *f, struct err *err)
{
	static const struct {
		const char *word;
		int value;
	} words[] = { { "0", 0 }, { "none", 0 }, { "1", 1 }, { "off", 1 }, { "3", 3 }, { "advised", 3 } };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcasecmp(f->text, words[i].word)) {
			st->prctl = words[i].value;
			return 0;
		}
	return err_set(err, ERR_INVALID, "%s: \"%s\" is none of 0, 1 (off), 3 (advised)", shown(a, f->name),
		       shown(a, f->text));
}

static int pmd_file(struct arena *a, struct state *st, const struct thp_file *f, struct err *err)
{
	char *end;
	unsigned long long bytes = strtoull(f->text, &end, 10);
	int size = bytes % 1024 ? -1 : log2_kib(bytes / 1024);

	if (size < SMALLEST || end[strspn(end, " \n")])
		return err_set(err, ERR_INVALID, "%s: \"%s\" is no PMD size in bytes", shown(a, f->name),
			       shown(a, f->text));
	st->pmd = size;
	return 0;
}

static int file_read(struct arena *a, struct state *st, const struct thp_file *f, struct err *err)
{
	const char *dir = size_dir(f->name), *last = strrchr(f->name, '/');

	last = last ? last + 1 : f->name;
	if (dir)
		return size_file(a, st, f, dir, err);
	if (!strcasecmp(last, "enabled"))
		return word_set(a, &st->global, f, true, err);
	if (!strcasecmp(last, "hpage_pmd_size"))
		return pmd_file(a, st, f, err);
	if (!strcasecmp(last, "prctl"))
		return prctl_file(a, st, f, err);
	return 0; /* defrag, those of khugepaged, files of kernels to come */
}

bool thp_is_file(const char *name)
{
	static const char *const files[] = { "enabled", "defrag", "shmem_enabled", "use_zero_page", "hpage_pmd_size",
					     "shrink_underused", "prctl" };
	const char *last = strrchr(name, '/');

	if (size_dir(name) || strcasestr(name, "khugepaged/"))
		return true;
	last = last ? last + 1 : name;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (!strcasecmp(last, files[i]))
			return true;
	return false;
}

int thp_from_files(struct arena *a, const struct thp_file *files, size_t n, int pmd_kib, struct thp *thp,
		   size_t *bad, struct err *err)
{
	struct state st = { .pmd = log2_kib(pmd_kib ? (uint64_t)pmd_kib : 2048) };

	if (st.pmd < SMALLEST)
		st.pmd = log2_kib(2048);
	for (size_t i = 0; i < n; i++)
		if (file_read(a, &st, &files[i], err)) {
			*bad = i;
			return -1;
		}
	for (size_t i = 0; i < n; i++) { /* now that the PMD size is known */
		const char *dir = size_dir(files[i].name);
		int size = dir ? log2_kib(strtoull(dir + 10, NULL, 10)) : -1;

		if (size > st.pmd && st.size[size] != UNSAID) {
			*bad = i;
			return err_set(err, ERR_INVALID, "%s: greater than the PMD size, which is %d kB here",
				       shown(a, files[i].name), 1 << st.pmd);
		}
	}
	slug_make(a, &st, thp);
	return 0;
}

/* "64k", "64kB", "2M", "1G" at s[0..n) as log2 of KiB; unit: bytes when there is no letter. -1. */
static int size_read(const char *s, size_t n)
{
	uint64_t v = 0;
	size_t i = 0;
	int shift = 0;

	for (; i < n && s[i] >= '0' && s[i] <= '9' && v < 1u << 30; i++)
		v = v * 10 + (uint64_t)(s[i] - '0');
	if (!i || i == n)
		return -1;
	switch (s[i] | 0x20) {
	case 'k':
		break;
	case 'm':
		shift = 10;
		break;
	case 'g':
		shift = 20;
		break;
	default:
		return -1;
	}
	i++;
	if (i < n && (s[i] | 0x20) == 'b')
		i++;
	return i == n ? log2_kib(v << shift) : -1;
}

#define SLUG_EXPECTED                                                                                        \
	"expected always, madvise, never, none or unknown, then +SIZE-WORD for other sizes (+64k-always), "  \
	"then +prctl-off or +prctl-advised"

/* One "+..." of a slug. */
static int slug_part(struct state *st, const char *s, size_t n)
{
	const char *dash = memchr(s, '-', n);
	enum word w;
	int size;

	if (st->prctl)
		return -1; /* it is the last */
	if (n == 9 && !strncasecmp(s, "prctl-off", n))
		st->prctl = 1;
	else if (n == 13 && !strncasecmp(s, "prctl-advised", n))
		st->prctl = 3;
	if (st->prctl)
		return 0;
	if (!dash)
		return -1;
	size = size_read(s, (size_t)(dash - s));
	w = word_read(dash + 1, n - (size_t)(dash - s) - 1);
	if (size < SMALLEST || w == UNSAID || w == INHERIT || w == NONE ||
	    (st->size[size] != UNSAID && st->size[size] != w))
		return -1;
	st->size[size] = w;
	return 0;
}

int thp_from_slug(struct arena *a, const char *text, struct thp *thp, struct err *err)
{
	struct state st = { .pmd = 0 }; /* a slug does not name it: no size is it */
	size_t n = strcspn(text, "+ "); /* a blank: a plus that nobody percent-encoded */
	const char *s = text + n;

	st.size[0] = word_read(text, n);
	if (st.size[0] == UNSAID || st.size[0] == INHERIT || (st.size[0] == NONE && *s))
		return err_set(err, ERR_INVALID, "\"%s\" is no THP state: " SLUG_EXPECTED, shown(a, text));
	while (*s) {
		n = strcspn(++s, "+ ");
		if (slug_part(&st, s, n))
			return err_set(err, ERR_INVALID,
				       "\"%s\" in \"%s\" is no part of a THP state: " SLUG_EXPECTED,
				       shown(a, arena_strndup(a, s, n)), shown(a, text));
		s += n;
	}
	for (int i = SMALLEST; i < SIZES; i++)
		if (st.size[i] == UNSAID)
			st.size[i] = NEVER; /* that is what leaving out means */
	for (int i = 1; i < SMALLEST; i++)
		st.size[i] = NEVER;
	st.global = st.size[0] == NONE ? NONE : UNSAID;
	slug_make(a, &st, thp);
	return 0;
}

/* "16K-64K", "128K" : sets a word in a copy of the sizes. */
static int range_set(struct state *st, const char *s, size_t n, enum word w)
{
	const char *dash = memchr(s, '-', n);
	size_t first = dash ? (size_t)(dash - s) : n;
	int from = size_read(s, first), to = dash ? size_read(dash + 1, n - first - 1) : from;

	if (from < smallest_of(st) || to > st->pmd || from > to)
		return -1;
	while (from <= to)
		st->size[from++] = w;
	return 0;
}

/* One thp_anon= value. The kernel takes it as a whole or not at all. */
static int thp_anon_read(struct state *st, const char *s)
{
	if (!*s)
		return -1;
	while (*s) {
		size_t part = strcspn(s, ";"), colon = strcspn(s, ":");
		enum word w;

		if (!colon || colon >= part)
			return -1;
		w = word_read(s + colon + 1, part - colon - 1);
		if (w == UNSAID || w > INHERIT)
			return -1;
		for (size_t at = 0; at < colon;) {
			size_t len = strcspn(s + at, ",:");

			if (range_set(st, s + at, len, w))
				return -1;
			at += len + 1;
		}
		s += part + (s[part] == ';');
	}
	return 0;
}

int thp_from_cmdline(struct arena *a, const char *cmdline, const char *global_word, int pmd_kib,
		     struct thp *thp, struct err *err)
{
	struct state st = { .pmd = log2_kib(pmd_kib ? (uint64_t)pmd_kib : 2048) }, next;
	bool anon = false, global = false;

	if (st.pmd < SMALLEST)
		st.pmd = log2_kib(2048);
	for (const char *s = cmdline; *s;) {
		size_t n;

		s += strspn(s, " \t\n");
		n = strcspn(s, " \t\n");
		next = st;
		if (!strncmp(s, "thp_anon=", 9) && !thp_anon_read(&next, arena_strndup(a, s + 9, n - 9))) {
			st = next;
			anon = true;
		} else if (!strncmp(s, "transparent_hugepage=", 21)) {
			enum word w = word_read(s + 21, n - 21);

			if (w == ALWAYS || w == MADVISE || w == NEVER) {
				st.global = w;
				global = true;
			}
		}
		s += n;
	}
	if (!anon && !global)
		return err_set(err, ERR_INVALID, "the command line says nothing of transparent huge pages");
	if (global_word && word_read(global_word, strlen(global_word)) != UNSAID)
		st.global = word_read(global_word, strlen(global_word)); /* sysfs is the truth */
	if (!anon && st.size[st.pmd] == UNSAID)
		st.size[st.pmd] = INHERIT;
	for (int i = 0; i < SIZES; i++)
		if (st.size[i] == UNSAID)
			st.size[i] = NEVER;
	slug_make(a, &st, thp);
	return 0;
}
