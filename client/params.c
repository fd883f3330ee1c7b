/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "params.h"

#include <string.h>

#include "../lib/buf.h"

static const char *unit_of(const char *name)
{
	static const struct { const char *end, *unit; } units[] = {
		{ "_kib", "KiB" }, { "_mib", "MiB" }, { "_gib", "GiB" }, { "_bytes", "B" }, { "_kb", "kB" },
		{ "_pages", "pages" }, { "_ns", "ns" }, { "_us", "us" }, { "_ms", "ms" }, { "_percent", "%" },
	};
	const char *end = strrchr(name, '_');

	for (size_t i = 0; end && end != name && i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(end, units[i].end))
			return units[i].unit;
	return NULL;
}

const char *params_text(struct arena *a, const struct jnode *object)
{
	const char *all = "";

	for (const struct jmember *m = jread_first(object); m; m = jread_next(object, m)) {
		const struct jnode *v = jread_value(m);
		const char *unit = jread_len(object) == 1 ? unit_of(jread_key(m)) : NULL, *value;
		struct buf b;

		buf_init(&b);
		jread_canonical(v, NULL, &b);
		value = jread_str(v) ? jread_str(v) : b.p;
		all = unit ? arena_printf(a, "%s %s", value, unit)
			   : arena_printf(a, "%s%s%s=%s", all, *all ? " " : "", jread_key(m), value);
		buf_fini(&b);
	}
	return all;
}
