/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which CPU ids are which micro-architecture; data only, for uarch.c alone. The first
 * row that fits counts. Numbers are those of /proc/cpuinfo; they are public facts of
 * the makers' manuals and of the kernel's own lists.
 */
#ifndef INGEST_UARCH_TABLE_H
#define INGEST_UARCH_TABLE_H

#define ANY (-1)

/* Where `name` is given, the model name must have it in it ('#' = one letter or digit). */
static const struct x86_row {
	const char *vendor;
	short family, model, step_min, step_max;	/* steps ANY: whatever, or not said */
	const char *name;
	const char *slug;
} x86_rows[] = {
	/* Zen, first generation: one die for servers, workstations and desktops */
	{ "AuthenticAMD", 23, 1, ANY, ANY, "EPYC 3##1", "epyc-snowyowl" },
	{ "AuthenticAMD", 23, 1, ANY, ANY, "EPYC", "epyc-naples" },
	{ "AuthenticAMD", 23, 1, ANY, ANY, "Threadripper", "threadripper-whitehaven" },
	{ "AuthenticAMD", 23, 1, ANY, ANY, "Ryzen", "ryzen-summit-ridge" },
	{ "AuthenticAMD", 23, 8, ANY, ANY, "Threadripper", "threadripper-colfax" },
	{ "AuthenticAMD", 23, 8, ANY, ANY, "Ryzen", "ryzen-pinnacle-ridge" },
	{ "AuthenticAMD", 23, 17, ANY, ANY, NULL, "ryzen-raven-ridge" },
	{ "AuthenticAMD", 23, 24, ANY, ANY, NULL, "ryzen-picasso" },
	/* Rome and Castle Peak have the same ids to the last bit: without a name nobody can tell */
	{ "AuthenticAMD", 23, 49, ANY, ANY, "Threadripper", "threadripper-castlepeak" },
	{ "AuthenticAMD", 23, 49, ANY, ANY, "EPYC", "epyc-rome" },
	{ "AuthenticAMD", 23, 96, ANY, ANY, NULL, "ryzen-renoir" },
	{ "AuthenticAMD", 23, 104, ANY, ANY, NULL, "ryzen-lucienne" },
	{ "AuthenticAMD", 23, 113, ANY, ANY, NULL, "ryzen-matisse" },
	{ "AuthenticAMD", 23, 144, ANY, ANY, NULL, "ryzen-van-gogh" },
	{ "AuthenticAMD", 23, 160, ANY, ANY, NULL, "ryzen-mendocino" },
	/* the X parts carry stacked cache: a stepping of their own, or the X of the number */
	{ "AuthenticAMD", 25, 1, ANY, ANY, "EPYC 7##3X", "epyc-milan-x" },
	{ "AuthenticAMD", 25, 1, 2, 15, NULL, "epyc-milan-x" },
	{ "AuthenticAMD", 25, 1, 0, 1, NULL, "epyc-milan" },
	{ "AuthenticAMD", 25, 1, ANY, ANY, "EPYC", "epyc-milan" },
	{ "AuthenticAMD", 25, 8, ANY, ANY, NULL, "threadripper-chagall" },
	{ "AuthenticAMD", 25, 17, ANY, ANY, "EPYC 9##4X", "epyc-genoa-x" },
	{ "AuthenticAMD", 25, 17, 2, 15, NULL, "epyc-genoa-x" },
	{ "AuthenticAMD", 25, 17, 0, 1, NULL, "epyc-genoa" },
	{ "AuthenticAMD", 25, 17, ANY, ANY, "EPYC", "epyc-genoa" },
	{ "AuthenticAMD", 25, 24, ANY, ANY, NULL, "threadripper-storm-peak" },
	{ "AuthenticAMD", 25, 33, ANY, ANY, NULL, "ryzen-vermeer" },
	{ "AuthenticAMD", 25, 68, ANY, ANY, NULL, "ryzen-rembrandt" },
	{ "AuthenticAMD", 25, 80, ANY, ANY, NULL, "ryzen-cezanne" },
	{ "AuthenticAMD", 25, 97, ANY, ANY, NULL, "ryzen-raphael" },
	{ "AuthenticAMD", 25, 116, ANY, ANY, NULL, "ryzen-phoenix" },
	{ "AuthenticAMD", 25, 117, ANY, ANY, NULL, "ryzen-hawk-point" },
	{ "AuthenticAMD", 25, 160, ANY, ANY, "EPYC 8##4", "epyc-siena" },
	{ "AuthenticAMD", 25, 160, ANY, ANY, NULL, "epyc-bergamo" },
	{ "AuthenticAMD", 26, 2, ANY, ANY, NULL, "epyc-turin" },
	{ "AuthenticAMD", 26, 8, ANY, ANY, NULL, "threadripper-shimada-peak" },
	{ "AuthenticAMD", 26, 17, ANY, ANY, NULL, "epyc-turin-dense" },
	{ "AuthenticAMD", 26, 36, ANY, ANY, NULL, "ryzen-strix-point" },
	{ "AuthenticAMD", 26, 68, ANY, ANY, NULL, "ryzen-granite-ridge" },
	{ "AuthenticAMD", 26, 96, ANY, ANY, NULL, "ryzen-krackan-point" },
	{ "AuthenticAMD", 26, 112, ANY, ANY, NULL, "ryzen-strix-halo" },
	{ "HygonGenuine", 24, ANY, ANY, ANY, NULL, "hygon-dhyana" },

	{ "GenuineIntel", 6, 26, ANY, ANY, NULL, "nehalem-ep" },
	{ "GenuineIntel", 6, 30, ANY, ANY, NULL, "nehalem-client" },
	{ "GenuineIntel", 6, 46, ANY, ANY, NULL, "nehalem-ex" },
	{ "GenuineIntel", 6, 37, ANY, ANY, NULL, "westmere-client" },
	{ "GenuineIntel", 6, 44, ANY, ANY, NULL, "westmere-ep" },
	{ "GenuineIntel", 6, 47, ANY, ANY, NULL, "westmere-ex" },
	{ "GenuineIntel", 6, 42, ANY, ANY, NULL, "sandybridge-client" },
	{ "GenuineIntel", 6, 45, ANY, ANY, NULL, "sandybridge-ep" },
	{ "GenuineIntel", 6, 58, ANY, ANY, NULL, "ivybridge-client" },
	{ "GenuineIntel", 6, 62, ANY, ANY, NULL, "ivybridge-ep" },
	{ "GenuineIntel", 6, 60, ANY, ANY, NULL, "haswell-client" },
	{ "GenuineIntel", 6, 69, ANY, ANY, NULL, "haswell-client" },
	{ "GenuineIntel", 6, 70, ANY, ANY, NULL, "haswell-client" },
	{ "GenuineIntel", 6, 63, ANY, ANY, NULL, "haswell-ep" },
	{ "GenuineIntel", 6, 61, ANY, ANY, NULL, "broadwell-client" },
	{ "GenuineIntel", 6, 71, ANY, ANY, NULL, "broadwell-client" },
	{ "GenuineIntel", 6, 79, ANY, ANY, NULL, "broadwell-ep" },
	{ "GenuineIntel", 6, 86, ANY, ANY, NULL, "broadwell-de" },
	{ "GenuineIntel", 6, 78, ANY, ANY, NULL, "skylake-client" },
	{ "GenuineIntel", 6, 94, ANY, ANY, NULL, "skylake-client" },
	/* one model, three generations: the stepping tells; hypervisors put the generation in the name */
	{ "GenuineIntel", 6, 85, 0, 4, NULL, "skylake-sp" },
	{ "GenuineIntel", 6, 85, 5, 9, NULL, "cascadelake-sp" },
	{ "GenuineIntel", 6, 85, 10, 15, NULL, "cooperlake-sp" },
	{ "GenuineIntel", 6, 85, ANY, ANY, "Skylake", "skylake-sp" },
	{ "GenuineIntel", 6, 85, ANY, ANY, "Cascadelake", "cascadelake-sp" },
	{ "GenuineIntel", 6, 85, ANY, ANY, "Cooperlake", "cooperlake-sp" },
	{ "GenuineIntel", 6, 85, ANY, ANY, "Platinum 81", "skylake-sp" },
	{ "GenuineIntel", 6, 85, ANY, ANY, "Gold 61", "skylake-sp" },
	{ "GenuineIntel", 6, 85, ANY, ANY, "Gold 51", "skylake-sp" },
	{ "GenuineIntel", 6, 85, ANY, ANY, "Silver 41", "skylake-sp" },
	{ "GenuineIntel", 6, 85, ANY, ANY, "Platinum 82", "cascadelake-sp" },
	{ "GenuineIntel", 6, 85, ANY, ANY, "Gold 62", "cascadelake-sp" },
	{ "GenuineIntel", 6, 85, ANY, ANY, "Gold 52", "cascadelake-sp" },
	{ "GenuineIntel", 6, 85, ANY, ANY, "Silver 42", "cascadelake-sp" },
	{ "GenuineIntel", 6, 142, ANY, ANY, NULL, "kabylake-client" },
	{ "GenuineIntel", 6, 158, ANY, ANY, NULL, "kabylake-client" },
	{ "GenuineIntel", 6, 165, ANY, ANY, NULL, "cometlake-client" },
	{ "GenuineIntel", 6, 166, ANY, ANY, NULL, "cometlake-client" },
	{ "GenuineIntel", 6, 102, ANY, ANY, NULL, "cannonlake" },
	{ "GenuineIntel", 6, 125, ANY, ANY, NULL, "icelake-client" },
	{ "GenuineIntel", 6, 126, ANY, ANY, NULL, "icelake-client" },
	{ "GenuineIntel", 6, 106, ANY, ANY, NULL, "icelake-sp" },
	{ "GenuineIntel", 6, 108, ANY, ANY, NULL, "icelake-d" },
	{ "GenuineIntel", 6, 140, ANY, ANY, NULL, "tigerlake" },
	{ "GenuineIntel", 6, 141, ANY, ANY, NULL, "tigerlake" },
	{ "GenuineIntel", 6, 167, ANY, ANY, NULL, "rocketlake" },
	{ "GenuineIntel", 6, 143, ANY, ANY, NULL, "sapphirerapids" },
	{ "GenuineIntel", 6, 207, ANY, ANY, NULL, "emeraldrapids" },
	{ "GenuineIntel", 6, 173, ANY, ANY, NULL, "graniterapids" },
	{ "GenuineIntel", 6, 174, ANY, ANY, NULL, "graniterapids-d" },
	{ "GenuineIntel", 6, 175, ANY, ANY, NULL, "sierraforest" },
	{ "GenuineIntel", 6, 221, ANY, ANY, NULL, "clearwaterforest" },
	{ "GenuineIntel", 6, 151, ANY, ANY, NULL, "alderlake" },
	{ "GenuineIntel", 6, 154, ANY, ANY, NULL, "alderlake-p" },
	{ "GenuineIntel", 6, 190, ANY, ANY, NULL, "alderlake-n" },
	{ "GenuineIntel", 6, 183, ANY, ANY, NULL, "raptorlake" },
	{ "GenuineIntel", 6, 191, ANY, ANY, NULL, "raptorlake" },
	{ "GenuineIntel", 6, 186, ANY, ANY, NULL, "raptorlake-p" },
	{ "GenuineIntel", 6, 170, ANY, ANY, NULL, "meteorlake" },
	{ "GenuineIntel", 6, 172, ANY, ANY, NULL, "meteorlake" },
	{ "GenuineIntel", 6, 197, ANY, ANY, NULL, "arrowlake" },
	{ "GenuineIntel", 6, 198, ANY, ANY, NULL, "arrowlake" },
	{ "GenuineIntel", 6, 181, ANY, ANY, NULL, "arrowlake-u" },
	{ "GenuineIntel", 6, 189, ANY, ANY, NULL, "lunarlake" },
	{ "GenuineIntel", 6, 204, ANY, ANY, NULL, "pantherlake" },
	{ "GenuineIntel", 6, 55, ANY, ANY, NULL, "silvermont" },
	{ "GenuineIntel", 6, 77, ANY, ANY, NULL, "silvermont" },
	{ "GenuineIntel", 6, 76, ANY, ANY, NULL, "airmont" },
	{ "GenuineIntel", 6, 92, ANY, ANY, NULL, "goldmont" },
	{ "GenuineIntel", 6, 95, ANY, ANY, NULL, "goldmont" },
	{ "GenuineIntel", 6, 122, ANY, ANY, NULL, "goldmont-plus" },
	{ "GenuineIntel", 6, 134, ANY, ANY, NULL, "snowridge" },
	{ "GenuineIntel", 6, 150, ANY, ANY, NULL, "elkhartlake" },
	{ "GenuineIntel", 6, 156, ANY, ANY, NULL, "jasperlake" },
	{ "GenuineIntel", 6, 87, ANY, ANY, NULL, "knightslanding" },
	{ "GenuineIntel", 6, 133, ANY, ANY, NULL, "knightsmill" },
};

