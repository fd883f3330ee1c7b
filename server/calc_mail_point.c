/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_mail_point.h"

#include <string.h>

#include "../ingest/jread.h"
#include "calc_words.h"

#define CULPRIT_PERCENT 50	/* a revert that restores less points at something else as well */

/* A ref or hash that cannot be anything but one word. */
static bool is_word(const char *s)
{
	return *s && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_") == strlen(s);
}

const char *calc_mail_point(struct arena *a, const struct cat_kernel *k)
{
	const char *tag = calc_words_kernel(a, k);
	struct err ignored = { 0 };
	struct kernel parsed;

	if (tag != k->name && is_word(tag))	/* an upstream tag: it has its v */
		return tag;
	if (!strcmp(k->track, "next") && is_word(k->name))
		return k->name;
	if (k->commit && is_word(k->commit))
		return arena_strndup(a, k->commit, 12);
	if (!kernel_parse(a, k->name, &parsed, &ignored) && parsed.hash && is_word(parsed.hash))
		return parsed.hash;
	if (k->base[0] < '0' || k->base[0] > '9')
		return is_word(k->name) ? k->name : "unknown";
	return k->rc ? arena_printf(a, "v%s-rc%d", k->base, k->rc) : arena_printf(a, "v%s", k->base);
}

const char *calc_mail_reverted(struct arena *a, const struct cat_kernel *k)
{
	struct jread_slice whole = { k->variant, k->variant ? strlen(k->variant) : 0, 1 };
	struct err ignored = { 0 };
	const char *hash = NULL;
	struct jnode *root;
	bool syntax;

	if (!k->is_variant || !k->variant)
		return NULL;
	root = jread_parse(&whole, &syntax, &ignored);
	if (jread_len(jread_get(root, "reverts")) == 1 && !jread_len(jread_get(root, "applies")))
		hash = jread_str(jread_at(jread_get(root, "reverts"), 0));
	hash = hash && is_word(hash) ? arena_strdup(a, hash) : NULL;
	jread_free(root);
	return hash;
}

const char *calc_mail_introduced(struct arena *a, const struct calc_mail *m)
{
	for (size_t i = 0; i < m->n_fixes; i++) {
		const char *hash = calc_mail_reverted(a, m->fixes[i].kernel);

		if (hash && m->fixes[i].restored >= CULPRIT_PERCENT)
			return hash;
	}
	return arena_printf(a, "%s..%s", calc_mail_point(a, m->alert->from), calc_mail_point(a, m->alert->to));
}
