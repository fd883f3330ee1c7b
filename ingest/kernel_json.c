/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel_json.h"

void kernel_json_variant(struct jsonw *j, const struct kernel *k)
{
	if (!k->is_variant) {
		jsonw_null(j);
		return;
	}
	jsonw_object(j);
	jsonw_kstr(j, "base", k->variant_base);
	jsonw_key(j, "reverts");
	jsonw_array(j);
	for (size_t i = 0; i < k->n_reverts; i++)
		jsonw_str(j, k->reverts[i]);
	jsonw_array_end(j);
	jsonw_key(j, "applies");
	jsonw_array(j);
	for (size_t i = 0; i < k->n_applies; i++) {
		jsonw_object(j);
		if (k->applies[i].title)
			jsonw_kstr(j, "title", k->applies[i].title);
		if (k->applies[i].url)
			jsonw_kstr(j, "url", k->applies[i].url);
		jsonw_object_end(j);
	}
	jsonw_array_end(j);
	jsonw_object_end(j);
}