static const struct arm_row {
	short implementer, part;
	const char *slug;
} arm_rows[] = {
	{ 0x41, 0xd03, "cortex-a53" },	  { 0x41, 0xd04, "cortex-a35" },    { 0x41, 0xd05, "cortex-a55" },
	{ 0x41, 0xd07, "cortex-a57" },	  { 0x41, 0xd08, "cortex-a72" },    { 0x41, 0xd09, "cortex-a73" },
	{ 0x41, 0xd0a, "cortex-a75" },	  { 0x41, 0xd0b, "cortex-a76" },    { 0x41, 0xd0c, "neoverse-n1" },
	{ 0x41, 0xd0d, "cortex-a77" },	  { 0x41, 0xd40, "neoverse-v1" },   { 0x41, 0xd41, "cortex-a78" },
	{ 0x41, 0xd42, "cortex-a78ae" },  { 0x41, 0xd44, "cortex-x1" },	    { 0x41, 0xd46, "cortex-a510" },
	{ 0x41, 0xd47, "cortex-a710" },	  { 0x41, 0xd48, "cortex-x2" },	    { 0x41, 0xd49, "neoverse-n2" },
	{ 0x41, 0xd4a, "neoverse-e1" },	  { 0x41, 0xd4b, "cortex-a78c" },   { 0x41, 0xd4d, "cortex-a715" },
	{ 0x41, 0xd4e, "cortex-x3" },	  { 0x41, 0xd4f, "neoverse-v2" },   { 0x41, 0xd80, "cortex-a520" },
	{ 0x41, 0xd81, "cortex-a720" },	  { 0x41, 0xd82, "cortex-x4" },	    { 0x41, 0xd83, "neoverse-v3ae" },
	{ 0x41, 0xd84, "neoverse-v3" },	  { 0x41, 0xd85, "cortex-x925" },   { 0x41, 0xd87, "cortex-a725" },
	{ 0x41, 0xd8e, "neoverse-n3" },	  { 0x42, 0x516, "thunderx2" },	    { 0x43, 0x0a1, "thunderx" },
	{ 0x43, 0x0af, "thunderx2" },	  { 0x46, 0x001, "a64fx" },	    { 0x48, 0xd01, "kunpeng-920" },
	{ 0x4e, 0x004, "carmel" },	  { 0x50, 0x000, "xgene" },	    { 0x51, 0x001, "oryon" },
	{ 0x51, 0xc00, "falkor" },	  { 0x61, 0x022, "apple-m1" },	    { 0x61, 0x023, "apple-m1" },
	{ 0x61, 0x024, "apple-m1-pro" },  { 0x61, 0x025, "apple-m1-pro" },  { 0x61, 0x028, "apple-m1-max" },
	{ 0x61, 0x029, "apple-m1-max" },  { 0x61, 0x032, "apple-m2" },	    { 0x61, 0x033, "apple-m2" },
	{ 0x61, 0x034, "apple-m2-pro" },  { 0x61, 0x035, "apple-m2-pro" },  { 0x61, 0x038, "apple-m2-max" },
	{ 0x61, 0x039, "apple-m2-max" },  { 0x6d, 0xd49, "neoverse-n2" },   { 0x70, 0x663, "phytium-ft2000" },
	{ 0xc0, 0xac3, "ampere-one" },	  { 0xc0, 0xac4, "ampere-one-a" },
};

