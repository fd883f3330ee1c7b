/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpuinfo.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Fields of all architectures; the first line of each counts. */
enum field {
	F_VENDOR,
	F_FAMILY,
	F_MODEL,
	F_STEPPING,
	F_NAME,
	F_IMPLEMENTER,
	F_PART,
	F_VARIANT,
	F_PVR,
	F_UARCH,
	F_VENDOR_ID,
	F_ARCH_ID,
	F_MACHINE,
	F_HW,
	FIELDS
};

static const char *const keys[FIELDS] = {
	[F_VENDOR] = "vendor_id",    [F_FAMILY] = "cpu family",
	[F_MODEL] = "model",	     [F_STEPPING] = "stepping",
	[F_NAME] = "model name",     [F_IMPLEMENTER] = "CPU implementer",
	[F_PART] = "CPU part",	     [F_VARIANT] = "CPU variant",
	[F_PVR] = "revision",	     [F_UARCH] = "uarch",
	[F_VENDOR_ID] = "mvendorid", [F_ARCH_ID] = "marchid",
	[F_MACHINE] = "processor 0", [F_HW] = "cpu",
};

static void line_read(struct arena *a, const char *line, size_t n, const char *value[FIELDS])
{
	const char *colon = memchr(line, ':', n), *s;
	size_t key;

	if (!colon)
		return;
	key = (size_t)(colon - line);
	while (key && strchr(" \t", line[key - 1]))
		key--;
	s = colon + 1;
	while (s < line + n && strchr(" \t", *s))
		s++;
	for (int f = 0; f < FIELDS; f++)
		if (!value[f] && strlen(keys[f]) == key && !memcmp(keys[f], line, key))
			value[f] = arena_strndup(a, s, n - (size_t)(s - line));
}

static long number(const char *text)
{
	char *end;
	long v;

	if (!text)
		return -1;
	v = strtol(text, &end, 0);
	return end == text ? -1 : v;
}

void cpuinfo_read(struct arena *a, const char *text, struct cpu_id *cpu)
{
	const char *value[FIELDS] = { NULL };

	for (const char *s = text; *s;) {
		size_t n = strcspn(s, "\n");

		line_read(a, s, n, value);
		s += n + (s[n] == '\n');
	}
	*cpu = CPU_ID_NONE;
	cpu->model_name = value[F_NAME];
	if (value[F_IMPLEMENTER]) {
		cpu->isa = "aarch64";
		cpu->vendor = value[F_IMPLEMENTER];
		cpu->part = number(value[F_PART]);
		cpu->variant = number(value[F_VARIANT]);
	} else if (value[F_PVR] && strstr(value[F_PVR], "pvr")) {
		cpu->isa = "ppc64le"; /* or ppc64: the ids are the same */
		cpu->model_name = value[F_HW];
		cpu->other = value[F_PVR];
	} else if (value[F_MACHINE] && strstr(value[F_MACHINE], "machine")) {
		cpu->isa = "s390x";
		cpu->vendor = value[F_VENDOR];
		cpu->other = strstr(value[F_MACHINE], "machine");
	} else if (value[F_UARCH] || value[F_ARCH_ID]) {
		cpu->isa = "riscv64";
		cpu->vendor = value[F_VENDOR_ID];
		cpu->other = arena_printf(a, "marchid %s uarch %s", value[F_ARCH_ID] ? value[F_ARCH_ID] : "?",
					  value[F_UARCH] ? value[F_UARCH] : "?");
	} else if (value[F_VENDOR]) {
		cpu->isa = "x86_64";
		cpu->vendor = value[F_VENDOR];
		cpu->family = number(value[F_FAMILY]);
		cpu->model = number(value[F_MODEL]);
		cpu->stepping = number(value[F_STEPPING]);
	}
}
