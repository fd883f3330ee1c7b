/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Variants: a base kernel with commits taken out or patches put on, as people write it
 * ("v6.17-rc1 with cac1db8c3aad reverted", "6.17-rc1 + revert of X and Y") and as its
 * canonical name has it ("6.17-rc1+revert-cac1db8c3aad+apply-SLUG").
 */
#include "kernel_impl.h"

#include <stdlib.h>

#include "../lib/ident.h"

#define HASH_MIN 7 /* git's shortest default */
#define HASH_MAX 64
#define SHORT_HASH 12
#define SLUG_MAX 60
#define CHANGES_MAX 32 /* reverts or patches of one variant */

#define EXPECTED "expected a phrase like \"with cac1db8c3aad reverted\" or \"+ revert of cac1db8c3aad\""

struct changes {
	const char *reverts[CHANGES_MAX];
	struct kernel_patch applies[CHANGES_MAX];
	size_t n_reverts, n_applies;
};

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool is_hash(struct span s)
{
	if (s.n < HASH_MIN || s.n > HASH_MAX)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!char_is_digit(s.p[i]) && (lower(s.p[i]) < 'a' || lower(s.p[i]) > 'f'))
			return false;
	return true;
}

static char *lower_copy(struct arena *a, struct span s)
{
	char *copy = arena_strndup(a, s.p, s.n);

	for (size_t i = 0; i < s.n; i++)
		copy[i] = lower(copy[i]);
	return copy;
}

/* Letters and digits of a title, joined by dashes; what is cut off stays in a digest. */
static const char *slug_of(struct arena *a, const char *title)
{
	char *slug = arena_alloc(a, strlen(title) + 16), digest_text[65];
	uint8_t digest[32];
	size_t n = 0;

	for (const char *s = title; *s; s++) {
		char c = lower(*s);

		if (char_is_digit(c) || (c >= 'a' && c <= 'z'))
			slug[n++] = c;
		else if (n && slug[n - 1] != '-')
			slug[n++] = '-';
	}
	while (n && slug[n - 1] == '-')
		n--;
	if (n && n <= SLUG_MAX) {
		slug[n] = 0;
		return slug;
	}
	sha256(title, strlen(title), digest);
	hex_format(digest, sizeof(digest), digest_text);
	if (!n)
		return arena_printf(a, "patch-%.8s", digest_text);
	n = SLUG_MAX - 9;
	n -= slug[n - 1] == '-';	/* two dashes are none of a slug: the name would not mean itself again */
	return arena_printf(a, "%.*s-%.8s", (int)n, slug, digest_text);
}

/* What tells patches apart is their title ("[PATCH v2] ..."); without one, the end of their address. */
static const char *patch_slug(struct arena *a, const struct kernel_patch *patch)
{
	struct span s;
	size_t n = 0;

	if (patch->title && *patch->title)
		return slug_of(a, patch->title);
	s = span_of(patch->url);
	while (s.n && s.p[s.n - 1] == '/')
		s.n--;
	while (n < s.n && s.p[s.n - n - 1] != '/')
		n++;
	return slug_of(a, arena_strndup(a, s.p + s.n - n, n));
}