/* The upper half of the processor version register. */
static const struct number_row {
	unsigned id;
	const char *slug;
} power_rows[] = {
	{ 0x003f, "power7" }, { 0x004a, "power7+" }, { 0x004b, "power8" },  { 0x004c, "power8" },
	{ 0x004d, "power8" }, { 0x004e, "power9" },  { 0x0080, "power10" }, { 0x0082, "power11" },
};

/* Machine types. */
static const struct number_row s390_rows[] = {
	{ 2097, "z10" },  { 2098, "z10" }, { 2817, "z196" }, { 2818, "z196" }, { 2827, "zec12" }, { 2828, "zec12" },
	{ 2964, "z13" },  { 2965, "z13" }, { 3906, "z14" },  { 3907, "z14" },  { 8561, "z15" },	  { 8562, "z15" },
	{ 3931, "z16" },  { 3932, "z16" }, { 9175, "z17" },  { 9176, "z17" },
};

static const struct riscv_row {
	unsigned vendor;
	unsigned long long arch;
	const char *slug;
} riscv_rows[] = {
	{ 0x489, 0x8000000000000007ULL, "sifive-u74" },
	{ 0x489, 0x8000000000000008ULL, "sifive-p550" },
	{ 0x710, 0x8000000058000001ULL, "spacemit-x60" },
};

