/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calc_words.h"

#include <string.h>

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
