/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A text that names a kernel -> struct kernel: what kind of text it is, and whether it may be one. */
#include "kernel.h"

#include "../lib/utf8.h"
#include "kernel_impl.h"

/* The first thing that is wrong with the bytes of a text, or NULL. */
static const char *bytes_problem(const char *s)
{
	size_t n = strlen(s);

	if (n > KERNEL_NAME_MAX)
		return "it is longer than 400 bytes";
	if (!n)
		return "it is empty";
	if (*s == ' ' || s[n - 1] == ' ')
		return "it begins or ends with a blank";
	if (utf8_good(s, n) < n)
		return "it is no valid UTF-8";
	for (const unsigned char *p = (const unsigned char *)s; *p; p++)
		if (*p < 0x20 || *p == 0x7f || (*p == 0xc2 && p[1] < 0xa0))
			return "it has control bytes";
	return NULL;
}

static bool is_version(const char *s)
{
	return char_is_digit(s[*s == 'v']);
}

/*
 * "Linux version 6.17.0-rc1 (builder@host) #1 SMP", "Linux host 6.17.0-rc1 #1 SMP ...":
 * the release in it. "Linux v6.17 with ...": all behind Linux.
 */
static const char *without_banner(struct arena *a, const char *text)
{
	const char *s = text;

	if (strncmp(s, "Linux ", 6))
		return text;
	s += 6;
	if (is_version(s))
		return s;
	s += strcspn(s, " ");
	s += strspn(s, " ");
	return is_version(s) ? arena_strndup(a, s, strcspn(s, " ")) : text;
}

static int name_check(struct arena *a, const char *name, struct err *err)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.+-_~:^@,=");

	if (name[n])
		return err_set(err, ERR_INVALID,
			       "\"%s\" is no kernel: a name has letters, digits and .+-_~:^@,= only",
			       kernel_words_cut(a, name));
	return 0;
}

static int base_parse(struct arena *a, const char *name, struct kernel *k, struct err *err)
{
	struct kernel_name nm = { .a = a, .k = k };

	if (name_check(a, name, err))
		return -1;
	nm.text = name + (name[0] == 'v' && is_version(name));
	return kernel_name_read(&nm, err);
}

int kernel_parse(struct arena *a, const char *text, struct kernel *k, struct err *err)
{
	const char *problem = bytes_problem(text), *phrase, *name;
	size_t base_len;

	*k = (struct kernel){ 0 };
	if (problem)
		return err_set(err, ERR_INVALID, "a kernel's name: %s", problem);
	k->release = arena_strdup(a, text);
	name = without_banner(a, k->release);
	phrase = kernel_phrase_find(name, &base_len);
	if (!phrase)
		return base_parse(a, name, k, err);
	if (base_parse(a, arena_strndup(a, name, base_len), k, err))
		return -1;
	return kernel_phrase_read(a, k, phrase, err);
}