/* Words in a name that are sure, for where the ids are masked or not in a table. */
static const struct name_row {
	const char *isa;
	const char *name;
	const char *slug;
} name_rows[] = {
	{ "x86_64", "EPYC-Milan-X", "epyc-milan-x" },	{ "x86_64", "EPYC-Milan", "epyc-milan" },
	{ "x86_64", "EPYC-Rome", "epyc-rome" },		{ "x86_64", "EPYC-Genoa", "epyc-genoa" },
	{ "x86_64", "EPYC-Turin", "epyc-turin" },
	{ "x86_64", "(Cascadelake", "cascadelake-sp" }, { "x86_64", "(Icelake)", "icelake-sp" },
	{ "x86_64", "(SapphireRapids", "sapphirerapids" }, { "x86_64", "(GraniteRapids", "graniterapids" },
	{ "x86_64", "(SierraForest", "sierraforest" },
	{ "riscv64", "sifive,u74", "sifive-u74" },	{ "riscv64", "sifive,p550", "sifive-p550" },
	{ "riscv64", "Spacemit(R) X60", "spacemit-x60" }, { "riscv64", "thead,c910", "thead-c910" },
	{ "riscv64", "thead,c920", "thead-c920" },
	{ "ppc64le", "POWER11", "power11" },		{ "ppc64le", "POWER10", "power10" },
	{ "ppc64le", "POWER9", "power9" },		{ "ppc64le", "POWER8", "power8" },
	{ "ppc64", "POWER9", "power9" },		{ "ppc64", "POWER8", "power8" },
	{ "ppc64", "POWER7+", "power7+" },		{ "ppc64", "POWER7", "power7" },
};

/* Families whose names are slugs already, once blanks are dashes: "Apple M3 Pro", "Neoverse-N1". */
static const char *const arm_names[] = {
	"apple-m1", "apple-m1-pro", "apple-m1-max", "apple-m1-ultra", "apple-m2", "apple-m2-pro", "apple-m2-max",
	"apple-m2-ultra", "apple-m3", "apple-m3-pro", "apple-m3-max", "apple-m3-ultra", "apple-m4", "apple-m4-pro",
	"apple-m4-max", "neoverse-e1", "neoverse-n1", "neoverse-n2", "neoverse-n3", "neoverse-v1", "neoverse-v2",
	"neoverse-v3", "cortex-a35", "cortex-a53", "cortex-a55", "cortex-a57", "cortex-a72", "cortex-a73", "cortex-a75",
	"cortex-a76", "cortex-a77", "cortex-a78", "cortex-a510", "cortex-a520", "cortex-a710", "cortex-a715",
	"cortex-a720", "cortex-a725", "cortex-x1", "cortex-x2", "cortex-x3", "cortex-x4", "cortex-x925",
};

#endif
