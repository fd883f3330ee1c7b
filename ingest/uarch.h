/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Micro-architecture slugs from CPU ids (x86 family/model/stepping, arm64 MIDR, POWER PVR, s390x machine, RISC-V ids). */
#ifndef INGEST_UARCH_H
#define INGEST_UARCH_H

/* What a lab says of its CPU; -1 or NULL = not said. */
struct cpu_id {
	const char *isa;		/* "x86_64", "aarch64", "ppc64le", "s390x", "riscv64" */
	const char *vendor;		/* "AuthenticAMD", or an arm64 implementer "0x41" */
	long family, model, stepping;	/* x86 */
	const char *model_name;
	long part, variant;		/* arm64 */
	const char *other;		/* "pvr 0080 1100", "machine = 8561", "marchid 0x8000000058000001" */
};

#define CPU_ID_NONE ((struct cpu_id){ .family = -1, .model = -1, .stepping = -1, .part = -1, .variant = -1 })

/* The slug ("epyc-milan"), a constant; NULL when the ids tell too little or are not known. */
const char *uarch_slug(const struct cpu_id *cpu);

#endif
