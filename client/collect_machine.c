/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine: CPU, how many, memory, virtualised or not. */
#include "collect_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_id(struct jsonw *j, const char *key, long id)
{
	if (id >= 0)
		jsonw_ki64(j, key, id);
}

static void put_hex(struct collect *c, const char *key, long id)
{
	if (id >= 0)
		jsonw_kstr(c->j, key, arena_printf(c->a, "0x%lx", id)); /* as /proc/cpuinfo prints it */
}

static void put_cpu(struct collect *c)
{
	const struct cpu_id *cpu = &c->cpu;

	if (!cpu->vendor && !cpu->other && !cpu->model_name) {
		collect_leave_out(c, "cpu", "/proc/cpuinfo says nothing of it");
		return;
	}
	jsonw_key(c->j, "cpu");
	jsonw_object(c->j);
	if (cpu->vendor)
		jsonw_kstr(c->j, "vendor", cpu->vendor);
	put_id(c->j, "family", cpu->family);
	put_id(c->j, "model", cpu->model);
	put_id(c->j, "stepping", cpu->stepping);
	put_hex(c, "part", cpu->part);
	put_hex(c, "variant", cpu->variant);
	if (cpu->other)
		jsonw_kstr(c->j, "other", cpu->other);
	if (cpu->model_name)
		jsonw_kstr(c->j, "model_name", cpu->model_name);
	jsonw_object_end(c->j);
}

/* How many numbers are in a list as "0-3,8,10-11"; 0: it is none. */
static long list_count(const char *list)
{
	long n = 0;

	while (list && *list) {
		char *end;
		long from = strtol(list, &end, 10), to = from;

		if (end == list)
			return 0;
		if (*end == '-') {
			list = end + 1;
			to = strtol(list, &end, 10);
		}
		if (to < from || end == list)
			return 0;
		n += to - from + 1;
		list = end + (*end == ',');
		if (*end && *end != ',')
			return 0;
	}
	return n;
}

static void put_cpus(struct collect *c)
{
	const char *online = collect_text(c, "/sys/devices/system/cpu/online");
	long n = list_count(online);

	for (const char *s = n ? NULL : strstr(c->cpuinfo, "processor"); s; s = strstr(s + 1, "\nprocessor"))
		n++;
	if (n > 0)
		jsonw_ki64(c->j, "cpus", n);
	else
		collect_leave_out(c, "cpus",
				  "neither /sys/devices/system/cpu/online nor /proc/cpuinfo says it");
}

/* Counts distinct texts. */
static void see(const char **seen, size_t *n, const char *text)
{
	for (size_t i = 0; i < *n; i++)
		if (!strcmp(seen[i], text))
			return;
	seen[(*n)++] = text;
}

static void put_sockets(struct collect *c)
{
	size_t n_cpus, n = 0, lines = 0;
	const char **cpus = collect_names(c, "cpu[0-9]*", &n_cpus, "/sys/devices/system/cpu");
	const char **seen;

	for (const char *s = c->cpuinfo; (s = strstr(s, "physical id")) != NULL; s++)
		lines++;
	seen = arena_array(c->a, const char *, n_cpus + lines + 1);
	for (size_t i = 0; i < n_cpus; i++) {
		const char *id =
			collect_text(c, "/sys/devices/system/cpu/%s/topology/physical_package_id", cpus[i]);

		if (id && *id != '-') /* -1: the firmware does not say */
			see(seen, &n, id);
	}
	for (const char *s = n ? NULL : c->cpuinfo; s && (s = strstr(s, "physical id")) != NULL; s++)
		see(seen, &n, collect_line(c, s, "physical id"));
	if (n)
		jsonw_ki64(c->j, "sockets", (int64_t)n);
	else
		collect_leave_out(c, "sockets",
				  "neither .../cpu0/topology/physical_package_id nor /proc/cpuinfo says it");
}

