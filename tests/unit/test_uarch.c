/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU ids to micro-architectures: the corpus where it is there, and own cases, masked and missing ids above all. */
#include "mutate.h"
#include "shared.h"

#include "../../ingest/cpuinfo.h"

enum column { ISA, VENDOR, FAMILY, MODEL, STEPPING, OTHER, NAME, SLUG, COLUMNS };

static struct arena *a;

static long first_number(const char *s)
{
	return *s >= '0' && *s <= '9' ? strtol(s, NULL, 10) : -1;
}

static struct cpu_id id_of(char *const col[COLUMNS])
{
	struct cpu_id cpu = CPU_ID_NONE;
	const char *part = strstr(col[OTHER], "part=");

	cpu.isa = col[ISA];
	cpu.vendor = col[VENDOR];
	cpu.family = first_number(col[FAMILY]);
	cpu.model = first_number(col[MODEL]);
	cpu.stepping = first_number(col[STEPPING]);
	cpu.part = part ? strtol(part + 5, NULL, 0) : -1;
	cpu.other = col[OTHER];
	cpu.model_name = *col[NAME] && *col[NAME] != '(' ? col[NAME] : NULL;
	return cpu;
}

static void corpus(void)
{
	FILE *f = shared_open("cpus.tsv");
	char line[1024];
	int rows = 0;

	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		char *col[COLUMNS];
		struct cpu_id cpu;

		shared_columns(line, col, COLUMNS);
		if (!strcmp(col[ISA], "isa"))
			continue;
		rows++;
		cpu = id_of(col);
		is_str(uarch_slug(&cpu), col[SLUG],
		       arena_printf(a, "%s %s %s", col[ISA], col[OTHER], col[NAME]));
	}
	ok(rows > 50, "cpus.tsv has %d rows", rows);
	fclose(f);
}

/* The slugs that MANIFEST.tsv gives for the corpus' copies of /proc/cpuinfo. */
static void cpuinfos(void)
{
	FILE *f = shared_open("MANIFEST.tsv");
	static char line[8192];
	int files = 0;

	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		char *col[13], *slug = NULL;
		struct cpu_id cpu;
		const char *text;

		shared_columns(line, col, 13);
		if (strcmp(col[1], "cpuinfo"))
			continue;
		for (int i = 9; i < 13 && !slug; i++)
			slug = strncmp(col[i], "slug = ", 7) ? NULL : col[i] + 7;
		text = shared_text(col[0]);
		if (!text || !slug)
			continue;
		files++;
		cpuinfo_read(a, text, &cpu);
		is_str(uarch_slug(&cpu), slug, col[0]);
	}
	ok(files > 8, "%d copies of /proc/cpuinfo", files);
	fclose(f);
}

static const char *x86(const char *vendor, long family, long model, long stepping, const char *name)
{
	struct cpu_id cpu = CPU_ID_NONE;

	cpu.isa = "x86_64";
	cpu.vendor = vendor;
	cpu.family = family;
	cpu.model = model;
	cpu.stepping = stepping;
	cpu.model_name = name;
	return uarch_slug(&cpu);
}

static const char *arm(const char *vendor, long part, const char *name)
{
	struct cpu_id cpu = CPU_ID_NONE;

	cpu.isa = "aarch64";
	cpu.vendor = vendor;
	cpu.part = part;
	cpu.model_name = name;
	return uarch_slug(&cpu);
}

