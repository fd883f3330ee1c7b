/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU ids to micro-architecture slugs: how each architecture names itself; the facts are in uarch_table.h. */
#include "uarch.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "uarch_table.h"

#define ROWS(table) (sizeof(table) / sizeof(*(table)))

static bool fits_here(const char *s, const char *pattern)
{
	for (; *pattern; s++, pattern++)
		if (*pattern == '#' ? !isalnum((unsigned char)*s) : *s != *pattern)
			return false;
	return true;
}

/* Is the pattern somewhere in the name? */
static bool has(const char *name, const char *pattern)
{
	for (; name && *name; name++)
		if (fits_here(name, pattern))
			return true;
	return false;
}

/* The vendor, as CPUID spells it; labs write "AMD" and "Intel" too. */
static const char *x86_vendor(const struct cpu_id *cpu)
{
	static const struct {
		const char *word, *vendor;
	} words[] = { { "AuthenticAMD", "AuthenticAMD" }, { "AMD", "AuthenticAMD" },
		      { "GenuineIntel", "GenuineIntel" }, { "Intel", "GenuineIntel" },
		      { "HygonGenuine", "HygonGenuine" }, { "Hygon", "HygonGenuine" } };

	for (size_t i = 0; i < ROWS(words); i++)
		if (cpu->vendor ? !strcasecmp(cpu->vendor, words[i].word)
				: has(cpu->model_name, words[i].word))
			return words[i].vendor;
	return NULL;
}

static const char *x86_slug(const struct cpu_id *cpu)
{
	const char *vendor = x86_vendor(cpu);

	for (size_t i = 0; vendor && i < ROWS(x86_rows); i++) {
		const struct x86_row *r = &x86_rows[i];

		if (strcmp(vendor, r->vendor) || cpu->family != r->family ||
		    (r->model != ANY && cpu->model != r->model))
			continue;
		if (r->step_min != ANY && (cpu->stepping < r->step_min || cpu->stepping > r->step_max))
			continue;
		if (!r->name || has(cpu->model_name, r->name))
			return r->slug;
	}
	return NULL;
}

/* A number with its base as C writes it, after `key` and blanks, colons or equals signs. */
static bool number_after(const char *text, const char *key, int base, unsigned long long *out)
{
	const char *s = text ? strstr(text, key) : NULL;
	char *end;

	if (!s)
		return false;
	s += strlen(key);
	s += strspn(s, " \t:=");
	*out = strtoull(s, &end, base);
	return end != s;
}

static const char *arm_slug(const struct cpu_id *cpu)
{
	static const struct {
		const char *word;
		long implementer;
	} words[] = { { "ARM", 0x41 },	     { "Broadcom", 0x42 },  { "Cavium", 0x43 },	 { "Fujitsu", 0x46 },
		      { "HiSilicon", 0x48 }, { "NVIDIA", 0x4e },    { "APM", 0x50 },	 { "Qualcomm", 0x51 },
		      { "Apple", 0x61 },     { "Microsoft", 0x6d }, { "Phytium", 0x70 }, { "Ampere", 0xc0 } };
	long implementer = cpu->vendor ? strtol(cpu->vendor, NULL, 0) : -1;

	for (size_t i = 0; cpu->vendor && i < ROWS(words); i++)
		if (!strcasecmp(cpu->vendor, words[i].word))
			implementer = words[i].implementer;
	for (size_t i = 0; i < ROWS(arm_rows); i++)
		if (arm_rows[i].implementer == implementer && arm_rows[i].part == cpu->part)
			return arm_rows[i].slug;
	return NULL;
}

/* "Apple M3", "Neoverse-N1": a name that is a slug but for case and blanks. */
static const char *arm_name_slug(const char *name)
{
	for (size_t i = 0; name && i < ROWS(arm_names); i++) {
		const char *s = name, *t = arm_names[i];

		while (*s && *t && (tolower((unsigned char)*s) == *t || (*s == ' ' && *t == '-')))
			s++, t++;
		if (!*s && !*t)
			return arm_names[i];
	}
	return NULL;
}

static const char *number_slug(const struct number_row *rows, size_t n, unsigned long long id)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].id == id)
			return rows[i].slug;
	return NULL;
}

static const char *riscv_slug(const struct cpu_id *cpu)
{
	unsigned long long vendor, arch;

	if (!number_after(cpu->vendor, "mvendorid", 0, &vendor) &&
	    !number_after(cpu->other, "mvendorid", 0, &vendor) && !number_after(cpu->vendor, "", 0, &vendor))
		return NULL;
	if (!number_after(cpu->other, "marchid", 0, &arch))
		return NULL;
	for (size_t i = 0; i < ROWS(riscv_rows); i++)
		if (riscv_rows[i].vendor == vendor && riscv_rows[i].arch == arch)
			return riscv_rows[i].slug;
	return NULL;
}

static const char *id_slug(const struct cpu_id *cpu)
{
	unsigned long long id;

	if (!strcmp(cpu->isa, "x86_64") || !strcmp(cpu->isa, "i686"))
		return x86_slug(cpu);
	if (!strcmp(cpu->isa, "aarch64"))
		return arm_slug(cpu);
	if (!strncmp(cpu->isa, "ppc64", 5) && number_after(cpu->other, "pvr", 16, &id))
		return number_slug(power_rows, ROWS(power_rows), id);
	if (!strcmp(cpu->isa, "s390x") && number_after(cpu->other, "machine", 10, &id))
		return number_slug(s390_rows, ROWS(s390_rows), id);
	if (!strcmp(cpu->isa, "riscv64"))
		return riscv_slug(cpu);
	return NULL;
}

/* Where a lab says no isa, the kind of ids it gives does. */
static const char *isa_of(const struct cpu_id *cpu)
{
	if (cpu->isa)
		return cpu->isa;
	if (cpu->family >= 0 || (cpu->vendor && x86_vendor(cpu)))
		return "x86_64";
	if (cpu->part >= 0)
		return "aarch64";
	if (cpu->other && strstr(cpu->other, "pvr"))
		return "ppc64le";
	if (cpu->other && strstr(cpu->other, "machine"))
		return "s390x";
	if (cpu->other && strstr(cpu->other, "marchid"))
		return "riscv64";
	return cpu->model_name && arm_name_slug(cpu->model_name) ? "aarch64" : NULL;
}

const char *uarch_slug(const struct cpu_id *cpu)
{
	struct cpu_id id = *cpu;
	const char *slug;

	id.isa = isa_of(cpu);
	if (!id.isa)
		return NULL;
	slug = id_slug(&id);
	if (slug)
		return slug;
	for (size_t i = 0; i < ROWS(name_rows); i++)
		if (!strcmp(id.isa, name_rows[i].isa) &&
		    (has(id.model_name, name_rows[i].name) || has(id.other, name_rows[i].name)))
			return name_rows[i].slug;
	return strcmp(id.isa, "aarch64") ? NULL : arm_name_slug(id.model_name);
}
