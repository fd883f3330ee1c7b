/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_words.h"

#include <string.h>

#include "../ingest/jread.h"

const char *calc_words_base_page(struct arena *a, const struct cat_config *c)
{
	return c->base_page_kib ? arena_printf(a, "%d", c->base_page_kib) : NULL;
}

const char *calc_words_where(struct arena *a, const struct cat_series *s)
{
	const char *page = s->config->base_page_kib ?
		arena_printf(a, ", base page %d KiB", s->config->base_page_kib) : "";

	return arena_printf(a, "%s (%s, %s), THP %s%s%s%s", s->machine->name, s->machine->uarch, s->machine->isa,
			    s->config->thp, page, *s->config->flavour ? ", flavour " : "", s->config->flavour);
}

const char *calc_words_metric(struct arena *a, const struct cat_series *s)
{
	static const char *const better[] = {
		[BETTER_NEUTRAL] = "neither is better", [BETTER_LOWER] = "lower is better",
		[BETTER_HIGHER] = "higher is better",
	};

	return arena_printf(a, "%s %s (%s, %s)", s->benchmark->name, s->metric->name, s->metric->unit,
			    better[s->metric->better]);
}

bool calc_words_is_generated(const char *machine)
{
	return !strncmp(machine, "generated-", strlen("generated-"));
}

const char *calc_words_generated(const char *const *machines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (calc_words_is_generated(machines[i]))
			return "Generated data: the figures of generated-* come from a generator, not from machines.";
	return NULL;
}

const char *calc_words_axis_unit(const char *name)
{
	static const struct { const char *end, *unit; } units[] = {
		{ "_kib", "KiB" }, { "_mib", "MiB" }, { "_gib", "GiB" }, { "_bytes", "B" }, { "_kb", "kB" },
		{ "_pages", "pages" }, { "_ns", "ns" }, { "_us", "us" }, { "_ms", "ms" }, { "_percent", "%" },
	};
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		size_t e = strlen(units[i].end);

		if (n > e && !strcmp(name + n - e, units[i].end))
			return units[i].unit;
	}
	return "";
}

const char *calc_words_axis_head(struct arena *a, const char *name)
{
	const char *end = strrchr(name, '_');

	return *calc_words_axis_unit(name) ? arena_strndup(a, name, (size_t)(end - name)) : name;
}

const char *calc_words_axis_value(struct arena *a, const char *name, const char *value)
{
	const char *unit = calc_words_axis_unit(name);

	return arena_printf(a, "%s%s%s", value, *unit ? " " : "", unit);
}

const char *calc_words_params(struct arena *a, const struct cat_series *s, const char *without)
{
	const char *text = "";

	for (size_t i = 0; i < s->n_params; i++)
		if (!without || strcmp(s->param[i].name, without))
			text = arena_printf(a, "%s%s%s=%s", text, *text ? " " : "", s->param[i].name,
					    s->param[i].text);
	return text;
}

bool calc_words_is_time(const char *unit)
{
	return !strcmp(unit, "ns") || !strncmp(unit, "ns/", 3);
}

const char *calc_words_moved(const struct cat_metric *m, bool up)
{
	if (m->better == BETTER_NEUTRAL)
		return up ? "higher" : "lower";
	if (m->better == BETTER_LOWER && calc_words_is_time(m->unit))
		return up ? "slower" : "faster";
	return up == (m->better == BETTER_HIGHER) ? "better" : "worse";
}

/* v6.16, v6.17-rc1, v6.16.3: names that are tags of upstream trees. */
static bool is_tag(const struct cat_kernel *k)
{
	return !k->is_variant && !k->distance && (!strcmp(k->track, "mainline") || !strncmp(k->track, "stable-", 7)) &&
	       strspn(k->name, "0123456789.rc-") == strlen(k->name);
}

/* "with cac1db8c3aad reverted", "with \"mm: fix it\" applied". */
static const char *variant_words(struct arena *a, const struct jnode *variant)
{
	const struct jnode *reverts = jread_get(variant, "reverts"), *applies = jread_get(variant, "applies");
	const char *text = "";

	for (size_t i = 0; i < jread_len(reverts); i++)
		text = arena_printf(a, "%s%s%.12s", text, i ? ", " : " with ", jread_str(jread_at(reverts, i)));
	if (*text)
		text = arena_printf(a, "%s reverted", text);
	for (size_t i = 0; i < jread_len(applies); i++) {
		const char *title = jread_str(jread_get(jread_at(applies, i), "title"));
		const char *url = jread_str(jread_get(jread_at(applies, i), "url"));

		text = arena_printf(a, "%s%s \"%s\"", text, i ? "," : *text ? " and" : " with", title ? title : url ? url : "?");
	}
	return jread_len(applies) ? arena_printf(a, "%s applied", text) : text;
}

const char *calc_words_kernel(struct arena *a, const struct cat_kernel *k)
{
	struct jread_slice whole = { k->variant, k->variant ? strlen(k->variant) : 0, 1 };
	struct err ignored = { 0 };
	struct jnode *root;
	const char *base, *text;
	bool syntax;

	if (!k->is_variant || !k->variant)
		return is_tag(k) ? arena_printf(a, "v%s", k->name) : k->name;
	root = jread_parse(&whole, &syntax, &ignored);
	base = jread_str(jread_get(root, "base"));
	text = base && *variant_words(a, root) ? arena_printf(a, "%s%s%s", base[0] >= '0' && base[0] <= '9' &&
			strspn(base, "0123456789.rc-") == strlen(base) ? "v" : "", base, variant_words(a, root)) : k->name;
	jread_free(root);
	return text;
}