static int text_order(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Copies the reverts, in lower case, each once; *shorts gets their first 12 digits. */
static int reverts_copy(struct arena *a, struct kernel *k, const char *const *reverts, size_t n,
			const char **shorts, struct err *err)
{
	k->reverts = arena_array(a, const char *, n);
	k->n_reverts = 0;
	for (size_t i = 0; i < n; i++) {
		const char *hash, *cut;
		size_t j = 0;

		if (!reverts[i] || !is_hash(span_of(reverts[i])))
			return err_set(err, ERR_INVALID,
				       "\"%s\" is no commit to revert: %d to 40 hex digits were expected",
				       reverts[i] ? kernel_words_cut(a, reverts[i]) : "", HASH_MIN);
		hash = lower_copy(a, span_of(reverts[i]));
		cut = arena_strndup(a, hash, strnlen(hash, SHORT_HASH));
		while (j < k->n_reverts && strcmp(shorts[j], cut))
			j++;
		if (j < k->n_reverts)
			continue;
		shorts[k->n_reverts] = cut;
		k->reverts[k->n_reverts++] = hash;
	}
	return 0;
}

int kernel_make_variant(struct arena *a, struct kernel *k, const char *const *reverts, size_t n_reverts,
			const struct kernel_patch *applies, size_t n_applies, struct err *err)
{
	const char **shorts = arena_array(a, const char *, n_reverts);
	const char *name = k->name, *identity = k->identity;

	if (k->is_variant)
		return err_set(err, ERR_INVALID,
			       "\"%s\" is a variant already: a variant's base is a plain kernel",
			       kernel_words_cut(a, k->name));
	if (!n_reverts && !n_applies)
		return err_set(err, ERR_INVALID, "a variant reverts or applies something");
	if (n_reverts > CHANGES_MAX || n_applies > CHANGES_MAX)
		return err_set(err, ERR_INVALID, "a variant has at most %d reverts and %d patches",
			       CHANGES_MAX, CHANGES_MAX);
	if (reverts_copy(a, k, reverts, n_reverts, shorts, err))
		return -1;
	for (size_t i = 0; i < k->n_reverts; i++)
		name = arena_printf(a, "%s+revert-%s", name, shorts[i]);
	qsort(shorts, k->n_reverts, sizeof(*shorts), text_order); /* their order makes no other kernel */
	for (size_t i = 0; i < k->n_reverts; i++)
		identity = arena_printf(a, "%s+revert-%s", identity, shorts[i]);
	k->applies = arena_array(a, struct kernel_patch, n_applies);
	for (size_t i = 0; i < n_applies; i++) {
		const char *slug;

		if (!(applies[i].title && *applies[i].title) && !(applies[i].url && *applies[i].url))
			return err_set(err, ERR_INVALID, "an applied patch needs a title or a url");
		slug = patch_slug(a, &applies[i]);
		name = arena_printf(a, "%s+apply-%s", name, slug);
		identity = arena_printf(a, "%s+apply-%s", identity, slug);
		k->applies[i] = (struct kernel_patch){ arena_strdup(a, applies[i].title),
						       arena_strdup(a, applies[i].url) };
	}
	if (strlen(name) > KERNEL_NAME_MAX)
		return err_set(err, ERR_INVALID, "the variant's name would have more than %d bytes",
			       KERNEL_NAME_MAX);
	k->is_variant = true;
	k->n_applies = n_applies;
	k->variant_base = k->name;
	k->name = name;
	k->identity = identity;
	return 0;
}

const char *kernel_phrase_find(const char *text, size_t *base_len)
{
	const char *revert = strstr(text, "+revert-"), *apply = strstr(text, "+apply-"),
		   *blank = strchr(text, ' ');
	const char *at = revert && apply ? (revert < apply ? revert : apply) : revert ? revert : apply;

	if (blank && (!at || blank < at))
		at = blank;
	if (!at)
		return NULL;
	*base_len = (size_t)(at - text);
	if (*at == ' ' && *base_len && at[-1] == ',')
		(*base_len)--;
	return at;
}

/* The next word of a phrase: a sign, a quoted or parenthesised text with its marks, or a run without blanks. */
static bool word_next(struct span *s, struct span *word)
{
	size_t n = 1;
	int depth = 0;
	char close;

	while (s->n && s->p[0] == ' ')
		*s = span_from(*s, 1);
	if (!s->n)
		return false;
	if (s->p[0] == '"' || s->p[0] == '\'') {
		close = s->p[0];
		while (n < s->n && s->p[n] != close)
			n++;
		n += n < s->n;
	} else if (s->p[0] == '(') {
		for (n = 0; n < s->n; n++) {
			depth += (s->p[n] == '(') - (s->p[n] == ')');
			if (!depth)
				break;
		}
		n += n < s->n;
	} else if (!strchr(",&+", s->p[0])) {
		while (n < s->n && !strchr(" ,&+\"(", s->p[n]))
			n++;
	}
	*word = (struct span){ s->p, n };
	*s = span_from(*s, n);
	return true;
}

static bool word_is(struct span word, const char *const *any)
{
	for (; *any; any++)
		if (word.n == strlen(*any) && !strncasecmp(word.p, *any, word.n))
			return true;
	return false;
}

static const char *const connectors[] = { "with", "and", "plus", "+", "&", ",", NULL };
static const char *const revert_words[] = { "revert", "reverts", "reverting", "reverted",
					    "minus",  "without", NULL };
static const char *const small_words[] = { "of", "the", "a", "commit", "commits", "patch", "patches", NULL };
static const char *const undone_words[] = { "reverted", "removed", "dropped", NULL };
static const char *const applied_words[] = { "applied", "cherry-picked", NULL };

/* The next word that is none of `skip`; s stands behind it. */
static bool word_past(struct span *s, const char *const *skip, struct span *word)
{
	while (word_next(s, word))
		if (!word_is(*word, skip))
			return true;
	return false;
}

static bool is_aside(struct span word)
{
	return strchr("\"'(", word.p[0]) != NULL;
}

/* HASH ("subject"), HASH and HASH: the hashes from `word` on into list; s stands behind the last. */
static int hash_list(struct arena *a, struct span *s, struct span word, const char **list, size_t *n)
{
	struct span ahead;

	for (;;) {
		if (*n == CHANGES_MAX)
			return -1;
		list[(*n)++] = arena_strndup(a, word.p, word.n);
		ahead = *s;
		if (word_next(&ahead, &word) && is_aside(word))
			*s = ahead;
		ahead = *s;
		if (!word_next(&ahead, &word) || !word_is(word, connectors))
			return 0;
		while (word_is(word, connectors) || word_is(word, small_words))
			if (!word_next(&ahead, &word))
				return 0;
		if (!is_hash(word))
			return 0;
		*s = ahead;
	}
}

/* A quoted title without its marks. */
static const char *unquoted(struct arena *a, struct span word)
{
	size_t marks = word.n > 1 && word.p[word.n - 1] == word.p[0] ? 2 : 1;

	return arena_strndup(a, word.p + 1, word.n - marks);
}

/* One clause that begins with `word`. -1: it is none. */
static int clause_read(struct arena *a, struct span *s, struct span word, struct changes *c)
{
	const char *list[CHANGES_MAX];
	bool undone = word_is(word, revert_words);
	size_t n = 0;
	struct span ahead;

	if (undone && !word_past(s, small_words, &word))
		return -1;
	if (!undone && word.p[0] == '"') {
		if (!word_next(s, &ahead) || !word_is(ahead, applied_words) || c->n_applies == CHANGES_MAX)
			return -1;
		c->applies[c->n_applies++].title = unquoted(a, word);
		return 0;
	}
	if (!is_hash(word) || hash_list(a, s, word, list, &n))
		return -1;
	ahead = *s;
	if (word_next(&ahead, &word) && word_is(word, undone_words)) {
		*s = ahead;
	} else if (!undone && word_is(word, applied_words)) {
		for (size_t i = 0; i < n; i++) {
			if (c->n_applies == CHANGES_MAX)
				return -1;
			c->applies[c->n_applies++].title = list[i];
		}
		*s = ahead;
		return 0;
	} else if (!undone) {
		return -1;
	}
	for (size_t i = 0; i < n; i++) {
		if (c->n_reverts == CHANGES_MAX)
			return -1;
		c->reverts[c->n_reverts++] = list[i];
	}
	return 0;
}

/* "revert-HASH" and "apply-SLUG" of a canonical name. False: it is neither. */
static bool canonical_read(struct arena *a, struct span word, struct changes *c)
{
	if (span_starts(word, "revert-") && is_hash(span_from(word, 7)) && c->n_reverts < CHANGES_MAX) {
		c->reverts[c->n_reverts++] = arena_strndup(a, word.p + 7, word.n - 7);
		return true;
	}
	if (span_starts(word, "apply-") && word.n > 6 && c->n_applies < CHANGES_MAX) {
		c->applies[c->n_applies++].title = arena_strndup(a, word.p + 6, word.n - 6);
		return true;
	}
	return false;
}

int kernel_phrase_read(struct arena *a, struct kernel *k, const char *phrase, struct err *err)
{
	struct changes *c = arena_zalloc(a, sizeof(*c));
	struct span s = span_of(phrase), word;

	if (strchr(phrase, '(') == phrase + strspn(phrase, " ") && phrase[strlen(phrase) - 1] == ')') {
		s = span_from(s, strspn(phrase, " ") + 1); /* (with X reverted) */
		s.n--;
	}
	while (word_next(&s, &word)) {
		if (word_is(word, connectors) || word_is(word, small_words))
			continue;
		if (!canonical_read(a, word, c) && clause_read(a, &s, word, c))
			return err_set(err, ERR_INVALID, "\"%s\" behind %s says nothing known: " EXPECTED,
				       kernel_words_cut(a, phrase + strspn(phrase, " ")),
				       kernel_words_cut(a, k->name));
	}
	if (!c->n_reverts && !c->n_applies)
		return err_set(err, ERR_INVALID, "nothing is said behind %s: " EXPECTED,
			       kernel_words_cut(a, k->name));
	return kernel_make_variant(a, k, c->reverts, c->n_reverts, c->applies, c->n_applies, err);
}
