/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of kinds that stand in no table of ours, each with the reasoning that gives its
 * track, base and configuration; and what order follows within a track.
 */
#include "tap.h"

#include "../../ingest/kernel.h"

static struct arena *a;

static const struct kind {
	const char *name, *track, *base, *flavour, *isa;
	bool base_only;
	const char *why;
} kinds[] = {
	{ "6.1.106-Unraid", "unraid", "6.1.106", "", NULL, false, "a NAS' own build of a stable release: its word, no count" },
	{ "6.6.44-production+truenas", "truenas", "6.6.44", "", NULL, false, "production is the usual one of two builds: no flavour" },
	{ "6.6.44-debug+truenas", "truenas", "6.6.44", "debug", NULL, false, "the other one is another configuration" },
	{ "6.6.58-desktop-1.mga9", "mageia", "6.6.58", "desktop", NULL, false, "Mageia's release in .mga9, its configuration before it" },
	{ "6.12.1-lqx1-1-lqx", "liquorix", "6.12.1", "", NULL, false, "Arch's spelling of Liquorix: the same patches, the same track" },
	{ "6.1.99-cip29", "cip", "6.1.99", "", NULL, false, "the Civil Infrastructure Platform's count behind the stable release" },
	{ "6.1.99-cip29-rt16", "cip", "6.1.99", "rt", NULL, false, "its real-time build: one more configuration, not one more track" },
	{ "6.10.14-linuxkit", "linuxkit", "6.10.14", "", NULL, false, "a container desktop's own kernel: no distribution's" },
	{ "6.6.23-yocto-standard", "yocto", "6.6.23", "", NULL, false, "standard is Yocto's usual kernel type" },
	{ "6.6.23-yocto-preempt-rt", "yocto", "6.6.23", "preempt-rt", NULL, false, "preempt-rt is another" },
	{ "6.6.58-un-def-alt1", "local", "6.6.58", "", NULL, false, "nobody's word that we know: a stable base, a track of its own" },
	{ "6.6.59-amd64-desktop-hwe", "local", "6.6.59", "", "x86_64", false, "not Debian's: its words end at the architecture" },
	{ "6.12.0-tip+", "local", "6.12", "", NULL, false, "a tree's local version: not mainline, commits nobody counted" },
	{ "6.12.0-rc3-kvm-x86-next-g1234567", "local", "6.12", "", NULL, false, "\"next\" in a tree's name is not linux-next: no date" },
	{ "6.12.0-rc1-drm-tip-12345-gabcdef012345", "local", "6.12", "", NULL, false, "a subsystem's tree with setlocalversion's count" },
	{ "6.12.1-bpo12-amd64", "local", "6.12.1", "", "x86_64", false, "bpo without its + is no backport that Debian ever made" },
	{ "6.1.0-28-686-pae", "debian", "6.1", "pae", "i686", true, "Debian's ABI number: the third number is hidden" },
	{ "6.12.3-rockchip", "local", "6.12.3", "", NULL, false, "a board vendor's word: no track we order" },
	{ "5.10.110-rockchip-rk3588", "local", "5.10.110", "", NULL, false, "a vendor's tree on a stable base" },
	{ "6.1.75-vendor-rk35xx", "local", "6.1.75", "", NULL, false, "Armbian's vendor branch, not a stable kernel" },
	{ "6.6.62-edge-sunxi64", "local", "6.6.62", "", NULL, false, "edge without a count before it is not Alpine's" },
	{ "6.6.63-gardenlinux-cloud-amd64", "local", "6.6.63", "", "x86_64", false, "a word of its own before Debian's" },
	{ "5.15.153.1-microsoft-standard-WSL2+", "wsl", "5.15.153", "", NULL, false, "WSL's fourth number, and a tree with changes" },
	{ "6.8.0-1018-aws-fips", "ubuntu-aws", "6.8", "aws-fips", NULL, true, "Ubuntu's ABI; FIPS is a configuration of the cloud's kernel" },
	{ "6.11.0-1009-realtime", "ubuntu-realtime", "6.11", "realtime", NULL, true, "Ubuntu's real-time kernels have ABI numbers of their own" },
	{ "6.12.0-65.17.1.el10_0.ppc64le", "rhel10", "6.12", "", "ppc64le", true, "a z-stream of RHEL 10.0 on POWER" },
	{ "6.17.0-0.rc1.250812g53e760d89498.18.fc43.x86_64", "fedora", "6.17", "", "x86_64", false, "a dated snapshot behind rc1" },
	{ "6.6.0-72.0.0.76.oe2403sp1.aarch64", "openeuler", "6.6", "", "aarch64", true, "openEuler's long-term kernel: 6.6 is but its base" },
	{ "6.18.0-061800rc3-generic", "ubuntu-mainline", "6.18", "", NULL, false, "Ubuntu's builds of mainline: rc3 by the digits" },
	{ "7.0.0-rc2", "mainline", "7.0", "", NULL, false, "a major version we have not met is one more number" },
	{ "6.11.2-amd64", "debian", "6.11.2", "", "x86_64", false, "Debian since 6.11 has the true version, no ABI number" },
	{ "6.12.20-s390x", "debian", "6.12.20", "", "s390x", false, "the same on another architecture" },
	{ "3.10.0-1160.vz7.212.10", "virtuozzo7", "3.10", "", NULL, true, "RHEL 7's kernel as Virtuozzo has it: not RHEL's track" },
	{ "6.9.3-76060903-generic", "pop-os", "6.9.3", "", NULL, false, "the version again in eight digits is System76's" },
	{ "6.6.58-cloudflare-2024.11.1", "cloudflare", "6.6.58", "", NULL, false, "a company's own, counted by date" },
	{ "6.6.0-loong64-desktop", "local", "6.6", "", "loongarch64", false, "an architecture's other name is still its name" },
};