static void put_memory(struct collect *c)
{
	const char *text = collect_text(c, "/proc/meminfo");
	const char *total = collect_line(c, text, "MemTotal");
	long long kib = total ? strtoll(total, NULL, 10) : 0;

	if (kib > 0)
		jsonw_ki64(c->j, "memory_kib", kib);
	else
		collect_leave_out(c, "memory_kib", "/proc/meminfo has no MemTotal");
}

/* A word among blanks. */
static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *s = text; s && (s = strstr(s, word)) != NULL; s += n)
		if ((s == text || s[-1] == ' ') && (!s[n] || s[n] == ' '))
			return true;
	return false;
}

/* What a hypervisor lets its guests' firmware say; NULL for anything else. */
static const char *hypervisor_of_dmi(struct collect *c)
{
	static const struct {
		const char *text, *name;
	} known[] = {
		{ "KVM", "kvm" },
		{ "QEMU", "qemu" },
		{ "Bochs", "qemu" },
		{ "OpenStack", "kvm" },
		{ "oVirt", "kvm" },
		{ "KubeVirt", "kvm" },
		{ "Amazon EC2", "amazon" },
		{ "Google Compute", "google" },
		{ "Microsoft Corporation Virtual", "microsoft" },
		{ "VMware", "vmware" },
		{ "VMW", "vmware" },
		{ "innotek GmbH", "oracle" },
		{ "VirtualBox", "oracle" },
		{ "Xen", "xen" },
		{ "Parallels", "parallels" },
		{ "BHYVE", "bhyve" },
		{ "Apple Virtualization", "apple" },
	};
	static const char *const files[] = { "sys_vendor", "product_name", "product_version", "bios_vendor" };
	const char *all = "";

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		const char *text = collect_text(c, "/sys/class/dmi/id/%s", files[i]);

		all = text ? arena_printf(c->a, "%s%s ", all, text) : all;
	}
	if (strstr(all, "Amazon EC2") && strstr(all, ".metal"))
		return NULL; /* the cloud's name on a machine of its own */
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strstr(all, known[i].text))
			return known[i].name;
	return NULL;
}

/* The hypervisor's name, as far as files say it without privileges. */
const char *collect_hypervisor(struct collect *c)
{
	const char *type = collect_text(c, "/sys/hypervisor/type");
	const char *sysinfo = collect_text(c, "/proc/sysinfo");
	const char *program = collect_line(c, sysinfo, "VM00 Control Program");
	const char *tree = collect_text(c, "/proc/device-tree/hypervisor/compatible");

	if (program) /* s390x */
		return strstr(program, "KVM") ? "kvm" : "zvm";
	if (tree)
		return strstr(tree, "xen") ? "xen" : tree;
	return type ? type : hypervisor_of_dmi(c);
}

static void put_virtualized(struct collect *c)
{
	const char *flags = collect_line(c, c->cpuinfo, "flags"); /* x86 */

	if (collect_hypervisor(c) || has_word(flags, "hypervisor"))
		jsonw_kbool(c->j, "virtualized", true);
	else if (flags)
		jsonw_kbool(c->j, "virtualized", false); /* else CPUID would have the flag */
	else
		collect_leave_out(c, "virtualized", "no file of this architecture tells");
}

void collect_machine(struct collect *c, const char *name)
{
	const char *uarch;

	if (name)
		jsonw_kstr(c->j, "name", name);
	else
		collect_leave_out(c, "machine name", "give --machine NAME");
	if (c->isa) {
		jsonw_kstr(c->j, "isa", c->isa);
		c->cpu.isa = c->isa;
	} else {
		collect_leave_out(c, "isa", "/proc/sys/kernel/arch and /proc/cpuinfo do not say it");
	}
	uarch = uarch_slug(&c->cpu);
	if (uarch)
		jsonw_kstr(c->j, "uarch", uarch);
	else
		collect_leave_out(c, "uarch",
				  "the ids of this CPU are not known: give --uarch NAME with push");
	put_cpu(c);
	put_cpus(c);
	put_sockets(c);
	put_memory(c);
	put_virtualized(c);
}
