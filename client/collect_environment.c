/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration that makes results comparable or not, and the rest of the environment. */
#include "collect_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <zlib.h>

#include "../lib/ident.h"
#include "file.h"

#define THP "/sys/kernel/mm/transparent_hugepage"
#define CPU "/sys/devices/system/cpu"

/* ---- config ---- */

static void thp_file(struct collect *c, const char *name)
{
	const char *text = collect_text(c, THP "/%s", name);

	if (text)
		jsonw_kstr(c->j, name, text);
}

static void put_thp(struct collect *c)
{
	size_t n;
	const char **sizes = collect_names(c, "hugepages-*", &n, THP);

	if (!sizes) {
		if (collect_exists(c, "/sys/kernel/mm"))
			jsonw_kstr(c->j, "thp", "none"); /* a kernel built without */
		else
			collect_leave_out(c, "thp", "%s: %s", THP, strerror(errno));
		return;
	}
	jsonw_key(c->j, "thp");
	jsonw_object(c->j);
	thp_file(c, "enabled");
	thp_file(c, "defrag");
	thp_file(c, "shmem_enabled");
	thp_file(c, "hpage_pmd_size");
	thp_file(c, "use_zero_page");
	for (size_t i = 0; i < n; i++) {
		thp_file(c, arena_printf(c->a, "%s/enabled", sizes[i]));
		thp_file(c, arena_printf(c->a, "%s/shmem_enabled", sizes[i]));
	}
#ifdef PR_GET_THP_DISABLE
	/* inherited over fork and exec: what holds for us held for a benchmark of the same shell */
	if (!*c->root && prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) > 0)
		jsonw_kstr(c->j, "prctl", arena_printf(c->a, "%d", prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0)));
#endif
	jsonw_object_end(c->j);
}

static void put_page(struct collect *c)
{
	const char *smaps = *c->root ? collect_text(c, "/proc/self/smaps") : NULL;
	const char *line = collect_line(c, smaps, "KernelPageSize");
	long kib = *c->root ? (line ? strtol(line, NULL, 10) : 0) : sysconf(_SC_PAGESIZE) / 1024;

	if (kib > 0)
		jsonw_ki64(c->j, "base_page_kib", kib);
	else
		collect_leave_out(c, "base_page_kib", "/proc/self/smaps has no KernelPageSize");
}

void collect_config(struct collect *c)
{
	put_thp(c);
	put_page(c);
}

/* ---- environment ---- */

/* One word for all CPUs, or how many have which: "performance", "performance 4, powersave 8". */
static const char *over_cpus(struct collect *c, const char *file)
{
	size_t n_cpus, n = 0;
	const char **cpus = collect_names(c, "cpu[0-9]*", &n_cpus, CPU), *all = "";
	const char **word = arena_array(c->a, const char *, n_cpus + 1);
	int *count = arena_array(c->a, int, n_cpus + 1);

	for (size_t i = 0; i < n_cpus; i++) {
		const char *text = collect_text(c, CPU "/%s/%s", cpus[i], file);
		size_t at = 0;

		while (text && at < n && strcmp(word[at], text))
			at++;
		if (!text)
			continue;
		n += at == n;
		word[at] = text;
		count[at]++;
	}
	for (size_t i = 0; n > 1 && i < n; i++)
		all = arena_printf(c->a, "%s%s%s %d", all, i ? ", " : "", word[i], count[i]);
	return n > 1 ? all : n ? word[0] : NULL;
}

static void put_cpufreq(struct collect *c)
{
	const char *governor = over_cpus(c, "cpufreq/scaling_governor");
	const char *driver = over_cpus(c, "cpufreq/scaling_driver");
	const char *no_turbo = collect_text(c, CPU "/intel_pstate/no_turbo");
	const char *boost = collect_text(c, CPU "/cpufreq/boost");

	if (governor)
		jsonw_kstr(c->j, "governor", governor);
	else
		collect_leave_out(c, "governor", CPU "/cpu*/cpufreq/scaling_governor: not there");
	if (driver)
		jsonw_kstr(c->j, "cpufreq_driver", driver);
	if (no_turbo)
		jsonw_kstr(c->j, "turbo", *no_turbo == '0' ? "on" : "off");
	else if (boost)
		jsonw_kstr(c->j, "turbo", *boost == '0' ? "off" : "on");
	else
		collect_leave_out(c, "turbo",
				  "neither " CPU "/intel_pstate/no_turbo nor " CPU "/cpufreq/boost is there");
}

static void put_mitigations(struct collect *c)
{
	size_t n;
	const char **names = collect_names(c, "*", &n, CPU "/vulnerabilities");

	if (!names) {
		collect_leave_out(c, "mitigations", CPU "/vulnerabilities: %s", strerror(errno));
		return;
	}
	jsonw_key(c->j, "mitigations");
	jsonw_object(c->j);
	for (size_t i = 0; i < n; i++) {
		const char *text = collect_text(c, CPU "/vulnerabilities/%s", names[i]);

		if (text)
			jsonw_kstr(c->j, names[i], text);
	}
	jsonw_object_end(c->j);
}