static void own(void)
{
	const char *amd = "AuthenticAMD", *intel = "GenuineIntel";
	struct cpu_id cpu = CPU_ID_NONE;

	is_str(x86(amd, 23, 49, 0, NULL), NULL, "Rome or Castle Peak: without a name nobody can tell");
	is_str(x86(amd, 23, 49, 0, "QEMU Virtual CPU version 2.5+"), NULL,
	       "nor with a name that says nothing");
	is_str(x86(amd, 23, 49, 0, "AMD EPYC-Rome Processor"), "epyc-rome", "a guest's Rome");
	is_str(x86(amd, 25, 1, 1, "AMD EPYC-Milan Processor"), "epyc-milan", "a guest's Milan");
	is_str(x86(amd, 25, 1, 2, "AMD EPYC-Milan Processor"), "epyc-milan-x",
	       "a guest on Milan-X shows the stepping");
	is_str(x86(amd, 25, 1, -1, "AMD EPYC 7573X 32-Core Processor"), "epyc-milan-x",
	       "the X of the number");
	is_str(x86(amd, 25, 1, -1, NULL), NULL, "Milan or Milan-X: neither stepping nor name");
	is_str(x86(amd, 25, 1, 1, NULL), "epyc-milan", "the stepping is enough");
	is_str(x86("AMD", 25, 17, 1, "AMD EPYC 9654 96-Core Processor"), "epyc-genoa",
	       "a vendor in plain words");
	is_str(x86(NULL, 25, 17, 1, "AMD EPYC 9654 96-Core Processor"), "epyc-genoa",
	       "a vendor only in the name");
	is_str(x86(amd, 25, 160, 2, "AMD EPYC 8534P 64-Core Processor"), "epyc-siena", "Siena is no Bergamo");
	is_str(x86(amd, 23, 1, 1, "AMD Ryzen 7 1800X Eight-Core Processor"), "ryzen-summit-ridge",
	       "a desktop is no Naples");
	is_str(x86(amd, 15, 107, 1, "QEMU Virtual CPU version 2.5+"), NULL, "qemu64 is nothing");
	is_str(x86(intel, 6, 85, 4, "Intel Xeon Processor (Skylake, IBRS)"), "skylake-sp",
	       "a guest's Skylake");
	is_str(x86(intel, 6, 85, 6, "Intel Xeon Processor (Cascadelake)"), "cascadelake-sp",
	       "a guest's Cascade Lake");
	is_str(x86(intel, 6, 85, 11, "Intel(R) Xeon(R) Platinum 8380H CPU @ 2.90GHz"), "cooperlake-sp",
	       "Cooper Lake");
	is_str(x86(intel, 6, 85, -1, "Intel(R) Xeon(R) Gold 6132 CPU @ 2.60GHz"), "skylake-sp",
	       "the number, without a stepping");
	is_str(x86(intel, 6, 85, -1, NULL), NULL, "model 85 alone is three generations");
	is_str(x86(intel, 6, 94, 3, NULL), "skylake-client", "no name needed where ids are enough");
	is_str(x86(intel, 6, 300, 1, NULL), NULL, "a model to come");
	is_str(x86(intel, -1, -1, -1, NULL), NULL, "a vendor alone");
	is_str(x86(amd, 6, 94, 3, NULL), NULL, "the vendor is part of the ids");
	is_str(arm("0x41", 0xd0c, NULL), "neoverse-n1", "Altra");
	is_str(arm("ARM", 0xd0c, "Neoverse-N1"), "neoverse-n1", "lscpu's words");
	is_str(arm(NULL, -1, "Neoverse-V2"), "neoverse-v2", "a name alone");
	is_str(arm(NULL, -1, "Apple M3 Max"), "apple-m3-max", "a name of the submitter");
	is_str(arm("0x61", 0x999, NULL), NULL, "a part to come");
	is_str(uarch_slug(&cpu), NULL, "nothing is said");
	cpu.other = "processor 0: version = FF,  identification = 0,  machine = 3906";
	is_str(uarch_slug(&cpu), "z14", "no isa given, but a machine type");
	cpuinfo_read(a, "", &cpu);
	is_str(uarch_slug(&cpu), NULL, "an empty cpuinfo");
	cpuinfo_read(a, "CPU implementer : 0x41\nCPU part\t: zzz\n:\n", &cpu);
	is_str(uarch_slug(&cpu), NULL, "a broken cpuinfo");
}

static void broken(void)
{
	static const char *const seeds[] = {
		"vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: AMD EPYC "
		"7773X\nstepping\t: 2\n",
		"CPU implementer\t: 0x41\nCPU part\t: 0xd0c\nCPU variant\t: 0x3\n",
		"cpu\t: POWER9, altivec supported\nrevision\t: 2.2 (pvr 004e 1202)\n",
		"vendor_id : IBM/S390\nprocessor 0: version = 00,  identification = 4729E7,  machine = "
		"2964\n",
		"uarch\t: sifive,u74-mc\nmvendorid\t: 0x489\nmarchid\t: 0x8000000000000007\n",
	};
	char text[400];
	int known = 0;

	for (int i = 0; i < 50000; i++) {
		struct cpu_id cpu;

		strcpy(text, seeds[(size_t)i % (sizeof(seeds) / sizeof(*seeds))]);
		for (int m = 1 + i % 3; m; m--)
			mutate(text, sizeof(text), ":\n\t =x0123456789ACEMPx()\x01\xff");
		cpuinfo_read(a, text, &cpu);
		known += uarch_slug(&cpu) != NULL;
		if (i % 1000 == 0)
			arena_reset(a);
	}
	ok(known > 1000, "50,000 broken copies of /proc/cpuinfo: none crashes, %d still tell the machine",
	   known);
}

int main(void)
{
	a = arena_new();
	corpus();
	cpuinfos();
	own();
	broken();
	arena_free(a);
	return done();
}
