/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "curl.h"

#include <dlfcn.h>
#include <string.h>

/* As systems name it; the last is Debian's other build of the same, with the same functions. */
static const char *const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4" };

static struct curl functions;

#define AT(field) offsetof(struct curl, field)

/* clang-format off: a table */
static const struct {
	const char *name;
	size_t at;
} symbols[] = {
	{ "curl_global_init", AT(global_init) },
	{ "curl_easy_init", AT(easy_init) },
	{ "curl_easy_cleanup", AT(easy_cleanup) },
	{ "curl_easy_reset", AT(easy_reset) },
	{ "curl_easy_setopt", AT(easy_setopt) },
	{ "curl_easy_perform", AT(easy_perform) },
	{ "curl_easy_getinfo", AT(easy_getinfo) },
	{ "curl_easy_strerror", AT(easy_strerror) },
	{ "curl_slist_append", AT(slist_append) },
	{ "curl_slist_free_all", AT(slist_free_all) },
	{ "curl_getdate", AT(getdate) },
};
/* clang-format on */

static int find_all(void *library, struct err *err)
{
	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
		void *symbol = dlsym(library, symbols[i].name);

		if (!symbol)
			return err_set(err, ERR_SETUP, "the libcurl here has no %s: a newer one is needed", symbols[i].name);
		memcpy((char *)&functions + symbols[i].at, &symbol, sizeof(symbol)); /* POSIX lets it be a function */
	}
	return 0;
}

const struct curl *curl_open(struct err *err)
{
	static bool opened;
	void *library = NULL;

	if (opened)
		return &functions;
	for (size_t i = 0; !library && i < sizeof(names) / sizeof(*names); i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		err_set(err, ERR_SETUP, "talking to a server needs libcurl, which is not here: install it (Debian and Ubuntu: libcurl4, "
			"Fedora and RHEL: libcurl, SUSE: libcurl4). collect, bench, parse, compare --local and bisect with files "
			"need none");
		return NULL;
	}
	if (find_all(library, err)) {
		dlclose(library);
		return NULL;
	}
	opened = true;
	return &functions;
}