/* What built the kernel: the second pair of parentheses of "Linux version R (who) (gcc 14.2, GNU ld 2.43) #1 ...". */
static const char *compiler_of(struct arena *a, const char *version)
{
	const char *start = NULL, *end = NULL;
	int depth = 0, pair = 0;

	for (const char *p = version; p && *p && pair < 3; p++) {
		if (*p == '(' && !depth++ && ++pair == 2)
			start = p + 1;
		if (*p == ')' && depth && !--depth && pair == 2 && !end)
			end = p;
		if (*p == '#' && !depth)
			break; /* older kernels: one pair has both */
	}
	if (!start || !end)
		return NULL;
	for (const char *p = start; p < end; p++) { /* up to the comma before the linker */
		depth += (*p == '(') - (*p == ')');
		if (*p == ',' && !depth)
			end = p;
	}
	return arena_strndup(a, start, (size_t)(end - start));
}

static void put_kernel(struct collect *c)
{
	const char *version = collect_text(c, "/proc/version");
	const char *compiler = compiler_of(c->a, version);

	collect_put(c, "kernel_version", version, "/proc/version");
	if (compiler)
		jsonw_kstr(c->j, "compiler", compiler);
	else
		collect_leave_out(c, "compiler", "/proc/version does not say it");
	collect_put(c, "cmdline", collect_text(c, "/proc/cmdline"), "/proc/cmdline");
}

/* Adds what a gzip file holds: 0 or -1. */
static int gunzip_file(const char *path, struct buf *out)
{
	gzFile f = gzopen(path, "rbe");
	int n = -1;

	if (!f)
		return -1;
	while ((n = gzread(f, buf_reserve(out, 65536), 65536)) > 0) {
		out->len += (size_t)n;
		out->p[out->len] = 0;
	}
	return gzclose_r(f) || n < 0 ? -1 : 0;
}

/* The same text has the same hash, wherever it stands. */
static void put_config_hash(struct collect *c)
{
	const char *release = c->release && !strchr(c->release, '/') ? c->release : "";
	const char *const places[] = {
		"/proc/config.gz",
		arena_printf(c->a, "/boot/config-%s", release),
		arena_printf(c->a, "/lib/modules/%s/config", release),
		arena_printf(c->a, "/usr/lib/modules/%s/config", release),
	};
	uint8_t digest[32];
	char hex[65];
	struct buf text;
	bool found = false;

	buf_init(&text);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places) && !found; i++) {
		const char *path = arena_printf(c->a, "%s%s", c->root, places[i]);

		buf_clear(&text);
		found = !(i ? file_read(path, &text) : gunzip_file(path, &text)) && text.len;
	}
	if (found) {
		sha256(text.p, text.len, digest);
		hex_format(digest, sizeof(digest), hex);
		jsonw_kstr(c->j, "config_sha256", hex);
	} else {
		collect_leave_out(c, "config_sha256", "none of /proc/config.gz, %s, %s can be read",
				  places[1], places[2]);
	}
	buf_fini(&text);
}

static void put_firmware(struct collect *c)
{
	static const struct {
		const char *key, *file;
	} rows[] = {
		{ "vendor", "sys_vendor" },	    { "product", "product_name" },
		{ "board", "board_name" },	    { "bios_vendor", "bios_vendor" },
		{ "bios_version", "bios_version" }, { "bios_date", "bios_date" },
	};
	const char *model = collect_text(c, "/proc/device-tree/model");

	if (!collect_exists(c, "/sys/class/dmi/id") && !model) {
		collect_leave_out(c, "firmware", "neither /sys/class/dmi/id nor /proc/device-tree is there");
		return;
	}
	jsonw_key(c->j, "firmware");
	jsonw_object(c->j);
	if (model)
		jsonw_kstr(c->j, "model", model);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *text = collect_text(c, "/sys/class/dmi/id/%s", rows[i].file);

		if (text)
			jsonw_kstr(c->j, rows[i].key, text);
	}
	jsonw_object_end(c->j);
}

static void put_microcode(struct collect *c)
{
	const char *version = collect_line(c, c->cpuinfo, "microcode"); /* x86 */

	if (!version)
		version = collect_text(c, CPU "/cpu0/microcode/version");
	if (version)
		jsonw_kstr(c->j, "microcode", version);
	else if (!c->isa || !strcmp(c->isa, "x86_64") || !strcmp(c->isa, "i686"))
		collect_leave_out(c, "microcode", "/proc/cpuinfo does not say it");
}

void collect_environment(struct collect *c)
{
	static const struct {
		const char *key, *file;
	} words[] = {
		/* told where they are there; their absence is no news */
		{ "clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource" },
		{ "numa_nodes", "/sys/devices/system/node/online" },
		{ "tainted", "/proc/sys/kernel/tainted" },
		{ "randomize_va_space", "/proc/sys/kernel/randomize_va_space" },
		{ "numa_balancing", "/proc/sys/kernel/numa_balancing" },
	};
	static const char *const container[] = { "/.dockerenv", "/run/.containerenv",
						 "/run/systemd/container" };
	const char *name;
	bool inside = false;

	put_kernel(c);
	put_config_hash(c);
	put_cpufreq(c);
	collect_put(c, "smt", collect_text(c, CPU "/smt/control"), CPU "/smt/control");
	put_microcode(c);
	put_mitigations(c);
	put_firmware(c);
	name = collect_hypervisor(c);
	if (name)
		jsonw_kstr(c->j, "hypervisor", name);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		const char *text = collect_text(c, "%s", words[i].file);

		if (text)
			jsonw_kstr(c->j, words[i].key, text);
	}
	for (size_t i = 0; i < sizeof(container) / sizeof(*container); i++)
		inside |= collect_exists(c, container[i]);
	jsonw_kbool(c->j, "container", inside);
}
