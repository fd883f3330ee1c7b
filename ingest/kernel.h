/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel names: what `uname -r`, a tag, `git describe`, a distribution package or a
 * phrase ("v6.17-rc1 with cac1db8c3aad reverted") says about a kernel, and the order
 * that follows from it. Order exists within a track only.
 */
#ifndef INGEST_KERNEL_H
#define INGEST_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../lib/arena.h"
#include "../lib/err.h"

#define KERNEL_KEY_MAX 96	/* bytes of a sort key */
#define KERNEL_NAME_MAX 400	/* bytes of a name we accept */

struct kernel_patch {		/* one applied patch of a variant */
	const char *title;	/* may be NULL when url is there */
	const char *url;	/* or NULL */
};

/* All strings live in the arena given to the parser; NULL = not said. */
struct kernel {
	const char *name;	/* as spelled, without a leading v; a variant: BASE+revert-SHA12[+apply-SLUG] */
	const char *identity;	/* equal exactly for one and the same kernel: X.Y.0 and X.Y are one */
	const char *release;	/* the string as given */
	int version[3];		/* 6.17.0: {6, 17, 0} */
	const char *base;	/* "6.17"; of a patch release "6.12.57"; "next" of a linux-next day with no known base */
	int rc;			/* 0 = none */
	int64_t distance;	/* commits after the base tag; 0 = none said */
	const char *hash;	/* git hash in the name, or NULL */
	int next_date;		/* yyyymmdd of linux-next and dated snapshots, or 0 */
	const char *track;	/* "mainline", "stable-6.12", "next", "eln", "rhel9", ... */
	const char *flavour;	/* "rt", "debug", "64k", "lowlatency", ...: part of the configuration; "" = none */
	const char *isa;	/* "x86_64" where the name ends in it, or NULL */
	int base_page_kib;	/* +16k, +64k, -4k in the name; 0 = not said */
	bool dirty;		/* "+" or -dirty */

	/* what the place of a kernel needs beyond that */
	int sub;		/* fourth number (2.6.32.71, WSL's builds), or 0 */
	bool uncounted;		/* commits after the tag, and nobody says how many: "+", a dated snapshot */
	bool before_rc1;	/* Fedora's rc0: the merge window before -rc1 */
	bool base_only;		/* the version is but the base of a backport kernel (RHEL, SLES), or hides its patch level */

	/* variant: commits taken out of, or patches put on, a base kernel */
	bool is_variant;
	const char *variant_base;	/* name of the base kernel */
	const char **reverts;		/* hashes as given */
	size_t n_reverts;
	struct kernel_patch *applies;
	size_t n_applies;

	/* memcmp() order within `track`; a variant has its base's key */
	uint8_t key[KERNEL_KEY_MAX];
	size_t key_len;
};

/*
 * Reads a name or phrase. 0, or -1 with ERR_INVALID saying what was expected. What
 * is no Linux kernel name ("18.7.0", "6.x", "v6.17-rc01") is refused.
 */
int kernel_parse(struct arena *a, const char *text, struct kernel *k, struct err *err);

/*
 * Makes *k (a parsed base) a variant of itself with these reverts and patches; sets
 * name, identity and the variant fields. SHA12 = the first 12 hex digits of a revert.
 */
int kernel_make_variant(struct arena *a, struct kernel *k, const char *const *reverts, size_t n_reverts,
			const struct kernel_patch *applies, size_t n_applies, struct err *err);

enum kernel_order { KERNEL_BEFORE = -1, KERNEL_SAME = 0, KERNEL_AFTER = 1, KERNEL_UNORDERED = 2 };

/*
 * The place of a against b. KERNEL_SAME: one upstream point (which may still be two
 * kernels). Names of different tracks are ordered only where one lies on the other's
 * line (6.12 before 6.12.1; 6.17.0-rc1 before next-20250812 of it); else KERNEL_UNORDERED.
 */
enum kernel_order kernel_compare(const struct kernel *a, const struct kernel *b);

/* The same for names as they are stored. A text that is no kernel's name is unordered to all. */
enum kernel_order kernel_compare_names(const char *a, const char *b);

/* -1, 0, 1: the order of two keys of one track. */
int kernel_compare_keys(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len);

/* True when both denote the same upstream point (base, rc, distance). */
bool kernel_same_point(const struct kernel *a, const struct kernel *b);

#endif
