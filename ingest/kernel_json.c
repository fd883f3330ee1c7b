/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel_json.h"

void kernel_json_variant(struct json *j, const struct kernel *k)
{
	if (!k->is_variant) {
		json_null(j);
		return;
	}
	json_object(j);
	json_kstr(j, "base", k->variant_base);
	json_key(j, "reverts");
	json_array(j);
	for (size_t i = 0; i < k->n_reverts; i++)
		json_str(j, k->reverts[i]);
	json_array_end(j);
	json_key(j, "applies");
	json_array(j);
	for (size_t i = 0; i < k->n_applies; i++) {
		json_object(j);
		if (k->applies[i].title)
			json_kstr(j, "title", k->applies[i].title);
		if (k->applies[i].url)
			json_kstr(j, "url", k->applies[i].url);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}
