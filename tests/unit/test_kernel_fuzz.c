/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A walk over broken kernel names, the same each time: nothing crashes, what is
 * accepted means itself again, and every order claimed holds from the other side.
 */
#include "mutate.h"
#include "tap.h"

#include "../../ingest/kernel.h"

static struct arena *a;

static const char *word_of(enum kernel_order o)
{
	return o == KERNEL_BEFORE  ? "before"
	       : o == KERNEL_AFTER ? "after"
	       : o == KERNEL_SAME  ? "same"
				   : "unordered";
}

static int key_order(const struct kernel *x, const struct kernel *y)
{
	int d = memcmp(x->key, y->key, x->key_len < y->key_len ? x->key_len : y->key_len);

	return d ? d : (int)x->key_len - (int)y->key_len;
}

/* Rules for every accepted name. */
static bool holds(const struct kernel *k)
{
	struct kernel again;
	struct err err;

	if (!k->name || !k->identity || !k->track || !*k->track || !k->base || !k->flavour || !k->key_len ||
	    k->key_len > KERNEL_KEY_MAX || k->name[0] == 'v' || kernel_compare(k, k) != KERNEL_SAME)
		return false;
	if (kernel_parse(a, k->name, &again, &err))
		return false;
	return !strcmp(again.identity, k->identity) && !strcmp(again.track, k->track) &&
	       !key_order(&again, k) && !strcmp(again.name, k->name);
}

static bool pair_holds(const struct kernel *x, const struct kernel *y)
{
	enum kernel_order xy = kernel_compare(x, y), yx = kernel_compare(y, x);

	return xy == KERNEL_UNORDERED || xy == KERNEL_SAME ? yx == xy : yx == -xy;
}

static struct kernel plain(void)
{
	struct kernel k;
	struct err err;

	if (kernel_parse(a, "6.17", &k, &err))
		abort();
	return k;
}

static const char *const seeds[] = {
	"6.17.0-0.rc1.250814g0cc53520e68b.20.eln151.x86_64",
	"v6.17-rc1 with cac1db8c3aad (\"mm: x\") and 0cc53520e68b reverted",
	"6.17-rc1+revert-cac1db8c3aad+apply-x-1",
	"6.17.0-rc1-next-20250815-syzkaller-g1357b2649c02-dirty",
	"6.6.30-android15-8-g54dcbfbef792-ab12368803-4k",
	"6.4.0-150600.23.22-default",
	"6.8.0-45-generic-64k",
	"6.12.107+deb13-rt-amd64",
	"6.12~rc6-1~exp1",
	"5.10.16.3-microsoft-standard-WSL2+",
	"6.6.51+rpt-rpi-v8",
	"Linux version 6.17.0-rc1 (builder@host) #1 SMP",
	"7.2.rc3.g94515f3a7d42",
	"6.17.0-061700rc1daily20250811-generic",
	"6.6.58-rt47-x64v3-xanmod1",
	"5.3.18-lp152.19.2-default",
	"next-20250814-3-gabcdef1",
	"6.6.58_1",
	"3.10.0-1160.119.1.rt56.1271.el7.x86_64.debug",
	"6.17.12-400.asahi.fc43.aarch64+16k",
};

static void broken(void)
{
	struct kernel last = plain();
	char text[KERNEL_NAME_MAX + 40];
	int wrong = 0, pairs = 0, accepted = 0;

	for (int i = 0; i < 200000; i++) {
		struct kernel k;
		struct err err;

		strcpy(text, seeds[(size_t)i % (sizeof(seeds) / sizeof(*seeds))]);
		for (int m = 1 + rand_r(&mutate_seed) % 4; m; m--)
			mutate(text, sizeof(text), "0123456789.-+~_ rcgv,()\"xef[]\x01\xff\xc3");
		if (i % 1000 == 0) {
			arena_reset(a);
			last = plain();
		}
		if (kernel_parse(a, text, &k, &err)) {
			if (err.kind != ERR_INVALID || !*err.message) {
				printf("# no reason: %s\n", text);
				wrong++;
			}
			continue;
		}
		accepted++;
		if (!holds(&k)) {
			printf("# does not hold: \"%s\" -> \"%s\"\n", text, k.name);
			wrong++;
		}
		if (!pair_holds(&k, &last)) {
			printf("# %s, %s: %s one way, %s the other\n", k.name, last.name,
			       word_of(kernel_compare(&k, &last)), word_of(kernel_compare(&last, &k)));
			pairs++;
		}
		last = k;
	}
	ok(!wrong && accepted > 20000,
	   "200,000 broken names, %d accepted: none crashes, each accepted name means itself", accepted);
	ok(!pairs, "and every order claimed is the same from the other side");
}

int main(void)
{
	a = arena_new();
	broken();
	arena_free(a);
	return done();
}