/* Older, newer: of one track. */
static const char *const orders[][2] = {
	{ "6.1.99-cip29", "6.1.99-cip30" },
	{ "6.1.99-cip29", "6.1.102-cip29" },
	{ "6.12.1-lqx1-1-lqx", "6.12.1-lqx2-1-lqx" },
	{ "6.6.44-production+truenas", "6.12.15-production+truenas" },
	{ "7.0.0-rc2", "7.0" },
	{ "6.19", "7.0-rc1" },
	{ "6.18.0-061800rc3-generic", "6.18.0-061800rc4-generic" },
};

static void test_kind(const struct kind *w)
{
	struct kernel k, again;
	struct err err;

	if (!ok(!kernel_parse(a, w->name, &k, &err), "%s is a kernel's name", w->name))
		return;
	ok(!strcmp(k.track, w->track) && !strcmp(k.base, w->base) && !strcmp(k.flavour, w->flavour) && k.base_only == w->base_only,
	   "%s: %s, %s%s%s: %s", w->name, k.track, k.base, *k.flavour ? ", " : "", k.flavour, w->why);
	is_str(k.isa ? k.isa : "", w->isa ? w->isa : "", arena_printf(a, "%s: its architecture", w->name));
	ok(!kernel_parse(a, k.name, &again, &err) && !strcmp(again.identity, k.identity), "%s means itself again", w->name);
}

int main(void)
{
	a = arena_new();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		test_kind(&kinds[i]);
	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++)
		ok(kernel_compare_names(orders[i][0], orders[i][1]) == KERNEL_BEFORE &&
		   kernel_compare_names(orders[i][1], orders[i][0]) == KERNEL_AFTER, "%s is before %s", orders[i][0], orders[i][1]);
	ok(kernel_compare_names("6.1.99-cip29", "6.6.44-production+truenas") == KERNEL_UNORDERED, "tracks of two houses have no order");
	arena_free(a);
	return done();
}
